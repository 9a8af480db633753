"""Distillation by rules: for every class of errors, problems that can be read, are true, and are about what failed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus.generator.generate import generate
from pythagoras.language.english import read_english
from pythagoras.language.evaluate import holds, refuted
from pythagoras.language.lean_reader import read_lean
from pythagoras.language.lean_writer import write_lean
from pythagoras.language.normal import same
from pythagoras.lean.diagnostics import ErrorClass
from pythagoras.pipeline.roles.distil import Distilled
from pythagoras.pipeline.roles.role import Fault, Refused, RoleName
from pythagoras.pipeline.roles.roles import ROLES
from pythagoras.pipeline.rules.distil import answer

# What Lean 4.28 said, one failure a class: statement, message, and the goal at the place.
RECORDED = {
    ErrorClass.UNSOLVED_GOALS: (
        "theorem t (a b : ℤ) (h : a - b = 4) (h2 : a + b = 10) : a = 7 ∧ b = 3",
        "unsolved goals\ncase right\na b : ℤ\nh : a - b = 4\nh2 : a + b = 10\n⊢ b = 3",
        "case right\na b : ℤ\nh : a - b = 4\nh2 : a + b = 10\n⊢ b = 3",
    ),
    ErrorClass.TACTIC_FAILURE: (
        "theorem t (n : ℕ) : 2 * ∑ k ∈ Finset.range (n + 1), (16 * k + 21) = (n + 1) * (16 * n + 42)",
        "omega could not prove the goal:\na possible counterexample may satisfy the constraints\n  c ≥ 0",
        "case succ\nn : ℕ\nih : (2 * (Finset.range (n + 1)).sum fun k => 16 * k + 21) = (n + 1) * (16 * n + 42)\n"
        "⊢ (2 * (Finset.range (n + 1 + 1)).sum fun k => 16 * k + 21) = (n + 1 + 1) * (16 * (n + 1) + 42)",
    ),
    ErrorClass.TYPE_MISMATCH: (
        "theorem t (a : ℕ) (b : ℤ) (h : b = a + 3) (ha : a > 5) : 7 * b - 30 ≥ 33",
        "Type mismatch\n  zero_le a\nhas type\n  0 ≤ a\nbut is expected to have type\n  7 * b - 30 ≥ 33",
        "a : ℕ\nb : ℤ\nh : b = ↑a + 3\nha : a > 5\n⊢ 7 * b - 30 ≥ 33",
    ),
    ErrorClass.FAILED_SYNTHESIS: (
        "theorem t (u : ℕ) : (18 + 9 * u ^ 2) % 5 ≠ 0",
        "failed to synthesize\n  Decidable (∀ (u : ℕ), (18 + 9 * u ^ 2) % 5 ≠ 0)",
        "⊢ ∀ (u : ℕ), (18 + 9 * u ^ 2) % 5 ≠ 0",
    ),
    ErrorClass.UNKNOWN_NAME: (
        "theorem t (x y : ℚ) (h : 3 * x - y = 12) (h2 : x + y = 8) : x = 5",
        "Unknown constant `linear_combo`",
        "x y : ℚ\nh : 3 * x - y = 12\nh2 : x + y = 8\n⊢ 4 * x = 20",
    ),
    ErrorClass.INVALID_FIELD: (
        "theorem t (z : ℕ) : Nat.gcd (3 * z + 16) (4 * z + 21) = 1",
        "Invalid field `coprime_of`: The environment does not contain `Nat.coprime_of`",
        "z : ℕ\n⊢ (3 * z + 16).gcd (4 * z + 21) = 1",
    ),
    ErrorClass.OTHER: (
        "theorem t (x : ℚ) : x ^ 2 - 8 * x + 19 ≥ 0",
        "don't know how to synthesize placeholder\ncontext:\nx : ℚ\n⊢ x ^ 2 - 8 * x + 19 ≥ 0",
        "x : ℚ\n⊢ x ^ 2 - 8 * x + 19 ≥ 0",
    ),
}


def task(error: ErrorClass, size: str) -> dict[str, str]:
    statement, message, goal = RECORDED[error]
    return {
        "problem": "",
        "statement": statement,
        "proof": ":= by\n  skip",
        "errors": f"line 2, column 2 (root cause): {message}",
        "goal": goal,
        "category": error.value,
        "level": "proof",
        "number": "0",
        "size": size,
    }


def distilled(fields: Mapping[str, str], number: int, seed: int = 1) -> Distilled:
    found = ROLES[RoleName.DISTIL].parse(answer(fields, number, seed), fields)
    assert isinstance(found, Distilled), found
    return found


def problems(error: ErrorClass) -> list[Distilled]:
    return [distilled(task(error, size), number) for size in ("large", "small") for number in (0, 1)]


@pytest.mark.parametrize("error", ErrorClass)
def test_every_class_gives_problems_that_are_read_and_true(error: ErrorClass) -> None:
    source = read_lean(RECORDED[error][0])
    for found in problems(error):
        claim = read_english(found.question)
        assert holds(claim, {}) is not False
        assert refuted(claim, Random(1)) is None
        assert same(claim, source) is not None
        write_lean(claim, "d")
        assert found.category is error


@pytest.mark.parametrize("error", ErrorClass)
def test_variants_of_a_size_differ(error: ErrorClass) -> None:
    for size in ("large", "small"):
        fields = task(error, size)
        assert distilled(fields, 0).question != distilled(fields, 1).question
        assert answer(fields, 0, 1) == answer(fields, 0, 1)


@pytest.mark.parametrize(
    ("error", "numbers"),
    [
        (ErrorClass.UNSOLVED_GOALS, {"3"}),
        (ErrorClass.TACTIC_FAILURE, {"16", "42"}),
        (ErrorClass.TYPE_MISMATCH, {"7", "30"}),
        (ErrorClass.FAILED_SYNTHESIS, {"18", "9", "5"}),
        (ErrorClass.UNKNOWN_NAME, {"4"}),
        (ErrorClass.INVALID_FIELD, {"16"}),
        (ErrorClass.OTHER, {"19"}),
    ],
)
def test_problems_have_the_numbers_of_the_theorem(error: ErrorClass, numbers: set[str]) -> None:
    found = [set(re.findall(r"\d+", problem.question)) for problem in problems(error)]
    assert sum(numbers <= one for one in found) >= 2


def test_the_goal_that_is_left_is_posed_with_what_it_needs() -> None:
    first = distilled(task(ErrorClass.UNSOLVED_GOALS, "large"), 0)
    assert first.question == "Let a and b be integers. Suppose that a - b = 4 and a + b = 10. Prove that b = 3."
    assert "a - b = 4 by -1/2" in first.solution
    unknown = distilled(task(ErrorClass.UNKNOWN_NAME, "large"), 0)
    assert "Prove that 4x = 20" in unknown.question


def test_the_source_itself_is_not_posed() -> None:
    goal = "x y : ℚ\nh : 3 * x - y = 12\nh2 : x + y = 8\n⊢ x = 5"
    fields = task(ErrorClass.UNKNOWN_NAME, "large") | {"goal": goal}
    source = read_lean(fields["statement"])
    for number in range(4):
        text = answer(fields, number, 1)
        if not text.startswith("CAN'T"):
            assert same(read_english(json.loads(text)["question"]), source) is not None


def test_the_algebra_of_an_induction_step_is_posed() -> None:
    found = distilled(task(ErrorClass.TACTIC_FAILURE, "large"), 0)
    assert "Let n be a natural number. Prove that " in found.question
    assert "sum of" not in found.question
    assert "Multiply out the left side" in found.solution


def test_a_mismatch_becomes_a_passage_between_the_domains() -> None:
    found = distilled(task(ErrorClass.TYPE_MISMATCH, "small"), 0)
    claim = read_english(found.question)
    assert {variable.type for variable in claim.variables} == {"ℕ", "ℤ"}


def test_a_missing_property_becomes_a_finite_check() -> None:
    found = distilled(task(ErrorClass.FAILED_SYNTHESIS, "large"), 0)
    assert re.search(r"Suppose that u < \d+\.", found.question)
    assert "one by one" in found.solution


def test_a_quadratic_becomes_its_square() -> None:
    questions = [problem.question for problem in problems(ErrorClass.OTHER)]
    assert "Let x be a rational number. Prove that x^2 - 8x + 19 = (x - 4)^2 + 3." in questions


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"goal": "", "statement": ""}, "neither a goal nor a statement"),
        ({"goal": "α : Type\n⊢ ∀ x : α, x = x", "statement": "theorem t (f : ℝ → ℝ) : f = f"}, "not read"),
        ({"goal": "n : ℕ\n⊢ n ^ 2 = n + 1", "statement": "theorem t (n : ℕ) : n ^ 2 = n + 1"}, "no variant"),
    ],
)
def test_where_nothing_can_be_posed_the_rules_say_so(change: dict[str, str], why: str) -> None:
    fields = task(ErrorClass.TACTIC_FAILURE, "small") | change
    found = ROLES[RoleName.DISTIL].parse(answer(fields, 40 if why == "no variant" else 0, 1), fields)
    assert isinstance(found, Refused)
    assert found.fault is Fault.CAN_NOT
    assert why in found.detail


def test_solutions_calculate_what_they_say() -> None:
    seen = 0
    for error in ErrorClass:
        for found in problems(error):
            for left, right in re.findall(r"(?<=[.:] )([\d +·()^-]+) = (-?\d+)(?=\.)", f". {found.solution}"):
                seen += 1
                assert eval(left.replace("·", "*").replace("^", "**")) == int(right)


_PIECES = st.sampled_from(
    [
        *(
            "n : ℕ\n",
            "x y : ℤ\n",
            "f : ℕ → ℤ\n",
            "p q : Prop\n",
            "h : n > 3\n",
            "h : ∀ k, f (k + 1) = 2 * f k\n",
            "g : f 0 = 1\n",
        ),
        *(
            "⊢ ",
            "n",
            "x",
            "y",
            "f n",
            "p",
            " ∧ ",
            " ∨ ",
            " → ",
            " ↔ ",
            "¬",
            " = ",
            " < ",
            " ∣ ",
            " + ",
            " - ",
            " * ",
            " / ",
        ),
        *(
            " % ",
            " ^ ",
            "0",
            "1",
            "7",
            "12",
            "(",
            ")",
            "∃ k : ℕ, ",
            "∀ m : ℤ, ",
            "k",
            "m",
            "Nat.gcd n 6",
            "Even n",
            "Odd x",
        ),
        *(
            "(Finset.range n).sum fun k => k",
            "n.factorial",
            "n.choose 2",
            "IsLeast {x : ℕ | x > 3} 4",
            "False",
            "\n",
            "9" * 60,
        ),
    ]
)


@given(goal=st.lists(_PIECES, max_size=14).map("".join), error=st.sampled_from(ErrorClass))
def test_any_goal_has_an_answer(goal: str, error: ErrorClass) -> None:
    for size in ("large", "small"):
        fields = {
            "goal": f"n : ℕ\nx y : ℤ\n{goal}",
            "statement": "",
            "category": error.value,
            "size": size,
            "errors": "",
        }
        text = answer(fields, 0, 1)
        found = ROLES[RoleName.DISTIL].parse(text, fields)
        assert isinstance(found, Distilled) or found.fault is Fault.CAN_NOT, text


def test_most_failures_of_the_generator_give_a_problem() -> None:
    """Every family that has an example, whatever the goal: none raises, and what comes is true."""
    asked = made = 0
    for drawn in generate(67, 11, levels=(1, 2)):
        statement = drawn.formalisation.text
        for size in ("large", "small"):
            fields = {"statement": statement, "goal": "", "category": "tactic failure", "size": size, "errors": "e"}
            text = answer(fields, 0, 3)
            asked += 1
            if text.startswith("CAN'T"):
                continue
            made += 1
            claim = read_english(json.loads(text)["question"])
            assert refuted(claim, Random(2), tries=20) is None
    assert made / asked > 0.85
