"""Texts for base models against Lean: what is true by construction is, and the library says what its file says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

import pytest

from pythagoras.lean import package
from pythagoras.lean.pool import Check, LeanPool
from pythagoras.lean.wire import Limits
from pythagoras.train.exercises.arithmetic import ARITHMETIC
from pythagoras.train.exercises.exercise import Exercise
from pythagoras.train.exercises.logic import logic
from pythagoras.train.exercises.uses import use
from pythagoras.train.library import (
    closed,
    constant_names,
    header_names,
    library_names,
    statements,
    taken_back,
    theorems,
)


def refused(pool: LeanPool, exercises: Iterable[Exercise]) -> list[str]:
    """Those that Lean does not take, with its word."""
    checks = [
        Check(
            f"{exercise.statement(f't{number}')} := {exercise.proof}\n", limits=Limits(heartbeats=200_000, timeout_s=60)
        )
        for number, exercise in enumerate(exercises)
    ]
    return [
        f"{checked.check.code}{checked.answer and checked.answer.errors[0].data}"
        for checked in pool.check(checks)
        if checked.answer is None or checked.answer.errors
    ]


@pytest.mark.parametrize("maker", ARITHMETIC, ids=lambda maker: maker.__name__)
def test_exercises_with_numbers_hold(pool: LeanPool, maker: Callable[[Random], Exercise]) -> None:
    assert refused(pool, [maker(Random(seed)) for seed in range(12)]) == []


def test_exercises_in_logic_hold(pool: LeanPool) -> None:
    assert refused(pool, [logic(Random(seed)) for seed in range(80)]) == []


def test_uses_of_the_library_hold(pool: LeanPool) -> None:
    """Most of them: `rw`, `simp` and `apply` are named without a look at what they leave."""
    rng = Random(0)
    exercises = [use(rng, theorem) for theorem in rng.sample(theorems(), 80)]
    assert len(refused(pool, exercises)) <= 12


def test_the_file_is_what_lean_says(pool: LeanPool) -> None:
    rng = Random(1)
    some = rng.sample(theorems(), 60)
    lines = [theorem.text for theorem in some]
    assert list(statements(pool, [theorem.name for theorem in some])) == lines
    assert list(taken_back(pool, lines)) == lines
    found = list(closed(pool, lines[:20]))
    assert found == [f"{theorem.text}\t{','.join(theorem.closers)}" for theorem in some[:20]]
    assert any(theorem.closers for theorem in some[:20])


def test_what_is_no_theorem_is_not_taken_back(pool: LeanPool) -> None:
    lines = [
        "Nat.add_comm (n m : ℕ) : n + m = m + n",
        "Nat.add_comm (n m : ℕ) : n + m = n",
        "Nat.add (n m : ℕ) : ℕ",
        "?",
    ]
    assert list(taken_back(pool, lines)) == lines[:1]


def test_names_are_read_from_the_compiled_library() -> None:
    library = package.require_installed() / "lib" / "lean"
    names = set(library_names(library))
    assert {"Nat.add_comm", "Int.emod_emod_of_dvd", "and_comm", "Rat.add_assoc"} <= names
    assert "Finset.sum_range_succ" in set(header_names())
    assert {theorem.name for theorem in theorems()} <= names | set(header_names())
    assert "Nat.dvd_mul_right" in set(constant_names((library / "Init" / "Data" / "Nat" / "Dvd.olean").read_bytes()))
