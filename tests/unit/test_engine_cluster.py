"""The engine over a Ray cluster of two nodes, both on this machine: both work, and either may lose a worker or die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pythagoras.engine.local import LocalEngine
from tests.ray_cluster import Cluster, two_nodes
from tests.unit.engine_jobs import Squares, list_told, living, wait_until


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with two_nodes() as running:
        yield running


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
