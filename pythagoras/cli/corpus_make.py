"""`pythagoras corpus generate|import|sources`: where records come from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from pythagoras.cli.console import Json, err, out, print_json
from pythagoras.cli.corpus_run import Out, Overwrite, Plan, carry_out

if TYPE_CHECKING:
    from pythagoras.corpus.stages import Item


def generate(
    folder: Out,
    count: Annotated[
        int, typer.Option("--count", "-n", min=1, help="How many problems, each with its statement.")
    ] = 1_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same problems.")] = 0,
    family: Annotated[list[str] | None, typer.Option(help="Only these families (and topics); may be repeated.")] = None,
    topic: Annotated[list[str] | None, typer.Option(help="Only these topics (and families); may be repeated.")] = None,
    level: Annotated[
        list[int] | None, typer.Option(min=1, max=3, help="Only these levels of difficulty: 1, 2, 3.")
    ] = None,
    false_share: Annotated[
        float, typer.Option("--false", min=0, max=1, help="Share of statements that are false.")
    ] = 0.0,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Make problems in words and in Lean, on the `core` header: all distinct, and true by construction.

    The folder holds problems and formalisations; a formalisation names its problem, family, level and seed.
    """
    from pythagoras.corpus.generator.generate import Exhausted
    from pythagoras.corpus.generator.generate import generate as draw

    exhausted: list[Exhausted] = []
    drawn = draw(
        count,
        seed,
        families=family,
        topics=topic,
        levels=level or (1, 2, 3),
        false_share=false_share,
        on_exhausted=exhausted.append,
    )
    settings = {"count": count, "seed": seed, "family": family, "topic": topic, "level": level, "false": false_share}
    records = (record for pair in drawn for record in pair)
    carry_out(Plan("generate", folder, settings, total=2 * count, overwrite=overwrite), records, json=json)
    for one in exhausted:
        kind = "false" if one.false else "true"
        err.print(
            f"{one.family} has no more {kind} statements at level {one.level}: others took its turns", markup=False
        )


def families(json: Json = False) -> None:
    """The families of problems that `corpus generate` draws from, by topic."""
    from pythagoras.corpus.generator.families import TOPICS

    if json:
        print_json({topic: [family.name for family in drawn] for topic, drawn in TOPICS.items()})
        return
    for topic, drawn in TOPICS.items():
        out.print(f"{topic}: {', '.join(family.name for family in drawn)}", markup=False)


def import_(
    sources: Annotated[list[str], typer.Argument(help="Files, folders, or names: see `pythagoras corpus sources`.")],
    folder: Out,
    mapping: Annotated[
        str | None, typer.Option("--as", help="How to read it: a known name, or a TOML file. Default: by its columns.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="Only this split. Default: what the mapping says.")] = None,
    tier: Annotated[str | None, typer.Option(help="Put all rows in this tier: easy, medium, hard or alf.")] = None,
    table: Annotated[
        list[str] | None, typer.Option(help="A table that the mapping looks something up in, as NAME=FILE.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Read only so many rows of each source.")] = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Read sets as their publishers ship them: JSON, JSON lines, Parquet, folders of `datasets`, Lean files.

    Rows that can't be read are named, with file, row and field; all others are imported, and the command exits with 2.
    """
    from pythagoras.corpus.records import Tier
    from pythagoras.corpus.sources.reader import missing_tables, source_fingerprint, source_items
    from pythagoras.errors import InputError
    from pythagoras.lookup import choose

    chosen = choose("tier", tier, {each.value: each for each in Tier}) if tier else None
    tables = {}
    for each in table or ():
        name, equals, file = each.partition("=")
        if not equals:
            raise InputError(f"--table {each} names no file: write NAME=FILE")
        tables[name] = Path(file)

    def items() -> Iterator[Item]:
        for source in sources:
            yield from islice(source_items(source, mapping=mapping, split=split, tier=chosen, tables=tables), limit)

    for source in sources:
        if hint := missing_tables(mapping or source, tables):
            err.print(hint, markup=False)
    read = {source: source_fingerprint(source, mapping, tables) for source in sources}
    settings = {"as": mapping, "split": split, "tier": tier, "limit": limit, "tables": sorted(tables)}
    carry_out(Plan("import", folder, settings, read, overwrite=overwrite), items(), json=json)


def sources(json: Json = False) -> None:
    """The sets that `corpus import` knows by name, or by their columns."""
    from pythagoras.corpus.sources.mapping import known_mappings

    known = known_mappings()
    if json:
        shown = ("gives", "hub", "about", "benchmark", "from_memory")
        print_json([{"name": name, **{key: getattr(each, key) for key in shown}} for name, each in known.items()])
        return
    table = Table("name", "gives", "about", box=None, pad_edge=False, header_style="bold")
    for name, each in known.items():
        table.add_row(name, each.gives, each.about)
    out.print(table)
