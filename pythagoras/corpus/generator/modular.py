"""Modular arithmetic: remainders of numbers and expressions, simultaneous congruences, squares, equations."""

from __future__ import annotations

from math import gcd
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    NOUNS,
    Said,
    atom,
    conjunction,
    disjunction,
    draft,
    equivalence,
    letters,
    math,
    nonzero,
    pick,
    polynomial,
    power,
    relation,
    remainder,
    shuffled,
    terms,
)

TOPIC = "modular arithmetic"


def _wrong(rng: Random, value: int, modulus: int) -> int:
    """Another remainder."""
    return (value + rng.randint(1, modulus - 1)) % modulus


def modular_value(rng: Random, level: int, false: bool) -> Draft:
    """Remainders of numerals, of their powers, and of a power whose exponent runs through a progression."""
    m = rng.randint(3, 30)
    if level == EASY:
        a, b, c = rng.randint(11, 99), rng.randint(11, 99), rng.randint(1, 99)
        term, value = f"{a} * {b} + {c}", (a * b + c) % m
    elif level == MEDIUM:
        a, b, k, j = rng.randint(2, 20), rng.randint(2, 20), rng.randint(5, 40), rng.randint(2, 12)
        if rng.random() < 0.5:
            term, value = f"{a} ^ {k}", pow(a, k, m)
        else:
            term, value = f"{a} ^ {k} + {b} ^ {j}", (pow(a, k, m) + pow(b, j, m)) % m
    else:
        a = pick(rng, [c for c in range(2, 40) if gcd(c, m) == 1 and c % m != 1])
        period = next(t for t in range(1, m) if pow(a, t, m) == 1)
        (n,) = letters(rng, 1)
        step, shift = period * rng.randint(1, 2), rng.randint(0, period)
        value = pow(a, shift, m)
        exponent = terms([(step, n), (shift, "")])
        term = f"{a} ^ ({exponent})" if " " in exponent else f"{a} ^ {exponent}"
        value = _wrong(rng, value, m) if false else value
        return draft(rng, (((n,), "ℕ"),), [], remainder(rng, term, m, value), false=false, answer=str(value))
    value = _wrong(rng, value, m) if false else value
    claim = remainder(rng, term, m, value)
    return draft(rng, (), [], claim, false=false, answer=str(value), ask=f"the remainder of {math(term)} modulo {m}")


def modular_inference(rng: Random, level: int, false: bool) -> Draft:
    """From the remainder of a number to that of a linear, a quadratic, a two-variable expression."""
    kind = pick(rng, ("ℕ", "ℤ"))
    m = rng.randint(3, 13 if level > EASY else 25)
    low = 1 if kind == "ℕ" else -9
    a, b, c = nonzero(rng, low, 12), nonzero(rng, low, 12), nonzero(rng, low, 20)
    names = letters(rng, 2 if level > MEDIUM else 1)
    x, y = names[0], names[-1]
    r, s = rng.randrange(m), rng.randrange(m)
    given = [remainder(rng, x, m, r, kind)]
    if level == EASY:
        form: list[tuple[int, str]] = [(a, x), (b, "")]
        value = a * r + b
    elif level == MEDIUM:
        e = rng.randint(2, 3)
        form = [(a, power(x, e)), (b, x), (c, "")]
        value = a * r**e + b * r + c
    else:
        given.append(remainder(rng, y, m, s, kind))
        e = rng.randint(2, 3)
        form = [(a, power(x, e)), (b, f"{x} * {y}"), (c, pick(rng, (y, f"{y} ^ 2")))]
        value = a * r**e + b * r * s + c * (s**2 if form[2][1] != y else s)
    value %= m
    value = _wrong(rng, value, m) if false else value
    term = terms(shuffled(rng, form))
    claim = remainder(rng, term, m, value, kind)
    ask = f"the remainder of {math(term)} modulo {m}"
    return draft(rng, ((names, kind),), given, claim, false=false, answer=str(value), ask=ask)


def _coprime(rng: Random, count: int, high: int) -> list[int]:
    while True:
        moduli = rng.sample(range(2, high), count)
        if all(gcd(a, b) == 1 for at, a in enumerate(moduli) for b in moduli[:at]):
            return moduli


def chinese_remainder(rng: Random, level: int, false: bool) -> Draft:
    """Two or three remainders make one; numbers with given remainders exist, and are unique below the product."""
    kind = pick(rng, ("ℕ", "ℤ"))
    (n,) = letters(rng, 1)
    moduli = _coprime(rng, 2 if level == EASY or rng.random() < 0.5 else 3, 14 if level == EASY else 20)
    whole = 1
    for m in moduli:
        whole *= m
    value = rng.randrange(whole)
    if level > MEDIUM:
        return _witness(rng, n, moduli, whole, value, false)
    given = [remainder(rng, n, m, value % m, kind) for m in moduli]
    claimed = _wrong(rng, value, whole) if false else value
    combined = remainder(rng, n, whole, claimed, kind)
    if level == EASY:
        return draft(rng, (((n,), kind),), given, combined, false=false, answer=str(claimed))
    return draft(rng, (((n,), kind),), [], equivalence(rng, combined, conjunction(rng, given)), false=false)


def _witness(rng: Random, n: str, moduli: list[int], whole: int, value: int, false: bool) -> Draft:
    remainders = [value % m for m in moduli]
    if false:  # remainders of n modulo f m and f m' must agree modulo f
        f = rng.randint(2, 5)
        moduli = [f * moduli[0], f * moduli[1], *moduli[2:]]
        remainders = [value % m for m in moduli]
        remainders[1] = (remainders[1] // f * f + (remainders[0] + rng.randint(1, f - 1)) % f) % moduli[1]
    conditions = [remainder(rng, n, m, r) for m, r in zip(moduli, remainders, strict=True)]
    if rng.random() < 0.5:
        bound = relation(rng, n, "<", str(whole))
        body = conjunction(rng, [bound, *conditions])
        return draft(
            rng,
            (),
            [],
            Said(f"∃! {n} : ℕ, {body.lean}", f"there is exactly one natural number {n} such that {body.words}"),
            false=false,
        )
    bound = relation(rng, n, ">", str(rng.randint(50, 999)))
    body = conjunction(rng, [bound, *conditions])
    words = f"there is a natural number {n} such that {body.words}"
    return draft(rng, (), [], Said(f"∃ {n} : ℕ, {body.lean}", words), false=false)


_SQUARE_MODULI = {1: (3, 4), 2: (5, 7, 8), 3: (7, 8, 9, 13, 16)}


def square_residues(rng: Random, level: int, false: bool) -> Draft:
    """Squares, cubes and sums of two squares miss remainders: all that occur, or one that does not."""
    kind = pick(rng, ("ℕ", "ℤ"))
    m = pick(rng, _SQUARE_MODULI[level])
    two = level > MEDIUM and m in (7, 8, 9, 16) and rng.random() < 0.5
    names = letters(rng, 2 if two else 1)
    exponent = 3 if m in (7, 9, 13) and level > MEDIUM else 2
    while True:
        a, b = rng.randint(1, 9), rng.randint(0, 20)
        c = rng.randint(1, 9) if two else 0
        values = {(a * x**exponent + c * y**exponent + b) % m for x in range(m) for y in range(m if two else 1)}
        if 1 < len(values) < m:
            break
    form = [(a, power(names[0], exponent)), (c, power(names[-1], exponent)), (b, "")]
    term = terms(shuffled(rng, form))
    missing = [r for r in range(m) if r not in values]
    variables = ((names, kind),)
    if len(values) <= 3 and rng.random() < 0.5:
        kept = sorted(values)
        if false:
            del kept[rng.randrange(len(kept))]
        claim = disjunction(rng, [_plain_remainder(term, m, r) for r in kept])
        return draft(rng, variables, [], claim, false=false)
    r = pick(rng, sorted(values)) if false else pick(rng, missing)
    if rng.random() < 0.5:
        one = _plain_remainder(term, m, r)
        words = f"{math(term)} never leaves remainder {r} when divided by {m}"
        return draft(rng, variables, [], Said(one.lean.replace(" = ", " ≠ "), words), false=false)
    equation = relation(rng, term, "=", terms([(m, "e"), (r, "")]))
    bound = (*names, "e")
    noun = NOUNS[kind]
    lean = f"¬ ∃ {' '.join(bound)} : {kind}, {equation.lean}"
    words = f"there are no {noun}s {', '.join(bound[:-1])} and e with {equation.words}"
    return draft(rng, (), [], Said(lean, words), false=false)


def _plain_remainder(term: str, m: int, r: int) -> Said:
    return Said(f"{atom(term)} % {m} = {r}", f"{math(term)} leaves remainder {r} when divided by {m}")


def congruence_equation(rng: Random, level: int, false: bool) -> Draft:
    """`a x ≡ b` solved for x; the quadratic ones modulo a prime."""
    kind = pick(rng, ("ℕ", "ℤ"))
    (x,) = letters(rng, 1)
    variables = (((x,), kind),)
    if level > MEDIUM:
        return _quadratic_congruence(rng, x, kind, false)
    m = rng.randint(4, 30)
    units = [c for c in range(2, m) if gcd(c, m) == 1]
    a, r = pick(rng, units), rng.randrange(m)
    f = rng.randint(2, 5) if level == MEDIUM else 1
    given = remainder(rng, terms([(a * f, x)]), m * f, a * r * f % (m * f), kind)
    claimed = _wrong(rng, r, m) if false else r
    solved = remainder(rng, x, m, claimed, kind)
    if level == EASY:
        return draft(rng, variables, [given], solved, false=false, answer=str(claimed))
    return draft(rng, variables, [], equivalence(rng, given, solved), false=false)


def _quadratic_congruence(rng: Random, x: str, kind: str, false: bool) -> Draft:
    p = pick(rng, (5, 7, 11, 13))
    r, s = rng.randrange(p), rng.randrange(p)
    shift = 0 if kind == "ℕ" else p * rng.randint(0, 2)
    coefficients = [r * s % p + p * rng.randint(0, 2) - shift, -(r + s) % p + p * rng.randint(0, 2) - shift, 1]
    term = terms(shuffled(rng, polynomial(coefficients, x)))
    quadratic = remainder(rng, term, p, 0, kind)
    roots = sorted({r, s})
    if false:
        roots[rng.randrange(len(roots))] = pick(rng, [c for c in range(p) if c not in roots])
    solved = disjunction(rng, [remainder(rng, x, p, root, kind) for root in roots])
    if rng.random() < 0.5:
        return draft(rng, (((x,), kind),), [quadratic], solved, false=false)
    return draft(rng, (((x,), kind),), [], equivalence(rng, quadratic, solved), false=false)


FAMILIES = (
    Family("modular_value", TOPIC, modular_value),
    Family("modular_inference", TOPIC, modular_inference),
    Family("chinese_remainder", TOPIC, chinese_remainder),
    Family("square_residues", TOPIC, square_residues),
    Family("congruence_equation", TOPIC, congruence_equation),
)
