"""Divisors of a claim worked out from values: what divides all of them, what all of them divide.

* `k ∣ t`: the numbers of t change, and k becomes the greatest common divisor of the values of t;
* `t % k = r`, `t ≡ r [k]`: k becomes that of their differences, r what is left then;
* `t ∣ n`: n becomes the least common multiple of the values of t;
* `n ∣ t ↔ k ∣ t ∧ m ∣ t`: n becomes the least common multiple of the others;
* `n ∣ x ↔ ∃ p q, x = k * p + m * q`: n becomes the greatest common divisor of the others.

Values of the variables are examples, so this is a guess as good as they are many.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from pythagoras.language.changes.fitting import LARGEST, Assignment
from pythagoras.language.changes.numerals import Place, put, terms
from pythagoras.language.evaluate import satisfied, value
from pythagoras.language.exact import Unknown, remainder
from pythagoras.language.meaning import Apply, Bind, Claim, Number, Term, Variable, free_variables, walk

_ABOUT_REMAINDERS = frozenset(("∣", "≡", "%", "gcd", "coprime"))
_COUNTED = 450
_LARGEST_DIVISOR = 60
_LEAST = 3
"""A smaller divisor is hardly worth a claim."""


def with_divisors(claim: Claim, values: Sequence[Assignment]) -> Claim | None:
    """The claim with the divisor of its goal, and the remainder, as these values have it; None where it has none."""
    index = len(claim.hypotheses)
    if not values:
        return None
    try:
        match claim.goal:
            case Apply("∣", (Number(), term)):
                return _put(claim, {(index, 0): math.gcd(*_integers(term, values))})
            case Apply("∣", (term, Number())):
                return _put(claim, {(index, 1): math.lcm(*_integers(term, values))})
            case Apply("=", (Apply("%", (term, Number())), Number())):
                divisor, rest = _remainder(_integers(term, values))
                return _put(claim, {(index, 0, 1): divisor, (index, 1): rest})
            case Apply("≡", (term, Number(), Number())):
                divisor, rest = _remainder(_integers(term, values))
                return _put(claim, {(index, 1): rest, (index, 2): divisor})
            case Apply("≡", (left, right, Number())):
                apart = _integers(Apply("-", (left, right)), values)
                return _put(claim, {(index, 2): math.gcd(*apart)})
            case Apply("iff", (left, right)):
                for one, other, place in ((left, right, (index, 0)), (right, left, (index, 1))):
                    made = _both(claim, one, other, place) or _combined(claim, one, other, place)
                    if made is not None:
                        return made
    except (Unknown, TypeError):
        return None
    return None


_DIVISOR: dict[str, Place] = {"∣": (0,), "=": (0, 1), "≡": (2,)}
"""Where the divisor stands in `n ∣ t`, `t % n = 0` and `t ≡ 0 [n]`."""


def counted(claim: Claim) -> list[Assignment]:
    """So many values of a claim's single number that all its remainders by small divisors come up."""
    signs = {one.sign for term in terms(claim) for one in walk(term) if isinstance(one, Apply)}
    if len(claim.variables) != 1 or claim.variables[0].type not in ("ℕ", "ℤ") or not signs & _ABOUT_REMAINDERS:
        return []
    if any(isinstance(one, Apply) and one.sign == "^" and free_variables(one.args[1]) for one in walk(claim.goal)):
        return []
    found = [{claim.variables[0].name: one} for one in range(_COUNTED)]
    return [one for one in found if satisfied(claim, one)] if claim.hypotheses else found


def is_about_divisors(goal: Term) -> bool:
    match goal:
        case Apply("∣" | "≡" | "iff", _) | Apply("=", (Apply("%", _), _)):
            return True
    return False


def _integers(term: Term, values: Sequence[Assignment]) -> list[int]:
    """Values of the term, where they are not too large to be known."""
    found = []
    for one in values:
        try:
            found.append(value(term, one))
        except Unknown:
            continue
    if len(found) < 2 or not all(isinstance(one, int) for one in found):
        raise Unknown("no integers")
    return found


def _remainder(found: list[int]) -> tuple[int, int]:
    """What all leave the same remainder by, no larger than people like it, and that remainder."""
    divisor = math.gcd(*(one - found[0] for one in found))
    if divisor > _LARGEST_DIVISOR:
        divisor = max(one for one in range(1, _LARGEST_DIVISOR + 1) if divisor % one == 0)
    return divisor, remainder(found[0], divisor)


def _combined(claim: Claim, one: Term, other: Term, place: Place) -> Claim | None:
    """`n ∣ x ↔ ∃ p q, x = 120 p + 128 q`, with n what divides both."""
    divided = _divisible(one)
    if divided is None or not (isinstance(other, Bind) and other.sign == "∃" and len(other.variables) > 1):
        return None
    numbers = [part.value for part in walk(other.body) if isinstance(part, Number)]
    if len(numbers) != len(other.variables) or not isinstance(divided[0], Variable):
        return None
    assert isinstance(one, Apply)
    return _put(claim, {(*place, *_DIVISOR[one.sign]): math.gcd(*numbers)})


def _both(claim: Claim, one: Term, others: Term, place: Place) -> Claim | None:
    """`n ∣ t` as what several divisors of t say together; the place is that of `n ∣ t`."""
    parts = others.args if isinstance(others, Apply) and others.sign == "and" else ()
    divided = [_divisible(part) for part in (one, *parts)]
    if len(divided) < 3 or None in divided or len({term for term, _ in filter(None, divided)}) != 1:
        return None
    least = math.lcm(*(divisor for _, divisor in list(filter(None, divided))[1:]))
    assert isinstance(one, Apply)
    return _put(claim, {(*place, *_DIVISOR[one.sign]): least})


def _divisible(term: Term) -> tuple[Term, int] | None:
    match term:
        case Apply("∣", (Number(divisor), divided)):
            return divided, divisor
        case Apply("=", (Apply("%", (divided, Number(divisor))), Number(0))):
            return divided, divisor
        case Apply("≡", (divided, Number(0), Number(divisor))):
            return divided, divisor
    return None


def _put(claim: Claim, new: dict[Place, int]) -> Claim | None:
    if not _LEAST <= max(new.values()) <= LARGEST:
        return None
    return put(claim, {place: Fraction(one) for place, one in new.items()})
