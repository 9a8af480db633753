"""Texts of strangers, made visible: what would not show, or would turn what stands around it, is named."""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What does not show, turns the direction of what stands around it, or can't stand in XML. dom.js has the same list."""


def visible(text: str) -> str:
    """The text with each such character by its number, like [U+202E]."""
    return _HIDDEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)
