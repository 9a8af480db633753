"""From problems of competition level to variants of them. The problems themselves are held out; no rubric here.

The paper: simplifying them would put what is held out, in pieces, into the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Problem, Provenance, Tier, record_id, settings_text
from pythagoras.pipeline.case import Case, ask, given_up, seed_of
from pythagoras.pipeline.roles.role import Player, Task
from pythagoras.pipeline.roles.vary import VARY
from pythagoras.pipeline.tools import Tools
from pythagoras.pipeline.work import Outcome


@dataclass(frozen=True, slots=True)
class WantedVariant:
    """One variant of a problem."""

    problem: Problem
    number: int


def wanted_variants(problems: Iterable[Problem], variants: int) -> Iterator[WantedVariant]:
    return (WantedVariant(problem, number) for problem in problems for number in range(variants))


@dataclass(frozen=True, slots=True)
class Varying:
    """The job: variants that are wanted in, problems out."""

    tools: Tools
    seed: int

    @contextmanager
    def open(self) -> Iterator[Callable[[tuple[WantedVariant, ...]], tuple[Outcome, ...]]]:
        with self.tools.players("vary") as (player,):
            yield lambda wanted: self._handle(player, wanted)

    def give_up(self, wanted: tuple[WantedVariant, ...], why: str) -> tuple[Outcome, ...]:
        return given_up([Case(one, one.problem) for one in wanted], why)

    def _handle(self, player: Player, wanted: tuple[WantedVariant, ...]) -> tuple[Outcome, ...]:
        cases = [Case(one, one.problem) for one in wanted]

        def task(case: Case[WantedVariant]) -> Task:
            problem, number = case.row.problem, case.row.number
            fields = {"problem": problem.text, "number": str(number + 1)}
            return Task(fields, number, seed_of(self.seed, "vary", record_id(problem)))  # numbers tell variants apart

        for case, varied in ask(VARY, player, "vary", cases, task, Reason.NOT_VARIED):
            case.kept = _variant(case.row, varied.question, varied.change, player.name)
        return tuple(case.outcome() for case in cases)


def _variant(wanted: WantedVariant, question: str, change: str, maker: str) -> Problem:
    original = wanted.problem
    settings = {"root": record_id(original), "number": wanted.number, "change": change}
    return Problem(
        text=question,
        source=original.source,
        topic=original.topic,
        tier=Tier.HARD,
        provenance=Provenance(record_id(original), f"vary:{maker}", settings_text(settings)),
    )
