"""Whether a claim with other numbers is a case of the original: more is supposed, or less is claimed, and that is all.

Seen are equations, bounds and divisors: `n ≥ 12` in the place of `n ≥ 4` among the hypotheses, `10 ∣ t` in that of
`20 ∣ t` in the goal, `2x = 10` for `x = 5` in either. Only one relation is compared with another; nothing here knows
what follows from several.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pythagoras.pipeline.language.meaning import Apply, Bind, Claim, Number, Term
from pythagoras.pipeline.language.polynomials import combined, constant
from pythagoras.pipeline.rules.algebra import difference
from pythagoras.pipeline.rules.numerals import number, terms

_EASIER = {"<": -1, "≤": -1, ">": 1, "≥": 1}
"""The sign of what may be added to left less right without making the relation harder."""


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
        case (Bind("∃", _, body), Bind("∃", _, other)) | (Bind("∀", _, body), Bind("∀", _, other)):
            yield from _pairs(body, other)
        case _:
            yield old, new


def _follows(stronger: Term, weaker: Term) -> bool:
    match stronger, weaker:
        case Apply("∣", (divisor, Number(one))), Apply("∣", (other_divisor, Number(other))) if one:
            return divisor == other_divisor and other % one == 0
    first, second = _remainder(stronger), _remainder(weaker)
    if first is not None and second is not None:
        (divided, modulus, rest), (other_divided, smaller, other_rest) = first, second
        return divided == other_divided and modulus % smaller == 0 and (rest - other_rest) % smaller == 0
    return _is_multiple(stronger, weaker)


def _is_multiple(stronger: Term, weaker: Term) -> bool:
    """Whether a relation is another one times a number, with something added that only makes a bound easier."""
    before, after = difference(stronger), difference(weaker)
    if not before or not after or not isinstance(stronger, Apply) or not isinstance(weaker, Apply):
        return False
    shared = next((monomial for monomial in before if monomial and monomial in after), None)
    if stronger.sign != weaker.sign or shared is None:
        return False
    factor = after[shared] / before[shared]
    left = combined(((1, after), (-factor, before)))
    added = left.get((), Fraction(0))
    if left != constant(added):
        return False
    easier = _EASIER.get(stronger.sign)
    return not added if easier is None else factor > 0 and added * easier >= 0


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
