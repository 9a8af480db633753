"""Which problems train: DAPO's dynamic filter, as the paper has it, and the account of it.

Of a problem's rollouts neither too few nor too many must succeed (1 to 5 of 8): others say little about what to do
better. They are replaced by further problems until a step has enough, within one pass over all problems in an order
that the seed gives. Whatever is drawn has one fate, and all of it is counted.

A rollout without a verdict is neither a success nor a failure: its group is judged by the others while at most `lost`
of it lack one, and set aside behind that.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pythagoras.train.settings import Rl

_CROWD = 4.0
"""A wave asks for at most so many times the problems that are missing."""


class Fate(StrEnum):
    """What became of a problem that was drawn."""

    KEPT = "kept"
    TOO_EASY = "too_easy"
    TOO_HARD = "too_hard"
    UNJUDGED = "unjudged"
    """Lean gave too few verdicts: it broke down."""
    LATE = "late"
    """Lean had given too few when all others were there."""
    UNFIT = "unfit"
    """Lean does not take the statement itself."""


def fate_of(rewards: Sequence[float | None], rl: Rl, *, given_up: bool = False) -> Fate:
    """By the rewards of its rollouts; None stands for no verdict, as it may when they were not waited for."""
    judged = [reward for reward in rewards if reward is not None]
    if len(judged) < max(2, len(rewards) - rl.lost):
        return Fate.LATE if given_up else Fate.UNJUDGED
    successes = sum(reward > 0 for reward in judged)
    if successes < rl.fewest:
        return Fate.TOO_HARD
    return Fate.TOO_EASY if successes > min(rl.most, len(judged) - 1) else Fate.KEPT


def order_of(problems: int, seed: int, epoch: int) -> list[int]:
    """The problems by their numbers, as they are drawn in this epoch."""
    order = list(range(problems))
    random.Random(f"{seed} {epoch}").shuffle(order)
    return order


def wave_size(missing: int, kept: int, drawn: int) -> int:
    """How many problems to draw when so many are still missing, by how many were kept of those drawn so far.

    One in two at the beginning. A tenth more than expected: what is kept beyond a step's number trains as well, while a
    second, small wave would be drawn and judged slowly.
    """
    rate = (kept + 8) / (drawn + 16)
    return max(1, math.ceil(missing * min(1.1 / rate, _CROWD)))


@dataclass(slots=True)
class StepAccount:
    """What was drawn in a step, and what became of it."""

    fates: Counter[Fate] = field(default_factory=Counter)
    successes: Counter[int] = field(default_factory=Counter)
    """Of problems with a verdict about every rollout: how many had so many successes."""
    rollouts: int = 0
    judged: int = 0
    """Rollouts with a verdict."""
    proved: int = 0
    truncated: int = 0
    """Ran into the limit of tokens."""
    asked: int = 0
    """Different proofs that a verdict was asked about; the other rollouts are the same as one of them."""
    remembered: int = 0
    """Of these, the ones whose verdict was known from an earlier epoch: Lean was not asked."""
    timeouts: int = 0
    """Proofs that the clock ended and not Lean's own count of its work: another run may see them otherwise."""
    given_up: int = 0
    """Problems that were not waited for any longer, whatever their fate: another run may see them otherwise, too."""
    retried: int = 0
    """Proofs that were asked about again because Lean broke down."""
    tokens: int = 0
    """Generated."""
    lean_seconds: float = 0.0

    @property
    def drawn(self) -> int:
        return self.fates.total()

    @property
    def kept(self) -> int:
        return self.fates[Fate.KEPT]

    def add(self, rewards: Sequence[float | None], fate: Fate) -> None:
        """A problem has come to its fate."""
        self.fates[fate] += 1
        judged = [reward for reward in rewards if reward is not None]
        self.rollouts += len(rewards)
        self.judged += len(judged)
        successes = sum(reward > 0 for reward in judged)
        self.proved += successes
        if len(judged) == len(rewards):
            self.successes[successes] += 1

    def as_dict(self, rollouts: int) -> dict[str, Any]:
        """For a line of the log; `rollouts` of them are drawn at each problem."""
        return {
            "reward": round(self.proved / self.judged, 6) if self.judged else 0.0,
            "drawn": self.drawn,
            **{fate.value: self.fates[fate] for fate in Fate},
            "successes": [self.successes[count] for count in range(rollouts + 1)],
            "rollouts": self.rollouts,
            "judged": self.judged,
            "proved": self.proved,
            "truncated": self.truncated,
            "asked": self.asked,
            "remembered": self.remembered,
            "timeouts": self.timeouts,
            "given_up": self.given_up,
            "retried": self.retried,
            "tokens": self.tokens,
            "lean_seconds": round(self.lean_seconds, 3),
        }
