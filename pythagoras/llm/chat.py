"""The role of a chat backend: prompts in, completions out as they are ready.

What a model is and how it samples belongs to the backend; a request is a prompt and a seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: str
    content: str

    def as_dict(self) -> dict[str, str]:
        return {"role": self.role, "content": self.content}


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One completion that is wanted."""

    number: int
    """What whoever asks knows it by."""
    prompt: tuple[Message, ...] | str
    """Turns of a chat, or raw text that the model goes on with."""
    seed: int | None = None


class Ending(StrEnum):
    """How a completion ended."""

    STOP = "stop"
    LENGTH = "length"
    """At the limit of tokens."""
    FAILED = "failed"
    """There is none."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What came of a request."""

    request: ChatRequest
    text: str
    ending: Ending = Ending.STOP
    prompt_tokens: int | None = None
    """As the model's server counts; None where it does not say."""
    generated_tokens: int | None = None
    cached_tokens: int = 0
    """Of the prompt's tokens, those that were not computed again."""
    seconds: float = 0.0
    """From the first try to the answer."""
    failure: str = ""
    """Why there is no text, when `ending` says so. One line."""
    from_cache: bool = False
    """Whether it was paid for before. Then tokens and seconds are what it took that time."""


class ChatBackend(Protocol):
    """Whatever answers prompts."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """All that an answer depends on besides prompt and seed, JSON-ready: what it is cached and recorded by."""
        ...

    def complete(self, requests: Iterable[ChatRequest]) -> Iterator[Completion]:
        """A completion for each request, in whatever order they are ready. Requests are read as there is room for them.

        What fails comes out as `Ending.FAILED`; only what makes every request pointless raises.
        """
        ...


@runtime_checkable
class Stoppable(Protocol):
    """A backend that waits for somebody else, and can be told not to. Both are called on another thread."""

    def stop(self) -> None:
        """Let `complete` hand out what is ready, and end."""
        ...

    def close(self) -> None:
        """End the connections. Safe to call twice."""
        ...
