"""Run a stage over a stream of records: keep, drop with a reason, count, and go on where it stopped.

A stage is a plain function over batches that answers with one decision a record: the record (as it was, or changed) or
`Dropped`. Files, resuming and the funnel happen here, so that every stage gives the same account of itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any, TypeAlias

from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Record, Rejected, kind_of, record_id
from pythagoras.corpus.rows import Fault, to_line
from pythagoras.corpus.store import Funnel, Step, Store, StoreWriter

PIECE_ROWS = 20_000
"""Rows that are read before a shard is written: what a kill can cost at the most."""
BATCH_ROWS = 1_000
"""Rows that a stage is handed at once."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A stage's decision against a record."""

    record: Record
    reason: Reason
    other: str = ""
    """What it lost against: a survivor's id, a benchmark's item."""
    score: float | None = None
    detail: str = ""


Item: TypeAlias = Record | Dropped | Fault
"""What a stream into a stage may hold: sources drop rows and meet faults themselves, before any decision."""
Decide: TypeAlias = Callable[[Sequence[Record]], Iterable[Record | Dropped]]


def keep_all(batch: Sequence[Record]) -> Iterable[Record]:
    """The stage that only stores what it is given."""
    return batch


def run_stage(
    items: Iterable[Item],
    folder: Path,
    *,
    stage: str,
    settings: dict[str, Any],
    inputs: dict[str, str],
    decide: Decide = keep_all,
    funnel: Funnel = (),
    tally: Counter[str] | None = None,
    overwrite: bool = False,
    piece_rows: int = PIECE_ROWS,
    on_progress: Callable[[int, int], None] = lambda read, dropped: None,
) -> Store:
    """Stream the items through `decide` into a store, and return it.

    `inputs` names what the items come from, with fingerprints; `funnel` is what happened to them before. A folder that
    already holds a part of the same work is completed, one that holds other work is refused unless `overwrite`. `tally`
    is what the stage itself counts; it is summed over kills as well. `on_progress` takes how many more were read and
    how many of them dropped.
    """
    with StoreWriter(folder, stage, settings, inputs, funnel, overwrite=overwrite) as writer:
        if writer.complete:
            return writer.store()
        stream = iter(items)
        on_progress(sum(1 for _ in islice(stream, writer.rows_read)), 0)
        while piece := list(islice(stream, piece_rows)):
            before = Counter(tally)
            records: list[Record] = []
            dropped = Counter[str]()
            for batch in _batches(piece):
                decisions = _decide(batch, decide)
                reasons = [_reason(decision) for decision in decisions if isinstance(decision, Dropped | Fault)]
                dropped.update(reasons)
                records.extend(_outcome(decision, stage) for decision in decisions)
                on_progress(len(batch), len(reasons))
            counted = {name: count - before[name] for name, count in Counter(tally).items() if count != before[name]}
            writer.write_piece(records, Step(stage, len(piece), dict(dropped), counted))
        return writer.finish()


def _batches(piece: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Runs of records to be decided upon together, and runs of what is decided already."""
    for _, run in groupby(piece, key=lambda item: isinstance(item, Dropped | Fault)):
        while batch := list(islice(run, BATCH_ROWS)):
            yield batch


def _decide(batch: Sequence[Item], decide: Decide) -> Sequence[Item]:
    records = [item for item in batch if not isinstance(item, Dropped | Fault)]
    if len(records) < len(batch):
        return batch
    decisions = list(decide(records))
    if len(decisions) != len(records):
        raise AssertionError(f"a stage gave {len(decisions)} decisions about {len(records)} records")
    return decisions


def _reason(decision: Dropped | Fault) -> str:
    return Reason.UNREADABLE.value if isinstance(decision, Fault) else decision.reason.value


def _outcome(decision: Item, stage: str) -> Record:
    """What is stored: the record, or its rejection."""
    if isinstance(decision, Fault):
        return Rejected("", stage, _reason(decision), detail=str(decision))
    return rejected(decision, stage) if isinstance(decision, Dropped) else decision


def rejected(dropped: Dropped, stage: str) -> Rejected:
    """The record of a decision against a record."""
    record = dropped.record
    return Rejected(
        record_id(record), stage, dropped.reason.value, dropped.other, dropped.score, dropped.detail,
        kind_of(record), to_line(record),
    )  # fmt: skip
