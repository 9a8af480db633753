"""Linear systems: what is found solves them, and nothing is found where nothing does."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from pythagoras.language.changes.linear import solution

NUMBERS = st.integers(-3, 3).map(Fraction)
SYSTEMS = st.integers(1, 4).flatmap(
    lambda unknowns: st.lists(st.lists(NUMBERS, min_size=unknowns + 1, max_size=unknowns + 1), max_size=5).map(
        lambda rows: (rows, unknowns)
    )
)


def left(row: list[Fraction], values: list[Fraction]) -> Fraction:
    return sum((factor * value for factor, value in zip(row, values, strict=False)), Fraction(0))


@given(SYSTEMS)
def test_what_is_found_solves_all_rows(system: tuple[list[list[Fraction]], int]) -> None:
    rows, unknowns = system
    found = solution(rows, unknowns)
    if found is not None:
        assert len(found) == unknowns
        assert [left(row, found) for row in rows] == [row[-1] for row in rows]


@given(SYSTEMS, st.lists(NUMBERS, min_size=4, max_size=4))
def test_what_can_be_solved_is_and_a_contradiction_is_not(
    system: tuple[list[list[Fraction]], int], values: list[Fraction]
) -> None:
    rows, unknowns = system
    solvable = [[*row[:-1], left(row[:-1], values)] for row in rows]
    assert solution(solvable, unknowns) is not None
    contradicted = [[*row[:-1], row[-1] + 1] for row in solvable]
    if rows:
        assert solution([*solvable, *contradicted], unknowns) is None
