"""Masked proofs against closed forms: what is masked, what it weighs, who sees what. On a real model, on a CPU."""

from __future__ import annotations

import math
from array import array
from typing import Any

import numpy
import pytest
import torch

from pythagoras.train.diffusion.layout import laid_out, tensors
from pythagoras.train.diffusion.noise import Noisy, corrupt, draw_times, masked_at
from pythagoras.train.diffusion.proofs import Proof
from pythagoras.train.settings import Noise
from pythagoras.train.trainer import summed_loss
from tests.train.learners import sharp_model

BLOCK, MASK, PADDING, END = 8, 4, 1, 0
SPANS = (range(1, 4), range(5, 6), range(7, 12), range(13, 18))
"""Of a proof of 19 tokens with its end; 0, 4, 6 and 12 are structure."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return sharp_model(tmp_path_factory.mktemp("learner"))


def proof(seed: int = 0, prompt: int = 11) -> Proof:
    drawn = torch.randint(5, 600, (prompt + 18,), generator=torch.Generator().manual_seed(seed)).tolist()
    return Proof(array("i", [*drawn, END]), prompt, str(seed), spans=SPANS)


def rng(seed: int = 0) -> numpy.random.Generator:
    return numpy.random.default_rng(seed)


def logits(model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    with torch.inference_mode():
        found: torch.Tensor = model(
            input_ids=batch["input_ids"],
            position_ids=batch["position_ids"],
            attention_mask=batch["attention_mask"],
            use_cache=False,
        ).logits
    return found


# --- what is masked ------------------------------------------------------------------------------


@pytest.mark.parametrize("time", [0.1, 0.5, 0.9])
def test_so_many_places_are_masked_as_the_time_says(time: float) -> None:
    """The expected count is t(L - |S|); the spans of 3, 1, 5, 5 tokens and the end's 6 give its standard error."""
    draws, one = 4_000, proof()
    counts = [len(masked_at(one, time, Noise(), BLOCK, rng(seed)).weights) for seed in range(draws)]
    sizes = [3, 1, 5, 5, 24 - 18]
    error = math.sqrt(time * (1 - time) * sum(size**2 for size in sizes) / draws)
    assert abs(sum(counts) / draws - time * sum(sizes)) < 4 * error


def test_spans_are_masked_whole_and_structure_never() -> None:
    one = proof()
    for seed in range(300):
        masked = set(masked_at(one, 0.5, Noise(), BLOCK, rng(seed)).weights)
        assert not masked & {0, 4, 6, 12}
        for span in (*SPANS, range(18, 24)):
            assert masked.isdisjoint(span) or masked.issuperset(span)


def test_tokens_are_masked_one_by_one_where_they_are_the_unit() -> None:
    masked = [set(masked_at(proof(), 0.5, Noise(unit="token"), BLOCK, rng(seed)).weights) for seed in range(60)]
    assert any(one & {7, 8, 9, 10, 11} not in (set(), {7, 8, 9, 10, 11}) for one in masked)
    assert not any(one & {0, 4, 6, 12} for one in masked)


def test_structure_is_masked_in_its_share_of_sequences() -> None:
    how = Noise(structure=0.25)
    share = sum(
        bool({0, 4, 6, 12} & masked_at(proof(), 0.999, how, BLOCK, rng(seed)).weights.keys()) for seed in range(2_000)
    )
    assert abs(share / 2_000 - 0.25) < 0.04


def test_a_masked_token_weighs_what_the_time_says() -> None:
    assert set(masked_at(proof(), 0.25, Noise(), BLOCK, rng(3)).weights.values()) <= {4.0, 4.0 / BLOCK}
    assert max(masked_at(proof(), 0.25, Noise(heaviest=2), BLOCK, rng(3)).weights.values()) == 2.0
    filling = masked_at(proof(), 1.0, Noise(), BLOCK, rng())
    assert [filling.weights[place] for place in (17, 18, 19)] == [1.0, 1.0, 1 / BLOCK]


def test_times_of_a_step() -> None:
    for name in ("uniform", "stratified", "antithetic"):
        times = numpy.concatenate([draw_times(64, Noise(times=name), rng(seed)) for seed in range(200)])
        assert abs(times.mean() - 0.5) < 0.01
        assert abs((times < 0.25).mean() - 0.25) < 0.02
    stratified = numpy.sort(draw_times(10, Noise(times="stratified"), rng(5)))
    assert numpy.allclose(numpy.diff(stratified), 0.1)
    pairs = numpy.sort(draw_times(6, Noise(times="antithetic"), rng(5)))
    assert numpy.allclose(pairs + pairs[::-1], 1)
    assert draw_times(500, Noise(floor=0.3), rng(1)).min() >= 0.3


def test_each_block_has_its_own_time() -> None:
    how = Noise(per_block=True)
    drawn = [corrupt([proof()], how, [BLOCK], rng(seed))[0][0].weights for seed in range(50)]
    found = [{weight for place, weight in one.items() if place < 18} for one in drawn]  # what fills up weighs less
    assert any(len(weights) > 1 for weights in found)


def test_copies_of_a_proof_have_times_far_from_each_other() -> None:
    how = Noise(times="stratified", copies=2, unit="token")
    for seed in range(20):
        noisy = corrupt([proof(at) for at in range(6)], how, [4, BLOCK], rng(seed))
        assert [[one.proof.key for one in sheet] for sheet in noisy] == [[str(at)] * 2 for at in range(6)]
        for sheet in noisy:
            first, second = (1 / (2 * max(one.weights.values())) if one.weights else None for one in sheet)
            assert first is None or second is None or abs(first - second) == pytest.approx(0.5)


# --- the loss ------------------------------------------------------------------------------------


def test_the_loss_is_that_of_the_equation(model: Any) -> None:
    """By hand, place by place: the sum over masked spans of -log p(token), over t."""
    one = proof()
    noisy = Noisy(one, dict.fromkeys((*SPANS[1], *SPANS[2]), 1 / 0.4), BLOCK)
    batch = tensors([[[noisy]]], mask=MASK, padding=PADDING)
    found = float(summed_loss(model, batch))
    total = 0.0
    own = list(one.written(BLOCK))
    for place in (*SPANS[1], *SPANS[2]):
        block = place // BLOCK
        seen = [*one.tokens[: one.prompt], *own[: block * BLOCK]]
        inside = [MASK if at in noisy.weights else own[at] for at in range(block * BLOCK, (block + 1) * BLOCK)]
        tokens = torch.tensor([[*seen, *inside]])
        width = tokens.shape[1]
        mask = torch.ones(width, width, dtype=torch.bool).tril()
        mask[len(seen) :] = True  # the block sees itself on either side, and all before it
        with torch.inference_mode():
            behind = model(input_ids=tokens, attention_mask=mask[None, None], use_cache=False).logits[0]
        total -= float(behind[one.prompt + place - 1].log_softmax(-1)[own[place]])
    assert found == pytest.approx(total / 0.4, rel=1e-5)


def test_with_spans_of_one_token_it_is_the_loss_of_masked_diffusion(model: Any) -> None:
    one = proof()
    single = Proof(one.tokens, one.prompt, one.key, spans=tuple(range(at, at + 1) for span in SPANS for at in span))
    for seed in range(5):
        by_span = masked_at(single, 0.6, Noise(unit="tactic"), BLOCK, rng(seed))
        by_token = masked_at(one, 0.6, Noise(unit="token"), BLOCK, rng(seed))
        assert by_span.weights == by_token.weights
        losses = [
            float(summed_loss(model, tensors([[[noisy]]], mask=MASK, padding=PADDING))) for noisy in (by_span, by_token)
        ]
        assert losses[0] == losses[1]


def test_the_gradient_flows_through_masked_places_alone(model: Any) -> None:
    noisy = Noisy(proof(), dict.fromkeys(SPANS[2], 1.0), BLOCK)
    batch = tensors([[[noisy]]], mask=MASK, padding=PADDING)
    hidden = model.base_model(
        input_ids=batch["input_ids"],
        position_ids=batch["position_ids"],
        attention_mask=batch["attention_mask"],
        use_cache=False,
    ).last_hidden_state.detach()
    hidden.requires_grad_()
    picked = model.get_output_embeddings()(hidden.flatten(0, 1)[batch["places"]])
    loss: Any = torch.nn.functional.cross_entropy(picked, batch["targets"])
    loss.backward()
    assert hidden.grad is not None
    moved = hidden.grad[0].abs().sum(-1).nonzero()[:, 0].tolist()
    assert len(moved) == len(SPANS[2])
    # predicted by the noisy token before each; the first one of a block by the clean token before the block
    assert sorted(moved) == sorted([6, 8, 9, 10, 24 + 11 + 7])


def test_the_autoregressive_loss_beside_is_the_models_own(model: Any) -> None:
    one = proof()
    batch = tensors([[[Noisy(one, {}, BLOCK)]]], mask=MASK, padding=PADDING, causal=0.5)
    with torch.inference_mode():
        tokens = torch.tensor([list(one.tokens)])
        behind = model(input_ids=tokens, use_cache=False).logits[0].log_softmax(-1)
    total = -sum(float(behind[at - 1, one.tokens[at]]) for at in range(one.prompt, len(one.tokens)))
    assert float(summed_loss(model, batch)) == pytest.approx(0.5 * total, rel=1e-5)


# --- who sees whom -------------------------------------------------------------------------------


def test_a_clean_token_changes_only_what_comes_behind_its_block(model: Any) -> None:
    one = proof()
    noisy = Noisy(one, dict.fromkeys((*SPANS[0], *SPANS[2], *SPANS[3]), 1.0), BLOCK)
    batch = tensors([[[noisy]]], mask=MASK, padding=PADDING)
    before = logits(model, batch)[0]
    count = 24
    for place in range(one.prompt + 16):  # every clean token that is there
        changed = {**batch, "input_ids": batch["input_ids"].clone()}
        changed["input_ids"][0, count + place] += 1
        differs = (logits(model, changed)[0] != before).any(-1).tolist()
        for at in range(count):
            assert differs[at] == (one.prompt + at // BLOCK * BLOCK > place)
        assert differs[count:] == [at >= place for at in range(len(differs) - count)]


def test_a_noisy_token_changes_its_own_block_alone(model: Any) -> None:
    batch = tensors([[[Noisy(proof(), {}, BLOCK)]]], mask=MASK, padding=PADDING)
    before = logits(model, batch)[0]
    for place in range(24):
        changed = {**batch, "input_ids": batch["input_ids"].clone()}
        changed["input_ids"][0, place] += 1
        differs = (logits(model, changed)[0] != before).any(-1).tolist()
        assert differs == [at < 24 and at // BLOCK == place // BLOCK for at in range(len(differs))]


def test_packed_rows_have_the_loss_that_each_proof_has_alone(model: Any) -> None:
    sheets = corrupt([proof(seed, prompt=7 + seed) for seed in range(7)], Noise(), [BLOCK], rng(2))
    noisy = [one for sheet in sheets for one in sheet]
    alone = sum(
        float(summed_loss(model, tensors([[[one]]], mask=MASK, padding=PADDING))) for one in noisy if one.weights
    )
    parts = laid_out(sheets, causal=False)
    assert any(len(row) > 1 for part in parts for row in part)
    together = sum(float(summed_loss(model, tensors(part, mask=MASK, padding=PADDING))) for part in parts)
    assert together == pytest.approx(alone, rel=1e-5)


def test_copies_share_what_is_clean_and_never_see_each_other(model: Any) -> None:
    how = Noise(copies=3, structure=1.0)
    sheets = corrupt([proof(seed, prompt=7 + seed) for seed in range(4)], how, [4, BLOCK], rng(1))
    noisy = [one for sheet in sheets for one in sheet]
    assert {one.block for one in noisy} == {4, BLOCK}
    alone = sum(
        float(summed_loss(model, tensors([[[one]]], mask=MASK, padding=PADDING))) for one in noisy if one.weights
    )
    parts = [tensors(part, mask=MASK, padding=PADDING) for part in laid_out(sheets, causal=False)]
    assert sum(float(summed_loss(model, part)) for part in parts) == pytest.approx(alone, rel=1e-4)
    assert sum(part["input_ids"].numel() for part in parts) < sum(
        tensors([[[one]]], mask=MASK, padding=PADDING)["input_ids"].shape[1] for one in noisy
    )
