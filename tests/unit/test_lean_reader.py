"""Lean to meanings: the generator's statements, shapes that models write, goals as Lean shows them, and refusals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from pythagoras.corpus.generator.families import FAMILIES
from pythagoras.corpus.generator.family import LEVELS
from pythagoras.corpus.generator.generate import generate
from pythagoras.language.lean_reader import read_goal, read_lean, read_written
from pythagoras.language.lean_writer import term_text, write_lean, written
from pythagoras.language.meaning import Apply, Bind, Call, Cast, Claim, Let, Number, Term, Typed, Variable
from pythagoras.language.normal import same
from pythagoras.language.reading import NotRead
from tests.meanings import claims, without_casts

x, n, f = Variable("x"), Variable("n"), Variable("f")


def goal_of(signature: str) -> Term:
    return read_lean(f"theorem t {signature} := by sorry").goal


def test_every_statement_of_the_generator_is_read_and_written_again() -> None:
    for drawn in generate(len(FAMILIES) * len(LEVELS), 17, false_share=0.3):
        claim = read_lean(drawn.formalisation.text)
        again = read_lean(write_lean(claim, "again"))
        assert without_casts(again) == without_casts(claim), drawn.formalisation.text


@settings(max_examples=150, deadline=None)
@given(claims())
def test_what_is_written_is_read_as_what_it_was(claim: Claim) -> None:
    parts = written(claim)
    read = read_lean(parts.theorem("t"))
    assert without_casts(read) == claim
    assert read_written(parts) == read


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(a b : ℕ) : Nat.gcd a b = 3", "(a b : ℕ) : a.gcd b = 3"),
        ("(a b : ℤ) : Int.gcd a b = 3", "(a b : ℤ) : a.gcd b = 3"),
        (
            ": (Finset.filter (fun l => 4 ∣ l) (Finset.Icc 5 72)).card = 5",
            ": ((Finset.Icc 5 72).filter (4 ∣ ·)).card = 5",
        ),
        (": ((Finset.range 9).filter Even).card = 5", ": (Finset.filter (fun k => Even k) (Finset.range 9)).card = 5"),
        (": ∑ k ∈ Finset.range 9, k = 36", ": (Finset.range 9).sum (fun k => k) = 36"),
        (": ∑ k ∈ Finset.range 9, k = 36", ": ∑ k in Finset.Ico 0 9, k = 36"),
        (": ∀ k, k + 1 > k", "(k : ℕ) : k + 1 > k"),
        ("(x : ℤ) : ∀ k, k + 1 > x", "(x k : ℤ) : k + 1 > x"),
        (": ∃ k < 6, k > 4", ": ∃ k : ℕ, k < 6 ∧ k > 4"),
        ("(f : ℕ → ℕ) : ∀ n ≥ 5, f n = 2", "(f : ℕ → ℕ) : ∀ n : ℕ, n ≥ 5 → f n = 2"),
        (": ∀ x y : ℤ, x < y → y > x", "(x y : ℤ) (h : x < y) : y > x"),
        ("{x : Int} (h : 3 <= x) : x >= 2", "(x : ℤ) (h : 3 ≤ x) : x ≥ 2"),
        ("(x : ℤ) : ∃ e, x = 4 * e", "(x : ℤ) : ∃ e : ℤ, x = 4 * e"),
        ("(n : ℕ) : n ! > 3 ∨ n ≠ 2", "(n : ℕ) : Nat.factorial n > 3 ∨ n ≠ 2"),
        ("(f g : ℤ → ℤ) (x : ℤ) : (f ∘ g) x = 2", "(f g : ℤ → ℤ) (x : ℤ) : f (g x) = 2"),
        (": ¬ ∃ r e : ℤ, 7 * r = e", ": ¬ (∃ (r : ℤ) (e : ℤ), 7 * r = e)"),
        (": Function.Injective (fun x : ℤ => 2 * x)", ": Function.Injective fun (x : ℤ) ↦ 2 * x"),
        ("(n : ℕ) (h : n % 2 = 1 ∧ n > 3) : Odd n", "(n : ℕ) : n % 2 = 1 ∧ n > 3 → Odd n"),
        ("(x : ℤ) : x ≡ 3 [ZMOD 4]", "(x : ℤ) : Int.ModEq 4 x 3"),
    ],
)
def test_shapes_that_mean_the_same(one: str, other: str) -> None:
    first, second = (read_lean(f"theorem t {text} := sorry") for text in (one, other))
    assert same(first, second) is None, (first, second)


def test_divisions_go_by_types() -> None:
    assert goal_of("(n : ℕ) : n / 2 = 3") == Apply("=", (Apply("//", (n, Number(2))), Number(3)))
    assert goal_of("(x : ℤ) : x / 2 = 3") == Apply("=", (Apply("//", (x, Number(2))), Number(3)))
    assert goal_of("(x : ℚ) : x / 2 = 3") == Apply("=", (Apply("/", (x, Number(2))), Number(3)))
    assert goal_of("(n : ℕ) : (n : ℚ) / 2 = 3") == Apply("=", (Apply("/", (Cast("ℚ", n), Number(2))), Number(3)))
    assert goal_of("(n : ℕ) : (n / 2 : ℚ) = 3") == Apply("=", (Cast("ℚ", Apply("/", (n, Number(2)))), Number(3)))
    assert goal_of("(n : ℕ) : ((n / 2 : ℕ) : ℚ) = 3") == Apply("=", (Cast("ℚ", Apply("//", (n, Number(2)))), Number(3)))
    assert goal_of("(n : ℕ) (x : ℚ) : n / 2 = x") == Apply("=", (Apply("/", (n, Number(2))), x))


@pytest.mark.parametrize(
    ("signature", "is_read"),
    [
        ("(n : ℕ) : n - 1 < 5", False),
        ("(n : ℕ) (h : n ≥ 1) : n - 1 < 5", True),
        ("(n : ℕ) (h : 0 < n) : n - 2 < 5", False),
        ("(n : ℕ) : (n : ℤ) - 1 < 5", True),
        ("(n m : ℕ) (h : m ≤ n) : n - m < 5", True),
        ("(n m : ℕ) (z : ℤ) (h : m + z ≤ n) : n - m < 5", False),
        ("(n : ℕ) : n * n + 3 * n + 4 - (n + 2) < 5", True),
        ("(n : ℕ) : n - 5 * n / 6 < 5", True),
        ("(n : ℕ) : n - 7 * n / 6 < 5", False),
        ("(n : ℕ) : 2 ^ n - 1 < 5", True),
        (": 12 - 5 = 7", True),
        (": 5 - 12 = 0", False),
        ("(f : ℕ → ℤ) : ∀ n ≥ 3, f n = f (n - 2)", True),
        ("(f : ℕ → ℤ) : ∀ n : ℕ, f n = f (n - 2)", False),
        (": ∃ n : ℕ, n ≥ 3 ∧ n - 2 = 5", True),
        ("(n : ℕ) (h : n ≥ 3) : ∃ n : ℕ, n - 2 = 5", False),
        (": let a : ℕ := 50\n    let b : ℕ := a - 20\n    b = 30", True),
        (": let a : ℕ := 50\n    let b : ℕ := a - 60\n    b = 0", False),
    ],
)
def test_subtraction_of_natural_numbers_is_read_only_where_it_is_one(signature: str, is_read: bool) -> None:
    if is_read:
        goal_of(signature)
    else:
        with pytest.raises(NotRead, match="may stop at 0"):
            goal_of(signature)


def test_named_values_are_told_apart_by_lines() -> None:
    goal = goal_of(":\n    let a : ℕ := 3 * 16\n    let b : ℚ := a\n    b = 48")
    expected = Let(Typed("b", "ℚ"), Variable("a"), Apply("=", (Variable("b"), Number(48))))
    assert goal == Let(Typed("a", "ℕ"), Apply("*", (Number(3), Number(16))), expected)
    assert goal_of(": let a := 3; a = 3") == Let(Typed("a", "ℕ"), Number(3), Apply("=", (Variable("a"), Number(3))))


def test_lists_and_brackets_of_connectives() -> None:
    p, q, r = (Variable(name) for name in "pqr")
    assert goal_of("(p q r : Prop) : p ∧ q ∧ r") == Apply("and", (p, q, r))
    assert goal_of("(p q r : Prop) : p ∧ (q ∧ r)") == Apply("and", (p, Apply("and", (q, r))))
    assert goal_of("(p q r : Prop) : (p ∨ q) ∨ r") == Apply("or", (Apply("or", (p, q)), r))


def test_precedences() -> None:
    claim = read_lean("theorem t (x : ℤ) (p q : Prop) : ¬ x = 2 ∧ p ∨ q ↔ -x ^ 2 * 3 + 1 ≤ 2 ^ 3 ^ 2 := sorry")
    left = Apply("or", (Apply("and", (Apply("not", (Apply("=", (x, Number(2))),)), Variable("p"))), Variable("q")))
    square = Apply("neg", (Apply("^", (x, Number(2))),))
    tower = Apply("^", (Number(2), Apply("^", (Number(3), Number(2)))))
    right = Apply("≤", (Apply("+", (Apply("*", (square, Number(3))), Number(1))), tower))
    assert claim.goal == Apply("iff", (left, right))
    assert goal_of("(n : ℕ) : ∑ k ∈ Finset.range n, 2 * k + 1 = n").args[0].args[1] == Number(1)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("theorem t (x : ℝ) : x = 2 := sorry", "ℝ"),
        ("theorem t (S : Finset ℕ) : S.card = 2 := sorry", "Finset"),
        ("theorem t (x : ℕ) : Nat.sqrt x = 2 := sorry", "Nat.sqrt"),
        ("theorem t (x : ℕ) : y = 2 := sorry", "'y'"),
        ("theorem t (x : ℕ) : x = -2 := sorry", "negative"),
        ("theorem t (x : ℕ) : x + = 2 := sorry", r"\+ ="),
        ("theorem t (x : ℚ) : x % 2 = 1 := sorry", "remainder of rational"),
        ("theorem t (f : ℕ → ℕ) (x : ℕ) : f = x := sorry", "function"),
        ("theorem t (p : Prop) : p + 1 = 2 := sorry", "proposition"),
        ("theorem t [Fact p] : 1 = 2 := sorry", "instance"),
        ("theorem t (x : ℕ) : if x = 1 then 2 = 3 else 3 = 4 := sorry", "if"),
        ("def two := 2\ntheorem t (x : ℕ) : x = two := sorry", "other commands"),
        ("theorem t (x : ℕ) (x : ℤ) : x = 2 := sorry", "same name"),
        ("no theorem", "theorem"),
        (f"theorem t : {'1' * 5000} = 1 := sorry", "5000 digits"),
        ("theorem t : " + "(" * 300 + "1" + ")" * 300 + " = 1 := sorry", "deep"),
    ],
)
def test_what_is_not_read_says_why(text: str, words: str) -> None:
    with pytest.raises(NotRead, match=words):
        read_lean(text)


def test_a_goal_as_lean_shows_it() -> None:
    state = """case succ
f : ℕ → ℤ
n a✝ : ℕ
total : ℕ := 3 * 16
h : ∀ (k : ℕ),
    f (k + 1) = f k + 2
ih : f n = 2 * ↑n
⊢ f (n + 1) = 2 * (↑n + 1)

case other
⊢ False"""
    claim = read_goal(state)
    assert [variable.name for variable in claim.variables] == ["f", "n", "a_0", "total"]
    assert [term_text(term) for term in claim.hypotheses] == [
        "total = 3 * 16",
        "∀ k : ℕ, f (k + 1) = f k + 2",
        "f n = 2 * (n : ℤ)",
    ]
    assert claim.goal == Apply(
        "=",
        (
            Call(f, (Apply("+", (n, Number(1))),)),
            Apply("*", (Number(2), Apply("+", (Cast("ℤ", n), Number(1))))),
        ),
    )


def test_a_goal_without_notations() -> None:
    claim = read_goal("⊢ ExistsUnique fun i => IsLeast (setOf fun k => 3 ∣ k + i) ((Finset.range 3).sum fun j => j)")
    assert isinstance(claim.goal, Bind)
    assert (claim.goal.sign, claim.goal.variables) == ("∃!", (Typed("i", "ℕ"),))


@pytest.mark.parametrize("goal", ["⊢ 7 / 2 = 3", "⊢ 4 - 7 = 0", "⊢ ∃ i, 2 = 2", "⊢ ∀ i, 2 = 2", "h : True", "⊢ 2 ="])
def test_goals_that_do_not_say_enough(goal: str) -> None:
    with pytest.raises(NotRead):
        read_goal(goal)
