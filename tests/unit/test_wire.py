"""The wire: answers of the community REPL and of our host are read, requests are written, nonsense is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pythagoras.lean.wire import Answer, Command, Declaration, Limits, Message, Position, Sorry, Span, Tactic

# --- the REPL's own shapes (README of leanprover-community/repl) -----------------------------------


def test_an_answer_without_messages_is_empty() -> None:
    assert Answer.model_validate_json('{"env": 0}') == Answer(env=0)
    assert Answer.model_validate_json("{}") == Answer()


def test_null_lists_are_empty() -> None:
    assert Answer.model_validate_json('{"messages": null, "sorries": null, "tactics": null, "env": null}') == Answer()


def test_a_message_of_the_repl() -> None:
    answer = Answer.model_validate_json(
        """{"messages": [
             {"severity": "error", "pos": {"line": 1, "column": 23}, "endPos": {"line": 1, "column": 26},
              "data": "type mismatch"},
             {"severity": "info", "pos": {"line": 2, "column": 0}, "endPos": null, "data": "Nat : Type"},
             {"severity": "warning", "pos": {"line": 3, "column": 8}, "data": "declaration uses 'sorry'",
              "kind": "hasSorry"}], "env": 6}"""
    )
    error, info, warning = answer.messages
    assert (error.pos, error.end_pos) == (Position(line=1, column=23), Position(line=1, column=26))
    assert (info.severity, info.end_pos, info.kind) == ("info", None, None)
    assert (warning.severity, warning.end_pos, warning.kind) == ("warning", None, "hasSorry")
    assert answer.errors == (error,)


def test_sorries_and_tactics_of_the_repl() -> None:
    answer = Answer.model_validate_json(
        """{"sorries": [{"proofState": 0, "pos": {"line": 1, "column": 18}, "goal": "⊢ Nat",
                        "endPos": {"line": 1, "column": 23}}, {"goal": "⊢ True"}],
            "tactics": [{"usedConstants": ["Nat", "rfl"], "tactic": "exact rfl", "proofState": 1,
                         "pos": {"line": 1, "column": 3}, "goals": "⊢ f = 37", "endPos": {"line": 1, "column": 12}},
                        {"tactic": "skip", "proofState": null, "pos": {"line": 2, "column": 0}, "goals": "",
                         "endPos": {"line": 2, "column": 4}}],
            "env": 1}"""
    )
    assert [sorry.goal for sorry in answer.sorries] == ["⊢ Nat", "⊢ True"]
    assert [sorry.pos for sorry in answer.sorries] == [Position(line=1, column=18), None]
    assert [tactic.used_constants for tactic in answer.tactics] == [("Nat", "rfl"), ()]
    assert answer.tactics[0].goals == "⊢ f = 37"


def test_additions_of_our_host() -> None:
    place = {"pos": {"line": 1, "column": 0}, "endPos": {"line": 1, "column": 9}}
    command = {"kind": "theorem", "name": "t", "declares": ["A.t"], **place}
    declaration = {"name": "A.t", "kind": "theorem", "type": None, "typeKey": "x", "axioms": ["propext"]}
    span = {"kind": "Lean.Parser.Tactic.omega", "start": 3, "end": 8, "parent": None, **place}
    answer = Answer.model_validate(
        {"commands": [command], "declarations": [declaration], "spans": [span], "interrupted": True}
    )
    assert answer.commands[0].declares == ("A.t",)
    assert answer.declarations[0].type_key == "x"
    assert answer.spans[0].parent is None
    assert answer.interrupted
    assert not Answer().interrupted


def test_unknown_fields_of_an_answer_are_ignored() -> None:
    message = {"severity": "info", "pos": {"line": 1, "column": 0, "byte": 7}, "data": "", "caption": ""}
    answer = Answer.model_validate({"messages": [message], "proofTree": [{"node": {}}], "time": 3})
    assert answer.model_dump(by_alias=True, exclude_defaults=True) == {
        "messages": ({"severity": "info", "pos": {"line": 1, "column": 0}, "data": ""},)
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"messages": [{"severity": "fatal", "pos": {"line": 1, "column": 0}, "data": ""}]},
        {"messages": [{"severity": "error", "data": ""}]},
        {"messages": [{"severity": "error", "pos": {"line": 1}, "data": ""}]},
        {"messages": [{"severity": "error", "pos": {"line": 1, "column": 0}, "data": None}]},
        {"messages": "none"},
        {"sorries": [{"pos": {"line": 1, "column": 0}}]},
        {"declarations": [{"name": "t", "kind": "lemma", "type": "", "typeKey": "", "axioms": []}]},
        {"declarations": [{"name": "t", "kind": "theorem", "type": "", "typeKey": ""}]},
        {"commands": [{"kind": "theorem", "pos": {"line": 1, "column": 0}, "declares": []}]},
        {"env": "first"},
        {"interrupted": "perhaps"},
        [],
    ],
)
def test_an_answer_of_another_shape_is_refused(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        Answer.model_validate(wrong)


def test_answers_do_not_change() -> None:
    answer = Answer()
    with pytest.raises(ValidationError, match="frozen"):
        answer.env = 3  # type: ignore[misc]


# --- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "wire"),
    [
        (Limits(), {"timeoutMs": 60_000}),
        (Limits(timeout_s=0.25), {"timeoutMs": 250}),
        (Limits(timeout_s=1e-9), {"timeoutMs": 1}),
        (Limits(heartbeats=0), {"timeoutMs": 60_000, "heartbeats": 0}),
        (
            Limits.model_validate({"heartbeats": 400_000, "recDepth": 512, "timeout_s": 2}),
            {"timeoutMs": 2000, "heartbeats": 400_000, "recDepth": 512},
        ),
    ],
)
def test_limits_on_the_wire(limits: Limits, wire: dict[str, int]) -> None:
    assert limits.to_wire() == wire


@pytest.mark.parametrize(
    "wrong",
    [
        {"heartbeats": -1},
        {"heartbeats": 0.5},
        {"rec_depth": 0},
        {"recDepth": "deep"},
        {"timeout_s": 0},
        {"timeout_s": -1},
        {"timeout_s": float("nan")},
        {"timeout_s": None},
        {"timeout": 5},
        {"maxHeartbeats": 5},
    ],
)
def test_limits_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Limits.model_validate(wrong)


@pytest.mark.parametrize("seconds", [float("inf"), 1e306])
def test_an_endless_timeout_is_refused(seconds: float) -> None:
    with pytest.raises(ValidationError):
        Limits(timeout_s=seconds)


def test_limits_can_be_part_of_a_key() -> None:
    assert {Limits(): 1}[Limits(timeout_s=60)] == 1
    assert Limits(heartbeats=1) != Limits(heartbeats=2)


@given(
    st.none() | st.integers(0, 10**9),
    st.none() | st.integers(1, 10**6),
    st.floats(0.001, 10**6, allow_nan=False),
)
def test_limits_are_whole_numbers_on_the_wire(heartbeats: int | None, depth: int | None, timeout_s: float) -> None:
    limits = Limits.model_validate({"heartbeats": heartbeats, "rec_depth": depth, "timeout_s": timeout_s})
    wire = limits.to_wire()
    assert abs(wire.pop("timeoutMs") - 1000 * timeout_s) <= 0.5
    expected = {"heartbeats": heartbeats, "recDepth": depth}
    assert wire == {name: value for name, value in expected.items() if value is not None}
    assert all(type(value) is int for value in limits.to_wire().values())


# --- any answer ------------------------------------------------------------------------------------

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
NUMBER = st.integers(0, 10**6)
PLACE = st.builds(Position, line=NUMBER, column=NUMBER)
SEVERITY = st.sampled_from(["trace", "info", "warning", "error"])
KIND = st.sampled_from(["axiom", "definition", "theorem", "opaque", "inductive", "constructor", "recursor"])


def some(elements: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(elements, max_size=3).map(tuple)


ANSWERS = st.builds(
    Answer,
    messages=some(
        st.builds(Message, severity=SEVERITY, pos=PLACE, end_pos=st.none() | PLACE, data=TEXT, kind=st.none() | TEXT)
    ),
    sorries=some(st.builds(Sorry, goal=TEXT, pos=st.none() | PLACE, end_pos=st.none() | PLACE)),
    tactics=some(st.builds(Tactic, tactic=TEXT, goals=TEXT, pos=PLACE, end_pos=PLACE, used_constants=some(TEXT))),
    spans=some(
        st.builds(Span, kind=TEXT, start=NUMBER, end=NUMBER, pos=PLACE, end_pos=PLACE, parent=st.none() | NUMBER)
    ),
    commands=some(st.builds(Command, kind=TEXT, name=st.none() | TEXT, pos=PLACE, end_pos=PLACE, declares=some(TEXT))),
    declarations=some(
        st.builds(Declaration, name=TEXT, kind=KIND, type=st.none() | TEXT, type_key=TEXT, axioms=some(TEXT))
    ),
    env=st.none() | NUMBER,
    interrupted=st.booleans(),
)


@given(ANSWERS)
def test_answers_round_trip(answer: Answer) -> None:
    assert Answer.model_validate_json(answer.model_dump_json(by_alias=True)) == answer


@given(ANSWERS)
def test_empty_lists_may_be_left_out(answer: Answer) -> None:
    wire = json.loads(answer.model_dump_json(by_alias=True))
    short = {name: value for name, value in wire.items() if value not in ([], None)}
    assert Answer.model_validate(short) == answer
    assert all("_" not in name for part in (*wire["tactics"], *wire["spans"], *wire["declarations"]) for name in part)
