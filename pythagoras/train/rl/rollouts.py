"""Rollouts, and Lean's word about them: groups are drawn one after the other while those before are judged.

Of a group the statement is asked about first, and then each different proof, apart from all others: one that hangs
holds up itself alone. Whether a rollout is a success is the shared verdict's decision (`pythagoras.lean.verifier`).

A Lean that breaks down is asked once more, though it tries twice itself; if it goes on, there is no verdict, and the
rollout counts neither as a success nor as a failure. It is not learned from, so that what crashes Lean gains nothing by
it. Code that never looks at the clock is killed by it and does get a verdict: a timeout.

Nothing that is learned depends on when verdicts come, but for two backstops, which are counted where they acted:
`timeouts`, when the clock and not Lean's own count of heartbeats ended a proof, and groups that are `given_up`: a step
does not wait for the last of them. When Lean has been silent for longer than any proof may take, what is there has to
do, and a group with too few verdicts is `late`.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import Self

from pythagoras.corpus.judgements import readable
from pythagoras.corpus.records import Formalisation
from pythagoras.generate.texts import Texts
from pythagoras.lean.host import GRACE_S
from pythagoras.lean.pool import Check, Checked, Checker, Status
from pythagoras.lean.statements import Statement
from pythagoras.lean.verdict import Outcome
from pythagoras.lean.verifier import CheckedVerifier, Judged, Submission, statement_check, statement_fault
from pythagoras.lean.wire import Limits
from pythagoras.llm.chat import Message
from pythagoras.llm.decoding.tokens import Decoder, TokenRequest

LANES = 32
"""Proofs that are asked about at a time; how many Lean really checks at once is the checker's business."""
PATIENCE_S = 2 * GRACE_S
"""How much longer Lean may be silent than a proof may take: one that hangs is killed before, and its verdict there."""
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
    """A group before Lean: its verdicts as they come, until all are there or it is given up."""

    drawn: Drawn
    verdicts: dict[str, Judged] = field(default_factory=dict)
    """By the rollout's text; without a verdict where Lean broke down over it."""
    remembered: int = 0
    """Proofs of which the verdict was known, from an earlier time that the problem was drawn."""
    retried: int = 0
    """Questions that were asked again."""
    unfit: str = ""
    """Why Lean does not take the statement itself."""
    done: Future[None] = field(default_factory=Future)
    _given_up: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def texts(self) -> list[str]:
        """The different proofs."""
        return list(dict.fromkeys(rollout.text for rollout in self.drawn.rollouts))

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
        verdicts = (judged.verdict for judged in self.verdicts.values())
        return sum(verdict is not None and verdict.outcome is Outcome.TIMEOUT for verdict in verdicts)

    @property
    def given_up(self) -> bool:
        return self._given_up

    def give_up(self) -> None:
        """What is not there by now will not count."""
        with self._lock:
            self._given_up = True

    # --- told by threads -----------------------------------------------------------------------

    def take(self, text: str, judged: Judged, *, retried: bool = False, remembered: bool = False) -> None:
        """What came of a proof."""
        with self._lock:
            if self._given_up:
                return
            self.verdicts[text] = judged
            self.retried += retried
            self.remembered += remembered
            if len(self.verdicts) == len(self.texts):
                self.done.set_result(None)

    def fail(self, error: BaseException) -> None:
        """Whoever waits for it shall see this."""
        with self._lock:
            if not self.done.done():
                self.done.set_exception(error)


class Bench:
    """Where groups are judged, on threads. Use it in a `with` block.

    Verdicts are remembered, but for the clock's: a problem comes again in each epoch, and many of its proofs with it.
    """

    def __init__(self, checker: Checker, limits: Limits, lanes: int = LANES) -> None:
        self._checker = checker
        self._limits = limits
        self._lanes = lanes
        self._workers: ThreadPoolExecutor | None = None
        self._heard = time.monotonic()  # when Lean answered last
        self._fit: dict[str, Checked] = {}  # what Lean said of statements, by their tasks
        self._judged: dict[tuple[str, str], Judged] = {}  # and of proofs

    def __enter__(self) -> Self:
        self._workers = ThreadPoolExecutor(self._lanes, thread_name_prefix="verdicts")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._workers is not None
        self._workers.shutdown(wait=kind is None, cancel_futures=True)

    def submit(self, drawn: Drawn) -> Trial:
        """Have a group judged."""
        trial = Trial(drawn)
        self._heard = time.monotonic()
        self._start(trial, lambda: self._open(trial))
        return trial

    def in_order(self, trials: Sequence[Trial], patience_s: float) -> Iterator[Trial]:
        """Each trial when it is done, in their order; or given up, when Lean is silent and few are left."""
        for trial in trials:
            while not trial.done.done():
                wait([trial.done], timeout=_POLL_S)
                open_ones = sum(not other.done.done() for other in trials)
                silent_s = time.monotonic() - self._heard
                if silent_s > patience_s and open_ones <= max(1, len(trials) // _FEW):
                    trial.give_up()
                    break
            if not trial.given_up:
                trial.done.result()
            yield trial

    # --- on the threads ------------------------------------------------------------------------

    def _start(self, trial: Trial, work: Callable[[], None]) -> None:
        assert self._workers is not None, "use it in a `with` block"

        def run() -> None:
            try:
                if not trial.given_up:
                    work()
            except BaseException as error:  # handed to whoever waits
                trial.fail(error)

        self._workers.submit(run)

    def _open(self, trial: Trial) -> None:
        """Ask about the statement, and have the proofs asked about when Lean takes it."""
        task = trial.drawn.task
        statement = task.statement
        check = statement_check(statement, self._limits)
        said = self._fit.get(task.id) or self._asked(check)
        if said.status is not Status.ANSWERED:
            trial.retried += 1
            said = self._asked(check)
        if said.status is Status.ANSWERED:
            self._fit[task.id] = said
        if said.answer is not None and said.status is Status.ANSWERED:
            trial.unfit = statement_fault(statement.name, said.answer)
            if not trial.unfit:
                for text in trial.texts:
                    self._start(trial, partial(self._judge, trial, _Knowing(self._checker, said), text))
                return
        trial.done.set_result(None)

    def _asked(self, check: Check) -> Checked:
        said = next(iter(self._checker.check([check])))
        self._heard = time.monotonic()
        return said

    def _judge(self, trial: Trial, checker: Checker, text: str) -> None:
        key = trial.drawn.task.id, text
        if (known := self._judged.get(key)) is not None:
            trial.take(text, replace(known, seconds=0.0), remembered=True)
            return
        verifier = CheckedVerifier(checker, limits=self._limits, until_error=True)
        submission = Submission(trial.drawn.task.statement, text)
        judged = next(iter(verifier.verify([submission])))
        broke_down = judged.verdict is None
        if broke_down:
            judged = next(iter(verifier.verify([submission])))
        self._heard = time.monotonic()
        if judged.verdict is not None and judged.verdict.outcome is not Outcome.TIMEOUT:
            self._judged[key] = judged
        trial.take(text, judged, retried=broke_down)


@dataclass(frozen=True, slots=True)
class _Knowing:
    """A checker that knows one answer already."""

    checker: Checker
    known: Checked

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        for check in checks:
            yield self.known if check == self.known.check else next(iter(self.checker.check([check])))
