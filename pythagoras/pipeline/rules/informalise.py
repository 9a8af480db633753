"""Informalising by rules: read the Lean, say it in English."""

from __future__ import annotations

from collections.abc import Mapping

from pythagoras.language.lean_reader import read_lean
from pythagoras.language.reading import NotRead
from pythagoras.language.spoken import say


def answer(fields: Mapping[str, str], number: int = 0, seed: int = 0) -> str:
    """What `statement` says. There is one way to say it, whatever number and seed."""
    try:
        return say(read_lean(fields["statement"]))
    except NotRead as error:
        return f"CAN'T: {error}"
