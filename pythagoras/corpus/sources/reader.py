"""Sources as streams of records: training data with `source_items`, benchmarks with `benchmark`.

What can't be used comes out as faults, each naming file, row and field; what a set's own filter leaves out comes out as
dropped. Material that is marked as a benchmark's never leaves `source_items`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pythagoras.corpus.digest import file_sha256
from pythagoras.corpus.files import OnFault, raise_fault, read_records
from pythagoras.corpus.jsonl import json_lines
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import KINDS, Formalisation, Instance, Problem, Record, Tier
from pythagoras.corpus.rows import Fault, RowError
from pythagoras.corpus.sources import raw
from pythagoras.corpus.sources.building import Builder, Place, row_filter
from pythagoras.corpus.sources.canary import is_marked_row
from pythagoras.corpus.sources.lean_files import SPLITS
from pythagoras.corpus.sources.mapping import Join, detect, known_mappings, mappings_for, with_proofs, without_proofs
from pythagoras.corpus.sources.mapping import Mapping as FieldMapping
from pythagoras.corpus.stages import Dropped, Item
from pythagoras.corpus.store import is_store, open_store
from pythagoras.errors import InputError
from pythagoras.lookup import choose

_REFUSED = "it is benchmark material, which must not become training data"


def source_items(
    source: str | Path,
    *,
    mapping: str | None = None,
    split: str | None = None,
    tier: Tier | None = None,
    tables: Mapping[str, Path] | None = None,
) -> Iterator[Item]:
    """Everything that a source has, in order: records, rows that its filter drops, and faults.

    `source` is a file, a folder, a set of the Hugging Face hub as owner/name, or the name of a known mapping that has
    one. `mapping` names a known mapping or a TOML file; without it, files are recognised by their columns. `split` and
    `tier` go before what the mapping says. `tables` are the files that a mapping looks columns up in, by name.
    """
    return _items(source, mapping, split, tier, tables or {}, for_training=True)


def benchmark(
    source: str | Path,
    name: str | None = None,
    *,
    mapping: str | None = None,
    split: str | None = None,
    proofs: bool = True,
    on_fault: OnFault = raise_fault,
) -> list[Record]:
    """The items of a benchmark, to measure with or to keep out of a corpus.

    They are instances where the source has proofs, else formalisations; of an informal benchmark they are problems.
    Without `proofs`, a foreign set's proofs are not read at all: whoever measures must not show them. A file or folder
    of our own records gives those. Their source is the benchmark's name and the split, as in
    `minif2f/valid`; `name` goes before what the mapping calls it. The provenance has the mapping (MiniF2F's variants
    differ in what statements say) and the file's SHA-256.
    """
    if mapping is None and has_own_records(Path(source)):
        return list(_own_records(Path(source), name, split, on_fault))
    found: list[Record] = []
    for item in _items(source, mapping, split, None, {}, for_training=False, name=name, proofs=proofs):
        if isinstance(item, Fault):
            on_fault(item)
        elif not isinstance(item, Dropped):
            found.append(item)
    return found


def source_fingerprint(source: str | Path, mapping: str | None, tables: Mapping[str, Path] | None) -> str:
    """Changes when what would be read does: a file of the source or a table, by name, size and time; a user's mapping.

    Of a set on the hub only its name is known.
    """
    known = hashlib.sha256()
    for said in (str(source), *_stamps(Path(source)), mapping or ""):
        known.update(f"{said}\n".encode())
    if mapping is not None and mapping.endswith(".toml"):
        known.update(_sha256(Path(mapping)).encode())
    for table, path in sorted((tables or {}).items()):
        known.update("\n".join([table, str(path), *_stamps(path)]).encode())
    return known.hexdigest()


def missing_tables(choice: str | None, tables: Mapping[str, Path] | None) -> str:
    """What to tell a user whose mapping looks something up in a table that was not handed over; empty if there is none.

    `choice` is the mapping's name or TOML file, or a source, which may be a mapping's name.
    """
    if choice is None or not (choice in known_mappings() or choice.endswith(".toml")):
        return ""
    joins = {name: mapping.join for name, mapping in mappings_for(choice).items()}
    return "; ".join(
        f"{name} looks up {join.take} by {join.on} in the table {join.table}, which was not given: rows whose "
        f"{join.field} must be known are dropped (hand it over with --table {join.table}=FILE)"
        for name, join in joins.items()
        if join is not None and join.table not in (tables or {})
    )


def _stamps(path: Path) -> Iterator[str]:
    """Name, size and time of every file that a path stands for; hidden ones are no data."""
    if path.is_file():
        found = path.stat()
        yield f"{path.name} {found.st_size} {found.st_mtime_ns}"
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in (Path(folder, name) for name in sorted(files) if not name.startswith(".")):
            found = file.stat() if file.exists() else file.lstat()  # a link may lead nowhere
            yield f"{file.relative_to(path)} {found.st_size} {found.st_mtime_ns}"


def has_own_records(path: Path) -> bool:
    """Whether a path is a store, or a file whose rows say which kind of record they are."""
    if is_store(path):
        return True
    if path.suffix == ".parquet":
        return raw.own_kind(path) in KINDS
    if not path.is_file() or not path.name.endswith((".jsonl", ".jsonl.gz", ".ndjson")):
        return False
    first = next((row[1] for row in json_lines(path) if not isinstance(row, Fault)), {})
    return first.get("kind") in KINDS


def _own_records(path: Path, name: str | None, split: str | None, on_fault: OnFault) -> Iterator[Record]:
    kinds = open_store(path).kinds if is_store(path) else (None,)
    for kind in kinds:
        for record in read_records(path, kind, on_fault=on_fault):
            if not isinstance(record, Problem | Formalisation | Instance):
                continue
            if split is None or record.source.endswith(f"/{SPLITS.get(split, split)}"):
                yield record if name is None else replace(record, source=name)


def _items(
    source: str | Path,
    choice: str | None,
    split: str | None,
    tier: Tier | None,
    handed: Mapping[str, Path],
    *,
    for_training: bool,
    name: str | None = None,
    proofs: bool = True,
) -> Iterator[Item]:
    path = Path(source)
    if choice is None and not path.exists() and str(source) in known_mappings():
        choice = str(source)
    choices = mappings_for(choice)
    wanted = SPLITS.get(split, split) if split else None
    for table_name in handed:
        choose("table of a mapping", table_name, {found.join.table: found for found in choices.values() if found.join})
    looked_up = _Lookups(handed)
    passed_over: set[str] = set()
    count = 0
    for table in _tables(source, choices, split):
        if isinstance(table, Fault):
            yield table
            return
        mapping = _mapping_for(table, choices, choice)
        items: Iterator[Item]
        if isinstance(mapping, Fault):
            items = _faults(table, mapping)
        elif path.is_dir() and not _is_wanted(table.split, wanted, mapping):
            passed_over.add(table.split)
            continue
        elif for_training and table.lean and table.path is not None and raw.is_marked(table.path):
            items = iter([Fault(table.name, None, "", _REFUSED)])
        else:
            if not proofs:
                mapping = without_proofs(mapping)
            elif table.lean and mapping.gives == "formalisation" and not for_training:
                mapping = with_proofs(mapping)
            place = _place(source, table, mapping, tier, name, "" if for_training else _sha256(table.path))
            lookup = looked_up.of(mapping.join)
            items = _records(table, Builder(mapping, place), lookup, wanted, for_training=for_training)
        for item in items:
            count += 1
            yield item
    if not count and passed_over:
        raise InputError(f"{source} has the splits {', '.join(sorted(passed_over))} and no other: name one of them")
    if not count:
        of_split = f" of split {split}" if split else ""
        yield Fault(str(source), None, "", f"there are no rows{of_split} in it")


def _records(
    table: raw.Table,
    builder: Builder,
    lookup: Callable[[dict[str, Any]], None] | None,
    split: str | None,
    *,
    for_training: bool,
) -> Iterator[Item]:
    why_not = row_filter(builder.mapping)
    has_splits = "split" in builder.mapping.fields and split is not None
    build = builder.build if for_training else builder.build_item
    for found in table.rows(builder.mapping.reads):
        if isinstance(found, Fault):
            yield found
            continue
        number, row = found
        if lookup is not None:
            lookup(row)
        try:
            if for_training and is_marked_row(row):
                yield Fault(table.name, number, "", _REFUSED)
            elif has_splits and (said := builder.split(row)) and said != split:
                pass
            elif why := why_not(row):
                yield Dropped(builder.unwanted(row, number), Reason.FILTERED_BY_SOURCE, detail=why)
            else:
                yield build(row, number)
        except RowError as error:
            yield Fault(table.name, number, error.field, error.why)


def _tables(source: str | Path, choices: Mapping[str, FieldMapping], split: str | None) -> Iterator[raw.Table | Fault]:
    """The source's files; a name of the hub, or of a mapping with one, gives the splits that are wanted."""
    known = choices if len(choices) == 1 else known_mappings()
    named = [mapping for mapping in known.values() if mapping.hub and str(source) in (mapping.name, mapping.hub)]
    if Path(source).exists() or not named:
        yield from raw.tables(source, split=split)
        return
    # Some sets keep their test split under another name: AI-MO/minif2f_test has but one, called train.
    own_names = named[0].splits or ("train",)
    for part in own_names if split is None or SPLITS.get(split, split) == named[0].constants.split else (split,):
        yield from raw.tables(source, hub=named[0].hub, config=named[0].config, split=part)


def _mapping_for(table: raw.Table, choices: Mapping[str, FieldMapping], choice: str | None) -> FieldMapping | Fault:
    if choice is not None and len(choices) == 1:
        return next(iter(choices.values()))
    columns = sorted(table.columns())
    mapping = detect(columns, table.name, choices)
    return mapping or Fault(
        table.name, None, "", f"no known set has its columns ({', '.join(columns)[:200]}): name a mapping, or write one"
    )


def _faults(table: raw.Table, unknown: Fault) -> Iterator[Fault]:
    """Why nothing is read of a file: what is wrong with its rows when none can be read, else that it is unknown."""
    if table.columns():
        return iter([unknown])
    return (row for row in table.rows(None) if isinstance(row, Fault))


def _is_wanted(split: str, wanted: str | None, mapping: FieldMapping) -> bool:
    """Whether a file of a folder is read: one that does not say its split always is."""
    if not split or wanted is not None:
        return not split or SPLITS.get(split, split) == wanted
    return not mapping.splits or split in mapping.splits


def _place(
    source: str | Path, table: raw.Table, mapping: FieldMapping, tier: Tier | None, name: str | None, sha256: str
) -> Place:
    given = Path(source).name.split(".")[0] or str(source)
    settings = {"file": Path(table.name).name, "mapping": mapping.name}
    if sha256:
        settings["sha256"] = sha256
    return Place(
        source=name or mapping.constants.source.replace("{file}", given),
        split=SPLITS.get(table.split, table.split) if mapping.benchmark else "",
        settings=settings,
        tier=tier,
    )


def _sha256(path: Path | None) -> str:
    """Of what is a file; of all else nothing is known."""
    return file_sha256(path) if path is not None and path.is_file() else ""


class _Lookups:
    """The files that mappings look columns up in, each read once."""

    def __init__(self, handed: Mapping[str, Path]) -> None:
        self._handed = handed
        self._read: dict[tuple[str, str, str], dict[str, Any]] = {}

    def of(self, join: Join | None) -> Callable[[dict[str, Any]], None] | None:
        """A function that gives a row the column; None when nothing is to be looked up, or no file was handed over."""
        if join is None or join.table not in self._handed:
            return None
        values = self._values(join)

        def lookup(row: dict[str, Any]) -> None:
            text = row.get(join.on)
            if row.get(join.field) is None and isinstance(text, str):
                row[join.field] = values.get(_key(text))

        return lookup

    def _values(self, join: Join) -> dict[str, Any]:
        key = (join.table, join.on, join.take)
        if key not in self._read:
            rows = (
                found[1]
                for table in raw.tables(self._handed[join.table])
                if not isinstance(table, Fault)
                for found in table.rows({join.on, join.take})
                if not isinstance(found, Fault)
            )
            self._read[key] = {
                _key(row[join.on]): row.get(join.take) for row in rows if isinstance(row.get(join.on), str)
            }
            if not self._read[key]:
                raise InputError(
                    f"the table {join.table} ({self._handed[join.table]}) has no rows with {join.on} and {join.take}"
                )
        return self._read[key]


def _key(text: str) -> str:
    return " ".join(text.split())
