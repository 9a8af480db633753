"""Who gets which item, and what comes out when: the part that engines share. Knows nothing of processes.

A worker has one item at a time, so when it dies it is clear which one it had. That item is tried again, up to `TRIES`
times in all; then the job says what becomes of it. A worker that dies before it has an item is nobody's fault: it is
replaced, but not without end.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

from pythagoras.engine.engine import In, Job, Out
from pythagoras.engine.worker import Reply, Said
from pythagoras.errors import EngineError

TRIES = 3
"""How many workers an item may end; and, a place for a worker, how many may end in a row without an item."""
WINDOW_PER_WORKER = 16
"""Items read for each worker and not yet handed out: a slow one holds up the results behind it, not the work."""

W = TypeVar("W")


@dataclass(frozen=True, slots=True)
class Gone:
    """A worker's last word, said by whoever found it dead."""

    why: str


class Crew(Protocol[W]):
    """The workers of one map, as an engine keeps them. `W` is however it names one of them."""

    def hire(self) -> W:
        """Start a worker, which will say that it is ready, or raise what the job's `open` raised."""
        ...

    def give(self, worker: W, item: bytes) -> bool:
        """Hand an item to a worker that has none. False: it is dead, and never saw the item."""
        ...

    def hear(self, timeout_s: float | None) -> list[tuple[W, Reply | Gone]]:
        """What workers have to say; waits until there is something. A worker that is gone is not heard of again."""
        ...


@dataclass(slots=True)
class _Task(Generic[In]):
    number: int
    item: In
    deaths: int = 0


class Dispatcher(Generic[In, Out, W]):
    """One map: a job, the crew that does it, and what is under way."""

    def __init__(self, job: Job[In, Out], crew: Crew[W], workers: int) -> None:
        self._job = job
        self._crew = crew
        self._workers = workers
        self._opening: set[W] = set()
        self._idle: list[W] = []
        self._busy: dict[W, _Task[In]] = {}
        self._waiting: deque[_Task[In]] = deque()
        self._finished: dict[int, Callable[[], Out]] = {}
        self._wasted = 0
        """Workers that ended without an item since the last that finished one."""
        self._failed = False

    def run(self, items: Iterable[In]) -> Iterator[Out]:
        """Results in the order of the items; what is done is handed out before another item is read."""
        source = enumerate(items)
        window = WINDOW_PER_WORKER * self._workers
        read = handed_out = 0
        more = True
        while True:
            while handed_out in self._finished:
                result = self._finished.pop(handed_out)
                handed_out += 1
                yield result()
            under_way = len(self._waiting) + len(self._busy)
            room = more and not self._failed and under_way < self._workers and read - handed_out < window
            if room:
                following = next(source, None)
                if following is None:
                    more = False
                    continue
                read += 1
                self._waiting.append(_Task(*following))
            elif not under_way:
                return
            self._assign()
            for worker, said in self._crew.hear(0 if room else None):
                self._note(worker, said)

    def _assign(self) -> None:
        """An item for whoever has none, and no more workers than items."""
        while self._waiting and self._idle:
            worker, task = self._idle.pop(), self._waiting.popleft()
            if self._crew.give(worker, pickle.dumps(task.item)):
                self._busy[worker] = task
            else:  # its end will be heard of
                self._waiting.appendleft(task)
        under_way = len(self._waiting) + len(self._busy)
        while len(self._opening) + len(self._idle) + len(self._busy) < min(under_way, self._workers):
            self._opening.add(self._crew.hire())

    def _note(self, worker: W, said: Reply | Gone) -> None:
        """Take down what a worker said."""
        task = self._busy.pop(worker, None)
        if isinstance(said, Gone):
            self._lose(worker, task, said.why)
            return
        if task is None:
            self._opening.discard(worker)
            if said.said is Said.RAISED:
                said.value()
        else:
            self._finished[task.number] = said.value
            self._failed |= said.said is Said.RAISED
            self._wasted = 0
        self._idle.append(worker)

    def _lose(self, worker: W, task: _Task[In] | None, why: str) -> None:
        if task is None:
            self._opening.discard(worker)
            if worker in self._idle:
                self._idle.remove(worker)
            self._wasted += 1
            if self._wasted >= TRIES * self._workers:
                raise EngineError(
                    f"{self._wasted} workers in a row ended before they had anything to do, the last one {why}: "
                    "see what they wrote, look for memory that runs out, or ask for fewer workers"
                )
            return
        task.deaths += 1
        if task.deaths < TRIES:
            self._waiting.appendleft(task)
        else:
            reason = f"{task.deaths} workers ended while they worked on it, the last one {why}"
            self._finished[task.number] = partial(self._job.give_up, task.item, reason)
