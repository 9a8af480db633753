"""A run of a recipe as one sees it: a line a stage, what it needs and needed, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.live import Live
from rich.table import Table
from rich.text import Text

from pythagoras.cli.console import err

if TYPE_CHECKING:
    from pythagoras.stages.overview import Overview
    from pythagoras.stages.planning import Plan

_TELL_S = 30.0
_BAR = 20


def long(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


class RunLines:
    """Tells a run: live lines on a terminal; else a plain line when a stage begins and ends, and now and then."""

    def __init__(self, stages: Sequence[str], planned: Mapping[str, float], live: Live | None) -> None:
        self._planned = planned
        """Seconds that each stage is expected to take, where that is known."""
        self._live = live
        self._states: dict[str, str] = dict.fromkeys(stages, "waiting")
        self._took: dict[str, float] = {}
        self._running = ""
        self._began = self._part_began = self._told = time.monotonic()
        self._part: tuple[str, int, int | None, str] = ("", 0, None, "")
        self._first = 0

    def begin(self, stage: str) -> None:
        self._running, self._began = stage, time.monotonic()
        self._states[stage] = "running"
        self._part = ("", 0, None, "")
        expected = f", about {long(self._planned[stage])} by the plan" if stage in self._planned else ""
        self._plain(f"{stage}: begins{expected}")

    def part(self, name: str, done: int, total: int | None, note: str = "") -> None:
        if name != self._part[0]:
            self._part_began, self._first = time.monotonic(), done
        self._part = (name, done, total, note)
        if self._live is None and time.monotonic() - self._told > _TELL_S:
            self._plain(f"{self._running}: {self._doing()}")

    def end(self, stage: str, seconds: float, *, before: bool) -> None:
        self._states[stage] = "done before" if before else "done"
        self._took[stage] = seconds
        self._plain(f"{stage}: done before, in {long(seconds)}" if before else f"{stage}: done in {long(seconds)}")
        self._running = ""

    def say(self, text: str) -> None:
        err.print(text, markup=False)

    def _plain(self, text: str) -> None:
        self._told = time.monotonic()
        if self._live is None:
            err.print(text, markup=False)

    def _doing(self) -> str:
        name, done, total, note = self._part
        if not name:
            return ""
        of = f" of {total:,}" if total else ""
        left = self._left_of_part()
        parts = (f"{name} {done:,}{of}", note, f"{long(left)} to go" if left is not None else "")
        return ", ".join(part for part in parts if part)

    def _left_of_part(self) -> float | None:
        _, done, total, _ = self._part
        fresh, took = done - self._first, time.monotonic() - self._part_began
        return took / fresh * (total - done) if total and fresh > 1 and took > 3 else None

    # --- live lines ------------------------------------------------------------------------------

    def __rich__(self) -> Table:
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(no_wrap=True, overflow="ellipsis")
        for stage, state in self._states.items():
            table.add_row(*self._row(stage, state))
        left = self._left()
        if left is not None and self._running:
            table.add_row("", "", "", Text(f"about {long(left)} to go in all, by the plan", style="dim"))
        return table

    def _row(self, stage: str, state: str) -> tuple[Text, ...]:
        if state == "running":
            _, done, total, _ = self._part
            filled = round(_BAR * done / total) if total else 0
            bar = Text("━" * filled, style="green") + Text("━" * (_BAR - filled), style="bright_black")
            took = long(time.monotonic() - self._began)
            return Text(f"● {stage}", style="bold"), bar, Text(took), Text(self._doing())
        if state == "waiting":
            expected = f"about {long(self._planned[stage])}" if stage in self._planned else ""
            return Text(f"  {stage}", style="dim"), Text("waiting", style="dim"), Text(expected, style="dim"), Text()
        return Text(f"✓ {stage}", style="green"), Text(state), Text(long(self._took[stage])), Text()

    def _left(self) -> float | None:
        """Seconds to the end, where all that is left was planned."""
        waiting = [stage for stage, state in self._states.items() if state == "waiting"]
        if not self._planned or any(stage not in self._planned for stage in (*waiting, self._running) if stage):
            return None
        rest = max(0.0, self._planned.get(self._running, 0.0) - (time.monotonic() - self._began))
        return sum(self._planned[stage] for stage in waiting) + max(rest, self._left_of_part() or 0.0)


@contextmanager
def run_lines(stages: Sequence[str], planned: Mapping[str, float]) -> Iterator[RunLines]:
    """Who is told a run of these stages."""
    if not err.is_terminal:
        yield RunLines(stages, planned, None)
        return
    with Live(console=err, refresh_per_second=4) as live:
        lines = RunLines(stages, planned, live)
        live.update(lines)
        yield lines


# --- tables -----------------------------------------------------------------------------------------


def plan_table(plan: Plan) -> Table:
    """What a run will need, a stage a line."""
    table = _numbers("stage", "size", "tokens", "Lean", "CPU", "time", "memory", "disk")
    for need in plan.needs:
        size, tokens = _sized(need.size, need.unit), f"{need.tokens:,.0f}" if need.tokens else ""
        spent = _spent(need.lean_s, need.cpu_s, need.seconds)
        table.add_row(need.stage, size, tokens, *spent, _gb(need.memory_mb), _mb(need.bytes))
    spent = _spent(plan.total("lean_s"), plan.total("cpu_s"), plan.total("seconds"))
    table.add_row("all", "", f"{plan.total('tokens'):,.0f}", *spent, _gb(plan.memory_mb), _mb(plan.total("bytes")))
    return table


def stages_table(overview: Overview) -> Table:
    """What a run took, a stage a line, and by how much the plan was off."""
    off = ("planned", "ratio") if overview.planned else ()
    table = _numbers("stage", "size", "Lean", "CPU", "time", *off, "disk")
    done = {stage: one for stage in overview.experiment.stages if (one := overview.stages.get(stage)) and one.work}
    for stage in overview.experiment.stages:
        account = done.get(stage)
        if account is None or account.work is None:
            table.add_row(stage, overview.state(stage).value)
            continue
        work, use = account.work, account.use
        planned = _off(use.seconds, overview.planned.get(stage, {}).get("seconds")) if off else ()
        size, used = _sized(work.size, work.unit), _spent(work.lean_s, use.cpu_s, use.seconds)
        table.add_row(stage, size, *used, *planned, _mb(account.bytes))
    took = sum(account.use.seconds for account in done.values())
    used = _spent(
        sum(account.work.lean_s for account in done.values() if account.work),
        sum(account.use.cpu_s for account in done.values()),
        took,
    )
    whole = [overview.planned[stage]["seconds"] for stage in done if stage in overview.planned]
    planned = _off(took, sum(whole) if len(whole) == len(done) else None) if off else ()
    table.add_row("all", "", *used, *planned, _mb(sum(account.bytes for account in done.values())))
    return table


def _sized(size: float, unit: str) -> str:
    return f"{size:,.0f} {unit}"


def _spent(lean_s: float, cpu_s: float, seconds: float) -> tuple[str, ...]:
    return long(lean_s) if lean_s else "", long(cpu_s), long(seconds)


def _off(took: float, planned: float | None) -> tuple[str, str]:
    return (long(planned), f"{took / planned:.2f}") if planned else ("", "")


def _gb(megabytes: float) -> str:
    return f"{megabytes / 1024:.1f} GB"


def _mb(size: float) -> str:
    return f"{size / 1e6:,.1f} MB" if size < 1e9 else f"{size / 1e9:,.2f} GB"


def _numbers(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for at, name in enumerate(columns):
        table.add_column(name, justify="right" if at else "left", no_wrap=not at)
    return table
