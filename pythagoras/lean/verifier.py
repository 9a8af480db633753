"""Judge submissions against statements, on any Lean: prepare, ask, decide.

Lean is asked twice: once about the statement alone, in a clean environment, which says what its kernel type is; and
about the submission, assembled behind our statement. The first answer is kept, so a thousand attempts at one statement
cost one. A Lean that breaks down gives no verdict; it never counts against the proof.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from pythagoras.lean.pool import Check, Checked, Checker, Status
from pythagoras.lean.statements import Statement
from pythagoras.lean.submission import Assembly, prepare, read
from pythagoras.lean.verdict import (
    STANDARD,
    Policy,
    Reason,
    Refusal,
    Rung,
    Target,
    Verdict,
    decide,
    first_line,
    refuse,
)
from pythagoras.lean.wire import NO_PROGRAMS, PROOFS_ONLY, Answer, Limits

_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Submission:
    """What a model wrote for a statement: a proof body, a file, or a whole completion."""

    statement: Statement
    text: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A submission and the verdict about it; without one when there was nothing to judge by."""

    submission: Submission
    verdict: Verdict | None
    failure: str = ""
    """Why there is no verdict: Lean broke down, or the statement itself is no Lean."""
    assembly: Assembly | None = None
    """What Lean was asked, when it was."""
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """For JSON: enums by their names in lower case, lists for tuples. Without a verdict, the failure."""
        verdict = self.verdict
        common = {"theorem": self.submission.statement.name, "seconds": round(self.seconds, 3)}
        if verdict is None:
            return {**common, "outcome": None, "failure": self.failure}
        return {
            **common,
            "outcome": verdict.outcome.value,
            "reason": verdict.reason.name.lower(),
            "why": verdict.reason.value,
            "detail": verdict.detail or None,
            "rungs": [rung.name.lower() for rung in verdict.rungs],
            "tier": int(verdict.tier),
            "axioms": list(verdict.axioms),
            "paper_rule": verdict.paper_rule,
            "messages": [message.model_dump(by_alias=True, exclude_none=True) for message in verdict.messages],
            "checked": self.assembly.text if self.assembly is not None else None,
        }


class Verifier(Protocol):
    """Whatever can judge submissions."""

    def verify(self, submissions: Iterable[Submission]) -> Iterator[Judged]:
        """Judgements in the order of the submissions, each as soon as it and those before it are there."""
        ...


def statement_check(statement: Statement, limits: Limits) -> Check:
    """What Lean is asked about a statement alone."""
    return Check(
        statement.source,
        statement.header,
        limits,
        refuse=NO_PROGRAMS,
        holes=statement.answers,
        names=(statement.name,),
    )


def statement_fault(name: str, answer: Answer) -> str:
    """Why nothing can be judged against the statement of that name, by Lean's answer to it; empty when it is sound."""
    declared = next((d for d in answer.declarations if d.name == name), None)
    if answer.refused is not None:
        return f"the statement itself has {answer.refused.syntax}, which no judged text may have: leave it out"
    if answer.errors:
        return f"the statement is no Lean ({first_line(answer.errors[0])}): correct it"
    if declared is None or declared.kind != "theorem":
        return f"the statement declares no theorem {name}: name the theorem that shall be proved"
    return ""


class CheckedVerifier:
    """The verifier on top of a Lean, whichever it is. Not for several threads at once.

    With `until_error`, Lean stops at a proof's first error and does not put it into words: the same is proved, for half
    of the work where much fails, but nobody learns why.
    """

    def __init__(
        self, checker: Checker, policy: Policy = STANDARD, limits: Limits = Limits(), *, until_error: bool = False
    ) -> None:
        self._checker = checker
        self._policy = policy
        self._limits = limits
        self._until_error = until_error
        self._targets: OrderedDict[Check, _Known] = OrderedDict()

    def verify(self, submissions: Iterable[Submission]) -> Iterator[Judged]:
        """Judgements in the order of the submissions, each as soon as it and those before it are there."""
        docket = Docket(self._policy, self._limits, self._targets, until_error=self._until_error)
        yield from docket.judgements(self._checker.check(docket.checks(submissions)))


class Docket:
    """What Lean must be asked to judge one stream of submissions, and the judgements from its answers.

    Asks nobody itself. `targets` remembers what statements are, so that each is asked about once.
    """

    def __init__(
        self,
        policy: Policy,
        limits: Limits,
        targets: OrderedDict[Check, _Known] | None = None,
        *,
        until_error: bool = False,
    ) -> None:
        self._policy = policy
        self._limits = limits
        self._until_error = until_error
        self._targets = OrderedDict() if targets is None else targets
        self._asked: dict[Check, _Known] = {}  # by this stream; one that was left early learned nothing
        self._plans: deque[_Plan] = deque()

    def checks(self, submissions: Iterable[Submission]) -> Iterator[Check]:
        """What Lean is to be asked, in order."""
        for submission in submissions:
            statement = submission.statement
            prepared = prepare(statement, submission.text, self._policy)
            if isinstance(prepared, Refusal):
                self._plans.append(_Plan(submission, prepared))
                continue
            known, is_new = self._known(statement)
            self._plans.append(_Plan(submission, prepared, known, asks_statement=is_new, waits_for=1 + is_new))
            if is_new:
                yield known.check
            yield Check(
                prepared.text,
                statement.header,
                self._limits,
                refuse=PROOFS_ONLY,
                replay=self._policy.replay,
                holes=statement.answers,
                names=(prepared.name,),
                until_error=self._until_error,
            )

    def judgements(self, answers: Iterable[Checked]) -> Iterator[Judged]:
        """The judgements, in the order of the submissions, from the answers to the checks in theirs."""
        plans = self._plans
        for checked in answers:
            while plans[0].waits_for == 0:
                yield self._judge(plans.popleft())
            plan = plans[0]
            if plan.asks_statement and plan.known is not None:
                self._asked.pop(plan.known.check, None)  # what is learned now is in `_targets`
            plan.take(checked)
            if plan.waits_for == 0:
                yield self._judge(plans.popleft())
        while plans:
            yield self._judge(plans.popleft())

    def _known(self, statement: Statement) -> tuple[_Known, bool]:
        """What is known of a statement, and whether Lean must be asked for it first."""
        check = statement_check(statement, self._limits)
        on_its_way = self._asked.get(check)
        if on_its_way is not None:
            return on_its_way, False
        known = self._targets.get(check)
        if known is not None and known.is_final:
            self._targets.move_to_end(check)
            return known, False
        known = self._asked[check] = self._targets[check] = _Known(check, statement.name)
        if len(self._targets) > _REMEMBERED:
            self._targets.popitem(last=False)
        return known, True

    def _judge(self, plan: _Plan) -> Judged:
        if isinstance(plan.prepared, Refusal):
            written = read(plan.submission.statement, plan.submission.text)
            unknown = written.paper_rule or written.too_long
            return Judged(plan.submission, refuse(plan.prepared, self._policy, paper_rule=None if unknown else False))
        known, checked = plan.known, plan.checked
        assert known is not None
        assert checked is not None
        seconds = checked.seconds
        if known.target is None:
            return Judged(plan.submission, None, known.failure, plan.prepared, seconds)
        if checked.answer is None and checked.hung:
            verdict = refuse(Refusal(Rung.ACCEPTED, Reason.TIME_LIMIT), self._policy)
        elif checked.answer is None:
            return Judged(plan.submission, None, checked.failure, plan.prepared, seconds)
        else:
            target = Target(plan.prepared.name, known.target.type_key)
            verdict = decide(checked.answer, target, self._policy, paper_rule=plan.prepared.paper_rule)
            if verdict.reason is Reason.REPLAY_FAILED and checked.answer.replay is None:
                failure = "this Lean can't replay: leave the replay out, or ask the embedded one"
                return Judged(plan.submission, None, failure, plan.prepared, seconds)
        return Judged(plan.submission, verdict, "", plan.prepared, seconds)


@dataclass(slots=True)
class _Known:
    """What Lean said to a statement alone."""

    check: Check
    name: str
    target: Target | None = None
    failure: str = ""
    worth_asking_again: bool = False

    @property
    def is_final(self) -> bool:
        """Lean has answered, and would say the same again."""
        return not self.worth_asking_again and (self.target is not None or bool(self.failure))

    def learn(self, checked: Checked) -> None:
        answer = checked.answer
        if answer is None or checked.status is not Status.ANSWERED:
            self.failure = checked.failure or "Lean did not finish with the statement within its time: raise the limit"
            self.worth_asking_again = True
            return
        self.failure = statement_fault(self.name, answer)
        if not self.failure:
            self.target = Target(self.name, next(d.type_key for d in answer.declarations if d.name == self.name))


@dataclass(slots=True)
class _Plan:
    """A submission on its way."""

    submission: Submission
    prepared: Assembly | Refusal
    known: _Known | None = None
    asks_statement: bool = False
    waits_for: int = 0
    checked: Checked | None = None

    def take(self, checked: Checked) -> None:
        """The next answer of Lean's is for this one."""
        self.waits_for -= 1
        if self.asks_statement:
            assert self.known is not None
            self.known.learn(checked)
            self.asks_statement = False
        else:
            self.checked = checked
