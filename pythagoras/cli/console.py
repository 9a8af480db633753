"""Where output goes: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

_ANY_WIDTH = 10_000
"""Characters: no table is as wide."""
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def complain(text: str) -> None:
    """One line on stderr."""
    err.print(f"pythagoras: {text}", markup=False, style="bold red")


def wide() -> Console:
    """For tables on stdout: who reads from a pipe may have any width."""
    return out if out.is_terminal or "COLUMNS" in os.environ else Console(width=_ANY_WIDTH, highlight=False)


def print_json(value: Any) -> None:
    """A result for programs."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


@contextmanager
def step_progress(steps: dict[str, str]) -> Iterator[Callable[[str, float], None]]:
    """A bar for each named step as it begins; the yielded function takes a step and a share from 0 to 1.

    Where there is no terminal, a line for each.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, console=err, disable=not err.is_terminal) as progress:
        tasks: dict[str, Any] = {}

        def update(step: str, share: float) -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(steps[step], total=1.0)
                if not err.is_terminal:
                    err.print(steps[step], markup=False)
            progress.update(tasks[step], completed=share)

        yield update


@contextmanager
def fitting_progress() -> Iterator[Callable[[int, int], None]]:
    """For whoever may have to fit the static embedder first: the yielded function takes how many texts of how many."""
    with step_progress({"fit": "fitting the static embedder to MiniLM, once: some minutes"}) as progress:
        yield lambda done, total: progress("fit", done / total)


@contextmanager
def batch_progress(what: str, total: int | None, *, transient: bool = False) -> Iterator[Callable[[int, str], None]]:
    """One bar with rate and a note (such as failures); the yielded function takes how many more, and the note.

    A transient one is gone when it ends.
    """
    columns = (
        *(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()),
        *(TextColumn("{task.fields[rate]}"), TimeRemainingColumn(), TextColumn("{task.fields[note]}")),
    )
    with Progress(*columns, console=err, disable=not err.is_terminal, transient=transient) as progress:
        task = progress.add_task(what, total=total, rate="", note="")

        def advance(count: int, note: str) -> None:
            progress.update(task, advance=count, note=note)
            speed = progress.tasks[0].speed
            progress.update(task, rate=f"{speed:.1f}/s" if speed else "")

        yield advance


class StageLines:
    """One live line a stage: in, out, rejected, rate, time to go. What was done before counts as done.

    Where there is no terminal, a plain line when a stage is done, and every minute of a long one.
    """

    _EVERY_S = 60.0

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}
        self._began: dict[str, int] = {}
        self._told_s = time.monotonic()
        self._done: set[str] = set()

    def begin(self, stage: str, total: int | None) -> None:
        self._tasks[stage] = self._progress.add_task(stage, total=total, kept=0, dropped=0, rate="")

    def show(self, stage: str, read: int, kept: int, dropped: int) -> None:
        """How many rows the stage has read, kept and dropped in all."""
        task = self._progress.tasks[self._tasks[stage]]
        took = task.elapsed or 0.0
        fresh = read - self._began.setdefault(stage, read)
        rate = f"{fresh / took:.1f}/s" if fresh and took else ""
        self._progress.update(task.id, completed=read, kept=kept, dropped=dropped, rate=rate)
        late = time.monotonic() - self._told_s > self._EVERY_S
        done = read == task.total and stage not in self._done
        if self._progress.disable and (late or done):
            self._told_s = time.monotonic()
            self._done |= {stage} if done else set()
            total = "" if task.total is None else f" of {task.total:,.0f}"
            err.print(f"{stage}: {read:,}{total} in, {kept:,} out, {dropped:,} rejected {rate}".rstrip(), markup=False)


@contextmanager
def stage_progress() -> Iterator[StageLines]:
    """Lines for the stages of a long work, added as they begin."""
    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=20), MofNCompleteColumn(),
        TextColumn("[green]{task.fields[kept]:,} out[/green]"),
        TextColumn("[red]{task.fields[dropped]:,} rejected[/red]"),
        TextColumn("{task.fields[rate]}"), TimeRemainingColumn(elapsed_when_finished=True),
    )  # fmt: skip
    with Progress(*columns, console=err, disable=not err.is_terminal) as progress:
        yield StageLines(progress)


@contextmanager
def training_progress() -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """A live line a stage of training: steps, loss or reward, tokens a second, time to go.

    The yielded function takes a line of the run's log. Where there is no terminal, a plain line every half minute.
    """
    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=20), MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"), TimeRemainingColumn(elapsed_when_finished=True),
    )  # fmt: skip
    from pythagoras.stages.telling import training_note

    every_s = 30.0
    with Progress(*columns, console=err, disable=not err.is_terminal) as progress:
        tasks: dict[str, TaskID] = {}
        told_s = time.monotonic()
        first = progress.add_task("reading what it learns from", total=None, note="")
        if progress.disable:
            err.print("reading what it learns from")

        def tell(line: Mapping[str, Any]) -> None:
            nonlocal told_s
            progress.update(first, visible=False)
            stage = str(line["stage"])
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=line.get("steps"), note="")
            note = training_note(line)
            progress.update(tasks[stage], completed=line["step"], note=note)
            last = line["step"] == line.get("steps")
            if progress.disable and (last or time.monotonic() - told_s > every_s):
                told_s = time.monotonic()
                of = f" of {line['steps']:,}" if line.get("steps") else ""
                err.print(f"{stage}: step {line['step']:,}{of}{', ' if note else ''}{note}", markup=False)

        yield tell
