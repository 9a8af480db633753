"""The fake that ships for tests keeps the contract of a `Checker`, or tests that use it would prove nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.errors import HostDied
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check, Checked, Checker, LeanPool, Status
from pythagoras.lean.wire import Answer, Limits

ANSWERS: dict[str, Answer | Exception] = {
    "good": Answer(env=1),
    "slow": Answer(interrupted=True),
    "deadly": HostDied("the Lean host ended (killed by signal 9)"),
}


def asked(checker: Checker, *checks: Check) -> list[Checked]:
    return list(checker.check(checks))


def test_it_can_stand_where_a_pool_stands() -> None:
    checkers: list[type[Checker]] = [FakeChecker, LeanPool]  # mypy holds this
    assert all(callable(kind.check) for kind in checkers)


def test_answers_come_with_their_status() -> None:
    good, slow, deadly = asked(FakeChecker(ANSWERS), Check("good"), Check("slow"), Check("deadly"))
    assert good == Checked(Check("good"), Status.ANSWERED, Answer(env=1), good.seconds)
    assert (slow.status, slow.answer) == (Status.TIMEOUT, Answer(interrupted=True))
    assert (deadly.status, deadly.answer) == (Status.HOST_FAILURE, None)
    assert deadly.failure == "the Lean host ended (killed by signal 9)"


@given(st.lists(st.sampled_from([*ANSWERS]), max_size=12))
def test_results_come_in_order_with_what_was_asked(codes: list[str]) -> None:
    checks = [Check(code, header=f"h{number}") for number, code in enumerate(codes)]
    checker = FakeChecker(ANSWERS)
    results = asked(checker, *checks)
    assert [result.check for result in results] == checks == checker.asked
    for result in results:
        assert (result.answer is None) == (result.status is Status.HOST_FAILURE) == bool(result.failure)
        assert result.seconds >= 0


def test_results_stream_from_endless_input() -> None:
    def endless() -> Iterator[Check]:
        while True:
            yield Check("good")

    checker = FakeChecker(ANSWERS)
    results = checker.check(endless())
    assert [next(results).status for _ in range(3)] == [Status.ANSWERED] * 3
    assert len(checker.asked) <= 4


def test_answers_may_depend_on_the_whole_check() -> None:
    def answer(check: Check) -> Answer:
        return Answer(interrupted=check.limits.timeout_s < 1)

    short, long = Check("x", limits=Limits(timeout_s=0.5)), Check("x")
    assert [result.status for result in asked(FakeChecker(answer), short, long)] == [Status.TIMEOUT, Status.ANSWERED]


def test_an_unexpected_question_is_an_error_of_the_test() -> None:
    with pytest.raises(KeyError, match="other"):
        asked(FakeChecker(ANSWERS), Check("other"))
