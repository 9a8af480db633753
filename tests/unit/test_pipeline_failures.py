"""Failures of attempts: what they died of, the goal at the place, and which ones distillers get."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pythagoras.corpus.records import Attempt, Formalisation, Judgement, Remark
from pythagoras.errors import HostDied
from pythagoras.lean.diagnostics import ErrorClass, Level
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.wire import Answer, Position, Tactic
from pythagoras.pipeline.failures import Failure, Why, actionable, distil_fields, examine
from pythagoras.pipeline.roles.role import RoleName
from pythagoras.pipeline.roles.roles import ROLES

GOAL = Formalisation(
    name="t",
    text="theorem t (n : ℕ) (h : n > 3) : n ^ 2 > 9",
    source="made",
    docstring="Let n be a natural number such that n > 3. Prove that n^2 > 9.",
)
OMEGA = (
    "omega could not prove the goal:\na possible counterexample may satisfy the constraints\n  b ≤ 9\nwhere\n a := ↑n"
)


def failed(proof: str, *errors: tuple[int, int, str], goal: Formalisation = GOAL) -> tuple[Attempt, Judgement]:
    judgement = Judgement(
        submission="s",
        outcome="rejected",
        reason="lean_error",
        checked=f"{goal.text} := {proof}",
        remarks=tuple(Remark("error", line, column, text) for line, column, text in errors),
    )
    return Attempt(formalisation="f", completion=proof), judgement


def checker(*tactics: tuple[str, int, int, str]) -> FakeChecker:
    """A Lean that saw these tactics: text, line, column, and the goals before it."""
    seen = tuple(
        Tactic(
            tactic=text,
            goals=goals,
            pos=Position(line=line, column=column),
            end_pos=Position(line=line + text.count("\n"), column=column + len(text)),
        )
        for text, line, column, goals in tactics
    )
    return FakeChecker(lambda check: Answer(tactics=seen))


def test_the_goal_comes_from_the_message_where_it_shows_one() -> None:
    shown = "unsolved goals\ncase right\na b : ℤ\nh : a - b = 4\n⊢ b = 3"
    attempt, judgement = failed("by\n  constructor\n  · omega", (1, 47, shown))
    failure = examine(GOAL, attempt, judgement)
    assert failure.goal == "case right\na b : ℤ\nh : a - b = 4\n⊢ b = 3"
    assert (failure.category, failure.level) == (ErrorClass.UNSOLVED_GOALS, Level.PROOF)
    assert actionable(failure) == (True, Why.GOAL_LEFT)


def test_lean_is_asked_once_more_where_the_message_shows_no_goal() -> None:
    attempt, judgement = failed("by\n  omega", (2, 2, OMEGA))
    assert actionable(examine(GOAL, attempt, judgement)) == (False, Why.NO_GOAL)
    lean = checker(("omega", 2, 2, "n : ℕ\nh : n > 3\n⊢ n ^ 2 > 9"))
    failure = examine(GOAL, attempt, judgement, lean)
    assert failure.goal == "n : ℕ\nh : n > 3\n⊢ n ^ 2 > 9"
    assert failure.step == "omega"
    assert actionable(failure) == (True, Why.STEP_FAILED)
    assert [check.code for check in lean.asked] == [judgement.checked]


def test_a_goal_that_grind_turned_around_is_asked_for_again() -> None:
    shown = (
        "`grind` failed\ncase grind\nn : ℕ\nh : n > 3\nh_1 : n ^ 2 ≤ 9\n⊢ False\n[grind] Goal diagnostics\n  [facts]"
    )
    attempt, judgement = failed("by\n  grind", (2, 2, shown))
    failure = examine(GOAL, attempt, judgement, checker(("grind", 2, 2, "n : ℕ\nh : n > 3\n⊢ n ^ 2 > 9")))
    assert failure.goal.endswith("⊢ n ^ 2 > 9")
    assert "[facts]" not in distil_fields(failure, 0, "small")["errors"]


def test_an_unknown_name_in_a_step_that_states_its_own_goal() -> None:
    step = "have k : n * n ≥ 16 := Nat.no_such n"
    state = "n : ℕ\nh : n > 3\n⊢ n ^ 2 > 9"
    attempt, judgement = failed(f"by\n  {step}\n  omega", (2, 25, "Unknown constant `Nat.no_such`"))
    failure = examine(GOAL, attempt, judgement, checker((step, 2, 2, state), ("omega", 3, 2, state)))
    assert failure.goal == "n : ℕ\nh : n > 3\n⊢ n * n ≥ 16"
    assert failure.category is ErrorClass.UNKNOWN_NAME


def test_the_root_is_the_first_error_and_the_rest_is_marked() -> None:
    errors = ((2, 8, "Unknown constant `foo`"), (1, 40, "unsolved goals\nn : ℕ\n⊢ n ^ 2 > 9"))
    attempt, judgement = failed("by\n  exact foo", *errors)
    remark = judgement.remarks[1]
    ended = Remark("error", remark.line, remark.column, remark.text, 2, 11)
    judgement = replace(judgement, remarks=(judgement.remarks[0], ended))
    failure = examine(GOAL, attempt, judgement, checker(("exact foo", 2, 2, "n : ℕ\n⊢ n ^ 2 > 9")))
    assert failure.root is not None
    assert failure.root.error is ErrorClass.UNKNOWN_NAME
    described = distil_fields(failure, 0, "large")["errors"]
    assert "line 2, column 8 (root cause): Unknown constant `foo`" in described
    assert "(follows from line 2: goals are left in a block where a step failed)" in described


def _ended(outcome: str, reason: str, checked: str = "", remarks: tuple[Remark, ...] = ()) -> Judgement:
    return Judgement(submission="s", outcome=outcome, reason=reason, checked=checked, remarks=remarks)


CHECKED = f"{GOAL.text} := by omega"


@pytest.mark.parametrize(
    ("judgement", "why"),
    [
        (_ended("", ""), Why.NO_VERDICT),
        (_ended("proved", "holds", CHECKED), Why.PROVED),
        (_ended("timeout", "time_limit", CHECKED), Why.TIMED_OUT),
        (_ended("rejected", "sorry"), Why.NOT_CHECKED),
        (_ended("rejected", "no_proof"), Why.NOT_CHECKED),
        (_ended("rejected", "statement_changed", CHECKED), Why.NO_ERROR),
        (
            _ended("rejected", "lean_error", CHECKED, (Remark("error", 1, 40, "unexpected end of input"),)),
            Why.NOT_PARSED,
        ),
        (
            _ended("rejected", "lean_error", CHECKED, (Remark("error", 1, 50, "No goals to be solved"),)),
            Why.NO_GOAL,
        ),
        (
            _ended(
                *("rejected", "lean_error", CHECKED),
                (Remark("error", 1, 47, "Tactic `decide` proved that the proposition\n  5 * 5 = 26\nis false"),),
            ),
            Why.REFUTED,
        ),
        (
            _ended("rejected", "lean_error", CHECKED, (Remark("error", 1, 44, "unsolved goals\nn : ℕ\n⊢ False"),)),
            Why.DEAD_END,
        ),
        (
            _ended(
                *("rejected", "lean_error", CHECKED),
                (Remark("error", 1, 44, "unsolved goals\nn : ℕ\nh : n > 3\n⊢ n ^ 2 > 9"),),
            ),
            Why.NOTHING_DONE,
        ),
        (
            _ended("rejected", "lean_error", CHECKED, (Remark("error", 1, 16, "Unknown identifier `ℍ`"),)),
            Why.STATEMENT_WRONG,
        ),
        (
            _ended(
                *("rejected", "lean_error", CHECKED),
                (Remark("error", 1, 44, "unsolved goals\nn : ℕ\nh : n > 3\n⊢ n * n > 9"),),
            ),
            Why.GOAL_LEFT,
        ),
    ],
)
def test_which_failures_are_actionable(judgement: Judgement, why: Why) -> None:
    failure = examine(GOAL, Attempt(formalisation="f", completion="by omega"), judgement)
    good = {Why.GOAL_LEFT, Why.STEP_FAILED, Why.STATEMENT_WRONG}
    assert actionable(failure) == (why in good, why)


def test_fields_are_those_of_the_prompt() -> None:
    attempt, judgement = failed("by\n  omega", (2, 2, OMEGA))
    failure = examine(GOAL, attempt, judgement)
    fields = distil_fields(failure, 1, "small")
    assert set(fields) == set(ROLES[RoleName.DISTIL].places)
    assert fields["problem"] == GOAL.docstring
    assert fields["proof"] == ":= by\n  omega"
    assert (fields["number"], fields["size"], fields["category"]) == ("1", "small", "tactic failure")


def test_a_lean_that_broke_down_leaves_what_the_messages_show() -> None:
    attempt, judgement = failed("by\n  omega", (2, 2, OMEGA))
    broken = FakeChecker(lambda check: HostDied("gone"))
    failure = examine(GOAL, attempt, judgement, broken)
    assert isinstance(failure, Failure)
    assert actionable(failure) == (False, Why.NO_GOAL)
