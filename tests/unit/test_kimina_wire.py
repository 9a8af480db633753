"""The Kimina protocol's JSON: what is taken, what is refused, and what is left out of an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from pythagoras.lean.kimina.wire import (
    CheckRequest,
    CheckResponse,
    CommandResponse,
    Diagnostics,
    SnippetResult,
    VerifyRequest,
    VerifyResponse,
    VerifyResult,
)
from pythagoras.lean.wire import Message, Position, Sorry

A = {"id": "a", "code": "x"}


def test_a_request_has_kiminas_defaults() -> None:
    request = CheckRequest.model_validate({"snippets": [A]})
    assert (request.timeout, request.debug, request.reuse, request.infotree) == (30, False, True, None)


def test_what_a_client_of_kimina_sends_is_taken() -> None:
    sent = {"snippets": [A], "timeout": 60, "debug": True, "reuse": False, "infotree": "tactics", "new": 1}
    assert CheckRequest.model_validate(sent).infotree == "tactics"


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ({}, "snippets"),
        ({"snippets": []}, "at least 1"),
        ({"snippets": [A, A]}, "'a' is given twice"),
        ({"snippets": [{"id": "a"}]}, "code"),
        ({"snippets": [{"id": 1, "code": ""}]}, "id"),
        ({"snippets": [A], "timeout": -1}, "timeout"),
        ({"snippets": [A], "timeout": float("nan")}, "timeout"),
        ({"snippets": [A], "timeout": float("inf")}, "timeout"),
        ({"snippets": [A], "infotree": "everything"}, "infotree"),
    ],
)
def test_wrong_requests_are_refused(request_: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        CheckRequest.model_validate(request_)


def test_the_older_form_says_the_same() -> None:
    codes = [
        {"custom_id": 7, "proof": "p"},
        {"custom_id": "b", "code": "c"},
        {"custom_id": "", "proof": "", "code": "c"},
    ]
    request = VerifyRequest.model_validate(
        {"codes": codes, "timeout": 5, "infotree_type": "original", "disable_cache": True}
    ).to_check()
    assert [(snippet.id, snippet.code) for snippet in request.snippets] == [("7", "p"), ("b", "c"), ("", "")]
    assert (request.timeout, request.infotree, request.reuse, request.debug) == (5, "original", False, False)
    assert VerifyRequest.model_validate({"codes": codes}).timeout == 300


@pytest.mark.parametrize(
    ("codes", "told"),
    [
        ([], "at least 1"),
        ([{"custom_id": 1}], "`proof` or in `code`"),
        ([{"proof": ""}], "custom_id"),
        ([{"custom_id": 1, "proof": ""}, {"custom_id": "1", "proof": ""}], "'1' is given twice"),
    ],
)
def test_wrong_requests_of_the_older_form_are_refused(codes: list[dict[str, Any]], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        VerifyRequest.model_validate({"codes": codes})


def test_a_result_has_an_error_or_a_response() -> None:
    for wrong in ({}, {"error": "e", "response": CommandResponse()}):
        with pytest.raises(ValidationError, match="either"):
            SnippetResult.model_validate({"id": "a", **wrong})


def test_what_is_none_is_not_sent() -> None:
    place = Position(line=1, column=2)
    message = Message(severity="info", pos=place, data="d")
    response = CommandResponse(messages=(message,), sorries=(Sorry(goal="g", pos=place, end_pos=place),))
    answer = CheckResponse(
        results=(
            SnippetResult(id="a", time=1.5, response=response),
            SnippetResult(id="b", error="e", diagnostics=Diagnostics(repl_uuid="u", cpu_max=1, memory_max=2)),
            SnippetResult(id="c", response=CommandResponse()),
        )
    )
    pos = {"line": 1, "column": 2}
    assert answer.to_wire() == {
        "results": [
            {
                "id": "a",
                "time": 1.5,
                "response": {
                    "messages": [{"severity": "info", "pos": pos, "data": "d"}],
                    "sorries": [{"goal": "g", "pos": pos, "endPos": pos}],
                },
            },
            {"id": "b", "time": 0, "error": "e", "diagnostics": {"repl_uuid": "u", "cpu_max": 1, "memory_max": 2}},
            {"id": "c", "time": 0, "response": {}},
        ]
    }
    assert CheckResponse.model_validate_json(json.dumps(answer.to_wire())) == answer


def test_the_older_form_has_the_time_inside() -> None:
    results = (SnippetResult(id="7", time=2, response=CommandResponse()), SnippetResult(id="8", error="e"))
    answer = VerifyResponse(results=tuple(map(VerifyResult.of, results)))
    assert answer.to_wire() == {
        "results": [{"custom_id": "7", "response": {"time": 2}}, {"custom_id": "8", "error": "e"}]
    }
    assert VerifyResponse.model_validate_json(json.dumps(answer.to_wire())) == answer


def test_trees_keep_their_nulls_and_their_depth() -> None:
    tree: list[Any] = []
    for _ in range(200):
        tree = [{"kind": "TacticInfo", "node": {"name": None}, "children": tree}]
    result = SnippetResult(id="a", response=CommandResponse(infotree=tree))
    for wire in (result.to_wire(), VerifyResult.of(result).to_wire()):
        assert json.loads(json.dumps(wire))["response"]["infotree"] == tree


def test_a_refusal_of_the_repl_can_be_read() -> None:
    result = SnippetResult.model_validate({"id": "a", "response": {"message": "Unknown environment."}})
    assert result.response is not None
    assert result.response.message == "Unknown environment."
