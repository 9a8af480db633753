"""Meanings on numbers, against Lean's conventions, and against what the generator calls true and false."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from pythagoras.corpus.generator.families import FAMILIES
from pythagoras.corpus.generator.family import LEVELS, write_statement
from pythagoras.language.evaluate import example, holds, refuted, satisfied, stands, value
from pythagoras.language.exact import Unknown
from pythagoras.language.lean_reader import read_lean
from pythagoras.language.meaning import Apply, Call, Claim, Let, Number, Term, Typed, Variable

X, Y = Variable("x"), Variable("y")


def number(n: int) -> Term:
    return Number(n) if n >= 0 else Apply("neg", (Number(-n),))


def claim(statement: str) -> Claim:
    return read_lean(f"theorem t {statement}")


@pytest.mark.parametrize(
    ("sign", "args", "expected"),
    [
        ("//", (7, 2), 3),
        ("//", (-7, 2), -4),
        ("//", (-7, -2), 4),  # Int.ediv
        ("//", (7, -2), -3),
        ("//", (7, 0), 0),
        ("%", (-7, 2), 1),
        ("%", (-7, -2), 1),
        ("%", (7, 0), 7),
        ("/", (7, 2), Fraction(7, 2)),
        ("/", (6, 2), 3),
        ("/", (7, 0), 0),
        ("-", (3, 5), -2),
        ("^", (-2, 3), -8),
        ("^", (-1, 10**9 + 1), -1),
        ("gcd", (-12, 18), 6),
        ("lcm", (4, 6), 12),
        ("choose", (3, 5), 0),
        ("fib", (10,), 55),
        ("totient", (12,), 4),
        ("digits", (10, 507), [7, 0, 5]),
        ("divisors", (0,), []),
        ("even", (0,), True),
        ("odd", (-3,), True),
        ("∣", (0, 5), False),
        ("∣", (0, 0), True),
        ("≡", (-1, 4, 5), True),
        ("prime", (1,), False),
    ],
)
def test_signs_are_leans(sign: str, args: tuple[int, ...], expected: object) -> None:
    assert value(Apply(sign, tuple(map(number, args))), {}) == expected


def test_named_values_and_functions() -> None:
    doubled = Let(Typed("d", "ℕ"), Apply("*", (Number(2), X)), Apply("+", (Variable("d"), Variable("d"))))
    assert value(doubled, {"x": 5}) == 20
    assert value(Call(Variable("f"), (X,)), {"f": lambda n: n + Fraction(1, 2), "x": Fraction(1, 2)}) == 1


@pytest.mark.parametrize(
    "term",
    [
        Apply("^", (Number(10), Number(10**6))),
        Apply("factorial", (Number(10**6),)),
        Apply("card", (Apply("range", (Number(10**9),)),)),
        Apply("+", (X, Number(1))),
        Apply("^", (Number(2), number(-1))),
    ],
)
def test_what_is_too_large_or_has_no_value_is_unknown(term: Term) -> None:
    with pytest.raises(Unknown):
        value(term, {})


@pytest.mark.parametrize(
    ("statement", "assignment", "expected"),
    [
        ("(x y : ℤ) (h : x < y) : x ≤ y", {"x": 1, "y": 2}, True),
        ("(x y : ℤ) (h : x < y) : x + 2 ≤ y", {"x": 1, "y": 2}, False),
        ("(x y : ℤ) (h : x < y) : x = y", {"x": 2, "y": 1}, True),
        ("(x : ℤ) : ∃ y : ℤ, y * y = x", {"x": 49}, True),
        ("(x : ℤ) : ∃ y : ℤ, y * y = x", {"x": 50}, None),
        ("(x : ℕ) : ∃ y ≤ x, y * y = x", {"x": 50}, False),
        ("(x : ℕ) : ∀ y < x, y * y < 40", {"x": 7}, True),
        ("(x : ℤ) : ∀ y : ℤ, y < x", {"x": 7}, False),
        ("(x : ℤ) : ∀ y : ℤ, y * y ≥ 0", {"x": 7}, None),
        (": ∃! x : ℕ, x < 10 ∧ x % 5 = 3 ∧ x % 2 = 0", {}, True),
        (": ∃! x : ℕ, x < 20 ∧ x % 5 = 3 ∧ x % 2 = 0", {}, False),
        (": IsLeast {x : ℕ | x > 21 ∧ 15 ∣ x} 30", {}, True),
        (": IsLeast {x : ℕ | x > 21 ∧ 15 ∣ x} 45", {}, False),
        (": IsGreatest {x : ℕ | x ^ 2 ≤ 50} 7", {}, None),
        (": IsGreatest {x : ℕ | x ^ 2 ≤ 50} 6", {}, False),
        (": ∑ i ∈ Finset.range 5, (2 * i + 1) = 25", {}, True),
        (": ((Finset.Icc 44 84).filter (fun s => 4 ∣ s)).card = 11", {}, True),
        ("(p q : Prop) (h : p → q) : ¬q → ¬p", {"p": False, "q": True}, True),
        (": Function.Injective (fun x : ℤ => x ^ 2)", {}, False),
        ("(x y : ℚ) (h : x + y = 1) : x * y ≤ 1 / 4", {"x": Fraction(1, 2), "y": Fraction(1, 2)}, True),
    ],
)
def test_claims_at_values(statement: str, assignment: dict[str, object], expected: bool | None) -> None:
    assert holds(claim(statement), assignment) is expected


@pytest.mark.parametrize(
    "statement",
    [
        "(m n : ℤ) (h₁ : 5 * m - 3 * n = -139) (h₂ : -37 = m - n) : m = -14",
        "(x y z : ℚ) (h1 : z + 2 * x = 4) (h2 : 2 * x + 3 * y = -6) (h3 : 3 * y + z = 10) : y = 0",
        "(x y z : ℕ) (h : 35 = 4 * x + y + z) (h3 : x ≤ 9) (h4 : y = 7) : z ≤ 28",
        "(s : ℕ) (h : s % 21 = 12) (h' : s > 30) : s > 3",
        "(u : ℕ) (h₁ : (u + 3) % 20 = 0) (h₂ : u + 3 ≡ 0 [MOD 8]) : 40 ∣ u + 3",
        "(p q : Prop) (h₀ : p ∧ q) : p ↔ q",
        "(f : ℤ → ℤ) (g : ℤ → ℤ) (h : ∀ x : ℤ, f x = 3 * x) (k : ∀ x : ℤ, g x = f x + 1) : g 2 = 7",
        "(s : ℕ → ℤ) (h1 : s 0 = -2) (h2 : ∀ n : ℕ, s (n + 1) = 6 * s n - 25) : s 2 = -247",
        "(s : ℕ → ℤ) (a : s 0 = 2) (b : s 1 = 3) (c : ∀ n : ℕ, s (n + 2) = s (n + 1) + s n) : s 5 = 21",
    ],
)
def test_an_example_satisfies_the_hypotheses(statement: str) -> None:
    read = claim(statement)
    found = example(read, Random(1))
    assert found is not None
    assert set(found) == {one.name for one in read.variables}
    assert satisfied(read, found) is not False
    assert holds(read, found) is not False
    if not any("→" in one.type for one in read.variables):
        assert satisfied(read, found) is True


def test_there_is_no_example_of_what_can_not_be() -> None:
    assert example(claim("(x : ℤ) (h : 2 * x = 5) : x = 2"), Random(1)) is None
    assert example(claim("(f : ℤ → ℤ) (h : ∀ x : ℤ, f (f x) = x) : f 0 = 0"), Random(1)) is None


def test_counterexamples_are_such() -> None:
    read = claim("(s : ℕ → ℤ) (h1 : s 0 = -2) (h2 : ∀ n : ℕ, s (n + 1) = 6 * s n - 25) : s 2 = -246")
    found = refuted(read, Random(1))
    assert found is not None
    assert found["s"](2) == -247
    read = claim("(x : ℤ) (h : x ^ 2 = 49) : x = 7")
    assert refuted(read, Random(1)) == {"x": -7}
    assert holds(read, {"x": -7}) is False


def test_the_generators_claims() -> None:
    """None that it calls true is refuted; of those it calls false, in most families some are."""
    refutable = set()
    for name, family in FAMILIES.items():
        for level in LEVELS:
            rng = Random(f"{name}{level}")
            true, false = (read_lean(write_statement(family.draw(rng, level, lie), "t", rng)) for lie in (False, True))
            assert refuted(true, rng, 30) is None, name
            found = refuted(false, rng, 60)
            if found is not None:
                refutable.add(name)
                assert holds(false, found) is not True, name
    assert len(refutable) >= len(FAMILIES) * 0.75


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("(n : ℕ) (h : n % 4 = 3) : n % 2 = 1", True),
        ("(n : ℕ) (h : n % 4 = 3) : n < 40", False),  # holds for the first examples
        ("(n : ℕ) (h : n < 0) : n = n", False),  # no example
        (": ∃! x : ℚ, 2 * x = 6", False),  # can't be told
        ("(f : ℕ → ℤ) (h₀ : f 0 = 1) (h₁ : ∀ n, f (n + 1) = 2 * f n) : f 5 = 32", True),
    ],
)
def test_what_stands_holds_for_an_example_and_is_not_refuted(statement: str, expected: bool) -> None:
    assert stands(claim(statement), Random(0), 30, (6, 40)) is expected
