"""Meanings that are too large: readers refuse them, and whatever they do read the rest can work on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythagoras.language import order, spoken
from pythagoras.language.bounds import MOST_LEVELS, MOST_SIGNS, MOST_VARIABLES, TOO_LARGE
from pythagoras.language.english import read_english
from pythagoras.language.lean_reader import read_goal, read_lean
from pythagoras.language.lean_writer import write_lean
from pythagoras.language.meaning import Apply, Claim, Number, Term, Typed, Variable
from pythagoras.language.normal import key, same
from pythagoras.language.reading import NotRead
from pythagoras.language.spoken import say

STACK = 550
"""Calls that must be enough for any work on what a reader gave: Python has 1,000, and whoever calls has used some."""


def nested(before: str, inner: str, behind: str, n: int) -> str:
    return before * n + inner + behind * n


def names(n: int, letter: str = "a") -> str:
    return " ".join(f"{letter}{i}" for i in range(n))


def doubled(n: int) -> str:
    lines = [f"let v{i} : ℕ := {f'v{i - 1} + v{i - 1}' if i else 'x + x'}; " for i in range(n)]
    return "".join(lines) + f"v{n - 1} = 0"


LEAN: dict[str, Callable[[int], str]] = {
    "a long sum": lambda n: f"(x : ℕ) : {' + '.join(['x'] * n)} = {n} * x",
    "a long difference": lambda n: f"(x : ℕ) : {' - '.join(['x'] * n)} = 0",
    "a long product": lambda n: f"(x : ℚ) : {' * '.join(['x'] * n)} = 1",
    "a tower": lambda n: f"(x : ℕ) : {' ^ '.join(['x'] * n)} = 1",
    "brackets": lambda n: f"(x : ℤ) : {nested('(', 'x', ')', n)} = 1",
    "nested sums": lambda n: f"(x : ℤ) : {nested('(1 - ', 'x', ')', n)} = 1",
    "nested signs": lambda n: f"(x : ℤ) : {nested('-(', 'x', ')', n)} = 1",
    "bars": lambda n: f"(x : ℤ) : {nested('|1 + ', 'x', '|', n)} = 1",
    "arrows": lambda n: f"(x : ℕ) : ({'↑' * n}x : ℤ) = 1",
    "casts": lambda n: f"(x : ℕ) : {nested('(↑', 'x', ' : ℚ)', n)} = 1",
    "negations": lambda n: f"(p : Prop) : {'¬ ' * n}p",
    "implications": lambda n: f"(p : Prop) : {' → '.join(['p'] * n)}",
    "equivalences": lambda n: f"(p : Prop) : {nested('(', 'p', ' ↔ p)', n)}",
    "conjunctions": lambda n: f"(x : ℕ) : {' ∧ '.join(['x = 1'] * n)}",
    "unused variables": lambda n: f"({names(n)} : ℕ) : 1 = 1",
    "pairs": lambda n: f"({names(n)} {names(n, 'b')} : ℤ) (h : {' ∧ '.join(f'a{i} < b{i}' for i in range(n))}) : 1 = 1",
    "a cycle": lambda n: f"({names(n)} : ℤ) : {' + '.join(f'(a{i} - a{(i + 1) % n})' for i in range(n))} = 1",
    "quantifiers": lambda n: f": {' '.join(f'∀ a{i} : ℕ, ∃ b{i} : ℕ,' for i in range(n))} 1 = 1",
    "one quantifier": lambda n: f": ∃ {names(n)} : ℕ, a0 = 1",
    "hypotheses": lambda n: f"(x : ℕ) {' '.join(f'(h{i} : x ≥ {i})' for i in range(n))} : x = 1",
    "values that double": lambda n: f"(x : ℕ) : {doubled(n)}",
    "functions that double": lambda n: f"(x : ℕ) : {nested('(fun y => y + y) (', 'x', ')', n)} = 1",
    "compositions": lambda n: f"(f : ℕ → ℕ) (x : ℕ) : ({' ∘ '.join(['f'] * n)}) x = 1",
    "counts": lambda n: f"(x : ℕ) : {nested('((Finset.range 9).filter (fun y => ', 'x', ' = y)).card', n)} = 1",
    "sums over sums": lambda n: f"(x : ℕ) : {nested('∑ k ∈ Finset.range 9, (k + ', 'x', ')', n)} = 1",
    "powers of powers": lambda n: f"(x : ℕ) : {nested('(', '9', ' ^ 12)', n)} - 1 = x",
    "factorials": lambda n: f"(x : ℕ) : 1 = {nested('(', 'x', ')!', n)}",
    "greatest common divisors": lambda n: f"(x : ℕ) : {nested('Nat.gcd x (', 'x', ')', n)} = 1",
    "numerals": lambda n: f"(x : ℕ) : {' * '.join(['9' * 900] * n)} * x = 1",
    "digits": lambda n: f"(x : ℕ) : x = {'9' * n}",
}
ENGLISH: dict[str, Callable[[int], str]] = {
    "a long sum": lambda n: f"Let x be an integer. Prove that {' + '.join(['x'] * n)} = 1.",
    "brackets": lambda n: f"Let x be an integer. Prove that {nested('(1 + ', 'x', ')', n)} = 1.",
    "signs": lambda n: f"Let x be an integer. Prove that {'-' * n}x = 1.",
    "a tower": lambda n: f"Let x be a natural number. Prove that {'^'.join(['x'] * n)} = 1.",
    "fractions": lambda n: "Let x be a rational number. Prove that " + nested("\\frac{", "x", "}{2}", n) + " = 1.",
    "conjunctions": lambda n: f"Let x be an integer. Prove that {' and '.join(['x = 1'] * n)}.",
    "negations": lambda n: f"Let x be an integer. Prove that {nested('it is not true that (', 'x = 1', ')', n)}.",
    "suppositions": lambda n: f"Let x be an integer. {'Suppose that x > 1. ' * n}Prove that x = 2.",
    "variables": lambda n: " ".join(f"Let x_{{{i}}} be an integer." for i in range(n)) + " Prove that 1 = 1.",
    "divisors": lambda n: f"Let x be an integer. Prove that {nested('gcd(2, ', 'x', ')', n)} = 2.",
    "digits": lambda n: f"Let x be an integer. Prove that x = {'9' * n}.",
    "steps": lambda n: f"Ann has 3 apples. {'She buys 2 more apples. ' * n}How many apples does she have?",
    "hyphens": lambda n: "ab-" * n + "!",
}
SIZES = st.one_of(st.integers(1, 70), st.sampled_from((100, 150, 300, 601, 2_000)))


@contextmanager
def small_stack() -> Iterator[None]:
    """Less of the stack than there is in any process."""
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + STACK)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def worked_on(claim: Claim) -> None:
    """All that is done with meanings. NotRead is an answer, but not for want of stack."""
    assert len(key(claim)) == 32
    assert same(claim, claim) is None
    assert refusal(lambda: say(claim)) != TOO_LARGE
    assert refusal(lambda: write_lean(claim, "t")) != TOO_LARGE


def refusal(use: Callable[[], object]) -> str:
    try:
        use()
    except NotRead as error:
        return str(error)
    return ""


@pytest.mark.parametrize("shape", LEAN)
@settings(max_examples=5, deadline=None)
@given(SIZES)
def test_lean_of_any_size_is_read_or_refused(shape: str, n: int) -> None:
    try:
        claim = read_lean(f"theorem t {LEAN[shape](n)}")
    except NotRead:
        return
    worked_on(claim)


@pytest.mark.parametrize("shape", ENGLISH)
@settings(max_examples=5, deadline=None)
@given(SIZES)
def test_english_of_any_size_is_read_or_refused(shape: str, n: int) -> None:
    try:
        claim = read_english(ENGLISH[shape](n))
    except NotRead:
        return
    worked_on(claim)


def largest(read: Callable[[str], Claim], texts: Callable[[int], str]) -> str:
    """The text of the largest size that is read."""
    found = ""
    for n in range(1, 80):
        text = texts(n)
        if refusal(partial(read, text)):
            break
        found = text
    assert found
    return found


@pytest.mark.parametrize("shape", LEAN)
def test_the_largest_that_is_read_needs_little_of_the_stack(shape: str) -> None:
    text = largest(read_lean, lambda n: f"theorem t {LEAN[shape](n)}")
    with small_stack():
        worked_on(read_lean(text))


@pytest.mark.parametrize("shape", [shape for shape in ENGLISH if shape not in ("steps", "hyphens")])
def test_the_largest_english_that_is_read_needs_little_of_the_stack(shape: str) -> None:
    text = largest(read_english, ENGLISH[shape])
    with small_stack():
        worked_on(read_english(text))


@pytest.mark.parametrize(
    ("signature", "why"),
    [
        (LEAN["a long sum"](601), TOO_LARGE),
        (LEAN["values that double"](12), TOO_LARGE),
        (LEAN["functions that double"](12), TOO_LARGE),
        (LEAN["numerals"](6), TOO_LARGE),
        (LEAN["hypotheses"](MOST_SIGNS // 3), TOO_LARGE),
        (LEAN["unused variables"](300), f"more than {MOST_VARIABLES} variables"),
        (LEAN["one quantifier"](MOST_VARIABLES + 1), f"more than {MOST_VARIABLES} variables"),
    ],
)
def test_what_is_too_large_is_refused(signature: str, why: str) -> None:
    with pytest.raises(NotRead, match=why):
        read_lean(f"theorem t {signature}")


def test_goals_and_problems_are_bounded_too() -> None:
    long_sum = " + ".join(["x"] * (MOST_LEVELS + 1))
    for read, text in ((read_goal, f"x : ℕ\n⊢ {long_sum} = 0"), (read_english, ENGLISH["a long sum"](MOST_LEVELS + 1))):
        with pytest.raises(NotRead, match=TOO_LARGE):
            read(text)


def test_what_no_reader_gave_is_refused_rather_than_a_crash() -> None:
    term: Term = Variable("x")
    for _ in range(5_000):
        term = Apply("+", (term, Number(1)))
    claim = Claim((Typed("x", "ℕ"),), (), Apply("=", (term, Number(1))))
    for use in (key, say, lambda one: write_lean(one, "t"), lambda one: same(one, one)):
        with pytest.raises(NotRead, match=TOO_LARGE):
            use(claim)


def test_more_variables_than_letters_are_not_said() -> None:
    with pytest.raises(NotRead, match="more variables than letters"):
        say(Claim(tuple(Typed(f"a{i}", "ℕ") for i in range(120)), (), Apply("true", ())))


# --- work, not time --------------------------------------------------------------------------------


@pytest.fixture
def codes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of the codes that ordering makes."""
    made: list[int] = []
    real = order.claim_code

    def counted(claim: Claim, colours: order.Colours) -> str:
        made.append(len(code := real(claim, colours)))
        return code

    monkeypatch.setattr(order, "claim_code", counted)
    return made


@pytest.mark.parametrize("shape", ["unused variables", "one quantifier"])
def test_variables_that_are_alike_are_ordered_at_once(shape: str, codes: list[int]) -> None:
    key(read_lean(f"theorem t {LEAN[shape](MOST_VARIABLES)}"))
    assert len(codes) <= 6 * MOST_VARIABLES


@pytest.mark.parametrize(("shape", "n"), [("pairs", MOST_VARIABLES // 2), ("a cycle", 25), ("quantifiers", 15)])
def test_ordering_gives_up_in_time(shape: str, n: int, codes: list[int]) -> None:
    key(read_lean(f"theorem t {LEAN[shape](n)}"))
    assert sum(codes) < 1.2 * order.MOST_WORK


def test_alike_variables_are_told_from_others() -> None:
    """Some of many variables are used, in the order of their names or not."""
    first = "(a b c d e f : ℕ) (h : a + b < c) : c < d"
    again = "(a b c d e f : ℕ) (h : f + d < a) : a < b"
    other = "(a b c d e f : ℕ) (h : f + d < a) : b < a"
    one, two, three = (key(read_lean(f"theorem t {signature}")) for signature in (first, again, other))
    assert one == two != three


def test_what_is_inside_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    real = spoken._phrase

    def counted(term: Term) -> str | None:
        nonlocal calls
        calls += 1
        return real(term)

    monkeypatch.setattr(spoken, "_phrase", counted)
    claim = read_lean(f"theorem t {LEAN['counts'](8)}")
    say(claim)
    assert calls < 100
