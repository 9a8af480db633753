"""A Lean that stops at the first error proves what one proves that goes on, and nothing else."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from pythagoras.lean.bench import bench_proofs
from pythagoras.lean.headers import core
from pythagoras.lean.pool import Check, Checked, LeanPool
from pythagoras.lean.wire import Answer, Limits
from tests.lean.conftest import SharedHost

TWO_CASES = "theorem t (a b : ℕ) : a = b ∧ a + b = b + a + 1 := by\n  constructor\n  · omega\n  · omega"


def hasty(shared: SharedHost, code: str) -> Answer:
    return shared.living().check(code, core(), until_error=True)


def places(answer: Answer) -> list[tuple[int, str]]:
    return [(error.pos.line, error.data) for error in answer.errors]


def test_it_goes_no_further_than_the_first_error(shared: SharedHost) -> None:
    assert len(shared.check(TWO_CASES, core()).errors) == 2
    assert len(hasty(shared, TWO_CASES).errors) == 1
    second = f"{TWO_CASES}\n\ntheorem u : 1 = 1 := rfl"
    assert {d.name for d in hasty(shared, second).declarations} == {"t"}
    assert {d.name for d in shared.check(second, core()).declarations} >= {"t", "u"}


def test_an_unknown_name_is_not_taken_for_granted(shared: SharedHost) -> None:
    code = "theorem t (a b : ℕ) (h : a < b) : a < b ∧ a < b := by\n  refine ⟨{}, ?_⟩\n  omega"
    assert len(hasty(shared, code.format("nowhere")).errors) == 1
    assert not hasty(shared, code.format("h")).messages


def test_errors_have_a_place_and_no_words(shared: SharedHost) -> None:
    assert places(hasty(shared, "theorem t : 1 = 1 := rfl\n\ntheorem u : 1 = 2 := by\n  decide")) == [(3, "")]
    assert shared.check("theorem u : 1 = 2 := by\n  decide", core()).errors[0].data, "others hear it all, as ever"


def test_what_the_parser_refuses_is_not_elaborated(shared: SharedHost) -> None:
    broken = hasty(shared, "theorem t : 1 = 1 := by\n  simp at (\n")
    assert broken.errors
    assert not broken.declarations


@pytest.mark.parametrize(
    "code",
    [
        "theorem t (a b : ℕ) : a + b = b + a := Nat.add_comm a b",
        "theorem t : ∀ n : ℕ, n ≤ n + 1 := fun n => by omega",
        "open Nat in\n/-- said -/\ntheorem t : 1 + 1 = 2 := by\n  skip\n  rfl",
        "lemma t : 1 + 1 = 2 := by rfl",
        "theorem t (n : ℕ) : n ≤ n := by\n  have h := n\n  first\n  | fail\n  | exact Nat.le_refl n",
        "theorem t : True := by { trivial }",
        "theorem t (n : ℕ) : 0 ≤ n := by\n  match n with\n  | 0 => decide\n  | m + 1 => exact Nat.zero_le _",
        "theorem t (n : ℕ) : n = n := by\n  all_goals try omega",
        "def two := 2\n\ninstance : Inhabited Nat := by exact ⟨two⟩\n\ntheorem t : two = 2 := by rfl",
        "mutual\ntheorem t : 1 = 1 := by rfl\ntheorem u : 2 = 2 := by rfl\nend",
    ],
)
def test_proofs_of_every_shape_hold(shared: SharedHost, code: str) -> None:
    slow, fast = shared.check(code, core()), hasty(shared, code)
    assert not slow.errors
    assert not fast.messages
    assert fast.declarations == slow.declarations


@pytest.mark.parametrize(
    "code",
    [
        "theorem t : 1 = 1 := by\n  repeat' exact nowhere\n  rfl",
        "theorem t (a b : ℕ) (h : a ≤ b) : a ≤ b ∧ 0 ≤ a := by\n  constructor\n  repeat' · exact h\n  omega",
        "theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  constructor\n  any_goals (· exact hp)\n  exact hq",
        "theorem t (a b : ℕ) (h : a ≤ b) : (a = b → a ≤ b) ∧ 0 ≤ a := by\n  constructor\n  intro h2\n"
        "  any_goals exact Nat.le_of_eq h2\n  omega",
        "theorem t : 1 = 1 := by\n  have h : 2 = 2 := by\n    repeat' exact nowhere\n    rfl\n  rfl",
        "theorem t : 1 = 1 ∧ 2 = 2 := ⟨by\n  repeat' exact nowhere\n  rfl, rfl⟩",
    ],
)
def test_no_error_is_forgotten(shared: SharedHost, code: str) -> None:
    """What is inside of these tactics may throw, and they go on: an error that Lean would have kept must stay one."""
    assert shared.check(code, core()).errors
    assert hasty(shared, code).errors


def test_trees_are_those_of_the_text(shared: SharedHost) -> None:
    code = "theorem t : 1 = 1 ∧ 2 = 2 := by\n  constructor\n  · rfl\n  · rfl"
    told = [shared.living().check(code, core(), tactics=True, until_error=hurried).tactics for hurried in (False, True)]
    assert told[0] == told[1]


def test_tactics_have_their_places_still(shared: SharedHost) -> None:
    code = "theorem t : 1 = 1 ∧ 2 = 2 := by\n  constructor\n  · rfl\n  · rfl"
    spans = [shared.living().check(code, core(), spans=True, until_error=hurried).spans for hurried in (False, True)]
    assert spans[0] == spans[1]


def _spoilt(code: str, chance: random.Random) -> Iterator[str]:
    """The proof, and others that may fail: without a line, with a name or a tactic changed, with errors caught."""
    yield code
    lines = code.split("\n")
    if len(lines) > 2:
        at = chance.randrange(1, len(lines))
        yield "\n".join([*lines[:at], *lines[at + 1 :]])
        tactic = lines[at].lstrip()
        caught = lines[at].removesuffix(tactic) + chance.choice(["any_goals", "repeat'", "all_goals", "try"])
        yield "\n".join([*lines[:at], f"{caught} ({tactic})", *lines[at + 1 :]])
    head, found, proof = code.partition(":= by")
    if found:
        yield (
            head
            + found
            + re.sub(r"\b(omega|grind|decide|simp|rfl)\b", lambda _: chance.choice(["omega", "simp", "rfl"]), proof)
        )
        yield head + found + re.sub(r"\b(h\w*|ih)\b", "nowhere", proof)


def test_the_same_proofs_hold_as_without_haste(pool: LeanPool) -> None:
    chance = random.Random(3)
    limits = Limits(heartbeats=20_000, timeout_s=30)
    codes = list(dict.fromkeys(text for proof in bench_proofs()[::5] for text in _spoilt(proof.code, chance)))

    def accepted(checked: Checked) -> bool:
        assert checked.answer is not None, checked.failure
        return not checked.answer.errors

    slow = [accepted(one) for one in pool.check(Check(code, limits=limits) for code in codes)]
    fast = [accepted(one) for one in pool.check(Check(code, limits=limits, until_error=True) for code in codes)]
    assert 30 < sum(slow) < len(codes) - 30, "both kinds are there"
    assert [code for code, one, other in zip(codes, slow, fast, strict=True) if one is not other] == []
