"""One Lean process: started, asked, killed. Not shared between threads; `pool.py` keeps many.

The process is our Node program (`host/`) around the installed Lean. A request that Lean can end by itself (an error,
too many heartbeats, the soft time limit) is answered. When the process dies, says that it is broken, or is silent
past its wall clock, a HostError is raised and the process is gone: what was asked is unanswered, not refuted.
"""

from __future__ import annotations

import contextlib
import importlib.resources
import json
import os
import resource
import selectors
import subprocess
import tempfile
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil
from pydantic import ValidationError

from pythagoras.errors import HostDied, HostHung
from pythagoras.lean import node, package
from pythagoras.lean.headers import NONE, Header
from pythagoras.lean.wire import Answer, InfoTree, Limits

START_TIMEOUT_S = 120.0
MEMORY_MB = 1536
"""Linear memory that Lean may use in one host; the process around it needs about 400 MB more."""
GRACE_S = 5.0
"""How long behind its soft limit a request may stay silent: Lean looks at the clock often, but not always."""
_STACK_KB = 64 * 1024
"""Stack that a host asks the system for; V8 gets a little less, so that deep recursion ends in V8's hands."""
_STACK_MARGIN_KB = 1024
_STDERR_TAIL = 2000


class LeanHost:
    """A Lean process. Use it in a `with` block, or call `start` and `close`."""

    def __init__(self, folder: Path | None = None, memory_mb: int = MEMORY_MB) -> None:
        self._folder = folder
        self._memory_mb = memory_mb
        self._process: subprocess.Popen[bytes] | None = None
        self._answers = -1
        self._pending = b""
        self._headers: dict[str, int] = {}
        self._asked = 0
        self.id = uuid.uuid4().hex
        self.version = ""
        self.start_seconds = 0.0

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- life ----------------------------------------------------------------------------------

    def start(self) -> Self:
        """Start the process and wait until it takes requests."""
        began = time.monotonic()
        program = importlib.resources.files(__package__) / "host" / "host.js"
        stack_kb = _stack_kb()
        command = [
            *("/bin/sh", "-c", f'ulimit -s {stack_kb}; exec "$0" "$@"'),
            *(str(node.node_path()), f"--stack-size={stack_kb - _STACK_MARGIN_KB}"),
            *(str(program), str(self._installation()), str(self._memory_mb)),
        ]
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        reading, writing = os.pipe()
        try:
            self._process = subprocess.Popen(
                [*command, str(writing)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
                pass_fds=(writing,),
                start_new_session=True,  # Ctrl-C is for us; we end our hosts ourselves
            )
        except OSError as error:
            os.close(reading)
            raise HostDied(f"a Lean host can't be started ({error.strerror}): close other programs") from error
        finally:
            os.close(writing)
        self._answers = reading
        try:
            hello = self._read(time.monotonic() + START_TIMEOUT_S)
        except BaseException:  # an interrupt, too: nobody would be left to close it
            self.close()
            raise
        self.version = str(hello.get("version", ""))
        self.start_seconds = time.monotonic() - began
        return self

    def _installation(self) -> Path:
        return self._folder if self._folder is not None else package.require_installed()

    def close(self) -> None:
        """End the process at once. Safe to call twice."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        os.close(self._answers)
        self._stderr.close()
        self._headers.clear()

    @property
    def alive(self) -> bool:
        """Whether the process is there. It may still be stuck, or die the moment after."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def memory_mb(self) -> float:
        """Resident memory of the process."""
        if self._process is None:
            return 0.0
        try:
            return float(psutil.Process(self._process.pid).memory_info().rss) / 2**20
        except psutil.Error:
            return 0.0

    def cpu_seconds(self) -> float:
        """Processor time that the process has used so far."""
        if self._process is None:
            return 0.0
        try:
            times = psutil.Process(self._process.pid).cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)

    # --- asking --------------------------------------------------------------------------------

    def request(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send one request and return the answer as it is."""
        self._asked += 1
        numbered = {**request, "id": self._asked}
        line = json.dumps(numbered, ensure_ascii=False).encode("utf-8", errors="replace") + b"\n"
        deadline = time.monotonic() + timeout_s
        try:
            self._write(line, deadline)
            answer = self._read(deadline)
        except BaseException:  # whatever it was, the next answer would be taken for another question's
            self.close()
            raise
        if answer.pop("id", None) != self._asked:
            self.close()
            raise HostDied("the Lean host answered something else than it was asked")
        if answer.get("broken"):
            said = (answer.get("message"), self._stderr_tail())
            self.close()
            raise HostDied(f"the Lean host gave up ({'; '.join(text for text in said if text)})")
        return answer

    def keep_header(self, header: Header) -> int | None:
        """The state behind a header, made on first use; None stands for Lean's prelude."""
        if header == NONE:
            return None
        if header.id not in self._headers:
            text = f"import Init\nimport {header.module}\n{header.scope}" if self._compiled(header) else header.text
            answer = self.request({"cmd": text}, START_TIMEOUT_S)
            _refuse_errors(header, answer)
            self._headers[header.id] = int(answer["env"])
        return self._headers[header.id]

    def _compiled(self, header: Header) -> bool:
        """Whether the header's module can be imported; compiles it when it is missing. A full disk only costs time."""
        if header.library == "":
            return False
        folder = self._installation() / "headers"
        target = folder / f"{header.module}.olean"
        if target.is_file():
            return True
        try:
            folder.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="compile-", dir=folder) as staging:
                made = Path(staging) / target.name
                request = {"compile": header.library, "module": header.module, "to": str(made)}
                answer = self.request(request, START_TIMEOUT_S)
                _refuse_errors(header, answer)
                os.replace(made, target)
        except OSError:
            return False
        return True

    def check(
        self,
        code: str,
        header: Header = NONE,
        limits: Limits = Limits(),
        *,
        spans: bool = False,
        tactics: bool = False,
        infotree: InfoTree | None = None,
        refuse: Sequence[str] = (),
        replay: bool = False,
        holes: Sequence[str] = (),
        signatures: bool = False,
        until_error: bool = False,
    ) -> Answer:
        """Elaborate `code` on top of `header` and forget the resulting state. `pool.Check` says what the flags ask."""
        env = self.keep_header(header)
        wire: dict[str, Any] = {"cmd": code, "keep": False, "declarations": True, "limits": limits.to_wire()}
        wire |= {"spans": spans, "allTactics": tactics, "refuse": list(refuse), "replay": replay, "holes": list(holes)}
        wire |= {"signatures": signatures, "untilError": until_error}
        if env is not None:
            wire["env"] = env
        if infotree is not None:
            wire["infotree"] = infotree
        answer = self.request(wire, limits.timeout_s + GRACE_S)
        if "message" in answer:  # the request as a whole failed: an import that is not there, for instance
            text = str(answer["message"])
            if text.startswith("unknown module prefix"):
                text += (
                    "\n\nThe embedded Lean has only its own library; without imports a file stands on the core header."
                )
            return Answer.model_validate(
                {"messages": [{"severity": "error", "pos": {"line": 1, "column": 0}, "data": text, "kind": "request"}]}
            )
        try:
            return Answer.model_validate(answer)
        except ValidationError as error:
            self.close()
            raise HostDied(f"the Lean host said something unexpected ({error.errors()[0]['loc']})") from error

    # --- the two pipes -------------------------------------------------------------------------

    def _write(self, line: bytes, deadline: float) -> None:
        process = self._living()
        assert process.stdin is not None
        descriptor = process.stdin.fileno()
        os.set_blocking(descriptor, False)
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_WRITE)
            while line:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    self._hung()
                try:
                    line = line[os.write(descriptor, line) :]
                except BlockingIOError:
                    continue
                except BrokenPipeError:
                    self._died()

    def _read(self, deadline: float) -> dict[str, Any]:
        """The next answer. Partial lines are kept only while the process lives."""
        pending = bytearray(self._pending)
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            while True:
                newline = pending.find(b"\n")
                if newline >= 0:
                    break
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    self._hung()
                block = os.read(self._answers, 1 << 20)
                if not block:
                    self._died()
                pending += block
        self._pending = bytes(pending[newline + 1 :])
        try:
            answer: dict[str, Any] = json.loads(pending[:newline])
        except (ValueError, RecursionError) as error:  # a tree of tactics may be nested without end
            self.close()
            raise HostDied(f"the Lean host said something that is no JSON ({error})") from error
        return answer

    def _living(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise HostDied("this Lean host is closed: start a new one")
        return self._process

    def _died(self) -> None:
        process = self._living()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        code = process.returncode
        tail = self._stderr_tail()
        self.close()
        why = f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        raise HostDied(f"the Lean host ended ({why}){': ' + tail if tail else ''}")

    def _hung(self) -> None:
        self.close()
        raise HostHung("the Lean host did not answer within its time: it was killed")

    def _stderr_tail(self) -> str:
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - _STDERR_TAIL))
        lines = self._stderr.read().decode(errors="replace").splitlines()
        telling = [
            line.strip() for line in lines if line.strip() and not line.lstrip().startswith(("at ", "Node.js", "^"))
        ]
        return telling[-1][:300] if telling else ""


def _stack_kb() -> int:
    """As much stack as wanted, or as the system allows."""
    allowed = resource.getrlimit(resource.RLIMIT_STACK)[1]
    return _STACK_KB if allowed == resource.RLIM_INFINITY else min(_STACK_KB, allowed // 1024)


def _refuse_errors(header: Header, answer: dict[str, Any]) -> None:
    """A header that Lean rejects is a fault of the installation; one that could not be written is the disk's."""
    if "unwritable" in answer:
        raise OSError(answer["unwritable"])
    worst = next((m for m in answer.get("messages", ()) if m["severity"] == "error"), None)
    if worst is not None:
        place, said = f"line {worst['pos']['line']}", worst["data"].splitlines()[0]
        raise HostDied(f"Lean rejects the header {header.id} in {place}: {said}")
    if "message" in answer:
        raise HostDied(f"Lean rejects the header {header.id}: {answer['message']}")
