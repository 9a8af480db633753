"""Running an application: where it listens, how long it may take to end, and the signals that end it."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn
from fastapi import FastAPI

from pythagoras.errors import HostDied, InputError

_BACKLOG = 2048
_LAST_WORDS_S = 5
"""How long answers may still be on their way when the server is told to stop."""
_KEEP_ALIVE_S = 75
"""How long a connection may be idle. Longer than clients keep theirs: else a request meets one that is closing."""
_START_S = 30.0

OnStop = Callable[[], None]
"""What a server does when it is told to stop, before it waits for the answers that are on their way."""


def run(app: FastAPI, listening: socket.socket, on_stop: OnStop = lambda: None) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn has ended in order, and passes the signal on
        _Server(app, on_stop).run(sockets=[listening])


@contextlib.contextmanager
def running(app: FastAPI, on_stop: OnStop = lambda: None) -> Iterator[str]:
    """A server on a thread of this process, at the address that is yielded."""
    with listening_at("127.0.0.1", 0) as listening:
        server = _Server(app, on_stop)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="lean-server", daemon=True)
        thread.start()
        deadline = time.monotonic() + _START_S
        try:
            while not server.started:
                if not thread.is_alive() or time.monotonic() > deadline:
                    raise HostDied("the server did not start: its log says why")
                time.sleep(0.01)
            yield address_of(listening)
        finally:
            server.should_exit = True
            thread.join()


class _Server(uvicorn.Server):
    """Uvicorn's, which says when it is about to stop."""

    def __init__(self, app: FastAPI, on_stop: OnStop) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                timeout_keep_alive=_KEEP_ALIVE_S,
                timeout_graceful_shutdown=_LAST_WORDS_S,
            )
        )
        self._on_stop = on_stop

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_stop()
        await super().shutdown(sockets)


@contextlib.contextmanager
def listening_at(host: str, port: int) -> Iterator[socket.socket]:
    """A socket there. Raises InputError where that can't be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        why = str(error.strerror).partition(" (while")[0]
        raise InputError(
            f"port {port} of {host} can't be used ({why}): choose others with --host and --port"
        ) from error
    with listening:
        yield listening


def address_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextlib.contextmanager
def interrupted_by(number: signal.Signals) -> Iterator[None]:
    """Let that signal end the block in the way that Ctrl-C does, so that everything is closed."""

    def interrupt(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, interrupt)
    try:
        yield
    finally:
        signal.signal(number, before)
