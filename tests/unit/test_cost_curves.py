"""Solved against cost: against all orders of a few attempts, and on runs whose matched shares are known."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.cost import cost_report, etc
from pythagoras.evaluate.analysis.cost_curves import MEASURES, _cost, _dense_grid, cost_curves, matched, spent
from pythagoras.evaluate.analysis.passn import estimates
from pythagoras.evaluate.results import Results, load
from pythagoras.llm.architectures import architecture
from tests.made_runs import made_goals, make_run, mutated
from tests.unit.test_cost import tiny, with_rounds

ATTEMPTS = st.lists(st.tuples(st.booleans(), st.integers(1, 50)), min_size=1, max_size=5)


@given(ATTEMPTS, st.booleans())
def test_expected_cost_is_the_mean_over_all_orders(attempts: list[tuple[bool, int]], stop: bool) -> None:
    holds = np.array([[one for one, _ in attempts]])
    each = np.array([[float(cost) for _, cost in attempts]])
    grid = range(1, len(attempts) + 1)
    found = _cost(np.ones_like(holds), holds, each, grid, stop)[0]
    orders = list(itertools.permutations(attempts))
    for k in grid:
        total = 0
        for order in orders:
            for solved, cost in order[:k]:
                total += cost
                if stop and solved:
                    break
        assert found[k - 1] == pytest.approx(total / len(orders))


def flat(folder: Path, solved: list[list[bool]], label: str, tokens: int) -> Results:
    """A run all of whose attempts generated the same number of tokens."""
    run = load(make_run(folder / label, solved, label=label))
    return with_rounds(run, generated_tokens=np.full(len(run.rounds), tokens))


@pytest.fixture
def cheap(tmp_path: Path) -> Results:
    return flat(tmp_path, [[True, False, False, False], [False] * 4], "cheap", 10)


@pytest.fixture
def dear(tmp_path: Path) -> Results:
    return flat(tmp_path, [[True, True], [True, False]], "dear", 20)


def test_a_curve_is_the_estimate_against_mean_cost(cheap: Results, dear: Results) -> None:
    first, second = cost_curves([cheap, dear], "tokens")
    assert (first.label, first.measure, first.unit, first.n) == ("cheap", "tokens", "generated tokens", (1, 2, 4))
    assert first.cost == (10, 20, 40)
    assert first.solved == pytest.approx([1 / 8, 2 / 8, 1 / 2])
    assert first.solved == tuple(one.value for one in estimates(cheap))
    assert second.cost == (20, 40)
    assert second.solved == pytest.approx([3 / 4, 1])
    assert all(low <= value <= high for low, value, high in zip(first.low, first.solved, first.high, strict=True))


def test_matched_shares(cheap: Results, dear: Results) -> None:
    first, second = matched([cheap, dear], "tokens")
    assert (first.budget, second.budget) == (40, 40)
    assert (first.n, first.share) == pytest.approx((4, 1 / 2))
    assert (second.n, second.share) == (2, 1)
    assert first.difference is None
    assert second.difference == pytest.approx(1 / 2)
    assert second.difference_low is not None
    assert second.difference_high is not None
    assert second.difference_low <= 1 / 2 <= second.difference_high
    between = matched([cheap, dear], "tokens", budget=30)
    assert [one.n for one in between] == pytest.approx([3, 1.5])
    assert [one.share for one in between] == pytest.approx([3 / 8, 7 / 8])
    little = matched([dear], "tokens", budget=5)[0]
    assert (little.n, little.share) == pytest.approx((0.25, 3 / 16))


def test_without_a_budget_it_is_the_largest_that_all_have_spent(tmp_path: Path, cheap: Results) -> None:
    lavish = flat(tmp_path, [[True, True], [False, True]], "lavish", 100)
    for runs in ([cheap, lavish], [lavish, cheap]):
        assert [(one.budget, one.within) for one in matched(runs, "tokens")] == [(40, True)] * 2


def test_a_budget_beyond_what_was_spent_is_marked(cheap: Results, dear: Results) -> None:
    found = matched([cheap, dear], "tokens", budget=100)
    assert [(one.within, one.n) for one in found] == [(False, 4), (False, 2)]
    assert all(one.within for one in matched([cheap, dear], "tokens"))


def test_attempts_without_a_verdict_cost_and_count_as_failed(cheap: Results, dear: Results) -> None:
    lost = with_rounds(dear, judgement=np.where(dear.rounds.goal == 0, -1, dear.rounds.judgement))
    found = matched([cheap, lost], "tokens")
    assert [(one.budget, one.unjudged) for one in found] == [(40, 0), (40, 1)]
    assert found[1].share == 1 / 2
    assert cost_curves([lost], "tokens")[0].cost == cost_curves([dear], "tokens")[0].cost


def test_runs_on_other_problems_have_no_difference(tmp_path: Path, cheap: Results) -> None:
    other = load(make_run(tmp_path / "other", [[True], [False]], made_goals(4)[2:], label="other"))
    assert [one.difference for one in matched([cheap, other], "tokens")] == [None, None]


def test_a_pair_is_resampled_together(tmp_path: Path) -> None:
    solved = [[at % 2 == 0] for at in range(60)]
    runs = [flat(tmp_path, solved, label, 10) for label in ("one", "same")]
    found = matched(runs, "tokens")[1]
    assert found.low < 0.5 < found.high
    assert (found.difference, found.difference_low, found.difference_high) == (0, 0, 0)


def test_stopping_at_the_first_solution_costs_less_and_solves_the_same(cheap: Results) -> None:
    all_, stopped = cost_curves([cheap], "tokens")[0], cost_curves([cheap], "tokens", stop_at_first=True)[0]
    assert stopped.solved == all_.solved
    # the solved one's single proof is found at place 1, 2, 3 or 4: 2.5 attempts on average; the other takes all 4
    assert stopped.cost[-1] == pytest.approx((25 + 40) / 2)
    assert stopped.cost[0] == all_.cost[0]


def test_a_run_that_did_stop_is_taken_as_it_went(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[False, True], [True], [False, False]], stop_when_solved=True))
    run = with_rounds(run, generated_tokens=np.full(5, 10))
    with pytest.raises(InputError, match="stop at the first solution"):
        cost_curves([run], "tokens")
    found = cost_curves([run], "tokens", stop_at_first=True)[0]
    assert found.cost == pytest.approx([10, 50 / 3])
    assert found.solved == pytest.approx([1 / 3, 2 / 3])


def test_problems_that_lean_refuses_are_in_no_mean(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[True, True], []], unfit=[1]))
    run = with_rounds(run, generated_tokens=[10, 10])
    assert cost_curves([run], "tokens")[0].cost == (10, 20)
    assert cost_curves([run], "tokens")[0].solved == (1, 1)
    assert matched([run], "tokens")[0].budget == 20
    assert cost_report(run).problems == 1
    assert cost_report(run).etc.per_problem == pytest.approx(cost_curves([run], "etc")[0].cost[-1])


def test_a_problem_that_nobody_tried_yet_counts_in_all_means(tmp_path: Path) -> None:
    run = with_rounds(load(make_run(tmp_path / "run", [[True, True], []])), generated_tokens=[10, 10])
    assert cost_report(run).etc.per_problem == pytest.approx(cost_curves([run], "etc")[0].cost[-1])
    assert cost_report(run).problems == 2


def test_variants_are_resampled_together(tmp_path: Path) -> None:
    goals = made_goals(60)
    solved = [[at % 2 == 0] for at in range(60)]
    one = load(make_run(tmp_path / "o", solved, goals, label="o"))
    two = load(make_run(tmp_path / "m", [row for row in solved for _ in range(2)], mutated(goals), label="m"))
    widths = [curve.high[0] - curve.low[0] for curve in cost_curves([one, two], "tokens")]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
    spans = [found.high - found.low for run in (one, two) for found in matched([run], "tokens")]
    assert spans[1] == pytest.approx(spans[0], rel=0.2)


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_add_up_to_the_report(tmp_path: Path, measure: str) -> None:
    run = load(make_run(tmp_path / "run", [[False, True, False], [True, False, False]], rounds=3, seed=3))
    found = spent(run, measure, tiny())
    report = cost_report(run, tiny())
    assert report.compute is not None
    totals = {
        "etc": report.etc.total,
        "flops": report.compute.total,
        "flops-cached": report.compute.cached_total,
        "tokens": report.generated_tokens,
        "lean-seconds": report.lean_seconds_without_sharing,
        "wall-seconds": report.wall_seconds,
    }
    assert found.each.sum() + found.once.sum() == pytest.approx(totals[measure])
    curve = cost_curves([run], measure, tiny())[0]
    assert curve.cost[-1] == pytest.approx(totals[measure] / 2)  # type: ignore[operator]
    assert list(curve.cost) == sorted(curve.cost)


def test_a_prompt_that_attempts_share_is_paid_once(cheap: Results) -> None:
    plain, cached = (cost_curves([cheap], measure, tiny())[0] for measure in ("flops", "flops-cached"))
    assert plain.cost[0] == pytest.approx(cached.cost[0])  # alone, it pays all
    assert plain.cost[2] == pytest.approx(4 * plain.cost[0])
    assert cached.cost[2] < plain.cost[2]


def test_each_run_has_its_architecture(cheap: Results, dear: Results) -> None:
    models = (architecture("qwen3-4b"), architecture("qwen3-32b"))
    small, large = (cost_curves([cheap], "flops", model)[0].cost for model in models)
    both = cost_curves([cheap, cheap], "flops", models)
    assert [one.cost for one in both] == [small, large]
    with pytest.raises(InputError, match="2 architectures for 3 runs"):
        cost_curves([cheap, dear, cheap], "flops", models)


def test_etc_of_a_curve(cheap: Results) -> None:
    prompt = int(cheap.rounds.prompt_tokens[0])
    assert cost_curves([cheap], "etc")[0].cost[0] == pytest.approx(etc(prompt, 10))


def test_bad_questions_get_a_word(tmp_path: Path, cheap: Results) -> None:
    with pytest.raises(InputError, match="did you mean 'tokens'"):
        cost_curves([cheap], "token")
    with pytest.raises(InputError, match="depend on the architecture"):
        cost_curves([cheap], "flops")
    for budget in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(InputError, match="budget"):
            matched([cheap], "tokens", budget=budget)
    with pytest.raises(InputError, match="no runs"):
        matched([], "tokens")
    silent = with_rounds(cheap, generated_tokens=np.zeros(len(cheap.rounds), dtype=np.int64))
    with pytest.raises(InputError, match="no record of generated tokens"):
        cost_curves([silent], "tokens")
    empty = load(make_run(tmp_path / "empty", [[], []]))
    with pytest.raises(InputError, match="no record"):
        cost_curves([empty], "lean-seconds")


def test_a_grid_of_thousands_leaves_out_little() -> None:
    assert _dense_grid(5) == (1, 2, 3, 4, 5)
    grid = _dense_grid(25600)
    assert (grid[0], grid[-1], len(grid) < 1600) == (1, 25600, True)
    assert max(after / before for before, after in itertools.pairwise(grid[100:])) < 1.011
    assert list(grid) == sorted(set(grid))
