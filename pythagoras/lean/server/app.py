"""An HTTP server in front of a pool: speaks the Kimina Lean Server's protocol, so that its clients work unchanged.

No TLS, no database, no processes beside Lean's: one event loop, and the pool's threads. Each check starts from the kept
state of its header, so nothing that one snippet declares is seen by another.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.responses import JSONResponse, Response

from pythagoras.errors import HostDied, InputError
from pythagoras.lean.pool import LeanPool
from pythagoras.lean.server.door import Door, overloaded
from pythagoras.lean.server.kimina_routes import RequestLimits, check_routes, health_routes, verify_routes
from pythagoras.lean.server.turns import Overloaded, Submitter, Turns
from pythagoras.lean.server.verdict_routes import verdict_routes

_BACKLOG = 2048
_LAST_WORDS_S = 5
"""How long answers may still be on their way when the server is told to stop."""
_KEEP_ALIVE_S = 75
"""How long a connection may be idle. Longer than clients keep theirs: else a request meets one that is closing."""
_START_S = 30.0


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What a server takes, and from whom."""

    api_key: str | None = None
    """What clients must show, as a bearer; None lets everybody in."""
    max_wait_s: float = 60.0
    """How long a request may wait for its first host before it is turned away with 429."""
    max_requests: int = 1000
    """Requests inside at the same time; more are turned away with 429."""
    max_body_bytes: int = 16 * 2**20
    limits: RequestLimits = field(default_factory=RequestLimits)


def create_app(pool: Submitter, settings: ServerSettings) -> FastAPI:
    """The application. Each part is a function that returns a router; a further endpoint is one more of them."""
    turns = Turns(pool, max_wait_s=settings.max_wait_s, max_requests=settings.max_requests)
    app = FastAPI(title="Pythagoras Lean server", docs_url=None, redoc_url=None)
    app.include_router(health_routes())
    app.include_router(check_routes(turns, settings.limits))
    app.include_router(verify_routes(turns, settings.limits))
    app.include_router(verdict_routes(turns, settings.limits))
    app.add_middleware(Door, turns=turns, api_key=settings.api_key, max_body_bytes=settings.max_body_bytes)
    app.add_exception_handler(Overloaded, _overloaded)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(InputError, _unusable)
    app.add_exception_handler(Exception, _broken)
    return app


async def _overloaded(_: Request, error: Exception) -> Response:
    assert isinstance(error, Overloaded)
    return overloaded(error)


async def _invalid(_: Request, error: Exception) -> Response:
    """FastAPI's own answer, without the copy of what was sent: that may be megabytes."""
    assert isinstance(error, RequestValidationError)
    told = [{key: problem[key] for key in ("type", "loc", "msg") if key in problem} for problem in error.errors()]
    return JSONResponse({"detail": told}, 422)


async def _unusable(_: Request, error: Exception) -> Response:
    """What was sent can't be used: a statement that is none, a header that this Lean has not got."""
    return JSONResponse({"detail": str(error)}, 422)


async def _broken(_: Request, error: Exception) -> Response:
    """A failure of ours. The server's log has the rest."""
    return JSONResponse({"detail": f"the server failed ({type(error).__name__}): its log says more"}, 500)


# --- running it ------------------------------------------------------------------------------------


def serve(settings: ServerSettings, host: str, port: int, hosts: int | None, ready: Callable[[str, int], None]) -> None:
    """Serve until Ctrl-C or SIGTERM. `ready` is called once, with the address and the number of Lean hosts."""
    with _listening(host, port) as listening, _interrupted_by(signal.SIGTERM), LeanPool(hosts) as pool:
        server = _server(create_app(pool, settings))
        ready(_address(listening), pool.hosts)
        with contextlib.suppress(KeyboardInterrupt):  # uvicorn has ended in order, and passes the signal on
            server.run(sockets=[listening])


@contextlib.contextmanager
def serving(pool: Submitter, settings: ServerSettings) -> Iterator[str]:
    """A server on a thread of this process, at the address that is yielded."""
    with _listening("127.0.0.1", 0) as listening:
        server = _server(create_app(pool, settings))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="lean-server", daemon=True)
        thread.start()
        deadline = time.monotonic() + _START_S
        try:
            while not server.started:
                if not thread.is_alive() or time.monotonic() > deadline:
                    raise HostDied("the server did not start: its log says why")
                time.sleep(0.01)
            yield _address(listening)
        finally:
            server.should_exit = True
            thread.join()


def _server(app: FastAPI) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_LAST_WORDS_S,
    )
    return uvicorn.Server(config)


@contextlib.contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
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


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextlib.contextmanager
def _interrupted_by(number: signal.Signals) -> Iterator[None]:
    """Let that signal end the block in the way that Ctrl-C does, so that everything is closed."""

    def interrupt(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, interrupt)
    try:
        yield
    finally:
        signal.signal(number, before)
