"""What hosts refuse by syntax before it is elaborated, what they only report, and what the pool makes of it."""

from __future__ import annotations

import pytest

from pythagoras.lean.pool import Check, LeanPool
from pythagoras.lean.wire import NO_PROGRAMS, PROOFS_ONLY, Refused
from tests.lean.conftest import SharedHost

COMPUTED = "def n (k : Nat) : Nat := k + 1000\n"


@pytest.mark.parametrize(
    ("code", "kind", "syntax"),
    [
        ("#eval 1", "program", "Lean.Parser.Command.eval"),
        ("theorem t : 1 = 1 := rfl\nrun_cmd pure ()", "program", "Lean.runCmd"),
        ('macro "m" : term => `(1)', "program", "Lean.Parser.Command.macro"),
        ("@[implemented_by Nat.succ] def f (n : Nat) : Nat := n", "program", "@[implemented_by]"),
        ("open Nat in\n#eval 1", "program", "Lean.Parser.Command.eval"),
        ("#guard_msgs (drop error) in\ntheorem t : 1 = 2 := rfl", "program", "Lean.guardMsgsCmd"),
        (
            f"{COMPUTED}theorem t : 1 + 0 = 1 := by simp (maxSteps := n 5)",
            "program",
            "Lean.Parser.Tactic.valConfigItem",
        ),
        ('notation (name := num) "zz" => 5', "program", "Lean.Parser.Command.namedName"),
        ("set_option doc.verso true", "option", "doc.verso"),
        ("theorem t : 1 = 1 := by\n  set_option debug.byAsSorry true in rfl", "option", "debug.byAsSorry"),
        ("axiom a : False", "axiom", "Lean.Parser.Command.axiom"),
        ("theorem t : 1 = 2 := by\n  admit", "sorry", "Lean.Parser.Tactic.tacticAdmit"),
    ],
)
def test_what_is_refused(shared: SharedHost, code: str, kind: str, syntax: str) -> None:
    answer = shared.living().check(code, refuse=PROOFS_ONLY)
    assert answer.refused == Refused.model_validate({"kind": kind, "syntax": syntax})
    assert not answer.programs


@pytest.mark.parametrize(
    "code",
    [
        "theorem t (a : Nat) : a + 0 = a := by simp (maxSteps := 1000)",
        "theorem t (a : Nat) : a + 0 = a := by simp (config := { decide := true, maxSteps := 1000 })",
        "theorem t (a : Nat) : a + 0 = a := by rw (occs := .pos [1]) [Nat.add_zero]",
        "theorem t (a : Nat) : a + 0 = a := by simp +arith (disch := omega)",
        "theorem t (a : Nat) : a + 0 = a := Nat.add_zero (n := a)",
        '@[simp] theorem l : 1 = 1 ∨ 2 = 3 := .inl rfl\nlocal notation "one" => 1\ntheorem t : one = 1 := rfl',
        "structure P where\n  x : Nat\n  deriving Repr, DecidableEq\ntheorem t (p : P) : p.x = p.x := rfl",
        "theorem s (h : 1 = 1 := by rfl) : 1 = 1 := h\ntheorem t : 1 = 1 := s\n#check t\n#print axioms t",
    ],
)
def test_what_is_not(shared: SharedHost, code: str) -> None:
    answer = shared.living().check(code, refuse=PROOFS_ONLY)
    assert (answer.refused, answer.programs, answer.errors) == (None, False, ())


def test_a_sorry_hides_no_program(shared: SharedHost) -> None:
    code = f"{COMPUTED}example : 1 + 0 = 1 := by\n  have : 1 = 2 := sorry\n  simp (maxSteps := n 5)"
    answer = shared.living().check(code, refuse=NO_PROGRAMS)
    assert answer.refused is not None
    assert answer.refused.kind == "program"
    assert shared.living().check(code).programs


def test_a_host_that_ran_a_program_is_not_used_again() -> None:
    with LeanPool(1, spare=False) as pool:
        first, second, third = pool.check([Check("#eval 1"), Check("example : True := trivial"), Check("#check Nat")])
        assert first.answer is not None
        assert first.answer.programs
        assert first.use is not None
        assert second.use is not None
        assert third.use is not None
        assert first.use.host_id != second.use.host_id == third.use.host_id
