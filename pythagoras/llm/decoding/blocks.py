"""Completions in blocks: those of a diffusion model, which fills in what is masked, several tokens at a time.

A block begins masked. Each pass through the model gives a token for every masked place, and some of them are committed:
those that the model is sure of, and in any case the first, whose left side is all known. What is committed stays; what
is not is masked again, and drawn anew by the next pass. Behind its last token the block is read once more as it is, in
the same pass that looks at the next block for the first time, and its keys and values stay.

The token at a place is predicted behind the one before it, so that the first one of a block needs no pass of its own.

A completion may be given in part: then only the holes are filled, and what is between them stays.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pythagoras.errors import InputError
from pythagoras.llm.decoding import draws
from pythagoras.llm.decoding.decoder import PromptReader, Watch, by_length, compacted, network_for
from pythagoras.llm.decoding.network import Network
from pythagoras.llm.decoding.tokens import Decoded, TokenRequest
from pythagoras.llm.sampling import DEFAULT_SAMPLING, Sampling

if TYPE_CHECKING:
    from torch import Tensor

_PASS = 2**20
"""Random numbers of a pass: more than a completion has places."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """How a diffusion model writes."""

    size: int = 32
    """Tokens of a block."""
    threshold: float = 0.9
    """A token is committed when the model gives it so much probability."""
    steps: int = 0
    """In the place of that: each block takes so many passes, and each commits the surest of its share. 0: not so."""

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InputError(f"a block of {self.size} tokens is none: give 1 or more")
        if not 0 < self.threshold <= 1:
            raise InputError(f"a threshold of {self.threshold} is none: give more than 0, and 1 at most")
        if self.steps < 0:
            raise InputError(f"{self.steps} passes a block are none: give 1 or more, or 0 to go by the threshold")


@dataclass(slots=True)
class _Row:
    """A completion that is being written."""

    request: TokenRequest
    ends: Callable[[int], bool] | None
    limit: int
    reused: int
    seconds: float
    left: list[int | None]
    """Of what was given, the blocks that have not begun."""
    block: list[int | None]
    """The block that is being filled: None where it is masked."""
    tokens: list[int] = field(default_factory=list)
    """Of the blocks before it."""
    unread: int = 0
    """Of these, the last ones that the network has not read."""
    told: int = 0
    """Tokens whose left side is all known, and that were looked at for the end."""
    passes: int = 0
    in_block: int = 0
    """Passes of this block."""
    first: Tensor | None = None
    """Logits of the block's first place."""
    ended: bool | None = None
    """None while it goes on; then whether it ended by itself."""


class BlockDecoder:
    """A decoder on a diffusion model in this process."""

    def __init__(
        self,
        model: Any,
        ends: Sequence[int],
        mask: int,
        blocks: Blocks,
        sampling: Sampling = DEFAULT_SAMPLING,
        *,
        batch: int = 64,
        watch: Watch | None = None,
        network: Network | None = None,
    ) -> None:
        """`ends` are the tokens that end a completion, `mask` stands where one is hidden; `batch` rows at a time."""
        if batch < 1:
            raise InputError(f"{batch} completions at a time are none: ask for 1 or more")
        self.context: int | None = getattr(model.config, "max_position_embeddings", None)
        self._network = network or network_for(model)
        self._ends = frozenset(ends)
        self._mask = mask
        self._blocks = blocks
        self._sampling = sampling
        self._batch = batch
        self._watch = watch
        self._prompts = PromptReader(self._network)
        self._stopped = threading.Event()

    def refresh(self) -> None:
        self._prompts.forget()
        self._network.refresh()

    def stop(self) -> None:
        """Let the last `decode` end at its next pass, whatever is unfinished. Called on another thread."""
        self._stopped.set()

    def refusal(self, prompt: Sequence[int]) -> str:
        """Why a prompt can't be gone on with; empty where it can."""
        if not prompt:
            return "a prompt without tokens can't be gone on with"
        if self.context is not None and len(prompt) + self._blocks.size > self.context:
            return f"a prompt of {len(prompt):,} tokens leaves no room for a block in the model's {self.context:,}"
        return ""

    def decode(self, requests: Iterable[TokenRequest]) -> Iterator[Decoded]:
        self._stopped.clear()  # at once: whoever stops it before the first pass means this call
        return self._decoded(by_length(requests, self._batch))

    # --- inside --------------------------------------------------------------------------------

    def _decoded(self, waiting: Iterator[TokenRequest]) -> Iterator[Decoded]:
        going = self._network.rows()
        rows: list[_Row] = []
        clock = 0.0
        while not self._stopped.is_set():
            began = time.monotonic()
            if new := list(itertools.islice(waiting, self._batch - len(rows))):
                for request in new:
                    if why := self.refusal(request.prompt):
                        raise InputError(why)
                prefixes, reused = self._prompts.read([request.prompt for request in new])
                going.add(prefixes)
                share = (time.monotonic() - began) / len(new)
                rows += [
                    self._begun(request, prefix.logits, known, share - clock)
                    for request, prefix, known in zip(new, prefixes, reused, strict=True)
                ]
                began = time.monotonic()
            if not rows:
                return
            present = len(rows)
            ended = [row for row in rows if row.ended is not None]
            if ended:
                stay = compacted([row.ended is None for row in rows])
                going.keep(stay)
                rows = [rows[at] for at in stay]
            if rows:
                self._pass(going, rows)
            clock += (time.monotonic() - began) / present
            for row in ended:
                yield Decoded(
                    row.request, tuple(row.tokens), bool(row.ended), row.reused, row.seconds + clock, row.passes
                )

    def _begun(self, request: TokenRequest, first: Tensor, reused: int, seconds: float) -> _Row:
        limits = [self._sampling.max_tokens]
        if request.limit is not None:
            limits.append(request.limit)
        if self.context is not None:
            room = self.context - len(request.prompt)
            limits.append(room - room % self._blocks.size)
        given = list(request.given)
        row = _Row(request, self._watch() if self._watch else None, max(1, min(limits)), reused, seconds, given, [])
        row.first = first
        self._begin_block(row)
        self._commit(row, {0: first} if row.block[0] is None else {})
        self._go_on(row)
        return row

    def _begin_block(self, row: _Row) -> None:
        size = self._blocks.size
        taken, row.left = row.left[:size], row.left[size:]
        row.block = [*taken, *[None] * (size - len(taken))]
        row.in_block = 0

    def _pass(self, going: Any, rows: Sequence[_Row]) -> None:
        """All rows through the model once; each commits some of its tokens."""
        given = [
            [*row.tokens[len(row.tokens) - row.unread :], *(self._mask if one is None else one for one in row.block)]
            for row in rows
        ]
        for row, logits in zip(rows, going.look(given, [row.unread for row in rows]), strict=True):
            if row.unread:
                row.first = logits[row.unread - 1]
            behind = logits[row.unread :]
            row.unread = 0
            row.passes += 1
            row.in_block += 1
            masked = [at for at, one in enumerate(row.block) if one is None]
            assert row.first is not None
            self._commit(row, {at: behind[at - 1] if at else row.first for at in masked})
            self._go_on(row)

    def _commit(self, row: _Row, found: dict[int, Tensor]) -> None:
        """Draw a token for each place, and keep some."""
        import numpy
        import torch

        if not found:
            return
        places = list(found)
        with torch.inference_mode():
            logits = torch.stack(list(found.values()))
            logits[:, self._mask] = -torch.inf  # nothing is written as hidden
            key = draws.keys([row.request.seed] * len(places))
            at = numpy.array(places, dtype=numpy.uint64) + numpy.uint64(row.passes * _PASS + len(row.tokens))
            tokens = draws.drawn(logits, key, at, self._sampling)
            sure = logits.float().softmax(-1).gather(1, tokens[:, None])[:, 0]
            drawn, chances = tokens.tolist(), sure.tolist()
        for chosen in self._chosen(row, chances):
            row.block[places[chosen]] = drawn[chosen]

    def _chosen(self, row: _Row, chances: Sequence[float]) -> list[int]:
        """Numbers of the drawn tokens that are committed."""
        if row.in_block == 0 or not self._blocks.steps:
            return [at for at, one in enumerate(chances) if at == 0 or one >= self._blocks.threshold]
        left = max(1, self._blocks.steps - row.in_block + 1)
        surest = sorted(range(len(chances)), key=lambda at: -chances[at])
        return surest[: -(-len(chances) // left)]

    def _go_on(self, row: _Row) -> None:
        """See how far the completion is known: it may have ended, and blocks that are full make room for the next."""
        while row.ended is None:
            known = [one for one in itertools.takewhile(lambda one: one is not None, row.block) if one is not None]
            for token in known[row.told - len(row.tokens) :]:
                row.told += 1
                if token in self._ends or (row.ends is not None and row.ends(token)):
                    row.ended = True
                elif row.told >= row.limit:
                    row.ended = False
                if row.ended is not None:
                    row.tokens = [*row.tokens, *known][: row.told]
                    return
            if len(known) < len(row.block):
                return
            row.tokens += known
            row.unread += len(known)
            self._begin_block(row)
