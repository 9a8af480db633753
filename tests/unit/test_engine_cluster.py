"""The engine over a Ray cluster of two nodes, both on this machine: both work, and either may lose a worker or die."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from pythagoras.engine.local import LocalEngine
from tests.unit.engine_jobs import Squares, list_told, living, wait_until

_RAY = Path(sysconfig.get_path("scripts")) / "ray"
_HOST = "127.0.0.1"


@dataclass(frozen=True)
class SquaresByNode(Squares):
    """Also tells on which node an item was handled, and by which process."""

    def handle(self, item: int) -> tuple[int, int]:
        import ray

        (self.folder / f"at-{os.getpid()}-{ray.get_runtime_context().get_node_id()}").touch()
        return super().handle(item)


def nodes(folder: Path) -> dict[str, set[int]]:
    """Which processes worked on each node."""
    found: dict[str, set[int]] = {}
    for path in folder.glob("at-*"):
        _, pid, node = path.name.split("-")
        found.setdefault(node, set()).add(int(pid))
    return found


_DRIVER = """
import json, sys
from pathlib import Path
from pythagoras.engine.engines import open_engine
from tests.unit.test_engine_cluster import SquaresByNode
with open_engine("ray", None, sys.argv[1]) as engine:
    job = SquaresByNode(Path(sys.argv[2]), pause_s=0.03, together=2)
    print(json.dumps(list(engine.map(job, range(100)))))
"""


@dataclass(frozen=True)
class Cluster:
    """Two nodes with a CPU each, and what one must have in the environment to be let in."""

    address: str
    environment: dict[str, str]
    second: subprocess.Popen[bytes]


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


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    # A cluster asks for a token. This one's is made here, and known to nobody else.
    own = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
    environment = {**os.environ, **own}
    with socket.create_server((_HOST, 0)) as listening:
        port = listening.getsockname()[1]
    with ExitStack() as stack:
        place = tempfile.mkdtemp(prefix="ray", dir="/tmp")  # sockets are in it, and their paths must be short
        stack.callback(shutil.rmtree, place, ignore_errors=True)
        head = ("--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={place}")
        stack.enter_context(node(environment, *head))
        assert wait_until(lambda: listens(port), 60)
        second = stack.enter_context(node(environment, f"--address={_HOST}:{port}"))
        count = "import ray, sys; ray.init(sys.argv[1]); print(ray.cluster_resources()['CPU'])"
        command = [sys.executable, "-c", count, f"{_HOST}:{port}"]
        assert wait_until(lambda: subprocess.run(command, env=environment, capture_output=True).stdout == b"2.0\n", 60)
        yield Cluster(f"{_HOST}:{port}", environment, second)


def listens(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex((_HOST, port)) == 0


def kill_workers(folder: Path, cluster: Cluster) -> None:
    for worker in living(folder):
        worker.kill()


def kill_node(folder: Path, cluster: Cluster) -> None:
    os.killpg(cluster.second.pid, signal.SIGKILL)


@pytest.mark.parametrize("disturb", [None, kill_workers, kill_node])
def test_two_nodes_give_the_same_results_whatever_dies(
    tmp_path: Path, cluster: Cluster, disturb: Callable[[Path, Cluster], None] | None
) -> None:
    command = [sys.executable, "-c", _DRIVER, cluster.address, str(tmp_path)]
    driver = subprocess.Popen(command, env=cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert wait_until(lambda: len(list_told(tmp_path, "began")) >= 40, 60)
        assert len(nodes(tmp_path)) == 2
        if disturb is not None:
            disturb(tmp_path, cluster)
        said, complained = driver.communicate(timeout=60)
    finally:
        driver.kill()
    assert complained.decode() == ""
    undisturbed = list(LocalEngine(2).map(Squares(tmp_path), range(100)))
    assert json.loads(said) == [list(result) for result in undisturbed]
    assert len(nodes(tmp_path)) == 2
    processes = sum(map(len, nodes(tmp_path).values()))
    assert processes > 2 if disturb is kill_workers else processes == 2
