"""Stage (v): a proof that repeats a benchmark's proof up to names: tactic skeletons.

A skeleton is what is left of a proof without names, constants and numerals: the tactics and the shape of their
arguments. `have h3 : a * (a + 9) = 360 := by rw [← h1]; exact h2` leaves `have : * ( + ) = := by rw [ ← ] exact`.
Layout does not show. Near-identical means few edits, counted in words. Short and common skeletons prove nothing:
`omega` is everybody's, and so is `induction n with | zero => simp | succ n ih => rw [...]; omega`. How common one is in
the rows is counted before the decisions. A row that states much the same as the item whose skeleton it has (by n-grams)
has no say: variants of an item, proofs and all, do not make its proof common. A proof copied to many other statements
does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pythagoras.corpus.decontamination import ngrams
from pythagoras.corpus.decontamination.ngrams import NgramTable, formal_words
from pythagoras.corpus.decontamination.views import LEAST_SEEN, Hit, Item, View
from pythagoras.corpus.reasons import Reason
from pythagoras.lean.tokens import Sort, Token, tokens

_OPENS = frozenset({"by", "·", ".", "=>"})
"""Behind one of these a block of tactics begins."""
_CONTINUES = frozenset({";", "<;>", "first", "try", "repeat", "all_goals", "any_goals"})
"""Behind one of these stands another tactic."""
_SMALL = frozenset(
    {"by", "at", "with", "using", "from", "only", "generalizing", "fun", "in", "if", "then", "else", "match"}
)
"""Words of the language that are no tactics; every other name goes."""
_LAYOUT = frozenset({";", "·"})
_SAME = {"λ": "fun", "↦": "=>", "refine'": "refine", "exacts": "exact", "rwa": "rw", "simpa": "simp", "intros": "intro"}
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class TemplateRule:
    """When two skeletons are near-identical, and which ones tell anything."""

    similarity: float = 0.9
    """1 less the edits for each word of the longer one: at least this."""
    least_tactics: int = 5
    least_words: int = 16
    most_items: int = 2
    """A skeleton of more than this many items is common."""
    most_rows: float = 0.001
    """A skeleton of more than this share of the rows is common."""


DEFAULT = TemplateRule()


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A proof without names."""

    words: tuple[str, ...]
    tactics: int


def skeleton(proof: str) -> Skeleton:
    """The tactics of a proof and the shape of their arguments."""
    words: list[str] = []
    count = 0
    blocks: list[int] = []  # columns in which the open blocks' tactics begin
    opens, continues, in_first = True, False, False
    for token in _signs_joined(tokens(proof)):
        word = _SAME.get(token.text, token.text)
        while blocks and token.first and blocks[-1] > token.column:
            blocks.pop()
        begins = opens or continues or (token.first and blocks[-1:] == [token.column])
        bullet = begins and word in ("·", ".")
        if opens and word not in _OPENS:
            blocks.append(token.column)
        if token.sort is Sort.SIGN:
            if word not in _LAYOUT and not bullet:
                words.append(word)
        elif token.sort is Sort.NAME and (word in _SMALL or (begins and word != "_")):
            words.append(word)
            count += word not in _SMALL
        opens = bullet or word in ("by", "·") or (word == "=>" and not _of_function(words))
        if begins and token.sort is Sort.NAME:
            in_first = word == "first" or (in_first and not token.first)
        continues = word in _CONTINUES or (begins and word == "(") or (in_first and word == "|")
    return Skeleton(tuple(words), count)


def _of_function(words: Sequence[str]) -> bool:
    """Whether the `=>` at the end belongs to a `fun`, not to a case."""
    return next((word == "fun" for word in reversed(words[:-1]) if word in ("fun", "|", "=>", "by")), False)


def _signs_joined(line: Sequence[Token]) -> Iterator[Token]:
    """The tokens without doc comments, `<;>` in one piece."""
    at = 0
    while at < len(line):
        if [token.text for token in line[at : at + 3]] == ["<", ";", ">"]:
            yield line[at]._replace(text="<;>", end=line[at + 2].end)
            at += 3
        else:
            if line[at].sort is not Sort.DOC:
                yield line[at]
            at += 1


class TemplateStage:
    """Skeletons of the items' proofs. Items without proofs say nothing; `proofs` tells how many have one."""

    def __init__(self, items: Sequence[Item], rule: TemplateRule = DEFAULT) -> None:
        self._rule = rule
        labels: dict[tuple[str, ...], list[str]] = {}
        proofs = [item for item in items if item.view.proof.strip()]
        for item in proofs:
            found = skeleton(item.view.proof)
            if self._tells(found):
                labels.setdefault(found.words, []).append(item.label)
        self.proofs = len(proofs)
        self._labels = {words: names for words, names in labels.items() if len(set(names)) <= rule.most_items}
        families = [item.family for item in items]
        self._statements = NgramTable([formal_words(item.view) for item in items], ngrams.FORMAL, families)
        self._item_labels = [item.label for item in items]
        self._skeletons = list(self._labels)
        vocabulary = sorted({word for words in self._skeletons for word in words})
        self._column = {word: number for number, word in enumerate(vocabulary)}
        self._counts = np.array([self._count(words) for words in self._skeletons], dtype=np.int32)
        self._lengths = np.array([len(words) for words in self._skeletons], dtype=np.int32)
        self._seen = Counter[tuple[str, ...]]()
        self._rows_seen = 0

    @property
    def telling(self) -> int:
        """How many proofs can be told by their skeletons: those that are long and rare enough."""
        return sum(len(names) for words, names in self._labels.items() if not self._is_common(words))

    def learn(self, rows: Sequence[View]) -> None:
        """Count in how many rows each skeleton stands, variants of its items left out, before anything is decided."""
        proved = [(row, skeleton(row.proof).words) for row in rows if row.proof]
        self._rows_seen += len(proved)
        known = [(row, words) for row, words in proved if words in self._labels]
        copies = self._statements.copied([formal_words(row) for row, _ in known])
        copied = {(number, self._item_labels[item]) for number, item in copies}
        for number, (_, words) in enumerate(known):
            self._seen[words] += not any((number, label) in copied for label in self._labels[words])

    def find(self, rows: Sequence[View]) -> list[Hit | None]:
        return [self._find(row.proof) if row.proof and self._skeletons else None for row in rows]

    def _is_common(self, words: tuple[str, ...]) -> bool:
        return self._seen[words] > max(LEAST_SEEN, self._rule.most_rows * self._rows_seen)

    def _find(self, proof: str) -> Hit | None:
        own = skeleton(proof)
        if not self._tells(own):
            return None
        if own.words in self._labels and not self._is_common(own.words):
            return self._hit(own.words, 1.0)
        longest = np.maximum(self._lengths, len(own.words))
        shared = np.minimum(self._counts, np.array(self._count(own.words), dtype=np.int32)).sum(axis=1)
        best: tuple[float, tuple[str, ...]] = (0.0, ())
        for number in np.flatnonzero(shared >= self._rule.similarity * longest).tolist():  # no edit distance is lower
            words = self._skeletons[number]
            if self._is_common(words):
                continue
            length = max(len(words), len(own.words))
            most = int((1 - self._rule.similarity) * length + 1e-9)
            distance = edit_distance(words, own.words, most)
            if distance is not None:
                best = max(best, (1 - distance / length, words))
        return self._hit(best[1], best[0]) if best[1] else None

    def _tells(self, found: Skeleton) -> bool:
        return found.tactics >= self._rule.least_tactics and len(found.words) >= self._rule.least_words

    def _count(self, words: Sequence[str]) -> list[int]:
        counts = Counter(words)
        return [counts[word] for word in self._column]

    def _hit(self, words: tuple[str, ...], score: float) -> Hit:
        shown = " ".join(words[:_SHOWN]) + (" ..." if len(words) > _SHOWN else "")
        return Hit(Reason.PROOF_TEMPLATE, self._labels[words][0], score, f"skeleton of {len(words)} words: {shown}")


def edit_distance(one: Sequence[str], other: Sequence[str], most: int) -> int | None:
    """How many words must be put in, taken out or changed; None when more than `most`."""
    if abs(len(one) - len(other)) > most:
        return None
    row = list(range(len(other) + 1))
    for number, word in enumerate(one, start=1):
        new = [number]
        for place, others in enumerate(other, start=1):
            new.append(min(row[place - 1] + (word != others), row[place] + 1, new[-1] + 1))
        if min(new) > most:
            return None
        row = new
    return row[-1] if row[-1] <= most else None
