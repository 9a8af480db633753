"""The verdict's truth table, against a specification written down independently of it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

import pytest

from pythagoras.lean.verdict import (
    COMPILER_AXIOMS,
    STANDARD,
    STANDARD_AXIOMS,
    Outcome,
    Policy,
    Reason,
    Refusal,
    Rung,
    Target,
    Verdict,
    decide,
    refuse,
)
from pythagoras.lean.wire import Answer, Declaration, Message, Position, Refused, RefusedKind

TARGET = Target("Foo.t", "key of t")
ALL = tuple(Rung)
Kind = Literal["axiom", "definition", "theorem", "opaque", "quotient", "inductive", "constructor", "recursor"]
KINDS: tuple[Kind | None, ...] = (None, "theorem", "definition", "axiom", "opaque")
"""None: there is no constant of the target's name."""
AXIOMS: tuple[tuple[str, ...], ...] = (
    (),
    ("propext",),
    ("Classical.choice", "Quot.sound", "propext"),
    ("sorryAx",),
    ("Lean.ofReduceBool",),
    ("Lean.ofReduceBool", "Lean.trustCompiler", "propext"),
    ("Lean.ofReduceBool", "cheat"),
    ("cheat", "propext"),
    ("cheat", "sorryAx"),
    ("Foo.propext",),
    ("«propext »",),
    ("«Quot.sound»",),
)
POLICIES = (
    Policy(),
    Policy(compiler=True),
    Policy(axioms=frozenset()),
    Policy(axioms=STANDARD_AXIOMS | {"cheat"}),
    Policy(gate=False),
    Policy(replay=True),
    Policy(gate=False, compiler=True, replay=True),
)


EVAL = Refused(kind="program", syntax="Lean.Parser.Command.eval")


@dataclass(frozen=True, slots=True)
class Row:
    """One combination of what Lean may say."""

    refused: bool
    interrupted: bool
    error: bool
    kind: Kind | None
    axioms: tuple[str, ...]
    same_type: bool
    replay: str | None
    policy: Policy

    def answer(self) -> Answer:
        said = [message("warning", "declaration uses `sorry`"), message("info", "EXIT_CODE:0")]
        if self.error:
            said.append(message("error", "unsolved goals\n⊢ False"))
        bystander = declaration("t", "theorem", (), TARGET.type_key)  # the right type under another name
        own = [] if self.kind is None else [declaration(TARGET.name, self.kind, self.axioms, self.own_key())]
        return Answer(
            messages=tuple(said),
            declarations=(bystander, *own),
            refused=EVAL if self.refused else None,
            interrupted=self.interrupted,
            replay=self.replay,
        )

    def own_key(self) -> str:
        return TARGET.type_key if self.same_type else "another key"

    def expected(self) -> Reason:
        """The specification: the questions in the order of the rungs, in other words than the code's."""
        admitted = set(self.policy.axioms)
        if self.policy.compiler:
            admitted |= {"Lean.ofReduceBool", "Lean.ofReduceNat", "Lean.trustCompiler"}
        foreign = [axiom for axiom in self.axioms if axiom not in admitted]
        if self.refused:
            return Reason.PROGRAM
        if self.interrupted:
            return Reason.TIME_LIMIT
        if self.error:
            return Reason.LEAN_ERROR
        if self.kind is None:
            return Reason.NOT_DECLARED
        if "sorryAx" in foreign:
            return Reason.SORRY
        if foreign and all(axiom.startswith("Lean.") for axiom in foreign):
            return Reason.COMPILER
        if foreign:
            return Reason.FOREIGN_AXIOM
        if self.kind != "theorem":
            return Reason.NOT_A_THEOREM
        if not self.same_type:
            return Reason.STATEMENT_CHANGED
        if self.policy.replay and self.replay != "":
            return Reason.REPLAY_FAILED
        return Reason.HOLDS


RUNG_OF = {
    Reason.PROGRAM: Rung.ACCEPTED,
    Reason.TIME_LIMIT: Rung.ACCEPTED,
    Reason.LEAN_ERROR: Rung.ACCEPTED,
    Reason.NOT_DECLARED: Rung.AXIOMS,
    Reason.SORRY: Rung.AXIOMS,
    Reason.COMPILER: Rung.AXIOMS,
    Reason.FOREIGN_AXIOM: Rung.AXIOMS,
    Reason.NOT_A_THEOREM: Rung.STATEMENT,
    Reason.STATEMENT_CHANGED: Rung.STATEMENT,
    Reason.REPLAY_FAILED: Rung.REPLAYED,
}


def message(severity: Literal["info", "warning", "error"], data: str) -> Message:
    return Message(severity=severity, pos=Position(line=3, column=0), data=data)


def declaration(name: str, kind: Kind, axioms: tuple[str, ...], key: str) -> Declaration:
    return Declaration(name=name, kind=kind, type=None, type_key=key, axioms=axioms)


def rows() -> list[Row]:
    booleans = (False, True)
    table = itertools.product(
        booleans, booleans, booleans, KINDS, AXIOMS, booleans, (None, "", "type mismatch"), POLICIES
    )
    return [Row(*entry) for entry in table]


def test_the_truth_table() -> None:
    table = rows()
    assert len(table) > 20_000
    seen = set()
    for row in table:
        verdict = decide(row.answer(), TARGET, row.policy)
        seen.add(verdict.reason)
        assert verdict.reason is row.expected(), row
        assert verdict.proved == (verdict.outcome is Outcome.PROVED) == (verdict.reason is Reason.HOLDS), row
        assert (verdict.outcome is Outcome.TIMEOUT) == (verdict.reason is Reason.TIME_LIMIT), row
        assert verdict.rungs == expected_rungs(verdict.reason, row.policy), row
        assert verdict.tier == max(verdict.rungs, default=-1), row
        assert verdict.axioms == (row.axioms if row.kind is not None else ()), row
    assert seen == {*RUNG_OF, Reason.HOLDS}


def expected_rungs(reason: Reason, policy: Policy) -> tuple[Rung, ...]:
    climbed = [rung for rung in ALL if (rung != 0 or policy.gate) and (rung != 5 or policy.replay)]
    return tuple(rung for rung in climbed if reason is Reason.HOLDS or rung < RUNG_OF[reason])


def proved(policy: Policy = STANDARD, **changes: object) -> Verdict:
    answer = Answer(declarations=(declaration(TARGET.name, "theorem", ("propext",), TARGET.type_key),), replay="")
    return decide(answer.model_copy(update=changes), TARGET, policy)


def test_a_proof_climbs_all_rungs_that_the_policy_has() -> None:
    assert proved().rungs == ALL[:5]
    assert proved().tier == Rung.STATEMENT
    assert proved(Policy(replay=True)).rungs == ALL
    assert proved(Policy(gate=False, replay=True)).rungs == ALL[1:]
    assert proved(Policy(gate=False)).tier == Rung.STATEMENT


def test_a_lean_that_cannot_replay_proves_nothing_where_replay_is_asked_for() -> None:
    verdict = proved(Policy(replay=True), replay=None)
    assert (verdict.reason, verdict.detail) == (Reason.REPLAY_FAILED, "this Lean can't replay")
    assert verdict.rungs == ALL[:5]
    assert proved(Policy(replay=True), replay="(kernel) deep recursion").detail == "(kernel) deep recursion"
    assert proved(STANDARD, replay="(kernel) deep recursion").proved


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("refusal", "rungs"),
    [
        (Refusal(Rung.LEXICAL, Reason.SORRY, "`sorry` in line 1"), ()),
        (Refusal(Rung.ASSEMBLED, Reason.NO_PROOF), (Rung.LEXICAL,)),
        (Refusal(Rung.ACCEPTED, Reason.TIME_LIMIT), (Rung.LEXICAL, Rung.ASSEMBLED)),
    ],
)
def test_refused_without_lean(refusal: Refusal, rungs: tuple[Rung, ...], policy: Policy) -> None:
    verdict = refuse(refusal, policy)
    assert verdict.outcome is (Outcome.TIMEOUT if refusal.reason is Reason.TIME_LIMIT else Outcome.REJECTED)
    assert (verdict.reason, verdict.detail) == (refusal.reason, refusal.detail)
    assert verdict.rungs == tuple(rung for rung in rungs if policy.gate or rung is not Rung.LEXICAL)
    assert verdict.tier == (max(verdict.rungs) if verdict.rungs else -1)
    assert not verdict.proved
    assert not verdict.paper_rule
    assert (verdict.axioms, verdict.messages) == ((), ())


def test_the_details_say_what_exactly() -> None:
    foreign = (declaration(TARGET.name, "theorem", ("cheat", "propext", "also"), TARGET.type_key),)
    assert proved(declarations=foreign).detail == "also, cheat"
    assert proved(messages=(message("error", "unsolved goals\n⊢ False"),)).detail == "line 3: unsolved goals"
    assert proved(messages=(message("error", ""),)).detail == "line 3"
    assert proved(refused=EVAL).detail == "Lean.Parser.Command.eval"
    assert proved(declarations=()).detail == TARGET.name


def test_only_errors_and_warnings_are_kept_and_only_errors_count() -> None:
    said = (message("info", "error: proved"), message("warning", "declaration uses `sorry`"))
    verdict = proved(messages=said)
    assert verdict.proved
    assert verdict.messages == said[1:]


@pytest.mark.parametrize(
    ("textual", "changes", "holds"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"messages": (message("error", "no"),)}, False),
        (True, {"interrupted": True}, False),
        (True, {"declarations": ()}, True),  # what the paper's rule overlooks
    ],
)
def test_the_papers_rule_is_reported_beside_the_verdict(textual: bool, changes: dict[str, object], holds: bool) -> None:
    answer = Answer(declarations=(declaration(TARGET.name, "theorem", (), TARGET.type_key),))
    verdict = decide(answer.model_copy(update=changes), TARGET, paper_rule=textual)
    assert verdict.paper_rule is holds


def test_the_standard_policy_permits_nothing_more() -> None:
    assert STANDARD.permitted_axioms == {"propext", "Quot.sound", "Classical.choice"}
    assert not STANDARD.permitted_axioms & COMPILER_AXIOMS
    assert Policy(compiler=True).permitted_axioms == STANDARD_AXIOMS | COMPILER_AXIOMS
    assert "sorryAx" not in Policy(compiler=True, search=True, answers=True).permitted_axioms


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("program", Reason.PROGRAM),
        ("option", Reason.OPTION),
        ("axiom", Reason.AXIOM),
        ("sorry", Reason.SORRY),
    ],
)
def test_what_lean_stopped_at_names_the_reason(kind: RefusedKind, reason: Reason) -> None:
    verdict = proved(refused=Refused(kind=kind, syntax="x"))
    assert (verdict.reason, verdict.rungs) == (reason, (Rung.LEXICAL, Rung.ASSEMBLED))
