"""Which completions are about their statement, told without Lean."""

from __future__ import annotations

import pytest

from pythagoras.alf.aligning import Aligned, Fault, Misaligned, align, unknown_names
from pythagoras.evaluate.corebench.items import as_instances, load
from pythagoras.generate.sampler import Finish, Request, Sample
from pythagoras.lean.bench import bench_proofs
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.submission import read
from tests.unit.corpora import formalisation

TEXT = "theorem t (n : ℕ) (h₁ : n > 3) : n ≥ 2"
STATEMENT = parse_statement(f"{TEXT} := sorry")


def aligned(text: str, finish: Finish = Finish.STOP) -> Aligned | Misaligned:
    return align(STATEMENT, Sample(Request(formalisation(TEXT), 0), text, finish))


@pytest.mark.parametrize(
    ("text", "proof"),
    [
        ("by omega", "by omega"),
        ("omega", "by\n  omega"),
        ("/- It is linear. -/\nby\n  omega", "/- It is linear. -/\nby\n  omega"),  # as a compact prompt has it
        ("fun => Nat.le_of_lt h₁", "fun => Nat.le_of_lt h₁"),
        (f"{TEXT} := by omega", "by omega"),
        ("It is linear.\n```lean4\ntheorem  t (n : ℕ)\n  (h₁ : n > 3) :  n ≥ 2 := by omega\n```", "by omega"),
        (f"theorem helper : 1 = 1 := rfl\n\n{TEXT} := by omega", "by omega"),
        ("by\n  have h := h₁\n  exact Nat.le_of_lt (by omega)", None),
    ],
)
def test_what_is_about_the_statement_is_a_pair(text: str, proof: str | None) -> None:
    found = aligned(text)
    assert isinstance(found, Aligned), found
    assert proof is None or found.proof.strip() == proof


def test_a_pair_has_the_reasoning_and_the_lemmas() -> None:
    found = aligned(f"It is linear.\n\n```lean4\ntheorem helper : 1 = 1 := rfl\n\n{TEXT} := by omega\n```")
    assert found == Aligned("by omega", "theorem helper : 1 = 1 := rfl", "It is linear.")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", Fault.NO_PROOF),
        ("by", Fault.NO_PROOF),
        ("/- only words -/", Fault.NO_PROOF),
        ("theorem other : 1 = 1 := rfl", Fault.NO_PROOF),
        ("by sorry", Fault.FORBIDDEN),
        ("by native_decide", Fault.FORBIDDEN),
        ("by simp -- " + "x" * 200_000, Fault.TOO_LONG),
        ("theorem t (n : ℕ) (h₁ : n > 4) : n ≥ 2 := by omega", Fault.OTHER_STATEMENT),
        ("theorem t (m : ℕ) (h₁ : m > 3) : m ≥ 2 := by omega", Fault.OTHER_STATEMENT),
        (f"{TEXT}\n  | 0 => by omega\n  | n + 1 => by omega", Fault.NO_BODY),
        ("by\n  rw [h₂]", Fault.UNKNOWN_NAME),
        ("by linarith [h₁, hx.le]", Fault.UNKNOWN_NAME),
        ("by induction m <;> omega", Fault.UNKNOWN_NAME),
    ],
)
def test_what_is_not_is_told(text: str, fault: Fault) -> None:
    found = aligned(text)
    assert isinstance(found, Misaligned), found
    assert found.fault is fault


def test_a_completion_that_was_cut_may_have_gone_on() -> None:
    assert aligned("by omega", Finish.LENGTH) == Misaligned(Fault.CUT, "0 tokens")


@pytest.mark.parametrize(
    ("proof", "unknown"),
    [
        ("by\n  intro x hx\n  exact hx", ()),
        ("by\n  rcases h₁ with ⟨y, hy⟩ | h\n  · omega\n  · exact h", ()),
        ("by\n  obtain ⟨k,\n    hk⟩ := h₁\n  exact hk", ()),
        ("by\n  induction n with\n  | zero => simp\n  | succ k ih => exact ih", ()),
        ("by\n  by_cases h : n = 4\n  · simp [h]\n  · omega", ()),
        ("by cases h : f n <;> simp [h]", ("f",)),
        ("fun x h => h.trans (foo (k := 3) x)", ()),
        ("by exact ⟨?h, fun ⟨a, b⟩ => a + b⟩", ()),
        ("by\n  simp at h₁ h₃'\n  exact h₃'.2 n", ("h₃'",)),
        ("by\n  exact Nat.lt_of_lt h₁ z", ("z",)),
    ],
)
def test_local_names_must_be_introduced(proof: str, unknown: tuple[str, ...]) -> None:
    assert unknown_names(proof, TEXT) == unknown


def test_no_proof_that_lean_accepts_is_refused() -> None:
    """691 of them: what reading refuses must be wrong."""
    proved = [(each.proof, f"{each.context}\n\n{each.statement}") for each in as_instances(load())]
    for proof in bench_proofs():
        if proof.code.startswith("theorem"):
            statement = parse_statement(proof.code)
            written = read(statement, proof.code)
            proved.append((written.proof, f"{written.before}\n\n{statement.text}"))
    assert len(proved) > 600
    assert [(proof, names) for proof, before in proved if (names := unknown_names(proof, before))] == []
