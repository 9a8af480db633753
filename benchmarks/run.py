"""`make bench`: everything that is measured, in one run. Figures for `docs/log.md` come from here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks import alf, engines, evaluation, generator, store
from benchmarks.minif2f import DATA, statements
from pythagoras.lean.pool import Check, LeanPool


def lean_bench() -> None:
    """Cold process, one host, pool, and a long soak."""
    command = [sys.executable, "-m", "pythagoras", "lean", "bench", "--cold", "10", "--soak", "5000"]
    subprocess.run(command, check=True)


def header_coverage(data: Path) -> None:
    """How many of MiniF2F's validation statements over ℕ, ℤ, ℚ elaborate word for word under the core header."""
    if not data.exists():
        print(f"MiniF2F statements that elaborate left out: {data} is not there; make bench MINIF2F=FILE names another")
        return
    chosen = statements(data)
    with LeanPool(spare=False) as pool:
        results = list(pool.check(Check(statement) for _, statement in chosen))
    good = sum(result.answer is not None and not result.answer.errors for result in results)
    print(f"{'MiniF2F-valid over ℕ, ℤ, ℚ':<34}{good} of {len(chosen)} statements elaborate word for word")


def corpus_bench(data: Path) -> None:
    """Generator, store, deduplication and decontamination."""
    generator.report()
    store.measure(store.ROWS)
    subprocess.run([sys.executable, "-m", "benchmarks.dedup"], check=True)
    if data.exists():
        subprocess.run([sys.executable, "-m", "benchmarks.decontamination", "--lean"], check=True)
    else:
        print(f"decontamination left out: {data} is not there")


if __name__ == "__main__":
    minif2f = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    lean_bench()
    header_coverage(minif2f)
    corpus_bench(minif2f)
    alf.report()
    engines.report()
    evaluation.report(minif2f)
    subprocess.run([sys.executable, "-m", "benchmarks.prove"], check=True)
    subprocess.run([sys.executable, "-m", "benchmarks.sampling"], check=True)
    subprocess.run([sys.executable, "-m", "benchmarks.rl"], check=True)  # sets threads before torch is imported
    subprocess.run([sys.executable, "-m", "benchmarks.sft"], check=True)
