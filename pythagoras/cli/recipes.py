"""Recipes on the command line: read whole, so that what is mistyped anywhere in one is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pythagoras.pipeline.recipe import Recipe
    from pythagoras.train.settings import Training

RecipeOption = Annotated[str, typer.Option("--recipe", help="Where the settings come from: a name, or a TOML file.")]
RecipeName = Annotated[str, typer.Argument(help="A recipe by name (embedded, small, paper, 4b, 32b), or a TOML file.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change a value of the recipe: source.count=100, sft.epochs=1. May be repeated."),
]


def read(name: str, changes: list[str] | None) -> tuple[Recipe, Training]:
    """What a recipe says about the corpus, and about training. Raises InputError."""
    from pythagoras.pipeline.recipe import load_recipe
    from pythagoras.train.settings import load_training

    asked = tuple(changes or ())
    return load_recipe(name, asked), load_training(name, asked)
