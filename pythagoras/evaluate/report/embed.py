"""Text of strangers in a page: nothing that a model wrote can become markup, script, or invisible."""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from typing import Any

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What does not show, or turns the direction of what stands around it. page.js has the same list."""

_LEVEL = 4
"""Of compression: the usual 6 makes a tenth less of a model's reasoning in three times the time."""


def escaped(text: str) -> str:
    """A text as HTML, in elements and in quoted attributes. Characters that do not show are named."""
    return html.escape(_HIDDEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", text), quote=True)


def packed(value: Any) -> str:
    """JSON, compressed, in letters that mean nothing to HTML. page.js unpacks it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # half characters have no UTF-8; as \ud800 they are JSON, and the page names them
    encoded = text.encode("utf-8", "backslashreplace")
    return base64.b64encode(zlib.compress(encoded, _LEVEL)).decode("ascii")


def unpacked(text: str) -> Any:
    """What `packed` was given."""
    return json.loads(zlib.decompress(base64.b64decode(text)))
