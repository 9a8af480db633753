"""What tells benchmark material that must not become training data: CoreBench's canary, wherever and however written.

Nothing is known here of the benchmark's items: who takes the mark off is found by decontamination.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_IDENTIFIER = "6f2c9a41-5d0e-4b7f-9c3a-2e81d7b0546f"
"""Part of CoreBench's canary, and of nothing else."""
_BENCH = r"core[\W_]*bench"
_MARK = re.compile(rf"{_BENCH}.{{0,40}}?canary|canary.{{0,40}}?{_BENCH}|{_IDENTIFIER}", re.IGNORECASE | re.DOTALL)
_NAMED = re.compile(_BENCH, re.IGNORECASE)
_ORIGINS = frozenset({"source", "name", "data_source", "dataset", "benchmark"})
"""Fields that say where a row is from."""
_SIGNS = (b"canary", _IDENTIFIER.encode())


def is_marked_text(text: str) -> bool:
    """Whether a text has the mark. Case, blanks, punctuation and a few words between do not count."""
    lowered = text.encode("utf-8", "surrogatepass").lower()  # ten times as fast as the expression
    return any(sign in lowered for sign in _SIGNS) and _MARK.search(text) is not None


def is_marked_row(row: Mapping[str, Any]) -> bool:
    """Whether any text of a row, however deep, has the mark, or a field that names its origin names CoreBench."""
    found = [*_texts(row)]
    for key, text in found:
        if key in _ORIGINS and _NAMED.search(text, 0, 200):  # a whole Lean file may stand in `source`
            return True
    # All at once is faster; what seems marked is looked at again, text by text.
    return is_marked_text("\n".join([text for _, text in found])) and any(is_marked_text(text) for _, text in found)


def _texts(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every text with the key that it stands under, in lower case; without recursion, as rows may be nested deeply."""
    waiting: list[tuple[str, Any]] = [*row.items()]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, str):
            yield key.lower(), value
        elif isinstance(value, Mapping):
            waiting += [(str(inner), part) for inner, part in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(key, part) for part in value]
