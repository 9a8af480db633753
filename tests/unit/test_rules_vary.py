"""Variants of hard problems: the same kind with other numbers, possibly true, and the same each time."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from pythagoras.corpus.generator.generate import generate
from pythagoras.pipeline.language.english import read_english
from pythagoras.pipeline.language.evaluate import example, refuted
from pythagoras.pipeline.language.normal import key
from pythagoras.pipeline.language.spoken import say
from pythagoras.pipeline.roles.role import Refused
from pythagoras.pipeline.roles.vary import VARY
from pythagoras.pipeline.rules.vary import answer, variants

HARD = [drawn.problem.text for drawn in generate(67, 3, levels=(3,))]


def asked(problem: str, number: int, seed: int = 1) -> str:
    text = answer({"problem": problem}, number, seed)
    if text.startswith("CAN'T"):
        return ""
    varied = VARY.parse(text, {"problem": problem, "number": str(number)})
    assert not isinstance(varied, Refused), varied
    return varied.question


def numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)


@pytest.mark.parametrize("problem", HARD[::5])
def test_variants_are_other_problems_with_other_numbers(problem: str) -> None:
    questions = [question for number in range(4) if (question := asked(problem, number))]
    keys = [key(read_english(question)) for question in (problem, *questions)]
    assert len(set(keys)) == len(keys)
    original = sorted(numbers(say(read_english(problem))))
    assert all(sorted(numbers(question)) != original for question in questions)


def test_most_hard_problems_have_four() -> None:
    assert sum(bool(asked(problem, 3)) for problem in HARD) >= 0.6 * len(HARD)


def test_the_same_variant_each_time_and_another_by_seed() -> None:
    assert [asked(HARD[0], number) for number in range(4)] == [asked(HARD[0], number) for number in range(4)]
    assert {asked(HARD[0], number, seed=1) for number in range(4)} != {
        asked(HARD[0], number, seed=2) for number in range(4)
    }


def test_answers_are_worked_out_anew() -> None:
    """The sum of the hypotheses decides the goal, so a true variant has another number there, too."""
    problem = "Let x and y be integers such that x + y = 10 and x - y = 4. Prove that 3x + 2y = 27."
    found = 0
    for number in range(8):
        if question := asked(problem, number):
            claim = read_english(question)
            assert refuted(claim, Random(number)) is None
            found += claim.goal != read_english(problem).goal
    assert found >= 3


def test_what_can_not_hold_is_left_out() -> None:
    """Neither false variants nor such as have no values at all."""
    claim = read_english("Let n be an integer such that 6n = 42. Prove that n = 7.")
    made = [variant for variant, _ in variants(claim, Random(4))]
    assert made
    for variant in made:
        assert refuted(variant, Random(7)) is None
        assert example(variant, Random(7)) is not None


@pytest.mark.parametrize("problem", ["What a lovely day.", "Let p be a proposition. Prove that p or (not p)."])
def test_what_is_not_read_or_has_no_number_is_not_varied(problem: str) -> None:
    said = answer({"problem": problem}, 0, 1)
    assert said.startswith("CAN'T: ")
    assert isinstance(VARY.parse(said, {"problem": problem, "number": "0"}), Refused)


def test_a_variant_says_what_was_changed() -> None:
    told = json.loads(answer({"problem": HARD[0]}, 0, 1))
    assert set(told) == {"question", "change"}
    assert "became" in told["change"]
