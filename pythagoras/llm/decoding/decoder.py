"""Many completions at a time: rows that end leave the batch at once, and waiting requests take their places.

A prompt is read once for all requests that have it, and kept for a while for those that come later. What is waiting is
sorted by length within a window, so that prompts that are read together, and rows that go on together, are about as
long. It decides about tokens alone: what they mean, and where a proof ends, is the asker's business (`watch`).
"""

from __future__ import annotations

import itertools
import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pythagoras.errors import InputError
from pythagoras.llm.decoding import draws
from pythagoras.llm.decoding.network import CachedNetwork, Network, Prefix
from pythagoras.llm.decoding.qwen3 import FusedQwen3, is_fusible
from pythagoras.llm.decoding.tokens import Decoded, TokenRequest
from pythagoras.llm.sampling import DEFAULT_SAMPLING, Sampling

if TYPE_CHECKING:
    from torch import Tensor

Watch = Callable[[], Callable[[int], bool]]
"""Makes for each completion what is told its tokens, one after the other, and says at which of them it ends."""

_READ_TOKENS = 2048
"""Of prompts that are read in one go, blank ones included."""
_KEPT_BYTES = 2**28
"""Of prompts that were read."""
_TOGETHER = 16
"""Free places are filled when a batch has one in so many of them: reading prompts one by one takes longer."""


@dataclass(slots=True)
class _Row:
    """A completion that is being written."""

    request: TokenRequest
    ends: Callable[[int], bool] | None
    limit: int
    reused: int
    seconds: float
    """Its share of what was read, less the clock when it began."""
    tokens: list[int] = field(default_factory=list)


class PromptReader:
    """Reads prompts through a network, and keeps them for a while for those that come later."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._kept: OrderedDict[tuple[int, ...], Prefix] = OrderedDict()

    def forget(self) -> None:
        """The model's weights have changed."""
        self._kept.clear()

    def read(self, prompts: Sequence[tuple[int, ...]]) -> tuple[list[Prefix], list[int]]:
        """Each prompt's prefix, and how many of its tokens were computed for another request."""
        known = {prompt: self._kept[prompt] for prompt in prompts if prompt in self._kept}
        new = sorted({prompt for prompt in prompts if prompt not in known}, key=len)
        for part in _parts(new):
            known.update(zip(part, self._network.read(part), strict=True))
        first = set(new)
        reused = []
        for prompt in prompts:
            reused.append(0 if prompt in first else len(prompt))
            first.discard(prompt)
            self._kept[prompt] = known[prompt]
            self._kept.move_to_end(prompt)
        room = _KEPT_BYTES - sum(prefix.size_bytes for prefix in self._kept.values())
        while room < 0:
            room += self._kept.popitem(last=False)[1].size_bytes
        return [known[prompt] for prompt in prompts], reused


class RowDecoder(ABC):
    """What decoders on a model in this process have in common: requests in, completions out, in any order."""

    def __init__(
        self,
        model: Any,
        ends: Sequence[int],
        sampling: Sampling = DEFAULT_SAMPLING,
        *,
        batch: int = 64,
        watch: Watch | None = None,
        network: Network | None = None,
        room: int = 1,
    ) -> None:
        """`ends` are the tokens that end a completion; `batch` rows are written at a time.

        `network` runs the model in the place of what fits it best. A prompt has to leave so much `room`.
        """
        if batch < 1:
            raise InputError(f"{batch} completions at a time are none: ask for 1 or more")
        self.context: int | None = getattr(model.config, "max_position_embeddings", None)
        """The most tokens that a prompt and its completion have together."""
        self._network = network or network_for(model)
        self._ends = frozenset(ends)
        self._sampling = sampling
        self._batch = batch
        self._watch = watch
        self._room = room
        self._prompts = PromptReader(self._network)
        self._stopped = threading.Event()
        self._decoding = 0
        """How many streams are under way."""

    def refresh(self) -> None:
        if self._decoding:
            raise RuntimeError("the weights changed under completions that are being written: end `decode` first")
        self._prompts.forget()
        self._network.refresh()

    def stop(self) -> None:
        """Let the last `decode` end at its next step, whatever is unfinished. Called on another thread."""
        self._stopped.set()

    def refusal(self, prompt: Sequence[int]) -> str:
        """Why a prompt can't be gone on with; empty where it can."""
        if not prompt:
            return "a prompt without tokens can't be gone on with"
        if self.context is not None and len(prompt) + self._room > self.context:
            return f"a prompt of {len(prompt):,} tokens leaves no room in the model's context of {self.context:,}"
        return ""

    def decode(self, requests: Iterable[TokenRequest]) -> Iterator[Decoded]:
        self._stopped.clear()  # at once: whoever stops it before the first step means this call
        return self._decoded(by_length(requests, self._batch))

    # --- for those that decode -----------------------------------------------------------------

    @abstractmethod
    def _steps(self, waiting: Iterator[TokenRequest]) -> Iterator[Decoded]: ...

    def _entering(self, waiting: Iterator[TokenRequest], present: int) -> list[TokenRequest]:
        """The requests that take free places."""
        free = self._batch - present
        return list(itertools.islice(waiting, free)) if free * _TOGETHER >= self._batch else []

    def _limit(self, request: TokenRequest) -> int:
        """Tokens of a completion at most, what is given of it included. Raises InputError where there is no room."""
        if why := self.refusal(request.prompt):
            raise InputError(why)
        known = sum(token is not None for token in request.given)
        limits = [known + limit for limit in (self._sampling.max_tokens, request.limit) if limit is not None]
        if self.context is not None:
            limits.append(self.context - len(request.prompt))
        return max(1, min(limits))

    def _decoded(self, waiting: Iterator[TokenRequest]) -> Iterator[Decoded]:
        self._decoding += 1
        try:
            yield from self._steps(waiting)
        finally:
            self._decoding -= 1


class BatchDecoder(RowDecoder):
    """Writes token by token."""

    def _steps(self, waiting: Iterator[TokenRequest]) -> Iterator[Decoded]:
        going = self._network.rows()
        rows: list[_Row] = []
        logits: Tensor | None = None
        clock = 0.0
        while not self._stopped.is_set():
            began = time.monotonic()
            if new := self._entering(waiting, len(rows)):
                limits = list(map(self._limit, new))
                prefixes, reused = self._prompts.read([request.prompt for request in new])
                going.add(prefixes)
                share = (time.monotonic() - began) / len(new)
                rows += [
                    _Row(request, self._watch() if self._watch else None, limit, known, share - clock)
                    for request, limit, known in zip(new, limits, reused, strict=True)
                ]
                logits = _below(logits, prefixes)
                began = time.monotonic()
            if logits is None:
                return
            tokens, written = self._draw(rows, logits)
            done = [self._take(row, token) for row, token in zip(rows, written, strict=True)]
            present = len(rows)
            finished: list[_Row] = []
            if any(ended is not None for ended in done):
                finished = [row for row, ended in zip(rows, done, strict=True) if ended is not None]
                kept = compacted([ended is None for ended in done])
                going.keep(kept)
                rows = [rows[at] for at in kept]
                tokens = tokens[kept]
            logits = going.step(tokens) if rows else None
            clock += (time.monotonic() - began) / present
            for row, ended in zip(finished, filter(lambda ended: ended is not None, done), strict=True):
                yield Decoded(row.request, tuple(row.tokens), bool(ended), row.reused, row.seconds + clock)

    def _draw(self, rows: Sequence[_Row], logits: Tensor) -> tuple[Tensor, list[int]]:
        import numpy
        import torch

        key = draws.keys([row.request.seed for row in rows])
        place = numpy.array([len(row.tokens) for row in rows], dtype=numpy.uint64)
        with torch.inference_mode():
            tokens = draws.drawn(logits, key, place, self._sampling)
        return tokens, tokens.tolist()

    def _take(self, row: _Row, token: int) -> bool | None:
        """Whether a row has ended with this token; False at the limit, None when it goes on."""
        row.tokens.append(token)
        if token in self._ends or (row.ends is not None and row.ends(token)):
            return True
        return False if len(row.tokens) >= row.limit else None


def network_for(model: Any) -> Network:
    """What runs a model fastest."""
    return FusedQwen3(model) if is_fusible(model) else CachedNetwork(model)


def by_length(requests: Iterable[TokenRequest], window: int) -> Iterator[TokenRequest]:
    """Requests, sorted within a window; what is read ahead is no more than that."""
    waiting = iter(requests)
    while some := list(itertools.islice(waiting, window)):
        yield from sorted(some, key=lambda request: (len(request.prompt), request.prompt))


def _parts(prompts: Sequence[tuple[int, ...]]) -> Iterator[Sequence[tuple[int, ...]]]:
    """Prompts that are read together. They come sorted by their lengths, so the last one has the most."""
    begun = 0
    for at, prompt in enumerate(prompts):
        if at > begun and (at + 1 - begun) * len(prompt) > _READ_TOKENS:
            yield prompts[begun:at]
            begun = at
    if begun < len(prompts):
        yield prompts[begun:]


def compacted(stays: Sequence[bool]) -> list[int]:
    """Old numbers of the rows that stay: the last ones go where others leave, and all else remains in its place."""
    count = sum(stays)
    moved = (at for at in range(len(stays) - 1, count - 1, -1) if stays[at])
    return [at if stays[at] else next(moved) for at in range(count)]


def _below(logits: Tensor | None, prefixes: Sequence[Prefix]) -> Tensor:
    import torch

    with torch.inference_mode():
        new = torch.stack([prefix.logits for prefix in prefixes])
        return new if logits is None else torch.cat([logits, new])
