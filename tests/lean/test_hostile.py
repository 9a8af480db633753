"""Submissions that cheat, each beside an honest one that looks like it: `hostile/*.toml`, a file for each exploit.

Every hostile one is refused for the stated reason, with and without the lexical gate; every honest one is proved. A
case marked `live` is no straw man: a judge that only asks for errors and for the theorem's name accepts it.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pythagoras.lean.headers import core
from pythagoras.lean.imports import split_imports
from pythagoras.lean.pool import Check, Checked, LeanPool
from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.lean.submission import lean_block, prepare
from pythagoras.lean.verdict import STANDARD, STANDARD_AXIOMS, Policy, Reason, Refusal, Target, Verdict, decide
from pythagoras.lean.verifier import CheckedVerifier, Judged, Submission
from pythagoras.lean.wire import Answer, Limits
from tests.lean.conftest import SharedHost

FOLDER = Path(__file__).parent / "hostile"
LIMITS = Limits(timeout_s=15)
NO_GATE = Policy(gate=False)
NEVER_PROVED = "NEVER_PROVED"
"""For what may end in an error, in a timeout, or with no verdict at all."""


@dataclass(frozen=True, slots=True)
class Case:
    """A hostile submission and its twin."""

    file: str
    row: str
    name: str
    statement: str
    hostile: str
    honest_statement: str
    """The hostile one's, or one that is true where that is not."""
    honest: str
    reason: str
    """Name of the Reason under the standard policy."""
    deeper: str
    """The same without the lexical gate."""
    live: bool
    """Lean itself has no complaint about it."""

    @property
    def target(self) -> Statement:
        return parse_statement(self.statement)


def load(path: Path) -> list[Case]:
    with path.open("rb") as file:
        table = tomllib.load(file)
    return [_case(path.stem, table["row"], entry) for entry in table["case"]]


def _case(file: str, row: str, entry: dict[str, Any]) -> Case:
    hostile: str = entry["hostile"]
    for mark, (piece, times) in entry.get("expand", {}).items():
        hostile = hostile.replace(f"@{mark}@", piece * times)
    if entry.get("surrogate", False):  # TOML has no way to write one
        hostile = hostile.replace("@SURROGATE@", "\ud800")
    return Case(
        file=file,
        row=row,
        name=entry["name"],
        statement=entry["statement"],
        hostile=hostile,
        honest_statement=entry.get("honest_statement", entry["statement"]),
        honest=entry["honest"],
        reason=entry["reason"],
        deeper=entry["deeper"],
        live=entry["live"],
    )


FILES = sorted(path for path in FOLDER.glob("*.toml") if path.stem != "not_applicable")
CASES = [case for path in FILES for case in load(path)]


def cases() -> list[Any]:
    """All cases as parameters."""
    return [pytest.param(case, id=f"{case.row}: {case.name}") for case in CASES]


# --- the verdicts, all of them in four batches -------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What became of each case, by its place in CASES."""

    hostile: tuple[Judged, ...]
    honest: tuple[Judged, ...]
    deeper: tuple[Judged, ...]
    hasty: tuple[Judged, ...]
    """The hostile ones, without the gate, by a Lean that stops at the first error."""
    hasty_honest: tuple[Judged, ...]

    def of(self, judged: Sequence[Judged], case: Case) -> Judged:
        return judged[CASES.index(case)]


@pytest.fixture(scope="module")
def verdicts(pool: LeanPool) -> Verdicts:
    hostile = [Submission(case.target, case.hostile) for case in CASES]
    honest = [Submission(parse_statement(case.honest_statement), case.honest) for case in CASES]
    # each honest one right behind its hostile twin: what that may have done to Lean would show
    both = [submission for pair in zip(hostile, honest, strict=True) for submission in pair]
    standard = tuple(CheckedVerifier(pool, STANDARD, LIMITS).verify(both))
    deeper = tuple(CheckedVerifier(pool, NO_GATE, LIMITS).verify(hostile))
    hasty = tuple(CheckedVerifier(pool, NO_GATE, LIMITS, until_error=True).verify(both))
    return Verdicts(standard[::2], standard[1::2], deeper, hasty[::2], hasty[1::2])


def assert_refused(judged: Judged, expected: str) -> None:
    if expected == NEVER_PROVED:
        assert judged.verdict is None or not judged.verdict.proved
        return
    assert judged.verdict is not None, judged.failure
    assert not judged.verdict.proved
    assert judged.verdict.reason is Reason[expected], (judged.verdict.reason, judged.verdict.detail)


@pytest.mark.parametrize("case", cases())
def test_a_hostile_submission_is_refused_with_its_reason(verdicts: Verdicts, case: Case) -> None:
    assert_refused(verdicts.of(verdicts.hostile, case), case.reason)


@pytest.mark.parametrize("case", cases())
def test_the_gate_is_not_the_only_line_of_defence(verdicts: Verdicts, case: Case) -> None:
    assert_refused(verdicts.of(verdicts.deeper, case), case.deeper)


@pytest.mark.parametrize("case", cases())
def test_its_honest_twin_is_proved(verdicts: Verdicts, case: Case) -> None:
    judged = verdicts.of(verdicts.honest, case)
    assert judged.verdict is not None, judged.failure
    assert judged.verdict.proved, (judged.verdict.reason, judged.verdict.detail)
    assert set(judged.verdict.axioms) <= STANDARD_AXIOMS


@pytest.mark.parametrize("case", cases())
def test_a_judge_that_stops_at_the_first_error_is_not_fooled_either(verdicts: Verdicts, case: Case) -> None:
    hostile, honest = verdicts.of(verdicts.hasty, case), verdicts.of(verdicts.hasty_honest, case)
    assert not _is_proved(hostile)
    known = verdicts.of(verdicts.honest, case).verdict
    assert honest.verdict is not None, honest.failure
    assert known is not None
    assert honest.verdict.proved, honest.verdict.reason
    assert honest.verdict.axioms == known.axioms


@pytest.fixture(scope="module")
def unguarded(pool: LeanPool) -> dict[str, Verdict]:
    """What the environment alone says of cases that are refused by their syntax: no gate, all of it elaborated."""
    plain = [case for case in CASES if case.deeper in ("AXIOM", "SORRY", "OPTION") and case.row != "programs"]
    prepared = [(case, prepare(case.target, case.hostile, NO_GATE)) for case in plain]
    asked = [(case, assembly) for case, assembly in prepared if not isinstance(assembly, Refusal)]
    clean = pool.check(Check(case.target.source, limits=LIMITS) for case, _ in asked)
    keys = [_key_in(checked, case.target.name) for (case, _), checked in zip(asked, clean, strict=True)]
    judged = {}
    elaborated = pool.check(Check(assembly.text, limits=LIMITS) for _, assembly in asked)
    for (case, assembly), key, checked in zip(asked, keys, elaborated, strict=True):
        if checked.answer is not None:
            judged[case.name] = decide(checked.answer, Target(assembly.name, key), NO_GATE)
    return judged


def test_the_environment_alone_gives_them_away(unguarded: dict[str, Verdict]) -> None:
    assert len(unguarded) > 30
    assert not [name for name, verdict in unguarded.items() if verdict.proved]
    reasons = {verdict.reason for verdict in unguarded.values()}
    assert {Reason.FOREIGN_AXIOM, Reason.SORRY, Reason.LEAN_ERROR} <= reasons


# --- the suite itself --------------------------------------------------------------------------


def test_there_are_enough_cases_and_every_row_is_covered_or_explained() -> None:
    with (FOLDER / "not_applicable.toml").open("rb") as file:
        explained = {row["id"] for row in tomllib.load(file)["row"] if row["why"]}
    rows = {case.row for case in CASES}
    assert len(CASES) >= 60
    assert sum(case.live for case in CASES) >= len(CASES) // 2
    assert {f"E{number}" for number in range(1, 20)} <= rows | explained
    assert len({(case.row, case.name) for case in CASES}) == len(CASES)
    assert len({case.row for case in CASES}) == len(FILES)


def test_reasons_are_those_of_the_verdict() -> None:
    known = {reason.name for reason in Reason} - {"HOLDS"} | {NEVER_PROVED}
    assert {case.reason for case in CASES} | {case.deeper for case in CASES} <= known


@pytest.mark.parametrize("case", [case for case in cases() if case.values[0].live])
def test_a_live_case_fools_a_judge_that_only_looks_for_errors(shared: SharedHost, case: Case) -> None:
    answer = shared.check(naive_text(case), core(), LIMITS)
    assert naive_judge(answer, case.target.name), answer.messages


def naive_judge(answer: Answer, name: str) -> bool:
    """No error, and the theorem is there: what most of the peers in the catalogue call proved."""
    declared = any(declaration.name == name for declaration in answer.declarations)
    return declared and not answer.errors and not answer.interrupted


def naive_text(case: Case) -> str:
    """The submission as it is, or behind the statement where it is a proof alone."""
    code = lean_block(case.hostile)
    if re.search(r"^(?:\S.*)?\b(?:theorem|def)\b", code, re.MULTILINE):
        return split_imports(code)[1]
    assembled = prepare(case.target, case.hostile, NO_GATE)
    assert not isinstance(assembled, Refusal)
    return assembled.text


# --- hostile pieces in random places -----------------------------------------------------------

TRUE = (
    ("theorem t (a b : ℕ) (h : a < b) : a + 1 ≤ b", ("by omega", "by\n  have := h\n  exact this", "h")),
    ("theorem t (n : ℕ) (h : Even n) : Even (n + 2)", ("by\n  obtain ⟨k, rfl⟩ := h\n  exact ⟨k + 1, by omega⟩",)),
    ("theorem t : (2 : ℕ) ^ 10 % 7 = 2", ("by decide", "rfl")),
)
FALSE = (
    ("theorem t (a b : ℕ) (h : a < b) : a + 2 ≤ b", ("by omega", "by\n  trivial", "by simp_all", "h", "trivial")),
    ("theorem t : Even (3 : ℕ)", ("by decide", "trivial", "⟨1, rfl⟩", "by exact False.elim (by trivial)")),
    ("theorem t (a b : ℕ) : a < b", ("trivial", "by trivial", "by omega", "rfl")),
)
COMMANDS = (
    "axiom cheat : False",
    "axiom cheat' : ∀ p : Prop, p",
    "/-- -- -/\nx -- -/ axiom hidden : False",
    "#guard_msgs (drop error) in\ntheorem left : False := lcProof",
    'local notation (priority := high) "ℕ" => Fin 1',
    'local notation "ℕ" => Fin 1',
    'local infix:50 (priority := high) " < " => fun (_ _ : ℕ) => True',
    "instance : LT ℕ := ⟨fun _ _ => True⟩",
    "instance : LE ℕ := ⟨fun _ _ => True⟩",
    "instance : Add ℕ := ⟨fun a _ => a⟩",
    "instance : OfNat ℕ 3 := ⟨2⟩",
    "def Nat.Even (_ : ℕ) : Prop := True",
    "namespace Foo\ndef Even (_ : ℕ) : Prop := True\nend Foo\nopen Foo",
    "namespace Foo\ndef Even (_ : ℕ) : Prop := True",
    "variable (no : False)\ninclude no",
    "class Magic : Prop where no : False\nvariable [Magic]",
    "set_option autoImplicit true",
    "set_option debug.byAsSorry true",
    "set_option debug.skipKernelTC true",
    "set_option Elab.async true",
    "set_option warn.sorry false",
    "universe u",
    "open Classical",
    "open Nat hiding add_comm",
    "end",
    "section",
    "mutual",
    "/-",
    "#exit",
    "#guard_msgs (drop all) in",
    "macro_rules | `($_ = $_) => `(True)",
    'macro "trivial" : tactic => `(tactic| sorry)',
    "@[simp] theorem bad (n : ℕ) : n = 0 := by stop\n  rfl",
    "theorem t' : True := trivial",
    "theorem t : True := trivial",
    "attribute [-instance] instLTNat",
    "attribute [irreducible] Nat.add",
    "local instance (p : Prop) : Decidable p := .isTrue (sorryAx _ true)",
)
INSIDE = ("stop", "sorry", "all_goals sorry", "apply?", "set_option debug.terminalTacticsAsSorry true in", "skip", "/-")


@pytest.mark.parametrize("policy", [STANDARD, NO_GATE], ids=["standard", "no gate"])
def test_hostile_pieces_never_change_what_is_proved(pool: LeanPool, policy: Policy) -> None:
    """Random commands before the theorem and tactics inside its proof: nothing false is proved, and what is called
    proved has the kernel type and the axioms that it should have."""
    chance = random.Random(28)
    submissions = [_spliced(chance, *chance.choice(TRUE + FALSE)) for _ in range(60)]
    false = {parse_statement(f"{text} := sorry").text for text, _ in FALSE}
    proved = [judged for judged in CheckedVerifier(pool, policy, LIMITS).verify(submissions) if _is_proved(judged)]
    assert proved, "pieces that only ever break a proof show nothing"
    pairs = []
    for judged in proved:
        assert judged.verdict is not None
        assert judged.submission.statement.text not in false, judged.submission.text
        assert set(judged.verdict.axioms) <= STANDARD_AXIOMS
        assert judged.assembly is not None
        statement, assembly = judged.submission.statement, judged.assembly
        pairs.append(((assembly.text, assembly.name), (statement.source, statement.name)))
    ours = _keys(pool, [assembled for assembled, _ in pairs])
    assert ours == _keys(pool, [stated for _, stated in pairs])


def _is_proved(judged: Judged) -> bool:
    return judged.verdict is not None and judged.verdict.proved


def _spliced(chance: random.Random, statement: str, proofs: tuple[str, ...]) -> Submission:
    before = [chance.choice(COMMANDS) for _ in range(chance.choice((1, 1, 2, 3)))]
    lines = chance.choice(proofs).split("\n")
    if len(lines) > 1 and chance.random() < 0.4:
        lines.insert(chance.randrange(1, len(lines) + 1), f"  {chance.choice(INSIDE)}")
    text = "\n".join([*before, f"{statement} := " + "\n".join(lines), ""])
    return Submission(parse_statement(f"{statement} := sorry"), text)


def _keys(pool: LeanPool, named: Sequence[tuple[str, str]]) -> list[str]:
    """The kernel type of the theorem of that name in each text."""
    answers = pool.check(Check(text, limits=LIMITS, names=(name,)) for text, name in named)
    return [_key_in(checked, name) for (_, name), checked in zip(named, answers, strict=True)]


def _key_in(checked: Checked, name: str) -> str:
    assert checked.answer is not None
    return next(declaration.type_key for declaration in checked.answer.declarations if declaration.name == name)
