"""Masked proofs as tensors: [noisy; clean] side by side, in one pass through the model.

A noisy token sees the noisy tokens of its own block, whichever side they are on, and all clean tokens before that
block: what a sampler has at that moment. A clean token sees the clean ones up to itself, as in the autoregressive model
that training begins with; so finished blocks are read as that model reads them, and the same weights still write
autoregressively. Several maskings of one proof stand before one clean stream, and none sees another.

As there, the token at a place is predicted by what stands before it. For the first one of a block that is the last
clean token before the block, which a sampler has read already: the first token of each block costs it nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from pythagoras.train.diffusion.noise import Noisy
from pythagoras.train.packing import best_fit_by

if TYPE_CHECKING:
    from torch import Tensor

_ROW_TOKENS = 256
_PART_TOKENS = 2_048


Sheet: TypeAlias = Sequence[Noisy]
"""Maskings of one proof, which share its clean stream."""


def laid_out(sheets: Sequence[Sheet], *, causal: bool) -> list[list[list[Sheet]]]:
    """The proofs of a step in parts, each a few rows of about the same length."""
    rows = best_fit_by(sheets, _ROW_TOKENS, lambda sheet: _size([sheet], causal=causal))
    rows.sort(key=lambda row: _size(row, causal=causal), reverse=True)
    parts: list[list[list[Sheet]]] = []
    for row in rows:
        longest = _size(parts[-1][0], causal=causal) if parts else 0
        if not parts or (len(parts[-1]) + 1) * longest > _PART_TOKENS:
            parts.append([])
        parts[-1].append(row)
    return parts


def tensors(rows: Sequence[Sequence[Sheet]], *, mask: int, padding: int, causal: float = 0.0) -> dict[str, Tensor]:
    """What the model takes of some rows; `places` in them (counted through) predict `targets`, which have `weights`.

    With `causal`, each clean token of the proof is predicted by the one before it, too, and weighs so much.
    """
    import torch

    width = max(_size(row, causal=bool(causal)) for row in rows)
    shape = len(rows), width
    tokens, positions = torch.full(shape, padding), torch.zeros(shape, dtype=torch.long)
    owners, blocks = torch.full(shape, -1), torch.full(shape, -1)
    before = torch.zeros(shape, dtype=torch.long)
    places: list[int] = []
    targets: list[int] = []
    weights: list[float] = []
    for number, row in enumerate(rows):
        begin = 0
        for owner, sheet in enumerate(row):
            proof = sheet[0].proof
            first, clean = number * width, _clean(sheet, causal=bool(causal))
            middle = begin + sum(len(one.written) for one in sheet)
            end, blocks_before = middle + clean, 0
            owners[number, begin:end] = owner
            tokens[number, middle:end] = torch.tensor(proof.tokens[:clean])
            positions[number, middle:end] = torch.arange(clean)
            for one in sheet:
                own = one.written
                at = torch.arange(len(own))
                hidden = torch.tensor(own)
                hidden[list(one.weights)] = mask
                there = slice(begin, begin + len(own))
                tokens[number, there] = hidden
                positions[number, there] = proof.prompt + at
                blocks[number, there] = blocks_before + at // one.block
                before[number, there] = proof.prompt + at // one.block * one.block
                for place, weight in sorted(one.weights.items()):
                    inside = place % one.block > 0
                    places.append(first + (begin + place - 1 if inside else middle + proof.prompt + place - 1))
                    targets.append(own[place])
                    weights.append(weight)
                begin += len(own)
                blocks_before += proof.blocks(one.block)
            if causal:
                for place in range(proof.length):
                    places.append(first + middle + proof.prompt + place - 1)
                    targets.append(proof.tokens[proof.prompt + place])
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


def _clean(sheet: Sheet, *, causal: bool) -> int:
    """How many clean tokens are needed: those before the last block, or all but the last."""
    if causal:
        return len(sheet[0].proof.tokens) - 1
    return max(one.proof.prompt + (one.proof.blocks(one.block) - 1) * one.block for one in sheet)


def _size(row: Sequence[Sheet], *, causal: bool) -> int:
    return sum(sum(len(one.written) for one in sheet) + _clean(sheet, causal=causal) for sheet in row)
