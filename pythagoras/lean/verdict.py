"""Is it proved? One pure decision for evaluation, reward and data alike.

What decides is what Lean hands over in structure: severities, the declared constant, its kernel type, its axioms.
Nothing that a submission can print, and no wording of a message, has a part in it. The rungs are climbed in order; the
verdict names the first that does not hold and every one that did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum

from pythagoras.lean.wire import Answer, Declaration, Message

STANDARD_AXIOMS = frozenset({"propext", "Quot.sound", "Classical.choice"})
COMPILER_AXIOMS = frozenset({"Lean.ofReduceBool", "Lean.ofReduceNat", "Lean.trustCompiler"})


class Outcome(Enum):
    """How it ended. A Lean that broke down is none of these: there is no verdict then."""

    PROVED = "proved"
    REJECTED = "rejected"
    TIMEOUT = "timeout"


class Rung(IntEnum):
    """What is checked, from the cheapest to the most thorough."""

    LEXICAL = 0
    """No word in it that declares axioms, runs programs, gives up, or loosens Lean's checks."""
    ASSEMBLED = 1
    """It has a proof of the target, which was put behind our header and our statement."""
    ACCEPTED = 2
    """Lean elaborates all of it without an error."""
    AXIOMS = 3
    """The target rests on permitted axioms alone."""
    STATEMENT = 4
    """The target is a theorem, and its kernel type is the one that our statement has by itself."""
    REPLAYED = 5
    """The kernel took all of it a second time, from a clean environment."""


class Reason(Enum):
    """Why a verdict is what it is; the value is what people read."""

    HOLDS = "it holds"
    # rung 0
    SORRY = "it uses sorry"
    AXIOM = "it declares an axiom or an opaque constant"
    COMPILER = "it trusts the compiler (native_decide, bv_decide)"
    PROGRAM = "it has a command that runs a program, or hides what Lean says, while Lean checks"
    SEARCH = "it leaves a search to Lean (apply?, exact?)"
    OPTION = "it sets an option that loosens Lean's checks"
    # rung 1
    TOO_LONG = "it is longer than what is judged"
    NO_PROOF = "there is no proof of the target in it"
    OPEN_ANSWER = "the statement leaves an answer open, which Lean can't judge"
    # rung 2
    LEAN_ERROR = "Lean reports an error"
    TIME_LIMIT = "Lean did not finish within its time"
    # rung 3
    FOREIGN_AXIOM = "it rests on an axiom that is not permitted"
    # rung 4
    NOT_DECLARED = "Lean has no constant of the target's name afterwards"
    NOT_A_THEOREM = "the target is not a theorem"
    STATEMENT_CHANGED = "it proves another statement than the target"
    # rung 5
    REPLAY_FAILED = "the kernel refuses it when it checks again"


@dataclass(frozen=True, slots=True)
class Policy:
    """What is permitted beyond a plain proof. The default permits nothing."""

    axioms: frozenset[str] = STANDARD_AXIOMS
    compiler: bool = False
    """Admit `native_decide` and `bv_decide`, whose results rest on compiled code."""
    search: bool = False
    """Admit `apply?`, `exact?` and their like, where what they find closes the goal."""
    answers: bool = False
    """Admit statements that leave an answer open (PutnamBench without its solutions); a person must read the answer."""
    gate: bool = True
    """The lexical rung. Off, it shows what the deeper rungs catch by themselves; Lean's own gate stays."""
    replay: bool = False
    """Climb the last rung, too."""

    @property
    def permitted_axioms(self) -> frozenset[str]:
        return self.axioms | (COMPILER_AXIOMS if self.compiler else frozenset())


STANDARD = Policy()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision about one submission."""

    outcome: Outcome
    reason: Reason
    detail: str
    """What exactly: the word, the axioms, the first error. For people."""
    rungs: tuple[Rung, ...]
    """Those that hold, in order."""
    axioms: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    """Lean's errors and warnings; positions are those of the text that was checked."""
    paper_rule: bool | None = None
    """Whether it passes the paper's rule: the statement stands in it verbatim (even in a comment), no `sorry` or
    `admit`, no error of Lean's. None when that rests on Lean, and Lean was not asked about all of it."""

    @property
    def proved(self) -> bool:
        return self.outcome is Outcome.PROVED

    @property
    def tier(self) -> int:
        """The highest rung that holds; -1 for none."""
        return max(self.rungs, default=-1)


@dataclass(frozen=True, slots=True)
class Target:
    """What must be there in the end: a theorem of this name and with this kernel type."""

    name: str
    type_key: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a rung does not hold."""

    rung: Rung
    reason: Reason
    detail: str = ""


_REFUSED = {
    "program": Reason.PROGRAM,
    "option": Reason.OPTION,
    "axiom": Reason.AXIOM,
    "sorry": Reason.SORRY,
}


def decide(answer: Answer, target: Target, policy: Policy = STANDARD, *, paper_rule: bool = False) -> Verdict:
    """The verdict about what Lean said to an assembled submission, one that passed the first two rungs."""
    declared = next((declaration for declaration in answer.declarations if declaration.name == target.name), None)
    refusal = next(_refusals(answer, declared, target, policy), None)
    accepted = not answer.errors and not answer.interrupted
    return _verdict(
        refusal,
        policy,
        axioms=declared.axioms if declared else (),
        messages=tuple(message for message in answer.messages if message.severity in ("error", "warning")),
        paper_rule=None if paper_rule and answer.refused is not None else paper_rule and accepted,
    )


def refuse(refusal: Refusal, policy: Policy = STANDARD, *, paper_rule: bool | None = None) -> Verdict:
    """The verdict about a submission that Lean was not asked about."""
    return _verdict(refusal, policy, paper_rule=paper_rule)


def _verdict(
    refusal: Refusal | None,
    policy: Policy,
    *,
    axioms: tuple[str, ...] = (),
    messages: tuple[Message, ...] = (),
    paper_rule: bool | None = None,
) -> Verdict:
    climbed = [rung for rung in Rung if policy.gate or rung is not Rung.LEXICAL]
    if not policy.replay:
        climbed.remove(Rung.REPLAYED)
    if refusal is None:
        return Verdict(Outcome.PROVED, Reason.HOLDS, "", tuple(climbed), axioms, messages, paper_rule)
    outcome = Outcome.TIMEOUT if refusal.reason is Reason.TIME_LIMIT else Outcome.REJECTED
    held = tuple(rung for rung in climbed if rung < refusal.rung)
    return Verdict(outcome, refusal.reason, refusal.detail, held, axioms, messages, paper_rule)


def _refusals(answer: Answer, declared: Declaration | None, target: Target, policy: Policy) -> Iterator[Refusal]:
    """Everything that stands against it, lowest rung first."""
    if answer.refused is not None:
        yield Refusal(Rung.ACCEPTED, _REFUSED[answer.refused.kind], answer.refused.syntax)
    if answer.interrupted:
        yield Refusal(Rung.ACCEPTED, Reason.TIME_LIMIT)
    if answer.errors:
        yield Refusal(Rung.ACCEPTED, Reason.LEAN_ERROR, first_line(answer.errors[0]))
    if declared is None:
        yield Refusal(Rung.AXIOMS, Reason.NOT_DECLARED, target.name)
        return
    foreign = sorted(set(declared.axioms) - policy.permitted_axioms)
    if foreign:
        yield Refusal(Rung.AXIOMS, _axiom_reason(foreign), ", ".join(foreign))
    if declared.kind != "theorem":
        yield Refusal(Rung.STATEMENT, Reason.NOT_A_THEOREM, declared.kind)
    if declared.type_key != target.type_key:
        yield Refusal(Rung.STATEMENT, Reason.STATEMENT_CHANGED, target.name)
    if policy.replay and answer.replay != "":  # whoever asks sees to it that this Lean can replay
        yield Refusal(Rung.REPLAYED, Reason.REPLAY_FAILED, answer.replay or "this Lean can't replay")


def _axiom_reason(foreign: list[str]) -> Reason:
    if "sorryAx" in foreign:
        return Reason.SORRY
    return Reason.COMPILER if COMPILER_AXIOMS.issuperset(foreign) else Reason.FOREIGN_AXIOM


def first_line(message: Message) -> str:
    """Where an error stands, and the first line of it."""
    said = message.data.splitlines()
    return f"line {message.pos.line}: {said[0]}" if said else f"line {message.pos.line}"
