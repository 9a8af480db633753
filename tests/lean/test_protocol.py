"""The host speaks the community REPL's protocol: `cmd`/`env`, messages, sorries, tactics; states come and go."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lean.conftest import SharedHost


def ask(shared: SharedHost, **request: object) -> Any:
    return shared.living().request(dict(request), 60)


def test_a_true_theorem_has_no_messages_and_a_state(shared: SharedHost) -> None:
    answer = ask(shared, cmd="theorem two : 1 + 1 = 2 := rfl")
    assert set(answer) == {"env"}


def test_messages_carry_severity_and_both_positions(shared: SharedHost) -> None:
    answer = ask(shared, cmd="theorem α : 1 = 1 := rfl\ntheorem no : 1 = 2 := by\n  decide")
    (message,) = answer["messages"]
    assert message["severity"] == "error"
    assert (message["pos"], message["endPos"]) == ({"line": 3, "column": 2}, {"line": 3, "column": 8})
    assert "1 = 2" in message["data"]


def test_info_and_warning_severities(shared: SharedHost) -> None:
    answer = ask(shared, cmd="#check Nat\ntheorem s : 1 = 1 := sorry")
    assert [m["severity"] for m in answer["messages"]] == ["info", "warning"]


def test_parse_errors_are_messages_too(shared: SharedHost) -> None:
    answer = ask(shared, cmd="theorem fine : 1 = 1 := rfl\n/-- never closed")
    (message,) = answer["messages"]
    assert (message["severity"], message["data"]) == ("error", "unterminated comment")


def test_states_build_on_each_other_and_branch(shared: SharedHost) -> None:
    first = ask(shared, cmd="def two := 2")["env"]
    left = ask(shared, cmd="theorem t : two = 2 := rfl", env=first)
    right = ask(shared, cmd="theorem t : two + 0 = 2 := rfl", env=first)  # the same name again: another branch
    assert "messages" not in left
    assert "messages" not in right
    unseen = ask(shared, cmd="theorem u : two = 2 := rfl")
    assert unseen["messages"], "without env the definition is not there"


def test_states_can_be_dropped_and_are_unknown_afterwards(shared: SharedHost) -> None:
    env = ask(shared, cmd="def three := 3")["env"]
    assert ask(shared, drop=[env, 10**6]) == {"dropped": 1}
    assert ask(shared, cmd="#check three", env=env) == {"message": "Unknown environment."}


def test_keep_false_keeps_nothing(shared: SharedHost) -> None:
    before = ask(shared, cmd="def a := 1")["env"]
    assert ask(shared, cmd="def b := 1", keep=False) == {}
    assert ask(shared, cmd="def c := 1")["env"] == before + 1


def test_sorries_give_goal_and_place_for_tactics_and_terms(shared: SharedHost) -> None:
    code = (
        "theorem t (x y : Nat) (k : x < y) : x + 1 ≤ y := by\n  intros\n  sorry\ntheorem u (x : Nat) : x = x := sorry"
    )
    answer = ask(shared, cmd=code)
    tactic, term = answer["sorries"]
    assert tactic["goal"] == "x y : Nat\nk : x < y\n⊢ x + 1 ≤ y"
    assert (tactic["pos"], tactic["endPos"]) == ({"line": 3, "column": 2}, {"line": 3, "column": 7})
    assert term["goal"] == "x : Nat\n⊢ x = x"
    assert term["pos"] == {"line": 4, "column": 31}


def test_all_tactics_give_goals_before_and_constants_used(shared: SharedHost) -> None:
    code = "theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  constructor\n  · exact hp\n  · exact hq"
    answer = ask(shared, cmd=code, allTactics=True)
    tactics = answer["tactics"]
    names = [tactic["tactic"] for tactic in tactics]
    assert names[0] == "constructor"
    assert {"exact hp", "exact hq"} <= set(names)
    assert tactics[0]["goals"] == "p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q"
    assert "And.intro" in tactics[0]["usedConstants"]


def test_imports_work_only_where_the_library_has_the_module(shared: SharedHost) -> None:
    assert "env" in ask(shared, cmd="import Std.Data.HashMap\n#check Std.HashMap")
    missing = ask(shared, cmd="import Mathlib\ntheorem t : 1 = 1 := rfl")
    assert "Mathlib" in str(missing["message"])


@pytest.mark.parametrize("request_", [{}, {"env": 0}, {"tactic": "rfl", "proofState": 0}, {"pickleTo": "x", "env": 0}])
def test_other_requests_are_refused_with_a_word(shared: SharedHost, request_: dict[str, object]) -> None:
    answer = ask(shared, **request_)
    assert set(answer) == {"message"}


def test_definitions_compile_or_not_but_are_accepted(shared: SharedHost) -> None:
    """The library has no code for `++` on lists; a plain file would fail to compile this honest definition."""
    code = (
        "def r : Nat → List Nat\n  | 0 => []\n  | n + 1 => r n ++ [n]\n"
        "theorem r_length (n : Nat) : (r n).length = n := by\n"
        "  induction n with\n  | zero => rfl\n  | succ n ih => simp [r, ih]"
    )
    assert set(ask(shared, cmd=code)) == {"env"}


@pytest.mark.parametrize("code", ["", "-- only a comment", "/- so -/\n  \n", "  \n\n-- x\ntheorem t : 1 = 1 := rfl"])
def test_blanks_and_comments_may_come_first(shared: SharedHost, code: str) -> None:
    base = ask(shared, cmd="def b := 1")["env"]
    assert set(ask(shared, cmd=code)) == set(ask(shared, cmd=code, env=base)) == {"env"}


def test_lines_may_end_as_on_windows(shared: SharedHost) -> None:
    assert set(ask(shared, cmd="theorem t : 1 = 1 := by\r\n  rfl\r\n")) == {"env"}


def test_own_definitions_unfold(shared: SharedHost) -> None:
    answer = ask(shared, cmd="def f : Nat → Nat\n  | 0 => 1\n  | n + 1 => 2 * f n\ntheorem f3 : f 3 = 8 := rfl")
    assert set(answer) == {"env"}
