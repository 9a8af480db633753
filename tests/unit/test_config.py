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
        ("sft.epochs=0", r"wrong: sft\.epochs is 0: give 1 or more$"),
        ("sft.epochs=1.5", r"sft\.epochs is 1\.5: give a whole number$"),
        ("sft.packed=maybe", r'sft\.packed is "maybe": give true or false$'),
        ("sft.method=lara", r"sft\.method is \"lara\": give 'lora' or 'full'$"),
        ("rl.clip_low=1", r"rl\.clip_low is 1: give less than 1$"),
        ("rl.most=9", r"wrong: rl: with 8 rollouts, 1 to 9 successes"),
        ("sft=3", r"sft is 3: give a section with settings of its own$"),
        ("sft.epoch=1", r"no setting of sft is called 'epoch': did you mean 'epochs'\? choose one of alpha, "),
        ("sft.learning_rates.huge=1", r"sft\.learning_rates\.huge is \"huge\": give 'easy', 'medium', "),
        ("hard_source.cuont=1", r"no setting of hard_source is called 'cuont': did you mean 'count'\?"),
        ("sorce.count=1", r"no section is called 'sorce': did you mean 'source'\? .*, source, stages, start$"),
        ("source.files=3", r"source\.files is 3: give a list"),
        ("prover.api_key_env=a b", r"api_key_env does not match "),
    ],
)
def test_wrong_changes_are_one_line(change: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as wrong:
        (load_training("embedded", (change,)), load_recipe("embedded", (change,)))
    assert "\n" not in str(wrong.value)


def test_every_recipe_that_comes_along_is_read_whole() -> None:
    """What is no section of training is the corpus's, and that one is strict."""
    for name in known_recipes():
        load_training(name)
        assert load_recipe(name).name == name
    assert not set(TRAINING) & set(Recipe.model_fields)
