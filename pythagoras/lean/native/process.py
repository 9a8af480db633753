"""One REPL process: started, asked, killed with all its children. Not shared between threads.

Speaks the community REPL's protocol: JSON objects with a blank line behind each. That protocol has no numbers of
requests, so a process that says anything unasked is given up: its next answer could be taken for another question's.
Whoever runs programs inside Lean can write to the same stream; this side can't tell.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

import psutil

from pythagoras.errors import HostDied, HostHung

_BLOCK = 1 << 20
_STDERR_TAIL = 2000
_KILL_WAIT_S = 10.0
_LONGEST_BLANK = 16
_BLANK_LINE = re.compile(rb"\r?\n[ \t]*\r?\n")


class ReplProcess:
    """A REPL. `start` before anything else; `close` at the end, at any time, from any thread."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._command = list(command)
        self._folder = folder
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] | None = None
        self._pending = b""
        self._verdict = ""

    def start(self) -> None:
        """Start the process; it has not said anything yet."""
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        try:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                start_new_session=True,  # Ctrl-C is for us; and one signal reaches all of it
            )
        except OSError as error:
            self._stderr.close()
            raise HostDied(f"{self._command[0]} can't be started ({error.strerror})") from error
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)

    def request(self, request: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send one request and return the answer as it is. After any error the process is gone."""
        deadline = time.monotonic() + timeout_s
        line = json.dumps(request, ensure_ascii=False).encode("utf-8", errors="replace") + b"\n\n"
        try:
            self._refuse_unasked()
            self._write(line, deadline)
            return self._read(deadline)
        except BaseException:
            self.close()
            raise

    def kill(self, why: str) -> None:
        """End the process under whoever waits for it, who is told why."""
        self._verdict = why
        process = self._process
        if process is not None and process.poll() is None:
            _kill_tree(process.pid)

    def close(self) -> None:
        """End the process and its children. Safe to call twice."""
        process, self._process = self._process, None
        if process is None:
            return
        _kill_tree(process.pid)
        process.wait()
        for stream in (process.stdin, process.stdout, self._stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def memory_mb(self) -> float:
        """Memory of the process and its children that is theirs alone: files of a library are mapped, and shared."""
        pid = self.pid
        return 0.0 if pid is None else sum(map(_own_mb, _tree(pid)))

    # --- the two pipes -------------------------------------------------------------------------

    def _living(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise HostDied("this REPL is closed: start a new one")
        return self._process

    def _refuse_unasked(self) -> None:
        process = self._living()
        assert process.stdout is not None
        with contextlib.suppress(BlockingIOError):
            self._pending += os.read(process.stdout.fileno(), _BLOCK)
        if self._pending.strip():
            raise HostDied("the REPL said something that it was not asked: its answers can't be told apart any more")
        self._pending = b""

    def _write(self, line: bytes, deadline: float) -> None:
        stream = self._living().stdin
        assert stream is not None
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_WRITE)
            while line:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise HostHung("the REPL did not take the request within its time: it was killed")
                try:
                    line = line[os.write(stream.fileno(), line) :]
                except BlockingIOError:
                    continue
                except BrokenPipeError:
                    self._died()

    def _read(self, deadline: float) -> dict[str, Any]:
        stream = self._living().stdout
        assert stream is not None
        said = bytearray(self._pending)
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            searched = 0
            while (end := _BLANK_LINE.search(said, max(0, searched - _LONGEST_BLANK))) is None:
                searched = len(said)
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise HostHung("the REPL did not answer within its time: it was killed")
                block = os.read(stream.fileno(), _BLOCK)
                if not block:
                    self._died()
                said += block
                if said.isspace():  # the rest of the last answer's blank line
                    said.clear()
        self._pending = bytes(said[end.end() :])
        try:
            answer = json.loads(said[: end.start()])
        except (ValueError, RecursionError) as error:
            raise HostDied(f"the REPL said something that is no JSON ({error})") from error
        if not isinstance(answer, dict):
            raise HostDied("the REPL answered with something else than an object")
        return answer

    def _died(self) -> NoReturn:
        process = self._living()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        code = process.returncode
        tail = self._stderr_tail()
        why = f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        raise HostDied(self._verdict or f"the REPL ended ({why}){': ' + tail if tail else ''}")

    def _stderr_tail(self) -> str:
        assert self._stderr is not None
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - _STDERR_TAIL))
        lines = [line.strip() for line in self._stderr.read().decode(errors="replace").splitlines()]
        return next((line[:300] for line in reversed(lines) if line), "")


def _tree(pid: int) -> list[psutil.Process]:
    """A process and all that it started, as far as they are still there."""
    try:
        root = psutil.Process(pid)
        return [*root.children(recursive=True), root]
    except psutil.Error:
        return []


def _kill_tree(pid: int) -> None:
    """Kill a session's leader, its group, and those that left the group; wait until they are gone."""
    killed = list(_killed(_tree(pid)))
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    psutil.wait_procs([process for process in killed if process.pid != pid], timeout=_KILL_WAIT_S)


def _killed(processes: list[psutil.Process]) -> Iterator[psutil.Process]:
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.kill()
            yield process


def _own_mb(process: psutil.Process) -> float:
    try:
        memory = process.memory_info()
    except psutil.Error:
        return 0.0
    return float(memory.rss - getattr(memory, "shared", 0)) / 2**20
