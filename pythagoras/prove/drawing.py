"""A sampler at work on a thread of its own, so that Lean judges while it writes, or is still being opened."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Self, TypeAlias

from pythagoras.corpus.records import Formalisation
from pythagoras.generate.sampler import Request, Sample, Sampler, Stoppable
from pythagoras.prove.errand import Over
from pythagoras.prove.judges import Urgency
from pythagoras.prove.later import Later

AHEAD = 64
"""Samples that wait for judging at most: a sampler that is faster than Lean is held back."""
_PAUSE_S = 0.2

Tell: TypeAlias = Callable[["Drawing", Sample | BaseException | None], None]
"""Is told each sample, then None or what the sampler raised. Called on the drawing thread."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a sampler is to write."""

    goal: Formalisation
    attempts: int
    seed: int
    urgency: Urgency
    """With which it is judged."""


class Drawing:
    """Attempts of one sampler at one statement. `busy` is held while it draws: no sampler writes for two at a time."""

    def __init__(self, name: str, sampler: Later[Sampler], wanted: Wanted, tell: Tell, busy: threading.Lock) -> None:
        """`name` is what the sampler is called until it is open."""
        self.name = name
        self.urgency = wanted.urgency
        self._sampler = sampler
        self._wanted = wanted
        self._tell = tell
        self._busy = busy
        self._ended = threading.Event()
        self._room = threading.Semaphore(AHEAD)
        self._at_work: Sampler | None = None

    def start(self) -> Self:
        threading.Thread(target=self._run, name=f"drawing-{self.name}", daemon=True).start()
        return self

    @property
    def is_opening(self) -> bool:
        return not self._sampler.is_open

    def settle(self) -> None:
        """A sample has been judged: there is room for another."""
        self._room.release()

    def end(self) -> None:
        """Draw nothing more, and tell nothing. Waits for nothing; what comes next waits until it has noticed."""
        self._ended.set()
        sampler = self._at_work
        if isinstance(sampler, Stoppable):
            sampler.stop()

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            sampler = self._sampler.start().result()
            with self._busy:
                self._draw(sampler)
        except Over:
            return
        except BaseException as raised:  # for whoever waits on the other side
            error = raised
        if not self._ended.is_set():
            self._tell(self, error)

    def _draw(self, sampler: Sampler) -> None:
        self._at_work = sampler
        self.name = sampler.name
        samples = sampler.sample(self._requests(sampler))  # from here on `stop` means this call
        try:
            for sample in samples:
                while not self._room.acquire(timeout=_PAUSE_S):
                    if self._ended.is_set():
                        return
                if self._ended.is_set():
                    return
                self._tell(self, sample)
        finally:
            self._at_work = None
            if isinstance(samples, Generator):
                samples.close()

    def _requests(self, sampler: Sampler) -> Iterator[Request]:
        wanted = self._wanted
        for number in range(wanted.attempts if sampler.most is None else min(wanted.attempts, sampler.most)):
            if self._ended.is_set():
                return
            yield Request(wanted.goal, number, seed=seed_of(wanted.seed, wanted.goal, number))


def seed_of(seed: int, goal: Formalisation, number: int) -> int:
    """63 bits for one attempt at a statement: the same however many others are made."""
    text = f"{seed} {goal.context}\n{goal.text} {number}"
    return int.from_bytes(hashlib.blake2b(text.encode(errors="replace"), digest_size=8).digest(), "big") >> 1
