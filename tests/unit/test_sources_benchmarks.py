"""Published benchmarks as items to be proved: a small file of each shape, and the real ones where they are."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pythagoras.corpus.records import Formalisation, Instance, Problem, Tier
from pythagoras.corpus.rows import to_line, to_row, to_table
from pythagoras.corpus.sources import raw
from pythagoras.corpus.sources.mapping import known_mappings, without_proofs
from pythagoras.corpus.sources.reader import benchmark
from pythagoras.corpus.stages import run_stage
from pythagoras.errors import InputError
from tests.unit.source_files import DATA, SAYS_A, SHAPES, SHARED, A, B, read_source, rows_of, settings, statements

MINIF2F = [name for name in SHAPES if name.startswith("minif2f")]


@pytest.mark.parametrize("name", MINIF2F)
def test_every_minif2f_gives_the_same_statement(name: str) -> None:
    found = statements(SHAPES[name])
    assert found[0].text == A
    assert [item.text for item in found[1:]] in ([], [B])
    assert {item.source for item in found} <= {"minif2f/valid", "minif2f/test"}
    assert {(item.header, item.context) for item in found} == {("mathlib", "")}
    assert found[0].docstring in (SAYS_A, "")
    assert (found[0].docstring == "") == (name in ("minif2f-plain", "minif2f-stp"))


def test_a_benchmark_says_which_variant_and_which_file_it_is() -> None:
    path = SHAPES["minif2f-goedel"]
    for record in statements(path):
        said = settings(record)
        assert said["mapping"] == "minif2f-goedel"
        assert said["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert {record.source for record in statements(path, name="my name")} == {"my name/test"}


def test_splits_of_a_benchmark() -> None:
    path = SHAPES["minif2f-deepseek"]
    assert [item.source for item in statements(path)] == ["minif2f/valid", "minif2f/test"]
    assert [item.source for item in statements(path, split="valid")] == ["minif2f/valid"]
    assert [item.name for item in statements(path, split="validation")] == ["own_algebra_1"]
    with pytest.raises(InputError, match="there are no rows of split train in it"):
        benchmark(path, split="train")


MUTABLE = [*MINIF2F, "mobench", "putnambench", "putnambench-json", "putnambench-stp"]


@pytest.mark.parametrize("name", MUTABLE)
def test_a_benchmark_made_by_mutation_is_still_what_it_is(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}-alf.jsonl"
    rows = [row | {"parent": f"p{at}", "operator": "generalisation"} for at, row in enumerate(rows_of(SHAPES[name]))]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = statements(path)
    assert [(item.provenance.parent, item.provenance.maker) for item in found] == [
        (f"p{at}", "generalisation") for at in range(len(rows))
    ]
    assert {settings(item)["mapping"] for item in found} == {name}
    assert [item.text for item in found] == [item.text for item in statements(SHAPES[name])]


def test_columns_of_mutations_in_a_training_set_make_it_another_set(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    rows = [row | {"parent": "p", "operator": "o"} for row in rows_of(SHAPES["goedel-pset"])]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "goedel-pset" not in {settings(record)["mapping"] for record in read_source(path)}


def test_levels_of_our_own_benchmarks_rows_are_tiers(tmp_path: Path) -> None:
    path = tmp_path / "corebench-alf.jsonl"
    row = {"formal_statement": f"{B} := by", "topic": "sums", "parent": "b", "operator": "o", "header": "core"}
    path.write_text("".join(json.dumps(row | {"level": level}) + "\n" for level in (1, "2", 3, 7, "Level 5")))
    found = statements(path)
    assert [item.tier.value for item in found] == ["easy", "medium", "hard", "medium", "medium"]
    assert {(item.source, item.topic, item.header) for item in found} == {("corebench-alf", "sums", "core")}


def test_proofs_are_not_read_where_they_are_not_wanted() -> None:
    assert {type(item) for item in benchmark(SHAPES["pythagoras"], proofs=False)} == {Formalisation}
    assert {type(item) for item in benchmark(SHAPES["pythagoras"])} == {Instance}
    mapping = known_mappings()["pythagoras"]
    assert mapping.reads - without_proofs(mapping).reads == {"Formal Proof", "Reasoning Chain"}


def test_a_hub_set_that_calls_its_test_split_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []

    def tables(source: str, *, hub: str = "", config: str = "", split: str | None = None) -> Iterator[raw.Table]:
        asked.append(split)
        yield from ()

    monkeypatch.setattr(raw, "tables", tables)
    for split in (None, "test", "valid"):
        with pytest.raises(InputError, match="there are no rows"):
            benchmark("AI-MO/minif2f_test", split=split)
    assert asked == ["train", "train", "valid"]


def test_another_file_of_the_same_shape_keeps_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "proofnet.jsonl"
    path.write_bytes(SHAPES["minif2f-deepseek"].read_bytes())
    assert [item.source for item in statements(path)] == ["proofnet/valid", "proofnet/test"]


@pytest.mark.parametrize("source", ["putnambench.jsonl", "putnam_lean"])
def test_putnambench_and_its_open_answers(source: str) -> None:
    first, second = statements(DATA / source)
    assert (first.name, first.source, first.header) == ("putnam_1900_a1", "putnambench", "mathlib-bare")
    assert first.context == "open Set\n\nnoncomputable abbrev putnam_1900_a1_solution : ℕ := sorry"
    assert first.docstring == "Find the least natural number with exactly six divisors."
    assert settings(first)["answers"] == {"putnam_1900_a1_solution": "12"}
    assert "answers" not in settings(second)
    assert second.text == "theorem putnam_1900_b2\n  (a : ℤ)\n  (ha : Odd a) :\n  8 ∣ a ^ 2 - 1"


def test_a_folder_of_lean_files_has_splits() -> None:
    found = statements(DATA / "minif2f_lean")
    assert [(item.text, item.source) for item in found] == [(B, "minif2f/test"), (A, "minif2f/valid")]
    assert {item.docstring for item in found} == {"Own words."}
    assert [item.text for item in statements(DATA / "minif2f_lean", split="valid")] == [A]


def test_informal_benchmarks_give_problems() -> None:
    first, second = benchmark(SHAPES["putnambench-informal"])
    assert isinstance(first, Problem)
    assert isinstance(second, Problem)
    assert (first.source, first.tier) == ("putnambench", Tier.HARD)
    assert settings(first)["sha256"]


def test_proofs_of_a_benchmark_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "minif2f" / "Valid"
    folder.mkdir(parents=True)
    (folder / "x.lean").write_text(
        "import Mathlib\n\ntheorem done (n : ℕ) : n + 0 = n := by\n  simp\n\n"
        "theorem open_one : 1 = 1 := by\n  sorry\n\n"
        "theorem half : 1 = 1 ∧ 2 = 2 := by\n  constructor\n  all_goals sorry\n"
    )
    done, *rest = benchmark(tmp_path / "minif2f")
    assert isinstance(done, Instance)
    assert (done.proof, done.source, done.header, done.verified) == (
        "by\n  simp",
        "minif2f/valid",
        "mathlib-bare",
        False,
    )
    assert [(type(item), to_row(item)["name"]) for item in rest] == [
        (Formalisation, "open_one"),
        (Formalisation, "half"),
    ]
    trained = list(read_source(tmp_path / "minif2f"))
    assert {type(item) for item in trained} == {Formalisation}  # as the mapping says


def test_a_set_of_instances_as_a_benchmark_loses_no_statement(tmp_path: Path) -> None:
    rows = rows_of(SHAPES["pythagoras"])
    rows[1]["Formal Proof"] = rows[1]["Formal Proof"].replace("norm_num", "sorry")
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [type(item) for item in benchmark(path)] == [Instance, Formalisation]


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet", ""])
def test_our_own_records_are_a_benchmark(ending: str, tmp_path: Path) -> None:
    records = [*read_source(SHAPES["pythagoras"]), *statements(SHAPES["minif2f-deepseek"])]
    path = tmp_path / f"own{ending}"
    match ending:
        case ".jsonl":
            path.write_text("".join(to_line(record) + "\n" for record in records))
        case ".jsonl.gz":
            path.write_bytes(gzip.compress("".join(to_line(record) + "\n" for record in records).encode()))
        case ".parquet":
            records = records[:2]
            pq.write_table(to_table("instance", records), path)
        case _:
            run_stage(records, path, stage="import", settings={}, inputs={})
    assert benchmark(path) == records
    assert {to_row(record)["source"] for record in benchmark(path, "mine")} == {"mine"}
    if ending != ".parquet":
        assert [to_row(item)["source"] for item in benchmark(path, split="validation")] == ["minif2f/valid"]


@pytest.mark.parametrize(
    ("file", "count", "sources"),
    [("minif2f_valid.jsonl", 244, {"minif2f/valid"}), ("putnambench_lean4.jsonl", 672, {"putnambench"})],
)
def test_the_real_benchmarks(file: str, count: int, sources: set[str]) -> None:
    if not (SHARED / file).exists():
        pytest.skip(f"needs {file} in ../shared/data")
    found = statements(SHARED / file)
    assert len({item.name for item in found}) == len(found) == count
    assert {item.source for item in found} == sources
    answers = Counter(bool(settings(item).get("answers")) for item in found)
    assert answers[True] == (0 if "minif2f" in file else 346)
    assert all(answer for item in found for answer in settings(item).get("answers", {}).values())
