"""What a piece of work takes of the machine: seconds, processor seconds and memory, of this process and all below it.

Processes are looked at once a second, so a peak between two looks is missed, and so is what one that ended without
being waited for did since the last. Memory that processes share counts for each.
"""

from __future__ import annotations

import contextlib
import resource
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import psutil

_LOOK_S = 1.0
_TICK_S = 5.0
"""How often somebody is told: what a kill can cost of the account."""


@dataclass(frozen=True, slots=True)
class Use:
    """What was taken."""

    seconds: float = 0.0
    cpu_s: float = 0.0
    memory_mb: float = 0.0
    """The most at one time."""

    def __add__(self, other: Use) -> Use:
        """One after the other."""
        peak = max(self.memory_mb, other.memory_mb)
        return Use(self.seconds + other.seconds, self.cpu_s + other.cpu_s, peak)


class Meter:
    """Measures while it is open; `on_tick` is told now and then what was taken so far, by a thread of the meter's."""

    def __init__(self, on_tick: Callable[[Use], object] = lambda use: None) -> None:
        self._on_tick = on_tick
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, name="meter", daemon=True)
        self._lock = threading.Lock()
        self._peak = 0.0
        self._began = self._cpu = 0.0

    def __enter__(self) -> Self:
        self._began, self._cpu = time.monotonic(), _processor_seconds()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def use(self) -> Use:
        with self._lock:
            self._peak = max(self._peak, _memory_mb())
            return Use(time.monotonic() - self._began, max(0.0, _processor_seconds() - self._cpu), self._peak)

    def _look(self) -> None:
        told = time.monotonic()
        while not self._stop.wait(_LOOK_S):
            use = self.use()
            if time.monotonic() - told >= _TICK_S:
                told = time.monotonic()
                self._on_tick(use)


def _processor_seconds() -> float:
    """Of this process, of those it has waited for, and of those that are there, with theirs."""
    own = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    total = sum(used.ru_utime + used.ru_stime for used in own)
    for process in _below():
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def _memory_mb() -> float:
    total = psutil.Process().memory_info().rss
    for process in _below():
        with contextlib.suppress(psutil.Error):
            total += process.memory_info().rss
    return float(total / 2**20)


def _below() -> list[psutil.Process]:
    try:
        return psutil.Process().children(recursive=True)
    except psutil.Error:
        return []
