"""Records: ids, rows in JSON and Arrow, and what is said of rows that are none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus import rows
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import (
    KINDS,
    Attempt,
    Formalisation,
    Instance,
    Judgement,
    Problem,
    Provenance,
    Record,
    Rejected,
    Remark,
    Tier,
    formal_text,
    group_of,
    informal_text,
    kind_of,
    record_id,
    settings_text,
    statement_of,
)
from tests.unit.corpora import formalisation, instance, problem

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
REMARKS = st.lists(st.builds(Remark, TEXT, st.integers(1, 99), st.integers(0, 99), TEXT), max_size=2).map(tuple)
PROVENANCE = st.builds(Provenance, TEXT, TEXT, TEXT, TEXT)
TIER = st.sampled_from(Tier)
COUNT = st.integers(0, 2**40)
RECORDS: st.SearchStrategy[Record] = st.one_of(
    st.builds(Problem, TEXT, TEXT, TEXT, TEXT, TIER, PROVENANCE),
    st.builds(Formalisation, TEXT, TEXT, TEXT, provenance=PROVENANCE, tier=TIER, docstring=TEXT),
    st.builds(Attempt, TEXT, TEXT, COUNT, COUNT, TEXT, TEXT, COUNT, COUNT, COUNT, provenance=PROVENANCE),
    st.builds(Judgement, TEXT, TEXT, TEXT, TEXT, TEXT, st.none() | st.booleans(), TEXT, REMARKS, TEXTS),
    st.builds(Instance, TEXT, TEXT, TEXT, TEXT, TIER, st.booleans(), TEXT, TEXT, provenance=PROVENANCE),
    st.builds(Rejected, TEXT, TEXT, st.sampled_from(Reason).map(str), TEXT, st.none() | st.floats(0, 1), TEXT),
)


@given(RECORDS)
def test_a_record_is_the_same_after_json(record: Record) -> None:
    assert rows.from_line(rows.to_line(record)) == record


@given(st.lists(RECORDS, max_size=8))
def test_records_are_the_same_after_arrow(records: Sequence[Record]) -> None:
    for kind in KINDS:
        same = [record for record in records if kind_of(record) == kind]
        table = rows.to_table(kind, same)
        assert rows.kind_of_schema(table.schema) == kind
        assert [rows.from_row(row, kind) for row in table.to_pylist()] == same


@given(RECORDS)
def test_the_id_is_of_the_content_and_not_of_the_provenance(record: Record) -> None:
    assert record_id(record) == record_id(replace(record, provenance=Provenance("another", "maker")))
    assert len(record_id(record)) == 32


@given(RECORDS, RECORDS)
def test_other_content_has_another_id(one: Record, other: Record) -> None:
    bare = [replace(record, provenance=Provenance()) for record in (one, other)]
    assert (record_id(one) == record_id(other)) == (type(one) is type(other) and bare[0] == bare[1])


def test_ids_stay_what_they_are() -> None:
    """Stored corpora refer to each other by id: a change here breaks them."""
    assert record_id(problem()) == "8ba9a1b2e1d8e1675d63ab9fc845cbd3"
    assert record_id(instance()) == "1fb7df0b50c9ec7d172afca25f92df26"


def test_every_field_of_a_record_makes_a_difference() -> None:
    for field in fields(Instance):
        if field.name != "provenance":
            value: Any = {"tier": Tier.HARD, "verified": False}.get(field.name, "another")
            assert record_id(replace(instance(), **{field.name: value})) != record_id(instance()), field.name


@pytest.mark.parametrize(
    ("row", "field", "why"),
    [
        ({}, "kind", "it is missing"),
        ({"kind": "probelm"}, "kind", "'probelm' is no kind of record"),
        ({"kind": 3}, "kind", "3 is no kind of record"),
        ({"kind": "problem", "source": "s"}, "text", "it is missing"),
        ({"kind": "problem", "text": None, "source": "s"}, "text", "None: input should be a valid string"),
        ({"kind": "problem", "text": "t", "source": "s", "tier": "eazy"}, "tier", "'eazy': input should be 'easy'"),
        ({"kind": "problem", "text": "t", "source": "s", "color": 1}, "color", "no such field belongs here"),
        ({"kind": "problem", "text": "t", "source": "s", "provenance": {"parent": 3}}, "provenance.parent", "3: input"),
        ({"kind": "problem", "text": "t", "source": ["x"] * 50}, "source", "..."),
        (
            {"kind": "attempt", "formalisation": "f", "completion": "p", "seed": 2**70},
            "seed",
            "1180591620717411303424: input",
        ),
        ({"kind": "problem", "text": "\ud800", "source": "s"}, "text", "surrogate"),
        ({**rows.to_row(instance()), "verified": "so"}, "verified", "'so'"),
        (
            {"kind": "judgement", "submission": "a", "outcome": "o", "reason": "r", "axioms": ["a", 3]},
            "axioms.1",
            "3: input",
        ),
    ],
)
def test_what_is_wrong_with_a_row_is_said_by_field(row: dict[str, Any], field: str, why: str) -> None:
    with pytest.raises(rows.RowError) as caught:
        rows.from_row(row)
    assert caught.value.field == field
    assert why in caught.value.why


@pytest.mark.parametrize(
    ("line", "why"), [("{", "no JSON"), ("[1]", "JSON list"), ("3", "JSON int"), ("[" * 99999, "no JSON")]
)
def test_a_line_that_is_no_row(line: str, why: str) -> None:
    with pytest.raises(rows.RowError, match=why):
        rows.from_line(line, "problem")


def test_a_row_without_kind_is_read_as_what_is_expected() -> None:
    row = {"text": "t", "source": "s", "id": "whatever"}
    assert rows.from_row(row, "problem") == Problem("t", "s")
    assert rows.from_line(json.dumps(row), "problem") == Problem("t", "s")


def test_what_stages_ask_of_records() -> None:
    one = formalisation("theorem t (n : ℕ) : n = n", docstring="It is itself.", topic="logic", tier=Tier.HARD)
    assert (informal_text(one), formal_text(one)) == ("It is itself.", "theorem t (n : ℕ) : n = n")
    assert (informal_text(problem()), formal_text(problem())) == ("What is 1 + 1?", "")
    assert (informal_text(instance(informal="One and one.")), formal_text(instance())) == (
        "One and one.",
        "theorem t : 1 + 1 = 2",
    )
    assert [group_of(one, by) for by in ("tier", "topic", "source", "operator", "proof")] == [
        "hard",
        "logic",
        "made",
        "",
        "",
    ]
    assert group_of(problem(provenance=Provenance(maker="swap")), "operator") == "swap"


def test_the_statement_of_a_record_is_taken_apart() -> None:
    record = instance("theorem t (n : ℕ) (h : n = two) : n < 3", context="def two := 2", header="mathlib")
    statement = statement_of(record)
    assert (statement.goal, statement.context, statement.header) == ("n < 3", "def two := 2", "mathlib")


def test_settings_are_written_one_way() -> None:
    assert settings_text({"b": 1, "a": "ℕ"}) == settings_text({"a": "ℕ", "b": 1}) == '{"a":"ℕ","b":1}'
