"""Recipes: reading, taking from others, changing single values."""

from __future__ import annotations

from pathlib import Path

import pytest

from pythagoras.config import TRAINING, known_recipes, read_recipe
from pythagoras.errors import InputError
from pythagoras.pipeline.recipe import Recipe, load_recipe
from pythagoras.train.settings import load_training


def written(folder: Path, name: str, text: str) -> str:
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_recipe_like_another_takes_what_it_does_not_say(tmp_path: Path) -> None:
    under = written(
        tmp_path, "under", 'name = "under"\nseed = 3\n[sft]\nepochs = 5\nrank = 8\n[lean]\nheader = "core"\n'
    )
    over = written(tmp_path, "over", f'like = "{under}"\nname = "over"\n[sft]\nrank = 16\n')
    expected = {"name": "over", "seed": 3, "sft": {"epochs": 5, "rank": 16}, "lean": {"header": "core"}}
    assert read_recipe(over) == expected
    assert read_recipe(over, ["sft.epochs=1", "rl.steps=4", "name=plain text"]) == {
        **expected,
        "name": "plain text",
        "sft": {"epochs": 1, "rank": 16},
        "rl": {"steps": 4},
    }
    assert load_training(over).sft.rank == 16
    assert load_recipe(over).lean.header == "core"


def test_a_circle_is_told(tmp_path: Path) -> None:
    one = tmp_path / "one.toml"
    two = written(tmp_path, "two", f'like = "{one}"\n')
    one.write_text(f'like = "{two}"\n', encoding="utf-8")
    with pytest.raises(InputError, match="is like itself"):
        read_recipe(two)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("sft.epochs", "changes nothing"),
        ("=3", "changes nothing"),
        ("seed.more=3", "seed is a value"),
        ("sft.epochs=0", "wrong at sft.epochs"),
        ("sft.nothing=1", "wrong at sft.nothing"),
        ("sft.learning_rates.huge=1", "wrong at sft.learning_rates"),
    ],
)
def test_wrong_changes_are_one_line(change: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        load_training("embedded", (change,))


def test_every_recipe_that_comes_along_is_read_whole() -> None:
    """What is no section of training is the corpus's, and that one is strict."""
    for name in known_recipes():
        load_training(name)
        assert load_recipe(name).name == name
    assert not set(TRAINING) & set(Recipe.model_fields)
