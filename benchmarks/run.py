"""`make bench`: everything that is measured, in one run. Figures for `docs/log.md` come from here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from pythagoras.lean.pool import Check, LeanPool

DATA = Path(__file__).parents[2] / "shared" / "data" / "minif2f_valid.jsonl"
"""Statements only, not part of this project; without the file that part is left out."""


def lean_bench() -> None:
    """Cold process, one host, pool, and a long soak."""
    command = [sys.executable, "-m", "pythagoras", "lean", "bench", "--cold", "10", "--soak", "5000"]
    subprocess.run(command, check=True)


def header_coverage() -> None:
    """How many of MiniF2F's validation statements over ℕ, ℤ, ℚ elaborate word for word under the core header."""
    if not DATA.exists():
        print(f"MiniF2F statements that elaborate   left out: {DATA} is not there")
        return
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    chosen = [row["formal_statement"] for row in rows if not set("ℝℂ") & set(row["formal_statement"])]
    with LeanPool(spare=False) as pool:
        results = list(pool.check(Check(statement) for statement in chosen))
    good = sum(result.answer is not None and not result.answer.errors for result in results)
    print(f"{'MiniF2F statements that elaborate':<34}{good} of {len(chosen)} without ℝ or ℂ, {len(rows)} in all")


if __name__ == "__main__":
    lean_bench()
    header_coverage()
