"""Whether a claim with other numbers is a case of the original: more is supposed, or less is claimed, and that is all.

Seen are equations, bounds and divisors: `n ≥ 12` in the place of `n ≥ 4` among the hypotheses, `10 ∣ t` in that of
`20 ∣ t` in the goal, `2x = 10` for `x = 5` or `11 ∣ t + 32` for `11 ∣ t + 21` in either. Only one relation is compared
with another; nothing here knows what follows from several.
"""

from __future__ import annotations

from fractions import Fraction

from pythagoras.language.changes.algebra import difference
from pythagoras.language.changes.remainders import reduced, reduced_term
from pythagoras.language.meaning import Apply, Bind, Claim, Number, Term
from pythagoras.language.polynomials import combined, constant

_EASIER = {"<": -1, "≤": -1, ">": 1, "≥": 1}
"""The sign of what may be added to left less right without making the relation harder."""


def is_case(original: Claim, variant: Claim) -> bool:
    """For claims of the same form. The original is a case of itself."""
    before, after = reduced(original), reduced(variant)
    supposed = zip(after.hypotheses, before.hypotheses, strict=True)
    return all(_follows(new, old) for new, old in supposed) and _follows(before.goal, after.goal)


def _follows(stronger: Term, weaker: Term) -> bool:
    """Compared place by place, each part in the direction in which the whole depends on it."""
    if stronger == weaker:
        return True
    match stronger, weaker:
        case (Apply("and", parts), Apply("and", others)) | (Apply("or", parts), Apply("or", others)):
            return all(_follows(one, other) for one, other in zip(parts, others, strict=True))
        case (Bind("∃", _, body), Bind("∃", _, other)) | (Bind("∀", _, body), Bind("∀", _, other)):
            return _follows(body, other)
        case Apply("implies", (premise, conclusion)), Apply("implies", (other_premise, other_conclusion)):
            return _follows(other_premise, premise) and _follows(conclusion, other_conclusion)
        case Apply("not", (inner,)), Apply("not", (other,)):
            return _follows(other, inner)
        case Apply("iff", parts), Apply("iff", others):
            pairs = zip(parts, others, strict=True)
            return all(_follows(one, other) and _follows(other, one) for one, other in pairs)
        case Apply("∣", (Number(modulus), divided)), Apply("∣", (Number(smaller), _)) if smaller:
            return modulus % smaller == 0 and reduced_term(Apply("∣", (Number(smaller), divided))) == weaker
        case Apply("∣", (divisor, Number(one))), Apply("∣", (other_divisor, Number(multiple))) if one:
            return divisor == other_divisor and multiple % one == 0
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
