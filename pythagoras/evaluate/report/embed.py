"""Text of strangers in a page: nothing that a model wrote can become markup, script, or invisible."""

from __future__ import annotations

import base64
import html
import json
import zlib
from typing import Any

from pythagoras.evaluate.shown.visible import visible

_LEVEL = 4
"""Of compression: the usual 6 makes a tenth less of a model's reasoning in three times the time."""


def escaped(text: str) -> str:
    """A text as HTML, in elements and in quoted attributes. Characters that do not show are named."""
    return html.escape(visible(text), quote=True)


def encoded(value: Any) -> bytes:
    """JSON in one line."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # half characters have no UTF-8; as \ud800 they are JSON, and the page names them
    return text.encode("utf-8", "backslashreplace")


def packed(value: Any) -> str:
    """JSON, compressed, in letters that mean nothing to HTML. dom.js unpacks it."""
    packer = Packer()
    packer.add(encoded(value))
    return packer.packed()


class Packer:
    """Lines of JSON, compressed one after another; whoever adds them learns at once how large they have become."""

    def __init__(self) -> None:
        self._compressor = zlib.compressobj(_LEVEL)
        self._done: list[bytes] = []
        self._size = 0

    def add(self, line: bytes, limit: float = float("inf")) -> bool:
        """Add a line, unless all together would then have more letters than the limit; whether it was added."""
        trial = self._compressor.copy()
        written = trial.compress(line + b"\n") + trial.flush(zlib.Z_SYNC_FLUSH)
        if _letters(self._size + len(written)) > limit:
            return False
        self._compressor = trial
        self._done.append(written)
        self._size += len(written)
        return True

    def packed(self) -> str:
        """Everything that was added; nothing can be added behind it."""
        return base64.b64encode(b"".join(self._done) + self._compressor.flush()).decode("ascii")


_END = 8
"""Bytes behind the last line."""


def _letters(size: int) -> int:
    return 4 * -(-(size + _END) // 3)
