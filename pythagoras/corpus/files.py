"""Reading records from wherever they are: a store, Parquet or JSON lines. Bad rows are told of, the rest goes on."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pythagoras.corpus.jsonl import STDIN, NumberedRow, json_lines
from pythagoras.corpus.parquet import parquet_rows
from pythagoras.corpus.records import KINDS, Record, kind_of, record_id
from pythagoras.corpus.rows import Fault, RowError, from_row, kind_of_schema
from pythagoras.corpus.store import Funnel, Store, is_as_written, is_store, open_store
from pythagoras.errors import InputError
from pythagoras.lookup import choose

OnFault = Callable[[Fault], None]

_STORES_NAMED = 4
_JSON_LINES = (".jsonl", ".jsonl.gz", ".ndjson")


def raise_fault(fault: Fault) -> None:
    """For callers who can't do without any row."""
    raise InputError(f"{fault}: mend or remove it")


def read_records(
    path: Path, kind: str | None = None, *, on_fault: OnFault = raise_fault, partial: bool = False
) -> Iterator[Record]:
    """The records of a store, of a Parquet file, of JSON lines, or (as `-`) of JSON lines on standard input.

    A store with several kinds gives instances, else formalisations, else problems, unless `kind` says which.
    """
    if kind is not None:
        choose("kind of record", kind, KINDS)
    if is_store(path):
        yield from _read_store(open_store(path, partial=partial), kind, on_fault)
        return
    check_corpus(path)
    if path.suffix == ".parquet":
        yield from _read_parquet(path, kind, on_fault)
    else:
        yield from _checked(json_lines(path), str(path), kind, kind, on_fault)


def check_corpus(path: Path) -> None:
    """Raises InputError for what records can't be read from, by its kind: no row is looked at."""
    if is_store(path):
        open_store(path)
        return
    if path == STDIN or path.name.endswith(_JSON_LINES) or path.suffix == ".parquet":
        return
    if not path.exists():
        raise InputError(f"{path} does not exist: name a corpus folder, a .parquet or a .jsonl file")
    if inside := _stores_in(path):
        raise InputError(f"{path} is no corpus, but has some in it: name {' or '.join(map(str, inside))}")
    raise InputError(f"{path} is no corpus: name a folder made by `pythagoras corpus`, a .parquet or a .jsonl file")


def _stores_in(folder: Path) -> list[Path]:
    """What may have been meant by the folder of a build, or by the one for its corpus: the stores right below them."""
    below = (path for place in (folder / "corpus", folder) for path in sorted(place.glob("*")))
    return [path for path in below if is_store(path)][:_STORES_NAMED]


def read_items(paths: Sequence[Path], kind: str | None = None, *, partial: bool = False) -> Iterator[Record | Fault]:
    """The records of all paths, one after the other, with what can't be read in its place between them."""
    for path in paths:
        faults: list[Fault] = []
        for record in read_records(path, kind, on_fault=faults.append, partial=partial):
            yield from faults
            faults.clear()
            yield record
        yield from faults


def fingerprint(path: Path) -> str:
    """Changes when the content does: from a store's hashes, or a file's size and time. Standard input is always new."""
    if path == STDIN:
        return uuid.uuid4().hex
    if is_store(path):
        return open_store(path, partial=True).fingerprint
    if not path.exists():
        return "-"
    found = path.stat()
    return f"{found.st_size}-{found.st_mtime_ns}"


def funnel_of(path: Path) -> Funnel:
    """What happened to the records of a store until now; nothing is known of other files."""
    return open_store(path, partial=True).manifest.funnel if is_store(path) else ()


def row_count(paths: Sequence[Path], kind: str | None = None) -> int | None:
    """How many rows there are to read; None where that can't be told without reading them."""
    total = 0
    for path in paths:
        if is_store(path):
            store = open_store(path, partial=True)
            total += store.rows(kind or next(iter(store.kinds), "rejected"))
        elif path.suffix == ".parquet" and path.is_file():
            try:
                total += pq.read_metadata(path).num_rows
            except (pa.ArrowException, OSError):
                return None
        else:
            return None
    return total


def _read_store(store: Store, kind: str | None, on_fault: OnFault) -> Iterator[Record]:
    wanted = kind or next(iter(store.kinds), None)
    for shard in store.shards:
        if shard.kind == wanted:
            path = store.folder / shard.path
            sound = is_as_written(path, shard)
            if not sound:
                on_fault(Fault(str(path), None, "", "it is not as it was written: rows that changed are left out"))
            yield from _checked(parquet_rows(path), str(path), wanted, wanted, on_fault, ids=not sound)


def _read_parquet(path: Path, kind: str | None, on_fault: OnFault) -> Iterator[Record]:
    try:
        said = kind_of_schema(pq.read_schema(path))
    except (pa.ArrowException, OSError):
        said = None  # the rows' reader tells of it
    return _checked(parquet_rows(path), str(path), said or kind, kind, on_fault)


def _checked(
    rows: Iterable[NumberedRow | Fault],
    file: str,
    kind: str | None,
    wanted: str | None,
    on_fault: OnFault,
    *,
    ids: bool = False,
) -> Iterator[Record]:
    """The rows as records, of the kind that they say or else of `kind`: those of the wanted one, or all but rejected.

    With `ids`, a row whose id is not that of its content is a fault.
    """
    for item in rows:
        if isinstance(item, Fault):
            on_fault(item)
            continue
        number, row = item
        try:
            record = from_row(row, kind)
            if ids and row.get("id") != record_id(record):
                raise RowError("id", "it is not that of the content")
        except RowError as error:
            on_fault(Fault(file, number, error.field, error.why))
            continue
        found = kind_of(record)
        if found == wanted or (wanted is None and found != "rejected"):
            yield record
