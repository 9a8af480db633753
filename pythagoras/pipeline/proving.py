"""From a statement to an instance: the prover tries, Lean judges, one proof that holds is enough.

The paper draws two proofs of each statement and accepts it when at least one is verified. Here the second is drawn only
when the first has failed: the same statements are accepted, with half of the work for those that are easy. Every
attempt is kept with its judgement, since failures are what the rubric learns from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from pythagoras.corpus.judgements import judgement, readable, submission_id
from pythagoras.corpus.proofs import context_in, has_body, proof_in, reasoning_in
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import (
    Attempt,
    Formalisation,
    Instance,
    Provenance,
    record_id,
    settings_of,
    settings_text,
    statement_of,
)
from pythagoras.generate.sampler import Finish, Request, Sample, Sampler
from pythagoras.lean.statements import Statement
from pythagoras.lean.verdict import Outcome as LeanOutcome
from pythagoras.lean.verifier import CheckedVerifier, Judged, Submission, Verifier
from pythagoras.lean.version import lean_version
from pythagoras.pipeline.case import Case, count, given_up, seed_of
from pythagoras.pipeline.tools import Metered, Tools
from pythagoras.pipeline.work import Outcome

NO_ERROR = "no error of Lean's"
"""Where a failed attempt has no class of error: it is cut off, too long, or not even a proof."""
TIMED_OUT = "timeout"
NO_BODY = "proved by cases, without :="


@dataclass(frozen=True, slots=True)
class Proving:
    """The job: formalisations in, instances out."""

    tools: Tools
    seed: int
    attempts: int

    @contextmanager
    def open(self) -> Iterator[Callable[[tuple[Formalisation, ...]], tuple[Outcome, ...]]]:
        with ExitStack() as stack:
            checker = stack.enter_context(self.tools.lean())
            lean = Metered(checker)
            prover = stack.enter_context(self.tools.prover(lean))
            verifier = CheckedVerifier(lean, limits=self.tools.limits())
            crew = _Crew(lean, prover, verifier, lean_version(checker))
            yield lambda goals: self._handle(crew, goals)

    def give_up(self, goals: tuple[Formalisation, ...], why: str) -> tuple[Outcome, ...]:
        cases = [Case(goal, goal) for goal in goals]
        for case in cases:
            count(case, case.row)
        return given_up(cases, why)

    def _handle(self, crew: _Crew, goals: tuple[Formalisation, ...]) -> tuple[Outcome, ...]:
        cases = [_Goal(goal) for goal in goals]
        most = self.attempts if crew.prover.most is None else min(self.attempts, crew.prover.most)
        for number in range(most):
            open_ = [case for case in cases if case.case.is_open]
            self._attempt(crew, open_, number)
        for goal in cases:
            goal.end()
            count(goal.case, goal.case.row)
        cases[0].case.costs.update(crew.lean.taken())
        return tuple(goal.case.outcome() for goal in cases)

    def _attempt(self, crew: _Crew, goals: Sequence[_Goal], number: int) -> None:
        """One attempt at each, judged."""
        requests = [
            Request(goal.record, number, seed=seed_of(self.seed, "prove", record_id(goal.record), number))
            for goal in goals
        ]
        samples: list[Sample | None] = [None] * len(goals)
        for sample in crew.prover.sample(requests):
            samples[requests.index(sample.request)] = sample
        written = []
        for goal, drawn in zip(goals, samples, strict=True):
            if drawn is None or drawn.finish in (Finish.FAILED, Finish.NONE):
                goal.unanswered = (drawn.failure if drawn else "") or f"{crew.prover.name} did not answer"
                continue
            goal.take(drawn, crew.prover)
            written.append((goal, drawn))
        submissions = [Submission(goal.statement, sample.text) for goal, sample in written]
        for (goal, sample), judged in zip(written, crew.verifier.verify(submissions), strict=True):
            goal.learn(sample, judged, crew)


@dataclass(frozen=True, slots=True)
class _Crew:
    lean: Metered
    prover: Sampler
    verifier: Verifier
    lean_version: str


class _Goal:
    """A statement under proof."""

    def __init__(self, record: Formalisation) -> None:
        self.record = record
        self.case: Case[Formalisation] = Case(record, record)
        self.statement = statement_of(record)
        self.unanswered = ""
        self.no_verdict = ""
        self.errors: list[str] = []
        """How each judged attempt failed."""

    def take(self, sample: Sample, prover: Sampler) -> None:
        """Keep an attempt."""
        self.case.beside.append(attempt_of(self.record, self.statement, sample, prover))
        self.case.costs.update(drawing_costs(sample))

    def learn(self, sample: Sample, judged: Judged, crew: _Crew) -> None:
        """Keep the judgement, and the instance if it is a proof."""
        submission = submission_id(record_id(self.record), self.statement, readable(sample.text))
        record = judgement(submission, replace(judged, seconds=0.0), crew.lean_version)
        if record not in self.case.beside:  # two attempts may be the same proof
            self.case.beside.append(record)
        if judged.verdict is None:
            self.no_verdict = judged.failure
            return
        if not judged.verdict.proved:
            timed_out = judged.verdict.outcome is LeanOutcome.TIMEOUT
            self.errors.append(record.error or (TIMED_OUT if timed_out else NO_ERROR))
            return
        assert judged.assembly is not None
        if not has_body(judged.assembly):
            self.errors.append(NO_BODY)
            return
        self.case.kept = _instance(self.record, self.statement, sample, judged, crew.prover.name)
        self.case.tally[f"proved/attempt/{sample.request.number}"] += 1

    def end(self) -> None:
        """What becomes of it when all attempts are made."""
        ended = "recovered" if self.case.kept is not None else "error"
        self.case.tally.update(f"{ended}/{error}" for error in self.errors)
        if not self.case.is_open:
            return
        if not self.errors:
            self.case.drop(Reason.NO_VERDICT, self.no_verdict or self.unanswered)
            return
        self.case.drop(Reason.NOT_PROVED, self.errors[-1])


def attempt_of(goal: Formalisation, statement: Statement, sample: Sample, prover: Sampler) -> Attempt:
    """The record of what a prover wrote, without the time that it took."""
    text = readable(sample.text)
    return Attempt(
        formalisation=record_id(goal),
        completion=text,
        number=sample.request.number,
        submission=submission_id(record_id(goal), statement, text),
        finish=sample.finish.value,
        prompt_tokens=sample.prompt_tokens,
        generated_tokens=sample.generated_tokens,
        seed=sample.request.seed,
        provenance=Provenance(record_id(goal), prover.name, settings_text(dict(prover.settings))),
    )


def drawing_costs(sample: Sample) -> dict[str, float]:
    """What it took. One from the cache was paid for when it was drawn."""
    if sample.from_cache:
        return {"prover_attempts": 1, "prover_from_cache": 1}
    return {
        "prover_attempts": 1,
        "prover_s": sample.seconds,
        "prover_prompt_tokens": sample.prompt_tokens,
        "prover_generated_tokens": sample.generated_tokens,
    }


def _instance(goal: Formalisation, statement: Statement, sample: Sample, judged: Judged, maker: str) -> Instance:
    assert judged.assembly is not None
    settings = {
        name: value for name, value in settings_of(goal).items() if name in ("origin", "root", "type", "read_back")
    }
    return Instance(
        name=goal.name,
        statement=goal.text,
        proof=proof_in(judged.assembly),
        source=goal.source,
        tier=goal.tier,
        verified=True,
        reasoning=reasoning_in(readable(sample.text), statement),
        informal=goal.docstring,
        header=goal.header,
        context=context_in(judged.assembly, statement),
        topic=goal.topic,
        provenance=Provenance(record_id(goal), maker, settings_text(settings | {"attempt": sample.request.number})),
    )
