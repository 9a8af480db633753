"""The engines by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import psutil

from pythagoras.engine.engine import Engine
from pythagoras.engine.inline import InlineEngine
from pythagoras.engine.local import LocalEngine
from pythagoras.engine.ray import RayEngine
from pythagoras.errors import InputError
from pythagoras.lookup import choose

WORKER_MB = 2560
"""What a worker is expected to need at most: a Python with its libraries, and a Lean beside it."""


def default_workers() -> int:
    """One worker a core, as far as the free memory goes."""
    by_memory = int(psutil.virtual_memory().available / 2**20 // WORKER_MB)
    return max(1, min(len(os.sched_getaffinity(0)), by_memory))


def open_engine(name: str, workers: int | None = None, address: str | None = None) -> AbstractContextManager[Engine]:
    """The engine of that name, for a `with` block. `workers` None: as many as there is room for.

    `address` is where a Ray cluster is; Ray starts on this machine without one. Raises InputError.
    """
    opener = choose("engine", name, ENGINES)
    if workers is not None and workers < 1:
        raise InputError(f"an engine with {workers} workers can't do anything: ask for 1 or more")
    if address is not None and opener is not _ray:
        raise InputError(f"the engine {name} has no address ({address} was given): leave it out, or choose ray")
    return opener(workers, address)


@contextmanager
def _inline(workers: int | None, address: str | None) -> Iterator[Engine]:
    if workers not in (None, 1):
        raise InputError(f"the engine inline is one process ({workers} workers were asked for): choose local or ray")
    yield InlineEngine()


def _local(workers: int | None, address: str | None) -> AbstractContextManager[Engine]:
    return LocalEngine(workers or default_workers())


def _ray(workers: int | None, address: str | None) -> AbstractContextManager[Engine]:
    return RayEngine(workers or (default_workers() if address is None else None), address)


ENGINES: dict[str, Callable[[int | None, str | None], AbstractContextManager[Engine]]] = {
    "inline": _inline,
    "local": _local,
    "ray": _ray,
}
"""The choices of `--engine`."""
