"""How `pythagoras lean check` reads its files and shows what became of them."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from pythagoras.cli.console import batch_progress, complain, out, print_json
from pythagoras.errors import InputError
from pythagoras.lean.imports import header_for
from pythagoras.lean.pool import Check, Checked, LeanPool, Status, default_hosts
from pythagoras.lean.theorems import FileReport, TheoremReport, report
from pythagoras.lean.wire import Limits, Message

_OWN_HEAD = re.compile(r"^\s*(?>/-.*?-/\s*|--[^\n]*\n\s*)*(?:public\s+)?(?:import|module|prelude)\b", re.DOTALL)
_SHOWN_LINES = 12


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was read."""

    name: str
    code: str

    def placed(self, wanted: str) -> tuple[str, str]:
        """The header that the file stands on, and its text to put there.

        A file with imports of its own stands on those (on core for Mathlib's), any other on the wanted header.
        """
        return header_for(self.code) if _OWN_HEAD.match(self.code) else (wanted, self.code)


def check_files(files: list[str], *, header: str, jobs: int | None, limits: Limits, replay: bool, json: bool) -> None:
    """Check each file for itself, print what became of it, and end with the exit code that says it."""
    sources, unreadable = read_sources(files)
    checks = [_check(source, header, limits, replay) for source in sources]
    results: list[FileResult] = []
    if checks:
        hosts = min(jobs or default_hosts(), len(checks))
        with (
            LeanPool(hosts, spare=len(checks) > 1, header=checks[0].header) as pool,
            batch_progress("checking", len(checks)) as advance,
        ):
            for source, checked in zip(sources, pool.check(checks), strict=True):
                result = FileResult(source, checked)
                results.append(result)
                if not json:
                    print_result(out, result)
                failed = sum(not result.proved for result in results)
                advance(1, f"{failed} not proved" if failed else "")
    if json:
        print_json([result.as_dict() for result in results])
    for problem in unreadable:
        complain(problem)
    if unreadable or any(result.broken for result in results):
        raise typer.Exit(2)
    raise typer.Exit(0 if all(result.proved for result in results) else 1)


def _check(source: Source, wanted: str, limits: Limits, replay: bool) -> Check:
    header, code = source.placed(wanted)
    return Check(code, header, limits, replay=replay)


def decoded(name: str, data: bytes) -> str:
    """The text of a file, with the line ends that Lean counts."""
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text (byte {error.start}): save it as UTF-8") from error


def read_sources(names: list[str]) -> tuple[list[Source], list[str]]:
    """The files that can be read, and a line about each that can't."""
    sources, problems = [], []
    for name in names:
        try:
            data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
            sources.append(Source(name, decoded(name, data)))
        except InputError as error:
            problems.append(str(error))
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
    def ran_programs(self) -> bool:
        return self.checked.answer is not None and self.checked.answer.programs

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
            "programs": self.ran_programs,
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
        print_message(console, result.source, message)
    if result.ran_programs:
        console.print(
            Text("  – it runs programs or declares axioms: to judge a stranger's file, use --statement", style="yellow")
        )
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
            print_message(console, source, message)


def print_message(console: Console, source: Source, message: Message) -> None:
    """What Lean said, under the line that it is about."""
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
