"""Deduplication of records: what goes without a model, what goes by it, who stays, and what is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythagoras.corpus.dedup import METHODS, DedupSettings, Duplicates, find_duplicates
from pythagoras.corpus.embedding.fake import FakeEmbedder
from pythagoras.corpus.embedding.role import Floats, text_of, unit_rows
from pythagoras.corpus.linkage import LINKAGES
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Attempt, Formalisation, Instance, Problem, Record, Tier, record_id
from pythagoras.corpus.rows import Fault
from pythagoras.corpus.stages import Dropped, Item
from pythagoras.errors import InputError

LINES = [
    "Find the remainder when 7^2024 is divided by 5",
    "A farmer has chickens and rabbits with 20 heads and 56 legs; how many rabbits are there",
    "Show that the sum of two odd integers is even",
    "Prove that there are infinitely many primes of the form 4k + 3",
    "How many subsets of a set with ten elements have exactly three elements",
]


def decided(records: Sequence[Item], embedder: FakeEmbedder | None, options: DedupSettings) -> list[Item]:
    return list(find_duplicates(lambda: records, embedder, options).decided(records))


def dropped_of(items: Iterable[Item]) -> list[Dropped]:
    return [item for item in items if isinstance(item, Dropped)]


class Chosen(FakeEmbedder):
    """Gives a text the vector whose numbers the text lists."""

    def embed(self, texts: Sequence[str]) -> Floats:
        self.asked.extend(texts)
        return unit_rows(np.array([[float(number) for number in text.split()] for text in texts]))


def at(*numbers: float, tier: Tier = Tier.MEDIUM, source: str = "s") -> Problem:
    return Problem(" ".join(map(str, numbers)), source, tier=tier)


# --- without a model ------------------------------------------------------------------------------


def test_the_same_words_in_another_dress_go_without_a_model() -> None:
    records = [Problem(text, "a") for text in LINES] + [Problem(f"  {LINES[2].upper()}.", "b")]
    embedder = FakeEmbedder()
    (dropped,) = dropped_of(decided(records, embedder, DedupSettings(tau=1.0)))
    assert (dropped.record, dropped.reason) == (records[5], Reason.SAME_TEXT)
    assert (dropped.other, dropped.score, dropped.detail) == (record_id(records[2]), 1.0, "")
    assert sorted(embedder.asked) == sorted(LINES)


def test_statements_up_to_names() -> None:
    one = Formalisation("t", "theorem t (a b : ℕ) (h : a < b) : a + 1 ≤ b", "x")
    renamed = Formalisation("u", "theorem u (x y : ℕ) (hxy : x < y) :\n  x + 1 ≤ y", "x")
    spaced = Formalisation("t", "theorem t  (a b : ℕ)\n (h : a < b) : a + 1 ≤ b", "y")
    other = Formalisation("v", "theorem v (x y : ℕ) (h : x < y) : x + 2 ≤ y", "x")
    found = dropped_of(decided([one, renamed, spaced, other], None, DedupSettings()))
    assert [(drop.record, drop.reason) for drop in found] == [
        (renamed, Reason.SAME_UP_TO_NAMES),
        (spaced, Reason.SAME_TEXT),
    ]
    assert {drop.other for drop in found} == {record_id(one)}


def test_which_header_opens_the_usual_names_makes_no_difference() -> None:
    text = "theorem t (n : ℕ) (h : n ! = 6) : n = 3"
    opens = "set_option maxHeartbeats 0\n\nopen BigOperators Real Nat Topology Rat"
    one = Formalisation("t", text, "x", header="mathlib")
    same = [replace(one, header="mathlib-bare", context=opens), replace(one, header="mathlib-bare", context="open Nat")]
    other = replace(one, header="mathlib-bare", context="open Equiv")
    found = dropped_of(decided([one, *same, other], None, DedupSettings()))
    assert [drop.record for drop in found] == same


def test_a_statement_is_compared_by_its_words_or_by_its_lean() -> None:
    shared = Formalisation("t", "theorem t (n : ℕ) : n = n", "x", docstring="A number equals itself")
    records: list[Record] = [shared, replace(shared, text="theorem t (n : ℤ) : n = n")]
    assert text_of(records[0]) == "A number equals itself"
    assert not dropped_of(decided(records, None, DedupSettings()))  # the same words before another statement
    assert len(dropped_of(decided(records, FakeEmbedder(), DedupSettings()))) == 1
    assert not dropped_of(decided(records, FakeEmbedder(), DedupSettings(text="formal", tau=1.0)))
    with pytest.raises(InputError, match="did you mean 'formal'"):
        decided(records, None, DedupSettings(text="formall"))


def test_rows_without_text_all_stay() -> None:
    records: list[Item] = [Attempt("f", "by simp"), Attempt("f", "by simp"), Problem("", "s"), Problem("  ", "s")]
    records += [Fault("file", 3, "", "broken"), Dropped(Problem("x", "s"), Reason.FILTERED_BY_SOURCE)] * 2
    assert decided(records, FakeEmbedder(), DedupSettings()) == records


def test_nothing_in_nothing_out() -> None:
    assert decided([], FakeEmbedder(), DedupSettings()) == []


# --- who stays ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_near_duplicate_in_easy_or_medium_and_hard_stays_hard(method: str) -> None:
    records = [at(1, 0.1, tier=Tier.EASY), at(1, 0.2, tier=Tier.MEDIUM), at(1, 0.3, tier=Tier.HARD), at(0, 1)]
    records += [at(1, 0.4, tier=Tier.ALF)]
    items = decided(records, Chosen(), DedupSettings(method=method))
    assert [item for item in items if not isinstance(item, Dropped)] == [records[2], records[3]]
    assert {drop.other for drop in dropped_of(items)} == {record_id(records[2])}
    assert {drop.reason for drop in dropped_of(items)} == {Reason.NEAR_DUPLICATE}


def test_tiers_and_sources_stay_in_the_order_that_is_asked_for() -> None:
    records = [at(1, 0.1 * number, source=source) for number, source in enumerate(["new", "old", "other", "curated"])]

    def survivor(**options: object) -> str:
        items = decided(records, Chosen(), replace(DedupSettings(), **options))  # type: ignore[arg-type]
        (kept,) = [item for item in items if isinstance(item, Problem)]
        return kept.source

    assert survivor() == "new"
    assert survivor(sources=("curated", "old")) == "curated"
    assert survivor(sources=("old", "new")) == "old"
    records[2] = replace(records[2], tier=Tier.EASY)
    assert survivor(sources=("old",), tiers=(Tier.EASY, Tier.MEDIUM)) == "other"


def test_the_same_record_twice_is_kept_once() -> None:
    records = [at(1, 0), at(0, 1), at(1, 0)]
    items = decided(records, Chosen(), DedupSettings())
    assert items[:2] == records[:2]
    assert isinstance(items[2], Dropped)


# --- what is told ---------------------------------------------------------------------------------


def test_a_chain_names_the_neighbour_that_leads_to_the_survivor() -> None:
    degrees = [0, 30, 60]  # cosines 0.866 between neighbours, 0.5 between the ends
    records = [at(np.cos(np.radians(degree)), np.sin(np.radians(degree))) for degree in degrees]
    near, far = dropped_of(decided(records, Chosen(), DedupSettings()))
    assert (near.other, near.detail) == (record_id(records[0]), "")
    assert near.score == pytest.approx(0.866, abs=1e-3)
    assert far.other == record_id(records[0])
    assert far.score == pytest.approx(0.5, abs=1e-3)
    assert record_id(records[1]) in far.detail
    assert "0.866" in far.detail
    assert len(dropped_of(decided(records, Chosen(), DedupSettings(linkage="direct")))) == 1


def test_who_equals_a_near_duplicate_is_told_the_survivor() -> None:
    records = [at(1, 0), at(1, 0.5), at(1, 0.5, source="again")]
    near, same = dropped_of(decided(records, Chosen(), DedupSettings()))
    assert (near.reason, same.reason) == (Reason.NEAR_DUPLICATE, Reason.SAME_TEXT)
    assert near.other == same.other == record_id(records[0])
    assert same.score == near.score == pytest.approx(0.894, abs=1e-3)
    assert record_id(records[1]) in same.detail


def test_the_stream_must_not_change() -> None:
    records = [Problem(text, "s") for text in LINES]
    found = find_duplicates(lambda: records, FakeEmbedder())
    with pytest.raises(InputError, match="row 2 is not what it was"):
        list(found.decided([records[0], records[2]]))
    with pytest.raises(InputError, match="row 6 is not what it was"):
        list(found.decided([*records, records[0]]))
    streams = iter([records, records[:3]])
    with pytest.raises(InputError, match="had 5 rows to embed and now has 3"):
        find_duplicates(lambda: next(streams), FakeEmbedder())


def test_progress_and_counts() -> None:
    told: dict[str, int] = {}
    records = [Problem(text, "s") for text in [*LINES, *LINES[:2]]]

    def on_progress(phase: str, rows: int) -> None:
        told[phase] = told.get(phase, 0) + rows

    found = find_duplicates(lambda: records, FakeEmbedder(), on_progress=on_progress)
    assert told == {"hashing": 7, "embedding": 5, "searching": 5}
    assert found.counts == {"same text": 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tau": 75}, "tau is 75"),
        ({"method": "chunk"}, "did you mean 'chunks'"),
        ({"linkage": "single"}, "no linkage is called 'single'"),
        ({"chunk_rows": 50}, "chunks of 50 rows can't overlap by 100"),
    ],
)
def test_settings_that_make_no_sense(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        DedupSettings(**options)  # type: ignore[arg-type]


# --- whatever the input ---------------------------------------------------------------------------

ROWS = st.lists(
    st.builds(
        lambda degree, length, tier, source: at(
            round(length * np.cos(np.radians(degree)), 3),
            round(length * np.sin(np.radians(degree)), 3),
            tier=tier,
            source=source,
        ),
        st.integers(0, 359),
        st.sampled_from([1, 1, 2]),
        st.sampled_from(Tier),
        st.sampled_from("abc"),
    ),
    max_size=25,
)
OPTIONS = st.builds(
    DedupSettings,
    tau=st.sampled_from([0.75, 0.9, 0.99]),
    method=st.sampled_from(sorted(METHODS)),
    linkage=st.sampled_from(sorted(LINKAGES)),
    sources=st.sampled_from([(), ("b", "a")]),
)


def survivors(found: Duplicates) -> list[bool]:
    return [not reason for reason in found.reason.tolist()]


@settings(max_examples=60)
@given(records=ROWS, options=OPTIONS)
def test_every_dropped_row_has_a_kept_survivor_that_outranks_it(records: list[Problem], options: DedupSettings) -> None:
    found = find_duplicates(lambda: records, Chosen(), options)
    kept = survivors(found)

    def rank(place: int) -> tuple[int, int, int]:
        sources = [*options.sources, "c", "b", "a"]
        known = sources.index(records[place].source) if records[place].source in options.sources else 99
        return options.tiers.index(records[place].tier), known, place

    for place, survivor in enumerate(found.survivor.tolist()):
        assert kept[survivor]
        assert (survivor == place) == kept[place]
        assert kept[place] or rank(survivor) < rank(place)
    ids = {record_id(record) for record, stays in zip(records, kept, strict=True) if stays}
    items = list(found.decided(records))
    assert all(drop.other in ids for drop in dropped_of(items))
    assert [item.record if isinstance(item, Dropped) else item for item in items] == records


@settings(max_examples=60)
@given(records=ROWS, tau=st.sampled_from([0.75, 0.9]), data=st.data())
def test_no_two_survivors_are_near(records: list[Problem], tau: float, data: st.DataObject) -> None:
    linkage = data.draw(st.sampled_from(["cluster", "direct"]))
    found = find_duplicates(lambda: records, Chosen(), DedupSettings(tau=tau, linkage=linkage))
    kept = [record for record, stays in zip(records, survivors(found), strict=True) if stays]
    vectors = Chosen().embed([record.text for record in kept]) if kept else np.empty((0, 2), np.float32)
    products = vectors @ vectors.T
    np.fill_diagonal(products, -1)
    assert not (products > tau + 1e-3).any()


@settings(max_examples=60)
@given(records=ROWS, linkage=st.sampled_from(sorted(LINKAGES)), random=st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter_up_to_priority(
    records: list[Problem], linkage: str, random: object
) -> None:
    """With a source of its own for each row priority is complete, and any order gives the same rows."""
    owned = [replace(record, source=f"s{number}") for number, record in enumerate(records)]
    options = DedupSettings(sources=tuple(record.source for record in owned), linkage=linkage)
    mixed = list(owned)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    outcomes = []
    for order in (owned, mixed):
        items = decided(order, Chosen(), options)
        outcomes.append({item.source for item in items if isinstance(item, Problem)})
    assert outcomes[0] == outcomes[1]


@settings(max_examples=40)
@given(records=ROWS, linkage=st.sampled_from(sorted(LINKAGES)))
def test_one_chunk_the_whole_and_the_exact_search_decide_alike(records: list[Problem], linkage: str) -> None:
    outcomes = [
        find_duplicates(
            lambda: records, Chosen(), DedupSettings(method=method, linkage=linkage, k=99)
        ).survivor.tolist()
        for method in ("chunks", "whole", "exact")
    ]
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_chunks_miss_what_the_whole_finds() -> None:
    """The reason for ours: copies far apart in the corpus."""
    rng = np.random.default_rng(0)
    vectors = np.eye(16)[np.arange(240) % 12] + 0.01 * rng.standard_normal((240, 16))
    records = [at(*row.round(4).tolist()) for row in vectors]
    paper = DedupSettings(method="chunks", linkage="pair", chunk_rows=10, chunk_overlap=2)
    kept = [sum(survivors(find_duplicates(lambda: records, Chosen(), options))) for options in (paper, DedupSettings())]
    assert kept == [240, 12]


def test_instances_are_told_apart_by_their_statement_not_their_proof() -> None:
    one = Instance("t", "theorem t (n : ℕ) : n = n", "rfl", "s", Tier.EASY, True)
    other = replace(one, proof="by simp", tier=Tier.HARD)
    (dropped,) = dropped_of(decided([one, other], None, DedupSettings()))
    assert dropped.record == one
