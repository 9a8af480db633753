"""What an engine costs until the first result, and an item that takes no time: `python -m benchmarks.engines`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pythagoras.engine.engines import open_engine

ITEMS = 5_000
_ENGINES = (("inline", 1), ("local", 1), ("local", 2), ("ray", 1), ("ray", 2))


@dataclass(frozen=True, slots=True)
class Echo:
    """A job that takes no time, with a kilobyte in and out, as records are."""

    @contextmanager
    def open(self) -> Iterator[Callable[[str], str]]:
        yield str

    def give_up(self, item: str, why: str) -> str:
        raise RuntimeError(why)


def measure(name: str, workers: int, items: int) -> dict[str, float]:
    """Seconds until the engine is open, from there to the first result, and for each item after that."""
    began = time.perf_counter()
    with open_engine(name, workers) as engine:
        opened = time.perf_counter()
        results = engine.map(Echo(), (f"{item:1000}" for item in range(items)))
        next(results)
        first = time.perf_counter()
        found = sum(1 for _ in results)
        last = time.perf_counter()
    assert found == items - 1
    return {"open": opened - began, "first": first - opened, "item": (last - first) / found}


def report(items: int = ITEMS) -> None:
    """A line for each engine."""
    for name, workers in _ENGINES:
        found = measure(name, workers, items)
        print(
            f"{f'engine {name}, workers: {workers}':<34}open in {found['open']:.1f} s, first result after "
            f"{found['first']:.2f} s, then {found['item'] * 1e6:,.0f} µs an item"
        )


if __name__ == "__main__":
    from benchmarks import engines  # workers must be able to import the job, and not from a program called __main__

    engines.report()
