"""Rollouts, and Lean's word about them: groups are drawn one after the other while those before are judged.

A group is judged on a thread of its own, one proof after the other, identical ones once; so a proof that hangs holds up
its group and no other. Whether a rollout is a success is the shared verdict's decision (`pythagoras.lean.verifier`).

A Lean that breaks down is asked again; if it goes on, there is no verdict, and the rollout counts neither as a success
nor as a failure. It is not learned from, so that what crashes Lean gains nothing by it. Code that never looks at the
clock is killed by it and does get a verdict: a timeout.

Nothing that is learned depends on when verdicts come, but for two backstops, which are counted where they acted:
`timeouts`, when the clock and not Lean's own count of heartbeats ended a proof, and groups that are `late`.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from pythagoras.corpus.judgements import readable
from pythagoras.corpus.records import Formalisation
from pythagoras.generate.decoding.texts import Texts
from pythagoras.generate.decoding.tokens import Decoder, TokenRequest
from pythagoras.lean.pool import Checker, Status
from pythagoras.lean.statements import Statement
from pythagoras.lean.verdict import Outcome
from pythagoras.lean.verifier import CheckedVerifier, Judged, Submission, statement_check, statement_fault
from pythagoras.lean.wire import Limits
from pythagoras.llm.chat import Message

LANES = 8
"""Groups that are judged at a time; how many proofs Lean really checks at once is the checker's business."""
_TRIES = 2
"""How often a proof is asked about when Lean breaks down over it; each time Lean itself tries twice."""
_FEW = 8
"""Only one in so many groups of a wave may be left behind as late."""
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Task:
    """A problem as the model sees it."""

    id: str
    """The record's."""
    goal: Formalisation
    statement: Statement
    shown: tuple[Message, ...] | str
    prompt: tuple[int, ...]
    """The same as tokens."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """What the model wrote for a task."""

    tokens: tuple[int, ...]
    text: str
    """As a judge reads it: up to the proof's end, as in evaluation."""
    seed: int
    ended: bool
    """False where it ran into the limit of tokens."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A task with all of its rollouts."""

    task: Task
    rollouts: tuple[Rollout, ...]


def seed_of(run_seed: int, epoch: int, task: str, number: int) -> int:
    """63 bits for one rollout at the task of that id: the same whatever else is drawn."""
    text = f"rl {run_seed} {epoch} {task} {number}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def draw(
    decoder: Decoder, texts: Texts, tasks: Sequence[tuple[Task, int]], rollouts: int, seed: int
) -> Iterator[tuple[int, Drawn]]:
    """Groups as they are complete, each with its number; tasks come with their epochs."""
    seeds = [[seed_of(seed, epoch, task.id, number) for number in range(rollouts)] for task, epoch in tasks]
    requests = (
        TokenRequest(at * rollouts + number, task.prompt, seeds[at][number])
        for at, (task, _) in enumerate(tasks)
        for number in range(rollouts)
    )
    open_groups: dict[int, dict[int, Rollout]] = {}
    for decoded in decoder.decode(requests):
        at, number = divmod(decoded.request.number, rollouts)
        text = readable(texts.text(tasks[at][0].shown, decoded.tokens))
        group = open_groups.setdefault(at, {})
        group[number] = Rollout(decoded.tokens, text, decoded.request.seed, decoded.ended)
        if len(group) == rollouts:
            del open_groups[at]
            yield at, Drawn(tasks[at][0], tuple(group[number] for number in range(rollouts)))
    assert not open_groups, "the decoder left requests unanswered"


@dataclass(slots=True)
class Trial:
    """A group before Lean: its verdicts as they come."""

    drawn: Drawn
    verdicts: dict[str, Judged] = field(default_factory=dict)
    """By the rollout's text; without a verdict where Lean broke down over it."""
    retried: int = 0
    unfit: str = ""
    """Why Lean does not take the statement itself."""
    given_up: threading.Event = field(default_factory=threading.Event)
    done: Future[None] = field(default_factory=Future)

    @property
    def rewards(self) -> tuple[float | None, ...]:
        """1 iff proved, 0 iff judged otherwise, None without a verdict."""
        return tuple(self._reward(rollout.text) for rollout in self.drawn.rollouts)

    def _reward(self, text: str) -> float | None:
        judged = self.verdicts.get(text)
        return None if judged is None or judged.verdict is None else float(judged.verdict.proved)

    @property
    def timeouts(self) -> int:
        """Proofs that the clock ended."""
        verdicts = (judged.verdict for judged in list(self.verdicts.values()))
        return sum(verdict is not None and verdict.outcome is Outcome.TIMEOUT for verdict in verdicts)


class Bench:
    """Where groups are judged, on threads. Use it in a `with` block."""

    def __init__(self, checker: Checker, limits: Limits, lanes: int = LANES) -> None:
        self._checker = checker
        self._limits = limits
        self._lanes = lanes
        self._workers: ThreadPoolExecutor | None = None
        self._heard = time.monotonic()  # when a verdict came last

    def __enter__(self) -> Self:
        self._workers = ThreadPoolExecutor(self._lanes, thread_name_prefix="verdicts")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._workers is not None
        self._workers.shutdown(wait=kind is None, cancel_futures=True)

    def submit(self, drawn: Drawn) -> Trial:
        """Have a group judged."""
        assert self._workers is not None, "use it in a `with` block"
        trial = Trial(drawn)
        self._heard = time.monotonic()
        trial.done = self._workers.submit(self._judge, trial)
        return trial

    def in_order(self, trials: Sequence[Trial], patience_s: float) -> Iterator[tuple[Trial, bool]]:
        """Each trial when it is done, in their order; or given up, with True, when Lean is silent and few are left."""
        for trial in trials:
            while not trial.done.done():
                wait([trial.done], timeout=_POLL_S)
                open_ones = sum(not other.done.done() for other in trials)
                silent_s = time.monotonic() - self._heard
                if silent_s > patience_s and open_ones <= max(1, len(trials) // _FEW):
                    trial.given_up.set()
                    break
            is_late = trial.given_up.is_set()
            if not is_late:
                trial.done.result()
            yield trial, is_late

    # --- on the threads ------------------------------------------------------------------------

    def _judge(self, trial: Trial) -> None:
        statement = trial.drawn.task.statement
        verifier = CheckedVerifier(self._checker, limits=self._limits)  # not for several threads
        for text in dict.fromkeys(rollout.text for rollout in trial.drawn.rollouts):
            for attempt in range(_TRIES):
                if trial.given_up.is_set():
                    return
                trial.retried += attempt > 0
                judged = next(iter(verifier.verify([Submission(statement, text)])))
                self._heard = time.monotonic()
                if judged.verdict is not None:
                    break
                trial.unfit = self._fault(statement)
                if trial.unfit:
                    return
            trial.verdicts[text] = judged

    def _fault(self, statement: Statement) -> str:
        """What Lean has against the statement itself; empty where it has nothing, or could not be asked."""
        checked = next(iter(self._checker.check([statement_check(statement, self._limits)])))
        if checked.answer is None or checked.status is not Status.ANSWERED:
            return ""
        return statement_fault(statement.name, checked.answer)
