"""What failed attempts died of and what sets are made of: shares that always add up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pythagoras.corpus.reasons import Reason as Dropping
from pythagoras.corpus.records import Judgement, Record
from pythagoras.corpus.stages import Dropped, run_stage
from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.failures import (
    NO_VERDICT,
    Shares,
    corpus_funnel,
    error_shares,
    failure_class,
    make_up,
    seed_errors,
    shares,
)
from pythagoras.evaluate.results import Results, load
from pythagoras.lean.diagnostics import ErrorClass
from pythagoras.lean.verdict import Reason
from tests.made_runs import made_goals, make_run
from tests.unit.corpora import problem

Y, N = True, False


def _judged(reason: str, outcome: str = "rejected", error: str = "") -> Judgement:
    return Judgement(submission="s", outcome=outcome, reason=reason, error=error)


def test_shares_count_and_sort() -> None:
    found = shares("letters", "abracadabra")
    assert found == Shares("letters", 11, (("a", 5), ("b", 2), ("r", 2), ("c", 1), ("d", 1)))
    assert found.as_dict()["parts"][0] == {"name": "a", "count": 5, "share": 5 / 11}
    assert shares("nothing", []).as_dict() == {"title": "nothing", "total": 0, "parts": []}


def test_shares_that_do_not_add_up_are_a_bug() -> None:
    with pytest.raises(AssertionError):
        Shares("wrong", 3, (("a", 1), ("b", 1)))


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        (None, NO_VERDICT),
        (_judged("", ""), NO_VERDICT),
        (_judged("holds", "proved"), ""),
        (_judged("time_limit", "timeout"), "timeout"),
        (_judged("lean_error", error="unsolved goals"), "unsolved goals"),
        (_judged("lean_error"), "lean error"),
        (_judged("no_proof"), "no proof"),
        (_judged("sorry"), "sorry"),
        (_judged("statement_changed"), "statement changed"),
    ],
)
def test_every_failure_has_a_class(judged: Judgement | None, expected: str) -> None:
    assert failure_class(judged) == expected


def test_no_reason_is_without_a_class() -> None:
    refused = [reason for reason in Reason if reason is not Reason.HOLDS]
    assert len({failure_class(_judged(reason.name.lower())) for reason in refused}) == len(refused)


def _with_reasons(run: Results) -> Results:
    """The same run, of whose failed attempts the first died of other things than Lean's errors."""
    odd = [_judged("", ""), _judged("no_proof"), _judged("statement_changed"), _judged("search")]
    failed = [at for at, judged in enumerate(run.judgements) if judged.outcome != "proved"]
    judgements = list(run.judgements)
    for at, other in zip(failed, odd, strict=False):
        judgements[at] = replace(other, submission=judgements[at].submission)
    return replace(run, judgements=tuple(judgements))


def test_failed_attempts_add_up(tmp_path: Path) -> None:
    solved = (np.random.default_rng(0).random((12, 10)) < 0.4).tolist()
    run = _with_reasons(load(make_run(tmp_path / "r", solved)))
    found = error_shares(run)
    counts = run.counts()
    assert found.total == counts.drawn - counts.proved == 120 - sum(map(sum, solved))
    parts = dict(found.parts)
    assert [parts[name] for name in (NO_VERDICT, "no proof", "statement changed", "search")] == [1, 1, 1, 1]
    assert parts["timeout"] == counts.timeout


def test_an_attempt_counts_by_its_last_round(tmp_path: Path) -> None:
    solved = (np.random.default_rng(1).random((10, 6)) < 0.5).tolist()
    run = load(make_run(tmp_path / "r", solved, rounds=3))
    failed = 60 - sum(map(sum, solved))
    assert error_shares(run).total == failed
    last = [run.judgements[run.rounds.judgement[row]] for row in run.last_rounds]
    expected = shares("made: failed attempts", filter(None, map(failure_class, last)))
    assert error_shares(run) == expected


def test_an_attempt_with_a_proof_did_not_fail_whatever_came_behind_it(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "r", [[N], [N]], rounds=2))
    first = replace(run.judgements[0], outcome="proved", reason="holds")
    assert error_shares(replace(run, judgements=(first, *run.judgements[1:]))).total == 1


def test_a_run_without_judgements_has_no_verdicts(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "r", [[Y, N], [N, N]]))
    silent = replace(run, judgements=(), rounds=replace(run.rounds, judgement=np.full(4, -1)))
    assert error_shares(silent).parts == ((NO_VERDICT, 4),)
    assert error_shares(load(make_run(tmp_path / "e", [[], []]))).total == 0


def test_the_papers_shares_are_of_our_classes_and_make_a_whole() -> None:
    found = seed_errors()
    assert {name for name, _ in found.percent} == {error.value for error in ErrorClass}
    assert sum(percent for _, percent in found.percent) == pytest.approx(100)
    assert found.percent[0] == ("tactic failure", 30.0)
    assert found.total == 612_817
    assert "paper" in found.source
    assert found.percent[-2:] == (("other", 9.7), ("failed to synthesise", 8.0))


# --- make-up --------------------------------------------------------------------------------------


def test_sets_by_domain() -> None:
    goals = made_goals(16)
    found = make_up(goals, "all")
    assert dict(found.parts) == {
        **{"IMO": 2, "AMC": 2, "AIME": 2, "MathD": 4},
        **{"Algebra": 2, "Number Theory": 2, "Induction": 2},
    }


# --- the corpus -----------------------------------------------------------------------------------


def _drop_some(batch: Sequence[Record]) -> Iterable[Record | Dropped]:
    for at, record in enumerate(batch):
        yield record if at % 3 else Dropped(record, Dropping.TOO_LONG if at % 2 else Dropping.SAME_TEXT)


def test_a_corpus_has_a_funnel(tmp_path: Path) -> None:
    first = run_stage(
        [problem(f"What is 1 + {at}?") for at in range(20)], tmp_path / "c", stage="dedup", settings={}, inputs={}
    )
    run_stage(
        [problem(f"What is 1 + {at}?") for at in range(20)],
        tmp_path / "d",
        stage="filter",
        settings={},
        inputs={},
        decide=_drop_some,
        funnel=first.manifest.funnel,
    )
    dedup, length = corpus_funnel(tmp_path / "d")
    assert dedup == Shares("dedup", 20, (("kept", 20),))
    assert (length.title, length.total) == ("filter", 20)
    assert dict(length.parts) == {"kept": 13, "too long": 3, "same text": 4}
    with pytest.raises(InputError, match="is no corpus"):
        corpus_funnel(tmp_path)
