"""Rows of several examples: none sees another, and the loss is the one that each has alone. On the real model."""

from __future__ import annotations

from array import array
from typing import Any

import pytest
import torch

from pythagoras.train.examples import Example
from pythagoras.train.packing import best_fit, laid_out, tensors
from pythagoras.train.trainer import mean_loss, summed_loss
from tests.train.learners import sharp_model

LENGTHS = (40, 3, 17, 90, 25, 61, 8, 33, 2, 150)
PADDING = 1


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return sharp_model(tmp_path_factory.mktemp("learner"))


def examples() -> list[Example]:
    random = torch.Generator().manual_seed(0)
    drawn = [torch.randint(5, 600, (length,), generator=random).tolist() for length in LENGTHS]
    return [Example(array("i", tokens), len(tokens) // 2, str(number)) for number, tokens in enumerate(drawn)]


def logits(model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    with torch.inference_mode():
        found: torch.Tensor = model(
            input_ids=batch["input_ids"],
            position_ids=batch["position_ids"],
            attention_mask=batch.get("attention_mask"),
            use_cache=False,
        ).logits
    return found


def test_a_token_of_one_example_changes_no_logit_of_another(model: Any) -> None:
    rows = best_fit(examples(), 256)
    batch = tensors(rows, PADDING)
    before = logits(model, batch)
    at = 0
    for number, row in enumerate(rows):
        begin = 0
        for example in row:
            end = begin + len(example.tokens)
            changed = {**batch, "input_ids": batch["input_ids"].clone()}
            changed["input_ids"][number, begin] += 1
            differs = (logits(model, changed) != before).any(dim=-1)
            assert differs[number, begin:end].all()  # its own do change, all of them
            differs[number, begin:end] = False
            assert not differs.any()
            begin, at = end, at + 1
    assert at == len(LENGTHS)
    assert max(map(len, rows)) > 2


def test_padding_changes_nothing_either(model: Any) -> None:
    for rows in (best_fit(examples(), 256), [[each] for each in examples()]):
        there = tensors(rows, PADDING)
        real = torch.zeros_like(there["input_ids"], dtype=torch.bool)
        for number, row in enumerate(rows):
            real[number, : sum(len(each.tokens) for each in row)] = True
        assert not real.all()
        assert torch.equal(logits(model, there)[real], logits(model, tensors(rows, PADDING + 6))[real])


def test_an_example_in_a_row_has_the_logits_that_it_has_alone(model: Any) -> None:
    rows = best_fit(examples(), 256)
    together = logits(model, tensors(rows, PADDING))
    for number, row in enumerate(rows):
        begin = 0
        for example in row:
            with torch.inference_mode():
                alone = model(torch.tensor([list(example.tokens)])).logits[0]
            end = begin + len(example.tokens)
            torch.testing.assert_close(together[number, begin:end], alone, atol=2e-4, rtol=1e-4)
            begin = end


def test_packed_or_not_the_loss_is_the_same_and_the_textbooks(model: Any) -> None:
    found = []
    for packed in (True, False):
        parts = [tensors(part, PADDING) for part in laid_out(examples(), packed=packed)]
        with torch.inference_mode():
            total = sum(float(summed_loss(model, part)) for part in parts)
        found.append(total / sum(len(part["targets"]) for part in parts))
    expected, count = 0.0, 0
    for example in examples():
        with torch.inference_mode():
            scores = model(torch.tensor([list(example.tokens)])).logits[0].log_softmax(dim=-1)
        for place in range(max(example.prompt, 1), len(example.tokens)):
            expected -= float(scores[place - 1, example.tokens[place]])
            count += 1
    assert found[0] == pytest.approx(found[1], rel=1e-5)
    assert found[0] == pytest.approx(expected / count, rel=1e-5)


def test_mean_loss_is_that_loss(model: Any) -> None:
    class Tokenizer:
        pad_token_id = PADDING

    parts = [tensors(part, PADDING) for part in laid_out(examples(), packed=False)]
    with torch.inference_mode():
        total = sum(float(summed_loss(model, part)) for part in parts)
    expected = total / sum(len(part["targets"]) for part in parts)
    assert mean_loss(model, Tokenizer(), examples()) == pytest.approx(expected, rel=1e-5)


def test_only_completions_are_learned() -> None:
    first, second = (Example(array("i", [10, 11, 12, 13]), 3), Example(array("i", [20, 21, 22]), 0))
    batch = tensors([[first, second]], PADDING)
    assert batch["input_ids"].tolist() == [[10, 11, 12, 13, 20, 21, 22]]
    assert batch["position_ids"].tolist() == [[0, 1, 2, 3, 0, 1, 2]]
    assert batch["places"].tolist() == [2, 4, 5]
    assert batch["targets"].tolist() == [13, 21, 22]
    seen = [[place for place, there in enumerate(row) if there] for row in batch["attention_mask"][0, 0].tolist()]
    assert seen == [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [4], [4, 5], [4, 5, 6]]


def test_rows_of_one_example_need_no_mask() -> None:
    from transformers.masking_utils import find_packed_sequence_indices

    batch = tensors([[each] for each in examples()], PADDING)
    assert "attention_mask" not in batch
    assert find_packed_sequence_indices(batch["position_ids"]) is None  # nor does transformers see several in a row


def test_padding_sees_itself_alone_and_is_not_learned() -> None:
    """A place that saw nothing would be no number, and so would every gradient."""
    rows = [[Example(array("i", [10, 11, 12])), Example(array("i", [20, 21]))], [Example(array("i", [30, 31]))]]
    batch = tensors(rows, PADDING)
    mask = batch["attention_mask"][1, 0]
    assert mask.any(dim=-1).all()
    assert not mask[2:, :2].any()
    assert batch["places"].tolist() == [0, 1, 3, 5]
