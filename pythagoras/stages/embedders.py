"""Embedders that are ready to be asked, with what they have said before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pythagoras.corpus.embedding.cache import CachedEmbedder
from pythagoras.corpus.embedding.embedders import embedder, embedder_or_none
from pythagoras.corpus.embedding.role import Embedder
from pythagoras.corpus.embedding.static import StaticEmbedder

OnFit = Callable[[int, int], None]
"""Takes how many texts of how many the static embedder has been fitted to: once on a machine, some minutes."""


def ready_embedder(name: str, cache: Path | None = None, on_fit: OnFit = lambda done, total: None) -> Embedder:
    """The embedder of that name."""
    if name != "static":
        return CachedEmbedder(embedder(name), cache)
    static = StaticEmbedder(cache, on_fit=on_fit)
    static.prepare()
    return static  # as fast as a cache


def ready_embedder_or_none(
    name: str, cache: Path | None = None, on_fit: OnFit = lambda done, total: None
) -> Embedder | None:
    """The same where one can do without."""
    return None if embedder_or_none(name) is None else ready_embedder(name, cache, on_fit)
