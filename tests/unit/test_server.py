"""The server without Lean: who is let in, what is refused, who waits for whom, and what happens to those who leave."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from pythagoras.errors import InputError
from pythagoras.lean import headers
from pythagoras.lean.imports import header_for
from pythagoras.lean.kimina.text import written_out
from pythagoras.lean.pool import Check, Checked, HostUse, Status
from pythagoras.lean.server.app import ServerSettings, create_app, serve, serving
from pythagoras.lean.server.kimina_routes import RequestLimits
from pythagoras.lean.wire import Answer, Message, Position

EMPTY = Answer()
CORE = written_out(headers.header("core"))


class FakePool:
    """Answers at once, or when it is told to; an exception as an answer is raised."""

    def __init__(self, answer: Callable[[Check], Checked] | None = None, hosts: int = 1) -> None:
        self.hosts = hosts
        self.asked: list[Check] = []
        self.waiting: list[Future[Checked]] = []
        self._answer = answer

    def submit(self, check: Check) -> Future[Checked]:
        future: Future[Checked] = Future()
        self.asked.append(check)
        if self._answer is None:
            self.waiting.append(future)
        else:
            try:
                future.set_result(self._answer(check))
            except (ZeroDivisionError, InputError) as error:
                future.set_exception(error)
        return future

    def codes(self) -> list[str]:
        return [check.code for check in self.asked]

    def until_asked(self, count: int) -> None:
        _until(lambda: len(self.asked) >= count)

    def finish(self, number: int) -> None:
        self.waiting[number].set_result(answered(self.asked[number]))


def answered(check: Check, answer: Answer = EMPTY) -> Checked:
    return Checked(check, Status.ANSWERED, answer, 0.25, use=HostUse("host", 0.125, 100.0))


def _until(condition: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


@contextmanager
def client(pool: FakePool | None = None, **settings: Any) -> Iterator[TestClient]:
    app = create_app(pool or FakePool(answered), ServerSettings(**settings))
    with TestClient(app, raise_server_exceptions=False) as running:
        yield running


def snippets(*codes: str, **more: Any) -> dict[str, Any]:
    return {"snippets": [{"id": str(number), "code": code} for number, code in enumerate(codes)], **more}


# --- who is let in ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/health", "/"])
def test_health_needs_no_key(path: str) -> None:
    with client(api_key="secret") as server:
        response = server.get(path)
        assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 401),
        ("secret", 401),
        ("Bearer", 401),
        ("Bearer ", 401),
        ("Bearer secre", 401),
        ("Bearer secrets", 401),
        ("Bearer sécret", 401),
        ("Basic secret", 401),
        ("Bearer secret", 200),
        ("bearer secret", 200),
    ],
)
@pytest.mark.parametrize("path", ["/api/check", "/verify", "/anything"])
def test_the_key_is_asked_for(path: str, header: str | None, status: int) -> None:
    pool = FakePool(answered)
    body = {**snippets("x"), "codes": [{"custom_id": 1, "proof": "x"}]}
    headers = {} if header is None else {b"Authorization": header.encode()}
    with client(pool, api_key="secret") as server:
        response = server.post(path, json=body, headers=headers)
    if status == 401:
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"
        assert pool.asked == []
    else:
        assert response.status_code == (404 if path == "/anything" else 200)


# --- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (snippets(), "at least 1"),
        ({"snippets": [{"id": "a", "code": "x"}] * 2}, "'a' is given twice"),
        (snippets("x", timeout=601), "a timeout of 601 seconds is too long: at most 600 are given"),
        (snippets("x", timeout=-1), "greater than or equal to 0"),
        (snippets("x", infotree="full"), "ask for 'tactics', 'original' or 'substantive'"),
        (snippets("x", "x", "x"), "3 snippets are too many: send at most 2"),
        (snippets("x" * 11), "the snippet '0' has 11 characters: at most 10 are taken"),
        ([], "valid dictionary"),
    ],
)
def test_422_says_why(body: Any, told: str) -> None:
    with client(limits=RequestLimits(snippets=2, characters=10)) as server:
        response = server.post("/api/check", content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert response.status_code == 422
    assert told in json.dumps(response.json()["detail"])
    assert "input" not in response.json()["detail"][0]


def test_what_is_no_json_is_refused() -> None:
    with client() as server:
        response = server.post("/api/check", content=b"{", headers={"Content-Type": "application/json"})
    assert response.status_code == 422


def test_the_text_of_the_header_does_not_count() -> None:
    with client(limits=RequestLimits(characters=10)) as server:
        for own, status in (("x" * 10, 200), ("x" * 11, 422)):
            sent = snippets(CORE + own, header="core")
            assert server.post("/api/check", json=sent).status_code == status
        response = server.post("/api/check", json=snippets(CORE + "x"))  # not said to be one
    assert f"has {len(CORE) + 1} characters: at most 10" in response.json()["detail"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"statement": "no theorem"}, "there is no theorem in the text"),
        ({"theorem": "other"}, "other"),
        ({"header": "corr"}, "did you mean 'core'"),
        ({"header": "mathlib"}, "the embedded Lean has no Mathlib"),
    ],
)
def test_a_verdict_that_can_not_be_given_is_422_with_one_line(changes: dict[str, str], told: str) -> None:
    """Whether it shows at once, or when a host is asked."""

    def answer(check: Check) -> Checked:
        _ = headers.header(check.header).module
        return answered(check)

    body = {"statement": "theorem t : True", "submissions": [{"id": "a", "text": "by trivial"}], **changes}
    with client(FakePool(answer)) as server:
        response = server.post("/api/verdict", json=body)
    assert response.status_code == 422
    assert told in response.json()["detail"]
    assert "\n" not in response.json()["detail"]


def test_limits_hold_for_the_older_form_too() -> None:
    with client() as server:
        response = server.post("/verify", json={"codes": [{"custom_id": 1, "proof": "x"}], "timeout": 601})
    assert response.status_code == 422


def test_a_long_body_is_refused_by_its_header_alone() -> None:
    with serving(FakePool(answered), ServerSettings(max_body_bytes=1000)) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(b"POST /api/check HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")
            assert connection.recv(4096).startswith(b"HTTP/1.1 413 ")


def test_a_long_body_without_a_length_is_cut_off() -> None:
    sent = []

    def body() -> Iterator[bytes]:
        for _ in range(1000):
            sent.append(1)
            yield b" " * 10_000

    with serving(FakePool(answered), ServerSettings(max_body_bytes=20_000)) as address:
        response = httpx.post(f"{address}/api/check", content=body(), headers={"Content-Type": "application/json"})
    assert response.status_code == 413
    assert "longer than 20000 bytes" in response.json()["detail"]


# --- what comes back -------------------------------------------------------------------------------


def test_results_come_in_order_and_without_nulls() -> None:
    message = Message(severity="error", pos=Position(line=3, column=1), data="no")

    def answer(check: Check) -> Checked:
        return answered(check, Answer(messages=(message,)) if check.code == "bad" else EMPTY)

    with client(FakePool(answer, hosts=2)) as server:
        response = server.post("/api/check/", json=snippets("good", "bad", "good"))
    wrong = {"messages": [{"severity": "error", "pos": {"line": 3, "column": 1}, "data": "no"}]}
    assert response.json() == {
        "results": [
            {"id": "0", "time": 0.25, "response": {}},
            {"id": "1", "time": 0.25, "response": wrong},
            {"id": "2", "time": 0.25, "response": {}},
        ]
    }


def test_the_older_form_answers_in_the_older_form() -> None:
    with client() as server:
        codes = [{"custom_id": 1, "proof": "x"}, {"custom_id": "b", "code": "y"}]
        for path in ("/verify", "/one_pass_verify_batch"):
            results = server.post(path, json={"codes": codes}).json()["results"]
            assert results == [
                {"custom_id": "1", "response": {"time": 0.25}},
                {"custom_id": "b", "response": {"time": 0.25}},
            ]


def test_an_id_comes_back_as_it_came() -> None:
    ids = ["ℕ", "", "\ud800", "\x00"]
    body = json.dumps({"snippets": [{"id": name, "code": "x"} for name in ids]})
    with client() as server:
        response = server.post("/api/check", content=body, headers={"Content-Type": "application/json"})
    assert [result["id"] for result in response.json()["results"]] == ids


def test_time_outs_and_failures_are_errors_of_their_snippet() -> None:
    def answer(check: Check) -> Checked:
        if check.code == "slow":
            return Checked(check, Status.TIMEOUT, Answer(interrupted=True), 5.0)
        if check.code == "stuck":
            return Checked(check, Status.HOST_FAILURE, None, 10.0, "the Lean host did not answer", hung=True)
        if check.code == "deadly":
            return Checked(check, Status.HOST_FAILURE, None, 1.0, "the Lean host ended (killed by signal 9)")
        return answered(check)

    with client(FakePool(answer)) as server:
        response = server.post("/api/check", json=snippets("slow", "stuck", "deadly", "good", timeout=5))
    slow, stuck, deadly, good = response.json()["results"]
    assert slow["error"] == stuck["error"] == "Lean REPL command timed out in 5 seconds"
    assert "killed by signal 9" in deadly["error"]
    assert "timed out" not in deadly["error"]
    assert "response" not in deadly
    assert good["response"] == {}


def test_diagnostics_are_given_when_asked_for() -> None:
    with client() as server:
        (result,) = server.post("/api/check", json=snippets("x", debug=True)).json()["results"]
    assert result["diagnostics"] == {"repl_uuid": "host", "cpu_max": 50.0, "memory_max": 100 * 2**20}


def test_what_is_asked_of_lean() -> None:
    pool = FakePool(answered)
    with client(pool) as server:
        server.post("/api/check", json=snippets("import Mathlib\nx", "x", timeout=7, reuse=False, infotree="tactics"))
        server.post("/verify", json={"codes": [{"custom_id": 1, "proof": "x"}], "timeout": 0})
    mathlib, plain, older = pool.asked
    assert (mathlib.header, mathlib.code) == ("core", " " * 14 + "\nx")
    assert (plain.header, plain.code) == ("none", "x")
    assert (plain.limits.timeout_s, plain.fresh, plain.infotree) == (7, True, "tactics")
    assert (older.fresh, older.infotree) == (False, None)
    assert 0 < older.limits.timeout_s < 0.1


@pytest.mark.parametrize(
    ("name", "code", "header", "asked"),
    [
        ("core", CORE + "x", "core", "\n" * CORE.count("\n") + "x"),
        ("core", CORE + CORE, "core", "\n" * CORE.count("\n") + CORE),
        ("", CORE + "x", "none", None),
        ("corr", CORE + "x", "none", None),
        ("none", CORE + "x", "none", None),
        ("none", "x", "none", None),
        ("core", "x", "none", None),
        ("core", CORE[:-1], "none", None),
        ("core", CORE.replace("Even", "Odd", 1) + "x", "none", None),
        ("core", " " + CORE + "x", "none", None),
        ("mathlib", headers.MATHLIB.text + "x", "core", None),
    ],
)
def test_a_header_is_taken_for_ours_only_where_it_stands(name: str, code: str, header: str, asked: str | None) -> None:
    """By its name and to the last letter; all else is code like any other, and counted as the snippet's own."""
    pool = FakePool(answered)
    with client(pool) as server:
        assert server.post("/api/check", json=snippets(code, header=name)).status_code == 200
    (check,) = pool.asked
    assert check.header == header
    assert check.code == (header_for(code)[1] if asked is None else asked)


def test_a_failure_of_ours_is_500() -> None:
    def answer(check: Check) -> Checked:
        raise ZeroDivisionError

    with client(FakePool(answer, hosts=1)) as server:
        for _ in range(3):  # the turn is given back
            response = server.post("/api/check", json=snippets("x", "y", "z"))
            assert response.status_code == 500
            assert "ZeroDivisionError" in response.json()["detail"]


# --- who waits for whom ----------------------------------------------------------------------------


class Client(threading.Thread):
    """A client that sends one request and keeps the response."""

    def __init__(self, address: str, *codes: str) -> None:
        super().__init__(daemon=True)
        self._address = address
        self._codes = codes
        self.response: httpx.Response | None = None
        self.start()

    def run(self) -> None:
        self.response = httpx.post(f"{self._address}/api/check", json=snippets(*self._codes), timeout=30)

    def status(self) -> int:
        self.join(20)
        assert self.response is not None
        return self.response.status_code


def test_a_request_that_gets_no_host_in_time_is_turned_away() -> None:
    pool = FakePool()
    with serving(pool, ServerSettings(max_wait_s=0.2)) as address:
        first = Client(address, "first")
        pool.until_asked(1)
        second = Client(address, "second")
        assert second.status() == 429
        assert second.response is not None
        assert int(second.response.headers["retry-after"]) > 0
        assert "no Lean host was free within 0.2 seconds" in second.response.json()["detail"]
        pool.finish(0)
        assert first.status() == 200
        assert pool.codes() == ["first"]


def test_a_request_that_got_a_host_is_answered_in_full() -> None:
    pool = FakePool()
    with serving(pool, ServerSettings(max_wait_s=0.2)) as address:
        waiting = Client(address, "a", "b", "c")
        for number in range(3):
            pool.until_asked(number + 1)
            time.sleep(0.3)  # longer than anybody may wait for the first
            pool.finish(number)
        assert waiting.status() == 200


def test_a_full_house_takes_no_more() -> None:
    pool = FakePool()
    with serving(pool, ServerSettings(max_requests=2)) as address:
        inside = [Client(address, str(number)) for number in range(2)]
        pool.until_asked(1)
        # What has no answer takes no room for long: so both are inside when even that is turned away.
        _until(lambda: httpx.get(f"{address}/api/check").status_code == 429)
        assert httpx.post(f"{address}/api/check", json=snippets("x")).status_code == 429
        assert httpx.get(f"{address}/health").status_code == 200
        pool.finish(0)
        pool.until_asked(2)
        pool.finish(1)
        assert [client.status() for client in inside] == [200, 200]


def test_a_large_request_lets_small_ones_through() -> None:
    pool = FakePool()
    with serving(pool, ServerSettings()) as address:
        large = Client(address, *(f"large{number}" for number in range(20)))
        pool.until_asked(1)
        small = Client(address, "small")
        time.sleep(0.5)  # now it is in the queue
        for number in range(21):
            pool.until_asked(number + 1)
            pool.finish(number)
        assert (small.status(), large.status()) == (200, 200)
        assert pool.codes().index("small") <= 3


def test_no_more_is_handed_to_the_pool_than_it_has_hosts() -> None:
    pool = FakePool(hosts=3)
    with serving(pool, ServerSettings()) as address, ExitStack() as stack:
        large = Client(address, *map(str, range(10)))
        stack.callback(large.join)
        pool.until_asked(3)
        time.sleep(0.3)
        assert len(pool.asked) == 3
        for number in range(10):
            pool.until_asked(number + 1)
            pool.finish(number)
        assert large.status() == 200


def test_what_a_client_that_left_had_queued_is_never_begun() -> None:
    pool = FakePool()
    with serving(pool, ServerSettings()) as address:
        staying = Client(address, "staying")
        pool.until_asked(1)
        with httpx.Client() as leaving, pytest.raises(httpx.ReadTimeout):
            leaving.post(f"{address}/api/check", json=snippets("left", "left too"), timeout=0.5)
        time.sleep(0.3)
        pool.finish(0)
        assert staying.status() == 200
        later = Client(address, "later")
        pool.until_asked(2)
        pool.finish(1)
        assert later.status() == 200
        assert pool.codes() == ["staying", "later"]


def test_a_client_that_leaves_in_the_middle_gives_its_turn_back() -> None:
    pool = FakePool()
    with serving(pool, ServerSettings()) as address:
        with httpx.Client() as leaving, pytest.raises(httpx.ReadTimeout):
            leaving.post(f"{address}/api/check", json=snippets("begun", "left"), timeout=0.5)
        later = Client(address, "later")
        time.sleep(0.3)
        assert pool.codes() == ["begun"]  # the host is busy until it is done with it
        pool.finish(0)
        pool.until_asked(2)
        pool.finish(1)
        assert later.status() == 200
        assert pool.codes() == ["begun", "later"]


# --- where it listens ------------------------------------------------------------------------------


def test_a_port_in_use_is_said_before_lean_is_started() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=rf"port {port} of 127.0.0.1 can't be used \(Address already in use\)"):
            serve(ServerSettings(), "127.0.0.1", port, 1, lambda address, hosts: None)
