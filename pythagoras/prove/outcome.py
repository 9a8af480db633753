"""What proving is told, and what it tells: how hard to try, each attempt, what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pythagoras.lean.verifier import Judged


class Ended(StrEnum):
    """Why proving ended."""

    PROVED = "proved"
    EXHAUSTED = "exhausted"
    """All that was to be tried was tried."""
    OUT_OF_TIME = "out of time"
    CANCELLED = "cancelled"
    REFUTED = "refuted"
    """Lean has confirmed a counterexample."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One proof that was tried and judged."""

    number: int
    """From 0, in the order in which they were judged."""
    by: str
    """The sampler's name: `portfolio`, `search`, a model's."""
    proof: str
    """The proof's body, what stands behind `:=`."""
    judged: Judged
    generated_tokens: int
    seconds: float
    """Since proving began."""
    theorem: str = ""
    """The statement with its proof, and before it the lemmas that the proof brings: to be pasted."""

    @property
    def holds(self) -> bool:
        return self.judged.verdict is not None and self.judged.verdict.proved


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to try."""

    n: int = 32
    """Attempts by the model."""
    timeout_s: float = 60.0
    """For all of it, by the wall clock."""
    check_s: float = 20.0
    """For Lean, a proof."""
    all: bool = False
    """Go on after the first proof, for the shortest."""
    seed: int = 0


DEFAULT_EFFORT = Effort()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it, and what it cost."""

    proved: Attempt | None
    """The first that holds; with `Effort.all` the shortest."""
    attempts: int
    """Proofs that were written."""
    distinct: int
    """Those of them that are not the same as another."""
    generated_tokens: int
    lean_seconds: float
    """Of all Lean processes together, the search's questions included."""
    seconds: float
    counterexample: Mapping[str, str] | None
    """Values that refute the statement, where nothing was proved: by calculation, unless `ended` says `refuted`."""
    ended: Ended
    disproof: str = ""
    """A theorem that says the opposite, with the proof that Lean took; only where it ended with `refuted`."""
    tried: Mapping[str, int] = field(default_factory=dict)
    """Proofs that were written, by the sampler's name."""
    complaints: tuple[str, ...] = ()
    """What could not be drawn or judged, and why; each once."""
