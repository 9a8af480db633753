"""The web server: the page, the API behind it, and all endpoints of the Lean server, before one pool of Lean processes.

One prover works on one theorem at a time; what clients ask of Lean itself takes turns beside it.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request
from pydantic import Field
from starlette.responses import JSONResponse, Response

from pythagoras.errors import HostError, InputError
from pythagoras.lean.pool import LeanPool
from pythagoras.lean.server.app import include_lean
from pythagoras.lean.server.door import Door
from pythagoras.lean.server.failures import tell_failures
from pythagoras.lean.server.listening import address_of, interrupted_by, listening_at, run, running
from pythagoras.lean.server.turns import Submitter
from pythagoras.prove.opening import Means, open_prover
from pythagoras.web.corpus_routes import corpus_routes
from pythagoras.web.corpus_shelf import CorpusShelf
from pythagoras.web.guard import Guard
from pythagoras.web.jobs import Jobs, Proves
from pythagoras.web.ladder_routes import ladder_routes
from pythagoras.web.pages import page_routes
from pythagoras.web.prove_routes import prove_routes
from pythagoras.web.run_routes import run_routes
from pythagoras.web.run_shelf import RunShelf
from pythagoras.web.settings import WebSettings
from pythagoras.web.wire import Strict, refusals

_OPEN_PATHS = frozenset({"/", "/health", "/openapi.json"})
_OPEN_FOLDERS = ("/static/", "/runs/")
"""Files of the page; and reports, which look at keys and tickets themselves."""
_ABOUT = (
    "Prove theorems, watch every attempt with Lean's verdict, browse runs, corpora and the ladder; "
    "and ask Lean itself, by the Kimina Lean Server's protocol. See docs/web.md and docs/server.md."
)


class About(Strict):
    """What this server is, and how much may be asked of it."""

    version: str
    lean: str
    hosts: int = Field(description="Lean processes.")
    notes: tuple[str, ...] = Field(description="What should be known: why there is no model, for instance.")
    most_attempts: int
    longest_seconds: float
    most_characters: int


class WebServer:
    """An application, and what it holds. Made of what is open already; `close` waits for the prover alone."""

    def __init__(
        self, pool: Submitter, prover: Proves, settings: WebSettings, scratch: Path, notes: tuple[str, ...] = ()
    ) -> None:
        self.jobs = Jobs(prover, settings.prove.jobs)
        self.app = _create(self.jobs, pool, settings, scratch, notes)

    def close(self) -> None:
        self.jobs.close()


def _create(jobs: Jobs, pool: Submitter, settings: WebSettings, scratch: Path, notes: tuple[str, ...]) -> FastAPI:
    server, shown = settings.server, settings.shown
    turns = server.turns(pool)
    version = importlib.metadata.version("pythagoras")
    app = FastAPI(title="Pythagoras", version=version, description=_ABOUT, docs_url=None, redoc_url=None)
    app.include_router(page_routes())
    app.include_router(_about_routes(pool, settings, version, notes))
    app.include_router(prove_routes(jobs, turns, settings.prove))
    app.include_router(run_routes(RunShelf(shown.runs, scratch), server.api_key))
    app.include_router(corpus_routes(CorpusShelf(shown.corpora)))
    app.include_router(ladder_routes(shown.ladder))
    include_lean(app, turns, server.limits, refusals())
    app.add_middleware(
        Door, turns=turns, api_key=server.api_key, max_body_bytes=server.max_body_bytes, is_open=_is_open
    )
    no_key = server.api_key is None
    app.add_middleware(Guard, local_names=no_key and settings.local, own_origin=no_key)
    tell_failures(app)
    app.add_exception_handler(HostError, _lean_broke)
    return app


def _about_routes(pool: Submitter, settings: WebSettings, version: str, notes: tuple[str, ...]) -> APIRouter:
    router = APIRouter(prefix="/api", responses=refusals())

    @router.get("/about")
    async def about() -> About:
        """What this server is, and how much may be asked of it."""
        return About(
            version=version,
            lean=getattr(pool, "version", ""),
            hosts=pool.hosts,
            notes=notes,
            most_attempts=settings.prove.attempts,
            longest_seconds=settings.prove.timeout_s,
            most_characters=settings.prove.characters,
        )

    return router


def _is_open(path: str) -> bool:
    return path in _OPEN_PATHS or path.startswith(_OPEN_FOLDERS)


async def _lean_broke(_: Request, error: Exception) -> Response:
    """Lean itself failed, which says nothing about what was asked."""
    return JSONResponse({"detail": str(error)}, 503)


# --- running it ------------------------------------------------------------------------------------


def serve(
    settings: WebSettings, means: Means, host: str, port: int, ready: Callable[[str, int, tuple[str, ...]], None]
) -> None:
    """Serve until Ctrl-C or SIGTERM. `ready` is called once, with the address, the number of Lean hosts and notes."""
    with (
        listening_at(host, port) as listening,
        interrupted_by(signal.SIGTERM),
        tempfile.TemporaryDirectory(prefix="pythagoras-") as scratch,
        open_prover(means) as prover,
    ):
        pool = prover.lean
        if not isinstance(pool, LeanPool):
            raise InputError("the web server needs the embedded Lean: leave --backend out")
        server = WebServer(pool, prover, settings, Path(scratch), prover.notes)
        ready(address_of(listening), pool.hosts, prover.notes)
        try:
            run(server.app, listening, server.jobs.stop)
        finally:
            server.close()


@contextlib.contextmanager
def serving(pool: Submitter, prover: Proves, settings: WebSettings, scratch: Path) -> Iterator[str]:
    """A server on a thread of this process, at the address that is yielded."""
    server = WebServer(pool, prover, settings, scratch)
    try:
        with running(server.app, server.jobs.stop) as address:
            yield address
    finally:
        server.close()
