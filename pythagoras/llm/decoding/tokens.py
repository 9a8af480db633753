"""What decoding takes and gives: prompts as tokens, completions as tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """One completion that is wanted."""

    number: int
    """The asker's own."""
    prompt: tuple[int, ...]
    seed: int = 0
    """The same prompt and seed give the same completion, whatever else is in the batch, but for rounding."""
    limit: int | None = None
    """New tokens at most, where that is less than the decoder allows."""
    given: tuple[int | None, ...] = ()
    """Of the completion, what is known already: None for each token that is wanted. Only for who fills in."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """What came of a request."""

    request: TokenRequest
    tokens: tuple[int, ...]
    """With the token that ended it, if one did."""
    ended: bool
    """False where it ran into the limit of tokens."""
    reused: int = 0
    """Of the prompt's tokens, those that were computed for another request."""
    seconds: float = 0.0
    """Its share of the time of the batches that it was in."""
    passes: int = 0
    """Through the model, its prompt's not counted, where several tokens are written by one."""


class Decoder(Protocol):
    """Whatever completes prompts."""

    def decode(self, requests: Iterable[TokenRequest]) -> Iterator[Decoded]:
        """A completion for each request, in whatever order they are ready; requests are read as there is room.

        Raises InputError for a prompt that leaves no room for a new token.
        """
        ...

    def refresh(self) -> None:
        """The model's weights have changed: forget what was made from the old ones. Not while `decode` is under way."""
        ...
