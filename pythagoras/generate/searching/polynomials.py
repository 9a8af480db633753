"""Polynomials with rational coefficients in the atoms of Lean terms: expanding, dividing, completing squares.

A monomial is its atoms in order, each as often as its power says. Subtraction is a ring's: whoever uses a polynomial of
natural numbers leaves it to Lean to say whether it holds there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm

from pythagoras.generate.searching.terms import Term, name, number, sign, value

Monomial = tuple[str, ...]
Polynomial = dict[Monomial, Fraction]
_HIGHEST_POWER = 8
_HIGHEST_DEGREE = 64
_MOST_MONOMIALS = 200
_MOST_BITS = 4000
"""What is larger is none that a proof could be written with."""


class NoPolynomial(ValueError):
    """The term is no polynomial of the kind that is asked for."""


def constant(number_: Fraction | int) -> Polynomial:
    return {(): Fraction(number_)} if number_ else {}


def atom(text: str) -> Polynomial:
    return {(text,): Fraction(1)}


def add(left: Polynomial, right: Polynomial, times: Fraction | int = 1) -> Polynomial:
    """left + times * right."""
    found = dict(left)
    for monomial, coefficient in right.items():
        found[monomial] = found.get(monomial, Fraction(0)) + coefficient * times
    return {monomial: coefficient for monomial, coefficient in found.items() if coefficient}


def multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    """left * right. Raises NoPolynomial when that is too large."""
    found: Polynomial = {}
    if degree(left) + degree(right) > _HIGHEST_DEGREE:
        raise NoPolynomial(f"a degree above {_HIGHEST_DEGREE}")
    for one, by in left.items():
        for other, with_ in right.items():
            monomial = tuple(sorted(one + other))
            found[monomial] = found.get(monomial, Fraction(0)) + by * with_
    return _of_bearable_size({monomial: coefficient for monomial, coefficient in found.items() if coefficient})


def _of_bearable_size(polynomial: Polynomial) -> Polynomial:
    if len(polynomial) > _MOST_MONOMIALS:
        raise NoPolynomial(f"more than {_MOST_MONOMIALS} monomials")
    if any(max(abs(each.numerator), each.denominator).bit_length() > _MOST_BITS for each in polynomial.values()):
        raise NoPolynomial(f"coefficients of more than {_MOST_BITS} bits")
    return polynomial


def expand(term: Term, atoms: frozenset[str] | None = None) -> Polynomial:
    """The polynomial that a term is. What is no polynomial in it counts as an atom; with `atoms`, raises NoPolynomial
    for all but those names. Raises it also when the polynomial is too large."""
    number_ = value(term)
    if number_ is not None:
        return constant(number_)
    if term.kind == "cast":
        return expand(term.left, atoms)
    if term.is_sign("-") and len(term.parts) == 1:
        return multiply(constant(-1), expand(term.left, atoms))
    if term.is_sign("+", "-"):
        return add(expand(term.left, atoms), expand(term.right, atoms), 1 if term.name == "+" else -1)
    if term.is_sign("*"):
        return multiply(expand(term.left, atoms), expand(term.right, atoms))
    if term.is_sign("/"):
        divisor = expand(term.right, atoms)
        if list(divisor) == [()]:
            return multiply(constant(1 / divisor[()]), expand(term.left, atoms))
    if term.is_sign("^"):
        exponent = value(term.right)
        if exponent is not None and 0 <= exponent <= _HIGHEST_POWER:
            found = constant(1)
            base = expand(term.left, atoms)
            for _ in range(exponent):
                found = multiply(found, base)
            return found
    if atoms is not None and (term.kind != "name" or term.name not in atoms):
        raise NoPolynomial(str(term))
    return atom(str(term))


def degree(polynomial: Polynomial) -> int:
    return max(map(len, polynomial), default=0)


def atoms(polynomial: Polynomial) -> tuple[str, ...]:
    """Its atoms, in the order of the alphabet."""
    return tuple(sorted({each for monomial in polynomial for each in monomial}))


def whole(polynomial: Polynomial) -> Polynomial:
    """A positive multiple of it with whole coefficients that have no common divisor."""
    if not polynomial:
        return polynomial
    factor = Fraction(
        lcm(*(each.denominator for each in polynomial.values())), gcd(*(each.numerator for each in polynomial.values()))
    )
    return {monomial: coefficient * factor for monomial, coefficient in polynomial.items()}


def write(polynomial: Polynomial, terms: Mapping[str, Term] | None = None) -> Term:
    """The polynomial as a term: higher powers first, minus signs where they belong. Fractions are written as such."""
    ordered = sorted(polynomial.items(), key=lambda item: (-len(item[0]), item[0]))
    positive = [item for item in ordered if item[1] > 0]
    ordered = positive[:1] + [item for item in ordered if item not in positive[:1]]  # no minus sign in front, if we can
    found: Term | None = None
    for monomial, coefficient in ordered:
        term = _monomial(monomial, abs(coefficient), terms or {})
        if found is None:
            found = term if coefficient > 0 else _negative(term)
        else:
            found = sign("+" if coefficient > 0 else "-", found, term)
    return found or number(0)


def _negative(term: Term) -> Term:
    if term.is_sign("*"):
        return sign("*", _negative(term.left), term.right)
    return sign("-", term)


def _monomial(monomial: Monomial, coefficient: Fraction, terms: Mapping[str, Term]) -> Term:
    powers = Counter(monomial)
    factors = [
        base if times == 1 else sign("^", base, number(times))
        for each, times in powers.items()
        for base in [terms.get(each, name(each))]
    ]
    if coefficient != 1 or not factors:
        front = number(coefficient.numerator)
        if coefficient.denominator != 1:
            front = sign("/", front, number(coefficient.denominator))
        factors.insert(0, front)
    found = factors[0]
    for factor in factors[1:]:
        found = sign("*", found, factor)
    return found


def divided(polynomial: Polynomial, by: Monomial) -> Polynomial:
    """The quotient by a monomial. Raises NoPolynomial where it leaves a rest."""
    found: Polynomial = {}
    for monomial, coefficient in polynomial.items():
        rest = Counter(monomial)
        rest.subtract(by)
        if min(rest.values(), default=0) < 0:
            raise NoPolynomial("the division leaves a rest")
        found[tuple(sorted(rest.elements()))] = coefficient
    return found


def put_in(polynomial: Polynomial, values: Mapping[str, Polynomial]) -> Polynomial:
    """Polynomials in the place of atoms."""
    found: Polynomial = {}
    for monomial, coefficient in polynomial.items():
        term = constant(coefficient)
        for each in monomial:
            term = multiply(term, values.get(each, atom(each)))
        found = add(found, term)
    return found


def solve(equations: Sequence[Polynomial], unknowns: Sequence[str]) -> dict[str, Polynomial] | None:
    """Linear equations (each polynomial is 0) solved for the unknowns: what they are in terms of the other atoms.

    None when they are not linear in them, contradict each other, or leave an unknown open.
    """
    rows = [dict(equation) for equation in equations]
    found: dict[str, Polynomial] = {}
    for unknown in unknowns:
        for row in rows:
            mentioning = [monomial for monomial in row if unknown in monomial]
            if mentioning == [(unknown,)]:
                break
        else:
            return None
        rows.remove(row)
        factor = row.pop((unknown,))
        solution = multiply(constant(-1 / factor), row)
        rows = [put_in(other, {unknown: solution}) for other in rows]
        found = {each: put_in(known, {unknown: solution}) for each, known in found.items()}
        found[unknown] = solution
    return None if any(rows) else found


def squares(polynomial: Polynomial, point: Mapping[str, Fraction]) -> list[Polynomial] | None:
    """Linear forms whose squares, with positive factors, make up the quadratic part, each 0 at the point.

    None when the quadratic part is not a sum of squares. By completing the square, atom by atom.
    """
    quadratic: Polynomial = {monomial: factor for monomial, factor in polynomial.items() if len(monomial) == 2}
    forms: list[Polynomial] = []
    for each in atoms(quadratic):
        own = quadratic.get((each, each), Fraction(0))
        mixed = {monomial: factor for monomial, factor in quadratic.items() if each in monomial}
        if not mixed:
            continue
        if own <= 0:
            return None
        form = atom(each)
        for monomial, factor in mixed.items():
            if monomial != (each, each):
                other = monomial[0] if monomial[1] == each else monomial[1]
                form = add(form, atom(other), factor / (2 * own))
        quadratic = add(quadratic, multiply(form, form), -own)
        forms.append(add(form, put_in(form, {other: constant(point.get(other, 0)) for other in atoms(form)}), -1))
    return None if quadratic else forms


def lowest_point(polynomial: Polynomial, equations: Sequence[Polynomial]) -> dict[str, Fraction] | None:
    """Where a quadratic polynomial is stationary among the points at which linear equations hold (Lagrange)."""
    unknowns = atoms({**polynomial, **{monomial: Fraction(1) for each in equations for monomial in each}})
    conditions = list(equations)
    for each in unknowns:
        slope: Polynomial = {}
        for monomial, coefficient in polynomial.items():
            if each in monomial:
                rest = list(monomial)
                rest.remove(each)
                slope = add(slope, {tuple(rest): coefficient * monomial.count(each)})
        for index, equation in enumerate(equations):
            slope = add(slope, {(f"?{index}",): Fraction(1)}, -equation.get((each,), Fraction(0)))
        conditions.append(slope)
    solved = solve_all(conditions, [*unknowns, *(f"?{index}" for index in range(len(equations)))])
    return None if solved is None else {each: solved[each] for each in unknowns}


def solve_all(equations: Sequence[Polynomial], unknowns: Sequence[str]) -> dict[str, Fraction] | None:
    """Numbers that fulfil linear equations; an unknown that is left open is 0. None when there are none."""
    rows = [dict(equation) for equation in equations]
    found: dict[str, Polynomial] = {}
    for unknown in unknowns:
        row = next((row for row in rows if (unknown,) in row), None)
        if row is None:
            solution = constant(0)
        else:
            rows.remove(row)
            solution = {monomial: -coefficient / row[(unknown,)] for monomial, coefficient in row.items()}
            solution.pop((unknown,))
        rows = [put_in(other, {unknown: solution}) for other in rows]
        found = {each: put_in(known, {unknown: solution}) for each, known in found.items()}
        found[unknown] = solution
    if any(rows) or any(degree(solution) for solution in found.values()):
        return None
    return {each: solution.get((), Fraction(0)) for each, solution in found.items()}
