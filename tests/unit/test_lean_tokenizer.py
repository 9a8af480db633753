"""The tokenizer for Lean: every text comes back, digits stay apart, signs and indents are one token."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.tokenizers import open_tokenizer
from pythagoras.errors import InputError
from pythagoras.evaluate.corebench.items import load
from pythagoras.lean.headers import core
from pythagoras.train.tokenizer import END, MASK, PAD, SPECIAL, TURN, TURN_END, train_tokenizer

SIZE = 1_000
LEAN = st.lists(
    st.sampled_from(
        [
            "theorem",
            " x",
            "Nat.succ_le",
            "h₁",
            " 12",
            "0",
            "∀",
            " ≤",
            "\n    ",
            "\n",
            "  ",
            "\t",
            ".1",
            "⟨",
            "✝",
            "'",
            "é",
        ]
    ),
    max_size=30,
).map("".join)


def training_texts() -> list[str]:
    return [core().text, *(drawn.formalisation.text for drawn in generate(300, seed=0))]


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return train_tokenizer(training_texts(), SIZE)


def pieces(tokenizer: Any, text: str) -> list[str]:
    return [tokenizer.decode([token]) for token in tokenizer(text)["input_ids"]]


@settings(max_examples=300, deadline=None)
@given(text=st.one_of(st.text(st.characters(exclude_categories=["Cs"])), LEAN))
def test_every_text_comes_back(tokenizer: Any, text: str) -> None:
    tokens = tokenizer(text)["input_ids"]
    assert tokenizer.decode(tokens) == text
    assert max(tokens, default=0) < SIZE


def test_statements_and_proofs_come_back(tokenizer: Any) -> None:
    drawn = [text for found in generate(1_000, seed=7) for text in (found.formalisation.text, found.problem.text)]
    items = [text for item in load() for text in (item.statement.text, item.statement.docstring, item.proof)]
    for text in (*drawn, *items, core().text):
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


@given(number=st.integers(0, 10**30))
def test_digits_never_merge(tokenizer: Any, number: int) -> None:
    assert pieces(tokenizer, f"x ={number}") == ["x", " =", *str(number)]
    assert pieces(tokenizer, f"x₁ = {number}")[-len(str(number)) :] == [f" {str(number)[0]}", *str(number)[1:]]


def test_no_token_has_two_digits(tokenizer: Any) -> None:
    texts = [tokenizer.decode([token]) for token in range(len(tokenizer))]
    assert not [text for text in texts if sum(letter.isascii() and letter.isdigit() for letter in text) > 1]


@pytest.mark.parametrize(
    "text", ["∀", "∣", "≤", "→", "ℕ", "⟨", "⟩", "₁", " ↔", " ∃", " ¬", "\n", "\n  ", "\n    ", "\n      "]
)
def test_signs_and_indents_are_one_token_whatever_the_texts(text: str) -> None:
    poor = train_tokenizer(["theorem t : True"], 500)
    assert len(poor(text)["input_ids"]) == 1


def test_words_and_names_that_are_frequent_are_few_tokens(tokenizer: Any) -> None:
    assert pieces(tokenizer, "theorem x (n : ℕ) : n ≤ 10 :=\nby\n  omega")[:3] == ["theorem", " x", " ("]
    assert len(pieces(tokenizer, "Finset.sum_range_succ")) <= 6


def test_special_tokens_are_one_each(tokenizer: Any) -> None:
    assert [tokenizer(token)["input_ids"] for token in SPECIAL] == [[at] for at in range(len(SPECIAL))]
    assert (tokenizer.eos_token, tokenizer.pad_token, tokenizer.mask_token) == (END, PAD, MASK)
    assert tokenizer("by omega")["input_ids"][-1] != tokenizer.eos_token_id  # nothing is added


def test_the_chat_template_is_chatml(tokenizer: Any) -> None:
    turns = [{"role": "user", "content": "Prove it."}]
    text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    assert text == f"{TURN}user\nProve it.{TURN_END}\n{TURN}assistant\n"


def test_it_is_saved_as_others_load_it(tokenizer: Any, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer.save_pretrained(tmp_path)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    text = "theorem  t (h : 10 ∣ n) : n % 2 = 0 := by\n  omega <|im_end|>"
    assert loaded(text)["input_ids"] == tokenizer(text)["input_ids"]
    assert loaded.decode(loaded(text)["input_ids"]) == text
    assert loaded.all_special_tokens == tokenizer.all_special_tokens
    assert loaded.chat_template == tokenizer.chat_template
    counter = open_tokenizer(f"hf:{tmp_path}")
    assert counter.count([text]) == [len(tokenizer(text)["input_ids"])]
    assert text.startswith(counter.cut(text, 7))


def test_the_same_texts_give_the_same_tokenizer_in_any_order_and_process(tokenizer: Any, tmp_path: Path) -> None:
    again = train_tokenizer(reversed(training_texts()), SIZE)
    assert again.backend_tokenizer.to_str() == tokenizer.backend_tokenizer.to_str()
    code = (
        "from tests.unit.test_lean_tokenizer import *\n"
        "import sys; sys.stdout.write(train_tokenizer(training_texts(), SIZE).backend_tokenizer.to_str())"
    )
    elsewhere = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert elsewhere.stdout == tokenizer.backend_tokenizer.to_str()


def test_its_size(tokenizer: Any) -> None:
    assert len(tokenizer) == SIZE
    assert len(train_tokenizer(["theorem"], 600)) < 600
    with pytest.raises(InputError, match="no room"):
        train_tokenizer(["theorem"], 300)
