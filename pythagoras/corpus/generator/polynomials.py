"""Polynomial identities: products written out, roots, symmetric functions, squares completed."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    Number,
    Said,
    disjunction,
    draft,
    equivalence,
    letters,
    math,
    nonzero,
    number,
    off_by,
    pick,
    polynomial,
    power,
    relation,
    shuffled,
    terms,
)

TOPIC = "polynomial identities"


def _times(a: list[int], b: list[int]) -> list[int]:
    """Product of polynomials given from the constant up."""
    result = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] += x * y
    return result


def expand_product(rng: Random, level: int, false: bool) -> Draft:
    """A product and its expansion: of two factors; of a power and a factor; with coefficients to be found."""
    kind = pick(rng, ("ℤ", "ℚ"))
    (a, b, c, d) = (nonzero(rng, -9, 9) for _ in range(4))
    x, y = letters(rng, 2)
    if level == MEDIUM and rng.random() < 0.5:  # homogeneous in two variables
        k = rng.randint(2, 3)
        coefficients = [comb(k, i) * a ** (k - i) * b**i for i in range(k + 1)]
        coefficients[rng.randint(0, k)] += nonzero(rng, -2, 2) if false else 0
        left = f"({terms(shuffled(rng, [(a, x), (b, y)]))}) ^ {k}"
        monomials = [" * ".join(filter(None, (power(x, k - i), power(y, i)))) for i in range(k + 1)]
        claim = relation(rng, left, "=", terms(shuffled(rng, list(zip(coefficients, monomials, strict=True)))))
        return draft(rng, (((x, y), kind),), [], claim, false=false)
    first, second = [b, a], [d, c]
    k = 1 if level == EASY else 2
    expanded = second
    for _ in range(k):
        expanded = _times(expanded, first)
    base = f"({terms(shuffled(rng, polynomial(first, x)))})"
    left = f"{power(base, k)} * ({terms(shuffled(rng, polynomial(second, x)))})"
    if level > MEDIUM:
        return _coefficients_exist(rng, kind, x, left, expanded, false)
    if false:
        expanded[rng.randrange(len(expanded))] += nonzero(rng, -3, 3)
    claim = relation(rng, left, "=", terms(shuffled(rng, polynomial(expanded, x))))
    return draft(rng, (((x,), kind),), [], claim, false=false)


def _coefficients_exist(rng: Random, kind: str, x: str, left: str, expanded: list[int], false: bool) -> Draft:
    """Some coefficients are left open; one that is written is wrong in the false case."""
    p, q = letters(rng, 2, avoid=x)
    known = list(expanded)
    if false:
        known[3] += nonzero(rng, -3, 3)
    right = terms([(known[3], f"{x} ^ 3"), (1, f"{p} * {x} ^ 2"), (known[1], x), (1, q)])
    equation = relation(rng, left, "=", right)
    noun = "integers" if kind == "ℤ" else "rational numbers"
    words = f"there are {noun} {p} and {q} such that, for every {noun[:-1]} {x}, {equation.words}"
    claim = Said(f"∃ {p} {q} : {kind}, ∀ {x} : {kind}, {equation.lean}", words)
    answer = f"{p} = {expanded[2]}, {q} = {expanded[0]}"
    return draft(rng, (), [], claim, false=false, answer="" if false else answer)


def polynomial_roots(rng: Random, level: int, false: bool) -> Draft:
    """Where a product vanishes; where a quadratic does; rational roots, and three of them."""
    (x,) = letters(rng, 1)
    kind: str = "ℤ"
    roots: list[Number] = [rng.randint(-15, 15), rng.randint(-15, 15)]
    if level == EASY:
        left = " * ".join(f"({terms([(1, x), (-root, '')])})" if root else x for root in roots)
        equation = relation(rng, left, "=", "0")
    elif level == MEDIUM or rng.random() < 0.5:
        kind = pick(rng, ("ℤ", "ℚ")) if level == MEDIUM else "ℤ"
        if level > MEDIUM:
            roots.append(rng.randint(-8, 8))
        equation = _vanishing(rng, x, [([-int(root), 1]) for root in roots])
    else:
        kind = "ℚ"
        fractions = [(nonzero(rng, -9, 9), rng.randint(1, 6)) for _ in range(2)]
        roots = [Fraction(p, q) for p, q in fractions]
        equation = _vanishing(rng, x, [[-p, q] for p, q in fractions])
    distinct = list(dict.fromkeys(roots))
    if false:
        at = rng.randrange(len(distinct))
        near = [distinct[at] + 1, distinct[at] - 1, distinct[at] + 2, distinct[at] - 2, distinct[at] + 3]
        distinct[at] = pick(rng, [value for value in near if value not in distinct])
    claim = disjunction(rng, [relation(rng, x, "=", number(root)) for root in distinct])
    answer = ", ".join(number(root) for root in distinct)
    if level == EASY or rng.random() < 0.4:
        return draft(rng, (((x,), kind),), [equation], claim, false=false, answer=answer)
    return draft(rng, (((x,), kind),), [], equivalence(rng, equation, claim), false=false, answer=answer)


def _vanishing(rng: Random, x: str, factors: list[list[int]]) -> Said:
    """The product of linear factors, written out, is zero; some terms may stand on the right."""
    coefficients = [1]
    for factor in factors:
        coefficients = _times(coefficients, factor)
    pairs = polynomial(coefficients, x)
    if rng.random() < 0.4:
        kept, moved = pairs[:2], [(-c, monomial) for c, monomial in pairs[2:]]
        return relation(rng, terms(shuffled(rng, kept)), "=", terms(shuffled(rng, moved)))
    return relation(rng, terms(shuffled(rng, pairs)), "=", "0")


def symmetric_values(rng: Random, level: int, false: bool) -> Draft:
    """Sum and product are known, so every symmetric expression is."""
    kind = pick(rng, ("ℤ", "ℚ"))
    names = letters(rng, 2 if level < 3 else pick(rng, (2, 3)))
    values = [rng.randint(-9, 9) for _ in names]
    given = [relation(rng, " + ".join(names), "=", str(sum(values)))]
    if len(names) == 2:
        (x, y), (u, v) = names, values
        given.append(relation(rng, f"{x} * {y}", "=", str(u * v)))
        k = {EASY: 2, MEDIUM: 3}.get(level, 4)
        a, b, c = rng.randint(1, 5), rng.randint(-6, 6), rng.randint(-9, 9)
        mixed = "" if level == EASY else pick(rng, (f"{x} * {y} ^ 2 + {x} ^ 2 * {y}", f"({x} - {y}) ^ 2"))
        value = a * (u**k + v**k) + b * u * v + c
        pairs = [(a, f"({x} ^ {k} + {y} ^ {k})"), (b, f"{x} * {y}"), (c, "")]
        if mixed and rng.random() < 0.6:
            pairs.append((1, mixed))
            value += (u - v) ** 2 if "-" in mixed else u * v * v + u * u * v
        term = terms(shuffled(rng, pairs))
    else:
        (x, y, z), (u, v, w) = names, values
        given.append(relation(rng, f"{x} * {y} + {y} * {z} + {z} * {x}", "=", str(u * v + v * w + w * u)))
        k = 2
        if rng.random() < 0.6:
            k = 3
            given.append(relation(rng, f"{x} * {y} * {z}", "=", str(u * v * w)))
        a, c = rng.randint(1, 9), rng.randint(-20, 20)
        term = terms(shuffled(rng, [(a, f"({x} ^ {k} + {y} ^ {k} + {z} ^ {k})"), (c, "")]))
        value = a * (u**k + v**k + w**k) + c
    value = off_by(rng, value, 4) if false else value
    claim = relation(rng, term, "=", str(value))
    return draft(rng, ((names, kind),), given, claim, false=false, answer=str(value), ask=f"the value of {math(term)}")


def complete_square(rng: Random, level: int, false: bool) -> Draft:
    """A quadratic as a square and a rest; the rest is its least value."""
    x, h, k = (*letters(rng, 1, avoid="hk"), "h", "k")
    if level == EASY:
        kind = pick(rng, ("ℤ", "ℚ"))
        shift: Number = nonzero(rng, -20, 20)
        rest: Number = nonzero(rng, -40, 40)
        a = 1
    else:
        kind = "ℚ"
        a = rng.randint(1, 6)
        shift, rest = Fraction(nonzero(rng, -12, 12), pick(rng, (1, 2, 3))), Fraction(nonzero(rng, -30, 30))
    coefficients = [a * shift * shift + rest, 2 * a * shift, a]
    quadratic = terms(shuffled(rng, polynomial(coefficients, x)))
    if level < 3:
        if false:
            rest += nonzero(rng, -3, 3)
        square = f"({terms([(1, x), (shift, '')])}) ^ 2"
        claim = relation(rng, quadratic, "=", terms([(a, square), (rest, "")]))
        return draft(rng, (((x,), kind),), [], claim, false=false)
    if rng.random() < 0.5:
        lead = a + nonzero(rng, 1, 3) if false else a
        right = f"{terms([(lead, f'({x} + {h}) ^ 2')])} + {k}"
        equation = relation(rng, quadratic, "=", right)
        words = f"there are rational numbers {h} and {k} such that, for every rational number {x}, {equation.words}"
        claim = Said(f"∃ {h} {k} : ℚ, ∀ {x} : ℚ, {equation.lean}", words)
        answer = "" if false else f"{h} = {number(shift)}, {k} = {number(rest)}"
        return draft(rng, (), [], claim, false=false, answer=answer)
    least = rest + nonzero(rng, -2, 2) if false else rest
    y = "y" if x != "y" else "z"
    lean = f"IsLeast {{{y} : ℚ | ∃ {x} : ℚ, {y} = {quadratic}}} {_argument(number(least))}"
    words = f"{math(number(least))} is the least value that {math(quadratic)} takes for rational numbers {x}"
    return draft(rng, (), [], Said(lean, words), false=false, answer=number(least))


def _argument(text: str) -> str:
    return f"({text})" if not text.isdigit() else text


FAMILIES = (
    Family("expand_product", TOPIC, expand_product),
    Family("polynomial_roots", TOPIC, polynomial_roots),
    Family("symmetric_values", TOPIC, symmetric_values),
    Family("complete_square", TOPIC, complete_square),
)
