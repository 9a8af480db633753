"""Block diffusion from an autoregressive checkpoint: all parameters, one stage, the length filter's proofs.

A run that was killed goes on at its last checkpoint, with the same masks and losses as if it had not been.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from pythagoras.corpus.records import Record
from pythagoras.corpus.store import write_json
from pythagoras.errors import InputError
from pythagoras.generate.local import Trained
from pythagoras.lean.pool import Checker
from pythagoras.train import threads
from pythagoras.train.diffusion.objective import Objective
from pythagoras.train.diffusion.proofs import ProofReader
from pythagoras.train.examples import Instances
from pythagoras.train.model import load_for_training, save_model
from pythagoras.train.order import Stage, ordered
from pythagoras.train.packing import steps_of
from pythagoras.train.run_folder import EXAMPLES, OnStep, TrainingRun, digest
from pythagoras.train.settings import Training
from pythagoras.train.sft import check_room, described, nothing
from pythagoras.train.trainer import SAVE_EVERY, Fit, digest_of, fit

_STAGE = "diffusion"


def train_diffusion(
    settings: Training,
    records: Iterable[Record],
    model_folder: Path,
    checker: Checker,
    run: TrainingRun,
    on_step: OnStep,
    *,
    header: str = "core",
    save_every: int = SAVE_EVERY,
) -> None:
    """Train the model in a folder on the instances among the records, into the run. Raises InputError.

    The checker says, on the header, where the tactics of the proofs stand. A finished run is left as it is.
    """
    if run.finished:
        return
    threads.prepare()
    how = settings.diffusion
    model, tokenizer = load_for_training(model_folder)
    check_room(how.context, model, "diffusion.context")
    objective = Objective(how, tokenizer, settings.seed)
    account = Instances()
    proofs = ProofReader(how, model_folder, tokenizer, checker, header).read(records, account)
    if not proofs:
        raise InputError(nothing(account))
    sft = how.as_sft()
    stage = Stage(_STAGE, how.learning_rate, proofs, how.tokens)
    steps = list(steps_of(ordered(stage, sft, settings.seed), how.batch_tokens))
    run.pin("examples", digest_of(steps))
    run.pin("spans", digest((proof.key, proof.spans) for proof in proofs))
    write_json(run.folder / EXAMPLES, {**account.as_dict(), "stages": [described(stage, len(steps))]})
    fit(
        model,
        tokenizer,
        steps,
        Fit(_STAGE, how.learning_rate, how.warmup, settings.seed, save_every=save_every),
        run,
        on_step,
        objective,
    )
    made = run.work / "made"
    shutil.rmtree(made, ignore_errors=True)
    save_model(model, tokenizer, made)
    Trained(how.prompt, block=how.block).write(made)
    run.finish(made)
