"""Published sets: a small file of each shape, read as records."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pythagoras.corpus.files import raise_fault
from pythagoras.corpus.records import Formalisation, Instance, Problem, Tier, kind_of, statement_of
from pythagoras.corpus.rows import Fault, from_row, to_row
from pythagoras.corpus.sources.mapping import known_mappings
from pythagoras.corpus.sources.reader import missing_tables, source_fingerprint, source_items
from pythagoras.corpus.stages import Dropped
from pythagoras.errors import InputError
from pythagoras.lean.headers import header
from tests.unit.source_files import DATA, SHAPES, A, B, read_source, rows_of, settings, statements

# --- which set a file is -------------------------------------------------------------------------


def test_there_is_a_file_of_every_published_shape() -> None:
    variants = {"big-math-hard", "numinamath-lean-human", "numinamath-lean-proofs"}
    of_lean_files = {"lean", "lean-proofs", "putnambench-lean", "minif2f-lean", "corebench"}
    of_any_file = {"problems", "formal-rows"}
    assert {*SHAPES, *variants, *of_lean_files, *of_any_file} == {*known_mappings()}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_is_recognised(name: str) -> None:
    records = list(read_source(SHAPES[name], on_fault=lambda fault: None))
    assert records
    assert {settings(record)["mapping"] for record in records} == {name}
    assert {kind_of(record) for record in records} == {known_mappings()[name].gives}


@pytest.mark.parametrize("name", SHAPES)
def test_every_format_gives_the_same_records(name: str, tmp_path: Path) -> None:
    rows = rows_of(SHAPES[name])
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    folder = tmp_path / name
    folder.mkdir()
    files = [folder / f"{name}{ending}" for ending in (".jsonl", ".jsonl.gz", ".json", ".parquet")]
    files[0].write_text(lines)
    files[1].write_bytes(gzip.compress(lines.encode()))
    files[2].write_text(json.dumps(rows))
    pq.write_table(pa.Table.from_pylist(rows), files[3])

    def read(path: Path) -> list[Any]:
        return [to_row(item) | {"provenance": None} for item in read_source(path, on_fault=lambda fault: None)]

    expected = read(SHAPES[name])
    assert expected
    for path in files:
        assert read(path) == expected, path
    assert read(folder) == expected * 4


def test_records_survive_their_own_rows() -> None:
    for path in SHAPES.values():
        for record in read_source(path, on_fault=lambda fault: None):
            assert from_row(to_row(record)) == record
            if isinstance(record, Formalisation | Instance):
                assert statement_of(record).name == record.name


# --- informal problems ---------------------------------------------------------------------------


def problems(name: str, mapping: str | None = None) -> list[Problem]:
    found = list(read_source(SHAPES[name], mapping=mapping))
    assert all(isinstance(record, Problem) for record in found)
    return [record for record in found if isinstance(record, Problem)]


def test_answers_come_from_boxes() -> None:
    assert [problem.answer for problem in problems("dart-math-hard")] == ["54", r"\frac{108}{2}", ""]
    assert [problem.answer for problem in problems("deepscaler")] == ["0", "5", "29"]
    assert [problem.answer for problem in problems("openr1-math")] == ["0, 1, 3, 9", "6"]  # the second generation's


def test_sources_topics_and_tiers() -> None:
    found = problems("openr1-math")
    assert [(problem.source, problem.topic, problem.tier) for problem in found] == [
        ("openr1-math/olympiads", "number theory", Tier.MEDIUM),
        ("openr1-math/amc_aime", "algebra", Tier.MEDIUM),
    ]
    assert [problem.topic for problem in problems("putnambench-informal")] == ["number theory", "algebra"]
    easy = read_source(SHAPES["deepscaler"], tier=Tier.EASY)
    assert {to_row(record)["tier"] for record in easy} == {"easy"}


def test_the_papers_hard_subset_needs_the_levels_of_math() -> None:
    dropped: list[Dropped] = []
    path = SHAPES["big-math"]
    kept = list(read_source(path, mapping="big-math-hard", on_dropped=dropped.append))
    assert [settings(record)["row"] for record in kept] == [1, 4]
    assert [(settings(drop.record)["row"], drop.detail) for drop in dropped] == [
        (2, "source is 'gsm8k'"),
        (3, "source is 'math'; level is missing"),
    ]
    assert {record.tier for record in kept if isinstance(record, Problem)} == {Tier.HARD}
    levels = {"math": DATA / "math-levels.jsonl"}
    kept = list(read_source(path, mapping="big-math-hard", tables=levels))
    assert [settings(record)["row"] for record in kept] == [1, 3, 4]


def test_a_missing_table_is_told_of() -> None:
    said = missing_tables("big-math-hard", {})
    assert said.startswith("big-math-hard looks up level by problem in the table math, which was not given")
    assert missing_tables("big-math-hard", {"math": Path("x")}) == ""
    for choice in (None, "big-math", "some/file.jsonl"):
        assert missing_tables(choice, None) == ""


def test_a_table_without_the_column_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"text": "a"}\n')
    with pytest.raises(InputError, match=r"the table math .* has no rows with problem and level"):
        list(read_source(SHAPES["big-math"], mapping="big-math-hard", tables={"math": tmp_path / "x.jsonl"}))
    with pytest.raises(InputError, match="no table of a mapping is called 'maths': did you mean 'math'"):
        list(read_source(SHAPES["big-math"], mapping="big-math-hard", tables={"maths": tmp_path / "x.jsonl"}))


# --- formal training sets ------------------------------------------------------------------------


def test_statements_stand_on_the_header_that_they_bring() -> None:
    first, second, third = read_source(SHAPES["numinamath-lean"])
    assert isinstance(first, Formalisation)
    assert first.text == "theorem sum_of_two (a b : ℝ) (h₀ : a + b = 3) (h₁ : a - b = 1) : a = 2 ∧ b = 1"
    assert (first.header, first.context) == ("mathlib-unlimited", "")
    assert first.source == "numinamath-lean/olympiads"
    assert first.docstring == "Let $a+b=3$ and $a-b=1$. Prove that $a=2$ and $b=1$."
    assert to_row(second) | {"provenance": None} == to_row(third) | {"provenance": None}


def test_the_manually_annotated_subset() -> None:
    items = list(source_items(SHAPES["numinamath-lean"], mapping="numinamath-lean-human"))
    assert [type(item) for item in items] == [Formalisation, Dropped, Formalisation]


def test_only_complete_proofs_become_instances() -> None:
    items = list(source_items(SHAPES["numinamath-lean"], mapping="numinamath-lean-proofs"))
    assert [type(item) for item in items] == [Instance, Dropped, Dropped]
    assert isinstance(items[0], Instance)
    assert items[0].proof == "by\n  constructor <;> linarith"
    assert not items[0].verified


def test_chats_are_taken_apart() -> None:
    faults: list[Fault] = []
    first, second = read_source(SHAPES["goedel-sft"], on_fault=faults.append)
    assert isinstance(first, Instance)
    assert isinstance(second, Instance)
    assert first.statement == "theorem twice_even (n : ℕ) : Even (2 * n)"
    assert first.proof == "by\n  exact ⟨n, twice n⟩"
    assert first.context == "lemma twice (n : ℕ) : 2 * n = n + n := by ring"
    assert first.reasoning.startswith("### Plan")
    assert first.reasoning.endswith("### Complete Lean 4 Proof")
    assert second.reasoning == "Use omega."
    assert [str(fault).partition("goedel-sft.jsonl")[2] for fault in faults] == [
        ", row 3, field messages[role=assistant].content: there is no proof of le_after_add in it"
    ]
    assert len(list(read_source(SHAPES["goedel-rl"]))) == 2  # and a revision, which the paper leaves out


def test_the_papers_own_rows() -> None:
    first, second = read_source(SHAPES["pythagoras"])
    assert isinstance(first, Instance)
    assert (first.tier, first.proof, first.topic) == (Tier.EASY, "by\n  linarith", "algebra")
    assert first.informal == "A number and its double add up to 18. Find it."
    assert first.reasoning.startswith("### Detailed Proof")
    assert isinstance(second, Instance)
    assert second.tier is Tier.HARD
    (mutated,) = read_source(SHAPES["pythagoras-alf"])
    assert isinstance(mutated, Instance)
    assert mutated.tier is Tier.ALF


def test_a_proof_of_something_else_is_a_fault(tmp_path: Path) -> None:
    rows = rows_of(SHAPES["pythagoras"])
    rows[0]["Formal Proof"] = rows[0]["Formal Proof"].replace("x = 6", "x = x")
    rows[1]["Formal Proof"] = rows[1]["Formal Proof"].replace("norm_num", "sorry")
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    items = list(source_items(path))
    assert [str(item).partition("x.jsonl")[2] for item in items] == [
        ", row 1, field Formal Proof: it proves another statement than my_theorem, or by sorry",
        ", row 2, field Formal Proof: it proves another statement than ninety_one, or by sorry",
    ]


USUAL = "open BigOperators Real Nat Topology Rat"
BOTH = "import Mathlib\nimport Aesop\n\n"
HEADS = {
    f"{BOTH}set_option maxHeartbeats 400000\n\n{USUAL}": "mathlib",
    f"{BOTH}set_option maxHeartbeats 400000\n{USUAL}\nopen Set": "mathlib",
    f"{BOTH}set_option maxHeartbeats 0\n\n{USUAL}": "mathlib-unlimited",
    f"{BOTH}set_option maxHeartbeats 9\n{USUAL}": "mathlib-bare",
    f"{BOTH}{USUAL}": "mathlib-bare",
    f"{BOTH}open Set\nset_option maxHeartbeats 400000\n{USUAL}": "mathlib-bare",
    f"import Mathlib\nset_option maxHeartbeats 0\n{USUAL}": "mathlib-bare",
    "import Mathlib\nopen Real\nset_option maxHeartbeats 400000": "mathlib-bare",
    "import Mathlib\nopen MeasureTheory": "mathlib-bare",
    "import Mathlib": "mathlib-bare",
}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("inside", [True, False])
def test_header_and_context_are_together_what_the_row_has(head: str, inside: bool, tmp_path: Path) -> None:
    row = {"name": "own_algebra_1", "split": "test", "header": head, "formal_statement": f"{A} := by"}
    if inside:
        row |= {"header": "", "formal_statement": f"{head}\n\n{A} := by sorry"}
    path = tmp_path / "minif2f.jsonl"
    path.write_text(json.dumps(row))
    (found,) = statements(path)
    assert found.header == HEADS[head]
    native = f"{header(found.header).text}\n{found.context}"
    lines = [line for line in head.split("\n") if line]
    assert [line for line in native.split("\n") if line] in (lines, [line for line in lines if line != "import Aesop"])


def test_a_mapping_for_core_stays_on_core_whatever_a_row_imports(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text(
        '[own]\nextends = "formal-rows"\nconstants = { source = "own", header = "core" }\n'
    )
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"name": "a", "formal_statement": f"import Mathlib\nopen Nat\n{B} := by"}))
    (found,) = statements(path, mapping=str(tmp_path / "m.toml"))
    assert (found.header, found.context) == ("core", "")


# --- Lean files ----------------------------------------------------------------------------------


def test_theorems_of_a_lean_file_stand_alone() -> None:
    first, second, third = read_source(DATA / "several.lean")
    assert isinstance(first, Formalisation)
    assert (first.name, first.docstring) == ("Own.double_even", "The double of a number is even.")
    assert (first.source, first.header) == ("several", "mathlib-bare")
    assert isinstance(third, Formalisation)
    assert third.context == "namespace Own\n\ndef double (n : ℕ) : ℕ := n + n"
    assert [settings(record)["row"] for record in (first, second, third)] == [8, 10, 15]


def test_proofs_of_a_lean_file_bring_the_lemmas_that_they_name(tmp_path: Path) -> None:
    path = tmp_path / "x.lean"
    path.write_text(
        "theorem far (n : Nat) : n + 0 = n := rfl\n\ntheorem unused : True := trivial\n\n"
        "theorem near (n : Nat) : n + 0 = n := far n\n\n@[simp] theorem rule : 2 + 2 = 4 := rfl\n\n"
        "theorem main (n : Nat) : n + 0 = n := by\n  exact near n\n"
    )
    *_, main = read_source(path, mapping="lean-proofs")
    assert isinstance(main, Instance)
    assert main.proof == "by\n  exact near n"
    assert "unused" not in main.context
    assert [name in main.context for name in ("far", "near", "rule")] == [True, True, True]
    assert main.header == "core"


def test_a_file_of_ours_is_on_core_when_it_says_so(tmp_path: Path) -> None:
    row = {"name": "t", "header": "core", "formal_statement": "theorem t (n : ℕ) : n = n := by sorry"}
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n")
    (found,) = statements(tmp_path / "x.jsonl")
    assert (found.header, found.context, found.source) == ("core", "", "x")


# --- sets of `datasets` --------------------------------------------------------------------------


def test_sets_saved_to_disk(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    rows = rows_of(SHAPES["openr1-math"])
    one = datasets.Dataset.from_list(rows)
    one.save_to_disk(str(tmp_path / "one"), num_shards=2)
    two = datasets.DatasetDict({"train": one, "test": one.select([0])})
    two.save_to_disk(str(tmp_path / "two"))
    expected = [problem.text for problem in problems("openr1-math")]

    def texts(folder: str, split: str | None = None) -> list[str]:
        return [to_row(record)["text"] for record in read_source(tmp_path / folder, split=split)]

    assert texts("one") == expected
    assert texts("two") == expected  # its mapping reads the split train
    assert texts("two", "test") == expected[:1]
    with pytest.raises(InputError, match="has the splits test, train and no other"):
        texts("two", "valid")


def test_a_downloaded_folder_is_read_once(tmp_path: Path) -> None:
    table = pa.Table.from_pylist(rows_of(SHAPES["openr1-math"]))
    for part in ("data", "all", "extended"):
        (tmp_path / part).mkdir()
        pq.write_table(table.slice(0, 1), tmp_path / part / "train-00000-of-00002.parquet")
        pq.write_table(table.slice(1, 1), tmp_path / part / "train-00001-of-00002.parquet")
    pq.write_table(table, tmp_path / "data" / "test-00000-of-00001.parquet")
    (tmp_path / "README.md").write_text("---\n")
    found = list(read_source(tmp_path))
    assert [settings(record)["file"] for record in found] == [
        "train-00000-of-00002.parquet",
        "train-00001-of-00002.parquet",
    ]
    assert len(list(read_source(tmp_path / "extended"))) == 2


def test_a_fingerprint_changes_with_whatever_would_be_read(tmp_path: Path) -> None:
    for name in ("lf/a/x.lean", "lf/y.lean", "math.jsonl", "own.toml", "z.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a")

    def fingerprints() -> list[str]:
        folder, file, own = tmp_path / "lf", tmp_path / "z.jsonl", str(tmp_path / "own.toml")
        tables = {"math": tmp_path / "math.jsonl"}
        return [
            source_fingerprint(folder, None, None),
            source_fingerprint(file, None, None),
            source_fingerprint("owner/set", own, None),
            source_fingerprint("owner/set", "big-math-hard", tables),
        ]

    def changed(change: Callable[[], Any]) -> list[int]:
        before = fingerprints()
        change()
        return [index for index, (old, new) in enumerate(zip(before, fingerprints(), strict=True)) if old != new]

    assert len({*fingerprints()}) == 4
    assert changed(lambda: None) == []
    assert changed(lambda: (tmp_path / "lf/a/x.lean").write_text("bc")) == [0]
    assert changed(lambda: os.utime(tmp_path / "lf/y.lean", (1, 1))) == [0]
    assert changed(lambda: (tmp_path / "lf/y.lean").rename(tmp_path / "lf/w.lean")) == [0]
    assert changed(lambda: (tmp_path / "lf/w.lean").unlink()) == [0]
    assert changed(lambda: (tmp_path / "lf/.hidden").write_text("")) == []
    assert changed(lambda: (tmp_path / "z.jsonl").write_text("bc")) == [1]
    assert changed(lambda: os.utime(tmp_path / "own.toml", (1, 1))) == []
    assert changed(lambda: (tmp_path / "own.toml").write_text("b")) == [2]
    assert changed(lambda: (tmp_path / "math.jsonl").write_text("bc")) == [3]
    assert source_fingerprint("owner/set", None, None) != source_fingerprint("owner/other", None, None)


def test_sets_by_name_say_what_to_do_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    for name in ("AI-MO/NuminaMath-LEAN", "big-math-hard", "somebody/some-set"):
        with pytest.raises(
            InputError, match=r"the set .*/.* \(split train\) can't be had by name: .* name their folder"
        ):
            list(read_source(name))
    with pytest.raises(InputError, match="no/such/folder does not exist: name a file, a folder, or a set"):
        list(read_source("no/such/folder"))


def test_raising() -> None:
    with pytest.raises(InputError, match="row 3, field"):
        list(read_source(SHAPES["goedel-sft"], on_fault=raise_fault))
