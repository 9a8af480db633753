"""Polynomials in the quantities of a term: what is an identity, and what follows linearly from hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pythagoras.language.changes.linear import solution
from pythagoras.language.meaning import Apply, Cast, Number, Term
from pythagoras.language.polynomials import Polynomial, combined, constant, multiply, of_quantity

_MOST_TERMS = 200
_BIGGEST_POWER = 8


class NoPolynomial(Exception):
    """Too large to be expanded."""


def polynomial(term: Term) -> Polynomial:
    """The term expanded; a quantity is whatever is no sum, product or power. Raises NoPolynomial."""
    match term:
        case Number(value):
            return constant(value)
        case Cast(_, inner):
            return polynomial(inner)
        case Apply("+", (left, right)):
            return combined(((1, polynomial(left)), (1, polynomial(right))))
        case Apply("-", (left, right)):
            return combined(((1, polynomial(left)), (-1, polynomial(right))))
        case Apply("neg", (inner,)):
            return combined(((-1, polynomial(inner)),))
        case Apply("*", (left, right)):
            return _product(polynomial(left), polynomial(right))
        case Apply("/", (left, right)):
            divisor = polynomial(right)
            if set(divisor) == {()}:
                return combined(((1 / divisor[()], polynomial(left)),))
        case Apply("^", (base, Number(exponent))) if exponent <= _BIGGEST_POWER:
            power = constant(1)
            for _ in range(exponent):
                power = _product(power, polynomial(base))
            return power
        case Apply("^", (base, Apply("+", (rest, Number(exponent))))) if exponent <= _BIGGEST_POWER:
            return _product(polynomial(Apply("^", (base, rest))), polynomial(Apply("^", (base, Number(exponent)))))
    return of_quantity(term)


def difference(equation: Term) -> Polynomial | None:
    """Left side less right side of a relation of two sides; None where it is none or too large."""
    if not isinstance(equation, Apply) or equation.sign not in ("=", "<", "≤", ">", "≥", "≠"):
        return None
    try:
        return polynomial(Apply("-", equation.args))
    except NoPolynomial:
        return None


def as_term(found: Polynomial) -> Term:
    """A polynomial written out, the highest powers first; it begins with a sum where it can."""
    total: Term | None = None
    written = sorted(found.items(), key=lambda one: (-sum(power for _, power in one[0]), repr(one[0])))
    if written and written[0][1] < 0:
        written.sort(key=lambda one: one[1] < 0)
    for monomial, coefficient in written:
        factors = [quantity if power == 1 else Apply("^", (quantity, Number(power))) for quantity, power in monomial]
        size = abs(coefficient)
        if size != 1 or not factors:
            number: Term = Number(size.numerator)
            factors.insert(0, number if size.denominator == 1 else Apply("/", (number, Number(size.denominator))))
        product: Term = factors[0]
        for factor in factors[1:]:
            product = Apply("*", (product, factor))
        if total is None:
            total = product if coefficient > 0 else Apply("neg", (product,))
        else:
            total = Apply("+" if coefficient > 0 else "-", (total, product))
    return Number(0) if total is None else total


def combination(goal: Polynomial, given: Sequence[Polynomial]) -> list[Fraction] | None:
    """Factors with which the given polynomials add up to the goal; None where there are none."""
    monomials = sorted({monomial for one in (goal, *given) for monomial in one}, key=repr)
    rows = [
        [one.get(monomial, Fraction(0)) for one in given] + [goal.get(monomial, Fraction(0))] for monomial in monomials
    ]
    return solution(rows, len(given))


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    if len(left) * len(right) > _MOST_TERMS:
        raise NoPolynomial
    return multiply(left, right)
