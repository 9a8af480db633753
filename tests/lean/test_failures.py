"""Real failures of all seven classes: examined, distilled, and the problems that come of it proved."""

from __future__ import annotations

from functools import cache

import pytest

from pythagoras.corpus.judgements import judgement
from pythagoras.corpus.records import Attempt, Formalisation, statement_of
from pythagoras.language.english import read_english
from pythagoras.language.lean_writer import write_lean
from pythagoras.lean.diagnostics import ErrorClass
from pythagoras.lean.pool import LeanPool
from pythagoras.lean.verifier import CheckedVerifier, Submission
from pythagoras.lean.wire import Limits
from pythagoras.pipeline.failures import Failure, Why, actionable, distil_fields, examine
from pythagoras.pipeline.roles.distil import Distilled
from pythagoras.pipeline.roles.role import RoleName
from pythagoras.pipeline.roles.roles import ROLES
from pythagoras.pipeline.rules.distil import answer

LIMITS = Limits(heartbeats=20_000)
ONE_TACTIC = "by first | rfl | decide | omega | decide +revert | (subst_vars; decide) | (simp_all; done) | grind"

PROVOKED: dict[str, tuple[ErrorClass, str, str, str]] = {
    # the class, a statement, a proof that fails, and what the goal at that place ends with
    "omega": (
        ErrorClass.TACTIC_FAILURE,
        "theorem t (n : ℕ) (h : n > 3) : n ^ 2 > 9",
        "by\n  omega",
        "⊢ n ^ 2 > 9",
    ),
    "grind": (
        ErrorClass.TACTIC_FAILURE,
        "theorem t (x y : ℤ) (h : x + 10 * y = 61) : 2 * x ^ 2 + 4 * y ^ 2 ≥ 122",
        "by\n  grind",
        "⊢ 2 * x ^ 2 + 4 * y ^ 2 ≥ 122",
    ),
    "induction": (
        ErrorClass.TACTIC_FAILURE,
        "theorem t (n : ℕ) : 2 * ∑ k ∈ Finset.range (n + 1), (16 * k + 21) = (n + 1) * (16 * n + 42)",
        "by\n  induction n with\n  | zero => rfl\n  | succ n ih =>\n    omega",
        "= (n + 1 + 1) * (16 * (n + 1) + 42)",
    ),
    "unsolved": (
        ErrorClass.UNSOLVED_GOALS,
        "theorem t (a b : ℤ) (h : a - b = 4) (h2 : a + b = 10) : a = 7 ∧ b = 3",
        "by\n  constructor\n  · omega",
        "⊢ b = 3",
    ),
    "mismatch": (
        ErrorClass.TYPE_MISMATCH,
        "theorem t (a : ℕ) (b : ℤ) (h : b = a + 3) (ha : a > 5) : 7 * b - 30 ≥ 33",
        "by\n  exact Nat.zero_le a",
        "⊢ 7 * b - 30 ≥ 33",
    ),
    "instance": (
        ErrorClass.FAILED_SYNTHESIS,
        "theorem t : ∀ u : ℕ, (18 + 9 * u ^ 2) % 5 ≠ 0",
        "by\n  decide",
        "⊢ ∀ (u : ℕ), (18 + 9 * u ^ 2) % 5 ≠ 0",
    ),
    "unknown": (
        ErrorClass.UNKNOWN_NAME,
        "theorem t (x y : ℚ) (h : 3 * x - y = 12) (h2 : x + y = 8) : x = 5",
        "by\n  have k : 4 * x = 20 := linear_combo h h2\n  grind",
        "⊢ 4 * x = 20",
    ),
    "field": (
        ErrorClass.INVALID_FIELD,
        "theorem t (z : ℕ) : Nat.gcd (3 * z + 16) (4 * z + 21) = 1",
        "by\n  exact (3 * z + 16).coprime_of (4 * z + 21)",
        "= 1",
    ),
    "other": (
        ErrorClass.OTHER,
        "theorem t (x : ℚ) : x ^ 2 - 8 * x + 19 ≥ 0",
        "by\n  exact (_ : x ^ 2 - 8 * x + 19 ≥ 0)",
        "⊢ x ^ 2 - 8 * x + 19 ≥ 0",
    ),
}


def _goal(text: str) -> Formalisation:
    return Formalisation(name="t", text=text, source="made")


@cache
def _failure(pool: LeanPool, name: str) -> Failure:
    _, statement, proof, _ = PROVOKED[name]
    goal = _goal(statement)
    judged = next(iter(CheckedVerifier(pool, limits=LIMITS).verify([Submission(statement_of(goal), proof)])))
    recorded = judgement("s", judged, pool.version)
    return examine(goal, Attempt(formalisation="", completion=proof), recorded, pool, LIMITS)


@pytest.mark.parametrize("name", PROVOKED)
def test_the_class_and_the_goal_at_the_place(pool: LeanPool, name: str) -> None:
    error, _, _, ends = PROVOKED[name]
    failure = _failure(pool, name)
    assert failure.category is error
    assert failure.goal.endswith(ends)
    assert actionable(failure) == (True, Why.GOAL_LEFT if error is ErrorClass.UNSOLVED_GOALS else Why.STEP_FAILED)


def test_distilled_problems_elaborate_and_most_are_proved_at_once(pool: LeanPool) -> None:
    questions: dict[str, str] = {}
    for name in PROVOKED:
        failure = _failure(pool, name)
        for size in ("large", "small"):
            for number in (0, 1):
                fields = distil_fields(failure, number, size)
                found = ROLES[RoleName.DISTIL].parse(answer(fields, number, 1), fields)
                assert isinstance(found, Distilled), (name, size, number, found)
                questions.setdefault(found.question, name)
    proved = []
    for question in questions:
        goal = _goal(write_lean(read_english(question), "t"))
        tried = Submission(statement_of(goal), ONE_TACTIC)
        verdict = next(iter(CheckedVerifier(pool, limits=LIMITS).verify([tried]))).verdict
        assert verdict is not None, goal.text  # the statement is Lean
        proved.append(verdict.proved)
        print("proved" if proved[-1] else "open  ", questions[question], "|", question)
    print(f"{sum(proved)} of {len(proved)} distilled problems are proved by one tactic")
    assert sum(proved) >= 0.8 * len(proved)
