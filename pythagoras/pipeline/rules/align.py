"""Judging alignment by rules: read the problem and what was read back of its statement, and compare what they mean.

The Lean itself is not looked at: a formaliser that misread the problem shall not be judged by its own reading.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pythagoras.language.english import read_english
from pythagoras.language.normal import same
from pythagoras.language.reading import NotRead


def answer(fields: Mapping[str, str], number: int = 0, seed: int = 0) -> str:
    """A verdict on `problem` and `read_back`, with the first discrepancy, whatever number and seed."""
    read = {}
    for name, text in (("problem", "the problem"), ("read_back", "what was read back")):
        try:
            read[name] = read_english(fields[name])
        except NotRead as error:
            return f"CAN'T: {text}: {error}"
    try:
        found = same(read["problem"], read["read_back"])
    except NotRead as error:
        return f"CAN'T: {error}"
    verdict = {"verdict": "same" if found is None else "different", "discrepancy": str(found or "")}
    return json.dumps(verdict, ensure_ascii=False)
