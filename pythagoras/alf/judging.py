"""Pairs before Lean, in full: the statement by itself, and the whole theorem; with the seconds that both took.

The verdict is the shared one (`pythagoras.lean.verifier`). What is added is the account: seconds are those that a Lean
was busy, so that they mean the same however many work side by side; and a statement that Lean does not take is told
from a Lean that broke down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from pythagoras.corpus.goals import without_proof
from pythagoras.corpus.judgements import judgement
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Judgement, record_id, statement_of
from pythagoras.errors import InputError
from pythagoras.lean.backends import default_header, open_checker
from pythagoras.lean.pool import Check, Checked, Checker, Status
from pythagoras.lean.statements import Statement
from pythagoras.lean.verdict import Outcome
from pythagoras.lean.verifier import CheckedVerifier, Judged, Submission, statement_fault
from pythagoras.lean.wire import Limits


class Ending(StrEnum):
    """What came of a pair."""

    PASSED = "passed"
    STATEMENT = "statement refused"
    PROOF = "proof refused"
    TIMEOUT = "timeout"
    NO_VERDICT = "no verdict"
    """Lean broke down: it says nothing about the pair."""


REASONS = {
    Ending.STATEMENT: Reason.REFUSED_BY_LEAN,
    Ending.PROOF: Reason.NOT_PROVED,
    Ending.TIMEOUT: Reason.NOT_PROVED,
    Ending.NO_VERDICT: Reason.NO_VERDICT,
}
"""Why a pair that did not pass is dropped."""


@dataclass(frozen=True, slots=True)
class Found:
    """A pair with what Lean said to it."""

    pair: Instance
    ending: Ending
    detail: str
    seconds: float
    """Of Lean: for the statement alone, and for the theorem."""
    judgement: Judgement
    """Its submission is the pair's id; its milliseconds are those of `seconds`."""


class Lean(Protocol):
    """Where a Lean comes from, and what it may spend on one question."""

    @property
    def limits(self) -> Limits: ...

    def open(self) -> AbstractContextManager[Checker]: ...


@dataclass(frozen=True, slots=True)
class NamedLean:
    """A Lean by its setting (`pythagoras.lean.backends`)."""

    backend: str = "embedded"
    jobs: int | None = None
    limits: Limits = Limits()

    def open(self) -> AbstractContextManager[Checker]:
        return open_checker(self.backend, jobs=self.jobs, header=default_header(self.backend))


def judged(pairs: Sequence[Instance], checker: Checker, limits: Limits, version: str = "") -> list[Found]:
    """What Lean, of that version, says to each pair, in their order."""
    read = [_statement(pair) for pair in pairs]
    clocked = _Clocked(checker)
    verifier = CheckedVerifier(clocked, limits=limits)  # a new one: every statement is asked about, and paid for
    submissions = [
        Submission(statement, whole(pair))
        for pair, statement in zip(pairs, read, strict=True)
        if isinstance(statement, Statement)
    ]
    answers = verifier.verify(submissions)
    return [
        _unreadable(pair, statement, version) if isinstance(statement, str)
        else _found(pair, next(answers), clocked, version)
        for pair, statement in zip(pairs, read, strict=True)
    ]  # fmt: skip


def busy_seconds(checked: Checked) -> float:
    """The processor's seconds where the Lean tells them: a clock on the wall counts what else the machine does."""
    return checked.seconds if checked.use is None else checked.use.cpu_seconds


def whole(pair: Instance) -> str:
    """The complete theorem with what stands before it: what is judged."""
    before = f"{pair.context.rstrip()}\n\n" if pair.context.strip() else ""
    return f"{before}{pair.statement.rstrip()} := {pair.proof}"


def _statement(pair: Instance) -> Statement | str:
    """The statement that it must be a proof of; where its text is none, why."""
    try:
        return statement_of(without_proof(pair))
    except InputError as error:
        return str(error)


def _unreadable(pair: Instance, why: str, version: str) -> Found:
    told = Judgement(record_id(pair), "", "", why, lean_version=version)
    return Found(pair, Ending.STATEMENT, why, 0.0, told)


def _found(pair: Instance, judged: Judged, clocked: _Clocked, version: str) -> Found:
    statement = judged.submission.statement
    ending, detail = _ending(judged, clocked.asked.get(statement.source))
    seconds = clocked.taken(statement.source)
    if judged.assembly is not None:
        seconds += clocked.taken(judged.assembly.text)
    return Found(pair, ending, detail, seconds, judgement(record_id(pair), replace(judged, seconds=seconds), version))


def _ending(judged: Judged, statement: Checked | None) -> tuple[Ending, str]:
    verdict = judged.verdict
    if verdict is None:
        if statement is None or statement.answer is None:
            return Ending.NO_VERDICT, judged.failure
        if statement.status is Status.TIMEOUT:
            return Ending.STATEMENT, judged.failure
        fault = statement_fault(judged.submission.statement.name, statement.answer)
        return (Ending.STATEMENT, fault) if fault else (Ending.NO_VERDICT, judged.failure)
    if verdict.proved:
        return Ending.PASSED, ""
    why = verdict.reason.value + (f": {verdict.detail}" if verdict.detail else "")
    return (Ending.TIMEOUT if verdict.outcome is Outcome.TIMEOUT else Ending.PROOF), why


class _Clocked:
    """A checker that remembers what was said to each text, and how long it took."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._paid: set[str] = set()
        self.asked: dict[str, Checked] = {}

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        for checked in self._checker.check(checks):
            self.asked[checked.check.code] = checked
            yield checked

    def taken(self, code: str) -> float:
        """Seconds that a text took; nothing when they were told before."""
        if code in self._paid or code not in self.asked:
            return 0.0
        self._paid.add(code)
        return busy_seconds(self.asked[code])
