"""The command line as a user meets it: its help, its one-line complaints, its exit codes. Lean is not installed here.

The help of every command is stored in `golden/`. After a wanted change, refresh it and read the difference:

    PYTHAGORAS_REFRESH=1 python -m pytest tests/unit/test_cli.py
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.commands import COMMANDS
from tests.unit.processes import environment, pythagoras

GOLDEN = Path(__file__).parent / "golden"
REFRESH = os.environ.get("PYTHAGORAS_REFRESH") == "1"


def golden(command: tuple[str, ...]) -> Path:
    return GOLDEN / f"{'-'.join(('pythagoras', *command))}.txt"


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a command says when it can't go on."""
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.endswith("\n")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("pythagoras: ")
    return done.stderr.strip()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home, where Lean is not installed."""
    place = tmp_path / "home"
    place.mkdir()
    return place


@pytest.fixture
def proof(tmp_path: Path) -> str:
    path = tmp_path / "proof.lean"
    path.write_text("theorem t : True := trivial\n", encoding="utf-8")
    return str(path)


# --- help ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(("pythagoras", *command)))
def test_help_is_as_stored(home: Path, command: tuple[str, ...]) -> None:
    done = pythagoras(*command, "--help", home=home)
    assert (done.returncode, done.stderr) == (0, "")
    if REFRESH:
        golden(command).write_text(done.stdout, encoding="utf-8")
    assert done.stdout == golden(command).read_text(encoding="utf-8")
    assert list(home.iterdir()) == []


def test_no_help_is_stored_of_a_command_that_is_gone() -> None:
    wanted = {golden(command) for command in COMMANDS}
    if REFRESH:
        for path in set(GOLDEN.glob("*.txt")) - wanted:
            path.unlink()
    assert set(GOLDEN.glob("*.txt")) == wanted


@pytest.mark.parametrize("command", [(), ("lean",)])
def test_a_noun_alone_shows_its_help(home: Path, command: tuple[str, ...]) -> None:
    done = pythagoras(*command, home=home)
    assert done.returncode == 2
    assert done.stdout + done.stderr == golden(command).read_text(encoding="utf-8")


# --- wrong use -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nonsense",), "'nonsense'"),
        (("lean", "chekc"), "'chekc'"),
        (("lean", "check"), "files"),
        (("lean", "check", "--nonsense", "x.lean"), "--nonsense"),
        (("lean", "check", "--jobs", "0", "x.lean"), "--jobs"),
        (("doctor", "lean"), "lean"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_use_is_one_line(home: Path, arguments: tuple[str, ...], told: str) -> None:
    line = complaint(pythagoras(*arguments, home=home))
    assert told in line
    assert "--help" in line


@pytest.mark.parametrize("arguments", [("nonsense",), ("lean", "check", "--nonsense")])
def test_wrong_use_exits_with_2(home: Path, arguments: tuple[str, ...]) -> None:
    done = pythagoras(*arguments, home=home)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(("wanted", "guess"), [("cor", "did you mean 'core'? "), ("prelude", "")])
def test_an_unknown_header_is_guessed(home: Path, proof: str, wanted: str, guess: str) -> None:
    line = complaint(pythagoras("lean", "check", "--header", wanted, proof, home=home))
    known = "core, mathlib, mathlib-bare, mathlib-unlimited, none"
    assert line == f"pythagoras: no header is called '{wanted}': {guess}choose one of {known}"


def test_an_unknown_header_is_wrong_even_where_nobody_needs_it(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "imports.lean"
    path.write_text("import Init\n", encoding="utf-8")
    line = complaint(pythagoras("lean", "check", "--header", "cor", str(path), home=home))
    assert line.startswith("pythagoras: no header is called 'cor'")


def test_a_file_that_is_not_there(home: Path, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.lean")
    line = complaint(pythagoras("lean", "check", missing, home=home))
    assert line.startswith(f"pythagoras: {missing} can't be read (No such file or directory): ")


def test_a_folder_is_no_file(home: Path, tmp_path: Path) -> None:
    line = complaint(pythagoras("lean", "check", str(tmp_path), home=home))
    assert line.startswith(f"pythagoras: {tmp_path} can't be read (Is a directory): ")


def test_each_file_that_can_not_be_read_gets_a_line(home: Path, tmp_path: Path) -> None:
    done = pythagoras("lean", "check", str(tmp_path / "a.lean"), str(tmp_path / "b.lean"), home=home)
    assert done.returncode == 2
    assert [line.split(" ")[1] for line in done.stderr.splitlines()] == [str(tmp_path / f"{x}.lean") for x in "ab"]


def test_a_file_that_is_no_utf8(home: Path, tmp_path: Path) -> None:
    content = "theorem t : ℕ".encode() + b"\xe2\x84 "
    path = tmp_path / "latin.lean"
    path.write_bytes(content)
    expected = "is not UTF-8 text (byte 15): save it as UTF-8"
    assert complaint(pythagoras("lean", "check", str(path), home=home)) == f"pythagoras: {path} {expected}"
    assert complaint(pythagoras("lean", "check", "-", home=home, stdin=content)) == f"pythagoras: - {expected}"


def test_json_is_json_even_when_nothing_can_be_read(home: Path, tmp_path: Path) -> None:
    done = pythagoras("lean", "check", "--json", str(tmp_path / "missing.lean"), home=home)
    complaint(done)
    assert json.loads(done.stdout) == []


# --- without Lean ----------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [("check", "PROOF", "PROOF", "-j", "2"), ("check", "-")])
def test_without_lean_one_is_told_how_to_get_it(home: Path, proof: str, arguments: tuple[str, ...]) -> None:
    given = [proof if argument == "PROOF" else argument for argument in arguments]
    done = pythagoras("lean", *given, home=home, stdin=b"theorem t : True := trivial")
    assert "run `pythagoras lean install`" in complaint(done)
    assert done.stdout == ""


def test_the_repl_needs_lean_too(home: Path) -> None:
    done = pythagoras("lean", "repl", "--header", "core", home=home, stdin=b'{"cmd": ""}\n\n')
    assert "run `pythagoras lean install`" in complaint(done)
    assert done.stdout == ""


def test_installing_from_a_file_that_is_not_there(home: Path) -> None:
    line = complaint(pythagoras("lean", "install", "--from", "missing.tgz", home=home))
    assert "missing.tgz can't be read (No such file" in line


def test_measuring_needs_lean_too(home: Path) -> None:
    assert "run `pythagoras lean install`" in complaint(pythagoras("lean", "bench", home=home))


def test_a_relative_home_is_wrong_use(proof: str) -> None:
    for arguments in (("lean", "check", proof), ("doctor", "--json")):
        assert "PYTHAGORAS_HOME is 'here', not an absolute path" in complaint(pythagoras(*arguments, home="here"))


def test_the_doctor_says_what_is_missing(home: Path) -> None:
    done = pythagoras("doctor", "--json", home=home)
    assert (done.returncode, done.stderr) == (2, "")
    findings = {finding["part"]: finding for finding in json.loads(done.stdout)}
    assert findings["Lean"] == {
        "part": "Lean",
        "state": "missing",
        "found": "not installed",
        "fix": "pythagoras lean install",
    }
    assert findings["Cache"]["found"] == str(home)
    assert findings["Node"]["state"] == "ok"


def test_the_doctor_speaks_to_people(home: Path) -> None:
    done = pythagoras("doctor", home=home)
    assert (done.returncode, done.stderr) == (2, "")
    lines = done.stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("✗ Lean"))
    assert lines[at].split() == ["✗", "Lean", "not", "installed"]
    assert lines[at + 1].strip() == "→ pythagoras lean install"


# --- being stopped ---------------------------------------------------------------------------------


def test_control_c_is_no_answer(home: Path) -> None:
    """A shell must not take an interrupted check for one whose answer is no."""
    script = """
import pythagoras.cli.lean_report
from pythagoras.cli.main import main
print("up", flush=True)
main()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script, "lean", "check", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.5)  # now it waits for its input
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert b"Traceback" not in said


def test_a_reader_that_goes_away_is_no_answer(home: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-c", "from pythagoras.cli.main import main; main()", "doctor", "--json"]
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, env=environment(home), timeout=60)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")
