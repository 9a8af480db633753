"""Statement operators: what each makes of a statement, read or not, and that promises are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from pythagoras.alf.mutating import parent_of
from pythagoras.alf.mutations import (
    cases,
    generalise,
    kinds,
    lemmas,
    logic,
    numbers,
    rearrange,
    relations,
    series,
    simplify,
    steps,
)
from pythagoras.alf.mutations.operators import OPERATORS
from pythagoras.alf.mutations.outlines import outline, outline_text
from pythagoras.alf.mutations.sequents import outlined
from pythagoras.alf.traces import Step, Trace
from pythagoras.alf.variants import Category, Operator, Parent, Promise
from pythagoras.corpus.records import Formalisation, Instance, Tier
from pythagoras.language.evaluate import refuted
from pythagoras.language.lean_reader import read_lean
from pythagoras.language.lean_writer import write_lean
from pythagoras.language.meaning import Claim
from pythagoras.language.normal import key
from pythagoras.language.reading import NotRead
from pythagoras.lean.statements import parse_statement

GROUPS = (simplify, generalise, kinds, logic, relations, rearrange, series, numbers, cases, lemmas, steps)
STATEMENT_OPERATORS = [one for group in GROUPS for one in group.OPERATORS]
PROVED = (
    "(s t : ℕ) (h₁ : Odd s) (h₂ : 2 ∣ t) : (8 * s ^ 3 + 5 * t ^ 2 + 9 * s * t + 16) % 2 = 0",
    "(a b : ℤ) (h₁ : 0 ≤ a) (h₂ : a < b) : 2 * a + 1 < 2 * b + 1 ∧ a ≠ b",
    "(x y : ℚ) (h₁ : x + y = 10) (h₂ : x - y = 4) : x = 7 ∧ y = 3",
    "(m : ℕ) : ∑ k ∈ Finset.range (m + 1), (2 * k + 1) = (m + 1) ^ 2",
    "(f : ℕ → ℤ) (h₁ : f 0 = 4) (h₂ : ∀ m : ℕ, f (m + 1) = 2 * f m - 3) : f 2 = 7",
    "(x : ℤ) : 60 ∣ x ↔ x ≡ 0 [ZMOD 12] ∧ 20 ∣ x",
    "(p q : Prop) (h₁ : p → q) (h₂ : ¬q ∨ p) : p ↔ q",
    "(u v : ℚ) : 10 * u * v ≤ 5 * u ^ 2 + 5 * v ^ 2",
    "(n : ℕ) (h₁ : n ≥ 4) : ∃ x : ℕ, 2 * x = n ∨ 2 * x + 1 = n",
    "(x₁ : ℚ) (h₁ : x₁ > 0) :\n    let a : ℚ := x₁ / 2\n    let b : ℚ := a + 3\n    b = x₁ / 2 + 3",
    ": ((Finset.range 20).filter (fun d => 3 ∣ d)).card = 7 ∧ Nat.Coprime 9 4",
    "(m k : ℕ) (h₁ : m + k ≥ 48) (h₂ : k ≠ 0) : m ≥ 19 ∨ k ≥ 28",
    "(x : ℤ) (h₁ : |x - 3| ≤ 2) : (x - 1) * (x - 5) ≤ 0",
    "(a b c : ℕ) (h₁ : c ≤ a + b) : 2 ^ (a + b - c) * 2 ^ c = 2 ^ (a + b)",
    "(a b c : ℕ) (h₁ : b ≤ c) : 2 ^ ((a + (c - b)) * 2) = 4 ^ (a + (c - b))",
    ":\n    let rest : ℕ := 20 + 8 - 15\n    rest = 13",
    ": ∑ i ∈ Finset.Icc 1 5, ((i : ℤ) - 3) = 0",
    "(n : ℤ) (h₁ : 0 ≤ n) : 2 * ∑ i ∈ Finset.Icc 1 n, (i - 3) = n * (n + 1) - 6 * n",
    "(f : ℕ → ℤ) (n : ℕ) (h₁ : ∀ x : ℕ, f x = 2 * x) (h₂ : 1 ≤ n) : f (n - 1) = 2 * n - 2",
)
OVER_REALS = "(x y : ℝ) (h₀ : 0 < x ∧ 0 < y) (h₁ : x * y = 1) : x + y ≥ 2 ∧ Real.sqrt (x ^ 2) = x"


def parent(text: str) -> Parent:
    """What the language has no type for is an outline here."""
    found = parent_of(Formalisation("t", f"theorem t {text}", "test"))
    return replace(found, claim=None) if "ℝ" in text else found


def variants(operator: Operator | str, of: Parent, seed: int = 0) -> Iterator[str]:
    """What is made, on one line."""
    return (" ".join(one.split()) for one in texts(operator, of, seed))


def texts(operator: Operator | str, of: Parent, seed: int = 0) -> Iterator[str]:
    chosen = OPERATORS[operator] if isinstance(operator, str) else operator
    for made in chosen.make(of, Random(seed)):
        text = written(made) if isinstance(made, Claim) else made
        if text is not None:
            yield text


def written(made: Claim) -> str | None:
    """A meaning as it stands behind the name: what is said must be what was meant."""
    try:
        text = write_lean(made, "t")
    except NotRead:
        return None
    assert key(read_lean(text)) == key(made), text
    return text.removeprefix("theorem t")


def all_variants(operator: str, text: str) -> set[str]:
    return {one for seed in range(12) for one in variants(operator, parent(text), seed)}


@pytest.mark.parametrize(
    ("operator", "text", "variant"),
    [
        ("contrapositive", "(s : ℤ) (h₁ : s = 5) : s < 6", "(s : ℤ) (h₁ : s ≥ 6) : s ≠ 5"),
        ("contrapositive", "(x : ℝ) (h : 0 < x) : x ∈ S", "(x : ℝ) (h₀ : ¬ (x ∈ S)) : 0 ≥ x"),
        ("supposed_false", "(x : ℝ) (h : 0 < x) : x ≠ 0", "(x : ℝ) (h : 0 < x) (h₀ : x = 0) : False"),
        ("hypotheses_behind_colon", "(x : ℝ) (h : 0 < x) : x ≠ 0", "(x : ℝ) : 0 < x → x ≠ 0"),
        ("premises_before_colon", "(f : ℝ → ℝ) : ∀ x : ℝ, 0 < f x", "(f : ℝ → ℝ) (x : ℝ) : 0 < f x"),
        ("joined_hypotheses", "(x : ℝ) (h : 0 < x) (g : x < 1) : x ≠ 2", "(x : ℝ) (h : 0 < x ∧ x < 1) : x ≠ 2"),
        ("split_hypothesis", "(x : ℝ) (h : 0 < x ∧ x < 1) : x ≠ 2", "(x : ℝ) (h : 0 < x) (h₀ : x < 1) : x ≠ 2"),
        ("moved_negation", "(x : ℝ) : ¬ ∃ y : ℝ, y ^ 2 < 0 * x", "(x : ℝ) : ∀ y : ℝ, y ^ 2 ≥ 0 * x"),
        ("turned_relation", "(x : ℝ) : x < Real.pi", "(x : ℝ) : Real.pi > x"),
        ("divisibility", "(n : ℕ) (h : 3 ∣ n) : n ≠ 1", "(n : ℕ) (h₁ : ∃ k : ℕ, n = 3 * k) : n ≠ 1"),
        ("parity", "(n : ℤ) : Even (n * (n + 1))", "(n : ℤ) : n * (n + 1) % 2 = 0"),
        ("strictness", "(n : ℕ) (h : n < 4) : n ≤ 3", "(n : ℕ) (h₁ : n + 1 ≤ 4) : n < 4"),
        ("absolute_value", "(x : ℝ) (h : |x| < 1) : x ≠ 1", "(x : ℝ) (h : -1 < x ∧ x < 1) : x ≠ 1"),
        ("moved_across", "(x : ℝ) (h : x + 1 = 3) : x = 2", "(x : ℝ) (h : x = 3 - 1) : x = 2"),
        ("commuted", "(x y : ℂ) : x * y = 1", "(x y : ℂ) : y * x = 1"),
        ("named_part", "(x : ℤ) : 0 ≤ x ^ 2", "(x k : ℤ) (h₁ : k = x ^ 2) : 0 ≤ k"),
        ("reindexed_sum", ": ∑ i ∈ Finset.Icc 1 4, i = 10", ": ∑ i ∈ Finset.range 4, (i + 1) = 10"),
        ("naturals_as_integers", "(n : ℕ) : n < n + 1", "(n : ℤ) (h₁ : 0 ≤ n) : n < n + 1"),
        ("integers_as_naturals", "(n : ℤ) (h : 0 ≤ n) : n < n + 1", "(n : ℕ) : n < n + 1"),
        ("narrower_numbers", "(x : ℝ) : 0 ≤ x ^ 2", "(x : ℚ) : 0 ≤ x ^ 2"),
        ("identity_for_wider_numbers", "(x : ℕ) : 2 * x = x + x", "(x : ℤ) : 2 * x = x + x"),
        ("term_added", "(x : ℝ) : Real.sqrt (x ^ 2) = |x|", "(x k : ℝ) : Real.sqrt (x ^ 2) + k = |x| + k"),
        ("factor_added", "(x : ℝ) : x < x + 1", "(x k : ℝ) (h₀ : 0 < k) : k * x < k * (x + 1)"),
        ("constant_to_variable", "(n : ℕ) : 7 ∣ 7 * n", "(n k : ℕ) : k ∣ k * n"),
        ("constant_to_variable", "(n : ℕ) (h : n + 4 = 9) : n = 5", "(n k : ℕ) (h₁ : n + k = k + 5) : n = 5"),
        ("converse_too", "(x : ℤ) (h : 2 * x = 6) : x = 3", "(x : ℤ) : 2 * x = 6 ↔ x = 3"),
        ("one_conjunct", "(x : ℝ) (h : x = 1) : x < 2 ∧ x ∈ S", "(x : ℝ) (h : x = 1) : x ∈ S"),
        ("weaker_goal", "(x : ℝ) (h : x = 1) : x < 2", "(x : ℝ) (h : x = 1) : x ≠ 2"),
        ("stronger_hypothesis", "(n : ℕ) (h : n ≤ 4) : n < 6", "(n : ℕ) (h₁ : n = 4) : n < 6"),
        ("value_for_variable", "(x y : ℚ) (h : y = 2) : x * y = 2 * x", "(x : ℚ) : x * 2 = 2 * x"),
        ("same_variable", "(x y : ℝ) : 2 * x * y ≤ x ^ 2 + y ^ 2", "(x : ℝ) : 2 * x * x ≤ x ^ 2 + x ^ 2"),
        ("one_direction", "(x : ℝ) : x ∈ S ↔ 0 < x", "(x : ℝ) (h₀ : x ∈ S) : 0 < x"),
        ("part_given_others", "(x : ℝ) : x ∈ S ∧ 0 < x", "(x : ℝ) (h₀ : x ∈ S) : 0 < x"),
        ("product_of_bounds", "(x : ℝ) (h : 1 < x ∧ x < 2) : x ∈ S",
         "(x : ℝ) (h₀ : 1 < x) (h₁ : x < 2) : 0 ≤ (x - 1) * (2 - x)"),
    ],
)  # fmt: skip
def test_what_operators_make(operator: str, text: str, variant: str) -> None:
    assert variant in all_variants(operator, text)


@pytest.mark.parametrize(
    ("proof", "kinds", "is_left_out"),
    [
        ("by rw [ha]; rfl", ("rwSeq", "rule", "tacticRfl"), True),
        ("by omega", ("omega",), False),
        ("by rwa [ha]", ("tacticRwa__", "rule"), False),
        ("by simp [*]", ("simp",), False),
        ("by simp (disch := omega) [ha]", ("simp",), False),
        ("by exact lemma ha ‹_›", ("exact",), False),
    ],
)
def test_a_hypothesis_that_the_proof_does_not_look_at_is_left_out(
    proof: str, kinds: tuple[str, ...], is_left_out: bool
) -> None:
    text = "theorem t (a b : ℤ) (ha : a = 1) (hb : b = 2) : a + 1 = 2"
    proved = Instance("t", text, proof, "test", Tier.EASY, verified=True)
    trace = Trace(tuple(Step("", kind, 0, (), ()) for kind in kinds))
    found = list(variants("unneeded_hypothesis", replace(parent_of(proved), trace=trace)))
    assert found == (["(a : ℤ) (ha : a = 1) : a + 1 = 2"] if is_left_out else [])
    unsure = (parent_of(proved), replace(parent_of(replace(proved, verified=False)), trace=trace))
    assert not any(list(variants("unneeded_hypothesis", of)) for of in unsure)


@pytest.mark.parametrize(
    ("operator", "text", "wrong"),
    [
        ("stronger_hypothesis", "(x : Fin 5) (h : x ≥ 3) : x ≠ 2", "≥ "),  # 5 is 0 there
        ("named_part", "(r : ℝ) (a : ℤ) (h : Real.sqrt 4 * r = a) : r = 1 * (a / 2)", "k : ℤ"),
        ("two_bounds", "(f : ℕ → ℕ → ℕ) (h : f = g) : f 0 ≠ f 1", "∨"),
        ("two_bounds", "(h : a = b) : Real.sin ≠ Real.cos", "∨"),
        ("absolute_value", "(x : ℝ) (n m : ℕ) (h : S n) : |n - m| < x", "∧"),
        ("one_conjunct", "(n : ℕ) (x : Fin n) : x.val < n.succ ∧ x.val < x.val + 1", "t (x"),
        ("value_for_variable", "(n : ℕ) : ∀ x : Fin n, x.val < n + 1", "Fin n"),
    ],
)
def test_what_text_does_not_tell_is_left_alone(operator: str, text: str, wrong: str) -> None:
    of = replace(parent(text), claim=None)
    assert not [one for seed in range(12) for one in variants(operator, of, seed) if wrong in f"t {one}"]


@pytest.mark.parametrize("text", PROVED)
@pytest.mark.parametrize("read", [True, False])
def test_promised_variants_of_proved_statements_are_not_refuted(text: str, read: bool) -> None:
    of = parent(text) if read else replace(parent(text), claim=None)
    for operator in STATEMENT_OPERATORS:
        for variant in islice(texts(operator, of), 2):
            whole = f"theorem t {variant}"
            try:
                claim = read_lean(whole)
            except NotRead:
                assert not read
                assert parse_statement(whole).text == whole
                continue
            against = refuted(claim, Random(1), 30) if operator.promise is Promise.TRUE else None
            assert against is None, (operator.name, variant, against)


def test_every_operator_has_a_name_of_its_own_and_is_the_same_again() -> None:
    assert all(OPERATORS[one.name] is one for one in STATEMENT_OPERATORS)
    assert len(STATEMENT_OPERATORS) > 50
    assert {one.category for one in STATEMENT_OPERATORS} == set(Category)
    for of in (parent(PROVED[1]), parent(OVER_REALS)):
        for operator in STATEMENT_OPERATORS:
            assert list(variants(operator, of, 3)) == list(variants(operator, of, 3))


def test_statements_that_are_not_read_get_variants_in_every_category() -> None:
    of = parent(OVER_REALS)
    assert of.claim is None
    found = {one.category for one in STATEMENT_OPERATORS if any(True for _ in variants(one, of))}
    assert found == set(Category)


@pytest.mark.parametrize(
    "text",
    [
        "∀ x, x ∈ S ↔ 0 < x ∧ x ^ (2 : ℝ) ^ Real.sqrt 2 = |x - 1|",
        "Filter.Tendsto (fun n => (1 + 1 / n : ℝ) ^ n) Filter.atTop (𝓝 (Real.exp 1))",
        "∃! x : ℝ, ¬ (x < 0) ∧ (f x = 0 ∨ (g x ⊆ {y | y < x}))",
        "∑ k ∈ Finset.range n, a k * 2 ^ k + 1 ≡ 3 [MOD 7]",
        "(f ⁻¹' {0}).toFinset.card = ⌊x⌋₊ + (t 3).num",
        "(x⁻¹ - ∫ t in (0)..1, f t) = y ^ (-(3 : ℤ)) * 5!",
        "f^[n + 1] 0 = 2 ^ n - g^[2] (f 1)",
        "if a = b then c else d",
    ],
)
def test_an_outline_is_written_as_it_was_read(text: str) -> None:
    assert outline_text(outline(text)) == text


def test_what_is_said_about_a_hypothesis_itself_is_left_alone() -> None:
    text = "theorem t (n : ℕ) (h : 0 < n) (x : Fin n) : x = ⟨0, h⟩"
    assert outlined(parse_statement(text)) is None
