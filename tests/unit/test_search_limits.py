"""What the tactic search does with statements that it was not made for: it goes on, and it comes to an end."""

from __future__ import annotations

from itertools import product

import pytest

from pythagoras.corpus.records import Formalisation
from pythagoras.generate.sampler import Finish, Request
from pythagoras.generate.search import TacticSearch
from pythagoras.generate.searching import divisors, functions, polynomials
from pythagoras.generate.searching.closers import by_kernel, cheap
from pythagoras.generate.searching.goals import Goal, opened
from pythagoras.generate.searching.kernel import MOST, work
from pythagoras.generate.searching.moves import moves
from pythagoras.generate.searching.proofs import body
from pythagoras.generate.searching.terms import NotRead, read
from pythagoras.generate.searching.values import Effort, Tired, Unknown, computing, is_prime
from pythagoras.generate.searching.witnesses import _outward, witnesses
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.wire import Answer, Declaration

STRANGE = {
    "a long sum": f": {' + '.join(['1'] * 1200)} = 1200",
    "deep brackets": f": {'(' * 300}1{')' * 300} = 1",
    "many arrows": f"(n : ℕ) : {'↑' * 2000}n = n",
    "a long number": f": {'7' * 5000} > 0",
    "another base": ": 0x1F = 31",
    "a function as a number": "(f : ℕ → ℕ) : ∃ z : ℕ, z + f = 3",
    "coprime to nothing": ": ∃ n : ℕ, Nat.Coprime n",
    "prime to something": ": ∃ n : ℕ, Nat.Prime n 3 ∧ Even n n",
    "half a binomial": "(n k : ℕ) : Nat.choose n = k",
    "half a divisor": "(n k : ℕ) : Nat.gcd n = k ∧ Nat.lcm n = k",
    "a multiple of what is no variable": "(d : ℕ) (h : d ∣ Nat) : d ∣ 2 * d",
    "a sum over half a range": "(n : ℕ) : ∑ i ∈ Finset.Icc n, i = ∑ i ∈ n, i",
    "a large power": "(n : ℕ) : ∃ x : ℕ, x = 2 ^ (2 ^ 2 ^ 100) + n",
    "a large bound": ": ∃ x : ℕ, x ^ 3 + 10 ^ 1000 = 3 ∧ Nat.factorial x > 10 ^ 999",
    "brackets in no order": "(x : ℕ) : x ∈ ({1, 2} : Set ℕ) ↔ ⟨x, 1⟩ = ⟨1, x⟩",
    "a large prime": "(a b : ℤ) (h : 1000000007 ∣ a * b) : 1000000007 ∣ a ∨ 1000000007 ∣ b",
    "a far argument": (
        "(f : ℤ → ℤ) (h : ∀ x y : ℤ, f (x + y) = f x + f y) (e : f 1 = 2) : f 1000000000 = 2000000000 ∧ "
        "f (-1000000000) = 0"
    ),
    "six unknowns": ": ∃ a b c d e f : ℤ, a ^ 3 + b ^ 3 + c ^ 3 + d ^ 3 + e ^ 3 + f ^ 3 = 10 ^ 30",
    "eight parameters": (
        "(a b c d e f g h : ℤ) (k : a + b + c + d + e + f + g + h = 10 ^ 9) : "
        "∃ x : ℤ, x * x = a + b + c + d + e + f + g + h"
    ),
    "primes far away": ": ∃ n : ℕ, Nat.Prime (n + 10 ^ 20) ∧ n % 2 = 1 ∧ n > 10 ^ 19",
    "powers of powers": "(a b c d e : ℤ) : ((a + b + c + d + e) ^ 8) ^ 8 ≥ 0 ∧ 7 ∣ ((a + b + c + d + e) ^ 8) ^ 8",
    "high towers": "(a : ℤ) : ((((((((3 * a) ^ 8) ^ 8) ^ 8) ^ 8) ^ 8) ^ 8) ^ 8) ^ 8 ≥ 0",
    "sums of sums": (
        ": ∃ n : ℕ, ∑ i ∈ Finset.range 1999, ∑ j ∈ Finset.range 1999, ∑ k ∈ Finset.range 1999, (i * j * k + n) = 5"
    ),
    "many coins": "(n : ℕ) (h : n > 9) : ∃ a b : ℕ, 1000000007 * a + 1000000009 * b = n",
}


def goal(text: str) -> Goal:
    return opened(parse_statement(f"theorem t {text} := by sorry"))


def taking(name: str) -> FakeChecker:
    """A Lean that takes every plan and closes no goal."""
    declared = Declaration(name=name, kind="theorem", type=None, type_key="", axioms=())
    return FakeChecker(lambda check: Answer(declarations=(declared,)))


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_a_strange_statement_ends_in_an_attempt(text: str) -> None:
    formalisation = Formalisation("t", f"theorem t {text}", "handmade")
    samples = TacticSearch(taking("t")).sample(Request(formalisation, number) for number in (0, 1))
    assert [sample.finish for sample in samples] == [Finish.STOP, Finish.STOP]


def test_what_one_move_can_not_compute_leaves_the_others() -> None:
    given = goal("(f : ℕ → ℕ) (h : 1 = 2 ∨ 2 = 3) : ∃ z : ℕ, z + f = 3")
    with pytest.raises(KeyError):
        list(witnesses(given))
    assert any("rcases h with h | h" in body(plan, lambda _: ["…"]) for plan in moves(given))


def test_an_attempt_computes_so_much_and_no_more() -> None:
    given = goal(STRANGE["six unknowns"])
    assert list(moves(given)) == []
    assert given.effort.left < 0
    with pytest.raises(Tired):
        list(witnesses(given))
    nested = "∑ i ∈ Finset.range 1999, ∑ j ∈ Finset.range 1999, i * j"
    with pytest.raises(Tired):
        computing(read(nested), {}, Effort())({})
    assert computing(read(nested.replace("1999", "9")), {}, Effort())({}) == 36 * 36


def test_points_come_from_the_middle_outward() -> None:
    ranges = [[0, 1, -1, 2, -2], [0, 1, 2], [0, 1, -1]]
    expected = sorted(product(*ranges), key=lambda point: max(map(abs, point)))
    assert list(_outward(ranges)) == expected


def test_primes_are_told_without_trying_all_divisors() -> None:
    small = [number for number in range(-5, 3000) if is_prime(number)]
    assert small == [each for each in range(2, 3000) if all(each % divisor for divisor in range(2, each))]
    assert is_prime(1000000007)
    assert is_prime(10**20 + 39)
    assert not is_prime(3215031751)  # passes for 2, 3, 5 and 7
    with pytest.raises(Unknown):
        is_prime(10**40 + 121)


@pytest.mark.parametrize(
    ("divisor", "is_used"),
    [("7", True), ("1999", True), ("1000000007", False), ("1", False), ("0", False), ("-7", False), ("9", False)],
)
def test_only_small_primes_are_split(divisor: str, is_used: bool) -> None:
    plans = list(divisors.in_product(goal(f"(a b : ℤ) (h : {divisor} ∣ a * b) : {divisor} ∣ a ∨ {divisor} ∣ b")))
    assert bool(plans) is is_used


def test_equations_are_used_at_a_few_arguments_only() -> None:
    text = "(f : ℤ → ℤ) (h : ∀ x y : ℤ, f (x + y) = f x + f y) (e : f 1 = 2) : f {} = 2"
    assert list(functions.uses(goal(text.format(4))))
    assert not list(functions.uses(goal(text.format(1000000000))))
    assert not list(functions.uses(goal(text.format("(-1000000000)"))))


@pytest.mark.parametrize("text", ["((a + b + c + d + e) ^ 8) ^ 8", "((a ^ 8) ^ 8) ^ 8", "(((7 ^ 8) ^ 8) ^ 8) ^ 8 * a"])
def test_large_polynomials_are_none(text: str) -> None:
    with pytest.raises(polynomials.NoPolynomial):
        polynomials.expand(read(text))


@pytest.mark.parametrize(
    "text", [STRANGE["a long number"], STRANGE["a long sum"], STRANGE["deep brackets"], ": 1.5 = 3"]
)
def test_what_is_too_large_is_not_read(text: str) -> None:
    with pytest.raises(NotRead):
        read(text.removeprefix(": "))


@pytest.mark.parametrize(
    ("text", "is_small"),
    [
        ("(8 ^ 7 + 4) % 3 = 0", True),
        ("(Finset.filter (fun m => (m ^ 2 + 4 * m + 1) % 8 = 2) (Finset.Icc 12 159)).card = 0", True),
        ("∑ i ∈ Finset.range 100, i ^ 2 = 328350", True),
        ("((Finset.range 3000).filter (fun n => n % 7 = 3)).card = 428", False),
        ("(Finset.filter (fun n => n % 7 = 3) (Finset.range 3000)).card = 428", False),
        ("∑ i ∈ Finset.range 200, ∑ j ∈ Finset.range 200, i * j = 0", False),
        ("∑ i ∈ Finset.range 200, (Nat.divisors i).card = 0", False),
        ("∀ x < 100000, x % 2 < 2", False),
        ("Nat.totient 1000000 = 400000", False),
        ("Nat.Prime 1000000007", False),
        ("Finset.card (Finset.range (2 ^ 2 ^ 20)) = 0", False),
    ],
)
def test_the_kernel_is_asked_what_is_small(text: str, is_small: bool) -> None:
    assert (work(read(text)) <= MOST) is is_small
    assert bool(by_kernel([read(text)])) is is_small
    offered = {step.tactic for closer in cheap(goal(f": {text}")) for step in closer}  # type: ignore[union-attr]
    assert is_small or "decide +kernel" not in offered
