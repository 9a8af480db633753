"""In which order examples are trained on: stages by tier, and the order inside a stage.

Shuffling is by a hash of the seed, the epoch and the example's content, so it depends on neither the order of the
corpus nor how it was cut into files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pythagoras.corpus.records import Tier
from pythagoras.train.examples import Example
from pythagoras.train.settings import Sft

SHUFFLED = "shuffled"
"""The name of the only stage where tiers are mixed."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What is trained on with one schedule of learning rates."""

    name: str
    learning_rate: float
    examples: Sequence[Example]
    """In the order of the corpus."""


def stages_of(examples: Sequence[Example], sft: Sft) -> list[Stage]:
    """The stages that have examples, in the order of training."""
    tiers = [tier for tier in Tier if any(example.tier is tier for example in examples)]
    if sft.order == "shuffled":
        return [Stage(SHUFFLED, sft.learning_rates[tiers[0]], examples)] if tiers else []
    if sft.order == "reversed":
        tiers.reverse()
    return [
        Stage(tier.value, sft.learning_rates[tier], [example for example in examples if example.tier is tier])
        for tier in tiers
    ]


def ordered(stage: Stage, sft: Sft, seed: int) -> Iterator[Example]:
    """The examples of a stage as they are trained on, epoch after epoch.

    Where tiers are mixed they are shuffled whatever the settings say: else they would come one after the other.
    """
    for epoch in range(sft.epochs):
        if sft.shuffle or stage.name == SHUFFLED:
            yield from sorted(stage.examples, key=lambda example: _hash(f"{seed} {epoch} {example.key}"))
        else:
            yield from stage.examples


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
