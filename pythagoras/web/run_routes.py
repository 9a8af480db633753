"""`/api/runs`, and the report on each run as a page of its own."""

from __future__ import annotations

import asyncio
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Path, Query, Request
from starlette.responses import FileResponse

from pythagoras.lean.server.door import has_key
from pythagoras.web.run_shelf import RunShelf, RunTold
from pythagoras.web.tickets import Tickets
from pythagoras.web.wire import refusals

_REPORT_HEADERS = {"Content-Security-Policy": "frame-ancestors 'none'"}
"""The page has a policy of its own, which lets its own script run and nothing else."""


def run_routes(shelf: RunShelf, api_key: str | None) -> APIRouter:
    """The runs, and `/runs/{name}/report`. That one is opened by a link: the key may be shown, or a ticket for it."""
    router = APIRouter(tags=["runs"], responses=refusals())
    tickets = Tickets()

    @router.get("/api/runs")
    async def runs() -> tuple[RunTold, ...]:
        """Runs of evaluations, the latest first."""
        found = await asyncio.to_thread(shelf.runs)
        return tuple(run if run.error else run.model_copy(update={"report": link(run.name)}) for run in found)

    @router.get("/runs/{name}/report", response_class=FileResponse)
    async def report(
        name: Annotated[str, Path(max_length=1000)],
        request: Request,
        ticket: Annotated[str, Query(max_length=64, description="From `/api/runs`, in the place of a key.")] = "",
    ) -> FileResponse:
        """The report on a run: one HTML page."""
        if not has_key(request.headers, api_key) and not tickets.holds(_path(name), ticket):
            raise HTTPException(401, "the link is too old: open the report from the list of runs again")
        folder = await asyncio.to_thread(shelf.folder, name)
        if folder is None:
            raise HTTPException(404, "there is no such run")
        path = await asyncio.to_thread(shelf.report, folder)
        return FileResponse(path, media_type="text/html; charset=utf-8", headers=_REPORT_HEADERS)

    def link(name: str) -> str:
        return _path(name) + (f"?ticket={tickets.ticket(_path(name))}" if api_key is not None else "")

    return router


def _path(name: str) -> str:
    return f"/runs/{quote(name, safe='')}/report"
