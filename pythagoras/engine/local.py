"""The engine of one machine: worker processes with a pipe each.

Workers are fresh interpreters, so they inherit no thread, no lock and no open file. They end with whoever started
them, whatever ended that one; what they started themselves ends with them. Only what a worker leaves behind when
somebody else kills it must look after itself, as Lean hosts do.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import Self

import psutil

from pythagoras.engine.dispatch import ANSWER_S, Gone, Maps
from pythagoras.engine.engine import In, Job, Out
from pythagoras.engine.worker import Reply, Worker
from pythagoras.errors import EngineError

_CLOSE_S = 10.0
"""How long workers may take to close their job when all is done."""


class LocalEngine:
    """Workers on this machine. Each map has its own, from its first item on until it is done or closed."""

    def __init__(self, workers: int, item_timeout_s: float = ANSWER_S) -> None:
        """A worker that is at an item for longer is ended, and the item tried again like a dead one's."""
        self.workers = workers
        self._maps = Maps(item_timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._maps.end()

    def map(self, job: Job[In, Out], items: Iterable[In]) -> Iterator[Out]:
        """Results in the order of the items. The job's class must be one that can be imported."""
        yield from self._maps.run(job, _Crew(pickle.dumps(job)), self.workers, items)


class _Crew:
    """The processes of one map."""

    def __init__(self, job: bytes) -> None:
        self._job = job
        self._workers: dict[Connection, SpawnProcess] = {}
        self._closed = False

    def hire(self) -> Connection:
        """Start a process."""
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(self._job, theirs), name="worker", daemon=True)
        with _interrupts_later():
            process.start()
            theirs.close()
            self._workers[ours] = process
        return ours

    def give(self, worker: Connection, item: bytes) -> bool:
        try:
            worker.send_bytes(item)
        except OSError:
            return False
        return True

    def hear(self, timeout_s: float) -> list[tuple[Connection, Reply | Gone]]:
        if self._closed:
            raise EngineError("the engine was closed before its map was done: read the results inside its `with` block")
        heard: list[tuple[Connection, Reply | Gone]] = []
        for worker in connection.wait(list(self._workers), timeout_s):
            assert isinstance(worker, Connection)
            try:
                heard.append((worker, worker.recv()))
            except (EOFError, OSError):  # the end, or an end in the middle of a word
                heard.append((worker, Gone(self._bury(worker))))
        return heard

    def dismiss(self, worker: Connection) -> None:
        _end(self._workers.pop(worker))
        worker.close()

    def finish(self) -> None:
        """Let the workers close their job."""
        for worker in self._workers:
            worker.close()
        deadline = time.monotonic() + _CLOSE_S
        for process in self._workers.values():
            process.join(max(0.0, deadline - time.monotonic()))

    def end(self) -> None:
        """End all processes at once, with what they started. Safe to call twice."""
        self._closed = True
        while self._workers:
            worker, process = next(iter(self._workers.items()))
            _end(process)
            worker.close()
            del self._workers[worker]

    def _bury(self, worker: Connection) -> str:
        """How a worker that closed its pipe ended."""
        process = self._workers.pop(worker)
        worker.close()
        process.join(_CLOSE_S)
        _end(process)
        code = process.exitcode or 0
        return f"killed by signal {-code}" if code < 0 else f"with exit code {code}"


@contextlib.contextmanager
def _interrupts_later() -> Iterator[None]:
    """Ctrl-C waits until the block is over, and what is started in it never sees it: it is for us, not for workers."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(process: SpawnProcess) -> None:
    """Kill a process and all below it, unless it has ended."""
    if process.exitcode is not None:  # its number may be another one's by now
        return
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(process.pid)
        root.suspend()  # so that it starts nothing new meanwhile
        _kill([root, *root.children(recursive=True)])
    process.join(_CLOSE_S)


def _kill(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


# --- in the worker -----------------------------------------------------------------------------


def _work(job: bytes, pipe: Connection) -> None:
    """A worker's life: it ends when the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    worker = Worker(job)
    with contextlib.closing(worker), contextlib.suppress(EOFError, OSError):
        pipe.send(worker.open())
        while True:
            pipe.send(worker.handle(pipe.recv_bytes()))


def _end_with_parent() -> None:
    """End this process and all below it as soon as the one that started it is gone, in the middle of an item too."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    _kill(psutil.Process().children(recursive=True))
    os._exit(1)
