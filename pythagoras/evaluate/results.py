"""A run as analysis reads it: who was asked what, how each round ended, and what it cost. Texts stay on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pythagoras.corpus.records import Attempt, Formalisation, Judgement, record_id
from pythagoras.evaluate.journal import read_columns, read_journal
from pythagoras.evaluate.runs import (
    ATTEMPTS,
    JUDGEMENTS,
    Manifest,
    read_goals,
    read_manifest,
    read_unfit,
    refuse_strangers,
)
from pythagoras.lean.verdict import Outcome

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_NONE = -1
_COLUMNS = (
    *("formalisation", "number", "round", "submission"),
    *("prompt_tokens", "generated_tokens", "cached_tokens", "milliseconds"),
)
_JUDGED = (
    *("submission", "outcome", "reason", "detail", "error", "paper_rule"),
    *("axioms", "lean_version", "policy", "milliseconds"),
)
"""Of a judgement, all but its long texts."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Every round of every attempt, a row each, by goal, number and round."""

    goal: Ints
    """Index of the goal."""
    number: Ints
    round: Ints
    judgement: Ints
    """Index of its judgement; -1 while there is none."""
    prompt_tokens: Ints
    generated_tokens: Ints
    cached_tokens: Ints
    milliseconds: Floats
    place: Ints
    """Of its record in the journal of attempts, from 0."""

    def __len__(self) -> int:
        return len(self.goal)


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of everything that was asked for. `wanted` = drawn + missing; drawn = the four behind it."""

    problems: int
    unfit: int
    """Problems whose statement Lean refuses; no attempts at them are drawn."""
    wanted: int
    drawn: int
    missing: int
    """Attempts that are not there: not drawn yet, failed, left out after a solution, or not recorded."""
    proved: int
    rejected: int
    timeout: int
    unjudged: int
    """Attempts without a verdict: Lean broke down, or was not asked yet."""
    solved: int
    """Problems with at least one proved attempt."""

    @property
    def adds_up(self) -> bool:
        judged = self.proved + self.rejected + self.timeout + self.unjudged
        return self.wanted == self.drawn + self.missing and self.drawn == judged


@dataclass(frozen=True)
class Results:
    """One run."""

    folder: Path
    manifest: Manifest
    goals: tuple[Formalisation, ...]
    unfit: dict[str, str]
    """Why Lean refuses a statement, by the goal's id."""
    rounds: Rounds
    judgements: tuple[Judgement, ...]
    """Without what Lean was asked and what it remarked, which stay on disk: `journal.read_where` reads them."""

    @property
    def label(self) -> str:
        return self.manifest.label

    @cached_property
    def draws(self) -> int:
        """Columns of the matrices: attempts at the statement that got most."""
        return int(self.rounds.number.max(initial=_NONE)) + 1

    @cached_property
    def drawn(self) -> Flags:
        """Goal by attempt: whether it was made."""
        return self._matrix(np.ones(len(self.rounds), dtype=bool))

    @cached_property
    def solved(self) -> Flags:
        """Goal by attempt: whether a round of it is proved under the shared verdict."""
        return self._matrix(self._by_judgement(lambda judged: judged.outcome == Outcome.PROVED.value))

    @cached_property
    def solved_by_paper(self) -> Flags:
        """Goal by attempt: the same under the paper's own rule."""
        return self._matrix(self._by_judgement(lambda judged: judged.paper_rule is True))

    @cached_property
    def judged(self) -> Flags:
        """Goal by attempt: whether there is a verdict about how it ended."""
        return self._ended_with(lambda judged: judged.outcome != "") | self.solved

    @cached_property
    def judged_by_paper(self) -> Flags:
        """Goal by attempt: whether it can be told how it ended under the paper's own rule."""
        return self._ended_with(lambda judged: judged.paper_rule is not None) | self.solved_by_paper

    @cached_property
    def fit(self) -> Flags:
        """By goal: whether Lean takes its statement."""
        return np.array([record_id(goal) not in self.unfit for goal in self.goals], dtype=bool)

    @cached_property
    def last_rounds(self) -> Ints:
        """The rows of `rounds` that ended their attempts, by goal and number."""
        following = np.append(
            (self.rounds.goal[1:] == self.rounds.goal[:-1]) & (self.rounds.number[1:] == self.rounds.number[:-1]), False
        )
        return np.flatnonzero(~following[: len(self.rounds)])

    def counts(self) -> Counts:
        last = self.rounds.judgement[self.last_rounds]
        outcomes = [self.judgements[at].outcome if at != _NONE else "" for at in last]
        proved = int(self.solved.sum())
        fit = int(self.fit.sum())
        drawn = int(self.drawn.sum())
        return Counts(
            problems=len(self.goals),
            unfit=len(self.goals) - fit,
            wanted=fit * self.manifest.n,
            drawn=drawn,
            missing=fit * self.manifest.n - drawn,
            proved=proved,
            rejected=outcomes.count(Outcome.REJECTED.value),
            timeout=outcomes.count(Outcome.TIMEOUT.value),
            unjudged=outcomes.count(""),
            solved=int(self.solved.any(axis=1).sum()),
        )

    def attempts(self) -> Iterator[Attempt]:
        """All rounds with their texts, from disk, in the order they were drawn."""
        for record in read_journal(self.folder / ATTEMPTS, "attempt"):
            assert isinstance(record, Attempt)
            yield record

    def _ended_with(self, holds: Callable[[Judgement], bool]) -> Flags:
        """Goal by attempt: what holds of the judgement of its last round."""
        last = self.last_rounds
        matrix = np.zeros_like(self.drawn)
        matrix[self.rounds.goal[last], self.rounds.number[last]] = self._by_judgement(holds)[last]
        return matrix

    def _by_judgement(self, holds: Callable[[Judgement], bool]) -> Flags:
        """By row of `rounds`, what holds of its judgement; False where there is none."""
        held = np.array([*map(holds, self.judgements), False], dtype=bool)
        return held[self.rounds.judgement]  # -1 is the last

    def _matrix(self, held: Flags) -> Flags:
        matrix = np.zeros((len(self.goals), self.draws), dtype=bool)
        np.logical_or.at(matrix, (self.rounds.goal, self.rounds.number), held)
        return matrix


def load(folder: Path) -> Results:
    """The run in a folder, finished or not. Raises InputError where the folder is none, or damaged."""
    manifest = read_manifest(folder)
    goals = read_goals(folder)
    judgements = _latest(folder)
    index = {judged.submission: at for at, judged in enumerate(judgements)}
    return Results(folder, manifest, goals, read_unfit(folder), _rounds(folder, goals, index), judgements)


def _latest(folder: Path) -> tuple[Judgement, ...]:
    """One judgement a submission: one that Lean gave no verdict about may have been asked about again."""
    columns = read_columns(folder / JUDGEMENTS, "judgement", _JUDGED)
    found: dict[str, Judgement] = {}
    for values in zip(*columns.values(), strict=True):
        fields = dict(zip(_JUDGED, values, strict=True))
        found[fields["submission"]] = Judgement(**{**fields, "axioms": tuple(fields["axioms"])})
    return tuple(found.values())


def _rounds(folder: Path, goals: tuple[Formalisation, ...], judged: dict[str, int]) -> Rounds:
    columns = read_columns(folder / ATTEMPTS, "attempt", _COLUMNS)
    index = {record_id(goal): at for at, goal in enumerate(goals)}
    refuse_strangers(folder, columns["formalisation"], index)
    goal = np.array([index[name] for name in columns["formalisation"]], dtype=np.int64)
    number = np.array(columns["number"], dtype=np.int64)
    round_ = np.array(columns["round"], dtype=np.int64)
    order = np.lexsort((round_, number, goal))
    judgement = np.array([judged.get(name, _NONE) for name in columns["submission"]], dtype=np.int64)
    rest = {name: np.array(columns[name], dtype=np.int64)[order] for name in _COLUMNS[4:7]}
    milliseconds = np.array(columns["milliseconds"], dtype=np.float64)
    return Rounds(
        goal[order],
        number[order],
        round_[order],
        judgement[order],
        **rest,
        milliseconds=milliseconds[order],
        place=order.astype(np.int64),
    )
