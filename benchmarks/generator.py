"""How fast the generator makes problems, on one core."""

from __future__ import annotations

import time

from pythagoras.corpus.generator.families import FAMILIES
from pythagoras.corpus.generator.generate import Exhausted, generate


def measure(count: int = 100_000, seed: int = 0) -> dict[str, float]:
    """Problems with their records and ids in one process: how many a second, and how many statements differ."""
    exhausted: list[Exhausted] = []
    names: set[str] = set()
    texts: set[str] = set()
    began = time.perf_counter()
    cpu_began = time.process_time()
    for _, formalisation in generate(count, seed, on_exhausted=exhausted.append):
        names.add(formalisation.name)
        texts.add(formalisation.text)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
    return {
        "families": len(FAMILIES),
        "statements": len(texts),
        "distinct": len(names),
        "exhausted": len(exhausted),
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "per_second": count / seconds,
    }


def report(count: int = 100_000) -> None:
    """The measurement as a line for `make bench`."""
    found = measure(count)
    print(
        f"{'generator, one core':<34}{found['distinct']:,.0f} distinct statements of {found['families']:.0f} families, "
        f"{found['per_second']:,.0f} a second"
    )


if __name__ == "__main__":
    report()
