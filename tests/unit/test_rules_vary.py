"""Variants of hard problems: other questions, true where the original is, and the same each time."""

from __future__ import annotations

import json
from random import Random

import pytest

from pythagoras.corpus.generator.generate import generate
from pythagoras.pipeline.language.english import read_english
from pythagoras.pipeline.language.evaluate import refuted
from pythagoras.pipeline.language.normal import key
from pythagoras.pipeline.roles.role import Refused
from pythagoras.pipeline.roles.vary import VARY
from pythagoras.pipeline.rules.vary import MOVES, UNSAFE, answer, variants

HARD = [drawn.problem.text for drawn in generate(134, 3, levels=(3,))]


def asked(problem: str, number: int, seed: int = 1) -> str:
    text = answer({"problem": problem}, number, seed)
    if text.startswith("CAN'T"):
        return ""
    varied = VARY.parse(text, {"problem": problem, "number": str(number)})
    assert not isinstance(varied, Refused)
    return varied.question


@pytest.mark.parametrize("problem", HARD[::6])
def test_four_variants_are_four_other_problems(problem: str) -> None:
    questions = [question for number in range(4) if (question := asked(problem, number))]
    keys = [key(read_english(question)) for question in (problem, *questions)]
    assert len(set(keys)) == len(keys)


def test_nearly_every_hard_problem_has_four() -> None:
    full = sum(bool(asked(problem, 3)) for problem in HARD)
    assert full >= 0.75 * len(HARD)


def test_the_same_variant_each_time_and_another_by_seed() -> None:
    assert [asked(HARD[0], number) for number in range(4)] == [asked(HARD[0], number) for number in range(4)]
    assert {asked(HARD[0], number, seed=1) for number in range(4)} != {
        asked(HARD[0], number, seed=2) for number in range(4)
    }


@pytest.mark.parametrize("move", [move for move in MOVES if move not in UNSAFE], ids=lambda move: move.__name__)
def test_safe_moves_keep_true_problems_true(move: object) -> None:
    """The generator's problems are true; whatever small numbers refute was broken by the move."""
    assert callable(move)
    made = 0
    for number, problem in enumerate(HARD[::2]):
        if (found := move(read_english(problem), Random(number))) is not None:
            made += 1
            assert refuted(found[0], Random(number), tries=60) is None, (problem, found[1])
    assert made >= 3


def test_a_broken_claim_is_refuted() -> None:
    """What the test above rests on."""
    assert refuted(read_english("Let n be a natural number. Prove that n^2 + n is odd."), Random(1)) is not None


def test_changed_numbers_that_small_values_refute_are_left_out() -> None:
    claim = read_english("Let n be a natural number. Prove that 3 divides n^3 + 5n + 6.")
    for variant, _ in variants(claim, Random(4)):
        assert refuted(variant, Random(7)) is None


def test_what_is_not_read_is_not_varied() -> None:
    said = answer({"problem": "What a lovely day."}, 0, 1)
    assert said.startswith("CAN'T: ")
    refused = VARY.parse(said, {"problem": "What a lovely day.", "number": "0"})
    assert isinstance(refused, Refused)


def test_a_variant_says_what_was_changed() -> None:
    told = json.loads(answer({"problem": HARD[0]}, 0, 1))
    assert set(told) == {"question", "change"}
    assert told["change"]
