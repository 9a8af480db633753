"""Divisibility: combinations, values of polynomials, powers, common multiples, prime factors."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import factorial, gcd, lcm
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    Said,
    conjunction,
    disjunction,
    divides,
    draft,
    equivalence,
    letters,
    math,
    nonzero,
    pick,
    polynomial,
    power,
    shuffled,
    terms,
)

TOPIC = "divisibility"


def divides_combination(rng: Random, level: int, false: bool) -> Draft:
    """What divides two numbers divides their combinations: for a numeral, for a variable, for its square."""
    kind = pick(rng, ("ℕ", "ℤ"))
    m = rng.randint(2, 15)
    n = nonzero(rng, -9, 12) if kind == "ℤ" else rng.randint(2, 12)
    if level == EASY:
        a, b = letters(rng, 2)
        d = rng.randint(3, 30)
        other = d
        if false:  # a = 0 and b = other show it
            n += n % d == 0
            other = pick(rng, [e for e in range(2, d) if n * e % d])
        given = [divides(rng, str(d), a, kind, True), divides(rng, str(other), b, kind, True)]
        claim = divides(rng, str(d), terms(shuffled(rng, [(m, a), (n, b)])), kind, True)
        return draft(rng, (((a, b), kind),), given, claim, false=false)
    a, b = letters(rng, 2, avoid="d")
    given = [divides(rng, "d", a, kind), divides(rng, "d", b, kind)]
    k = rng.randint(1, 9)
    if level == MEDIUM:
        last = (k, "") if false else (k, f"{a} * {b}")  # with a = b = 0, d = k + 1 does not divide k
        claim = divides(rng, "d", terms(shuffled(rng, [(m, a), (n, pick(rng, (b, f"{b} ^ 2"))), last])), kind)
    else:
        last = (k, b) if false else (k, f"{b} ^ 2")  # with a = 0 and b = d = k + 1, d² does not divide k d
        form = terms(shuffled(rng, [(m, f"{a} ^ 2"), (n, f"{a} * {b}"), last]))
        claim = divides(rng, "d ^ 2", form, kind)
    return draft(rng, ((("d", a, b), kind),), given, claim, false=false)


@cache
def _factors(value: int) -> tuple[int, ...]:
    return tuple(d for d in range(2, value + 1) if value % d == 0)


_POLYNOMIAL_CASES = {
    1: ((2, 2), (3, 3), (2, 3)),
    2: ((6, 3), (3, 4), (4, 4), (5, 5)),
    3: ((12, 4), (24, 4), (10, 5), (30, 5), (15, 5), (7, 7)),
}
"""Divisor and degree by level: k! divides every product of k consecutive integers."""


def divides_polynomial(rng: Random, level: int, false: bool) -> Draft:
    """A number that divides every value of a polynomial, though not its coefficients."""
    d, degree = pick(rng, _POLYNOMIAL_CASES[level])
    kind = pick(rng, ("ℕ", "ℤ"))
    (n,) = letters(rng, 1)
    coefficients = [0] * (degree + 1)
    for k in range(2, degree + 1):
        step = d // gcd(d, factorial(k))
        weight = 1 if k == degree else rng.randint(0, 3)
        for power_of, c in enumerate(_falling(k)):
            coefficients[power_of] += weight * step * c
    coefficients = [c % d + d * rng.randint(0, 2) for c in coefficients]
    if kind == "ℤ":
        coefficients = [c - d * rng.randint(0, 3) for c in coefficients]
    coefficients[degree] = coefficients[degree] % d or d
    if false:
        at = rng.randint(0, degree - 1)
        coefficients[at] += rng.randint(1, d - 1)
        if all(sum(c * v**e for e, c in enumerate(coefficients)) % d == 0 for v in range(d)):
            coefficients[0] += 1
    claim = divides(rng, str(d), terms(shuffled(rng, polynomial(coefficients, n))), kind, True)
    return draft(rng, (((n,), kind),), [], claim, false=false)


@cache
def _falling(k: int) -> tuple[int, ...]:
    """Coefficients of n (n - 1) ... (n - k + 1), from the constant up."""
    coefficients = [1]
    for root in range(k):
        shifted = [0, *coefficients]
        coefficients = [s - root * c for s, c in zip(shifted, [*coefficients, 0], strict=True)]
    return tuple(coefficients)


@cache
def _power_sums() -> tuple[tuple[int, int, int, int, int, int, int], ...]:
    """(a, p, s, b, q, t, m): m divides a^(p n + s) + b^(q n + t) for all n.

    Such a sequence satisfies a linear recurrence of order two, so n = 0 and n = 1 decide.
    """
    found = []
    for a in range(2, 14):
        for b in range(2, 14):
            for p, q, s, t in product((1, 2, 3), (1, 2, 3), (0, 1, 2), (0, 1, 2)):
                g = gcd(a**s + b**t, a ** (p + s) + b ** (q + t))
                if a != b and g > 2:
                    found += [(a, p, s, b, q, t, m) for m in _factors(g) if m > 2] if g < 500 else []
    return tuple(found)


def power_divides(rng: Random, level: int, false: bool) -> Draft:
    """Powers: of numerals; a^n and b^n; sums with different speeds, and a^n + c n + e."""
    (n,) = letters(rng, 1)
    if level == EASY:
        a, k = rng.randint(2, 13), rng.randint(3, 7)
        d = rng.randint(3, 19)
        c = -(a**k) % d + d * rng.randint(0, 4) + (rng.randint(1, d - 1) if false else 0)
        return draft(rng, (), [], divides(rng, str(d), terms([(1, f"{a} ^ {k}"), (c, "")])), false=false)
    if level == MEDIUM:
        b = rng.randint(2, 25)
        a = b + rng.randint(3, 30)
        d = pick(rng, _factors(a - b))
        if false:  # n = 1 shows it
            d = next(e for e in range(d + 1, 100) if (a - b) % e)
        if rng.random() < 0.5:
            lean = f"{a} ^ {n} ≡ {b} ^ {n} [MOD {d}]"
            claim = Said(lean, f"{a}^{n} is congruent to {b}^{n} modulo {d}")
        else:
            claim = Said(f"({d} : ℤ) ∣ {a} ^ {n} - {b} ^ {n}", f"{d} divides {a}^{n} - {b}^{n}")
        return draft(rng, (((n,), "ℕ"),), [], claim, false=false)
    if rng.random() < 0.5:
        a, p, s, b, q, t, d = pick(rng, _power_sums())
        first, second = _exponent(p, n, s), _exponent(q, n, t)
        extra = d * rng.randint(0, 3) + (rng.randint(1, d - 1) if false else 0)
        form = terms(shuffled(rng, [(1, f"{a} ^ {first}"), (1, f"{b} ^ {second}"), (extra, "")]))
    else:
        a = rng.randint(3, 14)
        d = pick(rng, _factors((a - 1) ** 2))
        c = (1 - a) % d + d * rng.randint(0, 3)
        e = -1 % d + d * rng.randint(0, 3) + (rng.randint(1, d - 1) if false else 0)
        form = terms(shuffled(rng, [(1, f"{a} ^ {n}"), (c, n), (e, "")]))
    return draft(rng, (((n,), "ℕ"),), [], divides(rng, str(d), form, alone=True), false=false)


def _exponent(factor: int, n: str, shift: int) -> str:
    text = terms([(factor, n), (shift, "")])
    return f"({text})" if " " in text else text


def divides_both(rng: Random, level: int, false: bool) -> Draft:
    """A multiple of two numbers is one of their least common multiple, and back."""
    kind = pick(rng, ("ℕ", "ℤ"))
    (n,) = letters(rng, 1)
    shift = rng.randint(0, 9) if level > EASY else rng.randint(0, 4)
    count = 2 if level < 3 else 3
    while True:
        parts = [rng.randint(2, 20) for _ in range(count)]
        least = lcm(*parts)
        if least not in parts and least <= 600 and len(set(parts)) == count:
            break
    claimed = least * rng.randint(2, 4) if false else least
    slope = pick(rng, [c for c in (1, 1, 5, 7, 11) if gcd(c, claimed) == 1]) if level > MEDIUM else 1
    term = terms([(slope, n), (shift, "")])  # takes every remainder
    given = [divides(rng, str(part), term, kind) for part in parts]
    whole = divides(rng, str(claimed), term, kind)
    if level == EASY:
        return draft(rng, (((n,), kind),), given, whole, false=false)
    return draft(rng, (((n,), kind),), [], equivalence(rng, whole, conjunction(rng, given)), false=false)


_PRIMES = {1: (2, 3), 2: (3, 5), 3: (5, 7, 11, 13)}
_COMPOSITES = {1: (4, 6, 8), 2: (4, 6, 9), 3: (6, 8, 10, 12, 14, 15)}


def divides_product(rng: Random, level: int, false: bool) -> Draft:
    """A prime that divides a product divides a factor; a composite number need not."""
    kind = pick(rng, ("ℕ", "ℤ"))
    names = letters(rng, 1 if level == EASY else 2)
    x, y = names[0], names[-1]
    low = -12 if kind == "ℤ" else 0
    p = pick(rng, (_COMPOSITES if false else _PRIMES)[level])
    while True:
        a, c = rng.randint(1, 9), rng.randint(1, 9)
        b, d = rng.randint(low, 15), rng.randint(low, 15)
        if level == EASY and (a, b) == (c, d):
            continue
        if not false or _splits(p, (a, b, c, d), level == EASY):
            break
    first, second = terms([(a, x), (b, "")]), terms([(c, y), (d, "")])
    whole = f"{_factor(first)} * {_factor(second)}"
    given = Said(f"{p} ∣ {whole}", f"{p} divides the product of {math(first)} and {math(second)}")
    claim = disjunction(rng, [divides(rng, str(p), first, kind), divides(rng, str(p), second, kind)])
    return draft(rng, ((names, kind),), [given], claim, false=false)


def _factor(text: str) -> str:
    return f"({text})" if " " in text or text.startswith("-") else text


def _splits(m: int, forms: tuple[int, int, int, int], same: bool) -> bool:
    """Whether m divides the product of the forms somewhere, but neither of them."""
    a, b, c, d = forms
    firsts = [(a * x + b) % m for x in range(m)]
    seconds = [(c * x + d) % m for x in range(m)]
    pairs = zip(firsts, seconds, strict=True) if same else ((f, s) for f in firsts for s in seconds)
    return any(f and s and f * s % m == 0 for f, s in pairs)


_SQUAREFREE = {1: (2, 3, 5), 2: (3, 5, 6, 7), 3: (6, 7, 10, 11, 13, 14, 15)}
_SQUAREFUL = {1: (4, 8, 9), 2: (4, 8, 9, 12), 3: (8, 9, 12, 16, 18, 20)}


def divides_power(rng: Random, level: int, false: bool) -> Draft:
    """A squarefree number that divides a power divides its base."""
    kind = pick(rng, ("ℕ", "ℤ"))
    (n,) = letters(rng, 1)
    m = pick(rng, (_SQUAREFUL if false else _SQUAREFREE)[level])
    k = 2 if level == EASY else rng.randint(2, level + 1)
    a = pick(rng, [c for c in range(1, 30) if gcd(c, m) == 1])
    base = terms([(1, n), (rng.randint(0, 15), "")])
    powered = terms([(a, power(f"({base})" if " " in base else base, k))])
    strong, weak = divides(rng, str(m), powered, kind), divides(rng, str(m), base, kind)
    variables = (((n,), kind),)
    way = rng.random()
    if way < 0.5:
        return draft(rng, variables, [strong], weak, false=false)
    if way < 0.7:
        negated = [Said(f"¬ ({one.lean})", f"it is not the case that {one.words}") for one in (weak, strong)]
        return draft(rng, variables, negated[:1], negated[1], false=false)
    return draft(rng, variables, [], equivalence(rng, strong, weak), false=false)


FAMILIES = (
    Family("divides_combination", TOPIC, divides_combination),
    Family("divides_polynomial", TOPIC, divides_polynomial),
    Family("power_divides", TOPIC, power_divides),
    Family("divides_both", TOPIC, divides_both),
    Family("divides_product", TOPIC, divides_product),
    Family("divides_power", TOPIC, divides_power),
)
