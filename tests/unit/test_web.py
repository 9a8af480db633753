"""The web server without Lean and without a prover: its page, who may use it, and theorems on their way."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from pythagoras.corpus.records import Formalisation
from pythagoras.corpus.rows import to_line
from pythagoras.errors import InputError
from pythagoras.lean.pool import Check, Checked
from pythagoras.lean.server.app import ServerSettings
from pythagoras.lean.server.listening import running
from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.prove.proving import Attempt, Effort, Ended, Outcome
from pythagoras.web.app import WebServer
from pythagoras.web.examples import examples
from pythagoras.web.guard import POLICY
from pythagoras.web.jobs import JobLimits
from pythagoras.web.settings import ProveLimits, WebSettings
from tests.unit.processes import pythagoras
from tests.web_fakes import (
    BROKEN,
    THEOREM,
    FakeLean,
    FakeProver,
    Script,
    attempt_at,
    outcome_of,
    tries,
    until_stopped,
    web_server,
)

STATIC = Path(__file__).parents[2] / "pythagoras" / "web" / "static"
KEY = WebSettings(ServerSettings(api_key="secret"))
SHOWN_KEY = {"Authorization": "Bearer secret"}


@contextmanager
def client(
    folder: Path, script: Script | None = None, settings: WebSettings | None = None, base_url: str = "http://localhost"
) -> Iterator[TestClient]:
    prover = FakeProver() if script is None else FakeProver(script)
    with (
        web_server(folder, prover, settings) as server,
        TestClient(server.app, base_url=base_url, raise_server_exceptions=False) as asking,
    ):
        yield asking
        server.jobs.stop()


def prove(server: TestClient | httpx.Client, theorem: str = THEOREM, **more: Any) -> str:
    response = server.post("/api/prove", json={"theorem": theorem, **more})
    assert response.status_code == 202, response.text
    return str(response.json()["id"])


def until_done(server: TestClient, job: str) -> dict[str, Any]:
    return until(server, job, lambda told: told["state"] == "done")


def until(server: TestClient, job: str, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    deadline = time.monotonic() + 10
    while not holds(told := server.get(f"/api/prove/{job}").json()):
        assert time.monotonic() < deadline, told
        time.sleep(0.01)
    return dict(told)


def events_of(text: str) -> list[tuple[str, str, Any]]:
    """Id, name and data of each event of a stream."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
        if "data" in fields:
            found.append((fields.get("id", ""), fields["event"], json.loads(fields["data"])))
    return found


# --- the page --------------------------------------------------------------------------------------


def test_the_page_loads_its_own_files_and_nothing_else(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        page = server.get("/")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        wanted = re.findall(r'(?:href|src)="(/static/[^"]*)"', page.text)
        assert len(wanted) == len(set(wanted)) >= 8
        for path in [*wanted, *(f"/static/{one.name}" for one in STATIC.iterdir())]:
            assert server.get(path).status_code == 200, path
        modules = [server.get(f"/static/{one.name}").text for one in STATIC.glob("*.js")]
        imported = {name for text in modules for name in re.findall(r'from "\./([^"]+)"', text)}
        assert imported
        for name in imported:
            assert server.get(f"/static/{name}").status_code == 200, name
        assert not re.search(r"<script(?![^>]*src=)|<style| on\w+=|style=", page.text)  # the policy would refuse it
        for path in wanted:
            for address in re.findall(r"https?://[^\s\"'`)]+", server.get(path).text):
                assert address == "http://www.w3.org/2000/svg"  # a name, not a place


def test_files_are_asked_for_again_only_when_they_have_changed(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        first = server.get("/static/main.js")
        again = server.get("/static/main.js", headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["nothing.js", "..%2fapp.py", "%2e%2e/app.py", "prove_routes.py"])
def test_there_is_no_way_to_other_files(tmp_path: Path, name: str) -> None:
    with client(tmp_path) as server:
        assert server.get(f"/static/{name}").status_code == 404


@pytest.mark.parametrize("path", ["/", "/static/main.js", "/api/about", "/api/prove/none", "/health", "/nowhere"])
def test_every_answer_says_what_may_run(tmp_path: Path, path: str) -> None:
    with client(tmp_path) as server:
        headers = server.get(path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert "script-src 'self';" in POLICY
    assert "unsafe" not in POLICY


def test_the_api_describes_itself_and_lean(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        described = server.get("/openapi.json").json()
    assert {path: sorted(methods) for path, methods in described["paths"].items()} == {
        "/api/about": ["get"],
        "/api/check": ["post"],
        "/api/corpus": ["get"],
        "/api/corpus/{name}/rows": ["get"],
        "/api/examples": ["get"],
        "/api/ladder": ["get"],
        "/api/prove": ["post"],
        "/api/prove/{id}": ["delete", "get"],
        "/api/prove/{id}/events": ["get"],
        "/api/runs": ["get"],
        "/api/verdict": ["post"],
        "/health": ["get"],
        "/runs/{name}/report": ["get"],
        "/verify": ["post"],
    }
    assert {"AttemptTold", "OutcomeTold", "Place"} <= set(described["components"]["schemas"])


def test_lean_is_asked_through_the_same_door(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        body = {"snippets": [{"id": "a", "code": "bröken"}]}
        (result,) = server.post("/api/check", json=body).json()["results"]
        assert result["response"]["messages"][0]["pos"] == {"line": 1, "column": 0}
        assert server.get("/health").json() == {"status": "ok"}


# --- who may use it --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("localhost:8000", 200),
        ("LOCALHOST:8000", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("[::1]", 200),
        ("attacker.example", 403),
        ("attacker.example:8000", 403),
        ("localhost.attacker.example", 403),
        ("127.0.0.1.attacker.example", 403),
        ("attacker.example@localhost:x", 403),
        ("[::1", 403),
        ("", 403),
    ],
)
def test_on_this_machine_alone_it_has_the_names_of_this_machine(tmp_path: Path, host: str, status: int) -> None:
    with client(tmp_path) as server:
        for path in ("/", "/api/about"):
            assert server.get(path, headers={"Host": host}).status_code == status


@pytest.mark.parametrize("settings", [KEY, WebSettings(local=False)])
def test_elsewhere_it_has_any_name(tmp_path: Path, settings: WebSettings) -> None:
    with client(tmp_path, settings=settings) as server:
        assert server.get("/api/about", headers={"Host": "lab.example", **SHOWN_KEY}).status_code == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 202),
        ("http://localhost", 202),
        ("http://localhost:81", 403),
        ("http://attacker.example", 403),
        ("null", 403),
        ("http://[", 403),
    ],
)
def test_what_a_page_of_another_site_sends_is_not_taken(tmp_path: Path, origin: str | None, status: int) -> None:
    headers = {} if origin is None else {"Origin": origin}
    with client(tmp_path) as server:
        assert server.post("/api/prove", json={"theorem": THEOREM}, headers=headers).status_code == status
        assert server.get("/api/about", headers=headers).status_code == 200


def test_what_a_form_of_another_site_could_send_is_not_taken(tmp_path: Path) -> None:
    """A browser lets any page send text/plain, or no type at all, without asking."""
    body = json.dumps({"theorem": THEOREM})
    with client(tmp_path) as server:
        for sent in ("text/plain", "application/x-www-form-urlencoded"):
            assert server.post("/api/prove", content=body, headers={"Content-Type": sent}).status_code == 422


def test_with_a_key_the_page_is_open_and_the_rest_is_not(tmp_path: Path) -> None:
    with client(tmp_path, settings=KEY) as server:
        for path in ("/", "/static/main.js", "/health", "/openapi.json"):
            assert server.get(path).status_code == 200, path
        for path in ("/api/about", "/api/runs", "/api/corpus", "/api/ladder", "/api/examples", "/runs/x/report"):
            refused = server.get(path)
            assert refused.status_code == 401, path
        assert server.post("/api/prove", json={"theorem": THEOREM}).status_code == 401
        assert server.get("/api/about", headers=SHOWN_KEY).status_code == 200
        job = server.post("/api/prove", json={"theorem": THEOREM}, headers=SHOWN_KEY).json()["id"]
        for path in (f"/api/prove/{job}", f"/api/prove/{job}/events"):
            assert server.get(path).status_code == 401
            assert server.get(path, headers=SHOWN_KEY).status_code == 200
        assert server.delete(f"/api/prove/{job}").status_code == 401


# --- a theorem that is asked for ---------------------------------------------------------------------


def test_a_theorem_is_proved(tmp_path: Path) -> None:
    prover = FakeProver()
    with web_server(tmp_path, prover) as served, TestClient(served.app, base_url="http://localhost") as server:
        job = prove(server, n=7, timeout=9, all=True, seed=3)
        stream = server.get(f"/api/prove/{job}/events")
        told = until_done(server, job)
    assert stream.headers["content-type"].startswith("text/event-stream")
    events = [event for event in events_of(stream.text) if event[1] != "doing"]
    assert [(number, name) for number, name, _ in events] == [
        ("1", "running"),
        ("2", "attempt"),
        ("3", "attempt"),
        ("4", "done"),
    ]
    failed, held, done = (data for _, _, data in events[1:])
    assert failed["outcome"] == "rejected"
    assert failed["why"] == "Lean reports an error"
    assert failed["checked"] == f"{THEOREM} := by simp"
    assert failed["messages"] == [
        {"severity": "error", "line": 1, "column": 0, "end_line": None, "end_column": None, "text": _SAID}
    ]
    assert held["outcome"] == "proved"
    assert (done["ended"], done["theorem"], done["by"]) == ("proved", f"{THEOREM} := by omega", "portfolio")
    assert (done["number"], done["attempts"], done["counterexample"]) == (1, 2, None)
    assert told["attempts"] == [failed, held]
    assert told["outcome"] == done
    assert (told["theorem"], told["n"], told["timeout"], told["all"]) == (THEOREM, 7, 9.0, True)
    ((statement, effort),) = prover.asked
    assert (statement.text, effort) == (THEOREM, Effort(7, 9.0, 9.0, True, 3))


_SAID = "omega could not\nprove it"


@pytest.mark.parametrize(("last", "first"), [("2", 3), ("0", 1), ("", 1), ("x", 1), ("99999999999999999999", None)])
def test_the_rest_of_a_stream_is_told_behind_the_last_event(tmp_path: Path, last: str, first: int | None) -> None:
    with client(tmp_path) as server:
        job = prove(server)
        until_done(server, job)
        stream = server.get(f"/api/prove/{job}/events", headers={"Last-Event-ID": last})
    numbers = [int(number) for number, _, _ in events_of(stream.text) if number]
    assert numbers == ([] if first is None else list(range(first, 5)))


def test_a_theorem_that_is_no_lean_is_told_with_its_place(tmp_path: Path) -> None:
    prover = FakeProver()
    with web_server(tmp_path, prover) as served, TestClient(served.app, base_url="http://localhost") as server:
        refused = server.post("/api/prove", json={"theorem": BROKEN})
    assert refused.status_code == 422
    assert refused.json() == {"detail": {"line": 2, "column": 6, "message": "Unknown identifier\nreally"}}
    assert prover.asked == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"theorem": "no words of Lean"}, "there is nothing to prove"),
        ({"theorem": ""}, "there is nothing to prove"),
        ({"theorem": "theorem t : 1 = 1 := by rfl"}, "there is nothing to prove"),
        ({"theorem": THEOREM, "n": 257}, "257 attempts are too many: at most 256 are made"),
        ({"theorem": THEOREM, "n": -1}, "greater than or equal to 0"),
        ({"theorem": THEOREM, "timeout": 601}, "601 seconds are too many: at most 600 are given"),
        ({"theorem": THEOREM, "timeout": 0}, "greater than 0"),
        ({"theorem": THEOREM + "x" * 20_000}, "at most 20000 are taken"),
        ({"theorem": THEOREM, "more": 1}, "not permitted"),
        ({}, "Field required"),
    ],
)
def test_what_can_not_be_proved_is_422_and_says_why(tmp_path: Path, body: dict[str, Any], told: str) -> None:
    with client(tmp_path) as server:
        refused = server.post("/api/prove", json=body)
    assert refused.status_code == 422
    assert told in json.dumps(refused.json()["detail"])


def test_a_lean_that_breaks_down_says_nothing_about_the_theorem(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        broken = server.post("/api/prove", json={"theorem": "theorem deadly : True"})
    assert broken.status_code == 503
    assert "Lean broke down over the statement" in broken.json()["detail"]


def test_half_characters_are_taken_for_what_lean_would_get(tmp_path: Path) -> None:
    body = json.dumps({"theorem": f"{THEOREM} -- \ud800"})
    with client(tmp_path) as server:
        made = server.post("/api/prove", content=body, headers={"Content-Type": "application/json"})
        assert made.status_code == 202
        assert until_done(server, made.json()["id"])["theorem"] == f"{THEOREM} -- ?"


def test_half_characters_of_a_prover_break_nothing(tmp_path: Path) -> None:
    half = "by \ud800"

    def script(
        statement: Statement, effort: Effort, on_attempt: Callable[[Attempt], None], stop: threading.Event
    ) -> Outcome:
        made = [attempt_at(statement, at, half, by=half, message=half, holds=at == 1) for at in range(2)]
        for attempt in made:
            on_attempt(attempt)
        return replace(
            outcome_of(made), counterexample={half: half}, tried={half: 2}, complaints=(half,), disproof=half
        )

    with client(tmp_path, script) as server:
        told = until_done(server, prove(server))
        stream = server.get(f"/api/prove/{told['id']}/events")
    assert [attempt["proof"] for attempt in told["attempts"]] == ["by ?", "by ?"]
    assert told["outcome"]["counterexample"] == {"by ?": "by ?"}
    assert [name for number, name, _ in events_of(stream.text) if number][-1] == "done"


def test_the_last_open_theorem_is_meant(tmp_path: Path) -> None:
    prover = FakeProver()
    text = f"def two := 2\n\ntheorem a : 1 = 1\n\n{THEOREM}\n\ntheorem done : 1 = 1 := rfl"
    with web_server(tmp_path, prover) as served, TestClient(served.app, base_url="http://localhost") as server:
        until_done(server, prove(server, text))
    statement = prover.asked[0][0]
    assert (statement.text, statement.context) == (THEOREM, "def two := 2")


# --- what becomes of it ------------------------------------------------------------------------------


def test_a_theorem_is_cancelled(tmp_path: Path) -> None:
    with client(tmp_path, until_stopped) as server:
        job = prove(server)
        told = until(server, job, lambda told: bool(told["attempts"]))
        assert (told["state"], told["doing"], told["outcome"]) == ("running", "thinking", None)
        assert server.delete(f"/api/prove/{job}").status_code == 204
        assert until_done(server, job)["outcome"]["ended"] == "cancelled"
        assert server.delete(f"/api/prove/{job}").status_code == 204  # a second time does nothing
        assert until_done(server, prove(server, timeout=0.1))["outcome"]["ended"] == "out of time"


def test_theorems_wait_for_each_other_and_may_be_cancelled_meanwhile(tmp_path: Path) -> None:
    with client(tmp_path, until_stopped) as server:
        first, second, third = (prove(server) for _ in range(3))
        until(server, first, lambda told: told["state"] == "running")
        waiting = server.get(f"/api/prove/{third}").json()
        assert (waiting["state"], waiting["ahead"], waiting["doing"], waiting["seconds"]) == ("waiting", 2, "", 0.0)
        server.delete(f"/api/prove/{second}")
        ended = server.get(f"/api/prove/{second}").json()
        assert (ended["state"], ended["outcome"]["ended"]) == ("done", "cancelled")
        assert server.get(f"/api/prove/{third}").json()["ahead"] == 1
        server.delete(f"/api/prove/{first}")
        until(server, third, lambda told: told["state"] == "running")
        until_done(server, first)


def test_a_full_queue_takes_no_more(tmp_path: Path) -> None:
    settings = WebSettings(prove=ProveLimits(jobs=JobLimits(waiting=2)))
    with client(tmp_path, until_stopped, settings) as server:
        jobs = [prove(server) for _ in range(3)]
        refused = server.post("/api/prove", json={"theorem": THEOREM})
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        assert "2 theorems are waiting already" in refused.json()["detail"]
        server.delete(f"/api/prove/{jobs[2]}")
        prove(server)


def test_theorems_that_lean_is_reading_count_as_waiting(tmp_path: Path) -> None:
    class Slow(FakeLean):
        go = threading.Event()

        def submit(self, check: Check) -> Future[Checked]:
            later: Future[Checked] = Future()
            checked = super().submit(check).result()

            def answer() -> None:
                self.go.wait(20)
                later.set_result(checked)

            threading.Thread(target=answer, daemon=True).start()
            return later

    lean = Slow()
    server = WebServer(lean, FakeProver(), WebSettings(prove=ProveLimits(jobs=JobLimits(waiting=1))), tmp_path)
    with running(server.app, server.jobs.stop) as address, httpx.Client(base_url=address) as asking:
        first: list[str] = []
        posting = threading.Thread(target=lambda: first.append(prove(asking)))
        posting.start()
        deadline = time.monotonic() + 10
        while not lean.asked:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert httpx.post(f"{address}/api/prove", json={"theorem": THEOREM}).status_code == 429
        lean.go.set()
        posting.join(10)
        assert first
        prove(asking)
    server.close()


def test_what_is_done_is_kept_for_a_while(tmp_path: Path) -> None:
    settings = WebSettings(prove=ProveLimits(jobs=JobLimits(kept=2, kept_s=0.5)))
    with client(tmp_path, settings=settings) as server:
        jobs = []
        for _ in range(4):
            jobs.append(prove(server))
            until_done(server, jobs[-1])
        found = [server.get(f"/api/prove/{job}").status_code for job in jobs]
        assert found == [404, 404, 200, 200]
        time.sleep(0.6)
        assert server.get(f"/api/prove/{jobs[3]}").status_code == 404
        gone = server.get(f"/api/prove/{jobs[3]}/events")
    assert (gone.status_code, gone.json()["detail"][:20]) == (404, "there is no such job")


def test_attempts_that_are_too_much_lose_their_texts_but_not_the_proof(tmp_path: Path) -> None:
    proofs = [f"by simp -- {'x' * 30_000} {number}" for number in range(6)]
    settings = WebSettings(prove=ProveLimits(jobs=JobLimits(bytes=100_000)))
    with client(tmp_path, tries(*proofs), settings) as server:
        told = until_done(server, prove(server))
    *failed, held = told["attempts"]
    assert [len(one["proof"]) for one in failed] == [20_000, 20_000, 20_000, 0, 0]
    assert all(one["left_out"] for one in failed)
    assert failed[4]["checked"] is None
    assert failed[4]["messages"] == []
    assert (held["proof"], held["left_out"]) == (proofs[5], False)
    assert told["outcome"]["proof"] == proofs[5]


def test_long_messages_are_cut(tmp_path: Path) -> None:
    def script(
        statement: Statement, effort: Effort, on_attempt: Callable[[Attempt], None], stop: threading.Event
    ) -> Outcome:
        attempt = attempt_at(statement, 0, message="m" * 10_000)
        judged = attempt.judged
        assert judged.verdict is not None
        many = replace(judged.verdict, messages=judged.verdict.messages * 30)
        on_attempt(replace(attempt, judged=replace(judged, verdict=many)))
        return outcome_of([attempt])

    with client(tmp_path, script) as server:
        (attempt,) = until_done(server, prove(server))["attempts"]
    assert [len(one["text"]) for one in attempt["messages"]] == [4000] * 20
    assert attempt["left_out"]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (InputError("there is no model: get one"), "there is no model: get one"),
        (ZeroDivisionError("secret"), "the prover failed (ZeroDivisionError): the log says more"),
    ],
)
def test_a_prover_that_fails_ends_its_theorem_and_no_other(tmp_path: Path, error: Exception, told: str) -> None:
    def script(
        statement: Statement, effort: Effort, on_attempt: Callable[[Attempt], None], stop: threading.Event
    ) -> Outcome:
        if effort.n == 13:
            raise error
        return tries("by omega")(statement, effort, on_attempt, stop)

    with client(tmp_path, script) as server:
        outcome = until_done(server, prove(server, n=13))["outcome"]
        assert (outcome["ended"], outcome["detail"]) == ("failed", told)
        assert until_done(server, prove(server))["outcome"]["ended"] == "proved"


def test_a_false_theorem_has_a_counterexample(tmp_path: Path) -> None:
    def script(
        statement: Statement, effort: Effort, on_attempt: Callable[[Attempt], None], stop: threading.Event
    ) -> Outcome:
        return replace(outcome_of([], Ended.REFUTED), counterexample={"n": "0"}, disproof="theorem no : ¬ x := by simp")

    with client(tmp_path, script) as server:
        outcome = until_done(server, prove(server))["outcome"]
    assert (outcome["ended"], outcome["counterexample"]) == ("refuted", {"n": "0"})
    assert outcome["disproof"] == "theorem no : ¬ x := by simp"


# --- streams over a real connection ------------------------------------------------------------------


def test_attempts_come_while_it_is_at_work_and_a_server_that_stops_says_goodbye(tmp_path: Path) -> None:
    began = time.monotonic()
    with web_server(tmp_path, FakeProver(until_stopped)) as server:
        seen: list[str] = []
        with running(server.app, server.jobs.stop) as address, httpx.Client(base_url=address) as asking:
            job = prove(asking, timeout=300)

            def watch() -> None:
                with httpx.stream("GET", f"{address}/api/prove/{job}/events", timeout=30) as stream:
                    seen.extend(line for line in stream.iter_lines() if line.startswith(("event: ", ":")))

            watching = threading.Thread(target=watch)
            watching.start()
            deadline = time.monotonic() + 10
            while "event: doing" not in seen:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert seen[:2] == ["event: running", "event: attempt"]
            assert watching.is_alive()
        watching.join(10)
    assert not watching.is_alive()
    assert seen[-1] == "event: done"
    assert time.monotonic() - began < 15


def test_a_client_that_leaves_does_not_end_the_theorem(tmp_path: Path) -> None:
    go = threading.Event()

    def script(
        statement: Statement, effort: Effort, on_attempt: Callable[[Attempt], None], stop: threading.Event
    ) -> Outcome:
        on_attempt(attempt_at(statement, 0))
        assert go.wait(20)
        return tries("by omega")(statement, effort, lambda attempt: None, stop)

    with (
        web_server(tmp_path, FakeProver(script)) as server,
        running(server.app, server.jobs.stop) as address,
        httpx.Client(base_url=address) as asking,
    ):
        job = prove(asking)
        with asking.stream("GET", f"/api/prove/{job}/events") as stream:
            assert next(stream.iter_lines()) == "id: 1"
        go.set()
        rest = asking.get(f"/api/prove/{job}/events", headers={"Last-Event-ID": "2"})
    assert [name for number, name, _ in events_of(rest.text) if number] == ["done"]


# --- examples ----------------------------------------------------------------------------------------


def test_examples_are_theorems_without_proofs(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        told = server.get("/api/examples").json()
    assert len(told) == len({one["theorem"] for one in told}) >= 6
    assert {one["group"] for one in told} == {"easy", "search", "false", "no Lean"}
    for one in told:
        assert ":=" not in parse_statement(one["theorem"]).text
        assert "sorry" not in one["theorem"]


DATA = Path(__file__).parents[3] / "shared" / "data" / "minif2f_valid.jsonl"


@pytest.mark.parametrize("benchmark", ["corebench", "corebench-alf", DATA], ids=lambda one: Path(one).stem)
def test_examples_are_in_no_benchmark(tmp_path: Path, benchmark: str | Path) -> None:
    """Not under other names, in another order or nearly so, either: by the stages that keep corpora clean."""
    if benchmark == DATA and not DATA.exists():
        pytest.skip("needs minif2f_valid.jsonl in ../shared/data")
    file = tmp_path / "examples.jsonl"
    statements = [parse_statement(one.theorem) for one in examples()]
    rows = (to_line(Formalisation(one.name, one.text, "examples", context=one.context)) for one in statements)
    file.write_text("\n".join(rows), encoding="utf-8")
    stages = ("--stages", "surface,ngram,structure", "--no-lean")
    to = ("-o", str(tmp_path / "clean"), "--against", str(benchmark))
    done = pythagoras("corpus", "decontaminate", str(file), *to, *stages, home=tmp_path)
    assert f"{len(statements)} of {len(statements)} rows kept" in done.stdout, done.stdout + done.stderr
