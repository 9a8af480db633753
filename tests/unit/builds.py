"""Builds in the world of sums for tests to look at, and engines that fail in the middle of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pythagoras.corpus.files import read_records
from pythagoras.corpus.store import Store
from pythagoras.engine.engine import In, Job, Out
from pythagoras.engine.inline import InlineEngine
from pythagoras.pipeline.building import Built, build
from pythagoras.pipeline.recipe import Recipe
from tests.pipeline_fakes import FakeTools


def made(folder: Path, recipe: Recipe, engine: Any = None, **more: Any) -> Built:
    return build(recipe, folder, engine or InlineEngine(), tools=FakeTools(), **more)


def of(store: Store, kind: type[Any]) -> list[Any]:
    return list(read_records(store.folder, kind.__name__.lower()))


class Interrupted(Exception):
    pass


class Failing(InlineEngine):
    """Ends everything after so many items."""

    def __init__(self, items: int) -> None:
        self.left = items

    def map(self, job: Job[In, Out], items: Iterable[In]) -> Iterator[Out]:
        for result in super().map(job, items):
            if self.left == 0:
                raise Interrupted
            self.left -= 1
            yield result
