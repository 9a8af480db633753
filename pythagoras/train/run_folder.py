"""The folder of a training run: what it was begun with, how far it is, and that one process works on it at a time.

folder/training.json    the kind of training, its settings with all defaults, its inputs by their roles: what must be
                        the same when it goes on
folder/versions.json    the programs that worked on it, a line more when one of them changed
folder/log.jsonl        a line a step: stage, step, loss, learning rate, tokens, seconds
folder/work/            checkpoints, while it trains
folder/examples.json    of the base model and of fine-tuning: what became of texts and records, and the stages
folder/problems.json    of reinforcement learning: what became of the rows
folder/stages/          of fine-tuning, if asked for: the model after each stage
folder/proofs/          of reinforcement learning: a store of what was proved
folder/model/           the trained model with its tokenizer, as transformers loads it; there when all is done
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pythagoras.config import Part
from pythagoras.corpus.folders import differing, note_versions
from pythagoras.corpus.store import LOCK, locked, write_json
from pythagoras.errors import InputError

TRAINING, VERSIONS, LOG, WORK, MODEL = "training.json", "versions.json", "log.jsonl", "work", "model"
EXAMPLES, STAGES, PROBLEMS, PROOFS = "examples.json", "stages", "problems.json", "proofs"
_MADE = (LOG, VERSIONS, EXAMPLES, PROBLEMS, WORK, STAGES, PROOFS, MODEL)
_OLD = ".old"
_LIBRARIES = ("torch", "transformers", "trl", "peft")
_PINNED = "pinned"
"""In `training.json`: inputs that were not known before it began."""
OnStep = Callable[[Mapping[str, Any]], None]
"""Who is told a line of the log when its step is done."""


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A folder that is open for training."""

    folder: Path

    @property
    def work(self) -> Path:
        """For checkpoints; gone when the run is finished."""
        return self.folder / WORK

    @property
    def model(self) -> Path:
        return self.folder / MODEL

    @property
    def finished(self) -> bool:
        return self.model.is_dir()

    def log(self, line: Mapping[str, Any]) -> None:
        """A step is done. A kill behind this does not lose the line (when the power goes, it may be lost)."""
        with (self.folder / LOG).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def pin(self, role: str, value: Any) -> None:
        """An input that is known only now, such as a digest of the examples. Raises InputError if it was another."""
        path = self.folder / TRAINING
        told = json.loads(path.read_text(encoding="utf-8"))
        pinned = told.setdefault(_PINNED, {})
        _insist(self.folder, {role: pinned.setdefault(role, value)}, {role: value})
        write_json(path, told)

    def rewind(self, stage: str, step: int) -> None:
        """Forget what was logged behind this step: training goes on there, and will say it again.

        Stages before this one stay; lines of `stage` with a larger step, and of stages behind it, go.
        """
        kept: list[str] = []
        for line in _lines(self.folder / LOG):
            told = json.loads(line)
            if told["stage"] == stage and told["step"] > step:
                break
            kept.append(line)
        part = self.folder / f"{LOG}.tmp"
        part.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        os.replace(part, self.folder / LOG)

    def finish(self, made: Path) -> None:
        """The model that was written to `made`, inside `work`, is the run's; checkpoints are no longer needed."""
        os.replace(made, self.model)
        shutil.rmtree(self.work, ignore_errors=True)


def digest(parts: Iterable[object]) -> str:
    """What the parts are, for `pin`: numbers, texts, and whatever else is written the same when it is the same."""
    found = hashlib.blake2b(digest_size=8)
    for part in parts:
        found.update(f"{part!r}\n".encode())
    return found.hexdigest()


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The steps of a run, in order. Raises InputError where there is none."""
    if not (folder / TRAINING).is_file():
        raise InputError(f"{folder} is no training run: name a folder that `pythagoras train` wrote")
    return [json.loads(line) for line in _lines(folder / LOG)]


@contextmanager
def opened(
    folder: Path, kind: str, settings: Part, inputs: Mapping[str, Any], *, seed: int = 0, overwrite: bool = False
) -> Iterator[TrainingRun]:
    """The folder is this training's, and nobody else's, for as long as the block lasts. Raises InputError.

    `inputs` is what it is made from, by roles, as names and fingerprints: with others it would be another run. With
    `overwrite`, all that an earlier run left there goes.
    """
    _refuse_others(folder)  # before anything is written there
    with locked(folder):
        wanted = {"kind": kind, "seed": seed, "settings": settings.model_dump(mode="json"), "inputs": dict(inputs)}
        _claim(folder, json.loads(json.dumps(wanted)), overwrite)
        (folder / WORK).mkdir(exist_ok=True)
        yield TrainingRun(folder)
        if (folder / MODEL).is_dir():
            shutil.rmtree(folder / WORK, ignore_errors=True)


def _claim(folder: Path, wanted: dict[str, Any], overwrite: bool) -> None:
    path = folder / TRAINING
    if not path.exists():
        write_json(path, wanted)
    elif overwrite or not ((folder / _OLD).is_dir() or any(_lines(folder / LOG))):  # where nothing was learned, no harm
        (folder / _OLD).mkdir(exist_ok=True)  # until all is gone, whoever opens the folder goes on with that
        write_json(path, wanted)
    if (folder / _OLD).is_dir():
        _empty(folder)
    told = json.loads(path.read_text(encoding="utf-8"))
    _insist(folder, {name: value for name, value in told.items() if name != _PINNED}, wanted)
    note_versions(folder / VERSIONS, _LIBRARIES)


def _refuse_others(folder: Path) -> None:
    """Leave alone what others have written."""
    if (folder / TRAINING).exists() or not folder.is_dir():
        return
    known = (LOCK, f"{TRAINING}.tmp")  # a kill may come before anything is there
    if there := sorted(found.name for found in folder.iterdir() if found.name not in known):
        raise InputError(f"{folder} holds something else than a training ({there[0]}): choose a new folder")


def _empty(folder: Path) -> None:
    """Take away what a run made. Each thing goes at once: half a store would be taken for a damaged one."""
    for name in _MADE:
        if (folder / name).exists():
            (folder / name).rename(folder / _OLD / name)
    shutil.rmtree(folder / _OLD)


def _insist(folder: Path, there: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    if different := next(differing(there, now), None):
        raise InputError(
            f"{folder} was begun otherwise ({different}): give it the same, choose another folder, or begin anew with "
            "--overwrite"
        )


def _lines(path: Path) -> Iterator[str]:
    """Whole lines: a kill may have cut the last one short."""
    if not path.exists():
        return
    with path.open(encoding="utf-8") as file:
        yield from (line.rstrip("\n") for line in file if line.endswith("\n"))
