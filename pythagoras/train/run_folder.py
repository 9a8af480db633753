"""The folder of a training run: what it was begun with, how far it is, and that one process works on it at a time.

folder/training.json    the kind of training, its settings with all defaults, its inputs with their fingerprints
folder/versions.json    the programs that worked on it, a line more when one of them changed
folder/log.jsonl        a line a step: stage, step, loss, learning rate, tokens, seconds
folder/work/            checkpoints, while it trains
folder/examples.json    of fine-tuning: what became of the records, and the stages
folder/stages/          of fine-tuning, if asked for: the model after each stage
folder/model/           the trained model with its tokenizer, as transformers loads it; there when all is done
"""

from __future__ import annotations

import json
import os
import platform
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pythagoras.config import Part
from pythagoras.corpus.store import LOCK, locked, write_json
from pythagoras.errors import InputError

TRAINING, VERSIONS, LOG, WORK, MODEL = "training.json", "versions.json", "log.jsonl", "work", "model"
EXAMPLES, STAGES = "examples.json", "stages"
OnStep = Callable[[Mapping[str, Any]], None]
"""Who is told a line of the log when its step is done."""
_WAY_OUT = "choose another folder, or begin anew with --overwrite"


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
        """A step is done. It is on disk when this returns."""
        with (self.folder / LOG).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

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

    `inputs` are names and fingerprints of what it is made from: with others it would be another run.
    """
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
        known = (LOCK, f"{TRAINING}.tmp")  # a kill may come before anything is there
        if there := sorted(found.name for found in folder.iterdir() if found.name not in known):
            raise InputError(f"{folder} holds something else than a training ({there[0]}): choose a new folder")
    elif overwrite:
        for name in (LOG, VERSIONS, EXAMPLES):
            (folder / name).unlink(missing_ok=True)
        for name in (WORK, MODEL, STAGES):
            shutil.rmtree(folder / name, ignore_errors=True)
    elif different := _difference(json.loads(path.read_text(encoding="utf-8")), wanted):
        raise InputError(f"{folder} was begun with other settings ({different}): {_WAY_OUT}")
    write_json(path, wanted)
    _note_versions(folder / VERSIONS)


def _difference(there: Any, now: Any, place: str = "") -> str:
    """The first place where two JSON values differ; empty where they do not."""
    if isinstance(there, dict) and isinstance(now, dict):
        names = {**there, **now}
        found = (_difference(there.get(name), now.get(name), f"{place}.{name}".lstrip(".")) for name in names)
        return next(filter(None, found), "")
    return "" if there == now else f"{place}: {json.dumps(there)} there, {json.dumps(now)} now"


def _note_versions(path: Path) -> None:
    libraries = ("pythagoras", "torch", "transformers", "trl", "peft")
    now = {"python": platform.python_version(), **{name: version(name) for name in libraries}}
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    if not before or before[-1] != now:
        write_json(path, [*before, now])


def _lines(path: Path) -> Iterator[str]:
    """Whole lines: a kill may have cut the last one short."""
    if not path.exists():
        return
    with path.open(encoding="utf-8") as file:
        yield from (line.rstrip("\n") for line in file if line.endswith("\n"))
