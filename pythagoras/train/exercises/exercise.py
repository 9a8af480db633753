"""What an exercise is: a theorem and its proof, made together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

T = TypeVar("T")
_LONG = 100


@dataclass(frozen=True, slots=True)
class Exercise:
    """A theorem without a name, and its proof."""

    binders: tuple[str, ...]
    """With their brackets."""
    goal: str
    proof: str
    """A term, or `by` and tactics."""

    def statement(self, name: str) -> str:
        """Up to its `:=`; a long one with binders and goal on lines of their own."""
        line = " ".join(("theorem", name, *self.binders, ":", self.goal))
        if len(line) <= _LONG:
            return line
        return "\n    ".join((f"theorem {name}", *self.binders)) + f" :\n    {self.goal}"


def pick(rng: Random, choices: Sequence[T]) -> T:
    return choices[int(rng.random() * len(choices))]


def tactics(*lines: str) -> str:
    """A proof by these lines; a single one stands behind its `by`."""
    return f"by {lines[0]}" if len(lines) == 1 else "by\n" + "\n".join(indented(lines))


def indented(lines: Iterable[str], by: int = 2) -> list[str]:
    return [" " * by + line for line in lines]


def bullet(lines: Sequence[str]) -> list[str]:
    """Lines that prove one of several goals."""
    return [f"· {lines[0]}", *indented(lines[1:])]
