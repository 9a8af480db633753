"""Sums and products of polynomials: they have the values that they should have, and no coefficient is 0."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from pythagoras.language.meaning import Term, Variable
from pythagoras.language.polynomials import Polynomial, combined, constant, multiply, of_quantity

NAMES = ("x", "y", "z")
LINEAR = st.builds(
    lambda front, factors: combined(
        [
            (1, constant(front)),
            *((factor, of_quantity(Variable(name))) for name, factor in zip(NAMES, factors, strict=True)),
        ]
    ),
    st.integers(-3, 3),
    st.tuples(*[st.integers(-3, 3)] * 3),
)
POLYNOMIALS = st.lists(LINEAR, min_size=1, max_size=3).map(
    lambda factors: multiply(multiply(factors[0], factors[-1]), factors[len(factors) // 2])
)
POINTS = st.fixed_dictionaries({name: st.fractions(-5, 5, max_denominator=7) for name in NAMES})


def at(polynomial: Polynomial, point: dict[str, Fraction]) -> Fraction:
    values: dict[Term, Fraction] = {Variable(name): value for name, value in point.items()}
    total = Fraction(0)
    for monomial, coefficient in polynomial.items():
        for one, power in monomial:
            coefficient *= values[one] ** power
        total += coefficient
    return total


@given(POLYNOMIALS, POLYNOMIALS, st.integers(-3, 3), POINTS)
def test_sums_and_products_have_their_values(
    left: Polynomial, right: Polynomial, factor: int, point: dict[str, Fraction]
) -> None:
    total, product = combined([(1, left), (factor, right)]), multiply(left, right)
    assert at(total, point) == at(left, point) + factor * at(right, point)
    assert at(product, point) == at(left, point) * at(right, point)
    assert all([*total.values(), *product.values()])


@given(POLYNOMIALS, POLYNOMIALS)
def test_the_same_polynomial_is_the_same_mapping(left: Polynomial, right: Polynomial) -> None:
    assert multiply(left, right) == multiply(right, left)
    assert combined([(1, left), (-1, left)]) == {}
