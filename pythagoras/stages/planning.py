"""What a recipe will need on a machine like the one where a run was measured, stage by stage.

A run's overview has for each stage what it took and how large it was. Getting ready takes what it took, the rest grows
with the size: a corpus with its problems (each hard one counts with its variants), training with tokens, reinforcement
learning with rollouts, mutation with statements, evaluation with attempts, rung by rung. Sizes that follow from earlier
stages (instances, pairs) are taken to be the same share of them as they were. More workers share the building of the
corpus alone; all else runs on a machine of as many cores as were measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pythagoras.corpus.files import row_count
from pythagoras.corpus.folders import differing
from pythagoras.errors import InputError
from pythagoras.evaluate.benchmarks import open_benchmark
from pythagoras.pipeline.recipe import Recipe, Source
from pythagoras.stages.overview import OVERVIEW, Account, Overview, State, read_overview
from pythagoras.stages.recipe import RUNG_STAGES, Experiment
from pythagoras.stages.settings import RungName, StageName

MEASURED = Path(__file__).parent / "measured"
"""What comes along: overviews of runs, by the names of their recipes."""
_MODELS: tuple[StageName, ...] = ("base", "sft", "rl", "continued", "diffusion")
"""Stages that leave a model, whose size does not go by how long it was trained."""
_OTHER = ("prover.", "roles.", "rubric.variants", "base.shape.", "base.vocabulary", "start.model", "alf.mutator")
"""What rates are those of: measured with another one of these, they are another recipe's."""
_SIZES = frozenset(
    [
        *("name", "about", "seed", "stages", "source.count", "source.seed", "hard_source.count", "hard_source.seed"),
        *("base.tokens", "base.statements", "sft.tokens", "sft.epochs", "rl.epochs", "rl.steps", "rl.problems"),
        *("rl.rollouts", "diffusion.tokens", "diffusion.epochs", "alf.limit", "alf.sample", "evaluation.n"),
        *("evaluation.limit", "evaluation.benchmarks", "evaluation.rungs", "evaluation.seed", "start.corpus"),
        *("sft.learning_rates", "base.learning_rate", "rl.learning_rate", "diffusion.learning_rate", "rl.warmup"),
    ]
)
"""What a plan counts with, and what changes no rate."""


@dataclass(frozen=True, slots=True)
class Need:
    """What a stage will need."""

    stage: StageName
    unit: str
    size: float
    seconds: float
    """On the clock."""
    cpu_s: float
    lean_s: float
    tokens: float
    memory_mb: float
    bytes: float

    def as_dict(self) -> dict[str, Any]:
        told = asdict(self)
        return {name: round(value, 2) if isinstance(value, float) else value for name, value in told.items()}


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will need."""

    needs: tuple[Need, ...]
    measured: str
    """The recipe whose rates these are."""
    workers: int
    differences: tuple[str, ...] = ()
    """What else was different when they were measured, each with its place in front."""

    def total(self, name: str) -> float:
        return float(sum(getattr(need, name) for need in self.needs))

    @property
    def memory_mb(self) -> float:
        return max((need.memory_mb for need in self.needs), default=0.0)

    def by_stage(self) -> dict[StageName, dict[str, float]]:
        """For the overview of the run."""
        kept = ("seconds", "cpu_s", "lean_s", "tokens", "memory_mb", "bytes", "size")
        return {need.stage: {name: need.as_dict()[name] for name in kept} for need in self.needs}

    def as_dict(self) -> dict[str, Any]:
        summed = {name: round(self.total(name), 2) for name in ("seconds", "cpu_s", "lean_s", "tokens", "bytes")}
        return {
            "measured": self.measured,
            "workers": self.workers,
            "differences": list(self.differences),
            "stages": [need.as_dict() for need in self.needs],
            "total": {**summed, "memory_mb": round(self.memory_mb, 2)},
        }


def plan(experiment: Experiment, measured: Overview, workers: int) -> Plan:
    """What a recipe will need, at the rates of a run. Raises InputError where these are another recipe's."""
    found = [
        each
        for each in differing(measured.experiment.as_dict(), experiment.as_dict())
        if each.partition(":")[0] not in _SIZES and not each.startswith(tuple(f"{name}." for name in _SIZES))
    ]
    whose = measured.experiment.name
    if other := next((each for each in found if each.startswith(_OTHER)), None):
        raise InputError(f"the rates of {whose} are another recipe's ({other}): run a part of it, and plan with --run")
    for stage in experiment.stages:
        if measured.state(stage) is not State.DONE:
            raise InputError(f"no rates of the stage {stage} are measured by {whose}: run it there, and plan again")
    scale = _Scale(experiment, measured, workers)
    return Plan(tuple(scale.needs()), whose, workers, tuple(found))


def measured_run(experiment: Experiment, run: Path | None, folder: Path = MEASURED) -> Overview:
    """A run to take rates from: one of one's own, or the one that comes along. Raises InputError.

    A recipe without one takes that of another recipe whose rates are the same.
    """
    if run is not None:
        return read_overview(run / OVERVIEW)
    own = folder / f"{experiment.name}.json"
    for path in [own] if own.is_file() else sorted(folder.glob("*.json")):
        found = read_overview(path)
        try:
            plan(experiment, found, found.cores)
        except InputError:
            if path == own:
                raise
            continue
        return found
    raise InputError(
        f"no rates are measured for the recipe {experiment.name}: run a small part of it with --set and -o trial, and "
        "plan with --run trial"
    )


class _Scale:
    """How much larger each stage is than the one that was measured."""

    def __init__(self, experiment: Experiment, measured: Overview, workers: int) -> None:
        self._wanted = experiment
        self._was = measured.experiment
        self._accounts = measured.stages
        self._shared = measured.cores / workers
        """What the corpus takes, of what it took by the measured number of workers."""

    def needs(self) -> Iterator[Need]:
        for stage in self._wanted.stages:
            yield self._need(stage, self._accounts[stage], self._factor(stage))

    def _need(self, stage: StageName, account: Account, factor: float) -> Need:
        work, use = account.work, account.use
        assert work is not None  # it is done
        busy = min(work.busy_s, use.seconds)
        grows = busy * factor * (self._shared if stage == "corpus" else 1.0)
        seconds = use.seconds - busy + (self._rung_seconds() if stage == "evaluation" else grows)
        grown = (use.seconds - busy + busy * factor) / use.seconds if use.seconds else 1.0
        return Need(
            stage=stage,
            unit=work.unit,
            size=work.size * factor,
            seconds=seconds,
            cpu_s=use.cpu_s * grown,
            lean_s=work.lean_s * factor,
            tokens=work.tokens * factor,
            memory_mb=use.memory_mb,
            bytes=account.bytes * (1.0 if stage in _MODELS else factor),
        )

    def _factor(self, stage: StageName) -> float:
        """The planned size over the measured one."""
        by_stage: Mapping[StageName, Callable[[], float]] = {
            "corpus": lambda: _over(_rows(self._wanted.corpus), _rows(self._was.corpus)),
            "base": lambda: _over(self._wanted.training.base.tokens, self._was.training.base.tokens),
            "sft": lambda: self._training("sft", self._instances),
            "rl": self._rollouts,
            "alf": self._parents,
            "continued": lambda: self._training("continued", self._parents()),
            "diffusion": lambda: self._training("diffusion", self._instances),
            "evaluation": lambda: _over(sum(self._attempts().values()), sum(self._measured_attempts().values())),
        }
        return by_stage[stage]() if stage in by_stage else 1.0

    @property
    def _instances(self) -> float:
        """How many times the instances there are to learn from."""
        return self._factor("corpus") if "corpus" in self._wanted.stages else 1.0

    def _training(self, stage: StageName, rows: float) -> float:
        made, part = self._made(stage), "diffusion" if stage == "diffusion" else "sft"
        wanted, size = getattr(self._wanted.training, part), self._size(stage)
        tokens = wanted.tokens if wanted.tokens is not None else made["epoch_tokens"] * rows * wanted.epochs
        return _over(tokens, size)

    def _rollouts(self) -> float:
        """By the problems that are drawn: all of them in each epoch, or as many as the steps need."""
        rl, was, made = self._wanted.training.rl, self._was.training.rl, self._made("rl")
        held = _over(_hard(self._wanted.corpus), _hard(self._was.corpus)) if "corpus" in self._wanted.stages else 1.0
        drawn = made["problems"] * held * rl.epochs
        if rl.steps is not None and made["steps"]:
            drawn = min(drawn, made["drawn"] / made["steps"] * rl.steps * rl.problems / was.problems)
        return _over(drawn * rl.rollouts, self._size("rl"))

    def _parents(self) -> float:
        corpus = self._accounts.get("corpus")
        was = self._size("alf")
        there = corpus.work.made["train"] if corpus is not None and corpus.work is not None else was
        return _over(min(there * self._instances, self._wanted.alf.limit or float("inf")), was)

    # --- evaluation ----------------------------------------------------------------------------

    def _measured_attempts(self) -> dict[RungName, float]:
        made = self._made("evaluation")
        return {rung: made[f"{rung} attempts"] for rung in self._was.rungs}

    def _attempts(self) -> dict[RungName, float]:
        """Of each rung; one that was not measured is taken for the mean of the others."""
        was, wanted = self._was.evaluation, self._wanted.evaluation
        problems = _over(_problems(self._wanted), self._made("evaluation")["problems"])
        there = self._measured_attempts()
        mean = sum(there.values()) / (len(there) or 1)
        grown = problems * wanted.n / was.n
        return {
            rung: there.get(rung, mean) * (grown if RUNG_STAGES[rung] is not None else problems)
            for rung in self._wanted.rungs
        }

    def _rung_seconds(self) -> float:
        made, there = self._made("evaluation"), self._measured_attempts()
        each = {rung: made[f"{rung} seconds"] / count for rung, count in there.items() if count}
        mean = sum(each.values()) / (len(each) or 1)
        return sum(each.get(rung, mean) * count for rung, count in self._attempts().items())

    # --- what was measured ---------------------------------------------------------------------

    def _made(self, stage: StageName) -> Mapping[str, float]:
        work = self._accounts[stage].work
        assert work is not None
        return work.made

    def _size(self, stage: StageName) -> float:
        work = self._accounts[stage].work
        assert work is not None
        return work.size


def _over(wanted: float, was: float) -> float:
    return wanted / was if was else 1.0


def _rows(recipe: Recipe) -> float:
    """Problems that a corpus is made of; each hard one counts with its variants."""
    return _count(recipe.source) + _hard(recipe) * (1 + recipe.hard.variants)


def _hard(recipe: Recipe) -> float:
    return _count(recipe.hard_source) if recipe.hard_source is not None else 0


def _count(source: Source) -> float:
    if source.count is not None:
        return source.count
    found = row_count(source.files) if source.files else None
    if found is None:
        raise InputError(f"it is not known how many problems {source.files or 'the source'} has: set source.count")
    return found


def _problems(experiment: Experiment) -> int:
    wanted = experiment.evaluation
    return sum(len(open_benchmark(name, limit=wanted.limit).goals) for name in wanted.benchmarks)
