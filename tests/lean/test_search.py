"""The tactic search with a real Lean: theorems of many shapes, attempts that fail, and the same result everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from pythagoras.corpus.records import Formalisation, statement_of
from pythagoras.generate.portfolio import ONE_LINERS
from pythagoras.generate.sampler import Finish, Request, Sample
from pythagoras.generate.search import HEARTBEATS, TacticSearch
from pythagoras.lean.diagnostics import ErrorClass, diagnose
from pythagoras.lean.pool import Check, Checked, LeanPool
from pythagoras.lean.submission import prepare, read
from pythagoras.lean.verdict import STANDARD, Outcome
from pythagoras.lean.verifier import CheckedVerifier, Judged, Submission
from pythagoras.lean.wire import Limits

SHAPES = {
    "sum": "(n : ℕ) : 2 * ∑ k ∈ Finset.range (n + 1), (16 * k + 21) = (n + 1) * (16 * n + 42)",
    "bound": "(z : ℕ) (h : z ≥ 12) : 2 ^ z > 6 * z ^ 2 + 9",
    "strengthened": (": ∀ s : ℕ → ℚ, s 0 ≥ -4 → (∀ k : ℕ, s (k + 1) ≥ 5 * s k - 28) → ∀ k : ℕ, s k ≥ -11 * 5 ^ k + 5"),
    "two_steps": (
        "(a : ℕ → ℤ) : a 0 = 1 → a 1 = 12 → (∀ k : ℕ, a (k + 2) = 6 * a (k + 1) - 9 * a k) → "
        "∀ k : ℕ, a k = (3 * k + 1) * 3 ^ k"
    ),
    "witness": "(a : ℕ) : ∃ b : ℕ, 17 + 64 * a ^ 2 + 144 * a = b * (b + 16)",
    "frobenius": "(k : ℕ) (h : k ≥ 23) : ∃ m n : ℕ, 3 * m + 11 * n = k",
    "bezout": "(u : ℤ) : (∃ x y : ℤ, 56 * x - 58 * y = u) ↔ 2 ∣ u",
    "residues": "(n m : ℕ) : (9 * n ^ 3 + 2 * m ^ 3 + 19) % 7 ≠ 4",
    "many_cases": "(a : ℤ) : (a ^ 2 + 3 * a) % 11 ≠ 1",
    "impossible": ": ¬ ∃ t x : ℤ, 5 * t ^ 2 + 4 * x ^ 2 + 4 * t = -5",
    "powers": "(m : ℕ) (h₀ : m % 4 = 1) (h₁ : m > 0) : (24 ^ m + 2 ^ m) % 10 = 6",
    "squares": "(x y : ℤ) : x ^ 2 + 9 * y ^ 2 + 44 * y + 83 ≥ 4 * x * y + 2 * x",
    "functions": "(f : ℤ → ℤ) (a : f 1 = 9) (b : ∀ x z : ℤ, f (x + z) = f x + f z + 6) : ∀ n : ℕ, f n = 15 * n - 6",
    "gcd": "(s t : ℕ) (h : Nat.gcd s t = 13) : Nat.gcd (4 * s + 16 * t) (8 * s + 36 * t) = 52",
    "roots": "(n : ℤ) (h : 144 - 13 * n ^ 2 + n ^ 3 = 0) : n = 12 ∨ n = 4 ∨ n = -3",
    "least": ": IsLeast {x : ℕ | x > 148 ∧ (Nat.divisors x).card = 4} 155",
    "prime": "(d a : ℤ) (h : 11 ∣ (d - 2) * (2 * a - 3)) : 11 ∣ 2 * a - 3 ∨ 11 ∣ d - 2",
}


def goal(name: str, text: str) -> Formalisation:
    return Formalisation(name, f"theorem {name} {text}", "handmade")


class Counting:
    """A Lean that counts what it is asked."""

    def __init__(self, pool: LeanPool) -> None:
        self.pool = pool
        self.asked = 0

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        for checked in self.pool.check(checks):
            self.asked += 1
            yield checked


def attempt(checker: LeanPool | Counting, wanted: Formalisation, number: int = 0, checks: int = 24) -> Sample:
    [sample] = TacticSearch(checker, checks=checks).sample([Request(wanted, number)])
    return sample


def judged(pool: LeanPool, wanted: Formalisation, sample: Sample) -> Judged:
    [found] = CheckedVerifier(pool).verify([Submission(statement_of(wanted), sample.text)])
    assert found.verdict is not None, found.failure
    return found


def test_no_tactic_of_the_portfolio_proves_them(pool: LeanPool) -> None:
    """Else they would say nothing of the steps that the search takes."""
    limits = Limits(heartbeats=HEARTBEATS, timeout_s=60)
    submissions = [
        (name, tactic, Check(f"theorem {name} {text} := by {tactic}", limits=limits))
        for name, text in SHAPES.items()
        for tactic in ONE_LINERS
    ]
    checked = list(pool.check(check for _, _, check in submissions))
    proved = [
        (name, tactic)
        for (name, tactic, _), found in zip(submissions, checked, strict=True)
        if found.answer is not None and not found.answer.errors and not found.answer.interrupted
    ]
    assert proved == []


@pytest.mark.parametrize("name", SHAPES)
def test_theorems_of_many_shapes_are_proved_in_steps(pool: LeanPool, name: str) -> None:
    wanted = goal(name, SHAPES[name])
    sample = attempt(pool, wanted)
    verdict = judged(pool, wanted, sample).verdict
    assert verdict is not None
    assert verdict.outcome is Outcome.PROVED, sample.text
    reasoning, _, lean = sample.text.partition("### Complete Lean 4 Proof")
    assert len(reasoning.split()) >= 5
    assert lean.count("\n") > wanted.text.count("\n") + 5  # fences, the statement, and at least two steps


def test_one_tactic_is_enough_where_it_is(pool: LeanPool) -> None:
    wanted = goal("easy", "(a b : ℕ) (h : a < b) : a + 1 ≤ b")
    counting = Counting(pool)
    sample = attempt(counting, wanted)
    assert sample.text.endswith((":= by omega\n```", ":= by grind\n```"))
    assert counting.asked == 1


def test_the_first_proof_will_do_where_nobody_wants_a_short_one(pool: LeanPool) -> None:
    wanted = goal("sum", SHAPES["sum"])
    asked = {}
    for shorten in (True, False):
        counting = Counting(pool)
        search = TacticSearch(counting, shorten=shorten)
        [sample] = search.sample([Request(wanted, 0)])
        verdict = judged(pool, wanted, sample).verdict
        assert verdict is not None
        assert verdict.proved
        assert search.settings.get("shorten") is (None if shorten else False)
        asked[shorten] = counting.asked
    assert asked[False] < asked[True]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("(a b : ℕ) (h : a < b) : a + 2 ≤ b", ErrorClass.TACTIC_FAILURE),
        ("(n : ℕ) : ∑ k ∈ Finset.range n, 2 * k = n * n + 1", ErrorClass.TACTIC_FAILURE),
        (": ∃ x : ℕ, x * x = 7", ErrorClass.TACTIC_FAILURE),
        (": ∃ x : ℕ, x + 1 = 0 ∨ x = x + 1 ∧ 2 ∣ x", ErrorClass.UNSOLVED_GOALS),
        ("(x y : ℚ) (h : x < y) : x + 1 < y", ErrorClass.TACTIC_FAILURE),
    ],
)
def test_a_false_statement_leaves_an_attempt_that_lean_explains(pool: LeanPool, text: str, error: ErrorClass) -> None:
    for number in (0, 1):
        wanted = goal("wrong", text)
        counting = Counting(pool)
        sample = attempt(counting, wanted, number)
        assert (sample.finish, counting.asked <= 24) == (Finish.STOP, True)
        assert "sorry" not in sample.text
        found = judged(pool, wanted, sample)
        assert found.verdict is not None
        assert found.verdict.outcome is not Outcome.PROVED
        assembly = prepare(statement_of(wanted), sample.text, STANDARD)
        assert found.assembly == assembly
        [checked] = pool.check([Check(found.assembly.text, spans=True)])
        assert checked.answer is not None
        diagnosis = diagnose(checked.answer, found.assembly.text)
        assert diagnosis.root is not None
        assert diagnosis.root.error is error, sample.text


def test_the_same_is_found_on_hosts_that_did_other_things_before() -> None:
    """A cold host, and one that is warm from the same questions in another order."""
    names = ("squares", "functions", "sum", "residues")
    false = goal("wrong", "(x y : ℚ) (h : x < y) : x * x < y * y")
    texts = []
    for order in (names, tuple(reversed(names))):
        with LeanPool(1, spare=False) as cold:
            found = {name: attempt(cold, goal(name, SHAPES[name])).text for name in order}
            found["wrong"] = attempt(cold, false, 1).text
        texts.append(found)
    assert texts[0] == texts[1]
    assert read(statement_of(false), texts[0]["wrong"]).paper_rule
