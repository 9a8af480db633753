"""Greatest common divisors and least common multiples: of numerals, of linear expressions, Bézout, least elements."""

from __future__ import annotations

from math import gcd, lcm
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    Said,
    atom,
    conjunction,
    divides,
    draft,
    letters,
    math,
    off_by,
    pick,
    relation,
    remainder,
    shuffled,
    terms,
)

TOPIC = "gcd and lcm"


def _gcd(rng: Random, a: str, b: str, value: str) -> Said:
    if rng.random() < 0.3:
        a, b = b, a
    if value == "1" and rng.random() < 0.4:
        return Said(f"Nat.Coprime {atom(a)} {atom(b)}", f"{math(a)} and {math(b)} are coprime")
    words = f"the greatest common divisor of {math(a)} and {math(b)} is {math(value)}"
    return Said(f"Nat.gcd {atom(a)} {atom(b)} = {value}", words)


def _lcm(rng: Random, a: str, b: str, value: str) -> Said:
    if rng.random() < 0.3:
        a, b = b, a
    words = f"the least common multiple of {math(a)} and {math(b)} is {math(value)}"
    return Said(f"Nat.lcm {atom(a)} {atom(b)} = {value}", words)


def gcd_value(rng: Random, level: int, false: bool) -> Draft:
    """Of two numerals; together with the lcm; of multiples of a variable."""
    g = rng.randint(1, 30)
    a, b = (g * factor for factor in rng.sample(range(2, 41), 2))
    divisor, multiple = gcd(a, b), lcm(a, b)
    if false:
        wrong = pick(rng, [d for d in (divisor * 2, divisor * 3, divisor + 1, max(1, divisor // 2)) if d != divisor])
    if level == EASY:
        return draft(rng, (), [], _gcd(rng, str(a), str(b), str(wrong if false else divisor)), false=false)
    if level == MEDIUM:
        if false and rng.random() < 0.5:
            divisor = wrong
        elif false:
            multiple = multiple * 2 if rng.random() < 0.5 else multiple + a
        parts = [_gcd(rng, str(a), str(b), str(divisor)), _lcm(rng, str(a), str(b), str(multiple))]
        return draft(rng, (), [], conjunction(rng, parts), false=false)
    (n,) = letters(rng, 1)
    if rng.random() < 0.5:
        value = terms([(wrong if false else divisor, n)])
        claim = _gcd(rng, terms([(a, n)]), terms([(b, n)]), value)
    else:
        value = terms([(multiple * 2 if false else multiple, n)])
        claim = _lcm(rng, terms([(a, n)]), terms([(b, n)]), value)
    return draft(rng, (((n,), "ℕ"),), [], claim, false=false)


def bezout(rng: Random, level: int, false: bool) -> Draft:
    """Integers x and y with a x + b y = c: for the gcd, for its multiples, and exactly for those."""
    x, y = letters(rng, 2)
    g = rng.randint(2, 9) if false else rng.randint(1, 9)
    a, b = g * rng.randint(2, 12 * level), g * rng.randint(2, 12 * level)
    if a == b:
        b += g
    g = gcd(a, b)
    pairs = [(a, x), (pick(rng, (b, -b)), y)]
    form = terms(shuffled(rng, pairs))
    if level < 3:
        c = g * (1 if level == EASY else rng.randint(2, 30)) + (rng.randint(1, g - 1) if false else 0)
        equation = relation(rng, form, "=", str(c))
        words = f"there are integers {x} and {y} with {equation.words}"
        return draft(rng, (), [], Said(f"∃ {x} {y} : ℤ, {equation.lean}", words), false=false)
    (n,) = letters(rng, 1, avoid=x + y + "e")
    equation = relation(rng, form, "=", n)
    if g == 1 and not false:
        words = f"for every integer {n} there are integers {x} and {y} with {equation.words}"
        return draft(rng, (), [], Said(f"∀ {n} : ℤ, ∃ {x} {y} : ℤ, {equation.lean}", words), false=false)
    divisor = pick(rng, [d for d in (g + 1, 2 * g, 3 * g) if d != g]) if false else g
    left = Said(f"(∃ {x} {y} : ℤ, {equation.lean})", f"there are integers {x} and {y} with {equation.words}")
    right = divides(rng, str(divisor), n, "ℤ")
    claim = Said(f"{left.lean} ↔ {right.lean}", f"{left.words} if and only if {right.words}")
    return draft(rng, (((n,), "ℤ"),), [], claim, false=false)


def coprime_linear(rng: Random, level: int, false: bool) -> Draft:
    """The gcd of two linear expressions divides their determinant, and is 1 where that is 1."""
    (n,) = letters(rng, 1)
    while True:
        a, b, c, d = _unimodular(rng, level)
        if level > MEDIUM or false:
            d += rng.randint(1, 12)
        target = abs(a * d - b * c)
        if target < 2 and not (level < 3 and not false):
            continue
        if level < 3:
            target = 1
        if not false:
            break
        values = {gcd(a * v + b, c * v + d) for v in range(1, 60)}
        target = 1 if level < 3 else target // 2
        if target and any(target % value for value in values):
            break
    first, second = terms(shuffled(rng, [(a, n), (b, "")])), terms(shuffled(rng, [(c, n), (d, "")]))
    if level < 3:
        return draft(rng, (((n,), "ℕ"),), [], _gcd(rng, first, second, "1"), false=false)
    words = f"the greatest common divisor of {math(first)} and {math(second)} divides {target}"
    claim = Said(f"Nat.gcd ({first}) ({second}) ∣ {target}", words)
    return draft(rng, (((n,), "ℕ"),), [], claim, false=false)


def _unimodular(rng: Random, level: int) -> tuple[int, int, int, int]:
    """(a, b, c, d) with a d - b c = 1 or -1: steps of Euclid's algorithm, backwards."""
    k = rng.randint(1, 40 if level == EASY else 6)
    first = (1, rng.randint(0, 15))
    second = (k, k * first[1] + 1)
    for _ in range(level - 1):
        j = rng.randint(1, 4)
        first, second = second, (first[0] + j * second[0], first[1] + j * second[1])
    return (*first, *second) if rng.random() < 0.7 else (*second, *first)


def gcd_transformed(rng: Random, level: int, false: bool) -> Draft:
    """What multiplying, and adding multiples of one number to the other, does to a gcd."""
    a, b = letters(rng, 2)
    g = rng.randint(1, 20)
    given = _gcd(rng, a, b, str(g))
    k, j = rng.randint(2, 40 if level < 3 else 9), rng.randint(1, 9)
    if level == EASY:
        first, second, value = terms([(k, a)]), terms([(k, b)]), k * g
    elif level == MEDIUM:
        first, second, value = terms(shuffled(rng, [(1, a), (k, b)])), b, g
    else:
        factor = rng.randint(1, 4)
        first = terms(shuffled(rng, [(factor, a), (factor * k, b)]))
        second = terms(shuffled(rng, [(factor * j, a), (factor * (j * k + 1), b)]))
        value = factor * g
    value = off_by(rng, value, 3, 1) if false else value
    return draft(rng, (((a, b), "ℕ"),), [given], _gcd(rng, first, second, str(value)), false=false)


def least_multiple(rng: Random, level: int, false: bool) -> Draft:
    """The least number beyond a bound with given divisors; with given remainders."""
    (n,) = letters(rng, 1)
    bound = rng.randint(0, 200 if level == EASY else 60)
    moduli = rng.sample(range(2, 16), 1 if level == EASY else 2)
    if level < 3:
        whole = lcm(*moduli)
        least = (bound // whole + 1) * whole
        conditions = [divides(rng, str(m), n) for m in moduli]
    else:
        whole, seed = lcm(*moduli), rng.randrange(200)
        least = next(v for v in range(bound + 1, bound + whole + 1) if (v - seed) % whole == 0)
        conditions = [remainder(rng, n, m, seed % m) for m in moduli]
    claimed = pick(rng, (least + whole, least + 1, least - 1)) if false else least
    body = conjunction(rng, [relation(rng, n, ">", str(bound)), *conditions])
    lean = f"IsLeast {{{n} : ℕ | {body.lean}}} {claimed}"
    words = f"{claimed} is the least natural number {n} such that {body.words}"
    return draft(rng, (), [], Said(lean, words), false=false, answer=str(claimed))


FAMILIES = (
    Family("gcd_value", TOPIC, gcd_value),
    Family("bezout", TOPIC, bezout),
    Family("coprime_linear", TOPIC, coprime_linear),
    Family("gcd_transformed", TOPIC, gcd_transformed),
    Family("least_multiple", TOPIC, least_multiple),
)
