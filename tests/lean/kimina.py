"""PyPI's kimina-client as it was published, ready to be imported from here."""

from __future__ import annotations

import re
import typing
from pathlib import Path
from typing import Any
from unittest import mock

import typing_extensions

# Its models are `typing.TypedDict`s, which pydantic refuses before Python 3.12; these are the same.
with mock.patch.object(typing, "TypedDict", typing_extensions.TypedDict):
    import kimina_client
    from kimina_client import proof_utils

__all__ = ["infotree_functions", "kimina_client", "proof_utils"]


def infotree_functions() -> dict[str, Any]:
    """The functions of its `infotree.py`, whose every line is published behind a `# `."""
    text = (Path(str(kimina_client.__file__)).parent / "infotree.py").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(re.sub(r"^# ?", "", text, flags=re.MULTILINE), names)
    return names
