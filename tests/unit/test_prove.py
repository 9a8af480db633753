"""Proving, with samplers that follow a script and a Lean that goes by words."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pythagoras.errors import HostDied, InputError
from pythagoras.generate.portfolio import Portfolio
from pythagoras.generate.sampler import Request, Sampler
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check, Checker
from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.lean.wire import Answer
from pythagoras.prove.later import Later, opened
from pythagoras.prove.proving import Attempt, Effort, Ended, Outcome, Prover, StatementRefused
from tests.scripted import Scripted

TRUE = parse_statement("theorem t (p : Prop) (h : p) : p")
FALSE = parse_statement("theorem t (a b : ℕ) (h : a ≤ b) : a < b")


def answer(check: Check) -> Answer | Exception:
    """Takes statements, and proofs that have the word fine; `slowly` takes a while, `dies` breaks the host."""
    if "slowly" in check.code:
        time.sleep(1.5)
    if "dies" in check.code:
        return HostDied("the host died")
    if ":= sorry" in check.code or "fine" in check.code:
        declared = {"name": check.names[0], "kind": "theorem", "type": "T", "typeKey": "k", "axioms": []}
        return Answer.model_validate({"declarations": [declared]})
    return said("no", 1, 0)


def said(what: str, line: int, column: int) -> Answer:
    place = {"line": line, "column": column}
    return Answer.model_validate({"messages": [{"severity": "error", "pos": place, "data": what}]})


def prover(
    write: Callable[[Request], str | Exception] = lambda request: f"exact wrong {request.number}",
    *,
    tactics: tuple[str, ...] = ("one", "two"),
    lean: Callable[[Check], Answer | Exception] = answer,
    pause_s: float = 0.0,
    judges: int = 2,
) -> tuple[Prover, Scripted, FakeChecker]:
    """A prover without a search, with its model and its Lean."""
    model, checker = Scripted(write, name="model", pause_s=pause_s), FakeChecker(lean)
    made = Prover(_opened(checker), portfolio=Portfolio(tactics), model=_sampler(model), search=False, judges=judges)
    return made, model, checker


def _opened(checker: Checker) -> Later[Checker]:
    return opened(checker)


def _sampler(sampler: Sampler) -> Later[Sampler]:
    return opened(sampler)


def proofs_asked(checker: FakeChecker) -> list[str]:
    """What Lean was asked beside the statement."""
    return [check.code.partition(":= ")[2] for check in checker.asked if ":= sorry" not in check.code]


def run(made: Prover, statement: Statement = TRUE, **more: Any) -> tuple[Outcome, list[Attempt]]:
    attempts: list[Attempt] = []
    return made.prove(statement, Effort(**more), attempts.append), attempts


# --- the order of things -----------------------------------------------------------------------------


def test_a_one_liner_that_holds_needs_no_model() -> None:
    wanted = threading.Event()

    @contextmanager
    def never() -> Iterator[Sampler]:
        wanted.set()
        yield Scripted(lambda request: "fine")

    checker = FakeChecker(answer)
    made = Prover(_opened(checker), portfolio=Portfolio(["one", "fine"]), model=Later(never), search=False)
    outcome, attempts = run(made)
    assert outcome.ended is Ended.PROVED
    assert outcome.proved == attempts[-1]
    assert (attempts[-1].by, attempts[-1].proof) == ("portfolio", "by fine")
    assert attempts[-1].theorem == "theorem t (p : Prop) (h : p) : p := by fine"
    assert not wanted.is_set()


def test_the_model_is_asked_when_the_one_liners_fail() -> None:
    made, model, _ = prover(lambda request: "exact fine" if request.number == 3 else f"exact wrong {request.number}")
    outcome, attempts = run(made, n=8)
    assert outcome.proved is not None
    assert (outcome.proved.by, outcome.proved.proof) == ("model", "by exact fine")
    assert {attempt.by for attempt in attempts[:2]} == {"portfolio"}
    assert [attempt.number for attempt in attempts] == list(range(len(attempts)))
    assert outcome.tried["portfolio"] == 2
    assert outcome.attempts == sum(outcome.tried.values())
    assert len({request.seed for request in model.asked}) == len(model.asked)


def test_all_that_was_asked_for_is_tried_and_then_it_ends() -> None:
    made, model, checker = prover()
    outcome, attempts = run(made, n=5)
    assert (outcome.ended, outcome.proved) == (Ended.EXHAUSTED, None)
    assert (outcome.attempts, outcome.distinct) == (7, 7)
    assert len(attempts) == len(proofs_asked(checker)) == 7
    assert len(model.asked) == 5
    assert outcome.generated_tokens >= 5 * 3


def test_the_same_proof_is_judged_once() -> None:
    made, _, checker = prover(lambda request: ("exact same", "by\n  exact same\n", "  exact same")[request.number % 3])
    outcome, attempts = run(made, n=9)
    assert (outcome.attempts, outcome.distinct) == (2 + 9, 2 + 1)
    assert len(attempts) == len(proofs_asked(checker)) == 3


def test_with_all_the_shortest_wins() -> None:
    made, _, _ = prover(lambda request: f"exact fine{' long' * (4 - request.number)}")
    outcome, attempts = run(made, n=4, all=True)
    assert outcome.ended is Ended.PROVED
    assert sum(attempt.holds for attempt in attempts) == 4
    assert outcome.proved is not None
    assert outcome.proved.proof == "by exact fine long"


def test_a_slow_proof_keeps_no_other_waiting() -> None:
    made, _, _ = prover(tactics=("slowly", "one", "two", "fine"))
    outcome, _ = run(made)
    assert outcome.proved is not None
    assert outcome.seconds < 1.0


def test_what_a_sampler_can_not_write_is_told_once() -> None:
    made, _, _ = prover(lambda request: InputError("there is no room"))
    outcome, _ = run(made, n=4)
    assert outcome.complaints == ("not drawn by model: there is no room",)
    assert outcome.tried == {"portfolio": 2}


def test_a_lean_that_dies_over_a_proof_judges_the_others() -> None:
    made, _, _ = prover(tactics=("dies", "fine"))
    outcome, attempts = run(made)
    assert outcome.ended is Ended.PROVED
    broken = [attempt for attempt in attempts if attempt.judged.verdict is None]
    assert all(not attempt.holds for attempt in broken)


def test_a_lean_that_dies_over_every_proof_is_no_answer() -> None:
    made, _, _ = prover(lambda request: f"exact dies {request.number}", tactics=("dies",))
    with pytest.raises(HostDied, match=r"broke down over every proof \(the host died\)"):
        run(made, n=2)


# --- ends ----------------------------------------------------------------------------------------------


def test_the_clock_ends_it() -> None:
    made, _, _ = prover(pause_s=0.3)
    outcome, _ = run(made, n=1000, timeout_s=1.0)
    assert (outcome.ended, outcome.proved) == (Ended.OUT_OF_TIME, None)
    assert 1.0 <= outcome.seconds < 1.6


@pytest.mark.parametrize("slow", ["sampler", "lean"])
def test_it_can_be_cancelled(slow: str) -> None:
    made, _, _ = prover(
        lambda request: f"exact {'slowly' if slow == 'lean' else 'wrong'} {request.number}",
        pause_s=1.5 if slow == "sampler" else 0.0,
    )
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    began = time.monotonic()
    outcome = made.prove(TRUE, Effort(n=1000), stop=stop)
    assert time.monotonic() - began < 1.5
    assert outcome.ended is Ended.CANCELLED


def test_a_cancelled_one_does_not_disturb_the_next() -> None:
    made, _, _ = prover(lambda request: f"exact {'fine' if 'next' in request.goal.text else 'slowly'}", pause_s=0.2)
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    assert made.prove(TRUE, Effort(), stop=stop).ended is Ended.CANCELLED
    attempts: list[Attempt] = []
    other = parse_statement("theorem next (p : Prop) (h : p) : p")
    outcome = made.prove(other, Effort(n=1), attempts.append)
    assert outcome.ended is Ended.PROVED
    assert {attempt.judged.submission.statement.name for attempt in attempts} == {"next"}


def test_a_model_that_can_not_be_opened_is_an_error_only_without_a_proof() -> None:
    def broken() -> Any:
        raise InputError("no such model")

    for tactics, proved in ((("fine",), True), (("one",), False)):
        made = Prover(
            _opened(FakeChecker(answer)), portfolio=Portfolio(tactics), model=Later[Sampler](broken), search=False
        )
        if proved:
            assert run(made)[0].ended is Ended.PROVED
        else:
            with pytest.raises(InputError, match="no such model"):
                run(made)


def test_a_lean_that_can_not_be_opened_is_an_error() -> None:
    def broken() -> Any:
        raise HostDied("no Lean")

    with pytest.raises(HostDied, match="no Lean"):
        run(Prover(Later[Checker](broken)))


def test_a_statement_that_lean_refuses_is_told_with_its_place() -> None:
    made, _, _ = prover(lean=lambda check: said("unknown identifier\nmore", 2, 7))
    with pytest.raises(StatementRefused) as caught:
        run(made)
    assert (caught.value.line, caught.value.column, caught.value.message) == (2, 7, "unknown identifier\nmore")
    assert str(caught.value) == "not Lean, in line 2, column 8: unknown identifier: correct it there"


# --- false theorems --------------------------------------------------------------------------------------


def test_a_counterexample_that_lean_confirms_ends_it() -> None:
    def lean(check: Check) -> Answer | Exception:
        if "t_is_false" in check.code:
            declared = {"name": "t_is_false", "kind": "theorem", "type": "T", "typeKey": "k", "axioms": []}
            return Answer.model_validate({"declarations": [declared]})
        time.sleep(0.02)
        return answer(check)

    made, _, _ = prover(lean=lean, pause_s=0.05)
    outcome, _ = run(made, FALSE, n=1000)
    assert outcome.ended is Ended.REFUTED
    assert outcome.counterexample is not None
    assert outcome.counterexample["a"] == outcome.counterexample["b"]
    assert outcome.disproof.startswith("theorem t_is_false : ¬ (∀ (a b : ℕ) (h : a ≤ b), a < b) := by\n")


def test_a_counterexample_that_lean_does_not_confirm_ends_nothing() -> None:
    made, model, _ = prover()
    outcome, _ = run(made, FALSE, n=3)
    assert (outcome.ended, outcome.disproof) == (Ended.EXHAUSTED, "")
    assert set(outcome.counterexample or ()) == {"a", "b"}
    assert len(model.asked) == 3


def test_what_is_proved_has_no_counterexample() -> None:
    made, _, _ = prover(tactics=("slowly", "fine"), judges=1)
    outcome, _ = run(made, FALSE)
    assert outcome.ended is Ended.PROVED
    assert outcome.counterexample is None
