"""Mappings: paths, filters, recognition by columns, and what is said about a wrong one."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus.records import Problem, Tier
from pythagoras.corpus.sources.building import row_filter
from pythagoras.corpus.sources.lean_files import answers_of
from pythagoras.corpus.sources.mapping import Condition, detect, known_mappings, mappings_for
from pythagoras.corpus.sources.values import TAKES, column_of, getter
from pythagoras.errors import InputError
from pythagoras.lean.scopes import own_context
from tests.unit.source_files import read_source

NAMES = st.text(st.characters(codec="utf-8", exclude_characters=".[]="), min_size=1, max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


# --- paths ---------------------------------------------------------------------------------------


@given(keys=st.lists(NAMES, min_size=1, max_size=4), value=JSON)
def test_a_path_finds_what_was_put_there(keys: list[str], value: Any) -> None:
    row: Any = value
    for key in reversed(keys):
        row = {key: row}
    path = ".".join(keys)
    assert getter(path)(row) == value
    assert column_of(path) == keys[0]


@given(
    row=st.dictionaries(NAMES, JSON, max_size=3), path=st.sampled_from(["a", "a.b", "a[0]", "a[-1].b", "a[k=v].b.c"])
)
def test_a_path_never_fails_on_a_row(row: dict[str, Any], path: str) -> None:
    getter(path)(row)
    getter(path)({"a": row})


def test_elements_of_lists() -> None:
    row = {
        "m": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}, {"role": "user", "content": "z"}]
    }
    assert getter("m[role=user].content")(row) == "q"
    assert getter("m[role=assistant].content")(row) == "a"
    assert getter("m[role=system].content")(row) is None
    assert getter("m[-1].content")(row) == "z"
    assert getter("m[3].content")(row) is None
    assert column_of("m[-1].content") == "m"


@pytest.mark.parametrize("path", ["", "a[", "a]b", "[", "a[]"])
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(ValueError, match="is no path"):
        getter(path)


# --- what is taken of a text ---------------------------------------------------------------------


@given(st.recursive(st.text(st.characters(exclude_characters="{}\\")), lambda s: s.map("{{{}}}".format), max_leaves=3))
def test_boxes_may_hold_brackets(inside: str) -> None:
    assert TAKES["boxed"](f"first \\boxed{{0}}, then \\boxed{{{inside}}}. Done.") == inside.strip()


def test_takes() -> None:
    assert TAKES["boxed"]("nothing") == ""
    assert TAKES["boxed"]("\\boxed{never closed") == ""
    text = "A.\n```lean4\nfirst\n```\nB.\n```lean4\nsecond```\nC."
    assert TAKES["lean"](text) == "second"
    assert TAKES["before lean"](text).endswith("B.")
    assert TAKES["lean"]("```lean\nopen end") == "open end"
    assert TAKES["lean"]("```python\nx\n```") == ""
    assert TAKES["area"]("Mathematics -> Number Theory -> Primes") == "number theory"
    assert TAKES["area"]("Geometry") == "geometry"
    assert TAKES["topic"]("Number_Theory") == "number theory"


# --- filters -------------------------------------------------------------------------------------

SOURCES: dict[str | None, str] = {
    **dict.fromkeys(["olympiads", "Olympiads", "amc_aime", "aops_forum", "aime", "amc"], "always"),
    **dict.fromkeys(["math", "MATH"], "by level"),
    **dict.fromkeys(["gsm8k", "orca_math", "cn_k12", "harp", "omnimath", "big_math", "mathd", "", None], "never"),
}
HARD_LEVELS: list[str | int] = ["Level 5", "Level 4", "level 4", 5, 4, "5"]
LEVELS: dict[str | int | None, bool] = {
    **dict.fromkeys(HARD_LEVELS, True),
    **dict.fromkeys(["Level 3", 3, "Level ?", None, True, "Level 45"], False),
}


@pytest.mark.parametrize(("source", "level"), [*product(SOURCES, LEVELS)])
def test_the_papers_hard_subset_of_big_math(source: str | None, level: str | int | None) -> None:
    why = row_filter(known_mappings()["big-math-hard"])({"source": source, "level": level, "problem": "p"})
    assert (why == "") == (SOURCES[source] == "always" or (SOURCES[source] == "by level" and LEVELS[level]))


CONDITIONS: list[tuple[dict[str, Any], Any, bool]] = [
    ({"any_of": ["a", "b"]}, " B ", True),
    ({"any_of": ["a", "b"]}, "c", False),
    ({"any_of": [1]}, 1, True),
    ({"any_of": [1]}, "1", False),
    ({"any_of": [1]}, True, False),
    ({"any_of": ["a"]}, ["c", "a"], True),
    ({"any_of": ["a"]}, {"a": 1}, False),
    ({"any_of": ["a"]}, None, False),
    ({"matches": "^lean4_"}, "lean4_completion", True),
    ({"matches": "^lean4_"}, "x lean4_", False),
    ({"matches": "1"}, 1, False),
    ({"at_least": 0.5}, 0.5, True),
    ({"at_least": 0.5}, 0.4, False),
    ({"at_least": 0.0}, None, False),
    ({"at_least": 0.0}, True, False),
    ({"at_least": 1, "at_most": 5}, 5, True),
    ({"at_least": 1, "at_most": 5}, 6, False),
    ({"any_of": ["ab"], "matches": "^a"}, "AB", False),
]


@pytest.mark.parametrize(("condition", "value", "holds"), CONDITIONS)
def test_conditions(condition: dict[str, Any], value: Any, holds: bool) -> None:
    assert Condition(**condition).holds(value) is holds


# --- recognition ---------------------------------------------------------------------------------

PUBLISHED = [mapping for mapping in known_mappings().values() if mapping.columns]


@given(mapping=st.sampled_from(PUBLISHED), data=st.data())
def test_recognition_does_not_depend_on_the_order_of_columns(mapping: Any, data: st.DataObject) -> None:
    columns = data.draw(st.permutations(mapping.columns))
    file = mapping.named.replace("[-_]?", "") + ".jsonl"
    found = detect(columns, file, known_mappings())
    assert found is not None
    assert found.must_have <= {*columns}
    assert found == detect(mapping.columns, file, known_mappings())


def test_a_column_more_is_another_set() -> None:
    def name(*columns: str, file: str = "x.jsonl") -> str | None:
        found = detect(columns, file, known_mappings())
        return found.name if found else None

    assert name("problem", "solution", "answer") == "deepscaler"
    assert name("id", "problem", "solution", "answer", "url") == "problems"
    assert name("problem", "answer", "source", "domain", "llama8b_solve_rate", "level") == "big-math"
    assert name("query", "response") == "dart-math-hard"
    assert name("query", "response", "type") == "problems"
    assert name("name", "source", file="putnam.jsonl") == "putnambench"
    assert name("name", "source") is None
    assert name("name", "split", "header", "formal_statement", file="MiniF2F/x.jsonl") == "minif2f-plain"
    assert name("name", "split", "header", "formal_statement") == "formal-rows"
    assert name("text", "label") is None
    assert name() is None


# --- mappings of users ---------------------------------------------------------------------------

OWN = """
[school]
gives = "problem"
constants = { source = "school", tier = "easy" }
[school.fields]
text = ["task.text", "task.title"]
answer = { from = "task.notes", pattern = "answer: (.*)" }
topic = { from = "tags", take = "topic" }
[[school.keep]]
grade = { at_least = 5, at_most = 7 }
"""


def own_file(tmp_path: Path, text: str) -> str:
    (tmp_path / "own.toml").write_text(text)
    return str(tmp_path / "own.toml")


def test_a_users_own_mapping(tmp_path: Path) -> None:
    rows = [
        {"task": {"text": "Add 1 and 2.", "notes": "easy; answer: 3"}, "tags": ["Whole_Numbers"], "grade": 5},
        {"task": {"title": "Add 2 and 2."}, "tags": [], "grade": 7},
        {"task": {"text": "Too hard."}, "tags": [], "grade": 9},
    ]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = list(read_source(tmp_path / "x.jsonl", mapping=own_file(tmp_path, OWN)))
    assert [(p.text, p.answer, p.topic, p.tier, p.source) for p in found if isinstance(p, Problem)] == [
        ("Add 1 and 2.", "3", "whole numbers", Tier.EASY, "school"),
        ("Add 2 and 2.", "", "", Tier.EASY, "school"),
    ]


def test_a_users_mapping_may_extend_a_known_one(tmp_path: Path) -> None:
    text = '[hard-and-harp]\nextends = "big-math-hard"\n[[hard-and-harp.keep]]\nsource = { any_of = ["harp"] }\n'
    (mapping,) = mappings_for(own_file(tmp_path, text)).values()
    assert mapping.constants.tier is Tier.HARD
    assert mapping.fields == known_mappings()["big-math"].fields
    assert row_filter(mapping)({"source": "HARP"}) == ""
    assert row_filter(mapping)({"source": "olympiads"}) == "source is 'olympiads'"


def test_several_mappings_in_a_file_are_told_apart_by_columns(tmp_path: Path) -> None:
    second = OWN.replace("school", "other").replace('gives = "problem"', 'gives = "problem"\nneeds = ["x"]')
    mappings = mappings_for(own_file(tmp_path, OWN + second))
    assert {name: detect(columns, "f", mappings) for name, columns in (("school", ["a"]), ("other", ["a", "x"]))} == {
        "school": mappings["school"],
        "other": mappings["other"],
    }


WRONG = {
    "x = 1\n": "has 'x' outside of a table",
    "": "is empty",
    "[a\n": "is no TOML",
    '[a]\ngives = "poem"\n': r"a wrong a\.gives: Input should be 'problem', 'formalisation' or 'instance'",
    '[a]\ngives = "problem"\nfields = {}\nconstants = { source = "a" }\n': r"a wrong a: .*fields\.text is missing",
    OWN.replace("topic =", "subject ="): "a problem has no field 'subject': one of answer, part, split",
    OWN.replace('take = "topic"', 'take = "tpoic"'): "nothing is called 'tpoic' to take: one of area",
    OWN.replace("answer: (.*)", "answer: (.*"): "is no regular expression",
    OWN.replace("answer: (.*)", "answer"): "has no group",
    OWN.replace('"tags"', '"tags["'): "is no path",
    OWN.replace("at_least = 5, at_most = 7", ""): "it asks for nothing",
    OWN.replace("at_least = 5", "atleast = 5"): r"school\.keep\.0\.grade\.atleast: Extra inputs are not permitted",
    OWN.replace('tier = "easy"', 'tier = "simple"'): r"school\.constants\.tier",
    OWN.replace('tier = "easy"', 'header = "mathilb"'): "did you mean 'mathlib'",
    '[a]\nextends = "big-maths"\n': "no mapping to extend is called 'big-maths': did you mean 'big-math'",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_said_about_a_wrong_mapping(text: str, tmp_path: Path) -> None:
    file = own_file(tmp_path, text)
    with pytest.raises(InputError, match=WRONG[text]) as caught:
        mappings_for(file)
    assert file in str(caught.value) or "extend" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mapping_that_is_not_there() -> None:
    with pytest.raises(InputError, match="no mapping is called 'big-mth': did you mean 'big-math'"):
        mappings_for("big-mth")
    with pytest.raises(InputError, match=r"no\.toml can't be read: No such file"):
        mappings_for("no.toml")


# --- parts of statements -------------------------------------------------------------------------


def test_a_header_is_not_said_again_in_the_context() -> None:
    head = "set_option maxHeartbeats 400000\n\nopen BigOperators Real Nat Topology Rat"
    assert own_context(head, "mathlib") == own_context(head, "core") == ""
    assert own_context(head, "mathlib-unlimited") == "set_option maxHeartbeats 400000"
    assert own_context(head, "mathlib-bare") == head
    assert own_context(head + "\n\nopen Nat Set", "mathlib") == "open Nat Set"
    assert own_context(head, "none") == "open BigOperators Real Nat Topology Rat"
    definition = "def f (n : ℕ) : ℕ :=\n  n + 1"
    assert own_context(f"{head}\n\n{definition}", "mathlib") == definition
    for kept in ("open Nat in\ndef g := 1", "open Real (pi)", "open scoped Nat", "set_option maxRecDepth 9"):
        assert own_context(kept, "mathlib") == kept


def test_answers_stand_in_comments_behind_their_definition() -> None:
    text = (
        "abbrev a : Set ℕ := sorry\n-- {1,\n--  2}\n\nabbrev b : ℕ := sorry -- 3\ntheorem t : a = {b} := sorry\n"
        "-- no answer\ndef c : ℕ := 4\n-- nor this\ndef d : ℕ := sorry\n\n-- far away\n"
    )
    assert answers_of(text) == {"a": "{1,\n2}", "b": "3", "d": ""}
