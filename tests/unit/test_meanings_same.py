"""What is the same meaning and what is not: word for word, by mutation, and against evaluation on numbers."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pythagoras.corpus.generator.families import FAMILIES
from pythagoras.corpus.generator.family import LEVELS, write_statement
from pythagoras.language.bare import bare
from pythagoras.language.calculating import Calculator
from pythagoras.language.difference import What
from pythagoras.language.evaluate import holds
from pythagoras.language.exact import Value
from pythagoras.language.examples import examples_of
from pythagoras.language.lean_reader import read_lean
from pythagoras.language.meaning import Apply, Bind, Claim
from pythagoras.language.normal import key, same, simplified
from pythagoras.language.order import ordered
from tests.unit.mutations import MUTATIONS, is_renaming, reworded, wrong


def claim(statement: str) -> Claim:
    return read_lean(f"theorem t {statement}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(x y : ℤ) (h : x > y) : y < x + 1", "(a b : ℤ) (g : a < b) : a < 1 + b"),
        ("(x : ℕ) (h : x > 2) : x > 1", ": ∀ n : ℕ, n > 2 → n > 1"),
        ("(x : ℕ) (h : x > 2 ∧ x ≤ 9) : x > 1", "(x : ℕ) (h : 9 ≥ x) (k : 2 < x) : x > 1"),
        ("(x : ℤ) : 2 * x * 3 + 1 = 5 - x", "(x : ℤ) : -x + 5 = 1 + x * 6"),
        ("(x y : ℚ) : x * x - y / 3 = 1", "(x y : ℚ) : x ^ 2 - 1 / 3 * y = 1"),
        ("(x : ℚ) : x = -4 / 3", "(x : ℚ) : -(4 / 3) = x"),
        ("(n : ℕ) : (n + 2) % 5 = 3", "(n : ℕ) : 2 + n ≡ 3 [MOD 5]"),
        ("(n : ℤ) : (n + 2) % 5 = 0", "(n : ℤ) : 5 ∣ n + 2"),
        ("(n : ℤ) : n ≡ 0 [ZMOD 5]", "(n : ℤ) : ∃ e, n = 5 * e"),
        ("(n m : ℕ) : n % 7 = (m + 1) % 7", "(n m : ℕ) : m + 1 ≡ n [MOD 7]"),
        ("(n : ℕ) : Even n", "(n : ℕ) : n % 2 = 0"),
        ("(n : ℕ) : Odd n", "(n : ℕ) : ¬ Even n"),
        ("(a b : ℕ) : Nat.Coprime a (b + 1)", "(a b : ℕ) : Nat.gcd (1 + b) a = 1"),
        (": ∑ i ∈ Finset.range 5, i = 10", ": ∑ k ∈ Finset.Icc 0 4, k = 10"),
        ("(n : ℕ) : ∑ i ∈ Finset.range (n + 1), i = n", "(n : ℕ) : ∑ k ∈ Finset.Icc 0 n, k = n"),
        ("(x y : ℤ) : x ^ 2 ≠ y", ": ¬ ∃ x y : ℤ, y = x ^ 2"),
        ("(x y : ℤ) : ¬ x < y", "(x y : ℤ) : x ≥ y"),
        (": ∃ x y : ℤ, 2 * x + 3 * y = 1", ": ∃ (s : ℤ), ∃ t : ℤ, 1 = 3 * s + 2 * t"),
        ("(p q : Prop) (h : p ∧ q) : p ↔ q", "(a b : Prop) (h : b) (g : a) : b ↔ a"),
        (": let a : ℕ := 3 * 16; let b : ℕ := 2 * 37; a + b = 122", ": 37 * 2 + 16 * 3 = 122"),
        ("(f : ℤ → ℤ) (h : ∀ x y : ℤ, f (x + y) = f x + f y) : f 0 = 0",
         "(g : ℤ → ℤ) : (∀ a b : ℤ, g b + g a = g (a + b)) → 0 = g 0"),
        ("(n : ℕ) : ∑ i ∈ Finset.range n, (2 * (i : ℤ) - 1) = (n : ℤ) ^ 2 - 2 * n",
         "(n : ℕ) : ∑ i ∈ Finset.range n, (2 * (i : ℚ) - 1) = (n : ℚ) ^ 2 - 2 * n"),
    ],
)  # fmt: skip
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert same(claim(one), claim(other)) is None
    assert key(claim(one)) == key(claim(other))


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ("(x : ℤ) : x < 5", "(x : ℕ) : x < 5", What.TYPE),
        ("(x : ℤ) : x < 5", "(x y : ℤ) : x < 5", What.VARIABLE),
        ("(x : ℤ) (h : x < 3) : x < 5", "(x : ℤ) : x < 5", What.MISSING),
        ("(x : ℤ) : x < 5", "(x : ℤ) (h : x < 3) : x < 5", What.ADDED),
        ("(x : ℤ) (h : x < 3) : x < 5", "(x : ℤ) (h : x ≤ 3) : x < 5", What.HYPOTHESIS),
        ("(x : ℤ) : x < 5", "(x : ℤ) : x < 6", What.GOAL),
        ("(x y : ℤ) (h : x < 3) : y < 5", "(x y : ℤ) (h : x < 3) : x < 5", What.ROLES),
        ("(x y : ℤ) (h : x < y) : x ^ 2 < y ^ 2", "(x y : ℤ) (h : x < y) : y ^ 2 < x ^ 2", What.ROLES),
        # no computing: the problem would be gone
        (": 3 * 16 + 2 * 37 = 122", ": 4 * 12 + 2 * 37 = 122", What.GOAL),
        ("(x : ℚ) : (x + 2) ^ 2 = x ^ 2 + 4 * x + 4", "(x : ℚ) : (x + 3) ^ 2 = x ^ 2 + 6 * x + 9", What.GOAL),
        ("(x : ℤ) : x + 1 + 2 = x + 3", "(x : ℤ) : x + 2 + 2 = x + 4", What.GOAL),
        ("(x : ℤ) : 2 * x = 6", "(x : ℤ) : x = 3", What.GOAL),
        # what looks alike
        ("(x : ℕ) : ∑ i ∈ Finset.range x, i = 3", "(x : ℕ) : ∑ i ∈ Finset.Icc 0 x, i = 3", What.GOAL),
        ("(x : ℕ) : x % 5 = 7", "(x : ℕ) : x ≡ 7 [MOD 5]", What.GOAL),
        ("(x : ℤ) : ∃ e : ℕ, x = 5 * e", "(x : ℤ) : 5 ∣ x", What.GOAL),
        (": ∀ x : ℕ, ∃ y : ℕ, y > x", ": ∃ y : ℕ, ∀ x : ℕ, y > x", What.VARIABLE),
        ("(p q : Prop) : ¬¬p ∨ q", "(p q : Prop) : p ∨ q", What.GOAL),
        ("(p q : Prop) : ¬(p ∧ q) ↔ (p → ¬q)", "(p q : Prop) : (p → ¬q) ↔ (p → ¬q)", What.GOAL),
        ("(x : ℤ) : x / 2 = 3", "(x : ℚ) : x / 2 = 3", What.TYPE),
        (": Function.Injective (fun x : ℤ => 2 * x)", ": Function.Injective (fun x : ℚ => 2 * x)", What.GOAL),
        ("(x y z : ℤ) (h : x < y) (k : y < z) : x < z", "(x y z : ℤ) (h : x < y) (k : x < z) : y < z", What.ROLES),
    ],
)  # fmt: skip
def test_what_is_different_and_in_what(one: str, other: str, what: What) -> None:
    found = same(claim(one), claim(other))
    assert found is not None
    assert found.what is what
    assert "\n" not in str(found)
    assert key(claim(one)) != key(claim(other))


def test_a_difference_names_the_number() -> None:
    found = same(claim("(x : ℤ) (h : 3 * x ≤ 7) : x ≤ 2"), claim("(x : ℤ) (h : 3 * x ≤ 8) : x ≤ 2"))
    assert str(found) == "another hypothesis: 8 in place of 7: 3 * x ≤ 7 became 3 * x ≤ 8"


def test_ties_do_not_depend_on_names() -> None:
    """A cycle, in which all variables look alike, under many names."""
    rng = Random(3)
    keys = set()
    for _ in range(20):
        a, b, c, d, e = rng.sample(["a", "b", "c", "d", "e"], 5)
        edges = [f"({x} - {y})" for x, y in ((a, b), (b, c), (c, d), (d, e), (e, a))]
        keys.add(key(claim(f"(a b c d e : ℤ) : {' * '.join(rng.sample(edges, 5))} = 0")))
    assert len(keys) == 1
    assert key(claim("(a b c d e : ℤ) : (a - b) * (b - c) * (c - a) * (d - e) * (e - d) = 0")) not in keys


def drawn(seed: int = 0) -> list[tuple[str, Claim]]:
    """A claim of every family at every level."""
    found = []
    for name, family in FAMILIES.items():
        for level in LEVELS:
            rng = Random(f"{seed}{name}{level}")
            found.append((name, read_lean(write_statement(family.draw(rng, level, False), "t", rng))))
    return found


def test_every_family_survives_rewording() -> None:
    rng = Random(5)
    for name, one in drawn():
        for _ in range(2):
            other = reworded(one, rng)
            assert same(one, other) is None, (name, same(one, other))
            assert key(one) == key(other), name


def test_every_mutation_is_noticed() -> None:
    counts: Counter[str] = Counter()
    for name, one in drawn()[::2]:  # all families
        for kind, mutate in MUTATIONS.items():
            for other in mutate(one):
                if same(one, other) is None:
                    assert is_renaming(one, other), (name, kind, other)
                else:
                    counts[kind] += 1
    assert counts.total() > 2_500
    assert min(counts[kind] for kind in MUTATIONS) >= 2


def test_what_counts_as_the_same_evaluates_equally() -> None:
    """Claims that were mutated and reworded: where they count as the same, they are true of the same values."""
    rng = Random(11)
    compared = decided = 0
    for _, one in drawn(1):
        for _ in range(4):
            other: Claim | None = one
            for kind in rng.sample(sorted(MUTATIONS), rng.randint(0, 1)):
                other = wrong(one, kind, rng) or one
            other = reworded(other or one, rng)
            if same(one, other) is not None:
                continue
            compared += 1
            for first, second in _equal_values(one, other, rng):
                truths = {holds(opened(one), first), holds(opened(other), second)}
                assert truths != {True, False}, (one, other, first)
                decided += truths in ({True}, {False})
    assert compared > 300
    assert decided > 1_000


def opened(claim: Claim) -> Claim:
    """With what stands at the front of the goal among the variables and hypotheses, and nothing else changed."""
    claim = bare(claim)
    while True:
        match claim.goal:
            case Bind("∀", own, body):
                claim = Claim((*claim.variables, *own), claim.hypotheses, body)
            case Apply("implies", (premise, conclusion)):
                claim = Claim(claim.variables, (*claim.hypotheses, premise), conclusion)
            case _:
                return claim


def _equal_values(one: Claim, other: Claim, rng: Random) -> list[tuple[dict[str, Value], dict[str, Value]]]:
    """Values for the one claim, and the same for those variables of the other that correspond to its own."""
    first, second = simplified(one), simplified(other)
    if any(len(simple.variables) != len(opened(whole).variables) for simple, whole in ((first, one), (second, other))):
        return []  # `¬ ∃` on one side
    names = dict(zip(ordered(first).names, ordered(second).names, strict=True))
    found = list(examples_of(Claim(first.variables, (), first.goal), Calculator().value).assignments(rng, 12))
    return [(values, {names[name]: one for name, one in values.items()}) for values in found]
