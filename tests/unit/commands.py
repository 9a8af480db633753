"""Every command that `pythagoras` has, read from the command line itself, so that no test forgets a new one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer.main

from pythagoras.cli.main import app


def _below(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from _below(inner, (*path, name))


COMMANDS = tuple(_below(typer.main.get_command(app), ()))
"""As words behind `pythagoras`: (), ("lean",), ("lean", "check") and so on."""
