"""Solved against cost: curves of any number of runs, and their shares at the same budget.

One call compares restarts with self-correction at matched cost. Of k attempts both numbers are means over all ways to
choose k of those drawn: the share solved (`passn`), and what they cost. Attempts after a solution cost, too, unless
`stop_at_first` says that nobody would have made them. Shares and costs are of the problems that Lean takes: no attempts
at the others are made, and they would make everything look cheap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pythagoras.corpus.records import record_id
from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.cost import (
    CostCurve,
    decode_flops,
    etc_of,
    flops_with_cache,
    lean_seconds,
    prefill_flops,
    tokens,
)
from pythagoras.evaluate.analysis.passn import (
    all_chances,
    bootstrap,
    chance_of_one,
    groups_of,
    log_grid,
    no_estimate,
    resampling,
)
from pythagoras.evaluate.results import Flags, Floats, Ints, Results
from pythagoras.llm.architectures import Architecture
from pythagoras.lookup import choose

Models = Architecture | Sequence[Architecture] | None
"""None, one for all runs, or one for each."""
_DENSE = 1024


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run's attempts cost."""

    each: Floats
    """Goal by attempt."""
    once: Floats
    """By goal: what is spent once however many attempts there are, like reading a prompt that all of them share."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A way to count cost."""

    unit: str
    about: str
    spent: Callable[[Results, Architecture | None], Spent]


@dataclass(frozen=True, slots=True)
class Matched:
    """A run at a budget. The interval is bootstrapped over problems, variants together; cost and share together."""

    label: str
    measure: str
    unit: str
    budget: float
    """Mean cost of a problem."""
    n: float
    """Attempts a problem that it buys; a fraction stands between two whole numbers."""
    share: float
    low: float
    high: float
    within: bool
    """Whether the run has spent that much. If not, the share is that of all its attempts: a lower bound."""
    unjudged: int = 0
    """Problems with attempts without a verdict, which count as failed: with any of them it is a lower bound, too."""
    difference: float | None = None
    """From the first run's share; None for the first, and for runs on other problems. With its interval:"""
    difference_low: float | None = None
    difference_high: float | None = None


# --- measures ------------------------------------------------------------------------------------


def _etc(results: Results, model: Architecture | None) -> Spent:
    return _spent(results, etc_of(*tokens(results)))


def _tokens(results: Results, model: Architecture | None) -> Spent:
    return _spent(results, tokens(results)[1])


def _flops(results: Results, model: Architecture | None) -> Spent:
    assert model is not None
    prompt, generated = tokens(results)
    return _spent(results, prefill_flops(model, prompt, np.zeros(len(prompt))) + decode_flops(model, prompt, generated))


def _flops_cached(results: Results, model: Architecture | None) -> Spent:
    assert model is not None
    each, once, _ = flops_with_cache(results, model)
    return _spent(results, each, once)


def _lean(results: Results, model: Architecture | None) -> Spent:
    return _spent(results, lean_seconds(results))


def _wall(results: Results, model: Architecture | None) -> Spent:
    """The run's wall clock, shared out by the time that the sampler and Lean took for each attempt."""
    busy = results.rounds.milliseconds / 1000 + lean_seconds(results)
    busy = busy if busy.any() else np.ones(len(busy))
    return _spent(results, results.manifest.wall_seconds * busy / busy.sum() if len(busy) else busy)


MEASURES: dict[str, Measure] = {
    "etc": Measure("query-key pairs", "effective token complexity, the paper's", _etc),
    "flops": Measure("FLOPs", "of the architecture, without a prefix cache", _flops),
    "flops-cached": Measure("FLOPs", "of the architecture, with a prefix cache", _flops_cached),
    "tokens": Measure("generated tokens", "generated tokens", _tokens),
    "lean-seconds": Measure("s of Lean", "as if each attempt's proof had been checked for itself", _lean),
    "wall-seconds": Measure("s", "the run's wall clock, shared out among its attempts", _wall),
}
_NEEDS_MODEL = ("flops", "flops-cached")


def spent(results: Results, measure: str, model: Architecture | None = None) -> Spent:
    """What each attempt of a run cost by a measure. Raises InputError where the run has no record of it."""
    chosen = choose("measure of cost", measure, MEASURES)
    if measure in _NEEDS_MODEL and model is None:
        raise InputError(f"{measure} depend on the architecture: name one, or give a model's config.json")
    found = chosen.spent(results, model)
    if not found.each.sum() + found.once.sum() > 0:
        raise InputError(
            f"the run {results.label!r} has no record of {chosen.unit}: choose another measure than {measure}"
        )
    return found


def _spent(results: Results, by_round: Floats, once: Floats | None = None) -> Spent:
    each = np.zeros((len(results.goals), results.draws))
    np.add.at(each, (results.rounds.goal, results.rounds.number), by_round)
    return Spent(each, np.zeros(len(results.goals)) if once is None else once)


# --- curves --------------------------------------------------------------------------------------


def cost_curves(
    runs: Sequence[Results],
    measure: str,
    models: Models = None,
    *,
    stop_at_first: bool = False,
    seed: int = 0,
) -> tuple[CostCurve, ...]:
    """For each run, the share solved against mean cost, for N on the log grid."""
    found = []
    for run, model in zip(runs, _models(models, len(runs)), strict=True):
        grid = log_grid(run.draws)
        solved, cost = _expected(run, spent(run, measure, model), grid, stop_at_first)
        low, high = bootstrap(solved, _groups(run), seed=seed)
        means = (tuple(cost.mean(axis=0).tolist()), tuple(solved.mean(axis=0).tolist()))
        intervals = (tuple(low.tolist()), tuple(high.tolist()))
        found.append(CostCurve(run.label, measure, MEASURES[measure].unit, grid, *means, *intervals))
    return tuple(found)


def matched(
    runs: Sequence[Results],
    measure: str,
    models: Models = None,
    *,
    budget: float | None = None,
    stop_at_first: bool = False,
    seed: int = 0,
) -> tuple[Matched, ...]:
    """What each run solves at the same mean cost a problem; without a budget, at the largest that all have spent.

    Between whole numbers of attempts the share is interpolated: some problems get one attempt more than others.
    """
    if budget is not None and not (math.isfinite(budget) and budget > 0):
        raise InputError(f"a budget of {budget} can't be spent: give a number above 0")
    if not runs:
        raise InputError("there are no runs to compare: give one or more")
    expected = []
    for run, model in zip(runs, _models(models, len(runs)), strict=True):
        grid = _dense_grid(run.draws)
        expected.append((grid, *_expected(run, spent(run, measure, model), grid, stop_at_first)))
    most = [float(cost[:, -1].mean()) for _, _, cost in expected]
    budget = min(most) if budget is None else budget
    same = [_same_problems(runs[0], run) for run in runs]
    found: list[Matched] = []
    first = np.zeros(0)
    for at, (run, (grid, solved, cost)) in enumerate(zip(runs, expected, strict=True)):
        # runs on the same problems are resampled together, so that what is hard for both does not blur the difference
        weights = resampling(_groups(run), seed=seed if same[at] else seed + at)
        shares = _at_budget(weights @ cost, weights @ solved, budget)
        share = float(_at_budget(cost.mean(axis=0)[None], solved.mean(axis=0)[None], budget)[0])
        n = float(np.interp(budget, [0.0, *cost.mean(axis=0)], [0.0, *map(float, grid)]))
        low, high = np.percentile(shares, [2.5, 97.5])
        one = Matched(
            label=run.label,
            measure=measure,
            unit=MEASURES[measure].unit,
            budget=budget,
            n=n,
            share=share,
            low=min(float(low), share),
            high=max(float(high), share),
            within=budget <= most[at] * (1 + 1e-9),
            unjudged=int((run.drawn & ~run.judged).any(axis=1).sum()),
        )
        if at == 0:
            first = shares
        found.append(_with_difference(one, found[0].share, shares - first) if at and same[at] else one)
    return tuple(found)


def _with_difference(one: Matched, share: float, differences: Floats) -> Matched:
    low, high = np.percentile(differences, [2.5, 97.5])
    return replace(one, difference=one.share - share, difference_low=float(low), difference_high=float(high))


def _at_budget(cost: Floats, solved: Floats, budget: float) -> Floats:
    """By row, the share at a budget; no attempts cost nothing and solve nothing."""
    start = np.zeros((len(cost), 1))
    costs, shares = np.hstack([start, cost]), np.hstack([start, solved])
    return np.array([np.interp(budget, *pair) for pair in zip(costs, shares, strict=True)])


def _groups(results: Results) -> Ints:
    return groups_of(results.goals)[results.fit]


def _expected(results: Results, paid: Spent, grid: Sequence[int], stop_at_first: bool) -> tuple[Floats, Floats]:
    """Problem that Lean takes by k: the chance that k attempts solve it, and what they cost on average."""
    holds, counted = results.solved, results.fit
    if not counted.any() or not len(grid):
        raise InputError(f"the run {results.label!r} has no attempts to make a curve of")
    reason = no_estimate(results)
    if reason and not stop_at_first:
        raise InputError(
            f"the cost of k attempts of {results.label!r} can't be told: {reason}; stop at the first solution"
        )
    drawn = results.drawn.sum(axis=1)
    if reason:  # it did stop: what the first k solved and cost is what was spent
        upto = np.minimum(grid, results.draws) - 1
        solved = np.logical_or.accumulate(holds, axis=1)[:, upto].astype(np.float64)
        cost = np.cumsum(paid.each, axis=1)[:, upto]
    else:
        solved = all_chances(results, grid)
        cost = _cost(results.drawn, holds, paid.each, grid, stop_at_first)
    cost = cost + np.where(drawn > 0, paid.once, 0.0)[:, None]
    return solved[counted], cost[counted]


def _cost(drawn: Flags, holds: Flags, each: Floats, grid: Sequence[int], stop_at_first: bool) -> Floats:
    """Problem by k: mean cost of k of its attempts in random order, up to the first that holds if so wanted."""
    found = np.zeros((len(drawn), len(grid)))
    for row in range(len(drawn)):
        count, correct = int(drawn[row].sum()), int(holds[row].sum())
        if not count:
            continue
        taken = np.minimum(grid, count)
        mean = each[row].sum() / count
        if not stop_at_first or not correct:
            found[row] = mean * taken
            continue
        # The j-th attempt is made if the j-1 before it failed. Then one of the failed and the correct ones that are
        # left is next, each with the same chance.
        made = 1 - chance_of_one(count, correct)[:-1]
        right = each[row][holds[row]].mean()
        wrong = each[row][drawn[row] & ~holds[row]].mean() if correct < count else 0.0
        holds_next = np.minimum(correct / (count - np.arange(count)), 1.0)
        steps = made * (holds_next * right + (1 - holds_next) * wrong)
        found[row] = np.cumsum(steps)[taken - 1]
    return found


def _dense_grid(draws: int) -> tuple[int, ...]:
    """Every N, but of thousands only so many that none is left out by more than a percent."""
    if draws <= _DENSE:
        return tuple(range(1, draws + 1))
    far = np.unique(np.round(np.geomspace(_DENSE, draws, 500)).astype(np.int64)).tolist()
    return (*range(1, _DENSE), *far)


def _models(models: Models, runs: int) -> Sequence[Architecture | None]:
    if models is None or isinstance(models, Architecture):
        return [models] * runs
    if len(models) == 1:
        return [models[0]] * runs
    if len(models) != runs:
        raise InputError(f"{len(models)} architectures for {runs} runs: give one for all, or one for each")
    return models


def _same_problems(one: Results, other: Results) -> bool:
    if [record_id(goal) for goal in one.goals] != [record_id(goal) for goal in other.goals]:
        return False
    return bool(np.array_equal(one.fit, other.fit))
