"""The engine over Ray: what holds for workers on one machine holds for actors, on one node and on two."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pythagoras.engine.dispatch import TRIES, WINDOW_PER_WORKER
from pythagoras.engine.ray import RayEngine
from pythagoras.errors import EngineError, InputError
from tests.unit.engine_jobs import GAVE_UP, Closures, NeverOpen, Squares, killing, list_told, living, wait_until

EXPECTED = [(item, item * item) for item in range(60)]


@pytest.fixture(scope="module")
def engine() -> Iterator[RayEngine]:
    with RayEngine(2) as engine:
        yield engine


def test_results_come_in_the_order_of_the_items(tmp_path: Path, engine: RayEngine) -> None:
    assert list(engine.map(Squares(tmp_path, grandchild=True, together=2), range(60))) == EXPECTED
    assert sorted(list_told(tmp_path, "began")) == list(range(60))
    assert len(list_told(tmp_path, "opened")) == len(list_told(tmp_path, "closed")) == 2
    assert living(tmp_path, "grandchild") == []
    assert list(engine.map(Squares(tmp_path), iter([]))) == []


def test_items_are_read_only_so_far_ahead(tmp_path: Path, engine: RayEngine) -> None:
    read = []

    def items() -> Iterator[int]:
        for item in range(10**9):
            read.append(item)
            yield item

    results = engine.map(Squares(tmp_path, slow=0, together=2, grandchild=True), items())
    assert next(results) == (0, 0)
    assert WINDOW_PER_WORKER < len(read) <= WINDOW_PER_WORKER * 2
    results.close()  # type: ignore[attr-defined]
    assert wait_until(lambda: not living(tmp_path) and not living(tmp_path, "grandchild"))


def test_killed_workers_lose_nothing_and_double_nothing(tmp_path: Path, engine: RayEngine) -> None:
    with killing(tmp_path, seed=1, every=15) as killed:
        assert list(engine.map(Squares(tmp_path, pause_s=0.03), range(60))) == EXPECTED
    assert len(killed) >= 3


def test_an_item_that_ends_every_worker_is_given_up(tmp_path: Path, engine: RayEngine) -> None:
    found = list(engine.map(Squares(tmp_path, deadly=frozenset({7})), range(12)))
    assert found[:7] + found[8:] == EXPECTED[:7] + EXPECTED[8:12]
    assert str(found[7][1]).startswith(f"{GAVE_UP}: {TRIES} workers ended while they worked on it, the last one lost")
    assert list_told(tmp_path, "began").count(7) == TRIES


def test_workers_that_die_before_they_can_work_are_not_replaced_forever(tmp_path: Path, engine: RayEngine) -> None:
    with pytest.raises(EngineError, match="6 workers in a row"):
        list(engine.map(NeverOpen(tmp_path, dies=True), range(9)))


def test_errors_come_as_they_are(tmp_path: Path, engine: RayEngine) -> None:
    results = engine.map(Squares(tmp_path, wrong={5: InputError("five is right out")}), range(10**9))
    assert [next(results) for _ in range(5)] == EXPECTED[:5]
    with pytest.raises(InputError) as caught:
        next(results)
    assert str(caught.value) == "five is right out"
    assert "in handle" in "".join(caught.value.__notes__)
    with pytest.raises(InputError, match="look under the mat"):
        list(engine.map(NeverOpen(tmp_path, dies=False), range(9)))
    with pytest.raises(Exception, match="pickle"):
        list(engine.map(Closures(), range(3)))


_MAIN = """
import sys
from pathlib import Path
from pythagoras.engine.ray import RayEngine
from tests.unit.engine_jobs import Squares
with RayEngine(1) as engine:
    for result in engine.map(Squares(Path(sys.argv[1]), slow=2, slow_s=600.0, deadly=frozenset({1})), range(3)):
        print(*result, flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_when_the_main_process_ends_its_ray_ends(tmp_path: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-c", _MAIN, str(tmp_path)]
    main = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert wait_until(lambda: 2 in list_told(tmp_path, "began"), 60)
        (worker,) = living(tmp_path)
        raylet = worker.parent()
        assert raylet is not None
        place = next(Path(given.partition("=")[2]) for given in raylet.cmdline() if given.startswith("--temp_dir="))
        main.send_signal(how)
        said, complained = main.communicate(timeout=60)
        assert wait_until(lambda: not living(tmp_path) and not raylet.is_running())
        assert how is signal.SIGKILL or not place.exists()
        shutil.rmtree(place, ignore_errors=True)
    finally:
        main.kill()
        main.wait()
    # Ray itself says nothing, even when workers die: standard output is for results.
    assert said.startswith(f"0 0\n1 {GAVE_UP}")
    assert said.count("\n") == 2
    assert complained.startswith("Traceback") if how is signal.SIGINT else complained == ""


_TRACES = """
import json, os, sys
from pathlib import Path
from pythagoras.engine.ray import RayEngine
from tests.unit.engine_jobs import Squares
import ray

def state():
    ours = {name: value for name, value in os.environ.items() if name.startswith("RAY_")}
    return [ours, ray._private.worker.print_to_stdstream.__name__]

states, places = [state()], []
for number in range(2):  # the second has another token
    with RayEngine(1) as engine:
        list(engine.map(Squares(Path(sys.argv[1])), range(3)))
        states.append(state())
        places.append(ray._private.worker._global_node.get_temp_dir_path())
    states.append(state())
print(json.dumps([places, *states]))
"""


def test_a_ray_of_our_own_leaves_no_trace(tmp_path: Path) -> None:
    """No token in the home folder, no files, no variable, and what was patched is whole again."""
    home, told = tmp_path / "home", tmp_path / "told"
    home.mkdir()
    told.mkdir()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    command = [sys.executable, "-c", _TRACES, str(told)]
    done = subprocess.run(command, env={**clean, "HOME": str(home)}, capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    places, before, first, between, second, after = json.loads(done.stdout)
    assert before == between == after
    assert len({variables["RAY_AUTH_TOKEN"] for variables, _ in (first, second)}) == 2
    assert len(set(places)) == 2
    assert not any(Path(place).exists() for place in places)
    assert list(home.iterdir()) == []


def test_a_cluster_that_is_not_there_is_explained() -> None:
    address = "127.0.0.1:1"
    script = f"from pythagoras.engine.engines import open_engine\nwith open_engine('ray', 1, {address!r}): pass"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert f"InputError: no Ray cluster can be used at {address} (" in done.stderr
