"""A small emission for the tests: instances of all tiers, held-out statements, and a recipe of lab size."""

from __future__ import annotations

from pathlib import Path

from pythagoras.corpus.records import Formalisation, Instance, Tier
from pythagoras.train.emit import Emitted, emit
from pythagoras.train.settings import load_training

GOALS = [  # enough for a step of the paper's
    Formalisation(f"g{n}", f"theorem g{n} (n : ℕ) : n + {n} = {n} + n", "handmade", tier=Tier.HARD) for n in range(130)
]


def instances(rows: int = 12, tiers: tuple[Tier, ...] = tuple(Tier)) -> list[Instance]:
    return [
        Instance(
            name=f"t{n}",
            statement=f"theorem t{n} (n : ℕ) : n + {n} = {n} + n",
            proof="by\n  omega",
            source="handmade",
            tier=tiers[n % len(tiers)],
            verified=True,
            reasoning="Addition commutes.",
        )
        for n in range(rows)
    ]


def small(folder: Path, recipe: str = "4b", *changes: str, held_out: bool = True) -> Emitted:
    """What `pythagoras run RECIPE --emit` writes; nothing has to be loaded to count tokens."""
    training = load_training(recipe, ("lab.tokenizer=lean", *changes))
    return emit(recipe, training, instances(), (lambda: GOALS) if held_out else None, folder)
