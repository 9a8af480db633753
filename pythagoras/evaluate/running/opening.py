"""Opening a run's folder to write: nobody else at it, and what is in it is the run that is asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pythagoras.corpus.records import Formalisation, record_id
from pythagoras.corpus.store import LOCK, locked
from pythagoras.errors import InputError
from pythagoras.evaluate.journal import read_columns
from pythagoras.evaluate.runs import (
    ATTEMPTS,
    GOALS,
    JUDGEMENTS,
    MANIFEST,
    UNFIT,
    Manifest,
    is_run,
    read_goals,
    read_manifest,
    write_manifest,
    write_records,
)

_WAY_OUT = "choose another folder, or begin anew with --overwrite"


@contextmanager
def opened(
    folder: Path, wanted: Manifest, goals: Sequence[Formalisation], *, overwrite: bool = False
) -> Iterator[Manifest]:
    """The folder for one writer, made ready: what is asked for, joined with what the sessions before left.

    Raises InputError where another process writes, where the folder holds something else, or another run.
    """
    with locked(folder):
        yield _ready(folder, wanted, goals, overwrite)


def _ready(folder: Path, wanted: Manifest, goals: Sequence[Formalisation], overwrite: bool) -> Manifest:
    for name in (ATTEMPTS, JUDGEMENTS):  # a kill may have left it
        shutil.rmtree(_old(folder, name), ignore_errors=True)
    if not is_run(folder):
        strangers = sorted(path.name for path in folder.iterdir() if path.name not in (LOCK, f"{MANIFEST}.staging"))
        if strangers:
            raise InputError(f"{folder} is no run, and not empty ({strangers[0]}): choose another folder")
    elif overwrite:
        _empty(folder)
    else:
        wanted = _joined(folder, read_manifest(folder), wanted, goals)
    if not wanted.label:
        wanted = wanted.model_copy(update={"label": " + ".join(sampler.name for sampler in wanted.samplers)})
    write_manifest(folder, wanted)
    if not (folder / GOALS).exists():
        write_records(folder / GOALS, goals)
    return wanted


def _joined(folder: Path, found: Manifest, wanted: Manifest, goals: Sequence[Formalisation]) -> Manifest:
    """The manifest to go on with. Other goals, judges, samplers or seeds are another run."""
    differing = differences(found.identity(), wanted.identity())
    if differing:
        shown = "; ".join(f"{name} was {old}, is now {new}" for name, old, new in differing[:4])
        more = f"; and {len(differing) - 4} more" if len(differing) > 4 else ""
        raise InputError(f"{folder} holds another run ({shown}{more}): {_WAY_OUT}")
    if (folder / GOALS).exists():
        changed = _changed(read_goals(folder), goals)
        if changed:
            raise InputError(f"{folder} holds a run on other statements ({changed}): {_WAY_OUT}")
    if wanted.n < found.n:
        drawn = 1 + max(read_columns(folder / ATTEMPTS, "attempt", ["number"])["number"], default=-1)
        if wanted.n < drawn:
            raise InputError(
                f"{folder} has {drawn} attempts at a statement already, more than {wanted.n}: "
                "ask for as many or more (pass@N for every smaller N comes from them), or choose another folder"
            )
    return wanted.model_copy(
        update={
            "label": wanted.label or found.label,
            # until a session without it has drawn all that was left out
            "stop_when_solved": wanted.stop_when_solved or found.stop_when_solved,
            "started": found.started or wanted.started,
            "wall_seconds": found.wall_seconds,
        }
    )


def _changed(found: Sequence[Formalisation], wanted: Sequence[Formalisation]) -> str:
    """The first statement that differs, for people; empty when all are the same."""
    if len(found) != len(wanted):
        return f"{len(found)} of them, now {len(wanted)}"
    pairs = zip(found, wanted, strict=True)
    return next((f"{old.name}, now {new.name}" for old, new in pairs if record_id(old) != record_id(new)), "")


def differences(old: Any, new: Any, name: str = "") -> list[tuple[str, str, str]]:
    """Where two JSON values differ: the dotted name, and both values as text."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = [*old, *(key for key in new if key not in old)]
        inner = ((old.get(key), new.get(key), f"{name}.{key}" if name else str(key)) for key in keys)
        return [found for parts in inner for found in differences(*parts)]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [found for at, (one, other) in pairs for found in differences(one, other, f"{name}.{at}")]
    return [] if old == new else [(name, _shown(old), _shown(new))]


def _shown(value: Any) -> str:
    text = "nothing" if value is None or value == "" else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _empty(folder: Path) -> None:
    """Take away a run's records; its manifest stays until the next takes its place, so a kill leaves a run."""
    for name in (ATTEMPTS, JUDGEMENTS):
        if (folder / name).exists():
            os.replace(folder / name, _old(folder, name))  # at once: half a journal would be taken for a whole one
            shutil.rmtree(_old(folder, name))
    for name in (UNFIT, GOALS):
        (folder / name).unlink(missing_ok=True)


def _old(folder: Path, name: str) -> Path:
    return folder / f"{name}.old"
