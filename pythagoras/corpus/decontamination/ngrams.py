"""Stage (ii): shared n-grams, 10 words of informal text and 5 words of Lean.

The paper flags a row for any shared n-gram. In Lean `(x : ℕ) (h` is shared by everything, so that this flags nearly
every row. The default discounts: an n-gram that stands in several items of the benchmarks (a problem and its mutations
count once), or in more than a small share of the rows themselves, says nothing, and what is left must be a good part of
an item. How common an n-gram is in the rows is counted in a pass before the decisions (`learn`), for the n-grams of the
benchmarks alone: a table of fixed size, which no order of rows changes. A row that would be a hit for an item before
anything was counted has no say about that item's n-grams: else a thousand variants of one item would make it common,
and the more there are the fewer would be found. Both rules are always worked out, so that both rates can be told.

Words are those of the normal texts; bound variables count by their place within the n-gram, not by name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pythagoras.corpus.decontamination.views import LEAST_SEEN, Hit, Item, View
from pythagoras.corpus.normal import alpha_words
from pythagoras.corpus.reasons import Reason

Codes: TypeAlias = NDArray[np.uint64]
Indices: TypeAlias = NDArray[np.int64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)
_MOST_REMEMBERED = 1_000_000


@dataclass(frozen=True, slots=True)
class NgramRule:
    """When shared n-grams of one kind of text are a hit."""

    n: int
    least: int
    """How many different ones that are not common must be shared with one item."""
    least_share: float
    """And which share of the item's own they must be."""
    most_items: int
    """An n-gram in more than this many different items, and families of items, is common."""
    most_rows: float
    """An n-gram in more than this share of the rows is common."""


INFORMAL = NgramRule(10, least=2, least_share=0.2, most_items=2, most_rows=0.001)
FORMAL = NgramRule(5, least=4, least_share=0.6, most_items=2, most_rows=0.001)


@dataclass(frozen=True, slots=True)
class Shared:
    """What a row shares with the items."""

    plain: int | None
    """An item that it shares any n-gram with: the paper's rule."""
    item: int | None
    """The item by the discounting rule."""
    count: int = 0
    of: int = 0
    gram: str = ""


class NgramTable:
    """The n-grams of the items, for one kind of text. Without `families`, each item is a family of its own."""

    def __init__(self, texts: Sequence[Sequence[str]], rule: NgramRule, families: Sequence[str] | None = None) -> None:
        self.rule = rule
        self._code = _Coder()
        rows, grams = self._distinct(texts)
        self._keys, which = np.unique(grams, return_inverse=True)
        order = np.argsort(which, kind="stable")
        self._items = rows[order]
        """Items by n-gram: those of the n-gram `k` are from `_starts[k]` on."""
        self._starts = np.searchsorted(which[order], np.arange(len(self._keys) + 1))
        spread = _distinct(self._items, self._starts, [tuple(text) for text in texts])
        if families is not None:
            spread = np.minimum(spread, _distinct(self._items, self._starts, families))
        self._spread_out = np.repeat(spread > rule.most_items, np.diff(self._starts))
        """For each entry of `_items`, whether its n-gram is one of many items."""
        self._seen = np.zeros(len(self._items), dtype=np.int64)
        """In how many rows the n-gram of each entry stands, copies of the entry's item left out."""
        self._rows_seen = 0
        self._sizes = len(texts)
        self._common, self._own = self._weigh()
        self._own_at_first = self._own

    def learn(self, texts: Sequence[Sequence[str]]) -> None:
        """Count in how many rows each n-gram stands, for each item that has it without the rows that copy the item."""
        rows, grams = self._distinct(texts)
        found, at = self._look_up(grams)
        rows, entries = self._entries(rows[found], at[found])
        copies = np.isin(rows * self._sizes + self._items[entries], self._copies(rows, entries))
        self._seen += np.bincount(entries[~copies], minlength=len(self._seen))
        self._rows_seen += sum(1 for text in texts if len(text) >= self.rule.n)
        self._common, self._own = self._weigh()

    def copied(self, texts: Sequence[Sequence[str]]) -> set[tuple[int, int]]:
        """Which texts are copies of which items, whatever is common."""
        rows, grams = self._distinct(texts)
        found, at = self._look_up(grams)
        pairs = self._copies(*self._entries(rows[found], at[found]))
        return {divmod(pair, self._sizes) for pair in pairs.tolist()}

    def find(self, texts: Sequence[Sequence[str]]) -> list[Shared]:
        rows, grams = self._distinct(texts)
        found, at = self._look_up(grams)
        rows, at = rows[found], at[found]
        plain: dict[int, int] = {}
        for row, key in zip(rows.tolist(), at.tolist(), strict=True):
            plain.setdefault(row, int(self._items[self._starts[key]]))
        best = self._best(*self._entries(rows, at))
        return [self._shared(text, plain.get(number), best.get(number)) for number, text in enumerate(texts)]

    def _entries(self, rows: Indices, keys: Indices) -> tuple[Indices, Indices]:
        """Every entry that the n-grams of rows stand in: the row and the entry's place in `_items`."""
        counts = self._starts[keys + 1] - self._starts[keys]
        offsets = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(rows, counts), np.repeat(self._starts[keys], counts) + offsets

    def _copies(self, rows: Indices, entries: Indices) -> Indices:
        """Pairs of a row and an item that are hits before anything is learned, as one number each."""
        return self._enough(rows, entries, ~self._spread_out, self._own_at_first)[0]

    def _best(self, rows: Indices, entries: Indices) -> dict[int, tuple[int, int]]:
        """The item that each row shares most with, and how many n-grams, where that is enough."""
        pairs, shared = self._enough(rows, entries, ~self._common, self._own)
        best: dict[int, tuple[int, int]] = {}
        for pair, count in zip(pairs.tolist(), shared.tolist(), strict=True):
            row, item = divmod(pair, self._sizes)
            if row not in best or best[row][1] < count:
                best[row] = (item, count)
        return best

    def _enough(
        self, rows: Indices, entries: Indices, telling: NDArray[np.bool_], own: Indices
    ) -> tuple[Indices, Indices]:
        """Pairs of a row and an item that share enough of what is telling, and how much they share."""
        counted = telling[entries]
        pairs, shared = np.unique(rows[counted] * self._sizes + self._items[entries[counted]], return_counts=True)
        least = np.maximum(self.rule.least, self.rule.least_share * own[pairs % max(1, self._sizes)])
        return pairs[shared >= least], shared[shared >= least]

    def _shared(self, text: Sequence[str], plain: int | None, best: tuple[int, int] | None) -> Shared:
        if best is None:
            return Shared(plain, None)
        item, count = best
        _, grams = _grams([text], self.rule.n, self._code)
        found, at = self._look_up(grams)
        for place in np.flatnonzero(found).tolist():
            entries = slice(self._starts[at[place]], self._starts[at[place] + 1])
            if item in self._items[entries][~self._common[entries]]:
                return Shared(plain, item, count, int(self._own[item]), " ".join(text[place : place + self.rule.n]))
        raise AssertionError("a shared n-gram was found and is not there")

    def _distinct(self, texts: Sequence[Sequence[str]]) -> tuple[Indices, Codes]:
        """The different n-grams of each text: number of the text and n-gram."""
        rows, grams = _grams(texts, self.rule.n, self._code)
        order = np.lexsort((grams, rows))
        rows, grams = rows[order], grams[order]
        first = np.ones(len(rows), dtype=bool)
        first[1:] = (rows[1:] != rows[:-1]) | (grams[1:] != grams[:-1])
        return rows[first], grams[first]

    def _look_up(self, grams: Codes) -> tuple[NDArray[np.bool_], Indices]:
        """Which are n-grams of items, and the number of each."""
        if not len(self._keys):
            return np.zeros(len(grams), dtype=bool), np.zeros(len(grams), dtype=np.int64)
        at = np.minimum(np.searchsorted(self._keys, grams), len(self._keys) - 1)
        return self._keys[at] == grams, at

    def _weigh(self) -> tuple[NDArray[np.bool_], Indices]:
        """Which entries are common, and how many n-grams each item has that are not."""
        common = self._spread_out | (self._seen > max(LEAST_SEEN, self.rule.most_rows * self._rows_seen))
        return common, np.bincount(self._items[~common], minlength=self._sizes)


class NgramStage:
    """Both kinds of text. Without `discount` any shared n-gram is a hit."""

    def __init__(
        self,
        items: Sequence[Item],
        *,
        informal: NgramRule = INFORMAL,
        formal: NgramRule = FORMAL,
        discount: bool = True,
    ) -> None:
        self._items = items
        self._discount = discount
        families = [item.family for item in items]
        self._tables = [
            (name, words, NgramTable([words(item.view) for item in items], rule, families))
            for name, words, rule in (("informal", _informal_words, informal), ("Lean", formal_words, formal))
        ]
        self.plain = 0
        """Rows so far that the paper's rule flags."""
        self.discounted = 0

    def learn(self, rows: Sequence[View]) -> None:
        """Count the n-grams of these rows, before anything is decided."""
        for _, words, table in self._tables:
            table.learn([words(row) for row in rows])

    def find(self, rows: Sequence[View]) -> list[Hit | None]:
        found = [(name, table.rule, table.find([words(row) for row in rows])) for name, words, table in self._tables]
        hits: list[Hit | None] = []
        for number in range(len(rows)):
            shared = [(name, rule, results[number]) for name, rule, results in found]
            plain = next((one for one in shared if one[2].plain is not None), None)
            telling = next((one for one in shared if one[2].item is not None), None)
            self.plain += plain is not None
            self.discounted += telling is not None
            chosen = telling if self._discount else telling or plain
            hits.append(None if chosen is None else self._hit(*chosen))
        return hits

    def _hit(self, name: str, rule: NgramRule, shared: Shared) -> Hit:
        if shared.item is None:
            assert shared.plain is not None
            return Hit(Reason.NGRAM, self._items[shared.plain].label, 0.0, f"a common {name} {rule.n}-gram")
        share = shared.count / shared.of
        detail = f"{shared.count} of {shared.of} {name} {rule.n}-grams: {shared.gram}"
        return Hit(Reason.NGRAM, self._items[shared.item].label, share, detail)


def _informal_words(view: View) -> list[str]:
    return view.informal.split()


def formal_words(view: View) -> list[str]:
    return alpha_words(view.statement)


# --- words as numbers ---------------------------------------------------------------------------


class _Coder:
    """A number for each word, the same in every run."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def __call__(self, word: str) -> int:
        code = self._known.get(word)
        if code is None:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            code = self._known[word] = int.from_bytes(digest, "little")
        return code


def _grams(texts: Sequence[Sequence[str]], n: int, code: Callable[[str], int]) -> tuple[Indices, Codes]:
    """Every n-gram as a number, and the number of the text that it stands in, in order."""
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    words = np.array([code(word) for text in texts for word in text], dtype=np.uint64)
    bound = np.array([word[0] == "#" for text in texts for word in text], dtype=bool)
    count = max(0, len(words) - n + 1)
    hashes = np.zeros(count, dtype=np.uint64)
    for place in range(n):
        here = words[place : place + count]
        number = np.full(count, place, dtype=np.uint64)
        for earlier in reversed(range(place)):
            number[words[earlier : earlier + count] == here] = earlier
        mixed = np.where(bound[place : place + count], number, here) * _MIX
        hashes = (hashes ^ mixed ^ (mixed >> _SHIFT)) * _FACTOR + np.uint64(place)
    whole = rows[:count] == rows[n - 1 :] if count else np.zeros(0, dtype=bool)
    return rows[:count][whole], hashes[whole]


def _distinct(items: Indices, starts: Indices, marks: Sequence[Hashable]) -> Indices:
    """In how many items of different marks each n-gram stands. An item that two benchmarks have is one by its text."""
    numbers: dict[Hashable, int] = {}
    same = np.array([numbers.setdefault(mark, len(numbers)) for mark in marks], dtype=np.int64)
    keys = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    pairs = np.unique(keys * max(1, len(marks)) + same[items]) if len(items) else np.zeros(0, dtype=np.int64)
    return np.bincount(pairs // max(1, len(marks)), minlength=len(starts) - 1)
