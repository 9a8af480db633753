"""What later rounds ask for: Goedel-Prover's turn to the letter, holes in refused proofs, and what fills them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pythagoras.corpus.records import Formalisation, Judgement, Remark, statement_of
from pythagoras.evaluate.running.holes import LONGEST_PROOF, filled, hole
from pythagoras.evaluate.running.protocols import Part
from pythagoras.evaluate.running.repair import next_request, reply
from pythagoras.generate.sampler import Hole
from pythagoras.lean.submission import Assembly, prepare
from pythagoras.lean.verdict import STANDARD, Reason

GOAL = Formalisation("t", "theorem t (p q : Prop) (n m : ℕ) (hp : p) (h : n < m) : p ∧ n + 1 ≤ m", "made")
UNSOLVED = "unsolved goals\nn m : ℕ\nh : n < m\n⊢ n + 1 ≤ m"
MISMATCH = "Type mismatch\n  hq\nhas type\n  q\nbut is expected to have type\n  n + 1 ≤ m"


def refused(proof: str, *errors: Remark, goal: Formalisation = GOAL, before: str = "") -> Judgement:
    return Judgement("s", "rejected", "lean_error", checked=f"{before}{goal.text} := {proof}", remarks=errors)


def error(
    proof: str, mark: str, text: str, *, ends: bool = True, before: str = "", goal: Formalisation = GOAL
) -> Remark:
    """An error at the first place in the proof that says `mark`."""
    whole = f"{before}{goal.text} := {proof}"
    start = whole.index(mark, len(before) + len(goal.text))
    (line, column), (end_line, end_column) = (_position(whole, at) for at in (start, start + len(mark)))
    return Remark("error", line, column, text, end_line if ends else None, end_column if ends else None)


def _position(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1)


# --- the conversation ----------------------------------------------------------------------------

GOLDEN = """\
The proof (Round 2) is not correct. Following is the compilation error message, where we use <error></error> to signal \
the position of the error.


Error 1:

Corresponding Code:
```lean4
theorem t : 𝕜 := by
  one
  <error>two</error> -- é
  three

```

Error Message: linarith failed
⊢ {0} < 1

Error 2:

Corresponding Code:
```lean4
  two -- é
  three
  · four
    five
    six <error>seven
    7
      8
    9
    10
    11

    ... --[Truncated]-- ...
    14</error> 15
  16

```

Error Message: long

Error 3:

Corresponding Code:
```lean4
    11
    12
    13
    14 15
<error>  16</error>

```

Error Message: unterminated


Before producing the Lean 4 code to formally prove the given theorem, provide a detailed analysis of the error message.\
"""
CODE = """\
theorem t : 𝕜 := by
  one
  two -- é
  three
  · four
    five
    six seven
    7
      8
    9
    10
    11
    12
    13
    14 15
  16"""


def test_the_turn_is_goedels() -> None:
    remarks = (
        Remark("error", 3, 2, "linarith failed\n⊢ {0} < 1", 3, 5),
        Remark("warning", 1, 0, "unused", 1, 3),
        Remark("error", 7, 8, "long", 15, 6),
        Remark("error", 16, 0, "unterminated"),
    )
    judged = Judgement("s", "rejected", "lean_error", checked=CODE, remarks=remarks)
    assert reply(judged, 2) == GOLDEN
    assert (
        reply(Judgement("s", "rejected", "lean_error", checked=CODE.replace("\n", "\r\n"), remarks=remarks), 2)
        == GOLDEN
    )


@pytest.mark.parametrize(("between", "is_cut"), [(5, False), (6, True)])
def test_six_lines_are_shown(between: int, is_cut: bool) -> None:
    lines = ["a", *(f"  b{at}" for at in range(between)), "c"]
    said = reply(
        Judgement(
            "s",
            "rejected",
            "lean_error",
            checked="\n".join(lines),
            remarks=(Remark("error", 1, 0, "x", between + 2, 1),),
        ),
        1,
    )
    shown = "\n".join(lines[:6]) + ("\n\n  ... --[Truncated]-- ..." if is_cut else "")
    assert f"```lean4\n<error>{shown}\nc</error>\n\n```" in said


@pytest.mark.parametrize("count", [8, 9, 30])
def test_eight_errors_are_shown(count: int) -> None:
    said = reply(refused("by simp", *(Remark("error", 1, at, f"e{at}", 1, at + 1) for at in range(count))), 1)
    assert said.count("Error Message:") == 8
    assert ("Error 8:" in said, "Error 9:" in said) == (True, False)
    assert (f"\n\n... [Omitted {count - 8} more errors] ...\n\n\nBefore" in said) is (count > 8)


@pytest.mark.parametrize("reason", [reason.name.lower() for reason in Reason if reason is not Reason.HOLDS])
def test_every_reason_has_words(reason: str) -> None:
    said = reply(Judgement("s", "rejected", reason, detail="the {detail}\nin two lines"), 1)
    assert said.startswith("The proof (Round 1) is not correct. Following is")
    assert said.endswith("provide a detailed analysis of the error message.")
    middle = said.split("\n\n", 1)[1].rsplit("\n\n", 1)[0]
    assert middle.startswith("\nError 1:\n\nError Message: ")
    assert middle.count("Error Message") == 1
    assert len(middle) > 60 or reason == "lean_error"
    assert "the {detail} in two lines" in middle or reason in ("sorry", "no_proof", "time_limit")


def test_what_lean_said_before_its_time_was_up_is_said_too() -> None:
    said = reply(
        Judgement("s", "timeout", "time_limit", checked="by simp", remarks=(Remark("error", 1, 3, "no", 1, 7),)), 1
    )
    assert "Error 1:\n\nError Message: Lean did not finish" in said
    assert "Error 2:\n\nCorresponding Code:\n```lean4\nby <error>simp</error>\n\n```\n\nError Message: no\n" in said


PLACES = st.integers(-3, 12) | st.sampled_from((-(2**63), 2**63 - 1))
REMARKS = st.builds(
    Remark, st.just("error"), PLACES, PLACES, st.text(max_size=20), st.none() | PLACES, st.none() | PLACES
)


@given(st.text(st.sampled_from("ab 𝕜é\n\r"), max_size=60), st.lists(REMARKS, min_size=1, max_size=4))
def test_places_outside_of_the_text_are_taken_for_the_nearest(code: str, remarks: list[Remark]) -> None:
    said = reply(Judgement("s", "rejected", "lean_error", checked=code, remarks=tuple(remarks)), 1)
    marks = said.partition("Following")[2].partition("\n")[2]
    assert marks.count("<error>") == marks.count("</error>") == len(remarks)


def test_a_turn_is_bounded() -> None:
    code = "\n".join(["x" * 100_000] * 20)
    remarks = tuple(Remark("error", 5 + at % 3, 50_000, "y" * 100_000, 12, 60_000) for at in range(100))
    remarks += (Remark("error", 6, 10, "z", 6, 90_000),)
    assert len(reply(Judgement("s", "rejected", "lean_error", checked=code, remarks=remarks), 1)) < 100_000
    marked = reply(Judgement("s", "rejected", "lean_error", checked=code, remarks=remarks[-1:]), 1)
    assert "x <error>" not in marked
    assert (
        f"{'x' * 10}<error>{'x' * 250} ... --[Truncated]-- ... {'x' * 250}</error>{'x' * 500} ... --[Truncated]"
        in marked
    )


# --- holes ---------------------------------------------------------------------------------------

BULLETS = "by\n  constructor\n  · exact hp\n  · skip"
PLACED = {
    "a tactic": ("by\n  have : p := by\n    simp\n  omega", "simp", "simp made no progress", "\n    □\n  omega"),
    "a part of a tactic": ("by\n  rw [a,\n    c]\n  omega", "c]", "failed", "by\n  □\n  omega"),
    "one of a chain": ("by\n  constructor <;> exact hq <;> omega", "exact hq", MISMATCH, "constructor <;> □ <;> omega"),
    "one of a row": ("by constructor; exact hq; omega", "hq", MISMATCH, "by constructor; □; omega"),
    "goals at a bullet": (BULLETS, "· skip", UNSOLVED, "\n  · skip\n    □"),
    "goals at the end": ("by\n  skip\n  skip\n\n", "by\n  skip\n  skip", UNSOLVED, "by\n  skip\n  skip\n  □\n\n"),
    "goals behind an arrow": (
        "by\n  cases n with\n  | zero => skip\n  | succ k => a",
        "=> skip",
        UNSOLVED,
        "skip\n            □\n  |",
    ),
    "goals at a case": (
        "by\n  case l =>\n    skip\n  omega",
        "case l =>\n    skip",
        UNSOLVED,
        "\n    skip\n    □\n  omega",
    ),
    "goals at a brace": ("by\n  { skip }\n  omega", "}", UNSOLVED, "\n  { skip\n    □ }\n  omega"),
    "goals in brackets": ("⟨hp, by skip⟩", "by skip", UNSOLVED, "⟨hp, by skip\n"),
    "goals before a comment": ("by\n  skip -- so\n", "by\n  skip", UNSOLVED, "by\n  skip\n  □ -- so\n"),
    "no end of goals": (BULLETS, "by", UNSOLVED, "· skip\n  □"),
    "a block as a whole": ("by\n  simp\n  omega", "by", "(deterministic) timeout", ":= (by □)"),
    "goals before a comma": ("⟨by skip, h⟩", "by skip", UNSOLVED, "□, h⟩"),
    "a tactic before a comma": ("⟨by rfl, h⟩", "rfl", "failed", "⟨by □, h⟩"),
    "a tactic before a type": ("f (by rfl : p) h", "rfl", "failed", "f (by □ : p) h"),
    "a claim in brackets": ("f (by have a : p := hq; exact a) h", "hq", MISMATCH, "(by have a : p := by □; exact a) h"),
    "goals before what Lean knows": ("by\n  skip\n  on", "by\n  skip", UNSOLVED, "by\n  skip\n  □\n  on"),
    "a term": ("⟨hp, hq⟩", "hq", MISMATCH, ":= ⟨hp, (by □)⟩"),
    "an unknown function": (
        "⟨hp, foo (a, b) h⟩\n\nlemma a : p := by skip",
        "foo",
        "Unknown identifier `foo`",
        "⟨hp, (by □)⟩\n\nl",
    ),
    "an argument": ("⟨hp, f hq h⟩", "hq", MISMATCH, ":= ⟨hp, f (by □) h⟩"),
    "a whole term": ("foo h\n  h\n\nlemma a : p := by skip", "foo", MISMATCH, ":= (by □)\n\nlemma a"),
    "a proof of what was stated": (
        "by\n  have a : p := f\n    hq\n  omega",
        "hq",
        MISMATCH,
        "have a : p := by □\n  omega",
    ),
    "a proof of what was not": ("by\n  have a := f hq\n  omega", "hq", MISMATCH, "by\n  □\n  omega"),
    "a calculation": ("by\n  calc a = b := hq\n    _ = c := h", "hq", MISMATCH, "a = b := by □\n    _ = c := h"),
    "no such tactic": ("by\n  linarithx [h]\n  omega", "inarithx", "unknown tactic", "by\n  □\n  omega"),
    "an empty block": (
        "by\n  have a : p := by\n  exact a",
        "exact a",
        "expected '{' or indented tactic sequence",
        "by\n    □\n  exact a",
    ),
    "a bracket left open": ("by\n  exact (hp\n  omega", "omega", "unexpected token; expected ')'", "by\n  □\n  omega"),
    "a bracket too many": (
        "by\n  · omega )\n  · omega",
        ")",
        "unexpected token ')'; expected command",
        "· □\n  · omega",
    ),
    "no end": ("by\n  have a : p :=\n  omega", "omega", "unexpected token 'omega'; expected term", "by\n  □\n  omega"),
    "prose": (
        "by\n  skip\n  omega\n\nThis is it.",
        "This",
        "unexpected identifier; expected command",
        "by\n  skip\n  □",
    ),
}


@pytest.mark.parametrize(("proof", "mark", "text", "expected"), PLACED.values(), ids=PLACED)
def test_where_the_hole_is(proof: str, mark: str, text: str, expected: str) -> None:
    ends = not proof.startswith(BULLETS) or mark != "by"
    found = hole(refused(proof, error(proof, mark, text, ends=ends)), GOAL)
    assert found is not None
    assert found.before.startswith(f"{GOAL.text} := ")
    assert expected in f"{found.before}□{found.behind}"


@pytest.mark.parametrize(("proof", "mark", "text", "expected"), PLACED.values(), ids=PLACED)
@pytest.mark.parametrize("filling", ["omega", "simp\nomega", "```lean4\nby\n  simp\n  omega\n```", ""])
def test_what_is_filled_is_a_submission(proof: str, mark: str, text: str, expected: str, filling: str) -> None:
    for goal in (GOAL, Formalisation(GOAL.name, GOAL.text, "made", context="def two : ℕ := 2\n\nopen Nat")):
        before = f"{goal.context}\n\n" if goal.context else ""
        judged = refused(proof, error(proof, mark, text, before=before), goal=goal, before=before)
        found = hole(judged, goal)
        assert found is not None
        whole = filled(found, filling)
        taken = prepare(statement_of(goal), whole, STANDARD)
        if "omega" in whole[len(before) + len(goal.text) :]:
            assert isinstance(taken, Assembly)
            assert taken.text == whole
            assert taken.proof_start == len(before) + len(goal.text) + 1


def test_goals_that_are_left_where_parsing_ended_are_no_root() -> None:
    proof = "by\n  have a : p := by omega)\n  exact a"
    left = error(proof, "by\n  have a : p := by omega", UNSOLVED)
    found = hole(refused(proof, left, error(proof, ")", "unexpected token ')'; expected command")), GOAL)
    assert found is not None
    assert found.before.endswith("have a : p := by ")
    assert found.behind == "\n  exact a"


def test_a_step_too_far_left() -> None:
    proof = "by\n  constructor\n  · exact hp\nomega\n"
    left = error(proof, "by\n  constructor\n  · exact hp", UNSOLVED)
    found = hole(refused(proof, left, error(proof, "omega", "unexpected identifier; expected command")), GOAL)
    assert found is not None
    assert found.before.endswith("\n  · exact hp\n  ")
    assert found.behind.strip() == ""


def test_there_is_no_hole_outside_of_the_proof() -> None:
    in_statement = Remark("error", 1, 20, "Unknown identifier `foo`", 1, 23)
    later = error("by simp", "simp", "simp made no progress")
    assert hole(refused("by simp", in_statement), GOAL) is None
    assert hole(refused("by simp", in_statement, later), GOAL) is None
    lemma = "lemma a : 1 = 2 := by simp\n\n"
    inside = Remark("error", 1, 22, "simp made no progress", 1, 26)
    assert hole(refused("by simp", inside, before=lemma), GOAL) is None
    assert hole(refused("by simp", before=lemma), GOAL) is None  # no error at all
    own = hole(refused("by simp", error("by simp", "simp", "no", before=lemma), before=lemma), GOAL)
    assert own == Hole(f"{lemma}{GOAL.text} := by ", "")


def test_texts_that_have_no_hole() -> None:
    failed = error("by simp", "simp", "no")
    assert hole(Judgement("s", "rejected", "no_proof"), GOAL) is None
    assert hole(Judgement("s", "rejected", "lean_error", checked="by simp", remarks=(failed,)), GOAL) is None
    assert hole(refused("by simp", failed), Formalisation("u", "theorem u : True", "made")) is None
    assert hole(refused("by simp\n" + "-- x\n" * LONGEST_PROOF, failed), GOAL) is None
    assert hole(refused("by simp", failed), Formalisation("t", "nonsense", "made")) is None


def test_where_time_ran_out() -> None:
    one = Judgement("s", "timeout", "time_limit", checked=f"{GOAL.text} := by\n  decide")
    two = Judgement("s", "timeout", "time_limit", checked=f"{GOAL.text} := by\n  simp\n  decide")
    assert hole(one, GOAL) == Hole(f"{GOAL.text} := by\n  ", "")
    assert hole(two, GOAL) is None


@given(
    st.text(st.sampled_from("by ·=>|()⟨⟩;<\n  simphavecase:=,{}-𝕜_"), max_size=80),
    st.lists(REMARKS, max_size=3),
    st.text(max_size=30),
)
def test_any_text_can_be_cut_and_filled(proof: str, remarks: list[Remark], filling: str) -> None:
    judged = refused(proof, *remarks)
    found = hole(judged, GOAL)
    if found is not None:
        assert found.before.startswith(GOAL.text)
        assert filled(found, filling).startswith(found.before)


def test_deep_nesting_is_read_in_time() -> None:
    for proof in ("by " * 30_000 + "simp", "by\n  simp" + " =>" * 30_000, "by\n  " + "(" * 50_000):
        hole(refused(proof, error(proof, "by", UNSOLVED)), GOAL)


# --- filling -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filling", "expected"),
    [
        ("omega", "omega"),
        ("  omega\n", "omega"),
        ("\n\n    omega  \n\n", "omega"),
        ("simp\nomega", "simp\n    omega"),
        ("  simp\n  omega", "simp\n    omega"),
        ("simp\r\nomega\r\n", "simp\n    omega"),
        ("simp\n\nomega", "simp\n\n    omega"),
        ("constructor\n  · simp\n  · omega", "constructor\n    · simp\n    · omega"),  # the first line at the hole
        ("constructor\n    · simp\n    · omega", "constructor\n    · simp\n    · omega"),
        ("have a : p := by\n  simp\nexact a", "have a : p := by\n      simp\n    exact a"),
        ("have a : p := by\n      simp\n    exact a", "have a : p := by\n      simp\n    exact a"),
        ("have a : p := by\n  simp", "have a : p := by\n      simp"),
        ("  have a : p := by\n    simp\n  exact a", "have a : p := by\n      simp\n    exact a"),
        ("cases n with\n| zero => simp\n| succ k => omega", "cases n with\n    | zero => simp\n    | succ k => omega"),
        ("by omega", "omega"),
        ("by\n  simp\n  omega", "simp\n    omega"),
        ("by_contra a\nomega", "by_contra a\n    omega"),
        ("So:\n```lean4\nsimp\nomega\n```\nDone.", "simp\n    omega"),
        ("```\n  simp\n  omega\n```", "simp\n    omega"),
        ("", ""),
        ("\n \n", ""),
    ],
)
def test_fillings_stand_where_the_hole_is(filling: str, expected: str) -> None:
    place = Hole("theorem é : p := by\n  · ", "\n  · omega")
    assert filled(place, filling) == f"theorem é : p := by\n  · {expected}\n  · omega"


# --- rounds --------------------------------------------------------------------------------------

FAILED = refused("by simp", error("by simp", "simp", "no"))
PROVED = Judgement("s", "proved", "holds")
TURNS, INFILL = Part(repair="turns", rounds=3), Part(repair="infill", rounds=3)


def test_turns_carry_every_round_before() -> None:
    request = next_request(GOAL, TURNS, [("first", FAILED)], 5, number=7)
    assert request is not None
    assert (request.goal, request.number, request.round, request.seed, request.hole) == (GOAL, 7, 1, 5, None)
    other = refused("by rfl", error("by rfl", "rfl", "never"))
    request = next_request(GOAL, TURNS, [("first", FAILED), ("second", other)], 5, number=7)
    assert request is not None
    assert request.round == 2
    assert [turn.completion for turn in request.turns] == ["first", "second"]
    assert [turn.reply for turn in request.turns] == [reply(FAILED, 0), reply(other, 1)]


def test_a_hole_is_in_what_the_last_round_left() -> None:
    other = refused("by\n  simp\n  rfl", error("by\n  simp\n  rfl", "rfl", "never"))
    request = next_request(GOAL, INFILL, [("first", FAILED), ("second", other)], 5, number=7)
    assert request is not None
    assert (request.turns, request.round, request.number, request.seed) == ((), 2, 7, 5)
    assert request.hole == Hole(f"{GOAL.text} := by\n  simp\n  ", "")


@pytest.mark.parametrize("part", [TURNS, INFILL])
def test_when_an_attempt_is_over(part: Part) -> None:
    broken = Judgement("s", "", "", detail="Lean broke down")
    assert next_request(GOAL, part, [("a", PROVED)], 0, number=0) is None
    assert next_request(GOAL, part, [("a", FAILED), ("b", PROVED)], 0, number=0) is None
    assert next_request(GOAL, part, [("a", FAILED)] * 3, 0, number=0) is None
    assert next_request(GOAL, part, [("a", broken)], 0, number=0) is None
    assert next_request(GOAL, Part(), [("a", FAILED)], 0, number=0) is None


def test_what_cant_be_cut_can_be_talked_about() -> None:
    silent = Judgement("s", "rejected", "no_proof")
    assert next_request(GOAL, INFILL, [("a", silent)], 0, number=0) is None
    request = next_request(GOAL, TURNS, [("a", silent)], 0, number=0)
    assert request is not None
    assert "There is no proof of the theorem in the answer." in request.turns[0].reply


def test_a_hole_widens_when_it_was_filled_in_vain() -> None:
    two = "by\n  simp\n  omega"
    judged = refused(two, error(two, "simp", "no"))
    for rounds, behind in ((1, "\n  omega"), (2, "")):
        for part, wanted in ((INFILL, "\n  omega"), (INFILL.model_copy(update={"widens": True}), behind)):
            request = next_request(GOAL, part, [("x", judged)] * rounds, 0, number=0)
            assert request is not None
            assert request.hole == Hole(f"{GOAL.text} := by\n  ", wanted)
    with pytest.raises(ValidationError, match="only holes can widen"):
        Part(repair="turns", rounds=3, widens=True)
