"""From failures to easier problems: the paper's rubric.

Each failure is examined first: what it died of, and whether an easier problem can be made from that. Those where one
can go to two distillers, a large and a small one, for a few problems each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import PurePosixPath
from typing import get_args

from pythagoras.corpus.files import read_records
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import (
    Attempt,
    Formalisation,
    Judgement,
    Problem,
    Provenance,
    Record,
    Rejected,
    Tier,
    record_id,
    settings_of,
    settings_text,
)
from pythagoras.corpus.rows import from_line
from pythagoras.corpus.store import Store
from pythagoras.pipeline.case import Case, ask, given_up, root_of, seed_of
from pythagoras.pipeline.failures import Failure, Size, actionable, distil_fields, examine
from pythagoras.pipeline.roles.distil import DISTIL, Distilled
from pythagoras.pipeline.roles.role import Player, Task
from pythagoras.pipeline.tools import Metered, Tools
from pythagoras.pipeline.work import Outcome

SIZES: tuple[Size, ...] = get_args(Size)
"""The two distillers: `large`, `small`."""
_FAILED = frozenset({Reason.REFUSED_BY_LEAN.value, Reason.NOT_PROVED.value})


@dataclass(frozen=True, slots=True)
class FailedGoal:
    """A statement that stayed unproved, with all that was tried and what Lean said to it."""

    goal: Formalisation
    tries: tuple[tuple[Attempt, Judgement], ...]


def failed_goals(store: Store, among: Collection[str] | None = None) -> Iterator[FailedGoal]:
    """What Lean refused in a store: statements that are no Lean, or that nobody proved. `among` are ids; None: all."""
    for piece in _pieces(store):
        for failed in _failed_in(piece):
            if among is None or record_id(failed.goal) in among:
                yield failed


def count_failed(store: Store) -> int:
    """How many there are in all."""
    dropped = store.manifest.funnel[-1].dropped
    return sum(dropped.get(reason, 0) for reason in _FAILED)


@dataclass(frozen=True, slots=True)
class Examining:
    """The job: failed goals in, those that an easier problem can be made from out, with what distillers need."""

    tools: Tools

    @contextmanager
    def open(self) -> Iterator[Callable[[tuple[FailedGoal, ...]], tuple[Outcome, ...]]]:
        with self.tools.lean() as checker:
            lean = Metered(checker)
            yield lambda goals: tuple(self._examine(lean, goal) for goal in goals)

    def give_up(self, goals: tuple[FailedGoal, ...], why: str) -> tuple[Outcome, ...]:
        return given_up([Case(failed, failed.goal) for failed in goals], why)

    def _examine(self, lean: Metered, failed: FailedGoal) -> Outcome:
        """The first attempt whose failure is actionable is the one that counts; else the last."""
        case = Case(failed, failed.goal)
        for attempt, judged in failed.tries:
            failure = examine(failed.goal, attempt, judged, lean, self.tools.limits())
            acts, why = actionable(failure)
            if acts:
                case.kept = _with_failure(failed.goal, failure, why.value)
                break
        case.costs.update(lean.taken())
        case.tally.update((f"class/{failure.category.value}", f"level/{failure.level.value}", f"why/{why.value}"))
        if case.is_open:
            case.drop(Reason.NOT_ACTIONABLE, why.value)
        return case.outcome()


@dataclass(frozen=True, slots=True)
class WantedProblem:
    """One easier problem from one distiller."""

    goal: Formalisation
    """Failed and examined."""
    size: Size
    number: int

    @property
    def part(self) -> str:
        """Who writes it."""
        return f"distil_{self.size}"


def wanted_problems(goals: Iterable[Formalisation], variants: int) -> Iterator[WantedProblem]:
    return (WantedProblem(goal, size, number) for goal in goals for size in SIZES for number in range(variants))


@dataclass(frozen=True, slots=True)
class Distilling:
    """The job: problems that are wanted in, problems out."""

    tools: Tools
    seed: int

    @contextmanager
    def open(self) -> Iterator[Callable[[tuple[WantedProblem, ...]], tuple[Outcome, ...]]]:
        parts = [f"distil_{size}" for size in SIZES]
        with self.tools.players(*parts) as players:
            cast = dict(zip(parts, players, strict=True))
            yield lambda wanted: self._handle(cast, wanted)

    def give_up(self, wanted: tuple[WantedProblem, ...], why: str) -> tuple[Outcome, ...]:
        cases = [Case(one, one.goal) for one in wanted]
        for case in cases:
            _count(case)
        return given_up(cases, why)

    def _handle(self, players: Mapping[str, Player], wanted: tuple[WantedProblem, ...]) -> tuple[Outcome, ...]:
        cases = [Case(one, one.goal) for one in wanted]

        def task(case: Case[WantedProblem]) -> Task:
            row = case.row
            fields = {**settings_of(row.goal)["failure"], "number": str(row.number + 1), "size": row.size}
            return Task(fields, row.number, seed_of(self.seed, row.part, record_id(row.goal)))

        for part, player in players.items():
            own = [case for case in cases if case.row.part == part]
            for case, distilled in ask(DISTIL, player, part, own, task, Reason.NOT_DISTILLED):
                case.kept = _problem(case.row, distilled, player.name)
        for case in cases:
            _count(case)
        return tuple(case.outcome() for case in cases)


def _count(case: Case[WantedProblem]) -> None:
    ends = ("read", "kept") if case.kept is not None else ("read",)
    case.tally.update(f"{end}/origin/rubric:{case.row.size}" for end in ends)


def _problem(wanted: WantedProblem, distilled: Distilled, player: str) -> Problem:
    goal = wanted.goal
    settings = {
        "player": player,
        "number": wanted.number,
        "root": root_of(goal),
        "root_cause": distilled.root_cause,
        "category": distilled.category.value,
        "level": distilled.level.value,
        "solution": distilled.solution,
    }
    return Problem(
        text=distilled.question,
        source=goal.source,
        topic=goal.topic,
        tier=Tier.EASY,
        provenance=Provenance(record_id(goal), f"rubric:{wanted.size}", settings_text(settings)),
    )


def _with_failure(goal: Formalisation, failure: Failure, why: str) -> Formalisation:
    """The goal, with the fields of a distiller's task in its provenance."""
    fields = distil_fields(failure, 0, "large")
    told = {name: text for name, text in fields.items() if name not in ("number", "size")}
    more = settings_text(settings_of(goal) | {"failure": told, "why": why})
    return replace(goal, provenance=replace(goal.provenance, settings=more))


# --- failures as they stand in stores -------------------------------------------------------------


def _pieces(store: Store) -> Iterator[dict[str, list[Record]]]:
    """The records of a store by kind, a piece at a time: what belongs together was written together."""
    shards = sorted(store.shards, key=lambda shard: PurePosixPath(shard.path).name)
    for _, piece in groupby(shards, key=lambda shard: PurePosixPath(shard.path).name):
        found: dict[str, list[Record]] = defaultdict(list)
        for shard in piece:
            found[shard.kind] += read_records(store.folder / shard.path, shard.kind)
        yield found


def _failed_in(piece: Mapping[str, list[Record]]) -> Iterator[FailedGoal]:
    attempts: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in piece.get("attempt", ()):
        assert isinstance(attempt, Attempt)
        attempts[attempt.formalisation].append(attempt)
    judged = {record.submission: record for record in piece.get("judgement", ()) if isinstance(record, Judgement)}
    for rejected in piece.get("rejected", ()):
        assert isinstance(rejected, Rejected)
        if rejected.reason not in _FAILED:
            continue
        goal = from_line(rejected.row)
        assert isinstance(goal, Formalisation)
        own = attempts.get(rejected.record) or [Attempt(rejected.record, "", submission=rejected.record)]
        tries = [(attempt, judged[attempt.submission]) for attempt in own if attempt.submission in judged]
        yield FailedGoal(goal, tuple(tries))
