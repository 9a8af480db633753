"""How `lean check` shows what became of a file, on answers from the fake: nothing here needs Lean."""

from __future__ import annotations

import io
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from rich.console import Console

from pythagoras.cli.lean_report import FileResult, Source, print_result
from pythagoras.errors import HostHung
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check
from pythagoras.lean.wire import Answer, Limits

CODE = "theorem good : True := trivial\ntheorem bäd (x : ℕ) : x = 1 := by omega\n"


def result(answer: dict[str, Any] | Exception) -> FileResult:
    made = answer if isinstance(answer, Exception) else Answer.model_validate(answer)
    (checked,) = FakeChecker({CODE: made}).check([Check(CODE, limits=Limits(timeout_s=1.5))])
    return FileResult(Source("proof.lean", CODE), checked)


def shown(found: FileResult) -> list[str]:
    text = io.StringIO()
    print_result(Console(file=text, highlight=False, soft_wrap=True, color_system=None), found)
    return text.getvalue().splitlines()


def command(name: str, line: int, declared: bool = True) -> dict[str, Any]:
    place = {"pos": {"line": line, "column": 0}, "endPos": {"line": line, "column": 40}}
    return {"kind": "theorem", "name": name, "declares": [name] if declared else [], **place}


def constant(name: str, *axioms: str) -> dict[str, Any]:
    return {"name": name, "kind": "theorem", "type": "True", "typeKey": "0", "axioms": list(axioms)}


def error(line: int, columns: tuple[int, int], data: str) -> dict[str, Any]:
    first, last = ({"line": line, "column": column} for column in columns)
    return {"severity": "error", "pos": first, "endPos": last, "data": data}


GOOD = {"commands": [command("good", 1)], "declarations": [constant("good", "propext")]}
MIXED = {
    "commands": [command("good", 1), command("bäd", 2, declared=False)],
    "declarations": [constant("good")],
    "messages": [error(2, (31, 39), "omega could not prove the goal\nx ≠ 1")],
}


def test_a_proved_file() -> None:
    found = result(GOOD)
    assert shown(found) == ["proof.lean", "  ✓ good"]
    assert found.proved
    assert not found.broken
    assert found.as_dict() == {
        "file": "proof.lean",
        "proved": True,
        "status": "answered",
        "seconds": 0.0,
        "failure": None,
        "programs": False,
        "theorems": [
            {"name": "good", "line": 1, "proved": True, "why": None, "axioms": ["propext"], "messages": []},
        ],
        "errors": [],
    }


def test_an_error_stands_under_its_place() -> None:
    found = result(MIXED)
    assert not found.proved
    assert shown(found) == [
        "proof.lean",
        "  ✓ good",
        "  ✗ bäd  Lean reports an error",
        "    2 │ theorem bäd (x : ℕ) : x = 1 := by omega",
        "      │                                ^^^^^^^^",
        "      │ omega could not prove the goal",
        "      │ x ≠ 1",
    ]
    (_, bad) = found.as_dict()["theorems"]
    assert bad["messages"] == [error(2, (31, 39), "omega could not prove the goal\nx ≠ 1")]


def test_long_messages_are_cut_and_places_beyond_the_text_do_no_harm() -> None:
    lines = shown(result({"messages": [error(99, (0, 0), "\n".join(f"line {n}" for n in range(40)))]}))
    assert lines[1:3] == ["    99 │ ", "       │ ^"]
    assert lines[-2:] == ["       │ line 11", "       │ … 28 more lines: see --json"]


def test_what_lean_says_is_no_markup() -> None:
    lines = shown(result({"messages": [error(1, (0, 7), "[bold]unknown[/bold] [red]")]}))
    assert lines[-1] == "      │ [bold]unknown[/bold] [red]"


def test_a_file_without_theorems() -> None:
    found = result({})
    assert not found.proved
    assert shown(found) == ["proof.lean", "  – no theorem in this file"]


def test_a_timeout_is_no_proof_whatever_was_proved_until_then() -> None:
    found = result({**GOOD, "interrupted": True})
    assert not found.proved
    assert not found.broken
    assert found.as_dict()["status"] == "timeout"
    assert shown(found)[-1] == "  ✗ stopped after 1.5 s: raise --timeout, or look for what runs long"


def test_a_broken_host_says_nothing_about_the_proof() -> None:
    found = result(HostHung("the Lean host did not answer"))
    assert found.broken
    assert not found.proved
    assert shown(found) == ["proof.lean", "  ! not checked: the Lean host did not answer"]
    assert found.as_dict() | {"seconds": 0.0} == {
        "file": "proof.lean",
        "proved": False,
        "status": "host failure",
        "seconds": 0.0,
        "failure": "the Lean host did not answer",
        "programs": False,
        "theorems": [],
        "errors": [],
    }


# --- which header a file stands on --------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "imports"),
    [
        ("import Init", True),
        ("\n\n  import Lean\ntheorem t : True := trivial", True),
        ("-- a proof\nimport Init", True),
        ("/- a\nlicence -/\n/-! import -/\n-- x\n\nimport Init", True),
        ("public import Init", True),
        ("module\n\npublic import Init", True),
        ("prelude\n", True),
        ("", False),
        ("theorem t : True := trivial\nimport Init", False),
        ("-- import Init\ntheorem t : True := trivial", False),
        ("/- import Init -/ theorem t : True := trivial", False),
        ("important", False),
        ("def module := 1", False),
    ],
)
def test_a_file_with_imports_stands_on_them(code: str, imports: bool) -> None:
    assert Source("x.lean", code).placed("core") == ("none" if imports else "core", code)


def test_a_file_that_imports_mathlib_stands_on_core() -> None:
    header, code = Source("x.lean", "import Mathlib\ntheorem t : True := trivial").placed("none")
    assert (header, code.split("\n")[1]) == ("core", "theorem t : True := trivial")
    assert not code.split("\n")[0].strip()


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Stop what takes longer."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_many_comments_take_little_time() -> None:
    code = "/- commented out -/\n" * 200 + "theorem t : True := trivial"
    with at_most(2.0):
        assert Source("x.lean", code).placed("core")[0] == "core"
