"""Recipes on the command line: read whole, so that what is mistyped anywhere in one is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pythagoras.pipeline.recipe import Recipe
    from pythagoras.stages.recipe import Experiment
    from pythagoras.train.settings import Training

_NAMES = "embedded, tour, small, paper, 4b, 32b"
RecipeOption = Annotated[str, typer.Option("--recipe", help="Where the settings come from: a name, or a TOML file.")]
RecipeName = Annotated[str, typer.Argument(help=f"A recipe by name ({_NAMES}), or a TOML file.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change a value of the recipe: source.count=100, sft.epochs=1. May be repeated."),
]


def load(name: str, changes: list[str] | None) -> Experiment:
    """A recipe as a whole. Raises InputError."""
    from pythagoras.stages.recipe import load_experiment

    return load_experiment(name, tuple(changes or ()))


def read(name: str, changes: list[str] | None) -> tuple[Recipe, Training]:
    """What a recipe says about the corpus, and about training. Raises InputError."""
    found = load(name, changes)
    return found.corpus, found.training
