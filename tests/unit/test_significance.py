"""Tests and intervals against known values, enumeration, and what they do to provers that are equal."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from pythagoras.evaluate.analysis.significance import (
    ALPHA,
    NO_DIFFERENCE,
    Difference,
    Floats,
    Ints,
    Paired,
    bootstrap,
    differences,
    holm,
    mcnemar,
    needed,
    sign_flip,
)


def _enumerated(values: Floats) -> float:
    """The sign-flip test by trying every combination of signs."""
    reached = abs(values.sum()) - 1e-9
    signs = np.array(list(product((-1, 1), repeat=len(values))))
    return float((np.abs(signs @ np.abs(values)) >= reached).mean())


def _solved(a_only: int, b_only: int, problems: int, both: int = 0, groups: Ints | None = None) -> Paired:
    """Two provers, of which each alone solved so many of the problems."""
    a, b = np.zeros(problems, dtype=bool), np.zeros(problems, dtype=bool)
    a[:a_only] = b[a_only : a_only + b_only] = True
    a[a_only + b_only :][:both] = b[a_only + b_only :][:both] = True
    return Paired("A", "B", a.astype(float), b.astype(float), a, b, groups)


def _one(pair: Paired) -> Difference:
    (found,) = differences([pair], 32)
    return found


# --- McNemar --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a_only", "b_only", "p"),
    [
        (0, 0, 1.0),
        (1, 1, 1.0),
        (5, 0, 0.0625),
        (6, 0, 0.03125),
        (7, 0, 0.015625),  # the paper's disagreements on MiniF2F and on its mutation
        (8, 1, 0.0390625),
        (6, 3, 0.5078125),
        (12, 5, 0.143463134765625),
    ],
)
def test_mcnemar_has_the_known_values(a_only: int, b_only: int, p: float) -> None:
    assert mcnemar(a_only, b_only) == pytest.approx(p, rel=1e-12)
    assert mcnemar(b_only, a_only) == mcnemar(a_only, b_only)


def test_mcnemar_is_the_enumeration_of_all_throws() -> None:
    for thrown in range(1, 11):
        heads = np.array([sum(throw) for throw in product((0, 1), repeat=thrown)])
        for a_only in range(thrown + 1):
            expected = (np.abs(heads - thrown / 2) >= abs(a_only - thrown / 2)).mean()
            assert mcnemar(a_only, thrown - a_only) == pytest.approx(expected)


def test_mcnemar_is_exact_where_numbers_are_large() -> None:
    for a_only, b_only in ((300, 200), (1000, 900), (50, 1200)):
        thrown = a_only + b_only
        tail = sum(Fraction(math.comb(thrown, at), 2**thrown) for at in range(min(a_only, b_only) + 1))
        assert mcnemar(a_only, b_only) == float(2 * tail)


def test_what_is_needed_is_the_least_that_is_enough() -> None:
    assert needed(0) == 6
    for other in (0, 1, 3, 20, 60):
        for alpha in (0.05, 0.05 / 6):
            lead = needed(other, alpha)
            assert mcnemar(lead, other) < alpha <= mcnemar(lead - 1, other)


# --- sign flips -----------------------------------------------------------------------------------


def test_few_differences_are_enumerated() -> None:
    dice = np.random.default_rng(3)
    for count in (1, 2, 5, 9):
        values = dice.normal(0.3, 0.5, count)
        padded = np.concatenate([values, np.zeros(20)])  # what does not differ says nothing
        assert sign_flip(padded) == pytest.approx(_enumerated(values))


def test_many_differences_come_close_to_enumeration() -> None:
    values = np.random.default_rng(4).normal(0.25, 0.5, 16)
    assert sign_flip(values, seed=1) == pytest.approx(_enumerated(values), abs=0.01)
    assert sign_flip(values, seed=1) == sign_flip(values, seed=1)


def test_the_largest_of_many_is_not_impossible() -> None:
    values = np.linspace(0.5, 1.0, 60)
    assert 0 < sign_flip(values) < 0.001


def test_whole_problems_flipped_are_mcnemars_test() -> None:
    values = np.array([1.0] * 30 + [-1.0] * 14 + [0.0] * 200)
    assert sign_flip(values) == mcnemar(30, 14)
    assert sign_flip(values / 3) == mcnemar(30, 14)
    assert sign_flip(np.zeros(5)) == 1.0


# --- Holm -----------------------------------------------------------------------------------------


def test_holm_has_the_known_values() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([0.6, 0.7]) == (1.0, 1.0)
    assert holm([0.02]) == (0.02,)
    assert holm([]) == ()


# --- intervals ------------------------------------------------------------------------------------


def test_an_interval_is_no_point_where_nobody_differs() -> None:
    low, high = bootstrap(np.zeros(244), np.ones(244))
    assert -0.03 < low < -0.004
    assert 0.004 < high < 0.03


@pytest.mark.parametrize("lead", range(12))
def test_intervals_and_tests_say_the_same(lead: int) -> None:
    """Five problems against none are not significant, six are; the interval must not say otherwise."""
    values = np.zeros(244)
    values[:lead] = 1.0
    low, high = bootstrap(values, np.ones(244))
    assert low <= lead / 244 <= high
    assert (low > 0) == (mcnemar(lead, 0) < ALPHA)


def test_intervals_hold_what_they_should_in_19_of_20_cases() -> None:
    dice = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        chance = dice.beta(2.0, 0.7, 60)
        values = (dice.random(60) < chance).astype(float) - (dice.random(60) < 0.8 * chance)
        low, high = bootstrap(values, np.ones(60))
        held += low <= 0.2 * 2.0 / 2.7 <= high
    assert 0.92 <= held / 300 <= 0.99


def test_variants_that_fall_together_widen_the_interval() -> None:
    values = np.random.default_rng(6).choice([-1.0, 0.0, 1.0], 100, p=[0.2, 0.5, 0.3])
    alone = bootstrap(np.repeat(values, 2), np.ones(200))
    together = bootstrap(2 * values, np.full(100, 2.0))
    assert together[1] - together[0] == pytest.approx((alone[1] - alone[0]) * 2**0.5, rel=0.1)


# --- verdicts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("b_only", [0, 1, 3, 10])
def test_two_points_on_244_problems_are_no_win(b_only: int) -> None:
    found = _one(_solved(b_only + 5, b_only, 244, both=200))
    assert found.points == pytest.approx(100 * 5 / 244)
    assert found.verdict == NO_DIFFERENCE
    assert found.low <= 0 < found.high
    assert found.needed > found.a_more
    assert str(found.needed) in found.hint


def test_a_hint_names_what_is_needed_only_where_it_is_more() -> None:
    a_value, b_value = np.repeat([0.2, 0.0], [8, 92]), np.repeat([0.0, 0.02], [8, 92])
    found = _one(Paired("A", "B", a_value, b_value, a_value > 0, np.zeros(100, dtype=bool)))
    assert (found.verdict, found.a_more, found.b_more, found.needed) == (NO_DIFFERENCE, 8, 0, 6)
    assert "needs" not in found.hint
    assert "does not agree" in found.hint


def test_what_is_not_known_is_counted_against_the_leader() -> None:
    pair = _solved(10, 0, 100, both=20)
    assert _one(pair).p_worst == _one(pair).p_adjusted
    lacking = pair.b_value + np.where(pair.a_value > pair.b_value, 1.0, 0.0)
    found = _one(replace(pair, a_most=pair.a_value, b_most=lacking, not_told=10))
    assert (found.p, found.p_worst, found.not_told) == (mcnemar(10, 0), 1.0, 10)
    assert found.verdict == NO_DIFFERENCE
    for most in (pair.a_value, np.ones(100)):  # what the leader may have solved besides takes nothing away
        assert _one(replace(pair, a_most=most, b_most=pair.b_value, not_told=3)).verdict == "A ahead"


def test_a_clear_lead_is_called_one_in_either_direction() -> None:
    ahead, behind = _one(_solved(30, 5, 244, both=150)), _one(_solved(5, 30, 244, both=150))
    assert (ahead.verdict, behind.verdict) == ("A ahead", "B ahead")
    assert (ahead.a_more, ahead.b_more) == (behind.b_more, behind.a_more) == (30, 5)
    assert ahead.p == behind.p == mcnemar(30, 5) == ahead.p_mcnemar
    assert ahead.low > 0 > behind.high
    assert ahead.a_score - ahead.b_score == pytest.approx(ahead.points) == pytest.approx(-behind.points)
    assert ahead.needed <= ahead.a_more


def test_what_would_do_alone_does_not_among_many() -> None:
    alone = _solved(7, 0, 244, both=200)
    assert _one(alone).verdict == "A ahead"
    among = differences([alone, *[_solved(3, 3, 244, both=200)] * 5], 32)
    assert among[0].p == _one(alone).p
    assert among[0].p_adjusted == pytest.approx(6 * among[0].p)
    assert among[0].verdict == NO_DIFFERENCE
    assert among[0].needed == needed(0, ALPHA / 6)


def test_variants_of_one_original_count_once() -> None:
    groups = np.arange(488) // 2
    alone, together = _one(_solved(10, 0, 488, both=400)), _one(_solved(10, 0, 488, both=400, groups=groups))
    assert (alone.p, together.p) == (mcnemar(10, 0), mcnemar(5, 0))
    assert (alone.verdict, together.verdict) == ("A ahead", NO_DIFFERENCE)
    assert (together.groups, together.a_more, together.problems) == (244, 5, 488)
    assert together.points == alone.points


def test_equals_are_told_apart_in_one_of_twenty_cases_at_most() -> None:
    dice = np.random.default_rng(7)
    binary, partial = 0, 0
    for at in range(400):
        chance = dice.beta(1.5, 0.5, 120)
        first, second = (dice.binomial(8, chance) / 8 for _ in range(2))
        partial += sign_flip(first - second, seed=at) < ALPHA
        binary += sign_flip((first > 0.5).astype(float) - (second > 0.5)) < ALPHA
    assert partial / 400 <= 0.075
    assert binary / 400 <= 0.065


def test_equals_with_variants_are_not_told_apart_more_often() -> None:
    """Variants that always fall together: taken for problems of their own, they would look like twice the evidence."""
    dice = np.random.default_rng(8)
    grouped, alone = 0, 0
    for _ in range(400):
        values = (dice.random(120) < 0.6).astype(float) - (dice.random(120) < 0.6)
        grouped += sign_flip(2 * values) < ALPHA
        alone += sign_flip(np.repeat(values, 2)) < ALPHA
    assert grouped / 400 <= 0.065
    assert alone / 400 > 0.1


def test_nothing_to_compare_is_no_difference() -> None:
    empty = np.zeros(0)
    found = _one(Paired("A", "B", empty, empty, empty.astype(bool), empty.astype(bool)))
    assert (found.problems, found.points, found.p, found.verdict) == (0, 0.0, 1.0, NO_DIFFERENCE)
    assert (found.low, found.high) == (-100.0, 100.0)
    assert found.as_dict()["verdict"] == NO_DIFFERENCE
