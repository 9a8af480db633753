"""How `pythagoras prove` shows what it is at and what came of it.

What goes to stdout is Lean, whatever comes of it: theorems with their proofs, and comments about those without.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

from pythagoras.cli.console import err, out, print_json
from pythagoras.cli.lean_report import Source, print_message
from pythagoras.lean.diagnostics import ErrorClass, classify
from pythagoras.lean.pool import Checker
from pythagoras.prove.proving import Attempt, Ended, Outcome, Prover
from pythagoras.prove.sheet import Fault, Open, Sheet

_TELL_S = 10.0
"""Where there is no terminal, how often it is said that the work goes on."""
_WHY_NOT = {Ended.REFUTED: "it is false", Ended.EXHAUSTED: "nothing that was tried holds"}


class _Doing(ProgressColumn):
    """What the prover is at."""

    def __init__(self, prover: Prover) -> None:
        super().__init__()
        self._prover = prover

    def render(self, task: Task) -> Text:
        return Text(self._prover.doing)


@contextmanager
def working(prover: Prover, what: str) -> Iterator[None]:
    """A live line on a terminal; elsewhere a line now and then."""
    if err.is_terminal:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), _Doing(prover), TimeElapsedColumn())
        with Progress(*columns, console=err, transient=True, redirect_stdout=False) as progress:
            progress.add_task(what, total=None)
            yield
        return
    done = threading.Event()

    def tell() -> None:
        began = time.monotonic()
        while not done.wait(_TELL_S):
            said = ", ".join(part for part in (prover.doing, f"{time.monotonic() - began:.0f} s") if part)
            err.print(f"{what}: {said}", markup=False)

    thread = threading.Thread(target=tell, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class Results:
    """What came of the theorems of a text, told as it comes."""

    def __init__(self, sheet: Sheet, *, json: bool) -> None:
        self._sheet = sheet
        self._json = json
        self._rows: list[dict[str, Any]] = []
        self._closest: Attempt | None = None
        self._faults: tuple[Fault, ...] = ()
        self.proved = 0

    @property
    def hold(self) -> bool:
        """Whether all theorems that were open are proved, also where they stand in the text."""
        names = {theorem.name for theorem in self._sheet.open}
        return self.proved == len(names) and not any(fault.name in names for fault in self._faults)

    def begin(self) -> None:
        """What the user should know of the text."""
        for name in self._sheet.partly:
            err.print(f"{name} is left as it is: it has a sorry inside of its proof", markup=False)
        if self._sheet.foreign:
            err.print(f"left out: the imports of {', '.join(self._sheet.foreign)}", markup=False)

    def hear(self, attempt: Attempt) -> None:
        """Remember the attempt that came closest to a proof."""
        if self._closest is None or _nearness(attempt) > _nearness(self._closest):
            self._closest = attempt

    def tell(self, theorem: Open, outcome: Outcome) -> None:
        """Print what came of a theorem; with JSON, keep it."""
        closest, self._closest = self._closest, None
        self.proved += outcome.proved is not None
        self._rows.append(_row(theorem, outcome, closest))
        if not self._json:
            if len(self._rows) > 1:
                out.print()
            if outcome.proved is not None:
                out.print(outcome.proved.theorem, markup=False)
            else:
                _print_failure(theorem, outcome)
            out.file.flush()
        err.print(_cost(theorem, outcome), markup=False)
        for complaint in outcome.complaints:
            err.print(complaint, markup=False)
        if outcome.proved is None and outcome.ended is not Ended.REFUTED and closest is not None:
            _print_closest(closest)

    def check(self, lean: Checker) -> None:
        """Ask Lean about the whole text with the proofs in it."""
        left = {theorem.name for theorem, row in zip(self._sheet.open, self._rows, strict=True) if not row["proved"]}
        self._faults = tuple(fault for fault in self._sheet.faults(lean) if fault.name not in left)

    def finish(self, place: Path | None) -> None:
        """The end of what is told."""
        if self._json:
            print_json({"proved": self.hold, "theorems": self._rows, "faults": [fault.text for fault in self._faults]})
        if place is not None:
            err.print(f"written: {place}, {self.proved} of {len(self._sheet.open)} proved", markup=False)
        for fault in self._faults:
            err.print(f"in the whole text: {fault.text}", markup=False)


def _nearness(attempt: Attempt) -> tuple[int, int, int]:
    """How near Lean was to taking a proof: it could read it, the first error is far behind, there are few."""
    verdict, assembly = attempt.judged.verdict, attempt.judged.assembly
    errors = [message for message in verdict.messages if message.severity == "error"] if verdict is not None else []
    if assembly is None or not errors:
        return -1, 0, 0
    first = min(errors, key=lambda error: (error.pos.line, error.pos.column))
    start = assembly.text.count("\n", 0, assembly.proof_start) + 1
    return classify(first).error is not ErrorClass.OTHER, first.pos.line - start, -len(errors)


def _print_failure(theorem: Open, outcome: Outcome) -> None:
    """As Lean's comments, and as a theorem where Lean has proved the opposite."""
    out.print(f"-- no proof found for {theorem.name}: {_WHY_NOT.get(outcome.ended, outcome.ended)}", markup=False)
    if outcome.counterexample is not None:
        sure = "as Lean confirms" if outcome.disproof else "by calculation, which Lean did not confirm"
        out.print(f"-- {_values(outcome.counterexample)}, {sure}", markup=False)
    if outcome.disproof:
        out.print(outcome.disproof, markup=False)


def _values(values: Mapping[str, str]) -> str:
    if not values:
        return "false as it stands"
    return f"false for {', '.join(f'{name} = {value}' for name, value in values.items())}"


def _cost(theorem: Open, outcome: Outcome) -> str:
    who = f"{theorem.name}: "
    who += f"proved by {outcome.proved.by}" if outcome.proved is not None else str(outcome.ended)
    tried = ", ".join(f"{count} by {name}" for name, count in outcome.tried.items())
    plural = "" if outcome.attempts == 1 else "s"
    return (
        f"{who} in {outcome.seconds:.1f} s: {outcome.attempts} attempt{plural} ({tried or 'none'}), "
        f"{outcome.generated_tokens:,} tokens, {outcome.lean_seconds:.1f} s of Lean"
    )


def _print_closest(attempt: Attempt) -> None:
    verdict, assembly = attempt.judged.verdict, attempt.judged.assembly
    if verdict is None or assembly is None:
        return
    error = next((message for message in verdict.messages if message.severity == "error"), None)
    if error is not None:
        err.print(f"closest, by {attempt.by}:", markup=False)
        print_message(err, Source("", assembly.text), error)


def _row(theorem: Open, outcome: Outcome, closest: Attempt | None) -> dict[str, Any]:
    proved = outcome.proved
    return {
        "name": theorem.name,
        "line": theorem.line,
        "proved": proved is not None,
        "ended": outcome.ended.value,
        "proof": proved.proof if proved is not None else None,
        "theorem": proved.theorem if proved is not None else None,
        "by": proved.by if proved is not None else None,
        "verdict": proved.judged.as_dict() if proved is not None else None,
        "attempts": outcome.attempts,
        "distinct": outcome.distinct,
        "tried": dict(outcome.tried),
        "generated_tokens": outcome.generated_tokens,
        "lean_seconds": round(outcome.lean_seconds, 3),
        "seconds": round(outcome.seconds, 3),
        "counterexample": dict(outcome.counterexample) if outcome.counterexample is not None else None,
        "disproof": outcome.disproof or None,
        "complaints": list(outcome.complaints),
        "closest": closest.judged.as_dict() if closest is not None and proved is None else None,
    }
