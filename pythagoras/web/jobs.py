"""Theorems that are being proved for clients: a queue with an end, one at a time, and what was found for a while after.

Lives on an event loop; the prover works on a thread beside it and hands over what it finds. A job does not need its
client: it ends by its own limit of time. What is kept has an end in number, in time and in bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from pythagoras.errors import PythagorasError
from pythagoras.lean.server.turns import Overloaded
from pythagoras.lean.statements import Statement
from pythagoras.prove.proving import Attempt, Effort, Outcome
from pythagoras.prove.refusal import StatementRefused
from pythagoras.web.prove_wire import (
    CANCELLED,
    AttemptTold,
    JobTold,
    OutcomeTold,
    State,
    attempt_told,
    outcome_told,
    whole,
)

_ID_BYTES = 12
_LAST_WORDS_S = 10.0
"""How long a prover may take to notice that it shall end."""
_log = logging.getLogger(__name__)


class Proves(Protocol):
    """The part of a prover that is needed here."""

    @property
    def doing(self) -> str: ...

    def prove(
        self,
        statement: Statement,
        effort: Effort,
        on_attempt: Callable[[Attempt], None],
        stop: threading.Event | None,
    ) -> Outcome: ...


@dataclass(frozen=True, slots=True)
class JobLimits:
    """How much is taken on, and how much is kept."""

    waiting: int = 16
    """Jobs behind the one that is under way, and theorems that Lean is reading; more are turned away with 429."""
    kept: int = 32
    """Finished ones that are kept."""
    kept_s: float = 3600.0
    """How long."""
    bytes: int = 4 * 2**20
    """What is kept of the attempts of one job; behind that, attempts are told without their texts."""


@dataclass(frozen=True, slots=True)
class Event:
    """One line of what a job has to tell; `number` counts from 1."""

    number: int
    name: str
    data: str


class Job:
    """One theorem on its way. Touched on the event loop alone, but for `stop`."""

    def __init__(self, theorem: str, statement: Statement, effort: Effort) -> None:
        self.id = secrets.token_urlsafe(_ID_BYTES)
        self.theorem = theorem
        self.statement = statement
        self.effort = effort
        self.stop = threading.Event()
        self.state = State.WAITING
        self.finished_at = 0.0
        self._began_at = 0.0
        self._events: list[Event] = []
        self._bytes = 0
        self._attempts: list[AttemptTold] = []
        self._outcome: OutcomeTold | None = None
        self._changed = asyncio.Event()

    def begin(self) -> None:
        self.state = State.RUNNING
        self._began_at = time.monotonic()
        self._tell("running", "{}")

    def add(self, attempt: Attempt, limit_bytes: int) -> None:
        told = attempt_told(attempt, in_full=self._bytes < limit_bytes)
        self._attempts.append(told)
        self._tell("attempt", told.model_dump_json())

    def finish(self, outcome: OutcomeTold) -> None:
        self.state = State.DONE
        self.finished_at = time.monotonic()
        self._outcome = outcome
        self._tell("done", outcome.model_dump_json())

    @property
    def seconds(self) -> float:
        """Since it began."""
        if not self._began_at:
            return 0.0
        return (self.finished_at or time.monotonic()) - self._began_at

    async def events(self, after: int, tick_s: float) -> AsyncIterator[Event | None]:
        """What it has to tell behind that number, as it comes, until it is done; None after every quiet tick."""
        at = max(0, after)
        while True:
            changed = self._changed
            for event in self._events[at:]:
                yield event
                at = event.number
            if self.state is State.DONE and at >= len(self._events):
                return
            if changed is self._changed:
                try:
                    async with asyncio.timeout(tick_s):
                        await changed.wait()
                except TimeoutError:
                    yield None

    def told(self, ahead: int, doing: str) -> JobTold:
        effort = self.effort
        return JobTold(
            id=self.id,
            theorem=self.theorem,
            n=effort.n,
            timeout=effort.timeout_s,
            all=effort.all,
            seed=effort.seed,
            state=self.state,
            ahead=ahead,
            doing=doing,
            seconds=round(self.seconds, 3),
            attempts=tuple(self._attempts),
            outcome=self._outcome,
        )

    def _tell(self, name: str, data: str) -> None:
        self._events.append(Event(len(self._events) + 1, name, data))
        self._bytes += len(data)
        self._changed.set()
        self._changed = asyncio.Event()


class Jobs:
    """All jobs of a server. Made anywhere, used on one event loop."""

    def __init__(self, prover: Proves, limits: JobLimits) -> None:
        self._prover = prover
        self._limits = limits
        self._jobs: dict[str, Job] = {}
        self._waiting: deque[Job] = deque()
        self._reading = 0
        self._running: Job | None = None
        self._thread: threading.Thread | None = None
        self._stopping = False

    @contextlib.contextmanager
    def room(self) -> Iterator[None]:
        """Room for one more, which is read meanwhile and may be submitted inside of the block. Raises Overloaded."""
        waiting = len(self._waiting) + self._reading
        if waiting >= self._limits.waiting or self._stopping:
            raise Overloaded(f"{waiting} theorems are waiting already, and more are not taken: try again later")
        self._reading += 1
        try:
            yield
        finally:
            self._reading -= 1

    def submit(self, theorem: str, statement: Statement, effort: Effort) -> Job:
        """Take a theorem on. Raises Overloaded where all are being ended."""
        if self._stopping:
            raise Overloaded("the server is stopping: ask again when it is back")
        self._forget()
        job = Job(theorem, statement, effort)
        self._jobs[job.id] = job
        self._waiting.append(job)
        self._go_on()
        return job

    def get(self, name: str) -> Job | None:
        """The job of that id, if it is still known."""
        self._forget()
        return self._jobs.get(name)

    def told(self, job: Job) -> JobTold:
        return job.told(self.ahead(job), self.doing(job))

    def ahead(self, job: Job) -> int:
        """How many come before it."""
        return self._waiting.index(job) + (self._running is not None) if job in self._waiting else 0

    def doing(self, job: Job) -> str:
        """What the prover is at, in a few words, where it is at this job."""
        return self._prover.doing if job is self._running else ""

    def cancel(self, job: Job) -> None:
        """End it soon. One that is done stays as it is."""
        job.stop.set()
        if job in self._waiting:
            self._waiting.remove(job)
            job.finish(CANCELLED)

    def stop(self) -> None:
        """End all of them, and take no more."""
        self._stopping = True
        for job in list(self._jobs.values()):
            if job.state is not State.DONE:
                self.cancel(job)

    def close(self) -> None:
        """Wait until the prover has let go. From any thread, when no event loop runs any more."""
        if self._running is not None:
            self._running.stop.set()
        if self._thread is not None:
            self._thread.join(_LAST_WORDS_S)

    # --- inside --------------------------------------------------------------------------------

    def _go_on(self) -> None:
        if self._running is not None or not self._waiting:
            return
        job = self._running = self._waiting.popleft()
        job.begin()
        loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._work, args=(job, loop), name="prover", daemon=True)
        self._thread.start()

    def _work(self, job: Job, loop: asyncio.AbstractEventLoop) -> None:
        """Prove it, on a thread of its own."""

        def on_loop(call: Callable[[], None]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
                loop.call_soon_threadsafe(call)

        def on_attempt(attempt: Attempt) -> None:
            on_loop(lambda: job.add(attempt, self._limits.bytes))

        outcome = self._outcome(job, on_attempt)
        on_loop(lambda: self._finished(job, outcome))

    def _outcome(self, job: Job, on_attempt: Callable[[Attempt], None]) -> OutcomeTold:
        try:
            return outcome_told(self._prover.prove(job.statement, job.effort, on_attempt, job.stop))
        except StatementRefused as error:
            return OutcomeTold(ended="refused", detail=whole(str(error)))
        except PythagorasError as error:
            return OutcomeTold(ended="failed", detail=whole(str(error)))
        except BaseException as error:  # a bug of ours: the client shall not wait for ever, and the log has it
            _log.exception("proving failed")
            return OutcomeTold(ended="failed", detail=f"the prover failed ({type(error).__name__}): the log says more")

    def _finished(self, job: Job, outcome: OutcomeTold) -> None:
        job.finish(outcome)
        self._running = None
        self._go_on()

    def _forget(self) -> None:
        """Let go of finished jobs that are old, or too many."""
        done = sorted((job for job in self._jobs.values() if job.state is State.DONE), key=lambda job: job.finished_at)
        old = time.monotonic() - self._limits.kept_s
        for at, job in enumerate(done):
            if job.finished_at < old or len(done) - at > self._limits.kept:
                del self._jobs[job.id]
