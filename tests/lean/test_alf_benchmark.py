"""Benchmarks by mutation with real Lean: what is kept is Lean, new, not trivial; and prompts show true statements."""

from __future__ import annotations

from random import Random

import pytest

from pythagoras.alf.benchmark import Crew, Outcome, Plan, Refusal, Truth, build, one_line_proofs
from pythagoras.alf.chat import examples
from pythagoras.alf.drafting import SymbolicDrafter
from pythagoras.alf.mutating import parent_of
from pythagoras.alf.mutations.operators import OPERATORS
from pythagoras.alf.renaming import renamed
from pythagoras.alf.variants import Category
from pythagoras.alf.wellformed import RulesJudge
from pythagoras.corpus.embedding.fake import FakeEmbedder
from pythagoras.corpus.records import Formalisation
from pythagoras.evaluate.corebench.items import load
from pythagoras.generate.search import TacticSearch
from pythagoras.lean.canonical import canonical_keys
from pythagoras.lean.pool import Check, LeanPool
from pythagoras.lean.statements import parse_statement

PROBLEMS = [
    "theorem sums (a b : ℤ) (h₁ : a + b = 12) (h₂ : a - b = 4) : a = 8 ∧ b = 4",
    "theorem squares (n : ℕ) (h : n ^ 2 % 3 = 2) : False",
    "theorem refused (x : NoSuchType) : x = x",
]


@pytest.fixture(scope="module")
def outcomes(pool: LeanPool) -> list[Outcome]:
    crew = Crew(SymbolicDrafter(OPERATORS), RulesJudge(), FakeEmbedder(), pool, TacticSearch(pool, checks=4))
    parents = [parent_of(Formalisation(parse_statement(f"{text} := sorry").name, text, "made")) for text in PROBLEMS]
    return [*build(parents, crew, Plan(rounds=2, known_true=True))]


def test_what_is_kept_is_lean_and_new(outcomes: list[Outcome], pool: LeanPool) -> None:
    sums, squares, refused = outcomes
    assert "no Lean" in refused.fault
    assert (sums.one_line, squares.one_line) == ("omega", "")
    assert len(sums.kept) == 2
    for outcome in (sums, squares):
        found = [outcome.parent.statement, *(parse_statement(f"{one.text} := sorry") for one in outcome.kept)]
        keys = [key for _, key in canonical_keys(found, pool)]
        assert all(key.startswith("kernel:") for key in keys)
        assert len(set(keys)) == len(keys)
        assert all(one.truth is not Truth.UNKNOWN for one in outcome.kept)
        assert all("⊢" in one.goal for one in outcome.kept)
    kept = [parse_statement(f"{one.text} := sorry") for one in squares.kept]
    assert one_line_proofs(kept, pool) == [""] * len(kept)


def test_what_is_refused_is_told(outcomes: list[Outcome]) -> None:
    reasons = [one.why for outcome in outcomes for one in outcome.refused]
    assert reasons
    assert Refusal.NO_VERDICT not in reasons
    assert Refusal.NOT_ACCEPTED not in reasons  # operators write Lean


def test_other_names_are_the_same_to_the_kernel(pool: LeanPool) -> None:
    items = load("test")[::16]
    others = [parse_statement(f"{renamed(item.statement, Random(item.name))} := sorry") for item in items]
    keys = [key for _, key in canonical_keys([*(item.statement for item in items), *others], pool)]
    assert keys[: len(items)] == keys[len(items) :]


def test_examples_of_the_prompts_are_lean_and_good_ones_are_true(pool: LeanPool) -> None:
    shown = [parse_statement(f"{text} := sorry") for category in Category for text in examples(category)]
    assert all(key.startswith("kernel:") for _, key in canonical_keys(shown, pool))
    good = [examples(category)[1] for category in Category]
    proofs = {
        "three_dvd_cube_sub": "have := (⟨n / 3, by omega⟩ : ∃ k, n = 3 * k ∨ n = 3 * k + 1 ∨ n = 3 * k + 2)\n"
        "  obtain ⟨k, h | h | h⟩ := this\n"
        "  · exact ⟨9 * k ^ 3 - k, by subst h; grind⟩\n"
        "  · exact ⟨9 * k ^ 3 + 9 * k ^ 2 + 2 * k, by subst h; grind⟩\n"
        "  · exact ⟨9 * k ^ 3 + 18 * k ^ 2 + 11 * k + 2, by subst h; grind⟩",
        "sum_step": "rw [Finset.sum_range_succ, ih]; grind",
        "square_mod_four": "simp [Nat.pow_mod, h]",
        "odd_product": "simp [Nat.mul_mod, h₁, h₂]",
    }
    for text in good:
        statement = parse_statement(f"{text} := sorry")
        proof = proofs.get(statement.name, "grind")
        answer = next(iter(pool.check([Check(f"{text} := by\n  {proof}")]))).answer
        assert answer is not None
        assert [message.data for message in answer.errors] == [], statement.name
