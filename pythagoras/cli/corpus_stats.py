"""`pythagoras corpus stats`: a table, JSON, a picture."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from pythagoras.cli.console import Json, err, out, print_json
from pythagoras.cli.corpus_run import Corpora, Kind, complain_of, funnel_table, records_of

if TYPE_CHECKING:
    from pythagoras.corpus.stats import Lengths, Stats

_MOST = 20
_BAR = 30


def stats(
    corpora: Corpora,
    kind: Kind = None,
    tokenizer: Annotated[
        str, typer.Option(help="What lengths are counted in: bytes, lean, or hf:NAME (a folder or a model's name).")
    ] = "lean",
    picture: Annotated[Path | None, typer.Option(help="Draw it into this .png, .svg or .pdf.")] = None,
    json: Json = False,
) -> None:
    """What is in a corpus: rows by tier, source, topic and operator, lengths in tokens, and the funnel it came through.

    Exits with 0, or with 2 when some rows could not be read; the others are counted.
    """
    from pythagoras.corpus.files import funnel_of
    from pythagoras.corpus.picture import check_name, draw
    from pythagoras.corpus.rows import Fault
    from pythagoras.corpus.stats import measure
    from pythagoras.corpus.store import is_store, merge_funnels, open_store
    from pythagoras.corpus.tokenizers import open_tokenizer

    if picture is not None:
        check_name(picture)
    counter = open_tokenizer(tokenizer)
    faults: list[Fault] = []
    records = records_of("reading", corpora, kind, faults, partial=True)
    found = measure(records, counter.count, merge_funnels(map(funnel_of, corpora)))
    if picture is not None:
        draw(found, picture, title=", ".join(path.name for path in corpora), unit=f"tokens ({tokenizer})")
        err.print(f"drawn: {picture}", markup=False)
    if json:
        print_json({"tokenizer": tokenizer, "unreadable": [str(fault) for fault in faults], **found.as_dict()})
    else:
        _print(found, tokenizer)
    for path in corpora:
        if is_store(path) and not open_store(path, partial=True).manifest.complete:
            err.print(f"{path} is unfinished: this is what is there until now", markup=False)
    complain_of(faults, len(faults))


def _print(found: Stats, tokenizer: str) -> None:
    unverified = f", {found.unverified:,} of them not verified by Lean" if found.unverified else ""
    out.print(f"{found.rows:,} rows{unverified}\n", markup=False)
    for by, counts in found.groups.items():
        if counts.keys() - {"–"}:
            out.print(_groups(by, counts))
            out.print()
    if found.lengths:
        table = Table(f"tokens ({tokenizer})", box=None, pad_edge=False, header_style="bold")
        for name in ("rows", "mean", "median", "p90", "p99", "max"):
            table.add_column(name, justify="right")
        for part, lengths in {**found.lengths, **{f"all, {tier}": one for tier, one in found.tiers.items()}}.items():
            table.add_row(part, *_figures(lengths))
        out.print(table)
        out.print()
        out.print(_histogram(found, tokenizer))
        out.print()
    if found.funnel:
        out.print(funnel_table(found.funnel))


def _groups(by: str, counts: Counter[str]) -> Table:
    table = Table(by, box=None, pad_edge=False, header_style="bold")
    table.add_column("rows", justify="right")
    table.add_column()
    shown = counts.most_common(_MOST)
    largest = max(counts.values())
    for name, count in shown:
        table.add_row(name, f"{count:,}", _bar(count, largest))
    if len(counts) > len(shown):
        table.add_row(f"{len(counts) - len(shown)} more", f"{counts.total() - sum(count for _, count in shown):,}", "")
    return table


def _histogram(found: Stats, tokenizer: str) -> Table:
    """Rows by length of all parts together."""
    bins: Counter[int] = Counter()
    for lengths in found.tiers.values():
        bins.update(lengths.histogram())
    table = Table(f"tokens ({tokenizer}) a row", box=None, pad_edge=False, header_style="bold")
    table.add_column("rows", justify="right")
    table.add_column()
    largest = max(bins.values())
    first = min(start for start, count in bins.items() if count)
    for start in sorted(bins):
        if start >= first:
            table.add_row(f"{start:,} to {2 * start - 1:,}", f"{bins[start]:,}", _bar(bins[start], largest))
    return table


def _bar(count: int, largest: int) -> str:
    return "█" * round(_BAR * count / largest)


def _figures(lengths: Lengths) -> list[str]:
    figures = (lengths.quantile(0.5), lengths.quantile(0.9), lengths.quantile(0.99), max(lengths.counts))
    return [f"{lengths.rows:,}", f"{lengths.mean:,.1f}", *(f"{figure:,}" for figure in figures)]
