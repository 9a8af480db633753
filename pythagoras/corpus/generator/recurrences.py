"""Sequences given by a first value and a rule: later values, closed forms, remainders, bounds, Fibonacci numbers."""

from __future__ import annotations

from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    Said,
    draft,
    index_letter,
    math,
    nonzero,
    off_by,
    pick,
    relation,
    remainder,
    terms,
)

TOPIC = "recurrences"


def _function(rng: Random) -> tuple[str, str]:
    """Names for a sequence and its index."""
    return pick(rng, ("f", "g", "a", "u", "s")), pick(rng, ("n", "k", "m"))


def _for_all(n: str, said: Said) -> Said:
    return Said(f"∀ {n} : ℕ, {said.lean}", f"{said.words} for every natural number {n}")


def _rule(n: str, left: str, right: str, sign: str = "=") -> Said:
    lean = f"{left} {sign} {right}"
    return _for_all(n, Said(lean, math(lean)))


def _value(f: str, at: int, value: int) -> Said:
    return Said(f"{f} {at} = {value}", f"{f}({at}) = {value}")


def affine_recurrence(rng: Random, level: int, false: bool) -> Draft:
    """`f (n + 1) = a f n + b`: a value; arithmetic and geometric progressions; the closed form."""
    f, n = _function(rng)
    start, a, b = rng.randint(-9, 15), rng.randint(2, 6), nonzero(rng, -12, 15)
    if level == MEDIUM and rng.random() < 0.5:
        a = 1
    elif level == MEDIUM:
        b = 0
        start = start or 7
    elif level > MEDIUM:
        b = (a - 1) * nonzero(rng, -7, 7)
        start += start == -b // (a - 1)
    kind = "ℕ" if min(start, b) >= 0 and rng.random() < 0.5 and level < 3 else "ℤ"
    given = [_value(f, 0, start), _rule(n, f"{f} ({n} + 1)", terms([(a, f"{f} {n}"), (b, "")]))]
    variables = (((f,), f"ℕ → {kind}"),)
    if level == EASY:
        at, value = rng.randint(2, 6), start
        for _ in range(at):
            value = a * value + b
        value = off_by(rng, value, 5, 0 if kind == "ℕ" else None) if false else value
        claim = _value(f, at, value)
        return draft(rng, variables, given, claim, false=false, answer=str(value), ask=f"{f}({at})")
    wrong = nonzero(rng, -3, 3) if false else 0
    if level == MEDIUM:
        slope = abs(b + wrong) or 1 if kind == "ℕ" else b + wrong
        if a == 1:
            if false and slope == b:
                slope = b + 1
            closed = terms([(start, ""), (slope, n)])
        else:
            closed = terms([(start + abs(wrong), f"{a} ^ {n}")])
    else:
        fixed = -b // (a - 1)
        closed = terms([(start - fixed + wrong, f"{a} ^ {n}"), (fixed, "")])
    return draft(rng, variables, given, _rule(n, f"{f} {n}", closed), false=false, answer=math(closed))


def second_order_recurrence(rng: Random, level: int, false: bool) -> Draft:
    """`f (n + 2) = p f (n + 1) + q f n`, built from its roots: a value, the closed form, a double root."""
    f, n = _function(rng)
    r, s = rng.sample((2, 3, 4, 5, 6, 7) if level == MEDIUM else (-4, -3, -2, 2, 3, 4, 5), 2)
    a, b = nonzero(rng, -6, 6), nonzero(rng, -6, 6)
    if level > MEDIUM:
        s = r

    def value(at: int) -> int:
        return int((a + b * at) * r**at if level > MEDIUM else a * r**at + b * s**at)

    rule = _rule(n, f"{f} ({n} + 2)", terms([(r + s, f"{f} ({n} + 1)"), (-r * s, f"{f} {n}")]))
    given = [_value(f, 0, value(0)), _value(f, 1, value(1)), rule]
    variables = (((f,), "ℕ → ℤ"),)
    if level == EASY:
        at = rng.randint(3, 6)
        found = off_by(rng, value(at), 6) if false else value(at)
        return draft(rng, variables, given, _value(f, at, found), false=false, answer=str(found), ask=f"{f}({at})")
    if false:
        b += nonzero(rng, 1, 3)
    if level == MEDIUM:
        closed = terms([(a, f"{r} ^ {n}"), (b, f"{s} ^ {n}")])
    else:
        inner = terms([(b, n), (a, "")]) if b > 0 else terms([(a, ""), (b, n)])
        closed = f"({inner}) * {r if r > 0 else f'({r})'} ^ {n}"
    return draft(rng, variables, given, _rule(n, f"{f} {n}", closed), false=false, answer=math(closed))


def recurrence_remainder(rng: Random, level: int, false: bool) -> Draft:
    """A remainder that the rule keeps: linear, then quadratic."""
    f, n = _function(rng)
    m = rng.randint(3, 12)
    start, b, c = rng.randint(0, 30), rng.randint(2, 9), rng.randint(1, 20)
    a = rng.randint(1, 9) if level > MEDIUM else 0
    r = start % m
    if level > EASY:  # the constant is such that the remainder stays
        c = (r - a * r * r - b * r) % m + m * rng.randint(0, 2)
    square = f"{f} {n} ^ 2"
    given = [_value(f, 0, start), _rule(n, f"{f} ({n} + 1)", terms([(a, square), (b, f"{f} {n}"), (c, "")]))]
    variables = (((f,), "ℕ → ℕ"),)
    if level == EASY:
        at, value = rng.randint(2, 5), start
        for _ in range(at):
            value = b * value + c
        r = (value + (rng.randint(1, m - 1) if false else 0)) % m
        claim = remainder(rng, f"{f} {at}", m, r)
        return draft(rng, variables, given, claim, false=false)
    r = (r + rng.randint(1, m - 1)) % m if false else r
    claim = remainder(rng, f"{f} {n}", m, r)
    return draft(rng, variables, given, _for_all(n, claim), false=false)


def recurrence_bound(rng: Random, level: int, false: bool) -> Draft:
    """Inequalities that pass from one term to the next. The claim is met with equality by some sequence."""
    f, n = _function(rng)
    kind = pick(rng, ("ℤ", "ℚ"))
    start, b = rng.randint(-9, 20), rng.randint(1, 15)
    extra = rng.randint(1, 4) if false else -rng.choice((0, 0, 1, 2))
    variables = (((f,), f"ℕ → {kind}"),)
    up = rng.random() < 0.5
    sign, toward = ("≥", 1) if up else ("≤", -1)
    first = Said(f"{f} 0 {sign} {start}", f"{f}(0) {sign} {start}")
    if level < 3:
        rule = _rule(n, f"{f} ({n} + 1)", terms([(1, f"{f} {n}"), (toward * b, "")]), sign)
        if level == EASY:
            at = rng.randint(2, 7)
            bound = start + toward * (b * at + extra)
            claim = Said(f"{f} {at} {sign} {bound}", f"{f}({at}) {sign} {bound}")
        else:
            claim = _rule(n, f"{f} {n}", terms([(start + toward * extra, ""), (toward * b, n)]), sign)
        return draft(rng, variables, [first, rule], claim, false=false)
    a, fixed = rng.randint(2, 6), nonzero(rng, -7, 7)  # f (n + 1) = a f n - (a - 1) fixed keeps f - fixed geometric
    rule = _rule(n, f"{f} ({n} + 1)", terms([(a, f"{f} {n}"), (-(a - 1) * fixed, "")]), sign)
    gap = start - fixed
    if gap == 0:
        gap, start = 1, fixed + 1
        first = Said(f"{f} 0 {sign} {start}", f"{f}(0) {sign} {start}")
    shift = fixed + toward * extra
    claim = _rule(n, f"{f} {n}", terms([(gap, f"{a} ^ {n}"), (shift, "")]), sign)
    return draft(rng, variables, [first, rule], claim, false=false)


def _fib(at: int) -> int:
    a, b = 0, 1
    for _ in range(at):
        a, b = b, a + b
    return a


def fibonacci(rng: Random, level: int, false: bool) -> Draft:
    """Values; linear relations between shifted terms; sums of them."""
    n = pick(rng, ("n", "k", "m"))
    if level == EASY:
        i, j = rng.randint(4, 24), rng.randint(3, 20)
        a, b = rng.randint(1, 9), rng.randint(1, 9)
        value = a * _fib(i) + b * _fib(j)
        value = off_by(rng, value, 4, 0) if false else value
        lean = f"{terms([(a, f'Nat.fib {i}'), (b, f'Nat.fib {j}')])} = {value}"
        words = f"{_times(a)}the Fibonacci number F({i}) plus {_times(b)}F({j}) is {value}"
        return draft(rng, (), [], Said(lean, f"{words}, where F(0) = 0 and F(1) = 1"), false=false, answer=str(value))
    if level == MEDIUM:
        i, j = rng.randint(2, 8), rng.randint(0, 5)
        a, b = rng.randint(1, 6), rng.randint(0, 6)
        # F(n + i) = F(i) F(n + 1) + F(i - 1) F(n)
        p, q = a * _fib(i) + b * _fib(j), a * _fib(i - 1) + b * (_fib(j - 1) if j else 1)
        p += nonzero(rng, 1, 2) if false else 0
        left = terms([(a, _shifted(n, i)), (b, _shifted(n, j))])
        equation = relation(rng, left, "=", terms([(p, _shifted(n, 1)), (q, _shifted(n, 0))]))
    else:
        at = index_letter(rng, n)
        shift, factor, constant = rng.randint(0, 7), rng.randint(1, 20), rng.randint(0, 20)
        term = terms([(factor, _shifted(at, shift))])
        # F(s) + ... + F(s + n - 1) = F(n + s + 1) - F(s + 1)
        rest = factor * _fib(shift + 1) + constant + (rng.randint(1, 3) if false else 0)
        left = f"∑ {at} ∈ Finset.range {n}, {term} + {rest}"
        right = terms([(factor, _shifted(n, shift + 1)), (constant, "")])
        total = f"the sum of {math(term)} over all natural numbers {at} below {n}, plus {rest},"
        equation = Said(f"{left} = {right}", f"{total} equals {math(right)}")
    words = f"{equation.words}, where F(0) = 0, F(1) = 1, F(2) = 1 and so on are the Fibonacci numbers"
    return draft(rng, (((n,), "ℕ"),), [], Said(equation.lean, words), false=false)


def _shifted(n: str, shift: int) -> str:
    return f"Nat.fib ({n} + {shift})" if shift else f"Nat.fib {n}"


def _times(factor: int) -> str:
    return "" if factor == 1 else f"{factor} times "


FAMILIES = (
    Family("affine_recurrence", TOPIC, affine_recurrence),
    Family("second_order_recurrence", TOPIC, second_order_recurrence),
    Family("recurrence_remainder", TOPIC, recurrence_remainder),
    Family("recurrence_bound", TOPIC, recurrence_bound),
    Family("fibonacci", TOPIC, fibonacci),
)
