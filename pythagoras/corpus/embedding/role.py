"""The role: whatever turns texts into unit vectors, so that an inner product says how alike two texts are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from pythagoras.corpus.records import Record, formal_text, informal_text
from pythagoras.lookup import choose

Floats: TypeAlias = npt.NDArray[np.float32]


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """Names the vectors: two embedders of one name give the same vector for the same text. Keys the cache."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text, each of length 1."""


def unit_rows(vectors: npt.NDArray[Any]) -> Floats:
    """The rows at length 1; a row of zeros stays one."""
    single = vectors.astype(np.float32, copy=False)
    lengths = np.linalg.norm(single, axis=1, keepdims=True)
    return np.asarray(single / np.where(lengths > 0, lengths, 1), dtype=np.float32)


TEXTS = {
    "informal": lambda record: informal_text(record) or formal_text(record),
    "formal": lambda record: formal_text(record) or informal_text(record),
}
"""Which text of a record stands for it: the problem in words, or the Lean statement; the other where it has no such."""


def text_of(record: Record, prefer: str = "informal") -> str:
    """The text of a record that is embedded; empty where it has neither."""
    return choose("text of a record", prefer, TEXTS)(record)
