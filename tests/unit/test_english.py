"""English problems are read for what they mean, or refused."""

from __future__ import annotations

import re
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus.generator.families import FAMILIES
from pythagoras.corpus.generator.generate import Drawn, generate
from pythagoras.language.english import read_english
from pythagoras.language.english_tokens import tokenise
from pythagoras.language.lean_reader import read_lean
from pythagoras.language.meaning import (
    BINDERS,
    SIGNS,
    Apply,
    Bind,
    Call,
    Claim,
    Let,
    Number,
    Term,
    Typed,
    Variable,
)
from pythagoras.language.normal import key, same
from pythagoras.language.reading import NotRead
from pythagoras.language.spoken import say

# --- what texts mean -----------------------------------------------------------------------------
# Expected meanings are written with the sign first, in brackets: `(≥ (^ x 2) 0)`; a binder has its variables behind it,
# `(∃ k:ℕ (= n (* 2 k)))`, and ∑, ∏ and filter then what they run over. `f@n` is f(n).


def meant(variables: str, *claims: str) -> Claim:
    """`x:ℤ y:ℤ`, then hypotheses, then the goal."""
    *hypotheses, goal = (_written(claim) for claim in claims)
    return Claim(tuple(_typed(one) for one in variables.split()), tuple(hypotheses), goal)


def _written(text: str) -> Term:
    words = re.findall(r"[()]|[^\s()]+", text)
    term, rest = _term(words)
    assert not rest
    return term


def _typed(text: str) -> Typed:
    name, kind = text.split(":")
    return Typed(name, kind.replace("→", " → "))


def _term(words: list[str]) -> tuple[Term, list[str]]:
    first, rest = words[0], words[1:]
    if first != "(":
        return Number(int(first)) if first.isdigit() else Variable(first), rest
    sign, rest = rest[0], rest[1:]
    if sign == "let":
        variable, rest = _typed(rest[0]), rest[1:]
        value, rest = _term(rest)
        body, rest = _term(rest)
        return Let(variable, value, body), rest[1:]
    if sign in BINDERS:
        variables = []
        while ":" in rest[0]:
            variables.append(_typed(rest[0]))
            rest = rest[1:]
        domain = None
        if sign in ("∑", "∏", "filter"):
            domain, rest = _term(rest)
        body, rest = _term(rest)
        return Bind(sign, tuple(variables), body, domain), rest[1:]
    args = []
    while rest[0] != ")":
        one, rest = _term(rest)
        args.append(one)
    if sign in SIGNS:
        return Apply(sign, tuple(args)), rest[1:]
    return Call(Variable(sign.rstrip("@")), tuple(args)), rest[1:]


MEANINGS = [
    ("Prove that 2 + 3 = 5.", meant("", "(= (+ 2 3) 5)")),
    ("Let x be an integer. Show that -2x^2 - 3x ≤ 2.", meant("x:ℤ", "(≤ (- (* (neg 2) (^ x 2)) (* 3 x)) 2)")),
    ("Let x be a rational number. Show that -x^2 ≤ 0.", meant("x:ℚ", "(≤ (neg (^ x 2)) 0)")),
    ("Show that x = 1/3 · y + 4/5 for all rational numbers x and y.",
     meant("", "(∀ x:ℚ y:ℚ (= x (+ (* (/ 1 3) y) (/ 4 5))))")),
    ("Let n be a natural number. Show that 90n/(1(6n + 1)) ≥ 0.",
     meant("n:ℕ", "(≥ (/ (* 90 n) (* 1 (+ (* 6 n) 1))) 0)")),
    ("Let x and y be integers and let n be a natural number. Show that (xy)^n = x^n · y^n.",
     meant("x:ℤ y:ℤ n:ℕ", "(= (^ (* x y) n) (* (^ x n) (^ y n)))")),
    ("Let u and v be natural numbers such that u < v. Verify that 2u · v ≥ 0.",
     meant("u:ℕ v:ℕ", "(< u v)", "(≥ (* (* 2 u) v) 0)")),
    ("Let a, b, c ∈ ℤ. Assume a < b, b < c and a > 0. Show that 0 < a < c.",
     meant("a:ℤ b:ℤ c:ℤ", "(< a b)", "(< b c)", "(> a 0)", "(and (< 0 a) (< a c))")),
    ("Show that, for every integer m: if 3 divides m or 5 divides m, then m ≠ 1.",
     meant("m:ℤ", "(or (∣ 3 m) (∣ 5 m))", "(≠ m 1)")),
    ("Given that x > 5 and y = -2, prove that x + y > 3, where x and y are integers.",
     meant("x:ℤ y:ℤ", "(> x 5)", "(= y (neg 2))", "(> (+ x y) 3)")),
    ("If n is an odd integer, show that n^2 is odd.", meant("n:ℤ", "(odd n)", "(odd (^ n 2))")),
    ("For every positive integer n, prove that 2^n is at least n + 1.",
     meant("n:ℕ", "(> n 0)", "(≥ (^ 2 n) (+ n 1))")),
    ("Let p ≥ 3 be a prime. Show that p is odd.", meant("p:ℕ", "(prime p)", "(≥ p 3)", "(odd p)")),
    ("Let x be an integer. Suppose that 2x = 6. Find x, and show that x = 3.",
     meant("x:ℤ", "(= (* 2 x) 6)", "(= x 3)")),
    ("Work out the remainder of 7^5 modulo 10, and prove that 7^5 is congruent to 7 modulo 10.",
     meant("", "(≡ (^ 7 5) 7 10)")),
    ("What is the last digit of 7^5? Show that the answer is 7.", meant("", "(= (% (^ 7 5) 10) 7)")),
    ("Let $n$ be a natural number. Show that $6 \\mid n(n+1)(2n+1)$.",
     meant("n:ℕ", "(∣ 6 (* (* n (+ n 1)) (+ (* 2 n) 1)))")),
    ("Show that $\\frac{1}{2} \\le x_1^{2}$ for all integers $x_1 \\neq 0$.",
     meant("", "(∀ x₁:ℤ (implies (≠ x₁ 0) (≤ (/ 1 2) (^ x₁ 2))))")),
    ("Prove that 17 ≡ 2 (mod 5).", meant("", "(≡ 17 2 5)")),
    ("Let x be an integer. Show that x^2 leaves remainder 0 or 1 when divided by 4.",
     meant("x:ℤ", "(or (= (% (^ x 2) 4) 0) (= (% (^ x 2) 4) 1))")),
    ("Let x be an integer. Show that x^2 never leaves remainder 2 when divided by 4.",
     meant("x:ℤ", "(≠ (% (^ x 2) 4) 2)")),
    ("Let x and y be integers. Show that x and y are not both odd if and only if x · y is even.",
     meant("x:ℤ y:ℤ", "(iff (not (and (odd x) (odd y))) (even (* x y)))")),
    ("Let x and y be integers. Show that neither x nor y is odd, or both x and y are odd, or x + y is odd.",
     meant("x:ℤ y:ℤ", "(or (not (or (odd x) (odd y))) (and (odd x) (odd y)) (odd (+ x y)))")),
    ("Let n be a natural number. Show that n + 1 and n are coprime.", meant("n:ℕ", "(coprime (+ n 1) n)")),
    ("Show that 5n + 1 and 2n leave the same remainder when divided by 3 for every natural number n.",
     meant("", "(∀ n:ℕ (= (% (+ (* 5 n) 1) 3) (% (* 2 n) 3)))")),
    ("Let t be an integer. Suppose that 5t + 1 is 3 times an integer. Show that 3 does not divide t.",
     meant("t:ℤ", "(∃ e:ℤ (= (+ (* 5 t) 1) (* 3 e)))", "(not (∣ 3 t))")),
    ("Let n be a natural number. Show that 2 times the sum of (3k + 1) for k from 0 to n equals (n + 1) · (3n + 2).",
     meant("n:ℕ", "(= (* 2 (∑ k:ℕ (range (+ n 1)) (+ (* 3 k) 1))) (* (+ n 1) (+ (* 3 n) 2)))")),
    ("Show that the sum of 7^i over all natural numbers i below 3, plus 2, equals 59.",
     meant("", "(= (+ (∑ i:ℕ (range 3) (^ 7 i)) 2) 59)")),
    ("Let m be a natural number. Show that the sum of (6k - 2) for k from 0 to m - 1 equals 3m^2 - 5m.",
     meant("m:ℕ", "(= (∑ k:ℕ (range m) (- (* 6 k) 2)) (- (* 3 (^ m 2)) (* 5 m)))")),
    ("Show that the product of k for k from 1 to 4 equals 2 to the power of 3, times the factorial of 2 + 1, minus 24.",
     meant("", "(= (∏ k:ℕ (icc 1 4) k) (- (* (^ 2 3) (factorial (+ 2 1))) 24))")),
    ("Show that 3 times the number of ways to choose 2 out of n + 1 plus 4 is 3n · (n + 1)/2 + 4, where n is a natural "
     "number.", meant("n:ℕ", "(= (+ (* 3 (choose (+ n 1) 2)) 4) (+ (/ (* (* 3 n) (+ n 1)) 2) 4))")),
    ("Show that the greatest common divisor of 4s and 6 divides the least common multiple of s and 2 for every natural "
     "number s.", meant("", "(∀ s:ℕ (∣ (gcd (* 4 s) 6) (lcm s 2)))")),
    ("Show that the digits of 105 in base 4 are 1, 2, 2, 1, the least significant first.",
     meant("", "(= (digits 4 105) (list 1 2 2 1))")),
    ("Show that the sum of the digits of 28^2 is 19.", meant("", "(= (list_sum (digits 10 (^ 28 2))) 19)")),
    ("Show that there is exactly one natural number p such that p ≤ 99, 2 times its tens digit plus its units digit is "
     "3 and p > 20.",
     meant("", "(∃! p:ℕ (and (≤ p 99) (= (+ (* 2 (// p 10)) (% p 10)) 3) (> p 20)))")),
    ("Show that there are exactly 3 natural numbers n from 2 to 9, both included, such that 3 divides n.",
     meant("", "(= (card (filter n:ℕ (icc 2 9) (∣ 3 n))) 3)")),
    ("Show that the number of natural numbers n from 2 to 9, both included, such that 3 divides n and 2 divides n, is "
     "1.",
     meant("", "(= (card (filter n:ℕ (icc 2 9) (and (∣ 3 n) (∣ 2 n)))) 1)")),
    ("Show that the sum of d^2 over all positive divisors d of 6 is 50 and the number of odd positive divisors of 6 is "
     "2.",
     meant("", "(and (= (∑ d:ℕ (divisors 6) (^ d 2)) 50) (= (card (filter k:ℕ (divisors 6) (odd k))) 2))")),
    ("Show that the number of natural numbers below 9 that are coprime to 9 is 6.", meant("", "(= (totient 9) 6)")),
    ("Show that 6 is the least natural number x with x > 5 that has exactly 4 positive divisors.",
     meant("", "(least (set x:ℕ (and (> x 5) (= (card (divisors x)) 4))) 6)")),
    ("Show that -9/4 is the least value that x^2 - 3x takes for rational numbers x.",
     meant("", "(least (set y:ℚ (∃ x:ℚ (= y (- (^ x 2) (* 3 x))))) (/ (neg 9) 4))")),
    ("Let f be a function from the natural numbers to the integers such that f(0) = 3 and f(n + 1) = 2f(n)^2 - 1 for "
     "every natural number n. Show that f(2) = 577.",
     meant("f:ℕ→ℤ", "(= (f@ 0) 3)", "(∀ n:ℕ (= (f@ (+ n 1)) (- (* 2 (^ (f@ n) 2)) 1)))", "(= (f@ 2) 577)")),
    ("Let g be a function from the natural numbers to the natural numbers. Suppose that the sum of g(k) over all "
     "natural numbers k below 6 is 70. Show that g(k) ≥ 12 for some k < 6.",
     meant("g:ℕ→ℕ", "(= (∑ k:ℕ (range 6) (g@ k)) 70)", "(∃ k:ℕ (and (< k 6) (≥ (g@ k) 12)))")),
    ("Show that the function from the integers to the integers that sends x to 3x - 1 is injective.",
     meant("", "(injective (fun x:ℤ (- (* 3 x) 1)))")),
    ("Let P and Q be properties of integers. Suppose that (it is not true that (for every integer x, (P(x) implies "
     "(not Q(x))))) and (there is an integer x with P(x)). Show that there is an integer x with (P(x) and Q(x)).",
     meant("P:ℤ→Prop Q:ℤ→Prop", "(not (∀ x:ℤ (implies (P@ x) (not (Q@ x)))))", "(∃ x:ℤ (P@ x))",
           "(∃ x:ℤ (and (P@ x) (Q@ x)))")),
    ("Let p and q be propositions such that p and ((not q) implies (not p)). Show that q or (not p).",
     meant("p:Prop q:Prop", "p", "(implies (not q) (not p))", "(or q (not p))")),
    ("Prove that, for every natural number n, F(n + 2) = F(n + 1) + F(n), where F(0) = 0, F(1) = 1, F(2) = 1 and so on "
     "are the Fibonacci numbers.", meant("n:ℕ", "(= (fib (+ n 2)) (+ (fib (+ n 1)) (fib n)))")),
    ("Show that the sum of k over all natural numbers k below F(4) is 3, where F(0) = 0, F(1) = 1, F(2) = 1 and so on "
     "are the Fibonacci numbers.", meant("", "(= (∑ k:ℕ (range (fib 4)) k) 3)")),
    ("Show that (the remainder of (the number of natural numbers n below 9 such that (n is odd)) on division by 3) + 1 "
     "= 2.", meant("", "(= (+ (% (card (filter n:ℕ (range 9) (odd n))) 3) 1) 2)")),
    ("Show that for every natural number x there is a natural number y such that y > x and y is prime.",
     meant("", "(∀ x:ℕ (∃ y:ℕ (and (> y x) (prime y))))")),
    ("Let u be an integer. Show that there are integers x and y with 4x - 6y = u if and only if 2 divides u.",
     meant("u:ℤ", "(iff (∃ x:ℤ y:ℤ (= (- (* 4 x) (* 6 y)) u)) (∣ 2 u))")),
    ("Show that there are rational numbers h and k such that, for every rational number s, s^2 - 4s = (s + h)^2 + k.",
     meant("", "(∃ h:ℚ k:ℚ (∀ s:ℚ (= (- (^ s 2) (* 4 s)) (+ (^ (+ s h) 2) k))))")),
    ("Show that n = 2 or n = 3 or n ≠ 2 for all integers n.",
     meant("", "(∀ n:ℤ (or (= n 2) (= n 3) (≠ n 2)))")),
    ("Let x and y be integers. Show that at least one of x and y is even if x · y is even and x + y = 5.",
     meant("x:ℤ y:ℤ", "(implies (and (even (* x y)) (= (+ x y) 5)) (or (even x) (even y)))")),
    ("Put total = 3 · 16 and bill = total - 6, where total is a natural number and bill is an integer. Prove that "
     "bill = 42.", meant("", "(let total:ℕ (* 3 16) (let bill:ℤ (- total 6) (= bill 42)))")),
    ("Hugo buys 3 pens at 16 coins each and 2 caps at 37 coins each. What does Hugo pay in total, in coins? Show that "
     "the answer is 122.",
     meant("", "(let cost_of_pens:ℕ (* 3 16) (let cost_of_caps:ℕ (* 2 37) "
               "(let total:ℕ (+ cost_of_pens cost_of_caps) (= total 122))))")),
    ("On Monday Yuki has 95 shells. On Tuesday Yuki gets 29 more. On Wednesday Yuki loses half of them. Show that the "
     "answer to the following question is 62: how many shells does Yuki have on Wednesday?",
     meant("", "(let monday:ℕ 95 (let tuesday:ℕ (+ monday 29) (let wednesday:ℕ (// tuesday 2) (= wednesday 62))))")),
    ("Oskar is 5 times as old as Tomas. In 3 years Oskar will be 4 times as old as Tomas. All ages are natural numbers "
     "of years. Write x for the age of Oskar, y for the age of Tomas. Show that x = 45 and y = 9.",
     meant("x:ℕ y:ℕ", "(= x (* 5 y))", "(= (+ x 3) (* 4 (+ y 3)))", "(and (= x 45) (= y 9))")),
    ("Lena cycles x kilometres at 40 kilometres an hour and comes back the same way at 60 kilometres an hour, where x "
     "is a positive rational number. Show that the average speed over both ways, the whole distance divided by the "
     "whole time, is 48 kilometres an hour.",
     meant("x:ℚ", "(> x 0)", "(let time_out:ℚ (/ x 40) (let time_back:ℚ (/ x 60) "
                             "(let average:ℚ (/ (* 2 x) (+ time_out time_back)) (= average 48))))")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "claim"), MEANINGS, ids=[text[:50] for text, _ in MEANINGS])
def test_a_text_means(text: str, claim: Claim) -> None:
    assert read_english(text) == claim


@pytest.mark.parametrize(
    ("words", "sign"),
    [
        ("is", "="),
        ("equals", "="),
        ("is equal to", "="),
        ("is not", "≠"),
        ("is not equal to", "not ="),
        ("does not equal", "≠"),
        ("is different from", "≠"),
        ("is less than", "<"),
        ("is smaller than", "<"),
        ("is at most", "≤"),
        ("is less than or equal to", "≤"),
        ("does not exceed", "≤"),
        ("is greater than", ">"),
        ("is larger than", ">"),
        ("exceeds", ">"),
        ("is at least", "≥"),
        ("is greater than or equal to", "≥"),
        ("divides", "∣"),
        ("is a divisor of", "∣"),
        ("does not divide", "not ∣"),
        ("is coprime to", "coprime"),
    ],
)
def test_relations_in_words(words: str, sign: str) -> None:
    plain = f"({sign.removeprefix('not ')} x 7)"
    goal = f"(not {plain})" if sign.startswith("not ") else plain
    assert read_english(f"Let x be an integer. Show that x {words} 7.") == meant("x:ℤ", goal)


# --- what is refused -----------------------------------------------------------------------------

REFUSED = [
    ("", "no text"),
    ("Let x be an integer.", "nothing is claimed"),
    ("Prove that x = 3.", "x is used, but not introduced"),
    ("Let x be a real number. Show that x = x.", 'at "real number'),
    ("Let x be an integer. Let x be a natural number. Show that x = x.", "introduced twice"),
    ("Prove that there are infinitely many primes.", 'at "infinitely many'),
    ("Let x be an integer. Prove quickly that x = x.", 'at "quickly that x'),
    ("Let x be an integer. Suppose that 2x = 6. Find 5x, and show that x = 3.", "to be found"),
    ("Let x be a rational number. Show that 1/2x = x.", "brackets are missing"),
    ("Let x be an integer. Show that 3 times x + 1 = x.", "brackets are missing"),
    ("Let n be an integer. Show that n = 1 and n = 2 or n = 3.", "mixed without brackets"),
    ("Let n be an integer. Show that it is not true that n = 1 and n = 2.", "brackets are missing"),
    ("Let p, q and r be propositions. Show that p implies q implies r.", "brackets are missing"),
    ("Let n be a natural number. Show that 2^(n - 1) ≤ 2^n.", "need not be: n - 1"),
    ("Let n be a natural number. Show that 2^2n = 4^n.", "where the exponent ends"),
    ("Let x be a rational number. Show that x is even.", "integers only"),
    ("Let x be a rational number. Show that 3 divides x.", "integers only"),
    ("Let p be a proposition. Show that p + 1 = 2.", "p stands where a number is expected"),
    ("Let n be an integer. Show that n.", "expected what is said"),
    ("Let x be an integer. Show that for every integer x, x = x.", "introduced twice"),
    ("Show that g(k) ≥ 12 for some k < 6.", "of which kind k is"),
    ("Prove that F(3) = 2, where F(0) = 1 and F(1) = 1.", "at"),
    ("Prove that the Fibonacci number F(3) is 2, where F(0) = 1 and F(1) = 1.", "at"),
    ("Prove that 5 % 3 = 2.", "sign that can't be read"),
    ("On Monday Yuki has 95 shells. On Tuesday Yuki loses half of them. How many shells does Yuki have on Tuesday? "
     "Prove that it is 47.", "divides by 2"),
    ("On Monday Yuki has 5 shells. On Tuesday Yuki gives 6 away. How many shells does Yuki have on Tuesday? Prove that "
     "it is 0.", "takes away more"),
    ("A choir has 10 singers. Half of the singers are altos, the others are basses. How many tenors are there in the "
     "choir? Prove that it is 5.", "not told"),
    ("Oskar is 5 years older than Tomas. Together they are 9 years old. All ages are natural numbers of years. Write x "
     "for the age of Oskar. Show that x = 7.", "has a letter"),
    ("The cat sat on the mat.", "neither a known sentence"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "why"), REFUSED, ids=[text[:50] for text, _ in REFUSED])
def test_a_text_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(NotRead) as refused:
        read_english(text)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["Prove that " + "(" * 2000, "Prove that " + "1 + " * 3000 + "1 = 0.", "((" * 500])
def test_what_is_too_deep_is_refused(text: str) -> None:
    with pytest.raises(NotRead):
        read_english(text)


def test_what_would_double_the_time_with_each_level_is_refused_in_time() -> None:
    inside = "p and the number of natural numbers x from 1 to 2 such that " * 40
    with pytest.raises(NotRead):
        read_english(f"Prove that {inside} p is 3.")


# --- the generator's texts -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def drawn() -> list[Drawn]:
    """Three of each family and level, some of them false."""
    return list(generate(len(FAMILIES) * 3 * 3, 11, false_share=0.3))


def test_every_family_is_read_and_means_what_its_lean_says(drawn: list[Drawn]) -> None:
    assert {one.formalisation.provenance.maker for one in drawn} == set(FAMILIES)
    for one in drawn:
        difference = same(read_english(one.problem.text), read_lean(one.formalisation.text))
        assert difference is None, f"{one.problem.text}\n{one.formalisation.text}\n{difference}"


def test_what_is_said_is_read_again(drawn: list[Drawn]) -> None:
    for one in drawn:
        claim = read_english(one.problem.text)
        assert same(read_english(say(claim)), claim) is None, say(claim)


def _is_story(text: str) -> bool:
    return "coins" in text or "kilometres" in text or " has " in text or " old" in text


def test_an_unknown_word_or_sentence_is_never_passed_over(drawn: list[Drawn]) -> None:
    rng = Random(3)
    for one in drawn:
        text = one.problem.text
        for changed in (f"{text} The moon is full.", f"The sky is blue. {text}"):
            with pytest.raises(NotRead):
                read_english(changed)
        if _is_story(text):  # there things may have any name
            continue
        spans = tokenise(text).spans
        for at in rng.sample(range(len(spans)), 4):
            with pytest.raises(NotRead):
                read_english(f"{text[: spans[at][0]]} zork {text[spans[at][0] :]}")


def test_a_changed_number_changes_the_meaning(drawn: list[Drawn]) -> None:
    rng = Random(4)
    changed = refused = 0
    for one in drawn:
        tokens = tokenise(one.problem.text)
        numerals = [at for at, word in enumerate(tokens.words) if word.isdigit()]
        before = key(read_english(one.problem.text))
        for at in rng.sample(numerals, min(2, len(numerals))):
            start, end = tokens.spans[at]
            text = f"{tokens.text[:start]}{int(tokens.words[at]) + rng.randint(1, 9)}{tokens.text[end:]}"
            try:
                meaning = read_english(text)
            except NotRead:
                refused += 1
                continue
            changed += 1
            assert key(meaning) != before, text
    assert changed > 10 * refused


# --- anything at all -----------------------------------------------------------------------------

_WORDS = st.sampled_from(
    sorted({word for text, _ in MEANINGS for word in re.findall(r"\w+|[^\w\s]", text)} | {"zork", "\\frac{1}", "∀"})
)


@given(st.lists(_WORDS, max_size=30))
def test_word_salad_is_read_or_refused_and_nothing_else(words: list[str]) -> None:
    for text in (" ".join(words), f"Prove that {' '.join(words)}.", f"Let {' '.join(words)}. Show that x = 1."):
        with suppress(NotRead):
            read_english(text)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    with suppress(NotRead):
        read_english(text)


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(0, 50))
def test_numbers_are_read_as_they_are(a: int, b: int, c: int) -> None:
    claim = read_english(f"Let x be an integer such that x = {a}. Show that x + ({b}) ≠ {c}.")
    assert claim == meant("x:ℤ", f"(= x {_signed(a)})", f"(≠ (+ x {_signed(b)}) {c})")


def _signed(value: int) -> str:
    return str(value) if value >= 0 else f"(neg {-value})"
