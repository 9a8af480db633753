"""Which statements the embedded Lean takes, on the header that stands for Mathlib."""

from __future__ import annotations

from pathlib import Path

import pytest

from pythagoras.corpus.records import Formalisation, record_id, statement_of
from pythagoras.errors import InputError
from pythagoras.evaluate.benchmarks import open_benchmark, with_header
from pythagoras.evaluate.running.fitness import unfit_statements
from pythagoras.lean.pool import LeanPool
from pythagoras.lean.verifier import CheckedVerifier, Submission
from pythagoras.lean.wire import Limits

VALID = Path(__file__).parents[3] / "shared" / "data" / "minif2f_valid.jsonl"
LIMITS = Limits(timeout_s=30)


def test_lean_says_why_it_refuses_a_statement(pool: LeanPool) -> None:
    goals = [
        Formalisation("good", "theorem good (n : ℕ) (h : n % 6 = 5) : n % 3 = 2", "x"),
        Formalisation("real", "theorem real (x : ℝ) : x = x", "x"),
        Formalisation("opens", "theorem opens : 1 = 1", "x", context="open MeasureTheory"),
        Formalisation("runs", "theorem runs : 1 = 1", "x", context='elab "foo" : tactic => pure ()'),
        Formalisation("answer", "theorem answer : f = 2", "x", context="abbrev f : ℕ := sorry"),
    ]
    found = {rejected.record: rejected.detail for rejected in unfit_statements(goals, pool, LIMITS)}
    assert [record_id(goal) in found for goal in goals] == [False, True, True, True, False]
    assert "ℝ" in found[record_id(goals[1])]
    assert "MeasureTheory" in found[record_id(goals[2])]
    assert "which no judged text may have" in found[record_id(goals[3])]
    assert not any("\n" in detail for detail in found.values())


def test_the_verifier_finds_the_answers_ready(pool: LeanPool) -> None:
    goal = Formalisation("ready", "theorem ready (n : ℕ) (h : n = 77031) : n + 1 = 77032", "x")
    assert unfit_statements([goal], pool, LIMITS) == []
    before = pool.stats.repeated
    (judged,) = CheckedVerifier(pool, limits=LIMITS).verify([Submission(statement_of(goal), "by omega")])
    assert judged.verdict is not None
    assert pool.stats.repeated == before + 1


def test_a_header_that_this_lean_lacks_is_no_statements_fault(pool: LeanPool) -> None:
    goal = Formalisation("m", "theorem m : 1 = 1", "x", header="mathlib-bare")
    with pytest.raises(InputError, match="the embedded Lean has no Mathlib"):
        unfit_statements([goal], pool, LIMITS)
    assert unfit_statements(with_header([goal], "core"), pool, LIMITS) == []


def test_corebench_is_fit(pool: LeanPool) -> None:
    goals = open_benchmark("corebench/valid", limit=40).goals
    assert unfit_statements(goals, pool, LIMITS) == []


def test_how_much_of_minif2f_is_fit_without_mathlib(pool: LeanPool) -> None:
    if not VALID.exists():
        pytest.skip("needs minif2f_valid.jsonl in ../shared/data")
    goals = with_header(open_benchmark(str(VALID)).goals, "core")
    unfit = unfit_statements(goals, pool, LIMITS)
    fit = len(goals) - len(unfit)
    assert fit >= 103
