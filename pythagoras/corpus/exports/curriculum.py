"""A corpus in the order of its curriculum: split by stage, shuffled if asked, and never in memory.

Records go to spool files first, by stage, split and (when shuffled) bucket. A bucket is small enough to be sorted in
memory; buckets and rows are ordered by a hash of seed and content, so the order depends on neither the input's order
nor on how it was cut into files.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from pythagoras.corpus.records import Instance, Record, Tier, kind_of, record_id
from pythagoras.corpus.rows import from_line, to_line
from pythagoras.errors import InputError

BUCKETS = 64
"""Two million rows of 5 kB are 160 MB a bucket."""
HELD_OUT = "held_out"
_LEFT_OUT = "left out"
_WHOLE = 1 << 64


@dataclass(frozen=True, slots=True)
class Curriculum:
    """A corpus on its way into an export: spool files by stage and split."""

    folder: Path
    stages: tuple[Tier, ...]
    """Those that have rows, in order."""
    rows: Counter[str]
    """Rows by the name of a stage, and of those held out or left out."""
    shuffled: bool

    @property
    def held_out(self) -> int:
        return self.rows[HELD_OUT]

    @property
    def left_out(self) -> int:
        """Rows of tiers that were not asked for."""
        return self.rows[_LEFT_OUT]

    def instances(self, name: str) -> Iterator[Instance]:
        """The rows of a stage, or those held out, in the order of training."""
        for path in sorted(self.folder.glob(f"{name}.*")):
            with path.open(encoding="utf-8", newline="\n") as lines:
                for line in sorted(lines) if self.shuffled else lines:
                    record = from_line(line.partition("\t")[2])
                    assert isinstance(record, Instance)
                    yield record


def spool(
    records: Iterable[Record],
    folder: Path,
    *,
    stages: Sequence[Tier],
    seed: int | None,
    held_out: float,
) -> Curriculum:
    """Sort records into stages. `seed` shuffles inside each stage; None keeps the order of the input.

    `held_out` is the share of *statements*, not of rows, that no stage gets: all proofs of a statement go together.
    """
    rows = Counter[str]()
    width = len(str(BUCKETS))
    with ExitStack() as stack:
        files: dict[str, TextIO] = {}
        for record in records:
            instance = _instance(record)
            if instance.tier not in stages:
                rows[_LEFT_OUT] += 1
                continue
            name = HELD_OUT if _share(seed, instance.statement) < held_out * _WHOLE else instance.tier.value
            key = _hash(seed, record_id(instance)) if seed is not None else 0
            path = f"{name}.{key * BUCKETS // _WHOLE:0{width}d}"
            if path not in files:
                file = (folder / path).open("w", encoding="utf-8", errors="replace", newline="\n")
                files[path] = stack.enter_context(file)
            files[path].write(f"{key:016x}\t{to_line(instance)}\n")
            rows[name] += 1
    return Curriculum(folder, tuple(stage for stage in stages if rows[stage.value]), rows, seed is not None)


def _instance(record: Record) -> Instance:
    if not isinstance(record, Instance):
        raise InputError(f"an export is made of instances, not of a {kind_of(record)}: name a corpus with proofs")
    return record


def _share(seed: int | None, statement: str) -> int:
    return _hash(seed or 0, "held out " + " ".join(statement.split()))


def _hash(seed: int | None, text: str) -> int:
    content = f"{seed} {text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest())
