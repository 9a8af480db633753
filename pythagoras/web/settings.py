"""What the web server takes, from whom, and what it shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pythagoras.lean.server.app import ServerSettings
from pythagoras.web.jobs import JobLimits


@dataclass(frozen=True, slots=True)
class ProveLimits:
    """How much one theorem may ask for."""

    attempts: int = 256
    """By the model."""
    timeout_s: float = 600.0
    characters: int = 20_000
    check_s: float = 20.0
    """Seconds that Lean has for one proof."""
    jobs: JobLimits = field(default_factory=JobLimits)


@dataclass(frozen=True, slots=True)
class Shown:
    """What there is to browse."""

    runs: tuple[Path, ...] = ()
    """Runs of evaluations, or folders with some in them."""
    corpora: tuple[Path, ...] = ()
    """Corpora, or folders with some in them."""
    ladder: Path | None = None


@dataclass(frozen=True, slots=True)
class WebSettings:
    """All of it."""

    server: ServerSettings = field(default_factory=ServerSettings)
    """As for the Lean server: the key, and the limits of its endpoints."""
    prove: ProveLimits = field(default_factory=ProveLimits)
    shown: Shown = field(default_factory=Shown)
    local: bool = True
    """Whether it is reached from this machine alone."""
