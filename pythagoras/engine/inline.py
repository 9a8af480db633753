"""The engine without workers: everything happens here, one item after the other. For tests and for a debugger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pythagoras.engine.engine import In, Job, Out


class InlineEngine:
    """No process but this one: an item that ends its worker ends everything, and one that hangs is waited for."""

    def map(self, job: Job[In, Out], items: Iterable[In]) -> Iterator[Out]:
        """Results in the order of the items."""
        with job.open() as handle:
            for item in items:
                yield handle(item)
