"""A Lean that is lent for one theorem: it is counted what it does, and when the work has ended nothing more is asked.

Judging and searching share it. What is still under way a moment after the end is dropped where the Lean can do that:
the next theorem shall not wait for it, but a new Lean process is dearer than that moment.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from typing import Protocol, runtime_checkable

from pythagoras.lean.pool import Check, Checked, Checker

_GRACE_S = 1.0
"""What takes longer behind the end costs its Lean process."""


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

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        """Results in the order of the checks. Raises Over when the work has ended."""
        return map(self._one, checks)

    def end(self) -> None:
        """Ask nothing more, and wait for nothing."""
        with self._lock:
            if self._over:
                return
            self._over = True
        if isinstance(self._checker, Dropping):
            clean_up = threading.Timer(_GRACE_S, self._drop, [self._checker])
            clean_up.daemon = True
            clean_up.start()

    def _drop(self, checker: Dropping) -> None:
        with self._lock:
            left = list(self._under_way)
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
