"""A Kimina Lean Server as a checker: somebody else's Leans over HTTP, `/api/check` or the older `/verify`.

A header's text goes before the code, and places in answers are shifted back. Our own server reports on declarations;
for others the audit goes around the code (`audit.py`): its definitions before it, its command on the last line, and a
report counts only when it stands on that very line. All of this is one text to the server, which a program in the
code could read and answer for: programs must have been kept out before (`gate.py`).

What it does not do: replay, spans, and limits other than the clock and `set_option`. A server's processes are its own
affair; that it is busy or breaks is a failure of the host here, after some tries, and never one of the proof. It was
run against our own server and against a stand-in, not against Kimina's.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

import httpx
from pydantic import ValidationError

from pythagoras.errors import HostDied, InputError
from pythagoras.lean import headers
from pythagoras.lean.kimina.text import Assembled, assemble, read_response, reports
from pythagoras.lean.kimina.transport import PATIENT, Http, Retries, Unreachable
from pythagoras.lean.kimina.wire import CheckRequest, Code, Snippet, VerifyRequest
from pythagoras.lean.pool import Check, Checked, Status
from pythagoras.lean.streaming import in_order
from pythagoras.lean.wire import Answer

CONCURRENCY = 8
_WINDOW_PER_REQUEST = 4
_TRIES = 2
"""How often a check is tried when the server answers, but its Lean broke."""
_TIMED_OUT = ("Lean REPL command timed out", "Lean process timed out")
"""How servers begin to say that the code took too long, newer and older ones. That the header did ("Lean REPL header
command timed out") says nothing about the code."""


class KiminaChecker:
    """Checks through a server. Use it in a `with` block, which also finds out whether the server is there."""

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        concurrency: int = CONCURRENCY,
        *,
        retries: Retries = PATIENT,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        if concurrency < 1:
            raise InputError(f"{concurrency} requests at a time can't check anything: ask for 1 or more")
        self.concurrency = concurrency
        self._http = Http(url, api_key, concurrency, retries, transport)
        self._workers: ThreadPoolExecutor | None = None
        self._closed = threading.Event()
        self._legacy = False
        self._reports = True
        """Whether the server tells of declarations by itself; assumed until it does not."""

    def __enter__(self) -> Self:
        try:
            self._http.greet()
        except BaseException:
            self._http.close()
            raise
        self._workers = ThreadPoolExecutor(self.concurrency, thread_name_prefix="lean-kimina")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connections. Checks that are still open end as host failures."""
        self._closed.set()
        self._http.close()
        if self._workers is not None:
            self._workers.shutdown(wait=True)

    # --- checking ------------------------------------------------------------------------------

    def submit(self, check: Check) -> Future[Checked]:
        """Queue one check."""
        headers.header(check.header)  # a wrong name is said at once
        if self._workers is None or self._closed.is_set():
            raise HostDied("this checker is closed: use it inside its `with` block")
        return self._workers.submit(self._run, check)

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        """Results in the order of the checks, streaming, with a bounded number read ahead."""
        return in_order(checks, self.submit, _WINDOW_PER_REQUEST * self.concurrency)

    # --- inside --------------------------------------------------------------------------------

    def _run(self, check: Check) -> Checked:
        began = time.monotonic()
        failure = ""
        for _ in range(_TRIES):
            if self._closed.is_set():
                failure = "the checker was closed"
                break
            try:
                answer = self._ask(check)
            except (HostDied, Unreachable) as error:
                failure = str(error)
                if isinstance(error, Unreachable):  # tried often enough
                    break
                continue
            status = Status.TIMEOUT if answer.interrupted else Status.ANSWERED
            return Checked(check, status, answer, time.monotonic() - began)
        return Checked(check, Status.HOST_FAILURE, None, time.monotonic() - began, failure)

    def _ask(self, check: Check) -> Answer:
        """One answer; a second request follows when the first shows that the server does not report by itself."""
        header = headers.header(check.header)
        if self._reports or not check.names:
            text = assemble(check, header, audited=False)
            result = self._post(check, text)
            response = result.get("response")
            if not check.names or not isinstance(response, dict) or "message" in response or reports(response):
                return self._answer(check, text, result)
            self._reports = False
        text = assemble(check, header, audited=True)
        return self._answer(check, text, self._post(check, text))

    def _answer(self, check: Check, text: Assembled, result: dict[str, Any]) -> Answer:
        error = result.get("error")
        if error:
            if str(error).startswith(_TIMED_OUT):
                return Answer(interrupted=True)
            raise HostDied(f"the server's Lean failed: {error}")
        response = result.get("response")
        if not isinstance(response, dict):
            raise HostDied("the server's result has neither an error nor a response")
        try:
            return read_response(response, text, check)
        except ValidationError as wrong:
            raise HostDied(f"the server said something unexpected ({wrong.errors()[0]['loc']})") from wrong

    def _post(self, check: Check, text: Assembled) -> dict[str, Any]:
        """The result for one snippet, in the newer form or, where the server has no other, in the older one."""
        name = uuid.uuid4().hex
        seconds = max(1, round(check.limits.timeout_s))  # Kimina's servers take whole ones
        newer = CheckRequest(
            snippets=(Snippet(id=name, code=text.text),),
            timeout=seconds,
            reuse=not check.fresh,
            infotree=check.infotree,
        )
        older = VerifyRequest(
            codes=(Code(custom_id=name, proof=text.text),),
            timeout=seconds,
            infotree_type=check.infotree,
            disable_cache=check.fresh,
        )
        if not self._legacy:
            answer = self._http.post("/api/check", _body(newer, check), seconds)
            if answer is not None:
                return _only_result(answer, "id", name)
            self._legacy = True
        answer = self._http.post("/verify", _body(older, check), seconds)
        if answer is None:
            raise InputError(f"{self._http.url} has neither /api/check nor /verify: it is no Kimina Lean Server")
        return _only_result(answer, "custom_id", name)


def _body(request: CheckRequest | VerifyRequest, check: Check) -> dict[str, Any]:
    """A request with what our own server understands beyond it; others ignore that."""
    wire: dict[str, Any] = request.model_dump(mode="json", exclude_none=True)
    return wire | {
        "declarations": True,
        "holes": list(check.holes),
        "refuse": list(check.refuse),
        "replay": check.replay,
        "header": check.header,
    }


def _only_result(answer: dict[str, Any], key: str, name: str) -> dict[str, Any]:
    results = answer.get("results")
    if not isinstance(results, list) or len(results) != 1 or not isinstance(results[0], dict):
        raise HostDied("the server did not answer with one result for one snippet")
    result: dict[str, Any] = results[0]
    if str(result.get(key)) != name:
        raise HostDied("the server answered for another snippet than it was asked")
    return result
