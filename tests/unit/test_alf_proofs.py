"""Variants from what Lean saw in a proof, on goals as Lean 4.28 prints them; and theorems that are joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from pythagoras.alf.mutating import parent_of
from pythagoras.alf.mutations.operators import OPERATORS
from pythagoras.alf.partners import Partners
from pythagoras.alf.states import needed, read_state, written
from pythagoras.alf.traces import ARM, MOST_STEPS, RULE, Step, Trace, Untraced, traces
from pythagoras.alf.variants import Parent
from pythagoras.corpus.records import Formalisation, Instance, Tier, Truth
from pythagoras.language.lean_writer import write_lean
from pythagoras.language.meaning import Claim
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.wire import Answer


def parent(text: str, *steps: Step) -> Parent:
    found = parent_of(Formalisation(name="t", text=text, source="test", truth=Truth.TRUE))
    return Parent(found.record, found.statement, found.claim, Trace(steps) if steps else None)


def made(operator: str, of: Parent) -> list[str]:
    """All its variants, sorted."""
    found = OPERATORS[operator].make(of, Random(0))
    return sorted(write_lean(one, "t") if isinstance(one, Claim) else f"theorem t {one}" for one in found)


def step(text: str, kind: str, before: str, *after: str, depth: int = 0) -> Step:
    return Step(text, kind, depth, (before,) if before else (), after)


SQUARES = parent(
    "theorem t (w x : ℚ) (h₁ : 20 * w + 5 * x = 105) : 4 * w ^ 2 + 5 * x ^ 2 ≥ 105",
    step(
        "have h := sq_nonneg (w - 5)",
        "tacticHave__",
        "w x : ℚ\nh₁ : 20 * w + 5 * x = 105\n⊢ 4 * w ^ 2 + 5 * x ^ 2 ≥ 105",
        "w x : ℚ\nh₁ : 20 * w + 5 * x = 105\nh : 0 ≤ (w - 5) ^ 2\n⊢ 4 * w ^ 2 + 5 * x ^ 2 ≥ 105",
    ),
    step(
        "grind",
        "grind",
        "w x : ℚ\nh₁ : 20 * w + 5 * x = 105\nh : 0 ≤ (w - 5) ^ 2\n⊢ 4 * w ^ 2 + 5 * x ^ 2 ≥ 105",
    ),
)
CASES = parent(
    "theorem t (m k : ℤ) (hk : k > 3) : 2 ∣ m ^ 3 - 5 * m",
    step(
        "have hm : m % 2 = 0 ∨ m % 2 = 1 := by omega",
        "tacticHave__",
        "m k : ℤ\nhk : k > 3\n⊢ 2 ∣ m ^ 3 - 5 * m",
        "m k : ℤ\nhk : k > 3\nhm : m % 2 = 0 ∨ m % 2 = 1\n⊢ 2 ∣ m ^ 3 - 5 * m",
    ),
    step("omega", "omega", "m k : ℤ\nhk : k > 3\n⊢ m % 2 = 0 ∨ m % 2 = 1", depth=1),
    step(
        "rcases hm with hm | hm",
        "rcases",
        "m k : ℤ\nhk : k > 3\nhm : m % 2 = 0 ∨ m % 2 = 1\n⊢ 2 ∣ m ^ 3 - 5 * m",
        "case inl\nm k : ℤ\nhk : k > 3\nhm : m % 2 = 0\n⊢ 2 ∣ m ^ 3 - 5 * m",
        "case inr\nm k : ℤ\nhk : k > 3\nhm : m % 2 = 1\n⊢ 2 ∣ m ^ 3 - 5 * m",
    ),
)
_SUM = "((Finset.range {0}).sum fun i => 2 * i)"
_STEP = f"case succ\nn : ℕ\nih : {_SUM.format('n')} = n * n - n\n"
INDUCTION = parent(
    "theorem t (n : ℕ) : ∑ i ∈ Finset.range n, 2 * i + n = n * n",
    step("induction n with ...", "induction", f"n : ℕ\n⊢ {_SUM.format('n')} + n = n * n"),
    step("| zero => rfl", ARM, f"case zero\n⊢ {_SUM.format('0')} + 0 = 0 * 0", depth=1),
    step(
        "| succ n ih => ...",
        ARM,
        f"case succ\nn : ℕ\nih : {_SUM.format('n')} + n = n * n\n"
        f"⊢ {_SUM.format('(n + 1)')} + (n + 1) = (n + 1) * (n + 1)",
        depth=1,
    ),
    step(
        "rw [Finset.sum_range_succ]",
        "rwSeq",
        f"case succ\nn : ℕ\nih : {_SUM.format('n')} + n = n * n\n"
        f"⊢ {_SUM.format('(n + 1)')} + (n + 1) = (n + 1) * (n + 1)",
        f"case succ\nn : ℕ\nih : {_SUM.format('n')} + n = n * n\n"
        f"⊢ {_SUM.format('n')} + 2 * n + (n + 1) = (n + 1) * (n + 1)",
        depth=2,
    ),
)
GCD = parent(
    "theorem t (a b : ℕ) (h₁ : Nat.gcd a b = 17) : Nat.gcd (4 * a + 16 * b) (4 * b) = 68",
    step(
        "Nat.gcd_add_mul_right_left",
        RULE,
        "a b : ℕ\nh₁ : a.gcd b = 17\n⊢ (4 * a + 4 * (4 * b)).gcd (4 * b) = 68",
        "a b : ℕ\nh₁ : a.gcd b = 17\n⊢ (4 * a).gcd (4 * b) = 68",
    ),
    step("h₁", RULE, "a b : ℕ\nh₁ : a.gcd b = 17\n⊢ 4 * a.gcd b = 68", "a b : ℕ\nh₁ : a.gcd b = 17\n⊢ 4 * 17 = 68"),
)
REMAINDER = parent(
    "theorem t (n : ℕ) : n % 7 % 7 + 1 = n % 7 + 1",
    step("Nat.mod_mod", RULE, "n : ℕ\n⊢ n % 7 % 7 + 1 = n % 7 + 1", "n : ℕ\n⊢ n % 7 + 1 = n % 7 + 1"),
)


@pytest.mark.parametrize(
    ("operator", "of", "variants"),
    [
        ("lemma_instance", SQUARES, ["theorem t (w : ℚ) : 0 ≤ (w - 5) ^ 2"]),
        ("have_alone", SQUARES, []),
        (
            "goal_with_have",
            SQUARES,
            ["theorem t (w x : ℚ) (h₁ : 20 * w + 5 * x = 105) (h₂ : 0 ≤ (w - 5) ^ 2) : 4 * w ^ 2 + 5 * x ^ 2 ≥ 105"],
        ),
        ("have_alone", CASES, ["theorem t (m : ℤ) : m % 2 = 0 ∨ m % 2 = 1"]),
        ("nested_goal", CASES, ["theorem t (m : ℤ) : m % 2 = 0 ∨ m % 2 = 1"]),
        (
            "case_of_proof",
            CASES,
            [
                "theorem t (m : ℤ) (h₁ : m % 2 = 0) : 2 ∣ m ^ 3 - 5 * m",
                "theorem t (m : ℤ) (h₁ : m % 2 = 1) : 2 ∣ m ^ 3 - 5 * m",
            ],
        ),
        (
            "rewriting",
            GCD,
            ["theorem t (a b : ℕ) : Nat.gcd (4 * a + 4 * (4 * b)) (4 * b) = 68 ↔ Nat.gcd (4 * a) (4 * b) = 68"],
        ),
        ("rewriting", REMAINDER, ["theorem t (n : ℕ) : n % 7 % 7 + 1 = n % 7 + 1 ↔ n % 7 + 1 = n % 7 + 1"]),
    ],
)
def test_variants_of_a_proof(operator: str, of: Parent, variants: Sequence[str]) -> None:
    assert [" ".join(one.split()) for one in made(operator, of)] == list(variants)


@pytest.mark.parametrize(
    ("operator", "text", "variant"),
    [
        ("value_of_part", "theorem t : 2 * Nat.choose 6 2 + 1 = 31", "theorem t : 2 * Nat.choose 6 2 = 30"),
        (
            "multiplied_out",
            "theorem t (x : ℤ) : 2 * (x - 3) + 5 ≤ 2 * x",
            "theorem t (x : ℤ) : 2 * (x - 3) = 2 * x - 6",
        ),
        (
            "added_hypotheses",
            "theorem t (x y z : ℚ) (h : x + y < 4) (k : z = 1) : x < 5 - y",
            "theorem t (x y : ℚ) (h₁ : x + y < 4) : 0 < 4 - (x + y)",
        ),
        (
            "last_summand",
            "theorem t (n : ℕ) : ∑ i ∈ Finset.range n, i ≤ n * n",
            "theorem t (n : ℕ) : ∑ i ∈ Finset.range (n + 1), i = ∑ i ∈ Finset.range n, i + n",
        ),
        (
            "defined_value",
            "theorem t (f : ℤ → ℤ) (h : ∀ x : ℤ, f x = 2 * x) : f (f 3) = 12",
            "theorem t (f : ℤ → ℤ) (h₁ : ∀ x : ℤ, f x = 2 * x) : f 3 = 2 * 3",
        ),
        (
            "unfolded_call",
            "theorem t (f : ℤ → ℤ) (h : ∀ x : ℤ, f x = 2 * x) : f (f 3) = 12",
            "theorem t (f : ℤ → ℤ) (h₁ : ∀ x : ℤ, f x = 2 * x) : 2 * f 3 = 12",
        ),
        ("calculated", "theorem t : 2 * Nat.choose 6 2 = 30", "theorem t : 2 * 15 = 30"),
        ("one_direction", "theorem t (x : ℤ) : 2 * x = 4 ↔ x = 2", "theorem t (x : ℤ) (h₁ : x = 2) : 2 * x = 4"),
        (
            "part_given_others",
            "theorem t (x : ℤ) (h : x = 2) : x < 3 ∧ 1 < x",
            "theorem t (x : ℤ) (h₁ : x = 2) (h₂ : x < 3) : 1 < x",
        ),
        ("witness", "theorem t : ∃ n : ℕ, n * n = 49", "theorem t : 7 * 7 = 49"),
        (
            "extreme_part",
            "theorem t : IsLeast {n : ℕ | n > 3 ∧ 2 ∣ n} 4",
            "theorem t (n : ℕ) (h₁ : n > 3) (h₂ : 2 ∣ n) : 4 ≤ n",
        ),
        (
            "named_value",
            "theorem t :\n    let a : ℕ := 3 * 4\n    let b : ℕ := a + 1\n    b = 13",
            "theorem t : let a : ℕ := 3 * 4 a = 12",
        ),
        (
            "eliminated",
            "theorem t (x y : ℤ) (h : x + y = 3) (k : x = 1) : y = 2",
            "theorem t (x y : ℤ) (h₁ : x + y = 3) (h₂ : x + 2 * (x + y) = 1 + 2 * 3) : y = 2",
        ),
    ],
)
def test_what_a_statement_suggests(operator: str, text: str, variant: str) -> None:
    drawn = [OPERATORS[operator].make(parent(text), Random(seed)) for seed in range(12)]
    found = {" ".join(write_lean(one, "t").split()) for each in drawn for one in each if isinstance(one, Claim)}
    assert variant in found


def test_an_argument_that_is_a_difference_keeps_what_is_known_of_it() -> None:
    text = (
        "theorem t (f : ℕ → ℤ) (n k : ℕ) (h : ∀ x : ℕ, f x = 2 * x) (hn : 1 ≤ n) (hk : k = 2) : f (n - 1) = 2 * n - 2"
    )
    (found,) = made("defined_value", parent(text))
    assert "(h₂ : 1 ≤ n) : f (n - 1) = 2 * ((n : ℤ) - 1)" in " ".join(found.split())


def test_a_sum_to_an_integer_has_no_last_term_where_it_is_empty() -> None:
    text = "theorem t (n : ℤ) (h : 0 ≤ n) : 2 * ∑ i ∈ Finset.Icc 1 n, i = n * (n + 1)"
    assert parent(text).claim is not None
    assert made("last_summand", parent(text)) == []
    assert made("last_summand", parent(text.replace("ℤ", "ℕ"))) != []


@pytest.mark.parametrize(
    ("goal", "is_told"),
    [
        ("x : ℝ\nh : 0 ≤ x\n⊢ x ^ (1 / 2) = Real.sqrt x", False),
        ("x : ℝ\n⊢ x ^ (1 / 2) * x ^ (1 / 2) = x", False),
        ("n : ℕ\n⊢ 0 < Real.exp (1 / 2 ^ n)", False),
        ("x : ℝ\n⊢ Real.sin x = 1 ∧ 1 / 2 < 2 / 3", False),
        ("x : ℝ\n⊢ ∃ y, y * 2 = 1 ∧ Real.sin x = y * 0", False),
        ("x : ℝ\n⊢ Real.sin (2 * x) = 2 * Real.sin x * Real.cos x", True),
        ("x y : ℝ\nh : x ∈ S\n⊢ Real.log (x / 2) < y - 1 / 2", True),
    ],
)
def test_a_goal_whose_numbers_would_be_read_as_others_is_no_statement(goal: str, is_told: bool) -> None:
    state = read_state(goal)
    assert state is not None
    assert (written(state) is not None) is is_told


def test_induction() -> None:
    assert "theorem t : ∑ i ∈ Finset.range 0, 2 * i + 0 = 0 * 0" in made("induction_base", INDUCTION)
    steps = [" ".join(one.split()) for one in made("induction_step", INDUCTION)]
    assert "theorem t (n : ℕ) (h₁ : ∑ i ∈ Finset.range n, 2 * i + n = n * n) : " in steps[0]
    assert "∑ i ∈ Finset.range (n + 1), 2 * i + (n + 1) = (n + 1) * (n + 1)" in steps[0]
    (one,) = made("one_step", INDUCTION)
    assert "(h₂ : ∑ i ∈ Finset.range n, 2 * i + 2 * n + (n + 1) = (n + 1) * (n + 1))" in one
    assert made("induction_base", parent("theorem t (x : ℚ) : x = x")) == []


@pytest.mark.parametrize(
    ("named", "kept"),
    [(None, {"x", "y", "h"}), (frozenset({"g"}), {"x", "z", "g"}), (frozenset(), {"x"})],
)
def test_the_context_that_a_goal_needs(named: frozenset[str] | None, kept: set[str]) -> None:
    state = read_state("x y z : ℤ\nh : x < y\ng : z = 5\n⊢ x ≤ 100")
    assert state is not None
    assert needed(state, named, Random(0)).names == kept


def test_what_a_goal_may_rest_on_is_not_left_out() -> None:
    absurd = read_state("x z : ℤ\ng : z < z\n⊢ x = 1")  # nothing satisfies what would go
    assert absurd is not None
    assert needed(absurd, None, Random(0)) == absurd
    false = read_state("x : ℤ\nh : x < 0\ng : x > 0\n⊢ False")
    assert false is not None
    assert needed(false, None, Random(0)) == false


@pytest.mark.parametrize("text", ["", "x : ℕ", "x : ℕ\n⊢ x = ?n", "x : ℕ\nx : ℤ\n⊢ True", "⊢ f ⋯ = 1"])
def test_what_is_no_statement_is_not_read(text: str) -> None:
    assert read_state(text) is None


def test_theorems_are_joined_where_they_share_an_expression() -> None:
    first = parent("theorem s (n : ℕ) : ∑ i ∈ Finset.range n, (2 * i + 1) = n ^ 2")
    second = parent("theorem t (m k : ℕ) (h : k > 2) : ∑ j ∈ Finset.range m, (2 * j + 1) < m ^ 2 + k")
    third = parent("theorem u (m : ℕ) : ∑ j ∈ Finset.range m, (2 * j + 1) = m * m")
    other = parent("theorem v (x : ℤ) : 0 ≤ x ^ 4")
    index = Partners([first, second, third, other])
    joined = index.of(first, Random(0))
    assert {one.statement.name for one in joined.partners} == {"t", "u"}
    texts = [" ".join(one.split()) for one in made("joined", joined)]
    assert any("(h₁ : k > 2) : " in one and "range n, (2 * i + 1) < n ^ 2 + k" in one for one in texts)
    assert made("chained", joined) == ["theorem t (n : ℕ) : n ^ 2 = n * n"]
    assert "theorem t (n : ℕ) : n * n = n ^ 2" in made("rewritten_by", joined)
    assert index.of(other, Random(0)).partners == ()
    unknown = replace(third, record=Formalisation("u", third.statement.text, "test"))
    assert Partners([first, unknown]).of(first, Random(0)).partners == ()


def test_hypotheses_that_exclude_each_other_are_not_joined() -> None:
    first = parent("theorem s (n : ℕ) (h : n = 3) : n ^ 2 + 5 * n = 24")
    second = parent("theorem t (n : ℕ) (h : n = 4) : n ^ 2 + 5 * n = 36")
    joined = Partners([first, second]).of(first, Random(0))
    assert len(joined.partners) == 1
    assert made("joined", joined) == []


def test_each_record_gets_its_trace_or_a_reason() -> None:
    node = {
        "node": {
            "name": "Lean.Parser.Tactic.omega",
            "stx": {"range": {"start": {"line": 1, "column": 30}, "finish": {"line": 1, "column": 35}}},
            "goalsBefore": ["⊢ 1 = 1"],
            "goalsAfter": [],
        },
        "children": [],
    }

    proved = Instance("p", "theorem p : 1 = 1", "by simp; omega", "test", Tier.EASY, verified=True)
    bare = Formalisation("q", "theorem q : 1 = 1", "test")
    term = Instance("r", "theorem r : 1 = 1", "rfl", "test", Tier.EASY, verified=True)
    found = list(traces([bare, proved, term, proved, bare], FakeChecker(lambda check: Answer(infotree=(node,)))))
    trace = Trace((Step("omega", "omega", 0, ("⊢ 1 = 1",), ()),))
    none = Untraced("it has no proof by tactics")
    assert found == [none, trace, none, trace, none]
    many = Answer(infotree=(node,) * (MOST_STEPS + 1))
    (cut,) = traces([proved], FakeChecker(lambda check: many))
    assert cut == Untraced("its proof has more than 400 steps")
