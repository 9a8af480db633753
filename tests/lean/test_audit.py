"""The audit in real Lean: it elaborates, it runs, it says what the embedded Lean's own reader says, and does not bend.

The embedded library has no bodies of theorems, so Lean's collector sees them as axioms here; only that part of a report
differs from what a native Lean would say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pythagoras.lean.host import LeanHost
from pythagoras.lean.native.audit import Audit, new_nonce, with_report
from pythagoras.lean.wire import Answer

AUDIT = Audit.new()
_TIMEOUT_S = 120.0


class Audited:
    """A host with the audit's definitions in a kept state."""

    def __init__(self, host: LeanHost) -> None:
        self._host = host
        self.made = self._ask({"cmd": f"import Lean\n{AUDIT.definitions}", "declarations": True})

    def _ask(self, request: dict[str, Any]) -> Answer:
        return Answer.model_validate(self._host.request(request, _TIMEOUT_S))

    def submit(self, code: str) -> Answer:
        """The submission as the embedded Lean itself reports on it; its state is kept."""
        return self._ask({"cmd": code, "env": self.made.env, "declarations": True})

    def report(self, state: Answer, *names: str, holes: tuple[str, ...] = ()) -> Answer:
        nonce = new_nonce()
        told = self._ask({"cmd": AUDIT.command(nonce, names), "env": state.env})
        return with_report(Answer(), told.messages, nonce, holes)


@pytest.fixture(scope="module")
def audited() -> Iterator[Audited]:
    with LeanHost() as host:
        yield Audited(host)


def test_it_elaborates_without_a_message(audited: Audited) -> None:
    assert audited.made.messages == ()
    run = next(declared for declared in audited.made.declarations if declared.name.endswith(f"{AUDIT.tag}.run"))
    assert run.type == "(const Lean.Elab.Command.CommandElab )"
    assert "sorryAx" not in run.axioms


ZOO = """
universe u v
def twice (n : Nat) := n + n
abbrev Pairs (α : Type u) (β : Type v) := α × β
structure Point where
  x : Nat
  y : Nat := 3
inductive Tree (α : Type u) where
  | leaf
  | node (left : Tree α) (value : α) (right : Tree α)
mutual
inductive Even' : Nat → Prop
  | zero : Even' 0
  | next : Odd' n → Even' (n + 1)
inductive Odd' : Nat → Prop
  | next : Even' n → Odd' (n + 1)
end
axiom ax : 1 = 1
opaque secret : Nat
instance : Add Point := ⟨fun p q => ⟨p.x + q.x, p.y + q.y⟩⟩
theorem plain (n : Nat) (h : twice n = 4) : n = 2 := by unfold twice at h; omega
theorem «strange name».x' {α : Type u} [Inhabited α] (t : Tree α) : "a\\"b\\nc" = "ä" ∨ t = t := Or.inr rfl
theorem levels (α : Sort (max u v)) (f : Pairs.{u, v} PUnit PUnit → α) : let x := f; x = f := by intro x; rfl
theorem projections (p q : Point) : (p + q).1 = p.x + q.x := rfl
theorem families (n : Nat) (h : Even' n) : Odd' (n + 1) := Odd'.next h
theorem rests : 1 = 1 ∧ secret = secret := ⟨ax, rfl⟩
theorem gives_up : 12345678901234567890123 = 0 := sorry
theorem in_functions : (fun (s : String) (n : Nat) => s.length + n) = (fun s n => n + s.length) := by
  funext s n; exact Nat.add_comm ..
"""


def test_it_says_what_the_embedded_lean_says(audited: Audited) -> None:
    own = audited.submit(ZOO)
    assert own.errors == ()
    wanted = {declared.name: declared for declared in own.declarations}
    assert len(wanted) > 50
    told = audited.report(own, *wanted)
    assert told.errors == ()
    assert {declared.name for declared in told.declarations} == set(wanted)
    for declared in told.declarations:
        mine = wanted[declared.name]
        assert (declared.kind, declared.type, declared.type_key) == (mine.kind, mine.type, mine.type_key)
        assert set(mine.axioms) <= set(declared.axioms)
    axioms = {declared.name: declared.axioms for declared in told.declarations}
    assert "ax" in axioms["rests"]
    assert "sorryAx" in axioms["gives_up"]
    assert "ax" not in axioms["plain"]


def test_names_that_are_not_new_are_not_told_of(audited: Audited) -> None:
    state = audited.submit("theorem t : True := trivial")
    assert audited.report(state, "Nat.add_comm", "u", "t").declarations[0].name == "t"
    assert audited.report(state, "Nat.add_comm", "u").declarations == ()
    assert audited.report(state).declarations == ()


def test_holes_count_by_their_types(audited: Audited) -> None:
    keys = set()
    for answer in ("1", "2"):
        state = audited.submit(f"def answer : Nat := {answer}\ntheorem t (n : Nat) : n = answer := sorry")
        (declared,) = audited.report(state, "t", holes=("answer",)).declarations
        (whole,) = audited.report(state, "t").declarations
        keys.add(declared.type_key)
        assert whole.type_key != declared.type_key
    assert len(keys) == 1


@pytest.mark.parametrize(
    "around",
    [
        "",
        "namespace Lean.Elab.Command\ndef logInfo := 1",
        "open Nat List String Lean Lean.Meta Lean.Elab",
        "section\nvariable (Lean : Nat) {m : Type → Type} [Monad m] (h : False)",
        "set_option pp.all true\nset_option pp.oneline true\nset_option format.width 10",
        "set_option maxHeartbeats 1",
        "set_option trace.Elab.command true\nset_option trace.Elab.step true\nset_option trace.Meta true",
        "set_option warningAsError true",
        "noncomputable section\nuniverse u",
        "instance (priority := 1000000) : Functor Lean.Elab.Command.CommandElabM where map := fun _ _ => throw default",
        "instance (priority := 1000000) : Monad Lean.Elab.Command.CommandElabM where\n"
        "  pure := fun _ => throw default\n  bind := fun _ _ => throw default",
        'instance (priority := 1000000) : ToString Nat := ⟨fun _ => "0"⟩\n'
        "instance (priority := 1000000) : BEq Lean.Expr := ⟨fun _ _ => true⟩",
        "instance (priority := 1000000) : Coe Nat Lean.JsonNumber := ⟨fun _ => 0⟩",
        "attribute [-instance] instToStringNat\nattribute [-simp] Nat.add_zero",
        'local notation "message" => 7\nlocal infixl:65 " ++ " => fun a _ => a',
    ],
)
def test_what_stands_around_the_theorem_does_not_bend_the_report(audited: Audited, around: str) -> None:
    plain = audited.report(audited.submit("theorem t : 1 = 2 := sorry"), "t").declarations[0]
    state = audited.submit(f"theorem t : 1 = 2 := sorry\n{around}")
    assert state.errors == ()
    (declared,) = audited.report(state, "t").declarations
    assert declared == plain


def test_a_submission_that_disturbs_the_audit_is_in_error(audited: Audited) -> None:
    state = audited.submit("theorem t : True := trivial\nset_option maxRecDepth 0")
    told = audited.report(state, "t")
    assert told.errors or told.declarations[0].name == "t"
    missing = with_report(Answer(), state.messages, "n", ())
    assert missing.errors
