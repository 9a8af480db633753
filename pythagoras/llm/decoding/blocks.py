"""Completions in blocks: those of a diffusion model, which fills in what is masked, several tokens at a time.

A block begins masked. Each pass through the model gives a token for every masked place, and some of them are committed:
those that the model is sure of and the first, whose left side is all known, or the surest of a share. What is committed
stays; what is not is masked again, and drawn anew by the next pass. Behind its last token the block is read once more
as it is, in the same pass that looks at the next block for the first time, and its keys and values stay.

The token at a place is predicted behind the one before it, so that the first one of a block needs no pass of its own.

Blocks may slide: then each begins where the known tokens end, and these are read by the next pass, whether or not the
block was full. What is read is predicted as the autoregressive model would, too, each token by what is before it; so
tokens that were drawn beside each other can be checked at no cost, and one that is unlikely is drawn again.

A completion may be given in part: then only the holes are filled, by no token that ends it, and what is between them
stays; nothing of it is checked.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pythagoras.errors import InputError
from pythagoras.llm.decoding import draws
from pythagoras.llm.decoding.decoder import RowDecoder, Watch, compacted
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

    size: int = 0
    """Tokens of a block. 0: as many as the model was trained with."""
    threshold: float = 0.9
    """A token is committed when the model gives it so much probability."""
    steps: int = 0
    """In the place of that: each block takes so many passes, and each commits the surest of its share. 0: not so."""
    first: int = 0
    """Tokens of the first block: behind one that a single pass filled comes one of twice its size. 0: as the others."""
    slides: bool = False
    """Whether a block begins wherever the known tokens end."""
    check: float = 0.0
    """With `slides`: tokens that are less likely behind what is before them are drawn again. 0: none is looked at."""

    def __post_init__(self) -> None:
        if min(self.size, self.first) < 0:
            raise InputError(f"a block of {min(self.size, self.first)} tokens is none: give 1 or more")
        if self.first > self.size > 0:
            raise InputError(f"the first block, {self.first} tokens, is larger than others, {self.size}: give less")
        if not 0 < self.threshold <= 1:
            raise InputError(f"a threshold of {self.threshold} is none: give more than 0, and 1 at most")
        if self.steps < 0:
            raise InputError(f"{self.steps} passes a block are none: give 1 or more, or 0 to go by the threshold")
        if not 0 <= self.check < 1:
            raise InputError(f"a check at {self.check} is none: give 0 or more, and less than 1")
        if self.slides and self.steps:
            raise InputError("blocks that slide have no number of passes: leave one of the two out")
        if self.check and not self.slides:
            raise InputError("only blocks that slide can be checked: let them slide")


DEFAULT_BLOCKS = Blocks()


@dataclass(slots=True)
class _Row:
    """A completion that is being written."""

    request: TokenRequest
    ends: Callable[[int], bool] | None
    limit: int
    reused: int
    seconds: float
    left: list[int | None]
    """Of what was given, what is behind the block."""
    size: int
    """Of the next block."""
    first: Tensor
    """Logits of the block's first place."""
    block: list[int | None] = field(default_factory=list)
    """The block that is being filled: None where it is masked."""
    tokens: list[int] = field(default_factory=list)
    """What is known before it."""
    unread: int = 0
    """Of these, the last ones that the network has not read."""
    told: int = 0
    """Tokens that were looked at for the end."""
    passes: int = 0
    in_block: int = 0
    """Passes of this block."""
    ended: bool | None = None
    """None while it goes on; then whether it ended by itself."""


class BlockDecoder(RowDecoder):
    """Writes several tokens at a time, with a diffusion model."""

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
        """`mask` stands where a token is hidden."""
        if not blocks.size:
            raise InputError("blocks of no size: say how many tokens they have")
        super().__init__(model, ends, sampling, batch=batch, watch=watch, network=network, room=blocks.size)
        self._mask = mask
        self._blocks = blocks

    def _steps(self, waiting: Iterator[TokenRequest]) -> Iterator[Decoded]:
        going = self._network.rows()
        rows: list[_Row] = []
        clock = 0.0
        while not self._stopped.is_set():
            if any(row.ended is not None for row in rows):  # before others enter, so that their places are free
                ended = [row for row in rows if row.ended is not None]
                stay = compacted([row.ended is None for row in rows])
                going.keep(stay)
                rows = [rows[at] for at in stay]
                for row in ended:
                    yield Decoded(
                        row.request, tuple(row.tokens), bool(row.ended), row.reused, row.seconds + clock, row.passes
                    )
            began = time.monotonic()
            if new := self._entering(waiting, len(rows)):
                limits = list(map(self._limit, new))
                prefixes, reused = self._prompts.read([request.prompt for request in new])
                going.add(prefixes)
                share = (time.monotonic() - began) / len(new)
                begun = [
                    _Row(
                        request,
                        self._watch() if self._watch else None,
                        limit,
                        known,
                        share - clock,
                        list(request.given),
                        self._smallest,
                        prefix.logits,
                    )
                    for request, limit, prefix, known in zip(new, limits, prefixes, reused, strict=True)
                ]
                self._commit_first(begun)
                rows += begun
                if any(row.ended is not None for row in begun):
                    continue
                began = time.monotonic()
            if not rows:
                return
            self._pass(going, rows)
            clock += (time.monotonic() - began) / len(rows)

    @property
    def _smallest(self) -> int:
        return self._blocks.first or self._blocks.size

    def _begin_block(self, row: _Row) -> None:
        """What is in a block that slid stays there. Such a block has no place behind the end."""
        row.in_block = 0
        size = row.size
        if self.context is not None:
            size = min(size, self.context - len(row.request.prompt) - len(row.tokens))
        if self._blocks.slides:
            if self._ends.intersection(row.tokens[len(row.tokens) - row.unread :]):
                return
            ends = [at for at, one in enumerate(row.block) if one in self._ends]
            size = ends[0] + 1 if ends else min(size, row.limit - len(row.tokens))
            row.block = row.block[: max(0, size)]
        missing = max(0, size - len(row.block))
        taken, row.left = row.left[:missing], row.left[missing:]
        row.block += [*taken, *[None] * (missing - len(taken))]

    def _commit_first(self, rows: Sequence[_Row]) -> None:
        """Draw the first tokens of completions that begin, for which nothing has to be looked at."""
        for row in rows:
            self._begin_block(row)
        self._commit(rows, [{0: row.first} if row.block[0] is None else {} for row in rows])

    def _pass(self, going: Any, rows: Sequence[_Row]) -> None:
        """All rows through the model once; each commits some of its tokens."""
        given = [
            [*row.tokens[len(row.tokens) - row.unread :], *(self._mask if one is None else one for one in row.block)]
            for row in rows
        ]
        looked = going.look(given, [row.unread for row in rows])
        right = [self._right(row, logits) for row, logits in zip(rows, looked, strict=True)]
        going.write(right)
        found: list[dict[int, Tensor]] = []
        for row, logits, kept in zip(rows, looked, right, strict=True):
            if kept:
                row.first = logits[kept - 1]
            masked = [at for at, one in enumerate(row.block) if one is None]
            if kept < row.unread:  # all behind what was wrong is as if it had not been looked at
                row.tokens = row.tokens[: len(row.tokens) - row.unread + kept]
                row.size = max(row.size // 2, self._smallest)
                row.block, row.in_block, masked = [None], 1, [0]
            behind = logits[row.unread :]
            row.unread = 0
            row.passes += 1
            row.in_block += 1
            found.append({at: behind[at - 1] if at else row.first for at in masked})
        self._commit(rows, found)

    def _right(self, row: _Row, logits: Tensor) -> int:
        """How many of the unread tokens stay. The first was drawn behind all that is before it."""
        if not self._blocks.check or row.unread < 2 or row.request.given:
            return row.unread
        import torch

        own = torch.tensor(row.tokens[1 - row.unread :], device=logits.device)
        with torch.inference_mode():
            chances = logits[: row.unread - 1].softmax(-1).gather(1, own[:, None])[:, 0]
        wrong = (chances < self._blocks.check).nonzero()
        return int(wrong[0]) + 1 if len(wrong) else row.unread

    def _commit(self, rows: Sequence[_Row], found: Sequence[dict[int, Tensor]]) -> None:
        """Draw a token for each place, and keep some."""
        import numpy
        import torch

        counts = [len(one) for one in found]
        if any(counts):
            with torch.inference_mode():
                logits = torch.stack([one for own in found for one in own.values()])
                logits[:, self._mask] = -torch.inf  # nothing is written as hidden
                if any(row.request.given for row in rows):
                    holes = [
                        len(row.tokens) + at < len(row.request.given)
                        for row, own in zip(rows, found, strict=True)
                        for at in own
                    ]
                    ends = torch.tensor(sorted(self._ends), device=logits.device)
                    logits[torch.tensor(holes, device=logits.device).nonzero(), ends] = -torch.inf
                owners = numpy.repeat(numpy.arange(len(rows)), counts)
                key = draws.keys([row.request.seed for row in rows])[owners]
                begins = numpy.array([row.passes * _PASS + len(row.tokens) for row in rows], dtype=numpy.uint64)
                places = numpy.array([at for own in found for at in own], dtype=numpy.uint64)
                tokens = draws.drawn(logits, key, begins[owners] + places, self._sampling)
                sure = logits.softmax(-1).gather(1, tokens[:, None])[:, 0]
            drawn, chances = iter(tokens.tolist()), iter(sure.tolist())
        for row, own in zip(rows, found, strict=True):
            new = [(at, next(drawn), next(chances)) for at in own]
            for chosen in self._chosen(row, [chance for _, _, chance in new]):
                row.block[new[chosen][0]] = new[chosen][1]
            self._go_on(row)

    def _chosen(self, row: _Row, chances: Sequence[float]) -> list[int]:
        """Numbers of the drawn tokens that are committed."""
        if row.in_block == 0 or not self._blocks.steps:
            return [at for at, one in enumerate(chances) if at == 0 or one >= self._blocks.threshold]
        left = max(1, self._blocks.steps - row.in_block + 1)
        surest = sorted(range(len(chances)), key=lambda at: -chances[at])
        return surest[: -(-len(chances) // left)]

    def _go_on(self, row: _Row) -> None:
        """See how far the completion is known: it may have ended, and what is known makes room for the next block."""
        while row.ended is None:
            known = [one for one in itertools.takewhile(lambda one: one is not None, row.block) if one is not None]
            whole = len(known) == len(row.block)
            if whole or self._blocks.slides:
                row.size = self._next_size(row, whole=whole)
                row.tokens += known
                row.unread += len(known)
                row.block = row.block[len(known) :]
                known = []
            self._tell(row, known)
            if row.ended is None and (whole or self._blocks.slides):
                self._begin_block(row)
            if not row.block or row.block[0] is None or not (whole or self._blocks.slides):
                return

    def _next_size(self, row: _Row, *, whole: bool) -> int:
        if whole and row.in_block == 1:
            return min(2 * row.size, self._blocks.size)
        return row.size

    def _tell(self, row: _Row, known: Sequence[int]) -> None:
        """Look for the end among the tokens that are known and stay."""
        unsure = max(0, row.unread - 1) if self._blocks.check and not row.request.given else 0
        tokens = [*row.tokens[: len(row.tokens) - unsure], *known]
        for token in tokens[row.told :]:
            row.told += 1
            if token in self._ends or (row.ends is not None and row.ends(token)):
                row.ended = True
            elif row.told >= row.limit:
                row.ended = False
            if row.ended is not None:
                row.tokens = tokens[: row.told]
                return
