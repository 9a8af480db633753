"""What is masked: whole spans, each with the probability of the sequence's time, and what a masked token weighs.

The paper's equations (1) and (2): a time t from [0, 1] for each sequence, every span masked whole with probability t or
kept whole, structure never masked, and 1/t for a weight. With spans of one token that is masked diffusion as others
know it (MDLM). All else is a switch:

times       `uniform`, or two ways to spread the times of a step: `stratified` (evenly, from one random place on), and
            `antithetic` (in pairs t, 1 - t)
floor       no time is less than this: small ones weigh most and teach least
per_block   a time for each block in the place of one for the sequence; a span has that of the block it begins in
heaviest    a masked token weighs no more than this
structure   in this share of sequences, structure is masked too, token by token: who writes a proof from nothing has to
            write its structure
"""

from __future__ import annotations

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


def draw_times(count: int, how: Noise, rng: numpy.random.Generator) -> Floats:
    """Times for so many sequences, or blocks, of a step."""
    import numpy

    if how.times == "stratified":
        times = (rng.random() + numpy.arange(count) / max(count, 1)) % 1.0
        rng.shuffle(times)
    elif how.times == "antithetic":
        half = rng.random(-(-count // 2))
        times = numpy.concatenate([half, 1 - half])[:count]
        rng.shuffle(times)
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


def corrupt(proofs: Sequence[Proof], how: Noise, block: int, rng: numpy.random.Generator) -> list[Noisy]:
    """The proofs of a step, masked."""
    sizes = [proof.blocks(block) if how.per_block else 1 for proof in proofs]
    times = iter(draw_times(sum(sizes), how, rng).tolist())
    return [
        _masked(proof, [next(times) for _ in range(size)], how, block, rng)
        for proof, size in zip(proofs, sizes, strict=True)
    ]


def masked_at(proof: Proof, time: float, how: Noise, block: int, rng: numpy.random.Generator) -> Noisy:
    """A proof masked at a given time."""
    return _masked(proof, [time], how, block, rng)


def _masked(proof: Proof, times: Sequence[float], how: Noise, block: int, rng: numpy.random.Generator) -> Noisy:
    weights: dict[int, float] = {}
    for unit in units_of(proof, how, rng, block):
        time = times[unit.start // block if how.per_block else 0]
        if rng.random() < time:
            heavy = 1 / time if how.heaviest is None else min(1 / time, how.heaviest)
            for place in unit:
                weights[place] = heavy * (
                    1.0 if place < proof.length else 1 / block
                )  # what fills a block counts little
    return Noisy(proof, weights)
