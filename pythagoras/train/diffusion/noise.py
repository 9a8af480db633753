"""What is masked: whole spans, each with the probability of the sequence's time, and what a masked token weighs.

The paper's equations (1) and (2): a time t from [0, 1] for each sequence, every span masked whole with probability t or
kept whole, structure never masked, and 1/t for a weight. With spans of one token that is masked diffusion as others
know it (MDLM). All else is a switch:

times       `uniform`, or two ways to spread the times of a step: `stratified` (evenly, from one random place on), and
            `antithetic` (in pairs t, 1 - t)
floor       no time is less than this: small ones weigh most and teach least
per_block   a time for each block in the place of one for the sequence; a span has that of the block it begins in
heaviest    a masked token weighs no more than this
copies      so many maskings of each proof, each with its own time: they share one reading of what is clean
structure   in this share of sequences, structure is masked too, token by token: who writes a proof from nothing has to
            write its structure
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pythagoras.train.diffusion.proofs import Proof
from pythagoras.train.settings import Noise

if TYPE_CHECKING:
    import numpy

    Floats = numpy.ndarray[Any, numpy.dtype[numpy.float64]]

_LEAST = 1e-6
"""A time that is 0 masks nothing and would weigh infinitely much."""


@dataclass(frozen=True, slots=True)
class Noisy:
    """A proof with its masked places, and what each of them weighs."""

    proof: Proof
    weights: dict[int, float]
    """Of masked places of the completion; all others are as they were."""
    block: int
    """Tokens of its blocks."""

    @property
    def written(self) -> array[int]:
        return self.proof.written(self.block)


def draw_times(count: int, how: Noise, rng: numpy.random.Generator) -> Floats:
    """Times for so many sequences, or blocks, of a step."""
    import numpy

    if how.times == "stratified":
        times = (rng.random() + numpy.arange(count) / max(count, 1)) % 1.0
    elif how.times == "antithetic":
        half = rng.random(-(-count // 2))
        times = numpy.concatenate([half, 1 - half])[:count]
    else:
        times = rng.random(count)
    return numpy.maximum(how.floor + (1 - how.floor) * times, _LEAST)


def units_of(proof: Proof, how: Noise, rng: numpy.random.Generator, block: int) -> Iterator[range]:
    """What is masked whole: spans or their tokens, the end, and structure where that is masked."""
    for span in proof.spans:
        yield from [span] if how.unit == "tactic" else (range(place, place + 1) for place in span)
    yield range(proof.length - 1, proof.blocks(block) * block)
    if how.structure and rng.random() < how.structure:
        yield from (range(place, place + 1) for place in proof.structure())


def corrupt(
    proofs: Sequence[Proof], how: Noise, blocks: Sequence[int], rng: numpy.random.Generator
) -> list[list[Noisy]]:
    """The maskings of each proof of a step. Each has one of these sizes of blocks."""
    sizes = [[int(rng.choice(blocks)) for _ in range(how.copies)] for _ in proofs]
    needed = [
        [proof.blocks(size) if how.per_block else 1 for size in own] for proof, own in zip(proofs, sizes, strict=True)
    ]
    times = _dealt(needed, how, rng)
    return [
        [_masked(proof, drawn, how, size, rng) for size, drawn in zip(own, dealt, strict=True)]
        for proof, own, dealt in zip(proofs, sizes, times, strict=True)
    ]


def masked_at(proof: Proof, time: float, how: Noise, block: int, rng: numpy.random.Generator) -> Noisy:
    """A proof masked at a given time."""
    return _masked(proof, [time], how, block, rng)


def _dealt(needed: Sequence[Sequence[int]], how: Noise, rng: numpy.random.Generator) -> list[list[list[float]]]:
    """Times for each copy of each proof, so many as it needs. Where times are spread, so are those of a proof."""
    times = iter(draw_times(sum(map(sum, needed)), how, rng).tolist())
    proofs = rng.permutation(len(needed)).tolist()
    found: list[list[list[float]]] = [[[] for _ in own] for own in needed]
    for copy in range(how.copies):
        for proof in proofs:
            found[proof][copy] = [next(times) for _ in range(needed[proof][copy])]
    return found


def _masked(proof: Proof, times: Sequence[float], how: Noise, block: int, rng: numpy.random.Generator) -> Noisy:
    weights: dict[int, float] = {}
    for unit in units_of(proof, how, rng, block):
        time = times[unit.start // block if how.per_block else 0]
        if rng.random() < time:
            heavy = 1 / time if how.heaviest is None else min(1 / time, how.heaviest)
            for place in unit:
                filling = 1.0 if place < proof.length else 1 / block  # what fills a block counts little
                weights[place] = heavy * filling / how.copies
    return Noisy(proof, weights, block)
