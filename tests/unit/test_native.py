"""The native checker with a scripted REPL: order, kept headers, the audit's place, and every way to fail."""

from __future__ import annotations

import itertools
import json
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from pythagoras.errors import HostDied, HostError, InputError
from pythagoras.lean.native.audit import NO_REPORT
from pythagoras.lean.native.checker import NativeChecker, repl_command
from pythagoras.lean.pool import Check, Checked, Status
from pythagoras.lean.wire import Limits

REPL = Path(__file__).with_name("fake_repl.py")
Opened = Callable[..., NativeChecker]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Checkers on a scripted REPL, closed at the end, with nothing left of them."""
    before = children()
    checkers: list[NativeChecker] = []

    def make(kind: str = "community", processes: int = 1, **settings: Any) -> NativeChecker:
        command = [sys.executable, str(REPL), kind, str(tmp_path / "log")]
        checkers.append(NativeChecker(tmp_path, processes, command=command, **{"header": "none", **settings}))
        return checkers[-1].__enter__()

    yield make
    for checker in checkers:
        checker.close()
    assert children() <= before


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def requests(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]


def theorem(number: int, header: str = "none", **settings: Any) -> Check:
    return Check(f"theorem t{number} : True := trivial", header, names=(f"t{number}",), **settings)


def one(checker: NativeChecker, code: str, **settings: Any) -> Checked:
    (checked,) = checker.check([Check(code, "none", **settings)])
    return checked


# --- checking --------------------------------------------------------------------------------------


def test_answers_come_in_the_order_asked(opened: Opened) -> None:
    checks = [theorem(number) for number in range(40)]
    results = list(opened(processes=3).check(checks))
    assert [result.check for result in results] == checks
    assert {result.status for result in results} == {Status.ANSWERED}
    assert [result.answer.declarations[0].name for result in results if result.answer] == [
        f"t{number}" for number in range(40)
    ]


def test_the_input_may_be_endless(opened: Opened) -> None:
    endless = (theorem(number) for number in itertools.count())
    assert len(list(itertools.islice(opened().check(endless), 5))) == 5


def test_the_audit_stands_around_the_submission(opened: Opened, tmp_path: Path) -> None:
    checker = opened(header="mathlib")
    first, second = checker.check([theorem(1, "mathlib"), theorem(2, "mathlib")])
    probe, library, definitions, scope, trial, *rest = requests(tmp_path)
    assert probe["cmd"].startswith("theorem")
    assert library["cmd"] == "import Lean\nimport Mathlib\nimport Aesop\n\n"
    assert "env" not in library
    assert "namespace PythagorasAudit_" in definitions["cmd"]
    assert scope["cmd"].startswith("set_option maxHeartbeats 400000\n")
    assert trial["cmd"].startswith("#PythagorasAudit_")
    assert [request["cmd"].split()[0] for request in rest] == ["theorem", trial["cmd"].split()[0]] * 2
    assert [request["env"] for request in rest] == [3, 5, 3, 7], "each on the header, each audit on its own state"
    assert len({request["cmd"].split()[1] for request in (trial, rest[1], rest[3])}) == 3, "a nonce for each"
    for result in (first, second):
        assert result.answer is not None
        assert result.answer.declarations[0].axioms == ("propext",)


def test_a_repl_of_ours_reports_by_itself(opened: Opened, tmp_path: Path) -> None:
    checker = opened("ours")
    check = theorem(1, holes=("h",), refuse=("program",), replay=True, limits=Limits(heartbeats=5, timeout_s=7))
    (result,) = checker.check([check])
    assert result.answer is not None
    assert result.answer.declarations[0].type_key == "key"
    _, header, asked = requests(tmp_path)
    assert header["cmd"] == ""
    assert (asked["holes"], asked["refuse"], asked["replay"], asked["keep"]) == (["h"], ["program"], True, False)
    assert asked["limits"] == {"heartbeats": 5, "timeoutMs": 7000}


def test_declarations_in_another_shape_are_not_used(opened: Opened) -> None:
    (result,) = opened("fork").check([theorem(1)])
    assert result.answer is not None
    assert [declared.name for declared in result.answer.declarations] == ["t1"]


def test_limits_are_options_of_a_kept_state(opened: Opened, tmp_path: Path) -> None:
    limits = Limits.model_validate({"heartbeats": 1000, "recDepth": 99})
    list(opened().check(theorem(number, limits=limits) for number in range(3)))
    options = [request["cmd"] for request in requests(tmp_path) if request["cmd"].startswith("set_option")]
    assert options == ["set_option maxHeartbeats 1000\nset_option maxRecDepth 99"]


def test_imports_of_the_code_come_before_the_audit(opened: Opened, tmp_path: Path) -> None:
    (result,) = opened().check([Check("import Std\ntheorem t : True := trivial", "none", names=("t",))])
    assert result.status is Status.ANSWERED
    commands = [request["cmd"] for request in requests(tmp_path)]
    assert "import Lean\nimport Std\n" in commands
    assert "          \ntheorem t : True := trivial" in commands


def test_a_submission_that_silences_the_audit_gets_an_error(opened: Opened) -> None:
    result = one(opened(), "theorem t : True := trivial -- SILENT", names=("t",))
    assert result.answer is not None
    assert result.answer.declarations == ()
    assert [error.kind for error in result.answer.errors] == [NO_REPORT]


# --- failing ---------------------------------------------------------------------------------------


def test_a_clock_that_runs_out_is_a_time_out(opened: Opened) -> None:
    checker = opened()
    began = time.monotonic()
    result = one(checker, "HANG", limits=Limits(timeout_s=0.3))
    assert result.status is Status.TIMEOUT
    assert result.answer is not None
    assert result.answer.interrupted
    assert time.monotonic() - began < 10
    assert one(checker, "theorem t : True := trivial").status is Status.ANSWERED
    assert (checker.stats.timeouts, checker.stats.lost) == (1, 1)


def test_a_process_that_dies_once_costs_nothing_but_time(opened: Opened) -> None:
    checker = opened()
    assert one(checker, "DIE ONCE").status is Status.ANSWERED
    assert (checker.stats.started, checker.stats.lost) == (2, 1)


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("DIE", "the REPL ended (exit code 3): Lean exited in a hurry"),
        ("GARBAGE", "the REPL said something that is no JSON"),
        ("LOST", "the REPL gave up (Unknown environment.)"),
    ],
)
def test_a_process_that_breaks_twice_says_nothing_about_the_proof(opened: Opened, code: str, failure: str) -> None:
    checker = opened()
    result = one(checker, code)
    assert (result.status, result.answer) == (Status.HOST_FAILURE, None)
    assert result.failure.startswith(failure)
    assert one(checker, "theorem t : True := trivial").status is Status.ANSWERED


def test_a_process_that_grows_is_killed(opened: Opened) -> None:
    result = one(opened(memory_mb=200), "GROW", limits=Limits(timeout_s=30))
    assert result.status is Status.HOST_FAILURE
    assert "more than its 200 MB" in result.failure


def test_an_answer_that_nobody_asked_for_ends_the_process(opened: Opened) -> None:
    checker = opened("ours")
    first, second = checker.check([Check("NOISE", "none"), theorem(1)])
    assert first.status is Status.ANSWERED
    assert second.answer is not None
    assert [declared.name for declared in second.answer.declarations] == ["t1"]
    assert checker.stats.lost == 1


def test_children_are_killed_too(opened: Opened, tmp_path: Path) -> None:
    assert one(opened(), "SPAWN", limits=Limits(timeout_s=0.5)).status is Status.TIMEOUT
    pid = int((tmp_path / "log.child").read_text())
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_a_fresh_check_gets_a_process_of_its_own(opened: Opened, tmp_path: Path) -> None:
    list(opened().check([theorem(1), theorem(2, fresh=True), theorem(3)]))
    pids = [request["pid"] for request in requests(tmp_path) if "theorem t" in request["cmd"]]
    assert len(set(pids)) == 3


def test_closing_ends_open_checks(opened: Opened) -> None:
    checker = opened()
    waiting = [checker.submit(Check("HANG", "none")) for _ in range(3)]
    time.sleep(0.3)
    checker.close()
    assert {future.result(timeout=5).status for future in waiting} == {Status.HOST_FAILURE}
    with pytest.raises(HostDied, match="closed"):
        checker.submit(theorem(1))


# --- what is not in place --------------------------------------------------------------------------


def test_a_header_that_lean_rejects_is_told_at_once(opened: Opened) -> None:
    with pytest.raises(InputError, match=r"this Lean rejects the audit \(line 1: unknown constant\): "):
        opened("old")
    checker = opened()
    with pytest.raises(InputError, match=r"rejects the code's imports \(unknown module prefix 'Nowhere'\)"):
        one(checker, "import Nowhere\ntheorem t : True := trivial")
    assert one(checker, "theorem t : True := trivial").status is Status.ANSWERED
    with pytest.raises(InputError, match="did you mean 'none'"):
        list(checker.check([Check("", "non")]))


def test_a_command_that_is_not_there_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(HostError, match="no-such-repl can't be started"),
        NativeChecker(tmp_path, 1, command=["no-such-repl"]),
    ):
        pass
    with pytest.raises(InputError, match="is no folder"), NativeChecker(tmp_path / "x", 1):
        pass
    with pytest.raises(InputError, match="ask for 1 or more"):
        NativeChecker(tmp_path, 0)


def test_the_repl_is_found_in_the_usual_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools, project = tmp_path / "bin", tmp_path / "project"
    tools.mkdir()
    project.mkdir()
    monkeypatch.setenv("PATH", str(tools))
    with pytest.raises(InputError, match="no lakefile"):
        repl_command(project)
    (project / "lakefile.toml").touch()
    with pytest.raises(InputError, match="no `lake` on the PATH"):
        repl_command(project)
    _executable(tools / "lake")
    with pytest.raises(InputError, match="no built REPL"):
        repl_command(project)
    for place in (
        tools / "repl",
        project / ".lake/build/bin/repl",
        project / ".lake/packages/repl/.lake/build/bin/repl",
    ):
        _executable(place)
        assert repl_command(project) == ["lake", "env", str(place.resolve())]


def _executable(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(stat.S_IRWXU)
