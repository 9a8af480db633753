"""pass@N of a run: as the paper defines it, estimated without bias for every smaller N, and with intervals.

The paper's pass@N is the share of problems that one of the first N attempts solves. Of d attempts c of which hold, k
drawn at random have one that holds with the chance 1 - C(d-c, k) / C(d, k): that uses all attempts, and is the unbiased
estimate of pass@k. It takes attempts to be alike; of a mixture it is the mean over all ways to choose k attempts.

An attempt that is missing or has no verdict counts as failed, in both: what comes of it is a lower bound, and says so.
Variants of one original tend to fall together, so intervals draw originals again, not problems.
Nothing here compares runs: `significance` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pythagoras.corpus.intervals import wilson
from pythagoras.corpus.records import Formalisation
from pythagoras.errors import InputError
from pythagoras.evaluate.results import Flags, Floats, Ints, Results
from pythagoras.lean.verdict import Outcome

Rule = Literal["verdict", "paper"]
"""What counts as solved: the shared verdict, or the paper's own rule."""
Over = Literal["all", "fit"]
"""Shares of which problems: all of the benchmark, or those whose statement Lean takes. The others count as unsolved."""

RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Curve:
    """Something against N. Values are shares from 0 to 1, with 95 % intervals."""

    label: str
    n: tuple[int, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    short: tuple[int, ...] = ()
    """Problems because of which a value is a lower bound. Empty: nowhere."""


@dataclass(frozen=True, slots=True)
class PassAt:
    """pass@N as the paper defines it: of the first N attempts at each problem."""

    n: int
    problems: int
    solved: int
    share: float
    low: float
    high: float
    short: int
    """Unsolved problems that Lean takes with fewer than N verdicts: with any of them it is a lower bound."""
    variants: bool = False
    """Whether problems are variants of each other. Then the interval is bootstrapped over originals; else Wilson's."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """pass@k estimated from all attempts. The interval is bootstrapped over problems, variants together."""

    n: int
    value: float
    low: float
    high: float
    short: int
    """Problems that Lean takes with fewer attempts than k, for which pass@(all they have) stands, or with attempts
    without a verdict: with any of them it is a lower bound."""


@dataclass(frozen=True, slots=True)
class PassRow:
    """A line of the summary: one N under both rules. There are no estimates where `no_estimate` has a reason."""

    n: int
    verdict: PassAt
    paper: PassAt
    verdict_estimate: Estimate | None
    paper_estimate: Estimate | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A round about which the shared verdict and the paper's rule say different things."""

    goal: str
    number: int
    round: int
    proved: bool
    """What the verdict says; the paper's rule says the opposite."""
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Disagreements:
    """How the two rules get along over all rounds: `rounds` is the sum of the four counts and the list."""

    rounds: int
    both_accept: int
    both_refuse: int
    paper_not_told: int
    """There is a verdict, but the paper's rule can't be told."""
    unjudged: int
    listed: tuple[Disagreement, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """What n attempts at each problem of a run came to. What is not known counts as failed."""

    solved: Flags
    """Whether one of the first n attempts holds: of those whose number is below n."""
    told: Flags
    """Whether that can be told: not of an unsolved one of whose first n attempts some are missing, or not judged."""
    chance: Floats
    """The chance that n attempts solve it, from all attempts where they are a fair sample: the least it can be."""
    most: Floats
    """The same if all that is not known held: the most it can be."""


def tried(results: Results, n: int, *, rule: Rule = "verdict") -> Tried:
    """What pass@n, its estimate and every comparison are made of, by goal. What Lean refuses is told: it is failed."""
    _positive(n)
    holds, judged = _solved(results, rule), _judged(results, rule)
    solved: Flags = np.any(holds[:, :n], axis=1)
    told = solved | (judged[:, :n].sum(axis=1) >= n) | ~results.fit
    if no_estimate(results):
        return Tried(solved, told, solved.astype(np.float64), (solved | ~told).astype(np.float64))
    drawn = results.drawn.sum(axis=1)
    wanted = np.where(results.fit, np.maximum(drawn, n), drawn)
    unknown = wanted - judged.sum(axis=1)
    chance = all_chances(results, [n], rule=rule)[:, 0]
    most = chances(wanted, np.where(results.fit, holds.sum(axis=1) + unknown, 0), [n])[:, 0]
    return Tried(solved, told, chance, np.maximum(chance, most))


def pass_at(results: Results, n: int, *, rule: Rule = "verdict", over: Over = "all", seed: int = 0) -> PassAt:
    """The paper's pass@N. An attempt that is missing, or has no verdict, counts as failed."""
    (found,) = _passes(results, [n], rule, over, seed)
    return found


def _passes(results: Results, grid: Sequence[int], rule: Rule, over: Over, seed: int) -> list[PassAt]:
    """pass@N for each N of a grid; the bootstrap draws the same originals for all."""
    counted = _problems(results, over)
    groups = groups_of(results.goals)[counted]
    several = len(np.unique(groups))
    variants = several < len(groups)
    columns = [tried(results, n, rule=rule) for n in grid]
    solved = np.stack([one.solved[counted] for one in columns], axis=1) if columns else np.zeros((len(groups), 0))
    lows, highs = bootstrap(solved.astype(np.float64), groups, seed=seed) if variants else (None, None)
    found = []
    for at, (n, one) in enumerate(zip(grid, columns, strict=True)):
        total, count = len(groups), int(solved[:, at].sum())
        if lows is None or highs is None:
            low, high = wilson(count, total)
        elif count in (0, total):  # what is drawn again is always the same: as for as many problems as originals
            low, high = wilson(several if count else 0, several)
        else:
            low, high = float(lows[at]), float(highs[at])
        share = count / total if total else 0.0
        found.append(PassAt(n, total, count, share, low, high, int((~one.told).sum()), variants))
    return found


def no_estimate(results: Results) -> str:
    """Why pass@k can't be estimated from all attempts of a run; empty where it can."""
    if results.manifest.stop_when_solved:
        return (
            "problems of this run got no more attempts once they were solved, so that the attempts there are no fair "
            "sample: only the share solved by the first N can be told"
        )
    return ""


def estimates(
    results: Results,
    grid: Sequence[int] | None = None,
    *,
    rule: Rule = "verdict",
    over: Over = "all",
    seed: int = 0,
) -> tuple[Estimate, ...]:
    """pass@k for each k of a grid, with intervals. Raises InputError where a run's attempts are no fair sample."""
    if reason := no_estimate(results):
        raise InputError(f"pass@k of {results.label!r} can't be estimated: {reason}")
    grid = log_grid(results.draws) if grid is None else grid
    counted = _problems(results, over)
    values = all_chances(results, grid, rule=rule)[counted]
    low, high = bootstrap(values, groups_of(results.goals)[counted], seed=seed)
    mean = values.mean(axis=0) if len(values) else np.zeros(len(grid))
    drawn, judged = results.drawn.sum(axis=1), _judged(results, rule).sum(axis=1)
    short = [int((results.fit & ((drawn < k) | (judged < drawn))).sum()) for k in grid]
    return tuple(Estimate(k, float(mean[at]), float(low[at]), float(high[at]), short[at]) for at, k in enumerate(grid))


def all_chances(results: Results, grid: Sequence[int], *, rule: Rule = "verdict") -> Floats:
    """Goal by k: the chance that k attempts solve it, from all that were drawn; without a verdict they failed."""
    return chances(results.drawn.sum(axis=1), _solved(results, rule).sum(axis=1), grid)


def chances(drawn: Ints, correct: Ints, grid: Sequence[int]) -> Floats:
    """Problem by k: the chance that k of its attempts, chosen at random, have one that holds.

    With fewer attempts than k, all of them are taken; without any the chance is 0.
    """
    for k in grid:
        _positive(k)
    pairs, where = np.unique(np.stack([drawn, correct], axis=1), axis=0, return_inverse=True)
    table = np.zeros((len(pairs), len(grid)))
    for row, (d, c) in enumerate(pairs.tolist()):
        if c:
            taken = np.minimum(np.asarray(grid, dtype=np.int64), d)
            table[row] = chance_of_one(d, c)[taken]
    return table[where.reshape(-1)]


def chance_of_one(drawn: int, correct: int) -> Floats:
    """By k from 0 to `drawn`: 1 - C(d-c, k) / C(d, k), as a product whose logarithm is summed: exact for thousands."""
    left = drawn - np.arange(drawn)  # attempts to choose from at each step
    with np.errstate(divide="ignore"):  # no failed one is left: a factor of 0
        steps = np.log1p(-np.minimum(correct / left, 1.0))
    found: Floats = -np.expm1(np.concatenate([[0.0], np.cumsum(steps)])) + 0.0  # + 0: no negative zero
    return found


def log_grid(n: int) -> tuple[int, ...]:
    """1, 2, 4, 8, ... up to n, and n itself."""
    return tuple(sorted({*(2**at for at in range(n.bit_length())), n})) if n > 0 else ()


def groups_of(goals: Sequence[Formalisation]) -> Ints:
    """The same number for variants of the same original, which do not stand by themselves."""
    keys = [goal.provenance.parent or goal.name for goal in goals]
    number = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    return np.array([number[key] for key in keys], dtype=np.int64)


def resampling(groups: Ints, *, seed: int = 0, resamples: int = RESAMPLES) -> Floats:
    """Resample by problem: the problem's weight in a mean, as many groups being drawn with replacement as there are."""
    place = np.unique(groups, return_inverse=True)[1].reshape(-1)
    several = int(place.max()) + 1
    counts = np.random.default_rng(seed).multinomial(several, np.full(several, 1 / several), size=resamples)
    weights: Floats = counts[:, place].astype(np.float64)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def bootstrap(values: Floats, groups: Ints, *, seed: int = 0, resamples: int = RESAMPLES) -> tuple[Floats, Floats]:
    """95 % percentile intervals, by column, for the mean over rows: what other such groups could have given."""
    if not len(values):
        return np.zeros(values.shape[1]), np.ones(values.shape[1])
    means = resampling(groups, seed=seed, resamples=resamples) @ values
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    mean = values.mean(axis=0)
    return np.minimum(low, mean), np.maximum(high, mean)  # outside only by rounding, where all rows are the same


def curve(results: Results, *, seed: int = 0) -> Curve:
    """pass@N on the log grid: estimated, or where that can't be, the paper's."""
    grid = log_grid(results.draws)
    points: Sequence[PassAt | Estimate]
    if no_estimate(results):
        points = _passes(results, grid, "verdict", "all", seed)
    else:
        points = estimates(results, grid, seed=seed)
    value = tuple(point.share if isinstance(point, PassAt) else point.value for point in points)
    low, high, short = (tuple(getattr(p, name) for p in points) for name in ("low", "high", "short"))
    return Curve(results.label, grid, value, low, high, short)


def pass_table(results: Results, *, over: Over = "all", seed: int = 0) -> tuple[PassRow, ...]:
    """What the summary shows: for each N of the log grid, the share solved and its estimate, under both rules."""
    grid = log_grid(results.draws)
    rules: tuple[Rule, ...] = ("verdict", "paper")
    passes = {rule: _passes(results, grid, rule, over, seed) for rule in rules}
    told = not no_estimate(results)
    guessed: dict[Rule, Sequence[Estimate | None]] = {
        rule: estimates(results, grid, rule=rule, over=over, seed=seed) if told else [None] * len(grid)
        for rule in rules
    }
    columns = zip(grid, passes["verdict"], passes["paper"], guessed["verdict"], guessed["paper"], strict=True)
    return tuple(PassRow(*row) for row in columns)


def disagreements(results: Results) -> Disagreements:
    """Where the shared verdict and the paper's rule disagree, in both directions, by goal, attempt and round."""
    accept = refuse = not_told = unjudged = 0
    listed = []
    rounds = results.rounds
    for at, index in enumerate(rounds.judgement.tolist()):
        judged = results.judgements[index] if index >= 0 else None
        if judged is None or not judged.outcome:
            unjudged += 1
            continue
        proved = judged.outcome == Outcome.PROVED.value
        if judged.paper_rule is None:
            not_told += 1
        elif judged.paper_rule and proved:
            accept += 1
        elif not judged.paper_rule and not proved:
            refuse += 1
        else:
            name = results.goals[int(rounds.goal[at])].name
            place = (int(rounds.number[at]), int(rounds.round[at]))
            listed.append(Disagreement(name, *place, proved, judged.reason, judged.detail))
    return Disagreements(len(rounds), accept, refuse, not_told, unjudged, tuple(listed))


def _solved(results: Results, rule: Rule) -> Flags:
    return results.solved if rule == "verdict" else results.solved_by_paper


def _judged(results: Results, rule: Rule) -> Flags:
    return results.judged if rule == "verdict" else results.judged_by_paper


def _problems(results: Results, over: Over) -> Flags:
    return results.fit if over == "fit" else np.ones(len(results.goals), dtype=bool)


def _positive(n: int) -> None:
    if n < 1:
        raise InputError(f"pass@{n} means nothing: N counts attempts, so give 1 or more")
