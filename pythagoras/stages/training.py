"""The four trainings, from corpora and a model to a finished run's folder: what each reads, and what it depends on.

A folder that was begun with other settings or inputs is refused; a run that was killed goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from pythagoras.generate.local import model_folder
from pythagoras.lean.backends import default_header, kind_of, open_checker
from pythagoras.llm.weights import fingerprint_of
from pythagoras.pipeline.tools import Metered
from pythagoras.stages.benchmarks import known_benchmarks
from pythagoras.stages.corpora import fingerprints, held_out_of, keys_of, not_learned, records, split_build
from pythagoras.stages.machine import HERE, Machine
from pythagoras.train.accounts import Account
from pythagoras.train.base import train_base
from pythagoras.train.diffusion.training import train_diffusion
from pythagoras.train.rl.loop import train_rl
from pythagoras.train.rl.problems import read_goals
from pythagoras.train.run_folder import OnStep, TrainingRun, opened
from pythagoras.train.settings import Training
from pythagoras.train.sft import train_sft
from pythagoras.train.threads import prepare

Watch = Callable[[TrainingRun], AbstractContextManager[OnStep]]
"""Who is told the steps of a run, from when its folder is open."""


def base(
    settings: Training,
    folder: Path,
    watch: Watch,
    *,
    against: Sequence[str] = (),
    apart: Sequence[Path] = (),
    machine: Machine = HERE,
    overwrite: bool = False,
) -> None:
    """A base model. `apart` are corpora whose statements it must not read; of a build, what is not learned from."""
    items, benchmarks = known_benchmarks(against)
    held = [place for path in apart for place in not_learned(path)]
    inputs = {"benchmarks": benchmarks, "apart": fingerprints(held), "threads": prepare(machine.threads)}
    with (
        opened(folder, "base", settings.base, inputs, seed=settings.seed, overwrite=overwrite) as run,
        watch(run) as tell,
    ):
        train_base(settings, run, tell, benchmarks=items, apart=keys_of(held))


def sft(
    settings: Training,
    corpora: Sequence[Path],
    model: Path,
    folder: Path,
    watch: Watch,
    *,
    validation: Sequence[Path] | None = None,
    keep_stages: bool = False,
    machine: Machine = HERE,
    overwrite: bool = False,
) -> None:
    """Fine-tuning on corpora. `validation` is what to check on in the place of builds' own."""
    start = model_folder(model)
    learned, checked = split_build(corpora)
    checked = list(validation) if validation is not None else checked
    inputs = {
        "model": fingerprint_of(start),
        "corpora": fingerprints(learned),
        "validation": fingerprints(checked),
        "threads": prepare(machine.threads),
    }
    with (
        opened(folder, "sft", settings.sft, inputs, seed=settings.seed, overwrite=overwrite) as run,
        watch(run) as tell,
    ):
        train_sft(settings, records(learned), start, run, tell, validation=records(checked), keep_stages=keep_stages)


def rl(
    settings: Training,
    problems: Sequence[str | Path],
    model: Path,
    folder: Path,
    watch: Watch,
    *,
    mapping: str | None = None,
    against: Sequence[str] = (),
    machine: Machine = HERE,
    overwrite: bool = False,
) -> None:
    """Reinforcement learning on what builds hold out, on corpora, or on published sets read by a mapping."""
    start = model_folder(model)
    sources = [str(place) for source in problems for place in (held_out_of(Path(source)) or (source,))]
    items, benchmarks = known_benchmarks(against)
    inputs = {
        "model": fingerprint_of(start),
        "problems": fingerprints(sources),
        "mapping": mapping,
        "benchmarks": benchmarks,
        "backend": kind_of(machine.backend),
        "threads": prepare(machine.threads),
    }
    account = Account()
    goals = (goal for source in sources for goal in read_goals(source, account, mapping=mapping))
    with opened(folder, "rl", settings.rl, inputs, seed=settings.seed, overwrite=overwrite) as run:
        if run.finished:
            return
        header = default_header(machine.backend)
        with open_checker(machine.backend, jobs=machine.jobs, header=header) as checker, watch(run) as tell:
            train_rl(settings, goals, start, checker, run, tell, account=account, benchmarks=items)


def diffusion(
    settings: Training,
    corpora: Sequence[Path],
    model: Path,
    folder: Path,
    watch: Watch,
    *,
    machine: Machine = HERE,
    overwrite: bool = False,
) -> float:
    """Block diffusion on corpora with proofs. Returns the seconds that one waited for Lean, which parses them."""
    start = model_folder(model)
    learned, _ = split_build(corpora)
    inputs = {
        "model": fingerprint_of(start),
        "corpora": fingerprints(learned),
        "backend": kind_of(machine.backend),
        "threads": prepare(machine.threads),
    }
    with opened(folder, "diffusion", settings.diffusion, inputs, seed=settings.seed, overwrite=overwrite) as run:
        if run.finished:
            return 0.0
        header = default_header(machine.backend)
        with open_checker(machine.backend, jobs=machine.jobs, header=header) as checker, watch(run) as tell:
            metered = Metered(checker)
            train_diffusion(settings, records(learned), start, metered, run, tell, header=header)
    return metered.taken().get("lean_s", 0.0)
