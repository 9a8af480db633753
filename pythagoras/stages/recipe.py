"""A recipe as a whole: the corpus, the trainings, mutation, evaluation, and which of these stages it has.

    experiment = load_experiment("tour", ("source.count=20",))
    experiment.stages                     the stages in their order
    experiment.settings_of("sft")         all that a stage depends on, beside what the stages before it made

A stage begins with the model of the last stage before it that has one. What is measured on is not trained on: each
benchmark of `[evaluation]` joins those that the corpus, the base model, RL's problems and the variants are swept
against.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pythagoras.config import RUN, parsed, read_recipe
from pythagoras.errors import InputError
from pythagoras.evaluate.corebench import mutated
from pythagoras.pipeline.recipe import Recipe, load_recipe
from pythagoras.pipeline.run_folder import settings as corpus_settings
from pythagoras.stages.benchmarks import OURS
from pythagoras.stages.settings import RUNGS, STAGES, Alf, Evaluation, Run, RungName, StageName, Start
from pythagoras.train.settings import Training, load_training

TRAINED: tuple[StageName, ...] = ("base", "sft", "rl", "continued")
"""Stages whose models later ones begin with."""
RUNG_STAGES: Mapping[RungName, StageName | None] = {
    "portfolio": None,
    "search": None,
    "base": "base",
    "sft": "sft",
    "rl": "rl",
    "alf": "continued",
    "diffusion": "diffusion",
    "diffusion+infill": "diffusion",
}
"""Whose model each rung measures; None: no model."""
LAB_STAGES: tuple[StageName, ...] = ("corpus", "emit")
ALL_STAGES: tuple[StageName, ...] = tuple(stage for stage in STAGES if stage != "emit")
_CORPUS_USERS: tuple[StageName, ...] = ("emit", "sft", "rl", "alf", "diffusion")
_MODEL_USERS: tuple[StageName, ...] = ("sft", "rl", "alf", "continued", "diffusion")


@dataclass(frozen=True)
class Experiment:
    """All that a run depends on."""

    corpus: Recipe
    training: Training
    run: Run = field(default_factory=Run)
    lab: bool = False
    """Whether training is done by others' programs, on GPUs."""

    @property
    def name(self) -> str:
        return self.corpus.name

    @property
    def start(self) -> Start:
        return self.run.start

    @property
    def alf(self) -> Alf:
        return self.run.alf

    @property
    def evaluation(self) -> Evaluation:
        return self.run.evaluation

    @cached_property
    def stages(self) -> tuple[StageName, ...]:
        """In their order. Where nobody says which: all; of a recipe for GPUs, what can be done without one."""
        wanted = self.run.stages or (LAB_STAGES if self.lab else ALL_STAGES)
        return tuple(stage for stage in STAGES if stage in wanted)

    @cached_property
    def rungs(self) -> tuple[RungName, ...]:
        """Those that are measured, in their order."""
        wanted = self.evaluation.rungs
        there = tuple(rung for rung in RUNGS if RUNG_STAGES[rung] in (None, *self.stages))
        return there if wanted is None else tuple(rung for rung in there if rung in wanted)

    @cached_property
    def against(self) -> tuple[str, ...]:
        """Benchmarks that are not trained on: those of the corpus, and what is measured on."""
        measured = self.evaluation.benchmarks if "evaluation" in self.stages else ()
        named = (OURS if name.partition("/")[0] in (OURS, mutated.NAME) else name for name in measured)
        return tuple(dict.fromkeys((*self.corpus.finish.against, *named)))

    @cached_property
    def swept(self) -> Recipe:
        """The corpus's part, swept against all of these."""
        finish = self.corpus.finish.model_copy(update={"against": self.against})
        return self.corpus.model_copy(update={"finish": finish})

    def model_before(self, stage: StageName) -> StageName | None:
        """Whose model a stage begins with; None: that of `start`."""
        before = [one for one in TRAINED if one in self.stages and STAGES.index(one) < STAGES.index(stage)]
        return before[-1] if before else None

    def settings_of(self, stage: StageName) -> dict[str, Any]:
        """What a stage depends on, as it stands in files."""
        parts: dict[StageName, Any] = {
            "corpus": corpus_settings(self.swept),
            "base": {"base": self.training.base, "against": self.against},
            "sft": {"sft": self.training.sft},
            "rl": {"rl": self.training.rl, "against": self.against},
            "alf": {"alf": self.alf, "against": self.against},
            "continued": {"sft": self.training.sft},
            "diffusion": {"diffusion": self.training.diffusion},
            "evaluation": {"evaluation": self.evaluation, "rungs": self.rungs},
            "report": {},
            "emit": {name: getattr(self.training, name) for name in ("sft", "rl", "lab")},
        }
        begins: dict[str, Any] = {"seed": self.training.seed}
        if stage in _MODEL_USERS:
            begins["model"] = self.model_before(stage) or str(self.start.model)
        if stage in _CORPUS_USERS and "corpus" not in self.stages:
            begins["corpus"] = str(self.start.corpus)
        return {name: _plain(value) for name, value in (begins | parts[stage]).items()}

    def as_dict(self) -> dict[str, Any]:
        """The whole recipe with all its defaults."""
        return {
            **self.corpus.model_dump(mode="json"),
            **self.training.model_dump(mode="json", exclude=None if self.lab else {"lab"}),
            **self.run.model_dump(mode="json"),
            "stages": list(self.stages),
        }

    def check(self) -> None:
        """Raises InputError where a stage needs what nobody makes."""
        if not self.stages:
            raise InputError(f"the recipe {self.name} has no stages: name some of {', '.join(STAGES)}")
        if self.lab and (wrong := [stage for stage in self.stages if stage not in LAB_STAGES]):
            raise InputError(
                f"the recipe {self.name} is for GPUs, and its training is done by other programs, not as the stage "
                f"{wrong[0]}: leave that out, and run the files that the stage emit writes"
            )
        for stage in self.stages:
            if stage in _CORPUS_USERS and "corpus" not in self.stages and self.start.corpus is None:
                raise InputError(f"the stage {stage} needs a corpus: add the stage corpus, or set start.corpus")
            if stage in _MODEL_USERS and self.model_before(stage) is None and self.start.model is None:
                raise InputError(f"the stage {stage} needs a model: add the stage base, or set start.model")
        for stage, needed in (("continued", "alf"), ("report", "evaluation")):
            if stage in self.stages and needed not in self.stages:
                raise InputError(f"the stage {stage} needs the stage {needed}: add it, or leave {stage} out")
        lacking = [rung for rung in self.evaluation.rungs or () if rung not in self.rungs]
        if "evaluation" in self.stages and lacking:
            raise InputError(
                f"the rung {lacking[0]} is the model of the stage {RUNG_STAGES[lacking[0]]}, which the recipe "
                f"{self.name} does not have: add the stage, or leave the rung out"
            )


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    return list(value) if isinstance(value, tuple) else value


def load_experiment(recipe: str, changes: tuple[str, ...] = ()) -> Experiment:
    """A recipe by its name or file, whole, so that what is mistyped anywhere in it is told. Raises InputError."""
    table = read_recipe(recipe, changes)
    run = parsed(Run, {name: table[name] for name in RUN if name in table}, recipe)
    return Experiment(load_recipe(recipe, changes), load_training(recipe, changes), run, lab="lab" in table)


def read_experiment(told: Mapping[str, Any]) -> Experiment:
    """The other way round from `as_dict`. Raises ValueError where it is none."""
    run = Run.model_validate({name: told[name] for name in RUN if name in told})
    training = {name: told[name] for name in ("seed", *Training.model_fields) if name in told}
    corpus = {name: told[name] for name in Recipe.model_fields if name in told}
    return Experiment(Recipe.model_validate(corpus), Training.model_validate(training), run, lab="lab" in told)
