"""Root cause and consequences of real errors, and golden messages that the living Lean must still give."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pythagoras.lean import headers
from pythagoras.lean.diagnostics import ErrorClass, Level, Link, classify, diagnose
from pythagoras.lean.wire import Position
from tests.lean.conftest import SharedHost
from tests.unit.test_diagnostics import EMBEDDED

FIELD, GOALS, TACTIC, MISMATCH, SYNTHESIS, NAME, OTHER = ErrorClass


@dataclass(frozen=True)
class Case:
    """A snippet and what is wrong with it: errors as (line, class), the root first."""

    code: str
    level: Level
    independent: tuple[tuple[int, ErrorClass], ...]
    downstream: tuple[tuple[int, ErrorClass, Link], ...] = ()


CASES = {
    "a wrong statement explains the goals of its proof": Case(
        "theorem t (α : Type) (x y : α) (n : Nat) : x + y = y + x := by\n  cases n\n  · omega\n  · exact foo",
        Level.FORMALISATION,
        ((1, SYNTHESIS), (4, NAME)),
        ((3, TACTIC, Link.STATEMENT),),
    ),
    "an unknown name in the statement leaves a hole in the goal": Case(
        "def c : Nat := 2\ntheorem t (n : Nat) : n + foo.bar = c := by\n  unfold c\n  simp",
        Level.FORMALISATION,
        ((2, NAME),),
        ((2, GOALS, Link.STATEMENT),),
    ),
    "a have fails and the goals of the block are left": Case(
        "theorem t (a b : Nat) (h : a < b) : a ≤ b := by\n  have := h.to_le\n  exact this",
        Level.PROOF,
        ((2, FIELD),),
        ((1, GOALS, Link.ENCLOSING),),
    ),
    "a have that fails inside does no harm outside": Case(
        "theorem t (n : Nat) (h : n > 3) : n * n > 9 := by\n  have h1 : n ≥ 4 := by\n    intros\n  omega",
        Level.PROOF,
        ((2, GOALS), (4, TACTIC)),
    ),
    "goals of a nested block follow from its step": Case(
        "theorem t (n : Nat) : n = n ∧ n = 1 :=\n  ⟨by rfl, by\n    rw [foo]\n    simp⟩",
        Level.PROOF,
        ((3, NAME),),
        ((2, GOALS, Link.ENCLOSING),),
    ),
    "bullets fail one by one, and one is missing": Case(
        "theorem t (a b : Nat) (h : a = b) : a = b ∧ b = a ∧ a = 1 := by\n  refine ⟨?_, ?_, ?_⟩\n"
        "  · exact foo\n  · exact h.flip",
        Level.PROOF,
        ((3, NAME), (4, FIELD), (1, GOALS)),
    ),
    "cases of an induction are independent": Case(
        "theorem t (a b : Nat) : a + b = b + a := by\n  induction a with\n  | zero => rfl\n  | succ n ih => rw [ih]",
        Level.PROOF,
        ((3, TACTIC), (4, TACTIC)),
    ),
    "a step after a failed one finds no goals": Case(
        "theorem t (n : Nat) (h : n > 3) : n * n > 9 := by\n  refine foo ?_\n  exact h",
        Level.PROOF,
        ((2, NAME),),
        ((3, OTHER, Link.LATER_STEP),),
    ),
    "a tactic fails because its argument did": Case(
        "theorem t (n : Nat) : n = 0 := by\n  simp [foo]\n  omega",
        Level.PROOF,
        ((2, NAME),),
        ((2, TACTIC, Link.SAME_STEP),),
    ),
    "patterns fail because their term did": Case(
        "theorem t (n : Nat) : n = 0 := by\n  obtain ⟨x, hx⟩ := foo n\n  omega",
        Level.PROOF,
        ((2, NAME),),
        ((2, TACTIC, Link.SAME_STEP),),
    ),
    "a lemma that does not parse is missing later": Case(
        "lemma aux (n : Nat) : n = n := by rfl\ntheorem t (n : Nat) : n = n := aux n",
        Level.PROOF,
        ((1, OTHER),),
        ((2, NAME, Link.DECLARATION),),
    ),
    "a definition with an error fails its users": Case(
        "def f (n : Nat) : Nat := n + foo\ntheorem t (n : Nat) : f n = n := by\n  unfold f\n  simp",
        Level.FORMALISATION,
        ((1, NAME),),
        ((2, GOALS, Link.DECLARATION),),
    ),
    "a lemma with a wrong proof still states what it states": Case(
        "theorem aux (n : Nat) : n = 2 := by\n  rfl\ntheorem t (n : Nat) : n = 3 := by\n  exact aux n",
        Level.PROOF,
        ((2, TACTIC), (4, MISMATCH)),
    ),
    "an unknown tactic ends all blocks around it, the next theorem stands": Case(
        "theorem u (n : Nat) : n = 0 := by\n  have h : n = 1 := by\n    norm_num\n  omega\n"
        "theorem t (n : Nat) : n = 0 := by\n  rfl",
        Level.PROOF,
        ((3, OTHER), (6, TACTIC)),
        ((2, GOALS, Link.UNPARSED), (1, GOALS, Link.UNPARSED)),
    ),
    "a statement that does not parse": Case(
        "theorem t (n : Nat : n = 1 := by\n  omega )",
        Level.FORMALISATION,
        ((1, OTHER),),
    ),
    "a field that is not there, in the statement": Case(
        "theorem t (n : Nat) (l : List Nat) : l.size = n := by\n  exact n.foo",
        Level.FORMALISATION,
        ((1, FIELD), (2, FIELD)),
    ),
}


def body(code: str) -> Position:
    """Where the proof of the last theorem begins."""
    start = code.index(":=", code.rindex("theorem t")) + 3
    return Position(line=code.count("\n", 0, start) + 1, column=start - code.rfind("\n", 0, start) - 1)


@pytest.mark.parametrize("name", CASES)
def test_root_cause_and_consequences(name: str, shared: SharedHost) -> None:
    case = CASES[name]
    found = diagnose(shared.check(case.code, spans=True), case.code, body(case.code))
    said = "\n".join(f"{error.pos.line}:{error.pos.column} {error.text}" for error in found.errors)
    assert [(error.pos.line, error.error) for error in found.independent] == [*case.independent], said
    assert [(each.error.pos.line, each.error.error, each.link) for each in found.downstream] == [*case.downstream], said
    assert found.root is found.independent[0]
    assert found.level is case.level


def test_spans_name_the_tactic(shared: SharedHost) -> None:
    code = (
        "theorem t (p q : Prop) (hp : p) : p ∧ q := by\n  constructor <;> first | (exact hp) | (case foo => rfl) | fail"
    )
    answer = shared.check(code, spans=True)
    (error,) = answer.errors
    assert classify(error, code, answer.spans).tactic == "fail"


def test_golden_messages_still_come(shared: SharedHost) -> None:
    """One snippet in twelve of those on Lean's own prelude: class, tactic and subject are as recorded."""
    chosen = [row for row in EMBEDDED if row["header"] == "none"][::12]
    assert len(chosen) >= 10
    for row in chosen:
        answer = shared.check(row["code"], headers.header(row["header"]), spans=True)
        found = [classify(error, row["code"], answer.spans) for error in answer.errors]
        said = [(error.error.value, error.tactic, error.subject) for error in found]
        assert (row["class"], row.get("tactic"), row.get("subject")) in said, (row["code"], said)
