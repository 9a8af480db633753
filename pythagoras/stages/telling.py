"""Who is told how a run goes on: whatever shows it plays this role."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from pythagoras.evaluate.running.session import Doing, Progress
from pythagoras.train.run_folder import OnStep, TrainingRun


class Teller(Protocol):
    """Shows a run. All but `begin` may be called often."""

    def begin(self, stage: str) -> None:
        """A stage has something to do."""
        ...

    def part(self, name: str, done: int, total: int | None, note: str = "") -> None:
        """How far a part of the stage is that is under way."""
        ...

    def end(self, stage: str, seconds: float, *, before: bool) -> None:
        """A stage is done: now, or `before` this session."""
        ...

    def say(self, text: str) -> None:
        """Something that one should know."""
        ...


class Silent:
    """Shows nothing."""

    def begin(self, stage: str) -> None: ...

    def part(self, name: str, done: int, total: int | None, note: str = "") -> None: ...

    def end(self, stage: str, seconds: float, *, before: bool) -> None: ...

    def say(self, text: str) -> None: ...


def training_note(line: Mapping[str, Any]) -> str:
    """A line of a training's log in a few words."""
    named = {"loss": "loss", "validation_loss": "validation loss", "reward": "reward"}
    parts = [f"{words} {line[name]:.3f}" for name, words in named.items() if line.get(name) is not None]
    if line.get("seconds") and line.get("tokens"):
        parts.append(f"{line['tokens'] / line['seconds']:,.0f} tokens/s")
    return ", ".join(parts)


# --- what stages tell, put into these words -------------------------------------------------------


def stage_lines(tell: Teller) -> tuple[Callable[[str, int | None], None], Callable[[str, int, int, int], None]]:
    """For whatever runs stages over rows: who is told when one begins, and how far it is."""
    totals: dict[str, int | None] = {}

    def on_stage(stage: str, total: int | None) -> None:
        totals[stage] = total

    def on_progress(stage: str, read: int, kept: int, dropped: int) -> None:
        tell.part(stage, read, totals.get(stage), f"{kept:,} out, {dropped:,} rejected" if dropped else "")

    return on_stage, on_progress


def watch_training(tell: Teller) -> Callable[[TrainingRun], Any]:
    """For a training."""

    @contextmanager
    def watch(run: TrainingRun) -> Iterator[OnStep]:
        tell.part("reading what it learns from", 0, None)
        yield lambda line: tell.part(str(line["stage"]), line["step"], line.get("steps"), training_note(line))

    return watch


def watch_attempts(tell: Teller, rung: str) -> Callable[[], Any]:
    """For attempts at a benchmark."""

    def told(progress: Progress) -> None:
        what = "" if progress.doing is Doing.ATTEMPTS else f", {progress.doing.value}"
        note = f"{progress.solved}/{progress.problems} solved"
        tell.part(f"{rung}{what}", progress.done, progress.total, note)

    @contextmanager
    def watch() -> Iterator[Callable[[Progress], None]]:
        yield told

    return watch


def fits(tell: Teller) -> Callable[[int, int], None]:
    """For an embedder that may have to be fitted first."""
    return lambda done, total: tell.part("fitting the static embedder, once", done, total)
