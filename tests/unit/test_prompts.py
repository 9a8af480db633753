"""Prompts: wire formats to the last newline, and answers that our own judge can read back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus import prompts
from pythagoras.corpus.prompts import Message, names, render, sequence, shown, shown_code, unfit
from pythagoras.corpus.records import Formalisation, Instance, Tier, statement_of
from pythagoras.errors import InputError
from pythagoras.lean import lexical
from pythagoras.lean.submission import Assembly, prepare
from pythagoras.lean.verdict import Policy

GOLDEN = Path(__file__).parent / "golden" / "prompts"

INSTANCE = Instance(
    name="two_steps",
    statement="theorem two_steps (a b : ℕ) (h : a + 2 ≤ b) : a < b",
    proof="by\n  have h' : a + 1 ≤ b := by omega\n  exact h'",
    source="handmade",
    tier=Tier.EASY,
    verified=True,
    reasoning="Drop one of the two steps.\nWhat is left is the definition of `<`.",
    informal="Let a + 2 ≤ b. Show that a < b.",
    header="mathlib",
    context="open Nat",
)


def written(instance: Instance, name: str, *, with_reasoning: bool) -> str:
    return "|".join(sequence(render(instance, name, with_reasoning=with_reasoning)))


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("with_reasoning", [True, False])
def test_golden_files(name: str, with_reasoning: bool) -> None:
    """The bar stands between what is shown and what is to be answered."""
    golden = GOLDEN / f"{name}{'' if with_reasoning else '-proof-only'}.txt"
    assert written(INSTANCE, name, with_reasoning=with_reasoning) == golden.read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_prompt() -> None:
    assert {path.stem.removesuffix("-proof-only") for path in GOLDEN.iterdir()} == set(names())


def test_the_families_differ_where_the_field_does() -> None:
    assert "sorry\n```\n\nBefore" in written(INSTANCE, "deepseek", with_reasoning=True)
    assert "sorry```\n\nBefore" in written(INSTANCE, "goedel", with_reasoning=True)
    assert written(INSTANCE, "pythagoras", with_reasoning=True).count("import Mathlib") == 1
    assert written(INSTANCE, "goedel", with_reasoning=True).count("import Mathlib") == 2
    kimina = render(INSTANCE, "kimina").prompt
    assert kimina[0] == Message("system", "You are an expert in mathematics and Lean 4.")


def test_a_header_without_imports_is_not_shown() -> None:
    core = replace(INSTANCE, header="core")
    assert "import" not in "".join(written(core, name, with_reasoning=True) for name in names())
    assert shown_code(core).startswith("open Nat\n\n/-- Let a + 2")


def test_a_goal_is_shown_as_its_instance_is() -> None:
    """What a prover is measured with is what it was trained on."""
    goal = Formalisation(
        INSTANCE.name,
        INSTANCE.statement,
        INSTANCE.source,
        header=INSTANCE.header,
        context=INSTANCE.context,
        docstring=INSTANCE.informal,
    )
    for name in names():
        assert shown(goal, name) == render(INSTANCE, name).prompt


def test_reasoning_that_is_not_there_changes_nothing_else() -> None:
    blank = replace(INSTANCE, reasoning=" \n")
    for name in names():
        assert render(blank, name) == render(INSTANCE, name, with_reasoning=False)
        assert render(blank, name).prompt == render(INSTANCE, name).prompt


def test_what_was_cut_is_an_unfinished_completion() -> None:
    cut = replace(INSTANCE, reasoning="Drop one of th", proof="")
    assert render(cut).completion == "Drop one of th"
    assert not render(cut).finished
    assert sequence(render(cut))[1] == "Drop one of th"
    assert sequence(render(INSTANCE))[1].endswith("```<|im_end|>\n")


@pytest.mark.parametrize(
    ("proof", "completion"),
    [
        ("by omega", " omega\n```"),
        ("by\n  simp\n  omega", "\n  simp\n  omega\n```"),
        ("fun n =>\n  foo n", "\n  exact\n    fun n =>\n      foo n\n```"),
        ("bye_bye", "\n  exact\n    bye_bye\n```"),
    ],
)
def test_a_raw_completion_goes_on_behind_by(proof: str, completion: str) -> None:
    assert render(replace(INSTANCE, proof=proof), "noncot").completion == completion


def test_braces_and_marks_in_a_text_are_only_text() -> None:
    odd = replace(INSTANCE, informal="{reasoning} {code}", reasoning="{answer} \\1 {problem}", context="")
    for name in names():
        shown = written(odd, name, with_reasoning=True)
        assert shown.count(INSTANCE.proof[-9:]) == 1
    assert "{answer} \\1 {problem}" in render(odd).completion


@pytest.mark.parametrize(
    "token",
    [
        *("<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>", "<|user|>"),
        *("<｜User｜>", "<｜end▁of▁sentence｜>", "<start_of_turn>", "<end_of_turn>", "</s>", "[INST]", "<</SYS>>"),
    ],
)
@pytest.mark.parametrize("field", ["informal", "context", "statement", "reasoning", "proof"])
def test_special_tokens_make_an_instance_unfit(token: str, field: str) -> None:
    changed: dict[str, Any] = {field: getattr(INSTANCE, field) + token + "\nhi"}
    assert unfit(replace(INSTANCE, **changed)) == f"its {field} holds {token!r}, a special token of chats"


def test_what_only_looks_like_a_special_token_is_fit() -> None:
    proof = "by\n  exact f <| g <|> h |>.trans <| x |> i\n  exact (a <b ∧ c> d)"
    assert unfit(replace(INSTANCE, proof=proof, informal="|<x|y>| [1] a < s > b", reasoning="<think>why</think>")) == ""
    assert unfit(replace(INSTANCE, header="")).startswith("no header is called ''")


def test_a_wrong_name() -> None:
    with pytest.raises(InputError, match="did you mean 'goedel'"):
        render(INSTANCE, "gödel")


words = st.text(st.sampled_from("ab -/`\n∀ℕ{}|<>*"), max_size=30)


@given(informal=words, reasoning=words)
def test_comments_end_where_they_should(informal: str, reasoning: str) -> None:
    odd = replace(INSTANCE, informal=informal, reasoning=reasoning, context="", header="core")
    code = lexical.read(shown_code(odd)).code
    assert code.split() == [*INSTANCE.statement.split(), ":=", "by", "sorry"]
    compact = lexical.read(render(odd, "compact").completion).code
    assert compact.split() == INSTANCE.proof.split()


@given(reasoning=st.text(st.sampled_from("ab. -/\n∀ℕ{}|<>*"), max_size=30))
@pytest.mark.parametrize("name", names())
def test_our_judge_reads_the_proof_out_of_the_completion(name: str, reasoning: str) -> None:
    instance = replace(INSTANCE, reasoning=reasoning)
    completion = render(instance, name).completion
    if name == "noncot":  # a raw completion continues the prompt's own block
        completion = "by" + completion.removesuffix("\n```")
    made = prepare(statement_of(instance), completion, Policy())
    assert isinstance(made, Assembly), made
    proof = lexical.read(made.text[made.proof_start :]).code
    assert proof.split() == [":=", *INSTANCE.proof.split()]
    assert made.name == INSTANCE.name


def test_prompts_say_what_they_are() -> None:
    assert names(chat=True) == ("pythagoras", "deepseek", "goedel", "kimina")
    assert names(chat=False) == ("noncot", "compact")
    assert all(prompts.prompt(name).about for name in names())


@pytest.mark.parametrize(
    ("name", "statement", "context", "shown_as"),
    [
        ("t", "theorem t (t : ℕ) : t = t", "", "theorem goal (t : ℕ) : t = t :=\n"),
        ("a.b'", "@[simp] theorem a.b' : 1 = 1", "", "@[simp] theorem goal : 1 = 1 :=\n"),
        (
            "t",
            "theorem t :\n    2 = 2",
            "theorem t' : 1 = 1 := rfl",
            "theorem t' : 1 = 1 := rfl\n\ntheorem goal :\n    2 = 2 :=\n",
        ),
    ],
)
def test_the_compact_prompt_does_not_tell_the_name(name: str, statement: str, context: str, shown_as: str) -> None:
    assert shown_code(replace(INSTANCE, name=name, statement=statement, context=context), "compact") == shown_as
