"""Run a recipe: every stage in its order, each resumable, in one folder; what is done is not done again.

    overview = run(load_experiment("tour"), Path("runs/tour"))

Killed at any moment, the same call goes on. A stage is done when it says so in `overview.json` and what it made is
there; the stage's own folder knows how far it is while it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.alignment import named_apart
from pythagoras.evaluate.benchmarks import open_benchmark
from pythagoras.evaluate.ladder import read_ladder
from pythagoras.evaluate.report.page import write_page
from pythagoras.evaluate.shown import pictures
from pythagoras.evaluate.shown.ladders import ladder_picture
from pythagoras.generate.local import model_folder
from pythagoras.lookup import choose
from pythagoras.pipeline.building import check as check_recipe
from pythagoras.stages import accounts, training
from pythagoras.stages.alf import augment, pairs_of
from pythagoras.stages.building import build
from pythagoras.stages.corpora import found_in_training, split_build
from pythagoras.stages.emitting import emit
from pythagoras.stages.folder import CURVES, LADDER, LADDER_PICTURE, opened, place_of
from pythagoras.stages.ladder import climb, results
from pythagoras.stages.machine import HERE, Machine
from pythagoras.stages.meter import Meter, Use
from pythagoras.stages.overview import Account, Overview, State, write_overview
from pythagoras.stages.planning import Plan
from pythagoras.stages.recipe import TRAINED, Experiment
from pythagoras.stages.settings import StageName
from pythagoras.stages.telling import Silent, Teller, stage_lines, watch_training
from pythagoras.train.curves import draw_curves
from pythagoras.train.run_folder import read_log


@dataclass(frozen=True, slots=True)
class Scene:
    """What a stage is handed."""

    experiment: Experiment
    folder: Path
    machine: Machine
    tell: Teller

    def place(self, stage: StageName) -> Path:
        return place_of(self.folder, stage)

    @property
    def corpus(self) -> Path:
        """The build, or what stands in its place."""
        if "corpus" in self.experiment.stages:
            return self.place("corpus")
        assert self.experiment.start.corpus is not None  # `Experiment.check`
        return self.experiment.start.corpus

    def model(self, stage: StageName) -> Path:
        """What a stage begins with."""
        before = self.experiment.model_before(stage)
        if before is not None:
            return self.place(before)
        assert self.experiment.start.model is not None
        return self.experiment.start.model


def run(
    experiment: Experiment,
    folder: Path,
    *,
    machine: Machine = HERE,
    until: str | None = None,
    overwrite: bool = False,
    plan: Plan | None = None,
    tell: Teller = Silent(),  # noqa: B008 (it holds nothing)
) -> Overview:
    """Run all stages, or those to one of them. Raises InputError where the folder is another recipe's.

    `plan` is what it is expected to need: for stages that have not begun it is kept, beside what they take.
    """
    wanted = stages_until(experiment, until)
    check(experiment, wanted)
    folder = folder.resolve()  # stages note the places of what they read
    with opened(folder, experiment, machine.cores, overwrite=overwrite) as overview:
        if plan is not None:  # only before a stage begins: afterwards it would be no plan
            new = {name: one for name, one in plan.by_stage().items() if overview.state(name) is State.WAITING}
            overview = replace(overview, planned={**overview.planned, **new})
        scene = Scene(experiment, folder, machine, tell)
        for stage in wanted:
            overview = _done(stage, scene, overview)
        write_overview(folder, overview)
    return overview


def check(experiment: Experiment, wanted: Sequence[StageName]) -> None:
    """Raises InputError for names and places that nobody has, before hours are spent on the way to them."""
    experiment.check()
    if "corpus" in wanted:
        check_recipe(experiment.swept)
    start = experiment.start
    if start.corpus is not None and not start.corpus.is_dir():
        raise InputError(f"start.corpus, {start.corpus}, is no folder: name a build, or a folder with its parts")
    if start.model is not None and not (model_folder(start.model) / "config.json").is_file():
        raise InputError(f"start.model, {start.model}, is no model: name a training run, a model's folder, or embedded")
    if "evaluation" in wanted:
        for name in experiment.evaluation.benchmarks:
            open_benchmark(name, limit=1)


def stages_until(experiment: Experiment, until: str | None) -> tuple[StageName, ...]:
    """The stages to one of them, that one included. Raises InputError where the recipe does not have it."""
    if until is None:
        return experiment.stages
    chosen = choose("stage of this recipe", until, {stage: stage for stage in experiment.stages})
    return experiment.stages[: experiment.stages.index(chosen) + 1]


def _done(stage: StageName, scene: Scene, overview: Overview) -> Overview:
    """The overview behind a stage, which is run where it is not done."""
    account = overview.stages.get(stage, Account())
    if account.state is State.DONE and _is_there(stage, scene):
        scene.tell.end(stage, account.use.seconds, before=True)
        return overview
    before = account.use

    def kept(use: Use, state: State = State.BEGUN, **more: object) -> Overview:
        made = overview.with_stage(stage, replace(account, state=state, use=before + use, **more))  # type: ignore[arg-type]
        write_overview(scene.folder, made)
        return made

    overview = kept(Use())
    scene.tell.begin(stage)
    meter = Meter(on_tick=kept)
    try:
        with meter:
            lean_s = _STAGES[stage](scene) or 0.0
    except BaseException:
        kept(meter.use())
        raise
    use = meter.use()
    work = accounts.work_of(stage, scene.experiment, scene.folder)
    lean_s += account.lean_s
    work = replace(work, lean_s=work.lean_s + lean_s)
    size = accounts.bytes_below(scene.place(stage))
    overview = kept(use, State.DONE, work=work, bytes=size, lean_s=lean_s)
    scene.tell.end(stage, (before + use).seconds, before=False)
    return overview


def _is_there(stage: StageName, scene: Scene) -> bool:
    """Whether what a stage made is there: somebody may have taken it away."""
    place = scene.place(stage)
    if stage in (*TRAINED, "diffusion"):
        return (place / "model").is_dir()
    return pairs_of(place).is_dir() if stage == "alf" else place.exists()


# --- the stages -----------------------------------------------------------------------------------


def _corpus(scene: Scene) -> None:
    on_stage, on_progress = stage_lines(scene.tell)
    build(
        scene.experiment.swept, scene.place("corpus"), machine=scene.machine, on_stage=on_stage, on_progress=on_progress
    )


def _emit(scene: Scene) -> None:
    total: int | None = None

    def begin(rows: int | None) -> None:
        nonlocal total
        total = rows

    emit(
        scene.experiment.name,
        scene.experiment.training,
        [scene.corpus],
        scene.place("emit"),
        against=scene.experiment.against,
        overwrite=True,  # it is written at once, so what is there is a part of it
        on_begin=begin,
        on_progress=lambda read, dropped: scene.tell.part("rows", read, total),
    )


def _base(scene: Scene) -> None:
    apart = [scene.corpus] if "corpus" in scene.experiment.stages or scene.experiment.start.corpus else []
    training.base(
        scene.experiment.training,
        scene.place("base"),
        watch_training(scene.tell),
        against=scene.experiment.against,
        apart=apart,
        machine=scene.machine,
    )


def _sft(scene: Scene) -> None:
    training.sft(
        scene.experiment.training,
        [scene.corpus],
        scene.model("sft"),
        scene.place("sft"),
        watch_training(scene.tell),
        machine=scene.machine,
    )


def _rl(scene: Scene) -> None:
    training.rl(
        scene.experiment.training,
        [scene.corpus],
        scene.model("rl"),
        scene.place("rl"),
        watch_training(scene.tell),
        against=scene.experiment.against,
        machine=scene.machine,
    )


def _alf(scene: Scene) -> None:
    proofs = found_in_training(scene.place("rl")) if "rl" in scene.experiment.stages else None
    augment(
        scene.experiment,
        split_build([scene.corpus])[0],
        scene.model("alf"),
        proofs,
        scene.place("alf"),
        scene.machine,
        scene.tell,
    )


def _continued(scene: Scene) -> None:
    training.sft(
        scene.experiment.training,
        [pairs_of(scene.place("alf"))],
        scene.model("continued"),
        scene.place("continued"),
        watch_training(scene.tell),
        validation=split_build([scene.corpus])[1],
        machine=scene.machine,
    )


def _diffusion(scene: Scene) -> float:
    return training.diffusion(
        scene.experiment.training,
        [scene.corpus],
        scene.model("diffusion"),
        scene.place("diffusion"),
        watch_training(scene.tell),
        machine=scene.machine,
    )


def _evaluation(scene: Scene) -> None:
    climb(scene.experiment, scene.folder, scene.machine, scene.tell)


def _report(scene: Scene) -> None:
    experiment = scene.experiment
    scene.tell.part("curves", 0, 2)
    trained = [scene.place(stage) for stage in (*TRAINED, "diffusion") if stage in experiment.stages]
    if drawn := [place for place in trained if read_log(place)]:  # reinforcement learning may have found no step
        draw_curves(drawn, scene.folder / CURVES, title=experiment.name)
    scene.tell.part("page", 1, 2)
    found = results(experiment, scene.folder)
    if not found:
        raise InputError(f"nothing was measured in {scene.folder}: let the stage evaluation run first")
    pictures.save(ladder_picture(read_ladder(scene.folder / LADDER)), scene.folder / LADDER_PICTURE)
    learned = split_build([scene.corpus])[0][0] if "corpus" in experiment.stages else None
    write_page(named_apart(found), scene.place("report"), title=f"The recipe {experiment.name}", corpus=learned)


_STAGES: Mapping[StageName, Callable[[Scene], float | None]] = {
    "corpus": _corpus,
    "emit": _emit,
    "base": _base,
    "sft": _sft,
    "rl": _rl,
    "alf": _alf,
    "continued": _continued,
    "diffusion": _diffusion,
    "evaluation": _evaluation,
    "report": _report,
}
"""What each stage does. It returns the seconds that Lean took where its files do not say it."""
