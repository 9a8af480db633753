"""What the commands of `pythagoras eval` that read runs have in common: options, tables, files of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pythagoras.cli.console import err, out, wide
from pythagoras.errors import InputError

if TYPE_CHECKING:
    from pythagoras.evaluate.results import Results
    from pythagoras.evaluate.shown.tables import Table
    from pythagoras.llm.architectures import Architecture

Runs = Annotated[list[Path], typer.Argument(help="Folders that `pythagoras eval run` made, finished or not.")]
Architectures = Annotated[
    list[str] | None,
    typer.Option(
        "--architecture", "-a", help="For FLOPs: qwen3-4b, qwen3-8b, ..., or a config.json. One for all, or one each."
    ),
]
Markdown = Annotated[Path | None, typer.Option(help="Write the tables into this Markdown file, too.")]
Latex = Annotated[Path | None, typer.Option(help="Write the tables into this LaTeX file, too.")]
AllowMixed = Annotated[
    bool,
    typer.Option("--allow-mixed", help="Compare although Lean versions, rules or statements differ; says which."),
]
Seed = Annotated[int, typer.Option(help="Of the resampling behind intervals and tests.")]


def load_runs(folders: Sequence[Path]) -> list[Results]:
    """The runs, each once."""
    from pythagoras.evaluate.results import load

    if len({folder.resolve() for folder in folders}) < len(folders):
        raise InputError("a run is given twice: name each folder once")
    found = []
    for folder in folders:
        run = load(folder)
        counts = run.counts()
        if counts.missing or counts.unjudged:
            err.print(
                f"{folder}: of {counts.wanted:,} attempts {counts.missing:,} are missing and {counts.unjudged:,} have "
                "no verdict; this is what is there until now",
                markup=False,
            )
        found.append(run)
    return found


def architectures(names: Sequence[str] | None, runs: int) -> list[Architecture] | None:
    """As `cost_curves` takes them: none, or one for each run."""
    from pythagoras.llm.architectures import architecture

    if not names:
        return None
    if len(names) not in (1, runs):
        raise InputError(
            f"{len(names)} architectures, and runs to count for: {runs}. Give one for all, or one for each"
        )
    found = [architecture(name) for name in names]
    return found * runs if len(found) < runs else found


def print_tables(tables: Iterable[Table]) -> None:
    from pythagoras.evaluate.shown.tables import rich_table

    console = wide()
    for number, table in enumerate(tables):
        if number:
            console.print()
        console.print(rich_table(table, out.width if console is out else None))


def write_tables(tables: Sequence[Table], markdown_file: Path | None, latex_file: Path | None) -> None:
    """The same tables for papers."""
    from pythagoras.evaluate.shown.tables import latex, markdown

    ways: list[tuple[Path | None, Callable[[Table], str]]] = [(markdown_file, markdown), (latex_file, latex)]
    for path, write in ways:
        if path is None:
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(map(write, tables)), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} can't be written ({error.strerror}): choose another place") from None
