"""Self-distillation: the prover writes one proof of each variant, and the pair stays when it is aligned. No Lean.

The paper draws at temperature 1.2 and top-p 0.95, from the model that will be trained on the pairs, and from no larger
one. Every completion is kept as an attempt, whatever becomes of the pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pythagoras.alf.aligning import Aligned, Fault, Misaligned, align
from pythagoras.corpus import prompts
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import (
    Formalisation,
    Instance,
    Provenance,
    Tier,
    record_id,
    settings_of,
    settings_text,
    statement_of,
)
from pythagoras.errors import InputError
from pythagoras.generate.sampler import Finish, Request, Sample, Sampler
from pythagoras.lean.statements import Statement
from pythagoras.pipeline.case import Case, given_up, seed_of
from pythagoras.pipeline.proving import attempt_of, drawing_costs
from pythagoras.pipeline.work import Outcome

STAGE = "alf"
"""What the settings of a pair say about where it comes from."""
ROWS_AT_ONCE = 256
"""Variants that a prover gets together: a few of its batches, so that little time is lost at their ends."""


@dataclass(frozen=True, slots=True)
class Distilling:
    """The job: variants in, pairs out. The prover is open, and in this process."""

    prover: Sampler
    seed: int

    @contextmanager
    def open(self) -> Iterator[Callable[[tuple[Formalisation, ...]], tuple[Outcome, ...]]]:
        yield self._handle

    def give_up(self, goals: tuple[Formalisation, ...], why: str) -> tuple[Outcome, ...]:
        return given_up([Case(goal, goal) for goal in goals], why)

    def _handle(self, goals: tuple[Formalisation, ...]) -> tuple[Outcome, ...]:
        cases = [Case(goal, goal) for goal in goals]
        asked: list[tuple[Request, Case[Formalisation], Statement]] = []
        for case in cases:
            try:
                asked.append((self._request(case.row), case, statement_of(case.row)))
            except InputError as error:
                case.drop(Reason.UNREADABLE, str(error))
        for sample in self.prover.sample([request for request, _, _ in asked]):
            at = next(at for at, (request, _, _) in enumerate(asked) if request is sample.request)
            _, case, statement = asked.pop(at)
            self._take(case, statement, sample)
        for _, case, _ in asked:
            case.drop(Reason.NO_VERDICT, f"{self.prover.name} did not answer")
        return tuple(case.outcome() for case in cases)

    def _request(self, goal: Formalisation) -> Request:
        return Request(goal, 0, seed=seed_of(self.seed, STAGE, record_id(goal)))

    def _take(self, case: Case[Formalisation], statement: Statement, sample: Sample) -> None:
        if sample.finish in (Finish.FAILED, Finish.NONE):
            case.drop(Reason.NO_VERDICT, sample.failure or f"{self.prover.name} did not answer")
            return
        case.beside.append(attempt_of(case.row, statement, sample, self.prover))
        case.costs.update(drawing_costs(sample))
        found = align(statement, sample)
        pair = None if isinstance(found, Misaligned) else self._pair(case.row, found, sample)
        if pair is not None and (why := prompts.unfit(pair)):
            found = Misaligned(Fault.SPECIAL_TOKEN, why)
        if isinstance(found, Misaligned):
            case.tally[f"fault/{found.fault.value}"] += 1
            case.drop(Reason.NOT_ALIGNED, f"{found.fault.value}: {found.detail}" if found.detail else found.fault.value)
            return
        case.kept = pair

    def _pair(self, goal: Formalisation, found: Aligned, sample: Sample) -> Instance:
        """A variant's pair has the variant's parent and operator; another statement's is the prover's alone."""
        told = settings_of(goal)
        made = goal.provenance if "category" in told else Provenance(record_id(goal), self.prover.name)
        more = {"stage": STAGE, "prover": self.prover.name, "seed": sample.request.seed}
        return Instance(
            name=goal.name,
            statement=goal.text,
            proof=found.proof,
            source=goal.source,
            tier=Tier.ALF,
            verified=False,
            reasoning=found.reasoning,
            informal=goal.docstring,
            header=goal.header,
            context=found.context,
            topic=goal.topic,
            provenance=replace(made, settings=settings_text(told | more)),
        )
