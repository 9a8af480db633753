"""Stage (i): the same text, by MD5 of the normal informal text and of the alpha-renamed statement.

Finds reformatting, renamed variables and other spellings of numbers. The order of hypotheses counts here; stage (iv)
looks past it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pythagoras.corpus.decontamination.views import Hit, Item, View
from pythagoras.corpus.reasons import Reason

_SHOWN = 80


class SurfaceStage:
    """Equal hashes."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._informal: dict[bytes, str] = {}
        self._formal: dict[bytes, str] = {}
        for item in items:
            if item.view.informal:
                self._informal.setdefault(_md5(item.view.informal), item.label)
            if item.view.formal:
                self._formal.setdefault(_md5(item.view.formal), item.label)

    def find(self, rows: Sequence[View]) -> list[Hit | None]:
        return [self._find(row) for row in rows]

    def _find(self, row: View) -> Hit | None:
        for what, table, text in (("statement", self._formal, row.formal), ("informal", self._informal, row.informal)):
            if text and (label := table.get(_md5(text))) is not None:
                shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
                return Hit(Reason.SURFACE_HASH, label, 1.0, f"same {what} text: {shown}")
        return None


def _md5(text: str) -> bytes:
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
