"""How completions are drawn, whoever draws them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pythagoras.errors import InputError


@dataclass(frozen=True, slots=True)
class Sampling:
    """The defaults are the field's and the paper's: 30,000 new tokens."""

    temperature: float = 1.0
    top_p: float = 0.95
    max_tokens: int = 30_000

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < math.inf:
            raise InputError(f"a temperature of {self.temperature} is none: give 0 (the likeliest token) or more")
        if not 0 < self.top_p <= 1:
            raise InputError(f"a top_p of {self.top_p} is none: give more than 0, and 1 at most")
        if self.max_tokens < 1:
            raise InputError(f"{self.max_tokens} new tokens make no completion: give 1 or more")


DEFAULT_SAMPLING = Sampling()
