"""Runs on one benchmark compared problem by problem: who solved what, where they disagree, and whether that is chance.

`mutation` builds on it and compares a benchmark with its mutation; the shapes that pictures of both need are here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from pythagoras.corpus.records import Formalisation
from pythagoras.evaluate.analysis.alignment import Aligned, align, listed
from pythagoras.evaluate.analysis.failures import Shares, make_up
from pythagoras.evaluate.analysis.passn import groups_of
from pythagoras.evaluate.analysis.significance import Difference, Paired, differences
from pythagoras.evaluate.results import Flags, Results


class State(StrEnum):
    """What n attempts at a problem came to."""

    SOLVED = "solved"
    FAILED = "failed"
    NOT_TOLD = "not told"


class Transition(StrEnum):
    """What became of a problem under mutation."""

    BOTH_SOLVED = "both solved"
    BOTH_FAILED = "both failed"
    LOST = "lost"
    """The original is solved, the mutation is not."""
    GAINED = "gained"
    NOT_TOLD = "not told"


@dataclass(frozen=True, slots=True)
class Grid:
    """A row a problem (a pair of original and mutation), a column a prover."""

    label: str
    problems: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Transition, ...], ...]


@dataclass(frozen=True, slots=True)
class Score:
    """One run on the problems that are compared: problems = solved + failed + not told."""

    label: str
    problems: int
    solved: int
    failed: int
    not_told: int
    """These count as unsolved: with any of them, shares are lower bounds."""
    estimate: float
    """Share of problems that n attempts solve, estimated from all attempts; without a verdict they count as failed."""
    most: float
    """The same if all attempts that are missing or have no verdict held."""

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Two runs: each problem that is compared is in one of the five."""

    a: str
    b: str
    both: tuple[str, ...]
    neither: tuple[str, ...]
    a_only: tuple[str, ...]
    b_only: tuple[str, ...]
    not_told: tuple[str, ...]

    @property
    def disagreements(self) -> int:
        return len(self.a_only) + len(self.b_only)

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__} | {"disagreements": self.disagreements}


@dataclass(frozen=True)
class Comparison:
    """Runs on one benchmark at pass@n."""

    benchmark: str
    aligned: Aligned
    differences: tuple[Difference, ...]
    """For each pair of runs, as in `head_to_head`."""

    @property
    def labels(self) -> tuple[str, ...]:
        return self.aligned.labels

    @property
    def n(self) -> int:
        return self.aligned.n

    @property
    def problems(self) -> tuple[str, ...]:
        """Those that all runs have: what is compared."""
        return self.aligned.names

    @property
    def left_out(self) -> dict[str, str]:
        """Those that are not compared, each with the reason."""
        return self.aligned.left_out

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        found = list(self.aligned.warnings)
        if self.left_out:
            found.append(f"{len(self.left_out):,} problems are not compared: {listed(self.left_out)}")
        for label, told in zip(self.labels, self.aligned.told.T, strict=True):
            if not told.all():
                names = listed(self._where(~told))
                found.append(
                    f"{label}: {int((~told).sum()):,} problems can't be told at pass@{self.n} and count as unsolved: "
                    f"{names}"
                )
        return tuple(found)

    @cached_property
    def outcomes(self) -> tuple[tuple[State, ...], ...]:
        """Problem by run."""
        states = np.where(self.aligned.solved, State.SOLVED, np.where(self.aligned.told, State.FAILED, State.NOT_TOLD))
        return tuple(tuple(map(State, row)) for row in states.tolist())

    @cached_property
    def scores(self) -> tuple[Score, ...]:
        found = []
        for at, label in enumerate(self.labels):
            solved, told = self.aligned.solved[:, at], self.aligned.told[:, at]
            count, known = int(solved.sum()), int(told.sum())
            estimate, most = (float(values[:, at].mean()) for values in (self.aligned.chance, self.aligned.most))
            found.append(Score(label, len(told), count, known - count, len(told) - known, estimate, most))
        return tuple(found)

    @cached_property
    def solved_by_all(self) -> tuple[str, ...]:
        return self._where(np.all(self.aligned.solved, axis=1))

    @cached_property
    def all_wrong(self) -> tuple[str, ...]:
        """Problems that every run failed at."""
        return self._where(np.all(self._failed, axis=1))

    @cached_property
    def at_least_one_wrong(self) -> tuple[str, ...]:
        """Problems that some run failed at, those of `all_wrong` among them."""
        return self._where(np.any(self._failed, axis=1))

    @cached_property
    def undecided(self) -> tuple[str, ...]:
        """Problems that no run is known to have failed at, and not all to have solved: neither of the two above."""
        return self._where(~np.any(self._failed, axis=1) & ~np.all(self.aligned.solved, axis=1))

    @cached_property
    def unfit(self) -> tuple[str, ...]:
        """Problems whose statement Lean refuses in some run: they count as failed there."""
        return self._where(np.any(self.aligned.unfit, axis=1))

    @cached_property
    def head_to_head(self) -> tuple[HeadToHead, ...]:
        return tuple(self._pair(a, b) for a, b in combinations(range(len(self.labels)), 2))

    def goals_of(self, names: Sequence[str]) -> tuple[Formalisation, ...]:
        place = {name: at for at, name in enumerate(self.problems)}
        return tuple(self.aligned.goals[place[name]] for name in names)

    def make_ups(self) -> tuple[Shares, ...]:
        """Of what the benchmark consists, and the sets of problems that some or all runs failed at, or all solved."""
        sets = {
            "all problems": self.problems,
            "at least one wrong": self.at_least_one_wrong,
            "all wrong": self.all_wrong,
            "solved by all": self.solved_by_all,
        }
        return tuple(make_up(self.goals_of(names), title) for title, names in sets.items())

    def as_dict(self) -> dict[str, Any]:
        return {
            "benchmark": self.benchmark,
            "n": self.n,
            "runs": list(self.labels),
            "problems": len(self.problems),
            "left_out": self.left_out,
            "warnings": list(self.warnings),
            "scores": [score.as_dict() for score in self.scores],
            "outcomes": {name: list(row) for name, row in zip(self.problems, self.outcomes, strict=True)},
            "solved_by_all": list(self.solved_by_all),
            "at_least_one_wrong": list(self.at_least_one_wrong),
            "all_wrong": list(self.all_wrong),
            "undecided": list(self.undecided),
            "unfit": list(self.unfit),
            "make_up_by_domain": [shares.as_dict() for shares in self.make_ups()],
            "head_to_head": [pair.as_dict() for pair in self.head_to_head],
            "differences": [difference.as_dict() for difference in self.differences],
        }

    @property
    def _failed(self) -> Flags:
        return self.aligned.told & ~self.aligned.solved

    def _where(self, flags: Flags) -> tuple[str, ...]:
        return tuple(self.problems[at] for at in np.flatnonzero(flags))

    def _pair(self, a: int, b: int) -> HeadToHead:
        told = self.aligned.told[:, a] & self.aligned.told[:, b]
        a_solved, b_solved = self.aligned.solved[:, a], self.aligned.solved[:, b]
        return HeadToHead(
            a=self.labels[a],
            b=self.labels[b],
            both=self._where(told & a_solved & b_solved),
            neither=self._where(told & ~a_solved & ~b_solved),
            a_only=self._where(told & a_solved & ~b_solved),
            b_only=self._where(told & ~a_solved & b_solved),
            not_told=self._where(~told),
        )


def compare(runs: Sequence[Results], *, n: int | None = None, allow_mixed: bool = False, seed: int = 0) -> Comparison:
    """Runs on one benchmark, of the same statements and judged alike; `align` says what is refused."""
    aligned = align(runs, n, allow_mixed=allow_mixed)
    pairs = [_paired(aligned, a, b) for a, b in combinations(range(len(runs)), 2)]
    names = dict.fromkeys(run.manifest.benchmark.name for run in runs)
    return Comparison(" / ".join(names), aligned, differences(pairs, aligned.n, seed=seed))


def _paired(aligned: Aligned, a: int, b: int) -> Paired:
    told = aligned.told[:, a] & aligned.told[:, b]
    return Paired(
        a=aligned.labels[a],
        b=aligned.labels[b],
        a_value=aligned.chance[:, a],
        b_value=aligned.chance[:, b],
        a_solved=aligned.solved[:, a],
        b_solved=aligned.solved[:, b],
        groups=groups_of(aligned.goals),
        a_most=aligned.most[:, a],
        b_most=aligned.most[:, b],
        not_told=int((~told).sum()),
    )
