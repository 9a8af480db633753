"""A server under load whose Lean processes are killed all the time: every request gets its own, right answer.

Clients do as the protocol wants: a request that is turned away (429) is sent again, and so is a snippet whose result is
an `error`, which says that Lean gave no answer (here: its host and the host behind that were both killed).
"""

from __future__ import annotations

import asyncio
import random
import signal
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx
import psutil
import pytest

from tests.lean.servers import RunningServer, lean_server

CLIENTS = 200
SECONDS = 20.0
KILL_AFTER = 12  # answers: by the clock, hosts of a slow machine would die before they answer, and the load never end
KINDS = ("valid", "false", "sorry")


@dataclass
class Tally:
    """What the clients saw."""

    outcomes: Counter[str] = field(default_factory=Counter)
    turned_away: int = 0
    unanswered: int = 0
    kills: int = 0
    slowest_s: float = 0.0


def snippet(number: int) -> tuple[str, str]:
    """A proof that nobody else sends, and what is right to say about it."""
    kind = KINDS[number % len(KINDS)]
    proof = "sorry" if kind == "sorry" else "omega"
    right = number + 1 if kind == "false" else number
    header = "import Mathlib\n" if number % 2 else ""
    return f"{header}theorem t{number} (a : Nat) : a + {number} = {right} + a := by {proof}\n#check @t{number}", kind


def judged(result: dict[str, Any], number: int) -> str:
    """The kind that a result speaks of; anything that is not about this very snippet is "mixed up"."""
    if result["id"] != f"id{number}":
        return "mixed up"
    if "error" in result:
        return result["error"] if "killed by signal 9" not in result["error"] else "unanswered"
    messages = result["response"].get("messages", [])
    if not any(message["data"].startswith(f"t{number} : ") for message in messages):
        return "mixed up"
    if any(message["severity"] == "error" for message in messages):
        return "false"
    return "sorry" if result["response"].get("sorries") else "valid"


async def ask(client: httpx.AsyncClient, numbers: list[int], tally: Tally) -> None:
    """One request, sent again while the server turns it away; then what remained unanswered of it."""
    body = {"snippets": [{"id": f"id{number}", "code": snippet(number)[0]} for number in numbers], "timeout": 60}
    began = time.monotonic()
    while (response := await client.post("/api/check", json=body)).status_code == 429:
        tally.turned_away += 1
        await asyncio.sleep(float(response.headers["retry-after"]) * random.uniform(0.2, 1.0))
    assert response.status_code == 200, response.text
    results = response.json()["results"]
    assert len(results) == len(numbers)
    tally.slowest_s = max(tally.slowest_s, time.monotonic() - began)
    found = {number: judged(result, number) for number, result in zip(numbers, results, strict=True)}
    left = [number for number in numbers if found[number] == "unanswered"]
    for number, kind in found.items():
        if number in left:
            continue
        right = snippet(number)[1]
        tally.outcomes[kind if kind == right else f"{right} judged as {kind}"] += 1
    if left:
        tally.unanswered += len(left)
        await ask(client, left, tally)


async def load(address: str, tally: Tally) -> int:
    """All clients at once, until the time is over; returns how many snippets were sent."""
    numbers = iter(range(1000, 10**9))
    sent = 0
    end = time.monotonic() + SECONDS
    limits = httpx.Limits(max_connections=CLIENTS, max_keepalive_connections=CLIENTS)

    async def one_client(number: int) -> None:
        nonlocal sent
        while time.monotonic() < end:
            mine = [next(numbers) for _ in range(1 + number % 2)]
            sent += len(mine)
            await ask(client, mine, tally)

    async with httpx.AsyncClient(base_url=address, timeout=600, limits=limits) as client:
        await asyncio.gather(*(one_client(number) for number in range(CLIENTS)))
    return sent


def kill_now_and_then(server: RunningServer, done: threading.Event, tally: Tally) -> None:
    draw, answered = random.Random(7), 0
    while not done.wait(0.2):
        hosts = server.lean_processes()
        if hosts and sum(tally.outcomes.values()) >= answered + KILL_AFTER:
            answered = sum(tally.outcomes.values())
            try:
                draw.choice(hosts).send_signal(signal.SIGKILL)
                tally.kills += 1
            except psutil.Error:
                continue


def test_every_request_is_answered_once_and_right_while_hosts_are_killed(capsys: pytest.CaptureFixture[str]) -> None:
    tally, done = Tally(), threading.Event()
    with lean_server("--jobs", "2", "--max-wait", "10") as server:
        killer = threading.Thread(target=kill_now_and_then, args=(server, done, tally))
        killer.start()
        began = time.monotonic()
        try:
            sent = asyncio.run(load(server.address, tally))
        finally:
            done.set()
            killer.join()
        took = time.monotonic() - began
        assert httpx.get(f"{server.address}/health").json() == {"status": "ok"}
    with capsys.disabled():
        told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(tally.outcomes.items()))
        print(
            f"\n{CLIENTS} clients, {took:.0f} s: {sent} snippets sent, {told}; {tally.kills} hosts killed,"
            f" {tally.turned_away} requests turned away and sent again, {tally.unanswered} snippets asked again"
            f" because two hosts were killed under them; slowest request {tally.slowest_s:.0f} s"
        )
    assert sum(tally.outcomes.values()) == sent
    assert set(tally.outcomes) == set(KINDS)
    assert tally.unanswered < tally.kills
    assert tally.kills > sent / KILL_AFTER / 4
