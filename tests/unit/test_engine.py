"""Engines on one machine: the same results in the same order, whoever is killed, and nobody left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import psutil
import pytest

from pythagoras.engine.dispatch import TRIES, WINDOW_PER_WORKER
from pythagoras.engine.engine import Engine
from pythagoras.engine.engines import default_workers, open_engine
from pythagoras.engine.inline import InlineEngine
from pythagoras.engine.local import LocalEngine
from pythagoras.errors import EngineError, InputError
from tests.unit.engine_jobs import (
    GAVE_UP,
    Closures,
    NeverOpen,
    OpensOnce,
    Squares,
    killing,
    list_told,
    living,
    wait_until,
)

EXPECTED = [(item, item * item) for item in range(100)]


@pytest.fixture
def engine() -> Iterator[LocalEngine]:
    with LocalEngine(2) as engine:
        yield engine


# --- results -----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [InlineEngine, lambda: LocalEngine(1), lambda: LocalEngine(2)])
def test_results_come_in_the_order_of_the_items(tmp_path: Path, make: Callable[[], Engine]) -> None:
    engine = make()
    assert list(engine.map(Squares(tmp_path), range(100))) == EXPECTED
    assert sorted(list_told(tmp_path, "began")) == list(range(100))
    assert len(list_told(tmp_path, "opened")) == len(list_told(tmp_path, "closed")) >= 1
    assert list(engine.map(Squares(tmp_path), iter([]))) == []


def test_a_slow_item_holds_up_results_and_not_work(tmp_path: Path, engine: LocalEngine) -> None:
    results = engine.map(Squares(tmp_path, slow=0, together=2), range(20))
    assert next(results) == (0, 0)
    assert len(list_told(tmp_path, "began")) > 10
    assert [item for item, _ in results] == list(range(1, 20))


def test_no_more_workers_than_items(tmp_path: Path) -> None:
    assert list(LocalEngine(8).map(Squares(tmp_path, pause_s=0.2), range(2))) == EXPECTED[:2]
    assert 1 <= len(list_told(tmp_path, "opened")) <= 2


def test_items_are_read_only_so_far_ahead(tmp_path: Path, engine: LocalEngine) -> None:
    read = []

    def items() -> Iterator[int]:
        for item in range(10**9):
            read.append(item)
            yield item

    results = engine.map(Squares(tmp_path, slow=0, together=2), items())
    assert read == []
    assert next(results) == (0, 0)  # meanwhile the other worker did all that it could get
    window = WINDOW_PER_WORKER * engine.workers
    assert window // 2 < len(read) <= window
    for _ in range(50):
        next(results)
    assert len(read) <= window + 51
    results.close()  # type: ignore[attr-defined]


def test_two_maps_at_once(tmp_path: Path, engine: LocalEngine) -> None:
    job = Squares(tmp_path)
    pairs = zip(engine.map(job, range(30)), engine.map(job, range(30)), strict=True)
    assert [left for left, right in pairs if left == right] == EXPECTED[:30]


# --- deaths ------------------------------------------------------------------------------------


def test_killed_workers_lose_nothing_and_double_nothing(tmp_path: Path, engine: LocalEngine) -> None:
    with killing(tmp_path, seed=1, every=8) as killed:
        assert list(engine.map(Squares(tmp_path, pause_s=0.03), range(100))) == EXPECTED
    assert len(killed) >= 8
    assert len(list_told(tmp_path, "began")) > 100  # some were at work


def test_workers_that_are_killed_while_nobody_asks_are_replaced(tmp_path: Path, engine: LocalEngine) -> None:
    found = []
    for result in engine.map(Squares(tmp_path), range(12)):
        found.append(result)
        for worker in living(tmp_path):
            worker.kill()
            worker.wait()
    assert found == EXPECTED[:12]


def test_an_item_that_ends_every_worker_is_given_up(tmp_path: Path, engine: LocalEngine) -> None:
    found = list(engine.map(Squares(tmp_path, deadly=frozenset({0, 7})), range(20)))
    assert [found[at] for at in range(20) if at not in (0, 7)] == [EXPECTED[at] for at in range(20) if at not in (0, 7)]
    why = f"{GAVE_UP}: {TRIES} workers ended while they worked on it, the last one killed by signal 9"
    assert [found[0], found[7]] == [(0, why), (7, why)]
    assert list_told(tmp_path, "began").count(7) == TRIES


def test_an_item_that_takes_for_ever_is_given_up(tmp_path: Path) -> None:
    engine = LocalEngine(2, item_timeout_s=2.0)
    found = list(engine.map(Squares(tmp_path, slow=1, slow_s=600.0, grandchild=True), range(5)))
    why = f"{GAVE_UP}: {TRIES} workers ended while they worked on it, the last one since it did not answer within 2 s"
    assert found == [(0, 0), (1, why), *EXPECTED[2:5]]
    assert list_told(tmp_path, "began").count(1) == TRIES
    assert living(tmp_path) == []
    assert wait_until(lambda: not living(tmp_path, "grandchild"), 5)


def test_an_item_is_good_at_its_last_try(tmp_path: Path, engine: LocalEngine) -> None:
    assert list(engine.map(Squares(tmp_path, deadly=frozenset({3}), deaths=TRIES - 1), range(9))) == EXPECTED[:9]
    assert list_told(tmp_path, "began").count(3) == TRIES


def test_workers_that_die_before_they_can_work_are_not_replaced_forever(tmp_path: Path, engine: LocalEngine) -> None:
    with pytest.raises(EngineError, match=r"6 workers in a row ended before .* the last one with exit code 3"):
        list(engine.map(NeverOpen(tmp_path, dies=True), range(9)))
    assert TRIES * 2 <= len(list_told(tmp_path, "opened")) <= TRIES * 2 + 1


# --- errors ------------------------------------------------------------------------------------


def test_what_the_job_raises_comes_behind_the_results_before_it(tmp_path: Path, engine: LocalEngine) -> None:
    results = engine.map(Squares(tmp_path, wrong={5: InputError("five is right out")}), range(10**9))
    assert [next(results) for _ in range(5)] == EXPECTED[:5]
    with pytest.raises(InputError) as caught:
        next(results)
    assert str(caught.value) == "five is right out"
    assert "in handle" in "".join(caught.value.__notes__)
    assert living(tmp_path) == []


def test_an_error_that_does_not_travel_comes_as_its_text(tmp_path: Path, engine: LocalEngine) -> None:
    with pytest.raises(RuntimeError, match="Stubborn: 1 is not 2"):
        list(engine.map(Squares(tmp_path, stubborn=0), range(3)))


def test_results_items_and_jobs_that_do_not_travel_are_errors(tmp_path: Path, engine: LocalEngine) -> None:
    with pytest.raises(Exception, match="pickle"):
        list(engine.map(Closures(), range(3)))
    with pytest.raises(Exception, match="pickle"):
        list(engine.map(Squares(tmp_path), cast(list[int], [lambda: 1])))
    with pytest.raises(Exception, match="pickle"):
        list(engine.map(Squares(tmp_path, wrong={0: ValueError(lambda: 1)}), range(3)))
    assert living(tmp_path) == []


def test_a_job_that_can_not_be_opened_raises_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="look under the mat"):
        list(LocalEngine(1).map(NeverOpen(tmp_path, dies=False), range(9)))
    assert len(list_told(tmp_path, "opened")) == 1


def test_one_worker_that_can_not_open_its_job_leaves_it_to_the_others(tmp_path: Path, engine: LocalEngine) -> None:
    assert list(engine.map(OpensOnce(tmp_path, pause_s=0.02), range(50))) == EXPECTED[:50]
    assert len(list_told(tmp_path, "tried")) == 2


def test_what_is_done_comes_out_before_nobody_can_open_the_job_any_more(tmp_path: Path) -> None:
    results = LocalEngine(1).map(OpensOnce(tmp_path, deadly=frozenset({5})), range(9))
    assert [next(results) for _ in range(5)] == EXPECTED[:5]
    with pytest.raises(InputError, match="no key left"):
        next(results)
    assert len(list_told(tmp_path, "tried")) == 2


def test_an_input_that_fails_ends_the_map(tmp_path: Path, engine: LocalEngine) -> None:
    def items() -> Iterator[int]:
        yield from range(3)
        raise InputError("the file ends in the middle")

    with pytest.raises(InputError, match="in the middle"):
        list(engine.map(Squares(tmp_path), items()))
    assert living(tmp_path) == []


# --- nobody is left behind ---------------------------------------------------------------------


def test_a_map_that_is_closed_early_ends_its_workers_and_theirs(tmp_path: Path, engine: LocalEngine) -> None:
    results = engine.map(Squares(tmp_path, pause_s=60.0, slow=0, together=2, grandchild=True), range(9))
    assert next(results) == (0, 0)
    assert len(living(tmp_path)) == len(living(tmp_path, "grandchild")) == 2
    results.close()  # type: ignore[attr-defined]
    assert living(tmp_path) == []
    assert wait_until(lambda: not living(tmp_path, "grandchild"), 5)


def test_leaving_the_engine_ends_maps_that_nobody_closed(tmp_path: Path) -> None:
    with LocalEngine(2) as engine:
        results = engine.map(Squares(tmp_path, slow=0, together=2), range(100))
        assert next(results) == (0, 0)
        assert len(living(tmp_path)) == 2
    assert living(tmp_path) == []
    with pytest.raises(EngineError, match="inside its `with` block"):
        list(results)


def test_no_child_is_left(tmp_path: Path, engine: LocalEngine) -> None:
    before = set(psutil.Process().children(recursive=True))
    assert list(engine.map(Squares(tmp_path, grandchild=True), range(5))) == EXPECTED[:5]
    left = set(psutil.Process().children(recursive=True)) - before
    assert {child for child in left if "resource_tracker" not in " ".join(child.cmdline())} == set()
    assert len(list_told(tmp_path, "grandchild")) > 0


_MAIN = """
import sys
from pathlib import Path
from pythagoras.engine.local import LocalEngine
from tests.unit.engine_jobs import Squares
with LocalEngine(2) as engine:
    for result in engine.map(Squares(Path(sys.argv[1]), pause_s=600.0, grandchild=True), range(9)):
        pass
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_when_the_main_process_ends_all_end_at_once(tmp_path: Path, how: signal.Signals) -> None:
    main = subprocess.Popen(
        [sys.executable, "-c", _MAIN, str(tmp_path)], start_new_session=True, stderr=subprocess.PIPE, text=True
    )
    try:
        assert wait_until(lambda: len(list_told(tmp_path, "began")) == 2)  # both in the middle of an item
        processes = [*living(tmp_path), *living(tmp_path, "grandchild")]
        assert len(processes) == 4
        if how is signal.SIGINT:  # as a terminal does: to everybody
            os.killpg(main.pid, how)
        else:
            main.send_signal(how)
        said = main.communicate(timeout=20)[1]
        psutil.wait_procs(processes, timeout=10)
        assert [*living(tmp_path), *living(tmp_path, "grandchild")] == []
        assert said.count("Traceback") == (1 if how is signal.SIGINT else 0)  # main's own, and none of a worker's
    finally:
        main.kill()
        main.wait()


# --- choosing one ------------------------------------------------------------------------------


def test_engines_are_chosen_by_name(tmp_path: Path) -> None:
    for name, workers in (("inline", None), ("local", None), ("local", 2)):
        with open_engine(name, workers) as engine:
            assert list(engine.map(Squares(tmp_path), range(5))) == EXPECTED[:5]
    assert 1 <= default_workers() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("lokal", 1, None), "no engine is called 'lokal': did you mean 'local'"),
        (("local", 0, None), "0 workers can't do anything"),
        (("local", 2, "auto"), "the engine local has no address"),
        (("inline", 2, None), "choose local or ray"),
    ],
)
def test_a_wrong_choice_is_explained(arguments: tuple[str, int | None, str | None], said: str) -> None:
    with pytest.raises(InputError, match=said), open_engine(*arguments):
        pass


def test_a_missing_ray_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"pip install 'pythagoras\[ray\]'"), open_engine("ray", 1):
        pass
