"""Drawing samples on a thread of its own, so that Lean judges while the sampler writes.

What is drawn is written down at once, and then waits in a short queue for whoever judges: a sampler that is faster than
Lean is held back there, and is asked for little that a solved statement no longer needs.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import Self

from pythagoras.corpus.records import Attempt
from pythagoras.generate.sampler import Request, Sample, Sampler, Stoppable

AHEAD = 64
"""Attempts that wait for judging at most."""
_PAUSE_S = 0.2
"""When no sample has come for so long, what Lean has done is handed out first."""
_STOP_S = 10.0
"""How long a sampler may take to notice that it is to stop; one that takes longer is left behind, and so is its
sample."""


class _End(Enum):
    """What comes behind the last one."""

    END = "end"


@dataclass(frozen=True, slots=True)
class Order:
    """Requests for one sampler."""

    sampler: Sampler
    requests: Iterable[Request]


class Drawing:
    """Samples for some orders, as attempts. Use it in a `with` block; leaving it stops the drawing.

    `keep` writes a sample down and makes an attempt of it, or None of one that failed; it is called on the drawing
    thread. What a sampler raises comes out at the end of the block, when all that it drew before has been handed out.
    """

    def __init__(self, orders: Sequence[Order], keep: Callable[[Sampler, Sample], Attempt | None]) -> None:
        self._orders = orders
        self._keep = keep
        self._drawn: queue.Queue[Attempt | _End | None] = queue.Queue(AHEAD)
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._draw, name="sampler", daemon=True)
        self._keeping = threading.Lock()
        self._late = False  # nothing may be written down any more
        self.finished = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop.set()
        for order in self._orders:
            if isinstance(order.sampler, Stoppable):
                order.sampler.stop()
        self._thread.join(_STOP_S)  # in which what is ready is written down
        held = self._keeping.acquire(timeout=_STOP_S)  # what is being written down is finished; nothing follows
        self._late = True
        if held:
            self._keeping.release()
        if kind is None and self._error is not None:
            raise self._error

    def burst(self) -> Iterator[Attempt | None]:
        """Attempts while they keep coming, None for samples that failed; `finished` tells a pause from the end.

        Behind a pause Lean is given no more until it is done with what it has: while a sampler is slower than Lean, its
        hosts wait for each other once a burst.
        """
        timeout: float | None = None
        while True:
            try:
                attempt = self._drawn.get(timeout=timeout)
            except queue.Empty:
                return
            if isinstance(attempt, _End):
                self.finished = True
                return
            yield attempt
            timeout = _PAUSE_S

    def _draw(self) -> None:
        try:
            for order in self._orders:
                self._fill(order)
        except BaseException as error:  # for whoever waits on the other side
            self._error = error
        finally:
            self._put(_End.END)

    def _fill(self, order: Order) -> None:
        samples = order.sampler.sample(self._until_stopped(order.requests))
        try:
            for sample in samples:
                self._take(order.sampler, sample)
        finally:
            if isinstance(samples, Generator):
                samples.close()

    def _until_stopped(self, requests: Iterable[Request]) -> Iterator[Request]:
        for request in requests:
            if self._stop.is_set():
                return
            yield request

    def _take(self, sampler: Sampler, sample: Sample) -> None:
        """Write a sample down, unless it is too late for that, and pass it on."""
        with self._keeping:
            attempt = None if self._late else self._keep(sampler, sample)
        self._put(attempt)

    def _put(self, attempt: Attempt | _End | None) -> None:
        """Once it is to stop, nobody judges any more: the next session does."""
        while not self._stop.is_set():
            try:
                self._drawn.put(attempt, timeout=_PAUSE_S)
            except queue.Full:
                continue
            return
