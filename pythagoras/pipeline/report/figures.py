"""The figures that the paper gives of its seed corpus, for a build of ours. Plain numbers; reading them is `reading`'s.

"Accepted" means proved; what was dropped on the way to the prover counts as rejected, as it does in the paper, where
the rates are shares of all instances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Bar:
    """Instances of one kind: how many were proved, how many not."""

    name: str
    accepted: int
    rejected: int

    @property
    def total(self) -> int:
        return self.accepted + self.rejected

    @property
    def rate(self) -> float:
        """The share that was proved; 0 of none."""
        return self.accepted / self.total if self.total else 0.0

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "accepted": self.accepted, "rejected": self.rejected, "rate": round(self.rate, 4)}


def together(name: str, bars: Sequence[Bar]) -> Bar:
    return Bar(name, sum(bar.accepted for bar in bars), sum(bar.rejected for bar in bars))


@dataclass(frozen=True, slots=True)
class Step:
    """What one stage of a build did."""

    stage: str
    read: int
    made: int
    """Records that it handed on; more than were read where one becomes several."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Records that it dropped, by reason. Of one that becomes several, each counts."""
    tally: Mapping[str, int] = field(default_factory=dict)
    costs: Mapping[str, float] = field(default_factory=dict)
    """`lean_s`, `lean_checks`, `worker_s`, `prompt_tokens`, `generated_tokens` and what else it took."""

    def as_dict(self) -> dict[str, Any]:
        return {
            **{"stage": self.stage, "read": self.read, "made": self.made, "dropped": dict(self.dropped)},
            **{"counted": dict(self.tally), "costs": {name: round(value, 3) for name, value in self.costs.items()}},
        }


@dataclass(frozen=True, slots=True)
class Figures:
    """What a build did."""

    name: str
    seed: tuple[Bar, ...]
    """By source; by topic where there is one source alone."""
    synthetic: tuple[Bar, ...]
    """Problems distilled from failures, by generator."""
    hard: tuple[Bar, ...]
    """Variants of hard problems, by source or topic."""
    errors: Mapping[str, int]
    """Classes of the root causes of rejected attempts, of the seven: at statements that Lean refused, and at proofs."""
    formalised_seed: tuple[int, int]
    """Problems whose formalisation elaborates and is aligned, of all: the autoformaliser's success."""
    formalised_synthetic: tuple[int, int]
    failed: int
    """Statements of the first pass that stayed unproved, of which:"""
    actionable: int
    final: Mapping[str, int]
    """Instances of the finished corpus, by tier and split."""
    steps: tuple[Step, ...]
    no_class: int = 0
    """Rejected attempts without one of the seven: the clock ended them, or Lean has no error to report."""

    @property
    def seed_total(self) -> Bar:
        return together("seed", self.seed)

    @property
    def synthetic_total(self) -> Bar:
        return together("synthetic", self.synthetic)

    @property
    def hard_total(self) -> Bar:
        return together("hard", self.hard)

    @property
    def combined(self) -> Bar:
        return together("combined", (self.seed_total, self.synthetic_total))

    @property
    def gains(self) -> dict[str, float]:
        """What the rubric brought, as relative gains: 0.3 is 30 % more. None where nothing was distilled."""
        seed, synthetic, combined = self.seed_total, self.synthetic_total, self.combined
        if not synthetic.total:
            return {}
        return {
            "autoformalisation success": _gain(_share(self.formalised_synthetic), _share(self.formalised_seed)),
            "verification rate": _gain(synthetic.rate, seed.rate),
            "combined verification rate": _gain(combined.rate, seed.rate),
            "verified instances": _gain(combined.accepted, seed.accepted),
        }

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            **{part: [bar.as_dict() for bar in getattr(self, part)] for part in ("seed", "synthetic", "hard")},
            **{part: getattr(self, part).as_dict() for part in ("seed_total", "synthetic_total", "combined")},
            "errors": dict(self.errors),
            "no_class": self.no_class,
            "formalised": {"seed": list(self.formalised_seed), "synthetic": list(self.formalised_synthetic)},
            "failed": self.failed,
            "actionable": self.actionable,
            "gains": {name: round(gain, 4) for name, gain in self.gains.items()},
            "final": dict(self.final),
            "steps": [step.as_dict() for step in self.steps],
        }


PAPER = {
    "seed": Bar("seed", 239_824, 612_817),
    "synthetic": Bar("synthetic", 262_247, 68_822),
    "hard": Bar("hard", 338_683, 977_181),  # of 4 x 328,966 candidates
}
"""What the paper reports, "Dataset Decomposition"."""
PAPER_ERRORS = {
    "tactic failure": 0.300,
    "unsolved goals": 0.147,
    "invalid field": 0.152,
    "type mismatch": 0.116,
    "unknown name": 0.108,
    "failed to synthesise": 0.080,
    "other": 0.097,
}
PAPER_FAILED, PAPER_ACTIONABLE = 612_817, 258_648
"""What stayed unproved in the paper's first pass, and what of that was actionable."""


def _share(pair: tuple[int, int]) -> float:
    return pair[0] / pair[1] if pair[1] else 0.0


def _gain(new: float, old: float) -> float:
    return new / old - 1 if old else 0.0
