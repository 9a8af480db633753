"""In which order examples are trained on: stages by tier, and the order inside a stage.

Shuffling is by a hash of the seed, the epoch and the example's content, so it depends on neither the order of the
corpus nor how it was cut into files.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice

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
    tokens: int | None = None
    """As many are trained on, in the place of epochs."""


def stages_of(examples: Sequence[Example], sft: Sft) -> list[Stage]:
    """The stages that have examples, in the order of training."""
    tiers = [tier for tier in Tier if any(example.tier is tier for example in examples)]
    if sft.order == "shuffled":
        return [Stage(SHUFFLED, sft.learning_rates[tiers[0]], examples, sft.tokens)] if tiers else []
    if sft.order == "reversed":
        tiers.reverse()
    all_tokens = _size(examples)
    stages = []
    for tier in tiers:
        own = [example for example in examples if example.tier is tier]
        tokens = None if sft.tokens is None else math.ceil(sft.tokens * _size(own) / all_tokens)
        stages.append(Stage(tier.value, sft.learning_rates[tier], own, tokens))
    return stages


def ordered(stage: Stage, sft: Sft, seed: int) -> Iterator[Example]:
    """The examples of a stage as they are trained on, epoch after epoch.

    Where tiers are mixed they are shuffled whatever the settings say: else they would come one after the other.
    """
    assert stage.examples
    epochs = (_epoch(stage, sft, f"{seed} {epoch}") for epoch in count())
    if stage.tokens is None:
        return chain.from_iterable(islice(epochs, sft.epochs))
    return _so_many(chain.from_iterable(epochs), stage.tokens)


def _size(examples: Sequence[Example]) -> int:
    return sum(len(example.tokens) for example in examples)


def _epoch(stage: Stage, sft: Sft, seed: str) -> Sequence[Example]:
    if sft.shuffle or stage.name == SHUFFLED:
        return sorted(stage.examples, key=lambda example: _hash(f"{seed} {example.key}"))
    return stage.examples


def _so_many(examples: Iterator[Example], tokens: int) -> Iterator[Example]:
    """The first examples, to the one with which they have so many tokens."""
    while tokens > 0:
        example = next(examples)
        tokens -= len(example.tokens)
        yield example


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
