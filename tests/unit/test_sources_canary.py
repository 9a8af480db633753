"""Benchmark material is no training data: the mark of CoreBench, wherever and however it is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pythagoras.corpus.records import Instance, Problem, Tier
from pythagoras.corpus.rows import Fault
from pythagoras.corpus.sources.canary import is_marked_row, is_marked_text
from pythagoras.corpus.sources.reader import benchmark, source_items
from pythagoras.evaluate.corebench.items import CANARY
from tests.unit.source_files import DATA, SHAPES, rows_of

REFUSED = "it is benchmark material, which must not become training data"


def test_marked_files_are_no_training_data_but_a_benchmark(tmp_path: Path) -> None:
    folder = tmp_path / "corebench"
    folder.mkdir()
    (folder / "own.lean").write_bytes((DATA / "corebench_like.lean").read_bytes())
    items = list(source_items(folder))
    assert [str(item) for item in items] == [f"{folder / 'own.lean'}: {REFUSED}"]
    first, second = benchmark(folder)
    assert isinstance(first, Instance)
    assert isinstance(second, Instance)
    assert [(item.source, item.tier, item.header, item.topic) for item in (first, second)] == [
        ("corebench/valid", Tier.EASY, "core", "own"),
        ("corebench/test", Tier.HARD, "core", "own"),
    ]
    assert second.informal == "Show that\nsquares leave 0 or 1 modulo 4."


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
@pytest.mark.parametrize("name", ["big-math", "minif2f-deepseek", "pythagoras"])
def test_marked_rows_are_refused(name: str, ending: str, tmp_path: Path) -> None:
    rows = rows_of(SHAPES[name])
    rows = [{**row, "canary": None if index else "CoreBench canary: never"} for index, row in enumerate(rows)]
    path = tmp_path / f"{name}.{ending}"
    if ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    first, *rest = source_items(path)
    assert str(first) == f"{path}, row 1: {REFUSED}"
    assert len(rest) == len(rows) - 1
    assert not any(isinstance(item, Fault) for item in rest)
    if name.startswith("minif2f"):
        assert len(benchmark(path)) == len(rows)


def test_a_mark_inside_of_the_lean_text_counts_too(tmp_path: Path) -> None:
    text = "-- CoreBench canary: benchmark, never training data\ntheorem t : 1 = 1 := rfl"
    (tmp_path / "x.jsonl").write_text(json.dumps({"name": "t", "formal_statement": text}) + "\n")
    (item,) = source_items(tmp_path / "x.jsonl")
    assert str(item).endswith(REFUSED)


MARKS = [
    "CoreBench canary: never",
    "corebench  CANARY",
    "-- See CoreBench canary",
    "Core-Bench's canary!",
    "canary of the CoreBench set",
    "an id: 6F2C9A41-5d0e-4b7f-9c3a-2e81d7b0546f.",
]
NO_MARKS = ["A canary sings in a mine.", "The core benches of the hall.", "half \ud83d canary", ""]


def test_our_own_benchmark_is_marked() -> None:
    assert is_marked_text(CANARY)
    assert is_marked_text(CANARY.replace("CoreBench", ""))  # by its identifier


@pytest.mark.parametrize("mark", MARKS)
def test_the_mark_counts_wherever_it_stands(mark: str) -> None:
    assert is_marked_text(mark)
    deep: Any = mark
    for _ in range(5_000):
        deep = [deep]
    for row in (
        {"problem": f"What is 1 + 1? {mark} And 2?"},
        {"problem": "a", "meta": {"canary": mark}},
        {"messages": [{"role": "user", "content": mark}]},
        {"deep": deep},
    ):
        assert is_marked_row(row)


def test_what_is_no_mark() -> None:
    for text in NO_MARKS:
        assert not is_marked_text(text)
    assert not is_marked_row({"a": "canary", "b": None, "c": ["CoreBench", 1, 2.5]})  # only together they are one
    assert not is_marked_row({"problem": "CoreBench has 334 items."})


@pytest.mark.parametrize(
    "row", [{"source": "corebench/valid"}, {"Name": "Core_Bench 7"}, {"meta": {"dataset": "CoreBench"}}]
)
def test_fields_may_name_the_benchmark(row: dict[str, Any]) -> None:
    assert is_marked_row(row)


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_marked_problems_are_refused_whatever_the_column(ending: str, tmp_path: Path) -> None:
    good = {"problem": "What is 1 + 1?", "meta": {"note": ""}, "source": "own"}
    rows = [
        good,
        {**good, "problem": "Show it. (Corebench Canary)"},
        {**good, "meta": {"note": MARKS[2]}},
        {**good, "source": "CoreBench"},
    ]
    path = tmp_path / f"x.{ending}"
    if ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    first, *rest = source_items(path)
    assert isinstance(first, Problem)
    assert [str(item) for item in rest] == [f"{path}, row {row}: {REFUSED}" for row in (2, 3, 4)]
    assert len(benchmark(path)) == 4


def test_a_reworded_mark_of_a_lean_file_counts(tmp_path: Path) -> None:
    text = (DATA / "corebench_like.lean").read_text().replace("CoreBench canary:", "see the corebench-canary,")
    (tmp_path / "x.lean").write_text(text)
    assert [str(item) for item in source_items(tmp_path / "x.lean")] == [f"{tmp_path / 'x.lean'}: {REFUSED}"]
