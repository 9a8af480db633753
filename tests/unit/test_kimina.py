"""The Kimina client against a stand-in server: both forms of the protocol, patience, places, and the audit's line."""

from __future__ import annotations

import itertools
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from pythagoras.errors import HostDied, InputError
from pythagoras.lean import headers
from pythagoras.lean.kimina.checker import KiminaChecker
from pythagoras.lean.kimina.text import assemble
from pythagoras.lean.kimina.transport import Retries
from pythagoras.lean.native.audit import NO_REPORT
from pythagoras.lean.pool import Check, Checked, Status
from pythagoras.lean.wire import Limits, Position
from tests.unit.fake_repl import declaration, report

FAST = Retries(tries=4, first_pause_s=0.01)
Reply = dict[str, Any] | tuple[int, dict[str, str]]
BROKEN: Reply = (0, {})
_COMMAND = re.compile(r'^#PythagorasAudit_\w+ "(\w+)" "(.*)"$', re.MULTILINE)


class FakeServer:
    """Answers a code with what `reply` makes of it: a REPL's response, `{"error": ...}`, or a status with headers.

    The status 0 stands for a connection that breaks.
    """

    def __init__(self, reply: Callable[[str], Reply], paths: tuple[str, ...] = ("/api/check", "/verify")) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.authorizations: set[str | None] = set()
        self.together = 0
        self._inside = 0
        outer, lock = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._send(200, {"status": "ok"})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    outer.requests.append((self.path, body))
                    outer.authorizations.add(self.headers["Authorization"])
                    outer._inside += 1
                    outer.together = max(outer.together, outer._inside)
                try:
                    self._answer(body)
                finally:
                    with lock:
                        outer._inside -= 1

            def _answer(self, body: dict[str, Any]) -> None:
                if self.path not in paths:
                    return self._send(404, {"detail": "Not Found"})
                (snippet,) = body["snippets"] if "snippets" in body else body["codes"]
                result = reply(snippet["code"] if "code" in snippet else snippet["proof"])
                if result == BROKEN:
                    self.close_connection = True
                    return None
                if isinstance(result, tuple):
                    return self._send(result[0], {"detail": "no"}, result[1])
                key = "id" if "id" in snippet else "custom_id"
                answer = result if "error" in result else {"response": result}
                return self._send(200, {"results": [{key: snippet[key], "time": 0.1, **answer}]})

            def _send(self, status: int, answer: dict[str, Any], more: dict[str, str] | None = None) -> None:
                data = json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(data)), **(more or {})}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FakeServer:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def codes(self) -> list[str]:
        return [body["snippets"][0]["code"] for _, body in self.requests]


def reporting(code: str) -> Reply:
    """As our own server answers."""
    return {"declarations": [declaration(name) for name in re.findall(r"theorem (\w+)", code)]}


def plain(code: str, severity: str = "info", line_offset: int = 0) -> dict[str, Any]:
    """As Kimina's server answers; it has run the audit where there is one."""
    found = _COMMAND.search(code)
    if not found:
        return {"env": 0}
    line = code.count("\n", 0, found.start()) + 1 + line_offset
    place = {"line": line, "column": 0}
    data = json.dumps(report(found[1], found[2]))
    return {"env": 0, "messages": [{"severity": severity, "pos": place, "endPos": None, "data": data}]}


def theorem(number: int, header: str = "mathlib", **settings: Any) -> Check:
    return Check(f"theorem t{number} : True := trivial", header, names=(f"t{number}",), **settings)


def one(url: str, check: Check, **settings: Any) -> Checked:
    with KiminaChecker(url, retries=FAST, **settings) as checker:
        (checked,) = checker.check([check])
    return checked


def answered(reply: Callable[[str], Reply], check: Check) -> Checked:
    with FakeServer(reply) as server:
        return one(server.url, check)


# --- checking --------------------------------------------------------------------------------------


def test_answers_come_in_the_order_asked_and_several_at_a_time() -> None:
    def slow(code: str) -> Reply:
        time.sleep(0.05 if "t0 " in code else 0.01)
        return reporting(code)

    checks = [theorem(number) for number in range(30)]
    with FakeServer(slow) as server, KiminaChecker(server.url, concurrency=4) as checker:
        results = list(checker.check(checks))
        ids = [body["snippets"][0]["id"] for _, body in server.requests]
    assert [result.check for result in results] == checks
    assert [r.answer.declarations[0].name for r in results if r.answer] == [f"t{number}" for number in range(30)]
    assert len(set(ids)) == 30
    assert 2 <= server.together <= 4


def test_the_input_may_be_endless() -> None:
    with FakeServer(reporting) as server, KiminaChecker(server.url) as checker:
        endless = (theorem(number) for number in itertools.count())
        assert len(list(itertools.islice(checker.check(endless), 5))) == 5


def test_what_is_asked() -> None:
    check = theorem(1, holes=("h",), refuse=("program",), limits=Limits(heartbeats=7, timeout_s=12.4))
    with FakeServer(reporting) as server:
        assert one(server.url, check, api_key="secret").status is Status.ANSWERED
    ((path, body),) = server.requests
    (snippet,) = body.pop("snippets")
    assert path == "/api/check"
    assert server.authorizations == {"Bearer secret"}
    assert body == {
        "timeout": 12,
        "debug": False,
        "reuse": True,
        "declarations": True,
        "holes": ["h"],
        "refuse": ["program"],
        "replay": False,
        "header": "mathlib",
    }
    assert snippet["code"] == f"{headers.MATHLIB.text}set_option maxHeartbeats 7\n{check.code}"


def test_an_older_server_is_asked_in_its_own_form() -> None:
    with FakeServer(plain, paths=("/verify",)) as server, KiminaChecker(server.url, retries=FAST) as checker:
        results = list(checker.check([theorem(1), theorem(2)]))
    assert [result.status for result in results] == [Status.ANSWERED] * 2
    assert [path for path, _ in server.requests].count("/verify") >= 3
    assert all("proof" in body["codes"][0] for path, body in server.requests if path == "/verify")


def test_another_kind_of_server_is_noticed() -> None:
    with FakeServer(plain, paths=()) as server, pytest.raises(InputError, match="no Kimina Lean Server"):
        one(server.url, theorem(1))


# --- places ----------------------------------------------------------------------------------------


def test_lines_count_from_the_codes_first() -> None:
    check = Check("theorem t : 1 = 2 := by\n  decide", "mathlib")
    first = headers.MATHLIB.text.count("\n") + 1
    place = {"pos": {"line": first + 1, "column": 2}, "endPos": {"line": first + 1, "column": 8}}
    message = {"severity": "error", "data": "no", **place}
    reply: Reply = {"messages": [message], "sorries": [{"goal": "⊢ False", **place}], "env": 1}
    answer = answered(lambda _: reply, check).answer
    assert answer is not None
    assert answer.errors[0].pos == Position(line=2, column=2)
    assert answer.errors[0].end_pos == answer.sorries[0].end_pos == Position(line=2, column=8)


def test_an_error_in_the_header_is_the_servers() -> None:
    early = {"severity": "error", "pos": {"line": 1, "column": 0}, "endPos": None, "data": "no Mathlib\nhere"}
    result = answered(lambda _: {"messages": [early], "env": 1}, theorem(1))
    assert result.status is Status.HOST_FAILURE
    assert result.failure == "the server's Lean rejects the header mathlib (line 1: no Mathlib)"


# --- the audit -------------------------------------------------------------------------------------


def test_a_server_that_does_not_report_gets_the_audit() -> None:
    with FakeServer(plain) as server, KiminaChecker(server.url, concurrency=1) as checker:
        first, second = checker.check([theorem(1), theorem(2)])
    for number, result in ((1, first), (2, second)):
        assert result.answer is not None
        (declared,) = result.answer.declarations
        assert (declared.name, declared.kind, declared.axioms) == (f"t{number}", "theorem", ("propext",))
        assert result.answer.messages == ()
    asked, again, next_ = server.codes()
    assert asked == headers.MATHLIB.text + theorem(1).code
    for code in (again, next_):
        lines = code.splitlines()
        assert lines[:2] == ["import Mathlib", "import Aesop"]
        assert code.index("namespace PythagorasAudit_") < code.index("open BigOperators") < code.index("theorem t")
        assert _COMMAND.match(lines[-1])


@pytest.mark.parametrize(
    "reply",
    [
        lambda code: {"env": 0},
        lambda code: plain(code, severity="warning"),
        lambda code: plain(code, line_offset=-2),
        lambda code: plain(code, line_offset=1),
        lambda code: {"messages": plain(code).get("messages", []) * 2},
        lambda code: json.loads(re.sub(r"(nonce\W+)\w", r"\1x", json.dumps(plain(code)))),
    ],
)
def test_a_report_counts_only_on_its_own_line_and_with_its_nonce(reply: Callable[[str], Reply]) -> None:
    answer = answered(reply, theorem(1)).answer
    assert answer is not None
    assert answer.declarations == ()
    assert NO_REPORT in [error.kind for error in answer.errors]


def test_errors_behind_the_code_are_kept() -> None:
    def open_comment(code: str) -> Reply:
        end = {"line": code.count("\n") + 1, "column": 0}
        return {"messages": [{"severity": "error", "pos": end, "endPos": None, "data": "unterminated comment"}]}

    answer = answered(open_comment, theorem(1)).answer
    assert answer is not None
    assert "unterminated comment" in [error.data for error in answer.errors]


def test_declarations_in_another_shape_are_not_used() -> None:
    answer = answered(lambda code: {**plain(code), "declarations": [{"fullName": "t1"}]}, theorem(1)).answer
    assert answer is not None
    assert [declared.name for declared in answer.declarations] == ["t1"]


@pytest.mark.parametrize("code", ["theorem t : True := trivial", "theorem t : True :=\n  trivial\n", "", "\n\n"])
@pytest.mark.parametrize("header", ["none", "core", "mathlib"])
def test_the_audits_line_is_where_it_is_said_to_be(code: str, header: str) -> None:
    text = assemble(Check(code, header, names=("t",)), headers.header(header), audited=True)
    lines = text.text.split("\n")
    assert lines[text.audit_line - 1].startswith("#PythagorasAudit_")
    assert lines[text.audit_line - 2] == ""
    assert "\n".join(lines[text.code_line - 1 :]).startswith(code)


def test_imports_of_the_code_stay_first() -> None:
    check = Check("import Std\n\ntheorem t : True := trivial", "none", names=("t",))
    text = assemble(check, headers.NONE, audited=True)
    assert text.text.startswith("import Lean\nimport Std\n")
    assert text.text.split("\n")[text.code_line + 1] == "theorem t : True := trivial"


# --- failing ---------------------------------------------------------------------------------------


def sequence(*replies: Reply) -> Callable[[str], Reply]:
    """These replies in turn, the last one for ever."""
    left: Iterator[Reply] = iter(replies)
    return lambda _: next(left, replies[-1])


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_busy_or_broken_server_is_asked_again(status: int) -> None:
    assert answered(sequence((status, {}), (status, {}), {"declarations": []}), theorem(1)).status is Status.ANSWERED
    result = answered(sequence((status, {})), theorem(1))
    assert result.status is Status.HOST_FAILURE
    assert f"answers {status}" in result.failure
    assert "4 times in a row" in result.failure


def test_a_server_may_ask_for_a_pause() -> None:
    began = time.monotonic()
    result = answered(sequence((429, {"Retry-After": "1"}), {"declarations": []}), theorem(1))
    assert result.status is Status.ANSWERED
    assert time.monotonic() - began >= 1


def test_pauses_grow_and_end() -> None:
    patience = Retries(first_pause_s=1, longest_pause_s=5, longest_wanted_s=9)
    for failures, longest in enumerate((1, 2, 4, 5, 5), start=1):
        assert longest / 2 <= patience.pause_s(failures, None) <= longest
    assert patience.pause_s(1, 3.0) == 3
    assert patience.pause_s(1, 1e9) == 9


@pytest.mark.parametrize("error", ["Lean REPL command timed out in 60 seconds", "Lean process timed out"])
def test_a_time_out_is_its_own_outcome(error: str) -> None:
    result = answered(lambda _: {"error": error}, theorem(1))
    assert result.status is Status.TIMEOUT
    assert result.answer is not None
    assert result.answer.interrupted


@pytest.mark.parametrize(
    "error", ["REPL crashed", "Lean REPL header command timed out in 60 seconds", "REPL said: timed out"]
)
def test_another_error_is_tried_twice_and_is_the_hosts(error: str) -> None:
    """Also that the header took too long: it is ours, and says nothing about the code."""
    with FakeServer(lambda _: {"error": error}) as server:
        result = one(server.url, theorem(1))
    assert (result.status, result.answer) == (Status.HOST_FAILURE, None)
    assert result.failure == f"the server's Lean failed: {error}"
    assert len(server.requests) == 2
    assert answered(sequence({"error": error}, {"declarations": []}), theorem(1)).status is Status.ANSWERED


def test_a_request_that_lean_refuses_is_an_error_in_the_answer() -> None:
    answer = answered(lambda _: {"message": "unknown module prefix 'Nowhere'"}, theorem(1)).answer
    assert answer is not None
    assert [(error.kind, error.data) for error in answer.errors] == [("request", "unknown module prefix 'Nowhere'")]


@pytest.mark.parametrize(
    "reply",
    [{"messages": "none"}, {"messages": [{"severity": "loud"}]}, {"error": ""}],
)
def test_nonsense_is_the_hosts(reply: Reply) -> None:
    assert answered(lambda _: reply, theorem(1)).status is Status.HOST_FAILURE


def test_a_snippet_that_is_refused_fails_alone() -> None:
    with (
        FakeServer(lambda code: (422, {}) if "t1 " in code else {"declarations": []}) as server,
        KiminaChecker(server.url, retries=FAST) as checker,
    ):
        results = [result.status for result in checker.check([theorem(0), theorem(1), theorem(2)])]
    assert results == [Status.ANSWERED, Status.HOST_FAILURE, Status.ANSWERED]


def test_a_wrong_key_is_the_callers_mistake() -> None:
    with FakeServer(lambda _: (401, {})) as server, pytest.raises(InputError, match="LEAN_SERVER_API_KEY"):
        one(server.url, theorem(1))


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://no-such-host.invalid", "http://[", "ftp://x"])
def test_a_server_that_is_not_there_is_told_in_one_line(url: str) -> None:
    with pytest.raises(InputError) as caught, KiminaChecker(url):
        pass
    assert url in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_connection_that_breaks_is_tried_again() -> None:
    assert answered(sequence(BROKEN, BROKEN, {"declarations": []}), theorem(1)).status is Status.ANSWERED
    result = answered(sequence(BROKEN), theorem(1))
    assert result.status is Status.HOST_FAILURE
    assert "can't be reached" in result.failure


@pytest.mark.parametrize("dribbles", [False, True])
def test_a_server_that_hangs_is_the_hosts(monkeypatch: pytest.MonkeyPatch, dribbles: bool) -> None:
    """Silent, or with a byte now and then: it has as long as the check and its own work may take."""
    monkeypatch.setattr("pythagoras.lean.kimina.transport._OVERHEAD_S", -0.7)

    class Endless(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for _ in range(40 * dribbles):
                time.sleep(0.05)
                yield b" "
            raise httpx.ReadTimeout("silent")

    asked = []

    def reply(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(200, stream=Endless() if request.method == "POST" else None)

    result = one("http://server", theorem(1, limits=Limits(timeout_s=1)), transport=httpx.MockTransport(reply))
    assert result.status is Status.HOST_FAILURE
    assert result.failure == "http://server did not answer within 0.3 s"
    assert asked == ["/health", "/api/check", "/api/check"]


def test_closing_ends_open_checks() -> None:
    with FakeServer(lambda _: (503, {})) as server:
        checker = KiminaChecker(server.url, retries=Retries(tries=100, first_pause_s=5)).__enter__()
        future = checker.submit(theorem(1))
        time.sleep(0.2)
        checker.close()
        assert future.result(timeout=5).status is Status.HOST_FAILURE
    with pytest.raises(HostDied, match="closed"):
        checker.submit(theorem(1))


def test_one_request_at_a_time_at_least() -> None:
    with pytest.raises(InputError, match="ask for 1 or more"):
        KiminaChecker("http://localhost", concurrency=0)
