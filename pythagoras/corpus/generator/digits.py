"""Digits: their sums in any base, numbers found from conditions on them, remainders by digit sums, last digits."""

from __future__ import annotations

from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    Said,
    draft,
    letters,
    math,
    off_by,
    pick,
    relation,
    remainder,
    terms,
)

TOPIC = "digits"


def _digits(value: int, base: int = 10) -> list[int]:
    """The least significant first, as Lean's `Nat.digits` has them."""
    found = []
    while value:
        found.append(value % base)
        value //= base
    return found


def digit_sum(rng: Random, level: int, false: bool) -> Draft:
    """The sum of a numeral's digits; its digits in another base; the digit sum of a power."""
    if level == MEDIUM:
        base = rng.randint(2, 9)
        value = rng.randint(20, 999)
        digits = _digits(value, base)
        if false:
            at = rng.randrange(len(digits))
            digits[at] = pick(rng, [d for d in range(base) if d != digits[at]])
        row = ", ".join(map(str, digits))
        words = f"the digits of {value} in base {base} are {row}, the least significant first"
        return draft(rng, (), [], Said(f"Nat.digits {base} {value} = [{row}]", words), false=false, answer=row)
    base = 10 if level == EASY else pick(rng, (10, 10, 2, 3, 7))
    if level == EASY:
        value = rng.randint(100, 99999)
        term = str(value)
    else:
        a, k = rng.randint(2, 30), rng.randint(3, 8)
        shift = rng.randint(0, 50)
        value, term = a**k + shift, terms([(1, f"{a} ^ {k}"), (shift, "")])
    total = sum(_digits(value, base))
    total = off_by(rng, total, 4, 1) if false else total
    lean = f"(Nat.digits {base} {term if term.isdigit() else f'({term})'}).sum = {total}"
    place = "" if base == 10 and rng.random() < 0.7 else f" in base {base}"
    words = f"the sum of the digits of {math(term)}{place} is {total}"
    return draft(rng, (), [], Said(lean, words), false=false, answer=str(total))


def digit_puzzle(rng: Random, level: int, false: bool) -> Draft:
    """A number of two digits from a sum and its reversal; one of three; the only one with a property."""
    if level > MEDIUM:
        return _only_number(rng, false)
    a, b = rng.randint(1, 9), rng.randint(0, 9)
    names = letters(rng, 2 if level == EASY else 3)
    values = [a, b, rng.randint(0, 9)][: len(names)]
    written = terms([(10 ** (len(names) - 1 - at), name) for at, name in enumerate(names)])
    reversed_digits = terms([(10**at, name) for at, name in reversed(list(enumerate(names)))])
    value = sum(v * 10 ** (len(names) - 1 - at) for at, v in enumerate(values))
    turned = sum(v * 10**at for at, v in enumerate(values))
    weights = [rng.randint(1, 5) for _ in names]
    weighted = sum(w * v for w, v in zip(weights, values, strict=True))
    total = relation(rng, terms(list(zip(weights, names, strict=True))), "=", str(weighted))
    if turned >= value:
        swap = relation(rng, reversed_digits, "=", f"{written} + {turned - value}" if turned > value else written)
    else:
        swap = relation(rng, written, "=", f"{reversed_digits} + {value - turned}")
    small = [Said(f"{name} ≤ 9", f"{name} ≤ 9") for name in names]
    given = [total, swap, *small]
    if level == MEDIUM:
        given.append(relation(rng, names[1], "=", str(b)))
    # A weighted sum, the difference of the outer digits and the middle digit are known, so the number is.
    claimed = off_by(rng, value, 9, 0) if false else value
    claim = relation(rng, written, "=", str(claimed))
    return draft(
        rng, ((names, "ℕ"),), given, claim, false=false, answer=str(claimed), ask=f"the value of {math(written)}"
    )


def _only_number(rng: Random, false: bool) -> Draft:
    """Exactly one number of two digits has a given weighted digit sum and a given remainder."""
    (n,) = letters(rng, 1)
    while True:
        p, q, m, known = rng.randint(1, 6), rng.randint(1, 6), rng.randint(3, 12), rng.randint(10, 99)
        total, r = p * (known // 10) + q * (known % 10), known % m
        fits = [v for v in range(10, 100) if p * (v // 10) + q * (v % 10) == total and v % m == r]
        if (len(fits) == 1) != false:
            break
    low, high = relation(rng, n, "≥", "10"), relation(rng, n, "≤", "99")
    tens, units = (p, f"({n} / 10)"), (q, f"({n} % 10)")
    said = f"{_times(p)}its tens digit plus {_times(q)}its units digit is {total}"
    rest = remainder(rng, n, m, r)
    body = f"{low.lean} ∧ {high.lean} ∧ {terms([tens, units])} = {total} ∧ {rest.lean}"
    words = f"there is exactly one natural number {n} such that {low.words}, {high.words}, {said} and {rest.words}"
    answer = "" if false else str(fits[0])
    return draft(rng, (), [], Said(f"∃! {n} : ℕ, {body}", words), false=false, answer=answer)


def _times(factor: int) -> str:
    return "" if factor == 1 else f"{factor} times "


def digit_remainder(rng: Random, level: int, false: bool) -> Draft:
    """A number and the sum of its digits have the same remainder modulo what divides base - 1."""
    base = pick(rng, (4, 5, 7, 8, 9, 10, 10, 10, 11, 12, 13, 16))
    m = pick(rng, [d for d in range(2, 20) if ((base - 1) % d == 0) != false])
    if level < 3:
        names = letters(rng, 1 + level)
        extra = rng.randint(0, 30)
        written = terms([*((base ** (len(names) - 1 - at), name) for at, name in enumerate(names)), (extra, "")])
        plain = terms([*((1, name) for name in names), (extra % m if rng.random() < 0.5 else extra, "")])
    else:
        (n,) = letters(rng, 1, avoid="ab")
        names = ("a", n)
        shift = rng.randint(0, 60)
        factor = pick(rng, [c for c in range(1, 10) if not false or c * (base - 1) % m])  # n = a = 1 show it
        written = terms([(factor, f"a * {base} ^ {n}"), (shift, "")])
        plain = terms([(factor, "a"), (shift, "")])
    words = f"{math(written)} and {math(plain)} leave the same remainder when divided by {m}"
    if rng.random() < 0.5:
        lean = f"({written}) % {m} = {plain if ' ' not in plain else f'({plain})'} % {m}"
    else:
        lean = f"{written} ≡ {plain} [MOD {m}]"
        words = f"{math(written)} is congruent to {math(plain)} modulo {m}"
    return draft(rng, ((names, "ℕ"),), [], Said(lean, words), false=false)


def last_digit(rng: Random, level: int, false: bool) -> Draft:
    """Last digits of powers repeat with period 4."""
    a, b = rng.randint(2, 49), rng.randint(2, 49)
    r = rng.randint(1, 4)
    (n,) = letters(rng, 1)
    names: tuple[str, ...] = (n,)
    if level == EASY:
        k = rng.randint(4, 60)
        value = pow(a, k, 10)
        term, names = f"{a} ^ {k}", ()
    elif level == MEDIUM:
        shift = rng.randint(0, 9)
        exponent = f"4 * {n} + {r}"
        term, value = terms([(1, f"{a} ^ ({exponent})"), (shift, "")]), (a**r + shift) % 10
    else:
        term, value = f"{a} ^ {n} + {b} ^ {n}", (a**r + b**r) % 10
    value = (value + rng.randint(1, 9)) % 10 if false else value
    words = f"the last digit of {math(term)} is {value}"
    claim = Said(f"{term if names == () else f'({term})'} % 10 = {value}", words)
    variables = ((names, "ℕ"),) if names else ()
    given: list[Said] = []
    if level > MEDIUM:
        given = [relation(rng, n, ">", "0"), remainder(rng, n, 4, r % 4)]
    return draft(rng, variables, given, claim, false=false, answer=str(value), ask=f"the last digit of {math(term)}")


FAMILIES = (
    Family("digit_sum", TOPIC, digit_sum),
    Family("digit_puzzle", TOPIC, digit_puzzle),
    Family("digit_remainder", TOPIC, digit_remainder),
    Family("last_digit", TOPIC, last_digit),
)
