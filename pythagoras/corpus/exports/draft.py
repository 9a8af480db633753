"""The folder of an export while it is written: whole at the end, or not there at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from pythagoras.corpus.digest import file_sha256
from pythagoras.errors import InputError

MANIFEST = "export.json"
_GROUP_ROWS = 1_000


class Draft:
    """Files are written beside the folder and moved there when all of them are done.

    A folder with anything in it is refused; with `overwrite`, one that holds an export is replaced.
    """

    def __init__(self, folder: Path, *, overwrite: bool = False) -> None:
        folder = folder.absolute()
        self._target = folder
        self._overwrite = overwrite
        self._lock = FileLock(folder.with_name(f".{folder.name}.lock"))
        self.folder = folder.with_name(f".{folder.name}.partial")
        self._rows: dict[str, int] = {}

    def __enter__(self) -> Self:
        self._refuse_what_is_there()
        try:
            self._target.parent.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
            shutil.rmtree(self.folder, ignore_errors=True)  # what a kill left behind
            self.spool.mkdir(parents=True)
        except Timeout:
            raise InputError(f"{self._target} is being written by another process: wait for it") from None
        except OSError as error:
            raise InputError(f"{self._target} can't be written ({error.strerror}): choose another folder") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.release()
        with suppress(OSError):
            Path(self._lock.lock_file).unlink()

    @property
    def spool(self) -> Path:
        """For what is not part of the export."""
        return self.folder / ".spool"

    def path(self, name: str) -> Path:
        """Where a file of that name is to be written."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write_text(self, name: str, text: str, *, executable: bool = False) -> None:
        path = self.path(name)
        path.write_text(text, encoding="utf-8", newline="\n")
        if executable:
            path.chmod(0o755)

    def write_lines(self, name: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Rows as JSON lines; how many there were."""
        count = 0
        with self.path(name).open("w", encoding="utf-8", newline="\n") as file:
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
        self._rows[name] = count
        return count

    def write_parquet(self, name: str, rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> int:
        """Rows as Parquet, a group at a time; how many there were."""
        count, stream = 0, iter(rows)
        with pq.ParquetWriter(self.path(name), schema, compression="zstd") as writer:
            while group := list(islice(stream, _GROUP_ROWS)):
                writer.write_table(pa.Table.from_pylist(group, schema))
                count += len(group)
        self._rows[name] = count
        return count

    def finish(self, manifest: Mapping[str, Any]) -> tuple[Path, ...]:
        """Write the manifest, move everything into place, and say which files there are."""
        shutil.rmtree(self.spool)
        names = sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file())
        files = {name: self._described(name) for name in names}
        text = json.dumps({**manifest, "files": files}, ensure_ascii=False, indent=1)
        self.write_text(MANIFEST, text + "\n")
        old = self._target.with_name(f".{self._target.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        if self._target.exists():
            self._target.rename(old)
        self.folder.rename(self._target)
        shutil.rmtree(old, ignore_errors=True)
        return tuple(self._target / name for name in (*names, MANIFEST))

    def _described(self, name: str) -> dict[str, Any]:
        path = self.folder / name
        found = {"bytes": path.stat().st_size, "sha256": file_sha256(path)}
        return {"rows": self._rows[name], **found} if name in self._rows else found

    def _refuse_what_is_there(self) -> None:
        if not self._target.exists():
            return
        if not self._target.is_dir():
            raise InputError(f"{self._target} is a file: name a folder")
        if not any(self._target.iterdir()):
            return
        if not (self._target / MANIFEST).is_file():
            raise InputError(f"{self._target} holds something else than an export: choose an empty or a new folder")
        if not self._overwrite:
            raise InputError(f"{self._target} holds an export already: choose another folder, or pass --overwrite")
