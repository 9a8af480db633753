"""CoreBench-ALF as it is committed: whose variants, how many, that they are new, marked, and no training data."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus.decontamination.sweep import DecontaminationSettings, Sweep, benchmark_fingerprints
from pythagoras.corpus.normal import alpha_key
from pythagoras.corpus.records import Formalisation
from pythagoras.corpus.rows import Fault
from pythagoras.corpus.sources.canary import is_marked_row, is_marked_text
from pythagoras.corpus.sources.reader import source_items
from pythagoras.errors import InputError
from pythagoras.evaluate.benchmarks import open_benchmark
from pythagoras.evaluate.corebench import mutated
from pythagoras.evaluate.corebench.items import CANARY, load
from pythagoras.evaluate.domains import domain_of
from pythagoras.stages.benchmarks import benchmark_items

ORIGINALS = {item.name: item for item in load("test")}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in mutated.FILE.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def page() -> str:
    return mutated.FILE.with_suffix(".md").read_text(encoding="utf-8")


def test_every_row_and_the_datasheet_carry_the_canary(rows: list[dict[str, Any]], page: str) -> None:
    assert {row["canary"] for row in rows} == {CANARY}
    assert all(is_marked_row(row) for row in rows)
    assert is_marked_text(page)


def test_every_row_is_a_variant_of_an_item_of_the_test_half(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        original = ORIGINALS[row["parent"]]
        assert (row["topic"], row["level"], row["split"]) == (original.topic, original.level, "test")
        assert row["truth"] in ("promised", "proved"), row["name"]
        assert row["formal_statement"].startswith(f"theorem {row['name']}"), row["name"]
        assert row["formal_statement"].endswith(":= by\n"), row["name"]


def test_every_item_has_two_variants_or_the_datasheet_says_why(rows: list[dict[str, Any]], page: str) -> None:
    found = Counter(row["parent"] for row in rows)
    assert {row["name"] for row in rows} == {f"{name}_alf{at + 1}" for name in found for at in range(found[name])}
    for name in ORIGINALS:
        assert found[name] <= 2
        assert found[name] == 2 or f"| {name} | {found[name]} | " in page, name
    assert page.startswith(
        f"# corebench-alf\n\n{len(rows)} Lean 4 statements, made by mutation from the {len(ORIGINALS)}"
    )


def test_no_variant_says_what_its_original_or_its_sibling_says_up_to_names(rows: list[dict[str, Any]]) -> None:
    keys = Counter((item.name, alpha_key(item.statement.text)) for item in ORIGINALS.values())
    keys.update((row["parent"], alpha_key(row["formal_statement"].removesuffix(" := by\n"))) for row in rows)
    assert [name for (name, _), count in keys.items() if count > 1] == []


def test_it_is_the_same_benchmark_by_its_name_and_by_its_file(rows: list[dict[str, Any]]) -> None:
    found = open_benchmark(mutated.NAME)
    assert found == open_benchmark(str(mutated.FILE)) == open_benchmark("corebench-alf/test", split="test")
    assert (found.info.name, found.info.mutation, found.info.items) == ("corebench-alf/test", True, len(rows))
    originals = open_benchmark("corebench").goals
    assert {domain_of(goal) for goal in found.goals} == {domain_of(goal) for goal in originals}
    assert len(open_benchmark(mutated.NAME, levels=[1]).goals) == sum(row["level"] == 1 for row in rows)


def test_wrong_use_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no split of corebench-alf is called 'valid'"):
        open_benchmark(mutated.NAME, split="valid")
    with pytest.raises(InputError, match="did you mean 'corebench-alf'"):
        open_benchmark("corebench-alff")
    with pytest.raises(InputError, match="corebench-alf needs no mapping"):
        open_benchmark(mutated.NAME, mapping="lean")
    with pytest.raises(InputError, match="its rows are missing"):
        mutated.load(tmp_path / "nothing.jsonl")


def test_it_is_no_training_data(rows: list[dict[str, Any]]) -> None:
    refused = list(source_items(mutated.FILE))
    assert len(refused) == len(rows)
    assert all(isinstance(one, Fault) and "must not become training data" in str(one) for one in refused)


def test_whoever_is_swept_against_corebench_is_swept_against_it() -> None:
    items = list(benchmark_items("corebench"))
    assert set(benchmark_fingerprints(items)) == {"corebench/valid", "corebench/test", "corebench-alf/test"}
    variants = [item for item in items if isinstance(item, Formalisation)]
    assert variants == list(benchmark_items("corebench-alf"))
    sweep = Sweep(items, DecontaminationSettings(stages=("surface",)))
    copies = [Formalisation(one.name, one.text, "elsewhere") for one in variants]
    assert all(sweep.hits(copies))
