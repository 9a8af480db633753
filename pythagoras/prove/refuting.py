"""Is a theorem false? Small values are calculated with, and where they refute it Lean is to confirm that.

The calculation is exact, but reads the statement by rules of its own; so only what Lean proves of the negation is
certain. Statements that these rules can't read (real numbers, definitions of one's own) are left alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from pythagoras.errors import InputError
from pythagoras.language.evaluate import holds, refuted
from pythagoras.language.exact import Unknown, Value
from pythagoras.language.lean_reader import read_statement
from pythagoras.language.meaning import Claim
from pythagoras.language.reading import NotRead
from pythagoras.lean import signatures
from pythagoras.lean.scopes import joined, own_context
from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.lean.tokens import Sort, tokens

_CLOSERS = ("decide", "decide +kernel", "omega", "simp", "grind", "simp_all")
_MATHLIB_CLOSERS = ("norm_num", "norm_num [Nat.ModEq, Int.ModEq]", "nlinarith", "positivity")
_DECLARATIONS = frozenset({"theorem", "lemma", "def", "abbrev", "structure", "inductive"})
_SCOPES = frozenset({"namespace", "section", "end"})
_PLAIN = re.compile(r"(?:private\s+|protected\s+)?(?:theorem|lemma)\b")
_TRIES = 400
"""For smaller values."""
_PLACES = 4
"""Values of a function that are shown."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Values for which the hypotheses hold and the goal does not, by calculation."""

    values: Mapping[str, str]
    """By the variables' names, as people read them. Empty for a statement without variables."""
    negation: Statement | None
    """What Lean is to prove; None where it can't be said."""
    proof: str


def counterexample(statement: Statement, seed: int = 0) -> Counterexample | None:
    """Values that refute a statement, if some are found among small ones."""
    try:
        claim = read_statement(replace(statement, context=_rests_on(statement)))
        found = refuted(claim, Random(seed))
        if found is None:
            return None
        found = _smaller(claim, found)
    except (NotRead, Unknown, ArithmeticError, RecursionError):
        return None
    values = {name: _shown(value) for name, value in found.items()}
    given = [f"({name} := {term})" for name, value in found.items() if (term := _term(value))]
    negation = _negation(statement) if len(given) == len(found) else None
    return Counterexample(values, negation, _proof(given, statement.header))


def _smaller(claim: Claim, found: dict[str, Value]) -> dict[str, Value]:
    """Values nearer to 0 that refute it as well: easier to read, and for Lean to calculate with."""
    if any(callable(value) for value in found.values()):  # functions depend on the other values
        return found
    left = _TRIES
    for name in found:
        if isinstance(found[name], bool):
            continue
        for value in _nearer(found[name]):
            left -= 1
            if left < 0:
                return found
            if holds(claim, {**found, name: value}) is False:
                found = {**found, name: value}
                break
    return found


def _nearer(value: Value) -> Iterator[int]:
    """Integers that are nearer to 0, nearest first, of the same sign."""
    sign = -1 if value < 0 else 1
    return (sign * size for size in range(math.ceil(abs(value))))


def _rests_on(statement: Statement) -> str:
    """The context without what can't matter to the statement: declarations that it does not name, and scopes."""
    context = own_context(statement.context, statement.header)
    words = {token.text.rpartition(".")[2] for token in tokens(statement.text) if token.sort is Sort.NAME}

    def matters(command: signatures.Command) -> bool:
        if command.word in _DECLARATIONS:
            return (command.written_name or "").rpartition(".")[2] in words
        return command.word not in _SCOPES

    return joined(context, filter(matters, signatures.commands(context)))


def _negation(statement: Statement) -> Statement | None:
    """The statement's negation as a theorem; None where something before its first word could change what it means.

    The goal keeps its column, by which Lean tells the lines of a `let`.
    """
    if not _PLAIN.match(statement.text):
        return None
    column = len(statement.text.removesuffix(statement.goal).rpartition("\n")[2])
    goal = f"\n{' ' * column}{statement.goal}" if "\n" in statement.goal else f" {statement.goal}"
    binders = " ".join(binder.text for binder in statement.binders)
    claim = f"∀ {binders},{goal}" if binders else goal.lstrip(" ")
    name = statement.name.rpartition(".")[2]
    name = "it" if "»" in name else name
    before = f"{statement.context}\n\n" if statement.context else ""
    try:
        return parse_statement(f"{before}theorem {name}_is_false : ¬ ({claim}) := sorry", header=statement.header)
    except InputError:
        return None


def _proof(given: list[str], header: str) -> str:
    closers = (*_CLOSERS, *(_MATHLIB_CLOSERS if header.startswith("mathlib") else ()))
    steps = [
        "intro holds",
        f"have holds := {' '.join(('holds', *given))}",
        "revert holds",
        f"first | {' | '.join(closers)}",
    ]
    return "\n".join(["by", *(f"  {step}" for step in (steps if given else [steps[-1]]))])


def _term(value: Value) -> str:
    """The value as Lean says it; empty for a function."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Fraction):
        return f"{value.numerator} / {value.denominator}"
    return ""


def _shown(value: Value) -> str:
    if not callable(value):
        return str(value)
    places = []
    for at in range(_PLACES):
        try:
            places.append(f"{at} ↦ {value(at)}")
        except (Unknown, ArithmeticError, RecursionError, TypeError):
            break
    return ", ".join([*places, "…"])
