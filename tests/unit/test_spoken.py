"""Meanings to English: fixed words that are read as what they say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from pythagoras.corpus.generator.families import FAMILIES
from pythagoras.corpus.generator.family import LEVELS
from pythagoras.corpus.generator.generate import generate
from pythagoras.language.english import read_english
from pythagoras.language.lean_reader import read_lean
from pythagoras.language.meaning import Claim
from pythagoras.language.normal import same
from pythagoras.language.reading import NotRead
from pythagoras.language.spoken import say
from tests.meanings import claims


def said(signature: str) -> str:
    return say(read_lean(f"theorem t {signature} := sorry"))


def test_every_statement_of_the_generator_is_said_and_read_again() -> None:
    for drawn in generate(len(FAMILIES) * len(LEVELS), 19, false_share=0.3):
        claim = read_lean(drawn.formalisation.text)
        assert same(claim, read_english(say(claim))) is None, say(claim)


@settings(max_examples=150, deadline=None)
@given(claims())
def test_what_is_said_is_read_as_what_it_was(claim: Claim) -> None:
    assert same(claim, read_english(say(claim))) is None, say(claim)


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        (
            "(x y : ℤ) (n : ℕ) (h : 2 * x - 3 * y ^ 2 = -6) : x ≡ 3 [ZMOD 4]",
            "Let x and y be integers and let n be a natural number. Suppose that 2x - 3y^2 = -6. "
            "Prove that x is congruent to 3 modulo 4.",
        ),
        (
            "(f : ℕ → ℤ) (h : f 0 = 1) (g : ∀ n : ℕ, f (n + 1) = -3 * f n) : f 2 = 9",
            "Let f be a function from the natural numbers to the integers. Suppose that f(0) = 1 and "
            "f(n + 1) = -3f(n) for every natural number n. Prove that f(2) = 9.",
        ),
        (
            "(p q r : Prop) : p ∧ (q ∨ ¬r) ↔ (p → q)",
            "Let p, q and r be propositions. Prove that (p and (q or (not r))) if and only if (p implies q).",
        ),
        (
            ": ¬ ∃ a b : ℤ, 2 * (a + b) = 7",
            "Prove that it is not true that (there are integers a and b such that 2(a + b) = 7).",
        ),
        (
            ": let total : ℕ := 3 * 16; let half : ℕ := total / 2; half = 24",
            "Put total = 3 · 16 and half = (the integer part of total/2), where total and half are natural numbers. "
            "Prove that half = 24.",
        ),
        (
            "(n : ℕ) : 2 * ∑ k ∈ Finset.range n, (k : ℚ) / 2 = n ∧ Nat.gcd n 4 = 2",
            "Let n be a natural number. Prove that 2 · (the sum of (k/2) over all natural numbers k below n) = n and "
            "the greatest common divisor of n and 4 is 2.",
        ),
        (
            "(n : ℕ) : Nat.fib n = n !",
            "Let n be a natural number. Prove that F(n) = n!, where F(0) = 0, F(1) = 1, F(2) = 1 and so on are the "
            "Fibonacci numbers.",
        ),
        ("(rows : ℕ) : rows = 2", "Let r be a natural number. Prove that r = 2."),
        (
            "(c x_1 : ℕ) : let cost_of_melons : ℕ := 3 * c; let all_items : ℕ := cost_of_melons + x_1; all_items = 24",
            "Let c and x be natural numbers. Put y = 3c and z = y + x, where y and z are natural numbers. "
            "Prove that z = 24.",
        ),
        (": ∃ a_b : ℕ, a_b = 2", "Prove that there is a natural number x such that x = 2."),
    ],
)
def test_words(signature: str, words: str) -> None:
    assert said(signature) == words


@pytest.mark.parametrize(
    "signature",
    [
        "(x y z : ℚ) : x - (y - z) = x / (y * z) - x / y * z",
        "(x y : ℤ) : x * -y = -(x * y) ∧ (-x) ^ 2 = x ^ 2 ∧ -x ^ 2 = 3",
        "(x y : ℤ) : x - -3 = |x - 2| * 2",
        "(a n : ℕ) : (2 * a) ^ n = 2 ^ (a * n) ∧ 2 * 3 ^ n = 2 * 3 * a",
        "(x : ℤ) : IsLeast {y : ℤ | y > x ∨ y > 3} 5 ∨ x = 2",
        "(x : ℕ) : ((Finset.Icc 1 9).filter (fun k => k ∣ x ∧ Even k)).card = 2 ∧ x = 2",
    ],
)
def test_brackets_keep_the_meaning(signature: str) -> None:
    claim = read_lean(f"theorem t {signature} := sorry")
    assert same(claim, read_english(say(claim))) is None, say(claim)


@pytest.mark.parametrize("signature", ["(f : ℕ → ℕ → ℕ) : f 1 2 = 3", "(F n : ℕ) : Nat.fib n = F"])
def test_what_there_are_no_words_for(signature: str) -> None:
    with pytest.raises(NotRead):
        said(signature)
