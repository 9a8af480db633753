"""An HTTP server in front of a pool: speaks the Kimina Lean Server's protocol, so that its clients work unchanged.

No TLS, no database, no processes beside Lean's: one event loop, and the pool's threads. Each check starts from the kept
state of its header, so nothing that one snippet declares is seen by another.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI

from pythagoras.lean.pool import LeanPool
from pythagoras.lean.server.door import OPEN_PATHS, Door
from pythagoras.lean.server.failures import tell_failures
from pythagoras.lean.server.kimina_routes import RequestLimits, check_routes, health_routes, root_routes, verify_routes
from pythagoras.lean.server.listening import address_of, interrupted_by, listening_at, run, running
from pythagoras.lean.server.turns import Submitter, Turns
from pythagoras.lean.server.verdict_routes import verdict_routes


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

    def turns(self, pool: Submitter) -> Turns:
        return Turns(pool, max_wait_s=self.max_wait_s, max_requests=self.max_requests)


def create_app(pool: Submitter, settings: ServerSettings) -> FastAPI:
    """The application. Each part is a function that returns a router; a further endpoint is one more of them."""
    turns = settings.turns(pool)
    app = FastAPI(title="Pythagoras Lean server", docs_url=None, redoc_url=None)
    app.include_router(root_routes())
    include_lean(app, turns, settings.limits)
    app.add_middleware(
        Door,
        turns=turns,
        api_key=settings.api_key,
        max_body_bytes=settings.max_body_bytes,
        is_open=OPEN_PATHS.__contains__,
    )
    tell_failures(app)
    return app


def include_lean(
    app: FastAPI, turns: Turns, limits: RequestLimits, responses: dict[int | str, dict[str, Any]] | None = None
) -> None:
    """Everything that a client of Lean asks for, in an application that may have more.

    `responses` are what the application's description says of answers beside the good one.
    """
    app.include_router(health_routes())
    for routes in (check_routes, verify_routes, verdict_routes):
        app.include_router(routes(turns, limits), tags=["lean"], responses=responses)


def serve(settings: ServerSettings, host: str, port: int, hosts: int | None, ready: Callable[[str, int], None]) -> None:
    """Serve until Ctrl-C or SIGTERM. `ready` is called once, with the address and the number of Lean hosts."""
    with listening_at(host, port) as listening, interrupted_by(signal.SIGTERM), LeanPool(hosts) as pool:
        ready(address_of(listening), pool.hosts)
        run(create_app(pool, settings), listening)


@contextlib.contextmanager
def serving(pool: Submitter, settings: ServerSettings) -> Iterator[str]:
    """A server on a thread of this process, at the address that is yielded."""
    with running(create_app(pool, settings)) as address:
        yield address
