"""The native checker with real Lean behind the REPL's protocol, with and without its own word on declarations.

No toolchain is needed: `pythagoras lean repl` stands in for the `repl` binary. Where `lake` is on the PATH and
PYTHAGORAS_LAKE_PROJECT names a built project with the REPL in it, the same tests run with that one too.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from pythagoras.errors import InputError
from pythagoras.lean.native.checker import NativeChecker, repl_command
from pythagoras.lean.pool import Check, Checked, LeanPool, Status
from pythagoras.lean.wire import Declaration, Limits

OURS = (sys.executable, "-m", "pythagoras", "lean", "repl")
COMMUNITY = (sys.executable, "-m", "tests.lean.community_repl")
HERE = Path(__file__).parents[2]
PROJECT_VARIABLE = "PYTHAGORAS_LAKE_PROJECT"
SLOW = (
    "set_option maxHeartbeats 0 in\nset_option maxRecDepth 1000000 in\n"
    "theorem t (a b c d e f g : Nat) (h : (a*b+c*d*e+f)^7*(a+g)^5 = (a*g+2*b)^5) :"
    " (a*b*c+d*e*f+g)^5 = (a+b+c+d)^4 := by grind"
)


def checker_of(kind: str) -> NativeChecker:
    if kind != "toolchain":
        return NativeChecker(HERE, 1, command=OURS if kind == "ours" else COMMUNITY, header="none")
    if shutil.which("lake") is None:
        pytest.skip("there is no native toolchain here: no `lake` on the PATH")
    if PROJECT_VARIABLE not in os.environ:
        pytest.skip(f"{PROJECT_VARIABLE} names no built lake project with the REPL in it")
    project = Path(os.environ[PROJECT_VARIABLE])
    return NativeChecker(project, 1, command=repl_command(project), header="none")


@pytest.fixture(scope="module", params=["ours", "community", "toolchain"])
def native(request: pytest.FixtureRequest) -> Iterator[NativeChecker]:
    with checker_of(request.param) as running:
        yield running


def check(code: str, *names: str, **settings: object) -> Check:
    return Check(code, "none", names=names, **settings)  # type: ignore[arg-type]


def declared(checked: Checked, name: str) -> Declaration:
    assert checked.answer is not None, checked.failure
    return next(declaration for declaration in checked.answer.declarations if declaration.name == name)


def test_right_answers_in_order(native: NativeChecker) -> None:
    true = [number % 3 != 0 for number in range(9)]
    checks = [
        check(f"theorem t{n} (a : Nat) : a + {n} = {n if true[n] else n + 1} + a := by omega", f"t{n}")
        for n in range(9)
    ]
    results = list(native.check(checks))
    assert [result.check for result in results] == checks
    assert [result.answer is not None and not result.answer.errors for result in results] == true
    for number, result in enumerate(results):
        assert declared(result, f"t{number}").kind == "theorem"
        assert ("sorryAx" in declared(result, f"t{number}").axioms) is not true[number]


def test_keys_are_those_of_statements(native: NativeChecker) -> None:
    codes = [
        "theorem t (n : Nat) : n = n := rfl",
        "theorem t {m : Nat} : m = m := Eq.refl _",
        "theorem t (n : Int) : n = n := rfl",
        "def Nat' := Nat\ntheorem t (n : Nat') : n = n := rfl",
        "def Nat' := Int\ntheorem t (n : Nat') : n = n := rfl",
    ]
    same, renamed, *others = [
        declared(result, "t").type_key for result in native.check(check(code, "t") for code in codes)
    ]
    assert same == renamed
    assert len({same, *others}) == 4


def test_no_state_leaks_and_places_are_the_codes(native: NativeChecker) -> None:
    first, second = native.check(
        [check("axiom leak : False", "leak"), check("theorem a : True := trivial\ntheorem t : False :=\n  leak", "t")]
    )
    assert declared(first, "leak").kind == "axiom"
    assert second.answer is not None
    assert [error.pos.line for error in second.answer.errors] == [3]


def test_imports_of_the_code_are_taken(native: NativeChecker) -> None:
    (result,) = native.check([check("import Std\ntheorem t : True := trivial\n#check Lean.Expr", "t")])
    assert declared(result, "t").type == "(const True )"


def test_a_time_out_is_its_own_outcome(native: NativeChecker) -> None:
    began = time.monotonic()
    (result,) = native.check([check(SLOW, "t", limits=Limits(timeout_s=1))])
    assert result.status is Status.TIMEOUT
    assert time.monotonic() - began < 60
    (after,) = native.check([check("theorem t : True := trivial", "t")])
    assert after.status is Status.ANSWERED


def test_heartbeats_are_a_limit(native: NativeChecker) -> None:
    (result,) = native.check([check(SLOW.split("in\n")[-1], "t", limits=Limits(heartbeats=200, timeout_s=60))])
    assert result.answer is not None
    assert result.answer.errors


def test_a_killed_process_is_replaced_and_its_check_tried_again() -> None:
    with checker_of("ours") as native:
        future = native.submit(check("#eval (IO.sleep 3000 : IO Unit)", "t"))
        time.sleep(1)
        (session,) = native._living
        assert session.process.pid is not None
        psutil.Process(session.process.pid).kill()
        assert future.result(timeout=60).status is Status.ANSWERED
        assert native.stats.started >= 2


def test_a_process_that_is_too_big_is_killed() -> None:
    with NativeChecker(HERE, 1, command=OURS, header="none", memory_mb=100) as native:
        (result,) = native.check([check("#eval (IO.sleep 20000 : IO Unit)", "t")])
        assert result.status is Status.HOST_FAILURE
        assert "more than its 100 MB" in result.failure


def test_nothing_is_left_behind() -> None:
    mine = psutil.Process()
    before = {child.pid for child in mine.children(recursive=True)}
    with checker_of("ours") as native:
        future = native.submit(check("#eval (IO.sleep 60000 : IO Unit)", "t", limits=Limits(timeout_s=100)))
        time.sleep(1)
        inside = [child for child in mine.children(recursive=True) if child.pid not in before]
        assert len(inside) >= 2, "the REPL and its host"
    assert future.result(timeout=5).status is Status.HOST_FAILURE
    _, alive = psutil.wait_procs(inside, timeout=5)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


def test_a_header_is_elaborated_once() -> None:
    with NativeChecker(HERE, 1, command=OURS, header="core") as native:
        odd = Check("theorem t (n : ℕ) (h : Odd n) : Odd (n + 2) := by grind", "core", names=("t",))
        even = Check("theorem t (n : ℕ) (h : Even n) : Even (n + 2) := by grind", "core", names=("t",))
        results = list(native.check([odd, even]))
        assert [declared(result, "t").axioms.count("sorryAx") for result in results] == [0, 0]
        (session,) = native._living
        assert native.stats.started == 1
        assert len(session._states) == 1


def test_the_embedded_lean_refuses_mathlibs_header_in_one_line() -> None:
    with pytest.raises(InputError, match="the embedded Lean has no Mathlib") as told, LeanPool(1, header="mathlib"):
        pass
    assert "\n" not in str(told.value)
    with LeanPool(1, spare=False, header="none") as pool:
        with pytest.raises(InputError, match="the embedded Lean has no Mathlib"):
            list(pool.check([Check("theorem t : True := trivial", "mathlib")]))
        (after,) = pool.check([check("theorem t : True := trivial")])
        assert after.status is Status.ANSWERED
