"""Many Lean hosts behind one queue: checks in, results out in the order asked.

Each of N threads owns a host. A host that dies, hangs or outgrows its memory is replaced by one that is kept warm, and
its check is tried once more on it, unless it hung; only a second failure is reported, as a failure of the host and not
of the proof.
Identical checks are answered once.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import psutil

from pythagoras.errors import HostDied, HostError, HostHung, InputError, InstallError
from pythagoras.lean import headers
from pythagoras.lean.headers import Header
from pythagoras.lean.host import MEMORY_MB, LeanHost
from pythagoras.lean.streaming import in_order
from pythagoras.lean.wire import Answer, InfoTree, Limits, RefusedKind

PROCESS_OVERHEAD_MB = 500
"""What a host needs beside Lean's own memory: the compiled code and Node."""
_REMEMBERED = 4096
_WINDOW_PER_HOST = 64
_WATCH_S = 0.5
_START_TRIES = 3


@dataclass(frozen=True, slots=True)
class Check:
    """A piece of Lean to elaborate on top of a named header."""

    code: str
    header: str = "core"
    limits: Limits = Limits()
    spans: bool = False
    tactics: bool = False
    infotree: InfoTree | None = None
    """The tactics as a tree, with the goals before and after each."""
    fresh: bool = False
    """On a host of its own, which ends with it; never answered from memory. Costs the start of two hosts."""
    refuse: tuple[RefusedKind, ...] = ()
    """Kinds of syntax to stop at, before it is elaborated. A host that ran a program (`#eval`) is not used again."""
    replay: bool = False
    """Whether Lean's kernel shall check once more, on a clean environment, all that the code declared."""
    holes: tuple[str, ...] = ()
    """Definitions that a statement leaves open: their bodies do not count in the keys of types that mention them."""
    names: tuple[str, ...] = ()
    """The constants that matter, for Leans that do not report on every one by themselves."""
    signatures: bool = False
    """Whether each theorem's command shall tell where its parts stand."""
    until_error: bool = False
    """Whether Lean may stop at the first error, and leave its messages without words and in rough places: for those
    who ask yes or no. A Lean that can't do so goes on."""


class Status(Enum):
    """How a check ended."""

    ANSWERED = "answered"
    TIMEOUT = "timeout"
    HOST_FAILURE = "host failure"


@dataclass(frozen=True, slots=True)
class HostUse:
    """The host that answered a check, and what it used for it."""

    host_id: str
    cpu_seconds: float
    memory_mb: float
    """Resident memory behind the check."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A check with what became of it. `answer` is None only when the host failed twice."""

    check: Check
    status: Status
    answer: Answer | None
    seconds: float
    failure: str = ""
    hung: bool = False
    """The host failed by not answering in time: some code never looks at the clock."""
    use: HostUse | None = None


class Checker(Protocol):
    """Whatever can elaborate Lean: the pool, or a fake for tests."""

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        """Results in the order of the checks, each as soon as it and those before it are there."""
        ...


@dataclass(slots=True)
class PoolStats:
    """What happened in a pool so far."""

    answered: int = 0
    repeated: int = 0
    timeouts: int = 0
    host_failures: int = 0
    hosts_started: int = 0
    hosts_lost: int = 0


def default_hosts(spare: bool = False) -> int:
    """One host a core, as far as the free memory goes; a spare needs memory too."""
    free_mb = psutil.virtual_memory().available / 2**20
    by_memory = int(free_mb // (MEMORY_MB + PROCESS_OVERHEAD_MB))
    return max(1, min(os.cpu_count() or 1, by_memory - spare))


class LeanPool:
    """N hosts and a warm spare. Use it in a `with` block: leaving it, by whatever way, ends every process."""

    def __init__(
        self,
        hosts: int | None = None,
        *,
        folder: Path | None = None,
        memory_mb: int = MEMORY_MB,
        header: str = "core",
        spare: bool = True,
    ) -> None:
        if hosts is not None and hosts < 1:
            raise InputError(f"a pool of {hosts} hosts can't check anything: ask for 1 or more")
        self.hosts = default_hosts(spare) if hosts is None else hosts
        self.stats = PoolStats()
        self.version = ""
        """The Lean's version, once the pool is running."""
        self._folder = folder
        self._memory_mb = memory_mb
        self._header = headers.header(header)
        self._want_spare = spare
        self._lock = threading.Lock()
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._results: OrderedDict[Check, Future[Checked]] = OrderedDict()
        self._living: set[LeanHost] = set()
        self._at_work: dict[Check, LeanHost] = {}
        self._dropped: set[Check] = set()
        self._spare: Future[LeanHost] | None = None
        self._threads: list[threading.Thread] = []
        self._starting: deque[threading.Thread] = deque(maxlen=64)  # the last ones that can still be at it
        self._closed = False

    def __enter__(self) -> Self:
        started = [self._new_host_later() for _ in range(self.hosts)]
        try:
            ready = [future.result() for future in started]
        except BaseException:
            self.close()
            raise
        self.version = ready[0].version
        for number, host in enumerate(ready):
            thread = threading.Thread(target=self._work, args=(host,), name=f"lean-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)
        threading.Thread(target=self._watch_memory, name="lean-memory", daemon=True).start()
        if self._want_spare:
            self._spare = self._new_host_later()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all processes. Checks that are still open end as host failures."""
        with self._lock:
            self._closed = True
            living = list(self._living)
        for _ in self._threads:
            self._tasks.put(None)
        for host in living:
            _kill(host)
        for thread in (*self._threads, *self._starting):
            thread.join()
        for host in living:
            host.close()

    # --- checking ------------------------------------------------------------------------------

    def submit(self, check: Check) -> Future[Checked]:
        """Queue one check. An identical one that was asked before is not run again, unless it shall be fresh."""
        header = headers.header(check.header)
        with self._lock:
            if self._closed or not self._threads:
                raise HostDied("this pool is closed: use it inside its `with` block")
            known = None if check.fresh else self._results.get(check)
            if known is not None and not known.cancelled():
                self._results.move_to_end(check)
                self.stats.repeated += 1
                return known
            future: Future[Checked] = Future()
            if not check.fresh:
                self._results[check] = future
            while len(self._results) > _REMEMBERED:
                self._results.popitem(last=False)
            self._tasks.put(_Task(check, header, future))
            return future

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        """Results in the order of the checks, streaming: whatever is done is handed out before the next input is read.

        Reads ahead only so far, so the input may be endless.
        """
        return in_order(checks, self.submit, _WINDOW_PER_HOST * self.hosts)

    def drop(self, check: Check) -> None:
        """Nobody waits for a check any more: it is never begun, or its host is killed and the spare takes its place.

        Whoever else asked the same gets a failure of the host.
        """
        with self._lock:
            waiting = self._results.get(check)
            if waiting is not None:
                waiting.cancel()
            host = self._at_work.get(check)
            if host is not None:
                self._dropped.add(check)
                _kill(host)

    # --- inside --------------------------------------------------------------------------------

    def _work(self, host: LeanHost) -> None:
        current: LeanHost | None = host
        while (task := self._tasks.get()) is not None:
            if not task.future.set_running_or_notify_cancel():
                self._forget_result(task)
                continue
            try:
                current = self._run(task, current)
            except BaseException as error:  # a bug of ours: whoever waits shall see it, and the thread goes on
                self._lose(current)
                current = None
                self._forget_result(task)
                task.future.set_exception(error)
        if current is not None:
            self._forget(current)

    def _run(self, task: _Task, host: LeanHost | None) -> LeanHost | None:
        """Answer a task; returns the host to go on with, which may be another one."""
        began = time.monotonic()
        failure, hung = "", False
        if host is not None and not host.alive:  # killed while it had nothing to do
            self._lose(host)
            host = None
        if host is not None and task.check.fresh:
            self._forget(host)
            host = None
        for _ in range(2):
            try:
                if host is None:
                    host = self._replacement()
                cpu_before = host.cpu_seconds()
                answer = self._asked(host, task)
            except (HostError, InstallError) as error:
                failure, hung = str(error), isinstance(error, HostHung)
                self._lose(host)
                host = None
                if self._closed or hung or task.check in self._dropped:  # what never looks at the clock never will
                    break
                continue
            status = Status.TIMEOUT if answer.interrupted else Status.ANSWERED
            use = HostUse(host.id, host.cpu_seconds() - cpu_before, host.memory_mb())
            self._finish(task, Checked(task.check, status, answer, time.monotonic() - began, use=use))
            too_big = use.memory_mb > self._memory_mb + PROCESS_OVERHEAD_MB  # it answered, but would not stay small
            if too_big or answer.programs:  # a program may have changed the host itself
                self._lose(host)
                host = None
            elif task.check.fresh:
                self._forget(host)
                host = None
            return host
        self._finish(task, Checked(task.check, Status.HOST_FAILURE, None, time.monotonic() - began, failure, hung))
        return host

    def _asked(self, host: LeanHost, task: _Task) -> Answer:
        """What the host says; meanwhile it is known to be at this."""
        with self._lock:
            self._at_work[task.check] = host
            self._dropped.discard(task.check)
        try:
            return _ask(host, task)
        finally:
            with self._lock:
                self._at_work.pop(task.check, None)  # of two that shall be fresh, the other may have done so

    def _finish(self, task: _Task, checked: Checked) -> None:
        with self._lock:
            self.stats.answered += checked.status is Status.ANSWERED
            self.stats.timeouts += checked.status is Status.TIMEOUT
            self.stats.host_failures += checked.status is Status.HOST_FAILURE
        if checked.status is not Status.ANSWERED:  # worth another try when it is asked again
            self._forget_result(task)
        task.future.set_result(checked)

    def _forget_result(self, task: _Task) -> None:
        with self._lock:
            if self._results.get(task.check) is task.future:
                del self._results[task.check]

    # --- hosts ---------------------------------------------------------------------------------

    def _new_host_later(self) -> Future[LeanHost]:
        """Start a host and elaborate the pool's header in it, on a thread of its own."""
        future: Future[LeanHost] = Future()

        def start() -> None:
            host = LeanHost(self._folder, self._memory_mb)
            with self._lock:
                if self._closed:
                    future.set_exception(HostDied("the pool was closed"))
                    return
                self._living.add(host)
            try:
                host.start()
                if self._closed:  # too late to be among those that `close` kills
                    raise HostDied("the pool was closed")
                host.keep_header(self._header)
            except BaseException as error:  # handed to whoever waits for this host
                self._forget(host)
                future.set_exception(error)
                return
            with self._lock:
                self.stats.hosts_started += 1
            future.set_result(host)

        thread = threading.Thread(target=start, name="lean-start", daemon=True)
        thread.start()
        self._starting.append(thread)
        return future

    def _replacement(self) -> LeanHost:
        """The warm spare, or a new host; a next spare is started behind it."""
        with self._lock:
            if self._closed:
                raise HostDied("the pool was closed")
            waiting, self._spare = self._spare, None
        host = self._start_patiently(waiting or self._new_host_later())
        with self._lock:
            if self._want_spare and self._spare is None and not self._closed:
                self._spare = self._new_host_later()
        return host

    def _start_patiently(self, waiting: Future[LeanHost]) -> LeanHost:
        """A host that lives. One that dies before it was asked anything is no fault of what will be asked."""
        for left in reversed(range(_START_TRIES)):
            try:
                host = waiting.result()
            except HostError:
                if left == 0 or self._closed:
                    raise
            else:
                if host.alive:
                    return host
                self._lose(host)  # killed while it waited
            waiting = self._new_host_later()
        return waiting.result()

    def _lose(self, host: LeanHost | None) -> None:
        if host is None:
            return
        with self._lock:
            self.stats.hosts_lost += 1
        self._forget(host)

    def _forget(self, host: LeanHost) -> None:
        with self._lock:
            self._living.discard(host)
        host.close()

    def _watch_memory(self) -> None:
        """Kill hosts that outgrow their cap while they work; the thread that waits for one sees it die."""
        limit = self._memory_mb + PROCESS_OVERHEAD_MB
        while not self._closed:
            with self._lock:
                living = list(self._living)
            for host in living:
                if host.memory_mb() > limit:
                    _kill(host)
            time.sleep(_WATCH_S)


@dataclass(frozen=True, slots=True)
class _Task:
    check: Check
    header: Header
    future: Future[Checked]


def _ask(host: LeanHost, task: _Task) -> Answer:
    check = task.check
    return host.check(
        check.code,
        task.header,
        check.limits,
        spans=check.spans,
        tactics=check.tactics,
        infotree=check.infotree,
        refuse=check.refuse,
        replay=check.replay,
        holes=check.holes,
        signatures=check.signatures,
        until_error=check.until_error,
    )


def _kill(host: LeanHost) -> None:
    pid = host.pid
    if pid is not None:
        try:
            psutil.Process(pid).kill()
        except psutil.Error:
            return
