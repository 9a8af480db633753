"""A sweep against benchmarks that is ready to decide: with its items, embedders and Lean, and what it has learned."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pythagoras.corpus.decontamination.sweep import DecontaminationSettings, Sweep, benchmark_fingerprints
from pythagoras.corpus.embedding.embedders import NO_EMBEDDER
from pythagoras.corpus.records import Record
from pythagoras.lean.pool import Checker, LeanPool
from pythagoras.stages.benchmarks import items_of
from pythagoras.stages.embedders import OnFit, ready_embedder, ready_embedder_or_none

AUTO = "auto"
_ALL = DecontaminationSettings()


@dataclass(frozen=True)
class Cleaning:
    """What a corpus is cleaned of, and how."""

    against: tuple[str, ...]
    settings: DecontaminationSettings = _ALL
    embedder: str = "static"
    second: str = AUTO
    """Who has the last word where the first embedder finds something near; auto: minilm after static."""
    lean: bool = True
    """Whether Lean compares statements by their types, too."""
    cache: Path | None = None
    """Where embeddings are kept."""

    @cached_property
    def items(self) -> list[Record]:
        return items_of(self.against)

    @property
    def last_word(self) -> str:
        if self.second != AUTO:
            return self.second
        return "minilm" if self.embedder == "static" else NO_EMBEDDER

    @property
    def chosen(self) -> dict[str, Any]:
        """All that a decision depends on, beside the rows."""
        return {
            **asdict(self.settings),
            "embedder": self.embedder,
            "second": self.last_word,
            "lean": self.lean,
            "against": benchmark_fingerprints(self.items),
        }

    @contextmanager
    def opened(self, on_fit: OnFit = lambda done, total: None, checker: Checker | None = None) -> Iterator[Sweep]:
        """A sweep that has learned nothing yet. `checker` is a Lean that is open; None: one of its own."""
        stages = self.settings.stages
        embeds = "embedding" in stages
        with ExitStack() as stack:
            yield Sweep(
                self.items,
                self.settings,
                embedder=ready_embedder(self.embedder, self.cache, on_fit) if embeds else None,
                second_embedder=ready_embedder_or_none(self.last_word, self.cache, on_fit) if embeds else None,
                checker=(checker or stack.enter_context(LeanPool())) if self.lean and "structure" in stages else None,
            )
