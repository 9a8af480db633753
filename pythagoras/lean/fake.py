"""A stand-in for Lean in unit tests: knows the answers it was given, and nothing of Lean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from pythagoras.lean.pool import Check, Checked, Status
from pythagoras.lean.wire import Answer


class FakeChecker:
    """A `Checker` that answers from a table, or from a function of the check.

    An exception as an answer stands for a host that fails. Records what it was asked in `asked`.
    """

    def __init__(self, answers: Mapping[str, Answer | Exception] | Callable[[Check], Answer | Exception]) -> None:
        self._answers = answers
        self.asked: list[Check] = []

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        for check in checks:
            self.asked.append(check)
            answer = self._answers(check) if callable(self._answers) else self._answers[check.code]
            if isinstance(answer, Exception):
                yield Checked(check, Status.HOST_FAILURE, None, 0.0, str(answer))
            else:
                status = Status.TIMEOUT if answer.interrupted else Status.ANSWERED
                yield Checked(check, status, answer, 0.0)
