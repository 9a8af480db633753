"""`pythagoras serve` with real Lean, tactics, search and the model that ships; and asked whatever its schema allows."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from pythagoras.web.examples import examples
from tests.lean.servers import RunningServer, web_server

HARD = "theorem hard (a b c n : ℕ) (h : n > 2) (h₀ : a * b * c > 0) : a ^ n + b ^ n ≠ c ^ n"


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with web_server("--jobs", "2") as running:
        yield running


@pytest.fixture
def web(server: RunningServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, timeout=120) as asking:
        yield asking


def proved(web: httpx.Client, theorem: str, **effort: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The attempts at a theorem, and what came of it, as the stream tells them."""
    made = web.post("/api/prove", json={"theorem": theorem, **effort})
    assert made.status_code == 202, made.text
    attempts: list[dict[str, Any]] = []
    name = ""
    with web.stream("GET", f"/api/prove/{made.json()['id']}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: ") and name == "attempt":
                attempts.append(json.loads(line.removeprefix("data: ")))
            elif line.startswith("data: ") and name == "done":
                return attempts, json.loads(line.removeprefix("data: "))
    raise AssertionError("the stream ended without an outcome")


def lean_takes(web: httpx.Client, theorem: str, text: str) -> bool:
    """What the same server's judge says to it."""
    body = {"statement": theorem, "submissions": [{"id": "a", "text": text}]}
    (result,) = web.post("/api/verdict", json=body).json()["results"]
    return bool(result["outcome"] == "proved")


# --- theorems --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "example", [one for one in examples() if one.group in ("easy", "search")], ids=lambda e: e.title
)
def test_examples_are_proved_and_lean_takes_the_proofs(web: httpx.Client, example: Any) -> None:
    attempts, outcome = proved(web, example.theorem, n=64, timeout=100)
    assert outcome["ended"] == "proved"
    assert lean_takes(web, example.theorem, outcome["theorem"])
    held = [one for one in attempts if one["outcome"] == "proved"]
    assert [one["number"] for one in attempts] == list(range(len(attempts)))
    assert outcome["proof"] in [one["proof"] for one in held]
    assert (example.group == "easy") == (held[0]["by"] == "portfolio")


def test_a_rejected_attempt_has_leans_message_at_its_place(web: httpx.Client) -> None:
    attempts, _ = proved(web, "theorem square_mod_eight (n : ℕ) : n ^ 2 % 8 ≤ 4", timeout=100)
    failed = next(one for one in attempts if one["proof"] == "by omega")
    assert (failed["outcome"], failed["reason"]) == ("rejected", "lean_error")
    (message, *_) = failed["messages"]
    assert message["text"].startswith("omega could not prove the goal")
    lines = failed["checked"].split("\n")
    assert lines[message["line"] - 1][message["column"] :] == "omega"


def test_what_is_false_is_refuted(web: httpx.Client) -> None:
    (false,) = (one for one in examples() if one.group == "false")
    _, outcome = proved(web, false.theorem, timeout=60)
    assert (outcome["ended"], outcome["counterexample"], outcome["theorem"]) == ("refuted", {"n": "1"}, "")
    assert "root_lt_square_is_false" in outcome["disproof"]
    checked = web.post("/api/check", json={"snippets": [{"id": "a", "code": f"import Mathlib\n{outcome['disproof']}"}]})
    assert "messages" not in checked.json()["results"][0]["response"]


def test_what_is_no_lean_is_told_at_its_place(web: httpx.Client) -> None:
    (broken,) = (one for one in examples() if one.group == "no Lean")
    refused = web.post("/api/prove", json={"theorem": f"import Mathlib\n\n{broken.theorem} := by sorry"})
    assert refused.status_code == 422
    place = refused.json()["detail"]
    assert (place["line"], broken.theorem[place["column"] :][:1]) == (3, "m")
    assert "Unknown identifier `m`" in place["message"]


@pytest.mark.parametrize(
    "theorem",
    [
        "#eval IO.Process.exit 1\ntheorem t : True",
        "axiom cheat : False\ntheorem t : False",
        "set_option maxHeartbeats 0 in\n#eval (IO.sleep 100000 : IO Unit)\ntheorem t : True",
        'initialize IO.println "x"\ntheorem t : True',
    ],
)
def test_programs_in_a_theorem_are_not_run(web: httpx.Client, server: RunningServer, theorem: str) -> None:
    before = {process.pid for process in server.lean_processes()}
    made = web.post("/api/prove", json={"theorem": theorem, "n": 0, "timeout": 5})
    assert made.status_code in (202, 422)
    if made.status_code == 202:  # what it did not need was left out
        web.get(f"/api/prove/{made.json()['id']}/events")
        state = web.get(f"/api/prove/{made.json()['id']}").json()
        assert state["outcome"]["ended"] in ("proved", "exhausted", "out of time")
        assert state["theorem"] == theorem
    assert before & {process.pid for process in server.lean_processes()}


def test_a_theorem_is_cancelled_and_lean_answers_others_meanwhile(web: httpx.Client) -> None:
    job = web.post("/api/prove", json={"theorem": HARD, "n": 256, "timeout": 300}).json()["id"]
    deadline = time.monotonic() + 60
    while not (told := web.get(f"/api/prove/{job}").json())["attempts"]:
        assert time.monotonic() < deadline, told
        time.sleep(0.1)
    body = {"snippets": [{"id": "a", "code": "theorem t : 1 + 1 = 2 := rfl"}]}
    assert web.post("/api/check", json=body).json()["results"][0]["response"] == {}
    assert web.delete(f"/api/prove/{job}").status_code == 204
    cancelled = time.monotonic()
    web.get(f"/api/prove/{job}/events")
    assert time.monotonic() - cancelled < 10
    assert web.get(f"/api/prove/{job}").json()["outcome"]["ended"] == "cancelled"
    _, outcome = proved(web, "theorem after (a b : ℕ) : a + b = b + a")
    assert outcome["ended"] == "proved"


# --- the process -------------------------------------------------------------------------------------


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_with_all_its_processes(sent: signal.Signals) -> None:
    with web_server("--jobs", "1", "--model", "none") as running:
        job = httpx.post(f"{running.address}/api/prove", json={"theorem": HARD, "timeout": 300}, timeout=60).json()[
            "id"
        ]
        seen: list[str] = []

        def watch() -> None:
            with httpx.stream("GET", f"{running.address}/api/prove/{job}/events", timeout=60) as stream:
                seen.extend(line for line in stream.iter_lines() if line.startswith("event: "))

        watching = threading.Thread(target=watch)
        watching.start()
        time.sleep(2)
        processes = running.lean_processes()
        assert processes
        running.process.send_signal(sent)
        assert running.process.wait(timeout=30) == 0
        watching.join(10)
        _, alive = psutil.wait_procs(processes, timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    assert seen[-1] == "event: done"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--runs", "nowhere"), "nowhere is no folder: name one that is there"),
        (("--ladder", "nowhere"), "nowhere is no file: make one with `pythagoras eval ladder RUN... -o nowhere`"),
        (("--model", "nowhere"), "nowhere"),
        (("--model", "embedded", "--endpoint", "http://localhost:1"), "name one of them"),
    ],
)
def test_what_is_not_there_is_one_line(options: tuple[str, ...], told: str) -> None:
    command = [sys.executable, "-m", "pythagoras", "serve", "--port", "0", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert told in done.stderr


# --- whatever the schema allows, and what it does not ------------------------------------------------

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def test_no_request_breaks_the_server() -> None:
    """Boundaries, random requests, and sequences of them, to every endpoint: no 500, and no answer of another shape."""
    schemathesis = Path(sys.executable).with_name("schemathesis")
    with web_server("--jobs", "2", "--model", "none", "--max-timeout", "1") as running:
        command = [str(schemathesis), "run", f"{running.address}/openapi.json", "--checks", CHECKS, "--seed", "1"]
        options = ["--max-examples", "5", "--request-timeout", "300", "--continue-on-failure", "--no-color"]
        done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=1800, check=False)
        assert httpx.get(f"{running.address}/health").json() == {"status": "ok"}
    assert done.returncode == 0, done.stdout[-5000:]
    assert "Tested: 15" in done.stdout
