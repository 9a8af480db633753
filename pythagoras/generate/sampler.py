"""The role of a sampler: requests in, samples out as they are ready.

A request is one completion that is wanted: the n-th attempt at a statement, or a later round of it, which repairs what
the round before wrote. A sampler says by its `abilities` which repairs it can do; whoever asks looks there first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeVar, runtime_checkable

from pythagoras.corpus.records import Formalisation
from pythagoras.errors import InputError


class Ability(StrEnum):
    """What a sampler can do beyond writing a proof from the statement."""

    TURNS = "turns"
    """Answer to a conversation: its earlier completions, and what was said to them."""
    INFILL = "infill"
    """Write what belongs into a hole of a given proof."""


class Finish(StrEnum):
    """How a completion ended."""

    STOP = "stop"
    """By itself."""
    LENGTH = "length"
    """At the limit of tokens: it may have gone on."""
    FAILED = "failed"
    """There is none: the sampler could not be asked, or did not answer. To be drawn again."""
    NONE = "none"
    """There is none, and never will be: the sampler has no such attempt."""


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier round: what the sampler wrote, and what it was told then."""

    completion: str
    reply: str


@dataclass(frozen=True, slots=True)
class Hole:
    """A proof with a place to be filled: all of the text before and behind it. The sample is the filling alone."""

    before: str
    behind: str
    cut: str = field(default="", compare=False)
    """What stood there, where that is known."""


@dataclass(frozen=True, slots=True)
class Request:
    """One completion that is wanted."""

    goal: Formalisation
    number: int
    """Which attempt, from 0."""
    round: int = 0
    turns: tuple[Turn, ...] = ()
    """The rounds before, oldest first; only for samplers that have `Ability.TURNS`."""
    hole: Hole | None = None
    """Only for samplers that have `Ability.INFILL`."""
    seed: int = 0
    """Differs between attempts and rounds; the same seed and request give the same sample where the sampler can."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What came of a request."""

    request: Request
    text: str
    finish: Finish = Finish.STOP
    prompt_tokens: int = 0
    generated_tokens: int = 0
    cached_tokens: int = 0
    """Of the prompt's tokens, those that were not computed again."""
    seconds: float = 0.0
    failure: str = ""
    """Why there is no text, when `finish` says so. One line."""
    from_cache: bool = False
    """Whether it was drawn, and paid for, before."""


class Numbered(Protocol):
    """Whatever somebody else's request is known by."""

    @property
    def number(self) -> int: ...


class Answering(Protocol):
    """An answer that tells which request it belongs to."""

    @property
    def request(self) -> Numbered: ...


Question = TypeVar("Question")
Answer = TypeVar("Answer", bound=Answering)


def sampled(
    requests: Iterable[Request],
    ask: Callable[[int, Request], Question],
    complete: Callable[[Iterator[Question]], Iterator[Answer]],
    sample: Callable[[Request, Answer], Sample],
) -> Iterator[Sample]:
    """Samples of whoever answers questions in whatever order.

    `ask` makes a question with that number of a request, or raises InputError: then there is a failed sample at once.
    """
    asked: dict[int, Request] = {}
    refused: list[Sample] = []

    def questions() -> Iterator[Question]:
        for number, request in enumerate(requests):
            try:
                question = ask(number, request)
            except InputError as error:
                refused.append(Sample(request, "", Finish.FAILED, failure=str(error)))
                continue
            asked[number] = request
            yield question

    def samples() -> Iterator[Sample]:
        for answer in answers:
            yield from _taken(refused)
            yield sample(asked.pop(answer.request.number), answer)
        yield from _taken(refused)

    answers = complete(questions())  # at once: whoever stops it from now on means this call
    return samples()


def _taken(samples: list[Sample]) -> Iterator[Sample]:
    """Hand out what has come together, and forget it."""
    while samples:
        yield samples.pop(0)


class Sampler(Protocol):
    """Whatever writes attempts. Constructors store; a sampler that holds something open is used in a `with` block."""

    @property
    def name(self) -> str:
        """What people call it: `portfolio`, a model's name."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """All that its samples depend on, JSON-ready: another setting is another sampler."""
        ...

    @property
    def abilities(self) -> frozenset[Ability]: ...

    @property
    def most(self) -> int | None:
        """How many different attempts at a statement it has at all; None: as many as are asked for."""
        ...

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        """A sample for each request, in whatever order they are ready. Requests are read as there is room for them.

        What fails comes out as `Finish.FAILED`; only what makes every request pointless raises.
        """
        ...


@runtime_checkable
class Stoppable(Protocol):
    """A sampler whose samples take long, and that can be told not to wait for them."""

    def stop(self) -> None:
        """Let `sample` hand out what is ready, and end. Called on another thread than the one that draws."""
        ...


@runtime_checkable
class Noting(Protocol):
    """A sampler that knows what it lacks."""

    def notes(self, goals: Sequence[Formalisation]) -> Mapping[str, int]:
        """What can't be used for these statements, or is missing, in words: how often."""
        ...
