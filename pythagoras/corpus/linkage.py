"""From near pairs to decisions: which rows go, and which one stays in the place of each.

Rows are numbered by priority here, 0 first, so that of two rows the smaller number stays. Three rules, since "near" is
not transitive: with A near B and B near C,
  cluster  unites all that pairs connect and keeps one row of it: C goes for A even where those two are far apart;
  pair     drops the lower row of every pair, the paper's rule: where B is the lowest, A and C both stay;
  direct   drops a row only for a kept row that is near to it: nothing goes without a near one that stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from pythagoras.corpus.neighbours import Pairs, Rows
from pythagoras.errors import InputError

MOST_PAIRS = 250_000_000
"""What `direct` holds at the most: 8 bytes a pair."""
_FLUSH_PAIRS = 1_000_000


@dataclass(frozen=True, slots=True)
class Links:
    """For each row: who stays for it (itself, when it stays), and the near row that ties it to the survivor."""

    survivor: Rows
    near: Rows
    """A row at or above tau: the survivor where that one is near enough to be met directly. Itself for a kept row."""


Link: TypeAlias = Callable[[Iterable[Pairs], int], Links]


def cluster(pairs: Iterable[Pairs], rows: int) -> Links:
    """Union-find: labels only ever go down, so each cluster ends with its first row as its label."""
    label = np.arange(rows, dtype=np.int32)
    near = np.arange(rows, dtype=np.int32)
    for first, second in _gathered(pairs, rows):
        while len(first):
            one, two = label[first], label[second]
            apart = one != two
            first, second, one, two = first[apart], second[apart], one[apart], two[apart]
            for a, b in ((first, second), (second, first)):
                alone = near[a] == a
                near[a[alone]] = b[alone]
            np.minimum.at(label, np.maximum(one, two), np.minimum(one, two))
            label = _to_roots(label)
    return Links(label, np.where(label == np.arange(rows), label, near).astype(np.int32))


def pair(pairs: Iterable[Pairs], rows: int) -> Links:
    """A row goes when any row near to it comes before it, be that one kept or not."""
    near = np.arange(rows, dtype=np.int32)
    for batch in pairs:
        np.minimum.at(near, np.maximum(batch.first, batch.second), np.minimum(batch.first, batch.second))
    return Links(_to_roots(near), near)


def direct(pairs: Iterable[Pairs], rows: int) -> Links:
    """In the order of priority, a row goes when a row that was kept before is near to it."""
    earlier, later = _collected(pairs)
    order = np.lexsort((earlier, later))
    earlier, later = earlier[order], later[order]
    starts = np.searchsorted(later, np.arange(rows + 1))
    survivor = np.arange(rows, dtype=np.int32)
    for row in np.unique(later):
        candidates = earlier[starts[row] : starts[row + 1]]
        kept = candidates[survivor[candidates] == candidates]
        if len(kept):
            survivor[row] = kept[0]
    return Links(survivor, survivor)


LINKAGES: dict[str, Link] = {"cluster": cluster, "pair": pair, "direct": direct}


def _gathered(pairs: Iterable[Pairs], rows: int) -> Iterable[tuple[Rows, Rows]]:
    """Small batches put together, so that work over all rows is done once for many pairs."""
    waiting: list[Pairs] = []
    count = 0
    for batch in pairs:
        waiting.append(batch)
        count += len(batch.first)
        if count >= max(rows, _FLUSH_PAIRS):
            yield _columns(waiting)
            waiting, count = [], 0
    yield _columns(waiting)


def _collected(pairs: Iterable[Pairs]) -> tuple[Rows, Rows]:
    kept: list[Pairs] = []
    count = 0
    for batch in pairs:
        kept.append(batch)
        count += len(batch.first)
        if count > MOST_PAIRS:
            raise InputError(
                f"more than {MOST_PAIRS:,} pairs are above tau, too many to hold for the linkage `direct`: "
                "raise tau, or use `cluster`"
            )
    first, second = _columns(kept)
    return np.minimum(first, second), np.maximum(first, second)


def _columns(batches: list[Pairs]) -> tuple[Rows, Rows]:
    empty = np.empty(0, np.int32)
    first = np.concatenate([empty, *(batch.first for batch in batches)])
    return first, np.concatenate([empty, *(batch.second for batch in batches)])


def _to_roots(parent: Rows) -> Rows:
    """Each row's last ancestor."""
    while True:
        above = parent[parent]
        if np.array_equal(above, parent):
            return parent
        parent = above
