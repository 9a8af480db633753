"""What the folders of runs have in common, of builds, trainings and mutations: whether one is of the same work, and who
worked on it.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pythagoras.corpus.store import write_json


def differing(old: Mapping[str, Any], new: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """Where two settings differ, as they stand in files: each place with what is there and what is wanted."""
    for name in {**old, **new}:
        before, now = old.get(name), new.get(name)
        if isinstance(before, Mapping) and isinstance(now, Mapping):
            yield from differing(before, now, f"{place}{name}.")
        elif before != now:
            yield f"{place}{name}: {json.dumps(before)} there, {json.dumps(now)} now"


def note_versions(path: Path, libraries: Iterable[str], **others: str) -> None:
    """Note in a file which programs work on its folder, where that has changed."""
    programs = {name: version(name) for name in ("pythagoras", *libraries)}
    now = {"python": platform.python_version(), **programs, **others}
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    if not before or before[-1] != now:
        write_json(path, [*before, now])
