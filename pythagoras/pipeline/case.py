"""One record on its way through a job: what is asked about it, and what becomes of it.

A job takes records in batches, so that models are asked side by side; each record is a case of its own, and ends either
kept or dropped with a reason.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Formalisation, Instance, Problem, Record, record_id, settings_of
from pythagoras.corpus.stages import Dropped
from pythagoras.pipeline.roles.role import Player, Refused, Role, Task, Written
from pythagoras.pipeline.work import Outcome

R = TypeVar("R")
T = TypeVar("T")
Origin = Problem | Formalisation | Instance


@dataclass(slots=True)
class Case(Generic[R]):
    """A row under work. `record` is what is rejected when it is dropped."""

    row: R
    record: Record
    kept: Record | None = None
    beside: list[Record] = field(default_factory=list)
    dropped: Dropped | None = None
    tally: Counter[str] = field(default_factory=Counter)
    costs: Counter[str] = field(default_factory=Counter)

    @property
    def is_open(self) -> bool:
        return self.kept is None and self.dropped is None

    def drop(self, reason: Reason, detail: str = "", other: str = "") -> None:
        self.dropped = Dropped(self.record, reason, other, detail=detail)

    def outcome(self) -> Outcome:
        if self.is_open:
            raise AssertionError(f"nothing was decided about {record_id(self.record)}")
        kept = () if self.kept is None else (self.kept,)
        dropped = () if self.dropped is None else (self.dropped,)
        return Outcome(kept, tuple(self.beside), dropped, dict(self.tally), dict(self.costs))


def given_up(cases: Sequence[Case[R]], why: str) -> tuple[Outcome, ...]:
    """What becomes of records that ended every worker which took them; what the job counts is counted before."""
    for case in cases:
        case.drop(Reason.NO_VERDICT, why)
    return tuple(case.outcome() for case in cases)


def ask(
    role: Role[T],
    player: Player,
    part: str,
    cases: Sequence[Case[R]],
    task_of: Callable[[Case[R]], Task],
    refused: Reason,
) -> Iterator[tuple[Case[R], T]]:
    """Ask for an answer to each open case. Those whose answer can't be used are dropped, by the fault of the answer.

    A player that could not be asked says nothing about the record: that is no verdict, not a fault of the answer.
    """
    asked = [case for case in cases if case.is_open]
    waiting = [(task_of(case), case) for case in asked]
    answers: dict[int, T] = {}
    for written in player.write([task for task, _ in waiting]):
        at = next(at for at, (task, _) in enumerate(waiting) if task == written.task)
        _, case = waiting.pop(at)
        case.costs.update(_costs(part, written))
        answer = role.read(written)
        if not isinstance(answer, Refused):
            answers[id(case)] = answer
            continue
        case.tally[f"fault/{part}/{answer.fault.value}"] += 1
        why = f"{answer.fault.value}: {answer.detail}" if answer.detail else answer.fault.value
        case.drop(Reason.NO_VERDICT if written.failure else refused, why)
    if waiting:
        raise AssertionError(f"{player.name} left {len(waiting)} of {len(asked)} tasks of {part} without an answer")
    for case in asked:
        if id(case) in answers:
            yield case, answers[id(case)]


def _costs(part: str, written: Written) -> dict[str, float]:
    """What an answer took. One from the cache was paid for when it was asked for, and costs nothing now."""
    if written.from_cache:
        return {f"{part}_from_cache": 1}
    return {
        f"{part}_requests": 1,
        f"{part}_s": written.seconds,
        f"{part}_prompt_tokens": written.prompt_tokens,
        f"{part}_generated_tokens": written.generated_tokens,
    }


def seed_of(seed: int, *parts: object) -> int:
    """A seed of its own for each thing that is drawn: from the recipe's, and from what it is drawn for."""
    text = json.dumps([seed, *map(str, parts)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest()) >> 1


# --- where a record comes from -------------------------------------------------------------------


def origin_of(record: Origin) -> str:
    """Who made the problem behind it: the generator's family, a published set, the rubric."""
    if isinstance(record, Problem):
        return record.provenance.maker or record.source
    return str(settings_of(record).get("origin", record.source))


def root_of(record: Origin) -> str:
    """Id of the source's problem that it goes back to, over however many makers: relatives have the same."""
    found = settings_of(record).get("root")
    return str(found) if found else record_id(record)


def count(case: Case[R], record: Origin) -> None:
    """Note in the tally how the case ended, by where it comes from."""
    groups = (f"source/{record.source}", f"topic/{record.topic or 'none'}", f"origin/{origin_of(record)}")
    ends = ("read", "kept") if case.kept is not None else ("read",)
    case.tally.update(f"{end}/{group}" for group in groups for end in ends)
