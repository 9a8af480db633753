"""An embedder for tests: words hashed into a few dimensions. Texts that share most of their words are near."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np

from pythagoras.corpus.embedding.role import Floats, unit_rows

_WORD = re.compile(r"\w+|[^\w\s]")


class FakeEmbedder:
    """Counts what it is asked, so that a test can see what was not embedded."""

    def __init__(self, name: str = "fake", dimension: int = 64) -> None:
        self.name = name
        self.asked: list[str] = []
        self._dimension = dimension

    def embed(self, texts: Sequence[str]) -> Floats:
        self.asked.extend(texts)
        vectors = np.zeros((len(texts), self._dimension), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in _WORD.findall(text.lower()):
                digest = zlib.crc32(word.encode("utf-8", "surrogatepass"))
                row[digest % self._dimension] += 1 if digest & 0x8000_0000 else -1
        vectors[~vectors.any(axis=1), 0] = 1  # a text without words still has a direction
        return unit_rows(vectors)
