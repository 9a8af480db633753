"""Diffusion against autoregressive sampling: `python -m benchmarks.diffusion DIFFUSION [AUTOREGRESSIVE] [-n N]`.

Both write attempts at the same statements (some of those that `data/embedded` holds out, 16 attempts each), in turns:
one row at a time, four as in the paper, and 64. Counted are tokens of completions, ends included, a second of wall
clock. Whether what they write is right is `eval run`'s business.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before anything imports torch

from pythagoras.corpus.files import read_records
from pythagoras.corpus.records import Formalisation, Instance, formal_text
from pythagoras.generate.local import LocalSettings
from pythagoras.generate.sampler import Request
from pythagoras.generate.samplers import open_sampler
from pythagoras.llm.decoding.blocks import Blocks
from pythagoras.llm.sampling import Sampling

HELD_OUT = Path(__file__).parents[1] / "data" / "embedded" / "held_out"
BATCHES = (1, 4, 64)
ROUNDS, ATTEMPTS = 2, 16
SETTINGS = {
    "block 32, 0.9": Blocks(32, 0.9),
    "block 8, 0.9": Blocks(8, 0.9),
    "block 32, 4 passes": Blocks(32, steps=4),
    "block 32, 1 pass": Blocks(32, steps=1),
    "4 to 32, 1 pass": Blocks(32, steps=1, first=4),
    "4 to 16, slides, 0.9": Blocks(16, 0.9, first=4, slides=True),
    "4 to 16, slides, 0.5": Blocks(16, 0.5, first=4, slides=True),
    "4 to 16, slides, 0.3, check 0.1": Blocks(16, 0.3, first=4, slides=True, check=0.1),
}


def goals(count: int) -> list[Formalisation]:
    """Evenly from all."""
    found = [one for one in read_records(HELD_OUT) if isinstance(one, Formalisation | Instance)]
    return [Formalisation(one.name, formal_text(one), one.source) for one in found[:: max(1, len(found) // count)]][
        :count
    ]


def rate(model: str, how: LocalSettings, wanted: list[Request]) -> tuple[float, float]:
    """Tokens a second, and tokens an attempt; the model is loaded and warm before the clock begins."""
    with open_sampler(f"local:{model}", local=how) as sampler:
        list(sampler.sample(wanted[:4]))
        began = time.perf_counter()
        tokens = sum(sample.generated_tokens for sample in sampler.sample(wanted))
        return tokens / (time.perf_counter() - began), tokens / len(wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("diffusion")
    parser.add_argument("autoregressive", nargs="?", default="embedded")
    parser.add_argument("-n", type=int, default=8, help="statements")
    parser.add_argument("--batch", type=int, action="append", help=f"rows at a time; default: {BATCHES}")
    parser.add_argument("--threads", type=int)
    given = parser.parse_args()
    if given.threads is not None:
        import torch

        torch.set_num_threads(given.threads)
    wanted = [
        Request(goal, attempt, seed=1_000 * number + attempt)
        for number, goal in enumerate(goals(given.n))
        for attempt in range(ATTEMPTS)
    ]
    sampling = Sampling(1.0, 0.95, 128)
    for batch in given.batch or BATCHES:
        sides = {"autoregressive": (given.autoregressive, LocalSettings(sampling=sampling, batch=batch))}
        for name, blocks in SETTINGS.items():
            sides[name] = (given.diffusion, LocalSettings("", sampling, batch, blocks))
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
        for _ in range(ROUNDS):
            for name, (model, how) in sides.items():
                found[name].append(rate(model, how, wanted))
        plain = statistics.median(own for own, _ in found["autoregressive"])
        for name, rates in found.items():
            middle = statistics.median(own for own, _ in rates)
            print(
                f"batch {batch:>3}  {name:<32}{middle:>8,.0f} tokens/s {middle / plain:>6.2f} times"
                f" {rates[0][1]:>6.1f} tokens an attempt",
                flush=True,
            )


if __name__ == "__main__":
    main()
