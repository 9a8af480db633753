"""How `pythagoras lean check` reads its files and shows what became of them."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from pythagoras.lean.pool import Checked, Status
from pythagoras.lean.theorems import FileReport, TheoremReport, report
from pythagoras.lean.wire import Message

_IMPORT = re.compile(r"^\s*(?>/-.*?-/\s*|--[^\n]*\n\s*)*(?:public\s+)?(?:import|module|prelude)\b", re.DOTALL)
_SHOWN_LINES = 12


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was read."""

    name: str
    code: str

    def header_for(self, wanted: str) -> str:
        """A file with imports of its own stands on those; any other on the wanted header."""
        return "none" if _IMPORT.match(self.code) else wanted


def read_sources(names: list[str]) -> tuple[list[Source], list[str]]:
    """The files that can be read, and a line about each that can't."""
    sources, problems = [], []
    for name in names:
        try:
            data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
            sources.append(Source(name, data.decode("utf-8-sig").replace("\r\n", "\n")))
        except UnicodeDecodeError as error:
            problems.append(f"{name} is not UTF-8 text (byte {error.start}): save it as UTF-8")
        except OSError as error:
            problems.append(f"{name} can't be read ({error.strerror}): give a Lean file, or - for standard input")
    return sources, problems


@dataclass(frozen=True)
class FileResult:
    """A file and what Lean made of it."""

    source: Source
    checked: Checked

    @property
    def report(self) -> FileReport:
        return report(self.checked.answer) if self.checked.answer is not None else FileReport((), ())

    @property
    def broken(self) -> bool:
        return self.checked.status is Status.HOST_FAILURE

    @property
    def proved(self) -> bool:
        return self.checked.status is Status.ANSWERED and self.report.proved

    def as_dict(self) -> dict[str, Any]:
        found = self.report
        return {
            "file": self.source.name,
            "proved": self.proved,
            "status": self.checked.status.value,
            "seconds": round(self.checked.seconds, 3),
            "failure": self.checked.failure or None,
            "theorems": [
                {
                    "name": theorem.name,
                    "line": theorem.pos.line,
                    "proved": theorem.proved,
                    "why": theorem.why or None,
                    "axioms": list(theorem.axioms),
                    "messages": [_message(message) for message in theorem.messages],
                }
                for theorem in found.theorems
            ],
            "errors": [_message(message) for message in found.other_errors],
        }


def _message(message: Message) -> dict[str, Any]:
    return message.model_dump(by_alias=True, exclude_none=True)


def print_result(console: Console, result: FileResult) -> None:
    """The file's name, a line a theorem, and Lean's errors under their source lines."""
    console.print(result.source.name, style="bold", markup=False)
    found = result.report
    for theorem in found.theorems:
        _print_theorem(console, result.source, theorem)
    for message in found.other_errors:
        _print_message(console, result.source, message)
    if result.broken:
        console.print(Text(f"  ! not checked: {result.checked.failure}", style="red"))
    elif result.checked.status is Status.TIMEOUT:
        limit = result.checked.check.limits.timeout_s
        console.print(Text(f"  ✗ stopped after {limit:g} s: raise --timeout, or look for what runs long", style="red"))
    elif not found.theorems and not found.other_errors:
        console.print(Text("  – no theorem in this file", style="yellow"))


def _print_theorem(console: Console, source: Source, theorem: TheoremReport) -> None:
    if theorem.proved:
        console.print(Text.assemble(("  ✓ ", "green"), theorem.name))
        return
    console.print(Text.assemble(("  ✗ ", "red"), theorem.name, (f"  {theorem.why}", "red")))
    for message in theorem.messages:
        if message.severity == "error" or message.kind == "hasSorry":
            _print_message(console, source, message)


def _print_message(console: Console, source: Source, message: Message) -> None:
    lines = source.code.split("\n")
    number, column = message.pos.line, message.pos.column
    line = lines[number - 1] if number <= len(lines) else ""
    same_line = message.end_pos is not None and message.end_pos.line == number
    end = message.end_pos.column if message.end_pos is not None and same_line else len(line)
    gutter = " " * len(str(number))
    console.print(Text.assemble((f"    {number} │ ", "dim"), line))
    console.print(Text.assemble((f"    {gutter} │ ", "dim"), " " * column, ("^" * max(1, end - column), "red")))
    said = message.data.splitlines()
    for text in said[:_SHOWN_LINES]:
        console.print(Text.assemble((f"    {gutter} │ ", "dim"), text))
    if len(said) > _SHOWN_LINES:
        console.print(Text(f"    {gutter} │ … {len(said) - _SHOWN_LINES} more lines: see --json", style="dim"))
