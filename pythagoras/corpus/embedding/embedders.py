"""Every embedder by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pythagoras.corpus.embedding.role import Embedder
from pythagoras.corpus.embedding.static import StaticEmbedder
from pythagoras.corpus.embedding.transformer import GTE_QWEN2, MiniLM, SentenceTransformerEmbedder
from pythagoras.lookup import choose

EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "static": StaticEmbedder,
    "minilm": MiniLM,
    "gte-qwen2": lambda: SentenceTransformerEmbedder(GTE_QWEN2, trust_remote_code=True),
}
"""Ours for a CPU, the bundled transformer, and the paper's. `gte-qwen2` runs code that comes with the model."""


def embedder(name: str) -> Embedder:
    """An embedder by name; a name with a slash, or a folder, is a sentence-transformers model.

    Nothing is loaded before the first text.
    """
    if name not in EMBEDDERS and ("/" in name or Path(name).is_dir()):
        return SentenceTransformerEmbedder(name)
    return choose("embedder", name, EMBEDDERS)()
