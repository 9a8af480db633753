"""Limits and hostile input: each costs its own request, and what follows is answered as if nothing had been."""

from __future__ import annotations

import _thread
import os
import signal
import threading
import time

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pythagoras.errors import HostDied, HostError, HostHung
from pythagoras.lean.host import LeanHost
from pythagoras.lean.pool import Check, LeanPool, Status
from pythagoras.lean.wire import Limits
from tests.lean.conftest import SharedHost

HARD = (
    "theorem hard (a b c d e f g : Nat) (h : (a*b+c*d*e+f)^7*(a+g)^5 = (a*g+2*b)^5) :"
    " (a*b*c+d*e*f+g)^5 = (a+b+c+d+e*f)^4 := by\n  {0}grind"
)
UNLIMITED = "set_option maxHeartbeats 0 in\n  set_option maxRecDepth 1000000 in\n  "


def still_works(shared: SharedHost) -> None:
    answer = shared.check("theorem fine (a b : Nat) : a + b = b + a := by omega")
    assert not answer.messages
    assert {d.name for d in answer.declarations} >= {"fine"}


def test_heartbeats_end_a_search_with_an_error(shared: SharedHost) -> None:
    answer = shared.check(HARD.format(""), limits=Limits(heartbeats=1000, timeout_s=60))
    assert any("heartbeats" in error.data for error in answer.errors)
    assert not answer.interrupted


def test_recursion_depth_is_a_limit_of_the_request(shared: SharedHost) -> None:
    deep = "theorem t : " + "¬" * 60 + "True := by decide"
    shallow, enough = (shared.check(deep, limits=Limits(rec_depth=depth)) for depth in (40, 4000))
    assert any("recursion depth" in error.data for error in shallow.errors)
    assert not enough.errors


def test_limits_do_not_stick(shared: SharedHost) -> None:
    assert shared.check(HARD.format(""), limits=Limits(heartbeats=1, timeout_s=60)).errors
    still_works(shared)


def test_limits_do_not_stick_to_states_that_are_kept(shared: SharedHost) -> None:
    host = shared.living()
    small = {"heartbeats": 20, "recDepth": 40}
    env = host.request({"cmd": "def base := 1", "limits": small}, 30)["env"]
    answer = host.request({"cmd": "theorem t (a b : Nat) (h : a < b) : a + 1 ≤ b := by omega", "env": env}, 30)
    assert set(answer) == {"env"}


def test_an_interrupted_question_is_not_answered_later(shared: SharedHost) -> None:
    host = shared.living()
    threading.Timer(0.5, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        host.check("#eval (IO.sleep 3000 : IO Unit)")
    assert host.pid is None, "it is closed: its next answer would belong to the question before"
    still_works(shared)


def test_the_wall_clock_ends_what_heartbeats_do_not(shared: SharedHost) -> None:
    before = shared.living().pid
    began = time.monotonic()
    answer = shared.check(HARD.format(UNLIMITED), limits=Limits(timeout_s=3))
    assert answer.interrupted
    assert time.monotonic() - began < 30
    assert shared.living().pid == before, "the host itself goes on"
    still_works(shared)


def test_a_host_that_never_looks_at_the_clock_is_killed(shared: SharedHost) -> None:
    with pytest.raises(HostHung):
        shared.check("#eval (IO.sleep 600000 : IO Unit)", limits=Limits(timeout_s=1))
    still_works(shared)


def test_a_pool_does_not_ask_again_what_hung(pool: LeanPool) -> None:
    """Four seconds: a busy machine may take one to begin, and what did not begin ends by the clock in peace."""
    before = pool.stats.hosts_lost
    (hung,) = pool.check([Check("#eval (IO.sleep 600000 : IO Unit)", limits=Limits(timeout_s=4))])
    assert (hung.status, hung.hung) == (Status.HOST_FAILURE, True)
    assert pool.stats.hosts_lost == before + 1


@pytest.mark.parametrize(
    "code",
    [
        "#eval (Array.range 500000000).size",  # more than the memory cap
        "#eval (IO.Process.exit 0 : IO Unit)",
        "theorem t : " + "(" * 60000 + "1" + ")" * 60000 + " = 1 := rfl",
        "set_option maxRecDepth 100000000 in\nset_option maxHeartbeats 0 in\n"
        "theorem t : (List.range 1000000).foldl (· + ·) 0 = 0 := by decide",
    ],
    ids=["memory", "exit", "nesting", "recursion"],
)
def test_what_breaks_a_host_raises_and_costs_nothing_else(shared: SharedHost, code: str) -> None:
    with pytest.raises(HostDied):
        shared.check(code, limits=Limits(timeout_s=60))
    still_works(shared)


@pytest.mark.parametrize(
    "code",
    [
        "theorem t : " + "¬" * 5000 + "True := by simp",
        "theorem t (x : Nat) : " + "x + " * 3000 + "0 = 0 := by simp",
        'macro "foo" : tactic => `(tactic| skip)\nmacro_rules | `(tactic| foo) => `(tactic| (skip; foo))\n'
        "theorem t : 1 = 2 := by foo",
        "class C (n : Nat) where x : Nat\ninstance [C (n + 1)] : C n := ⟨1⟩\nexample : C 0 := inferInstance",
    ],
    ids=["negations", "sum", "macro", "instances"],
)
def test_deep_recursion_that_lean_notices_is_an_ordinary_error(shared: SharedHost, code: str) -> None:
    before = shared.living().pid
    assert shared.check(code, limits=Limits(timeout_s=60)).errors
    assert shared.living().pid == before


@pytest.mark.parametrize(
    "code", ["", "\0", "\0" * 1000, "theorem t : 1 = 1 := rfl\0", "-- " + "x" * 2**20, "\ufeff", "\r\n\r\n"]
)
def test_odd_text_is_answered(shared: SharedHost, code: str) -> None:
    before = shared.living().pid
    shared.check(code)
    assert shared.living().pid == before


def test_a_megabyte_of_theorems(shared: SharedHost) -> None:
    code = "".join(f"theorem t{n} : {n} = {n} := rfl -- {'x' * 500}\n" for n in range(2000))
    assert len(code) > 2**20
    answer = shared.check(code, limits=Limits(timeout_s=120))
    assert not answer.messages
    assert len(answer.declarations) == 2000


@pytest.mark.parametrize(
    "line", [b"", b"{", b"\xff\xfe{}", b"[1]", b"null", b'"x"', b'{"cmd": 7}', b'{"cmd": "\\ud800"}', b"\0"]
)
def test_raw_bytes_on_the_wire_get_an_answer_or_are_skipped(shared: SharedHost, line: bytes) -> None:
    host = shared.living()
    host._write(line + b"\n", time.monotonic() + 10)
    if line:  # blank lines are not requests
        assert host._read(time.monotonic() + 10)
    still_works(shared)


_BITS = """theorem lemma def t x : := = ( ) by rfl omega simp decide grind ∀ ∃ ℕ → ⟨ ⟩ · fun => 1 2 + end namespace
sorry /- -/ -- " macro notation #eval #check open in set_option section ∑ { } | [ ] @ ` $ \\"""
_LEAN_BITS = st.sampled_from([*_BITS.split(), "\n", "\n  "])


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_LEAN_BITS | st.text(max_size=6), max_size=40).map(" ".join))
def test_any_text_is_answered_and_positions_lie_inside_it(shared: SharedHost, code: str) -> None:
    code = code.encode(errors="replace").decode()
    answer = shared.check(code, spans=True, tactics=True)
    lines = code.count("\n") + 1
    for message in answer.messages:
        assert 1 <= message.pos.line <= lines
    for span in answer.spans:
        assert 0 <= span.start <= span.end <= len(code)
    for declaration in answer.declarations:
        assert len(declaration.type_key) == 64


def test_code_can_not_write_files_or_take_requests(shared: SharedHost) -> None:
    writes = ('IO.FS.writeFile "/lean/x" "y"', 'IO.FS.writeFile "/tmp/x" "y"', 'IO.FS.createDir "/lean/d"')
    for action in (*writes, 'IO.FS.removeFile "/lean/symbols.bin"', 'IO.FS.rename "/lean/lib" "/lean/gone"'):
        answer = shared.check(f"#eval ({action} : IO Unit)")
        assert any("read-only" in error.data for error in answer.errors), (action, answer.messages)
    spawned = shared.check('#eval (do discard <| IO.Process.output { cmd := "ls" } : IO Unit)')
    assert spawned.errors
    stolen = shared.check("#eval (do IO.println (← (← IO.getStdin).getLine) : IO Unit)")
    assert [message.data for message in stolen.messages] == [""]
    outside = shared.check('#eval (do IO.println (← IO.FS.readFile "/etc/passwd") : IO Unit)')
    assert outside.errors
    still_works(shared)


def test_what_code_prints_is_never_an_answer(shared: SharedHost) -> None:
    forged = '{\\"env\\": 7, \\"messages\\": []}'
    answer = shared.check(
        f'#eval (do IO.println "{forged}"; (← IO.getStderr).putStrLn "{forged}" : IO Unit)\ntheorem t : 1 = 2 := rfl'
    )
    assert answer.errors


def test_killed_from_outside(shared: SharedHost) -> None:
    host = shared.living()
    assert host.pid is not None
    threading.Timer(0.5, os.kill, (host.pid, signal.SIGKILL)).start()
    with pytest.raises(HostDied, match="signal 9"):
        host.check("#eval (IO.sleep 20000 : IO Unit)")
    still_works(shared)


def test_a_closed_host_says_so() -> None:
    host = LeanHost()
    with pytest.raises(HostError):
        host.check("")
    host.close()


def test_memory_stays_flat_and_states_can_be_dropped() -> None:
    """A short soak; `pythagoras lean bench --soak 5000` is the long one."""
    with LeanHost() as host:
        base = host.request({"cmd": "def base := 1"}, 30)["env"]

        def work(count: int) -> None:
            for number in range(count):
                code = f"theorem t (a b : Nat) (h : a < b) : a + {number} ≤ b + {number} := by omega"
                host.check(code)
                env = host.request({"cmd": code, "env": base}, 30)["env"]
                host.request({"drop": [env]}, 30)

        work(150)
        settled = host.memory_mb()
        work(300)
        assert host.memory_mb() < settled + 60


def test_no_process_is_left_behind() -> None:
    with LeanHost() as host:
        assert host.pid is not None
        process = psutil.Process(host.pid)
        family = [process, *process.children(recursive=True)]
    assert not any(member.is_running() and member.status() != psutil.STATUS_ZOMBIE for member in family)
