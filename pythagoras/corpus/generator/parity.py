"""Parity: of expressions with known ingredients, as an equivalence, as the reason why an equation has no solution."""

from __future__ import annotations

from itertools import product
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    Said,
    draft,
    equivalence,
    letters,
    listed,
    nonzero,
    parity,
    pick,
    polynomial,
    power,
    relation,
    shuffled,
    terms,
)

TOPIC = "parity"


def parity_expression(rng: Random, level: int, false: bool) -> Draft:
    """Even and odd numbers in, an expression of them out."""
    kind = pick(rng, ("ℕ", "ℤ"))
    names = letters(rng, 2 if level < 3 else 3)
    odd = [rng.random() < 0.5 for _ in names]
    low = 1 if kind == "ℕ" else -9
    form = [(nonzero(rng, low, 9), power(name, 1 if level == EASY else rng.randint(1, level + 1))) for name in names]
    if level > EASY:
        pair = rng.sample(range(len(names)), 2)
        form.append((nonzero(rng, low, 9), f"{names[pair[0]]} * {names[pair[1]]}"))
    form.append((rng.randint(0, 20), ""))
    state = dict(zip(names, odd, strict=True))
    value = sum(c * all(state[name] for name in names if name in monomial.split(" ")) for c, monomial in form) % 2
    given = [parity(rng, name, is_odd) for name, is_odd in state.items()]
    claim = parity(rng, terms(shuffled(rng, form)), bool(value) != false)
    return draft(rng, ((names, kind),), given, claim, false=false)


def parity_equivalence(rng: Random, level: int, false: bool) -> Draft:
    """The parity of an expression decides that of its variables, and back."""
    kind = pick(rng, ("ℕ", "ℤ"))
    low = 0 if kind == "ℕ" else -9
    if level < 3:
        (n,) = letters(rng, 1)
        degree = level if level == EASY else rng.randint(2, 3)
        while True:
            coefficients = [rng.randint(low, 15) for _ in range(degree + 1)]
            coefficients[degree] = rng.randint(1, 9)
            if sum(coefficients[1:]) % 2:
                break
        term = terms(shuffled(rng, polynomial(coefficients, n)))
        odd = rng.random() < 0.5  # of n
        value = (coefficients[0] + odd * sum(coefficients[1:])) % 2
        claim = equivalence(rng, parity(rng, term, bool(value) != false), parity(rng, n, odd))
        return draft(rng, (((n,), kind),), [], claim, false=false)
    x, y = letters(rng, 2)
    while True:
        a, b, c, d = (rng.randint(low, 12) for _ in range(4))
        table = tuple((a * i + b * j + c * i * j + d) % 2 for i, j in product((0, 1), repeat=2))
        if a and b and c and table in _TABLES:
            break
    pairs = [(a, power(x, rng.randint(1, 3))), (b, power(y, rng.randint(1, 2))), (c, f"{x} * {y}"), (d, "")]
    left = parity(rng, terms(shuffled(rng, pairs)), True)
    flipped = tuple(1 - value for value in table)
    right = pick(rng, _TABLES[flipped if false else table])
    claim = equivalence(rng, left, Said(right.lean.format(x=x, y=y), right.words.format(x=x, y=y)))
    return draft(rng, (((x, y), kind),), [], claim, false=false)


_TABLES: dict[tuple[int, ...], tuple[Said, ...]] = {
    (0, 0, 0, 1): (Said("Odd {x} ∧ Odd {y}", "both {x} and {y} are odd"),),
    (1, 1, 1, 0): (
        Said("Even {x} ∨ Even {y}", "{x} is even or {y} is even"),
        Said("¬ (Odd {x} ∧ Odd {y})", "{x} and {y} are not both odd"),
    ),
    (1, 0, 0, 0): (
        Said("Even {x} ∧ Even {y}", "both {x} and {y} are even"),
        Said("¬ (Odd {x} ∨ Odd {y})", "neither {x} nor {y} is odd"),
    ),
    (0, 1, 1, 1): (Said("Odd {x} ∨ Odd {y}", "{x} is odd or {y} is odd"),),
    (0, 1, 1, 0): (
        Said("(Even {x} ↔ Odd {y})", "({x} is even if and only if {y} is odd)"),
        Said("Odd ({x} + {y})", "{x} + {y} is odd"),
    ),
    (1, 0, 0, 1): (
        Said("(Even {x} ↔ Even {y})", "({x} is even if and only if {y} is even)"),
        Said("Even ({x} + {y})", "{x} + {y} is even"),
    ),
    (0, 0, 1, 0): (Said("Odd {x} ∧ Even {y}", "{x} is odd and {y} is even"),),
    (0, 1, 0, 0): (Said("Even {x} ∧ Odd {y}", "{x} is even and {y} is odd"),),
    (1, 1, 0, 1): (Said("Even {x} ∨ Odd {y}", "{x} is even or {y} is odd"),),
    (1, 0, 1, 1): (Said("Odd {x} ∨ Even {y}", "{x} is odd or {y} is even"),),
}
"""When each holds, for x and y in the order (even, even), (even, odd), (odd, even), (odd, odd)."""


def parity_impossible(rng: Random, level: int, false: bool) -> Draft:
    """Equations without integer solutions, since both sides differ modulo 2, 4 or 8."""
    names = letters(rng, 2)
    x, y = names
    while True:
        if level == EASY:
            pairs = [(2 * nonzero(rng, -12, 12), x), (2 * nonzero(rng, -12, 12), y)]
            modulus = 2
        elif level == MEDIUM:
            a = nonzero(rng, -9, 9)
            b = a + 2 * rng.randint(-4, 4)
            pairs = [(a, f"{x} ^ 2"), (b, x), (2 * nonzero(rng, -6, 6), pick(rng, (y, f"{y} ^ 2", f"{x} * {y}")))]
            modulus = 2
        else:
            modulus = pick(rng, (4, 8))
            pairs = [(nonzero(rng, -9, 9), f"{x} ^ 2"), (nonzero(rng, -9, 9), f"{y} ^ 2")]
            if rng.random() < 0.4:
                pairs.append((modulus * nonzero(rng, -2, 2), pick(rng, (f"{x} * {y}", x, y))))
        values = {_at(pairs, x, y, i, j) % modulus for i in range(modulus) for j in range(modulus)}
        if len(values) < modulus and sum(bool(c) for c, _ in pairs) > 1:
            break
    if false:
        c = _at(pairs, x, y, rng.randint(-6, 6), rng.randint(-6, 6))
    else:
        c = pick(rng, [r for r in range(modulus) if r not in values]) + modulus * rng.randint(-8, 12)
    equation = relation(rng, terms(shuffled(rng, pairs)), "=", str(c))
    if rng.random() < 0.5:
        words = f"there are no integers {listed(names)} with {equation.words}"
        return draft(rng, (), [], Said(f"¬ ∃ {x} {y} : ℤ, {equation.lean}", words), false=false)
    claim = Said(equation.lean.replace(" = ", " ≠ "), equation.words.replace(" = ", " ≠ "))
    return draft(rng, ((names, "ℤ"),), [], claim, false=false)


def _at(pairs: list[tuple[int, str]], x: str, y: str, i: int, j: int) -> int:
    """The value of a sum of monomials in x and y, at most squared."""
    values = {x: i, y: j, f"{x} ^ 2": i * i, f"{y} ^ 2": j * j, f"{x} * {y}": i * j}
    return sum(c * values[monomial] for c, monomial in pairs)


FAMILIES = (
    Family("parity_expression", TOPIC, parity_expression),
    Family("parity_equivalence", TOPIC, parity_equivalence),
    Family("parity_impossible", TOPIC, parity_impossible),
)
