"""A native Lean as a checker: a `lake` project with the community's `repl`, many processes behind one queue.

Each process elaborates a header once and keeps the state. One that dies, outgrows its memory or passes its clock is
killed with its children and replaced; a check is tried once more on a fresh process when its own died.

What it does not do: a REPL of the community's can't refuse programs (`Check.refuse`), and one that ran some is used
again; what strangers send must have passed the gate (`gate.py`). `Check.spans` and `signatures` come only from ours.

What was run: the protocol and the audit (`audit.lean`), with `pythagoras lean repl` in place of the `repl`
binary, with and without its own report on declarations. No native toolchain and no Mathlib was at hand.
"""

from __future__ import annotations

import os
import queue
import shutil
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from pythagoras.errors import HostDied, HostError, HostHung, InputError
from pythagoras.lean import headers
from pythagoras.lean.native.leanchecker import LeanChecker
from pythagoras.lean.native.process import ReplProcess
from pythagoras.lean.native.session import Base, ReplSession
from pythagoras.lean.pool import Check, Checked, Status
from pythagoras.lean.streaming import in_order
from pythagoras.lean.wire import Answer

MEMORY_MB = 8192
"""What one process may have for itself; Mathlib's files are shared and do not count."""
_USUAL_MB = 3072
_WINDOW_PER_PROCESS = 16
_WATCH_S = 0.5
_LAKE_FILES = ("lakefile.lean", "lakefile.toml")
_REPL_PLACES = (".lake/packages/repl/.lake/build/bin/repl", ".lake/build/bin/repl")


def default_processes() -> int:
    """One process a core, as far as the free memory goes."""
    by_memory = int(psutil.virtual_memory().available / 2**20 // _USUAL_MB)
    return max(1, min(os.cpu_count() or 1, by_memory))


def check_project(project: Path) -> None:
    """Raises InputError for a folder that is no lake project. Whether it was built is not looked at."""
    if not project.is_dir():
        raise InputError(f"{project} is no folder: give the folder of a built lake project")
    if not any((project / name).is_file() for name in _LAKE_FILES):
        raise InputError(f"{project} is no lake project (it has no lakefile): give the folder of a built one")


def repl_command(project: Path) -> list[str]:
    """How to run the project's REPL; says what is missing."""
    check_project(project)
    if shutil.which("lake") is None:
        raise InputError("there is no `lake` on the PATH: install Lean's toolchain (elan), or use the embedded Lean")
    places = [project / place for place in _REPL_PLACES]
    found = next((str(place.resolve()) for place in places if os.access(place, os.X_OK)), shutil.which("repl"))
    if found is None:
        raise InputError(
            f"{project} has no built REPL: add leanprover-community/repl to its lakefile and run `lake build repl`"
        )
    return ["lake", "env", found]


@dataclass(slots=True)
class NativeStats:
    """What happened so far."""

    answered: int = 0
    timeouts: int = 0
    host_failures: int = 0
    started: int = 0
    lost: int = 0


@dataclass(slots=True)
class _Slot:
    """A place for one process; empty until a check needs it."""

    session: ReplSession | None = None


class NativeChecker:
    """N REPL processes. Use it in a `with` block: leaving it ends every process and its children."""

    def __init__(
        self,
        project: Path,
        processes: int | None = None,
        *,
        command: Sequence[str] | None = None,
        header: str = "mathlib",
        memory_mb: int = MEMORY_MB,
    ) -> None:
        if processes is not None and processes < 1:
            raise InputError(f"{processes} processes can't check anything: ask for 1 or more")
        self.processes = default_processes() if processes is None else processes
        self.stats = NativeStats()
        self._project = project
        self._command = command
        self._header = headers.header(header)
        self._memory_mb = memory_mb
        self._lock = threading.Lock()
        self._living: set[ReplSession] = set()
        self._idle: queue.SimpleQueue[_Slot] = queue.SimpleQueue()
        self._workers: ThreadPoolExecutor | None = None
        self._closed = threading.Event()

    def __enter__(self) -> Self:
        """Starts one process with the header, which shows whether all is in place; the others start when needed."""
        if not self._project.is_dir():
            raise InputError(f"{self._project} is no folder: give the folder of a built lake project")
        if self._command is None:
            self._command = repl_command(self._project)
        try:
            session = self._new_session()
            session.prepare(Base(self._header.library, self._header.scope, f"the header {self._header.id}"))
        except BaseException:
            self.close()
            raise
        for slot in (_Slot(session), *(_Slot() for _ in range(self.processes - 1))):
            self._idle.put(slot)
        self._workers = ThreadPoolExecutor(self.processes, thread_name_prefix="lean-native")
        threading.Thread(target=self._watch_memory, name="lean-native-memory", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all processes. Checks that are still open end as host failures."""
        self._closed.set()
        with self._lock:
            living = list(self._living)
        for session in living:
            session.process.kill("the checker was closed")
        if self._workers is not None:
            self._workers.shutdown(wait=True)
        for session in living:
            session.process.close()

    # --- checking ------------------------------------------------------------------------------

    def submit(self, check: Check) -> Future[Checked]:
        """Queue one check."""
        headers.header(check.header)  # a wrong name is said at once
        if self._workers is None or self._closed.is_set():
            raise HostDied("this checker is closed: use it inside its `with` block")
        return self._workers.submit(self._run, check)

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        """Results in the order of the checks, streaming, with a bounded number read ahead."""
        return in_order(checks, self.submit, _WINDOW_PER_PROCESS * self.processes)

    # --- inside --------------------------------------------------------------------------------

    def _run(self, check: Check) -> Checked:
        slot = self._idle.get()
        try:
            checked = self._attempts(check, slot)
        except BaseException:  # the caller's mistake or a bug of ours: whoever waits shall see it
            self._empty(slot)
            raise
        finally:
            self._idle.put(slot)
        with self._lock:
            self.stats.answered += checked.status is Status.ANSWERED
            self.stats.timeouts += checked.status is Status.TIMEOUT
            self.stats.host_failures += checked.status is Status.HOST_FAILURE
        return checked

    def _attempts(self, check: Check, slot: _Slot) -> Checked:
        began = time.monotonic()
        failure = ""
        if slot.session is not None and (check.fresh or not slot.session.process.alive):
            self._empty(slot)
        for _ in range(2):
            try:
                session = slot.session = slot.session or self._new_session()
                answer = self._ask(session, check)
            except HostHung:
                self._empty(slot)
                return Checked(check, Status.TIMEOUT, Answer(interrupted=True), time.monotonic() - began)
            except HostError as error:
                failure = str(error)
                self._empty(slot)
                if self._closed.is_set():
                    break
                continue
            if check.fresh or answer.programs or session.process.memory_mb() > self._memory_mb:
                self._empty(slot)
            status = Status.TIMEOUT if answer.interrupted else Status.ANSWERED
            return Checked(check, status, answer, time.monotonic() - began)
        return Checked(check, Status.HOST_FAILURE, None, time.monotonic() - began, failure)

    def _ask(self, session: ReplSession, check: Check) -> Answer:
        header = headers.header(check.header)
        session.prepare(Base.of(check, header)[0])
        answer = session.check(check, header)
        if check.replay and answer.replay is None and not session.reports and not answer.errors:
            text = f"{header.text}\n{check.code}"
            return answer.model_copy(update={"replay": LeanChecker(self._project).replay(text)})
        return answer

    # --- processes -----------------------------------------------------------------------------

    def _new_session(self) -> ReplSession:
        assert self._command is not None
        session = ReplSession(ReplProcess(self._command, self._project))
        with self._lock:
            if self._closed.is_set():
                raise HostDied("the checker was closed")
            self._living.add(session)
            self.stats.started += 1
        try:
            session.start()
        except BaseException:
            self._lose(session)
            raise
        return session

    def _empty(self, slot: _Slot) -> None:
        session, slot.session = slot.session, None
        if session is not None:
            self._lose(session)

    def _lose(self, session: ReplSession) -> None:
        with self._lock:
            self.stats.lost += 1
            self._living.discard(session)
        session.process.close()

    def _watch_memory(self) -> None:
        """Kill processes that outgrow their cap while they work; the thread that waits for one sees it die."""
        while not self._closed.wait(_WATCH_S):
            with self._lock:
                living = list(self._living)
            for session in living:
                used = session.process.memory_mb()
                if used > self._memory_mb:
                    session.process.kill(
                        f"the REPL used {used:.0f} MB, more than its {self._memory_mb} MB: it was killed"
                    )
