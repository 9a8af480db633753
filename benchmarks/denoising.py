"""How well diffusion models fill in proofs that they were not trained on: `python -m benchmarks.denoising MODEL...`.

The mean loss of a masked token, in nats, by how much is masked, of the same masks for all models: whole tactics, and
single tokens (structure among them). Training losses can't be compared where settings weigh tokens differently.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy

from benchmarks.variance import proofs_of
from pythagoras.generate.local import model_folder
from pythagoras.train import threads
from pythagoras.train.diffusion.noise import Noisy, masked_at
from pythagoras.train.diffusion.objective import Objective
from pythagoras.train.diffusion.proofs import Proof
from pythagoras.train.model import load_for_training
from pythagoras.train.settings import Diffusion, Noise
from pythagoras.train.trainer import summed_loss

CORPUS = Path(__file__).parents[1] / "data" / "embedded" / "validation"
TIMES = (0.3, 0.6, 1.0)
BLOCK = 16
UNITS = {"tactics": Noise(heaviest=1.0), "tokens": Noise(unit="token", structure=1.0, heaviest=1.0)}


def masked(proofs: list[Proof], how: Noise, time: float) -> list[Noisy]:
    rng = numpy.random.default_rng(5)
    found = [masked_at(proof, time, how, BLOCK, rng) for proof in proofs]
    return [one for one in found if one.weights]


def mean_loss(model: Any, tokenizer: Any, proofs: list[Proof], how: Noise, time: float) -> float:
    """What fills a block up counts for little, as in training."""
    import torch

    noisy = masked(proofs, how, time)
    objective = Objective(Diffusion(noise=how, block=BLOCK), tokenizer, 0)
    with torch.inference_mode():
        total = sum(float(summed_loss(model, part)) for part in objective.parts([[one] for one in noisy]))
    return total / sum(sum(one.weights.values()) for one in noisy)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("-n", type=int, default=150, help="proofs, of those with two tactics or more")
    given = parser.parse_args()
    threads.prepare()
    folders = [model_folder(one) for one in given.models]
    _, tokenizer = load_for_training(folders[0])
    proofs = proofs_of(CORPUS, folders[0], tokenizer)[: given.n]
    print(f"{len(proofs)} proofs of {sum(proof.length for proof in proofs):,} tokens; by the time, {TIMES}")
    for folder, named in zip(folders, given.models, strict=True):
        model, tokenizer = load_for_training(folder)
        model.eval()
        for name, how in UNITS.items():
            losses = "  ".join(f"{mean_loss(model, tokenizer, proofs, how, time):.3f}" for time in TIMES)
            print(f"{named.name:<28}{name:<10}{losses}", flush=True)


if __name__ == "__main__":
    main()
