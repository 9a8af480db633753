"""Functional equations: values and compositions, additive functions, injectivity, equations solved for the function."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    NOUNS,
    Number,
    Said,
    atom,
    draft,
    math,
    nonzero,
    number,
    off_by,
    pick,
    shuffled,
    terms,
)

TOPIC = "functional equations"


def _names(rng: Random) -> tuple[str, str, str, str]:
    f, g = pick(rng, (("f", "g"), ("f", "p"), ("g", "f"), ("u", "v")))
    x, y = pick(rng, (("x", "y"), ("a", "b"), ("s", "t"), ("x", "z")))
    return f, g, x, y


def _every(names: str, kind: str, equation: Said) -> Said:
    """For all x (and y), separated by a space."""
    split = names.split(" ")
    said = f"every {NOUNS[kind]} {split[0]}" if len(split) == 1 else f"all {NOUNS[kind]}s {' and '.join(split)}"
    return Said(f"∀ {names} : {kind}, {equation.lean}", f"{equation.words} for {said}")


def _equation(left: str, right: str) -> Said:
    return Said(f"{left} = {right}", math(f"{left} = {right}"))


def composition(rng: Random, level: int, false: bool) -> Draft:
    """Linear functions: applied twice, to each other, and chosen so that they commute."""
    f, g, x, _ = _names(rng)
    kind = pick(rng, ("ℤ", "ℚ"))
    a, b = nonzero(rng, -9, 9), nonzero(rng, -15, 15)
    c, d = nonzero(rng, -9, 9), nonzero(rng, -15, 15)
    rule = _every(x, kind, _equation(f"{f} {x}", terms([(a, x), (b, "")])))
    if level == EASY:
        point = rng.randint(-12, 12)
        value = a * (a * point + b) + b
        value = off_by(rng, value, 5) if false else value
        claim = _equation(f"{f} ({f} {atom(str(point))})", str(value))
        return draft(rng, (((f,), f"{kind} → {kind}"),), [rule], claim, false=false, answer=str(value))
    if level > MEDIUM:  # they commute where (a - 1) d = (c - 1) b
        a, c = rng.sample((-4, -3, -2, 2, 3, 4, 5, 6), 2)
        unit = nonzero(rng, -6, 6)
        b, d = (a - 1) * unit, (c - 1) * unit
        rule = _every(x, kind, _equation(f"{f} {x}", terms([(a, x), (b, "")])))
        if false:
            d += nonzero(rng, -3, 3)
    second = _every(x, kind, _equation(f"{g} {x}", terms([(c, x), (d, "")])))
    variables = (((f, g), f"{kind} → {kind}"),)
    if level > MEDIUM:
        claim = _every(x, kind, _equation(f"{f} ({g} {x})", f"{g} ({f} {x})"))
        return draft(rng, variables, [rule, second], claim, false=false)
    wrong = nonzero(rng, -3, 3) if false else 0
    closed = terms([(a * c, x), (a * d + b + wrong, "")])
    claim = _every(x, kind, _equation(f"{f} ({g} {x})", closed))
    return draft(rng, variables, [rule, second], claim, false=false, answer=math(closed))


def additive_function(rng: Random, level: int, false: bool) -> Draft:
    """`f (x + y) = f x + f y`, perhaps with a constant: small values, f 0 and f (-x), and all natural numbers."""
    f, _, x, y = _names(rng)
    kind = pick(rng, ("ℤ", "ℚ"))
    shift = rng.randint(-9, 9) if level > EASY else rng.randint(0, 3)
    value = nonzero(rng, -25, 25)
    # f - shift is additive, so f n = (value - shift) n + shift
    apart = terms([(1, f"{f} {x}"), (1, f"{f} {y}"), (-shift, "")])
    rule = _every(f"{x} {y}", kind, _equation(f"{f} ({x} + {y})", apart))
    one = Said(f"{f} 1 = {value}", f"{f}(1) = {value}")
    variables = (((f,), f"{kind} → {kind}"),)
    slope = value - shift
    if level < 3:
        point = rng.randint(2, 4) if level == EASY else pick(rng, (-4, -3, -2, -1, 5, 6, 7, 8))
        found = slope * point + shift
        found = off_by(rng, found, 4) if false else found
        claim = Said(f"{f} {atom(str(point))} = {found}", f"{f}({point}) = {found}")
        return draft(rng, variables, [rule, one], claim, false=false, answer=str(found), ask=f"{f}({point})")
    slope += nonzero(rng, -2, 2) if false else 0
    claim = _every("n", "ℕ", _equation(f"{f} n", terms([(slope, "n"), (shift, "")])))
    return draft(rng, variables, [rule, one], claim, false=false)


def injective_function(rng: Random, level: int, false: bool) -> Draft:
    """Injective and surjective: linear functions; a function whose double application is linear; one with a rule."""
    f, g, x, _ = _names(rng)
    a, b = rng.randint(2, 15), rng.randint(-30, 30)
    a = a if rng.random() < 0.6 else -a
    if level == EASY:
        term = terms(shuffled(rng, [(a, x), (b, "")]))
        goal = "Surjective" if false else "Injective"  # a is neither 1 nor -1
        words = f"the function from the integers to the integers that sends {x} to {math(term)} is {goal.lower()}"
        return draft(rng, (), [], Said(f"Function.{goal} (fun {x} : ℤ => {term})", words), false=false)
    if level == MEDIUM:
        kind = pick(rng, ("ℤ", "ℚ"))
        inner, names = pick(rng, ((f"{g} ({f} {x})", (f, g)), (f"{f} ({f} {x})", (f,))))
        # With a constant on the right, f and g may be constant too.
        right = str(b) if false else terms([(a, x), (b, "")])
        rule = _every(x, kind, _equation(inner, right))
        claim = Said(f"Function.Injective {f}", f"{f} is injective")
        return draft(rng, ((names, f"{kind} → {kind}"),), [rule], claim, false=false)
    term = terms(shuffled(rng, [(a, x), (b, "")]))
    if false:
        words = f"the function from the integers to the integers that sends {x} to {math(term)} is bijective"
        return draft(rng, (), [], Said(f"Function.Bijective (fun {x} : ℤ => {term})", words), false=false)
    slope: Number = a if rng.random() < 0.5 else Fraction(1, a)
    term = terms(shuffled(rng, [(slope, x), (b, "")]))
    words = (
        f"the function from the rational numbers to the rational numbers that sends {x} to {math(term)} is bijective"
    )
    return draft(rng, (), [], Said(f"Function.Bijective (fun {x} : ℚ => {term})", words), false=false)


def solved_for_function(rng: Random, level: int, false: bool) -> Draft:
    """Equations between f at x and at a mirrored place, solved for f."""
    f, _, x, _ = _names(rng)
    p = rng.randint(2, 7)
    q = pick(rng, [c for c in range(-5, 6) if c and abs(c) != p])
    mirror = rng.randint(1, 9) if level > MEDIUM else 0
    a, b = nonzero(rng, -12, 12), rng.randint(-12, 12)
    # p f(x) + q f(m - x) = a x + b gives (p² - q²) f(x) = p (a x + b) - q (a (m - x) + b)
    slope, rest = Fraction(a * (p + q), p * p - q * q), Fraction(p * b - q * (a * mirror + b), p * p - q * q)
    other = f"{f} ({mirror} - {x})" if mirror else f"{f} (-{x})"
    rule = _every(x, "ℚ", _equation(terms([(p, f"{f} {x}"), (q, other)]), terms([(a, x), (b, "")])))
    variables = (((f,), "ℚ → ℚ"),)
    if level == EASY:
        value = rest
        value += 1 if false else 0
        claim = _equation(f"{f} 0", number(value))
        return draft(rng, variables, [rule], claim, false=false, answer=number(value), ask=f"{f}(0)")
    if false:
        rest += pick(rng, (1, -1, 2))
    closed = terms([(slope, x), (rest, "")])
    claim = _every(x, "ℚ", _equation(f"{f} {x}", closed))
    return draft(rng, variables, [rule], claim, false=false, answer=math(closed))


FAMILIES = (
    Family("composition", TOPIC, composition),
    Family("additive_function", TOPIC, additive_function),
    Family("injective_function", TOPIC, injective_function),
    Family("solved_for_function", TOPIC, solved_for_function),
)
