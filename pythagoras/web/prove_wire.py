"""What the API takes and tells about proving: requests, attempts with Lean's messages at their places, outcomes.

Long texts are cut, so that what is kept of a job has an end; a proof that holds is told in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Literal, TypeAlias

from pydantic import Field

from pythagoras.lean.wire import Message
from pythagoras.prove.proving import Attempt, Effort, Ended, Outcome
from pythagoras.web.wire import Strict

_LONGEST_TEXT = 20_000
"""Characters that are told of a rejected proof."""
_LONGEST_MESSAGE = 4_000
_MOST_MESSAGES = 20


class ProveRequest(Strict):
    """A theorem, and how hard to try."""

    theorem: str = Field(
        description="Lean text. The last theorem in it that has `sorry` for its proof, or none at all.",
        examples=["theorem t (a b : ℕ) (h : a < b) : a + 1 ≤ b"],
    )
    n: int = Field(default=32, ge=0, le=2**31, description="Attempts by the model; tactics and search come on top.")
    timeout: float = Field(default=60.0, gt=0, le=1e6, description="Seconds for all of it, once it has begun.")
    all: bool = Field(default=False, description="Go on after the first proof, for the shortest.")
    seed: int = Field(default=0, ge=0, lt=2**63)


class JobMade(Strict):
    """Where to look for what becomes of it."""

    id: str


class State(StrEnum):
    """How far a job is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"


class Told(Strict):
    """A message of Lean's at its place in `checked`. Lines count from 1, columns from 0, in characters."""

    severity: str
    line: int
    column: int
    end_line: int | None
    end_column: int | None
    text: str


class AttemptTold(Strict):
    """One proof that was tried and judged: the data of an `attempt` event."""

    number: int = Field(description="From 0, in the order in which they were judged.")
    by: str = Field(description="Who wrote it: portfolio, search, or the model's name.")
    outcome: Literal["proved", "rejected", "timeout"] | None = Field(description="null: Lean gave no verdict.")
    reason: str = Field(description="Why, by a name for programs: docs/verdicts.md has the list.")
    why: str = Field(description="The same in words.")
    detail: str
    proof: str = Field(description="What stands behind `:=`.")
    checked: str | None = Field(description="What Lean was asked, which the messages' places are in; null: it was not.")
    messages: tuple[Told, ...]
    left_out: bool = Field(description="Whether texts or messages are cut or missing here, for being too long.")
    generated_tokens: int
    lean_seconds: float
    seconds: float = Field(description="Since proving began.")


Ending: TypeAlias = Literal[
    "proved", "exhausted", "out of time", "cancelled", "refuted", "refused", "failed"
]  # fmt: skip
"""`Ended`, and two more: Lean refuses the statement; it could not be tried at all."""


class OutcomeTold(Strict):
    """What came of it: the data of the `done` event."""

    ended: Ending
    detail: str = Field(default="", description="What was wrong, of `refused` and `failed`.")
    theorem: str = Field(default="", description="The statement with its proof, to be pasted; empty: not proved.")
    proof: str = Field(default="", description="The proof alone, what stands behind `:=`.")
    by: str = Field(default="", description="Who wrote it.")
    number: int | None = Field(default=None, description="The attempt that it is.")
    counterexample: dict[str, str] | None = Field(
        default=None, description="Values that refute the statement; by calculation alone unless it ended `refuted`."
    )
    disproof: str = Field(default="", description="A theorem that says the opposite, with its proof; Lean took it.")
    attempts: int = 0
    distinct: int = 0
    tried: dict[str, int] = Field(default={}, description="Attempts by who wrote them.")
    generated_tokens: int = 0
    lean_seconds: float = 0.0
    seconds: float = 0.0
    complaints: tuple[str, ...] = Field(default=(), description="What could not be drawn, and why.")


class JobTold(Strict):
    """A job as it is now."""

    id: str
    theorem: str
    n: int
    timeout: float
    all: bool
    seed: int
    state: State
    ahead: int = Field(description="Jobs that come first.")
    doing: str = Field(description="What the prover is at, in a few words.")
    seconds: float = Field(description="Since it began.")
    attempts: tuple[AttemptTold, ...]
    outcome: OutcomeTold | None


def whole(text: str) -> str:
    """A text that can be sent: a server's answer may hold half of a character, and UTF-8 can't."""
    return text.encode(errors="replace").decode()


def effort_of(asked: ProveRequest, check_s: float) -> Effort:
    return Effort(
        n=asked.n, timeout_s=asked.timeout, check_s=min(check_s, asked.timeout), all=asked.all, seed=asked.seed
    )


def attempt_told(attempt: Attempt, *, in_full: bool = True) -> AttemptTold:
    """An attempt for clients; without its texts where there is no room for them any more."""
    verdict, assembly = attempt.judged.verdict, attempt.judged.assembly
    longest = None if attempt.holds else _LONGEST_TEXT if in_full else 0
    checked = whole(assembly.text) if assembly is not None else None
    said = verdict.messages if verdict is not None else ()
    shown = _messages(said) if longest != 0 else ()
    proof = whole(attempt.proof)[:longest]
    cut = len(proof) < len(attempt.proof) or (checked is not None and len(checked[:longest]) < len(checked))
    return AttemptTold(
        number=attempt.number,
        by=whole(attempt.by),
        outcome=verdict.outcome.value if verdict is not None else None,
        reason=verdict.reason.name.lower() if verdict is not None else "",
        why=verdict.reason.value if verdict is not None else "Lean gave no verdict",
        detail=whole(verdict.detail if verdict is not None else attempt.judged.failure)[:_LONGEST_MESSAGE],
        proof=proof,
        checked=checked[:longest] if checked is not None and longest != 0 else None,
        messages=shown,
        left_out=cut or len(shown) < len(said) or any(len(one.data) > _LONGEST_MESSAGE for one in said),
        generated_tokens=attempt.generated_tokens,
        lean_seconds=round(attempt.judged.seconds, 3),
        seconds=round(attempt.seconds, 3),
    )


def outcome_told(outcome: Outcome) -> OutcomeTold:
    proved = outcome.proved
    return OutcomeTold(
        ended=outcome.ended.value,
        theorem=whole(proved.theorem) if proved is not None else "",
        proof=whole(proved.proof) if proved is not None else "",
        by=whole(proved.by) if proved is not None else "",
        number=proved.number if proved is not None else None,
        counterexample=_values(outcome.counterexample),
        disproof=whole(outcome.disproof),
        attempts=outcome.attempts,
        distinct=outcome.distinct,
        tried={whole(name): count for name, count in outcome.tried.items()},
        generated_tokens=outcome.generated_tokens,
        lean_seconds=round(outcome.lean_seconds, 3),
        seconds=round(outcome.seconds, 3),
        complaints=tuple(map(whole, outcome.complaints)),
    )


def _values(found: Mapping[str, str] | None) -> dict[str, str] | None:
    return None if found is None else {whole(name): whole(value) for name, value in found.items()}


CANCELLED = OutcomeTold(ended=Ended.CANCELLED.value)
"""Of a job that had not begun."""


def _messages(said: Iterable[Message]) -> tuple[Told, ...]:
    return tuple(
        Told(
            severity=one.severity,
            line=one.pos.line,
            column=one.pos.column,
            end_line=one.end_pos.line if one.end_pos is not None else None,
            end_column=one.end_pos.column if one.end_pos is not None else None,
            text=whole(one.data)[:_LONGEST_MESSAGE],
        )
        for one in list(said)[:_MOST_MESSAGES]
    )
