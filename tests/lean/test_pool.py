"""The pool: order, repeats, hosts that are killed under it, time-outs, and leaving without a trace."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import psutil
import pytest

from pythagoras.errors import HostDied, InputError
from pythagoras.lean.pool import Check, LeanPool, Status
from pythagoras.lean.theorems import report
from pythagoras.lean.wire import Limits


def numbered(number: int) -> Check:
    true = number % 3 != 0
    return Check(f"theorem t{number} (a : ℕ) : a + {number} = {number if true else number + 1} + a := by omega")


def proved(check: Check, pool: LeanPool) -> bool:
    (checked,) = pool.check([check])
    assert checked.answer is not None
    return report(checked.answer).proved


def lean_processes(parent: psutil.Process) -> Iterator[psutil.Process]:
    for child in parent.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if any(part.endswith("host.js") for part in child.cmdline()):
                yield child


def test_answers_come_in_the_order_asked(pool: LeanPool) -> None:
    checks = [numbered(n) for n in range(60)]
    results = list(pool.check(checks))
    assert [result.check for result in results] == checks
    assert [report(r.answer).proved for r in results if r.answer] == [n % 3 != 0 for n in range(60)]


def test_answers_stream_and_the_input_may_be_endless(pool: LeanPool) -> None:
    endless = (numbered(1000 + n) for n in itertools.count())
    assert [r.check.code for r in itertools.islice(pool.check(endless), 5)] == [
        numbered(1000 + n).code for n in range(5)
    ]


def test_identical_checks_are_run_once(pool: LeanPool) -> None:
    list(pool.check(numbered(5100 + n) for n in range(8)))  # behind whatever other tests left in the queue
    time.sleep(1)
    answered, repeated = pool.stats.answered, pool.stats.repeated
    results = list(pool.check([numbered(5001)] * 20))
    assert len({id(result) for result in results}) == 1
    assert pool.stats.answered == answered + 1
    assert pool.stats.repeated == repeated + 19


def test_a_time_out_is_its_own_outcome(pool: LeanPool) -> None:
    grind = (
        "set_option maxHeartbeats 0 in\nset_option maxRecDepth 1000000 in\n"
        "theorem t (a b c d e f g : ℕ) (h : (a*b+c*d*e+f)^7*(a+g)^5 = (a*g+2*b)^5) :"
        " (a*b*c+d*e*f+g)^5 = (a+b+c+d)^4 := by grind"
    )
    (result,) = pool.check([Check(grind, limits=Limits(timeout_s=1))])
    assert result.status is Status.TIMEOUT


def test_a_batch_survives_hosts_that_are_killed_under_it() -> None:
    with LeanPool(2) as pool:
        checks = [numbered(n) for n in range(300)]
        done = threading.Event()

        def killer() -> None:
            mine, draw, answered = psutil.Process(), random.Random(7), 0
            while not done.wait(0.1):
                pids = _pids(pool)
                hosts = [process for process in lean_processes(mine) if process.pid in pids]
                if len(hosts) > 1 and pool.stats.answered >= answered + 25:  # so often, however busy the machine is
                    answered = pool.stats.answered
                    draw.choice(hosts).send_signal(signal.SIGKILL)

        thread = threading.Thread(target=killer)
        thread.start()
        try:
            results = list(pool.check(checks))
        finally:
            done.set()
            thread.join()
    assert [result.check for result in results] == checks
    assert pool.stats.hosts_lost > 0
    unanswered = [result for result in results if result.answer is None]
    assert len(unanswered) <= 3, "a check may be hit twice in a row, rarely"
    for number, result in enumerate(results):
        assert result.answer is None or report(result.answer).proved == (number % 3 != 0)


def test_hostile_members_fail_alone(pool: LeanPool) -> None:
    hostile = Check("#eval (IO.Process.exit 1 : IO Unit)")
    checks = [numbered(7001), hostile, numbered(7002), hostile, numbered(7003)]
    results = list(pool.check(checks))
    assert [r.status for r in results] == [
        *(Status.ANSWERED, Status.HOST_FAILURE, Status.ANSWERED),
        *(Status.HOST_FAILURE, Status.ANSWERED),
    ]
    assert results[1].failure
    assert proved(numbered(7004), pool)


def test_a_failure_is_not_remembered(pool: LeanPool) -> None:
    hostile = Check("#eval (IO.Process.exit 3 : IO Unit)")
    before = pool.stats.host_failures
    list(pool.check([hostile]))
    list(pool.check([hostile]))
    assert pool.stats.host_failures == before + 2


def test_no_state_leaks_from_one_check_to_the_next(pool: LeanPool) -> None:
    (first, second) = pool.check([Check("axiom leak : False"), Check("theorem t : False := leak")])
    assert first.answer is not None
    assert not first.answer.errors
    assert second.answer is not None
    assert second.answer.errors


def test_closing_ends_open_checks_and_processes() -> None:
    with LeanPool(1) as pool:
        future = pool.submit(Check("#eval (IO.sleep 60000 : IO Unit)", limits=Limits(timeout_s=100)))
        time.sleep(0.5)
        pids = _pids(pool)
        assert pids
    assert future.result(timeout=5).status is Status.HOST_FAILURE
    assert not [child for child in psutil.Process().children(recursive=True) if child.pid in pids]
    with pytest.raises(HostDied):
        pool.submit(numbered(1))


def _pids(pool: LeanPool) -> set[int]:
    return {host.pid for host in pool._living if host.pid is not None}


def test_a_cancelled_check_does_not_stop_the_pool() -> None:
    with LeanPool(1, spare=False) as pool:
        first = pool.submit(Check("#eval (IO.sleep 1000 : IO Unit)"))
        waiting = pool.submit(numbered(1))
        assert waiting.cancel()
        assert first.result(timeout=60).status is Status.ANSWERED
        assert pool.submit(numbered(1)).result(timeout=60).status is Status.ANSWERED


def test_a_check_that_nobody_waits_for_is_dropped() -> None:
    endless, waiting = Check("#eval (IO.sleep 600000 : IO Unit)", limits=Limits(timeout_s=600)), numbered(1)
    with LeanPool(1) as pool:
        running, queued = pool.submit(endless), pool.submit(waiting)
        while endless not in pool._at_work:
            time.sleep(0.01)
        pool.drop(waiting)
        assert queued.cancelled()
        pool.drop(endless)
        assert running.result(timeout=30).status is Status.HOST_FAILURE
        assert (pool.stats.hosts_lost, pool.stats.host_failures) == (1, 1)  # it was not tried again
        assert proved(waiting, pool)
        pool.drop(waiting)  # too late: nothing happens
        assert proved(numbered(2), pool)
        assert pool.stats.hosts_lost == 1


def test_a_wrong_header_is_the_callers_mistake(pool: LeanPool) -> None:
    lost = pool.stats.hosts_lost
    with pytest.raises(InputError, match="did you mean 'core'"):
        list(pool.check([Check("theorem t : 1 = 1 := rfl", header="cor")]))
    assert pool.stats.hosts_lost == lost


def test_a_pool_needs_a_host() -> None:
    with pytest.raises(InputError):
        LeanPool(0)


_BATCH = """
import sys
from pythagoras.lean.pool import Check, LeanPool
with LeanPool(2) as pool:
    print("ready", flush=True)
    for _ in pool.check(Check(f"#eval (IO.sleep 5000 : IO Unit) -- {n}") for n in range(100)):
        pass
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_one_that_started_it(sent: signal.Signals) -> None:
    process = subprocess.Popen([sys.executable, "-c", _BATCH], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"ready"
        hosts = psutil.Process(process.pid).children(recursive=True)
        assert hosts
        os.kill(process.pid, sent)
        process.wait(timeout=20)
        _, alive = psutil.wait_procs(hosts, timeout=10)
        assert not [host for host in alive if host.status() != psutil.STATUS_ZOMBIE]
    finally:
        process.kill()
        if process.stdout is not None:
            process.stdout.close()
