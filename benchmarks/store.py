"""How fast a store is written and read, and that memory stays small: `python -m benchmarks.store [ROWS]`."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path

import psutil

from pythagoras.corpus.files import read_records
from pythagoras.corpus.records import Instance, Tier
from pythagoras.corpus.stages import run_stage

ROWS = 200_000
_REASONING = "The left side grows with n, and at n = 3 both sides agree; so we go by induction. " * 12


def instances(rows: int) -> Iterator[Instance]:
    """About a kilobyte each, as rows of a corpus are."""
    for n in islice(count(), rows):
        statement = f"theorem t{n} (a b : ℕ) (h : a = b + {n}) : a + {n} = b + {2 * n}"
        yield Instance(f"t{n}", statement, "by\n  omega", "made", Tier.EASY, True, f"{n}: {_REASONING}")


def measure(rows: int) -> None:
    """One line for writing and one for reading."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "store"
        _timed("written", rows, lambda: run_stage(instances(rows), place, stage="make", settings={}, inputs={}))
        size = sum(path.stat().st_size for path in place.rglob("*")) / 2**20
        _timed("read", rows, lambda: sum(1 for _ in read_records(place)))
        print(f"{'on disk':<34}{size:,.0f} MB")


def _timed(what: str, rows: int, work: Callable[[], object]) -> None:
    started = time.perf_counter()
    work()
    seconds = time.perf_counter() - started
    memory = psutil.Process().memory_info().rss / 2**20
    print(f"{f'store of {rows:,} rows {what}':<34}{rows / seconds:,.0f} rows/s, {memory:,.0f} MB in memory")


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
