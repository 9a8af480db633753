"""`pythagoras plan`: what a recipe will need, before anybody pays for it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from pythagoras.cli.console import Json, err, out, print_json, wide
from pythagoras.cli.corpus_build import numbers_table
from pythagoras.cli.recipes import Changes, RecipeName, load
from pythagoras.cli.run import HeldOut
from pythagoras.errors import InputError

if TYPE_CHECKING:
    from pythagoras.pipeline.planning import Forecast
    from pythagoras.pipeline.recipe import Recipe
    from pythagoras.stages.planning import Plan
    from pythagoras.stages.recipe import Experiment
    from pythagoras.train.needs import Needs, Sizes
    from pythagoras.train.settings import Training

_NEEDS = {
    "worker_hours": ("worker h", "{:,.1f}"),
    "alone_hours": ("of them alone", "{:,.1f}"),
    "lean_hours": ("Lean h", "{:,.1f}"),
    "prompt_tokens": ("prompt tokens", "{:,.0f}"),
    "generated_tokens": ("generated", "{:,.0f}"),
    "money": ("money", "{:,.2f}"),
    "gigabytes": ("GB", "{:,.2f}"),
}


_MANY = 64
"""Workers that share a corpus of another size."""
_DIFFERENCES = 5


def plan(
    recipe: RecipeName = "embedded",
    problems: Annotated[
        int | None, typer.Option(min=1, help="A corpus of so many problems alone. Default: the paper's 852,641.")
    ] = None,
    hard: Annotated[
        int | None, typer.Option(min=0, help="And of so many hard ones. Default: the paper's 328,966.")
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            help="A run of the recipe to take the rates from, or a build of its corpus. Default: ours, where we have "
            "one."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="How many share the corpus's work. Default: this machine's, and 64 at other sizes."),
    ] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option(help="Plan training on this one instead: a build of `corpus build`, or corpora with proofs."),
    ] = None,
    held_out: HeldOut = None,
    changes: Changes = None,
    json: Json = False,
) -> None:
    """What a recipe will need: time, tokens, Lean, processors, memory and disk, before anybody pays for it.

    Every stage of `pythagoras run`, at rates that a run has measured. The corpus alone at the paper's size, or with
    --problems and --hard at another one, at the rates of a build. For recipes with a section [lab], training on GPUs by
    a formula, for the paper's sizes or those of a corpus.
    """
    from pythagoras.train.needs import needs

    experiment = load(recipe, changes)
    wanted, settings, has_lab = experiment.corpus, experiment.training, experiment.lab
    if corpus is None and held_out is not None:
        raise InputError("--held-out goes with a corpus to train on: name that with --corpus")
    if corpus is not None and (problems, hard, run) != (None, None, None):
        raise InputError("a corpus that is there is not planned: leave out --corpus, or --problems, --hard and --run")
    if corpus is not None and not has_lab:
        raise InputError(f"the recipe {recipe} has no section [lab], so there is no training on GPUs: name 4b or 32b")
    sized = (problems, hard) != (None, None)
    is_run = run is not None and _is_whole(run)
    corpus_alone = has_lab or sized or corpus is not None or experiment.stages == ("corpus",)
    whole = None if corpus_alone else _whole(experiment, run if is_run else None, workers)
    training = needs(settings, _sizes(settings, corpus, held_out) if corpus is not None else None) if has_lab else None
    found: Forecast | None = None
    try:
        called = shlex.join([recipe, *(part for change in changes or () for part in ("--set", change))])
        built = run / "corpus" if run is not None and is_run else run
        found = _forecast(wanted, called, problems, hard, built) if corpus is None else None
    except InputError as error:
        if (training is None and whole is None) or (run is not None and not is_run):
            raise
        err.print(f"The corpus at the paper's size is left out: {error}", markup=False)
    if json:
        told: dict[str, Any] = {"recipe": wanted.name, "workers": workers or _MANY}
        print_json(
            told
            | (found.as_dict() if found else {})
            | ({"training": training.as_dict()} if training is not None else {})
            | ({"run": whole.as_dict()} if whole is not None else {})
        )
        return
    if whole is not None:
        _show_whole(recipe, whole)
    if found is not None:
        _show_forecast(wanted, found, workers or _MANY, brief=whole is not None)
    if training is not None:
        _show_training(training)


def _is_whole(folder: Path) -> bool:
    """Whether a folder is a run of a recipe, and not of its corpus alone."""
    from pythagoras.stages.overview import OVERVIEW

    return (folder / OVERVIEW).is_file()


def _whole(experiment: Experiment, run: Path | None, workers: int | None) -> Plan | None:
    """What all stages will need; None where nobody has measured that, which is told."""
    from pythagoras.stages.machine import Machine
    from pythagoras.stages.planning import measured_run
    from pythagoras.stages.planning import plan as plan_stages

    try:
        return plan_stages(experiment, measured_run(experiment, run), Machine(workers=workers).cores)
    except InputError as error:
        if run is not None:
            raise
        err.print(f"The stages of a run are left out: {error}", markup=False)
        return None


def _show_whole(recipe: str, found: Plan) -> None:
    from pythagoras.cli.overview import long, plan_table

    wide().print(plan_table(found))
    out.print()
    out.print(
        f"pythagoras run {recipe}: about {long(found.total('seconds'))} with {found.workers} workers, at the rates of "
        f"a run of {found.measured}",
        markup=False,
    )
    if found.differences:
        shown = "; ".join(found.differences[:_DIFFERENCES])
        more = f"; and {len(found.differences) - _DIFFERENCES} more" if len(found.differences) > _DIFFERENCES else ""
        err.print(f"these rates were measured with other settings: {shown}{more}", markup=False)
    out.print()


def _sizes(training: Training, corpus: list[Path], held_out: list[Path] | None) -> Sizes:
    """Of what `run --emit` would write, but for statements that come twice or are a benchmark's."""
    from pythagoras.stages.corpora import records, split_build, statements_of
    from pythagoras.train.accounts import Account
    from pythagoras.train.emit import Fitting
    from pythagoras.train.needs import sizes_of
    from pythagoras.train.rl.problems import read_goals

    fitting, account = Fitting(training), Account()
    learned, _ = split_build(corpus)
    goals = sum(1 for path in statements_of(corpus, held_out) for _ in read_goals(path, account))
    sizes = sizes_of(fitting.of(records(learned)), goals, fitting.counter, training.sft.prompt)
    for why, count in fitting.left_out.items():
        err.print(f"{count:,} instances are left out: {why}", markup=False)
    for reason, count in account.left_out.items():
        err.print(f"{count:,} held-out records are left out: {reason.value}", markup=False)
    return sizes


def _forecast(recipe: Recipe, called: str, problems: int | None, hard: int | None, run: Path | None) -> Forecast:
    from pythagoras.pipeline.planning import PAPER_HARD, PAPER_PROBLEMS, forecast, measured_rates

    rates = measured_rates(recipe, run, called=called)
    if run is None and rates.recipe != recipe.name:
        err.print(
            f"the rates are those of the recipe {rates.recipe}, whose prover and players are the same", markup=False
        )
    if rates.differences:
        err.print(f"the rates were measured with other settings: {'; '.join(rates.differences)}", markup=False)
    hard_problems = (PAPER_HARD if recipe.hard_source is not None else 0) if hard is None else hard
    return forecast(recipe, rates.figures, problems or PAPER_PROBLEMS, hard_problems)


def _show_forecast(recipe: Recipe, found: Forecast, workers: int, *, brief: bool) -> None:
    """A stage a line, and all of it in words; `brief`: the words alone."""
    if not brief:
        out.print(_forecast_table(found))
        out.print()
    days = found.days(workers)
    long = f"{days:,.1f} days" if days >= 1 else f"{24 * days:,.1f} hours"
    out.print(
        f"{recipe.name} for {found.problems:,} problems and {found.hard_problems:,} hard ones, at rates measured on "
        f"{found.measured_on:,}: {long} with {workers} workers, about {found.instances:,.0f} instances",
        markup=False,
    )
    if brief:
        out.print(f"Its stages: pythagoras plan {recipe.name} --problems {found.problems}", markup=False)


def _forecast_table(found: Forecast) -> Table:
    shown = {name: look for name, look in _NEEDS.items() if found.total(name)}
    table = numbers_table("stage", "rows", *(title for title, _ in shown.values()))
    for need in found.needs:
        values = (form.format(value) if (value := getattr(need, name)) else "" for name, (_, form) in shown.items())
        table.add_row(need.stage, f"{need.rows:,.0f}", *values)
    table.add_row("all", "", *(form.format(found.total(name)) for name, (_, form) in shown.items()))
    return table


def _show_training(found: Needs) -> None:
    from pythagoras.train.needs import FORMULA

    table = numbers_table("training", "rows", "tokens", "FLOPs", "GPU h", "h", "GB a GPU")
    for stage in found.stages:
        table.add_row(
            stage.stage,
            f"{stage.rows:,.0f}",
            f"{stage.tokens:,.0f}",
            f"{stage.flops:.2e}",
            f"{stage.gpu_hours:,.0f}",
            f"{stage.hours:,.0f}",
            f"{stage.memory.total:,.1f}",
        )
    out.print(table)
    out.print()
    fits = "it fits" if found.fits else "it does NOT fit"
    out.print(
        f"{found.model}, {found.parameters / 1e9:.2f} billion parameters, on {found.gpus} GPUs of "
        f"{found.gpu_memory_gb:,.0f} GB: {found.gpu_hours:,.0f} GPU-hours, and {fits}",
        markup=False,
    )
    for line in found.assumed:
        out.print(f"assumed: {line}", markup=False)
    out.print(f"\n{FORMULA}", markup=False, soft_wrap=True)
