"""Numbers tried on a changed statement: whether what it supposes is possible, and whether anything speaks against it.

Meanings are tried as they are. Of statements that are text, those over ℝ with nothing but arithmetic in them are tried
with rational numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from pythagoras.alf.mutations.outlines import mentioned
from pythagoras.alf.mutations.sequents import Sequent, numbers
from pythagoras.language.changes.terms import conjuncts
from pythagoras.language.evaluate import example, stands
from pythagoras.language.lean_writer import write_lean
from pythagoras.language.meaning import Apply, Bind, Cast, Claim, Number, Term, Typed, Variable, walk
from pythagoras.language.reading import NotRead

_ARITHMETIC = frozenset(
    [
        *("+", "-", "*", "/", "^", "neg", "abs", "=", "≠", "<", "≤", ">", "≥"),
        *("and", "or", "not", "implies", "iff", "true", "false"),
    ]
)
_TRIES, _REFUTING = 30, (6, 40)
"""Choices of numbers: for an example, and to refute; few are spread wider than many."""


def tried(found: Sequent) -> Claim | None:
    """What numbers are tried on; None where there is nothing to calculate with."""
    if found.is_exact:
        return found.claim
    if found.before or any(one.type != "ℝ" for one in found.variables):
        return None
    if not all(_is_arithmetic(part) for term in (*found.hypotheses, found.goal) for part in walk(term)):
        return None
    return Claim(tuple(Typed(one.name, "ℚ") for one in found.variables), found.hypotheses, found.goal)


def _is_arithmetic(part: Term) -> bool:
    match part:
        case Apply("^", (_, exponent)):
            return isinstance(exponent, Number)
        case Apply(sign):
            return sign in _ARITHMETIC
        case Cast(kind):
            return kind == "ℝ"
        case Variable(name):
            return name.isidentifier()
    return isinstance(part, Number)


def possible(made: Iterable[Sequent], rng: Random) -> Iterator[Sequent]:
    """Those whose hypotheses some numbers satisfy; all of those that can't be tried."""
    for one in made:
        claim = tried(one)
        if claim is None or example(claim, rng, _TRIES) is not None:
            yield one


def unrefuted(made: Iterable[Sequent], rng: Random, apart: Term | None = None) -> Iterator[Sequent]:
    """Those that some numbers satisfy and none refutes, under a further condition where one is given.

    What can't be tried, or not be said in Lean, is not among them.
    """
    for one in made:
        claim = tried(one if apart is None else one.supposing(apart))
        if claim is None or _is_dear(claim) or not stands(claim, rng, _TRIES, _REFUTING):
            continue
        if not one.is_exact or is_sayable(one.claim):
            yield one


def _is_dear(claim: Claim) -> bool:
    """Whether each choice of numbers means a search for several others."""
    return any(
        isinstance(part, Bind) and part.sign in ("∀", "∃", "∃!") and len(part.variables) > 1
        for part in walk(claim.goal)
    )


def is_sayable(claim: Claim) -> bool:
    """Whether Lean has a way to say it."""
    try:
        write_lean(claim, "x")
    except NotRead:
        return False
    return True


def free_numbers(found: Sequent, *kinds: str) -> list[Typed]:
    """The variables that no hypothesis has an equation for, or says something unknown about."""
    held = frozenset[str]().union(
        *(mentioned(part) for one in found.hypotheses for part in conjuncts(one) if _pins(part))
    )
    return [one for one in numbers(found, *kinds) if one.name not in held]


def _pins(hypothesis: Term) -> bool:
    return not isinstance(hypothesis, Apply) or hypothesis.sign in ("=", "iff", "or", "≡")
