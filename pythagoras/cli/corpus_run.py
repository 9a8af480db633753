"""What all commands that write a corpus have in common: options, progress, and the account at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from pythagoras.cli.console import batch_progress, complain, err, out, print_json

if TYPE_CHECKING:
    from pythagoras.corpus.stages import Decide, Item
    from pythagoras.corpus.store import Funnel, Step, Store

Corpora = Annotated[
    list[Path], typer.Argument(help="Corpus folders, .parquet or .jsonl files of records, or - for standard input.")
]
Out = Annotated[Path, typer.Option("--out", "-o", help="The folder to write. The same command again goes on in it.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what the folder holds.")]
Kind = Annotated[
    str | None,
    typer.Option(help="Which records to read: instance, formalisation, problem, ... Default: the first of these."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

_FAULTS_SHOWN = 10


def run(
    verb: str,
    items: Iterable[Item],
    folder: Path,
    *,
    settings: dict[str, Any],
    inputs: dict[str, str],
    decide: Decide | None = None,
    funnel: Funnel = (),
    tally: Counter[str] | None = None,
    total: int | None = None,
    overwrite: bool = False,
    json: bool = False,
) -> Store:
    """Run a stage with a bar, and say what became of the rows. Exits with 2 when some could not be read."""
    from pythagoras.corpus.stages import keep_all, run_stage

    gone = 0
    with batch_progress(verb, total) as advance:

        def on_progress(read: int, dropped: int) -> None:
            nonlocal gone
            gone += dropped
            advance(read, f"{gone:,} dropped" if gone else "")

        store = run_stage(
            items,
            folder,
            stage=verb,
            settings=settings,
            inputs=inputs,
            decide=decide or keep_all,
            funnel=funnel,
            tally=tally,
            overwrite=overwrite,
            on_progress=on_progress,
        )
    step = store.manifest.funnel[-1]
    if json:
        print_json({"folder": str(folder), **step.as_dict(), "kinds": {kind: store.rows(kind) for kind in store.kinds}})
    else:
        out.print(f"{folder}: {step.kept:,} of {step.read:,} rows kept", markup=False)
        for what, count in [*Counter(step.dropped).most_common(), *step.tally.items()]:
            out.print(f"  {count:>9,}  {what}", markup=False)
    _complain_of_faults(store, step)
    return store


def funnel_table(funnel: Sequence[Step]) -> Table:
    """What happened to the rows, a stage a line."""
    table = Table("stage", box=None, pad_edge=False, header_style="bold")
    for name in ("read", "kept"):
        table.add_column(name, justify="right")
    table.add_column("dropped for")
    for step in funnel:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in Counter(step.dropped).most_common())
        table.add_row(step.stage, f"{step.read:,}", f"{step.kept:,}", reasons)
    return table


def _complain_of_faults(store: Store, step: Step) -> None:
    from pythagoras.corpus.files import read_records
    from pythagoras.corpus.reasons import Reason
    from pythagoras.corpus.records import Rejected

    count = step.dropped.get(Reason.UNREADABLE, 0)
    if not count:
        return
    rejected = (record for record in read_records(store.folder, "rejected") if isinstance(record, Rejected))
    for record in islice((record for record in rejected if record.reason == Reason.UNREADABLE), _FAULTS_SHOWN):
        complain(record.detail)
    if count > _FAULTS_SHOWN:
        complain(f"... and {count - _FAULTS_SHOWN:,} more: `pythagoras corpus stats {store.folder} --kind rejected`")
    err.print(f"{count:,} rows could not be read; all others are in {store.folder}", markup=False)
    raise typer.Exit(2)
