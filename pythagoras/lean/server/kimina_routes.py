"""The Kimina Lean Server's endpoints: what they refuse, what they ask of Lean, and how they word what became of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from fastapi import APIRouter, HTTPException, Request, Response

from pythagoras.lean import headers
from pythagoras.lean.imports import header_for
from pythagoras.lean.kimina.text import written_out
from pythagoras.lean.kimina.wire import (
    CheckRequest,
    CheckResponse,
    CommandResponse,
    Diagnostics,
    SnippetResult,
    VerifyRequest,
    VerifyResponse,
    VerifyResult,
)
from pythagoras.lean.pool import Check, Checked, Status
from pythagoras.lean.server.turns import Turns
from pythagoras.lean.wire import Answer, InfoTree, Limits

T = TypeVar("T")

CLIENT_GONE = 499
_SHORTEST_S = 0.001
"""Kimina's clients may ask for 0 seconds."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How much one request may ask for."""

    timeout_s: float = 600.0
    snippets: int = 1000
    characters: int = 200_000
    """Of one snippet, a header of ours before it not counted."""


def health_routes() -> APIRouter:
    """`GET /health`: the server is up."""
    router = APIRouter()
    router.get("/health")(health)
    return router


def root_routes() -> APIRouter:
    """`GET /`: the same, for clients that ask there."""
    router = APIRouter()
    router.get("/", include_in_schema=False)(health)
    return router


async def health() -> dict[str, str]:
    """Whether the server is up."""
    return {"status": "ok"}


def check_routes(turns: Turns, limits: RequestLimits) -> APIRouter:
    """`POST /api/check`."""
    router = APIRouter()

    @router.post("/api/check", response_model=CheckResponse)
    @router.post("/api/check/", include_in_schema=False)
    async def check(body: CheckRequest, request: Request) -> Response:
        results = await unless_gone(request, run_snippets(body, turns, limits))
        return json_response(CheckResponse(results=results).to_wire())

    return router


def verify_routes(turns: Turns, limits: RequestLimits) -> APIRouter:
    """`POST /verify` and `POST /one_pass_verify_batch`, which older clients use."""
    router = APIRouter()

    @router.post("/verify", response_model=VerifyResponse)
    @router.post("/one_pass_verify_batch", include_in_schema=False)
    async def verify(body: VerifyRequest, request: Request) -> Response:
        results = await unless_gone(request, run_snippets(body.to_check(), turns, limits))
        return json_response(VerifyResponse(results=tuple(map(VerifyResult.of, results))).to_wire())

    return router


# --- one request -----------------------------------------------------------------------------------


async def run_snippets(body: CheckRequest, turns: Turns, limits: RequestLimits) -> tuple[SnippetResult, ...]:
    """Check all snippets of a request; refuses with 422 one that asks for too much."""
    sent = [(snippet.id, _split_header(snippet.code, body.header)[1]) for snippet in body.snippets]
    problem = too_much(sent, body.timeout, limits)
    if body.infotree == "full":
        problem = "the infotree 'full' is not given here: ask for 'tactics', 'original' or 'substantive'"
    if problem:
        raise HTTPException(422, problem)
    checked = await turns.run([_to_check(snippet.code, body) for snippet in body.snippets])
    return tuple(_result(snippet.id, each, body) for snippet, each in zip(body.snippets, checked, strict=True))


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Do the work, and drop it as soon as the client has closed its connection."""
    working = asyncio.create_task(work)
    watching = asyncio.create_task(_until_gone(request))
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise HTTPException(CLIENT_GONE, "the client closed its connection")
        return working.result()
    except asyncio.CancelledError:  # nothing but the end of the server cancels a request
        raise HTTPException(503, "the server is stopping: ask again when it is back") from None
    finally:
        working.cancel()
        watching.cancel()


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def json_response(wire: dict[str, Any]) -> Response:
    """An answer that was put together already, in ASCII: an id may be half a character, and comes back as it came."""
    return Response(json.dumps(wire), media_type="application/json")


def too_much(snippets: Sequence[tuple[str, str]], timeout_s: float, limits: RequestLimits) -> str:
    """Which limit a request breaks, in words; empty when it breaks none. Snippets are pairs of id and text."""
    if len(snippets) > limits.snippets:
        return f"{len(snippets)} snippets are too many: send at most {limits.snippets} in a request"
    if timeout_s > limits.timeout_s:
        return f"a timeout of {timeout_s:g} seconds is too long: at most {limits.timeout_s:g} are given"
    for name, text in snippets:
        if len(text) > limits.characters:
            return f"the snippet {name[:100]!r} has {len(text)} characters: at most {limits.characters} are taken"
    return ""


def _to_check(code: str, body: CheckRequest) -> Check:
    header, code = _header(code, body.header)
    return Check(
        code,
        header,
        Limits(timeout_s=max(body.timeout, _SHORTEST_S)),
        infotree=cast("InfoTree | None", body.infotree),
        fresh=not body.reuse,
        refuse=body.refuse,
        replay=body.replay,
        holes=body.holes,
    )


def _header(code: str, name: str) -> tuple[str, str]:
    """The header that a snippet stands on, and the code to put on it, every line where it was.

    A header of ours that is written out in it was compiled long ago; and its notations are not the snippet's own, which
    might be refused for them.
    """
    header, own = _split_header(code, name)
    return (name, "\n" * header.count("\n") + own) if header else header_for(code)


def _split_header(code: str, name: str) -> tuple[str, str]:
    """The text of the named header that a snippet begins with, and what is behind it.

    The former is empty unless it is one of ours that is compiled, and stands there to the last letter.
    """
    if name not in headers.header_names() or headers.header(name).has_imports:
        return "", code
    text = written_out(headers.header(name))
    return (text, code.removeprefix(text)) if code.startswith(text) else ("", code)


def _result(name: str, checked: Checked, body: CheckRequest) -> SnippetResult:
    response, error = None, None
    if checked.status is Status.TIMEOUT or checked.hung:
        error = f"Lean REPL command timed out in {body.timeout:g} seconds"
    elif checked.answer is None:
        error = f"the Lean host failed, which says nothing about the snippet: {checked.failure}"
    else:
        response = _response(checked.answer, body)
    diagnostics = _diagnostics(checked) if body.debug else None
    return SnippetResult(
        id=name, time=round(checked.seconds, 6), error=error, response=response, diagnostics=diagnostics
    )


def _response(answer: Answer, body: CheckRequest) -> CommandResponse:
    """The REPL leaves empty lists out."""
    return CommandResponse(
        declarations=answer.declarations if body.declarations else None,
        replay=answer.replay,
        refused=answer.refused,
        messages=answer.messages or None,
        sorries=answer.sorries or None,
        tactics=answer.tactics or None,
        infotree=answer.infotree or None,
    )


def _diagnostics(checked: Checked) -> Diagnostics | None:
    """What the host used; nothing is known of hosts that failed."""
    use = checked.use
    if use is None:
        return None
    percent = 100 * use.cpu_seconds / max(checked.seconds, 1e-6)
    return Diagnostics(repl_uuid=use.host_id, cpu_max=round(percent, 1), memory_max=round(use.memory_mb * 2**20))
