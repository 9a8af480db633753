"""`pythagoras eval ladder`: what several provers solve at which cost, in one file that the web page shows."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from pythagoras.cli.console import Json, err, print_json
from pythagoras.cli.eval_tables import Latex, Markdown, Runs, Seed, load_runs, print_tables, write_tables


def ladder(
    folders: Runs,
    file: Annotated[Path, typer.Option("--out", "-o", help="The JSON file to write.")],
    title: Annotated[str, typer.Option(help="What stands above it.")] = "The ladder",
    made: Annotated[
        list[str] | None,
        typer.Option("--made-by", help="A command that made one of the runs, to be kept in the file. Repeatable."),
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw pass@N into this .png, .svg or .pdf.")] = None,
    markdown: Markdown = None,
    latex: Latex = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Put runs of several provers below each other: pass@1, 8, 32, 128 and N, and what they cost.

    The rows stand in the order of the folders, under the runs' own labels. `pythagoras serve --ladder FILE` shows it.

    \b
    pythagoras eval ladder runs/portfolio runs/search runs/sft runs/rl -o docs/results/ladder.json
    """
    from pythagoras.evaluate.analysis.alignment import named_apart
    from pythagoras.evaluate.ladder import ladder as ladder_of
    from pythagoras.evaluate.ladder import write_ladder
    from pythagoras.evaluate.shown import pictures
    from pythagoras.evaluate.shown.figures import check_name
    from pythagoras.evaluate.shown.ladders import ladder_picture, ladder_table

    if picture is not None:
        check_name(picture)
    command = shlex.join(["pythagoras", *sys.argv[1:]])
    found = ladder_of(named_apart(load_runs(folders)), title=title, made=[*(made or []), command], seed=seed)
    write_ladder(file, found)
    err.print(f"written: {file}", markup=False)
    if picture is not None:
        pictures.save(ladder_picture(found), picture)
        err.print(f"drawn: {picture}", markup=False)
    write_tables([ladder_table(found)], markdown, latex)
    if json:
        print_json(found.model_dump(mode="json"))
    else:
        print_tables([ladder_table(found)])
