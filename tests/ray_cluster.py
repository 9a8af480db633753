"""A Ray cluster of two nodes on this machine, each with a CPU: for tests that need more than one."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.unit.engine_jobs import wait_until

_RAY = Path(sysconfig.get_path("scripts")) / "ray"
_HOST = "127.0.0.1"


@dataclass(frozen=True)
class Cluster:
    """Two nodes with a CPU each, and what one must have in the environment to be let in."""

    address: str
    environment: dict[str, str]
    first: subprocess.Popen[bytes]
    second: subprocess.Popen[bytes]

    def leans(self) -> list[psutil.Process]:
        """The workers that have a Lean below them, whichever node they are on."""
        below = [
            each for node in (self.first, self.second) for each in psutil.Process(node.pid).children(recursive=True)
        ]
        found = {each.parent() for each in below if "node" in Path(_program(each)).name}
        return sorted((worker for worker in found if worker is not None), key=lambda worker: worker.pid)


@contextmanager
def node(environment: dict[str, str], *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Ray node with one CPU; what is left of it at the end is killed."""
    command = [str(_RAY), "start", "--block", "--num-cpus=1", *arguments]
    quiet = subprocess.DEVNULL
    started = subprocess.Popen(command, start_new_session=True, env=environment, stdout=quiet, stderr=quiet)
    try:
        yield started
    finally:
        started.terminate()
        try:
            started.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)


@contextmanager
def two_nodes() -> Iterator[Cluster]:
    """The cluster, for as long as the block lasts."""
    # A cluster asks for a token. This one's is made here, and known to nobody else.
    own = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
    environment = {**os.environ, **own}
    with socket.create_server((_HOST, 0)) as listening:
        port = listening.getsockname()[1]
    with ExitStack() as stack:
        place = tempfile.mkdtemp(prefix="ray", dir="/tmp")  # sockets are in it, and their paths must be short
        stack.callback(shutil.rmtree, place, ignore_errors=True)
        head = ("--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={place}")
        first = stack.enter_context(node(environment, *head))
        assert wait_until(lambda: listens(port), 60)
        second = stack.enter_context(node(environment, f"--address={_HOST}:{port}"))
        count = "import ray, sys; ray.init(sys.argv[1]); print(ray.cluster_resources()['CPU'])"
        command = [sys.executable, "-c", count, f"{_HOST}:{port}"]
        assert wait_until(lambda: subprocess.run(command, env=environment, capture_output=True).stdout == b"2.0\n", 60)
        yield Cluster(f"{_HOST}:{port}", environment, first, second)


def listens(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex((_HOST, port)) == 0


def _program(process: psutil.Process) -> str:
    """What it runs; nothing of one that has just ended."""
    try:
        return next(iter(process.cmdline()), "")
    except psutil.Error:
        return ""
