"""How long a theorem takes, from a cold start and with everything open: `python -m benchmarks.prove [--runs N]`.

Cold is the command as a user types it, in a process of its own, until its proof is printed. Warm is the next theorem of
an open prover. An easy theorem falls to a one-line tactic; the other one needs the search, or the model to begin.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

from pythagoras.lean.statements import parse_statement
from pythagoras.prove.opening import EMBEDDED, Means, open_prover
from pythagoras.prove.proving import Attempt, Effort, Ended, Prover

RUNS = 5
EASY = "theorem t{} (a b : ℕ) (h : a ≤ b) : a < b + {}"
SEARCHED = "theorem s{} (n : ℕ) : 2 * ∑ i ∈ Finset.range (n + 1), (i + {}) = n * (n + 1) + 2 * {} * (n + 1)"
OPEN = "theorem o{} (a b c n : ℕ) (h : {} < n) (ha : 0 < a) (hb : 0 < b) : a ^ n + b ^ n ≠ c ^ n"


def cold(statement: str) -> tuple[float, float]:
    """Seconds until the proof is printed, and until the command is done."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "pythagoras", "prove", statement]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        printed = time.perf_counter() - began
        process.stdout.read()
    assert first.startswith("theorem"), first
    assert process.returncode == 0
    return printed, time.perf_counter() - began


def warm(prover: Prover, statement: str) -> float:
    """Seconds to a proof, reading the statement included."""
    began = time.perf_counter()
    sheet = prover.read(statement)
    outcome = prover.prove(sheet.statement(sheet.open[0].name), Effort())
    assert outcome.ended is Ended.PROVED, outcome
    return time.perf_counter() - began


def first_of_model(prover: Prover, statement: str) -> float:
    """Seconds until the first attempt of the model is judged, at a theorem that nobody proves."""
    found: list[float] = []

    def hear(attempt: Attempt) -> None:
        if attempt.by == EMBEDDED and not found:
            found.append(attempt.seconds)

    prover.prove(parse_statement(statement), Effort(n=8, timeout_s=60.0, check_s=5.0), hear)
    return found[0]


def report(runs: int = RUNS) -> None:
    """A line for each case."""
    statements = [EASY.format("", 1)] * runs
    printed, done = zip(*map(cold, statements), strict=True)
    _line("prove, cold, easy: proof printed", printed)
    _line("prove, cold, easy: command done", done)
    with open_prover(Means(search=False)) as prover:
        _line("prove, cold, model's first verdict", [first_of_model(prover, OPEN.format("", 2))])
        verdicts = [first_of_model(prover, OPEN.format(n, n)) for n in range(3, 3 + runs)]
        _line("prove, warm, model's first verdict", verdicts)
    with open_prover(Means(eager=True)) as prover:
        warm(prover, EASY.format(0, 1))
        _line("prove, warm, easy", [warm(prover, EASY.format(n, n)) for n in range(1, runs + 1)])
        _line("prove, warm, by search", [warm(prover, SEARCHED.format(n, n, n)) for n in range(1, runs + 1)])


def _line(what: str, seconds: Sequence[float]) -> None:
    shown = f"{statistics.median(seconds):.2f} s"
    more = f" (the slowest of {len(seconds)}: {max(seconds):.2f} s)" if len(seconds) > 1 else ""
    print(f"{what:<40}{shown}{more}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="how often each case is measured")
    report(parser.parse_args().runs)
