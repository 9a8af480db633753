"""How requests and completions stand in files: what a request is known by, and a completion as JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from pythagoras.llm.chat import ChatRequest, Completion, Ending, Message


class Answer(BaseModel):
    """A completion without its request."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    ending: Ending
    prompt_tokens: NonNegativeInt | None = None
    generated_tokens: NonNegativeInt | None = None
    cached_tokens: NonNegativeInt = 0
    seconds: float = 0.0
    failure: str = ""

    @classmethod
    def of(cls, completion: Completion) -> Answer:
        return cls(**{name: getattr(completion, name) for name in cls.model_fields})

    def to(self, request: ChatRequest, *, from_cache: bool) -> Completion:
        """The completion that this answers a request with."""
        return Completion(request, **self.model_dump(), from_cache=from_cache)


def prompt_fields(prompt: tuple[Message, ...] | str) -> str | list[dict[str, str]]:
    """A prompt as JSON has it."""
    return prompt if isinstance(prompt, str) else [message.as_dict() for message in prompt]


def request_key(settings: Mapping[str, Any], request: ChatRequest) -> str:
    """A digest of all that an answer depends on."""
    return key_of(settings, prompt_fields(request.prompt), request.seed)


def key_of(settings: Mapping[str, Any], prompt: str | list[dict[str, str]], seed: int | None) -> str:
    """The same, from JSON."""
    content = json.dumps({"settings": settings, "prompt": prompt, "seed": seed}, sort_keys=True)
    return hashlib.sha256(content.encode("ascii")).hexdigest()


def first_words(prompt: tuple[Message, ...] | str, most: int = 60) -> str:
    """How the last thing that is said in a prompt begins, on one line: enough to find it."""
    text = prompt if isinstance(prompt, str) else (prompt[-1].content if prompt else "")
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."
