"""Completions on disk, so that a run which is started again never pays twice.

An answer is known by all that it depends on (`pythagoras.llm.stored`), and is on disk before anybody sees it. What
failed is not kept. Several processes and threads may use one file, and agree: of two answers to one request, the first
that was written is everybody's. The file is SQLite's, with a log beside it that outlives a kill. Only processes of one
machine may share it; on several machines, each needs a file of its own.
"""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from filelock import FileLock
from pydantic import ValidationError

from pythagoras.errors import InputError
from pythagoras.llm.chat import ChatBackend, ChatRequest, Completion, Ending, Stoppable
from pythagoras.llm.stored import Answer, request_key

_VERSION = 1
_WAIT_S = 60.0
"""For other processes that write."""
_END_S = 30.0
"""For what is under way when a cache is closed."""
_SCHEMA = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, model TEXT, answer TEXT NOT NULL)"


class AnswerFile:
    """Answers by key. Threads and processes may share it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{path}.lock", timeout=_WAIT_S):  # two that begin at once are in each other's way
                self._file = sqlite3.connect(path, _WAIT_S, isolation_level=None, check_same_thread=False)
                self._file.text_factory = bytes  # what is no UTF-8 is one bad answer, not a file that can't be read
                self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"the cache {path} can't be used ({error}): remove it, or name another folder") from None

    def _prepare(self) -> None:
        (version,) = self._file.execute("PRAGMA user_version").fetchone()
        if version not in (0, _VERSION):
            raise InputError(f"the cache {self._path} is of version {version}, not {_VERSION}: name another folder")
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = FULL")  # an answer costs more than waiting for the disk
        self._file.execute(_SCHEMA)
        self._file.execute(f"PRAGMA user_version = {_VERSION}")

    def read(self, key: str) -> Answer | None:
        """The answer under this key. A row that holds none counts as unknown. Raises InputError."""
        with self._at_work("read", "remove it"):
            row = self._file.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        try:
            return Answer.model_validate_json(row[0]) if row and isinstance(row[0], bytes) else None
        except ValidationError:
            return None

    def write(self, key: str, model: str, answer: Answer) -> Answer:
        """Keep an answer. What was written under this key before stays, and is given back. Raises InputError."""
        row = (key, model, answer.model_dump_json())
        with self._at_work("written", "make room, or name another"):
            fresh = self._file.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?)", row).rowcount
        if fresh:
            return answer
        if kept := self.read(key):
            return kept
        with self._at_work("written", "make room, or name another"):
            self._file.execute("REPLACE INTO answers VALUES (?, ?, ?)", row)
        return answer

    def close(self) -> None:
        with self._lock:
            self._file.close()

    @contextlib.contextmanager
    def _at_work(self, what: str, advice: str) -> Iterator[None]:
        """The file for nobody else in this process, and its errors in one line."""
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            raise InputError(f"the cache {self._path} can't be {what} ({error}): {advice}") from None


class Cached:
    """A backend that asks another one only for what the file does not hold. Use it in a `with` block.

    A request that is under way already, in whatever thread, is not asked again: its answer serves both. What was asked
    is kept even if nobody waits for it any more, until the block ends: that closes the backend, too.
    """

    def __init__(self, backend: ChatBackend, path: Path) -> None:
        self._backend = backend
        self._path = path
        self._lock = threading.Lock()
        self._under_way: dict[str, _Asked] = {}
        """By key."""
        self._running: dict[_Stream, threading.Thread] = {}

    def __enter__(self) -> Self:
        self._file = AnswerFile(self._path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            running = dict(self._running)
        for stream in running:
            stream.asked.put(None)
        if isinstance(self._backend, Stoppable):
            self._backend.stop()
            self._backend.close()
        for thread in running.values():  # what is ready is written before the file is closed
            thread.join(_END_S)
        self._file.close()

    @property
    def settings(self) -> Mapping[str, Any]:
        return self._backend.settings

    def complete(self, requests: Iterable[ChatRequest]) -> Iterator[Completion]:
        """Completions as they are ready, known ones at once. Requests are read as the backend has room for them.

        The backend runs in a thread of its own and says when it wants a request; those that it need not be asked are
        answered on the way to the next one that it must.
        """
        waiting = iter(requests)
        stream = _Stream()
        thread = threading.Thread(target=self._run, args=(stream,), name="llm-cache", daemon=True)
        with self._lock:
            self._running[stream] = thread
            thread.start()
        ended, awaited = False, 0
        try:
            while not ended or awaited:
                match stream.happened.get():
                    case _Wants():
                        for request in waiting:
                            known = self._look_up(request, stream)
                            if isinstance(known, Completion):
                                yield known
                            elif known:
                                awaited += 1
                            else:
                                stream.asked.put(request)
                                break
                        else:
                            stream.asked.put(None)
                    case _Heard(completion):
                        awaited -= 1
                        yield completion
                    case _Ended(error):
                        ended = True
                        if error is not None:
                            raise error
                    case completion:
                        yield completion
        finally:
            stream.asked.put(None)

    # --- inside --------------------------------------------------------------------------------

    def _look_up(self, request: ChatRequest, stream: _Stream) -> Completion | bool:
        """The answer; or whether somebody else asks for it. If nobody does, this stream has to."""
        key = request_key(self.settings, request)
        with self._lock:
            asked = self._under_way.get(key)
            if asked is not None and asked.by.can_be_awaited_by(stream):
                asked.others.append((request, stream))
                return True
            answer = self._file.read(key)
            if answer is not None:
                return answer.to(request, from_cache=True)
            if asked is None:
                self._under_way[key] = _Asked(stream)
            return False

    def _run(self, stream: _Stream) -> None:
        """Let the backend answer what it is asked, until there is nothing more."""
        ended = _Ended()
        try:
            for completion in self._backend.complete(stream.requests()):
                self._settle(stream, completion)
        except BaseException as error:  # whatever it is, whoever waits must hear of it
            ended = _Ended(error)
        with self._lock:
            self._running.pop(stream, None)
            left = {key: asked for key, asked in self._under_way.items() if asked.by is stream}
            for key in left:
                del self._under_way[key]
        for asked in left.values():
            for request, other in asked.others:
                why = "the same request was under way elsewhere, and given up there"
                other.happened.put(_Heard(Completion(request, "", Ending.FAILED, failure=why)))
        stream.happened.put(ended)

    def _settle(self, stream: _Stream, completion: Completion) -> None:
        """Keep an answer, and hand it to all who want it."""
        key = request_key(self.settings, completion.request)
        answered = completion.ending is not Ending.FAILED
        if answered:
            kept = self._file.write(key, str(self.settings.get("model", "")), Answer.of(completion))
            completion = kept.to(completion.request, from_cache=False)
        with self._lock:  # after writing: whoever finds nothing under way finds the answer
            asked = self._under_way.get(key)
            if asked is not None and asked.by is stream:
                del self._under_way[key]
        stream.happened.put(completion)
        if asked is not None and asked.by is stream:
            for request, other in asked.others:
                other.happened.put(_Heard(replace(completion, request=request, from_cache=answered)))


class _Wants:
    """The backend has room for a request."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """The answer to a request that somebody else had asked."""

    completion: Completion


@dataclass(frozen=True, slots=True)
class _Ended:
    """The backend has answered everything, or raised."""

    error: BaseException | None = None


class _Stream:
    """One call of `complete`: what happens in its backend's thread, and what that is to be asked next."""

    def __init__(self) -> None:
        self.happened: queue.SimpleQueue[Completion | _Wants | _Heard | _Ended] = queue.SimpleQueue()
        self.asked: queue.SimpleQueue[ChatRequest | None] = queue.SimpleQueue()
        self._thread = threading.get_ident()

    def requests(self) -> Iterator[ChatRequest]:
        """What the backend reads."""
        while True:
            self.happened.put(_Wants())
            request = self.asked.get()
            if request is None:
                return
            yield request

    def can_be_awaited_by(self, other: _Stream) -> bool:
        """Whether this one goes on meanwhile. Of two in one thread, the one that is not looked at stands still."""
        return other is self or other._thread != self._thread


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that is under way."""

    by: _Stream
    others: list[tuple[ChatRequest, _Stream]] = field(default_factory=list)
