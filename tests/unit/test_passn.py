"""pass@N: against counting over all subsets, against fractions, and on made runs whose numbers are known."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythagoras.corpus.intervals import wilson
from pythagoras.corpus.records import Judgement
from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.passn import (
    bootstrap,
    chance_of_one,
    chances,
    curve,
    disagreements,
    estimates,
    log_grid,
    no_estimate,
    pass_at,
    pass_table,
    resampling,
    tried,
)
from pythagoras.evaluate.results import Results, Rounds, load
from tests.made_runs import made_goals, make_run, mutated

SOLVED = [[True, False, False, True], [False, False, True, False], [False] * 4, [True] * 4]


@pytest.fixture
def made(tmp_path: Path) -> Results:
    return load(make_run(tmp_path / "run", SOLVED))


# --- the estimator -----------------------------------------------------------------------------


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
def test_the_estimate_is_the_mean_over_all_subsets(row: list[bool], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(row)))
    subsets = list(itertools.combinations(row, k))
    mean = sum(map(any, subsets)) / len(subsets)
    assert chance_of_one(len(row), sum(row))[k] == pytest.approx(mean, abs=1e-14)


@settings(max_examples=60)
@given(st.integers(1, 8192), st.data())
def test_the_estimate_is_exact_for_thousands(drawn: int, data: st.DataObject) -> None:
    correct = data.draw(st.integers(0, drawn) | st.integers(0, min(3, drawn)))
    k = data.draw(st.integers(0, drawn))
    exact = 1 - Fraction(math.comb(drawn - correct, k), math.comb(drawn, k))
    assert chance_of_one(drawn, correct)[k] == pytest.approx(float(exact), rel=1e-11)


def test_the_estimate_of_all_attempts_is_whether_one_holds() -> None:
    for drawn, correct in [(1, 0), (1, 1), (5000, 0), (5000, 1), (5000, 5000)]:
        found = chance_of_one(drawn, correct)
        assert (found[0], found[-1]) == (0.0, float(correct > 0))
        assert np.all(np.diff(found) >= 0)


def test_problems_with_fewer_attempts_use_all_they_have() -> None:
    found = chances(np.array([4, 2, 0]), np.array([1, 1, 0]), [1, 2, 4])
    assert found.tolist() == pytest.approx(np.array([[0.25, 0.5, 1], [0.5, 1, 1], [0, 0, 0]]))


# --- runs --------------------------------------------------------------------------------------


def test_the_papers_pass_at_n_is_of_the_first_n(made: Results) -> None:
    found = [pass_at(made, n) for n in (1, 2, 3, 4)]
    assert [(one.solved, one.problems, one.share) for one in found] == [
        (2, 4, 0.5),
        (2, 4, 0.5),
        (3, 4, 0.75),
        (3, 4, 0.75),
    ]
    assert [one.short for one in found] == [0, 0, 0, 0]
    assert pass_at(made, 5).short == 1  # of the unsolved one alone: more attempts can't unsolve the others


def test_estimates_of_a_run(made: Results) -> None:
    found = estimates(made, [1, 2, 4])
    assert [one.value for one in found] == pytest.approx(
        [(2 / 4 + 1 / 4 + 0 + 1) / 4, ((1 - 1 / 6) + 1 / 2 + 0 + 1) / 4, 3 / 4]
    )
    assert all(one.low <= one.value <= one.high and one.short == 0 for one in found)
    assert estimates(made, [8])[0].short == 4
    assert estimates(made, [8])[0].value == 0.75


def test_statements_that_lean_refuses_count_as_unsolved_or_not_at_all(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[True, True], [False, True], [], []], unfit=[2, 3]))
    assert [pass_at(run, 1, over=over).share for over in ("all", "fit")] == [0.25, 0.5]
    assert [estimates(run, [1], over=over)[0].value for over in ("all", "fit")] == pytest.approx([1.5 / 4, 1.5 / 2])
    assert pass_at(run, 2).short == 0  # nothing is missing: no attempt at them was wanted
    assert estimates(run, [2])[0].short == 0


def test_missing_attempts_make_it_a_lower_bound(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[False], [False, True], []]))
    assert (pass_at(run, 2).solved, pass_at(run, 2).short) == (1, 2)
    assert estimates(run, [2])[0].value == pytest.approx(1 / 3)
    assert estimates(run, [2])[0].short == 2


def test_a_run_that_stopped_at_solutions_has_no_estimate(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[True], [False, True], [False, False]], stop_when_solved=True))
    assert no_estimate(run)
    with pytest.raises(InputError, match="got no more attempts once they were solved"):
        estimates(run)
    assert [(row.verdict.solved, row.verdict.short, row.verdict_estimate) for row in pass_table(run)] == [
        (1, 0, None),
        (2, 0, None),
    ]
    assert curve(run).value == pytest.approx([1 / 3, 2 / 3])


def test_a_run_without_attempts_or_statements(tmp_path: Path) -> None:
    nothing_drawn = load(make_run(tmp_path / "a", [[], []]))
    nothing_fits = load(make_run(tmp_path / "b", [[], []], unfit=[0, 1]))
    empty = load(make_run(tmp_path / "c", []))
    assert (pass_at(nothing_drawn, 1).solved, pass_at(nothing_drawn, 1).short) == (0, 2)
    assert [(one.share, one.low, one.high) for one in (pass_at(nothing_fits, 1, over="fit"), pass_at(empty, 1))] == [
        (0.0, 0.0, 1.0)
    ] * 2
    assert [(one.value, one.low, one.high) for one in estimates(empty, [1])] == [(0.0, 0.0, 1.0)]
    assert curve(empty).n == ()
    assert pass_table(empty) == ()


@pytest.mark.parametrize("n", [0, -3])
def test_n_counts_attempts(made: Results, n: int) -> None:
    with pytest.raises(InputError, match=f"pass@{n}"):
        pass_at(made, n)
    with pytest.raises(InputError, match=f"pass@{n}"):
        estimates(made, [n])


def test_the_curve_is_the_estimate_on_the_log_grid(made: Results) -> None:
    found = curve(made)
    assert (found.label, found.n) == ("made", (1, 2, 4))
    assert found.value == tuple(one.value for one in estimates(made))
    assert found == curve(made)  # the same seed
    assert replace(found, low=(), high=()) == replace(curve(made, seed=1), low=(), high=())


def test_the_log_grid_has_the_usual_budgets() -> None:
    assert log_grid(0) == ()
    assert [log_grid(n) for n in (1, 2, 6)] == [(1,), (1, 2), (1, 2, 4, 6)]
    assert {32, 64, 128, 1024, 2048, 3200} <= set(log_grid(3200))


# --- the two rules -----------------------------------------------------------------------------


def _judged(run: Results, change: dict[tuple[str, int], Judgement]) -> Results:
    """The run with other judgements, by goal and attempt."""
    judgements = list(run.judgements)
    for at, index in enumerate(run.rounds.judgement):
        key = (run.goals[run.rounds.goal[at]].name, int(run.rounds.number[at]))
        if key in change:
            judgements[index] = replace(change[key], submission=judgements[index].submission)
    return Results(run.folder, run.manifest, run.goals, run.unfit, run.rounds, tuple(judgements))


def test_disagreements_are_listed_and_counts_add_up(made: Results) -> None:
    names = [goal.name for goal in made.goals]
    run = _judged(
        made,
        {
            (names[0], 0): Judgement("", "proved", "holds", paper_rule=False),
            (names[2], 1): Judgement("", "rejected", "axiom", "it declares bad", paper_rule=True),
            (names[3], 0): Judgement("", "proved", "holds", paper_rule=None),
            (names[3], 1): Judgement("", "", "", "Lean died"),
        },
    )
    found = disagreements(run)
    assert [(one.goal, one.number, one.round, one.proved, one.reason, one.detail) for one in found.listed] == [
        (names[0], 0, 0, True, "holds", ""),
        (names[2], 1, 0, False, "axiom", "it declares bad"),
    ]
    assert (found.rounds, found.both_accept, found.both_refuse) == (16, 4, 8)
    assert (found.paper_not_told, found.unjudged) == (1, 1)
    assert found.both_accept + found.both_refuse + found.paper_not_told + found.unjudged + len(found.listed) == 16
    row = pass_table(run)[0]
    assert (row.verdict.solved, row.paper.solved) == (2, 0)  # the first attempts alone
    assert row.paper_estimate is not None
    assert row.paper_estimate.value == pytest.approx((1 / 4 + 1 / 4 + 1 / 4 + 2 / 4) / 4)


# --- what is not known -------------------------------------------------------------------------


def _without_verdict(run: Results, *places: tuple[int, int]) -> Results:
    """The run without the verdicts of some attempts, by goal and number."""
    lost = [(int(goal), int(number)) in places for goal, number in zip(run.rounds.goal, run.rounds.number, strict=True)]
    return replace(run, rounds=replace(run.rounds, judgement=np.where(lost, -1, run.rounds.judgement)))


def test_attempts_without_a_verdict_make_it_a_lower_bound(made: Results) -> None:
    run = _without_verdict(made, (2, 3), (3, 0))
    assert [(pass_at(run, n).solved, pass_at(run, n).short) for n in (1, 3, 4)] == [(1, 1), (3, 0), (3, 1)]
    assert [one.short for one in estimates(run, [1, 4])] == [2, 2]
    assert curve(run).short == (2, 2, 2)
    assert curve(made).short == (0, 0, 0)
    paper = tuple(replace(judged, paper_rule=None) for judged in made.judgements)
    row = pass_table(replace(made, judgements=paper))[-1]
    assert (row.verdict.short, row.paper.short, row.paper.solved) == (0, 4, 0)


def test_what_n_attempts_came_to_has_bounds(made: Results) -> None:
    run = _without_verdict(made, (0, 0), (2, 1))
    found = tried(run, 2)
    assert found.solved.tolist() == [False, False, False, True]
    assert found.told.tolist() == [False, True, False, True]
    assert found.chance.tolist() == pytest.approx([1 / 2, 1 / 2, 0, 1])
    assert found.most.tolist() == pytest.approx([5 / 6, 1 / 2, 1 / 2, 1])
    assert tried(run, 8).most.tolist() == [1, 1, 1, 1]  # nobody knows what four more would have done
    for n in (1, 2, 3, 4):
        known = tried(made, n)
        assert known.told.all()
        assert np.array_equal(known.chance, known.most)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from("+-?"), min_size=1, max_size=5), min_size=1, max_size=4), st.integers(1, 6))
def test_the_bounds_hold_whatever_the_missing_verdicts_are(rows: list[list[str]], n: int) -> None:
    """Against all ways to fill in what is not known, on arrays alone."""
    for row in rows:
        unknown = row.count("?") + max(0, n - len(row))
        drawn, held = max(len(row), n), row.count("+")
        ways = [chance_of_one(drawn, held + more)[n] for more in range(unknown + 1)]
        low = chances(np.array([len(row)]), np.array([held]), [n])[0, 0]
        high = chances(np.array([drawn]), np.array([held + unknown]), [n])[0, 0]
        assert max(ways) == pytest.approx(high)
        if len(row) >= n:
            assert min(ways) == pytest.approx(low)


def test_the_first_n_are_those_with_the_first_numbers(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[False, False, True, False]] * 4))
    later = np.flatnonzero(run.rounds.number > 0)
    gap = replace(run, rounds=Rounds(*(getattr(run.rounds, name)[later] for name in Rounds.__slots__)))
    assert (pass_at(gap, 2).solved, pass_at(gap, 2).short) == (0, 4)
    assert tried(gap, 2).solved.tolist() == [False] * 4


# --- intervals ---------------------------------------------------------------------------------


def test_wilsons_interval_is_the_published_one() -> None:
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)  # Newcombe 1998, table I
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert wilson(20, 20)[1] == 1.0


@given(st.integers(0, 300), st.integers(0, 300))
def test_wilsons_interval_has_the_share_in_it(solved: int, more: int) -> None:
    low, high = wilson(solved, solved + more)
    assert 0 <= low <= high <= 1
    if solved + more:
        assert low <= solved / (solved + more) <= high


ALONE = np.arange(400)


def test_the_bootstrap_is_as_wide_as_theory_says() -> None:
    values = np.repeat([[1.0, 0.3], [0.0, 0.3]], 200, axis=0)
    low, high = bootstrap(values, ALONE, seed=3, resamples=4000)
    width = 1.96 * math.sqrt(0.25 / 400)
    assert (low[0], high[0]) == (pytest.approx(0.5 - width, abs=0.005), pytest.approx(0.5 + width, abs=0.005))
    assert (low[1], high[1]) == (pytest.approx(0.3), pytest.approx(0.3))
    again = bootstrap(values, ALONE, seed=3, resamples=4000)
    assert np.array_equal(low, again[0])
    assert not np.array_equal(resampling(ALONE[:9], seed=3), resampling(ALONE[:9], seed=4))


def test_an_interval_never_leaves_out_the_value() -> None:
    values = np.full((488, 3), [0.1, 0.3, 1.0])  # sums of which are rounded
    low, high = bootstrap(values, np.arange(488))
    assert np.all(low <= values.mean(axis=0))
    assert np.all(high >= values.mean(axis=0))


def test_variants_of_one_original_are_drawn_together(tmp_path: Path) -> None:
    """Twice the problems that fall together are no more evidence than the originals."""
    solved = [[bool(one)] for one in np.random.default_rng(0).random(122) < 0.5]
    goals = made_goals(122)
    originals = load(make_run(tmp_path / "o", solved, goals))
    variants = load(make_run(tmp_path / "m", [row for row in solved for _ in range(2)], mutated(goals)))
    for one in (originals, variants):
        found, guess = pass_at(one, 1), estimates(one)[0]
        assert found.high - found.low == pytest.approx(0.175, abs=0.01)
        assert guess.high - guess.low == pytest.approx(0.175, abs=0.01)
    assert (pass_at(originals, 1).variants, pass_at(variants, 1).variants) == (False, True)
    assert pass_at(variants, 1) == pass_at(variants, 1)
    nothing = load(make_run(tmp_path / "n", [[False]] * 244, mutated(goals)))
    assert (pass_at(nothing, 1).low, pass_at(nothing, 1).high) == wilson(0, 122)  # drawing again tells nothing
