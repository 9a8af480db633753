"""`pythagoras eval report`: one HTML page about runs, and tables for papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pythagoras.cli.console import Json, err, out, print_json
from pythagoras.cli.eval_tables import (
    Architectures,
    Latex,
    Markdown,
    Runs,
    Seed,
    architectures,
    load_runs,
    write_tables,
)
from pythagoras.errors import InputError
from pythagoras.evaluate.report.limits import EMBED_BYTES


def report(
    folders: Runs,
    page: Annotated[
        Path | None, typer.Option("--out", "-o", help="The HTML file. Default: report.html in the first folder.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="What stands at its top.")] = None,
    corpus: Annotated[Path | None, typer.Option(help="Show the funnel of this corpus, too.")] = None,
    architecture: Architectures = None,
    embed_mb: Annotated[
        float, typer.Option(min=0, help="Texts of attempts in the page at most, compressed; it says what is left out.")
    ] = EMBED_BYTES / 2**20,
    markdown: Markdown = None,
    latex: Latex = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """A page with curves, grids, costs and every problem with its attempts and Lean's words. One file, no network."""
    from pythagoras.evaluate.analysis.alignment import mixed, named_apart
    from pythagoras.evaluate.analysis.mutation import analyse
    from pythagoras.evaluate.report.page import write_page
    from pythagoras.evaluate.shown.overview import comparison_tables

    runs = named_apart(load_runs(folders))
    for word in mixed(runs, [run.label for run in runs]):
        err.print(word, markup=False)
    path = page or folders[0] / "report.html"
    models = architectures(architecture, len(runs))
    write_page(runs, path, title=title, corpus=corpus, models=models, seed=seed, embed_bytes=int(embed_mb * 2**20))
    if markdown is not None or latex is not None:
        try:
            comparisons, mutation = analyse(runs, allow_mixed=True, seed=seed)
        except InputError as error:  # each run by itself can be told about all the same
            err.print(f"the tables have no comparison: {error}", markup=False)
            comparisons, mutation = (), None
        write_tables(list(comparison_tables(runs, comparisons, mutation, corpus, seed)), markdown, latex)
    written = [str(one) for one in (path, markdown, latex) if one is not None]
    if json:
        print_json({"written": written, "bytes": path.stat().st_size})
    else:
        out.print(f"written: {', '.join(written)} ({path.stat().st_size / 2**20:.1f} MB)", markup=False)
