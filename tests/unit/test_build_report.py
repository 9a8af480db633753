"""What a build says of itself: the paper's figures, the picture, and what another size would take."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pythagoras.config import known_recipes
from pythagoras.corpus.files import read_records
from pythagoras.corpus.reasons import Reason
from pythagoras.engine.inline import InlineEngine
from pythagoras.errors import InputError
from pythagoras.pipeline.building import Built, build
from pythagoras.pipeline.planning import Measured, figures_of, forecast, measured_rates
from pythagoras.pipeline.recipe import Player, Prover, Recipe, Roles, load_recipe
from pythagoras.pipeline.report.figures import PAPER, PAPER_ACTIONABLE, PAPER_ERRORS, PAPER_FAILED, Bar, Figures
from pythagoras.pipeline.report.picture import draw
from pythagoras.pipeline.report.reading import read_figures, rejected, text_of
from pythagoras.pipeline.run_folder import recipe_of
from tests.pipeline_fakes import FakeTools, a_recipe

PAPER_TEX = Path(__file__).parents[3] / "shared" / "paper" / "pythagoras-prover.tex"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("sums")
    return build(a_recipe(folder), folder / "run", InlineEngine(), tools=FakeTools())


@pytest.fixture(scope="module")
def figures(built: Built) -> Figures:
    return read_figures(built.folder)


# --- figures ----------------------------------------------------------------------------------------


def test_all_problems_are_in_the_bars(built: Built, figures: Figures) -> None:
    for bar, asked, proved in (
        (figures.seed_total, "source", "prove-medium"),
        (figures.synthetic_total, "new-easy", "prove-easy"),
    ):
        assert bar.total == built.stages[asked].rows("problem")
        assert bar.accepted == built.stages[proved].rows("instance")
    assert sum(bar.accepted for bar in figures.hard) == built.stages["prove-hard"].rows("instance")
    assert figures.combined.accepted == figures.seed_total.accepted + figures.synthetic_total.accepted


def test_the_synthetic_ones_are_told_apart_by_generator(figures: Figures) -> None:
    assert {bar.name for bar in figures.synthetic} <= {"rubric:large", "rubric:small"}
    assert figures.synthetic


def test_what_was_finished_adds_up(built: Built, figures: Figures) -> None:
    finished = [*read_records(built.train.folder, "instance")]
    told = sum(count for name, count in figures.final.items() if name.startswith("train"))
    assert told == len(finished)


def test_errors_are_of_statements_and_of_proofs(built: Built, figures: Figures) -> None:
    assert figures.errors == {"unsolved goals": 2 + 2 * 4}  # two refused statements; four goals with two attempts
    assert figures.no_class == 0
    timed_out = replace(figures, no_class=7)
    assert timed_out.as_dict()["no_class"] == 7


def test_gains_are_relative() -> None:
    told = Figures(
        "made", (Bar("a", 10, 30),), (Bar("large", 30, 10),), (), {}, (20, 40), (39, 60), 30, 20, {}, ()
    )  # fmt: skip
    assert told.gains == pytest.approx(
        {
            "autoformalisation success": 0.3,
            "verification rate": 2.0,
            "combined verification rate": 1.0,
            "verified instances": 3.0,
        }
    )


def test_where_nothing_was_distilled_nothing_is_gained(figures: Figures) -> None:
    assert replace(figures, synthetic=()).gains == {}


def test_what_a_stage_rejected_is_told_with_reasons_and_texts(built: Built) -> None:
    found = list(rejected(built.folder, "prove-medium"))
    assert len(found) == sum(built.stages["prove-medium"].manifest.funnel[-1].dropped.values()) > 0
    assert {each.reason for each in found} <= {reason.value for reason in Reason}
    assert all(text_of(each) for each in found)
    with pytest.raises(InputError, match="did you mean 'prove-medium'"):
        list(rejected(built.folder, "prove-mediun"))


def test_a_stage_that_rejected_nothing_is_a_stage(built: Built) -> None:
    assert not built.stages["hard-source"].manifest.funnel[-1].dropped
    assert list(rejected(built.folder, "hard-source")) == []


def test_a_folder_without_a_build_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no build: make one with `pythagoras corpus build"):
        read_figures(tmp_path)
    (tmp_path / "stages").mkdir()
    with pytest.raises(InputError, match="not finished"):
        read_figures(tmp_path)


@pytest.mark.skipif(not PAPER_TEX.is_file(), reason="the paper is not here")
def test_the_papers_figures_are_the_papers() -> None:
    text = re.sub(r"[{}$,\\]", "", PAPER_TEX.read_text(encoding="utf-8"))
    for bar in (PAPER["seed"], PAPER["synthetic"]):
        assert f"{bar.accepted}" in text
        assert f"{bar.rejected}" in text
        assert f"{100 * bar.rate:.1f}%" in text
    assert "338683" in text
    assert f"{100 * PAPER['hard'].rate:.2f}%" in text
    assert sum(PAPER_ERRORS.values()) == pytest.approx(1.0)
    assert f"{PAPER_FAILED}" in text
    assert f"{PAPER_ACTIONABLE}" in text
    for share in PAPER_ERRORS.values():
        assert f"{100 * share:.1f}%" in text


def test_the_picture_is_drawn(figures: Figures, tmp_path: Path) -> None:
    draw(figures, tmp_path / "funnel.svg")
    draw(figures, tmp_path / "not" / "there" / "funnel.png")  # folders are made, as by every output of a command
    drawn = (tmp_path / "funnel.svg").read_text(encoding="utf-8")
    assert drawn.count("<g id=") > 50
    draw(replace(figures, no_class=7), tmp_path / "more.svg")
    assert "7 more have none" in (tmp_path / "more.svg").read_text(encoding="utf-8")
    draw(replace(figures, errors={}, hard=()), tmp_path / "nothing.png")
    with pytest.raises(InputError, match="end its name"):
        draw(figures, tmp_path / "funnel.txt")


# --- plans ------------------------------------------------------------------------------------------


def step(figures: Figures, name: str) -> int:
    return next(each.read for each in figures.steps if each.stage == name)


def test_twice_the_problems_need_twice_as_much(built: Built, figures: Figures, tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path)
    problems, hard = step(figures, "source"), step(figures, "hard-source")
    once, twice = forecast(recipe, figures, problems, hard), forecast(recipe, figures, 2 * problems, 2 * hard)
    assert once.instances == pytest.approx(built.train.rows("instance") + built.validation.rows("instance"))
    assert twice.instances == pytest.approx(2 * once.instances)
    for name in ("worker_hours", "lean_hours", "gigabytes"):
        assert twice.total(name) == pytest.approx(2 * once.total(name))
    assert [need.rows for need in once.needs] == pytest.approx([each.read for each in figures.steps])


def test_more_hard_problems_change_hard_stages_alone(figures: Figures, tmp_path: Path) -> None:
    problems, hard = step(figures, "source"), step(figures, "hard-source")
    recipe = a_recipe(tmp_path)
    less, more = (forecast(recipe, figures, problems, count) for count in (hard, 3 * hard))
    rows = {need.stage: (need.rows, other.rows) for need, other in zip(less.needs, more.needs, strict=True)}
    assert rows["prove-medium"][0] == rows["prove-medium"][1]
    assert rows["prove-hard"][1] == pytest.approx(3 * rows["prove-hard"][0])
    assert rows["dedup"][1] > rows["dedup"][0]


def test_tokens_cost_what_the_recipe_says(figures: Figures) -> None:
    priced = Recipe(name="priced", roles=Roles(formalise=Player(price_in=2.0, price_out=10.0)))
    spent = {"formalise_prompt_tokens": 3_000_000.0, "formalise_generated_tokens": 1_000_000.0}
    steps = tuple(replace(each, costs=spent if each.stage == "formalise-medium" else {}) for each in figures.steps)
    found = forecast(priced, replace(figures, steps=steps), 2 * step(figures, "source"), 0)
    assert found.total("money") == pytest.approx(2 * (3 * 2.0 + 10.0))
    assert found.total("prompt_tokens") == pytest.approx(6_000_000)


@pytest.mark.parametrize(("backend", "money"), [("endpoint", 3 * 2.0 + 10.0), ("search", 0.0)])
def test_a_prover_that_is_paid_is_counted(figures: Figures, backend: str, money: float) -> None:
    prover = Prover.model_validate({"backend": backend, "price_in": 2.0, "price_out": 10.0})
    spent = {"prover_prompt_tokens": 3_000_000.0, "prover_generated_tokens": 1_000_000.0}
    steps = tuple(replace(each, costs=spent if each.stage == "prove-medium" else {}) for each in figures.steps)
    found = forecast(Recipe(name="p", prover=prover), replace(figures, steps=steps), step(figures, "source"), 0)
    assert found.total("money") == pytest.approx(money)


def test_at_most_so_many_failures_are_distilled_whatever_the_size(figures: Figures, tmp_path: Path) -> None:
    problems, hard = step(figures, "source"), step(figures, "hard-source")
    bounded = a_recipe(tmp_path, rubric={"most": 8})
    rows = {need.stage: need.rows for need in forecast(bounded, figures, 100 * problems, hard).needs}
    assert rows["examine"] == pytest.approx(100 * step(figures, "examine"))
    assert rows["distil"] == pytest.approx(8 * 4)
    assert rows["prove-easy"] == pytest.approx(8 * 4 / step(figures, "distil") * step(figures, "prove-easy"))


def test_what_one_process_does_is_not_shared(figures: Figures, tmp_path: Path) -> None:
    took = {"prove-medium": {"worker_s": 7200.0}, "dedup": {"worker_s": 3600.0, "alone_s": 3600.0}}
    steps = tuple(replace(each, costs=took.get(each.stage, {})) for each in figures.steps)
    problems, hard = step(figures, "source"), step(figures, "hard-source")
    found = forecast(a_recipe(tmp_path), replace(figures, steps=steps), problems, hard)
    assert found.days(1) == pytest.approx(3 / 24)
    assert found.days(20) == pytest.approx(1.1 / 24)
    costs = {each.stage: each.costs for each in figures.steps}
    assert costs["dedup"]["alone_s"] == costs["dedup"]["wall_s"]
    assert "alone_s" not in costs["prove-medium"]


def test_rates_come_from_a_run_or_with_the_recipe(built: Built, figures: Figures, tmp_path: Path) -> None:
    recipe = recipe_of(built.folder)
    assert measured_rates(recipe, built.folder) == Measured(figures, recipe="sums")
    with pytest.raises(InputError, match=r"no rates are measured.* --set hard_source.count=20 -o trial"):
        measured_rates(recipe, None)
    told = {"recipe": recipe.model_dump(mode="json"), **figures.as_dict()}
    (tmp_path / "sums.json").write_text(json.dumps(told))
    assert measured_rates(recipe, None, tmp_path).figures.failed == figures.failed
    renamed = recipe.model_copy(update={"name": "other"})
    assert measured_rates(renamed, None, tmp_path) == measured_rates(recipe, None, tmp_path)
    with pytest.raises(InputError, match=r"corpus build own\.toml --set a=b --set source\.count=200"):
        measured_rates(load_recipe("paper"), None, tmp_path, called="own.toml --set a=b")


def test_rates_of_another_recipe_are_refused_or_told(built: Built, figures: Figures, tmp_path: Path) -> None:
    recipe = recipe_of(built.folder)
    told = {"recipe": recipe.model_dump(mode="json"), **figures.as_dict()}
    (tmp_path / "sums.json").write_text(json.dumps(told))
    other = recipe.model_copy(update={"prover": recipe.prover.model_copy(update={"checks": 99})})
    for run in (built.folder, None):
        with pytest.raises(
            InputError, match=r"another recipe's \(prover.checks: 24 there, 99 now\): build a small part"
        ):
            measured_rates(other, run, tmp_path)
    priced = recipe.prover.model_copy(update={"price_in": 3.0, "url": "http://elsewhere"})
    nearly = recipe.model_copy(update={"prover": priced, "hard": recipe.hard.model_copy(update={"variants": 2})})
    assert measured_rates(nearly, built.folder).differences == ("hard.variants: 4 there, 2 now",)


def test_figures_come_back_from_their_json(figures: Figures, tmp_path: Path) -> None:
    again = figures_of(json.loads(json.dumps(figures.as_dict())))
    recipe = a_recipe(tmp_path)
    problems, hard = step(figures, "source"), step(figures, "hard-source")
    one, other = (forecast(recipe, each, problems, hard).as_dict() for each in (figures, again))
    assert {name: one[name] for name in ("problems", "instances")} == {
        name: other[name] for name in ("problems", "instances")
    }
    for mine, theirs in zip(one["stages"], other["stages"], strict=True):
        assert mine["rows"] == theirs["rows"]
        assert mine["worker_hours"] == pytest.approx(theirs["worker_hours"], abs=1e-3)


# --- recipes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(known_recipes()))
def test_recipes_that_come_along_are_recipes(name: str) -> None:
    recipe = load_recipe(name)
    assert recipe.name == name
    assert recipe.about


def test_single_values_change(tmp_path: Path) -> None:
    recipe = load_recipe("small", ("source.count=7", "roles.vary.model=a-model", "source.levels=[3]"))
    assert (recipe.source.count, recipe.roles.vary.model, recipe.source.levels) == (7, "a-model", (3,))
    for change, why in (
        ("nothing", "changes nothing"),
        ("source.none=1", "no setting of source is called 'none'"),
        ("name.a=1", "is a value"),
        ("source.count=-1", "source.count"),
    ):
        with pytest.raises(InputError, match=re.escape(why)):
            load_recipe("small", (change,))
    with pytest.raises(InputError, match="did you mean 'small'"):
        load_recipe("smal")
    with pytest.raises(InputError, match=r"called '/tmp': choose one of .*small, .*or name a \.toml file"):
        load_recipe("/tmp")
    with pytest.raises(InputError, match="can't be read"):
        load_recipe(str(tmp_path / "none.toml"))
    (tmp_path / "bad.toml").write_text("= 3", encoding="utf-8")
    with pytest.raises(InputError, match="no TOML"):
        load_recipe(str(tmp_path / "bad.toml"))
