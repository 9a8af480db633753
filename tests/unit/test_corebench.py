"""CoreBench: enough of it, balanced, well named, and out of the reach of training."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pythagoras
from pythagoras.corpus.normal import alpha_key
from pythagoras.evaluate.corebench.items import CANARY, as_instances, as_rows, load, version
from pythagoras.lean.statements import statement_from_row
from tests.unit.test_architecture import MAY_IMPORT

ITEMS = load()
FOLDER = Path(pythagoras.__file__).parent / "evaluate" / "corebench"


def test_there_are_enough_and_the_splits_are_halves() -> None:
    assert len(ITEMS) >= 240
    splits = Counter(item.split for item in ITEMS)
    assert abs(splits["valid"] - splits["test"]) <= 2
    assert load("valid") == tuple(item for item in ITEMS if item.split == "valid")


def test_levels_and_topics_are_balanced_over_the_splits() -> None:
    assert len({item.topic for item in ITEMS}) >= 8
    for level in (1, 2, 3):
        splits = Counter(item.split for item in ITEMS if item.level == level)
        assert splits.total() >= 60
        assert abs(splits["valid"] - splits["test"]) <= 8
    for topic in {item.topic for item in ITEMS}:
        assert {item.split for item in ITEMS if item.topic == topic} == {"valid", "test"}


def test_names_are_unique_and_in_the_style_of_benchmarks() -> None:
    assert len({item.name for item in ITEMS}) == len(ITEMS)
    assert [item.name for item in ITEMS if not re.fullmatch(r"[a-z]+(_[a-z0-9]+)+", item.name)] == []


def test_no_statement_stands_twice() -> None:
    keys = Counter(alpha_key(item.statement.text) for item in ITEMS)
    assert [item.name for item in ITEMS if keys[alpha_key(item.statement.text)] > 1] == []


def test_every_item_is_whole() -> None:
    for item in ITEMS:
        assert item.statement.docstring[0].isupper() or not item.statement.docstring[0].isalpha(), item.name
        assert len(item.statement.docstring) >= 20, item.name
        assert item.proof.startswith("by"), item.name
        assert not item.statement.context, item.name
        assert not re.search(r"\b(sorry|axiom|native_decide|unsafe|macro|notation)\b", item.proof), item.name


def test_every_file_and_every_row_carries_the_canary() -> None:
    files = sorted(FOLDER.glob("*.lean"))
    assert len(files) >= 8
    assert [path.name for path in files if path.read_text().splitlines()[0] != f"-- {CANARY}"] == []
    assert {row["canary"] for row in as_rows(ITEMS)} == {CANARY}


def test_what_makes_training_data_can_not_reach_it() -> None:
    for part in ("lean", "llm", "engine", "corpus", "generate", "pipeline", "alf", "train"):
        assert "evaluate" not in MAY_IMPORT[part]
        for path in (FOLDER.parents[1] / part).rglob("*.py"):
            assert "corebench/" not in path.read_text(encoding="utf-8"), path
            assert "evaluate.corebench" not in path.read_text(encoding="utf-8"), path


def test_rows_are_in_minif2fs_shape_and_say_the_same() -> None:
    for item, row in zip(ITEMS, as_rows(ITEMS), strict=True):
        statement = statement_from_row(row)
        assert (statement.text, statement.docstring) == (item.statement.text, item.statement.docstring)
        assert "proof" not in row


def test_instances_for_decontamination_have_the_proofs() -> None:
    for item, instance in zip(ITEMS, as_instances(ITEMS), strict=True):
        assert (instance.statement, instance.proof) == (item.statement.text, item.proof)
        assert instance.source == f"corebench/{item.split}"


def test_it_has_a_version() -> None:
    assert re.fullmatch(r"[0-9a-f]{8}", version())


def test_lines_are_not_too_long() -> None:
    for path in FOLDER.glob("*.lean"):
        assert max(map(len, path.read_text(encoding="utf-8").splitlines())) <= 120, path.name
