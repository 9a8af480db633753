"""Meanings to Lean, on the `core` header.

Which casts are written, `lean_casts` says. Variables stand in binders, grouped by type; hypotheses are called `h₁`,
`h₂`, ...; named values inside of the goal stand on lines of their own.
"""

from __future__ import annotations

from pythagoras.language.bounds import within_the_stack
from pythagoras.language.lean_casts import with_casts
from pythagoras.language.lean_text import binders, term_text
from pythagoras.language.meaning import Claim, Let, Term

__all__ = ["term_text", "write_lean"]

_DIGITS = "₀₁₂₃₄₅₆₇₈₉"
_SUBSCRIPTS = str.maketrans("0123456789", _DIGITS)
_WIDTH = 100


@within_the_stack
def write_lean(claim: Claim, name: str) -> str:
    """A theorem of that name, up to and without `:=`. NotRead where Lean has no way to say it."""
    claim = with_casts(claim)
    parts = [*binders(claim.variables), *_hypotheses(claim)]
    lets, goal = _lines_of(claim.goal)
    line = " ".join((f"theorem {name}", *parts, ":", goal))
    if len(line) <= _WIDTH and not lets:
        return line
    head = "\n    ".join((f"theorem {name}", *parts)) + " :"
    return "\n    ".join((head, *lets, goal))


def _hypotheses(claim: Claim) -> list[str]:
    letter = "h"
    while any(variable.name.startswith(f"{letter}{digit}") for variable in claim.variables for digit in _DIGITS):
        letter += "h"
    return [
        f"({letter}{str(number).translate(_SUBSCRIPTS)} : {term_text(term)})"
        for number, term in enumerate(claim.hypotheses, 1)
    ]


def _lines_of(goal: Term) -> tuple[list[str], str]:
    """The named values at the front of the goal, and the rest."""
    lines: list[str] = []
    while isinstance(goal, Let):
        lines.append(f"let {goal.variable.name} : {goal.variable.type} := {term_text(goal.value)}")
        goal = goal.body
    text = term_text(goal)
    goes_on = lines and text.startswith("-")  # Lean would subtract it from the last value
    return lines, f"({text})" if goes_on else text
