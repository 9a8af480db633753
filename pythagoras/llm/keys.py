"""API keys. Recipes and settings name an environment variable; the key in it goes to one server, and into no file."""

from __future__ import annotations

import os

from pythagoras.errors import InputError

KEY_VARIABLE = "PYTHAGORAS_API_KEY"
"""Not OPENAI_API_KEY, which many have set: a key goes to no server that it was not meant for."""


def api_key(variable: str = "") -> str | None:
    """The key in that variable. Only the default one may be empty: many servers want none. Raises InputError."""
    key = os.environ.get(variable or KEY_VARIABLE)
    if not key and variable not in ("", KEY_VARIABLE):
        raise InputError(f"the environment variable {variable} holds no API key: set it, or name another")
    return key or None
