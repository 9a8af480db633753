"""Sums and products over a range: numerals, and closed forms by induction."""

from __future__ import annotations

from fractions import Fraction
from math import factorial, lcm, prod
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    Said,
    atom,
    draft,
    index_letter,
    math,
    nonzero,
    number,
    off_by,
    pick,
    polynomial,
    shuffled,
    terms,
)

TOPIC = "sums by induction"


def _total(rng: Random, i: str, bound: str, term: str, first: int = 0, what: str = "sum") -> Said:
    """The sum (or product) of a term for i from `first`, below `bound` or, from 1, up to it."""
    sign = "∑" if what == "sum" else "∏"
    inner = f"({term})" if " + " in term or " - " in term else term
    if first == 0:
        span = pick(rng, (f"over all natural numbers {i} below {math(bound)}", f"for {i} from 0 to {math(bound)} - 1"))
        if bound.isdigit():
            span = pick(rng, (f"over all natural numbers {i} below {bound}", f"for {i} from 0 to {int(bound) - 1}"))
        elif bound.endswith(" + 1"):
            span = f"for {i} from 0 to {bound.removesuffix(' + 1')}"
        return Said(f"{sign} {i} ∈ Finset.range {atom(bound)}, {inner}", f"the {what} of {math(inner)} {span}")
    return Said(
        f"{sign} {i} ∈ Finset.Icc 1 {atom(bound)}, {inner}", f"the {what} of {math(inner)} for {i} from 1 to {bound}"
    )


def _equals(left: Said, right: str, factor: int = 1) -> Said:
    """factor times the sum is the right side."""
    lean, words = (
        (left.lean, left.words) if factor == 1 else (f"{factor} * {left.lean}", f"{factor} times {left.words}")
    )
    return Said(f"{lean} = {right}", f"{words} equals {math(right)}")


def _names(rng: Random) -> tuple[str, str]:
    n = pick(rng, ("n", "m", "k"))
    return n, index_letter(rng, n)


def sum_arithmetic(rng: Random, level: int, false: bool) -> Draft:
    """Arithmetic progressions: of given length; in general; from 1 on, divided by 2."""
    n, i = _names(rng)
    a, b = rng.randint(1, 40), rng.randint(1, 60)
    term = terms(shuffled(rng, [(a, i), (b, "")]))
    wrong = rng.randint(1, 3) if false else 0
    if level == EASY:
        count = rng.randint(4, 30)
        value = sum(a * v + b for v in range(count)) + wrong
        return draft(rng, (), [], _equals(_total(rng, i, str(count), term), str(value)), false=false, answer=str(value))
    variables = (((n,), "ℕ"),)
    if level == MEDIUM:
        right = f"({n} + 1) * ({terms([(a, n), (2 * b + wrong, '')])})"
        return draft(rng, variables, [], _equals(_total(rng, i, f"{n} + 1", term), right, 2), false=false)
    # over ℚ, from 1 to n: a n (n + 1) / 2 + b n
    over = terms([(a, f"({i} : ℚ)"), (b, "")])
    closed = [(Fraction(a, 2), f"({n} : ℚ) ^ 2"), (Fraction(a, 2) + b + wrong, f"({n} : ℚ)")]
    total = _total(rng, i, n, over, 1)
    return draft(rng, variables, [], _equals(total, terms(closed)), false=false)


def _faulhaber(coefficients: list[int]) -> list[Fraction]:
    """Coefficients, from the constant up, of the sum of a polynomial of degree at most 3 over 0, ..., n - 1."""
    half = Fraction(1, 2)
    powers = [
        [Fraction(0), Fraction(1)],
        [Fraction(0), -half, half],
        [Fraction(0), Fraction(1, 6), -half, Fraction(1, 3)],
        [Fraction(0), Fraction(0), Fraction(1, 4), -half, Fraction(1, 4)],
    ]
    result = [Fraction(0)] * (len(coefficients) + 1)
    for c, row in zip(coefficients, powers, strict=False):
        for at, value in enumerate(row):
            result[at] += c * value
    return result


def sum_powers(rng: Random, level: int, false: bool) -> Draft:
    """Sums of quadratic and cubic polynomials, over ℤ with the denominators multiplied away."""
    n, i = _names(rng)
    degree = 3 if level > MEDIUM else 2
    coefficients = [rng.randint(-9, 9) for _ in range(degree)] + [rng.randint(1, 6)]
    if level == EASY:
        coefficients = [abs(c) for c in coefficients]
        count = rng.randint(4, 15)
        value = sum(c * v**e for v in range(count) for e, c in enumerate(coefficients))
        value = off_by(rng, value, 5, 0) if false else value
        term = terms(shuffled(rng, polynomial(coefficients, i)))
        return draft(rng, (), [], _equals(_total(rng, i, str(count), term), str(value)), false=false, answer=str(value))
    closed = _faulhaber(coefficients)
    common = lcm(*(c.denominator for c in closed))
    whole = [int(c * common) for c in closed]
    if false:
        whole[rng.randint(1, degree + 1)] += nonzero(rng, -2, 2)
    term = terms(shuffled(rng, polynomial(coefficients, f"({i} : ℤ)")))
    right = terms(shuffled(rng, polynomial(whole, f"({n} : ℤ)")))
    claim = _equals(_total(rng, i, n, term), right, common)
    return draft(rng, (((n,), "ℕ"),), [], claim, false=false)


def sum_geometric(rng: Random, level: int, false: bool) -> Draft:
    """Geometric progressions, and a linear factor times a power."""
    n, i = _names(rng)
    a, c = rng.randint(2, 12), rng.randint(1, 60)
    wrong = rng.randint(1, 3) if false else 0
    if level == EASY:
        count = rng.randint(3, 8)
        term = terms([(c, f"{a} ^ {i}")])
        value = sum(c * a**v for v in range(count)) + wrong
        return draft(rng, (), [], _equals(_total(rng, i, str(count), term), str(value)), false=false, answer=str(value))
    variables = (((n,), "ℕ"),)
    if level == MEDIUM:
        shift = rng.randint(0, 20)
        term = terms([((a - 1) * c, f"{a} ^ {i}")])
        left = _total(rng, i, n, term)
        right = terms([(c, f"{a} ^ {n}"), (shift, "")])
        added = c + shift + wrong
        claim = Said(f"{left.lean} + {added} = {right}", f"{left.words}, plus {added}, equals {math(right)}")
        return draft(rng, variables, [], claim, false=false)
    # The differences of (p n + q) a^n are ((a - 1) p n + a p + (a - 1) q) a^n.
    p, q = rng.randint(1, 9), rng.randint(-15, 20)
    inner = terms([((a - 1) * p, f"({i} : ℤ)"), (a * p + (a - 1) * q, "")])
    right = terms([(1, f"({terms([(p, f'({n} : ℤ)'), (q, '')])}) * {a} ^ {n}"), (-q + wrong, "")])
    left = _total(rng, i, n, f"({inner}) * {a} ^ {i}")
    return draft(rng, variables, [], _equals(left, right), false=false)


def sum_telescoping(rng: Random, level: int, false: bool) -> Draft:
    """Fractions whose sum telescopes."""
    n, i = _names(rng)
    step = 1 if level == MEDIUM else rng.randint(1, 9)
    c, factor = rng.randint(1, 40), rng.randint(1, 20)
    low, high = terms([(step, f"({i} : ℚ)"), (c, "")]), terms([(step, f"({i} : ℚ)"), (c + step, "")])
    term = f"{factor * step} / (({low}) * ({high}))"
    if level == MEDIUM and rng.random() < 0.5:
        term = f"{factor} / ({low}) - {factor} / ({high})"
    if level == EASY:
        count = rng.randint(2, 6)
        value = Fraction(factor, c) - Fraction(factor, step * count + c)
        if false:
            value += Fraction(pick(rng, (1, -1)), value.denominator)
        left = _total(rng, i, str(count), term)
        return draft(rng, (), [], _equals(left, number(value)), false=false, answer=number(value))
    tail = terms([(step, f"({n} : ℚ)"), (c, "")])
    if false:
        factor += rng.randint(1, 2)
    if rng.random() < 0.5:
        right = f"{factor} / {c} - {factor} / ({tail})"
    else:
        right = f"{terms([(factor * step, f'({n} : ℚ)')])} / ({c} * ({tail}))"
    return draft(rng, (((n,), "ℕ"),), [], _equals(_total(rng, i, n, term), right), false=false)


def product_closed(rng: Random, level: int, false: bool) -> Draft:
    """Products: of numerals; powers and factorials; quotients that telescope."""
    n, i = _names(rng)
    c = rng.randint(1, 40 if level == EASY else 300)
    if level == EASY:
        count, a = rng.randint(3, 7), rng.randint(1, 9)
        value = prod(a * v + c for v in range(count))
        value = off_by(rng, value, 5) if false else value
        left = _total(rng, i, str(count), terms([(a, i), (c, "")]), what="product")
        return draft(rng, (), [], _equals(left, str(value)), false=false, answer=str(value))
    variables = (((n,), "ℕ"),)
    if level == MEDIUM:
        shift = rng.randint(0, 5)
        base = c + 1 if false else c
        term = terms([(c, f"({i} + {shift + 1})")])
        # (s + 1) (s + 2) ... (s + n) = (n + s)! / s!
        top = f"Nat.factorial ({n} + {shift})" if shift else f"Nat.factorial {n}"
        top_words = f"{n} + {shift}" if shift else n
        power = f"{base} ^ {n} * " if base > 1 else ""
        left = _total(rng, i, n, term, what="product")
        times = f"{factorial(shift)} * " if shift > 1 else ""
        said = f"{base} to the power of {n}, times " if base > 1 else ""
        words = (
            f"{f'{factorial(shift)} times ' if shift > 1 else ''}{left.words} equals {said}the factorial of {top_words}"
        )
        return draft(rng, variables, [], Said(f"{times}{left.lean} = {power}{top}", words), false=false)
    step = rng.randint(1, 9)
    low, high = terms([(step, f"({i} : ℚ)"), (c, "")]), terms([(step, f"({i} : ℚ)"), (c + step, "")])
    term = pick(rng, (f"({high}) / ({low})", f"1 + {step} / ({low})"))
    below = c + rng.randint(1, 3) if false else c
    right = f"({terms([(step, f'({n} : ℚ)'), (c, '')])}) / {below}"
    left = _total(rng, i, n, term, what="product")
    return draft(rng, variables, [], _equals(left, right), false=false)


FAMILIES = (
    Family("sum_arithmetic", TOPIC, sum_arithmetic),
    Family("sum_powers", TOPIC, sum_powers),
    Family("sum_geometric", TOPIC, sum_geometric),
    Family("sum_telescoping", TOPIC, sum_telescoping),
    Family("product_closed", TOPIC, product_closed),
)
