"""What the search reads and computes before it asks Lean: terms, their values, polynomials."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.records import statement_of
from pythagoras.generate.searching import polynomials
from pythagoras.generate.searching.goals import opened
from pythagoras.generate.searching.terms import NotRead, free, name, number, read, substitute, write
from pythagoras.generate.searching.values import Effort, Unknown, computing, judging
from pythagoras.lean.statements import parse_statement


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a - (b - c) - d", "a - (b - c) - d"),
        ("(a * b) * c ^ (n + 1)", "a * b * c ^ (n + 1)"),
        ("-x ^ 2", "-x ^ 2"),
        ("(-x) ^ 2", "(-x) ^ 2"),
        ("¬ (p ∧ q) → r", "¬(p ∧ q) → r"),
        ("p → q → r", "p → q → r"),
        ("(p → q) → r", "(p → q) → r"),
        ("∑ i ∈ Finset.range n, (i + 1) + 2", "∑ i ∈ Finset.range n, (i + 1) + 2"),
        ("∃ k < 6, g k ≥ 2", "∃ k, k < 6 ∧ g k ≥ 2"),
        ("∀ x y : ℤ, x ≡ y [ZMOD 4]", "∀ x : ℤ, ∀ y : ℤ, x ≡ y [ZMOD 4]"),
        ("IsLeast {x : ℕ | x > 3 ∧ 2 ∣ x} 4", "IsLeast {x : ℕ | x > 3 ∧ 2 ∣ x} 4"),
        ("((Finset.Icc 1 9).filter (fun s => 4 ∣ s)).card = 2", "((Finset.Icc 1 9).filter (fun s => 4 ∣ s)).card = 2"),
        ("let a : ℕ := 2\nlet b := a + 1\nb = 3", "let a : ℕ := 2; let b := a + 1; b = 3"),
        ("Nat.digits 4 105 = [1, 2, 2, 1]", "Nat.digits 4 105 = [1, 2, 2, 1]"),
        ("(n : ℚ) / 2 = ↑m", "(n : ℚ) / 2 = ↑m"),
    ],
)
def test_terms_are_written_as_they_are_read(text: str, written: str) -> None:
    assert write(read(text)) == written
    assert read(written) == read(text)


@pytest.mark.parametrize("text", ["", "a +", "(a", "∀ , p", "∑ x, x", "a b)", "⟨a"])
def test_what_is_no_term(text: str) -> None:
    with pytest.raises(NotRead):
        read(text)


def test_every_family_of_the_generator_is_read() -> None:
    for drawn in generate(201, 5):
        statement = statement_of(drawn.formalisation)
        goal = opened(statement)
        assert read(write(goal.target)) == goal.target
        assert {fact.name for fact in goal.facts}.isdisjoint(variable.name for variable in goal.variables)


def test_bound_names_are_no_free_ones() -> None:
    term = read("∑ i ∈ Finset.range n, i * m")
    assert free(term) >= {"n", "m"}
    assert "i" not in free(term)
    assert write(substitute(term, {"n": number(3), "i": name("k")})) == "∑ i ∈ Finset.range 3, i * m"


# --- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("x - 5", "ℕ", 0),
        ("x - 5", "ℤ", -2),
        ("x / 2", "ℕ", 1),
        ("-x / 2", "ℤ", -2),
        ("-x % 2", "ℤ", 1),
        ("x / 2", "ℚ", Fraction(3, 2)),
        ("x / 0", "ℚ", 0),
        ("x % 0", "ℕ", 3),
        ("(x : ℚ) / 2", "ℕ", Fraction(3, 2)),
        ("∑ i ∈ Finset.Icc 1 x, i ^ 2", "ℕ", 14),
        ("∏ i ∈ Finset.range x, (i + 1)", "ℕ", 6),
        ("Nat.choose 5 x + Nat.fib 10 + Nat.gcd 12 18", "ℕ", 71),
    ],
)
def test_arithmetic_is_leans(text: str, kind: str, found: object) -> None:
    assert computing(read(text), {"x": kind}, Effort())({"x": 3}) == found


def test_claims_are_judged() -> None:
    domains = {"x": "ℤ", "n": "ℕ"}
    claim = judging(read("(Even x ↔ x % 2 = 0) ∧ (3 ∣ x ∨ ¬ x ≡ 0 [ZMOD 3])"), domains, Effort())
    assert all(claim({"x": value, "n": 0}) for value in range(-7, 8))
    assert not judging(read("Nat.Prime n"), domains, Effort())({"n": 91, "x": 0})
    with pytest.raises(Unknown):
        judging(read("∀ y : ℤ, y = x"), domains, Effort())
    with pytest.raises(Unknown):
        computing(read("2 ^ (2 ^ n)"), domains, Effort())({"n": 40, "x": 0})


# --- polynomials ---------------------------------------------------------------------------------


def test_polynomials_are_expanded_and_written() -> None:
    found = polynomials.expand(read("(x + 2 * y) ^ 2 - (x - 1) * 3"))
    assert str(polynomials.write(found)) == "x ^ 2 + 4 * x * y + 4 * y ^ 2 - 3 * x + 3"
    assert str(polynomials.write(polynomials.expand(read("-2 * x + 1 / 2")))) == "1 / 2 - 2 * x"
    assert polynomials.expand(read("f 3 + 1"))[("f 3",)] == 1
    with pytest.raises(polynomials.NoPolynomial):
        polynomials.expand(read("f 3 + x"), frozenset({"x"}))


def test_squares_make_up_what_is_never_negative() -> None:
    polynomial = polynomials.expand(read("x ^ 2 + 9 * y ^ 2 + 44 * y + 83 - 4 * x * y - 2 * x"))
    point = polynomials.lowest_point(polynomial, [])
    assert point is not None
    forms = polynomials.squares(polynomial, point)
    assert forms is not None
    rest = polynomial
    for form, factor in zip(forms, (1, 5), strict=True):
        rest = polynomials.add(rest, polynomials.multiply(form, form), -factor)
    assert set(rest) == {()}
    assert rest[()] >= 0
    assert polynomials.squares(polynomials.expand(read("x * y")), {}) is None


def test_the_lowest_point_on_a_line() -> None:
    polynomial = polynomials.expand(read("2 * u ^ 2 + 4 * v ^ 2 + 5 * w ^ 2"))
    line = polynomials.expand(read("u + 10 * v + 5 * w - 61"))
    assert polynomials.lowest_point(polynomial, [line]) == {"u": Fraction(1), "v": Fraction(5), "w": Fraction(2)}


def test_linear_equations_are_solved() -> None:
    found = polynomials.solve([polynomials.expand(read("40 * (s - x) - 17 * (y - s)"))], ["s"])
    assert found == {"s": {("x",): Fraction(40, 57), ("y",): Fraction(17, 57)}}
    assert polynomials.solve([polynomials.expand(read("s * s - x"))], ["s"]) is None
    both = [polynomials.expand(read("a + b - 3")), polynomials.expand(read("a - b - 1"))]
    assert polynomials.solve_all(both, "ab") == {"a": Fraction(2), "b": Fraction(1)}
    assert polynomials.solve_all([polynomials.expand(read("a - a + 1"))], "a") is None


def test_statements_open_goals() -> None:
    goal = opened(parse_statement("theorem t (f : ℕ → ℤ) (n k : ℕ) (h : ∀ x, f x = 2) : f n = 2 := by sorry"))
    assert goal.numbers == ("n", "k")
    assert goal.domains["f"] == "ℤ"
    assert [fact.name for fact in goal.facts] == ["h"]
    assert (goal.fresh("n"), goal.fresh("m"), goal.fresh("h")) == ("n₁", "m", "h₁")
