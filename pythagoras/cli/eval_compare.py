"""`pythagoras eval compare` and `published`: runs against each other, under mutation, and what is published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pythagoras.cli.console import Json, err, print_json
from pythagoras.cli.eval_tables import AllowMixed, Latex, Markdown, Runs, Seed, load_runs, print_tables, write_tables
from pythagoras.errors import InputError
from pythagoras.lookup import choose

_FORMATS = ("png", "svg", "pdf")

if TYPE_CHECKING:
    from pythagoras.evaluate.analysis.compare import Comparison
    from pythagoras.evaluate.analysis.mutation import MutationComparison
    from pythagoras.evaluate.results import Results


def compare(
    folders: Runs,
    n: Annotated[
        int | None, typer.Option("--n", "-n", min=1, help="Attempts that count. Default: as many as all runs have.")
    ] = None,
    allow_mixed: AllowMixed = False,
    corpus: Annotated[Path | None, typer.Option(help="Show the funnel of this corpus, too.")] = None,
    pictures: Annotated[
        Path | None, typer.Option(help="Draw curves, grid, make-up, errors and funnel into this folder.")
    ] = None,
    picture_format: Annotated[str, typer.Option(help="png, svg or pdf.")] = "png",
    markdown: Markdown = None,
    latex: Latex = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Compare runs problem by problem: who solved what, where they disagree, and whether that may be chance.

    Runs on a benchmark and on its mutation are paired by their labels: what was lost and gained under mutation.
    """
    from pythagoras.evaluate.analysis.alignment import named_apart
    from pythagoras.evaluate.analysis.mutation import analyse
    from pythagoras.evaluate.shown.overview import comparison_dict, comparison_tables

    if picture_format not in _FORMATS:
        raise InputError(f"no picture is drawn as {picture_format!r}: choose one of {', '.join(_FORMATS)}")
    runs = named_apart(load_runs(folders))
    comparisons, mutation = analyse(runs, n=n, allow_mixed=allow_mixed, seed=seed)
    tables = list(comparison_tables(runs, comparisons, mutation, corpus, seed))
    if pictures is not None:
        for path in _draw(runs, comparisons, mutation, corpus, pictures, picture_format, seed):
            err.print(f"drawn: {path}", markup=False)
    write_tables(tables, markdown, latex)
    if json:
        print_json(comparison_dict(runs, comparisons, mutation, corpus, seed))
    else:
        print_tables(tables)
    warnings = [word for one in comparisons for word in one.warnings] + list(mutation.warnings if mutation else ())
    for word in dict.fromkeys(warnings):
        err.print(word, markup=False)


def _draw(
    runs: Sequence[Results],
    comparisons: Sequence[Comparison],
    mutation: MutationComparison | None,
    corpus: Path | None,
    folder: Path,
    ending: str,
    seed: int,
) -> Iterator[Path]:
    from pythagoras.evaluate.analysis import published
    from pythagoras.evaluate.analysis.alignment import with_benchmark
    from pythagoras.evaluate.analysis.failures import corpus_funnel, error_shares
    from pythagoras.evaluate.analysis.passn import curve
    from pythagoras.evaluate.shown import pictures

    drawn: dict[str, Any] = {}
    for name in dict.fromkeys(run.manifest.benchmark.name for run in runs):
        lines = [curve(run, seed=seed) for run in runs if run.manifest.benchmark.name == name]
        drawn[f"curves-{_file_name(name)}"] = pictures.curves(lines, published.scaling(name))
    for one in comparisons:
        parts = one.make_ups()
        order = [name for name, _ in parts[0].parts]
        for shares in parts:
            if shares.total:
                drawn[f"domains-{_file_name(one.benchmark)}-{_file_name(shares.title)}"] = pictures.donut(shares, order)
    failed = [shares for shares in map(error_shares, with_benchmark(runs)) if shares.total]
    if failed:
        drawn["errors"] = pictures.bars(failed) if len(failed) > 1 else pictures.donut(failed[0])
    if mutation is not None:
        drawn["mutation"] = pictures.grid(mutation.grid())
    if corpus is not None:
        drawn["funnel"] = pictures.funnel(corpus_funnel(corpus))
    for name, figure in drawn.items():
        path = folder / f"{name}.{ending}"
        pictures.save(figure, path)
        yield path


def _file_name(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text).split())


def published(
    benchmark: Annotated[
        str | None, typer.Argument(help="minif2f/test, minif2f-alf/test or putnambench. Default: all.")
    ] = None,
    json: Json = False,
) -> None:
    """What the paper reports, its own results and those it copies from others, with the table each stands in."""
    from pythagoras.evaluate.analysis import published as data
    from pythagoras.evaluate.shown import result_tables

    known = {row.benchmark: row.benchmark for row in data.published()}
    found = data.published(choose("benchmark with published results", benchmark, known) if benchmark else None)
    if json:
        print_json([row.as_dict() for row in found])
        return
    names = dict.fromkeys(row.benchmark for row in found)
    tables = [result_tables.published_rows([row for row in found if row.benchmark == name]) for name in names]
    analyses = [table for name in names if (table := result_tables.published_analysis(name))]
    print_tables([*tables, *analyses, *([] if benchmark else [result_tables.published_round_costs()])])
