"""Meanings to Lean, on the `core` header.

Which casts are written, `lean_casts` says. Variables stand in binders, grouped by type; hypotheses are called `h₁`,
`h₂`, ...; named values inside of the goal stand on lines of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pythagoras.language.bounds import within_the_stack
from pythagoras.language.lean_casts import with_casts
from pythagoras.language.lean_text import binders, term_text
from pythagoras.language.meaning import Claim, Let, Term, Typed

__all__ = ["Written", "term_text", "write_lean", "written"]

_DIGITS = "₀₁₂₃₄₅₆₇₈₉"
_SUBSCRIPTS = str.maketrans("0123456789", _DIGITS)
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Written:
    """A claim as Lean says it, part by part."""

    variables: tuple[Typed, ...]
    hypotheses: tuple[str, ...]
    lets: tuple[str, ...]
    """The named values at the front of the goal, a line each."""
    goal: str
    """What stands behind them."""

    def theorem(self, name: str) -> str:
        """A theorem of that name, up to and without `:=`."""
        parts = [*binders(self.variables), *self._given()]
        line = " ".join((f"theorem {name}", *parts, ":", self.goal))
        if len(line) <= _WIDTH and not self.lets:
            return line
        head = "\n    ".join((f"theorem {name}", *parts)) + " :"
        return "\n    ".join((head, *self.lets, self.goal))

    def _given(self) -> Iterator[str]:
        letter = "h"
        while any(variable.name.startswith(f"{letter}{digit}") for variable in self.variables for digit in _DIGITS):
            letter += "h"
        for number, text in enumerate(self.hypotheses, 1):
            yield f"({letter}{str(number).translate(_SUBSCRIPTS)} : {text})"


@within_the_stack
def written(claim: Claim) -> Written:
    """What Lean would say. NotRead where it has no way to."""
    claim = with_casts(claim)
    return Written(claim.variables, tuple(map(term_text, claim.hypotheses)), *_lines_of(claim.goal))


def write_lean(claim: Claim, name: str) -> str:
    """A theorem of that name, up to and without `:=`. NotRead where Lean has no way to say it."""
    return written(claim).theorem(name)


def _lines_of(goal: Term) -> tuple[tuple[str, ...], str]:
    """The named values at the front of the goal, and the rest."""
    lines: list[str] = []
    while isinstance(goal, Let):
        lines.append(f"let {goal.variable.name} : {goal.variable.type} := {term_text(goal.value)}")
        goal = goal.body
    text = term_text(goal)
    goes_on = lines and text.startswith("-")  # Lean would subtract it from the last value
    return tuple(lines), f"({text})" if goes_on else text
