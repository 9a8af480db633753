"""Reasoning against proof: pairs written by hand, planted contradictions, and twins without them."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus.consistency import ConsistencyFilter, Contradiction, Finding, contradictions
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Problem, Tier
from pythagoras.corpus.stages import Dropped

PAIRS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "consistency_pairs.toml").read_text(encoding="utf-8")
)["pair"]
CONTRADICTORY = [pair for pair in PAIRS if "finding" in pair]
CONSISTENT = [pair for pair in PAIRS if "finding" not in pair]


def instance(statement: str, proof: str, reasoning: str) -> Instance:
    return Instance("t", statement, proof, "handmade", Tier.EASY, verified=True, reasoning=reasoning, header="mathlib")


def found(pair: dict[str, Any]) -> list[Finding]:
    seen = contradictions(instance(pair["statement"], pair["proof"], pair["reasoning"]))
    return [each.finding for each in seen]


def test_there_are_enough_pairs_of_both_kinds_and_of_every_finding() -> None:
    assert len(CONTRADICTORY) >= 35
    assert len(CONSISTENT) >= 60
    assert {pair["finding"] for pair in CONTRADICTORY} == {finding.value for finding in Finding}


@pytest.mark.parametrize("pair", CONTRADICTORY, ids=range(len(CONTRADICTORY)))
def test_contradictions_are_found(pair: dict[str, Any]) -> None:
    assert found(pair) == [pair["finding"]]


@pytest.mark.parametrize("pair", CONSISTENT, ids=range(len(CONSISTENT)))
def test_consistent_pairs_stay(pair: dict[str, Any]) -> None:
    assert found(pair) == []


# --- planted ---------------------------------------------------------------------------------------------

TACTICS = ("omega", "grind", "linarith", "aesop", "rfl", "`ring`", "`decide`", "`simp`")
CLAIMS = (
    "So {} closes the goal.",
    "We finish with {}.",
    "The last step is discharged by {}.",
    "Then {} immediately solves it.",
    "Step 3: conclude using {}.",
)
HEDGES = (
    "{} might close the goal.",
    "It would be possible to finish with {}.",
    "One can not close this with {}.",
    "I tried to finish with {}, which fails.",
    "If the types were different, we would finish with {}.",
)
STATEMENT = "theorem t (a b : ℕ) (h : a < b) : a + 1 ≤ b"


def proof_with(tactic: str) -> str:
    return f"by\n  have h1 := h\n  {tactic.strip('`')}"


@given(st.sampled_from(TACTICS), st.sampled_from(TACTICS), st.sampled_from(CLAIMS))
def test_a_planted_tactic_is_found_and_its_twin_is_not(said: str, used: str, claim: str) -> None:
    reasoning = f"The hypothesis is what we need.\n{claim.format(said)}"
    wanted = [] if said == used else [Finding.OTHER_TACTIC]
    seen = contradictions(instance(STATEMENT, proof_with(used), reasoning))
    assert [each.finding for each in seen] == wanted


@given(st.sampled_from(TACTICS), st.sampled_from(TACTICS), st.sampled_from(HEDGES))
def test_what_is_hedged_commits_to_nothing(said: str, used: str, hedge: str) -> None:
    assert contradictions(instance(STATEMENT, proof_with(used), hedge.format(said))) == []


@given(st.sampled_from(TACTICS), st.sampled_from(CLAIMS), st.sampled_from(TACTICS), st.sampled_from(CLAIMS))
def test_only_the_last_word_counts(early: str, claim: str, used: str, last: str) -> None:
    reasoning = f"{claim.format(early)} On second thought there is another way. {last.format(used)}"
    assert contradictions(instance(STATEMENT, proof_with(used), reasoning)) == []


@given(st.integers(0, 999), st.integers(0, 999))
def test_a_planted_witness(said: int, used: int) -> None:
    pair = instance(f"theorem t : ∃ k : ℕ, k = {used}", f"⟨{used}, rfl⟩", f"The witness is {said}.")
    assert [each.finding for each in contradictions(pair)] == ([] if said == used else [Finding.OTHER_WITNESS])


@given(st.integers(-999, 999), st.integers(0, 999))
def test_a_planted_answer(said: int, meant: int) -> None:
    pair = instance(f"theorem t (x : ℤ) (h : x = y) : x = {meant}", "by omega", f"We compute.\nThe answer is {said}.")
    assert [each.finding for each in contradictions(pair)] == ([] if abs(said) == meant else [Finding.OTHER_ANSWER])


@given(st.text(st.sampled_from("ab .`\n:=∃⟨⟩{}()\\?*#-/0123456789"), max_size=80), st.text(max_size=40))
def test_any_text_can_be_read(reasoning: str, proof: str) -> None:
    contradictions(instance("theorem t : ∃ x, x = 1", proof, f"{reasoning}\n```lean4\n{reasoning}"))


# --- hostile texts ---------------------------------------------------------------------------------------

SIZE = 200_000
REASONINGS = (
    *("we use ", "apply ", "closed ", "then ", "I prove by ", "the answer is 1a1 ", "x = 1 ", "```", "```a\n", "\n```"),
    *("(abc ", "\t", "\n", "`a ", "``", ". ", "* ", "1", "a.", "is `a_a`. ", "The witness is ", "end "),
)
ONCE = (
    f"Then it is `{'a_' * SIZE}",
    f"The answer is {'1' * SIZE}a2.",
    f"```lean\n{'namespace a' * SIZE}",
    "```lean\n" + "namespace a\n" * (SIZE // 12) + "theorem t : 1 = 1 := by simp\n```",
    f"Take x = 1.\nThe answer is 7.\nWe prove it by induction.\nThen omega closes it.\n{'x' * SIZE}",
)
PROOFS = ("/- ", "-- ", "⟨", "«", '"', "use ", "use\n", "a.", "'", "(", 'r#"', "@[", "1")


def hostile() -> Iterator[Instance]:
    """Texts on which a pattern that looks back and forth takes minutes or years."""
    for text in [*(part * (SIZE // len(part)) for part in REASONINGS), *ONCE]:
        yield instance("theorem t : ∃ x, x = 1", "by\n  exact h", text)
    claims = "Take x = 1.\nThe answer is 7.\nWe prove it by induction.\nThen omega closes it.\nIt is `a.b`."
    for part in PROOFS:
        text = part * (SIZE // len(part))
        yield instance("theorem t : ∃ x, x = 1", text, f"{claims}\n```lean\ntheorem t : 1 = 1 := by simp\n```")
        yield replace(instance("theorem t : 1 = 1", "by simp", claims), context=text)
    yield replace(instance("theorem t : 1 = 1", "by simp", claims), context="namespace a\n" * (SIZE // 12))


def test_no_text_takes_more_than_its_lengths_worth_of_time() -> None:
    """In a process of its own, since nothing else can stop a pattern. All of it takes seconds where it is linear."""
    code = "from tests.unit import test_consistency as t\nfor each in t.hostile(): t.contradictions(each)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300, cwd=Path(__file__).parents[2])


def test_a_sentence_without_an_end_commits_to_nothing() -> None:
    said = "Then omega closes the goal"
    assert found({"statement": STATEMENT, "proof": "by exact h", "reasoning": f"{said}."}) == [Finding.OTHER_TACTIC]
    assert found({"statement": STATEMENT, "proof": "by exact h", "reasoning": said + " and so on" * 100}) == []


def test_blocks_are_no_prose() -> None:
    fenced = "```\nThen omega closes the goal.\n  ```\nIt is done."
    assert found({"statement": STATEMENT, "proof": "by exact h", "reasoning": fenced}) == []
    behind = "```lean\n```\nThen omega closes the goal."
    assert found({"statement": STATEMENT, "proof": "by exact h", "reasoning": behind}) == [Finding.OTHER_TACTIC]
    open_end = "It is done.\n```lean\nThen omega closes the goal."
    assert found({"statement": STATEMENT, "proof": "by exact h", "reasoning": open_end}) == []


# --- the stage -------------------------------------------------------------------------------------------


def test_the_stage_drops_with_evidence_and_counts() -> None:
    wrong = instance(STATEMENT, "by\n  exact h", "We prove it by induction on a. Then omega closes the goal.")
    right = instance(STATEMENT, "by\n  omega", "Then omega closes the goal.")
    silent = instance(STATEMENT, "by\n  exact h", "")
    problem = Problem("text", "source")
    stage = ConsistencyFilter()
    dropped, *kept = stage.decide([wrong, right, silent, problem])
    assert kept == [right, silent, problem]
    assert isinstance(dropped, Dropped)
    assert (dropped.record, dropped.reason) == (wrong, Reason.INCONSISTENT_REASONING)
    assert dropped.detail == (
        "other method: 'We prove it by induction on a.'; other closing tactic: 'Then omega closes the goal.'"
    )
    assert stage.tally == {"other method": 1, "other closing tactic": 1}


def test_a_contradiction_reads_as_one_line() -> None:
    assert str(Contradiction(Finding.OTHER_ANSWER, "It is 3.")) == "other answer: 'It is 3.'"
