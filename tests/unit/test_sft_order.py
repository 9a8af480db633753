"""Stages, the order inside them, and how examples become steps and rows; without torch."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus.records import Tier
from pythagoras.train.examples import Example
from pythagoras.train.order import Stage, ordered, stages_of
from pythagoras.train.packing import PART_TOKENS, ROW_TOKENS, best_fit, laid_out, steps_of
from pythagoras.train.settings import Sft
from pythagoras.train.trainer import rate_at

TIERS = (Tier.HARD, Tier.EASY, Tier.MEDIUM, Tier.ALF)


def example(number: int, tier: Tier = Tier.EASY, length: int = 4) -> Example:
    return Example(array("i", range(length)), 1, f"key{number}", tier)


MIXED = [example(number, TIERS[number % 4]) for number in range(40)]
LENGTHS = st.lists(st.integers(1, 700), min_size=1, max_size=60)


def names(stages: list[Stage]) -> list[str]:
    return [stage.name for stage in stages]


# --- stages ---------------------------------------------------------------------------------------


def test_the_curriculum_goes_from_easy_to_hard_and_each_stage_has_its_rate() -> None:
    stages = stages_of(MIXED, Sft())
    assert names(stages) == ["easy", "medium", "hard", "alf"]
    assert [stage.learning_rate for stage in stages] == [3e-4, 7e-5, 7e-5, 1e-5]
    assert [{example.tier for example in stage.examples} for stage in stages] == [{tier} for tier in Tier]
    assert sum(len(stage.examples) for stage in stages) == len(MIXED)


def test_reversed_is_the_same_stages_from_the_other_end() -> None:
    assert stages_of(MIXED, Sft(order="reversed")) == stages_of(MIXED, Sft())[::-1]


def test_shuffled_is_one_stage_with_the_first_rate_that_is_due() -> None:
    (stage,) = stages_of([each for each in MIXED if each.tier is not Tier.EASY], Sft(order="shuffled"))
    assert (stage.name, stage.learning_rate, len(stage.examples)) == ("shuffled", 7e-5, 30)


@pytest.mark.parametrize("order", ["curriculum", "shuffled", "reversed"])
def test_without_examples_there_is_no_stage(order: str) -> None:
    assert stages_of([], Sft.model_validate({"order": order})) == []


def test_a_rate_that_a_recipe_leaves_out_is_the_default() -> None:
    stages = stages_of(MIXED, Sft(learning_rates={Tier.EASY: 1.0}))
    assert [stage.learning_rate for stage in stages] == [1.0, 7e-5, 7e-5, 1e-5]
    assert Sft(learning_rates={}) == Sft()


# --- order ----------------------------------------------------------------------------------------


def keys(stage: Stage, sft: Sft, seed: int = 0) -> list[str]:
    return [each.key for each in ordered(stage, sft, seed)]


def test_every_epoch_has_every_example_in_another_order() -> None:
    stage = Stage("easy", 1.0, MIXED)
    found = keys(stage, Sft(epochs=3))
    epochs = [tuple(found[begin : begin + 40]) for begin in (0, 40, 80)]
    assert len(set(epochs)) == 3
    assert {tuple(sorted(epoch)) for epoch in epochs} == {tuple(sorted(each.key for each in MIXED))}
    assert keys(stage, Sft(epochs=3)) == found
    assert keys(stage, Sft(epochs=3), seed=1) != found


def test_the_order_does_not_depend_on_that_of_the_corpus() -> None:
    assert keys(Stage("easy", 1.0, MIXED), Sft()) == keys(Stage("easy", 1.0, MIXED[::-1]), Sft())


def test_without_shuffling_it_is_the_order_of_the_corpus() -> None:
    written = [each.key for each in MIXED]
    assert keys(Stage("easy", 1.0, MIXED), Sft(shuffle=False)) == written * 2
    mixed = stages_of(sorted(MIXED, key=lambda each: each.tier), Sft(order="shuffled", shuffle=False))[0]
    assert keys(mixed, Sft(shuffle=False, epochs=1)) != [each.key for each in mixed.examples]


@pytest.mark.parametrize("tokens", [1, 4, 5, 160, 161, 1_000])
def test_so_many_tokens_are_as_many_epochs_as_it_takes(tokens: int) -> None:
    stage = Stage("easy", 1.0, MIXED, tokens)  # 40 of 4 tokens each
    found = keys(stage, Sft(epochs=1))
    assert len(found) == -(-tokens // 4)
    assert found == keys(Stage("easy", 1.0, MIXED), Sft(epochs=7))[: len(found)]


@pytest.mark.parametrize("order", ["curriculum", "shuffled", "reversed"])
def test_stages_share_the_tokens_by_their_sizes(order: str) -> None:
    examples = [*MIXED, *(example(number, Tier.HARD) for number in range(40, 60))]
    sft = Sft.model_validate({"order": order, "tokens": 480})  # twice all of them
    stages = stages_of(examples, sft)
    trained = [each.key for stage in stages for each in ordered(stage, sft, 0)]
    assert Counter(trained) == Counter(dict.fromkeys((each.key for each in examples), 2))


# --- steps and rows -------------------------------------------------------------------------------


def size(row: Sequence[Example]) -> int:
    return sum(len(each.tokens) for each in row)


def of_lengths(lengths: list[int]) -> list[Example]:
    return [example(number, length=length) for number, length in enumerate(lengths)]


@given(LENGTHS)
def test_steps_keep_the_order_and_are_as_full_as_may_be(lengths: list[int]) -> None:
    examples = of_lengths(lengths)
    steps = list(steps_of(examples, 500))
    assert [each for step in steps for each in step] == examples
    assert all(size(step) <= 500 or len(step) == 1 for step in steps)
    for step, after in pairwise(steps):
        assert size(step) + len(after[0].tokens) > 500


@given(LENGTHS)
def test_rows_hold_every_example_once_and_not_too_much(lengths: list[int]) -> None:
    examples = of_lengths(lengths)
    rows = best_fit(examples, 256)
    assert Counter(each.key for row in rows for each in row) == Counter(each.key for each in examples)
    assert all(size(row) <= 256 or len(row) == 1 for row in rows)
    fewest = sorted(map(size, rows))[:2]
    assert len(fewest) == 1 or sum(fewest) > 256  # else they were one row


def test_an_example_goes_where_it_fits_best() -> None:
    rows = best_fit(of_lengths([200, 150, 100, 56]), 256)
    assert [[len(each.tokens) for each in row] for row in rows] == [[200, 56], [150, 100]]


@given(LENGTHS, st.booleans())
def test_parts_are_of_a_size_and_of_rows_that_are_about_as_long(lengths: list[int], packed: bool) -> None:
    examples = of_lengths(lengths)
    parts = laid_out(examples, packed=packed)
    rows = [row for part in parts for row in part]
    sizes = [size(row) for row in rows]
    assert sorted(each.key for row in rows for each in row) == sorted(each.key for each in examples)
    assert sizes == sorted(sizes, reverse=True)
    assert packed or all(len(row) == 1 for row in rows)
    for part in parts:
        assert len(part) == 1 or size(part[0]) * len(part) <= PART_TOKENS
        assert size(part[0]) <= ROW_TOKENS or len(part[0]) == 1


# --- the schedule ---------------------------------------------------------------------------------


def test_the_rate_rises_in_a_line_and_falls_along_a_cosine() -> None:
    rates = [rate_at(step, 100, 0.1) for step in range(100)]
    assert rates[:10] == pytest.approx([step / 11 for step in range(1, 11)])
    assert rates[10] == 1
    assert rates[55] == pytest.approx(0.5)
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[99] < 0.001
    assert min(rates) > 0


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_few_steps_have_a_rate_as_well(steps: int) -> None:
    for warmup in (0.0, 0.03, 0.9):
        assert all(0 < rate_at(step, steps, warmup) <= 1 for step in range(steps))
