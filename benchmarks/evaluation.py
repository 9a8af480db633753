"""Evaluation: analysing and reporting large runs, the runner beside Lean, and what the portfolio of one-liners proves.

    python -m benchmarks.evaluation [MINIF2F]
    python -m benchmarks.evaluation --report CHARACTERS

The second form makes two runs of 488 problems x 64 attempts, each with so many characters of reasoning, and reports on
them. CPU seconds stand beside seconds, since other work on the machine changes only the latter.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psutil

from benchmarks.minif2f import DATA
from pythagoras.corpus.records import Tier
from pythagoras.evaluate.analysis.alignment import named_apart
from pythagoras.evaluate.analysis.cost import lean_seconds
from pythagoras.evaluate.analysis.cost_curves import matched
from pythagoras.evaluate.analysis.mutation import analyse
from pythagoras.evaluate.analysis.passn import Over, estimates, pass_at
from pythagoras.evaluate.benchmarks import Benchmark, open_benchmark, with_header
from pythagoras.evaluate.corebench.items import SPLITS
from pythagoras.evaluate.report.page import write_page
from pythagoras.evaluate.results import Results, load
from pythagoras.evaluate.running.judging import Judge
from pythagoras.evaluate.running.protocols import load_protocol
from pythagoras.evaluate.running.runner import run
from pythagoras.evaluate.runs import BenchmarkInfo
from pythagoras.evaluate.shown.overview import comparison_tables
from pythagoras.generate.portfolio import ONE_LINERS, Portfolio
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import LeanPool
from pythagoras.lean.wire import Limits
from tests.made_runs import made_goals, make_run
from tests.scripted import lean as fake_lean

PROBLEMS, ATTEMPTS = 488, 64
REASONING = (0, 6_000)
"""Characters before the proof: none to speak of, and as many as provers that think write at least."""
SOLVED_GRID = (1, 2, 4, 8, len(ONE_LINERS))
_TIMEOUT_S = 10.0
_CORE = "core"


# --- analysing and reporting ----------------------------------------------------------------------


def report_on_made_runs(reasoning: int) -> None:
    """Load, compare and report, in this process: one such run, and then two."""
    with tempfile.TemporaryDirectory() as place:
        folders = [_made(Path(place) / label, label, seed, reasoning) for seed, label in enumerate(("one", "two"))]
        size = sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file())
        print(f"{f'{PROBLEMS} x {ATTEMPTS}, {reasoning:,} characters':<34}two runs, {size / 2**20:,.0f} MB on disk")
        for count in (1, 2):
            _report(folders[:count], Path(place) / "report.html")
    memory = psutil.Process().memory_info().rss / 2**20
    print(f"{'... memory at the end':<34}{memory:,.0f} MB")


def _made(folder: Path, label: str, seed: int, reasoning: int) -> Path:
    """Problems of all kinds: from those that no attempt solves to those that all do."""
    dice = random.Random(seed)
    hardness = [dice.betavariate(0.3, 0.6) for _ in range(PROBLEMS)]
    solved = [[dice.random() < chance for _ in range(ATTEMPTS)] for chance in hardness]
    return make_run(folder, solved, label=label, seed=seed, reasoning=reasoning)


def _report(folders: Sequence[Path], page: Path) -> None:
    steps: dict[str, tuple[float, float]] = {}
    with _timed(steps, "load"):
        runs = named_apart([load(folder) for folder in folders])
    if len(runs) > 1:
        with _timed(steps, "compare"):
            list(comparison_tables(runs, *analyse(runs)))
    with _timed(steps, "page"):
        write_page(runs, page)
    seconds, cpu_seconds = (sum(times) for times in zip(*steps.values(), strict=True))
    told = ", ".join(f"{name} {step:.1f}" for name, (step, _) in steps.items())
    size = page.stat().st_size / 2**20
    what = "one run" if len(runs) == 1 else f"{len(runs)} runs"
    print(f"{f'... {what} analysed and reported':<34}{seconds:.1f} s ({told}), {cpu_seconds:.1f} s CPU; {size:.1f} MB")


@contextmanager
def _timed(steps: dict[str, tuple[float, float]], name: str) -> Iterator[None]:
    """Seconds by the clock and of this process."""
    began, cpu_began = time.perf_counter(), time.process_time()
    yield
    steps[name] = time.perf_counter() - began, time.process_time() - cpu_began


# --- running --------------------------------------------------------------------------------------


def runner_overhead(place: Path) -> float:
    """Milliseconds of everything but Lean for each attempt: drawn, assembled, judged by a fake, written down."""
    goals = made_goals(PROBLEMS)
    benchmark = Benchmark(BenchmarkInfo(name="made", items=len(goals)), goals)
    sampler = Portfolio([f"exact {'fine' if at % 4 == 0 else 'wrong'} {at}" for at in range(ATTEMPTS)])
    steps: dict[str, tuple[float, float]] = {}
    with _timed(steps, "run"):
        summary = run(place, benchmark, [sampler], load_protocol("restart"), Judge(FakeChecker(fake_lean)), n=ATTEMPTS)
    assert summary.drawn == summary.judged == PROBLEMS * ATTEMPTS
    seconds, cpu_seconds = (1000 * step / summary.drawn for step in steps["run"])
    print(f"{'runner without Lean':<34}{seconds:.2f} ms an attempt, {cpu_seconds:.2f} ms CPU ({summary.drawn:,} made)")
    return cpu_seconds


def portfolio_run(place: Path, benchmark: Benchmark, pool: LeanPool, protocol: str = "restart") -> Results:
    """All one-liners at all statements, those on Mathlib moved to the embedded Lean's header."""
    goals = with_header(benchmark.goals, _CORE)
    moved = _CORE if goals != benchmark.goals else ""
    judge = Judge(pool, header=moved, limits=Limits(timeout_s=_TIMEOUT_S))
    plan = load_protocol(protocol)
    run(place, Benchmark(benchmark.info, goals), [Portfolio()], plan, judge, n=len(ONE_LINERS), label=protocol)
    return load(place)


def tell_solved(name: str, results: Results, over: Over = "all") -> None:
    """pass@N in the portfolio's own order, as a mean over all orders, and what Lean spent."""
    own = [pass_at(results, n, over=over) for n in SOLVED_GRID]
    any_order = estimates(results, SOLVED_GRID, over=over)
    counts = ", ".join(f"@{one.n} {one.solved}" for one in own)
    shares = ", ".join(f"@{one.n} {one.value:.1%}" for one in any_order)
    print(f"{f'{name}, portfolio':<34}of {own[0].problems} solved {counts}; in any order {shares}")
    attempts, spent = len(results.rounds), float(lean_seconds(results).sum())
    each, wall = 1000 * spent / attempts, results.manifest.wall_seconds
    print(f"{'... Lean':<34}{spent:,.0f} s for {attempts:,} attempts ({each:.0f} ms each), {wall:.0f} s in all")


def tell_matched(restart: Results, infill: Results) -> None:
    """Restart against infilling: at the Lean seconds that the cheaper of them spent, and at all that was spent."""
    for one in matched([restart, infill], "lean-seconds"):
        apart = ""
        if one.difference is not None and one.difference_low is not None and one.difference_high is not None:
            apart = f"; {one.difference:+.1%} ({one.difference_low:+.1%} to {one.difference_high:+.1%}) against restart"
        bought = f"{one.n:.1f} attempts, {one.share:.1%} solved ({one.low:.1%} to {one.high:.1%}){apart}"
        print(f"{f'{one.label} at {one.budget:.2f} s of Lean':<34}{bought}")
    for results in (restart, infill):
        spent = float(lean_seconds(results).sum()) / len(results.goals)
        solved, rounds = results.counts().solved, len(results.rounds)
        told = f"{solved} of {len(results.goals)} solved, {rounds:,} rounds, {spent:.2f} s of Lean a problem"
        print(f"{f'{results.label}, all of it':<34}{told}")
    gained = np.flatnonzero(infill.solved.any(axis=1) & ~restart.solved.any(axis=1))
    names = ", ".join(infill.goals[at].name for at in gained)
    print(f"{'... solved by infilling alone':<34}{len(gained)}{f': {names}' if names else ''}")


def tell_levels(runs: Sequence[Results]) -> None:
    """What any one-liner proves of CoreBench, by level."""
    tiers = [goal.tier for results in runs for goal in results.goals]
    solved = [bool(row.any()) for results in runs for row in results.solved]
    levels = Counter(tiers)
    proved = Counter(tier for tier, holds in zip(tiers, solved, strict=True) if holds)
    by_level = ", ".join(f"{tier} {proved[tier]}/{levels[tier]}" for tier in Tier if levels[tier])
    print(f"{'CoreBench, portfolio':<34}{sum(solved)} of {len(solved)} ({sum(solved) / len(solved):.0%}): {by_level}")


def report_on_lean(minif2f: Path) -> None:
    """The runner beside Lean, the portfolio, and restart against infilling."""
    with tempfile.TemporaryDirectory() as folder, LeanPool() as pool:
        place = Path(folder)
        overhead = runner_overhead(place / "overhead")
        valid, test = (portfolio_run(place / name, open_benchmark(f"corebench/{name}"), pool) for name in SPLITS)
        tell_solved("CoreBench-valid", valid)
        tell_solved("CoreBench-test", test)
        tell_levels([valid, test])
        lean_ms = 1000 * float(lean_seconds(test).mean())
        print(f"{'runner beside Lean':<34}{overhead / lean_ms:.1%} of Lean's {lean_ms:.0f} ms an attempt")
        easy = open_benchmark("corebench/test", levels=[1])  # on harder ones neither gets anywhere
        tell_matched(*(portfolio_run(place / f"easy-{name}", easy, pool, name) for name in ("restart", "infill")))
        if minif2f.exists():
            found = portfolio_run(place / "minif2f", open_benchmark(str(minif2f)), pool)
            tell_solved("MiniF2F-valid, fit", found, "fit")
        else:
            print(f"MiniF2F left out: {minif2f} is not there")


def report(minif2f: Path) -> None:
    """All of it, for `make bench`."""
    for reasoning in REASONING:  # each in a process of its own, as one command would be
        subprocess.run([sys.executable, "-m", "benchmarks.evaluation", "--report", str(reasoning)], check=True)
    report_on_lean(minif2f)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minif2f", nargs="?", type=Path, default=DATA)
    parser.add_argument("--report", type=int, metavar="CHARACTERS")
    wanted = parser.parse_args()
    if wanted.report is not None:
        report_on_made_runs(wanted.report)
    else:
        report(wanted.minif2f)
