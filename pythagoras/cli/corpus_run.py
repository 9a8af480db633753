"""What all commands that write a corpus have in common: options, progress, and the account at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from pythagoras.cli.console import batch_progress, complain, err, out, print_json
from pythagoras.errors import InputError

if TYPE_CHECKING:
    from pythagoras.corpus.records import Record
    from pythagoras.corpus.rows import Fault
    from pythagoras.corpus.stages import Decide, Item
    from pythagoras.corpus.store import Funnel, Step, Store

Corpora = Annotated[
    list[Path], typer.Argument(help="Corpus folders, .parquet or .jsonl files of records, or - for standard input.")
]
Out = Annotated[Path, typer.Option("--out", "-o", help="The folder to write. The same command again goes on in it.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what the folder holds.")]
Kind = Annotated[
    str | None,
    typer.Option(help="Which records to read: instance, formalisation or problem. Default: the first found."),
]

_FAULTS_SHOWN = 10
_ROWS_A_TICK = 500


@dataclass(frozen=True, slots=True)
class Plan:
    """What a command is to write where, from what."""

    verb: str
    folder: Path
    settings: dict[str, Any]
    inputs: dict[str, str] = field(default_factory=dict)
    """What is read, each with a fingerprint."""
    funnel: Funnel = ()
    total: int | None = None
    """Rows to come, where that is known."""
    overwrite: bool = False

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do."""
        from pythagoras.corpus.store import is_finished

        return not self.overwrite and is_finished(self.folder, self.verb, self.settings, self.inputs)


def plan_over(
    verb: str,
    corpora: Sequence[Path],
    folder: Path,
    settings: dict[str, Any],
    *,
    kind: str | None = None,
    overwrite: bool,
    twice: bool = False,
) -> Plan:
    """A plan that reads corpora, one after the other; `twice` says that once is not enough."""
    if twice and Path("-") in corpora:
        raise InputError(f"{verb} reads its input twice, and standard input can't be: write it to a file first")
    from pythagoras.corpus.files import fingerprint, funnel_of, row_count
    from pythagoras.corpus.store import merge_funnels

    inputs = {str(path): fingerprint(path) for path in corpora}
    funnel = merge_funnels(map(funnel_of, corpora))
    return Plan(verb, folder, {**settings, "kind": kind}, inputs, funnel, row_count(corpora, kind), overwrite)


def carry_out(
    plan: Plan,
    items: Iterable[Item],
    decide: Decide | None = None,
    tally: Counter[str] | None = None,
    *,
    json: bool,
    show_tally: bool = True,
) -> Store:
    """Run a stage with a bar, and say what became of the rows. Exits with 2 when some could not be read."""
    _check_apart(plan)
    from pythagoras.corpus.stages import keep_all, run_stage

    gone = 0
    with batch_progress(plan.verb, plan.total) as advance:

        def on_progress(read: int, dropped: int) -> None:
            nonlocal gone
            gone += dropped
            advance(read, f"{gone:,} dropped" if gone else "")

        store = run_stage(
            items,
            plan.folder,
            stage=plan.verb,
            settings=plan.settings,
            inputs=plan.inputs,
            decide=decide or keep_all,
            funnel=plan.funnel,
            tally=tally,
            overwrite=plan.overwrite,
            on_progress=on_progress,
        )
    step = store.manifest.funnel[-1]
    if json:
        counts = {kind: store.rows(kind) for kind in store.kinds}
        print_json({"folder": str(plan.folder), **step.as_dict(), "kinds": counts})
    else:
        kinds = ", ".join(f"{store.rows(kind):,} {kind}s" for kind in store.kinds)
        shown = f" ({kinds})" if len(store.kinds) > 1 else ""
        out.print(f"{plan.folder}: {step.kept:,} of {step.read:,} rows kept{shown}", markup=False)
        for what, count in [*Counter(step.dropped).most_common(), *(step.tally.items() if show_tally else ())]:
            out.print(f"  {count:>9,}  {what}", markup=False)
    _complain_of_unreadable(store, step)
    return store


def _check_apart(plan: Plan) -> None:
    """Refuse to write over, into or around what is read."""
    folder = plan.folder.resolve()
    for path in (Path(name).resolve() for name in plan.inputs if Path(name).exists()):
        if folder == path or path in folder.parents or folder in path.parents:
            raise InputError(f"{plan.folder} can't be written while {path} is read: choose a folder apart from it")


def records_of(
    verb: str, corpora: Sequence[Path], kind: str | None, faults: list[Fault], *, partial: bool = False
) -> Iterator[Record]:
    """The records of corpora, with a bar; what can't be read goes into `faults`."""
    from pythagoras.corpus.files import read_items, row_count
    from pythagoras.corpus.rows import Fault

    with batch_progress(verb, row_count(corpora, kind)) as advance:
        for number, item in enumerate(read_items(corpora, kind, partial=partial), start=1):
            if number % _ROWS_A_TICK == 0:
                advance(_ROWS_A_TICK, "")
            if isinstance(item, Fault):
                faults.append(item)
            else:
                yield item


def complain_of(faults: Sequence[object], count: int, where: str = "") -> None:
    """Name the first faults, and exit with 2 when there are any."""
    for fault in faults[:_FAULTS_SHOWN]:
        complain(str(fault))
    if count:
        err.print(f"{count:,} places could not be read{where}", markup=False)
        raise typer.Exit(2)


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


def _complain_of_unreadable(store: Store, step: Step) -> None:
    from pythagoras.corpus.files import read_records
    from pythagoras.corpus.reasons import Reason
    from pythagoras.corpus.records import Rejected

    count = step.dropped.get(Reason.UNREADABLE, 0)
    if count:
        rejected = (record for record in read_records(store.folder, "rejected") if isinstance(record, Rejected))
        faults = (record.detail for record in rejected if record.reason == Reason.UNREADABLE)
        complain_of(list(islice(faults, _FAULTS_SHOWN)), count, f"; what could be is in {store.folder}")
