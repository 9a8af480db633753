"""What failed attempts died of, what sets of problems are made of, and which attempts there are to look at.

Shares are counts with a name each, which add up to their total: nothing is left out, be it that Lean gave no verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pythagoras.corpus.files import funnel_of
from pythagoras.corpus.records import Formalisation, Judgement
from pythagoras.corpus.store import is_store
from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.published import PAPER, published_figures
from pythagoras.evaluate.domains import domain_of
from pythagoras.evaluate.results import Flags, Results
from pythagoras.lean.verdict import Outcome
from pythagoras.lookup import choose

NO_VERDICT = "no verdict"
UNNAMED = "none given"
"""The part of those that have no topic, operator or the like."""
_SEED_SECTION = "sec:easy_medium_analysis"


@dataclass(frozen=True, slots=True)
class Shares:
    """What a whole is made of: named counts that add up to the total."""

    title: str
    total: int
    parts: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        assert sum(count for _, count in self.parts) == self.total, self.title

    def as_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "total": self.total,
            "parts": [
                {"name": name, "count": count, "share": count / self.total if self.total else 0.0}
                for name, count in self.parts
            ],
        }


def shares(title: str, names: Iterable[str]) -> Shares:
    """How often each name occurs, most frequent first."""
    counts = Counter(names)
    parts = sorted(counts.items(), key=lambda part: (-part[1], part[0]))
    return Shares(title, counts.total(), tuple(parts))


# --- what problems are made of --------------------------------------------------------------------

MAKE_UPS: dict[str, Callable[[Formalisation], str]] = {
    "domain": domain_of,
    "tier": lambda goal: goal.tier.value,
    "topic": lambda goal: goal.topic or UNNAMED,
    "operator": lambda goal: goal.provenance.maker or UNNAMED,
    "source": lambda goal: goal.source or UNNAMED,
}
"""What problems can be told apart by. CoreBench's levels are its tiers."""


def make_up(goals: Iterable[Formalisation], title: str, by: str = "domain") -> Shares:
    """A set of problems by domain, tier, topic, operator or source."""
    return shares(title, map(choose("make-up", by, MAKE_UPS), goals))


# --- what attempts died of ------------------------------------------------------------------------


def failure_class(judged: Judgement | None) -> str:
    """What went wrong: the class of Lean's error, else the verdict's reason; empty for a proof."""
    if judged is None or not judged.outcome:
        return NO_VERDICT
    if judged.outcome == Outcome.PROVED.value:
        return ""
    if judged.outcome == Outcome.TIMEOUT.value:
        return Outcome.TIMEOUT.value
    return judged.error or judged.reason.replace("_", " ")


def failure_classes(results: Results) -> list[str]:
    """The same for every row of `results.rounds`."""
    known = [*map(failure_class, results.judgements), failure_class(None)]
    return [known[at] for at in results.rounds.judgement.tolist()]  # -1 is the last


def error_shares(results: Results, *, title: str = "", goals: Flags | None = None, every_round: bool = False) -> Shares:
    """What the failed attempts of a run died of in their last round, or all failed rounds; of all goals or some."""
    classes = np.array(failure_classes(results), dtype=object)
    rows = np.arange(len(results.rounds)) if every_round else results.last_rounds
    if not every_round:  # an attempt that a round of proved did not fail
        rows = rows[~results.solved[results.rounds.goal[rows], results.rounds.number[rows]]]
    if goals is not None:
        rows = rows[goals[results.rounds.goal[rows]]]
    found = [name for name in classes[rows].tolist() if name]
    return shares(title or f"{results.label}: failed {'rounds' if every_round else 'attempts'}", found)


@dataclass(frozen=True, slots=True)
class PublishedShares:
    """Shares as somebody else reports them, in percent. Not ours to recompute, so they are never added to ours."""

    title: str
    source: str
    total: int
    percent: tuple[tuple[str, float], ...]

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "percent": dict(self.percent)}


def seed_errors() -> PublishedShares:
    """What the paper's rejected seeds died of: problems of its corpus, so not the same as failures on a benchmark."""
    found = published_figures(_SEED_SECTION)
    (rejected,) = (one.count for one in found if (one.what, one.of) == ("rejected", "seed"))
    errors = sorted((one for one in found if one.of == "rejected seed"), key=lambda one: -one.value)
    return PublishedShares(
        title="Error classes of the paper's rejected seeds",
        source=f"{PAPER}, {_SEED_SECTION}",
        total=rejected or 0,
        percent=tuple((one.what, one.value) for one in errors),
    )


# --- what there is to look at ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Example:
    """A problem with its attempts, as places in the results: no text is read."""

    goal: int
    """Index of the goal."""
    name: str
    solved: bool
    rows: range
    """Rows of `results.rounds`: its attempts in order, each with its rounds. `rounds.judgement` has the judgements."""
    classes: tuple[str, ...]
    """What its failed rounds died of, most frequent first."""

    def as_dict(self, results: Results) -> dict[str, Any]:
        rounds = results.rounds
        columns = (rounds.number, rounds.round, rounds.judgement)
        number, round_, judgement = (column[self.rows.start : self.rows.stop].tolist() for column in columns)
        return {
            "goal": self.goal,
            "name": self.name,
            "solved": self.solved,
            "classes": list(self.classes),
            "attempts": [
                {"number": at, "round": in_round, "judgement": judged if judged >= 0 else None}
                for at, in_round, judged in zip(number, round_, judgement, strict=True)
            ],
        }


def failing_examples(
    results: Results, *, solved: bool | None = None, domain: str | None = None, error: str | None = None
) -> tuple[Example, ...]:
    """The problems with a failed round, in the benchmark's order; only the solved or unsolved, of a domain, a class."""
    classes = failure_classes(results)
    starts = np.searchsorted(results.rounds.goal, np.arange(len(results.goals) + 1)).tolist()
    was_solved: Flags = np.any(results.solved, axis=1)
    found = []
    for at, goal in enumerate(results.goals):
        rows = range(starts[at], starts[at + 1])
        died_of = Counter(name for name in classes[rows.start : rows.stop] if name)
        example = Example(at, goal.name, bool(was_solved[at]), rows, tuple(name for name, _ in died_of.most_common()))
        wanted = (
            (solved is None or example.solved == solved)
            and (domain is None or domain_of(goal) == domain)
            and (error is None or error in died_of)
        )
        if died_of and wanted:
            found.append(example)
    return tuple(found)


# --- what became of a corpus ----------------------------------------------------------------------


def corpus_funnel(folder: Path) -> tuple[Shares, ...]:
    """For each stage that a corpus went through, what it kept and what it dropped for which reason.

    Raises InputError where the folder holds no corpus.
    """
    if not is_store(folder):
        raise InputError(f"{folder} is no corpus: it has no manifest; `pythagoras corpus` makes one")
    return tuple(
        Shares(step.stage, step.read, (("kept", step.kept), *Counter(step.dropped).most_common()))
        for step in funnel_of(folder)
    )
