"""Plans of a run: the same again takes the same, and each stage grows with its own size."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pythagoras.errors import InputError
from pythagoras.stages.meter import Use
from pythagoras.stages.overview import Account, Overview, State, Work, write_overview
from pythagoras.stages.planning import Need, measured_run, plan
from pythagoras.stages.recipe import Experiment, load_experiment
from pythagoras.stages.settings import StageName

WHOLE = str(Path(__file__).parent / "data" / "whole.toml")


def changed(*changes: str) -> Experiment:
    return load_experiment(WHOLE, changes)


def work(unit: str, size: float, busy_s: float, **made: float) -> Work:
    return Work(unit, size, busy_s, tokens=5 * size, lean_s=3.0, made=made)


def rungs(experiment: Experiment) -> dict[str, float]:
    attempts = {f"{rung} attempts": 64.0 for rung in experiment.rungs}
    return attempts | {f"{rung} seconds": 8.0 for rung in experiment.rungs} | {"problems": 16.0}


@pytest.fixture
def measured() -> Overview:
    """A run in which every stage took 100 s, 20 of them for getting ready, and 150 of the processors."""
    experiment = changed()
    works: dict[StageName, Work] = {
        "corpus": work("problems", 46, 80, problems=40, hard=6, train=50, held_out=12),
        "base": work("tokens", 300_000, 80, steps=150, epoch_tokens=300_000),
        "sft": work("tokens", 20_000, 80, steps=20, epoch_tokens=5_000),
        "rl": work("rollouts", 64, 80, problems=6, drawn=6, kept=4, proofs=10, steps=2),
        "alf": work("statements", 12, 80, variants=40, pairs=30),
        "continued": work("tokens", 12_000, 80, steps=10, epoch_tokens=3_000),
        "diffusion": work("tokens", 10_000, 80, steps=10, epoch_tokens=5_000),
        "evaluation": work("attempts", 64 * len(experiment.rungs), 64, **rungs(experiment)),
        "report": work("files", 1, 0),
    }
    use = Use(100.0, 150.0, 1024.0)
    return Overview(experiment, 2, {name: Account(State.DONE, use, one, 1_000) for name, one in works.items()})


def needs(experiment: Experiment, measured: Overview, workers: int = 2) -> dict[str, Need]:
    return {need.stage: need for need in plan(experiment, measured, workers).needs}


def test_the_same_again_takes_the_same(measured: Overview) -> None:
    found = plan(changed(), replace(measured, stages={**measured.stages, "rl": _all_drawn(measured)}), 2)
    assert [need.stage for need in found.needs] == list(measured.experiment.stages)
    for need in found.needs:
        assert need.seconds == pytest.approx(100), need.stage
        assert need.cpu_s == pytest.approx(150), need.stage
        assert need.bytes == pytest.approx(1_000), need.stage
    assert found.total("seconds") == pytest.approx(900)
    assert found.differences == ()
    assert found.as_dict()["total"]["memory_mb"] == 1024.0


def _all_drawn(measured: Overview) -> Account:
    account = measured.stages["rl"]
    assert account.work is not None
    return replace(account, work=replace(account.work, size=48.0))


@pytest.mark.parametrize(
    ("change", "grown"),
    [
        ("base.tokens=600000", {"base": 2.0}),
        ("sft.epochs=8", {"sft": 2.0, "continued": 2.0}),
        ("sft.tokens=40000", {"sft": 2.0, "continued": 40 / 12}),
        ("diffusion.tokens=30000", {"diffusion": 3.0}),
        ("alf.limit=24", {"alf": 2.0, "continued": 2.0}),
        ("evaluation.limit=8", {"evaluation": 0.5}),
        ("rl.steps=1", {"rl": 24 / 64}),
    ],
)
def test_a_stage_grows_with_its_size(measured: Overview, change: str, grown: dict[str, float]) -> None:
    before, found = needs(changed(), measured), needs(changed(change), measured)
    for stage, need in found.items():
        factor = grown.get(stage, before[stage].size / (measured.stages[need.stage].work or work("", 1, 1)).size)
        busy = 64 if stage == "evaluation" else 0 if stage == "report" else 80
        assert need.seconds == pytest.approx(100 - busy + busy * factor), stage
        assert need.size == pytest.approx((measured.stages[need.stage].work or work("", 1, 1)).size * factor), stage


def test_hard_problems_count_with_their_variants(measured: Overview) -> None:
    found = needs(changed("source.count=80", "hard_source.count=12"), measured)
    assert found["corpus"].seconds == pytest.approx(20 + 2 * 80)
    assert found["sft"].size == pytest.approx(2 * 20_000)
    assert found["alf"].size == pytest.approx(12)  # the limit stays
    more = needs(changed("hard_source.count=26"), measured)
    assert more["corpus"].size == pytest.approx(46 * (40 + 26 * 3) / (40 + 6 * 3))


def test_attempts_of_models_grow_with_n_and_fixed_ones_do_not(measured: Overview) -> None:
    found = needs(changed("evaluation.n=8"), measured)["evaluation"]
    assert found.seconds == pytest.approx(36 + 6 * 16 + 2 * 8)
    fewer = needs(changed('evaluation.rungs=["rl"]'), measured)["evaluation"]
    assert fewer.seconds == pytest.approx(36 + 8)


def test_workers_share_the_corpus_alone(measured: Overview) -> None:
    found = needs(changed(), measured, workers=8)
    assert found["corpus"].seconds == pytest.approx(20 + 80 / 4)
    assert found["corpus"].cpu_s == pytest.approx(150)
    assert found["base"].seconds == pytest.approx(100)


def test_rates_of_another_recipe_are_refused_or_told(measured: Overview) -> None:
    with pytest.raises(InputError, match=r"another recipe's \(base\.shape\.hidden: 96 there, 256 now\)"):
        plan(changed("base.shape.hidden=256"), measured, 2)
    assert plan(changed("sft.rank=8"), measured, 2).differences == ("sft.rank: 64 there, 8 now",)
    unfinished = replace(measured, stages={**measured.stages, "rl": Account(State.BEGUN)})
    with pytest.raises(InputError, match="no rates of the stage rl are measured by whole"):
        plan(changed(), unfinished, 2)
    assert plan(changed('stages=["corpus", "base"]'), unfinished, 2).total("seconds") == pytest.approx(200)


def test_rates_come_from_a_run_or_along(tmp_path: Path, measured: Overview) -> None:
    write_overview(tmp_path, measured)
    assert measured_run(changed(), tmp_path).as_dict() == measured.as_dict()
    with pytest.raises(InputError, match="is no run"):
        measured_run(changed(), tmp_path / "none")
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    with pytest.raises(InputError, match="no rates are measured for the recipe whole"):
        measured_run(changed(), None, shipped)
    (tmp_path / "overview.json").rename(shipped / "whole.json")
    for own in (changed(), changed("name=other")):
        assert measured_run(own, None, shipped).as_dict() == measured.as_dict()
    with pytest.raises(InputError, match="no rates are measured for the recipe other"):
        measured_run(changed("name=other", "base.shape.hidden=8"), None, shipped)


def test_how_far_the_plan_was_off_is_told(measured: Overview) -> None:
    planned = plan(changed("base.tokens=600000"), measured, 2).by_stage()
    told = replace(measured, planned=planned).as_dict()
    assert told["stages"]["base"]["took_over_planned"] == pytest.approx(100 / 180, abs=1e-3)
    assert told["stages"]["corpus"]["took_over_planned"] == pytest.approx(1.0)
