"""Headers: the named Lean text that a statement stands on. It is elaborated once in each host and then kept.

A header is named by its id wherever it is referred to; its text is not repeated.
"""

from __future__ import annotations

import functools
import importlib.resources
from collections.abc import Callable
from dataclasses import dataclass

from pythagoras.lookup import choose


@dataclass(frozen=True, slots=True)
class Header:
    """Lean text that comes before a statement."""

    id: str
    text: str


@functools.cache
def core() -> Header:
    """Notations and definitions of competition mathematics over ℕ, ℤ, ℚ, on Lean's own library."""
    return Header(
        "core", (importlib.resources.files(__package__) / "headers" / "core.lean").read_text(encoding="utf-8")
    )


NONE = Header("none", "")
"""Lean's prelude and nothing else."""


_HEADERS: dict[str, Callable[[], Header]] = {"core": core, "none": lambda: NONE}


def header(name: str) -> Header:
    """The header of that id."""
    return choose("header", name, _HEADERS)()
