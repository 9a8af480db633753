"""Sums and products in one form: flat, signs in front, numbers folded beside what is not a number.

`a - b` is `a + neg b`; `-7 / 2 * x`, `-(7 * x) / 2` and `-(7 / 2 * x)` are one. Numbers are folded in `x + 1 + 2` and
`2 * x * 3`, and `x * x` is `x ^ 2`; but `3 * 16 + 2 * 37` stays as it is, for there the computation is the problem.
Nothing is multiplied out, and like terms are not collected: then all polynomial identities would say `0 = 0`.
Sums and products come out as one sign with many arguments, in whatever order; `order` sorts them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from pythagoras.language.meaning import Apply, Number, Term, Variable

ARITHMETIC = frozenset(("+", "-", "*", "/", "neg", "^"))


class _Product(NamedTuple):
    """(-1)^negative * factors / divisors."""

    negative: bool
    factors: tuple[Term, ...]
    divisors: tuple[Term, ...] = ()


def flattened(term: Term, inside: Callable[[Term], Term], fold: bool = True) -> Term:
    """Arithmetic in its form; `inside` brings what is not arithmetic into its own."""
    addends = _addends(term, False, inside, fold)
    constants = [_constant(one) for one in addends]
    if fold and any(one is None for one in constants) and any(one is not None for one in constants):
        kept = [one for one, constant in zip(addends, constants, strict=True) if constant is None]
        total = sum((one for one in constants if one is not None), Fraction(0))
        addends = [*kept, *([_fraction(total)] if total else [])]
    terms = [_written(one) for one in addends]
    return terms[0] if len(terms) == 1 else Apply("+", tuple(terms))


def one_more(term: Term) -> Term:
    """A flattened term plus 1, numbers folded."""
    addends = term.args if isinstance(term, Apply) and term.sign == "+" else (term,)
    numbers = [(at, number) for at, one in enumerate(addends) if (number := _signed(one)) is not None]
    if not numbers:
        return Apply("+", (*addends, Number(1)))
    at, number = numbers[0]
    rest = (*addends[:at], *addends[at + 1 :])
    total = _written(_fraction(Fraction(number + 1)))
    if not rest:
        return total
    kept = rest if number == -1 else (*rest, total)
    return kept[0] if len(kept) == 1 else Apply("+", kept)


def _signed(term: Term) -> int | None:
    match term:
        case Number(value):
            return value
        case Apply("neg", (Number(value),)):
            return -value
    return None


def _addends(term: Term, negative: bool, inside: Callable[[Term], Term], fold: bool) -> list[_Product]:
    match term:
        case Apply("+", args):
            return [one for arg in args for one in _addends(arg, negative, inside, fold)]
        case Apply("-", (left, right)):
            return [*_addends(left, negative, inside, fold), *_addends(right, not negative, inside, fold)]
        case Apply("neg", (inner,)):
            return _addends(inner, not negative, inside, fold)
    product = _product(term, inside, fold)
    product = _folded(product) if fold else product
    return [product._replace(negative=product.negative != negative)]


def _product(term: Term, inside: Callable[[Term], Term], fold: bool) -> _Product:
    match term:
        case Apply("*", args):
            parts = [_product(arg, inside, fold) for arg in args]
            negative = sum(part.negative for part in parts) % 2 == 1
            factors = tuple(one for part in parts for one in part.factors)
            return _Product(negative, factors, tuple(one for part in parts for one in part.divisors))
        case Apply("/", (left, right)):
            above, below = _product(left, inside, fold), _product(right, inside, fold)
            negative = above.negative != below.negative
            return _Product(negative, above.factors + below.divisors, above.divisors + below.factors)
        case Apply("neg", (inner,)):
            product = _product(inner, inside, fold)
            return product._replace(negative=not product.negative)
        case Apply("+" | "-"):
            return _Product(False, (flattened(term, inside, fold),))
        case Apply("^", (base, exponent)):
            power = flattened(exponent, inside, fold)
            if fold and power == Number(1):
                return _product(base, inside, fold)
            return _Product(False, (Apply("^", (flattened(base, inside, fold), power)),))
    return _Product(False, (inside(term),))


def _folded(product: _Product) -> _Product:
    """Numbers beside something else multiplied, powers of a variable as one."""
    factors = [one for one in product.factors if not isinstance(one, Number)]
    divisors = [one for one in product.divisors if not isinstance(one, Number)]
    above = [one.value for one in product.factors if isinstance(one, Number)]
    below = [one.value for one in product.divisors if isinstance(one, Number)]
    if not (factors or divisors) or 0 in below or 0 in above:
        return product
    dividend, divisor = math.prod(above), math.prod(below)
    common = math.gcd(dividend, divisor)
    numerator = [Number(dividend // common)] if dividend != common else []
    denominator = [Number(divisor // common)] if divisor != common else []
    return _Product(product.negative, (*numerator, *_powers(factors)), (*denominator, *_powers(divisors)))


def _powers(factors: Sequence[Term]) -> list[Term]:
    """`x * x ^ 2` as `x ^ 3`, for variables to powers that are numerals."""
    exponents: dict[Term, int] = {}
    others: list[Term] = []
    for one in factors:
        match one:
            case Variable():
                exponents[one] = exponents.get(one, 0) + 1
            case Apply("^", (Variable() as base, Number(exponent))) if exponent > 0:
                exponents[base] = exponents.get(base, 0) + exponent
            case _:
                others.append(one)
    together = [base if exponent == 1 else Apply("^", (base, Number(exponent))) for base, exponent in exponents.items()]
    return [*together, *others]


def _constant(product: _Product) -> Fraction | None:
    """The value of a single numeral, or of one over another."""
    match product.factors, product.divisors:
        case (Number(above),), ():
            found = Fraction(above)
        case (Number(above),), (Number(below),) if below:
            found = Fraction(above, below)
        case _:
            return None
    return -found if product.negative else found


def _fraction(value: Fraction) -> _Product:
    divisors = (Number(value.denominator),) if value.denominator != 1 else ()
    return _Product(value < 0, (Number(abs(value.numerator)),), divisors)


def _written(product: _Product) -> Term:
    above, below = _times(product.factors), _times(product.divisors)
    term = above if not product.divisors else Apply("/", (above, below))
    return Apply("neg", (term,)) if product.negative else term


def _times(factors: tuple[Term, ...]) -> Term:
    if not factors:
        return Number(1)
    return factors[0] if len(factors) == 1 else Apply("*", factors)
