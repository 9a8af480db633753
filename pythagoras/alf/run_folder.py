"""The folder of a mutation or a self-distillation: what it was begun with, and that one process works on it at a time.

folder/alf.json         what is made, with its settings and its inputs with their fingerprints; another one is refused
folder/versions.json    the programs that worked on it, a line more when one of them changed
folder/stages/ costs/   a store for each stage, and what its pieces took (`pythagoras.pipeline.stage_runner`)
folder/variants/        of a mutation: the new statements
folder/corpus/          of a self-distillation: what is trained on
folder/report.json      what came of it
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pythagoras.corpus.folders import differing, note_versions
from pythagoras.corpus.store import LOCK, locked, write_json
from pythagoras.errors import InputError
from pythagoras.lean.package import LEAN_VERSION
from pythagoras.pipeline.run_folder import LIBRARIES, VERSIONS
from pythagoras.pipeline.stage_runner import COSTS, STAGES

RUN, VARIANTS, CORPUS, REPORT = "alf.json", "variants", "corpus", "report.json"
_MADE = (REPORT, CORPUS, VARIANTS, STAGES, COSTS, VERSIONS)


@contextmanager
def opened(
    folder: Path, kind: str, settings: Mapping[str, Any], inputs: Mapping[str, str], *, overwrite: bool = False
) -> Iterator[None]:
    """The folder is this work's, and nobody else's, for as long as the block lasts. Raises InputError.

    `inputs` are paths with their fingerprints. They are looked at before anything is written.
    """
    for path in map(Path, inputs):
        _demand(path, folder)
    wanted = json.loads(json.dumps({"kind": kind, "settings": dict(settings), "inputs": dict(inputs)}))
    with locked(folder):
        _claim(folder, wanted, overwrite)
        yield


def inside(path: Path, name: str) -> Path:
    """What a folder of this package has under that name; any other path as it is."""
    return path / name if (path / RUN).is_file() and (path / name).is_dir() else path


def _demand(path: Path, folder: Path) -> None:
    """Raises InputError for an input that is not there, or that would go when the folder is begun anew."""
    if not path.exists():
        raise InputError(f"{path} does not exist: name a corpus that is there")
    if path.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{path} lies in the folder that would be written, {folder}: choose another folder")


def _claim(folder: Path, wanted: dict[str, Any], overwrite: bool) -> None:
    path = folder / RUN
    if not path.exists():
        unfinished = (LOCK, f"{RUN}.tmp")  # a kill may come before anything is there
        if there := sorted(found.name for found in folder.iterdir() if found.name not in unfinished):
            raise InputError(f"{folder} holds something else ({there[0]}): choose an empty or a new folder")
    elif overwrite:
        for name in _MADE:
            place = folder / name
            place.unlink(missing_ok=True) if place.is_file() else shutil.rmtree(place, ignore_errors=True)
    elif different := next(differing(_begun_with(path), wanted), None):
        raise InputError(
            f"{folder} was begun with other settings ({different}): choose another folder, or pass --overwrite"
        )
    write_json(path, wanted)
    note_versions(folder / VERSIONS, LIBRARIES, lean=LEAN_VERSION)


def _begun_with(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"{path} is damaged: put it back, or choose another folder")
    return found
