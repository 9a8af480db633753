"""`POST /api/verdict`: our verdicts over HTTP. Says of each submission whether it proves the statement, and why not."""

from __future__ import annotations

import asyncio
from typing import Any, Self

from fastapi import APIRouter, HTTPException, Request, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from pythagoras.lean import headers
from pythagoras.lean.kimina.wire import refuse_repeats
from pythagoras.lean.server.kimina_routes import RequestLimits, json_response, too_much, unless_gone
from pythagoras.lean.server.turns import Turns
from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.lean.verdict import Policy
from pythagoras.lean.verifier import Docket, Submission
from pythagoras.lean.wire import Limits


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SubmittedText(_Strict):
    """What a model wrote, with the name that its verdict comes back under."""

    id: str
    text: str


class AskedPolicy(_Strict):
    """What is permitted beyond a plain proof; see `verdict.Policy`."""

    compiler: bool = False
    search: bool = False
    answers: bool = False
    replay: bool = False


class VerdictRequest(_Strict):
    """What `POST /api/verdict` takes."""

    statement: str
    """Lean text with the theorem to be proved."""
    theorem: str | None = None
    """Its name there; the last one when none is given."""
    header: str = "core"
    submissions: tuple[SubmittedText, ...] = Field(min_length=1)
    timeout: float = Field(default=60, gt=0, allow_inf_nan=False)
    """Seconds of wall clock for each."""
    policy: AskedPolicy = AskedPolicy()

    @model_validator(mode="after")
    def _ids_differ(self) -> Self:
        refuse_repeats([each.id for each in self.submissions])
        return self


def verdict_routes(turns: Turns, limits: RequestLimits) -> APIRouter:
    """`POST /api/verdict`."""
    router = APIRouter()

    @router.post("/api/verdict")
    async def verdict(body: VerdictRequest, request: Request) -> Response:
        problem = too_much([(each.id, each.text) for each in body.submissions], body.timeout, limits)
        problem = problem or too_much([("statement", body.statement)], body.timeout, limits)
        if problem:
            raise HTTPException(422, problem)
        headers.header(body.header)  # before Lean is asked
        statement = parse_statement(body.statement, name=body.theorem, header=body.header)
        results = await unless_gone(request, _judge(body, statement, turns))
        return json_response({"results": results})

    return router


async def _judge(body: VerdictRequest, statement: Statement, turns: Turns) -> list[dict[str, Any]]:
    docket = Docket(Policy(**dict(body.policy)), Limits(timeout_s=body.timeout))
    submissions = [Submission(statement, each.text) for each in body.submissions]
    checks = await asyncio.to_thread(lambda: list(docket.checks(submissions)))  # reading long texts takes its time
    judged = docket.judgements(await turns.run(checks))
    return [{"id": each.id, **one.as_dict()} for each, one in zip(body.submissions, judged, strict=True)]
