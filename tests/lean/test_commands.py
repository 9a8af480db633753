"""The commands with real Lean behind them: `lean check`, `repl`, `install`, `doctor`, and the README's session."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pythagoras.lean import package

ROOT = Path(__file__).parents[2]
GOOD = "theorem good (a b : ℕ) (h : a < b) : a + 1 ≤ b := by omega\n"
NAME_IT = "Lean accepts it, but an example leaves no constant behind to judge: give it a name"
BAD = "theorem fine : 1 + 1 = 2 := rfl\n\ntheorem bad (a b : ℕ) (h : a < b) : a + 2 ≤ b := by\n  omega\n"


def run(*args: str, stdin: str | bytes = "", **env: str) -> subprocess.CompletedProcess[bytes]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    command = [sys.executable, "-m", "pythagoras", *args]
    return subprocess.run(command, input=data, capture_output=True, timeout=300, env={**os.environ, **env}, check=False)


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_check_says_proved_or_not_under_the_source_line(tmp_path: Path) -> None:
    good, bad = write(tmp_path, "good.lean", GOOD), write(tmp_path, "bad.lean", BAD)
    assert run("lean", "check", good).returncode == 0
    result = run("lean", "check", good, bad)
    assert result.returncode == 1
    lines = result.stdout.decode().splitlines()
    assert lines[:5] == [good, "  ✓ good", bad, "  ✓ fine", "  ✗ bad  Lean reports an error"]
    assert lines[5:8] == ["    4 │   omega", "      │   ^^^^^", "      │ omega could not prove the goal:"]


def test_check_reads_standard_input_and_prints_json() -> None:
    result = run("lean", "check", "-", "--json", stdin=BAD)
    (file,) = json.loads(result.stdout)
    assert (result.returncode, file["file"], file["proved"]) == (1, "-", False)
    assert [(t["name"], t["line"], t["proved"]) for t in file["theorems"]] == [("fine", 1, True), ("bad", 3, False)]
    assert file["theorems"][1]["messages"][0]["pos"] == {"line": 4, "column": 2}


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("theorem t : 1 = 2 := sorry", "it uses sorry"),
        ("axiom a : False\ntheorem t : 1 = 2 := a.elim", "it rests on a"),
        ("theorem t : 2 ^ 10 = 1024 := by native_decide", "it rests on Lean.ofReduceBool"),
        ("theorem t : 1 = 2 := (fun _ => sorry) t where t : 1 = 1 := rfl", "it uses sorry"),
        ("set_option warn.sorry false in\nexample : False := sorry", "it uses sorry"),
        ("set_option warn.sorry false in\nexample : False := sorryAx _ false", NAME_IT),
        ("example : 2 ^ 10 = 1024 := by native_decide", NAME_IT),
    ],
)
def test_check_is_not_taken_in(code: str, why: str) -> None:
    result = run("lean", "check", "-", "--json", stdin=code)
    (file,) = json.loads(result.stdout)
    assert result.returncode == 1
    assert [theorem["why"] for theorem in file["theorems"]] == [why]


def test_check_goes_on_past_files_that_can_not_be_read(tmp_path: Path) -> None:
    good = write(tmp_path, "good.lean", GOOD)
    (tmp_path / "latin1.lean").write_bytes(b"theorem \xe9")
    result = run("lean", "check", str(tmp_path / "none.lean"), good, str(tmp_path / "latin1.lean"))
    assert result.returncode == 2
    assert "✓ good" in result.stdout.decode()
    assert len(result.stderr.decode().strip().splitlines()) == 2


def test_check_without_a_theorem_or_with_a_missing_import_is_no() -> None:
    assert run("lean", "check", "-", stdin="def x := 1").returncode == 1
    result = run("lean", "check", "-", stdin="import Nowhere\ntheorem t : 1 = 1 := rfl")
    assert result.returncode == 1
    assert "unknown module prefix 'Nowhere'" in result.stdout.decode()


def test_check_stops_at_the_time_limit() -> None:
    search = (
        "set_option maxHeartbeats 0 in\nset_option maxRecDepth 1000000 in\n"
        "theorem t (a b c d e f g : ℕ) (h : (a*b+c*d*e+f)^7*(a+g)^5 = (a*g+2*b)^5) :"
        " (a*b*c+d*e*f+g)^5 = (a+b+c+d)^4 := by grind"
    )
    began = time.monotonic()
    result = run("lean", "check", "-", "--timeout", "2", stdin=search)
    assert result.returncode == 1
    assert "stopped after 2 s" in result.stdout.decode()
    assert time.monotonic() - began < 60


def repl(text: str | bytes, *args: str) -> list[Any]:
    result = run("lean", "repl", *args, stdin=text)
    assert result.returncode == 0, result.stderr
    return [json.loads(piece) for piece in result.stdout.decode().split("\n\n") if piece.strip()]


def test_repl_is_the_community_protocol() -> None:
    requests = (
        '{"cmd": "def f := 2"}\n\n{"cmd": "example : f = 2 := rfl", "env": 0}\r\n\r\n'
        '{"cmd":\n "example : f = 3 := rfl",\n "env": 0}\n\n{"cmd": "#check f", "env": 99}\n\nnot json\n\n'
    )
    first, second, third, fourth, fifth = repl(requests)
    assert (first, second) == ({"env": 0}, {"env": 1})
    assert third["env"] == 2
    assert third["messages"][0]["severity"] == "error"
    assert fourth == {"message": "Unknown environment."}
    assert "JSON" in fifth["message"]


def test_repl_stops_at_the_first_error_where_that_is_asked_for() -> None:
    asked = {"cmd": "theorem t : 1 = 2 ∧ 2 = 3 := by\n  constructor\n  · rfl\n  · rfl"}
    slow, fast = repl("".join(f"{json.dumps(one)}\n\n" for one in (asked, {**asked, "untilError": True})))
    assert [len(answer["messages"]) for answer in (slow, fast)] == [2, 1]


def test_repl_reads_files_and_keeps_numbers_when_a_host_is_lost(tmp_path: Path) -> None:
    path = write(tmp_path, "f.lean", "def g := 3")
    requests: list[dict[str, object]] = [{"path": path}, {"cmd": "#eval (IO.Process.exit 0 : IO Unit)"}]
    requests += [{"cmd": "#check g", "env": 0}, {"cmd": "def h := 1"}]
    answers = repl("\n\n".join(map(json.dumps, requests)))
    assert answers[0] == {"env": 0}
    assert "states are gone" in answers[1]["message"]
    assert answers[2] == {"message": "Unknown environment."}
    assert answers[3] == {"env": 1}, "no number is given twice"


def test_repl_does_not_write_files(tmp_path: Path) -> None:
    target = tmp_path / "written.olean"
    request = {"compile": "def x := 1", "module": "X", "to": str(target)}
    hidden, plain = repl("\n\n".join(map(json.dumps, ({"cmd": "def y := 1", **request}, request))))
    assert hidden == {"env": 0}
    assert "no other" in plain["message"]
    assert not target.exists()


def test_repl_survives_nesting_without_end() -> None:
    bad, good = repl("[" * 100_000 + '\n\n{"cmd": "def x := 1"}\n\n')
    assert "message" in bad
    assert good == {"env": 0}


def test_repl_can_start_from_the_core_header() -> None:
    assert repl('{"cmd": "theorem t : Even (4 : ℕ) := ⟨2, rfl⟩"}\n\n', "--header", "core") == [{"env": 0}]


def test_repl_survives_bytes_that_are_no_text() -> None:
    bad, good = repl(b'{"cmd": "\xff\xfe"}\n\n{"cmd": "def x := 1"}\n\n')
    assert "message" in bad
    assert good == {"env": 0}


def test_doctor_finds_a_working_lean() -> None:
    result = run("doctor", "--json")
    findings = {finding["part"]: finding for finding in json.loads(result.stdout)}
    assert result.returncode == 0
    assert findings["Lean"]["found"].startswith("4.28.0")
    assert findings["torch"]["state"] in ("ok", "optional")


def test_doctor_says_what_to_type(tmp_path: Path) -> None:
    result = run("doctor", PYTHAGORAS_HOME=str(tmp_path))
    assert result.returncode == 2
    assert "→ pythagoras lean install" in result.stdout.decode()


def network() -> bool:
    from pythagoras.lean import node

    command = [
        str(node.node_path()),
        str(node.npm_script()),
        "view",
        package.PACKAGE,
        "dist.integrity",
        "--fetch-retries=0",
    ]
    try:
        seen = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return False
    return package.INTEGRITY in seen.stdout.decode()


def test_two_installs_at_once_do_the_work_once(tmp_path: Path) -> None:
    if not network():
        pytest.skip("the package registry can't be reached")
    with ThreadPoolExecutor(2) as both:
        results = list(both.map(lambda _: run("lean", "install", PYTHAGORAS_HOME=str(tmp_path)), range(2)))
    assert [result.returncode for result in results] == [0, 0], [result.stderr for result in results]
    lean = tmp_path / "lean"
    assert sorted(entry.name for entry in lean.iterdir()) == ["install.lock", lean_folder()]
    checked = run("lean", "check", "-", stdin=GOOD, PYTHAGORAS_HOME=str(tmp_path))
    assert checked.returncode == 0
    again = run("lean", "install", PYTHAGORAS_HOME=str(tmp_path))
    assert "is installed" in again.stderr.decode()


def lean_folder() -> str:
    installed = package.installed()
    assert installed is not None
    return installed.name


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_full_disk_is_one_clear_line(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m", "none", str(small)], check=False).returncode != 0:
        pytest.skip("no tmpfs can be mounted here")
    try:
        result = run("lean", "install", PYTHAGORAS_HOME=str(small))
        assert result.returncode == 2
        (line,) = result.stderr.decode().strip().splitlines()
        assert "is full" in line
        assert [entry.name for entry in (small / "lean").iterdir()] == ["install.lock"]
    finally:
        subprocess.run(["umount", str(small)], check=True)


def readme_sessions() -> list[tuple[str, str]]:
    """Commands and their shown output in the README's fences marked `console`."""
    sessions = []
    for fence in (ROOT / "README.md").read_text(encoding="utf-8").split("```console\n")[1:]:
        lines = fence.split("```")[0].splitlines()
        starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            sessions.append((lines[start][2:], "\n".join(lines[start + 1 : end]).strip()))
    return sessions


def test_the_readme_shows_what_really_happens(tmp_path: Path) -> None:
    sessions = [(command, shown) for command, shown in readme_sessions() if shown and "doctor" not in command]
    assert sessions
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for command, shown in sessions:
        shell, env = ["bash", "-c", command], {**os.environ, "PATH": path}
        result = subprocess.run(shell, capture_output=True, timeout=120, cwd=tmp_path, env=env, check=False)
        assert result.stdout.decode().strip() == shown, command


# --- verdicts -----------------------------------------------------------------------------------------

STATEMENT = "import Mathlib\n\ntheorem t (n : ℕ) (h : n > 3) : n ≥ 2 := by\n  sorry\n"


def judge(folder: Path, submission: str, *more: str) -> tuple[int, dict[str, Any]]:
    statement = write(folder, "statement.lean", STATEMENT)
    result = run("lean", "check", "-", "--statement", statement, "--json", *more, stdin=submission)
    (told,) = json.loads(result.stdout)
    return result.returncode, told


@pytest.mark.parametrize(
    ("submission", "code", "reason"),
    [
        ("by omega", 0, "holds"),
        ("Plan.\n```lean4\ntheorem t (n : ℕ) (h : n > 3) : n ≥ 2 := by\n  omega\n```", 0, "holds"),
        ("by simp", 1, "lean_error"),
        ("theorem t (n : ℕ) : True := by native_decide", 1, "compiler"),
    ],
)
def test_a_verdict_against_a_statement(tmp_path: Path, submission: str, code: int, reason: str) -> None:
    returned, told = judge(tmp_path, submission)
    assert (returned, told["reason"], told["theorem"], told["file"]) == (code, reason, "t", "-")


def test_a_verdict_with_a_replay_and_by_a_policy(tmp_path: Path) -> None:
    assert judge(tmp_path, "by omega", "--replay")[1]["tier"] == 5
    assert judge(tmp_path, "by exact?", "--timeout", "30")[1]["reason"] == "search"
    assert judge(tmp_path, "by native_decide", "--allow", "compiler")[1]["reason"] != "compiler"


def test_a_verdict_is_shown_with_its_rungs_and_errors(tmp_path: Path) -> None:
    statement = write(tmp_path, "statement.lean", STATEMENT)
    good, bad = write(tmp_path, "good.txt", "omega"), write(tmp_path, "bad.txt", "simp")
    result = run("lean", "check", good, bad, "--statement", statement)
    assert result.returncode == 1
    lines = result.stdout.decode().splitlines()
    assert lines[:4] == [
        *(good, "  ✓ t  proved: rungs 0, 1, 2, 3, 4 hold; no axioms of its own"),
        *(bad, "  ✗ t  Lean reports an error"),
    ]
    assert lines[4] == "    1 │ theorem t (n : ℕ) (h : n > 3) : n ≥ 2 := by"


@pytest.mark.parametrize(
    ("statement", "options", "said"),
    [
        ("def x := 1", (), "there is no theorem in the text"),
        (STATEMENT, ("--theorem", "u"), "no theorem of the text is called 'u'"),
        (STATEMENT, ("--allow", "compile"), "did you mean 'compiler'?"),
        (STATEMENT, ("--backend", "nativ:x"), "did you mean 'native'?"),
        (STATEMENT, ("--backend", "http://127.0.0.1:9"), "127.0.0.1:9"),
        ("theorem t : nonsense = 1 := sorry", (), "no verdict: the statement is no Lean"),
    ],
)
def test_what_can_not_be_judged_is_one_line_and_2(
    tmp_path: Path, statement: str, options: tuple[str, ...], said: str
) -> None:
    file = write(tmp_path, "statement.lean", statement)
    result = run("lean", "check", "-", "--statement", file, *options, stdin="by omega")
    assert result.returncode == 2
    assert said in (result.stdout + result.stderr).decode()
    assert len(result.stderr.splitlines()) <= 1


def test_options_of_verdicts_need_a_statement() -> None:
    result = run("lean", "check", "-", "--allow", "compiler", stdin=GOOD)
    assert result.returncode == 2
    assert b"--statement" in result.stderr
