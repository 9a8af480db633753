"""Inequalities: linear ones, quadratic forms that are sums of squares, bounds under a constraint, growth, roots."""

from __future__ import annotations

from math import gcd, isqrt
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    Said,
    draft,
    letters,
    nonzero,
    pick,
    polynomial,
    relation,
    shuffled,
    terms,
)

TOPIC = "inequalities"


def linear_bound(rng: Random, level: int, false: bool) -> Draft:
    """From linear inequalities to another one. All are tight at one point, so a sharper claim fails there."""
    kind = pick(rng, ("ℤ", "ℚ"))
    names = letters(rng, level)
    point = [rng.randint(-12, 12) for _ in names]
    rows = [[nonzero(rng, -5, 5) if level > EASY else rng.randint(1, 9) for _ in names] for _ in names]
    if level == MEDIUM and rng.random() < 0.5:
        rows = [[nonzero(rng, -5, 5), 0], [0, nonzero(rng, -5, 5)]]
    weights = [rng.randint(1, 4) if level > EASY else rng.randint(2, 9) for _ in rows]
    given = []
    for row in rows:
        value = sum(c * v for c, v in zip(row, point, strict=True))
        pairs = shuffled(rng, list(zip(row, names, strict=True)))
        given.append(relation(rng, terms(pairs), "≤", str(value)))
    combined = [sum(w * row[at] for w, row in zip(weights, rows, strict=True)) for at in range(len(names))]
    if not any(combined):
        weights[0] += 1
        combined = [c + r for c, r in zip(combined, rows[0], strict=True)]
    bound = sum(c * v for c, v in zip(combined, point, strict=True))
    shift = rng.randint(-20, 20)
    slack = -rng.randint(1, 4) if false else rng.randint(0, 3)
    left = terms(shuffled(rng, [*zip(combined, names, strict=True), (shift, "")]))
    strict = not false and slack > 0 and rng.random() < 0.4
    claim = relation(rng, left, "<" if strict else "≤", str(bound + shift + slack))
    return draft(rng, ((names, kind),), given, claim, false=false)


def quadratic_positive(rng: Random, level: int, false: bool) -> Draft:
    """A quadratic that is a sum of squares and a rest; a negative rest shows where all squares vanish."""
    kind = pick(rng, ("ℤ", "ℚ"))
    strict = rng.random() < 0.4
    rest = -rng.randint(1, 6) if false else rng.randint(int(strict), 6)
    names = letters(rng, 1 if level < 3 else 2)
    x, y = names[0], names[-1]
    a = 1 if level == EASY else rng.randint(1, 6)
    p = nonzero(rng, -9, 9)
    if level < 3:  # a (x + p)² + rest
        pairs = polynomial([a * p * p + rest, 2 * a * p, a], x)
    else:  # a (x + p y + q)² + b (y + r)² + rest
        q, b, r = rng.randint(-3, 3), rng.randint(1, 5), rng.randint(-4, 4)
        p = pick(rng, (-3, -2, -1, 1, 2, 3))
        pairs = [
            (a, f"{x} ^ 2"),
            (2 * a * p, f"{x} * {y}"),
            (a * p * p + b, f"{y} ^ 2"),
            (2 * a * q, x),
            (2 * a * p * q + 2 * b * r, y),
            (a * q * q + b * r * r + rest, ""),
        ]
    sign = ">" if strict else "≥"
    if rng.random() < 0.5:  # what is negative goes to the other side
        left = terms(shuffled(rng, [pair for pair in pairs if pair[0] > 0]))
        right = terms(shuffled(rng, [(-c, monomial) for c, monomial in pairs if c < 0]))
        claim = relation(rng, left, sign, right)
    else:
        claim = relation(rng, terms(shuffled(rng, pairs)), sign, "0")
    return draft(rng, ((names, kind),), [], claim, false=false)


def constrained_bound(rng: Random, level: int, false: bool) -> Draft:
    """Least values of weighted sums of squares on a line or a plane, and greatest products. Equality occurs."""
    kind = pick(rng, ("ℤ", "ℚ"))
    extra = rng.randint(1, 5) if false else 0
    if level == EASY:
        (x,) = letters(rng, 1)
        half, factor = rng.randint(1, 200), rng.randint(1, 9)
        left = terms([(factor, f"{x} * ({2 * half} - {x})")])
        claim = relation(rng, left, "≤", str(factor * half * half - extra))
        return draft(rng, (((x,), kind),), [], claim, false=false)
    names = letters(rng, level)
    point = [nonzero(rng, -6, 6) for _ in names]
    weights = [rng.randint(1, 5) for _ in names]
    # At the minimum the weights times the point are normal to the plane.
    normal = [w * v for w, v in zip(weights, point, strict=True)]
    least = sum(n * v for n, v in zip(normal, point, strict=True))
    common = gcd(*normal)
    plane = terms(shuffled(rng, [(n // common, name) for n, name in zip(normal, names, strict=True)]))
    given = relation(rng, plane, "=", str(least // common))
    squares = terms(shuffled(rng, [(w, f"{name} ^ 2") for w, name in zip(weights, names, strict=True)]))
    claim = relation(rng, squares, "≥", str(least + extra))
    return draft(rng, ((names, kind),), [given], claim, false=false, answer=str(least + extra))


def power_growth(rng: Random, level: int, false: bool) -> Draft:
    """Powers of numerals compared; powers overtake linear and quadratic functions from some point on."""
    if level == EASY:
        while True:
            a, b, k, j = rng.randint(2, 30), rng.randint(2, 30), rng.randint(2, 12), rng.randint(2, 12)
            if a != b and a**k != b**j and max(a**k, b**j) < 10**18:
                break
        smaller, larger = (f"{a} ^ {k}", f"{b} ^ {j}") if (a**k < b**j) != false else (f"{b} ^ {j}", f"{a} ^ {k}")
        return draft(rng, (), [], relation(rng, smaller, "<", larger), false=false)
    (n,) = letters(rng, 1)
    b = rng.randint(2, 7)
    c, d = rng.randint(1, 12), rng.randint(0, 30)
    e = 1 if level == MEDIUM else pick(rng, (2, 2, 3))

    def holds(value: int) -> bool:
        return bool(c * value**e + d < b**value)

    # For n ≥ 4, (n + 1)³ < 2 n³; so doubling keeps up, and from the first n ≥ 4 on it holds for ever.
    start = next(value for value in range(4, 60) if holds(value))
    if false:
        start = next((value for value in range(start - 1, 0, -1) if not holds(value)), 0)
        if holds(start):  # at 0, where d = 0
            d = 1
    else:
        start += rng.randint(0, 3)
    given = relation(rng, n, "≥", str(start))
    left = terms(shuffled(rng, [(c, n if e == 1 else f"{n} ^ {e}"), (d, "")]))
    claim = relation(rng, left, "<", f"{b} ^ {n}")
    return draft(rng, (((n,), "ℕ"),), [given], claim, false=false)


def square_bound(rng: Random, level: int, false: bool) -> Draft:
    """How large may n be when n² + a n stays below a bound? As an implication; as a greatest element."""
    (n,) = letters(rng, 1)
    a = 0 if level == EASY else rng.randint(1, 12)
    exponent = 2 if level < 3 else pick(rng, (2, 3))
    if exponent == 2:
        limit = rng.randint(a + 5, 900)
        greatest = (isqrt(a * a + 4 * limit) - a) // 2
    else:
        limit = rng.randint(20, 2000)
        greatest = next(v for v in range(limit) if (v + 1) ** 3 + a * (v + 1) > limit)
    term = terms(shuffled(rng, [(1, f"{n} ^ {exponent}"), (a, n)]))
    condition = relation(rng, term, "≤", str(limit))
    if level < 3:
        claimed = greatest - rng.randint(1, max(1, min(2, greatest))) if false else greatest + rng.choice((0, 0, 1))
        claim = relation(rng, n, "≤", str(max(claimed, 0)))
        return draft(rng, (((n,), "ℕ"),), [condition], claim, false=false)
    claimed = greatest + nonzero(rng, -1, 1) if false else greatest
    lean = f"IsGreatest {{{n} : ℕ | {condition.lean}}} {claimed}"
    words = f"{claimed} is the greatest natural number {n} with {condition.words}"
    return draft(rng, (), [], Said(lean, words), false=false, answer=str(claimed))


FAMILIES = (
    Family("linear_bound", TOPIC, linear_bound),
    Family("quadratic_positive", TOPIC, quadratic_positive),
    Family("constrained_bound", TOPIC, constrained_bound),
    Family("power_growth", TOPIC, power_growth),
    Family("square_bound", TOPIC, square_bound),
)
