"""`pythagoras run`: every stage of a recipe in order; with `--emit`, one of lab size as files for other trainers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pythagoras.cli.console import Json, batch_progress, err, out, print_json, wide
from pythagoras.cli.corpus_run import Overwrite
from pythagoras.cli.lean import Jobs
from pythagoras.cli.recipes import Changes, RecipeName, load
from pythagoras.cli.train import Against, Threads
from pythagoras.errors import InputError

if TYPE_CHECKING:
    from pythagoras.stages.machine import Machine
    from pythagoras.stages.overview import Overview
    from pythagoras.stages.planning import Plan
    from pythagoras.stages.recipe import Experiment
    from pythagoras.stages.settings import StageName

HeldOut = Annotated[
    list[Path] | None,
    typer.Option(help="Statements for reinforcement learning. Default: what a build holds out, else none."),
]


def run(
    recipe: RecipeName,
    folder: Annotated[
        Path | None, typer.Option("--out", "-o", help="The run's folder. Again: it goes on. Default: runs/NAME.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="The last stage to run.")] = None,
    changes: Changes = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Who build the corpus. Default: one a core, as memory allows.")
    ] = None,
    jobs: Jobs = None,
    threads: Threads = None,
    emit: Annotated[
        Path | None,
        typer.Option(help="Run nothing, and write the training as files for other programs into this folder."),
    ] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option(help="What --emit writes for SFT: a build of `corpus build`, or corpora with proofs."),
    ] = None,
    held_out: HeldOut = None,
    against: Against = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Run a recipe: corpus, base, sft, rl, alf, continued, diffusion, evaluation, report, in one folder.

    Killed at any moment, the same command goes on, and what is done is not done again. Other settings in the same
    folder are refused. `pythagoras plan RECIPE` tells before what it needs, and the table at the end how far that was
    off. A recipe with a section [lab] trains on GPUs with other programs: of it the corpus is built, and the files for
    LLaMA-Factory, verl and TRL are written. --emit writes these alone, for a --corpus that is there.
    """
    found = load(recipe, changes)
    if emit is not None:
        if corpus is None:
            raise InputError("--emit writes what is learned from, too: name a corpus with --corpus")
        if (folder, until) != (None, None):
            raise InputError("with --emit nothing is run: leave out --out and --until")
        _emit(found, recipe, emit, corpus, held_out, against, overwrite=overwrite, json=json)
        return
    if (corpus, held_out, against) != (None, None, None):
        raise InputError("--corpus, --held-out and --against go with --emit: set start.corpus in the recipe instead")
    from pythagoras.stages.machine import Machine

    machine = Machine(threads, found.corpus.lean.backend, jobs, workers=workers)
    _run(found, folder or Path("runs") / found.name, machine, until, overwrite=overwrite, json=json)


def _run(
    experiment: Experiment, folder: Path, machine: Machine, until: str | None, *, overwrite: bool, json: bool
) -> None:
    from pythagoras.cli.overview import run_lines
    from pythagoras.stages.running import run as run_stages
    from pythagoras.stages.running import stages_until

    experiment.check()
    if experiment.lab:
        err.print(
            f"The recipe {experiment.name} trains on GPUs, which is done by other programs: its corpus is built here, "
            "and the files for them are written",
            markup=False,
        )
    stages = stages_until(experiment, until)
    plan = _planned(experiment, machine)
    expected: dict[str, float] = {need.stage: need.seconds for need in plan.needs} if plan is not None else {}
    with run_lines(stages, expected) as tell:
        done = run_stages(experiment, folder, machine=machine, until=until, overwrite=overwrite, plan=plan, tell=tell)
    _report(folder, done, json=json)


def _planned(experiment: Experiment, machine: Machine) -> Plan | None:
    """What it will need, where somebody has measured it."""
    from pythagoras.stages.planning import measured_run, plan

    if experiment.lab:
        return None
    try:
        return plan(experiment, measured_run(experiment, None), machine.cores)
    except InputError:
        return None


def _report(folder: Path, overview: Overview, *, json: bool) -> None:
    from pythagoras.cli.eval_tables import print_tables
    from pythagoras.cli.overview import stages_table
    from pythagoras.evaluate.ladder import read_ladder
    from pythagoras.evaluate.shown.ladders import ladder_table
    from pythagoras.stages.folder import LADDER
    from pythagoras.stages.overview import State

    measured = read_ladder(folder / LADDER) if overview.state("evaluation") is State.DONE else None
    if json:
        rungs = measured.model_dump(mode="json")["rungs"] if measured is not None else []
        print_json({"folder": str(folder), **overview.as_dict(), "rungs": rungs})
        return
    console = wide()
    console.print(stages_table(overview))
    if measured is not None:
        out.print()
        print_tables([ladder_table(measured)])
    out.print()
    made: dict[StageName, tuple[str, str]] = {
        "emit": ("What to run, in order", "emitted/README.md"),
        "report": ("The report", "report.html"),
    }
    for stage, (what, name) in made.items():
        if (folder / name).is_file() and stage in overview.experiment.stages:
            out.print(f"{what}: {folder / name}", markup=False)
    if not overview.finished:
        out.print("It is not finished: the same command without --until goes on", markup=False)


def _emit(
    experiment: Experiment,
    recipe: str,
    folder: Path,
    corpus: list[Path],
    held_out: list[Path] | None,
    against: list[str] | None,
    *,
    overwrite: bool,
    json: bool,
) -> None:
    """Write configurations and data. Nothing is trained."""
    from pythagoras.stages.emitting import emit as write

    with ExitStack() as stack:
        advance: Callable[[int, str], None] | None = None
        before = 0

        def begin(total: int | None) -> None:
            nonlocal advance
            advance = stack.enter_context(batch_progress("emit", total))

        def tell(read: int, dropped: int) -> None:
            nonlocal before
            assert advance is not None
            advance(read - before, f"{dropped:,} left out" if dropped else "")
            before = read

        made = write(
            recipe,
            experiment.training,
            corpus,
            folder,
            held_out=held_out,
            against=against or (),
            overwrite=overwrite,
            on_begin=begin,
            on_progress=tell,
        )
    if json:
        told: dict[str, Any] = {**made.emitted.as_dict(), "not_for_rl": dict(made.account.left_out)}
        print_json(told)
        return
    for what, rows in (("SFT", made.emitted.sft), ("RL", made.emitted.rl)):
        counts = ", ".join(f"{count:,} {tier.value}" for tier, count in rows.items())
        out.print(f"{what}: {counts or 'nothing'}", markup=False)
    if not made.statements:
        err.print("No statements were given for RL, so only SFT is written: name some with --held-out", markup=False)
    for why, count in made.emitted.left_out.items():
        err.print(f"{count:,} instances are left out: {why}", markup=False)
    for reason, count in made.account.left_out.items():
        err.print(f"{count:,} held-out records are left out: {reason.value}", markup=False)
    out.print(f"What to run, in order: {folder / 'README.md'}", markup=False)
