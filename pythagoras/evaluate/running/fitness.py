"""Which statements Lean takes at all: no attempt at the others can be judged.

A benchmark may have statements that the Lean at hand refuses: another version of Mathlib, or none. They are told before
anybody writes proofs for them, and counted apart from problems that nobody solved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Formalisation, Rejected, record_id, statement_of
from pythagoras.errors import InputError
from pythagoras.lean.pool import Check, Checked, Checker, Status
from pythagoras.lean.verifier import statement_check, statement_fault
from pythagoras.lean.wire import Limits

STAGE = "fitness"


def unfit_statements(
    goals: Sequence[Formalisation],
    checker: Checker,
    limits: Limits = Limits(),
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Rejected]:
    """The statements that Lean refuses, each with its word in one line, in their order.

    Lean is asked just as the verifier asks about a statement, with `sorry` for a proof; so with the same limits a pool
    has these answers ready when the first attempts are judged. `on_progress` is told how many statements are done, and
    of how many.

    A statement over which Lean breaks down, or does not finish in time, is asked about once more; after that it counts
    as fit: a machine's failure says nothing about a statement. Attempts at it are left without a verdict if that goes
    on, and counted as such. A run asks once and keeps the answer in `unfit.jsonl`: delete that to have it asked again,
    as with more time. A Lean that does not have the header of a statement raises InputError.
    """
    unread = {at: fault for at, goal in enumerate(goals) if (fault := _unreadable(goal))}
    readable = [at for at in range(len(goals)) if at not in unread]
    answers = dict(zip(readable, _asked(goals, readable, checker, limits, len(unread), on_progress), strict=True))
    again = [at for at, checked in answers.items() if checked.status is not Status.ANSWERED]
    answers |= zip(again, checker.check(_check(goals[at], limits) for at in again), strict=True)
    faults = unread | {at: _fault(goals[at], checked) for at, checked in answers.items()}
    return [
        Rejected(record_id(goals[at]), STAGE, Reason.REFUSED_BY_LEAN, detail=faults[at], record_kind="formalisation")
        for at in range(len(goals))
        if faults[at]
    ]


def _asked(
    goals: Sequence[Formalisation],
    wanted: Iterable[int],
    checker: Checker,
    limits: Limits,
    done: int,
    on_progress: Callable[[int, int], None],
) -> Iterator[Checked]:
    for number, checked in enumerate(checker.check(_check(goals[at], limits) for at in wanted), done + 1):
        yield checked
        on_progress(number, len(goals))


def _check(goal: Formalisation, limits: Limits) -> Check:
    return statement_check(statement_of(goal), limits)


def _unreadable(goal: Formalisation) -> str:
    try:
        statement_of(goal)
    except InputError as error:
        return str(error)
    return ""


def _fault(goal: Formalisation, checked: Checked) -> str:
    if checked.answer is None or checked.status is not Status.ANSWERED:
        return ""
    return statement_fault(statement_of(goal).name, checked.answer)
