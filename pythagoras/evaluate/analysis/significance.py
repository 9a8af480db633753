"""Is one prover ahead of another? Paired tests and intervals over problems, so that two points on 244 are no win.

Both provers tried the same problems, so what counts is the difference at each. Variants of one original tend to fall
together; they are a group, and groups are what is resampled and flipped. Problems of their own are groups of one.

Nothing here says that two provers are equal: "no difference shown" is what a small benchmark says about most pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

ALPHA = 0.05
RESAMPLES = 5_000
FLIPS = 10_000
EXACT_GROUPS = 14
"""Up to so many differing groups, all ways to flip their signs are tried."""
NO_DIFFERENCE = "no difference shown"
_CHUNK = 1_000  # rows of random numbers at a time
_TINY = 1e-9  # what sums of floats are off by


@dataclass(frozen=True, slots=True)
class Paired:
    """Two provers on the same problems: a value a problem in each field."""

    a: str
    b: str
    a_value: Floats
    """The chance that n attempts solve it, from 0 to 1; what is not known counts as failed."""
    b_value: Floats
    a_solved: Flags
    """Whether n attempts did."""
    b_solved: Flags
    groups: Ints | None = None
    """Problems of the same number are variants of each other; None: each stands by itself."""
    a_most: Floats | None = None
    """The chance if all that is not known held; None: all is known."""
    b_most: Floats | None = None
    not_told: int = 0
    """Problems of which it can't be told whether n attempts of both solved them. They count as unsolved."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How far a is ahead of b, and whether that could be chance."""

    a: str
    b: str
    n: int
    problems: int
    groups: int
    """Problems that stand by themselves, and sets of variants."""
    a_score: float
    """Mean over the problems, in percent."""
    b_score: float
    points: float
    """The difference of the two, in percentage points."""
    low: float
    """Where the difference lies with 95 % confidence: paired bootstrap over groups. For this pair alone."""
    high: float
    a_more: int
    """Groups of which a solved more. Without variants: problems that a alone solved."""
    b_more: int
    p: float
    """Chance of a difference this large between equals: sign-flip test of the differences in the chance of a proof."""
    p_adjusted: float
    """The same with all pairs in mind that are compared: Holm's correction. The verdict goes by it."""
    p_worst: float
    """The same if all that is not known of the one behind held, and nothing of the leader's; 1 if that turns the lead.
    The verdict goes by it, too: nobody is ahead by verdicts that the other lacks."""
    not_told: int
    """Problems that can't be told of both; they count as unsolved, so that scores are lower bounds."""
    p_mcnemar: float
    """Exact McNemar test of `a_more` against `b_more`: of what n attempts solved, whatever the others did."""
    needed: int
    """Groups of which the leader must solve more, the other's being as they are, for McNemar's test to tell the two
    apart: among as many pairs as are compared, and so at the strictest step of Holm's correction."""

    @property
    def verdict(self) -> str:
        if max(self.p_adjusted, self.p_worst) >= ALPHA or self.points == 0:
            return NO_DIFFERENCE
        return f"{self.a if self.points > 0 else self.b} ahead"

    @property
    def hint(self) -> str:
        """How far what n attempts solved is from telling the two apart, in words."""
        lead, other = max(self.a_more, self.b_more), min(self.a_more, self.b_more)
        what = "problems" if self.groups == self.problems else "groups of variants"
        return f"{self.a_more} against {self.b_more} {what}{self._why_not(lead, other)}"

    def _why_not(self, lead: int, other: int) -> str:
        if self.verdict != NO_DIFFERENCE:
            return ""
        if self.p_adjusted < ALPHA and self.points:
            return "; a lead, but verdicts that are missing could take it away"
        if lead < self.needed:
            return f"; McNemar's test needs {self.needed} against {other}"
        return "; enough for McNemar's test, but the sign-flip test of all attempts does not agree"

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "verdict": self.verdict, "hint": self.hint}


def differences(pairs: Sequence[Paired], n: int, *, seed: int = 0) -> tuple[Difference, ...]:
    """For each pair whether one is ahead, with a correction for how many pairs are looked at together."""
    grouped = [_by_group(pair) for pair in pairs]
    raw = [sign_flip(found.values, seed=seed) for found in grouped]
    worst = [_worst(pair, found, p, seed) for pair, found, p in zip(pairs, grouped, raw, strict=True)]
    return tuple(
        _difference(pair, n, found, p, adjusted, at_worst, ALPHA / len(pairs), seed)
        for pair, found, p, adjusted, at_worst in zip(pairs, grouped, raw, holm(raw), holm(worst), strict=True)
    )


def _worst(pair: Paired, found: _Grouped, p: float, seed: int) -> float:
    """p with all that is not known counted against the leader."""
    if pair.a_most is None or pair.b_most is None:
        return p
    sign = 1 if found.values.sum() > 0 else -1
    doubted = replace(pair, b_value=pair.b_most) if sign > 0 else replace(pair, a_value=pair.a_most)
    values = _by_group(doubted).values
    return sign_flip(values, seed=seed) if sign * values.sum() > _TINY else 1.0


def mcnemar(a_only: int, b_only: int) -> float:
    """Two-sided p of so many problems that one alone solved, against so many: heads and tails of a fair coin."""
    thrown = a_only + b_only
    term = tail = 1  # binomial coefficients, each from the one before
    for at in range(min(a_only, b_only)):
        term = term * (thrown - at) // (at + 1)
        tail += term
    return min(1.0, 2 * tail / (1 << thrown))


def needed(other: int, alpha: float = ALPHA) -> int:
    """The least number against which `other` is significantly less by McNemar's test."""
    lead = other + 1
    while mcnemar(lead, other) >= alpha:
        lead += 1
    return lead


def sign_flip(values: Floats, *, seed: int = 0) -> float:
    """Two-sided p of a sum of differences: how often it is as large when each may as well have the other sign.

    Exact for few differences, and where all are of one size (then it is McNemar's test); else by seeded trials.
    """
    sizes = np.abs(values[np.abs(values) > _TINY])
    if len(sizes) == 0:
        return 1.0
    if np.ptp(sizes) < _TINY:
        more = int((values > _TINY).sum())
        return mcnemar(more, len(sizes) - more)
    reached = abs(float(values.sum())) - _TINY * len(sizes)
    if len(sizes) <= EXACT_GROUPS:
        ways = np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes)) & 1
        return float(np.mean(np.abs((2 * ways - 1) @ sizes) >= reached))
    dice = np.random.default_rng(seed)
    flips = (dice.integers(0, 2, (_CHUNK, len(sizes)), dtype=np.int8) for _ in range(FLIPS // _CHUNK))
    hits = sum(int((np.abs((2.0 * flip - 1.0) @ sizes) >= reached).sum()) for flip in flips)
    return (hits + 1) / (FLIPS + 1)  # what was seen is one of the ways: p is never 0


def bootstrap(values: Floats, sizes: Floats, *, seed: int = 0) -> tuple[float, float]:
    """A 95 % interval of sum(values) / sum(sizes), groups being drawn again with replacement.

    Where few groups differ, drawing them again tells too little of what else might have come: with none, the interval
    would be a point. So a made-up group for either side is thrown in, as large as those that differ are (after Agresti
    and Min, who do so for a closed form); this keeps the interval in line with the tests.
    """
    differing = values[np.abs(values) > _TINY]
    size = math.sqrt(float(np.mean(differing**2))) if len(differing) else float(sizes.mean())
    values = np.append(values, [size, -size])
    all_sizes = np.append(sizes, [sizes.mean()] * 2)
    dice = np.random.default_rng(seed)
    means: list[Floats] = []
    for _ in range(RESAMPLES // _CHUNK):
        drawn = dice.integers(0, len(values), (_CHUNK, len(values)))
        means.append(values[drawn].sum(axis=1) / all_sizes[drawn].sum(axis=1))
    grown = len(values) / (len(values) - 2)  # the two add nothing to the sum, so they must not thin the mean
    low, high = np.clip(np.quantile(np.concatenate(means) * grown, [ALPHA / 2, 1 - ALPHA / 2]), -1.0, 1.0)
    return float(low), float(high)


def holm(values: Sequence[float]) -> tuple[float, ...]:
    """Each p adjusted for all of them: that any of the true equals is called different stays below alpha."""
    adjusted = [0.0] * len(values)
    highest = 0.0
    for rank, at in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, values[at] * (len(values) - rank)))
        adjusted[at] = highest
    return tuple(adjusted)


@dataclass(frozen=True, slots=True)
class _Grouped:
    values: Floats
    """Of each group, the sum of its problems' differences."""
    sizes: Floats
    a_more: int
    b_more: int


def _by_group(pair: Paired) -> _Grouped:
    count = len(pair.a_value)
    groups = np.arange(count) if pair.groups is None else np.unique(pair.groups, return_inverse=True)[1]
    solved = np.bincount(groups, weights=pair.a_solved.astype(float) - pair.b_solved)
    return _Grouped(
        values=np.bincount(groups, weights=pair.a_value - pair.b_value).astype(np.float64),
        sizes=np.bincount(groups).astype(float),
        a_more=int((solved > 0).sum()),
        b_more=int((solved < 0).sum()),
    )


def _difference(
    pair: Paired, n: int, found: _Grouped, p: float, adjusted: float, worst: float, alpha: float, seed: int
) -> Difference:
    problems = len(pair.a_value)
    a_score, b_score = (100 * float(value.mean()) if problems else 0.0 for value in (pair.a_value, pair.b_value))
    low, high = bootstrap(found.values, found.sizes, seed=seed) if problems else (-1.0, 1.0)
    return Difference(
        a=pair.a,
        b=pair.b,
        n=n,
        problems=problems,
        groups=len(found.sizes),
        a_score=a_score,
        b_score=b_score,
        points=100 * float(found.values.sum()) / max(1, problems),
        low=100 * low,
        high=100 * high,
        a_more=found.a_more,
        b_more=found.b_more,
        p=p,
        p_adjusted=adjusted,
        p_worst=worst,
        not_told=pair.not_told,
        p_mcnemar=mcnemar(found.a_more, found.b_more),
        needed=needed(min(found.a_more, found.b_more), alpha),
    )
