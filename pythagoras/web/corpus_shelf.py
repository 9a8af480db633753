"""Corpora on a shelf: what is in each, and its rows by page, with filters.

Files are read when they are asked about, and texts of a corpus are never in memory as a whole.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pydantic import Field

from pythagoras.corpus.records import Tier
from pythagoras.corpus.store import Store, is_store, open_store
from pythagoras.errors import InputError
from pythagoras.web.folders import named_folders
from pythagoras.web.wire import Strict

_LONGEST = 20_000
"""Characters of one text that are told."""
_MOST_VALUES = 200
"""Of a field's values, those that are told with their counts."""
_BATCH = 1000
_SHOWN: dict[str, dict[str, str]] = {
    "instance": {
        **{"name": "name", "statement": "statement", "proof": "proof", "informal": "informal"},
        **{"reasoning": "reasoning", "context": "context", "verified": "verified"},
    },
    "formalisation": {"name": "name", "statement": "text", "informal": "docstring", "context": "context"},
    "problem": {"informal": "text"},
}
"""By kind of record: which of its columns is what. All have an id, a tier, a source and a topic."""
_COMMON = ("id", "tier", "source", "topic")
_SEARCHED = ("name", "statement", "proof", "informal")


class CorpusTold(Strict):
    """A corpus in the list."""

    name: str = Field(description="For addresses.")
    kind: str = Field(default="", description="What its rows are: instance (with proofs), formalisation, problem.")
    rows: int = 0
    verified: int | None = Field(default=None, description="Rows that Lean has judged proved; null where none has one.")
    tiers: dict[str, int] = Field(default={}, description="By name.")
    sources: dict[str, int] = Field(default={}, description="The most frequent ones.")
    topics: dict[str, int] = Field(default={}, description="The most frequent ones.")
    error: str = Field(default="", description="Why it can't be read.")


class RowTold(Strict):
    """A row. What its kind has not got is empty."""

    id: str
    name: str = ""
    statement: str = ""
    proof: str = ""
    informal: str = ""
    reasoning: str = ""
    context: str = ""
    tier: str = ""
    source: str = ""
    topic: str = ""
    verified: bool | None = None


class RowsTold(Strict):
    """A page of rows."""

    total: int = Field(description="Rows that fit the filters.")
    offset: int
    rows: tuple[RowTold, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows; what is None or empty does not count."""

    tier: Tier | None = None
    source: str = ""
    topic: str = ""
    text: str = ""
    verified: bool | None = None


class CorpusShelf:
    """The corpora below some folders. For any number of threads."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._known: dict[str, CorpusTold] = {}

    def corpora(self) -> tuple[CorpusTold, ...]:
        return tuple(self._told(name, folder) for name, folder in named_folders(self._folders, is_store).items())

    def folder(self, name: str) -> Path | None:
        return named_folders(self._folders, is_store).get(name)

    def _told(self, name: str, folder: Path) -> CorpusTold:
        try:
            store = open_store(folder, partial=True)
            key = f"{name} {folder} {store.fingerprint}"
            if key not in self._known:
                self._known[key] = _counted(name, store)
            return self._known[key]
        except InputError as error:
            return CorpusTold(name=name, error=str(error))


def rows_of(folder: Path, wanted: Wanted, offset: int, limit: int) -> RowsTold:
    """A page of the rows that are wanted, in the corpus's order. Raises InputError."""
    store = open_store(folder, partial=True)
    kind = _kind(store)
    if kind is None:
        return RowsTold(total=0, offset=offset, rows=())
    fits = _filter(kind, wanted)
    columns = {**{name: name for name in _COMMON}, **_SHOWN[kind]}
    if fits is None:
        return RowsTold(total=0, offset=offset, rows=())
    with _readable(store):
        table = _dataset(store, kind)
        total = table.count_rows(filter=fits)
        scanned = table.scanner(columns=list(columns.values()), filter=fits, batch_size=_BATCH).to_batches()
        found = [_row(row, columns) for row in _part(scanned, offset, limit)] if offset < total else []
    return RowsTold(total=total, offset=offset, rows=tuple(found))


def _part(batches: Iterator[pa.RecordBatch], offset: int, limit: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for batch in batches:
        if offset >= batch.num_rows:
            offset -= batch.num_rows
            continue
        found += batch.slice(offset, limit - len(found)).to_pylist()
        offset = 0
        if len(found) >= limit:
            break
    return found


def _row(row: dict[str, Any], columns: dict[str, str]) -> RowTold:
    values = {name: row[column] for name, column in columns.items()}
    return RowTold(**{name: _shortened(value) if isinstance(value, str) else value for name, value in values.items()})


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}\n… {len(text) - _LONGEST:,} characters more"


def _filter(kind: str, wanted: Wanted) -> Any:
    """What a row must fulfil, as Arrow has it; None where no row of this kind can."""
    fits = pc.scalar(True)
    exact = {"tier": wanted.tier.value if wanted.tier else "", "source": wanted.source, "topic": wanted.topic}
    for name, value in exact.items():
        if value:
            fits = fits & (pc.field(name) == value)
    columns = _SHOWN[kind]
    if wanted.verified is not None:
        if "verified" not in columns:
            return None
        fits = fits & (pc.field("verified") == wanted.verified)
    for word in wanted.text.split():
        places = [pc.field(columns[name]) for name in _SEARCHED if name in columns]
        has = [pc.match_substring(place, word, ignore_case=True) for place in places]
        either = has[0]
        for other in has[1:]:
            either = either | other
        fits = fits & either
    return fits


def _counted(name: str, store: Store) -> CorpusTold:
    kind = _kind(store)
    if kind is None:
        return CorpusTold(name=name)
    has_verdicts = "verified" in _SHOWN[kind]
    with _readable(store):
        table = _dataset(store, kind).to_table(columns=[*_COMMON[1:], *(["verified"] if has_verdicts else [])])
        return CorpusTold(
            name=name,
            kind=kind,
            rows=table.num_rows,
            verified=pc.sum(table["verified"]).as_py() or 0 if has_verdicts else None,
            tiers=_values(table["tier"]),
            sources=_values(table["source"]),
            topics=_values(table["topic"]),
        )


def _values(column: Any) -> dict[str, int]:
    """How often each value occurs, the most frequent first; tiers and topics without a name are left out."""
    counts = {one["values"]: one["counts"] for one in column.value_counts().to_pylist() if one["values"]}
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_MOST_VALUES])


def _kind(store: Store) -> str | None:
    return next((kind for kind in store.kinds if kind in _SHOWN), None)


def _dataset(store: Store, kind: str) -> Any:
    return ds.dataset([str(store.folder / shard.path) for shard in store.shards if shard.kind == kind])


@contextlib.contextmanager
def _readable(store: Store) -> Iterator[None]:
    """Damage in a corpus's files is told as such."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{store.folder} can't be read ({why}): put its files back, or make it anew") from None
