"""Where Pythagoras keeps what it downloads: a cache folder for each user, or what `PYTHAGORAS_HOME` names."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from pythagoras.errors import InputError

HOME_VARIABLE = "PYTHAGORAS_HOME"


def home() -> Path:
    """The cache folder. Does not create it."""
    chosen = os.environ.get(HOME_VARIABLE)
    if not chosen:
        return Path(platformdirs.user_cache_dir("pythagoras"))
    try:
        path = Path(chosen).expanduser()
    except RuntimeError:  # `~somebody` who is not there
        path = Path()
    if not path.is_absolute():
        raise InputError(f"{HOME_VARIABLE} is {chosen!r}, not an absolute path: set it to one, or unset it")
    return path
