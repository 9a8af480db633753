"""Counting: numbers in a range with a property, binomial coefficients, divisors, pigeons."""

from __future__ import annotations

from functools import cache
from math import comb, gcd
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import (
    Said,
    disjunction,
    draft,
    index_letter,
    letters,
    listed,
    math,
    off_by,
    pick,
    relation,
    terms,
)

TOPIC = "counting"


def count_range(rng: Random, level: int, false: bool) -> Draft:
    """How many numbers of a range are multiples; satisfy two conditions; have a polynomial with a given remainder."""
    (n,) = letters(rng, 1)
    low = rng.randint(0, 60)
    high = low + rng.randint(15, 60 * level)
    m = rng.randint(2, 12)
    numbers = range(low, high + 1)
    if level == EASY:
        r = rng.randrange(m)
        condition = pick(rng, (Said(f"{m} ∣ {n}", f"{m} divides {n}"), Said(f"{n} % {m} = {r}", _leaves(n, m, r))))
        count = sum(v % m == (0 if "∣" in condition.lean else r) for v in numbers)
    elif level == MEDIUM:
        k = rng.randint(2, 12)
        first = (Said(f"{m} ∣ {n}", f"{m} divides {n}"), Said(f"¬ {m} ∣ {n}", f"{m} does not divide {n}"))
        negated, either = rng.random() < 0.4, rng.random() < 0.5
        sign, word = ("∨", "or") if either else ("∧", "and")
        condition = Said(f"{first[negated].lean} {sign} {k} ∣ {n}", f"{first[negated].words} {word} {k} divides {n}")
        hits = [((v % m == 0) != negated, v % k == 0) for v in numbers]
        count = sum((a or b) if either else (a and b) for a, b in hits)
    else:
        a, b, k = rng.randint(1, 5), rng.randint(0, 6), rng.randint(4, 11)
        r = rng.randrange(k)
        form = terms([(1, f"{n} ^ 2"), (a, n), (b, "")])
        if rng.random() < 0.6:
            condition = Said(f"({form}) % {k} = {r}", _leaves(math(form), k, r))
            count = sum((v * v + a * v + b) % k == r for v in numbers)
        else:
            condition = Said(f"Nat.gcd {n} {m * k} = {m}", f"the greatest common divisor of {n} and {m * k} is {m}")
            count = sum(gcd(v, m * k) == m for v in numbers)
    count = off_by(rng, count, 3, 0) if false else count
    lean = pick(
        rng,
        (
            f"((Finset.Icc {low} {high}).filter (fun {n} => {condition.lean})).card = {count}",
            f"(Finset.filter (fun {n} => {condition.lean}) (Finset.Icc {low} {high})).card = {count}",
        ),
    )
    subject = f"natural numbers {n} from {low} to {high}, both included, such that {condition.words}"
    words = pick(rng, (f"the number of {subject}, is {count}", f"there are exactly {count} {subject}"))
    return draft(rng, (), [], Said(lean, words), false=false, answer=str(count))


def _leaves(term: str, m: int, r: int) -> str:
    return f"{term} leaves remainder {r} when divided by {m}"


def _choose(n: str, k: int) -> Said:
    lean = f"Nat.choose ({n}) {k}" if " " in n else f"Nat.choose {n} {k}"
    return Said(lean, f"the number of ways to choose {k} out of {n}")


def binomial(rng: Random, level: int, false: bool) -> Draft:
    """Values of binomial coefficients; Pascal's rule for numerals; closed forms in n."""
    n, k = rng.randint(5, 20), rng.randint(2, 6)
    k = min(k, n - 1)
    if level == EASY:
        shift, factor = rng.randint(0, 20), rng.randint(1, 6)
        value = factor * comb(n, k) + shift
        value = off_by(rng, value, 4, 0) if false else value
        one = _choose(str(n), k)
        words = f"{_times(factor)}{one.words}{f', plus {shift},' if shift else ''} is {value}"
        lean = f"{terms([(factor, one.lean), (shift, '')])} = {value}"
        return draft(rng, (), [], Said(lean, words), false=false, answer=str(value))
    (x,) = letters(rng, 1)
    k = rng.randint(1, 5)
    if level == MEDIUM:  # Pascal's rule, in general
        shift, factor = rng.randint(0, 60), rng.randint(1, 12)
        base = terms([(1, x), (shift, "")])
        above = terms([(1, x), (shift + 1, "")])
        first, second, whole = _choose(base, k), _choose(base, k + (2 if false else 1)), _choose(above, k + 1)
        lean = f"{terms([(factor, first.lean), (factor, second.lean)])} = {terms([(factor, whole.lean)])}"
        words = f"{_times(factor)}{first.words} plus {_times(factor)}{second.words} is {_times(factor)}{whole.words}"
        return draft(rng, (((x,), "ℕ"),), [], Said(lean, words), false=false)
    # 2 (n + s over 2) = (n + s) (n + s - 1), and with the third
    shift, factor = rng.randint(1, 60), rng.randint(1, 20)
    third = rng.random() < 0.4
    shift += third
    wrong = 1 if false else 0
    one = _choose(f"{x} + {shift}", 3 if third else 2)
    factors = [f"({x} + {shift + wrong})", f"({terms([(1, x), (shift - 1, '')])})"]
    if third:
        factors.append(f"({terms([(1, x), (shift - 2, '')])})")
    factors = [text[1:-1] if " " not in text else text for text in factors]
    rng.shuffle(factors)
    right = " * ".join([str(factor), *factors] if factor > 1 else factors)
    left = (6 if third else 2) * factor
    words = f"{_times(left)}{one.words} is {math(right)}"
    return draft(rng, (((x,), "ℕ"),), [], Said(f"{left} * {one.lean} = {right}", words), false=false)


def _times(factor: int) -> str:
    return "" if factor == 1 else f"{factor} times "


def divisor_count(rng: Random, level: int, false: bool) -> Draft:
    """How many divisors a number has, what they add up to, how many smaller numbers are coprime to it; the least."""
    if level > MEDIUM:
        return _least_with_divisors(rng, false)
    value = rng.randint(6, 300)
    divisors = [d for d in range(1, value + 1) if value % d == 0]
    coprime = sum(gcd(v, value) == 1 for v in range(value))
    i = index_letter(rng)
    power = rng.randint(2, 3)
    claims = [
        (f"(Nat.divisors {value}).card", f"the number of positive divisors of {value}", len(divisors)),
        (f"∑ {i} ∈ Nat.divisors {value}, {i}", f"the sum of the positive divisors of {value}", sum(divisors)),
        (f"Nat.totient {value}", f"the number of natural numbers below {value} that are coprime to {value}", coprime),
    ]
    if level > EASY:
        of = f"∑ {i} ∈ Nat.divisors {value}, {i} ^ {power}"
        claims.append(
            (of, f"the sum of {i}^{power} over all positive divisors {i} of {value}", sum(d**power for d in divisors))
        )
        odd = f"((Nat.divisors {value}).filter (fun {i} => {i} % 2 = 1)).card"
        claims.append((odd, f"the number of odd positive divisors of {value}", sum(d % 2 for d in divisors)))
    chosen = rng.sample(claims, min(level, 2))
    counts = [count for _, _, count in chosen]
    if false:
        at = rng.randrange(len(counts))
        counts[at] = off_by(rng, counts[at], 3, 0)
    lean = " ∧ ".join(f"{one[0]} = {count}" for one, count in zip(chosen, counts, strict=True))
    words = listed([f"{one[1]} is {count}" for one, count in zip(chosen, counts, strict=True)])
    return draft(rng, (), [], Said(lean, words), false=false, answer=", ".join(map(str, counts)))


@cache
def _divisor_counts() -> tuple[int, ...]:
    return tuple(sum(n % d == 0 for d in range(1, n + 1)) for n in range(501))


def _least_with_divisors(rng: Random, false: bool) -> Draft:
    """The least number beyond a bound that has a given number of divisors."""
    (n,) = letters(rng, 1)
    bound = rng.randint(0, 150)
    counts = _divisor_counts()
    least = rng.randint(bound + 1, bound + 60)
    count = counts[least]
    least = next(v for v in range(bound + 1, least + 1) if counts[v] == count)
    claimed = least
    if false:
        claimed = pick(rng, [v for v in range(bound + 1, least + 40) if v != least])
    condition = relation(rng, n, ">", str(bound))
    lean = f"IsLeast {{{n} : ℕ | {condition.lean} ∧ (Nat.divisors {n}).card = {count}}} {claimed}"
    words = (
        f"{claimed} is the least natural number {n} with {condition.words} that has exactly {count} positive divisors"
    )
    return draft(rng, (), [], Said(lean, words), false=false, answer=str(claimed))


def pigeonhole(rng: Random, level: int, false: bool) -> Draft:
    """Much in few boxes: one of them holds at least its share."""
    boxes = rng.randint(2, 4) if level < 3 else rng.randint(3, 9)
    share = rng.randint(2, 150)
    total = boxes * (share - 1) + rng.randint(1, boxes)
    if level > MEDIUM:
        f, i = pick(rng, ("f", "g")), index_letter(rng)
        if false:
            total = boxes * (share - 1) - rng.randint(0, boxes - 1)
        given = Said(
            f"∑ {i} ∈ Finset.range {boxes}, {f} {i} = {total}",
            f"the sum of {f}({i}) over all natural numbers {i} below {boxes} is {total}",
        )
        claim = Said(f"∃ {i} < {boxes}, {f} {i} ≥ {share}", f"{f}({i}) ≥ {share} for some {i} < {boxes}")
        return draft(rng, (((f,), "ℕ → ℕ"),), [given], claim, false=false)
    names = letters(rng, boxes)
    shares = [share] * boxes if level == EASY else [rng.randint(2, 40) for _ in names]
    most = sum(shares) - boxes  # what fits without reaching a share
    total = most if false else most + rng.randint(1, 3)
    given = relation(rng, " + ".join(names), "=" if level == EASY or false else "≥", str(total))
    parts = [relation(rng, name, "≥", str(one)) for name, one in zip(names, shares, strict=True)]
    return draft(rng, ((names, "ℕ"),), [given], disjunction(rng, parts), false=false)


FAMILIES = (
    Family("count_range", TOPIC, count_range),
    Family("binomial", TOPIC, binomial),
    Family("divisor_count", TOPIC, divisor_count),
    Family("pigeonhole", TOPIC, pigeonhole),
)
