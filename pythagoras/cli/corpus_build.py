"""`pythagoras corpus build|funnel|recipe`: the seed corpus, what became of it, what it is made by."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from pythagoras.cli.console import Json, err, out, print_json, stage_progress
from pythagoras.cli.corpus_run import Out, Overwrite
from pythagoras.cli.recipes import Changes, RecipeName, read
from pythagoras.errors import InputError

if TYPE_CHECKING:
    from pythagoras.corpus.records import Rejected
    from pythagoras.pipeline.recipe import Recipe
    from pythagoras.pipeline.report.figures import Bar, Figures

RunFolder = Annotated[Path, typer.Argument(help="The folder of a build.")]


def build(
    folder: Out,
    recipe: RecipeName = "embedded",
    changes: Changes = None,
    engine: Annotated[
        str, typer.Option(help="Who works: local (processes here), ray (a cluster), or inline (this process).")
    ] = "local",
    workers: Annotated[int | None, typer.Option(min=1, help="How many. Default: one a core, as memory allows.")] = None,
    address: Annotated[
        str | None, typer.Option(help="With ray: the cluster's address, or auto. Default: a cluster of one's own.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Where models' answers are kept. Default: in the build's folder.")
    ] = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Build the seed corpus: formalise, read back and align, prove, learn from failures, harden, clean, split.

    Killed at any moment, the same command goes on, and ends with the same corpus; so does another engine or number of
    workers. With --overwrite it begins anew, with the models' answers that it has. The corpus is in FOLDER/corpus, what
    is held out for reinforcement learning in FOLDER/held_out.
    """
    if folder.suffix == ".toml":
        raise InputError(f"-o {folder} is to be a folder: name the recipe before it, as in build {folder} -o FOLDER")
    from pythagoras.pipeline.report.reading import read_figures
    from pythagoras.pipeline.run_folder import PICTURE
    from pythagoras.stages.building import build as build_corpus
    from pythagoras.stages.machine import Machine

    wanted, _ = read(recipe, changes)
    with stage_progress() as lines:
        build_corpus(
            wanted,
            folder,
            machine=Machine(engine=engine, workers=workers, address=address),
            cache=cache,
            overwrite=overwrite,
            on_stage=lines.begin,
            on_progress=lines.show,
        )
    _show(read_figures(folder), folder, folder / PICTURE, json)


def funnel(
    folder: RunFolder,
    picture: Annotated[Path | None, typer.Option(help="Draw it into this .png, .svg or .pdf.")] = None,
    stage: Annotated[
        str | None, typer.Option("--rejected", help="Show what this stage rejected, and why, in place of the funnel.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="With --rejected: how many to show.")] = 20,
    json: Json = False,
) -> None:
    """What a build did: every stage, what was accepted by source, why attempts failed, what the rubric brought."""
    from pythagoras.pipeline.report.reading import read_figures, rejected

    if stage is None:
        _show(read_figures(folder), folder, picture, json)
    else:
        _show_rejected(list(islice(rejected(folder, stage), limit)), json)


def recipe(name: RecipeName = "embedded", changes: Changes = None, json: Json = False) -> None:
    """Print a recipe, to begin one of your own with: as it is written, or with --json as it is with all defaults."""
    from pythagoras.config import known_recipes

    wanted, _ = read(name, changes)
    if json or changes or name not in known_recipes():
        print_json(wanted.model_dump(mode="json"))
    else:
        out.print(known_recipes()[name].rstrip(), markup=False)


def _show(figures: Figures, folder: Path, picture: Path | None, json: bool) -> None:
    from pythagoras.pipeline.run_folder import recipe_of

    if picture is not None:
        from pythagoras.pipeline.report.picture import draw

        draw(figures, picture)
        err.print(f"drawn: {picture}", markup=False)
    if json:
        from pythagoras.pipeline.planning import spent

        made_by = recipe_of(folder)
        told = {"recipe": made_by.model_dump(mode="json"), "models": asdict(spent(figures.steps, made_by))}
        print_json({"folder": str(folder), **told, **figures.as_dict()})
        return
    out.print(_stages_table(figures))
    out.print()
    out.print(_rates_table(figures))
    out.print()
    out.print(_errors_table(figures))
    out.print()
    for line in [*_in_words(figures), *_spent(figures, recipe_of(folder))]:
        out.print(line, markup=False)


def _show_rejected(found: list[Rejected], json: bool) -> None:
    from pythagoras.pipeline.report.reading import text_of

    if json:
        print_json([{"reason": each.reason, "why": each.detail, "text": text_of(each)} for each in found])
        return
    if not found:
        err.print("It rejected nothing", markup=False)
    for each in found:
        out.print(f"{each.reason}: {each.detail}" if each.detail else each.reason, markup=False, style="bold")
        out.print(f"  {text_of(each)}", markup=False)


def numbers_table(*columns: str) -> Table:
    """The first column for names, the others for numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(columns[0], no_wrap=True)
    for name in columns[1:]:
        table.add_column(name, justify="right")
    return table


def _stages_table(figures: Figures) -> Table:
    table = numbers_table("stage", "in", "out", "rejected", "Lean s", "s a row")
    table.add_column("rejected for")
    for step in figures.steps:
        reasons = ", ".join(
            f"{why} {count:,}" for why, count in sorted(step.dropped.items(), key=lambda each: -each[1])
        )
        lean, worker = step.costs.get("lean_s", 0.0), step.costs.get("worker_s", 0.0)
        table.add_row(
            step.stage,
            f"{step.read:,}",
            f"{step.made:,}",
            f"{sum(step.dropped.values()):,}",
            f"{lean:,.0f}" if lean else "",
            f"{worker / step.read:.3f}" if worker and step.read else "",
            reasons,
        )
    return table


def _rates_table(figures: Figures) -> Table:
    from pythagoras.pipeline.report.figures import PAPER

    table = numbers_table("instances", "accepted", "rejected", "rate %", "paper's %")
    totals = [(figures.seed_total, "seed"), (figures.synthetic_total, "synthetic"), (figures.combined, "")]
    parts = {"seed": figures.seed, "synthetic": figures.synthetic, "hard": figures.hard}
    if figures.hard:
        totals.append((figures.hard_total, "hard"))
    for total, paper in totals:
        table.add_row(*_bar(total), f"{100 * PAPER[paper].rate:.1f}" if paper else "")
        for bar in parts.get(paper, ()):
            table.add_row(*_bar(bar, "  "), "")
    return table


def _bar(bar: Bar, indent: str = "") -> tuple[str, str, str, str]:
    return f"{indent}{bar.name}", f"{bar.accepted:,}", f"{bar.rejected:,}", f"{100 * bar.rate:.1f}"


def _errors_table(figures: Figures) -> Table:
    from pythagoras.pipeline.report.figures import PAPER_ERRORS

    table = numbers_table("root cause of rejected attempts", "attempts", "share %", "paper's %")
    total = sum(figures.errors.values()) or 1
    for name, paper in PAPER_ERRORS.items():
        count = figures.errors.get(name, 0)
        table.add_row(name, f"{count:,}", f"{100 * count / total:.1f}", f"{100 * paper:.1f}")
    if figures.no_class:
        table.add_row("(none: timeouts, or no error of Lean's)", f"{figures.no_class:,}", "", "")
    return table


def _in_words(figures: Figures) -> list[str]:
    from pythagoras.pipeline.report.figures import PAPER_ACTIONABLE, PAPER_FAILED

    lean = sum(step.costs.get("lean_s", 0.0) for step in figures.steps)
    wall = sum(step.costs.get("wall_s", 0.0) for step in figures.steps)
    proofs = figures.combined.accepted + sum(bar.accepted for bar in figures.hard)
    gains = ", ".join(f"{name} {gain:+.1%}" for name, gain in figures.gains.items()) or "nothing was distilled"
    formalised = [f"{done:,} of {asked:,}" for done, asked in (figures.formalised_seed, figures.formalised_synthetic)]
    told = [
        f"formalised: {formalised[0]} of the seed, {formalised[1]} of the distilled",
        f"unproved: {figures.failed:,}, of them actionable: {figures.actionable:,} "
        f"({figures.actionable / (figures.failed or 1):.1%}; the paper's are {PAPER_ACTIONABLE / PAPER_FAILED:.1%})",
        f"the rubric's relative gain: {gains}",
        "corpus: " + ("; ".join(f"{name}: {count:,}" for name, count in figures.final.items()) or "empty"),
    ]
    if proofs and wall:
        told.append(
            f"{proofs:,} proofs in {wall / 3600:.2f} h ({3600 * proofs / wall:,.0f} an hour), "
            f"{lean / proofs:.2f} Lean seconds a proof"
        )
    return told


def _spent(figures: Figures, recipe: Recipe) -> list[str]:
    """What models took, where some were asked."""
    from pythagoras.pipeline.planning import spent

    found = spent(figures.steps, recipe)
    if not found.generated_tokens:
        return []
    tokens = f"{found.prompt_tokens:,.0f} prompt and {found.generated_tokens:,.0f} generated tokens"
    return [f"models: {tokens}, {found.money:,.2f} at the recipe's prices"]
