"""Reading records from wherever they are: a store, Parquet or JSON lines. Bad rows are told of, the rest goes on."""

from __future__ import annotations

import gzip
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.parquet as pq

from pythagoras.corpus.records import KINDS, Record
from pythagoras.corpus.rows import Fault, RowError, from_line, from_row, kind_of_schema
from pythagoras.corpus.store import Funnel, Store, is_store, open_store
from pythagoras.errors import InputError
from pythagoras.lookup import choose

OnFault = Callable[[Fault], None]

STDIN = Path("-")
_BATCH_ROWS = 1_000
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
    elif path == STDIN or path.name.endswith(_JSON_LINES):
        yield from _read_lines(path, kind, on_fault)
    elif path.suffix == ".parquet":
        yield from _read_parquet(path, kind, on_fault)
    elif not path.exists():
        raise InputError(f"{path} does not exist: name a corpus folder, a .parquet or a .jsonl file")
    else:
        raise InputError(f"{path} is no corpus: name a folder made by `pythagoras corpus`, a .parquet or a .jsonl file")


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
            yield from _read_parquet(store.folder / shard.path, shard.kind, on_fault)


def _read_parquet(path: Path, kind: str | None, on_fault: OnFault) -> Iterator[Record]:
    """Row group by row group, so that a damaged one does not cost the others."""
    try:
        with pq.ParquetFile(path) as file:
            said = kind_of_schema(file.schema_arrow) or kind
            first = 1
            for group in range(file.num_row_groups):
                yield from _read_group(file, group, first, str(path), said, on_fault)
                first += file.metadata.row_group(group).num_rows
    except (pa.ArrowException, OSError) as error:
        on_fault(Fault(str(path), None, "", f"it is no sound Parquet: {_first_line(error)}"))


def _read_group(
    file: pq.ParquetFile, group: int, first: int, name: str, kind: str | None, on_fault: OnFault
) -> Iterator[Record]:
    row = first
    try:
        for batch in file.iter_batches(batch_size=_BATCH_ROWS, row_groups=[group]):
            for found in batch.to_pylist():
                try:
                    yield from_row(found, kind)
                except RowError as error:
                    on_fault(Fault(name, row, error.field, error.why))
                row += 1
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        last = first + file.metadata.row_group(group).num_rows - 1
        on_fault(Fault(name, row, "", f"rows up to {last} are damaged: {_first_line(error)}"))


def _read_lines(path: Path, kind: str | None, on_fault: OnFault) -> Iterator[Record]:
    row = 0
    try:
        with _open_lines(path) as file:
            for raw in file:
                row += 1
                if raw.isspace():
                    continue
                try:
                    yield from_line(raw.decode("utf-8"), kind)
                except UnicodeDecodeError as error:
                    on_fault(Fault(str(path), row, "", f"it is no UTF-8: {error.reason} at byte {error.start}"))
                except RowError as error:
                    on_fault(Fault(str(path), row, error.field, error.why))
    except (OSError, EOFError) as error:
        on_fault(Fault(str(path), row + 1 if row else None, "", f"it can't be read: {_first_line(error)}"))


@contextmanager
def _open_lines(path: Path) -> Iterator[BinaryIO]:
    if path == STDIN:
        yield sys.stdin.buffer
    elif path.suffix == ".gz":
        with gzip.open(path, "rb") as file:
            yield cast(BinaryIO, file)
    else:
        with path.open("rb") as file:
            yield file


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
