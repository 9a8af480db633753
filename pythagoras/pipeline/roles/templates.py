"""Prompts of the roles, from `prompts/*.toml`: a system's turn and a user's, with places for a task's fields.

A place that has a line of its own (`{problem}`, or `{statement:lean4}` to name a language) becomes a block between
fences, one inside of a line becomes a line. Fields are strangers' texts: fences are longer than any inside of them,
what is put in is not expanded again, and special tokens of chats are broken up.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.resources
import re
import tomllib
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from pythagoras.errors import InputError
from pythagoras.llm.chat import Message
from pythagoras.pipeline.roles.role import RoleName

_PLACE = re.compile(r"^\{([a-z_]+)(?::(\w+))?\}$|\{([a-z_]+)\}", re.MULTILINE)
_BACKTICKS = re.compile(r"`+")
_SPECIAL = re.compile(r"<(?=[|｜][\w▁-]{1,64}[|｜]>|/?(?:s|bos|eos|start_of_turn|end_of_turn|think)>)|\[(?=/?INST\])")
_LINE = 2_000
"""Characters of a field inside of a line."""


class Template(BaseModel):
    """A role's prompt: what its file says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    system: str
    user: str

    @property
    def places(self) -> frozenset[str]:
        return frozenset(place[1] or place[3] for place in _PLACE.finditer(f"{self.system}\n{self.user}"))


@functools.cache
def template(role: RoleName) -> Template:
    """The prompt of a role."""
    file = importlib.resources.files(__package__) / "prompts" / f"{role.value}.toml"
    return Template.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))


def named(name: str, *prompts: Template) -> str:
    """A name that changes when a word of the prompts does."""
    words = "".join(prompt.model_dump_json() for prompt in prompts)
    return f"{name}-{hashlib.sha256(words.encode()).hexdigest()[:16]}"


def render(role: RoleName, fields: Mapping[str, str]) -> tuple[Message, ...]:
    """The turns that a model is shown in a role. Raises InputError when a field is missing."""
    return turns(role.value, template(role), fields)


def turns(name: str, prompt: Template, fields: Mapping[str, str]) -> tuple[Message, ...]:
    """The same for any prompt, by the name that errors call it."""
    if missing := sorted(prompt.places - set(fields)):
        raise InputError(f"the prompt {name} can't be filled: its task has no {', '.join(missing)}; give it")
    return (
        Message("system", _filled(prompt.system, fields).strip()),
        Message("user", _filled(prompt.user, fields).strip()),
    )


def _filled(text: str, fields: Mapping[str, str]) -> str:
    """All places in one pass, so that what is put in can't have places of its own."""
    return _PLACE.sub(lambda place: _block(fields[place[1]], place[2]) if place[1] else _line(fields[place[3]]), text)


def _block(text: str, language: str | None) -> str:
    text = _harmless(text).strip("\n")
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language or ''}\n{text or '(empty)'}\n{fence}"


def _line(text: str) -> str:
    return " ".join(_harmless(text)[:_LINE].split())


def _harmless(text: str) -> str:
    text = text.encode(errors="replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    return _SPECIAL.sub(lambda token: f"{token[0]} ", text)
