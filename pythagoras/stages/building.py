"""The seed corpus of a recipe, with the benchmarks that it must not contain: `pipeline` can't reach ours."""

from __future__ import annotations

from pathlib import Path

from pythagoras.engine.engines import open_engine
from pythagoras.pipeline.building import Built, check
from pythagoras.pipeline.building import build as build_corpus
from pythagoras.pipeline.recipe import Recipe
from pythagoras.pipeline.stage_runner import OnProgress, OnStage
from pythagoras.stages.benchmarks import items_of
from pythagoras.stages.machine import HERE, Machine


def build(
    recipe: Recipe,
    folder: Path,
    *,
    machine: Machine = HERE,
    cache: Path | None = None,
    overwrite: bool = False,
    on_stage: OnStage,
    on_progress: OnProgress,
) -> Built:
    """Build it, or go on with it. `cache` is where models' answers are kept; None: in the build's folder."""
    check(recipe)  # before benchmarks are read, which may lie far away
    items = items_of(recipe.finish.against)
    with open_engine(machine.engine, machine.workers, machine.address) as engine:
        return build_corpus(
            recipe,
            folder,
            engine,
            benchmarks=items,
            cache=cache or folder / "cache",
            overwrite=overwrite,
            on_stage=on_stage,
            on_progress=on_progress,
        )
