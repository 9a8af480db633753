"""What stands around every answer: headers that keep a page from running anything but our own script.

And, where no key is asked for, a look at who sends a request: no page of somebody else shall use this server through a
browser.

A browser sends what any page tells it to send, also to this machine. Two ways are closed here. A name of the attacker's
that points to this machine (DNS rebinding): a server that listens here alone answers to this machine's own names alone.
A form or a script of another site: what changes something must not come from another origin than it goes to.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pythagoras.lean.server.door import refusal

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy: what a page of ours may load and run."""
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_LOCAL = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
"""What a request's Host may be that is addressed to this machine."""
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


class Guard:
    """ASGI middleware around all others. Headers that an answer has already stay as they are."""

    def __init__(self, app: ASGIApp, *, local_names: bool, own_origin: bool) -> None:
        self._app = app
        self._local_names = local_names
        """Whether requests must be addressed to this machine by its own names."""
        self._own_origin = own_origin
        """Whether what changes something must come from a page of ours, or from no page."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        if self._local_names and not _LOCAL.fullmatch(headers.get("host", "")):
            why = "this server answers to localhost alone: use that name, or start it with --host and --api-key"
            await refusal(403, why)(scope, receive, send_with_headers)
        elif self._own_origin and scope["method"] not in _READING and _is_foreign(headers):
            why = "a page of another site sent this: without --api-key, it is not taken from there"
            await refusal(403, why)(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)


def _is_foreign(headers: Headers) -> bool:
    """Whether a browser says that it comes from another origin. Programs say nothing."""
    origin = headers.get("origin")
    return origin is not None and _place(origin) != headers.get("host", "").lower()


def _place(origin: str) -> str:
    """Host and port of an origin; empty for what is none, such as `null`."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
