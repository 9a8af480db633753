"""Runs as analysis reads them: matrices that say what happened, and counts that add up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythagoras.corpus.records import Attempt, Judgement, record_id
from pythagoras.errors import InputError
from pythagoras.evaluate.journal import Journal, read_journal
from pythagoras.evaluate.results import Counts, load
from pythagoras.evaluate.runs import ATTEMPTS, JUDGEMENTS, MANIFEST, read_manifest
from tests.made_runs import made_goals, make_run

ROWS = st.lists(st.lists(st.booleans(), max_size=6), min_size=1, max_size=8)


def add_up(counts: Counts) -> None:
    assert counts.wanted == counts.drawn + counts.missing
    assert counts.drawn == counts.proved + counts.rejected + counts.timeout + counts.unjudged
    assert counts.solved <= counts.problems - counts.unfit
    assert min(vars_of(counts)) >= 0


def vars_of(counts: Counts) -> list[int]:
    return [getattr(counts, name) for name in Counts.__slots__]


@settings(max_examples=40, deadline=None)
@given(solved=ROWS, rounds=st.integers(1, 3), seed=st.integers(0, 99), extra=st.integers(0, 3), data=st.data())
def test_counts_always_add_up(
    tmp_path_factory: pytest.TempPathFactory,
    solved: list[list[bool]],
    rounds: int,
    seed: int,
    extra: int,
    data: st.DataObject,
) -> None:
    unfit = [at for at in range(len(solved)) if data.draw(st.booleans()) and not solved[at]]
    n = max(map(len, solved)) + extra
    folder = make_run(tmp_path_factory.mktemp("r"), solved, rounds=rounds, seed=seed, unfit=unfit, n=n)
    results = load(folder)
    counts = results.counts()
    add_up(counts)
    assert counts.problems == len(solved)
    assert counts.unfit == len(unfit)
    assert counts.drawn == sum(map(len, solved))
    assert counts.proved == sum(map(sum, solved))
    assert counts.solved == sum(map(any, solved))
    assert counts.unjudged == 0
    padded = np.zeros_like(results.solved)
    for at, row in enumerate(solved):
        padded[at, : len(row)] = row
    assert (results.solved == padded).all()
    assert (results.solved <= results.drawn).all()
    assert (results.solved_by_paper == results.solved).all()
    assert len(results.last_rounds) == counts.drawn
    assert sum(1 for _ in results.attempts()) == len(results.rounds)


def test_rows_are_by_goal_number_and_round_whatever_order_they_were_drawn_in(tmp_path: Path) -> None:
    folder = make_run(tmp_path, [[False] * 3] * 2, rounds=2, seed=1)
    rounds = load(folder).rounds
    places = list(zip(rounds.goal, rounds.number, rounds.round, strict=True))
    assert places == sorted(places)
    assert places == [(goal, number, k) for goal in range(2) for number in range(3) for k in range(2)]


def test_an_attempt_is_solved_by_any_of_its_rounds_and_ends_as_its_last_does(tmp_path: Path) -> None:
    results = load(make_run(tmp_path, [[True, False]], rounds=3, seed=3))
    assert results.solved.tolist() == [[True, False]]
    counts = results.counts()
    assert (counts.proved, counts.rejected + counts.timeout, counts.drawn) == (1, 1, 2)


def test_what_has_no_verdict_counts_as_neither_until_it_gets_one(tmp_path: Path) -> None:
    goals = made_goals(1)
    make_run(tmp_path, [[]], goals, n=3)
    with Journal(tmp_path / ATTEMPTS, "attempt") as attempts, Journal(tmp_path / JUDGEMENTS, "judgement") as judgements:
        for number, submission in enumerate(("never asked", "broke down", "asked again")):
            attempts.append(Attempt(record_id(goals[0]), "by rfl", number=number, submission=submission))
        judgements.append(Judgement("broke down", "", "", "the host died"))
        judgements.append(Judgement("asked again", "", "", "the host died"))
        judgements.append(Judgement("asked again", "proved", "holds"))
    results = load(tmp_path)
    add_up(results.counts())
    assert (results.counts().unjudged, results.counts().proved) == (2, 1)
    assert len(results.judgements) == 2
    assert results.judged.tolist() == [[False, False, True]]
    assert not results.judged_by_paper.any()  # a verdict does not say what the paper's rule says


def test_an_attempt_is_judged_by_its_last_round_unless_one_before_is_proved(tmp_path: Path) -> None:
    results = load(make_run(tmp_path, [[False, False, True]], rounds=2, seed=1))
    assert results.judged.all()
    lost = np.where(results.rounds.round == 1, -1, results.rounds.judgement)
    proved_first = (replace(results.judgements[0], outcome="proved"), *results.judgements[1:])
    found = replace(results, rounds=replace(results.rounds, judgement=lost), judgements=proved_first)
    assert found.judged[0, :2].tolist() == [True, False]


def test_the_same_proof_counts_for_every_attempt_that_has_it(tmp_path: Path) -> None:
    goals = made_goals(1)
    make_run(tmp_path, [[]], goals, n=4)
    with Journal(tmp_path / ATTEMPTS, "attempt") as attempts, Journal(tmp_path / JUDGEMENTS, "judgement") as judgements:
        for number in range(4):
            attempts.append(Attempt(record_id(goals[0]), "by rfl", number=number, submission="same"))
        judgements.append(Judgement("same", "proved", "holds"))
    assert load(tmp_path).counts().proved == 4


def test_a_run_that_has_only_begun_can_be_read(tmp_path: Path) -> None:
    results = load(make_run(tmp_path, [[], []], n=5))
    assert (results.draws, results.solved.shape, len(results.rounds)) == (0, (2, 0), 0)
    counts = results.counts()
    add_up(counts)
    assert (counts.wanted, counts.missing) == (10, 10)


def test_folders_that_are_no_runs_or_damaged_are_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is no run: it has no run\.json"):
        load(tmp_path)
    make_run(tmp_path, [[True]])
    sound = (tmp_path / MANIFEST).read_text(encoding="utf-8")
    for broken in ("", "{", "[]", sound.replace('"seed": 0', '"seed": "x"'), sound.replace('"label"', '"lable"')):
        (tmp_path / MANIFEST).write_text(broken, encoding="utf-8")
        with pytest.raises(InputError, match=r"run\.json.*run again") as refused:
            load(tmp_path)
        assert "\n" not in str(refused.value)
    (tmp_path / MANIFEST).write_text(sound, encoding="utf-8")
    assert read_manifest(tmp_path).label == "made"
    with Journal(tmp_path / ATTEMPTS, "attempt") as attempts:
        attempts.append(Attempt("of another run", "by rfl", submission="s"))
    with pytest.raises(InputError, match="attempts at 1 statements that its goals do not have"):
        load(tmp_path)


def test_long_texts_of_judgements_stay_on_disk(tmp_path: Path) -> None:
    results = load(make_run(tmp_path, [[False, True]]))
    assert [(judged.checked, judged.remarks) for judged in results.judgements] == [("", ())] * 2
    assert [judged.axioms for judged in results.judgements] == [(), ("propext",)]
    written = [record for record in read_journal(tmp_path / JUDGEMENTS, "judgement") if isinstance(record, Judgement)]
    assert results.judgements == tuple(replace(judged, checked="", remarks=()) for judged in written)
