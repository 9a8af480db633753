"""Stage (iii): near in meaning, by cosine of sentence embeddings.

Informal texts are compared with informal texts, statements (their alpha texts, so that names have no say) with
statements. A row that says something in words is compared by its statement with those items only that have no words;
a row without words by its statement with all.

Embedding is the dear part. With a second embedder the first one only looks for candidates, by a lower bound, and the
second decides about those: the static embedder at thousands of rows a second, a transformer for the few that are near.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pythagoras.corpus.decontamination.views import Hit, Item, View
from pythagoras.corpus.embedding.role import Embedder, Floats
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import informal_text

_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Taus:
    """Cosines from which on texts are taken for the same, for words and for Lean."""

    informal: float
    formal: float


TAUS = {"minilm": Taus(0.85, 0.96), "static": Taus(0.8, 0.96)}
"""By the embedder that decides, since cosines of different models are different things. The paper gives no value.

Measured on the 36 paraphrases of `tests/unit/planted_problems.py` and on generated problems against CoreBench: MiniLM
gives every paraphrase 0.88 or more and one clean problem in a thousand more than 0.84. The static embedder at 0.8 finds
34 of the paraphrases, and takes 1.6 % of clean problems for one; as the first of two it only has to be near.
"""
OTHER_TAUS = Taus(0.85, 0.96)
NEAR = Taus(0.7, 0.9)
"""From here on the first embedder leaves a text to the second. The static one gives every paraphrase 0.72 or more, and
one clean problem in ten 0.7."""


def usual_taus(embedder: Embedder) -> Taus:
    """What suits an embedder: fitted tables of the static one have names of their own, such as `static-0a1b2c3d`."""
    return TAUS.get(embedder.name.partition("-")[0], OTHER_TAUS)


@dataclass(slots=True)
class _Side:
    """The items that have one kind of text."""

    items: list[int]
    texts: list[str]
    first: Floats | None = None
    second: Floats | None = None


class SimilarityStage:
    """Nearest items by inner product: a matrix of a thousand items needs no index."""

    def __init__(
        self,
        items: Sequence[Item],
        embedder: Embedder,
        second: Embedder | None = None,
        *,
        taus: Taus,
        near: Taus = NEAR,
    ) -> None:
        self._items = items
        self._embedder = embedder
        self._second = second
        self._taus = taus
        self._near = near
        told = [number for number, item in enumerate(items) if item.view.informal]
        stated = [number for number, item in enumerate(items) if item.view.formal]
        wordless = [number for number in stated if not items[number].view.informal]
        self._informal = _Side(told, [informal_text(items[number].view.record) for number in told])
        self._formal = _Side(stated, [_lean(items[number].view) for number in stated])
        self._wordless = _Side(wordless, [_lean(items[number].view) for number in wordless])
        self.asked_second = 0
        """How many texts the second embedder was asked about."""

    def find(self, rows: Sequence[View]) -> list[Hit | None]:
        told = [number for number, row in enumerate(rows) if row.informal]
        stated = [number for number, row in enumerate(rows) if row.formal and row.informal]
        wordless = [number for number, row in enumerate(rows) if row.formal and not row.informal]
        hits: list[Hit | None] = [None] * len(rows)
        taus, near = self._taus, self._near
        for side, numbers, tau, bound in (
            (self._informal, told, taus.informal, near.informal),
            (self._wordless, stated, taus.formal, near.formal),
            (self._formal, wordless, taus.formal, near.formal),
        ):
            open_yet = [number for number in numbers if hits[number] is None]
            informal = side is self._informal
            texts = [informal_text(rows[number].record) if informal else _lean(rows[number]) for number in open_yet]
            for number, hit in zip(open_yet, self._nearest(side, texts, tau, bound), strict=True):
                hits[number] = hit
        return hits

    def _nearest(self, side: _Side, texts: Sequence[str], tau: float, near: float) -> list[Hit | None]:
        hits: list[Hit | None] = [None] * len(texts)
        if not side.items or not texts:
            return hits
        if side.first is None:
            side.first = self._embedder.embed(side.texts)
        scores = self._embedder.embed(texts) @ side.first.T
        if self._second is None:
            found, chosen = list(range(len(texts))), scores
        else:
            found = np.flatnonzero(scores.max(axis=1) >= near).tolist()
            chosen = self._decided(side, [texts[number] for number in found])
        for number, row in zip(found, chosen, strict=True):
            best = int(row.argmax())
            if row[best] >= tau:
                detail = f"near to: {_short(side.texts[best])}"
                hits[number] = Hit(Reason.EMBEDDING, self._items[side.items[best]].label, float(row[best]), detail)
        return hits

    def _decided(self, side: _Side, texts: Sequence[str]) -> Floats:
        """Similarities by the second embedder."""
        assert self._second is not None
        if not texts:
            return np.zeros((0, len(side.items)), dtype=np.float32)
        if side.second is None:
            side.second = self._second.embed(side.texts)
        self.asked_second += len(texts)
        return np.asarray(self._second.embed(texts) @ side.second.T, dtype=np.float32)


def _lean(view: View) -> str:
    return view.statement.removeprefix("theorem ")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."
