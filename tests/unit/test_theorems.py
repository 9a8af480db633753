"""Which theorems hold, as a truth table: what Lean handed over, and what must be made of it."""

from __future__ import annotations

from typing import Any

import pytest

from pythagoras.lean.theorems import FileReport, report
from pythagoras.lean.verdict import STANDARD_AXIOMS
from pythagoras.lean.wire import Answer

ERROR, SORRY = "Lean reports an error", "it uses sorry"
NAME_IT = "Lean accepts it, but an example leaves no constant behind to judge: give it a name"
MISSING = "Lean did not declare it"


def command(name: str | None, *declares: str, kind: str = "theorem", lines: tuple[int, int] = (2, 4)) -> dict[str, Any]:
    """A command from the start of its first line to column 10 of its last."""
    return {
        "kind": kind,
        "name": name,
        "pos": {"line": lines[0], "column": 0},
        "endPos": {"line": lines[1], "column": 10},
        "declares": list(declares),
    }


def constant(name: str, *axioms: str, kind: str = "theorem") -> dict[str, Any]:
    return {"name": name, "kind": kind, "type": "True", "typeKey": "0", "axioms": list(axioms)}


def message(line: int, column: int = 3, severity: str = "error", kind: str | None = None) -> dict[str, Any]:
    return {"severity": severity, "pos": {"line": line, "column": column}, "data": "said", "kind": kind}


def judged(*parts: dict[str, Any], sorries: tuple[dict[str, Any], ...] = ()) -> FileReport:
    """The report about commands, constants and messages, told apart by their fields."""
    return report(
        Answer.model_validate(
            {
                "commands": [part for part in parts if "declares" in part],
                "declarations": [part for part in parts if "axioms" in part],
                "messages": [part for part in parts if "severity" in part],
                "sorries": list(sorries),
            }
        )
    )


# Each row: what Lean handed over about the one theorem in lines 2 to 4, and why it is not proved (empty when it is).
TRUTH_TABLE: dict[str, tuple[tuple[dict[str, Any], ...], str]] = {
    "no axioms": ((command("t", "t"), constant("t")), ""),
    "standard axioms": ((command("t", "t"), constant("t", *sorted(STANDARD_AXIOMS))), ""),
    "one standard axiom": ((command("t", "t"), constant("t", "propext")), ""),
    "a warning in its range": ((command("t", "t"), constant("t"), message(3, severity="warning")), ""),
    "an info in its range": ((command("t", "t"), constant("t"), message(3, severity="info")), ""),
    "sorry": ((command("t", "t"), constant("t", "sorryAx")), SORRY),
    "sorry among standard axioms": ((command("t", "t"), constant("t", "propext", "sorryAx")), SORRY),
    "sorry and a foreign axiom": ((command("t", "t"), constant("t", "cheat", "sorryAx")), SORRY),
    "sorry, and the warning is silenced": ((command("t", "t"), constant("t", "sorryAx")), SORRY),
    "the warning without the axiom": (
        (command("t", "t"), constant("t"), message(2, severity="warning", kind="hasSorry")),
        "",
    ),
    "a foreign axiom": ((command("t", "t"), constant("t", "cheat")), "it rests on cheat"),
    "foreign axioms are sorted": (
        (command("t", "t"), constant("t", "zeta", "propext", "alpha")),
        "it rests on alpha, zeta",
    ),
    "native evaluation": ((command("t", "t"), constant("t", "Lean.ofReduceBool")), "it rests on Lean.ofReduceBool"),
    "an axiom with a standard name in a namespace": (
        (command("t", "t"), constant("t", "Mine.propext")),
        "it rests on Mine.propext",
    ),
    "an error on its first line": ((command("t", "t"), constant("t"), message(2)), ERROR),
    "an error at its very start": ((command("t", "t"), constant("t"), message(2, 0)), ERROR),
    "an error at its very end": ((command("t", "t"), constant("t"), message(4, 10)), ERROR),
    "an error, and nothing declared": ((command("t"), message(3)), ERROR),
    "an error, and Lean declared it with sorry": ((command("t", "t"), constant("t", "sorryAx"), message(3)), ERROR),
    "nothing declared, no error": ((command("t"),), MISSING),
    "something else declared": ((command("t", "u"), constant("u")), MISSING),
    "a name that only ends alike": ((command("t", "at"), constant("at")), MISSING),
    "declared, but nothing known about it": ((command("t", "t"),), MISSING),
    "declared as an axiom": ((command("t", "t"), constant("t", kind="axiom")), MISSING),
    "declared as a definition": ((command("t", "t"), constant("t", kind="definition")), MISSING),
    "known, but declared by another command": ((command("t"), constant("t")), MISSING),
    "in a namespace": ((command("t", "A.B.t"), constant("A.B.t")), ""),
    "in a namespace, with sorry": ((command("t", "A.B.t"), constant("A.B.t", "sorryAx")), SORRY),
    "a dotted name in a namespace": ((command("x.t", "A.x.t"), constant("A.x.t")), ""),
    "out of its namespace": ((command("_root_.x.t", "x.t"), constant("x.t")), ""),
    "out of its namespace, with sorry": ((command("_root_.x.t", "x.t"), constant("x.t", "sorryAx")), SORRY),
    "private": ((command("t", "_private.0.t"), constant("_private.0.t")), ""),
    "private in a namespace": ((command("t", "_private.M.0.A.t"), constant("_private.M.0.A.t")), ""),
    "private, with sorry": ((command("t", "_private.0.t"), constant("_private.0.t", "sorryAx")), SORRY),
    "an odd name": ((command("«a b.c»", "«a b.c»"), constant("«a b.c»")), ""),
    "an odd name in a namespace": ((command("«∀ x»", "A.«∀ x»"), constant("A.«∀ x»", "cheat")), "it rests on cheat"),
    "a name with primes and unicode": ((command("t₁'", "t₁'"), constant("t₁'")), ""),
    "helpers beside it": ((command("t", "t._proof_1", "t"), constant("t._proof_1"), constant("t")), ""),
    "helpers beside it, with sorry": (
        (command("t", "t._proof_1", "t"), constant("t._proof_1"), constant("t", "sorryAx")),
        SORRY,
    ),
    "an example": ((command(None, kind="example"),), NAME_IT),
    "an example with sorry": (
        (command(None, kind="example"), message(2, severity="warning", kind="hasSorry")),
        SORRY,
    ),
    "an example with an error": ((command(None, kind="example"), message(3)), ERROR),
    "an example with another warning": ((command(None, kind="example"), message(3, severity="warning")), NAME_IT),
    "an example, and sorry elsewhere": (
        (command(None, kind="example"), message(7, severity="warning", kind="hasSorry")),
        NAME_IT,
    ),
}


@pytest.mark.parametrize("case", TRUTH_TABLE)
def test_truth_table(case: str) -> None:
    parts, why = TRUTH_TABLE[case]
    found = judged(*parts)
    (theorem,) = found.theorems
    assert (theorem.proved, theorem.why) == (why == "", why)
    assert found.proved is theorem.proved
    assert found.other_errors == ()


@pytest.mark.parametrize("space", ["", "A."])
def test_a_helper_of_the_same_name_is_not_the_theorem(space: str) -> None:
    """`theorem t : P := ... where t : Q := ...` makes t and t.t, and Lean tells them in this order."""
    helper, own = f"{space}t.t", f"{space}t"
    for order in ((own, helper), (helper, own)):
        found = judged(command("t", *order), constant(helper), constant(own, "sorryAx"))
        assert [(theorem.name, theorem.why) for theorem in found.theorems] == [(own, SORRY)]


def test_a_mutual_block_hides_no_theorem() -> None:
    found = judged(
        command("t", "t"), command(None, "v", "u", kind="mutual", lines=(6, 9)),
        constant("t"), constant("u"), constant("v", "sorryAx"),
    )  # fmt: skip
    assert not found.proved


def test_an_example_whose_sorry_is_silenced_is_not_proved() -> None:
    sorry = {"goal": "⊢ False", "pos": {"line": 3, "column": 2}, "endPos": {"line": 3, "column": 7}}
    (theorem,) = judged(command(None, kind="example"), sorries=(sorry,)).theorems
    assert theorem.why == SORRY


@pytest.mark.parametrize("place", [(1, 3), (4, 11), (5, 0), (9, 2)])
def test_an_error_elsewhere_fails_the_file_and_not_the_theorem(place: tuple[int, int]) -> None:
    found = judged(command("t", "t"), constant("t"), message(*place))
    (theorem,) = found.theorems
    assert theorem.proved
    assert theorem.messages == ()
    assert [(error.pos.line, error.pos.column) for error in found.other_errors] == [place]
    assert not found.proved


def test_other_messages_elsewhere_do_no_harm() -> None:
    found = judged(command("t", "t"), constant("t"), message(9, severity="warning"), message(1, severity="info"))
    assert found.proved
    assert found.other_errors == ()


def test_equal_errors_are_told_apart() -> None:
    """The same words at the same place twice, once more outside: none gets lost."""
    found = judged(command("t"), message(3), message(3), message(9), message(9))
    assert len(found.theorems[0].messages) == 2
    assert len(found.other_errors) == 2


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (command("d", "d", kind="definition"), constant("d", kind="definition")),
        (command(None, kind="open"), command(None, kind="namespace")),
        (command("a", "a", kind="axiom"), constant("a", "a", kind="axiom")),
    ],
    ids=["nothing", "a definition", "no declarations", "an axiom"],
)
def test_a_file_without_theorems_proves_nothing(parts: tuple[dict[str, Any], ...]) -> None:
    assert judged(*parts) == FileReport((), ())
    assert not judged(*parts).proved


def test_all_theorems_of_a_file_must_hold() -> None:
    parts = (
        command("t", "t", lines=(1, 1)),
        command("u", "u", lines=(2, 2)),
        command(None, kind="example", lines=(3, 3)),
        constant("t"),
        constant("u", "sorryAx"),
    )
    found = judged(*parts)
    assert [theorem.proved for theorem in found.theorems] == [True, False, False]
    assert not found.proved
    assert judged(parts[0], parts[3]).proved
    assert not judged(parts[0], *parts[2:4]).proved


def test_a_report_names_theorem_place_axioms_and_messages() -> None:
    (theorem,) = judged(command("t", "A.t"), constant("A.t", "propext"), message(3, severity="info")).theorems
    assert (theorem.name, theorem.pos.line, theorem.axioms) == ("A.t", 2, ("propext",))
    assert [said.pos.line for said in theorem.messages] == [3]
    (unknown,) = judged(command("t"), message(3)).theorems
    assert (unknown.name, unknown.axioms) == ("t", ())
    (example,) = judged(command(None, kind="example", lines=(7, 7))).theorems
    assert example.name == "example in line 7"


def test_messages_on_one_line_belong_to_the_theorem_they_stand_in() -> None:
    first, second = command("t", lines=(1, 1)), command("u", lines=(1, 1))
    second["pos"], second["endPos"] = {"line": 1, "column": 12}, {"line": 1, "column": 30}
    found = judged(first, second, message(1, 4), message(1, 20))
    assert [[said.pos.column for said in theorem.messages] for theorem in found.theorems] == [[4], [20]]
