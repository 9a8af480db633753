"""Drawing the next token: each row by its own random numbers, so that what it becomes does not depend on its batch.

A random number is a function of a request's seed and of the token's place (a counter-based generator, SplitMix64's
mixing function on a mixed seed), and chooses where it falls among the summed probabilities. With `top_p` a token from
outside of the nucleus is drawn again by the next number for that place: nothing is sorted, which would take as long as
a small model's whole step. Tokens as likely as the last one of the nucleus belong to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pythagoras.llm.sampling import Sampling

if TYPE_CHECKING:
    import numpy
    from torch import Tensor

    Integers = numpy.ndarray[Any, numpy.dtype[numpy.uint64]]
    Floats = numpy.ndarray[Any, numpy.dtype[numpy.float64]]

_WORD = 2**64
_STEP = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_TRY = 2**40
"""Numbers of one try, more than any completion has tokens."""
_BITS = 53
"""Of a uniform number: as many as a double holds."""


def keys(seeds: list[int]) -> Integers:
    """What the random numbers of requests are made of: neighbouring seeds have nothing in common."""
    import numpy

    return _mixed(numpy.array([seed % _WORD for seed in seeds], dtype=numpy.uint64))


def uniforms(key: Integers, place: Integers, again: int = 0) -> Floats:
    """A number from 0 to less than 1 for each key and place; other ones when drawn again."""
    import numpy

    counter = (place + numpy.uint64(again * _TRY + 1)) * numpy.uint64(_STEP)
    return (_mixed(key + counter) >> numpy.uint64(64 - _BITS)).astype(numpy.float64) * 2.0**-_BITS


def drawn(logits: Tensor, key: Integers, place: Integers, sampling: Sampling) -> Tensor:
    """The next token of each row."""
    if sampling.temperature == 0:
        return logits.argmax(-1)
    chances = (logits.float() / sampling.temperature).softmax(-1)
    sums = chances.double().cumsum(-1)
    tokens = _chosen(sums, uniforms(key, place))
    if sampling.top_p == 1:
        return tokens
    rows = _outside(chances, tokens, sampling.top_p).nonzero()[:, 0]
    again = 0
    while len(rows):
        again += 1
        at = rows.cpu().numpy()
        tokens[rows] = _chosen(sums[rows], uniforms(key[at], place[at], again))
        rows = rows[_outside(chances[rows], tokens[rows], sampling.top_p)]
    return tokens


def _chosen(sums: Tensor, uniform: Floats) -> Tensor:
    """The first token whose summed probability is beyond the random number."""
    import torch

    wanted = torch.from_numpy(uniform).to(sums.device)[:, None] * sums[:, -1:]
    return torch.searchsorted(sums, wanted, right=True)[:, 0].clamp_(max=sums.shape[1] - 1)


def _outside(chances: Tensor, tokens: Tensor, top_p: float) -> Tensor:
    """Where likelier tokens have that share of the probability without it."""
    likelier = chances > chances.gather(1, tokens[:, None])
    return (chances * likelier).sum(-1) >= top_p


def _mixed(words: Integers) -> Integers:
    import numpy

    words = (words ^ (words >> numpy.uint64(30))) * numpy.uint64(_FIRST)
    words = (words ^ (words >> numpy.uint64(27))) * numpy.uint64(_SECOND)
    return words ^ (words >> numpy.uint64(31))
