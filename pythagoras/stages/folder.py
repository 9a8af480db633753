"""The folder of a run: which recipe it belongs to, what each stage left, and that one process works on it at a time.

folder/recipe.json       the recipe with all its defaults; what a finished stage depends on must be the same to go on
folder/versions.json     the programs that worked on it, a line more when one of them changed
folder/overview.json     where each stage is, what it took, and what it was to take
folder/corpus/           a build of `corpus build`
folder/base/ sft/ rl/ continued/ diffusion/    training runs
folder/alf/mutated clean distilled audit/      new statements, those that no benchmark knows, with proofs, audited
folder/evaluation/<rung>/<benchmark>/          runs of `eval run`
folder/report.html  curves.png                 what came of it
folder/emitted/          of a recipe for GPUs: files for other trainers
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pythagoras.corpus.folders import differing, note_versions
from pythagoras.corpus.store import LOCK, locked, write_json
from pythagoras.errors import InputError
from pythagoras.lean.package import LEAN_VERSION
from pythagoras.stages.overview import OVERVIEW, Overview, State, read_overview, write_overview
from pythagoras.stages.recipe import RUNG_STAGES, Experiment
from pythagoras.stages.settings import STAGES, RungName, StageName

RECIPE, VERSIONS, REPORT, CURVES = "recipe.json", "versions.json", "report.html", "curves.png"
LADDER, LADDER_PICTURE = "ladder.json", "ladder.png"
_OLD = ".old"
_LIBRARIES = ("numpy", "pyarrow")
_FOLDERS: dict[StageName, str] = {"emit": "emitted"}
"""Of stages whose folder is not called as they are."""


def place_of(folder: Path, stage: StageName) -> Path:
    """Where a stage works."""
    return folder / _FOLDERS.get(stage, stage) if stage != "report" else folder / REPORT


def rung_place(folder: Path, rung: RungName, benchmark: str) -> Path:
    """Where a rung's attempts at a benchmark are."""
    named = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in benchmark).strip("-.")
    return place_of(folder, "evaluation") / rung / named


def model_of(folder: Path, rung: RungName) -> Path | None:
    """The run of the training whose model a rung measures."""
    stage = RUNG_STAGES[rung]
    return None if stage is None else place_of(folder, stage)


@contextmanager
def opened(folder: Path, experiment: Experiment, cores: int, *, overwrite: bool = False) -> Iterator[Overview]:
    """The folder is this recipe's, and nobody else's, for as long as the block lasts. Raises InputError.

    Stages that are not done may have other settings than they had, as far as their own folders allow it. With
    `overwrite` all that a run left there goes.
    """
    _refuse_others(folder)
    with locked(folder):
        yield _claimed(folder, experiment, cores, overwrite)


def _refuse_others(folder: Path) -> None:
    if (folder / RECIPE).exists() or not folder.is_dir():
        return
    unfinished = (LOCK, f"{RECIPE}.tmp")  # a kill may come before anything is there
    if there := sorted(found.name for found in folder.iterdir() if found.name not in unfinished):
        raise InputError(
            f"{folder} holds something else than a run of a recipe ({there[0]}): choose an empty or a new folder"
        )


def _claimed(folder: Path, experiment: Experiment, cores: int, overwrite: bool) -> Overview:
    if overwrite or (folder / _OLD).is_dir():  # a kill came while it made room
        _empty(folder)
    begun = Overview(experiment, cores, {})
    if (folder / OVERVIEW).is_file():
        there = read_overview(folder / OVERVIEW)
        _insist(folder, there, experiment)
        begun = Overview(experiment, cores, there.stages, there.planned)
    write_json(folder / RECIPE, experiment.as_dict())
    write_overview(folder, begun)
    note_versions(folder / VERSIONS, _LIBRARIES, lean=LEAN_VERSION)
    return begun


def _insist(folder: Path, there: Overview, now: Experiment) -> None:
    """Refuse what would be another run: a stage that is done, with other settings or left out.

    Whether one that was begun may go on, its own folder knows: it refuses others once something is done in it.
    """
    before = there.experiment
    for stage in before.stages:
        if there.state(stage) is not State.DONE:
            continue
        if stage not in now.stages:
            raise InputError(_otherwise(folder, f"stages: {stage} is done there, and is left out now"))
        if different := next(differing(before.settings_of(stage), now.settings_of(stage)), None):
            raise InputError(_otherwise(folder, f"{stage}: {different}"))


def _otherwise(folder: Path, what: str) -> str:
    return (
        f"{folder} was made otherwise ({what}): give it the same, choose another folder with -o, or begin anew with "
        "--overwrite"
    )


def _empty(folder: Path) -> None:
    """Take away what a run made, each thing at once. Its recipe stays until the next takes its place."""
    old = folder / _OLD
    old.mkdir(parents=True, exist_ok=True)
    made = (OVERVIEW, VERSIONS, CURVES, LADDER, LADDER_PICTURE, *(place_of(folder, stage).name for stage in STAGES))
    for name in made:
        if (folder / name).exists():
            (folder / name).rename(old / name)
    shutil.rmtree(old)
