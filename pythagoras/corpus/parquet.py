"""Parquet as rows. A cell that can't be read costs its row, a damaged page the rest of its group, never the file."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pythagoras.corpus.jsonl import NumberedRow, first_line
from pythagoras.corpus.rows import Fault

_DAMAGE = (pa.ArrowException, OSError, UnicodeDecodeError)
_NO_VALUE = (pa.ArrowException, ValueError, OverflowError, KeyError, TypeError)
"""What turning a cell into Python's values may raise: broken UTF-8, a time after the year 9999, an unknown zone."""


def parquet_rows(
    path: Path, batch_rows: int = 1_000, *, needed: Collection[str] | None = None
) -> Iterator[NumberedRow | Fault]:
    """Every row as a dictionary, with its number from 1; what is wrong with the whole file is one Fault without a row.

    Where `needed` is given, a cell of another column that can't be read is None and costs nothing.
    """
    first = 1
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            for group in range(file.num_row_groups):
                yield from _group_rows(file, group, first, str(path), batch_rows, needed)
                first += file.metadata.row_group(group).num_rows
    except _DAMAGE as error:
        yield Fault(str(path), None, "", f"it is no sound Parquet: {first_line(error)}")


def batch_rows_of(
    batch: pa.RecordBatch, first: int, file: str, needed: Collection[str] | None = None
) -> Iterator[NumberedRow | Fault]:
    """The rows of a batch whose first one has this number; one by one where they can't be had together."""
    try:
        rows = batch.to_pylist()
    except _NO_VALUE:
        yield from (_row(batch.slice(at, 1), first + at, file, needed) for at in range(batch.num_rows))
    else:
        yield from enumerate(rows, first)


def _group_rows(
    file: pq.ParquetFile,
    group: int,
    first: int,
    path: str,
    batch_rows: int,
    needed: Collection[str] | None,
) -> Iterator[NumberedRow | Fault]:
    number = first
    try:
        for batch in file.iter_batches(batch_size=batch_rows, row_groups=[group]):
            yield from batch_rows_of(batch, number, path, needed)
            number += batch.num_rows
    except _DAMAGE as error:
        last = first + file.metadata.row_group(group).num_rows - 1
        field = _damaged_column(file, group)
        yield Fault(path, number, field, f"the rows up to {last} are damaged: {first_line(error)}")


def _damaged_column(file: pq.ParquetFile, group: int) -> str:
    names: list[str] = file.schema_arrow.names
    for name in names:
        try:
            file.read_row_group(group, columns=[name])
        except _DAMAGE:
            return name
    return ""


def _row(row: pa.RecordBatch, number: int, file: str, needed: Collection[str] | None) -> NumberedRow | Fault:
    """A batch of one row, cell by cell."""
    values: dict[str, Any] = {}
    for name, cell in zip(row.schema.names, row.columns, strict=True):
        try:
            values[name] = cell[0].as_py()
        except _NO_VALUE as error:
            if needed is None or name in needed:
                return Fault(file, number, name, _why(error))
            values[name] = None
    return number, values


def _why(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"it is no UTF-8: {error.reason} at byte {error.start}"
    return f"it can't be read: {first_line(error)}"
