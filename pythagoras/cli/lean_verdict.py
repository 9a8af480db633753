"""How `pythagoras lean check --statement` judges submissions and shows the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from pythagoras.cli.console import batch_progress, complain, out, print_json
from pythagoras.cli.lean_report import Source, decoded, print_message, read_sources
from pythagoras.errors import InputError
from pythagoras.lean.backends import open_checker
from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.lean.verdict import Policy, Reason, Verdict
from pythagoras.lean.verifier import CheckedVerifier, Judged, Submission
from pythagoras.lean.wire import Limits
from pythagoras.lookup import choose

_ALLOWED = {
    "compiler": "native_decide and bv_decide, which trust the compiler",
    "search": "apply?, exact? and their like",
    "answers": "a statement that leaves its answer open; read the answer yourself",
}


def policy_of(allowed: Sequence[str], replay: bool) -> Policy:
    """The policy that the flags ask for."""
    for name in allowed:
        choose("thing to allow", name, _ALLOWED)
    return Policy(
        compiler="compiler" in allowed, search="search" in allowed, answers="answers" in allowed, replay=replay
    )


def read_statement(file: str, theorem: str | None, header: str) -> Statement:
    """The statement that a file holds."""
    try:
        text = decoded(file, Path(file).read_bytes())
    except OSError as error:
        raise InputError(f"{file} can't be read ({error.strerror}): give a Lean file with the statement") from error
    return parse_statement(text, name=theorem, header=header)


def judge_files(
    files: list[str],
    statement: Statement,
    policy: Policy,
    *,
    backend: str,
    jobs: int | None,
    limits: Limits,
    json: bool,
) -> None:
    """Judge each file against the statement, print, and end with the exit code that says it."""
    sources, unreadable = read_sources(files)
    judged: list[Judged] = []
    with (
        open_checker(backend, jobs=min(jobs or len(sources), len(sources)) or None) as checker,
        batch_progress("judging", len(sources)) as advance,
    ):
        submissions = [Submission(statement, source.code) for source in sources]
        for source, one in zip(sources, CheckedVerifier(checker, policy, limits).verify(submissions), strict=True):
            judged.append(one)
            if not json:
                print_judged(out, source, one)
            failed = sum(not (other.verdict and other.verdict.proved) for other in judged)
            advance(1, f"{failed} not proved" if failed else "")
    if json:
        print_json([{"file": source.name, **one.as_dict()} for source, one in zip(sources, judged, strict=True)])
    for problem in unreadable:
        complain(problem)
    if unreadable or any(one.verdict is None for one in judged):
        raise typer.Exit(2)
    raise typer.Exit(0 if all(one.verdict and one.verdict.proved for one in judged) else 1)


def print_judged(console: Console, source: Source, judged: Judged) -> None:
    """The file's name, the verdict, and Lean's errors under the lines of what was checked."""
    console.print(source.name, style="bold", markup=False)
    name, verdict = judged.submission.statement.name, judged.verdict
    if verdict is None:
        console.print(Text(f"  ! no verdict: {judged.failure}", style="red"))
        return
    if verdict.proved:
        console.print(Text.assemble(("  ✓ ", "green"), name, f"  proved: {_rungs(verdict)}; {_axioms(verdict)}"))
        return
    detail = f": {verdict.detail}" if verdict.detail and verdict.reason is not Reason.LEAN_ERROR else ""
    console.print(Text.assemble(("  ✗ ", "red"), name, (f"  {verdict.reason.value}{detail}", "red")))
    if judged.assembly is not None:
        checked = Source(source.name, judged.assembly.text)
        for message in verdict.messages:
            if message.severity == "error":
                print_message(console, checked, message)


def _rungs(verdict: Verdict) -> str:
    return f"rungs {', '.join(str(int(rung)) for rung in verdict.rungs)} hold"


def _axioms(verdict: Verdict) -> str:
    return f"axioms {', '.join(verdict.axioms)}" if verdict.axioms else "no axioms of its own"
