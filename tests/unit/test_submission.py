"""What Lean is asked about a submission: blocks of completions, files, proof bodies; nothing here needs Lean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.lean.statements import parse_statement
from pythagoras.lean.submission import Assembly, lean_block, prepare
from pythagoras.lean.verdict import Policy, Reason, Refusal, Rung

STATEMENT = parse_statement("theorem t (n : ℕ) (h : n > 3) : n ≥ 2 := by sorry")
OURS = "theorem t (n : ℕ) (h : n > 3) : n ≥ 2 "
STANDARD = Policy()


def assembled(text: str, policy: Policy = STANDARD) -> str:
    made = prepare(STATEMENT, text, policy)
    assert isinstance(made, Assembly), made
    assert made.text[made.proof_start :].lstrip().startswith((":=", "|"))
    return made.text


# --- completions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("completion", "lean"),
    [
        ("by omega", "by omega"),
        ("Plan.\n```lean4\nby omega\n```\nDone.", "by omega\n"),
        ("```lean\nfirst\n```\nthen\n```lean4\nsecond\n```", "second\n"),
        ("```lean4\nkept\n```\n```python\nprint()\n```", "kept\n"),
        ("```lean4\nby\n  omega", "by\n  omega\n"),
        ("```\nuntagged\n```", "untagged\n"),
        ("```\nuntagged\n```\n```lean4\ntagged\n```\n```\nlater\n```", "tagged\n"),
        ("````lean4\n/-- ```\nquoted\n``` -/\nby simp\n````", "/-- ```\nquoted\n``` -/\nby simp\n"),
        ("  ```Lean4\n  by simp\n  ```", "  by simp\n"),
        ("### Complete Lean 4 Proof\n\n```lean4\nby ring```", "by ring```\n"),
    ],
)
def test_the_last_lean_block_counts(completion: str, lean: str) -> None:
    assert lean_block(completion) == lean


def test_a_block_with_the_theorem_goes_before_a_later_one_without() -> None:
    completion = "```lean4\ntheorem X.t : A := a\n```\nThis uses\n```lean4\n#check foo\n```"
    assert lean_block(completion, "X.t") == "theorem X.t : A := a\n"
    assert lean_block(completion, "X.u") == "#check foo\n"


@pytest.mark.parametrize(
    "theirs", ["theorem foo : A := a", "theorem X.foo : A := a", "namespace X\ntheorem foo : A := a\nend X"]
)
def test_a_statement_in_a_namespace(theirs: str) -> None:
    statement = parse_statement("namespace X\n\ntheorem foo : 1 = 1 := sorry\n\nend X")
    made = prepare(statement, theirs, STANDARD)
    assert isinstance(made, Assembly)
    assert made.name == "X.foo"


@given(st.text(alphabet="ab`\n lean4", max_size=60))
def test_any_completion_has_a_block(completion: str) -> None:
    lean_block(completion)


# --- assembly ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("by omega", f"{OURS}:=\nby omega"),
        (":= by omega", f"{OURS}:= by omega"),
        ("omega", f"{OURS}:= by\n  omega\n"),
        ("  intro x\n  omega\n", f"{OURS}:= by\n    intro x\n    omega\n"),
        ("intro x\n  omega", f"{OURS}:= by\n    intro x\n    omega\n"),
        ("fun x => x", f"{OURS}:=\nfun x => x"),
        ("theorem t : True := trivial", f"{OURS}:= trivial"),
        ("/-- d -/ @[simp] private lemma t : True := by\n  omega", f"{OURS}:= by\n  omega"),
        ("theorem t : Nat → Nat\n  | 0 => a\n  | _ => b", f"{OURS}| 0 => a\n  | _ => b"),
        ("open Nat in\ntheorem t : True := x", f"open Nat in\n{OURS}:= x"),
        (
            "lemma aux : A := a\n\ntheorem t : B := b\n\nlemma z : C := c",
            f"lemma aux : A := a\n\n{OURS}:= b\n\nlemma z : C := c",
        ),
        ("theorem t : let y := 2; y = 2 := rfl", f"{OURS}:= rfl"),
    ],
)
def test_our_statement_takes_the_place_of_theirs(text: str, asked: str) -> None:
    assert assembled(text) == asked


def test_imports_go_and_what_is_open_stays() -> None:
    text = "import Mathlib\nimport Aesop\nset_option maxHeartbeats 400000\nopen Nat\ntheorem t : X := by omega"
    assert assembled(text).split() == f"set_option maxHeartbeats 400000 open Nat {OURS} := by omega".split()


def test_the_target_is_the_theorem_and_not_its_name_in_a_comment_or_string() -> None:
    for fake in ("-- theorem t : X := by omega\n", "/- theorem t : X := x -/\n", 'def s := "theorem t : X := x"\n'):
        made = prepare(STATEMENT, fake, STANDARD)
        assert not isinstance(made, Assembly) or OURS + ":= x" not in made.text


def test_a_namespace_is_part_of_the_name() -> None:
    made = prepare(STATEMENT, "namespace Foo\ntheorem t : X := x\nend Foo", STANDARD)
    assert isinstance(made, Assembly)
    assert made.name == "Foo.t"


def test_a_context_is_not_said_twice() -> None:
    statement = parse_statement("def f (n : ℕ) := n + 1\n\ntheorem t : f 1 = 2 := sorry")
    repeated = prepare(statement, "def f (n : ℕ) := n + 1\ntheorem t : f 1 = 2 := rfl", STANDARD)
    alone = prepare(statement, "rfl", STANDARD)
    other = prepare(statement, "lemma x : True := trivial\ntheorem t : f 1 = 2 := rfl", STANDARD)
    for made in (repeated, alone, other):
        assert isinstance(made, Assembly)
        assert made.text.count("def f") == 1


@pytest.mark.parametrize("text", ["", "   ", "-- todo", "by", ":= by", ":=", "theorem t : X", "theorem other : X := x"])
def test_no_proof_is_no_proof(text: str) -> None:
    refusal = prepare(STATEMENT, text, STANDARD)
    assert isinstance(refusal, Refusal)
    assert (refusal.rung, refusal.reason) == (Rung.ASSEMBLED, Reason.NO_PROOF)


def test_an_open_answer_needs_a_policy() -> None:
    statement = parse_statement("abbrev t_solution : ℕ := sorry\n\ntheorem t : t_solution = 2 := sorry")
    filled = "abbrev t_solution : ℕ := 2\ntheorem t : t_solution = 2 := rfl"
    refusal = prepare(statement, filled, STANDARD)
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.OPEN_ANSWER
    made = prepare(statement, filled, Policy(answers=True))
    assert isinstance(made, Assembly)
    assert made.text.count("abbrev") == 1


def test_the_gate_comes_first_and_can_be_left_out() -> None:
    refusal = prepare(STATEMENT, "by native_decide", STANDARD)
    assert isinstance(refusal, Refusal)
    assert (refusal.rung, refusal.reason) == (Rung.LEXICAL, Reason.COMPILER)
    assert isinstance(prepare(STATEMENT, "by native_decide", Policy(compiler=True)), Assembly)
    assert isinstance(prepare(STATEMENT, "by native_decide", Policy(gate=False)), Assembly)


# --- the paper's rule --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("by omega", True),
        ("theorem t (n : ℕ)\n    (h : n > 3) : n ≥ 2 := by omega", True),
        ("theorem t (n : ℕ) : n ≥ 2 := by omega", False),
        ("-- theorem t (n : ℕ) (h : n > 3) : n ≥ 2\ntheorem t : True := trivial", True),  # that is the hole in it
        ("theorem t (n : ℕ) (h : n > 3) : n ≥ 2 := by admit", False),
        ("theorem t (n : ℕ) (h : n > 3) : n ≥ 2 := by omega -- sorry", True),
    ],
)
def test_the_papers_rule_is_textual(text: str, passes: bool) -> None:
    made = prepare(STATEMENT, text, Policy(gate=False))
    assert isinstance(made, Assembly)
    assert made.paper_rule is passes
