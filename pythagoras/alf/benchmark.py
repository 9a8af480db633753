"""A benchmark made from a benchmark: of every problem the two variants that are farthest from it and stand all tests.

Candidates are drafted in rounds of five (`drafting`). One is refused when small numbers refute it, a judge finds it
ill-formed, Lean does not accept it, it is canonically the original or a sibling, or it is trivial: a one-line tactic
proves it although none proves the original. The others are ranked by cosine distance from the original, bound names
set aside, and the first ones stay: at first those by different operators that are not nearly the original; where the
rounds leave too few of them, any. Where a round leaves too few, another is drafted; a problem that has too few after
the last one keeps what it has. Every candidate that was drafted is kept or refused with a reason, so counts add up.

Whether a variant is true, the operator promises, a prover shows, or nobody knows: each that is kept says which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from random import Random
from typing import TypeAlias

from pythagoras.alf.diversity import NEAR
from pythagoras.alf.drafting import Draft, Drafter
from pythagoras.alf.mutating import Missing
from pythagoras.alf.renaming import called
from pythagoras.alf.variants import Category, Parent, Promise
from pythagoras.alf.wellformed import Judge, Unjudged
from pythagoras.corpus.embedding.role import Embedder
from pythagoras.corpus.normal import alpha_key, alpha_text
from pythagoras.corpus.records import Formalisation, record_id
from pythagoras.generate.portfolio import ONE_LINERS
from pythagoras.generate.sampler import Request, Sampler
from pythagoras.generate.search import HEARTBEATS
from pythagoras.language.evaluate import refuted
from pythagoras.lean.pool import Check, Checked, Checker, Status
from pythagoras.lean.statements import Statement
from pythagoras.lean.verdict import STANDARD_AXIOMS
from pythagoras.lean.verdict import Outcome as Judged
from pythagoras.lean.verifier import CheckedVerifier, Submission, statement_check, statement_fault
from pythagoras.lean.wire import NO_PROGRAMS, Answer, Limits
from pythagoras.pipeline.case import seed_of

ONE_LINE = Limits(heartbeats=HEARTBEATS, timeout_s=60)
"""What a one-line tactic may spend: what the search gives one. Heartbeats decide, so that no machine's speed does; the
clock is for a kernel that calculates without end."""
_A_STATEMENT = Limits(timeout_s=20)
_PROOF = Limits(timeout_s=60)
_AT_A_TIME = 8
"""Problems that are worked on together, so that Lean and models always have enough to do."""


class Refusal(StrEnum):
    """Why a candidate is not in the benchmark."""

    REPEATED = "the same text as another candidate or the original"
    REFUTED = "refuted by small numbers"
    ILL_FORMED = "ill-formed"
    NOT_ACCEPTED = "not accepted by Lean"
    NO_VERDICT = "no verdict"
    """Lean broke down over it, or took too long; or the judge did not answer."""
    SAME_AS_ORIGINAL = "canonically the original"
    SAME_AS_SIBLING = "canonically another candidate"
    TRIVIAL = "trivial"
    TRUTH_UNKNOWN = "truth unknown"
    LESS_DIVERGENT = "less divergent"
    """Nothing speaks against it, or nobody asked: others are farther from the original."""


class Truth(StrEnum):
    """What is known of a variant."""

    PROMISED = "promised"
    """The operator's variants of true statements are true."""
    PROVED = "proved"
    """Lean accepts a proof of it, which is not kept."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Kept:
    """A problem of the new benchmark."""

    name: str
    draft: Draft
    distance: float
    """From the original: 1 less the cosine of the two without their names, bound ones included."""
    goal: str
    """As Lean prints it."""
    truth: Truth

    @property
    def text(self) -> str:
        """The statement under its name in the benchmark."""
        return called(self.draft.statement.text, self.name)


@dataclass(frozen=True, slots=True)
class Turned:
    """A candidate that is not in the benchmark."""

    draft: Draft
    why: Refusal
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one problem."""

    parent: Parent
    fault: str
    """Why there can be no variants of it: Lean does not accept it. Empty for the others."""
    one_line: str
    """The one-line tactic that proves the original; empty where none does."""
    kept: tuple[Kept, ...]
    refused: tuple[Turned, ...]
    missing: tuple[Missing, ...]
    """Categories in which nothing could be drafted, round by round."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Whoever takes part."""

    drafter: Drafter
    judge: Judge
    embedder: Embedder
    checker: Checker
    prover: Sampler | None = None
    """Tries to prove what nobody promises to be true."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is wanted."""

    keep: int = 2
    rounds: int = 4
    known_true: bool = False
    """Whether only what is promised or proved is kept."""
    attempts: int = 1
    """The prover's, at one variant."""
    seed: int = 0
    """What its attempts' own seeds are made of."""


_DEFAULT = Plan()


@dataclass(slots=True, eq=False)
class _Candidate:
    draft: Draft
    goal: str = ""
    distance: float = 0.0


@dataclass(slots=True, eq=False)
class _Case:
    """A problem that is worked on."""

    parent: Parent
    name: str
    fault: str = ""
    one_line: str = ""
    texts: set[str] = field(default_factory=set)
    """Canonical texts of the original and of all candidates so far."""
    key: str = ""
    """The original's, by Lean's kernel."""
    keys: set[str] = field(default_factory=set)
    waiting: list[_Candidate] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    refused: list[Turned] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)

    def refuse(self, candidate: _Candidate, why: Refusal, detail: str = "") -> None:
        self.waiting.remove(candidate)
        self.refused.append(Turned(candidate.draft, why, detail))


_Pair: TypeAlias = tuple[_Case, _Candidate]


def build(parents: Iterable[Parent], crew: Crew, plan: Plan = _DEFAULT, done: Container[str] = ()) -> Iterator[Outcome]:
    """The outcome of every problem, in order, but for those that are done: by the name of their record.

    What becomes of a problem depends on nothing but itself, the crew and the plan.
    """
    named = (case for case in _named(parents) if case.parent.record.name not in done)
    while cases := list(islice(named, _AT_A_TIME)):
        _Chunk(cases, crew, plan).work()
        for case in cases:
            yield Outcome(
                case.parent, case.fault, case.one_line, tuple(case.kept), tuple(case.refused), tuple(case.missing)
            )


def _named(parents: Iterable[Parent]) -> Iterator[_Case]:
    """Problems with what their variants' names begin with, all different."""
    seen = Counter[str]()
    for parent in parents:
        plain = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in parent.record.name)
        seen[plain] += 1
        yield _Case(parent, plain if seen[plain] == 1 else f"{plain}_{seen[plain]}")


class _Chunk:
    """Problems that are worked on together."""

    def __init__(self, cases: Sequence[_Case], crew: Crew, plan: Plan) -> None:
        self.cases = cases
        self.crew = crew
        self.plan = plan

    def work(self) -> None:
        self.admit()
        for number in range(self.plan.rounds):
            wanting = [case for case in self.cases if not case.fault and len(case.kept) < self.plan.keep]
            if not wanting:
                break
            self.accept(self.judge(self.draft(wanting, number)))
            self.rank(wanting)
            while chosen := self.foremost(new=True):
                self.keep(chosen)
        while chosen := self.foremost(new=False):
            self.keep(chosen)
        for case in self.cases:
            for candidate in list(case.waiting):
                case.refuse(candidate, Refusal.LESS_DIVERGENT)

    def admit(self) -> None:
        """Which originals Lean accepts, and which of them a one-line tactic proves."""
        answers = _asked([_alone(case.parent.statement) for case in self.cases], self.crew.checker)
        for case, checked in zip(self.cases, answers, strict=True):
            case.fault = _fault(case.parent.statement, checked)
            case.key = "" if case.fault else _key(case.parent.statement, checked)
            case.texts.add(alpha_key(case.parent.statement.text))
        sound = [case for case in self.cases if not case.fault]
        tactics = one_line_proofs([case.parent.statement for case in sound], self.crew.checker)
        for case, tactic in zip(sound, tactics, strict=True):
            case.one_line = tactic or ""  # where nobody knows, what is trivial is refused as if it were news

    def draft(self, cases: Sequence[_Case], number: int) -> list[_Pair]:
        """New candidates, without those that are told by reading."""
        found: list[_Pair] = []
        drafted = self.crew.drafter.draft([case.parent for case in cases], number)
        for case, made in zip(cases, drafted, strict=True):
            for one in made:
                if isinstance(one, Missing):
                    case.missing.append(one)
                    continue
                candidate = _Candidate(one)
                case.waiting.append(candidate)
                found.append((case, candidate))
                text, claim = alpha_key(one.statement.text), one.variant.claim
                if text in case.texts:
                    case.refuse(candidate, Refusal.REPEATED)
                elif claim is not None and (values := refuted(claim, Random(0))) is not None:
                    case.refuse(candidate, Refusal.REFUTED, ", ".join(f"{k} = {v}" for k, v in values.items()))
                case.texts.add(text)
        return _waiting(found)

    def judge(self, found: Sequence[_Pair]) -> list[_Pair]:
        faults = self.crew.judge.faults([(case.parent, candidate.draft.variant) for case, candidate in found])
        for (case, candidate), fault in zip(found, faults, strict=True):
            if isinstance(fault, Unjudged):
                case.refuse(candidate, Refusal.NO_VERDICT, fault.why)
            elif fault:
                case.refuse(candidate, Refusal.ILL_FORMED, fault)
        return _waiting(found)

    def accept(self, found: Sequence[_Pair]) -> None:
        """What Lean takes, and takes for something new."""
        answers = _asked([_alone(candidate.draft.statement) for _, candidate in found], self.crew.checker)
        for (case, candidate), checked in zip(found, answers, strict=True):
            statement = candidate.draft.statement
            if checked.status is not Status.ANSWERED:
                case.refuse(candidate, Refusal.NO_VERDICT, checked.failure or checked.status.value)
            elif fault := _fault(statement, checked):
                case.refuse(candidate, Refusal.NOT_ACCEPTED, fault)
            elif (own := _key(statement, checked)) == case.key:
                case.refuse(candidate, Refusal.SAME_AS_ORIGINAL)
            elif own in case.keys:
                case.refuse(candidate, Refusal.SAME_AS_SIBLING)
            else:
                case.keys.add(own)
                candidate.goal = _goal(checked.answer)

    def rank(self, cases: Sequence[_Case]) -> None:
        """The most divergent candidates first. All have other names, at random: those would be most of a distance."""
        for case in cases:
            if not case.waiting:
                continue
            statements = [case.parent.statement, *(one.draft.statement for one in case.waiting)]
            original, *others = self.crew.embedder.embed([alpha_text(one.text) for one in statements])
            for candidate, vector in zip(case.waiting, others, strict=True):
                candidate.distance = max(0.0, 1.0 - float(original @ vector))
            case.waiting.sort(key=lambda one: -one.distance)

    def foremost(self, new: bool) -> list[_Pair]:
        """Of each problem the next candidates, as many as it still wants.

        With `new`, only what is not nearly the original, and of one operator (of a chat model, in one category) one.
        """
        found: list[_Pair] = []
        for case in self.cases:
            kinds = {_kind(kept.draft) for kept in case.kept}
            wanted = self.plan.keep - len(case.kept)
            for candidate in case.waiting:
                kind = _kind(candidate.draft)
                if wanted and not (new and (candidate.distance < NEAR or kind in kinds)):
                    found.append((case, candidate))
                    kinds.add(kind)
                    wanted -= 1
        return found

    def keep(self, chosen: Sequence[_Pair]) -> None:
        """Keep these, but for what is trivial, or not known to be true where that is wanted: that is told sooner."""
        truths = dict(zip(chosen, self.truths([candidate.draft for _, candidate in chosen]), strict=True))
        if self.plan.known_true:
            for case, candidate in [pair for pair, truth in truths.items() if truth is Truth.UNKNOWN]:
                case.refuse(candidate, Refusal.TRUTH_UNKNOWN)
                del truths[case, candidate]
        hard = [(case, candidate) for case, candidate in truths if not case.one_line]
        tactics = one_line_proofs([candidate.draft.statement for _, candidate in hard], self.crew.checker)
        for (case, candidate), tactic in zip(hard, tactics, strict=True):
            if tactic is None:
                case.refuse(candidate, Refusal.NO_VERDICT, "Lean broke down over the one-line tactics")
            elif tactic:
                case.refuse(candidate, Refusal.TRIVIAL, tactic)
        for case, candidate in _waiting(list(truths)):
            case.waiting.remove(candidate)
            name, truth = f"{case.name}_alf{len(case.kept) + 1}", truths[case, candidate]
            case.kept.append(Kept(name, candidate.draft, candidate.distance, candidate.goal, truth))

    def truths(self, drafts: Sequence[Draft]) -> list[Truth]:
        found = [Truth.PROMISED if one.variant.promise is Promise.TRUE else Truth.UNKNOWN for one in drafts]
        prover = self.crew.prover
        if prover is None:
            return found
        verifier = CheckedVerifier(self.crew.checker, limits=_PROOF)
        for number in range(self.plan.attempts):
            open_ = [at for at, truth in enumerate(found) if truth is Truth.UNKNOWN]
            goals = [_formalisation(drafts[at].statement) for at in open_]
            requests = [
                Request(goal, number, seed=seed_of(self.plan.seed, "prove", record_id(goal), number)) for goal in goals
            ]
            texts = {id(sample.request): sample.text for sample in prover.sample(requests)}
            submissions = [
                Submission(drafts[at].statement, texts[id(request)])
                for at, request in zip(open_, requests, strict=True)
            ]
            for at, judged in zip(open_, verifier.verify(submissions), strict=True):
                if judged.verdict is not None and judged.verdict.outcome is Judged.PROVED:
                    found[at] = Truth.PROVED
        return found


def one_line_proofs(statements: Sequence[Statement], checker: Checker) -> list[str | None]:
    """For each statement the first one-line tactic that proves it; empty where none does, None where Lean breaks down.

    All tactics in one question, a theorem each: nothing here was written by a prover, so no judge is needed to see
    which of them Lean took without `sorry`.
    """
    checked = _asked([_with_tactics(one) for one in statements], checker)
    return [_tactic(one, answer) for one, answer in zip(statements, checked, strict=True)]


def _with_tactics(statement: Statement) -> Check:
    context = f"{statement.context}\n\n" if statement.context else ""
    theorems = (f"{called(statement.text, suffix=suffix)} := by {tactic}" for suffix, tactic in _attempts())
    return Check(context + "\n\n".join(theorems), statement.header, ONE_LINE, refuse=NO_PROGRAMS)


def _tactic(statement: Statement, checked: Checked) -> str | None:
    declared = () if checked.answer is None else checked.answer.declarations
    proved = {one.name for one in declared if one.kind == "theorem" and STANDARD_AXIOMS.issuperset(one.axioms)}
    found = next((tactic for suffix, tactic in _attempts() if f"{statement.name}{suffix}" in proved), "")
    return found if found or checked.status is Status.ANSWERED else None


def _attempts() -> Iterator[tuple[str, str]]:
    """What the theorems' names end with, and their proofs."""
    return ((f"_by{number}", tactic) for number, tactic in enumerate(ONE_LINERS))


# --- what Lean says of a statement -------------------------------------------------------------------


def _alone(statement: Statement) -> Check:
    return statement_check(statement, _A_STATEMENT)


def _asked(checks: Sequence[Check], checker: Checker) -> list[Checked]:
    """Lean's answers. What it broke down over is asked about once more; what took too long would do so again."""
    answers = list(checker.check(checks))
    again = [at for at, checked in enumerate(answers) if checked.status is Status.HOST_FAILURE]
    for at, checked in zip(again, checker.check(answers[at].check for at in again), strict=True):
        answers[at] = checked
    return answers


def _fault(statement: Statement, checked: Checked) -> str:
    if checked.answer is None or checked.status is not Status.ANSWERED:
        return f"Lean does not come to an end with it: {checked.failure or checked.status.value}"
    return statement_fault(statement.name, checked.answer)


def _key(statement: Statement, checked: Checked) -> str:
    assert checked.answer is not None
    return next(one.type_key for one in checked.answer.declarations if one.name == statement.name)


def _goal(answer: Answer | None) -> str:
    return answer.sorries[-1].goal if answer is not None and answer.sorries else ""


def _waiting(found: Sequence[_Pair]) -> list[_Pair]:
    """Those that were not refused."""
    return [(case, candidate) for case, candidate in found if candidate in case.waiting]


def _kind(draft: Draft) -> tuple[str, Category]:
    return draft.variant.operator, draft.variant.category


def _formalisation(statement: Statement) -> Formalisation:
    return Formalisation(
        name=statement.name, text=statement.text, source="", header=statement.header, context=statement.context
    )
