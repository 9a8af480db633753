"""How likely a pair passes, and what asking Lean would take: told from what it looks like, learned from an audit.

A pair is a set of features: its operator, the tactics of its proof, the one that closes it and what that one has to
deal with, sizes. A logistic regression with a ridge gives the odds; the ridge is chosen, and the odds are put right, by
predictions for pairs that were left out of the fit, so that a share of 0.9 means nine of ten also where features are
many and the audit is small. Seconds are means by the closing tactic. Nothing here asks Lean.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pythagoras.corpus.records import Instance
from pythagoras.lean.tokens import Sort, Token, tokens

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

RARE = 8
"""A feature that fewer pairs of the audit have says nothing."""
_RIDGES = (0.5, 2.0, 8.0, 32.0)
_FOLDS = 5
_STEPS = 25
_SHRINK = 5.0
"""Pairs of the mean that a tactic's own mean seconds are mixed with."""
_SIGNS = frozenset({"∣", "%", "^", "*", "/", "∑", "∏", "∃", "∀", "∨", "∧", "→", "↔", "¬", "≠", "=", "let", "fun", "-"})
_TYPES = frozenset({"ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Prop", "Bool", "List", "Finset", "Set"})
# `<;>` is three signs to the tokenizer
_OPENS = frozenset({"by", ";", ">", "=>", "·", "(", "⟨", "{", "then", "else"})
_TACTIC = re.compile(r"[a-z][\w'!?]*")


@dataclass(frozen=True, slots=True)
class Look:
    """What is seen of a pair without Lean."""

    features: frozenset[str]
    closing: str
    """The last tactic of the proof; empty for a term."""
    mark: float
    """Between -1 and 1, by the pair's content: tells pairs apart that look the same."""


@dataclass(frozen=True, slots=True)
class Odds:
    """What an audit teaches about the chances of all other pairs."""

    weights: Mapping[str, float]
    """Of each feature, in log-odds; `""` is every pair's."""
    scale: float
    shift: float
    """How the sum of the weights becomes honest log-odds."""

    def chances(self, looks: Sequence[Look]) -> Floats:
        """For each pair the chance that it passes."""
        import numpy as np

        sums = [math.fsum(self.weights.get(name, 0.0) for name in look.features) for look in looks]  # in any order
        return _logistic(self.scale * np.array(sums, dtype=np.float64) + self.shift)


@dataclass(frozen=True, slots=True)
class Seconds:
    """What Lean takes for a pair, by the tactic that closes it; `""` where that one is rare."""

    means: Mapping[str, float]

    def of(self, looks: Sequence[Look]) -> Floats:
        """For each pair."""
        import numpy as np

        return np.array([self.means.get(look.closing, self.means[""]) for look in looks], dtype=np.float64)


def look(pair: Instance) -> Look:
    statement, proof = tokens(pair.statement), tokens(pair.proof)
    used = _tactics(proof)
    closing = used[-1] if used else ""
    words = {token.text for token in statement}
    deals = [f"over {name}" for name in words & _TYPES] + [f"with {sign}" for sign in words & _SIGNS]
    features = frozenset(
        [
            "",
            f"operator {pair.provenance.maker}",
            f"closes by {closing}",
            f"proof of 2^{len(proof).bit_length()} tokens",
            f"statement of 2^{len(statement).bit_length()} tokens",
            f"{len(used)} tactics" if len(used) < 4 else "4 tactics or more",
            *(f"uses {name}" for name in used),
            *deals,
            *(f"closes by {closing} {deal}" for deal in deals),
        ]
    )
    digest = hashlib.blake2b(f"{pair.statement}\n{pair.proof}".encode(), digest_size=4).digest()
    return Look(features, closing, int.from_bytes(digest) / 2**31 - 1)


def learn(looks: Sequence[Look], passed: Sequence[bool]) -> Odds:
    """From pairs that were audited, at least one."""
    import numpy as np

    counts = Counter(name for each in looks for name in each.features)
    names = ["", *sorted(name for name, count in counts.items() if name and count >= RARE)]
    place = {name: at for at, name in enumerate(names)}
    matrix = np.zeros((len(looks), len(names)))
    for row, each in zip(matrix, looks, strict=True):
        row[[place[name] for name in each.features if name in place]] = 1.0
    right = np.array(passed, dtype=np.float64)
    ridge, scale, shift = _honest(matrix, right)
    return Odds(dict(zip(names, _fit(matrix, right, ridge).tolist(), strict=True)), scale, shift)


def mean_seconds(looks: Sequence[Look], seconds: Sequence[float]) -> Seconds:
    """The same for what Lean takes."""
    groups: dict[str, list[float]] = defaultdict(list)
    for each, taken in zip(looks, seconds, strict=True):
        groups[each.closing].append(taken)
    mean = sum(seconds) / len(seconds)
    own = {
        tactic: (sum(taken) + _SHRINK * mean) / (len(taken) + _SHRINK)
        for tactic, taken in groups.items()
        if len(taken) >= RARE
    }
    return Seconds({"": mean} | own)


def _tactics(proof: Sequence[Token]) -> list[str]:
    """Words where tactics stand: at the beginning of a line, or behind `by`, `;`, `=>` and the like."""
    return [
        token.text
        for before, token in zip([None, *proof], proof, strict=False)
        if token.sort is Sort.NAME
        and (token.first or (before is not None and before.text in _OPENS))
        and token.text != "by"
        and _TACTIC.fullmatch(token.text)
    ]


# --- logistic regression ---------------------------------------------------------------------------


def _honest(matrix: Floats, passed: Floats) -> tuple[float, float, float]:
    """The ridge whose predictions for pairs that were left out are best, and what makes those honest."""
    import numpy as np

    folds = np.arange(len(passed)) % _FOLDS
    best: tuple[float, float, Floats] | None = None
    for ridge in _RIDGES:
        sums = np.zeros(len(passed))
        for fold in range(_FOLDS):
            out = folds == fold
            if out.any() and not out.all():
                sums[out] = matrix[out] @ _fit(matrix[~out], passed[~out], ridge)
        loss = float(np.mean(np.logaddexp(0, sums) - passed * sums))
        if best is None or loss < best[0]:
            best = loss, ridge, sums
    assert best is not None
    line = np.stack([np.ones(len(passed)), best[2]], axis=1)
    shift, scale = _fit(line, passed, 1.0)
    return best[1], max(0.0, float(scale)), float(shift)


def _fit(matrix: Floats, passed: Floats, ridge: float) -> Floats:
    """Weights by Newton's method; the first column is everybody's, and its weight is hardly held back."""
    import numpy as np

    held = np.full(matrix.shape[1], ridge)
    held[0] = 0.1  # not nothing: where all pass, or none, it would grow for ever
    weights: Floats = np.zeros(matrix.shape[1])
    for _ in range(_STEPS):
        chance = _logistic(matrix @ weights)
        slope = matrix.T @ (passed - chance) - held * weights
        bend = (matrix * (chance * (1 - chance))[:, None]).T @ matrix + np.diag(held)
        step: Floats = np.linalg.solve(bend, slope).astype(np.float64)
        weights += step
        if float(np.abs(step).max()) < 1e-8:
            break
    return weights


def _logistic(sums: Floats) -> Floats:
    import numpy as np

    found: Floats = 1 / (1 + np.exp(-np.clip(sums, -30, 30)))
    return found
