"""Real processes for the tests: the `pythagoras` command, and the Node that comes with the package."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

from pythagoras.home import HOME_VARIABLE
from pythagoras.lean import node

_COMMAND = Path(sysconfig.get_path("scripts")) / "pythagoras"
_TIMEOUT_S = 60.0


def environment(home: Path | str) -> dict[str, str]:
    """The environment of a plain terminal, 100 columns wide, with that home."""
    unwanted = ("FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    plain = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {**plain, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", HOME_VARIABLE: str(home)}


def pythagoras(*arguments: str, home: Path | str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run the command as a user does."""
    done = subprocess.run(
        [_COMMAND, *arguments], input=stdin, capture_output=True, env=environment(home), timeout=_TIMEOUT_S
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def run_node(script: str, *arguments: str) -> str:
    """Standard output of a script that Node ran without complaint; its arguments start at `process.argv[1]`."""
    command = [str(node.node_path()), "-e", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout
