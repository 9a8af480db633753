"""Meanings to Lean: the text, and where casts stand."""

from __future__ import annotations

import pytest

from pythagoras.language.lean_reader import read_lean
from pythagoras.language.lean_writer import term_text, write_lean
from pythagoras.language.meaning import Apply, Bind, Call, Claim, Let, Number, Term, Typed, Variable
from pythagoras.language.reading import NotRead

n, x = Variable("n"), Variable("x")


def goal(term: Term, *variables: Typed) -> str:
    return (
        write_lean(Claim(variables, (), term), "t").partition(" : ")[2] if not variables else _behind(term, variables)
    )


def _behind(term: Term, variables: tuple[Typed, ...]) -> str:
    return write_lean(Claim(variables, (), term), "t").partition(") : ")[2]


def minus(left: Term, right: Term) -> Term:
    return Apply("-", (left, right))


def test_binders_hypotheses_and_long_lines() -> None:
    claim = read_lean("theorem a : ∀ (x y : ℤ) (n : ℕ), x > 0 → y = 2 → x + y = 3 := sorry")
    assert write_lean(claim, "t") == "theorem t (x y : ℤ) (n : ℕ) (h₁ : x > 0) (h₂ : y = 2) : x + y = 3"
    long = Claim(claim.variables, claim.hypotheses * 4, claim.goal)
    assert write_lean(long, "t").splitlines()[1:3] == ["    (x y : ℤ)", "    (n : ℕ)"]


def test_variables_are_cast_where_something_is_subtracted_or_divided() -> None:
    natural = Typed("n", "ℕ")
    assert goal(Apply("=", (Apply("+", (n, Number(1))), Number(5))), natural) == "n + 1 = 5"
    assert goal(Apply("=", (minus(n, Number(1)), Number(5))), natural) == "(n : ℤ) - 1 = 5"
    assert goal(Apply("=", (Apply("/", (n, Number(2))), Number(5))), natural) == "(n : ℚ) / 2 = 5"
    assert goal(Apply("=", (Apply("//", (n, Number(2))), Number(5))), natural) == "n / 2 = 5"
    assert goal(Apply("=", (n, Apply("neg", (Number(5),)))), natural) == "(n : ℤ) = -5"


def test_numerals_say_the_type_where_nothing_else_does() -> None:
    assert goal(Apply("=", (minus(Number(4), Number(7)), Number(5)))) == "(4 : ℤ) - 7 = 5"
    assert goal(Apply("<", (Apply("/", (Number(1), Number(3))), Number(5)))) == "(1 : ℚ) / 3 < 5"
    assert goal(Apply("=", (Apply("^", (Number(2), Number(3))), Number(8)))) == "2 ^ 3 = 8"


def test_exponents_ranges_and_arguments_stay_natural() -> None:
    power = Apply("^", (Number(2), n))
    total = Bind("∑", (Typed("k", "ℕ"),), minus(Variable("k"), Number(3)), Apply("range", (n,)))
    assert (
        goal(Apply("=", (total, minus(power, n))), Typed("n", "ℕ"))
        == "∑ k ∈ Finset.range n, ((k : ℤ) - 3) = 2 ^ n - (n : ℤ)"
    )
    fixed = Bind("∑", total.variables, total.body, Apply("icc", (Number(1), Number(9))))
    # without `1 : ℕ`, Lean would sum over integers
    assert goal(Apply("=", (fixed, Number(0)))) == "∑ k ∈ Finset.Icc (1 : ℕ) 9, ((k : ℤ) - 3) = 0"
    call = Call(Variable("f"), (Apply("+", (n, Number(1))),))
    assert (
        goal(Apply("=", (call, minus(n, Number(3)))), Typed("f", "ℕ → ℤ"), Typed("n", "ℕ")) == "f (n + 1) = (n : ℤ) - 3"
    )


def test_functions_of_integers_have_other_names() -> None:
    whole = Typed("x", "ℤ")
    assert goal(Apply("≡", (x, Number(3), Number(4))), whole) == "x ≡ 3 [ZMOD 4]"
    assert goal(Apply("=", (Apply("gcd", (x, Number(3))), Number(1))), whole) == "Int.gcd x 3 = 1"
    assert goal(Apply("coprime", (x, Number(3))), whole) == "Int.gcd x 3 = 1"
    assert (
        goal(Apply("=", (Apply("%", (minus(n, x), Number(4))), Number(1))), Typed("n", "ℕ"), whole)
        == "((n : ℤ) - x) % 4 = 1"
    )


def test_what_lean_would_read_in_another_way_is_in_parentheses() -> None:
    assert term_text(Apply("neg", (Apply("neg", (Number(1),)),))) == "-(-1)"  # `--` begins a comment
    assert term_text(Call(Variable("f"), (Apply("abs", (x,)),))) == "f (|x|)"
    named = Let(Typed("a", "ℕ"), Number(3), Apply("=", (Apply("neg", (Variable("a"),)), Number(2))))
    assert write_lean(Claim((), (), named), "t").splitlines()[-1] == "    (-(a : ℤ) = 2)"  # else it is taken from 3
    counted = Bind("filter", (Typed("k", "ℕ"),), Apply("=", (x, Variable("k"))), Apply("icc", (Number(1), Number(9))))
    # without `k : ℕ`, Lean would count integers
    assert "fun k : ℕ => x = (k : ℤ)" in goal(Apply("=", (Apply("card", (counted,)), Number(1))), Typed("x", "ℤ"))


@pytest.mark.parametrize(
    "term",
    [
        Apply("prime", (x,)),
        Apply("=", (Apply("^", (Number(2), x)), Number(3))),
        Apply("=", (Apply("%", (Variable("q"), Number(3))), Number(3))),
        Apply("=", (Variable("unknown"), Number(3))),
        Apply("=", (Apply("fib", (x,)), Number(3))),
        Apply("+", (x, Number(3))),
    ],
)
def test_what_can_not_be_cast_is_refused(term: Term) -> None:
    with pytest.raises(NotRead):
        write_lean(Claim((Typed("x", "ℤ"), Typed("q", "ℚ")), (), term), "t")
