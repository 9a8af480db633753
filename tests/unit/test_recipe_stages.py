"""A recipe as a whole: its stages, what they begin with and depend on, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pythagoras.config import RUN, TRAINING, known_recipes
from pythagoras.errors import InputError
from pythagoras.pipeline.recipe import Recipe
from pythagoras.stages.recipe import ALL_STAGES, Experiment, load_experiment, read_experiment
from pythagoras.stages.settings import RUNGS
from pythagoras.train.settings import Training

WHOLE = str(Path(__file__).parent / "data" / "whole.toml")

_STAGES_OF = {
    **dict.fromkeys(("4b", "32b"), ("corpus", "emit")),
    **dict.fromkeys(("small", "paper"), ("corpus",)),
}


def changed(*changes: str, recipe: str = WHOLE) -> Experiment:
    return load_experiment(recipe, changes)


def test_every_recipe_that_comes_along_can_be_run() -> None:
    for name in known_recipes():
        found = load_experiment(name)
        found.check()
        assert found.stages == _STAGES_OF.get(name, ALL_STAGES)
    assert not set(RUN) & (set(Recipe.model_fields) | set(Training.model_fields) | set(TRAINING))


def test_a_recipe_survives_its_file() -> None:
    for name in known_recipes():
        found = load_experiment(name)
        again = read_experiment(json.loads(json.dumps(found.as_dict())))
        assert again.as_dict() == found.as_dict()
        assert again.lab == found.lab
        assert [again.settings_of(stage) for stage in found.stages] == [
            found.settings_of(stage) for stage in found.stages
        ]


def test_stages_come_in_their_order_and_begin_with_the_last_model() -> None:
    found = changed('stages=["report", "evaluation", "sft", "corpus", "base"]')
    assert found.stages == ("corpus", "base", "sft", "evaluation", "report")
    assert found.rungs == ("portfolio", "search", "base", "sft")
    whole = changed()
    assert whole.rungs == RUNGS
    begins = {stage: whole.model_before(stage) for stage in whole.stages}
    assert begins["base"] is None
    assert (begins["sft"], begins["rl"], begins["alf"], begins["continued"]) == ("base", "sft", "rl", "rl")
    assert begins["diffusion"] == "continued"
    assert changed('stages=["corpus", "base", "diffusion"]').model_before("diffusion") == "base"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (['stages=["sft"]', "start.model=embedded"], "the stage sft needs a corpus: .* start.corpus$"),
        (['stages=["corpus", "rl"]'], "the stage rl needs a model: .* start.model$"),
        (['stages=["corpus", "base", "continued"]'], "the stage continued needs the stage alf"),
        (['stages=["corpus", "report"]'], "the stage report needs the stage evaluation"),
        (["stages=[]"], None),
        (
            ['stages=["corpus", "base", "evaluation"]', 'evaluation.rungs=["base", "rl"]'],
            "the rung rl is the model of the stage rl, which the recipe whole does not have",
        ),
    ],
)
def test_what_a_stage_needs_must_come_from_somewhere(changes: list[str], why: str | None) -> None:
    found = changed(*changes)
    if why is None:
        assert found.stages == ALL_STAGES
        found.check()
        return
    with pytest.raises(InputError, match=why) as wrong:
        found.check()
    assert "\n" not in str(wrong.value)


def test_what_is_there_takes_the_place_of_stages() -> None:
    found = changed('stages=["sft", "rl"]', "start.corpus=data/embedded", "start.model=embedded")
    found.check()
    assert found.settings_of("sft")["model"] == "embedded"
    assert found.settings_of("sft")["corpus"] == "data/embedded"
    assert found.settings_of("rl")["model"] == "sft"


def test_a_recipe_for_gpus_trains_elsewhere() -> None:
    found = load_experiment("4b", ('stages=["corpus", "sft"]',))
    with pytest.raises(InputError, match="its training is done by other programs, not as the stage sft"):
        found.check()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("alf.limt=3", r"no setting of alf is called 'limt': did you mean 'limit'\?"),
        ("alf.budget=2", r"alf\.budget is 2: give 1 or less$"),
        ("evaluation.n=0", r"evaluation\.n is 0: give 1 or more$"),
        ('evaluation.rungs=["gold"]', r"evaluation\.rungs\.0 is \"gold\": give 'portfolio', 'search', "),
        ('evaluation.rungs=["rl", "rl"]', "evaluation: one of the rungs is named twice"),
        ("evaluation.benchmarks=[]", "evaluation.benchmarks"),
        ('stages=["sfx"]', r"stages\.0 is \"sfx\": give 'corpus', "),
        ("evalution.n=3", r"no section is called 'evalution': did you mean 'evaluation'\?"),
    ],
)
def test_wrong_sections_are_one_line(change: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as wrong:
        changed(change)
    assert "\n" not in str(wrong.value)


def test_what_is_measured_on_is_not_trained_on() -> None:
    found = changed('evaluation.benchmarks=["corebench/valid", "corebench-alf", "mine.jsonl"]', "finish.against=[]")
    assert found.against == ("corebench", "mine.jsonl")
    assert found.swept.finish.against == found.against
    for stage in ("base", "rl", "alf"):
        assert found.settings_of(stage)["against"] == ["corebench", "mine.jsonl"]
    assert found.settings_of("corpus")["finish"]["against"] == ["corebench", "mine.jsonl"]
    unmeasured = changed("finish.against=[]", 'stages=["corpus", "base"]')
    assert unmeasured.against == ()


def test_a_stage_depends_on_its_own_settings_alone() -> None:
    one, other = changed(), changed("rl.steps=9")
    differ = [stage for stage in one.stages if one.settings_of(stage) != other.settings_of(stage)]
    assert differ == ["rl"]
    other = changed("sft.epochs=9", "prover.concurrency=3")
    differ = [stage for stage in one.stages if one.settings_of(stage) != other.settings_of(stage)]
    assert differ == ["sft", "continued"]  # how fast a model may be asked belongs to the machine
    assert all(one.settings_of(stage) != changed("seed=5").settings_of(stage) for stage in one.stages)
