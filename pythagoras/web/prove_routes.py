"""`/api/prove`: a theorem goes in, its attempts come out as they are judged, as server-sent events.

What is no Lean is told at once, with its place, before a job is made of it. Every event but `doing` has a number, so a
client that lost its connection gets the rest by sending the last number it saw as `Last-Event-ID`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Path, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from pythagoras.lean.pool import Check, Checked
from pythagoras.lean.server.kimina_routes import unless_gone
from pythagoras.lean.server.turns import Turns
from pythagoras.lean.statements import Statement
from pythagoras.lean.wire import Limits
from pythagoras.prove.refusal import StatementRefused
from pythagoras.prove.sheet import Sheet
from pythagoras.web.examples import Example, examples
from pythagoras.web.jobs import Event, Job, Jobs
from pythagoras.web.prove_wire import JobMade, JobTold, ProveRequest, effort_of, whole
from pythagoras.web.settings import ProveLimits
from pythagoras.web.wire import Place, refusals

_TICK_S = 1.0
"""How often a quiet stream says what the prover is at."""
_ALIVE_TICKS = 15
"""After how many of them it says at least that it is alive, so that nothing between takes it for dead."""
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": (
            "Server-sent events. `running` ({}) when it begins; `attempt` (AttemptTold) for every proof that was "
            "judged; `done` (OutcomeTold) at the end, behind which the stream is closed. These have ids that count "
            'from 1. `doing` ({"doing": "...", "ahead": 0}) has none: what the prover is at now.'
        ),
        "content": {"text/event-stream": {}},
    }
}

JobId = Annotated[str, Path(max_length=64)]


def prove_routes(jobs: Jobs, turns: Turns, limits: ProveLimits) -> APIRouter:
    """`/api/prove`, and theorems to begin with."""
    router = APIRouter(prefix="/api", tags=["prove"], responses=refusals())

    @router.get("/examples")
    async def theorems() -> tuple[Example, ...]:
        """Theorems to try."""
        return examples()

    @router.post("/prove", status_code=202, response_model=JobMade)
    async def prove(body: ProveRequest, request: Request) -> Response:
        """Take on a theorem. Lean has read its statement when this answers; what is no Lean is 422 with its place."""
        if problem := too_much(body, limits):
            raise HTTPException(422, problem)
        theorem = whole(body.theorem)  # as Lean gets it
        with jobs.room():
            try:
                statement = await unless_gone(request, _read(theorem, turns, limits))
            except StatementRefused as error:
                place = Place(line=error.line, column=error.column, message=error.message)
                return JSONResponse({"detail": place.model_dump()}, 422)
            job = jobs.submit(theorem, statement, effort_of(body, limits.check_s))
        return JSONResponse(JobMade(id=job.id).model_dump(), 202)

    @router.get("/prove/{id}")
    async def state(id: JobId) -> JobTold:  # noqa: A002
        """The job so far."""
        return jobs.told(_found(jobs, id))

    @router.delete("/prove/{id}", status_code=204)
    async def cancel(id: JobId) -> None:  # noqa: A002
        """End a job soon. One that is done stays as it is."""
        jobs.cancel(_found(jobs, id))

    @router.get("/prove/{id}/events", responses=_EVENTS, response_class=StreamingResponse)
    async def events(
        id: JobId,  # noqa: A002
        last_event_id: Annotated[
            str, Header(max_length=20, description="The last event that was seen; the rest follows.")
        ] = "",
    ) -> StreamingResponse:
        """What becomes of a job, as it comes."""
        job = _found(jobs, id)
        after = int(last_event_id) if last_event_id.isascii() and last_event_id.isdigit() else 0
        headers = {"X-Accel-Buffering": "no"}  # for proxies: each event at once
        return StreamingResponse(_stream(jobs, job, after), media_type="text/event-stream", headers=headers)

    return router


def too_much(asked: ProveRequest, limits: ProveLimits) -> str:
    """Which limit a request breaks, in words; empty when it breaks none."""
    if len(asked.theorem) > limits.characters:
        return f"the theorem has {len(asked.theorem)} characters: at most {limits.characters} are taken"
    if asked.n > limits.attempts:
        return f"{asked.n} attempts are too many: at most {limits.attempts} are made"
    if asked.timeout > limits.timeout_s:
        return f"{asked.timeout:g} seconds are too many: at most {limits.timeout_s:g} are given"
    return ""


def _found(jobs: Jobs, name: str) -> Job:
    job = jobs.get(name)
    if job is None:
        raise HTTPException(404, "there is no such job, or it is not kept any more: ask for the theorem again")
    return job


async def _read(theorem: str, turns: Turns, limits: ProveLimits) -> Statement:
    """The last theorem without a proof in a text that Lean takes. Raises StatementRefused, with the place in it."""
    lean = _InTurn(turns, asyncio.get_running_loop())

    def read() -> Statement:
        sheet = Sheet(theorem)
        sheet.check(lean, Limits(timeout_s=limits.check_s))
        return sheet.statement(sheet.open[-1].name)

    return await asyncio.to_thread(read)  # reading long texts takes its time


class _InTurn:
    """Lean for a thread beside the event loop: its questions take their turns with those of all clients."""

    def __init__(self, turns: Turns, loop: asyncio.AbstractEventLoop) -> None:
        self._turns = turns
        self._loop = loop

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        for check in checks:
            yield asyncio.run_coroutine_threadsafe(self._turns.run([check]), self._loop).result()[0]


# --- events ----------------------------------------------------------------------------------------


async def _stream(jobs: Jobs, job: Job, after: int) -> AsyncIterator[str]:
    said: dict[str, Any] = {}
    quiet = 0
    async for event in job.events(after, _TICK_S):
        now = {"doing": jobs.doing(job), "ahead": jobs.ahead(job)}
        if event is not None:
            quiet = 0
            yield _written(event)
        elif now != said:
            said, quiet = now, 0
            yield f"event: doing\ndata: {json.dumps(now)}\n\n"
        elif (quiet := quiet + 1) % _ALIVE_TICKS == 0:
            yield ":\n\n"


def _written(event: Event) -> str:
    """As the wire has it. JSON has no line ends of its own."""
    return f"id: {event.number}\nevent: {event.name}\ndata: {event.data}\n\n"
