"""The numbers that stand in a claim: where they are, what they are, the same claim with others in their places.

A number is a numeral, its negative or a fraction of such: `-7/4` is one number. Exponents, zeros and the places of
functions count as the form of a claim, not as its numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from pythagoras.language.changes.terms import numeral
from pythagoras.language.meaning import Apply, Call, Claim, Number, Term, children, with_children

Place = tuple[int, ...]
"""The way to a term: which of the claim's terms (the goal is the last), then which child, and so on."""

_ANY_SIGN = frozenset(
    [
        *("+", "-", "*", "neg", "=", "≠", "<", "≤", ">", "≥", "≡", "∣", "%"),
        *("and", "or", "iff", "implies", "not"),
    ]
)
"""Where a number may turn negative."""


def number(term: Term) -> Fraction | None:
    """What a number comes to; None for any other term."""
    match term:
        case Number(value):
            return Fraction(value)
        case Apply("neg", (inner,)):
            found = number(inner)
            return None if found is None else -found
        case Apply("/", (above, Number(below))) if below:
            found = number(above)
            return None if found is None or found.denominator != 1 else found / below
    return None


def terms(claim: Claim) -> tuple[Term, ...]:
    """The hypotheses, then the goal."""
    return (*claim.hypotheses, claim.goal)


def numerals(claim: Claim, zeros: bool = False) -> list[Place]:
    """The places of all numbers; those of zeros only where they are asked for."""
    found = [(at, *path) for at, term in enumerate(terms(claim)) for path in _paths(term)]
    return found if zeros else [place for place in found if number_at(claim, place)]


def _paths(term: Term) -> Iterator[Place]:
    if number(term) is not None:
        yield ()
        return
    for at, child in enumerate(children(term)):
        if not (isinstance(term, Apply) and term.sign == "^" and at == 1) and not isinstance(term, Call):
            yield from ((at, *path) for path in _paths(child))


def term_at(claim: Claim, place: Place) -> Term:
    term = terms(claim)[place[0]]
    for step in place[1:]:
        term = children(term)[step]
    return term


def number_at(claim: Claim, place: Place) -> Fraction:
    found = number(term_at(claim, place))
    assert found is not None
    return found


def may_be(claim: Claim, place: Place, new: Fraction) -> bool:
    """Whether another number fits into a place: a fraction where one was, a negative where that has a meaning."""
    old = number_at(claim, place)
    if new == 0 or (new.denominator != 1 and old.denominator == 1):
        return False
    if new > 0 or old < 0:
        return True
    term, powers = terms(claim)[place[0]], 0
    for step in place[1:]:
        if isinstance(term, Apply) and term.sign not in _ANY_SIGN:
            powers += 1
        if isinstance(term, Apply) and ((term.sign == "%" and step == 1) or (term.sign == "∣" and step == 0)):
            return False
        if isinstance(term, Apply) and term.sign == "≡" and step == 2:
            return False
        term = children(term)[step]
    return powers == 0


def put(claim: Claim, new: Mapping[Place, Fraction]) -> Claim:
    """The claim with other numbers in these places; all others are where they were."""
    changed = list(terms(claim))
    for place, value in new.items():
        changed[place[0]] = _replaced(changed[place[0]], place[1:], numeral(value))
    return Claim(claim.variables, tuple(changed[:-1]), changed[-1])


def _replaced(term: Term, path: Place, new: Term) -> Term:
    if not path:
        return new
    inner = [*children(term)]
    inner[path[0]] = _replaced(inner[path[0]], path[1:], new)
    return with_children(term, inner)


# --- as one writes it -----------------------------------------------------------------------------


def written(claim: Claim) -> Claim:
    """The claim as people write it: no factor 1, and nothing negative is added or taken away."""
    return Claim(claim.variables, tuple(map(_written, claim.hypotheses)), _written(claim.goal))


def _written(term: Term) -> Term:
    if number(term) is not None:
        return term
    term = with_children(term, [_written(child) for child in children(term)])
    match term:
        case Apply("*", (Number(1), other)) | Apply("*", (other, Number(1))):
            return other
        case Apply("+" | "-", (left, right)) if (positive := _negated(right)) is not None:
            return Apply("-" if term.sign == "+" else "+", (left, positive))
    return term


def _negated(term: Term) -> Term | None:
    """The term without its minus, when it begins with one."""
    known = number(term)
    if known is not None:
        return numeral(-known) if known < 0 else None
    match term:
        case Apply("neg", (inner,)):
            return inner
        case Apply("*", (left, right)) if (positive := _negated(left)) is not None:
            return right if positive == Number(1) else Apply("*", (positive, right))
    return None
