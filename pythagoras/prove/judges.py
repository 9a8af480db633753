"""Judges: threads with a verifier each, on one Lean. What is urgent goes first, and verdicts come as they are done.

A verifier by itself answers in the order of what it is asked; there, one proof that takes long would keep all others
waiting.
"""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable
from enum import IntEnum
from types import TracebackType
from typing import Self, TypeAlias

from pythagoras.lean.pool import Checker
from pythagoras.lean.verifier import CheckedVerifier, Judged, Submission
from pythagoras.lean.wire import Limits
from pythagoras.prove.errand import Over

Tell: TypeAlias = Callable[[int, Judged | BaseException], None]
"""Is told a submission's number, and the verdict or what kept Lean from it. Called on the judge's thread."""


class Urgency(IntEnum):
    """Which of those that wait is judged next."""

    FIRST = 0
    SOON = 1
    IN_TURN = 2


_Task: TypeAlias = tuple[int, int, int, Submission | None]


class Judges:
    """Use it in a `with` block. Leaving it waits for nobody: who is at a proof notices by the Lean that is gone."""

    def __init__(self, checker: Checker, count: int, limits: Limits, tell: Tell) -> None:
        self._checker = checker
        self._count = count
        self._limits = limits
        self._tell = tell
        self._tasks: queue.PriorityQueue[_Task] = queue.PriorityQueue()
        self._order = itertools.count()

    def __enter__(self) -> Self:
        for number in range(self._count):
            threading.Thread(target=self._work, name=f"judge-{number}", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for _ in range(self._count):
            self._tasks.put((-1, next(self._order), 0, None))

    def judge(self, number: int, submission: Submission, urgency: Urgency) -> None:
        """Have a submission judged when a judge is free; `tell` is told under that number."""
        self._tasks.put((urgency, next(self._order), number, submission))

    def _work(self) -> None:
        verifier = CheckedVerifier(self._checker, limits=self._limits)
        while True:
            _, _, number, submission = self._tasks.get()
            if submission is None:
                return
            try:
                [judged] = verifier.verify([submission])
            except Over:
                return
            except BaseException as error:  # for whoever waits for the verdict
                self._tell(number, error)
            else:
                self._tell(number, judged)
