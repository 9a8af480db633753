"""Records as rows: dictionaries for JSON, Arrow schemas for Parquet, and back with every field checked."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

import pyarrow as pa
from pydantic import TypeAdapter, ValidationError

from pythagoras.corpus.records import KINDS, Record, kind_of, record_id
from pythagoras.lookup import choose

KIND_KEY = b"pythagoras.kind"
"""Where a Parquet file's metadata says which kind of record its rows are."""

_SCALARS = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a file that can't be read: one line for whoever must mend it."""

    file: str
    row: int | None
    """Counted from 1; None when it is about the whole file."""
    field: str
    """Empty when it is about the whole row."""
    why: str

    def __str__(self) -> str:
        row = f", row {self.row}" if self.row is not None else ""
        field = f", field {self.field}" if self.field else ""
        return f"{self.file}{row}{field}: {self.why}"


class RowError(ValueError):
    """A row is no record of its kind."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"field {field}: {why}" if field else why)
        self.field = field
        self.why = why


def to_row(record: Record) -> dict[str, Any]:
    """A JSON-ready dictionary: `kind` and `id`, then the fields."""
    return {"kind": kind_of(record), "id": record_id(record), **_plain(record)}


def from_row(row: Mapping[str, Any], kind: str | None = None) -> Record:
    """The record of a row, every field checked; `kind` is needed where the row does not say it.

    An `id` is passed over: it follows from the content. Raises RowError.
    """
    said = row.get("kind", kind)
    if said is None:
        raise RowError("kind", f"it is missing: one of {', '.join(KINDS)}")
    if not isinstance(said, str) or said not in KINDS:
        raise RowError("kind", f"{said!r} is no kind of record: one of {', '.join(KINDS)}")
    given = {name: value for name, value in row.items() if name not in ("kind", "id")}
    for name, value in given.items():
        if not _is_text(value):
            raise RowError(name, "it holds half of a surrogate pair, which no file can")
    try:
        return _adapter(said).validate_python(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise RowError(".".join(map(str, first["loc"])), _said(first)) from None


def from_line(line: str, kind: str | None = None) -> Record:
    """The record of a JSON line. Raises RowError."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RowError("", f"it is no JSON: {error}") from None
    if not isinstance(row, dict):
        raise RowError("", f"it is a JSON {type(row).__name__}, not an object")
    return from_row(row, kind)


def to_line(record: Record) -> str:
    """The record as one JSON line, without the line's end."""
    return json.dumps(to_row(record), ensure_ascii=False)


@cache
def schema(kind: str) -> pa.Schema:
    """The Arrow schema of a kind: its id, then its fields."""
    cls = choose("kind of record", kind, KINDS)
    return pa.schema([pa.field("id", pa.string(), nullable=False), *_arrow_fields(cls)], metadata={KIND_KEY: kind})


def to_table(kind: str, records: Sequence[Record]) -> pa.Table:
    """Records of one kind as an Arrow table."""
    return pa.Table.from_pylist([{"id": record_id(record), **_plain(record)} for record in records], schema(kind))


def kind_of_schema(found: pa.Schema) -> str | None:
    """The kind that a Parquet file says it holds; None for a file that we did not write."""
    said = (found.metadata or {}).get(KIND_KEY)
    return None if said is None else str(said.decode("utf-8", "replace"))


def _plain(record: Any) -> dict[str, Any]:
    return {field.name: _plain_value(getattr(record, field.name)) for field in dataclasses.fields(record)}


def _plain_value(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_plain_value(part) for part in value]
    return _plain(value) if dataclasses.is_dataclass(value) else value


def _is_text(value: Any) -> bool:
    """Whether all strings in it can be written."""
    if isinstance(value, str):
        return value.isascii() or value.isprintable() or value.encode("utf-8", "ignore").decode() == value
    if isinstance(value, dict):
        return all(map(_is_text, value.values()))
    return not isinstance(value, list) or all(map(_is_text, value))


@cache
def _adapter(kind: str) -> TypeAdapter[Record]:
    return TypeAdapter(KINDS[kind])


def _said(error: Any) -> str:
    if error["type"] in ("missing", "unexpected_keyword_argument"):
        return {"missing": "it is missing", "unexpected_keyword_argument": "no such field belongs here"}[error["type"]]
    value = repr(error["input"])
    shown = value if len(value) <= 60 else value[:57] + "..."
    return f"{shown}: {error['msg'][0].lower()}{error['msg'][1:]}"


def _arrow_fields(cls: type) -> Iterable[pa.Field]:
    hints = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):
        inner, nullable = _without_none(hints[field.name])
        yield pa.field(field.name, _arrow_type(inner), nullable=nullable)


def _without_none(hint: Any) -> tuple[Any, bool]:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        inner = [part for part in typing.get_args(hint) if part is not type(None)]
        return inner[0], len(inner) < len(typing.get_args(hint))
    return hint, False


def _arrow_type(hint: Any) -> pa.DataType:
    if hint in _SCALARS:
        return _SCALARS[hint]
    if typing.get_origin(hint) is tuple:
        return pa.list_(_arrow_type(typing.get_args(hint)[0]))
    if issubclass(hint, Enum):
        return pa.string()
    return pa.struct(list(_arrow_fields(hint)))
