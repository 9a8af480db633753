"""Repair with real Lean: proofs that it refuses, the hole where it found the fault, and the marks where it points."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pythagoras.corpus.judgements import judgement
from pythagoras.corpus.records import Formalisation, Judgement, statement_of
from pythagoras.evaluate.running.holes import filled, hole
from pythagoras.evaluate.running.repair import reply
from pythagoras.lean.pool import LeanPool
from pythagoras.lean.verifier import CheckedVerifier, Submission
from pythagoras.lean.wire import Limits

GOAL = Formalisation("t", "theorem t (p q : Prop) (n m : ℕ) (hp : p) (hq : q) (h : n < m) : p ∧ n + 1 ≤ m", "made")
BOTH = "exact ⟨hp, h⟩"


@pytest.fixture(scope="module")
def one() -> Iterator[LeanPool]:
    with LeanPool(1) as running:
        yield running


def judge(pool: LeanPool, goal: Formalisation, text: str, limits: Limits = Limits(timeout_s=30)) -> Judgement:
    (judged,) = CheckedVerifier(pool, limits=limits).verify([Submission(statement_of(goal), text)])
    return judgement("s", judged, "")


# A proof that Lean refuses, the reason's class, and a tactic that mends it.
BROKEN = {
    "a tactic in the middle": (
        "by\n  have a : n ≤ m := by\n    simp\n  exact ⟨hp, by omega⟩",
        "tactic failure",
        "omega",
    ),
    "a tactic in a chain": ("by\n  constructor <;> exact hp", "type mismatch", "first | exact hp | exact h"),
    "a tactic in a row": ("by\n  constructor; exact hq; exact h", "type mismatch", "exact hp"),
    "a rewriting": (
        "by\n  refine ⟨hp, ?_⟩\n  rw [Nat.add_comm, Nat.mul_comm]\n  omega",
        "tactic failure",
        "rw [Nat.add_comm]",
    ),
    "goals at a bullet": ("by\n  constructor\n  · skip\n    skip\n  · omega", "unsolved goals", "exact hp"),
    "goals at the end": ("by\n  constructor\n  · exact hp", "unsolved goals", "omega"),
    "goals in one line": ("by constructor; exact hp", "unsolved goals", "omega"),
    "goals of a claim": ("by\n  have a : n + 1 ≤ m := by skip\n  exact ⟨hp, a⟩", "unsolved goals", "omega"),
    "goals of a case": ("by\n  constructor\n  case left => skip\n  case right => omega", "unsolved goals", "exact hp"),
    "goals of an alternative": (
        "by\n  refine ⟨hp, ?_⟩\n  induction n with\n  | zero => skip\n  | succ k ih => omega",
        "unsolved goals",
        "omega",
    ),
    "goals of a match": (
        "by\n  refine ⟨hp, ?_⟩\n  match n with\n  | 0 => skip\n  | k + 1 => omega",
        "unsolved goals",
        "omega",
    ),
    "goals in braces": ("by\n  constructor\n  { skip }\n  { omega }", "unsolved goals", "exact hp"),
    "several goals": ("by\n  constructor\n", "unsolved goals", "· exact hp\n· omega"),
    "a term": ("⟨hp, hq⟩", "type mismatch", "omega"),
    "a term in a tactic": ("by\n  exact ⟨hp, hq⟩", "type mismatch", BOTH),
    "a term as a claim's proof": ("by\n  have a : n + 1 ≤ m := hq\n  exact ⟨hp, a⟩", "type mismatch", "omega"),
    "a step of a calculation": (
        "by\n  refine ⟨hp, ?_⟩\n  calc n + 1 ≤ n + 1 := hq\n    _ ≤ m := h",
        "type mismatch",
        "omega",
    ),
    "an unknown name": ("by\n  exact ⟨hp, foo h⟩", "unknown name", BOTH),
    "an unknown name in a term": ("⟨hp, foo h⟩", "unknown name", "omega"),
    "an unknown tactic": ("by\n  constructor\n  · exact hp\n  · linarithx [h]", "other", "omega"),
    "a bracket too many": ("by\n  constructor\n  · exact hp\n  · omega )", "other", "omega"),
    "a bracket too few": ("by\n  constructor\n  · exact (hp\n  · omega", "other or type mismatch", "exact hp"),
    "an empty block": ("by\n  have a : n + 1 ≤ m := by\n  exact ⟨hp, a⟩", "other", "omega"),
    "a step too far left": ("by\n  constructor\n  · exact hp\nomega", "unsolved goals", "omega"),
    "words behind the proof": ("by\n  constructor\n  · exact hp\n  · omega\n\nThis completes it.", "other", "omega"),
    "behind letters of all kinds": (
        "by\n  have é𝕜 : ∀ 𝕜 : ℕ, 𝕜 = 𝕜 := by intro 𝕜; exact hp\n  exact ⟨hp, h⟩",
        "type mismatch",
        "rfl",
    ),
}


@pytest.mark.parametrize(("proof", "kind", "tactic"), BROKEN.values(), ids=BROKEN)
def test_a_hole_filled_rightly_is_a_proof(one: LeanPool, proof: str, kind: str, tactic: str) -> None:
    for text in (proof, f"```lean4\n{GOAL.text} := {proof}\n```"):
        judged = judge(one, GOAL, text)
        assert judged.outcome == "rejected"
        assert judged.error in kind.split(" or ")  # an unclosed bracket takes in what follows
        found = hole(judged, GOAL)
        assert found is not None
        mended = judge(one, GOAL, filled(found, tactic))
        assert (mended.outcome, mended.checked) == ("proved", filled(found, tactic))


def test_a_hole_where_the_steps_of_lean_were_used_up(one: LeanPool) -> None:
    proof = "by\n  have a : ∀ x y z : Fin 20, x + y + z = z + y + x := by\n    decide\n  exact ⟨hp, h⟩"
    judged = judge(one, GOAL, proof, Limits(timeout_s=60, heartbeats=100))
    assert "maxi" in judged.detail
    found = hole(judged, GOAL)
    assert found is not None
    assert found.before.endswith(":= by\n    ")
    assert judge(one, GOAL, filled(found, "intros; omega")).outcome == "proved"


def test_a_hole_where_time_ran_out(one: LeanPool) -> None:
    goal = Formalisation("s", "theorem s : ∀ a b c d e : Fin 12, a.val + b.val + c.val + d.val + e.val < 1000", "made")
    judged = judge(one, goal, "by\n  decide", Limits(timeout_s=1))
    assert (judged.outcome, judged.remarks) == ("timeout", ())
    found = hole(judged, goal)
    assert found is not None
    assert "Error Message: Lean did not finish with the proof within its time." in reply(judged, 1)
    assert judge(one, goal, filled(found, "intros\nomega")).outcome == "proved"


def test_rounds_until_it_is_proved(one: LeanPool) -> None:
    text = "by\n  constructor\n  · exact hq\n  · exact hq"
    for tactic in ("exact hp", "exact h"):
        found = hole(judge(one, GOAL, text), GOAL)
        assert found is not None
        text = filled(found, tactic)
    assert judge(one, GOAL, text).outcome == "proved"


def test_no_hole_in_a_lemma_before_it(one: LeanPool) -> None:
    judged = judge(one, GOAL, f"lemma a : 1 = 2 := by\n  simp\n\n{GOAL.text} := by\n  exact ⟨hp, h⟩")
    assert judged.outcome == "rejected"
    assert hole(judged, GOAL) is None


@pytest.mark.parametrize(
    ("proof", "marked"),
    [
        ("by\n  exact ⟨hp, hq⟩", "  exact ⟨hp, <error>hq</error>⟩"),
        ("by\n  have 𝕜é : ℕ := 1; exact ⟨hp, foo⟩", "  have 𝕜é : ℕ := 1; exact ⟨hp, <error>foo</error>⟩"),
        ("by\n  have «e\u0301» : ℕ := 1; exact ⟨hp, foo⟩", "  have «e\u0301» : ℕ := 1; exact ⟨hp, <error>foo</error>⟩"),
        ("by\n  /- 𝕜 é e\u0301 ℕ 🎲 -/ exact ⟨hp, foo⟩", "  /- 𝕜 é e\u0301 ℕ 🎲 -/ exact ⟨hp, <error>foo</error>⟩"),
        ("by\r\n  skip\r\n  exact ⟨hp, foo⟩\r\n", "  skip\n  exact ⟨hp, <error>foo</error>⟩\n"),
        ("by\n  constructor\n  · skip\n    skip\n  · exact h", "  <error>· skip\n    skip</error>\n  · exact h\n"),
    ],
)
def test_marks_stand_where_lean_points(one: LeanPool, proof: str, marked: str) -> None:
    judged = judge(one, GOAL, proof)
    assert judged.outcome == "rejected"
    assert f"\n{marked}" in reply(judged, 1).split("```lean4")[1].split("```")[0]
