"""Polynomials in the quantities of a term: sums and products. What a quantity is, and what is too large, others say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from pythagoras.language.meaning import Term

Monomial: TypeAlias = tuple[tuple[Term, int], ...]
"""Quantities with their powers, ordered."""
Polynomial: TypeAlias = Mapping[Monomial, Fraction]
"""Coefficients that are not 0."""


def constant(value: Fraction | int) -> Polynomial:
    return {(): Fraction(value)} if value else {}


def of_quantity(term: Term) -> Polynomial:
    return {((term, 1),): Fraction(1)}


def combined(parts: Iterable[tuple[Fraction | int, Polynomial]]) -> Polynomial:
    """A linear combination."""
    result: dict[Monomial, Fraction] = {}
    for factor, part in parts:
        for monomial, coefficient in part.items():
            result[monomial] = result.get(monomial, Fraction(0)) + factor * coefficient
    return _without_zeros(result)


def multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    """All terms of the one by all terms of the other: look at how many these are first."""
    result: dict[Monomial, Fraction] = {}
    for one, a in left.items():
        for other, b in right.items():
            powers = Counter(dict(one))
            powers.update(dict(other))
            monomial = tuple(sorted(powers.items(), key=repr))
            result[monomial] = result.get(monomial, Fraction(0)) + a * b
    return _without_zeros(result)


def _without_zeros(result: Polynomial) -> Polynomial:
    return {monomial: coefficient for monomial, coefficient in result.items() if coefficient}
