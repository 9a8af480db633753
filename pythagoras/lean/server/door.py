"""What a server looks at before it reads what a client sends: the key, how many are inside, how long the body is."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable

from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pythagoras.lean.server.turns import Overloaded, Turns

RETRY_AFTER_S = 5
OPEN_PATHS = frozenset({"/", "/health", "/openapi.json"})
"""What the Lean server tells without a key."""
_BODY_S = 60.0
"""How long a client may take to send its body."""


class Door:
    """ASGI middleware: 401 without the key, 429 when the house is full, 413 for a body that is too long.

    Paths that are open are let through without a look; what is behind them must read no body.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        turns: Turns,
        api_key: str | None,
        max_body_bytes: int,
        is_open: Callable[[str], bool],
    ) -> None:
        self._app = app
        self._turns = turns
        self._api_key = api_key
        self._max_body_bytes = max_body_bytes
        self._is_open = is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not has_key(headers, self._api_key):
            await refusal(401, "the key is missing or wrong: send `Authorization: Bearer KEY`")(scope, receive, send)
        elif _declared_bytes(headers) > self._max_body_bytes:
            await refusal(413, self._too_long)(scope, receive, send)
        else:
            try:
                with self._turns.admitted():
                    await self._app(scope, _Body(receive, self._max_body_bytes, self._too_long).receive, send)
            except Overloaded as error:
                await overloaded(error)(scope, receive, send)

    @property
    def _too_long(self) -> str:
        return f"the body is longer than {self._max_body_bytes} bytes: send fewer snippets at a time"


class _Body:
    """A body as it arrives, cut off when it grows too long or takes too long."""

    def __init__(self, receive: Receive, max_bytes: int, too_long: str) -> None:
        self._receive = receive
        self._left = max_bytes
        self._too_long = too_long
        self._complete = False

    async def receive(self) -> Message:
        if self._complete:  # what comes now is the end of the connection, which may take its time
            return await self._receive()
        try:
            async with asyncio.timeout(_BODY_S):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, f"the body did not arrive within {_BODY_S:g} seconds") from None
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413, self._too_long)
        self._complete = not message.get("more_body", False)
        return message


def has_key(headers: Headers, api_key: str | None) -> bool:
    """Whether a request shows the key, or needs none."""
    if api_key is None:
        return True
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(key.strip().encode(), api_key.encode())


def overloaded(error: Overloaded) -> Response:
    """The answer to a request that there is no room for."""
    return refusal(429, str(error), {"Retry-After": str(RETRY_AFTER_S)})


def refusal(status: int, why: str, headers: dict[str, str] | None = None) -> Response:
    """An answer that says no, in one line."""
    challenge = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse({"detail": why}, status, {**challenge, **(headers or {})})


def _declared_bytes(headers: Headers) -> int:
    length = headers.get("content-length", "")
    return int(length) if length.isdecimal() else 0
