"""A real server on loopback: `transformers serve` with a model in a folder."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

START_S = 120.0


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    url: str
    model: str
    """What it is asked for by."""
    log: Path

    def asked(self) -> int:
        """How many chats it has answered, as its log says."""
        return self.log.read_text(errors="replace").count("POST /v1/chat/completions")


@contextlib.contextmanager
def serving(model: Path, folder: Path, threads: int = 1) -> Iterator[Served]:
    """A server of the model that is there until the block ends; `folder` is for its files."""
    (folder / "home" / "hub").mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(folder / "home"),
        "OMP_NUM_THREADS": str(threads),
        "OMP_WAIT_POLICY": "PASSIVE",
    }
    options = ["--device", "cpu", "--dtype", "float32", "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [Path(sys.executable).with_name("transformers"), "serve", model, *options, "--log-level", "info"],
            env={**os.environ, **variables},
            stdout=log,
            stderr=log,
        )
        try:
            _wait(f"http://127.0.0.1:{port}", process, folder / "log")
            yield Served(f"http://127.0.0.1:{port}", str(model), folder / "log")
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"{address}/health", timeout=5)
            return
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")
