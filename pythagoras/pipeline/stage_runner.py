"""Run the stages of a build one after the other, each into a store of its own, and go on where it stopped.

    folder/stages/01-source/      a store for each stage, in the order of the stages
    folder/costs/source.jsonl     what its pieces took, a line each

Costs differ between runs, so they are kept apart from the records; all else is the same whoever works, however fast,
and however often it is killed. A run that is stopped or fails notes what its last piece took until then, and a piece
that was finished twice, since a kill came between its costs and its records, has two lines: both were paid. What a
kill (one that nothing can answer) cuts off is in no line: up to a piece's costs a kill are missing.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from pythagoras.corpus.records import Record
from pythagoras.corpus.stages import Decide, Item, keep_all, rejected, run_stage
from pythagoras.corpus.store import Step, Store, StoreWriter
from pythagoras.engine.engine import Engine, Job
from pythagoras.pipeline.work import Outcome

COSTLY_ROWS = 64
"""Rows in a piece of a stage that asks Lean or models: what a kill can cost at the most."""
STAGES, COSTS = "stages", "costs"

R = TypeVar("R")
BatchJob: TypeAlias = Job[tuple[R, ...], tuple[Outcome, ...]]
OnStage: TypeAlias = Callable[[str, int | None], None]
"""Takes a stage's name when it begins, and how many rows it will read where that is known."""
OnProgress: TypeAlias = Callable[[str, int, int, int], None]
"""Takes a stage's name and how many rows it has read, kept and dropped in all: at its beginning (a resumed stage has
some already) and then as it goes on."""


class StageRunner:
    """The stages of one build. Holds no state but what was done so far."""

    def __init__(self, folder: Path, engine: Engine, on_stage: OnStage, on_progress: OnProgress) -> None:
        self.stores: dict[str, Store] = {}
        """By the stages' names, in their order."""
        self._folder = folder
        self._engine = engine
        self._on_stage = on_stage
        self._on_progress = on_progress

    @property
    def funnel(self) -> tuple[Step, ...]:
        """What each stage did."""
        return tuple(store.manifest.funnel[-1] for store in self.stores.values())

    def map(
        self,
        name: str,
        job: BatchJob[R],
        rows: Callable[[], Iterable[R]],
        total: int,
        *,
        settings: Mapping[str, Any],
        inputs: Mapping[str, str],
        batch: int = 1,
    ) -> Store:
        """A stage whose work the engine does: `batch` rows at a time, with one outcome for each."""
        self._on_stage(name, total)
        with StoreWriter(self._place(name), name, dict(settings), dict(inputs), self.funnel) as writer:
            if not writer.complete:
                self._write(name, writer, self._outcomes(job, rows, writer.rows_read, batch))
                writer.finish()
            return self._finished(name, writer.store(), total)

    def _outcomes(self, job: BatchJob[R], rows: Callable[[], Iterable[R]], done: int, batch: int) -> Iterator[Outcome]:
        """What becomes of each row behind those that are done.

        A batch that ends workers is done again row by row, so that one bad row does not take the others with it. The
        workers at the batches behind it are let go meanwhile: two crews at a time may be more than the memory holds.
        """
        while True:
            results = self._engine.map(_Timed(job), _batches(islice(rows(), done, None), batch))
            lost: tuple[R, ...] = ()
            for result in results:
                if isinstance(result, _Lost):
                    lost = result.batch
                    break
                yield from result
                done += len(result)
            if not lost:
                return
            if isinstance(results, Generator):
                results.close()
            for result in self._engine.map(_Timed(job), ((row,) for row in lost)):
                assert not isinstance(result, _Lost)
                yield from result
            done += len(lost)

    def sift(
        self,
        name: str,
        items: Callable[[], Iterable[Item]],
        *,
        settings: Mapping[str, Any],
        inputs: Mapping[str, str],
        total: int | None = None,
        decide: Decide = keep_all,
        tally: Counter[str] | None = None,
        folder: Path | None = None,
    ) -> Store:
        """A stage that is cheap enough to be done here, over all rows. `folder` is where it goes in place of its own.

        `items` is called when there is something to do, and may decide about items itself.
        """
        self._on_stage(name, total)
        read = lost = 0

        def on_progress(more: int, dropped: int) -> None:
            nonlocal read, lost
            read, lost = read + more, lost + dropped
            self._on_progress(name, read, read - lost, lost)

        def stream() -> Iterator[Item]:
            yield from items()

        began = time.monotonic()
        place = self._place(name, folder)
        store = run_stage(
            stream(),
            place,
            stage=name,
            settings=dict(settings),
            inputs=dict(inputs),
            decide=decide,
            funnel=self.funnel,
            tally=tally,
            on_progress=on_progress,
        )
        if read:
            self._note_costs(name, {"rows": read, "wall_s": time.monotonic() - began})
        return self._finished(name, store, total)

    def _place(self, name: str, folder: Path | None = None) -> Path:
        place = folder or self._folder / STAGES / f"{len(self.stores) + 1:02d}-{name}"
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def _finished(self, name: str, store: Store, total: int | None) -> Store:
        step = store.manifest.funnel[-1]
        if total is not None and step.read != total:
            raise AssertionError(f"{name} read {step.read} rows of {total}")
        self._on_progress(name, step.read, step.kept, step.read - step.kept)
        self.stores[name] = store
        return store

    def _write(self, name: str, writer: StoreWriter, outcomes: Iterator[Outcome]) -> None:
        done = writer.so_far
        read, lost = done.read, done.read - done.kept
        self._on_progress(name, read, read - lost, lost)
        while True:
            began = time.monotonic()
            piece = _Piece(name)
            try:
                for outcome in islice(outcomes, COSTLY_ROWS):
                    piece.take(outcome)
                    dropped = sum(piece.dropped.values())
                    self._on_progress(name, read + piece.read, read + piece.read - lost - dropped, lost + dropped)
            except BaseException:  # its rows will be done again, and what they took was taken
                self._note_costs(name, {"wall_s": time.monotonic() - began} | dict(piece.costs))
                raise
            if not piece.read:
                return
            read, lost = read + piece.read, lost + sum(piece.dropped.values())
            self._note_costs(name, {"rows": piece.read, "wall_s": time.monotonic() - began} | dict(piece.costs))
            writer.write_piece(piece.records, piece.step())

    def _note_costs(self, name: str, costs: Mapping[str, float]) -> None:
        path = self._folder / COSTS / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        rounded = {what: round(value, 4) for what, value in costs.items() if value}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(rounded) + "\n")


@dataclass(frozen=True, slots=True)
class _Lost(Generic[R]):
    """Several rows that ended every worker which took them together."""

    batch: tuple[R, ...]


@dataclass(frozen=True, slots=True)
class _Timed(Generic[R]):
    """A job that notes how long a worker was at each batch: what another number of workers would share."""

    job: BatchJob[R]

    @contextmanager
    def open(self) -> Iterator[Callable[[tuple[R, ...]], tuple[Outcome, ...] | _Lost[R]]]:
        with self.job.open() as work:

            def timed(batch: tuple[R, ...]) -> tuple[Outcome, ...] | _Lost[R]:
                began = time.monotonic()
                first, *others = work(batch)
                return replace(first, costs={**first.costs, "worker_s": time.monotonic() - began}), *others

            yield timed

    def give_up(self, batch: tuple[R, ...], why: str) -> tuple[Outcome, ...] | _Lost[R]:
        return self.job.give_up(batch, why) if len(batch) == 1 else _Lost(batch)


class _Piece:
    """What became of some rows."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.read = 0
        self.records: list[Record] = []
        self.dropped = Counter[str]()
        self.tally = Counter[str]()
        self.costs = Counter[str]()

    def take(self, outcome: Outcome) -> None:
        """The outcome of one row: one record that is kept, or one that is dropped."""
        if len(outcome.kept) + len(outcome.dropped) != 1:
            raise AssertionError(
                f"{self.stage}: {len(outcome.kept)} kept and {len(outcome.dropped)} dropped of one row"
            )
        self.read += 1
        self.records += (*outcome.kept, *outcome.beside, *(rejected(each, self.stage) for each in outcome.dropped))
        self.dropped.update(each.reason.value for each in outcome.dropped)
        self.tally.update(outcome.tally)
        self.costs.update(outcome.costs)

    def step(self) -> Step:
        return Step(self.stage, self.read, dict(self.dropped), dict(sorted(self.tally.items())))


def read_costs(folder: Path) -> dict[str, dict[str, float]]:
    """What each stage of a build took so far, over all runs: sums by name. A line that a kill cut off is left out."""
    found: dict[str, dict[str, float]] = {}
    for path in sorted((folder / COSTS).glob("*.jsonl")):
        total = Counter[str]()
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                total.update(json.loads(line))
            except ValueError:
                continue
        found[path.stem] = dict(total)
    return found


def _batches(rows: Iterable[R], size: int) -> Iterator[tuple[R, ...]]:
    stream = iter(rows)
    while batch := tuple(islice(stream, size)):
        yield batch
