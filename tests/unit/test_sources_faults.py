"""Corrupt and foreign input: one line that names file, row and field, and the rest is not lost."""

from __future__ import annotations

import gzip
import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus.jsonl import BOM, json_lines
from pythagoras.corpus.parquet import parquet_rows
from pythagoras.corpus.rows import Fault, RowError, to_line
from pythagoras.corpus.sources import raw
from pythagoras.corpus.sources.building import Builder, Place
from pythagoras.corpus.sources.mapping import known_mappings
from pythagoras.corpus.sources.reader import source_items
from pythagoras.corpus.stages import Dropped
from pythagoras.errors import InputError
from tests.unit.source_files import SHAPES, rows_of
from tests.unit.test_sources_mapping import JSON

GOOD = {"problem": "What is 1 + 1?", "solution": "", "answer": "2"}
LEAN = {
    "name": "t",
    "split": "valid",
    "header": "import Mathlib\n",
    "formal_statement": "theorem t : 1 = 1 := by sorry",
}


def read(path: Path, **options: Any) -> tuple[int, list[str]]:
    """How many records there are, and what is said of the rest, without the folder."""
    items = list(source_items(path, **options))
    faults = [str(item).replace(f"{path.parent}/", "") for item in items if isinstance(item, Fault)]
    assert all("\n" not in fault for fault in faults)
    return sum(not isinstance(item, Fault | Dropped) for item in items), faults


def lines(*rows: Any) -> bytes:
    return b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows)


BAD_ROWS: list[tuple[dict[str, Any], bytes | Any, str]] = [
    (GOOD, b'{"problem": "a", \n', "row 2: it is no JSON: Expecting property name enclosed in double quotes"),
    (GOOD, [1], "row 2: it is a JSON list, not an object"),
    (
        GOOD,
        b'{"problem": "caf\xe9", "solution": "", "answer": ""}\n',
        "row 2: it is no UTF-8: invalid",
    ),
    (GOOD, {"solution": "", "answer": ""}, "row 2, field problem: it is missing"),
    (GOOD, {**GOOD, "problem": None}, "row 2, field problem: it is null"),
    (GOOD, {**GOOD, "problem": " \n"}, "row 2, field problem: it is empty"),
    (GOOD, {**GOOD, "problem": ["a"]}, "row 2, field problem: it is a list, not text"),
    (GOOD, {**GOOD, "problem": {"a": 1}}, "row 2, field problem: it is a table, not text"),
    (GOOD, {**GOOD, "answer": True}, "row 2, field answer: it is a bool, not text"),
    (GOOD, {**GOOD, "problem": "half \ud83d"}, "row 2, field problem: it has half a character at position 5"),
    (LEAN, {**LEAN, "formal_statement": None}, "row 2, field formal_statement: it is null"),
    (LEAN, {**LEAN, "formal_statement": "find x"}, "row 2, field formal_statement: there is no theorem in the text"),
    (LEAN, {**LEAN, "formal_statement": "theorem t := by"}, "row 2, field formal_statement: the theorem t has no type"),
    (
        LEAN,
        {**LEAN, "formal_statement": "theorem t : := by"},
        "row 2, field formal_statement: the theorem t has no type",
    ),
    (LEAN, {**LEAN, "split": 3.5}, ""),
    (LEAN, {**LEAN, "header": []}, "row 2, field header: it is a list, not text"),
]


@pytest.mark.parametrize(("good", "bad", "said"), BAD_ROWS)
def test_a_bad_row_costs_itself(good: dict[str, Any], bad: Any, said: str, tmp_path: Path) -> None:
    path = tmp_path / "minif2f.jsonl"
    path.write_bytes(lines(good, bad, b"\n", good))
    count, faults = read(path)
    assert count == (2 if said else 3)
    assert [fault.startswith(f"minif2f.jsonl, {said}") for fault in faults] == ([True] if said else []), faults


@pytest.mark.parametrize(("good", "bad", "said"), [case for case in BAD_ROWS if not isinstance(case[1], bytes)])
def test_so_it_does_in_a_list(good: dict[str, Any], bad: Any, said: str, tmp_path: Path) -> None:
    path = tmp_path / "minif2f.json"
    path.write_text(json.dumps([good, bad, good]))
    count, faults = read(path)
    assert count == (2 if said else 3)
    assert [fault.startswith(f"minif2f.json, {said}") for fault in faults] == ([True] if said else []), faults


def test_the_first_row_may_be_the_bad_one(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(lines({"problem": 1.5}, b"{\n", GOOD, GOOD, GOOD))
    count, faults = read(path)
    assert count == 4  # a number can be read as text
    assert [fault.split(":")[0] for fault in faults] == ["x.jsonl, row 2"]


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    for name, text in (("x.jsonl", lines(GOOD)), ("x.json", json.dumps([GOOD]).encode())):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + text)
        assert read(tmp_path / name) == (1, [])


def test_another_encoding_is_one_fault(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(GOOD) + "\n" for _ in range(50)), encoding="utf-16")
    assert read(path) == (0, ["x.jsonl: it is UTF-16: write it as UTF-8"])


def test_a_truncated_gzip_keeps_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    whole = gzip.compress(lines(*({**GOOD, "answer": str(n * 7919 % 1000)} for n in range(3000))))
    path.write_bytes(whole[: len(whole) // 2])
    count, faults = read(path)
    assert 0 < count < 3000
    assert len(faults) == 1
    assert faults[0].startswith(f"x.jsonl.gz, row {count + 1}: it can't be read: Compressed file ended before")
    path.write_bytes(b"no gzip at all")
    count, faults = read(path)
    assert (count, len(faults)) == (0, 1)
    assert faults[0].startswith("x.jsonl.gz: it can't be read: Not a gzipped file")


def test_corrupt_parquet_is_one_fault(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    table = pa.Table.from_pylist([{**GOOD, "problem": f"What is {n} + 1?"} for n in range(4000)])
    pq.write_table(table, path, row_group_size=2000, compression="none", use_dictionary=False)
    whole = path.read_bytes()
    assert read(path) == (4000, [])
    for broken in (whole[: len(whole) // 2], b"", b"PAR1", b"x" * 100):
        path.write_bytes(broken)
        count, faults = read(path)
        assert count == 0
        assert len(faults) == 1
        assert faults[0].startswith("x.parquet: it is no sound Parquet: ")
    start = pq_offset(whole)
    path.write_bytes(whole[:start] + b"\xff" * 64 + whole[start + 64 :])  # the second group's first page
    count, faults = read(path)
    assert count == 2000
    assert len(faults) == 1
    assert faults[0].startswith("x.parquet, row 2001, field problem: the rows up to 4000 are damaged: ")
    path.write_bytes(whole[: pq_offset(whole, 0)] + b"\xff" * 64 + whole[pq_offset(whole, 0) + 64 :])
    count, faults = read(path)
    assert (count, [fault.split(":")[0] for fault in faults]) == (2000, ["x.parquet, row 1, field problem"])


def pq_offset(data: bytes, group: int = 1) -> int:
    offset = pq.ParquetFile(pa.BufferReader(data)).metadata.row_group(group).column(0).data_page_offset
    assert isinstance(offset, int)
    return offset


def broken_text(rows: int, *broken: int) -> pa.Array:
    """A column of strings, those with these indices no UTF-8."""
    cells = pa.array([b"caf\xe9 au lait" if row in broken else f"What is {row}?".encode() for row in range(rows)])
    return pa.Array.from_buffers(pa.string(), rows, cells.buffers())


@pytest.mark.parametrize("group_rows", [700, 5000])
def test_a_bad_cell_of_parquet_costs_its_row(group_rows: int, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    problem, answer = broken_text(5000, 0, 2500, 4999), broken_text(5000, 7)
    # The year 146,000,000 is none of Python's; but nobody asked for this column.
    asked = pa.array([2**62 if row < 100 else 0 for row in range(5000)], pa.timestamp("ms"))
    pq.write_table(pa.table({"problem": problem, "answer": answer, "asked": asked}), path, row_group_size=group_rows)
    count, faults = read(path, mapping="problems")
    assert count == 4996
    said = "it is no UTF-8: invalid continuation byte at byte 3"
    assert faults == [
        f"x.parquet, row 1, field problem: {said}",
        f"x.parquet, row 8, field answer: {said}",
        f"x.parquet, row 2501, field problem: {said}",
        f"x.parquet, row 5000, field problem: {said}",
    ]
    rows = list(parquet_rows(path))
    assert [row.row if isinstance(row, Fault) else row[0] for row in rows] == list(range(1, 5001))
    assert [row.field for row in rows if isinstance(row, Fault)] == [
        *("problem", *["asked"] * 6, "answer", *["asked"] * 92),
        *("problem", "problem"),
    ]


def test_a_bad_cell_of_a_saved_set_costs_its_row(tmp_path: Path) -> None:
    table = pa.table({"problem": broken_text(10, 4), "answer": broken_text(10), "source": broken_text(10)})
    with pa.ipc.new_stream(tmp_path / "data.arrow", table.schema) as stream:
        stream.write_table(table, 3)
    (tmp_path / "state.json").write_text('{"_data_files": [{"filename": "data.arrow"}]}')
    count, faults = read(tmp_path, mapping="problems")
    assert count == 9
    assert [fault.split(":")[0] for fault in faults] == [f"{tmp_path.name}, row 5, field problem"]


def test_json_lines_come_from_standard_input_too(monkeypatch: pytest.MonkeyPatch) -> None:
    data = BOM + b'{"a": 1}\n\n' + b"[" * 100_000 + b'\n{"a": 2}'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    first, broken, last = json_lines(Path("-"))
    assert (first, last) == ((1, {"a": 1}), (4, {"a": 2}))
    assert isinstance(broken, Fault)
    assert str(broken).startswith("-, row 3: it is no JSON: ")


def test_wrong_types_in_parquet(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"problem": [["a"], None], "solution": ["", ""], "answer": ["", ""]}), path)
    assert read(path) == (
        0,
        ["x.parquet, row 1, field problem: it is a list, not text", "x.parquet, row 2, field problem: it is null"],
    )


def test_a_broken_json_list_is_one_fault(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([GOOD, GOOD])[:-5])
    count, faults = read(path)
    assert (count, len(faults)) == (0, 1)
    assert faults[0].startswith("x.json: it is no list of JSON rows: ")


def test_json_lines_may_be_called_json(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(lines(GOOD, GOOD))
    assert read(tmp_path / "x.json") == (2, [])


def test_files_that_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    endings = ".jsonl, .jsonl.gz, .ndjson, .json, .json.gz, .parquet, .lean"
    assert read(tmp_path / "folder") == (0, [f"folder: there is no file with rows in this folder: {endings}"])
    (tmp_path / "folder" / "README.md").write_text("# Nothing\n")
    assert read(tmp_path / "folder")[1][0].startswith("folder: there is no file with rows")
    assert read(tmp_path / "folder" / "README.md") == (
        0,
        [f"README.md: it is none of the files that are read: {endings}"],
    )
    for name, text in (("x.jsonl", "\n\n"), ("x.json", "[]"), ("x.lean", "def f := 1\n")):
        (tmp_path / name).write_text(text)
        assert read(tmp_path / name) == (0, [f"{name}: there are no rows in it"])


def test_a_file_of_no_known_set_says_its_columns(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines({"text": "a", "label": 1}))
    said = "x.jsonl: no known set has its columns (label, text): name a mapping, or write one"
    assert read(tmp_path / "x.jsonl") == (0, [said])
    (tmp_path / "y.jsonl").write_bytes(lines(GOOD))
    count, faults = read(tmp_path)
    assert count == 1  # the others of the folder are read
    assert len(faults) == 1


def test_bad_theorems_of_a_lean_file_cost_themselves(tmp_path: Path) -> None:
    path = tmp_path / "x.lean"
    path.write_text(
        "theorem good : 1 = 1 := rfl\n\ntheorem bad := by\n  simp\n\n"
        "theorem by_cases : Nat → True\n  | 0 => trivial\n  | _ + 1 => trivial\n\ntheorem also_good : 2 = 2 := rfl\n"
    )
    count, faults = read(path)
    assert count == 2
    assert [fault.split(":")[0] for fault in faults] == ["x.lean, row 3", "x.lean, row 6"]
    path.write_bytes(b"theorem caf\xe9 : 1 = 1 := rfl\n")
    count, faults = read(path)
    assert count == 0
    assert faults[0].startswith("x.lean: it can't be read: 'utf-8' codec can't decode byte 0xe9")


def test_an_unknown_tier_is_a_fault(tmp_path: Path) -> None:
    row = {**rows_of(SHAPES["pythagoras"])[0], "Difficulty": "Brutal"}
    (tmp_path / "x.jsonl").write_bytes(lines(row, {**row, "Difficulty": "HARD"}))
    assert read(tmp_path / "x.jsonl") == (
        1,
        ["x.jsonl, row 1, field Difficulty: 'brutal' is no tier: one of easy, medium, hard, alf"],
    )


def test_a_saved_set_that_is_broken_is_one_fault(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text('{"_data_files": [{"filename": "missing.arrow"}]}')
    items = list(source_items(tmp_path, mapping="deepscaler"))
    assert len(items) == 1
    assert "it is no saved set" in str(items[0])
    (tmp_path / "state.json").write_text("{}")
    assert "it is no saved set" in str(next(source_items(tmp_path)))


FIELDS = st.sampled_from(sorted({column for mapping in known_mappings().values() for column in mapping.reads}))
PLACE = Place("s", "", {"file": "f"}, None)


@given(
    row=st.dictionaries(FIELDS, JSON | st.sampled_from(["theorem t : 1 = 1 := by", "easy", "```lean4\nx"]), max_size=9)
)
def test_whatever_stands_in_a_row_is_a_record_or_a_fault(row: dict[str, Any]) -> None:
    for mapping in known_mappings().values():
        with suppress(RowError):
            assert to_line(Builder(mapping, PLACE).build(row, 1)).encode()


# --- what is not there ----------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["data/minif2f.jsonl", "data/minif2f.json.gz", "data/rows.csv", "nowhere", "a/b/c"])
def test_a_file_that_is_not_there_is_asked_of_nobody(source: str) -> None:
    with pytest.raises(InputError, match=f"^{source} does not exist: name a file"):
        list(raw.tables(source))


@pytest.mark.parametrize("source", ["AI-MO/minif2f_test", "AI-MO/NuminaMath-1.5", "owner/lean.set"])
def test_a_name_of_the_hub_is_one(source: str) -> None:
    (table,) = raw.tables(source)
    assert isinstance(table, raw.Table)
    assert (table.name, table.path) == (source, None)
