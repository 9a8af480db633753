"""What models cost: requests, tokens, seconds and money. Only what was paid for counts, not what came from a cache."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from pythagoras.errors import InputError
from pythagoras.llm.chat import Completion, Ending

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """For a million tokens, in whatever currency."""

    prompt: float = 0.0
    generated: float = 0.0
    cached: float | None = None
    """Tokens of the prompt that the server did not compute again. None: as much as the others."""

    def __post_init__(self) -> None:
        for price in (self.prompt, self.generated, self.cached or 0.0):
            if not price >= 0:
                raise InputError(f"a price of {price:g} is none: give 0 or more for a million tokens")

    def of(self, prompt_tokens: int, generated_tokens: int, cached_tokens: int) -> float:
        """What so many tokens cost; the cached ones are among the prompt's."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = prompt_tokens - cached_tokens
        return (fresh * self.prompt + cached_tokens * cached + generated_tokens * self.generated) / _MILLION


FREE = Prices()


@dataclass(frozen=True, slots=True)
class Spent:
    """What requests took. Two of them add up."""

    requests: int = 0
    """All that were answered, in whatever way."""
    from_cache: int = 0
    """Of these, the ones that cost nothing: an answer was known."""
    failed: int = 0
    """Of these, the ones without an answer."""
    untold: int = 0
    """Of these, the ones whose server did not say how many tokens they took: they are missing below."""
    prompt_tokens: int = 0
    generated_tokens: int = 0
    cached_tokens: int = 0
    """Of the prompt's tokens, those that the server did not compute again."""
    cost: float = 0.0
    seconds: float = 0.0
    """Added up over requests, though they run side by side."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def spent_on(completion: Completion, prices: Prices = FREE) -> Spent:
    """What one completion took."""
    if completion.from_cache:
        return Spent(requests=1, from_cache=1)
    if completion.ending is Ending.FAILED:
        return Spent(requests=1, failed=1, seconds=completion.seconds)
    prompt_tokens, generated_tokens = completion.prompt_tokens or 0, completion.generated_tokens or 0
    return Spent(
        requests=1,
        untold=int(completion.prompt_tokens is None or completion.generated_tokens is None),
        prompt_tokens=prompt_tokens,
        generated_tokens=generated_tokens,
        cached_tokens=completion.cached_tokens,
        cost=prices.of(prompt_tokens, generated_tokens, completion.cached_tokens),
        seconds=completion.seconds,
    )


class Account:
    """What has been spent so far, whichever thread spends it."""

    def __init__(self, prices: Prices = FREE) -> None:
        self._prices = prices
        self._lock = threading.Lock()
        self._spent = Spent()

    @property
    def spent(self) -> Spent:
        return self._spent

    def note(self, completion: Completion) -> None:
        """Add what a completion took."""
        more = spent_on(completion, self._prices)
        with self._lock:
            self._spent += more
