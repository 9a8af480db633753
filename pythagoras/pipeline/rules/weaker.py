"""Whether a claim with other numbers is a case of the original: more is supposed, or less is claimed, and that is all.

Seen are bounds and divisors: `n ≥ 12` in the place of `n ≥ 4` among the hypotheses, `10 ∣ t` in that of `20 ∣ t` in the
goal. Only the form is looked at; nothing here knows what follows from what.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pythagoras.pipeline.language.meaning import Apply, Bind, Claim, Number, Term
from pythagoras.pipeline.rules.numerals import number, terms

_LESS = {"<": 1, "≤": 1, ">": 0, "≥": 0}
"""The side on which a greater number makes the relation easier."""


def is_case(original: Claim, variant: Claim) -> bool:
    """For claims of the same form. The original is a case of itself."""
    goal = len(original.hypotheses)
    for index, (old, new) in enumerate(zip(terms(original), terms(variant), strict=True)):
        for one, other in _pairs(old, new):
            weaker, stronger = (other, one) if index == goal else (one, other)
            if one != other and not _follows(stronger, weaker):
                return False
    return True


def _pairs(old: Term, new: Term) -> Iterator[tuple[Term, Term]]:
    """The relations that both say to hold together."""
    match old, new:
        case Apply("and", parts), Apply("and", others):
            for one, other in zip(parts, others, strict=True):
                yield from _pairs(one, other)
        case Bind("∃", _, body), Bind("∃", _, other):
            yield from _pairs(body, other)
        case _:
            yield old, new


def _follows(stronger: Term, weaker: Term) -> bool:
    if not (isinstance(stronger, Apply) and isinstance(weaker, Apply)) or stronger.sign != weaker.sign:
        return False
    if stronger.sign in _LESS:
        for side in (0, 1):
            one, other = number(stronger.args[side]), number(weaker.args[side])
            if one is not None and other is not None and stronger.args[1 - side] == weaker.args[1 - side]:
                return one <= other if side == _LESS[stronger.sign] else other <= one
        return False
    first, second = _remainder(stronger), _remainder(weaker)
    if first is None or second is None or first[0] != second[0]:
        return False
    (_, divisor, rest), (_, smaller, other_rest) = first, second
    return divisor % smaller == 0 and (rest - other_rest) % smaller == 0


def _remainder(term: Term) -> tuple[Term, int, Fraction] | None:
    """What is divided, by what, and what is left."""
    match term:
        case Apply("∣", (Number(divisor), divided)) if divisor:
            return divided, divisor, Fraction(0)
        case Apply("=", (Apply("%", (divided, Number(divisor))), Number(rest))) if divisor:
            return divided, divisor, Fraction(rest)
        case Apply("≡", (divided, right, Number(divisor))) if divisor and (left := number(right)) is not None:
            return divided, divisor, left
    return None
