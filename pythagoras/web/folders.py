"""Folders that the server may show, found below those that it was given, under names that fit into an address."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

_DEPTH = 3
"""How far below a given folder is looked."""
_MOST = 1000


def named_folders(given: Sequence[Path], is_wanted: Callable[[Path], bool]) -> dict[str, Path]:
    """The wanted folders among those given and below them, by name: the way from the given one, with hyphens.

    Looks again each time: folders come and go. Nothing inside of a wanted folder is looked at.
    """
    found: dict[str, Path] = {}
    for folder in given:
        for path in _below(folder, is_wanted, _DEPTH):
            name = _name(path.name if path == folder else "-".join(path.relative_to(folder).parts))
            number = 1
            while (unique := name if number == 1 else f"{name}-{number}") in found and found[unique] != path:
                number += 1
            found[unique] = path
            if len(found) == _MOST:
                return found
    return found


def _below(folder: Path, is_wanted: Callable[[Path], bool], depth: int) -> Iterator[Path]:
    if is_wanted(folder):
        yield folder
    elif depth:
        try:
            inner = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
        except OSError:
            return
        for path in inner:
            yield from _below(path, is_wanted, depth - 1)


def _name(text: str) -> str:
    """As text: a file's name may be any bytes."""
    return text.encode(errors="replace").decode() or "run"
