"""A recipe's training as files that others' trainers run, from corpora: what they learn from, and what RL is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from pythagoras.corpus.files import fingerprint, row_count
from pythagoras.stages.benchmarks import known_benchmarks
from pythagoras.stages.corpora import records, split_build, statements_of
from pythagoras.train.accounts import Account
from pythagoras.train.emit import Emitted
from pythagoras.train.emit import emit as write
from pythagoras.train.rl.problems import read_goals, without_benchmarks
from pythagoras.train.settings import Training


@dataclass(frozen=True, slots=True)
class Written:
    """What was written."""

    emitted: Emitted
    statements: bool
    """Whether there were any for reinforcement learning."""
    account: Account
    """What of those was left out."""


def emit(
    name: str,
    training: Training,
    corpora: Sequence[Path],
    folder: Path,
    *,
    held_out: Sequence[Path] | None = None,
    against: Sequence[str] = (),
    overwrite: bool = False,
    on_begin: Callable[[int | None], None] = lambda total: None,
    on_progress: Callable[[int, int], None] = lambda read, dropped: None,
) -> Written:
    """Write them. `on_begin` takes how many rows there are, `on_progress` how many were read and left out so far."""
    learned, _ = split_build(corpora)
    statements = statements_of(corpora, held_out)
    items, benchmarks = known_benchmarks(against)
    account = Account()
    goals = list(
        without_benchmarks(chain.from_iterable(read_goals(path, account) for path in statements), items, account)
    )
    on_begin(row_count(learned, "instance"))
    emitted = write(
        name,
        training,
        records(learned),
        (lambda: iter(goals)) if statements else None,
        folder,
        inputs={str(path): fingerprint(path) for path in (*learned, *statements)} | benchmarks,
        overwrite=overwrite,
        on_progress=on_progress,
    )
    return Written(emitted, bool(statements), account)
