"""What a role is: a prompt in a file, a parser that refuses with a reason, and whoever plays it.

A task is what a player is given, by the names that the prompt has places for. A player answers with text, whether it is
a model behind a prompt or rules; the same parser reads both, so neither gets anything past it that the other could not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class RoleName(StrEnum):
    """The roles, by the names of their prompts' files. Proving is a sampler's business (`pythagoras.generate`)."""

    FORMALISE = "formalise"
    INFORMALISE = "informalise"
    ALIGN = "align"
    DISTIL = "distil"
    VARY = "vary"


class Fault(StrEnum):
    """Why an answer is refused: one closed list for all roles."""

    NO_ANSWER = "no answer"
    """The backend failed, or the text is empty."""
    CUT_OFF = "cut off"
    """It ended at the limit of tokens."""
    NO_BLOCK = "no Lean block"
    SEVERAL_STATEMENTS = "several statements"
    NO_STATEMENT = "no statement"
    """The Lean in it does not state one theorem."""
    HAS_PROOF = "has a proof"
    NO_JSON = "no JSON"
    WRONG_FIELDS = "wrong fields"
    HAS_CODE = "has code"
    """Lean, tactics or backticks where only mathematics in words is wanted."""
    ASKS_WHY = "asks why"
    """A diagnostic question in place of a mathematical one."""
    NO_SOLUTION = "no solution"
    TOO_SHORT = "too short"
    TOO_LONG = "too long"
    REPEATS = "repeats"
    """It says again what it was given, or what it said before."""
    NO_VERDICT = "no verdict"
    CAN_NOT = "can't"
    """The player says itself that it can't do this one."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that is not used."""

    fault: Fault
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One answer that is wanted."""

    fields: Mapping[str, str]
    """What the prompt's places are filled with."""
    number: int = 0
    """Which of several answers to the same fields."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Written:
    """What a player answered."""

    task: Task
    text: str
    failure: str = ""
    """Why there is no text. One line."""
    cut_off: bool = False
    prompt_tokens: int = 0
    generated_tokens: int = 0
    seconds: float = 0.0
    from_cache: bool = False


class Player(Protocol):
    """Whoever plays a role."""

    @property
    def name(self) -> str:
        """What stands in provenances: a model's name, or `rules`."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """All that its answers depend on, JSON-ready."""
        ...

    def write(self, tasks: Iterable[Task]) -> Iterator[Written]:
        """An answer for each task, in whatever order they are ready."""
        ...


@dataclass(frozen=True, slots=True)
class Role(Generic[T]):
    """A prompt with its parser."""

    name: str
    """Of its prompt: for the roles of the pipeline a `RoleName`."""
    parse: Callable[[str, Mapping[str, str]], T | Refused]
    """From an answer and the fields of its task."""
    places: tuple[str, ...] = field(default=())
    """The fields that a task must have."""

    def read(self, written: Written) -> T | Refused:
        """What was answered, or why it is not used."""
        if written.failure or not written.text.strip():
            return Refused(Fault.NO_ANSWER, written.failure)
        if written.cut_off:
            return Refused(Fault.CUT_OFF, f"after {written.generated_tokens} tokens")
        return self.parse(written.text, written.task.fields)
