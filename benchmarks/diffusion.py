"""Diffusion against autoregressive sampling: `python -m benchmarks.diffusion DIFFUSION [AUTOREGRESSIVE] [-n N]`.

Both write attempts at the same statements (those that `data/embedded` holds out), in turns: at four rows a batch, as in
the paper, and at larger ones. Counted are tokens of completions, ends included, a second of wall clock. Whether they
are right is `eval run`'s business.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from itertools import islice
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
BATCHES = (4, 16, 64)
ROUNDS = 3
SETTINGS = {
    "block 8, 0.9": Blocks(8, 0.9),
    "block 32, 0.9": Blocks(32, 0.9),
    "block 32, 0.5": Blocks(32, 0.5),
    "block 32, 1 pass": Blocks(32, steps=1),
    "block 32, 4 passes": Blocks(32, steps=4),
    "from 4, 0.9": Blocks(32, 0.9, first=4),
    "from 4, slides, 0.9": Blocks(32, 0.9, first=4, slides=True),
    "from 4, slides, 0.5": Blocks(32, 0.5, first=4, slides=True),
    "from 4, slides, 0.3, check": Blocks(32, 0.3, first=4, slides=True, check=0.1),
}


def goals(count: int) -> list[Formalisation]:
    found = (one for one in read_records(HELD_OUT) if isinstance(one, Formalisation | Instance))
    return [Formalisation(one.name, formal_text(one), one.source) for one in islice(found, count)]


def rate(setting: str, how: LocalSettings, wanted: list[Request]) -> float:
    """Tokens a second; the model is loaded before the clock begins."""
    with open_sampler(f"local:{setting}", local=how) as sampler:
        began = time.perf_counter()
        tokens = sum(sample.generated_tokens for sample in sampler.sample(wanted))
        return tokens / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("diffusion")
    parser.add_argument("autoregressive", nargs="?", default="embedded")
    parser.add_argument("-n", type=int, default=48, help="statements")
    parser.add_argument("--threads", type=int)
    given = parser.parse_args()
    if given.threads is not None:
        import torch

        torch.set_num_threads(given.threads)
    wanted = [Request(goal, 0, seed=number) for number, goal in enumerate(goals(given.n))]
    sampling = Sampling(1.0, 0.95, 128)
    for batch in BATCHES:
        sides = {"autoregressive": (given.autoregressive, LocalSettings(sampling=sampling, batch=batch))}
        for name, blocks in SETTINGS.items():
            sides[name] = (given.diffusion, LocalSettings("", sampling, batch, blocks))
        rates: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(ROUNDS):
            for name, (model, how) in sides.items():
                rates[name].append(rate(model, how, wanted))
        plain = statistics.median(rates["autoregressive"])
        for name, found in rates.items():
            middle = statistics.median(found)
            print(f"batch {batch:>3}  {name:<28}{middle:>8,.0f} tokens/s {middle / plain:>6.2f} times")


if __name__ == "__main__":
    main()
