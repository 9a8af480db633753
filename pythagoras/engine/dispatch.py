"""Who gets which item, and what comes out when: the part that engines share. Knows nothing of processes.

A worker has one item at a time, so when it dies it is clear which one it had. That item is tried again, up to `TRIES`
times in all; then the job says what becomes of it. A worker that does not answer in time is ended, and counts as dead.
A worker that dies before it has an item is nobody's fault: it is replaced, but not without end. Where the job can't be
opened, the others do without that worker; when nobody is left, what is done is handed out, and the error is raised.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from pythagoras.engine.engine import In, Job, Out
from pythagoras.engine.worker import Reply, Said
from pythagoras.errors import EngineError

TRIES = 3
"""How many workers an item may end; and, a place for a worker, how many may end in a row without an item."""
WINDOW_PER_WORKER = 16
"""Items read for each worker and not yet handed out: a slow one holds up the results behind it, not the work."""

ANSWER_S = 4 * 3600.0
"""How long a worker may take for an item, or to open its job: far more than a batch of slow models needs, so that only
one that will never answer is ended."""

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

    def hear(self, timeout_s: float) -> list[tuple[W, Reply | Gone]]:
        """What workers have to say; waits for it so long. A worker that is gone is not heard of again."""
        ...

    def dismiss(self, worker: W) -> None:
        """End a worker, whatever it is doing. It is not heard of again."""
        ...

    def finish(self) -> None:
        """Let the workers close their job, and wait a little for it."""
        ...

    def end(self) -> None:
        """End all workers at once. Safe to call twice."""
        ...


class Maps:
    """The maps of one engine that are under way, each with a crew of its own until it is done or closed."""

    def __init__(self, item_timeout_s: float) -> None:
        self._item_timeout_s = item_timeout_s
        self._crews: set[Crew[Any]] = set()

    def run(self, job: Job[In, Out], crew: Crew[W], workers: int, items: Iterable[In]) -> Iterator[Out]:
        """Results in the order of the items."""
        self._crews.add(crew)
        try:
            yield from Dispatcher(job, crew, workers, self._item_timeout_s).run(items)
            crew.finish()
        finally:
            crew.end()
            self._crews.discard(crew)

    def end(self) -> None:
        """End the crews of maps that nobody read to the end."""
        for crew in list(self._crews):
            crew.end()


@dataclass(slots=True)
class _Task(Generic[In]):
    number: int
    item: In
    deaths: int = 0


class Dispatcher(Generic[In, Out, W]):
    """One map: a job, the crew that does it, and what is under way."""

    def __init__(self, job: Job[In, Out], crew: Crew[W], workers: int, item_timeout_s: float = ANSWER_S) -> None:
        self._job = job
        self._crew = crew
        self._workers = workers
        self._item_timeout_s = item_timeout_s
        self._deadlines: dict[W, float] = {}
        """When those that open the job or have an item must have answered."""
        self._opening: set[W] = set()
        self._idle: list[W] = []
        self._busy: dict[W, _Task[In]] = {}
        self._waiting: deque[_Task[In]] = deque()
        self._finished: dict[int, Callable[[], Out]] = {}
        self._wasted = 0
        """Workers that ended without an item since the last that finished one."""
        self._failed = False
        self._unopened: Reply | None = None
        """What the job's `open` raised, when there is no worker left."""

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
            if self._unopened is not None:
                self._unopened.value()
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
            heard = self._crew.hear(0.0 if room else self._patience_s())
            for worker, said in heard:
                self._note(worker, said)
            if not heard:  # else others may have answered, and wait to be heard
                self._dismiss_the_silent()

    def _assign(self) -> None:
        """An item for whoever has none, and no more workers than items."""
        while self._waiting and self._idle:
            worker, task = self._idle.pop(), self._waiting.popleft()
            if self._crew.give(worker, pickle.dumps(task.item)):
                self._busy[worker] = task
                self._deadlines[worker] = time.monotonic() + self._item_timeout_s
            else:  # its end will be heard of
                self._waiting.appendleft(task)
        under_way = len(self._waiting) + len(self._busy)
        while len(self._opening) + len(self._idle) + len(self._busy) < min(under_way, self._workers):
            worker = self._crew.hire()
            self._opening.add(worker)
            self._deadlines[worker] = time.monotonic() + ANSWER_S

    def _patience_s(self) -> float:
        """Until somebody is late."""
        return max(min(self._deadlines.values()) - time.monotonic(), 0.0)

    def _dismiss_the_silent(self) -> None:
        now = time.monotonic()
        for worker in [worker for worker, deadline in self._deadlines.items() if deadline <= now]:
            allowed_s = self._item_timeout_s if worker in self._busy else ANSWER_S
            self._crew.dismiss(worker)
            self._note(worker, Gone(f"since it did not answer within {allowed_s:g} s"))

    def _note(self, worker: W, said: Reply | Gone) -> None:
        """Take down what a worker said."""
        self._deadlines.pop(worker, None)
        task = self._busy.pop(worker, None)
        if isinstance(said, Gone):
            self._lose(worker, task, said.why)
            return
        if task is None:
            self._opening.discard(worker)
            if said.said is Said.RAISED:
                self._do_without(worker, said)
                return
        else:
            self._finished[task.number] = said.value
            self._failed |= said.said is Said.RAISED
            self._wasted = 0
        self._idle.append(worker)

    def _do_without(self, worker: W, said: Reply) -> None:
        """A worker can't open the job. The others may; if there are none, no new one will be asked."""
        self._crew.dismiss(worker)
        if self._opening or self._idle or self._busy:
            self._workers -= 1
        else:
            self._unopened = said

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
