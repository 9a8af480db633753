"""How the paper trains on each stage ("Training Details"), for the configurations beside the data.

What the paper does not say (batch size, schedule, warm-up, learning rate of RL) is ours or a trainer's own default, and
the configurations say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pythagoras.corpus.length import BUDGET
from pythagoras.corpus.prompts import DEFAULT
from pythagoras.corpus.records import Tier

EPOCHS = 2
LORA_RANK = 64
BATCH_ROWS = 16
"""Rows an update on one GPU; ours."""
WARMUP = 0.03
"""Ours."""
ROLLOUTS = 8

LEARNING_RATES: dict[Tier, float] = {Tier.EASY: 3e-4, Tier.MEDIUM: 7e-5, Tier.HARD: 7e-5, Tier.ALF: 1e-5}
"""The paper has "3e-4 and 7e-5 for the SFT stages" and 1e-5 for self-distillation. That the first is for the first
stage, which starts from fresh adapters, and the second for those that go on with them, is our reading."""


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """What an export may be asked for."""

    prompt: str = DEFAULT
    stages: tuple[Tier, ...] = tuple(Tier)
    """Tiers in the order of training; others are left out."""
    seed: int | None = None
    """Shuffles inside each stage; None keeps the order of the input."""
    held_out: float = 0.0
    """Share of the statements that go into a file of their own, for evaluation."""
    budget: int = BUDGET
    """Tokens at which trainers cut. The length filter is another command: nothing is dropped here."""
    model: str = "Qwen/Qwen3-4B"
    verified: bool = False
    """Whether only what Lean has judged proved goes in."""


@dataclass(frozen=True, slots=True)
class Run:
    """One stage of the curriculum as a training run."""

    stage: Tier
    number: int
    """From 1."""
    before: Run | None
    """The run whose adapters this one goes on with."""

    @property
    def title(self) -> str:
        return f"{self.number}-{self.stage.value}"

    @property
    def output(self) -> str:
        """Where its adapters go."""
        return f"saves/{self.title}"


def runs(stages: Sequence[Tier]) -> list[Run]:
    """The stages chained: each run goes on where the one before it ended."""
    found: list[Run] = []
    for stage in stages:
        found.append(Run(stage, len(found) + 1, found[-1] if found else None))
    return found


def decimal(number: float) -> str:
    """Without an exponent, which YAML's readers take for text when it has no dot."""
    return f"{number:.7f}".rstrip("0")
