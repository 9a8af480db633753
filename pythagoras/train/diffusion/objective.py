"""The loss of a diffusion model: of masked tokens, by their weights, over all that could have been masked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pythagoras.llm.weights import mask_token
from pythagoras.train.diffusion.layout import Sheet, laid_out, tensors
from pythagoras.train.diffusion.noise import corrupt
from pythagoras.train.diffusion.proofs import Proof
from pythagoras.train.examples import Example
from pythagoras.train.settings import Diffusion
from pythagoras.train.trainer import padding_of

if TYPE_CHECKING:
    from torch import Tensor


class Objective:
    """Lays the steps of a training out. What is masked depends on seed and step alone, so a training can go on."""

    def __init__(self, settings: Diffusion, tokenizer: Any, seed: int) -> None:
        self._settings = settings
        self._mask = mask_token(tokenizer)
        self._padding = padding_of(tokenizer)
        self._seed = seed

    def __call__(self, number: int, step: Sequence[Example]) -> list[dict[str, Tensor]]:
        """The tensors of a step."""
        import numpy

        how = self._settings
        proofs = [example for example in step if isinstance(example, Proof)]
        assert len(proofs) == len(step)
        return self.parts(corrupt(proofs, how.noise, how.blocks, numpy.random.default_rng((self._seed, number))))

    def parts(self, sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
        """The tensors of proofs that are masked already."""
        how = self._settings
        found = []
        for rows in laid_out(sheets, causal=bool(how.causal)):
            part: dict[str, Any] = dict(tensors(rows, mask=self._mask, padding=self._padding, causal=how.causal))
            part["learned"] = sum(learnable(sheet[0].proof, how) for row in rows for sheet in row)
            found.append(part)
        return found


def learnable(proof: Proof, how: Diffusion) -> int:
    """How many tokens of a proof may be masked: what the loss is the mean over, whatever was drawn."""
    inside = sum(map(len, proof.spans)) + 1
    return inside + (len(proof.structure()) if how.noise.structure else 0)
