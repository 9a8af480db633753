"""Supervised fine-tuning: stages by tier, each with its own learning rate, with LoRA or all parameters.

What one stage learned is where the next begins; optimiser and schedule begin anew, as in runs of their own. A run that
was killed goes on at its last checkpoint, with the same losses and to the same weights as if it had not been.

folder/examples.json     what became of the records, and the stages with their examples and steps
folder/stages/<stage>/   the model after each stage, if asked for
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pythagoras.corpus.records import Record
from pythagoras.corpus.store import write_json
from pythagoras.errors import InputError
from pythagoras.generate.local import Trained
from pythagoras.train import adapters, threads
from pythagoras.train.examples import Example, Instances, Reader
from pythagoras.train.model import load_for_training, save_model
from pythagoras.train.order import Stage, ordered, stages_of
from pythagoras.train.packing import steps_of
from pythagoras.train.run_folder import EXAMPLES, STAGES, OnStep, TrainingRun, read_log
from pythagoras.train.settings import Sft, Training
from pythagoras.train.trainer import SAVE_EVERY, Fit, digest_of, fit, mean_loss


def train_sft(
    settings: Training,
    records: Iterable[Record],
    model_folder: Path,
    run: TrainingRun,
    on_step: OnStep,
    *,
    validation: Iterable[Record] = (),
    keep_stages: bool = False,
    save_every: int = SAVE_EVERY,
) -> None:
    """Fine-tune the model in a folder on the instances among the records, into the run. Raises InputError.

    With `validation`, each stage ends with a line that has the loss on these. A finished run is left as it is.
    """
    if run.finished:
        if keep_stages and not (run.folder / STAGES).is_dir():
            raise InputError(f"{run.folder} is finished, and its stages were not kept: begin anew with --overwrite")
        return
    threads.prepare()
    sft = settings.sft
    model, tokenizer = load_for_training(model_folder)
    check_room(sft.context, model, "sft.context")
    reader = Reader(sft, model_folder, tokenizer)
    account, checked = Instances(), Instances()
    stages = stages_of(reader.read(records, account), sft)
    held = reader.read(validation, checked)
    if not stages:
        raise InputError(nothing(account))
    steps = {stage.name: list(steps_of(ordered(stage, sft, settings.seed), sft.batch_tokens)) for stage in stages}
    told = [described(stage, len(steps[stage.name])) for stage in stages]
    run.pin("examples", {name: digest_of(examples) for name, examples in steps.items()})
    run.pin("validation", digest_of([held]))
    write_json(run.folder / EXAMPLES, {**account.as_dict(), "stages": told, "validation": checked.as_dict()})
    before: Path | None = None
    for stage in stages:
        ended = run.work / f"{stage.name}-ended"
        kept = run.folder / STAGES / stage.name if keep_stages else None
        if not ended.is_dir():
            model = _begun(sft, model_folder, before, settings.seed)
            how = Fit(stage.name, stage.learning_rate, sft.warmup, settings.seed, sft.packed, save_every=save_every)
            fit(model, tokenizer, steps[stage.name], how, run, on_step)
            _validate(model, tokenizer, held, stage.name, len(steps[stage.name]), run, on_step)
            _end(sft, model, tokenizer, model_folder, ended, kept)
            shutil.rmtree(run.work / stage.name)
        elif kept is not None and not kept.is_dir():  # asked for since the run was begun
            _keep(sft, model_folder, ended, tokenizer, kept)
        before = ended
    assert before is not None
    made = run.work / "merged"
    shutil.rmtree(made, ignore_errors=True)
    _write_model(sft, model_folder, before, tokenizer, made)
    run.finish(made)


def check_room(context: int, model: Any, setting: str) -> None:
    """Raises InputError where a model takes less than a setting allows."""
    room = getattr(model.config, "max_position_embeddings", context)
    if context > room:
        raise InputError(f"examples may have {context:,} tokens, and the model takes {room:,}: set {setting}={room}")


def nothing(account: Instances) -> str:
    """Why there is nothing to train on."""
    if not account.read:
        return "there is nothing to train on: the corpus has no statements with proofs"
    return f"none of {account.read:,} records can be trained on ({account.told[0]}): choose another corpus"


def described(stage: Stage, steps: int) -> dict[str, Any]:
    """A stage, for JSON."""
    return {
        "stage": stage.name,
        "learning_rate": stage.learning_rate,
        "examples": len(stage.examples),
        "tokens": sum(len(example.tokens) for example in stage.examples),
        "learned": sum(len(example.tokens) - example.prompt for example in stage.examples),
        "steps": steps,
    }


def _begun(sft: Sft, model_folder: Path, before: Path | None, seed: int) -> Any:
    """The model as a stage begins with it: from the stage before, or new adapters, or the model itself."""
    if sft.method == "full":
        return load_for_training(before or model_folder)[0]
    model, _ = load_for_training(model_folder)
    return adapters.attach_saved(model, before) if before else adapters.attach(model, sft.rank, sft.alpha, seed)


def _validate(
    model: Any, tokenizer: Any, held: Sequence[Example], stage: str, step: int, run: TrainingRun, on_step: OnStep
) -> None:
    """The loss on what is held out, as a line of the log; a run that was killed behind it has it already."""
    if not held or any(line["stage"] == stage and "validation_loss" in line for line in read_log(run.folder)):
        return
    line = {"stage": stage, "step": step, "validation_loss": mean_loss(model, tokenizer, held)}
    run.log(line)
    on_step(line)


def _end(sft: Sft, model: Any, tokenizer: Any, model_folder: Path, ended: Path, kept: Path | None) -> None:
    """Keep what a stage learned. That `ended` is there says that all of it is done."""
    writing = ended.with_name(f"{ended.name}.tmp")
    shutil.rmtree(writing, ignore_errors=True)
    save_model(model, tokenizer, writing)
    if kept is not None:
        _keep(sft, model_folder, writing, tokenizer, kept)
    os.replace(writing, ended)


def _keep(sft: Sft, model_folder: Path, learned: Path, tokenizer: Any, kept: Path) -> None:
    """A stage's model in its place, all of it or nothing."""
    copy = learned.with_name(f"{learned.name}.kept")
    shutil.rmtree(copy, ignore_errors=True)
    _write_model(sft, model_folder, learned, tokenizer, copy)
    shutil.rmtree(kept, ignore_errors=True)
    kept.parent.mkdir(exist_ok=True)
    os.replace(copy, kept)


def _write_model(sft: Sft, model_folder: Path, learned: Path, tokenizer: Any, folder: Path) -> None:
    """A stage's model as one that stands by itself: adapters are merged into the weights that they belong to."""
    if sft.method == "full":
        shutil.copytree(learned, folder)
    else:
        model, _ = load_for_training(model_folder)
        save_model(adapters.merged(adapters.attach_saved(model, learned)), tokenizer, folder)
    Trained(sft.prompt).write(folder)
