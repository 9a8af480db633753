"""From a problem in words to a statement in Lean that says the same: the first stage of the paper's pipeline.

A formaliser writes a statement, Lean says whether it means anything, an informaliser reads it back without having seen
the problem, and a judge compares the two texts. Whatever fails is dropped with the reason of the step that refused it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from pythagoras.corpus.judgements import remarks_of
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import (
    Formalisation,
    Judgement,
    Problem,
    Provenance,
    record_id,
    settings_of,
    settings_text,
    statement_of,
)
from pythagoras.lean.diagnostics import classify
from pythagoras.lean.pool import Checked, Checker, Status
from pythagoras.lean.statements import Statement
from pythagoras.lean.verifier import statement_check, statement_fault
from pythagoras.pipeline.case import Case, ask, count, given_up, origin_of, root_of, seed_of
from pythagoras.pipeline.roles.align import ALIGN
from pythagoras.pipeline.roles.formalise import FORMALISE
from pythagoras.pipeline.roles.informalise import INFORMALISE
from pythagoras.pipeline.roles.role import Player, Task
from pythagoras.pipeline.tools import Metered, Tools
from pythagoras.pipeline.work import Outcome

HEADER_NOTES = {
    "core": (
        "Lean 4 with its own library, and no Mathlib. The notations ℕ ℤ ℚ, ∑ i ∈ Finset.range n, |x|, a ≡ b [MOD n], "
        "n ! and the names Even, Odd, Nat.Prime, Finset, IsLeast, IsGreatest are there; ℝ and ℂ are not."
    ),
    "mathlib": "Lean 4 with Mathlib, all of it imported.",
}
"""What a formaliser is told of a header."""


@dataclass(frozen=True, slots=True)
class Formalising:
    """The job: problems in, formalisations out."""

    tools: Tools
    seed: int
    header: str

    @contextmanager
    def open(self) -> Iterator[Callable[[tuple[Problem, ...]], tuple[Outcome, ...]]]:
        with ExitStack() as stack:
            lean = Metered(stack.enter_context(self.tools.lean()))
            crew = _Crew(lean, *stack.enter_context(self.tools.players("formalise", "informalise", "align")))
            yield lambda problems: self._handle(crew, problems)

    def give_up(self, problems: tuple[Problem, ...], why: str) -> tuple[Outcome, ...]:
        cases = [Case(problem, problem) for problem in problems]
        for case in cases:
            count(case, case.row)
        return given_up(cases, why)

    def _handle(self, crew: _Crew, problems: tuple[Problem, ...]) -> tuple[Outcome, ...]:
        cases = [Case(problem, problem) for problem in problems]
        self._formalise(crew, cases)
        self._elaborate(crew.lean, cases)
        self._align(crew, cases)
        cases[0].costs.update(crew.lean.taken())
        for case in cases:
            count(case, case.row)
        return tuple(case.outcome() for case in cases)

    def _formalise(self, crew: _Crew, cases: Sequence[Case[Problem]]) -> None:
        def task(case: Case[Problem]) -> Task:
            note = HEADER_NOTES.get(self.header, self.header)
            fields = {"problem": case.row.text, "name": theorem_name(case.row), "header": note}
            return Task(fields, seed=seed_of(self.seed, "formalise", record_id(case.row)))

        for case, text in ask(FORMALISE, crew.formaliser, "formalise", cases, task, Reason.NOT_FORMALISED):
            case.record = formalisation(case.row, text, self.header, crew.formaliser.name)

    def _elaborate(self, lean: Checker, cases: Sequence[Case[Problem]]) -> None:
        """Ask Lean about each statement alone; what it broke down over is asked about once more."""
        open_ = [case for case in cases if case.is_open]
        statements = [statement_of(_formalisation(case)) for case in open_]
        answers = list(lean.check(statement_check(statement, self.tools.limits()) for statement in statements))
        for case, statement, checked in zip(open_, statements, answers, strict=True):
            if checked.status is not Status.ANSWERED:
                checked = next(iter(lean.check([checked.check])))
            self._take(case, statement, checked)

    def _take(self, case: Case[Problem], statement: Statement, checked: Checked) -> None:
        if checked.answer is None or checked.status is not Status.ANSWERED:
            case.drop(Reason.NO_VERDICT, checked.failure or "Lean did not finish with the statement")
            return
        fault = statement_fault(statement.name, checked.answer)
        if fault:
            error = classify(checked.answer.errors[0], statement.source).error.value if checked.answer.errors else ""
            if error:
                case.tally[f"error/{error}"] += 1
            case.beside.append(_refusal(statement, checked, _formalisation(case), fault, error))
            case.drop(Reason.REFUSED_BY_LEAN, f"{error}: {fault}" if error else fault)
            return
        declared = next(found for found in checked.answer.declarations if found.name == statement.name)
        _note(case, type=declared.type_key)

    def _align(self, crew: _Crew, cases: Sequence[Case[Problem]]) -> None:
        read_back: dict[str, str] = {}

        def to_read(case: Case[Problem]) -> Task:
            fields = {"statement": _formalisation(case).text}
            return Task(fields, seed=seed_of(self.seed, "informalise", record_id(case.row)))

        def to_compare(case: Case[Problem]) -> Task:
            fields = {
                "problem": case.row.text,
                "read_back": read_back[record_id(case.row)],
                "statement": _formalisation(case).text,
            }
            return Task(fields, seed=seed_of(self.seed, "align", record_id(case.row)))

        for case, text in ask(INFORMALISE, crew.informaliser, "informalise", cases, to_read, Reason.NOT_READ_BACK):
            read_back[record_id(case.row)] = text
            _note(case, read_back=text, informaliser=crew.informaliser.name, judge=crew.judge.name)
        for case, verdict in ask(ALIGN, crew.judge, "align", cases, to_compare, Reason.NOT_ALIGNED):
            if verdict.same:
                case.kept = case.record
            else:
                case.drop(Reason.NOT_ALIGNED, verdict.discrepancy)


@dataclass(frozen=True, slots=True)
class _Crew:
    """Who works in one worker."""

    lean: Metered
    formaliser: Player
    informaliser: Player
    judge: Player


def theorem_name(problem: Problem) -> str:
    """The name of the theorem that formalises a problem: the same in every run."""
    return f"problem_{record_id(problem)[:16]}"


def formalisation(problem: Problem, text: str, header: str, maker: str) -> Formalisation:
    """The record of a statement that somebody wrote for a problem."""
    settings = {"origin": origin_of(problem), "root": root_of(problem)}
    return Formalisation(
        name=theorem_name(problem),
        text=text,
        source=problem.source,
        header=header,
        docstring=problem.text,
        problem=record_id(problem),
        topic=problem.topic,
        tier=problem.tier,
        provenance=Provenance(record_id(problem), maker, settings_text(settings)),
    )


def _formalisation(case: Case[Problem]) -> Formalisation:
    assert isinstance(case.record, Formalisation)
    return case.record


def _note(case: Case[Problem], **settings: str) -> None:
    """Put more into the provenance of what was formalised."""
    record = _formalisation(case)
    more = settings_text(settings_of(record) | settings)
    case.record = replace(record, provenance=replace(record.provenance, settings=more))


def _refusal(statement: Statement, checked: Checked, goal: Formalisation, fault: str, error: str) -> Judgement:
    """What Lean said to a statement that it refuses, for whoever looks for the cause."""
    assert checked.answer is not None
    return Judgement(
        submission=record_id(goal),
        outcome="rejected",
        reason="lean_error",
        detail=fault,
        error=error,
        checked=statement.source,
        remarks=remarks_of(checked.answer.messages),
        provenance=Provenance(maker="lean"),
    )
