"""Existence: a witness must be given, once or for every value of a parameter."""

from __future__ import annotations

from itertools import pairwise
from math import gcd, isqrt
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    Said,
    conjunction,
    draft,
    letters,
    listed,
    pick,
    relation,
    remainder,
    shuffled,
    terms,
)

TOPIC = "existence with a witness"


def _exists(names: tuple[str, ...], kind: str, noun: str, body: Said) -> Said:
    there = f"there is {noun} {names[0]}" if len(names) == 1 else f"there are {noun} {listed(names)}"
    return Said(f"∃ {' '.join(names)} : {kind}, {body.lean}", f"{there} such that {body.words}")


def natural_combination(rng: Random, level: int, false: bool) -> Draft:
    """`a x + b y = c` in natural numbers: for one c; with a condition on x; for all c beyond the Frobenius number."""
    x, y = letters(rng, 2)
    while True:
        a, b = rng.randint(2, 8 + 6 * level), rng.randint(2, 8 + 6 * level)
        if a != b and gcd(a, b) == 1:
            break
    frobenius = a * b - a - b
    form = terms(shuffled(rng, [(a, x), (b, y)]))
    if level > MEDIUM:
        (n,) = letters(rng, 1, avoid=x + y)
        start = frobenius if false else frobenius + rng.randint(1, 4)
        given = relation(rng, n, "≥", str(start))
        equation = relation(rng, form, "=", n)
        claim = _exists((x, y), "ℕ", "natural numbers", equation)
        return draft(rng, (((n,), "ℕ"),), [given], claim, false=false)
    if false:  # c and frobenius - c are never both reachable, and the multiples of a are
        c = frobenius - a * rng.randint(0, frobenius // a)
    else:
        u, v = rng.randint(0, 40), rng.randint(0, 40)
        c = a * u + b * v
    parts = [relation(rng, form, "=", str(c))]
    if level == MEDIUM and false:
        parts.append(relation(rng, x, "≤", str(rng.randint(5, 60))))
    elif level == MEDIUM:
        parts.append(relation(rng, x, *pick(rng, (("≤", str(u)), ("≥", str(u)), ("≤", f"{y} + {max(u - v, 0)}")))))
    claim = _exists((x, y), "ℕ", "natural numbers", conjunction(rng, parts))
    return draft(rng, (), [], claim, false=false)


def square_sum(rng: Random, level: int, false: bool) -> Draft:
    """Numbers as sums of two weighted squares; of three, in order."""
    names = letters(rng, 2 if level < 3 else 3)
    weights = [1, 1, 1][: len(names)] if level == EASY else [rng.randint(1, 5) for _ in names]
    high = 40 if level < 3 else 12
    values = sorted(rng.sample(range(1, high), len(names)))
    total = sum(w * v * v for w, v in zip(weights, values, strict=True))
    ordered = level > MEDIUM or rng.random() < 0.3
    if false:
        total = next(c for c in range(total + 1, 10**6) if not _reachable(weights, c, ordered))
    squares = [(w, f"{name} ^ 2") for w, name in zip(weights, names, strict=True)]
    parts = [relation(rng, terms(shuffled(rng, squares)), "=", str(total))]
    if ordered:
        parts += [relation(rng, a, "<", b) for a, b in pairwise(names)]
    kind, noun = ("ℕ", "natural numbers") if ordered or rng.random() < 0.5 else ("ℤ", "integers")
    return draft(rng, (), [], _exists(names, kind, noun, conjunction(rng, parts)), false=false)


def _reachable(weights: list[int], total: int, ordered: bool) -> bool:
    """Whether natural numbers (increasing, when ordered) have this weighted sum of squares."""

    def search(at: int, rest: int, least: int) -> bool:
        weight = weights[at]
        if at == len(weights) - 1:
            root = isqrt(rest // weight) if rest >= 0 else -1
            return root >= least and weight * root * root == rest
        top = isqrt(rest // weight) if rest >= 0 else -1
        return any(search(at + 1, rest - weight * v * v, v + 1 if ordered else 0) for v in range(least, top + 1))

    return search(0, total, 0)


def arbitrarily_large(rng: Random, level: int, false: bool) -> Draft:
    """Beyond every bound there are numbers with given remainders, some of them of a special form."""
    bound, n = letters(rng, 2)
    m = rng.randint(3, 40)
    parts = [relation(rng, n, ">", bound)]
    r = rng.randrange(m)
    if level == EASY:
        parts.append(remainder(rng, n, m, r))
        if false:
            parts = [relation(rng, n, "<", bound), remainder(rng, n, m, r)]  # not for the bound 0
    elif level == MEDIUM:
        k = pick(rng, [c for c in range(2, 25) if gcd(c, m) == 1])
        s = rng.randrange(k)
        if false:
            factor = rng.randint(2, 4)
            m, k = m * factor, k * factor
            r, s = rng.randrange(m), rng.randrange(k)
            s = (s // factor * factor + (r + rng.randint(1, factor - 1)) % factor) % k
        parts += [remainder(rng, n, m, r), remainder(rng, n, k, s)]
    else:
        a, b = rng.randint(1, 6), rng.randint(0, 12)
        m = rng.randint(3, 9)
        values = {(a * v * v + b) % m for v in range(m)}
        missing = [v for v in range(m) if v not in values]
        r = pick(rng, missing if false and missing else sorted(values))
        if false and not missing:
            m, a, r = 4, 1, (b + 2) % 4
        parts.append(remainder(rng, terms(shuffled(rng, [(a, f"{n} ^ 2"), (b, "")])), m, r))
    inner = _exists((n,), "ℕ", "a natural number", conjunction(rng, parts))
    claim = Said(f"∀ {bound} : ℕ, {inner.lean}", f"for every natural number {bound} {inner.words}")
    return draft(rng, (), [], claim, false=false)


def between(rng: Random, level: int, false: bool) -> Draft:
    """A number between two bounds: a square; a rational between any two; with a given ratio of distances."""
    (z,) = letters(rng, 1, avoid="xyab")
    if level == EASY:
        root, k = rng.randint(5, 30), pick(rng, (2, 3))
        low, high = root**k - rng.randint(1, 9), root**k + rng.randint(1, 9)
        if false:
            low, high = root**k, (root + 1) ** k - rng.randint(0, 5)
        body = conjunction(
            rng, [relation(rng, str(low), "<", f"{z} ^ {k}"), relation(rng, f"{z} ^ {k}", "<", str(high))], False
        )
        return draft(rng, (), [], _exists((z,), "ℕ", "a natural number", body), false=false)
    x, y = pick(rng, (("x", "y"), ("a", "b")))
    p, q = rng.randint(1, 40), rng.randint(1, 40)
    given = relation(rng, x, "<", y)
    if level == MEDIUM:
        low, high = terms([(p, x)]), terms([(p, y)])
        middle = terms([(q, z)])
        if false:  # with y = x + 1 the interval is too short
            high = terms([(p, y), (-p, "")])
        parts = [relation(rng, low, "<", middle), relation(rng, middle, "<", high)]
    else:
        weight = terms([(p, f"({z} - {x})")])
        other = terms([(q, f"({y} - {z})")])
        if false:  # z < x < y makes the two sides differ in sign
            parts = [relation(rng, z, "<", x), relation(rng, weight, "=", other)]
        else:
            parts = [relation(rng, x, "<", z), relation(rng, z, "<", y), relation(rng, weight, "=", other)]
    claim = _exists((z,), "ℚ", "a rational number", conjunction(rng, parts))
    return draft(rng, (((x, y), "ℚ"),), [given], claim, false=false)


def factored_form(rng: Random, level: int, false: bool) -> Draft:
    """A number k (k + gap): a numeral; the values of a quadratic; those of one in two variables."""
    *names, k = letters(rng, 3 if level > MEDIUM else 2)
    gap, b = rng.randint(1, 20), rng.randint(0, 40 if level == EASY else 12)
    slopes = [rng.randint(1, 8) for _ in names] if level > EASY else []
    value = b * (b + gap)
    if false:  # where the variables are 0
        value = next(c for c in range(value + 1, 10**6) if all(v * (v + gap) != c for v in range(isqrt(c) + 1)))
    # k is the linear form with these slopes and the constant b
    pairs = [(a * a, f"{name} ^ 2") for a, name in zip(slopes, names, strict=False)]
    if len(slopes) == 2:
        pairs.append((2 * slopes[0] * slopes[1], f"{names[0]} * {names[1]}"))
    pairs += [(a * (2 * b + gap), name) for a, name in zip(slopes, names, strict=False)]
    body = relation(rng, terms(shuffled(rng, [*pairs, (value, "")])), "=", f"{k} * ({k} + {gap})")
    variables = ((tuple(names), "ℕ"),) if slopes else ()
    return draft(rng, variables, [], _exists((k,), "ℕ", "a natural number", body), false=false)


FAMILIES = (
    Family("natural_combination", TOPIC, natural_combination),
    Family("square_sum", TOPIC, square_sum),
    Family("arbitrarily_large", TOPIC, arbitrarily_large),
    Family("between", TOPIC, between),
    Family("factored_form", TOPIC, factored_form),
)
