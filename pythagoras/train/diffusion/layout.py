"""Masked proofs as tensors: [noisy; clean] side by side, in one pass through the model.

A noisy token sees the noisy tokens of its own block, whichever side they are on, and all clean tokens before that
block: what a sampler has at that moment. A clean token sees the clean ones up to itself, as in the autoregressive model
that training begins with; so finished blocks are read as that model reads them, and the same weights still write
autoregressively.

As there, the token at a place is predicted by what stands before it. For the first one of a block that is the last
clean token before the block, which a sampler has read already: the first token of each block costs it nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pythagoras.train.diffusion.noise import Noisy
from pythagoras.train.packing import best_fit_by

if TYPE_CHECKING:
    from torch import Tensor

_ROW_TOKENS = 256
_PART_TOKENS = 2_048


def laid_out(noisy: Sequence[Noisy], block: int, *, causal: bool) -> list[list[list[Noisy]]]:
    """The proofs of a step in parts, each a few rows of about the same length."""
    rows = best_fit_by(noisy, _ROW_TOKENS, lambda one: _size(one, block, causal=causal))
    rows.sort(key=lambda row: _row_size(row, block, causal=causal), reverse=True)
    parts: list[list[list[Noisy]]] = []
    for row in rows:
        longest = _row_size(parts[-1][0], block, causal=causal) if parts else 0
        if not parts or (len(parts[-1]) + 1) * longest > _PART_TOKENS:
            parts.append([])
        parts[-1].append(list(row))
    return parts


def tensors(
    rows: Sequence[Sequence[Noisy]], block: int, *, mask: int, padding: int, causal: float = 0.0
) -> dict[str, Tensor]:
    """What the model takes of some rows; `places` in them (counted through) predict `targets`, which have `weights`.

    With `causal`, each clean token of the proof is predicted by the one before it, too, and weighs so much.
    """
    import torch

    width = max(_row_size(row, block, causal=bool(causal)) for row in rows)
    shape = len(rows), width
    tokens, positions = torch.full(shape, padding), torch.zeros(shape, dtype=torch.long)
    owners, blocks = torch.full(shape, -1), torch.full(shape, -1)
    before = torch.zeros(shape, dtype=torch.long)
    places: list[int] = []
    targets: list[int] = []
    weights: list[float] = []
    for number, row in enumerate(rows):
        begin = 0
        for owner, one in enumerate(row):
            proof, own = one.proof, one.proof.written(block)
            count, clean = len(own), _clean(one, block, causal=bool(causal))
            hidden = torch.tensor(own)
            hidden[list(one.weights)] = mask
            at = torch.arange(count)
            middle, end = begin + count, begin + count + clean
            tokens[number, begin:middle] = hidden
            tokens[number, middle:end] = torch.tensor(proof.tokens[:clean])
            positions[number, begin:middle] = proof.prompt + at
            positions[number, middle:end] = torch.arange(clean)
            owners[number, begin:end] = owner
            blocks[number, begin:middle] = at // block
            before[number, begin:middle] = proof.prompt + at // block * block
            first = number * width
            for place, weight in sorted(one.weights.items()):
                inside = place % block > 0
                places.append(first + (begin + place - 1 if inside else middle + proof.prompt + place - 1))
                targets.append(own[place])
                weights.append(weight)
            if causal:
                for place in range(proof.length):
                    places.append(first + middle + proof.prompt + place - 1)
                    targets.append(own[place])
                    weights.append(causal)
            begin = end
    noisy = blocks >= 0
    same = owners[:, :, None] == owners[:, None, :]
    seen = torch.where(
        noisy[:, :, None],
        torch.where(
            noisy[:, None, :], blocks[:, :, None] == blocks[:, None, :], positions[:, None, :] < before[:, :, None]
        ),
        ~noisy[:, None, :] & (positions[:, None, :] <= positions[:, :, None]),
    )
    return {
        "input_ids": tokens,
        "position_ids": positions,
        "attention_mask": (same & seen)[:, None],
        "places": torch.tensor(places, dtype=torch.long),
        "targets": torch.tensor(targets, dtype=torch.long),
        "weights": torch.tensor(weights),
    }


def _clean(one: Noisy, block: int, *, causal: bool) -> int:
    """How many clean tokens are needed: those before the last block, or all but the last."""
    proof = one.proof
    return len(proof.tokens) - 1 if causal else proof.prompt + (proof.blocks(block) - 1) * block


def _size(one: Noisy, block: int, *, causal: bool) -> int:
    return one.proof.blocks(block) * block + _clean(one, block, causal=causal)


def _row_size(row: Sequence[Noisy], block: int, *, causal: bool) -> int:
    return sum(_size(one, block, causal=causal) for one in row)
