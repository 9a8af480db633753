"""The Kimina client against our own server, with real Lean behind it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pythagoras.errors import InputError
from pythagoras.lean.backends import open_checker
from pythagoras.lean.pool import Check, Checker, LeanPool, Status
from pythagoras.lean.server.app import ServerSettings, serving
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.verdict import Reason
from pythagoras.lean.verifier import CheckedVerifier, Submission
from pythagoras.lean.wire import Limits


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with (
        LeanPool(1, spare=False) as pool,
        serving(pool, ServerSettings(api_key="secret")) as url,
        open_checker(url, api_key="secret") as running,
    ):
        yield running


def test_right_answers_in_order(checker: Checker) -> None:
    checks = [
        Check(f"theorem t{n} (a : Nat) : a + {n} = {n + n % 2} + a := by\n  omega", "none", names=(f"t{n}",))
        for n in range(4)
    ]
    results = list(checker.check(checks))
    assert [result.check for result in results] == checks
    for number, result in enumerate(results):
        assert result.answer is not None, result.failure
        assert [error.pos.line for error in result.answer.errors] == [2] * (number % 2)
        (declared,) = [d for d in result.answer.declarations if d.name == f"t{number}"]
        assert (declared.kind, "sorryAx" in declared.axioms) == ("theorem", number % 2 == 1)


def test_mathlibs_header_is_what_the_server_makes_of_it(checker: Checker) -> None:
    (result,) = checker.check([Check("theorem t (n : ℕ) (h : Odd n) : Odd (n + 2) := by grind", "mathlib")])
    assert result.answer is not None, result.failure
    assert result.answer.errors == ()


def test_a_header_of_ours_is_the_servers_own_and_not_held_against_the_proof(checker: Checker) -> None:
    statement = parse_statement("theorem t (n : ℕ) (h : Odd n) : Odd (n + 2) := sorry")
    limits = Limits(timeout_s=30, heartbeats=100_000)
    right, wrong = CheckedVerifier(checker, limits=limits).verify(
        [Submission(statement, "by grind"), Submission(statement, "by\n  omega")]
    )
    assert right.verdict is not None, right.failure
    assert right.verdict.proved
    assert wrong.verdict is not None, wrong.failure
    assert wrong.verdict.reason is Reason.LEAN_ERROR
    assert wrong.assembly is not None  # places are counted in what was asked, as everywhere
    assert wrong.assembly.text.splitlines()[wrong.verdict.messages[0].pos.line - 1] == "  omega"


def test_a_time_out(checker: Checker) -> None:
    slow = (
        "set_option maxHeartbeats 0 in\nset_option maxRecDepth 1000000 in\n"
        "theorem t (a b c d e f g : Nat) (h : (a*b+c*d*e+f)^7*(a+g)^5 = (a*g+2*b)^5) :"
        " (a*b*c+d*e*f+g)^5 = (a+b+c+d)^4 := by grind"
    )
    (result,) = checker.check([Check(slow, "none", Limits(timeout_s=1))])
    assert result.status is Status.TIMEOUT


def test_a_wrong_key() -> None:
    with (
        LeanPool(1, spare=False, header="none") as pool,
        serving(pool, ServerSettings(api_key="secret")) as url,
        open_checker(url, api_key="other") as checker,
        pytest.raises(InputError, match="LEAN_SERVER_API_KEY"),
    ):
        list(checker.check([Check("theorem t : True := trivial", "none")]))
