"""Foreign rows as they stand in files: JSON lines, a JSON list, Parquet, Lean files, sets of `datasets`.

Every row comes with its number, so that whoever can't use it can say where it stands. What can't be read is a Fault,
and reading goes on behind it. Nothing is known here of what the columns mean.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from pythagoras.corpus.jsonl import BOM, UNREADABLE, NumberedRow, first_line, json_lines, no_object, opened
from pythagoras.corpus.parquet import batch_rows_of, parquet_rows
from pythagoras.corpus.rows import Fault, RowError, kind_of_schema
from pythagoras.corpus.sources.canary import is_marked_text
from pythagoras.corpus.sources.lean_files import COLUMNS as LEAN_COLUMNS
from pythagoras.corpus.sources.lean_files import split_of, theorem_rows
from pythagoras.errors import InputError

_FIRST_ROWS = 20
_NO_ARROW = (pa.ArrowException, OSError, ValueError)
_NO_DATA = frozenset(
    [
        *("dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json"),
        *("lakefile.lean", "lake-manifest.json"),
    ]
)
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True, slots=True)
class Table:
    """One file of rows, or one split of a set."""

    name: str
    """What faults call it."""
    split: str
    """Empty when nothing says it."""
    columns: Callable[[], Collection[str]]
    """Its columns, from the schema or the first rows that can be read; empty when none can."""
    rows: Callable[[Collection[str] | None], Iterator[NumberedRow | Fault]]
    """Its rows with all their columns. A cell that can't be read costs its row if it is in one of these, or any."""
    path: Path | None = None
    lean: bool = False


def tables(source: str | Path, *, hub: str = "", config: str = "", split: str | None = None) -> Iterator[Table | Fault]:
    """The files of a path, or the splits of a set on the hub. Raises InputError for what is neither."""
    path = Path(source)
    if path.is_file():
        yield _table(path) or Fault(str(path), None, "", f"it is none of the files that are read: {_ENDINGS}")
    elif path.is_dir():
        yield from _folder(path)
    elif hub or (_HUB_NAME.fullmatch(str(source)) and not path.name.endswith(_FILE_ENDINGS)):
        yield _hub_table(hub or str(source), config, split or "train")
    else:
        raise InputError(f"{source} does not exist: name a file, a folder, or a set of the hub as owner/name")


def _folder(folder: Path) -> Iterator[Table | Fault]:
    if (folder / "dataset_dict.json").is_file():  # a DatasetDict, as `datasets` saves it
        saved = sorted(part for part in folder.iterdir() if (part / "state.json").is_file())
        yield from (_saved_table(part, part.name) for part in saved)
        return
    if (folder / "state.json").is_file():
        yield _saved_table(folder, "")
        return
    # A set that was downloaded has its default configuration in data/ and may have the same rows again beside it.
    inside = folder / "data" if (folder / "data").is_dir() else folder
    for root in dict.fromkeys([inside, folder]):
        found = [table for path in _files(root) if (table := _table(path)) is not None]
        if found:
            yield from found
            return
    yield Fault(str(folder), None, "", f"there is no file with rows in this folder: {_ENDINGS}")


def _files(folder: Path) -> Iterator[Path]:
    """Every file below, in order; hidden ones and what build tools keep are passed over."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and path.name not in _NO_DATA:
            yield path


def _table(path: Path) -> Table | None:
    ending = next((ending for ending in _READERS if path.name.endswith(ending)), None)
    if ending is None:
        return None
    columns, rows = _READERS[ending]
    return Table(
        str(path),
        split_of(Path(path.name)),
        lambda: columns(path),
        lambda needed: rows(path, needed),
        path,
        ending == ".lean",
    )


# --- text ----------------------------------------------------------------------------------------


def _line_rows(path: Path, needed: Collection[str] | None = None) -> Iterator[NumberedRow | Fault]:
    return json_lines(path)


def _list_rows(path: Path, needed: Collection[str] | None = None) -> Iterator[NumberedRow | Fault]:
    """The rows of a JSON list; some publishers call JSON lines `.json`, too."""
    try:
        with opened(path) as file:
            begins = file.read(256).removeprefix(BOM).lstrip()[:1]
        if begins != b"[":
            yield from json_lines(path)
            return
        with opened(path) as file:
            rows = json.loads(file.read().removeprefix(BOM))
    except (*UNREADABLE, ValueError, RecursionError) as error:
        yield Fault(str(path), None, "", f"it is no list of JSON rows: {first_line(error)}")
        return
    for number, row in enumerate(rows, 1):
        yield (number, row) if isinstance(row, dict) else no_object(str(path), number, row)


def _lean_rows(path: Path, needed: Collection[str] | None = None) -> Iterator[NumberedRow | Fault]:
    try:
        source = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        yield Fault(str(path), None, "", f"it can't be read: {first_line(error)}")
        return
    for number, row in theorem_rows(source, path):
        yield Fault(str(path), number, row.field, row.why) if isinstance(row, RowError) else (number, row)


def is_marked(path: Path) -> bool:
    """Whether a Lean file says that it is benchmark material."""
    try:
        return is_marked_text(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError):
        return False


def _usual_columns(read: Callable[[Path], Iterator[NumberedRow | Fault]]) -> Callable[[Path], Collection[str]]:
    """A function that gives the columns which most of a file's first rows have: any one of them may be damaged."""

    def columns(path: Path) -> Collection[str]:
        rows = [found[1] for found in islice(read(path), _FIRST_ROWS) if not isinstance(found, Fault)]
        seen = Counter(column for row in rows for column in row)
        return [column for column, count in seen.items() if 2 * count > len(rows)]

    return columns


# --- Arrow ---------------------------------------------------------------------------------------


def _parquet_columns(path: Path) -> Collection[str]:
    try:
        return cast(list[str], pq.read_schema(path).names)
    except _NO_ARROW:
        return ()


def own_kind(path: Path) -> str | None:
    """The kind of record that a Parquet file of ours holds; None for any other."""
    try:
        return kind_of_schema(pq.read_schema(path))
    except _NO_ARROW:
        return None


def _parquet_rows(path: Path, needed: Collection[str] | None) -> Iterator[NumberedRow | Fault]:
    return parquet_rows(path, needed=needed)


def _saved_table(folder: Path, split: str) -> Table:
    """A set that `datasets` saved to disk: Arrow streams, listed in state.json."""

    def batches() -> Iterator[pa.RecordBatch]:
        state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        for file in state["_data_files"]:
            with pa.memory_map(str(folder / file["filename"])) as data, pa.ipc.open_stream(data) as stream:
                yield from stream

    def columns() -> Collection[str]:
        try:
            return cast(list[str], next((batch.schema.names for batch in batches()), []))
        except (*_NO_ARROW, KeyError, TypeError):
            return ()

    def rows(needed: Collection[str] | None) -> Iterator[NumberedRow | Fault]:
        number = 1
        try:
            for batch in batches():
                yield from batch_rows_of(batch, number, str(folder), needed)
                number += batch.num_rows
        except (*_NO_ARROW, KeyError, TypeError) as error:
            yield Fault(str(folder), number if number > 1 else None, "", f"it is no saved set: {first_line(error)}")

    return Table(str(folder), split, columns, rows, folder)


def _hub_table(name: str, config: str, split: str) -> Table:
    """A split of a set on the hub, streamed."""

    def load() -> Iterable[dict[str, Any]]:
        import datasets  # seconds to import, and only needed here

        try:
            return cast(
                Iterable[dict[str, Any]], datasets.load_dataset(name, config or None, split=split, streaming=True)
            )
        except Exception as error:  # `datasets`, `huggingface_hub` and their HTTP libraries have no common base
            raise InputError(
                f"the set {name} (split {split}) can't be had by name: {first_line(error)}: "
                "download its files where there is a network, and name their folder instead"
            ) from None

    def columns() -> Collection[str]:
        return next((row.keys() for row in load()), ())

    def rows(needed: Collection[str] | None) -> Iterator[NumberedRow | Fault]:
        number = 0
        stream = iter(load())
        while True:
            try:
                row = next(stream, None)
            except Exception as error:  # as above: whatever a download may raise
                yield Fault(name, number + 1, "", f"the download broke off: {first_line(error)}")
                return
            if row is None:
                return
            number += 1
            yield number, row

    return Table(name, split, columns, rows)


_READERS: dict[
    str,
    tuple[
        Callable[[Path], Collection[str]],
        Callable[[Path, Collection[str] | None], Iterator[NumberedRow | Fault]],
    ],
] = {
    **dict.fromkeys((".jsonl", ".jsonl.gz", ".ndjson"), (_usual_columns(_line_rows), _line_rows)),
    **dict.fromkeys((".json", ".json.gz"), (_usual_columns(_list_rows), _list_rows)),
    ".parquet": (_parquet_columns, _parquet_rows),
    ".lean": (lambda path: LEAN_COLUMNS, _lean_rows),
}
"""How files are read, by the end of their name: their columns, and their rows."""
_ENDINGS = ", ".join(_READERS)
_FILE_ENDINGS = (*_READERS, ".gz", ".zip", ".csv", ".tsv", ".txt", ".arrow", ".toml")
"""What names of the hub do not end in: whatever does is a file that is not there, and no server is asked for it."""
