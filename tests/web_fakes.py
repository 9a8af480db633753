"""A prover and a Lean that do as they are told, for the web server's tests: what is tested is all but those two."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

from pythagoras.lean.pool import Check, Checked, Status
from pythagoras.lean.statements import Statement
from pythagoras.lean.submission import Assembly
from pythagoras.lean.verdict import Outcome as VerdictOutcome
from pythagoras.lean.verdict import Reason, Verdict
from pythagoras.lean.verifier import Judged, Submission
from pythagoras.lean.wire import Answer, Message, Position
from pythagoras.prove.proving import Attempt, Effort, Ended, Outcome
from pythagoras.web.app import WebServer
from pythagoras.web.settings import WebSettings

THEOREM = "theorem t (n : ℕ) : n + 0 = n"
BROKEN = "theorem t (n : ℕ) :\n  n ≥ bröken"
"""`FakeLean` has something against it: in line 2, column 6."""


class FakeLean:
    """A pool that finds nothing wrong, but with the word `bröken`; and breaks down over `deadly`."""

    hosts = 2
    version = "4.0.0, commit 0"

    def __init__(self) -> None:
        self.asked: list[Check] = []

    def submit(self, check: Check) -> Future[Checked]:
        self.asked.append(check)
        future: Future[Checked] = Future()
        if "deadly" in check.code:
            future.set_result(Checked(check, Status.HOST_FAILURE, None, 0.1, "the Lean host ended"))
            return future
        messages = []
        for number, line in enumerate(check.code.split("\n"), 1):
            if "bröken" in line:
                place = Position(line=number, column=line.index("bröken"))
                messages.append(Message(severity="error", pos=place, data="Unknown identifier\nreally"))
        future.set_result(Checked(check, Status.ANSWERED, Answer(messages=tuple(messages)), 0.1))
        return future


def attempt_at(
    statement: Statement,
    number: int,
    proof: str = "by omega",
    *,
    holds: bool = False,
    by: str = "portfolio",
    message: str = "omega could not\nprove it",
    severity_place: tuple[int, int] = (1, 0),
) -> Attempt:
    """An attempt that Lean has judged, or would have."""
    text = f"{statement.text} := {proof}"
    error = Message(
        severity="error",
        pos=Position(line=severity_place[0], column=severity_place[1]),
        data=message,
    )
    verdict = (
        Verdict(VerdictOutcome.PROVED, Reason.HOLDS, "", ())
        if holds
        else Verdict(VerdictOutcome.REJECTED, Reason.LEAN_ERROR, "line 1: no", (), (), (error,))
    )
    assembly = Assembly(text, statement.name, len(statement.text) + 1, False)
    judged = Judged(Submission(statement, proof), verdict, "", assembly, 0.25)
    return Attempt(number, by, proof, judged, 3, 0.5 * number, text)


Script = Callable[[Statement, Effort, Callable[[Attempt], None], threading.Event], Outcome]


def outcome_of(attempts: Sequence[Attempt], ended: Ended | None = None) -> Outcome:
    proved = next((one for one in attempts if one.holds), None)
    how = ended or (Ended.PROVED if proved is not None else Ended.EXHAUSTED)
    return Outcome(proved, len(attempts), len(attempts), 3 * len(attempts), 1.5, 2.5, None, how)


def tries(*proofs: str) -> Script:
    """Attempts in their order; the last one holds."""

    def script(
        statement: Statement, effort: Effort, on_attempt: Callable[[Attempt], None], stop: threading.Event
    ) -> Outcome:
        made = [attempt_at(statement, at, proof, holds=proof == proofs[-1]) for at, proof in enumerate(proofs)]
        for attempt in made:
            on_attempt(attempt)
        return outcome_of(made)

    return script


def until_stopped(
    statement: Statement, effort: Effort, on_attempt: Callable[[Attempt], None], stop: threading.Event
) -> Outcome:
    """One failed attempt, and then nothing until it is told to stop, or the time is over."""
    attempt = attempt_at(statement, 0)
    on_attempt(attempt)
    return outcome_of([attempt], Ended.CANCELLED if stop.wait(effort.timeout_s) else Ended.OUT_OF_TIME)


class FakeProver:
    """Does what its script says, theorem after theorem."""

    doing = "thinking"

    def __init__(self, script: Script = tries("by simp", "by omega")) -> None:  # noqa: B008
        self.script = script
        self.asked: list[tuple[Statement, Effort]] = []

    def prove(
        self,
        statement: Statement,
        effort: Effort,
        on_attempt: Callable[[Attempt], None],
        stop: threading.Event | None,
    ) -> Outcome:
        self.asked.append((statement, effort))
        return self.script(statement, effort, on_attempt, stop or threading.Event())


@contextmanager
def web_server(
    scratch: Path, prover: FakeProver | None = None, settings: WebSettings | None = None
) -> Iterator[WebServer]:
    """An application with both fakes behind it."""
    server = WebServer(FakeLean(), prover or FakeProver(), settings or WebSettings(), scratch)
    try:
        yield server
    finally:
        server.close()
