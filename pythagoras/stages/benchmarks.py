"""What must not be trained on: the items of benchmarks, ours among them, and by what each is known to be the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pythagoras.corpus.decontamination.sweep import benchmark_fingerprints
from pythagoras.corpus.records import Record
from pythagoras.corpus.sources.reader import benchmark
from pythagoras.evaluate.corebench import items, mutated

OURS = "corebench"


def benchmark_items(name: str) -> Iterable[Record]:
    """Items of CoreBench with their proofs, and of CoreBench-ALF with it; that by itself; or what another one has."""
    if name == OURS:
        return [*items.as_instances(items.load()), *mutated.load()]
    return mutated.load() if name == mutated.NAME else benchmark(name)


def items_of(names: Iterable[str]) -> list[Record]:
    return [record for name in names for record in benchmark_items(name)]


def known_benchmarks(others: Sequence[str]) -> tuple[list[Record], dict[str, str]]:
    """What must not be trained on, CoreBench first, and by what each benchmark is known to be the same."""
    found = items_of(dict.fromkeys((OURS, *others)))
    return found, benchmark_fingerprints(found)
