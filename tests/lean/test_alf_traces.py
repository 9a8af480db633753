"""What Lean sees in proofs, and whether Lean takes what operators make of it."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from pythagoras.alf.mutating import SymbolicMutator, parent_of
from pythagoras.alf.mutations.operators import OPERATORS
from pythagoras.alf.traces import Trace, Untraced, traces
from pythagoras.alf.variants import Variant
from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.records import Instance, Tier
from pythagoras.language.lean_writer import write_lean
from pythagoras.language.meaning import Claim
from pythagoras.lean.pool import Check, LeanPool

_PROOFS = {
    "theorem a (m k : ℤ) (hk : k > 3) : 2 ∣ m ^ 2 - m": """by
  have hm : m % 2 = 0 ∨ m % 2 = 1 := by omega
  rcases hm with hm | hm <;> simp [Int.dvd_iff_emod_eq_zero, Int.sub_emod, Int.pow_succ, Int.mul_emod, hm]""",
    "theorem b (a b : ℕ) (h : Nat.gcd a b = 17) : Nat.gcd (4 * a + 16 * b) (4 * b) = 68": """by
  rw [show 4 * a + 16 * b = 4 * a + 4 * (4 * b) by omega, Nat.gcd_add_mul_right_left]
  rw [Nat.gcd_mul_left, h]""",
    "theorem c (n : ℕ) : 2 * ∑ i ∈ Finset.range (n + 1), i = n * (n + 1)": """by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [Finset.sum_range_succ, Nat.mul_add, ih]
    grind""",
    "theorem d (w : ℚ) : 10 * w ≤ w ^ 2 + 25": """by
  have h := sq_nonneg (w - 5)
  grind""",
}
_PROVED = [Instance(text.split()[1], text, proof, "test", Tier.EASY, verified=True) for text, proof in _PROOFS.items()]
_WRONG = replace(_PROVED[0], proof="by omega")
_GIVEN_UP = Instance(
    "e",
    "theorem e (n : ℕ) (h : n = 3) : n = 2 ∨ n = 3",
    "by\n  try (left; omega)\n  first\n  | (left; omega)\n  | (right; omega)",
    "test",
    Tier.EASY,
    verified=True,
)
"""Nothing of the branches that fail: `n = 2` is not proved."""
_MADE = {
    "have_alone": "theorem t (m : ℤ) : m % 2 = 0 ∨ m % 2 = 1",
    "case_of_proof": "theorem t (m : ℤ) (h₁ : m % 2 = 1) : 2 ∣ m ^ 2 - m",
    "nested_goal": "theorem t (a b : ℕ) (h₁ : Nat.gcd a b = 17) : 4 * a + 16 * b = 4 * a + 4 * (4 * b)",
    "rewriting": "theorem t (a b : ℕ) : Nat.gcd (4 * a) (4 * b) = 68 ↔ 4 * Nat.gcd a b = 68",
    "goal_after": "theorem t (a b : ℕ) (h₁ : Nat.gcd a b = 17) : Nat.gcd (4 * a) (4 * b) = 68",
    "induction_base": "theorem t : 2 * (∑ i ∈ Finset.range (0 + 1), i) = 0 * (0 + 1)",
    "lemma_instance": "theorem t (w : ℚ) : 0 ≤ (w - 5) ^ 2",
}


def test_traces_and_what_is_made_of_them(pool: LeanPool) -> None:
    *found, given_up, wrong = traces([*_PROVED, _GIVEN_UP, _WRONG], pool)
    assert isinstance(wrong, Untraced)
    assert isinstance(given_up, Trace)
    assert [(step.kind, step.after) for step in given_up.steps] == [("first", ())]
    seen = [trace for trace in found if isinstance(trace, Trace)]
    parents = [replace(parent_of(one), trace=trace) for one, trace in zip(_PROVED, seen, strict=True)]
    made = {
        name: {
            write_lean(one, "t") if isinstance(one, Claim) else one
            for parent in parents
            for one in OPERATORS[name].make(parent, Random(0))
        }
        for name in (*_MADE, "goal_with_have", "induction_step", "one_step")
    }
    assert {name: text in made[name] for name, text in _MADE.items()} == dict.fromkeys(_MADE, True)
    texts = [text for each in made.values() for text in sorted(each)[:4]]
    _elaborates(texts, pool)


def test_a_sample_elaborates(pool: LeanPool) -> None:
    mutator = SymbolicMutator(OPERATORS)
    parents = [parent_of(drawn.formalisation) for drawn in generate(40, 7)]
    variants = [one for at, parent in enumerate(parents) for one in mutator.variants_of(parent, Random(at))]
    _elaborates([one.text for one in variants if isinstance(one, Variant)], pool)


def _elaborates(texts: list[str], pool: LeanPool) -> None:
    """All of them in a few questions, each theorem under a name of its own."""
    size = 20
    for start in range(0, len(texts), size):
        part = [_named(text, at) for at, text in enumerate(texts[start : start + size])]
        (checked,) = pool.check([Check("\n\n".join(f"{text} := sorry" for text in part))])
        assert checked.answer is not None
        assert [(error.data, part) for error in checked.answer.errors] == []


def _named(text: str, at: int) -> str:
    word, name, *_ = text.split()
    return text.replace(f"{word} {name}", f"{word} s{at}", 1)
