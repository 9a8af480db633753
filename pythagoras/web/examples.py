"""Theorems to try: a few that tactics close, some that need a search, one that is
false, one that is no Lean. None is from a benchmark."""

from __future__ import annotations

import functools
import importlib.resources
import tomllib

from pydantic import Field

from pythagoras.web.wire import Strict


class Example(Strict):
    """A theorem to pick."""

    title: str = Field(description="What it says, in words.")
    theorem: str = Field(description="Lean, without a proof.")
    group: str = Field(description="What it takes: easy, search; or false, no Lean.")


class _File(Strict):
    example: tuple[Example, ...]


@functools.cache
def examples() -> tuple[Example, ...]:
    """All of them, in the order in which they are shown."""
    text = importlib.resources.files(__package__).joinpath("examples.toml").read_text(encoding="utf-8")
    return _File.model_validate(tomllib.loads(text)).example
