"""Formalising by rules: read the English, write the Lean."""

from __future__ import annotations

from collections.abc import Mapping

from pythagoras.language.english import read_english
from pythagoras.language.lean_writer import write_lean
from pythagoras.language.reading import NotRead


def answer(fields: Mapping[str, str], number: int = 0, seed: int = 0) -> str:
    """A block of Lean with the statement of `problem`, under `name`. There is one reading, whatever number and seed."""
    try:
        statement = write_lean(read_english(fields["problem"]), fields["name"])
    except NotRead as error:
        return f"CAN'T: {error}"
    return f"```lean4\n{statement} := by sorry\n```"
