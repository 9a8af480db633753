"""Normal texts: one form for what differs trivially, different forms for what differs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus.normal import alpha_key, alpha_text, alpha_words, informal_key, normal_informal

# Each row: ways to write one text.
SAME_INFORMAL: dict[str, tuple[str, ...]] = {
    "case and spacing": ("Find the sum.", "find  the\n\tSUM"),
    "punctuation": ("Let x be even; then, clearly: y.", "let x be even then clearly y"),
    "thousands": ("There are 1,000,000 of them", "There are 1000000 of them", "there are $1{,}000{,}000$ of them"),
    "decimals": ("It costs 0.50 dollars", "it costs 0.5 dollars"),
    "whole decimals": ("3.0 apples", "3 apples", "03 apples"),
    "spelled numbers": ("two of the twenty-one", "2 of the 21", "Two of the twenty one"),
    "dollars": ("If $x+1=2$ then", "If x + 1 = 2 then", r"If \(x + 1 = 2\) then"),
    "fractions": (r"\frac{1}{2} of it", r"\dfrac{1}{2} of it", "1/2 of it", r"$\tfrac{1}{2}$ of it"),
    "braces of one": ("x^{2} + a_{10}", "x^2 + a_10"),
    "superscripts": ("x² + y³", "x^2 + y^3"),
    "signs": (r"a \leq b \cdot c \neq d", "a ≤ b · c ≠ d"),
    "sized brackets": (r"\left( x \right)", "(x)"),
    "text": (r"\text{if } x", "if x"),
    "quotation marks": ("the “sum” of `x`", 'the "sum" of x'),
    "hyphens": ("a non-negative number", "a nonnegative number"),
    "minus": ("x − 1", "x - 1", "x-1"),
    "differences": ("where ad-bc = 1", "where $ad - bc = 1$", "where ad - bc = 1"),
    "compounds": ("a right-angled triangle", "a right angled triangle", "A Right‑Angled Triangle"),
    "counted compounds": ("a 3-digit number", "a three-digit number", "a 3 digit number"),
    "exclamations": ("Explain every step! Do it!", "explain every step. do it"),
    "factorials": ("(n+1)! and n!", "$(n + 1)!$ and $n!$", r"\((n+1)!\) and \(n!\)"),
    "ratios": ("the ratio 3:4", "the ratio 3 : 4", "the ratio $3:4$"),
    "colons": ("The answer is: 5", "the answer is 5"),
    "apostrophes": ("Tom’s 'big' book", "Toms big book"),
    "no digit before the point": ("it is .5", "it is 0.5"),
    "subscripts": ("a₁ + a₂", "a_1 + a_2", "$a_{1}+a_{2}$"),
    "ellipses": (r"1, 2, \ldots, n", "1, 2, ..., n", "1, 2, …, n"),
    "unequal": ("x != y", "x ≠ y", r"$x \neq y$"),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME_INFORMAL)
def test_one_text_has_one_normal_form(case: str) -> None:
    assert len({normal_informal(text) for text in SAME_INFORMAL[case]}) == 1


# Each row: texts that differ, each from each.
DIFFERENT_INFORMAL: dict[str, tuple[str, ...]] = {
    "signs": ("x + 1", "x - 1", "x * 1", "x / 1", "x ^ 1", "x = 1", "x < 1", "x ≤ 1"),
    "numbers": ("10", "100", "1.5", "15", "1"),
    "factorials": ("find n!", "find n"),
    "primes": ("f'(x)", "f(x)"),
    "exponents": ("x^{a+b}", "x^a + b"),
    "lists of numbers": ("1, 234 and 5", "1234 and 5"),
    "one is a pronoun": ("which one", "which 1"),
    "differences of letters": ("ad-bc = 1", "adbc = 1", "ad bc = 1"),
    "differences of numbers and letters": ("2-xy", "2xy", "10-ab", "10ab"),
    "differences of longer names": ("y = cost-price", "y = cost price", "y = costprice"),
    "factorials of brackets": ("(n+1)!", "(n+1)", "(n+1)!!", "$[n+1]!$"),
    "factorials of products": ("xy!", "xy", "$abc!$", "$abc$"),
    "factorials behind braces": ("${n}!$", "${n}$"),
    "ratios": ("3:4", "3,4", "3.4", "34"),
    "ratios of lengths": ("AB: CD = 2", "AB, CD = 2"),
    "decimal points": (".5", "5", "0.05"),
    "ellipses": ("{1, ..., 5}", "{1, 5}"),
    "subscripts": ("a_n", "a n", "an"),
    "unequal": ("x != y", "x = y"),
    "primes of longer names": ("$sin'(x)$", "$sin(x)$", "fg'", "fg"),
    "exponents of products": ("x^{2n}", "x^2n"),
    "powers of fractions": (r"\frac{a}{b}^2", "a/b^2"),
    "fractions below": (r"1/\frac{a}{b}", "1/a/b"),
}


@pytest.mark.parametrize("case", DIFFERENT_INFORMAL)
def test_different_texts_stay_different(case: str) -> None:
    assert len({normal_informal(text) for text in DIFFERENT_INFORMAL[case]}) == len(DIFFERENT_INFORMAL[case])


NAMES = st.sampled_from(["x", "n", "ab", "xy", "2", "17", "(n+1)", "f(x)", "0.5", "2k"])
SIGNS = ["", "+", "-", "*", "/", "^", "=", "<", "≤", ":", "|", "!+", "!-", "'-", "_"]


@given(NAMES, NAMES, st.sampled_from(SIGNS), st.sampled_from(SIGNS), st.sampled_from(["{}", "${}$", "Find {} now."]))
def test_another_sign_is_another_text(left: str, right: str, sign: str, other: str, dress: str) -> None:
    one, two = (normal_informal(dress.format(f"{left}{each}{right}")) for each in (sign, other))
    assert (one == two) == (sign == other)


@given(NAMES, NAMES, st.sampled_from(SIGNS[1:]))
def test_spacing_and_dollars_do_not_show(left: str, right: str, sign: str) -> None:
    glued = f"{left}{sign}{right}"
    spaced = f"{left}{sign} {right}"
    assert len({normal_informal(f"Find {text} .") for text in (glued, spaced, f"${glued}$", f"$ {spaced} $")}) == 1


@given(st.text())
def test_a_normal_text_has_no_odd_blanks_and_is_lower_case(text: str) -> None:
    normal = normal_informal(text)
    assert normal == " ".join(normal.split())
    assert normal == normal.lower()


def test_keys_of_nothing_are_empty() -> None:
    assert informal_key(" . ") == ""
    assert alpha_key("") == ""
    assert informal_key("a") != informal_key("b")


def test_names_and_formatting_do_not_show() -> None:
    one = "theorem a (x y : ℕ) (h : x < y) : ∃ z, ∑ i ∈ Finset.range x, i < z ∧ z ≠ y"
    other = """/-- Says something. -/
    @[simp] lemma b (m : ℕ) -- a number
      (n : ℕ)
      (hmn : m<n) : ∃ k, ∑ j ∈ Finset.range m, j < k /- here -/ ∧ k ≠ n"""
    assert alpha_text(one) == alpha_text(other)
    assert alpha_key(one) == alpha_key(other)
    assert alpha_key(one) != alpha_key(one.replace("x < y", "y < x"))


def test_definitions_before_a_statement_count() -> None:
    statement = "theorem t : answer = 3"
    assert alpha_text(statement, "def answer : ℕ := 1 + 2") == alpha_text(
        statement.replace("answer", "result"), "def result : ℕ := 1 + 2"
    )
    assert alpha_text(statement, "def answer : ℕ := 1 + 2") != alpha_text(statement, "def answer : ℕ := 1")


@pytest.mark.parametrize("text", ["", "theorem", "theorem t", "1 +  x -- sum", ")))", "theorem t : " + "(" * 3000])
def test_no_statement_is_no_error(text: str) -> None:
    assert "\n" not in alpha_text(text)


def test_projections_are_words_of_their_own() -> None:
    words = alpha_words(alpha_text("theorem t (q : ℚ) : (q + 1).den = q.num"))
    assert words[-7:] == ["+", "1", ")", ".den", "=", "#0", ".num"]
