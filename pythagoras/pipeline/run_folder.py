"""The folder of a build: which recipe it belongs to, who worked on it, and that one process does at a time.

folder/recipe.json      the recipe with all its defaults, the seed among them; another one is refused, once a piece of
                        work is done
folder/versions.json    the programs that worked on it, a line more when one of them changed
folder/stages/  costs/  corpus/  held_out/  funnel.json  funnel.png    see `stage_runner` and `building`
folder/cache/           models' answers, unless they are kept elsewhere
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from pythagoras.corpus.digest import file_sha256
from pythagoras.corpus.folders import differing, note_versions
from pythagoras.corpus.store import LOCK, locked, write_json
from pythagoras.errors import InputError
from pythagoras.lean.package import LEAN_VERSION
from pythagoras.pipeline.recipe import Player, Prover, Recipe
from pythagoras.pipeline.stage_runner import COSTS, STAGES

RECIPE, VERSIONS = "recipe.json", "versions.json"
CORPUS, HELD_OUT, FUNNEL, PICTURE = "corpus", "held_out", "funnel.json", "funnel.png"
_MADE = (FUNNEL, PICTURE, CORPUS, HELD_OUT, STAGES, COSTS, VERSIONS)
LIBRARIES = ("numpy", "pyarrow")
"""Whose versions are noted."""
_OLD = ".old"
_OF_A_MODEL = frozenset(
    [
        *("url", "api_key_env", "concurrency", "requests_per_minute", "tokens_per_minute", "timeout_s"),
        *("price_in", "price_out", "recording"),
    ]
)
"""What may change between two runs of one recipe, in `roles.*` and `prover`: where a model is, how fast it may be
asked, what it costs, where its recorded traffic lies. What a replay answers is an input of its stages (`recordings`).
"""
_OF_A_RECIPE = frozenset({"about"})


@contextmanager
def opened(folder: Path, recipe: Recipe, *, overwrite: bool = False) -> Iterator[None]:
    """The folder is this recipe's, and nobody else's, for as long as the block lasts. Raises InputError.

    With `overwrite`, what another build left in it is taken away first, but for models' answers: they were paid for.
    """
    with locked(folder):
        _claim(folder, recipe, overwrite)
        yield


def settings(part: Any) -> Any:
    """A part of a recipe as it stands in files: without what belongs to the machine."""
    if not isinstance(part, BaseModel):
        return part
    machine = _OF_A_MODEL if isinstance(part, Player | Prover) else _OF_A_RECIPE if isinstance(part, Recipe) else ()
    dumped = part.model_dump(mode="json")
    inner = {name: getattr(part, name) for name in dumped}
    return {
        name: settings(inner[name]) if isinstance(inner[name], BaseModel) else value
        for name, value in dumped.items()
        if name not in machine
    }


def recordings(**models: Player | Prover) -> dict[str, str]:
    """What those that are replays answer from, each with a hash of the file. Raises InputError where there is none."""
    found = {}
    for part, model in models.items():
        if model.backend != "replay" or model.recording is None:
            continue
        try:
            found[f"recording of {part}"] = file_sha256(model.recording)[:16]
        except OSError as error:
            raise InputError(
                f"the recording of {part}, {model.recording}, can't be read ({error.strerror}): name one that was made"
            ) from None
    return found


def _claim(folder: Path, recipe: Recipe, overwrite: bool) -> None:
    path = folder / RECIPE
    if not path.exists():
        unfinished = (LOCK, f"{RECIPE}.tmp")  # a kill may come before anything is there
        if there := sorted(found.name for found in folder.iterdir() if found.name not in unfinished):
            raise InputError(
                f"{folder} holds something else than a build ({there[0]}): choose an empty or a new folder"
            )
        write_json(path, recipe.model_dump(mode="json"))
    begun_with = recipe_of(folder)
    if overwrite or (folder / _OLD).exists():  # a kill came while a build made room: half of it would be counted twice
        _empty(folder)
    if overwrite:
        write_json(path, recipe.model_dump(mode="json"))
    elif different := next(differences(begun_with, recipe), None):
        if any(folder.glob(f"{STAGES}/*/done/*.json")):
            raise InputError(
                f"{folder} was begun with another recipe ({different}): choose another folder, or pass --overwrite"
            )
        for begun in (STAGES, COSTS):  # nothing in there is done, and the new recipe may have other stages
            shutil.rmtree(folder / begun, ignore_errors=True)
        write_json(path, recipe.model_dump(mode="json"))
    note_versions(folder / VERSIONS, LIBRARIES, lean=LEAN_VERSION)


def _empty(folder: Path) -> None:
    """Take away what a build made. Its recipe stays until the next takes its place, so a kill leaves a build.

    What is on its way out lies in a folder of its own, by which the next run sees that it is to go on with that.
    """
    old = folder / _OLD
    old.mkdir(exist_ok=True)
    for name in _MADE:
        if (folder / name).exists():
            (folder / name).rename(old / name)  # at once: half a store would be taken for a damaged one
    shutil.rmtree(old)


def recipe_of(folder: Path) -> Recipe:
    """The recipe that a folder was begun with. Raises InputError."""
    path = folder / RECIPE
    try:
        return Recipe.model_validate_json(path.read_bytes())
    except (OSError, ValueError):
        raise InputError(f"{path} is no recipe of this program: put it back, or choose another folder") from None


def differences(there: Recipe, now: Recipe) -> Iterator[str]:
    """What makes two recipes different ones, each with its place in front."""
    return differing(settings(there), settings(now))
