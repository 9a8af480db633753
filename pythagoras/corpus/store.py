"""Where records live: a folder of Parquet shards with done-markers and a manifest.

    folder/manifest.json               what made it from what, the funnel, whether it is complete
    folder/done/00000.json             a piece of work that is finished: its files with rows, bytes and SHA-256
    folder/<kind>/part-00000.parquet   the records of that piece, by kind; what was dropped is of the kind `rejected`

A file without a done-marker does not count, so a kill at any moment costs the piece that was under way. The shards are
plain Parquet, for any program to read.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from pythagoras.corpus.digest import file_sha256
from pythagoras.corpus.records import KINDS, Record, kind_of
from pythagoras.corpus.rows import to_table
from pythagoras.errors import InputError

MANIFEST = "manifest.json"
LOCK = ".lock"
T = TypeVar("T")

_FORMAT = 1
_GROUP_ROWS = 2_000
"""What damage in one place of a shard can cost."""
_PREFERRED = ("instance", "formalisation", "problem", "attempt", "judgement")


@dataclass(frozen=True, slots=True)
class Step:
    """What one stage did: how many rows came in, and how many were dropped for which reason."""

    stage: str
    read: int
    dropped: dict[str, int] = field(default_factory=dict)
    tally: dict[str, int] = field(default_factory=dict)
    """What the stage counted beside that, such as the cases of the length filter."""

    @property
    def kept(self) -> int:
        return self.read - sum(self.dropped.values())

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "stage": self.stage,
            "read": self.read,
            "kept": self.kept,
            "dropped": self.dropped,
            "counted": self.tally,
        }


Funnel: TypeAlias = tuple[Step, ...]
"""The stages that records went through, in order."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a store."""

    path: str
    """Relative to the folder."""
    kind: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class _Piece:
    step: Step
    shards: tuple[Shard, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What made the store, from what, and how far it is."""

    format: int
    stage: str
    settings: dict[str, Any]
    inputs: dict[str, str]
    """What was read, each with a fingerprint."""
    funnel: Funnel
    complete: bool
    pieces: int = 0
    """How many there are, once it is complete."""


@dataclass(frozen=True, slots=True)
class Store:
    """A store as it is on disk."""

    folder: Path
    manifest: Manifest
    shards: tuple[Shard, ...]

    def rows(self, kind: str) -> int:
        return sum(shard.rows for shard in self.shards if shard.kind == kind)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of record in it, without those that were dropped."""
        found = {shard.kind for shard in self.shards}
        return tuple(kind for kind in _PREFERRED if kind in found)

    @property
    def fingerprint(self) -> str:
        """Depends on the content of all shards."""
        return _sha256("".join(shard.sha256 for shard in self.shards).encode())[:16]


def is_store(path: Path) -> bool:
    return (path / MANIFEST).is_file()


def open_store(folder: Path, *, partial: bool = False) -> Store:
    """The store in a folder. Raises InputError when there is none, or one that is not complete and `partial` is off."""
    manifest = _load(folder / MANIFEST, Manifest)
    if manifest.format != _FORMAT:
        raise InputError(f"{folder} is a store of format {manifest.format}, this program reads {_FORMAT}: make it anew")
    if not (manifest.complete or partial):
        raise InputError(f"{folder} is unfinished: run the command that makes it ({manifest.stage}) again, it goes on")
    pieces = _pieces(folder)
    if manifest.complete and len(pieces) != manifest.pieces:
        raise InputError(
            f"{folder} has lost its marker done/{len(pieces):05d}.json and what follows ({manifest.pieces} pieces were "
            "written): put it back, or make the corpus anew"
        )
    return Store(folder, manifest, tuple(shard for piece in pieces for shard in piece.shards))


def is_as_written(path: Path, shard: Shard) -> bool:
    """Whether a shard's file has the content that was written."""
    return file_sha256(path) == shard.sha256


def is_finished(folder: Path, stage: str, settings: dict[str, Any], inputs: dict[str, str]) -> bool:
    """Whether the folder already holds all of this work."""
    found = _manifest_in(folder)
    if found is None or not found.complete:
        return False
    return (found.stage, found.settings, found.inputs) == (stage, _as_json(settings), inputs)


def merge_funnels(funnels: Iterable[Funnel]) -> Funnel:
    """Funnels of several inputs as one: the first steps of a stage are added up, and the second, and so on."""
    merged: dict[tuple[str, int], Step] = {}
    for funnel in funnels:
        times = Counter[str]()
        for step in funnel:
            place = step.stage, times[step.stage]
            times[step.stage] += 1
            old = merged.get(place, Step(step.stage, 0))
            merged[place] = Step(
                step.stage,
                old.read + step.read,
                dict(Counter(old.dropped) + Counter(step.dropped)),
                dict(Counter(old.tally) + Counter(step.tally)),
            )
    return tuple(merged.values())


class StoreWriter:
    """Writes a store piece by piece. One process at a time; what is there already is gone on with."""

    def __init__(
        self,
        folder: Path,
        stage: str,
        settings: dict[str, Any],
        inputs: dict[str, str],
        funnel: Funnel = (),
        *,
        overwrite: bool = False,
    ) -> None:
        self._folder = folder
        self._manifest = Manifest(_FORMAT, stage, _as_json(settings), inputs, funnel, complete=False)
        self._overwrite = overwrite
        self._held = ExitStack()
        self._pieces: list[_Piece] = []
        self._is_new = False
        self.complete = False

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(locked(self._folder))
            self._begin()
            self._held = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self._is_new and not self._pieces:  # nothing was done: leave nothing behind
            shutil.rmtree(self._folder, ignore_errors=True)
        self._held.close()

    @property
    def rows_read(self) -> int:
        """How many rows of the input are behind it."""
        return sum(piece.step.read for piece in self._pieces)

    @property
    def pieces(self) -> int:
        """How many are finished."""
        return len(self._pieces)

    @property
    def so_far(self) -> Step:
        """What became of those rows."""
        made = merge_funnels((piece.step,) for piece in self._pieces)
        return made[0] if made else Step(self._manifest.stage, 0)

    def write_piece(self, records: Sequence[Record], step: Step) -> None:
        """Write what became of the next rows of the input."""
        number = len(self._pieces)
        by_kind: dict[str, list[Record]] = defaultdict(list)
        for record in records:
            by_kind[kind_of(record)].append(record)
        shards = tuple(self._write_shard(number, kind, by_kind[kind]) for kind in KINDS if kind in by_kind)
        piece = _Piece(step, shards)
        write_json(self._folder / "done" / f"{number:05d}.json", asdict(piece))
        self._pieces.append(piece)

    def finish(self) -> Store:
        """Say that all is written."""
        funnel = (*self._manifest.funnel, self.so_far)
        self._save(replace(self._manifest, funnel=funnel, complete=True, pieces=len(self._pieces)))
        return self.store()

    def store(self) -> Store:
        return open_store(self._folder)

    def _begin(self) -> None:
        """Find out what is there, and clear away what does not count."""
        unfinished = (LOCK, f"{MANIFEST}.tmp")  # a kill may come before anything is there
        there = [path for path in self._folder.iterdir() if path.name not in unfinished]
        self._is_new = not there
        found = _manifest_in(self._folder)
        if there and found is None:
            raise InputError(f"{self._folder} holds something else than a corpus: choose an empty or a new folder")
        if found is not None and self._overwrite:
            (self._folder / MANIFEST).unlink()
            for name in ("done", *KINDS):
                shutil.rmtree(self._folder / name, ignore_errors=True)
        elif found is not None:
            self._resume(found)
        if not self.complete:
            self._save(self._manifest)

    def _resume(self, found: Manifest) -> None:
        wanted = self._manifest
        for what in ("stage", "settings", "inputs"):
            old, new = getattr(found, what), getattr(wanted, what)
            if old != new:
                raise InputError(
                    f"{self._folder} holds the result of other {what} ({_difference(old, new)}): "
                    "choose another folder, or pass --overwrite"
                )
        self._pieces = _pieces(self._folder)
        self.complete = found.complete

    def _save(self, manifest: Manifest) -> None:
        write_json(self._folder / MANIFEST, asdict(manifest))

    def _write_shard(self, number: int, kind: str, records: Sequence[Record]) -> Shard:
        name = f"{kind}/part-{number:05d}.parquet"
        path = self._folder / name
        path.parent.mkdir(exist_ok=True)
        sink = pa.BufferOutputStream()
        table = to_table(kind, records)
        pq.write_table(table, sink, compression="zstd", row_group_size=_GROUP_ROWS, write_page_checksum=True)
        content = sink.getvalue().to_pybytes()
        _write_bytes(path, content)
        return Shard(name, kind, len(records), len(content), _sha256(content))


def _manifest_in(folder: Path) -> Manifest | None:
    """The manifest of a store; None where there is none, or one of something else that has such a file."""
    try:
        return _load(folder / MANIFEST, Manifest)
    except InputError:
        return None


def _pieces(folder: Path) -> list[_Piece]:
    """The finished pieces without a gap. Raises InputError when the files of one are not as its marker says."""
    found: list[_Piece] = []
    while (marker := folder / "done" / f"{len(found):05d}.json").is_file():
        piece = _load(marker, _Piece)
        for shard in piece.shards:
            path = folder / shard.path
            if not path.is_file() or path.stat().st_size != shard.bytes:
                raise InputError(
                    f"{path} is {'not as it was written' if path.exists() else 'missing'}: "
                    f"put it back, or remove {marker} and those after it and run the command again"
                )
        found.append(piece)
    return found


def _load(path: Path, cls: type[T]) -> T:
    try:
        return TypeAdapter(cls).validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path} can't be read ({error.strerror}): is {path.parent} a corpus?") from None
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise InputError(f"{path} is damaged at {where or 'its beginning'}: make the corpus anew") from None


def _difference(old: Any, new: Any) -> str:
    if isinstance(old, dict) and isinstance(new, dict):
        names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        return ", ".join(f"{name}: {old.get(name)!r} there, {new.get(name)!r} now" for name in names[:3])
    return f"{old!r} there, {new!r} now"


def _as_json(value: Any) -> Any:
    """As it comes back from a file: lists for tuples, values for enums."""
    return json.loads(json.dumps(value))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """The folder, made where it is missing, is this process's alone while the block lasts. Raises InputError."""
    lock = FileLock(folder / LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise InputError(f"{folder} is being written by another process: wait for it") from None
    except FileExistsError:
        raise InputError(f"{folder} is a file: name a folder") from None
    except OSError as error:
        raise InputError(f"{folder} can't be written ({error.strerror}): choose another folder") from None
    try:
        yield
    finally:
        lock.release()


def write_json(path: Path, value: Any) -> None:
    """Whole or not at all."""
    path.parent.mkdir(exist_ok=True)
    _write_bytes(path, (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode())


def _write_bytes(path: Path, content: bytes) -> None:
    """Whole or not at all, also when the power goes."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
