"""Choosing by name, with a helpful word for a wrong one."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TypeVar

from pythagoras.errors import InputError

T = TypeVar("T")


def choose(what: str, name: str, choices: Mapping[str, T], *, beside: str = "") -> T:
    """`choices[name]`, or an InputError that lists the names and guesses the one that was meant.

    `beside` says what else than a name would do.
    """
    if name in choices:
        return choices[name]
    near = difflib.get_close_matches(name, choices, n=1)
    guess = f"did you mean {near[0]!r}? " if near else ""
    other = f", or {beside}" if beside else ""
    raise InputError(f"no {what} is called {name!r}: {guess}choose one of {', '.join(sorted(choices))}{other}")
