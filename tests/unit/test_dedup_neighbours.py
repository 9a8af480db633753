"""The searches for near pairs, against one written in the plainest way."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythagoras.corpus import neighbours
from pythagoras.corpus.embedding.role import Floats, unit_rows
from pythagoras.corpus.neighbours import Pairs, cell_pairs, chunk_pairs, exact_pairs, plan_search, whole_pairs

TAU = 0.75


def points(rows: int, seed: int, dimension: int = 24, groups: int = 12) -> Floats:
    """Rows around a few directions, some of them nearly alike."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((groups, dimension))
    vectors = centres[random.integers(groups, size=rows)] + 0.7 * random.standard_normal((rows, dimension))
    copies = random.integers(rows, size=rows // 8)
    vectors[random.integers(rows, size=rows // 8)] = vectors[copies] + 0.2 * random.standard_normal(
        (len(copies), dimension)
    )
    return unit_rows(vectors)


def plainly(vectors: Floats, tau: float) -> set[tuple[int, int]]:
    products = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    return {(one, two) for one, two in np.argwhere(products >= tau).tolist() if one < two}


def gathered(pairs: Iterable[Pairs], vectors: Floats) -> set[tuple[int, int]]:
    """The pairs as a set; each similarity is checked on the way."""
    found = set()
    for batch in pairs:
        assert np.allclose((vectors[batch.first] * vectors[batch.second]).sum(axis=1), batch.similarity, atol=1e-5)
        for one, two in zip(batch.first.tolist(), batch.second.tolist(), strict=True):
            assert one != two
            found.add((min(one, two), max(one, two)))
    return found


@settings(max_examples=30)
@given(rows=st.integers(0, 90), seed=st.integers(0, 999), block=st.sampled_from([7, 16, 2048]))
def test_exact_search_finds_all_pairs_once(rows: int, seed: int, block: int) -> None:
    vectors = points(rows, seed) if rows else np.empty((0, 8), np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "_BLOCK", block)
        batches = list(exact_pairs(vectors, TAU))
    assert gathered(batches, vectors) == plainly(vectors, TAU)
    assert sum(len(batch.first) for batch in batches) == len(plainly(vectors, TAU))


@settings(max_examples=30)
@given(rows=st.integers(1, 90), seed=st.integers(0, 999))
def test_one_chunk_is_the_exact_search(rows: int, seed: int) -> None:
    vectors = points(rows, seed)
    found = gathered(chunk_pairs(vectors, TAU, k=rows, rows=rows + 1, overlap=0), vectors)
    assert found == plainly(vectors, TAU)


@settings(max_examples=30)
@given(rows=st.integers(2, 90), seed=st.integers(0, 999), size=st.integers(3, 40), overlap=st.integers(0, 2))
def test_chunks_find_what_lies_in_one_chunk_and_nothing_else(rows: int, seed: int, size: int, overlap: int) -> None:
    vectors = points(rows, seed)
    starts = range(0, rows, size - overlap)
    together = {
        (one, two) for one, two in plainly(vectors, TAU) if any(start <= one and two < start + size for start in starts)
    }
    assert gathered(chunk_pairs(vectors, TAU, k=size, rows=size, overlap=overlap), vectors) == together


def test_chunks_look_at_k_neighbours_only() -> None:
    vectors = unit_rows(np.ones((50, 8)) + 0.01 * np.random.default_rng(0).standard_normal((50, 8)))
    batches = list(chunk_pairs(vectors, TAU, k=3, rows=100, overlap=0))
    assert sum(len(batch.first) for batch in batches) <= 4 * 50


@settings(max_examples=30)
@given(rows=st.integers(1, 200), seed=st.integers(0, 999))
def test_a_small_corpus_is_searched_exactly(rows: int, seed: int) -> None:
    vectors = points(rows, seed)
    assert gathered(whole_pairs(vectors, TAU, recall=0.99), vectors) == plainly(vectors, TAU)


@settings(max_examples=30)
@given(seed=st.integers(0, 999), block=st.sampled_from([16, 64, 2048]))
def test_visits_everywhere_find_everything(seed: int, block: int) -> None:
    """Each row visits each cell, so nothing may be missed or compared with itself, whatever the blocks."""
    vectors = points(300, seed)
    plan = plan_search(vectors, TAU, recall=0.99, seed=seed)
    everywhere = neighbours.Plan(plan.centroids, -9.0, 1.0, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "_BLOCK", block)
        patch.setattr(neighbours, "_WORTH_IT", 9.0)
        assert gathered(cell_pairs(vectors, TAU, everywhere), vectors) == plainly(vectors, TAU)


@pytest.mark.parametrize("seed", range(3))
def test_the_share_that_is_promised_is_found(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "_WORTH_IT", 9.0)
    vectors = points(9_000, seed, dimension=48, groups=300)
    batches = list(exact_pairs(vectors, TAU))
    exact = gathered(batches, vectors)
    plan = plan_search(vectors, TAU, recall=0.99)
    assert plan.recall >= 0.99
    assert plan.sampled_pairs > 500
    found = gathered(cell_pairs(vectors, TAU, plan), vectors)
    assert found <= exact
    assert len(found) / len(exact) > 0.98


def test_the_search_is_not_the_exact_one_in_disguise() -> None:
    """It looks at few of the pairs."""
    vectors = points(9_000, 1, dimension=48, groups=300)
    plan = plan_search(vectors, TAU, recall=0.99)
    cell, visits = neighbours._visits(vectors, plan)
    compared = sum(
        int(size) * (int(size) + len(guests)) for size, guests in zip(np.bincount(cell), visits, strict=True)
    )
    assert compared < 0.1 * len(vectors) ** 2


def test_a_plan_that_saves_nothing_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "_WORTH_IT", 0.01)
    vectors = unit_rows(np.random.default_rng(0).standard_normal((9_000, 6)))
    plan = plan_search(vectors, TAU, recall=1.0)
    exact, found = (
        sum(len(batch.first) for batch in pairs)
        for pairs in (exact_pairs(vectors, TAU), cell_pairs(vectors, TAU, plan))
    )
    assert found == exact > 100_000  # each pair once, as only the exact search gives them


def test_half_precision_will_do() -> None:
    vectors = points(500, 3)
    half = vectors.astype(np.float16)
    rough = gathered(exact_pairs(half, TAU), half.astype(np.float32))
    exact = plainly(vectors, TAU)
    assert len(exact ^ rough) <= 0.01 * len(exact)


def test_few_pairs_among_many_rows_are_found() -> None:
    """A sample meets next to none of them, so what it says of the rows in general must do."""
    random = np.random.default_rng(4)
    rows = random.standard_normal((12_000, 48)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    copies = random.choice(6_000, 40, replace=False)
    noise = random.standard_normal((40, 48)).astype(np.float32)
    noise -= np.einsum("ij,ij->i", noise, rows[copies])[:, None] * rows[copies]
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    rows[-40:] = 0.85 * rows[copies] + np.sqrt(1 - 0.85**2) * noise
    parts = list(whole_pairs(rows, 0.8, recall=0.998))
    found = {frozenset(pair) for part in parts for pair in zip(part.first.tolist(), part.second.tolist(), strict=True)}
    planted = {frozenset((int(copy), 11_960 + number)) for number, copy in enumerate(copies)}
    assert len(planted & found) >= 39
