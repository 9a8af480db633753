"""Vectors on disk by the content of their text, so that no text is embedded twice.

One file a model, to which records of one size are appended: a digest of the text, the vector in float16, a checksum. A
record that a kill left half written is written over by the next one; a damaged one is a text not known yet.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from pythagoras.corpus.embedding.role import Embedder, Floats, unit_rows
from pythagoras.errors import InputError
from pythagoras.home import home

_MAGIC = b"pyvec-1\n"
_HEADER_BYTES = 16
_DIGEST_BYTES = 16
_SLICE = 1_024
"""Texts that are embedded between two writes: what a kill can cost at the most."""
_LOCK_WAIT_S = 60


def cache_folder() -> Path:
    """Where vectors are kept when no other folder is named."""
    return home() / "embeddings"


class CachedEmbedder:
    """An embedder that asks another one only for texts that the cache does not hold."""

    def __init__(
        self,
        inner: Embedder,
        folder: Path | None = None,
        on_progress: Callable[[int, int], None] = lambda hits, misses: None,
    ) -> None:
        """`on_progress` takes how many more texts were found and how many embedded."""
        self.hits = 0
        self.misses = 0
        self._inner = inner
        self._folder = folder
        self._on_progress = on_progress
        self._file: VectorFile | None = None

    @property
    def name(self) -> str:
        return self._inner.name

    def embed(self, texts: Sequence[str]) -> Floats:
        if self._file is None:
            self._file = VectorFile((self._folder or cache_folder()) / _file_name(self.name))
        digests = [_digest(text) for text in texts]
        found = self._file.read(digests)
        missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in found}
        self.hits += len(texts) - len(missing)
        self.misses += len(missing)
        self._on_progress(len(texts) - len(missing), 0)
        waiting = list(missing.items())
        for start in range(0, len(waiting), _SLICE):
            part = waiting[start : start + _SLICE]
            vectors = self._inner.embed([text for _, text in part]).astype(np.float16)
            self._file.append([digest for digest, _ in part], vectors)
            found.update(zip((digest for digest, _ in part), vectors, strict=True))
            self._on_progress(0, len(part))
        if not texts:
            return self._inner.embed([])
        return unit_rows(np.stack([found[digest] for digest in digests]))


class VectorFile:
    """A file of vectors by digest. Several processes may append to it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._dimension = 0
        self._seen_records = 0
        self._places: dict[bytes, int] = {}

    def read(self, digests: Sequence[bytes]) -> dict[bytes, npt.NDArray[np.float16]]:
        """The vectors of those digests that are there and sound."""
        self._look()
        wanted = {digest: self._places[digest] for digest in digests if digest in self._places}
        if not wanted:
            return {}
        records = self._records()
        found = {}
        for digest, place in wanted.items():
            record = records[place].tobytes()
            if record[:_DIGEST_BYTES] == digest and _sound(record):
                found[digest] = np.frombuffer(record, np.float16, self._dimension, _DIGEST_BYTES)
        return found

    def append(self, digests: Sequence[bytes], vectors: npt.NDArray[np.float16]) -> None:
        """Write the vectors at the end, behind the last whole record."""
        if not digests:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._path}.lock", timeout=_LOCK_WAIT_S):
            self._look()
            if self._dimension not in (0, vectors.shape[1]):
                raise InputError(
                    f"{self._path} holds vectors of {self._dimension} numbers, the model gives {vectors.shape[1]}: "
                    "it is another model by the same name; remove the file, or name another cache folder"
                )
            fresh = self._dimension == 0
            self._dimension = vectors.shape[1]
            bodies = [digest + vector.tobytes() for digest, vector in zip(digests, vectors, strict=True)]
            with self._path.open("r+b" if self._path.exists() else "w+b") as file:
                if fresh:
                    file.write(_MAGIC + self._dimension.to_bytes(_HEADER_BYTES - len(_MAGIC), "little"))
                file.seek(_HEADER_BYTES + self._seen_records * self._record_bytes)  # over what a kill left of a record
                file.write(b"".join(body + _checksum(body) for body in bodies))
            self._look()

    def _look(self) -> None:
        """Take note of the records that were appended since the last look, by whomever."""
        size = self._path.stat().st_size if self._path.exists() else 0
        if size < _HEADER_BYTES:
            return
        if not self._dimension:
            with self._path.open("rb") as file:
                header = file.read(_HEADER_BYTES)
            if not header.startswith(_MAGIC):
                raise InputError(f"{self._path} is no file of vectors: remove it, or name another cache folder")
            self._dimension = int.from_bytes(header[len(_MAGIC) :], "little")
        whole = (size - _HEADER_BYTES) // self._record_bytes
        if whole > self._seen_records:
            digests = self._records()[self._seen_records : whole, :_DIGEST_BYTES].tobytes()
            for place in range(whole - self._seen_records):
                digest = digests[place * _DIGEST_BYTES : (place + 1) * _DIGEST_BYTES]
                self._places[digest] = self._seen_records + place
            self._seen_records = whole

    @property
    def _record_bytes(self) -> int:
        return _DIGEST_BYTES + 2 * self._dimension + 4

    def _records(self) -> npt.NDArray[np.uint8]:
        size = self._path.stat().st_size
        shape = ((size - _HEADER_BYTES) // self._record_bytes, self._record_bytes)
        records: np.memmap[Any, Any] = np.memmap(self._path, np.uint8, "r", _HEADER_BYTES, shape)
        return records


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def _checksum(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(4, "little")


def _sound(record: bytes) -> bool:
    return _checksum(record[:-4]) == record[-4:]


def _file_name(name: str) -> str:
    """The model's name with what folders can't bear replaced, and a part of its hash, since that may make two alike."""
    plain = re.sub(r"[^\w.-]+", "--", name)[:80]
    mark = "" if plain == name else f"-{hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()[:6]}"
    return f"{plain}{mark}.vectors"
