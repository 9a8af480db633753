"""A build as a process of its own, for tests that kill it: a line on standard output for every row that is done.

python -m tests.lean.build_driver FOLDER ENGINE [WORKERS [ADDRESS]]
"""

from __future__ import annotations

import sys
from pathlib import Path

from pythagoras.engine.engines import open_engine
from pythagoras.pipeline import stage_runner
from pythagoras.pipeline.building import build
from pythagoras.pipeline.recipe import Finish, Hard, Prover, Recipe, Source

PIECE_ROWS = 4
"""Small pieces, so that a build of a few problems has many of them."""
RECIPE = Recipe(
    name="small",
    seed=3,
    source=Source(count=14, levels=(1, 2), false_share=0.2, seed=5),
    hard_source=Source(count=2, levels=(3,), seed=6),
    prover=Prover(checks=3, heartbeats=4_000),
    hard=Hard(variants=3),
    finish=Finish(embedder="none", against=(), validation_share=0.2),
)


def main(folder: str, engine: str, workers: str = "", address: str | None = None) -> None:
    stage_runner.COSTLY_ROWS = PIECE_ROWS
    done: dict[str, int] = {}

    def on_progress(stage: str, read: int, kept: int, dropped: int) -> None:
        if stage in done and read > done[stage]:
            print(stage, read, kept, dropped, flush=True)
        done[stage] = read

    with open_engine(engine, int(workers) if workers else None, address) as opened:
        build(RECIPE, Path(folder), opened, on_progress=on_progress)


if __name__ == "__main__":
    main(*sys.argv[1:])
