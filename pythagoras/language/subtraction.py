"""Whether a difference of natural numbers is one: is `a - b` never below 0, by what is known where it stands?

Both are taken as polynomials in quantities that are not negative; `a - b` is safe when all coefficients of the
difference are, or become so when a known `c ≤ d` is used. That is all; what needs more thought counts as unsafe.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from pythagoras.language.meaning import Apply, Cast, Number, Term, Variable, free_variables
from pythagoras.language.polynomials import Polynomial, combined, constant, multiply, of_quantity

_BIGGEST_POWER = 12
_MOST_TERMS = 60
_LARGEST = 10**1000
"""Of coefficients: powers of powers of numerals grow without end."""


@dataclass(frozen=True, slots=True)
class Known:
    """What holds where a term stands: values of named quantities, and relations."""

    values: Mapping[str, Term] = field(default_factory=dict)
    relations: tuple[tuple[Term, Term, int], ...] = ()
    """(smaller, larger, by how much at least)."""

    def where(self, name: str, value: Term) -> Known:
        """Below a `let`."""
        if name in free_variables(value):
            return self.without([name])
        outside = self.without([name])
        return Known({**outside.values, name: value}, outside.relations)

    def without(self, names: Iterable[str]) -> Known:
        """Inside of a binder of these names, which mean something else there."""
        gone = set(names)
        values = {name: value for name, value in self.values.items() if not gone & {name, *free_variables(value)}}
        kept = tuple(one for one in self.relations if not gone & (free_variables(one[0]) | free_variables(one[1])))
        return Known(values, kept)

    def given(self, *facts: Term) -> Known:
        found = [relation for fact in facts for relation in _relations(fact)]
        return Known(self.values, (*self.relations, *found))

    def at_least(self, larger: Term, smaller: Term) -> bool:
        """Whether the one is never below the other."""
        difference = _minus(_bound(larger, self.values, False), _bound(smaller, self.values, True))
        if difference is None:
            return False
        if _not_negative(difference):
            return True
        for low, high, gap in self.relations:
            slack = _minus(_bound(high, self.values, True), _bound(low, self.values, False))
            if slack is None or not _quantities(slack) <= _quantities(difference):  # others need not be natural numbers
                continue
            left = _minus(difference, _sum(slack, constant(-gap)))
            if left is not None and _not_negative(left):
                return True
        return False


def _relations(fact: Term) -> list[tuple[Term, Term, int]]:
    match fact:
        case Apply("and", parts):
            return [relation for part in parts for relation in _relations(part)]
        case Apply("≤", (low, high)) | Apply("≥", (high, low)):
            found = [(low, high, 0)]
        case Apply("<", (low, high)) | Apply(">", (high, low)):
            found = [(low, high, 1)]
        case Apply("=", (left, right)):
            found = [(left, right, 0), (right, left, 0)]
        case Apply("≠", (left, Number(0))) | Apply("≠", (Number(0), left)):
            found = [(Number(0), left, 1)]
        case Apply("prime", (value,)):
            found = [(Number(2), value, 0)]
        case Apply("∈", (Variable() as value, Apply("icc", (low, high)))):
            found = [(low, value, 0), (value, high, 0)]
        case Apply("∈", (Variable() as value, Apply("range", (end,)))):
            found = [(value, end, 1)]
        case _:
            found = []
    return [(low, high, gap) for low, high, gap in found if _is_simple(low) and _is_simple(high)]


def _is_simple(term: Term) -> bool:
    """Made of sums, products and names only, so that its bounds are exact."""
    match term:
        case Number() | Variable():
            return True
        case Apply("+" | "*", args):
            return all(map(_is_simple, args))
        case Apply("^", (base, Number())):
            return _is_simple(base)
    return False


# --- bounds --------------------------------------------------------------------------------------


def _bound(term: Term, values: Mapping[str, Term], above: bool) -> Polynomial | None:
    """A polynomial that the term is never above (or never below)."""
    match term:
        case Number(value):
            return constant(value)
        case Cast(_, inner):
            return _bound(inner, values, above)
        case Variable(name) if name in values:
            return _bound(values[name], values, above)
        case Apply("+", (left, right)):
            return _sum(_bound(left, values, above), _bound(right, values, above))
        case Apply("-", (left, right)):
            return _minus(_bound(left, values, above), _bound(right, values, not above))
        case Apply("*", (left, right)):
            return _product(_bound(left, values, above), _bound(right, values, above))
        case Apply("^", (base, Number(exponent))) if exponent <= _BIGGEST_POWER:
            factor = _bound(base, values, above)
            power: Polynomial | None = constant(1)
            for _ in range(exponent):
                power = _product(power, factor)
            return power
        case Apply("//", (left, Number(divisor))) if divisor:
            return _divided(_bound(left, values, above), divisor, above)
        case Apply("%", (left, _)) if above:
            return _bound(left, values, above)
        case Apply("^", (Number(base), _)) if base:
            return {**constant(1), **of_quantity(term)}  # one, and a quantity that is not negative
        case Apply("factorial"):
            return {**constant(1), **of_quantity(term)}
    return of_quantity(term)


def _divided(dividend: Polynomial | None, divisor: int, above: bool) -> Polynomial | None:
    if dividend is None:
        return None
    exact = {monomial: coefficient / divisor for monomial, coefficient in dividend.items()}
    if above or all(coefficient.denominator == 1 for coefficient in exact.values()):
        return exact
    return _sum(exact, constant(Fraction(1 - divisor, divisor)))


def _sum(left: Polynomial | None, right: Polynomial | None) -> Polynomial | None:
    return None if left is None or right is None else combined(((1, left), (1, right)))


def _minus(left: Polynomial | None, right: Polynomial | None) -> Polynomial | None:
    return None if left is None or right is None else combined(((1, left), (-1, right)))


def _product(left: Polynomial | None, right: Polynomial | None) -> Polynomial | None:
    """None where a factor may be negative: then its bounds say nothing about the product's."""
    if left is None or right is None or not (_not_negative(left) and _not_negative(right)):
        return None
    if len(left) * len(right) > _MOST_TERMS:
        return None
    found = multiply(left, right)
    return found if all(coefficient <= _LARGEST for coefficient in found.values()) else None


def _quantities(polynomial: Polynomial) -> set[Term]:
    return {quantity for monomial in polynomial for quantity, _ in monomial}


def _not_negative(polynomial: Polynomial) -> bool:
    return all(coefficient >= 0 for coefficient in polynomial.values())
