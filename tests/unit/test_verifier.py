"""Judging on a fake Lean: what is asked and how often, and what becomes of failures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pythagoras.errors import HostDied
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.verdict import Outcome, Policy, Reason, Rung
from pythagoras.lean.verifier import CheckedVerifier, Submission
from pythagoras.lean.wire import NO_PROGRAMS, PROOFS_ONLY, Answer

ONE = parse_statement("theorem one : 1 = 1 := sorry")
TWO = parse_statement("theorem two : 2 = 2 := sorry")


def answer(name: str, key: str = "k", **more: Any) -> Answer:
    declared = {"name": name, "kind": "theorem", "type": "T", "typeKey": key, "axioms": []}
    return Answer.model_validate({"declarations": [declared], **more})


def lean(check: Check) -> Answer | Exception:
    """Knows both theorems; a proof's text says what happens to it."""
    name = check.names[0]
    if "dies" in check.code:
        return HostDied("the host died")
    if "slow" in check.code:
        return answer(name, interrupted=True)
    return answer(name, "other" if "changed" in check.code else "k")


def test_a_statement_is_asked_about_once_and_order_is_kept() -> None:
    fake = FakeChecker(lean)
    verifier = CheckedVerifier(fake)
    submissions = [Submission(s, text) for s in (ONE, TWO) for text in ("rfl", "by sorry", "exact changed", "decide")]
    judged = list(verifier.verify(submissions))
    assert [one.submission for one in judged] == submissions
    outcomes = [one.verdict and one.verdict.reason for one in judged]
    assert outcomes == [Reason.HOLDS, Reason.SORRY, Reason.STATEMENT_CHANGED, Reason.HOLDS] * 2
    assert [check.code for check in fake.asked].count(ONE.source) == 1
    assert len(fake.asked) == 2 + 6
    list(verifier.verify(submissions[:1]))
    assert len(fake.asked) == 2 + 6 + 1


def test_programs_are_not_allowed_and_the_policy_reaches_lean() -> None:
    fake = FakeChecker(lean)
    list(CheckedVerifier(fake, Policy(replay=True)).verify([Submission(ONE, "rfl")]))
    asked = fake.asked[-1]
    assert (asked.refuse, asked.replay, asked.names, asked.header) == (PROOFS_ONLY, True, ("one",), "core")


def test_a_host_that_dies_gives_no_verdict_and_the_next_goes_on() -> None:
    first, second = CheckedVerifier(FakeChecker(lean)).verify([Submission(ONE, "dies"), Submission(ONE, "rfl")])
    assert first.verdict is None
    assert "died" in first.failure
    assert second.verdict is not None
    assert second.verdict.proved


def test_time_is_an_outcome_of_its_own() -> None:
    (judged,) = CheckedVerifier(FakeChecker(lean)).verify([Submission(ONE, "slow")])
    assert judged.verdict is not None
    assert judged.verdict.outcome is Outcome.TIMEOUT
    assert judged.verdict.rungs == (Rung.LEXICAL, Rung.ASSEMBLED)


def test_a_statement_that_is_no_lean_is_no_fault_of_the_proof() -> None:
    error = {"severity": "error", "pos": {"line": 1, "column": 0}, "data": "unknown\nidentifier"}
    fake = FakeChecker(lambda check: Answer.model_validate({"messages": [error]}))
    (judged,) = CheckedVerifier(fake).verify([Submission(ONE, "rfl")])
    assert judged.verdict is None
    assert "the statement is no Lean (line 1: unknown)" in judged.failure


def test_a_statement_that_a_host_failed_on_is_asked_about_again() -> None:
    answers: list[Answer | Exception] = [HostDied("x"), answer("one"), answer("one"), answer("one")]
    verifier = CheckedVerifier(FakeChecker(lambda check: answers.pop(0)))
    (failed,) = verifier.verify([Submission(ONE, "rfl")])
    (judged,) = verifier.verify([Submission(ONE, "rfl")])
    assert failed.verdict is None
    assert judged.verdict is not None
    assert judged.verdict.proved


def test_it_streams() -> None:
    drawn: list[int] = []

    def endless() -> Iterator[Submission]:
        while True:
            drawn.append(1)
            yield Submission(ONE, f"exact rfl -- {len(drawn)}")

    judgements = CheckedVerifier(FakeChecker(lean)).verify(endless())
    for _ in range(5):
        judged = next(judgements)
        assert judged.verdict is not None
        assert judged.verdict.proved
    assert len(drawn) <= 7


def test_refused_ones_at_the_end_are_not_forgotten() -> None:
    submissions = [
        Submission(ONE, "by sorry"),
        Submission(ONE, "rfl"),
        Submission(TWO, ""),
        Submission(TWO, "by admit"),
    ]
    reasons = [one.verdict and one.verdict.reason for one in CheckedVerifier(FakeChecker(lean)).verify(submissions)]
    assert reasons == [Reason.SORRY, Reason.HOLDS, Reason.NO_PROOF, Reason.SORRY]


def test_json_says_everything_by_name() -> None:
    (proved,) = CheckedVerifier(FakeChecker(lean)).verify([Submission(ONE, "rfl")])
    told = proved.as_dict()
    assert (told["outcome"], told["reason"], told["tier"], told["paper_rule"]) == ("proved", "holds", 4, True)
    assert told["rungs"] == ["lexical", "assembled", "accepted", "axioms", "statement"]
    (failed,) = CheckedVerifier(FakeChecker(lean)).verify([Submission(ONE, "dies")])
    assert failed.as_dict()["outcome"] is None


def test_a_stream_that_is_left_early_spoils_nothing() -> None:
    fake = FakeChecker(lean)
    verifier = CheckedVerifier(fake)
    stream = verifier.verify([Submission(ONE, "rfl"), Submission(TWO, "rfl")])
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    for _ in range(2):
        (judged,) = verifier.verify([Submission(TWO, "rfl")])
        assert judged.verdict is not None, judged.failure
        assert judged.verdict.proved


def test_a_lean_that_can_not_replay_gives_no_verdict() -> None:
    (judged,) = CheckedVerifier(FakeChecker(lean), Policy(replay=True)).verify([Submission(ONE, "rfl")])
    assert judged.verdict is None
    assert "can't replay" in judged.failure


def test_what_fails_before_the_replay_is_rejected_all_the_same() -> None:
    (judged,) = CheckedVerifier(FakeChecker(lean), Policy(replay=True)).verify([Submission(ONE, "exact changed")])
    assert judged.verdict is not None
    assert judged.verdict.reason is Reason.STATEMENT_CHANGED


def test_a_statement_that_brings_programs_is_not_judged_with_them() -> None:
    refused = Answer.model_validate({"refused": {"kind": "program", "syntax": "Lean.Parser.Command.macro"}})
    fake = FakeChecker(lambda check: refused)
    (judged,) = CheckedVerifier(fake).verify([Submission(ONE, "rfl")])
    assert judged.verdict is None
    assert "Lean.Parser.Command.macro" in judged.failure
    assert [check.refuse for check in fake.asked] == [NO_PROGRAMS, PROOFS_ONLY]
