"""The community REPL's protocol on two streams: JSON requests behind blank lines in, JSON answers out.

Takes the place of the `repl` binary for `cmd` and `path` requests. Numbers of states stay unique when a host has to be
replaced: a state that went down with a host is unknown afterwards, never mistaken for another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from pythagoras.errors import HostError
from pythagoras.lean import headers
from pythagoras.lean.headers import NONE, Header
from pythagoras.lean.host import GRACE_S, LeanHost

_MOST_MS = 10**9
_REQUESTS = ("cmd", "path", "drop")
_FORWARDED = (
    *("cmd", "env", "keep", "drop", "allTactics", "infotree"),
    *("declarations", "holes", "refuse", "replay", "signatures", "spans", "untilError"),
)
"""Fields that go to the host; it takes others too, which are not for whoever writes to this stream."""


def serve(requests: IO[bytes], answers: IO[bytes], header: str, timeout_s: float) -> None:
    """Answer requests until the input ends."""
    with _Repl(headers.header(header), timeout_s) as repl:
        for block in blocks(requests):
            answer = repl.answer(block)
            answers.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", errors="replace") + b"\n\n")
            answers.flush()


def blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """Pieces of the stream between blank lines, however lines end."""
    lines: list[bytes] = []
    for line in stream:
        if line.strip():
            lines.append(line)
        elif lines:
            yield b"".join(lines)
            lines = []
    if lines:
        yield b"".join(lines)


def _wrong_field(request: dict[str, Any]) -> str:
    """What is wrong with a field that this side reads itself; empty when nothing is. The host sees to the others."""
    limits = request.get("limits")
    timeout = limits.get("timeoutMs", 1) if isinstance(limits, dict) else 1
    if isinstance(request.get("env"), (list, dict)):
        return "Unknown environment."
    if isinstance(request.get("drop"), list) and not all(isinstance(number, int) for number in request["drop"]):
        return "'drop' is a list of environments."
    if not isinstance(limits, dict | None) or not isinstance(timeout, int | float) or not 0 < timeout <= _MOST_MS:
        return "'limits' is an object of numbers, 'timeoutMs' one from 1 to 1000000000."
    if not any(key in request for key in _REQUESTS):
        return f"A request has one of {', '.join(_REQUESTS)}; this REPL takes no other."
    if isinstance(request.get("path"), str) and "\0" in request["path"]:
        return "'path' is no path."
    return ""


class _Repl:
    def __init__(self, header: Header, timeout_s: float) -> None:
        self._header = header
        self._timeout_s = timeout_s
        self._host = LeanHost()
        self._states: dict[int, int] = {}
        self._next = 0

    def __enter__(self) -> _Repl:
        self._host.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._host.close()

    def answer(self, block: bytes) -> dict[str, Any]:
        try:
            request = json.loads(block)
        except (ValueError, RecursionError) as error:  # not JSON, not UTF-8, or nested without end
            return {"message": f"Could not parse JSON: {error}"}
        if not isinstance(request, dict):
            return {"message": "A request is a JSON object."}
        wrong = _wrong_field(request)
        if wrong:
            return {"message": wrong}
        try:
            return self._ask(request)
        except HostError as error:
            self._host.close()
            self._host = LeanHost().start()
            self._states.clear()
            return {"message": f"{error}. All states are gone."}
        except OSError as error:
            return {"message": f"{request.get('path')} can't be read: {error.strerror}"}

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if isinstance(request.get("path"), str):
            request = {**request, "cmd": Path(request["path"]).read_text(encoding="utf-8", errors="replace")}
        if request.get("env") is not None:
            if request["env"] not in self._states:
                return {"message": "Unknown environment."}
            request = {**request, "env": self._states[request["env"]]}
        elif self._header != NONE and isinstance(request.get("cmd"), str):
            request = {**request, "env": self._host.keep_header(self._header)}
        if isinstance(request.get("drop"), list):
            known = [number for number in request["drop"] if number in self._states]
            request = {"drop": [self._states.pop(number) for number in known]}
        limits = {"timeoutMs": round(self._timeout_s * 1000), **(request.get("limits") or {})}
        request = {key: request[key] for key in _FORWARDED if key in request} | {"limits": limits}
        answer = self._host.request(request, limits["timeoutMs"] / 1000 + GRACE_S)
        if "env" in answer:
            self._states[self._next] = answer["env"]
            answer["env"] = self._next
            self._next += 1
        return answer
