"""One verdict, whichever Lean is asked: the embedded pool, a REPL that tells of declarations or does not, a server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pythagoras.lean.backends import open_checker
from pythagoras.lean.native.checker import NativeChecker
from pythagoras.lean.pool import Checker, LeanPool
from pythagoras.lean.server.app import ServerSettings, serving
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.verdict import Policy, Reason
from pythagoras.lean.verifier import CheckedVerifier, Submission

PROJECT = Path(__file__).parents[2]
REPLS = {
    "our REPL": (sys.executable, "-m", "pythagoras", "lean", "repl"),
    "the community's REPL": (sys.executable, "-m", "tests.lean.community_repl"),
}
# The embedded library has no bodies of theorems, and to an audit they look like axioms: these proofs need none of them.
TRUE = parse_statement("theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := sorry", header="none")
FALSE = parse_statement("theorem f (p q : Prop) (h : p) : p ∧ q := sorry", header="none")
CONTEXT = parse_statement(
    "def both (p q : Prop) := p ∧ q\n\ntheorem c (p q : Prop) (h : p ∧ q) : both p q := sorry", header="none"
)
ANSWER = parse_statement("abbrev a_solution : Prop := sorry\n\ntheorem a : a_solution := sorry", header="none")
FILLED = "abbrev a_solution : Prop := True\ntheorem a : False := ⟨⟩"
SWAPPED = "match h with | ⟨a, b⟩ => ⟨b, a⟩"
CASES = [
    (TRUE, f"by exact {SWAPPED}", Reason.HOLDS),
    (TRUE, f"exact {SWAPPED}", Reason.HOLDS),
    (TRUE, f"theorem aux (p q : Prop) (h : p ∧ q) : q ∧ p := {SWAPPED}\ntheorem t : False := aux _ _ h", Reason.HOLDS),
    (TRUE, f"namespace Mine\ntheorem t : True := {SWAPPED}\nend Mine", Reason.HOLDS),
    (TRUE, "by exact h", Reason.LEAN_ERROR),
    (TRUE, "by sorry", Reason.SORRY),
    (FALSE, "by simp_all", Reason.LEAN_ERROR),
    (
        FALSE,
        'local infixr:36 (priority := high) " ∧ " => fun (a _ : Prop) => a\ntheorem f : True := h',
        Reason.STATEMENT_CHANGED,
    ),
    (FALSE, "variable (no : False)\ninclude no\ntheorem f : False := no.elim", Reason.STATEMENT_CHANGED),
    (FALSE, "axiom cheat : False\ntheorem f : False := cheat.elim", Reason.AXIOM),
    (CONTEXT, ":= h", Reason.HOLDS),
    (CONTEXT, "def both (p q : Prop) := p ∧ q\ntheorem c : True := h", Reason.HOLDS),
    (CONTEXT, "def both (p q : Prop) := p\ntheorem c : True := match h with | ⟨a, _⟩ => a", Reason.STATEMENT_CHANGED),
    (ANSWER, FILLED, Reason.OPEN_ANSWER),
]


@pytest.fixture(scope="module", params=["embedded", *REPLS, "server"])
def checker(request: pytest.FixtureRequest, pool: LeanPool) -> Iterator[Checker]:
    with ExitStack() as stack:
        if request.param == "embedded":
            yield pool
        elif request.param == "server":
            yield stack.enter_context(open_checker(stack.enter_context(serving(pool, ServerSettings()))))
        else:
            yield stack.enter_context(NativeChecker(PROJECT, 1, command=REPLS[request.param], header="none"))


def test_the_same_verdicts_everywhere(checker: Checker) -> None:
    submissions = [Submission(statement, text) for statement, text, _ in CASES]
    judged = list(CheckedVerifier(checker).verify(submissions))
    assert [one.verdict and one.verdict.reason for one in judged] == [reason for _, _, reason in CASES]


def test_an_answer_that_is_permitted(checker: Checker) -> None:
    texts = [FILLED, FILLED.replace("a_solution : Prop", "a_solution : Bool").replace("True\n", "true\n")]
    right, wrong = CheckedVerifier(checker, Policy(answers=True)).verify([Submission(ANSWER, text) for text in texts])
    assert right.verdict is not None
    assert right.verdict.proved
    assert wrong.verdict is not None
    assert not wrong.verdict.proved


def test_what_stands_behind_the_gate_on_other_leans(checker: Checker) -> None:
    """Without the lexical rung, axioms and sorry are found by what Lean reports, not by words."""
    texts = ["axiom cheat : False\ntheorem f : False := cheat.elim", "by stop\n  rfl", "by admit"]
    for judged in CheckedVerifier(checker, Policy(gate=False)).verify([Submission(FALSE, text) for text in texts]):
        assert judged.verdict is not None
        assert judged.verdict.reason in (Reason.AXIOM, Reason.FOREIGN_AXIOM, Reason.SORRY)
