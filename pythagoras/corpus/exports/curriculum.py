"""A corpus in the order of its curriculum: split by stage, shuffled if asked, and never in memory.

Records go to spool files first, by stage, split and (when shuffled) bucket. A bucket is small enough to be sorted in
memory; buckets and rows are ordered by a hash of seed and content, so the order depends on neither the input's order
nor on how it was cut into files.

What must not be trained on, or can't be, is left out and counted as unfit: other kinds of record, instances that no
prompt can be made of (`prompts.unfit`), and our own benchmark.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from pythagoras.corpus import prompts
from pythagoras.corpus.records import (
    Formalisation,
    Instance,
    Problem,
    Record,
    Tier,
    Truth,
    formal_text,
    informal_text,
    kind_of,
    record_id,
)
from pythagoras.corpus.rows import from_line, to_line, to_row
from pythagoras.corpus.sources.canary import is_marked_row

BUCKETS = 64
"""Two million rows of 5 kB are 160 MB a bucket."""
HELD_OUT = "held_out"
_LEFT_OUT = "left out"
_UNFIT = "unfit"
_NAMED = 5
"""Unfit rows that are described; the others are counted."""
_WHOLE = 1 << 64


@dataclass(frozen=True, slots=True)
class Curriculum:
    """A corpus on its way into an export: spool files by stage and split."""

    folder: Path
    stages: tuple[Tier, ...]
    """Those that have rows, in order."""
    rows: Counter[str]
    """Rows by the name of a stage, and of those held out, left out or unfit."""
    shuffled: bool
    kind: str = "instance"
    """Of all records in it."""
    detail: tuple[str, ...] = ()
    """Why rows are unfit: a line each for the first few."""

    @property
    def names(self) -> list[str]:
        """Of all that an export writes: the stages in order, then what is held out, if anything is."""
        return [stage.value for stage in self.stages] + [HELD_OUT] * bool(self.held_out)

    @property
    def held_out(self) -> int:
        return self.rows[HELD_OUT]

    @property
    def left_out(self) -> int:
        """Rows of tiers that were not asked for."""
        return self.rows[_LEFT_OUT]

    @property
    def unfit(self) -> int:
        """Rows that are no training data."""
        return self.rows[_UNFIT]

    def records(self, name: str) -> Iterator[Record]:
        """The rows of a stage, or those held out, in the order of training."""
        for path in sorted(self.folder.glob(f"{name}.*")):
            with path.open(encoding="utf-8", newline="\n") as lines:
                for line in sorted(lines) if self.shuffled else lines:
                    yield from_line(line.partition("\t")[2])

    def instances(self, name: str) -> Iterator[Instance]:
        """The same, of a curriculum of instances."""
        for record in self.records(name):
            assert isinstance(record, Instance)
            yield record


def spool(
    records: Iterable[Record],
    folder: Path,
    *,
    stages: Sequence[Tier],
    seed: int | None,
    shuffled: bool,
    held_out: float,
    any_kind: bool = False,
    verified: bool = False,
) -> Curriculum:
    """Sort records into stages: `shuffled` inside each by the seed, or, without one, in the order of the input.

    `held_out` is the share of *statements*, not of rows, that no stage gets: all proofs of a statement go together.
    With `any_kind` they may be problems or formalisations as well, all of the first one's kind; with `verified`,
    instances that Lean did not judge proved are unfit.
    """
    rows = Counter[str]()
    shuffled = shuffled and seed is not None
    kind = "" if any_kind else "instance"
    detail: list[str] = []
    width = len(str(BUCKETS))
    with ExitStack() as stack:
        files: dict[str, TextIO] = {}
        for record in records:
            if isinstance(record, Instance | Formalisation | Problem):
                kind = kind or kind_of(record)
            if why := unfit(record, kind, verified):
                rows[_UNFIT] += 1
                if len(detail) < _NAMED:
                    detail.append(f"{_called(record)}: {why}")
                continue
            assert isinstance(record, Instance | Formalisation | Problem)  # else it is unfit
            if record.tier not in stages:
                rows[_LEFT_OUT] += 1
                continue
            said = formal_text(record) or informal_text(record)
            name = HELD_OUT if _share(seed, said) < held_out * _WHOLE else record.tier.value
            key = _hash(seed, record_id(record)) if shuffled else 0
            path = f"{name}.{key * BUCKETS // _WHOLE:0{width}d}"
            if path not in files:
                file = (folder / path).open("w", encoding="utf-8", errors="replace", newline="\n")
                files[path] = stack.enter_context(file)
            files[path].write(f"{key:016x}\t{to_line(record)}\n")
            rows[name] += 1
    there = tuple(stage for stage in stages if rows[stage.value])
    return Curriculum(folder, there, rows, shuffled, kind or "instance", tuple(detail))


def unfit(record: Record, kind: str = "instance", verified: bool = False) -> str:
    """Why a record is no training data; empty for one that is."""
    if isinstance(record, Formalisation) and kind == "instance" and record.truth is Truth.FALSE:
        return "it is false by construction, and nothing to prove"
    if kind_of(record) != kind or not isinstance(record, Instance | Formalisation | Problem):
        return f"this export is made of {kind or 'instance'}s"
    if is_marked_row(to_row(record)):
        return "it is from the benchmark CoreBench, which is never training data"
    if not isinstance(record, Instance):
        return ""
    if verified and not record.verified:
        return "Lean has not judged it proved"
    return prompts.unfit(record)


def _called(record: Record) -> str:
    name = getattr(record, "name", "")
    return f"{kind_of(record)} {record_id(record)}" + (f" ({name[:60]})" if name else "")


def _share(seed: int | None, statement: str) -> int:
    return _hash(seed or 0, "held out " + " ".join(statement.split()))


def _hash(seed: int | None, text: str) -> int:
    content = f"{seed} {text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest())
