"""Lean as a reward for anybody's training: 1 iff the one verdict says proved, 0 iff it says not.

verl    reward.custom_reward_function.path=pkg://pythagoras.train.rewards and .name=compute_score_async, or
        compute_score (the reward manager `remote` takes no other)
TRL     GRPOTrainer(reward_funcs=lean_reward) or lean_reward_async; rows have the columns `statement` and, where it is
        not said there, `name` and `header`

PYTHAGORAS_LEAN says which Lean judges, as `lean.backends` reads it: `embedded`, `native:FOLDER`, or the address of a
Kimina Lean Server or of `pythagoras lean serve`. Trainers with many processes should share a server: each process
would start Leans of its own. The other settings have variables, too (`_VARIABLES`); LEAN_SERVER_API_KEY is a server's
key. All but the key can be given by name: in verl's `reward_kwargs`, and for TRL with `functools.partial`.

A Lean that breaks down is asked again. Where it goes on, there is no verdict and no reward: verl's function raises
RewardError, TRL's says None, which TRL leaves out from 1.16 on (older ones may make a 0 of it). A Lean that can't be
opened at all is an InputError. verl's managers `limited` and `prime` make a 0 of what is raised: do not use them.
Nothing but the verdict is rewarded here.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

from pythagoras.errors import InputError
from pythagoras.generate.raw import completed
from pythagoras.lean.backends import DEFAULT, default_header, open_checker
from pythagoras.lean.pool import Check, Checked, Checker, Status
from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.lean.verdict import STANDARD, Outcome
from pythagoras.lean.verifier import Docket, Judged, Submission
from pythagoras.lean.wire import Limits
from pythagoras.lookup import choose

_WAITING = 64
"""Rollouts that are with Lean or wait for it on a thread; how many run at a time is the checker's business."""
_TRIES = 2
"""How often Lean is asked when it breaks down; each time it tries twice by itself."""
_REMEMBERED = 4096
_PARSED = 4096


class RewardError(RuntimeError):
    """There is no verdict, so there is no reward."""


@dataclass(frozen=True, slots=True)
class RewardSettings:
    """Which Lean judges rollouts, and what it may use."""

    lean: str = DEFAULT
    jobs: int | None = None
    """Checks at a time; None for what this Lean takes by itself."""
    timeout_s: float = 60.0
    """For one rollout, by the clock."""
    heartbeats: int | None = None
    """For one rollout, in thousands, as Lean's own option counts; the same on every machine."""
    patience_s: float = 3_600.0
    """The end of all waiting for the verdicts of one call, their turns included."""


_VARIABLES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "lean": ("PYTHAGORAS_LEAN", str),
    "jobs": ("PYTHAGORAS_LEAN_JOBS", int),
    "timeout_s": ("PYTHAGORAS_LEAN_TIMEOUT", float),
    "heartbeats": ("PYTHAGORAS_LEAN_HEARTBEATS", int),
    "patience_s": ("PYTHAGORAS_LEAN_PATIENCE", float),
}
_VERLS_OWN = frozenset({"reward_router_address", "reward_model_tokenizer"})
"""What verl passes to every reward beside its `reward_kwargs`."""


def settings_from(environment: Mapping[str, str], given: Mapping[str, Any] | None = None) -> RewardSettings:
    """What was given by name, else what the environment says, else the defaults. Raises InputError."""
    wanted = {name: _read(environment, *variable) for name, variable in _VARIABLES.items()}
    for name, value in (given or {}).items():
        if name not in _VERLS_OWN:
            choose("setting of the reward", name, _VARIABLES)
            wanted[name] = value
    return RewardSettings(**{name: value for name, value in wanted.items() if value is not None})


class Judge:
    """Judges rollouts as they come, from any thread or event loop, and nobody waits for another's.

    What Lean was asked once it is not asked again: a statement for each of its rollouts, or the same proof twice. Use
    it in a `with` block.
    """

    def __init__(self, checker: Checker, limits: Limits = Limits()) -> None:
        self._checker = checker
        self._limits = limits
        self._lock = threading.Lock()
        self._answers: OrderedDict[Check, Future[Checked]] = OrderedDict()
        self._workers: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        self._workers = ThreadPoolExecutor(_WAITING, thread_name_prefix="reward")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._workers is not None:
            self._workers.shutdown(wait=True, cancel_futures=True)

    def submit(self, submission: Submission) -> Future[Judged]:
        """The judgement, when it is there."""
        assert self._workers is not None, "use it in a `with` block"
        return self._workers.submit(self._judge, submission)

    def _judge(self, submission: Submission) -> Judged:
        docket = Docket(STANDARD, self._limits, until_error=True)
        return next(docket.judgements(map(self._answer, docket.checks([submission]))))

    def _answer(self, check: Check) -> Checked:
        """What Lean says; whoever asks first asks for all."""
        with self._lock:
            known = self._answers.get(check)
            if known is None:
                mine: Future[Checked] = Future()
                self._answers[check] = mine
                if len(self._answers) > _REMEMBERED:
                    self._answers.popitem(last=False)
            else:
                self._answers.move_to_end(check)
        if known is not None:
            return known.result()
        try:
            checked = self._asked(check)
        except BaseException as error:
            self._forget(check)
            mine.set_exception(error)
            raise
        if checked.status is not Status.ANSWERED:  # worth another try when it is asked again
            self._forget(check)
        mine.set_result(checked)
        return checked

    def _asked(self, check: Check) -> Checked:
        for _ in range(_TRIES):
            checked = next(iter(self._checker.check([check])))
            if checked.status is not Status.HOST_FAILURE or checked.hung:  # what never looks at the clock never will
                break
        return checked

    def _forget(self, check: Check) -> None:
        with self._lock:
            self._answers.pop(check, None)


# --- verl ----------------------------------------------------------------------------------------


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    **given: Any,
) -> dict[str, Any]:
    """The score of a rollout. `ground_truth` is the statement, `extra_info` may name the theorem and its header."""
    settings = settings_from(os.environ, given)
    rollout = _rollout(solution_str, ground_truth, extra_info or {}, settings)
    judgement = opened(settings).submit(rollout)
    wait([judgement], settings.patience_s)
    return _score(_verdict(judgement, settings))


async def compute_score_async(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    **given: Any,
) -> dict[str, Any]:
    """The same, awaited: thousands of rollouts may wait for Lean without a thread each."""
    settings = settings_from(os.environ, given)
    rollout = _rollout(solution_str, ground_truth, extra_info or {}, settings)
    judge = await asyncio.to_thread(opened, settings)  # the first call starts Lean
    judgement = judge.submit(rollout)
    with suppress(Exception):  # what became of it is asked below
        await asyncio.wait_for(asyncio.wrap_future(judgement), settings.patience_s)
    return _score(_verdict(judgement, settings))


# --- TRL -----------------------------------------------------------------------------------------


def lean_reward(
    prompts: Sequence[Any],
    completions: Sequence[Any],
    completion_ids: Sequence[Any] | None = None,
    *,
    statement: Sequence[str],
    name: Sequence[str | None] | None = None,
    header: Sequence[str | None] | None = None,
    log_metric: Callable[[str, float], None] | None = None,
    settings: RewardSettings | None = None,
    **others: object,
) -> list[float | None]:
    """A reward for each completion, None for one without a verdict. Raises RewardError where none has any.

    Among `others` are the data's columns and TRL's own arguments, and settings that were given by name.
    """
    settings = settings or settings_from(os.environ, {key: others[key] for key in others.keys() & _VARIABLES.keys()})
    names, headers = name or [None] * len(statement), header or [None] * len(statement)
    judge = opened(settings)
    waiting: list[Future[Judged] | RewardError] = []
    for prompt, written, truth, called, stands_on in zip(prompts, completions, statement, names, headers, strict=True):
        try:
            extra = {"name": called, "header": stands_on}
            waiting.append(judge.submit(_rollout(_text(prompt, written), truth, extra, settings)))
        except RewardError as error:
            waiting.append(error)
    wait([each for each in waiting if isinstance(each, Future)], settings.patience_s)
    return _rewards([_verdict(each, settings) if isinstance(each, Future) else each for each in waiting], log_metric)


async def lean_reward_async(*given: Any, **named: Any) -> list[float | None]:
    """The same, awaited: other asynchronous rewards run beside it."""
    return await asyncio.to_thread(lean_reward, *given, **named)


# --- inside --------------------------------------------------------------------------------------

_OPENED: dict[tuple[int, RewardSettings], Judge] = {}  # trainers call bare functions: there is no other place for it
_OPENING = threading.Lock()


def opened(settings: RewardSettings) -> Judge:
    """This process's judge with these settings: opened by the first who asks, closed when the process ends."""
    key = os.getpid(), settings  # a forked process has none of its parent's threads
    with _OPENING:
        if key not in _OPENED:
            if not _OPENED:
                os.register_at_fork(after_in_child=_unlock)
            limits = Limits(timeout_s=settings.timeout_s, heartbeats=settings.heartbeats)
            stack = ExitStack()
            checker = stack.enter_context(open_checker(settings.lean, jobs=settings.jobs, spare=False))
            _OPENED[key] = stack.enter_context(Judge(checker, limits))
            atexit.register(_close, stack, os.getpid())
        return _OPENED[key]


def _close(stack: ExitStack, owner: int) -> None:
    """End a judge and its Lean, unless this is a process that was forked off the one that began them."""
    if os.getpid() == owner:
        stack.close()


def _unlock() -> None:
    """In a process that is just forked: whoever held the lock is not in it."""
    global _OPENING
    _OPENING = threading.Lock()


def _verdict(judgement: Future[Judged], settings: RewardSettings) -> Judged | RewardError:
    """What has come of a judgement by now.

    Never a TimeoutError, which some of verl's managers take for a failed proof.
    """
    if not judgement.done() or judgement.cancelled():
        judgement.cancel()
        return RewardError(f"there was no verdict within {settings.patience_s:g} seconds: give Lean more processes")
    failure = judgement.exception()
    return judgement.result() if failure is None else RewardError(f"Lean could not be asked: {failure}")


def _rollout(solution: str, truth: str, extra: Mapping[str, Any], settings: RewardSettings) -> Submission:
    header = extra.get("header") or default_header(settings.lean)
    try:
        return Submission(_statement(truth, extra.get("name") or None, header), solution)
    except InputError as error:
        raise RewardError(f"there is nothing to judge by: {error}") from error


def _text(prompt: Any, completion: Any) -> str:
    """What a model wrote: behind a raw prompt, or in its turn of a chat."""
    return completed(prompt, completion) if isinstance(completion, str) else str(completion[-1]["content"])


@lru_cache(maxsize=_PARSED)
def _statement(text: str, name: str | None, header: str) -> Statement:
    return parse_statement(text, name=name, header=header)


def _score(judged: Judged | RewardError) -> dict[str, Any]:
    """A verdict as verl takes it: `acc` is what its filter of groups looks at, the others are logged."""
    if isinstance(judged, RewardError):
        raise judged
    if judged.verdict is None:
        raise RewardError(f"Lean gave no verdict about {judged.submission.statement.name}: {judged.failure}")
    score, reason = float(judged.verdict.outcome is Outcome.PROVED), judged.verdict.reason.name.lower()
    return {"score": score, "acc": score, "outcome": judged.verdict.outcome.value, "reason": reason}


def _rewards(
    judged: Sequence[Judged | RewardError], log_metric: Callable[[str, float], None] | None
) -> list[float | None]:
    rewards: list[float | None] = []
    why = ""
    for each in judged:
        if isinstance(each, Judged) and each.verdict is not None:
            rewards.append(float(each.verdict.outcome is Outcome.PROVED))
        else:
            rewards.append(None)
            why = why or (each.failure if isinstance(each, Judged) else str(each))
    if rewards and rewards.count(None) == len(rewards):  # to go on would be to train on nothing, unnoticed
        raise RewardError(f"Lean gave no verdict about any of {len(rewards)} rollouts: {why}")
    if log_metric is not None and rewards:
        log_metric("lean/no_verdict", rewards.count(None) / len(rewards))
    return rewards


def _read(environment: Mapping[str, str], variable: str, read: Callable[[str], Any]) -> Any:
    text = environment.get(variable, "").strip()
    if not text:
        return None
    if read is str:
        return text
    try:
        found = read(text)
    except ValueError:
        found = 0
    if not found > 0:
        raise InputError(f"{variable} is {text!r}, and should be a number above 0: set it to one, or unset it")
    return found
