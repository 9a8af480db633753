"""Things that take long to open, opened on threads of their own, so that nobody waits for what is not needed yet."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from typing import Generic, TypeVar

T = TypeVar("T")


class Later(Generic[T]):
    """What a `with` block would open: opened when it is first wanted, closed once."""

    def __init__(self, opening: Callable[[], AbstractContextManager[T]]) -> None:
        self._opening = opening
        self._lock = threading.Lock()
        self._opened: AbstractContextManager[T] | None = None
        self._future: Future[T] | None = None
        self._closed = False

    def start(self) -> Future[T]:
        """Begin to open it, if nobody has: the future has it, or the error that opening it raised."""
        with self._lock:
            if self._future is None:
                self._future = Future()
                threading.Thread(target=self._open, args=(self._future,), name="opening", daemon=True).start()
            return self._future

    @property
    def is_open(self) -> bool:
        future = self._future
        return future is not None and future.done() and future.exception() is None

    def close(self, *, wait: bool) -> None:
        """Close what is open. What is being opened is waited for, or left behind: it is closed when it is there."""
        with self._lock:
            self._closed = True
            future = self._future
        if future is not None and wait:
            future.exception()
        self._close()

    def _open(self, future: Future[T]) -> None:
        try:
            manager = self._opening()
            value = manager.__enter__()
        except BaseException as error:  # for whoever wants it
            future.set_exception(error)
            return
        with self._lock:
            self._opened = manager
            closed = self._closed
        future.set_result(value)
        if closed:
            self._close()

    def _close(self) -> None:
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.__exit__(None, None, None)


def opened(value: T) -> Later[T]:
    """Something that somebody else has opened, and will close."""
    later: Later[T] = Later(lambda: nullcontext(value))
    later.start()
    return later
