"""Systems of linear equations, solved exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction


def solution(rows: Iterable[Sequence[Fraction]], unknowns: int) -> list[Fraction] | None:
    """Of a system whose rows have their right side last: 0 for what it leaves open, None where it has none."""
    fixed: dict[int, list[Fraction]] = {}
    for given in rows:
        row = [*given]
        for pivot, solved in fixed.items():
            row = [one - row[pivot] * other for one, other in zip(row, solved, strict=True)]
        first = next((at for at in range(unknowns) if row[at]), None)
        if first is None:
            if row[-1]:
                return None
            continue
        row = [one / row[first] for one in row]
        fixed = {
            pivot: [one - solved[first] * other for one, other in zip(solved, row, strict=True)]
            for pivot, solved in fixed.items()
        }
        fixed[first] = row
    return [fixed[at][-1] if at in fixed else Fraction(0) for at in range(unknowns)]
