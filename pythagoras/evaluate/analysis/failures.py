"""What failed attempts died of, what sets of problems are made of, and what became of a corpus.

Shares are counts with a name each, which add up to their total: nothing is left out, be it that Lean gave no verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pythagoras.corpus.files import funnel_of
from pythagoras.corpus.records import Formalisation, Judgement
from pythagoras.corpus.store import is_store
from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.published import PAPER, published_figures
from pythagoras.evaluate.domains import domain_of
from pythagoras.evaluate.results import Results
from pythagoras.lean.verdict import Outcome

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


def make_up(goals: Iterable[Formalisation], title: str) -> Shares:
    """A set of problems by domain."""
    return shares(title, map(domain_of, goals))


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


def error_shares(results: Results) -> Shares:
    """What the failed attempts of a run died of in their last round."""
    classes = [*map(failure_class, results.judgements), failure_class(None)]
    rounds, rows = results.rounds, results.last_rounds
    rows = rows[~results.solved[rounds.goal[rows], rounds.number[rows]]]  # with a round that is proved, none failed
    found = (classes[at] for at in rounds.judgement[rows].tolist())  # -1 is the last
    return shares(f"{results.label}: failed attempts", filter(None, found))


@dataclass(frozen=True, slots=True)
class PublishedShares:
    """Shares as somebody else reports them, in percent. Not ours to recompute, so they are never added to ours."""

    title: str
    source: str
    total: int
    percent: tuple[tuple[str, float], ...]


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
