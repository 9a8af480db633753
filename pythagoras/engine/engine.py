"""The role of an engine: a job and items in, results out in the order of the items.

An engine keeps a few workers, each a process that opens the job once. A worker that dies, or does not answer for hours,
is replaced and its item is tried again; an item is never lost and never comes out twice. What an item is belongs to the
job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")
In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class Job(Protocol[In_contra, Out_co]):
    """What workers do. It travels to them pickled, so it holds settings, and opens what can't travel (a Lean) there."""

    def open(self) -> AbstractContextManager[Callable[[In_contra], Out_co]]:
        """In a worker: the function that handles one item, for as long as the block lasts."""
        ...

    def give_up(self, item: In_contra, why: str) -> Out_co:
        """The result of an item that ended every worker which took it. Called where the engine is."""
        ...


class Engine(Protocol):
    """Whatever maps a job over items. Used in a `with` block by whoever opened it."""

    def map(self, job: Job[In, Out], items: Iterable[In]) -> Iterator[Out]:
        """Results in the order of the items. Items are read as there is room for them.

        What the job raises is raised here; of what a dead worker had, nothing is lost.
        """
        ...
