"""Real server processes for the tests, `pythagoras lean serve` and `pythagoras serve`, and what they leave behind."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import psutil


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that answers."""

    address: str
    process: subprocess.Popen[str]

    def lean_processes(self) -> list[psutil.Process]:
        """Its Lean hosts."""
        found = []
        for child in psutil.Process(self.process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if any(part.endswith("host.js") for part in child.cmdline()):
                    found.append(child)
        return found


def lean_server(*options: str, **variables: str) -> contextlib.AbstractContextManager[RunningServer]:
    """Lean alone."""
    return _started(("lean", "serve"), options, variables)


def web_server(*options: str, **variables: str) -> contextlib.AbstractContextManager[RunningServer]:
    """The page and the prover."""
    return _started(("serve",), options, variables)


@contextlib.contextmanager
def _started(command: tuple[str, ...], options: tuple[str, ...], variables: dict[str, str]) -> Iterator[RunningServer]:
    """Start the command on a free port, wait until it says its address, and end it as a terminal would."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("LEAN_SERVER_", "LEANSERVER_"))}
    process = subprocess.Popen(
        [sys.executable, "-m", "pythagoras", *command, "--port", "0", *options],
        stdout=subprocess.PIPE,
        text=True,
        env={**plain, **variables},
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split(" ")[0]
        assert address.startswith("http://"), "the server did not start"
        yield RunningServer(address, process)
        if process.poll() is None:
            process.terminate()
            assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
