"""The audit's Python side: what is sent, which message counts, and keys from a report that a real Lean wrote."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.errors import InputError
from pythagoras.lean.native.audit import NO_REPORT, Audit, name_parts, with_report, write_name
from pythagoras.lean.wire import Answer, Declaration, Message, Position

# Lean 4.28's report on:  def twice (n : Nat) := n + n  /  theorem t (n : Nat) (h : twice n = 4) : n = 2
RECORDED: dict[str, Any] = json.loads(
    """{"nonce":"abc","targets":[{"axioms":[["propext"],["Quot","sound"]],"name":["t"]}],
    "constants":[{"constructors":[],"kind":"theorem","name":["t"],"type":20,"value":null},
                 {"constructors":[],"kind":"definition","name":["twice"],"type":22,"value":35}],
    "nodes":[["const",["Nat"],""],["const",["Eq"],"S0"],["app",1,0],["const",["twice"],""],["#","0"],["app",3,4],
    ["app",2,5],["const",["OfNat","ofNat"],"0"],["app",7,0],["nat","4"],["app",8,9],["const",["instOfNatNat"],""],
    ["app",11,9],["app",10,12],["app",6,13],["#","1"],["app",2,15],["nat","2"],["app",16,17],["forall",14,18],
    ["forall",0,19],["const",["Nat"],""],["forall",21,21],["const",["HAdd","hAdd"],"0,0,0"],["app",23,21],
    ["app",24,21],["app",25,21],["const",["instHAdd"],"0"],["app",27,21],["const",["instAddNat"],""],["app",28,29],
    ["app",26,30],["#","0"],["app",31,32],["app",33,32],["fun",21,34]]}"""
)


def info(data: str) -> Message:
    return Message(severity="info", pos=Position(line=1, column=0), data=data)


def declared(report: dict[str, Any], holes: tuple[str, ...] = ()) -> Declaration:
    answer = with_report(Answer(), [info(json.dumps(report))], "abc", holes)
    assert answer.messages == ()
    (declaration,) = answer.declarations
    return declaration


def problem(report: Any, nonce: str = "abc") -> str:
    answer = with_report(Answer(), [info(json.dumps(report))], nonce, ())
    assert answer.declarations == ()
    assert [message.kind for message in answer.errors] == [NO_REPORT]
    return answer.errors[0].data


def changed(**parts: Any) -> dict[str, Any]:
    return copy.deepcopy(RECORDED) | parts


# --- what a report says ----------------------------------------------------------------------------


def test_a_recorded_report() -> None:
    declaration = declared(RECORDED)
    assert (declaration.name, declaration.kind) == ("t", "theorem")
    assert declaration.axioms == ("Quot.sound", "propext")
    assert declaration.type is not None
    assert declaration.type.startswith("(forall (const Nat ) (forall (app (app (app (const Eq S0) (const Nat )) ")
    assert declaration.type.count("(") == declaration.type.count(")")


def test_the_key_is_one_of_content_and_not_of_places() -> None:
    again = changed()
    again["nodes"] = [["sort", "0"], *again["nodes"]]  # every index moves by one
    for node in again["nodes"][1:]:
        node[1:] = [part + 1 if isinstance(part, int) else part for part in node[1:]]
    for constant in again["constants"]:
        constant["type"] += 1
        constant["value"] = None if constant["value"] is None else constant["value"] + 1
    assert declared(again) == declared(RECORDED)


def test_a_shadowed_definition_changes_the_key_but_not_the_type() -> None:
    other = changed()
    other["nodes"][35] = ["fun", 21, 32]  # twice n := n
    before, after = declared(RECORDED), declared(other)
    assert before.type == after.type
    assert before.type_key != after.type_key


def test_a_hole_counts_by_its_type_alone() -> None:
    other = changed()
    other["nodes"][35] = ["fun", 21, 32]
    assert declared(RECORDED, ("twice",)).type_key == declared(other, ("twice",)).type_key
    assert declared(RECORDED, ("twice",)).type_key != declared(RECORDED).type_key
    other["constants"][1]["type"] = 0
    assert declared(RECORDED, ("twice",)).type_key != declared(other, ("twice",)).type_key


def test_constructors_are_part_of_an_inductive_type() -> None:
    def two_constructors(second: int) -> str:
        kinds: dict[str, Any] = {"kind": "constructor", "value": None, "constructors": []}
        return declared(
            {
                "nonce": "abc",
                "targets": [{"name": ["t"], "axioms": []}],
                "nodes": [["sort", "S0"], ["const", ["I"], ""], ["forall", 1, 1]],
                "constants": [
                    {"name": ["t"], "kind": "theorem", "type": 1, "value": None, "constructors": []},
                    {"name": ["I"], "kind": "inductive", "type": 0, "value": None, "constructors": [["I", "a"]]},
                    {"name": ["I", "a"], "type": second, **kinds},
                ],
            }
        ).type_key

    assert two_constructors(1) != two_constructors(2)


def test_a_long_type_has_a_key_and_no_text() -> None:
    nodes: list[list[Any]] = [["const", ["Nat"], ""]]
    nodes += [["app", depth, depth] for depth in range(40)]  # 2^40 when written out
    constants = [{"name": ["t"], "kind": "theorem", "type": 40, "value": None, "constructors": []}]
    report = {"nonce": "abc", "targets": [{"name": ["t"], "axioms": []}], "nodes": nodes, "constants": constants}
    assert declared(report).type is None
    assert len(declared(report).type_key) == 64


# --- which message counts --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [info("x")],
        [info("{")],
        [info(json.dumps(changed(nonce="abd")))],
        [info("[1]"), info('{"nonce": "abc"}')],
        [info(json.dumps(RECORDED)).model_copy(update={"severity": "warning"})],
        [info(json.dumps(RECORDED))] * 2,
        [info(json.dumps(changed(extra=1)))],
        [info("[trace] " + json.dumps(RECORDED))],
    ],
)
def test_without_exactly_one_report_there_is_an_error(messages: list[Message]) -> None:
    answer = with_report(Answer(env=3), messages, "abc", ())
    assert answer.declarations == ()
    assert [message.kind for message in answer.errors] == [NO_REPORT]
    assert answer.env == 3


@pytest.mark.parametrize(
    "wrong",
    [
        changed(nodes=[["app", 0, 0]]),
        changed(nodes=[]),
        changed(nodes=[["meta"]]),
        changed(nodes=[[]]),
        changed(nodes=[["const", [None], ""]]),
        changed(constants=RECORDED["constants"] * 2),
        changed(constants=[]),
        changed(constants=[{**RECORDED["constants"][0], "kind": "lemma"}, RECORDED["constants"][1]]),
        changed(targets=RECORDED["targets"] * 2),
    ],
)
def test_a_report_that_makes_no_sense_declares_nothing(wrong: dict[str, Any]) -> None:
    assert problem(wrong).startswith("the audit's report can't be read")


# --- what is sent ----------------------------------------------------------------------------------


def test_the_tag_is_in_every_name() -> None:
    first, second = Audit.new(), Audit.new()
    assert first != second
    assert f"namespace PythagorasAudit_{first.tag}\n" in first.definitions
    assert not re.search(r"PythagorasAudit(?!_)", first.definitions)
    assert "import " not in first.definitions.split("-/", 1)[1]
    assert first.command("n", ()) == f'#PythagorasAudit_{first.tag} "n" ""\n'


def test_names_are_sent_by_their_parts() -> None:
    line = Audit("T").command("n", ["a.«b c».1", 'q."x', "a.«b c».1"])
    assert line == '#PythagorasAudit_T "n" "s\\ta\\ts\\tb c\\tn\\t1\\ns\\tq\\ts\\t\\"x"\n'


@pytest.mark.parametrize("wrong", ["", ".", "a.", ".a", "a..b", "«a", "a»", "a\nb", "a\tb", "«a\n»", "«a»b"])
def test_what_is_no_name_is_refused(wrong: str) -> None:
    with pytest.raises(InputError, match="no name of a constant"):
        name_parts(wrong)


@given(
    st.lists(
        st.integers(0, 10**30) | st.text(st.characters(codec="utf-8", exclude_categories=["Cc"])),
        min_size=1,
        max_size=5,
    )
)
def test_names_round_trip(parts: list[str | int]) -> None:
    assert list(name_parts(write_name(parts))) == parts
