"""A process that fine-tunes, to be killed: `python -m tests.train.sft_driver MODEL FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from pythagoras.train import threads
from pythagoras.train.run_folder import opened
from pythagoras.train.settings import Sft, Training
from pythagoras.train.sft import train_sft
from tests.train.learners import CONTEXT, proofs

SETTINGS = Training(sft=Sft(context=CONTEXT, batch_tokens=384, rank=4, epochs=3))


def train(model: Path, folder: Path) -> None:
    threads.prepare(2)
    with opened(folder, "sft", SETTINGS, {"model": "the learner"}) as run:
        train_sft(
            SETTINGS,
            proofs(60),
            model,
            run,
            lambda line: None,
            validation=proofs(66)[60:],
            keep_stages=True,
            save_every=3,
        )


if __name__ == "__main__":
    train(Path(sys.argv[1]), Path(sys.argv[2]))
