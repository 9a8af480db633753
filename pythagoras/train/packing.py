"""The examples of a step as tensors: several a row, or one a row and padded; no example ever sees another.

A step's loss is the mean over all tokens that its completions have, however they are laid out; so the layout is a
matter of speed alone. Attention costs the square of a row's length, which speaks for short rows, and padding costs as
much as tokens do, which speaks for full ones (docs/log.md has what was measured).

What keeps examples apart is a 4-D boolean mask with `sdpa`, and positions that begin anew with each example. Eager
attention would ignore such a mask without a word, and `position_ids` alone leak as soon as there is a cache.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from pythagoras.train.examples import Example

if TYPE_CHECKING:
    from torch import Tensor

ROW_TOKENS = 256
"""As far as a row is filled; a longer example has one of its own."""
PART_TOKENS = 1_024
"""Tokens, padding included, that go through the model at a time."""

Row: TypeAlias = Sequence[Example]
Item = TypeVar("Item")


def steps_of(examples: Iterable[Example], tokens: int) -> Iterator[list[Example]]:
    """The examples, in order, cut into steps of at most so many tokens; a longer one is a step of its own."""
    step: list[Example] = []
    room = tokens
    for example in examples:
        if step and len(example.tokens) > room:
            yield step
            step, room = [], tokens
        step.append(example)
        room -= len(example.tokens)
    if step:
        yield step


def laid_out(step: Sequence[Example], *, packed: bool) -> list[list[Row]]:
    """The examples of a step in parts, each a few rows of about the same length."""
    rows = best_fit(step, ROW_TOKENS) if packed else [[example] for example in step]
    rows.sort(key=_length, reverse=True)
    parts: list[list[Row]] = []
    for row in rows:
        if not parts or (len(parts[-1]) + 1) * _length(parts[-1][0]) > PART_TOKENS:
            parts.append([])
        parts[-1].append(row)
    return parts


def best_fit(examples: Sequence[Example], room: int) -> list[Row]:
    """Rows of at most so many tokens: each example, from the longest, goes where it leaves the least room.

    One that is longer than that has a row of its own.
    """
    return list(best_fit_by(examples, room, lambda example: len(example.tokens)))


def best_fit_by(items: Sequence[Item], room: int, size: Callable[[Item], int]) -> list[list[Item]]:
    """The same, for whatever has a size."""
    rows: list[list[Item]] = []
    spaces: list[tuple[int, int]] = []  # what is left in a row, and its number; sorted
    for item in sorted(items, key=size, reverse=True):
        length = size(item)
        at = bisect_left(spaces, (length, -1))
        left, number = spaces.pop(at) if at < len(spaces) else (max(room, length), len(rows))
        if number == len(rows):
            rows.append([])
        rows[number].append(item)
        insort(spaces, (left - length, number))
    return rows


def tensors(rows: Sequence[Row], padding: int) -> dict[str, Tensor]:
    """What the model takes of some rows, and `places` in them (counted through) whose next token is in `targets`.

    There is no mask where causality is enough: rows of one example, padded behind it. Positions of the padding go on
    from the example's: where they began anew, transformers would take each for another example, and make a mask.
    """
    import torch

    width = max(map(_length, rows))
    tokens = torch.full((len(rows), width), padding)
    positions = torch.zeros((len(rows), width), dtype=torch.long)
    owners = torch.full((len(rows), width), -1)  # padding sees padding: a row of the mask without a place is no number
    places: list[Tensor] = []
    targets: list[Tensor] = []
    for number, row in enumerate(rows):
        begin = 0
        for owner, example in enumerate(row):
            own = torch.tensor(example.tokens)
            end = begin + len(own)
            tokens[number, begin:end] = own
            positions[number, begin:] = torch.arange(width - begin)
            owners[number, begin:end] = owner
            learned = max(example.prompt, 1)  # nothing comes before the first token
            places.append(torch.arange(begin + learned - 1, end - 1) + number * width)
            targets.append(own[learned:])
            begin = end
    found = {
        "input_ids": tokens,
        "position_ids": positions,
        "places": torch.cat(places),
        "targets": torch.cat(targets),
    }
    if any(len(row) > 1 for row in rows):
        causal = torch.ones(width, width, dtype=torch.bool).tril()
        found["attention_mask"] = ((owners[:, :, None] == owners[:, None, :]) & causal)[:, None]
    return found


def _length(row: Row) -> int:
    return sum(len(example.tokens) for example in row)
