"""Records appended to a folder as they come, and read back: what a kill leaves is whole.

One folder holds one kind of record. New records are JSON lines in the open part; a part that has grown large is sealed,
which is the same records as compressed Parquet. A line that a kill tore is dropped when the journal is opened again;
its record had not been acknowledged.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pythagoras.corpus.jsonl import first_line
from pythagoras.corpus.parquet import parquet_rows
from pythagoras.corpus.parts import OPEN, SEALED, parts_of
from pythagoras.corpus.records import KINDS, Record, kind_of
from pythagoras.corpus.rows import Fault, RowError, from_line, from_row, to_line, to_table
from pythagoras.errors import InputError

SEAL_BYTES = 32 * 2**20


class Journal:
    """The writing end. One writer at a time; use it in a `with` block, which seals what was written."""

    def __init__(self, folder: Path, kind: str, *, seal_bytes: int = SEAL_BYTES) -> None:
        assert kind in KINDS
        self._folder = folder
        self._kind = kind
        self._seal_bytes = seal_bytes
        self._file: BinaryIO | None = None
        self._size = 0

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        _clean(self._folder)
        left = sorted(self._folder.glob(f"part-*{OPEN}"))
        if left:
            self._open(left[-1])
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._file is None:
            return
        if kind is None:
            self._seal()
        else:  # in a hurry: the next opening goes on with it
            self._file.close()
            self._file = None

    def append(self, record: Record) -> None:
        """Write a record; it is there for readers, and survives a kill of this process, when this returns."""
        assert kind_of(record) == self._kind
        if self._file is None:
            self._open(self._folder / f"part-{_next_number(self._folder):05d}{OPEN}")
        assert self._file is not None
        line = (to_line(record) + "\n").encode()
        self._file.write(line)
        self._file.flush()
        self._size += len(line)
        if self._size >= self._seal_bytes:
            self._seal()

    def _open(self, path: Path) -> None:
        self._file = path.open("ab")
        self._size = path.stat().st_size

    def _seal(self) -> None:
        assert self._file is not None
        path = Path(self._file.name)
        self._file.close()
        self._file = None
        self._size = 0
        staging = path.with_suffix(".staging")
        pq.write_table(
            to_table(self._kind, list(_read_part(path, self._kind))),
            staging,
            compression="zstd",
            write_page_checksum=True,
        )
        os.replace(staging, path.with_suffix(SEALED))
        path.unlink()


def read_journal(folder: Path, kind: str) -> Iterator[Record]:
    """Everything that a journal holds, in the order it was written; a torn last line is left out."""
    for path in parts_of(folder):
        yield from _read_part(path, kind)


def read_columns(folder: Path, kind: str, names: Sequence[str]) -> dict[str, list[Any]]:
    """Some fields of everything that a journal holds, in the order it was written; the others are not read."""
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for path in parts_of(folder):
        if path.suffix == SEALED:
            table = _table(path, list(names))
            for name in names:
                columns[name].extend(table.column(name).to_pylist())
        else:
            for record in _read_part(path, kind):
                for name in names:
                    columns[name].append(getattr(record, name))
    return columns


def read_where(folder: Path, kind: str, name: str, values: Collection[str]) -> Iterator[Record]:
    """The records whose field of that name is one of the values, in the order they were written.

    Of sealed parts only that column is read where nothing in them is wanted.
    """
    for path in parts_of(folder):
        if path.suffix == SEALED:
            wanted = pc.is_in(_table(path, [name]).column(name), pa.array(list(values), pa.string()))
            rows = _table(path).filter(wanted).to_pylist() if pc.any(wanted).as_py() else []
            yield from _records(path, kind, rows)
        else:
            yield from (record for record in _read_part(path, kind) if getattr(record, name) in values)


def read_lengths(folder: Path, kind: str, name: str) -> list[int]:
    """How long a text is in every record, in bytes, in the order they were written; no text is kept in memory."""
    lengths: list[int] = []
    for path in parts_of(folder):
        if path.suffix == SEALED:
            lengths.extend(pc.binary_length(_table(path, [name]).column(name)).to_pylist())
        else:
            lengths.extend(len(getattr(record, name).encode("utf-8", "replace")) for record in _read_part(path, kind))
    return lengths


def read_at(folder: Path, kind: str, places: Collection[int]) -> Iterator[tuple[int, Record]]:
    """The records at some places, which count from 0 in the order they were written; each with its place."""
    wanted = np.array(sorted(set(places)), dtype=np.int64)
    first = 0
    for path in parts_of(folder):
        if path.suffix == SEALED:
            count = _table(path, ["id"]).num_rows
            here = wanted[(first <= wanted) & (wanted < first + count)]
            rows = _table(path).take(here - first).to_pylist() if len(here) else []
            yield from zip(here.tolist(), _records(path, kind, rows), strict=True)
            first += count
        else:
            chosen = set(wanted.tolist())
            for record in _read_part(path, kind):
                if first in chosen:
                    yield first, record
                first += 1


def _records(path: Path, kind: str, rows: Iterable[dict[str, Any]]) -> Iterator[Record]:
    try:
        yield from (from_row(row, kind) for row in rows)
    except RowError as error:
        raise _damaged(f"{path}: {error}") from None


def _table(path: Path, names: list[str] | None = None) -> pa.Table:
    try:
        table = pq.read_table(path, columns=names, page_checksum_verification=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(f"{path}: {first_line(error)}") from None
    if names is not None and table.column_names != names:  # a column that is not there is left out without a word
        raise _damaged(f"{path}: it has not all of the fields {', '.join(names)}")
    return table


def _next_number(folder: Path) -> int:
    return 1 + max((int(path.stem.removeprefix("part-")) for path in folder.glob("part-*")), default=-1)


def _read_part(path: Path, kind: str) -> Iterator[Record]:
    number = 0
    try:
        if path.suffix == OPEN:
            with path.open("rb") as file:
                for line in file:
                    number += 1
                    if line.endswith(b"\n"):
                        yield from_line(line.decode(), kind)
            return
        for found in parquet_rows(path):
            if isinstance(found, Fault):
                raise _damaged(str(found))
            number, row = found
            yield from_row(row, kind)
    except (RowError, UnicodeDecodeError) as error:
        raise _damaged(f"{path}, row {number}: {error}") from None


def _damaged(what: str) -> InputError:
    return InputError(f"{what}: the run's folder is damaged there; take the file from a copy, or run in a new folder")


def _clean(folder: Path) -> None:
    """Take away what a kill left half done: a part that is sealed already, an unfinished sealing, a torn line."""
    for path in folder.glob("*.staging"):
        path.unlink()
    for path in folder.glob(f"part-*{OPEN}"):
        if path.with_suffix(SEALED).exists():
            path.unlink()
            continue
        with path.open("rb+") as file:
            content = file.read()
            if content and not content.endswith(b"\n"):
                file.truncate(content.rfind(b"\n") + 1)
