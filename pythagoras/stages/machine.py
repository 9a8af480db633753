"""What a stage runs on. A recipe says nothing about that, and but for rounding nothing depends on it."""

from __future__ import annotations

from dataclasses import dataclass

from pythagoras.engine.engines import default_workers


@dataclass(frozen=True, slots=True)
class Machine:
    """Threads, processes and the Lean of a machine."""

    threads: int | None = None
    """Torch's; None: OMP_NUM_THREADS, else one a core. Sums are rounded another way by another number of them."""
    backend: str = "embedded"
    """The Lean to ask."""
    jobs: int | None = None
    """Lean processes; None: one a core, as memory allows."""
    engine: str = "local"
    """Who builds the corpus."""
    workers: int | None = None
    """How many of those."""
    address: str | None = None
    """Of a Ray cluster."""

    @property
    def cores(self) -> int:
        """How many work side by side where nobody says it."""
        return self.workers or default_workers()


HERE = Machine()
