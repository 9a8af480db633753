"""The replay's commands and exit codes, with stand-ins for `lake`, `lean` and `leanchecker`; no toolchain is needed."""

from __future__ import annotations

import stat
import time
from pathlib import Path

import pytest

from pythagoras.errors import HostHung
from pythagoras.lean.native.leanchecker import LeanChecker

_LAKE = """#!/bin/sh
test "$1" = env || exit 64
shift
LEAN_PATH=project-path exec "$@"
"""
_LEAN = """#!/bin/sh
test "$1" = -o || exit 64
grep -q WRONG "$3" && { echo "error: wrong"; exit 1; }
cp "$3" "$2"
"""
_CHECKER = """#!/bin/sh
echo "$0 $*" >> "{log}"
echo "$LEAN_PATH" >> "{log}"
folder="${{LEAN_PATH%%:*}}"
test -f "$folder/$1.olean" || exit 65
grep -q UNSOUND "$folder/$1.olean" && {{ echo "replaying"; echo "uncaught exception: kernel"; exit 1; }}
exit 0
"""


def tool(folder: Path, name: str, script: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(script)
    (folder / name).chmod(stat.S_IRWXU)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tool(tmp_path / "bin", "lake", _LAKE)
    tool(tmp_path / "bin", "lean", _LEAN)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def log(project: Path) -> list[str]:
    return (project / "log").read_text().splitlines()


@pytest.mark.parametrize("name", ["leanchecker", "lean4checker"])
def test_a_module_is_compiled_and_replayed(project: Path, name: str) -> None:
    tool(project.parent / "bin", name, _CHECKER.format(log=project / "log"))
    assert LeanChecker(project).replay("theorem t : True := trivial") == ""
    called, path = log(project)
    assert Path(called.split()[0]).name == name
    folder, rest = path.split(":", 1)
    assert rest == "project-path"
    assert not Path(folder).exists(), "the temporary folder is gone"


def test_the_checker_of_a_package_is_found(project: Path) -> None:
    place = project / ".lake/packages/lean4checker/.lake/build/bin"
    tool(place, "lean4checker", _CHECKER.format(log=project / "log"))
    assert LeanChecker(project).replay("theorem t : True := trivial") == ""
    assert log(project)[0].startswith(str(place / "lean4checker"))


def test_what_the_kernel_refuses_is_told(project: Path) -> None:
    tool(project.parent / "bin", "leanchecker", _CHECKER.format(log=project / "log"))
    assert LeanChecker(project).replay("-- UNSOUND") == "leanchecker refuses it: uncaught exception: kernel"


def test_what_lean_does_not_compile_is_told(project: Path) -> None:
    tool(project.parent / "bin", "leanchecker", _CHECKER.format(log=project / "log"))
    assert LeanChecker(project).replay("-- WRONG") == "lean does not compile it: error: wrong"


def test_without_a_checker_there_is_no_answer(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert LeanChecker(project).replay("theorem t : True := trivial") is None
    monkeypatch.setenv("PATH", "")
    assert LeanChecker(project).replay("theorem t : True := trivial") is None


def test_a_replay_without_end_is_ended(project: Path) -> None:
    tool(project.parent / "bin", "leanchecker", "#!/bin/sh\nsleep 60\n")
    began = time.monotonic()
    with pytest.raises(HostHung):
        LeanChecker(project, timeout_s=0.5).replay("theorem t : True := trivial")
    assert time.monotonic() - began < 20
