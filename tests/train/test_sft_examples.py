"""Instances as tokens: what fits, what is left of what does not, what is left out, and where completions begin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus import prompts
from pythagoras.corpus.length import Case, Mode
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Record, Tier
from pythagoras.errors import InputError
from pythagoras.train.examples import Example, Instances, Reader
from pythagoras.train.settings import Sft
from tests.train.tiny import make_model
from tests.unit.corpora import formalisation, instance

END = "<|im_end|>"
LONG = "because it is so, " * 6
"""108 bytes, and so many tokens: the model's are bytes."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bytes")
    make_model(place)
    return place


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)


def read(folder: Path, tokenizer: Any, records: list[Record], **settings: Any) -> tuple[list[Example], Instances]:
    account = Instances()
    sft = Sft.model_validate({"context": 100, **settings})
    return Reader(sft, folder, tokenizer).read(records, account), account


def texts(tokenizer: Any, example: Example) -> tuple[str, str]:
    tokens = list(example.tokens)
    return tokenizer.decode(tokens[: example.prompt]), tokenizer.decode(tokens[example.prompt :])


def test_raw_text_is_prompt_completion_and_end(folder: Path, tokenizer: Any) -> None:
    (example,), account = read(folder, tokenizer, [instance(reasoning="By definition.")])
    rendered = prompts.render(instance(reasoning="By definition."), "compact")
    assert texts(tokenizer, example) == (rendered.prompt, f"/- By definition. -/\nby rfl{END}")
    assert account.cases == {Tier.EASY: {Case.BOTH: 1}}
    assert (account.read, account.kept) == (1, 1)


def test_a_chat_is_in_the_models_own_template(folder: Path, tokenizer: Any) -> None:
    (example,), _ = read(folder, tokenizer, [instance()], prompt="kimina", context=2_000)
    prompt, completion = texts(tokenizer, example)
    assert prompt == prompts.sequence(prompts.render(instance(), "kimina"))[0]
    assert prompt.endswith("<|im_start|>assistant\n")
    assert completion == prompts.render(instance(), "kimina").completion + END


def test_a_model_without_a_template_is_trained_on_chatml(folder: Path, tokenizer: Any) -> None:
    template, tokenizer.chat_template = tokenizer.chat_template, None
    try:
        (example,), _ = read(folder, tokenizer, [instance()], prompt="kimina", context=2_000)
    finally:
        tokenizer.chat_template = template
    assert texts(tokenizer, example)[0] == prompts.sequence(prompts.render(instance(), "kimina"))[0]


CASES: list[tuple[Instance, Mode, Case, str]] = [
    (instance(reasoning="It is."), Mode.DYNAMIC, Case.BOTH, "/- It is. -/\nby rfl" + END),
    (instance(), Mode.DYNAMIC, Case.PLAIN, "by rfl" + END),
    (instance(reasoning=LONG), Mode.DYNAMIC, Case.PROOF_ONLY, "by rfl" + END),
    (instance(reasoning=LONG), Mode.TRUNCATE, Case.TRUNCATED, "/- " + LONG),
    (instance(reasoning=LONG), Mode.DROP, Case.DROPPED, ""),
    (instance(proof=f"by exact {LONG}"), Mode.DYNAMIC, Case.DROPPED, ""),
    (instance(proof=f"by exact {LONG}"), Mode.TRUNCATE, Case.TRUNCATED, f"by exact {LONG}"),
    (instance(f"theorem t : {LONG}"), Mode.TRUNCATE, Case.DROPPED, ""),
]


@pytest.mark.parametrize(("given", "mode", "case", "completion"), CASES)
def test_the_length_filter_decides(
    folder: Path, tokenizer: Any, given: Instance, mode: Mode, case: Case, completion: str
) -> None:
    found, account = read(folder, tokenizer, [given], length=mode)
    assert account.cases == {Tier.EASY: {case: 1}}
    if case is Case.DROPPED:
        reason = Reason.PROOF_TOO_LONG if mode is Mode.DYNAMIC else Reason.TOO_LONG
        assert (found, account.left_out) == ([], {reason: 1})
    else:
        written = texts(tokenizer, found[0])[1]
        assert len(found[0].tokens) == 100 if case is Case.TRUNCATED else written == completion
        assert completion.startswith(written)
        assert (account.kept, account.left_out) == (1, {})


def test_the_last_token_that_fits_is_the_end(folder: Path, tokenizer: Any) -> None:
    (whole,), _ = read(folder, tokenizer, [instance()])
    length = len(whole.tokens)
    assert [len(read(folder, tokenizer, [instance()], context=length - less)[0]) for less in (0, 1)] == [1, 0]


def test_what_a_template_adds_counts(folder: Path, tokenizer: Any) -> None:
    """The filter counts ChatML; a model's own template may be longer, and then the same rule is applied to it."""
    given = instance(reasoning="It is so by definition. " * 4)
    whole = read(folder, tokenizer, [given], prompt="kimina", context=4_000)[0][0]
    template, tokenizer.chat_template = tokenizer.chat_template, "Be good at it. " + tokenizer.chat_template
    try:
        for mode, case in ((Mode.DYNAMIC, Case.PROOF_ONLY), (Mode.DROP, Case.DROPPED), (Mode.TRUNCATE, Case.TRUNCATED)):
            context = len(whole.tokens) + 1
            found, account = read(folder, tokenizer, [given], prompt="kimina", context=context, length=mode)
            assert account.cases == {Tier.EASY: {case: 1}}
            assert all(len(example.tokens) <= context for example in found)
    finally:
        tokenizer.chat_template = template


def test_reasoning_can_be_left_away(folder: Path, tokenizer: Any) -> None:
    (example,), account = read(folder, tokenizer, [instance(reasoning=LONG)], reasoning=False)
    assert texts(tokenizer, example)[1] == f"by rfl{END}"
    assert account.cases == {Tier.EASY: {Case.PLAIN: 1}}


def test_what_is_no_training_data_is_left_out_and_told(folder: Path, tokenizer: Any) -> None:
    records: list[Record] = [
        instance(informal="see <|im_start|>system"),
        formalisation(),
        instance(source="corebench"),
        instance(header="none such"),
        instance(proof="by decide", tier=Tier.HARD),
        instance(proof="by exact " + LONG),
    ]
    found, account = read(folder, tokenizer, records)
    assert [example.tier for example in found] == [Tier.HARD]
    assert account.left_out == {Reason.UNREADABLE: 4, Reason.PROOF_TOO_LONG: 1}
    assert account.read == len(records) == account.kept + account.left_out.total()
    assert len(account.told) == 5
    assert "CoreBench" in account.told[2]
    assert account.as_dict()["cases"] == {"easy": {"dropped": 1}, "hard": {"no reasoning": 1}}


def test_keys_are_of_the_content(folder: Path, tokenizer: Any) -> None:
    records: list[Record] = [instance(), instance(proof="by decide"), instance()]
    keys = [example.key for example in read(folder, tokenizer, records)[0]]
    assert keys[0] == keys[2] != keys[1]


def test_a_tokenizer_without_an_end_is_refused(folder: Path, tokenizer: Any) -> None:
    class Endless:
        eos_token_id = None

    with pytest.raises(InputError, match="no token that ends a text"):
        Reader(Sft(), folder, Endless())
