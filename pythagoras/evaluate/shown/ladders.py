"""A ladder as a table and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pythagoras.evaluate.analysis.passn import Curve
from pythagoras.evaluate.analysis.published import scaling
from pythagoras.evaluate.ladder import Ladder, Rung
from pythagoras.evaluate.shown import pictures
from pythagoras.evaluate.shown.tables import AT_LEAST, Cell, Table, interval, without_empty

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def ladder_table(found: Ladder) -> Table:
    """A row a rung: the share solved at each N, and what it cost."""
    budgets = sorted({step.n for rung in found.rungs for step in rung.steps})
    costs = ("generated tokens", "ETC a problem", "Lean's seconds", "seconds in all", "S")
    columns = ("rung", "benchmark", "problems", *(f"pass@{n}" for n in budgets), *costs)
    rows = tuple(_row(rung, budgets) for rung in found.rungs)
    note = "pass@N in percent, with 95 % intervals"
    if any(AT_LEAST in str(cell) for row in rows for cell in row):
        note += f"; {AT_LEAST}: a lower bound, since attempts are missing or have no verdict"
    return without_empty(Table(found.title, columns, rows, note))


def _row(rung: Rung, budgets: list[int]) -> tuple[Cell, ...]:
    told = {
        step.n: interval(step.solved / step.problems, step.low, step.high, at_least=step.short > 0)
        for step in rung.steps
        if step.problems
    }
    benchmark = f"{rung.benchmark} ({rung.chosen})" if rung.chosen else rung.benchmark
    return (
        *(rung.name, benchmark, rung.steps[-1].problems if rung.steps else None),
        *(told.get(n) for n in budgets),
        *(rung.generated_tokens or None, rung.etc, rung.lean_seconds, rung.wall_seconds, rung.score),
    )


def ladder_picture(found: Ladder) -> Figure:
    """pass@N over N, a line a rung; hollow marks are what others report, where all rungs are of one benchmark."""
    names = {rung.benchmark for rung in found.rungs}
    lines = [_curve(rung, several=len(names) > 1) for rung in found.rungs]
    return pictures.curves(lines, scaling(names.pop()) if len(names) == 1 else ())


def _curve(rung: Rung, *, several: bool) -> Curve:
    steps = [step for step in rung.steps if step.problems]
    return Curve(
        f"{rung.name}, {rung.benchmark}" if several else rung.name,
        tuple(step.n for step in steps),
        tuple(step.solved / step.problems for step in steps),
        tuple(step.low for step in steps),
        tuple(step.high for step in steps),
        tuple(step.short for step in steps),
    )
