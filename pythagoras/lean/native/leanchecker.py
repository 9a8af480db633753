"""The kernel once more: compile a text to a module in another process, and let `leanchecker` replay that module.

`leanchecker` comes with newer toolchains; older projects have `lean4checker`, which takes the same argument. A replay
finds constants that the kernel never saw; it is no second kernel. Written after the sources of both; it was not run
with a real toolchain here, only with stand-ins for the executables.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pythagoras.errors import HostDied, HostHung

TIMEOUT_S = 600.0
_PACKAGE_BINARY = Path(".lake/packages/lean4checker/.lake/build/bin/lean4checker")
_FIND = 'command -v leanchecker || { test -x "$0" && printf %s "$0"; } || command -v lean4checker'
_WITH_PATH = 'LEAN_PATH="$0${LEAN_PATH:+:$LEAN_PATH}" exec "$@"'
"""Behind `lake env`, which sets LEAN_PATH itself: our folder goes before the project's."""


@dataclass(frozen=True, slots=True)
class LeanChecker:
    """A project in which modules can be compiled and replayed."""

    project: Path
    environment: Sequence[str] = ("lake", "env")
    """The command that runs another one with the project's toolchain."""
    timeout_s: float = TIMEOUT_S

    def replay(self, text: str) -> str | None:
        """Empty when the kernel takes all of the text again; what was said when not; None without a checker."""
        checker = self._find()
        if checker is None:
            return None
        module = f"PythagorasReplay{secrets.token_hex(8)}"  # whole names: a checker takes modules by prefix
        with tempfile.TemporaryDirectory(prefix="pythagoras-replay-") as name:
            source, compiled = Path(name) / f"{module}.lean", Path(name) / f"{module}.olean"
            source.write_text(text, encoding="utf-8", errors="replace")
            code, said = self._run("lean", "-o", str(compiled), str(source))
            if code != 0 or not compiled.is_file():
                return f"lean does not compile it: {_last_line(said, code)}"
            code, said = self._run("sh", "-c", _WITH_PATH, name, checker, module)
        return "" if code == 0 else f"{Path(checker).name} refuses it: {_last_line(said, code)}"

    def _find(self) -> str | None:
        if shutil.which(self.environment[0]) is None:
            return None
        code, said = self._run("sh", "-c", _FIND, str(self.project / _PACKAGE_BINARY))
        return said.strip() if code == 0 and said.strip() else None

    def _run(self, *command: str) -> tuple[int, str]:
        """Exit code and output of a command in the project; nothing of it is left when its time is over."""
        with tempfile.TemporaryFile() as output:
            try:
                process = subprocess.Popen(
                    [*self.environment, *command],
                    cwd=self.project,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                raise HostDied(f"{[*self.environment, *command][0]} can't be started ({error.strerror})") from error
            try:
                code = process.wait(timeout=self.timeout_s)
            except subprocess.TimeoutExpired as error:
                raise HostHung(f"{command[0]} took more than {self.timeout_s:g} s for a replay") from error
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            output.seek(0)
            return code, output.read().decode(errors="replace")


def _last_line(said: str, code: int) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1] if lines else f"exit code {code}"
