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


NO_EMBEDDER = "none"
"""The name for none, where one can do without."""
_BESIDE = "name a sentence-transformers model as owner/name or by its folder"


def embedder(name: str) -> Embedder:
    """An embedder by name; a name with a slash, or a folder, is a sentence-transformers model.

    Nothing is loaded before the first text.
    """
    if _is_model(name):
        return SentenceTransformerEmbedder(name)
    return choose("embedder", name, EMBEDDERS, beside=_BESIDE)()


def embedder_or_none(name: str) -> Embedder | None:
    """The same where one can do without: then `none` is a name, too."""
    if not _is_model(name):
        choose("embedder", name, {**EMBEDDERS, NO_EMBEDDER: None}, beside=_BESIDE)
    return None if name == NO_EMBEDDER else embedder(name)


def _is_model(name: str) -> bool:
    return name not in {*EMBEDDERS, NO_EMBEDDER} and ("/" in name or Path(name).is_dir())
