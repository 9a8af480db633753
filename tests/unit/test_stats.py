"""Statistics of a corpus: what is counted, and that a picture can be drawn of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus.picture import draw
from pythagoras.corpus.records import Provenance, Record, Tier
from pythagoras.corpus.stats import Lengths, Stats, measure
from pythagoras.corpus.store import Step
from pythagoras.errors import InputError
from tests.unit.corpora import formalisation, instance, problem


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


RECORDS: list[Record] = [
    problem("one two three", tier=Tier.HARD, topic="logic"),
    formalisation("theorem t : 1 = 1", docstring="one two", topic="logic", provenance=Provenance(maker="swap")),
    instance("theorem t : 1 = 1", proof="by rfl", reasoning="it is plain to see", verified=False),
    instance("theorem u : 1 = 1", proof="by rfl", source="other"),
]
FUNNEL = (Step("import", 10, {"unreadable": 2}), Step("dedup", 8, {"same text": 3, "near duplicate": 1}, {"asked": 5}))


def test_rows_are_counted_by_group() -> None:
    found = measure(RECORDS, words, FUNNEL)
    assert (found.rows, found.unverified) == (4, 1)
    assert found.groups["tier"] == {"hard": 1, "medium": 1, "easy": 2}
    assert found.groups["source"] == {"made": 3, "other": 1}
    assert found.groups["topic"] == {"logic": 2, "–": 2}
    assert found.groups["operator"] == {"swap": 1, "–": 3}


def test_lengths_are_of_the_parts_that_are_there() -> None:
    found = measure(RECORDS, words)
    counts = {part: dict(lengths.counts) for part, lengths in found.lengths.items()}
    assert counts == {"informal": {3: 1, 2: 1}, "statement": {6: 3}, "proof": {2: 2}, "reasoning": {5: 1}}
    assert {tier: dict(lengths.counts) for tier, lengths in found.tiers.items()} == {
        **{"hard": {3: 1}, "medium": {8: 1}},
        "easy": {13: 1, 8: 1},
    }


def test_json_has_all_of_it() -> None:
    found = measure(RECORDS, words, FUNNEL).as_dict()
    assert found["funnel"][1] == {
        **{"stage": "dedup", "read": 8, "kept": 4},
        **{"dropped": {"same text": 3, "near duplicate": 1}, "counted": {"asked": 5}},
    }
    assert found["tokens"]["statement"] == {
        **{"rows": 3, "mean": 6.0, "p50": 6, "p90": 6, "p99": 6, "max": 6},
        "histogram": {"1": 0, "2": 0, "4": 3},
    }
    assert found["tier"] == {"easy": 2, "hard": 1, "medium": 1}


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=50), st.floats(0.01, 1))
def test_figures_are_exact(values: list[int], share: float) -> None:
    lengths = Lengths()
    lengths.counts.update(values)
    assert lengths.mean == pytest.approx(mean(values))
    quantile = lengths.quantile(share)
    assert sum(value <= quantile for value in values) >= share * len(values) > sum(value < quantile for value in values)
    bins = lengths.histogram()
    assert sum(bins.values()) == len(values)
    assert bins == {
        start: sum(start <= max(value, 1) < 2 * start for value in values) for start in bins
    }  # what has no length is with what is shortest


def test_of_nothing() -> None:
    found = measure([], words)
    assert (found.rows, Lengths().quantile(0.5), Lengths().mean, Lengths().histogram()) == (0, 0, 0.0, {})


@pytest.mark.parametrize("name", ["x.png", "x.svg", "x.pdf"])
@pytest.mark.parametrize("stats", [measure(RECORDS, words, FUNNEL), Stats()], ids=["some", "none"])
def test_a_picture_is_drawn(tmp_path: Path, name: str, stats: Stats) -> None:
    draw(stats, tmp_path / "new" / name, title="a corpus", unit="words")
    start = {"x.png": b"\x89PNG", "x.svg": b"<?xml", "x.pdf": b"%PDF"}[name]
    assert (tmp_path / "new" / name).read_bytes().startswith(start)


def test_a_picture_says_what_is_in_the_corpus(tmp_path: Path) -> None:
    draw(measure(RECORDS, words, FUNNEL), tmp_path / "x.svg", title="a corpus", unit="words")
    drawn = (tmp_path / "x.svg").read_text()
    for text in ("a corpus: 4 rows", "rows by operator", "swap", "4 of 8; same text 3; near duplicate 1", "words"):
        assert f"<!-- {text}" in drawn or f"<!--  {text}" in drawn, text


def test_a_picture_of_no_known_format() -> None:
    with pytest.raises(InputError, match=r"x.doc can't be drawn: end its name in one of .png"):
        draw(Stats(), Path("x.doc"), title="", unit="")
