"""A Lean that is lent for one theorem: it is counted what it does, and when the work has ended nothing more is asked.

Judging and searching share it. What is under way at the end goes on until its own time is over; should that keep all
processes from the next theorem, one of them is made free where the Lean can do that, for a new one costs seconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from typing import Protocol, runtime_checkable

from pythagoras.lean.pool import Check, Checked, Checker

_MOMENT_S = 1.0
"""Most checks end by themselves within it, and a process costs seconds."""


class Over(Exception):
    """The work has ended: nobody waits for the answer."""


@runtime_checkable
class Dropping(Protocol):
    """A Lean that can be told not to go on with a check."""

    def drop(self, check: Check) -> None: ...


class Errand:
    """A `Checker` for the time of one theorem. For any number of threads; checks of a call are asked one by one."""

    def __init__(self, checker: Checker) -> None:
        self.seconds = 0.0
        """What Lean has worked on it, all its processes together."""
        self._checker = checker
        self._lock = threading.Lock()
        self._under_way: list[Check] = []
        self._over = False
        self._ended_at = 0.0

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        """Results in the order of the checks. Raises Over when the work has ended."""
        return map(self._one, checks)

    def end(self) -> None:
        """Ask nothing more, and wait for nothing."""
        with self._lock:
            if not self._over:
                self._over = True
                self._ended_at = time.monotonic()

    def make_room(self, processes: int) -> None:
        """Should all of so many processes still be at it a moment after the end, have one drop that. Does not wait."""
        if isinstance(self._checker, Dropping) and len(self._under_way) >= processes:
            moment = max(0.0, self._ended_at + _MOMENT_S - time.monotonic())
            later = threading.Timer(moment, self._drop_one, [self._checker, processes])
            later.daemon = True
            later.start()

    def _drop_one(self, checker: Dropping, processes: int) -> None:
        with self._lock:
            left = self._under_way[:1] if len(self._under_way) >= processes else []
        for check in left:
            checker.drop(check)

    def _one(self, check: Check) -> Checked:
        with self._lock:
            if self._over:
                raise Over
            self._under_way.append(check)
        try:
            [checked] = self._checker.check([check])
        except CancelledError:
            raise Over from None
        finally:
            with self._lock:
                self._under_way.remove(check)
        with self._lock:
            if self._over:
                raise Over
            self.seconds += checked.seconds
        return checked
