"""HTTP with patience: what is worth another try is tried again, with growing pauses and an end."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass
from typing import Any

import httpx

from pythagoras.errors import HostDied, InputError

_TRY_AGAIN = frozenset({429, 500, 502, 503, 504})
_OVERHEAD_S = 120.0
"""How long behind a check's own time a server may take: a queue, a start, a header."""
_CONNECT_S = 10.0
_LONGEST_ANSWER_QUOTE = 200
_LARGEST_ANSWER = 256 * 2**20
"""Bytes: Lean's words about a proof may be as long as the proof makes them."""


@dataclass(frozen=True, slots=True)
class Retries:
    """How patient to be with a server that can't be reached, is too busy (429) or broken (5xx)."""

    tries: int = 6
    first_pause_s: float = 0.5
    longest_pause_s: float = 30.0
    longest_wanted_s: float = 300.0
    """At most this long, however long the server asks for."""

    def pause_s(self, failures: int, wanted_s: float | None) -> float:
        """Before the next try: what the server asked for, or twice as long each time, give or take."""
        if wanted_s is not None:
            return min(wanted_s, self.longest_wanted_s)
        pause = min(self.first_pause_s * 2.0 ** (failures - 1), self.longest_pause_s)
        return pause * random.uniform(0.5, 1.0)


PATIENT = Retries()


class Unreachable(HostDied):
    """The server gave no usable answer, and another try would not help."""


class Http:
    """A server's address, and requests to it. Used by many threads."""

    def __init__(
        self,
        url: str,
        api_key: str | None,
        connections: int,
        retries: Retries,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        _refuse_password(url)
        self.url = url.rstrip("/")
        self._retries = retries
        self._closed = threading.Event()
        try:
            self._client = httpx.Client(
                base_url=self.url,
                headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
                limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
                transport=transport,
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise InputError(f"{url} is no address of a server ({error}): write it as http://HOST:PORT") from error

    def greet(self) -> None:
        """Find out whether somebody is there, in one try: whoever starts work wants to know at once."""
        try:
            response = self._client.get("/health", timeout=_CONNECT_S)
        except (httpx.TransportError, httpx.UnsupportedProtocol) as error:
            raise InputError(
                f"{self.url} can't be reached ({_said(error)}): start the server or correct the address"
            ) from error
        if response.status_code in (401, 403):
            raise self._forbidden(response)

    def post(self, path: str, body: dict[str, Any], timeout_s: float) -> dict[str, Any] | None:
        """The server's JSON; None when it has no such path."""
        failure = ""
        for failures in range(1, self._retries.tries + 1):
            wanted_s: float | None = None
            try:
                response = self._answer(path, body, timeout_s + _OVERHEAD_S)
            except httpx.ReadTimeout as error:  # it took the request: asking again at once would double its work
                raise HostDied(f"{self.url} did not answer within {timeout_s + _OVERHEAD_S:g} s") from error
            except (httpx.TransportError, httpx.DecodingError) as error:
                failure = f"{self.url} can't be reached ({_said(error)})"
            except RuntimeError as error:  # the client was closed under it
                raise Unreachable("the checker was closed") from error
            else:
                if response.status_code not in _TRY_AGAIN:
                    return self._read(response)
                failure = f"{self.url} answers {response.status_code} ({_quote(response)})"
                wanted_s = _retry_after(response)
            if failures < self._retries.tries and self._closed.wait(self._retries.pause_s(failures, wanted_s)):
                raise Unreachable("the checker was closed")
        raise Unreachable(f"{failure}, {self._retries.tries} times in a row: look at the server, then try again")

    def _answer(self, path: str, body: dict[str, Any], within_s: float) -> httpx.Response:
        """All of the server's answer. One that dribbles gets no more time than one that is silent."""
        deadline = time.monotonic() + within_s
        timeout = httpx.Timeout(within_s, connect=_CONNECT_S)
        with self._client.stream("POST", path, json=body, timeout=timeout) as response:
            content = bytearray()
            for part in response.iter_bytes():
                content += part
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("the answer did not end in time", request=response.request)
                if len(content) > _LARGEST_ANSWER:
                    raise HostDied(f"{self.url} answers with more than {_LARGEST_ANSWER >> 20} MB")
        wish = response.headers.get("Retry-After")
        headers = {} if wish is None else {"Retry-After": wish}
        return httpx.Response(response.status_code, headers=headers, content=bytes(content))

    def close(self) -> None:
        """Give up waiting, and end the connections."""
        self._closed.set()
        self._client.close()

    def _read(self, response: httpx.Response) -> dict[str, Any] | None:
        if response.status_code in (401, 403):
            raise self._forbidden(response)
        if response.status_code in (404, 405):
            return None
        if response.status_code >= 300:
            raise Unreachable(f"{self.url} refuses the request with {response.status_code} ({_quote(response)})")
        try:
            answer = response.json()
        except (ValueError, RecursionError) as error:
            raise HostDied(f"{self.url} answered with something that is no JSON: is it a Kimina server?") from error
        if not isinstance(answer, dict):
            raise HostDied(f"{self.url} answered with something else than an object: is it a Kimina server?")
        return answer

    def _forbidden(self, response: httpx.Response) -> InputError:
        return InputError(
            f"{self.url} answers {response.status_code}: set LEAN_SERVER_API_KEY to the key that the server was given"
        )


def _refuse_password(url: str) -> None:
    try:
        named = bool(httpx.URL(url).userinfo)
    except httpx.InvalidURL:
        named = "@" in url
    if named:
        raise InputError(
            "an address with a password in it would end up in logs: give the key in LEAN_SERVER_API_KEY instead"
        )


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds that the server wants us to wait; a date is taken for no wish."""
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isdecimal() else None


def _quote(response: httpx.Response) -> str:
    text = " ".join(response.text.split())[:_LONGEST_ANSWER_QUOTE]
    return text or response.reason_phrase


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
