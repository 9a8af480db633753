"""Linear equations and systems. Solutions are drawn first, so every system has the one that is claimed."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    Number,
    Said,
    conjunction,
    draft,
    equivalence,
    letters,
    math,
    nonzero,
    number,
    off_by,
    pick,
    relation,
    shuffled,
    terms,
)

TOPIC = "linear systems"


def _fraction(rng: Random, reach: int = 20) -> Fraction:
    return Fraction(nonzero(rng, -reach, reach), rng.randint(2, 9))


def _other(rng: Random, value: Number) -> Number:
    """A different number of the same kind; signs and denominators are the likely mistakes."""
    if isinstance(value, int):
        return off_by(rng, value, 4)
    return pick(rng, [wrong for wrong in (-value, value + 1, 1 / value, value - Fraction(1, 2)) if wrong != value])


def linear_equation(rng: Random, level: int, false: bool) -> Draft:
    """One unknown: solved; on both sides; in brackets, where the solution's existence and uniqueness are asked for."""
    (x,) = letters(rng, 1)
    if level == EASY:
        kind = pick(rng, ("ℕ", "ℤ"))
        a, b = rng.randint(2, 15), rng.randint(1, 90)
        s: Number = rng.randint(0, 60) if kind == "ℕ" else rng.randint(-40, 40)
        equation = relation(rng, terms(shuffled(rng, [(a, x), (b, "")])), "=", number(a * s + b))
    elif level == MEDIUM:
        kind = pick(rng, ("ℤ", "ℚ"))
        q = 1 if kind == "ℤ" else rng.randint(2, 9)
        p, c, b = nonzero(rng, -40, 40), nonzero(rng, -9, 9), nonzero(rng, -30, 30)
        s = Fraction(p, q) if kind == "ℚ" else p
        step = q * rng.randint(1, 4)
        left, right = [(c + step, x), (b, "")], [(c, x), (int(step * s) + b, "")]
        equation = relation(rng, terms(shuffled(rng, left)), "=", terms(shuffled(rng, right)))
    else:
        return _bracketed(rng, x, false)
    claimed = _other(rng, s) if false else s
    if kind == "ℕ" and claimed < 0:
        claimed = s + 1
    claim = relation(rng, x, "=", number(claimed))
    return draft(rng, (((x,), kind),), [equation], claim, false=false, answer=number(claimed), ask=x)


def _bracketed(rng: Random, x: str, false: bool) -> Draft:
    """`p (a x + b) - q (c x + d) = e` over ℚ: it has one solution, unless the coefficients of x cancel."""
    p, q, a, b, c, d = (rng.randint(2, 9) for _ in range(6))
    unique = rng.random() < 0.5
    if false and unique:
        q, c = p, a  # then x cancels, and every number is a solution
    elif p * a == q * c:
        a += 1
    s = _fraction(rng)
    e = p * (a * s + b) - q * (c * s + d)
    left = f"{p} * ({terms(shuffled(rng, [(a, x), (b, '')]))}) - {q} * ({terms(shuffled(rng, [(c, x), (d, '')]))})"
    equation = relation(rng, left, "=", number(e))
    if unique:
        words = f"there is exactly one rational number {x} with {equation.words}"
        return draft(rng, (), [], Said(f"∃! {x} : ℚ, {equation.lean}", words), false=false)
    claimed = _other(rng, s) if false else s
    claim = equivalence(rng, equation, relation(rng, x, "=", number(claimed)))
    return draft(rng, (((x,), "ℚ"),), [], claim, false=false, answer=number(claimed))


def _row(rng: Random, names: tuple[str, ...], coefficients: list[int], point: list[Number]) -> Said:
    """A linear equation that holds at the point."""
    value = sum((c * v for c, v in zip(coefficients, point, strict=True)), Fraction(0))
    return relation(rng, terms(shuffled(rng, list(zip(coefficients, names, strict=True)))), "=", number(value))


def linear_pair(rng: Random, level: int, false: bool) -> Draft:
    """Two equations for two unknowns."""
    x, y = letters(rng, 2)
    if level == EASY:
        kind = "ℤ"
        point: list[Number] = [rng.randint(-30, 30), rng.randint(-30, 30)]
        rows = [[1, pick(rng, (1, 2, 3, -1))], [rng.randint(1, 6), pick(rng, (-2, -3, -4, 5, 7))]]
    else:
        kind = "ℚ" if level > MEDIUM else pick(rng, ("ℤ", "ℚ"))
        point = [rng.randint(-20, 20), rng.randint(-20, 20)] if kind == "ℤ" else [_fraction(rng), _fraction(rng)]
        rows = [[nonzero(rng, -9, 9) for _ in range(2)] for _ in range(2)]
    (a, b), (c, d) = rows
    if a * d == b * c:
        rows[1][1] = d + 1 if d != -1 else d + 2
    if level > MEDIUM and rng.random() < 0.5:
        return _solvable_pair(rng, (x, y), rows, point, false)
    given = [_row(rng, (x, y), row, point) for row in rows]
    claimed = list(point)
    if false:
        at = rng.randrange(2)
        claimed[at] = _other(rng, point[at])
    solved = conjunction(rng, [relation(rng, n, "=", number(v)) for n, v in zip((x, y), claimed, strict=True)], True)
    if level > MEDIUM:
        claim = equivalence(rng, conjunction(rng, given), solved)
        return draft(rng, (((x, y), kind),), [], claim, false=false, answer=listed_values((x, y), claimed))
    if level == MEDIUM and rng.random() < 0.4:
        p, q = nonzero(rng, -5, 5), rng.randint(2, 7)
        value = p * point[0] + q * point[1]
        claim = relation(rng, terms(shuffled(rng, [(p, x), (q, y)])), "=", number(value + 1 if false else value))
        return draft(rng, (((x, y), kind),), given, claim, false=false)
    answer = listed_values((x, y), claimed)
    return draft(rng, (((x, y), kind),), given, solved, false=false, answer=answer, ask=f"{x} and {y}")


def _solvable_pair(
    rng: Random, names: tuple[str, str], rows: list[list[int]], point: list[Number], false: bool
) -> Draft:
    """There are x and y with both equations; parallel lines have no common point."""
    equations = [_row(rng, names, row, point) for row in rows]
    if false:
        factor = rng.randint(2, 4)
        wrong = factor * sum(c * v for c, v in zip(rows[0], point, strict=True)) + nonzero(rng, -5, 5)
        parallel = [(factor * c, name) for c, name in zip(rows[0], names, strict=True)]
        equations[1] = relation(rng, terms(shuffled(rng, parallel)), "=", number(wrong))
    both = conjunction(rng, equations)
    x, y = names
    words = f"there are rational numbers {x} and {y} such that {both.words}"
    return draft(rng, (), [], Said(f"∃ {x} {y} : ℚ, {both.lean}", words), false=false)


def listed_values(names: tuple[str, ...], values: list[Number]) -> str:
    return ", ".join(f"{name} = {number(value)}" for name, value in zip(names, values, strict=True))


def linear_triple(rng: Random, level: int, false: bool) -> Draft:
    """Three unknowns: step by step; pairwise sums; a full system as an equivalence."""
    names = letters(rng, 3)
    x, y, z = names
    kind = pick(rng, ("ℤ", "ℚ"))
    point: list[Number] = [rng.randint(-15, 15) for _ in range(3)]
    if level == EASY:
        a, b, c, d = rng.randint(2, 9), nonzero(rng, -20, 20), rng.randint(2, 6), nonzero(rng, -20, 20)
        point[1] = a * point[2] + b
        point[0] = c * point[1] + d
        given = [
            relation(rng, z, "=", number(point[2])),
            relation(rng, y, "=", terms([(a, z), (b, "")])),
            relation(rng, x, "=", terms([(c, y), (d, "")])),
        ]
        value = point[0] + nonzero(rng, -5, 5) if false else point[0]
        claim = relation(rng, x, "=", number(value))
        return draft(rng, ((names, kind),), given, claim, false=false, answer=number(value), ask=x)
    if level == MEDIUM:
        p, q, r = (pick(rng, (1, 1, 2, 3)) for _ in range(3))
        rows = [[p, q, 0], [0, q, r], [p, 0, r]]
    else:
        rows = _regular(rng)
    given = [_row(rng, names, row, point) for row in rows]
    claimed = list(point)
    if false:
        at = rng.randrange(3)
        claimed[at] = _other(rng, point[at])
    solved = conjunction(rng, [relation(rng, n, "=", number(v)) for n, v in zip(names, claimed, strict=True)])
    answer = listed_values(names, claimed)
    if level == MEDIUM or rng.random() < 0.4:
        return draft(rng, ((names, kind),), given, solved, false=false, answer=answer, ask=f"{x}, {y} and {z}")
    claim = equivalence(rng, conjunction(rng, given), solved)
    return draft(rng, ((names, kind),), [], claim, false=false, answer=answer)


def _regular(rng: Random) -> list[list[int]]:
    """Three rows with a determinant that is not 0."""
    while True:
        (a, b, c), (d, e, f), (g, h, i) = rows = [[rng.randint(-5, 5) for _ in range(3)] for _ in range(3)]
        no_zero_row = all(sum(map(bool, row)) >= 2 for row in rows)
        if no_zero_row and a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) != 0:
            return rows


def linear_combination(rng: Random, level: int, false: bool) -> Draft:
    """Too few equations to solve for the unknowns, and yet one more expression has a known value."""
    width = level + 1
    names = letters(rng, width)
    kind = pick(rng, ("ℤ", "ℚ"))
    point: list[Number] = [rng.randint(-12, 12) for _ in range(width)]
    count = max(1, width - 1)
    rows = [[nonzero(rng, -6, 6) for _ in range(width)] for _ in range(count)]
    weights = [pick(rng, (-3, -2, 2, 3, 4, 5)) for _ in range(count)]
    combined = [sum(w * row[at] for w, row in zip(weights, rows, strict=True)) for at in range(width)]
    if not any(combined):
        combined, weights = [c + r for c, r in zip(combined, rows[0], strict=True)], [weights[0] + 1, *weights[1:]]
    if count > 1 and all(c % 2 == 0 for c in combined):
        combined = [c // 2 for c in combined]
    value = sum(c * v for c, v in zip(combined, point, strict=True))
    value += nonzero(rng, -4, 4) if false else 0
    given = [_row(rng, names, row, point) for row in rows]
    left = terms(shuffled(rng, list(zip(combined, names, strict=True))))
    claim = relation(rng, left, "=", number(value))
    return draft(
        rng, ((names, kind),), given, claim, false=false, answer=number(value), ask=f"the value of {math(left)}"
    )


FAMILIES = (
    Family("linear_equation", TOPIC, linear_equation),
    Family("linear_pair", TOPIC, linear_pair),
    Family("linear_triple", TOPIC, linear_triple),
    Family("linear_combination", TOPIC, linear_combination),
)
