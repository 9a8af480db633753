"""Which rows of a matrix are near each other: every pair whose inner product is at least tau, by three searches.

`exact_pairs` compares all with all. `chunk_pairs` is the paper's: the k nearest within overlapping chunks, so a pair in
different chunks is never compared. `whole_pairs` is ours: rows are put into cells around centroids, and a row is
compared with the cells near to it. How near is near enough is measured on a sample of each corpus, so that the share of
pairs that will be found is known, not hoped for. Time grows with the power 1.5 of the rows, of which little shows below
a million. Rows are unit vectors, float32 or float16. What becomes of the pairs is not decided here (`linkage`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from pythagoras.lean.streaming import in_order

Vectors: TypeAlias = npt.NDArray[np.floating[Any]]
"""One unit vector a row."""
Rows: TypeAlias = npt.NDArray[np.int32]
Similarities: TypeAlias = npt.NDArray[np.float32]
Singles: TypeAlias = npt.NDArray[np.float32]
T = TypeVar("T")
R = TypeVar("R")

EXACT_ROWS = 16_384
"""Up to so many rows, comparing all with all is faster than anything clever."""
_BLOCK = 2_048
"""Rows on a side of the matrices of inner products: 16 MB each."""
_SAMPLE_STEP, _MOST_SAMPLE_ROWS = 500, 4_000
_SAMPLE_PAIRS, _MOST_SAMPLE_PAIRS = 1_000, 1_000_000
"""Rows are sampled until so many pairs of lonely rows are known, or so many pairs at all."""
_LONELY = 3
"""A row with at most so many neighbours: one that may go undetected when one pair does."""
_TRAINING_ROWS_PER_CELL = 24
_ROUNDS = 4
_BEST_SHARE = 0.85
"""Cells that a row visits are told by their similarity to it, less this share of its similarity to its own: between the
difference (1) and no regard for its own (0), this needs the fewest visits on the vectors of three embedders."""
_ENOUGH_PAIRS = 200
"""Pairs of lonely rows in the sample that are enough to plan by."""
_MADE_PAIRS = 2_000
_MADE_RECALL = 0.99
"""Of made pairs, which lie farther apart than most real ones."""
_WORTH_IT = 0.3
"""When the cells to be compared hold more than this share of all pairs, comparing all with all is as fast."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of different rows and their similarity. A search may give a pair more than once."""

    first: Rows
    second: Rows
    similarity: Similarities


# --- all with all ----------------------------------------------------------------------------------


def exact_pairs(vectors: Vectors, tau: float) -> Iterator[Pairs]:
    """Every pair at or above tau, once. Takes time with the square of the rows."""

    def compare(corner: tuple[int, int]) -> Pairs:
        start, other = corner
        left = _single(vectors[start : start + _BLOCK])
        right = _single(vectors[other : other + _BLOCK])
        products = left @ right.T
        if other == start:
            products[np.tril_indices(len(products))] = -1
        return _above(products, tau, np.arange(start, start + len(left)), np.arange(other, other + len(right)))

    starts = range(0, len(vectors), _BLOCK)
    return _threaded(compare, ((start, other) for start in starts for other in starts if other >= start))


def _single(vectors: Vectors) -> Singles:
    return vectors.astype(np.float32, copy=False)


def _above(products: Singles, tau: float, rows: npt.NDArray[Any], columns: npt.NDArray[Any]) -> Pairs:
    """The entries at or above tau, with the names of their row and column."""
    flat = products.ravel()
    found = np.flatnonzero(flat >= tau)
    row, column = np.divmod(found, products.shape[1])
    return Pairs(rows[row].astype(np.int32), columns[column].astype(np.int32), flat[found])


def _joined(parts: Iterable[Pairs]) -> Pairs:
    listed = list(parts)
    return Pairs(
        np.concatenate([np.empty(0, np.int32), *(part.first for part in listed)]),
        np.concatenate([np.empty(0, np.int32), *(part.second for part in listed)]),
        np.concatenate([np.empty(0, np.float32), *(part.similarity for part in listed)]),
    )


def _threaded(work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """`work` on each item, in order, in as many threads as there are cores.

    Each of them multiplies matrices alone: threads inside of a multiplication wait for each other at its end, which for
    small matrices on a busy machine takes longer than the multiplication.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    workers = len(os.sched_getaffinity(0))
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(workers) as pool:
        yield from in_order(items, lambda item: pool.submit(work, item), 2 * workers)


# --- the paper's chunks ----------------------------------------------------------------------------


def chunk_pairs(vectors: Vectors, tau: float, *, k: int, rows: int, overlap: int) -> Iterator[Pairs]:
    """Of each row the k nearest within its chunk, those at or above tau. Chunks follow the order of the rows."""
    import faiss

    for start in range(0, max(1, len(vectors) - overlap), rows - overlap):
        chunk = np.ascontiguousarray(_single(vectors[start : start + rows]))
        index = faiss.IndexFlatIP(chunk.shape[1])
        index.add(chunk)
        products, neighbours = index.search(chunk, min(k + 1, len(chunk)))  # one more: a row is its own nearest
        own = np.arange(len(chunk))[:, None]
        row, place = np.nonzero((products >= tau) & (neighbours != own) & (neighbours >= 0))
        first, second = row + start, neighbours[row, place] + start
        yield Pairs(first.astype(np.int32), second.astype(np.int32), products[row, place])


# --- ours: cells -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Plan:
    """How the whole corpus is searched."""

    centroids: Singles
    margin: float
    """A row visits a cell when its similarity to the centroid, less a share of that to its own, is at least this."""
    recall: float
    """Share of the sample's pairs that this finds."""
    sampled_pairs: int


def whole_pairs(vectors: Vectors, tau: float, *, recall: float, seed: int = 0) -> Iterator[Pairs]:
    """Nearly every pair at or above tau: at least the wanted share, as far as a sample can tell."""
    if len(vectors) <= EXACT_ROWS:
        return exact_pairs(vectors, tau)
    return cell_pairs(vectors, tau, plan_search(vectors, tau, recall=recall, seed=seed))


def plan_search(vectors: Vectors, tau: float, *, recall: float, seed: int = 0) -> Plan:
    """Centroids for the rows, and the margin with the fewest visits that finds the wanted share of a sample's pairs.

    The sample is rows drawn at random, and their pairs are found exactly, which costs time in proportion to the number
    of rows. The share is meant of all their pairs, and once more of those of rows that have few: rows in a crowd have
    so many that the others would not count, and are the ones that are found anyway. Where the sample has few pairs,
    it is meant of made ones as well: a corpus without many duplicates may still have some.
    """
    random = np.random.default_rng(seed)
    centroids = _centroids(vectors, round(4 * len(vectors) ** 0.5), random)
    pairs = _sampled(vectors, tau, random)
    lonely = _lonely(pairs)
    margins = _margins(vectors, centroids, pairs) if len(pairs.first) else np.empty(0, np.float32)
    wanted = [(kind, recall) for kind in (margins, margins[lonely]) if len(kind)]
    if lonely.sum() < _ENOUGH_PAIRS:  # too few to go by
        wanted.append((_margins_of_made_pairs(vectors, tau, centroids, random), min(recall, _MADE_RECALL)))
    margin = min(float(np.quantile(kind, 1 - share, method="lower")) for kind, share in wanted)
    found = float((margins >= margin).mean()) if len(margins) else 1.0
    return Plan(centroids, margin, found, len(margins))


def cell_pairs(vectors: Vectors, tau: float, plan: Plan) -> Iterator[Pairs]:
    """The pairs that a plan finds."""
    cell, visits = _visits(vectors, plan)
    ends = np.cumsum(np.bincount(cell, minlength=len(plan.centroids)))[:-1]
    members = np.split(np.argsort(cell, kind="stable").astype(np.int32), ends)
    work = list(zip(members, visits, strict=True))
    if sum(len(rows) * (len(rows) + len(guests)) for rows, guests in work) > _WORTH_IT * len(vectors) ** 2:
        return exact_pairs(vectors, tau)
    return _threaded(partial(_compare_cell, vectors, tau), work)


def _compare_cell(vectors: Vectors, tau: float, work: tuple[Rows, Rows]) -> Pairs:
    """The rows of a cell with each other, and with its guests."""
    rows, guests = work
    found = []
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        right = _single(vectors[block])
        others = np.concatenate([rows[start:], guests])  # what stands before the block has met it already
        for other in range(0, len(others), _BLOCK):
            left = others[other : other + _BLOCK]
            products = _single(vectors[left]) @ right.T
            if other == 0:  # the block with itself
                products[: len(block)][np.tril_indices(len(block))] = -1
            found.append(_above(products, tau, left, block))
    return _joined(found)


def _blocks(rows: int) -> Iterable[slice]:
    return (slice(start, min(start + _BLOCK, rows)) for start in range(0, rows, _BLOCK))


def _centroids(vectors: Vectors, count: int, random: np.random.Generator) -> Singles:
    """Spherical k-means on a sample."""
    rows = random.choice(len(vectors), min(len(vectors), _TRAINING_ROWS_PER_CELL * count), replace=False)
    sample = _single(vectors[rows])
    centroids = sample[:count].copy()
    for _ in range(_ROUNDS):
        towards = centroids.T

        def nearest(block: slice, towards: Singles = towards) -> npt.NDArray[np.intp]:
            return np.asarray((sample[block] @ towards).argmax(axis=1))

        cell = np.concatenate(list(_threaded(nearest, _blocks(len(sample)))))
        order = np.argsort(cell, kind="stable")
        found, starts = np.unique(cell[order], return_index=True)
        sums = np.add.reduceat(sample[order], starts, axis=0)
        centroids = centroids.copy()
        centroids[found] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return centroids


def _sampled(vectors: Vectors, tau: float, random: np.random.Generator) -> Pairs:
    """Rows drawn at random, each with all rows at or above tau."""
    drawn = random.permutation(len(vectors))[:_MOST_SAMPLE_ROWS]
    parts: list[Pairs] = []
    for start in range(0, len(drawn), _SAMPLE_STEP):
        parts.append(_neighbours(vectors, drawn[start : start + _SAMPLE_STEP], tau))
        if sum(int(_lonely(part).sum()) for part in parts) >= _SAMPLE_PAIRS:
            break
        if sum(len(part.first) for part in parts) >= _MOST_SAMPLE_PAIRS:
            break
    return _joined(parts)


def _neighbours(vectors: Vectors, sample: npt.NDArray[Any], tau: float) -> Pairs:
    left = _single(vectors[sample])

    def compare(block: slice) -> Pairs:
        products = left @ _single(vectors[block]).T
        own = np.flatnonzero((sample >= block.start) & (sample < block.stop))
        products[own, sample[own] - block.start] = -1
        return _above(products, tau, sample, np.arange(block.start, block.stop))

    return _joined(_threaded(compare, _blocks(len(vectors))))


def _lonely(pairs: Pairs) -> npt.NDArray[np.bool_]:
    """Whether the first row of a pair has few pairs."""
    _, place, count = np.unique(pairs.first, return_inverse=True, return_counts=True)
    return np.asarray(count[place] <= _LONELY)


def _margins(vectors: Vectors, centroids: Singles, pairs: Pairs) -> Singles:
    """For each pair the margin at which it is found: by the first row in the second's cell, or the other way round."""
    rows, place = np.unique(np.concatenate([pairs.first, pairs.second]), return_inverse=True)
    places = place.reshape(2, -1)

    def settle(block: slice) -> tuple[npt.NDArray[np.intp], Singles]:
        products = _single(vectors[rows[block]]) @ centroids.T
        return np.asarray(products.argmax(axis=1)), np.asarray(products.max(axis=1))

    settled = list(_threaded(settle, _blocks(len(rows))))
    cell = np.concatenate([part[0] for part in settled])
    best = np.concatenate([part[1] for part in settled])

    def margin(block: slice) -> Singles:
        both = [
            np.einsum("ij,ij->i", _single(vectors[rows[a[block]]]), centroids[cell[b[block]]])
            - _BEST_SHARE * best[a[block]]
            for a, b in (places, places[::-1])
        ]
        return np.asarray(np.maximum(*both), dtype=np.float32)

    return np.concatenate(list(_threaded(margin, _blocks(len(pairs.first)))))


def _margins_of_made_pairs(vectors: Vectors, tau: float, centroids: Singles, random: np.random.Generator) -> Singles:
    """Margins of rows with vectors made near them, at cosines from tau to 1, each in the direction of another row."""
    rows, others = (_single(vectors[random.integers(len(vectors), size=_MADE_PAIRS)]) for _ in range(2))
    aside = others - np.einsum("ij,ij->i", rows, others)[:, None] * rows
    aside /= np.maximum(np.linalg.norm(aside, axis=1, keepdims=True), 1e-12)
    cosine = random.uniform(tau, 1, (_MADE_PAIRS, 1)).astype(np.float32)
    made = cosine * rows + np.sqrt(1 - cosine**2) * aside
    first = np.arange(_MADE_PAIRS, dtype=np.int32)
    pairs = Pairs(first, first + np.int32(_MADE_PAIRS), cosine[:, 0])
    return _margins(np.concatenate([rows, made]), centroids, pairs)


def _visits(vectors: Vectors, plan: Plan) -> tuple[Rows, list[Rows]]:
    """The cell of each row, and for each cell the rows of other cells that are to be compared with it."""

    def visit(block: slice) -> tuple[Rows, Rows, Rows]:
        products = _single(vectors[block]) @ plan.centroids.T
        own = products.argmax(axis=1)
        rows = np.arange(len(own))
        lowest = _BEST_SHARE * products[rows, own] + (plan.margin - 1e-6)  # two roundings
        products[rows, own] = -np.inf  # its own cell is not visited
        visitor, host = np.divmod(np.flatnonzero(products >= lowest[:, None]), products.shape[1])
        return own.astype(np.int32), (visitor + block.start).astype(np.int32), host.astype(np.int32)

    cells, guests, hosts = zip(*_threaded(visit, _blocks(len(vectors))), strict=True)
    host = np.concatenate(hosts)
    ends = np.cumsum(np.bincount(host, minlength=len(plan.centroids)))[:-1]
    return np.concatenate(cells), np.split(np.concatenate(guests)[np.argsort(host, kind="stable")], ends)
