"""Variants of hard problems: the same kind with other numbers, possibly true, and the same each time."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from random import Random

import pytest

from pythagoras.corpus.generator.generate import generate
from pythagoras.language.changes.numerals import number_at, numerals
from pythagoras.language.changes.remainders import reduced, reduced_term
from pythagoras.language.changes.renumber import renumbered
from pythagoras.language.changes.vary import answer, variants
from pythagoras.language.changes.weaker import is_case
from pythagoras.language.english import read_english
from pythagoras.language.evaluate import example, refuted, value
from pythagoras.language.meaning import Apply, Bind, Number, Variable
from pythagoras.language.normal import key
from pythagoras.language.spoken import say
from pythagoras.pipeline.roles.role import Refused
from pythagoras.pipeline.roles.vary import VARY

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


@pytest.mark.parametrize("problem", HARD[::8])
def test_variants_are_other_problems_with_other_numbers(problem: str) -> None:
    questions = [question for number in range(4) if (question := asked(problem, number))]
    keys = [key(read_english(question)) for question in (problem, *questions)]
    assert len(set(keys)) == len(keys)
    original = sorted(numbers(say(read_english(problem))))
    assert all(sorted(numbers(question)) != original for question in questions)


def test_most_hard_problems_have_four() -> None:
    some = HARD[::4]
    assert sum(bool(asked(problem, 3)) for problem in some) >= 0.7 * len(some)


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


CLOSED_FORMS = {
    "sum": "Let k be a natural number. Prove that 12 times the sum of (t^3 + 7t^2 + 5t + 2) over all natural numbers t "
    "below k equals 3k^4 + 22k^3 - 9k^2 + 8k.",
    "recurrence": "Let s be a function from the natural numbers to the integers. Suppose that s(m + 1) = 3s(m) + 6 for "
    "every natural number m and s(0) = 13. Prove that s(m) = 16 · 3^m - 3 for every natural number m.",
    "system": "Let s, t and u be rational numbers such that 4t - 4u + 2s = -40, 5s - 5t - 5u = -70 and "
    "4t - 2s + u = 19. Prove that s = 4, t = 3 and u = 15.",
    "bounds": "Let k, l and n be rational numbers. Suppose that k - 5n - 5l ≤ -80, 3k + 4l - 4n ≤ -62 and "
    "k + 4l - 5n ≤ -53. Prove that 5l - 39n + 10k + 3 ≤ -510.",
    "divisor": "Let p be a natural number. Prove that the greatest common divisor of 249 + 40p and 67 + 9p "
    "divides 439.",
    "least": "Prove that 80 is the least natural number p such that 57 < p, p is congruent to 8 modulo 9 and p leaves "
    "remainder 3 when divided by 11.",
    "existence": "Prove that there are integers p and q such that, for every integer b, "
    "(-2b - 7)^2 · (5b + 9) = 20b^3 + p · b^2 + 497b + q.",
}


@pytest.mark.parametrize("problem", CLOSED_FORMS.values(), ids=CLOSED_FORMS)
def test_several_numbers_are_worked_out_together(problem: str) -> None:
    questions = [asked(problem, number) for number in range(4)]
    assert all(questions)
    for question in questions:
        assert refuted(read_english(question), Random(5), 600) is None


def test_what_exists_is_known() -> None:
    """No search finds two integers for all b, so the numbers come from those integers: p = 4c + 28d for (cb + d)."""
    for number in range(4):
        claim = read_english(asked(CLOSED_FORMS["existence"], number))
        assert isinstance(claim.goal, Bind)
        assert isinstance(claim.goal.body, Bind)
        equation = claim.goal.body.body
        assert isinstance(equation, Apply)
        gaps = [difference(equation, {"b": b, "p": 0, "q": 0}) for b in range(4)]
        third = gaps[3] - 3 * gaps[2] + 3 * gaps[1] - gaps[0]
        assert third == 0  # the cubes agree
        assert gaps[1] - difference(equation, {"b": -1, "p": 0, "q": 0}) == 0  # and so does what is odd in b


def difference(equation: Apply, values: dict[str, int]) -> Fraction:
    left, right = (value(side, values) for side in equation.args)
    return Fraction(left) - Fraction(right)


SQUARE = "Let n be a natural number with n ≥ 4. Prove that n^2 > 9."
DOUBLE = "Let n be a natural number with 2n ≥ {}. Prove that {}n^2 > {}."
COMMON = "Let a and b be natural numbers. Suppose that a + b = 12. Prove that gcd(a, b) divides {}."


@pytest.mark.parametrize(
    ("problem", "case"),
    [
        (SQUARE, "Let n be a natural number with n ≥ 6. Prove that n^2 > 9."),
        (SQUARE, "Let n be a natural number with n ≥ 4. Prove that n^2 > 8."),
        (DOUBLE.format(8, 2, 18), DOUBLE.format(9, 4, 36)),
        (DOUBLE.format(8, 2, 18), DOUBLE.format(8, 3, 26)),
        ("Let n be an integer. Prove that 20 divides 40n.", "Let n be an integer. Prove that 10 divides 40n."),
        (COMMON.format(24), COMMON.format(72)),
    ],
)
def test_neither_a_case_of_the_original_is_a_variant_nor_what_it_is_a_case_of(problem: str, case: str) -> None:
    one, other = read_english(problem), read_english(case)
    assert is_case(one, other)
    assert not is_case(other, one)
    for seed in range(2):
        assert key(other) not in {key(variant) for variant, _ in variants(one, Random(seed))}
        assert key(one) not in {key(variant) for variant, _ in variants(other, Random(seed))}


@pytest.mark.parametrize(
    ("problem", "again"),
    [
        (("x + 2 = 5", "x = 3"), ("x + 5 = 8", "x = 3")),
        (("2x = 10", "x = 5"), ("4x = 20", "3x = 15")),
        (("2x ≥ 10", "x ≠ 3"), ("6x ≥ 30", "x ≠ 3")),
    ],
)
def test_a_claim_with_its_relations_multiplied_or_moved_is_the_same(
    problem: tuple[str, str], again: tuple[str, str]
) -> None:
    claims = [
        read_english(f"Let x be an integer. Suppose that {given}. Prove that {goal}.")
        for given, goal in (problem, again)
    ]
    assert is_case(*claims)
    assert is_case(*reversed(claims))


@pytest.mark.parametrize(
    ("given", "goal"), [("x ≥ 5", "x ≥ 3"), ("-x ≥ 4", "x ≥ 3"), ("x + y ≥ 4", "x ≥ 3"), ("x ≥ 4", "2x ≥ 7")]
)
def test_a_harder_claim_is_no_case(given: str, goal: str) -> None:
    original = "Let x and y be integers. Suppose that x ≥ 5. Prove that x ≥ 2."
    variant = f"Let x and y be integers. Suppose that {given}. Prove that {goal}."
    assert not is_case(read_english(original), read_english(variant))


REMAINDERS = {
    "power": ("Let s be a natural number. Prove that 11 divides 12^s + {}.", "21", "32"),
    "base": ("Let s be a natural number. Prove that 11 divides {}^s + 21.", "12", "23"),
    "congruence in a disjunction": (
        "Let x be an integer. Suppose that x^2 + 2x - 8 leaves remainder 0 when divided by 11. "
        "Prove that x is congruent to {} modulo 11 or x leaves remainder 7 when divided by 11.",
        "2",
        "13",
    ),
    "hypothesis": (
        "Let m be an integer. Suppose that 33m + {} + m^2 leaves remainder 0 when divided by 13. "
        "Prove that m leaves remainder 1 when divided by 13 or m leaves remainder 5 when divided by 13.",
        "19",
        "32",
    ),
    "coefficient": ("Let u be an integer. Prove that 10 divides u^5 + {}u^4 + 15u^3 + 9u.", "15", "35"),
    "goal": ("Let m be an integer. Suppose that 13 divides (m + 15)^2. Prove that 13 divides m + {}.", "15", "41"),
    "both sides": (
        "Let a and y be natural numbers. "
        "Prove that (the remainder of a · 10^y + {0} on division by 9) = (the remainder of a + {0} on division by 9).",
        "44",
        "62",
    ),
    "equivalence": ("Let n be an integer. Prove that 7 divides n + {} if and only if 7 divides 2n + 6.", "3", "10"),
    "odd": ("Let n be an integer. Suppose that n is even. Prove that n + {} is odd.", "3", "7"),
}


@pytest.mark.parametrize(("problem", "number", "again"), REMAINDERS.values(), ids=REMAINDERS)
def test_a_multiple_of_the_modulus_makes_no_other_claim(problem: str, number: str, again: str) -> None:
    one, other = (read_english(problem.format(chosen)) for chosen in (number, again))
    assert key(one) != key(other)
    assert is_case(one, other)
    assert is_case(other, one)
    assert key(reduced(one)) == key(reduced(other))
    for seed in range(2):
        keys = [key(reduced(variant)) for variant, _ in variants(one, Random(seed))]
        assert len({key(reduced(one)), *keys}) == len(keys) + 1


@pytest.mark.parametrize(
    ("problem", "again"),
    [
        ("n leaves remainder 4 when divided by 7", "n is congruent to 4 modulo 7"),
        ("n leaves remainder 4 when divided by 7", "7 divides n - 4"),
        ("n is congruent to 4 modulo 7", "4 is congruent to n modulo 7"),
    ],
)
def test_remainders_congruences_and_divisors_have_one_form(problem: str, again: str) -> None:
    one, other = (read_english(f"Let n be an integer. Prove that {goal}.") for goal in (problem, again))
    assert key(reduced(one)) == key(reduced(other))


@pytest.mark.parametrize("name", [name for name in REMAINDERS if name != "both sides"])
def test_another_remainder_makes_another_claim(name: str) -> None:
    problem, number, _ = REMAINDERS[name]
    one, other = (read_english(problem.format(chosen)) for chosen in (number, int(number) + 1))
    assert not is_case(one, other)
    assert key(reduced(one)) != key(reduced(other))


def test_only_whole_quantities_take_multiples_of_the_modulus() -> None:
    """3 divides 3 · (2 / n) for n = 1 and not for n = 4."""
    fraction = Apply("/", (Number(2), Variable("n")))
    multiple = Apply("∣", (Number(3), Apply("*", (Number(3), fraction))))
    assert reduced_term(multiple) != reduced_term(Apply("∣", (Number(3), Number(0))))


@pytest.mark.parametrize(
    ("original", "variant", "is_one"),
    [
        ("x ≥ 5 or y ≥ 7", "x ≥ 4 or y ≥ 7", True),
        ("x ≥ 5 or y ≥ 7", "x ≥ 6 or y ≥ 7", False),
        ("x ≥ 5 if and only if y ≥ 7", "2x ≥ 10 if and only if y ≥ 7", True),
        ("x ≥ 5 if and only if y ≥ 7", "x ≥ 4 if and only if y ≥ 7", False),
    ],
)
def test_connectives_are_compared_place_by_place(original: str, variant: str, is_one: bool) -> None:
    one, other = (read_english(f"Let x and y be integers. Prove that {goal}.") for goal in (original, variant))
    assert is_case(one, other) == is_one


def test_no_modulus_becomes_1() -> None:
    claim = read_english("Let n be a natural number. Suppose that n is congruent to 3 modulo 4. Prove that 6n + 6 = 8.")
    made = [renumbered(claim, numerals(claim), Random(seed)) for seed in range(200)]
    moduli = {number_at(one, (0, 2)) for one in made}
    assert len(moduli) > 5
    assert min(moduli) > 1


def test_an_equation_times_a_number_is_no_variant() -> None:
    ways = "14 times the number of ways to choose 2 out of n + 42"
    problem = f"Let n be a natural number. Prove that {ways} is 7(n + 41) · (n + 42)."
    made = list(variants(read_english(problem), Random(3)))
    assert made
    for variant, change in made:
        assert "became" in change
        assert numbers(say(variant))[2:] != ["42", "7", "41", "42"]
        assert not {"n + 41", "n + 42"} <= set(re.findall(r"n \+ \d+", say(variant)))


@pytest.mark.parametrize("problem", ["What a lovely day.", "Let p be a proposition. Prove that p or (not p)."])
def test_what_is_not_read_or_has_no_number_is_not_varied(problem: str) -> None:
    said = answer({"problem": problem}, 0, 1)
    assert said.startswith("CAN'T: ")
    assert isinstance(VARY.parse(said, {"problem": problem, "number": "0"}), Refused)


def test_a_variant_says_what_was_changed() -> None:
    told = json.loads(answer({"problem": HARD[0]}, 0, 1))
    assert set(told) == {"question", "change"}
    assert "became" in told["change"]
