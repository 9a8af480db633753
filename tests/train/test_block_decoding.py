"""Completions in blocks on small random models: against one pass over all of it, and whatever the batch is."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from pythagoras.errors import InputError
from pythagoras.llm.decoding.blocks import BlockDecoder, Blocks
from pythagoras.llm.decoding.network import Network, Rows
from pythagoras.llm.decoding.scoring import Scorer
from pythagoras.llm.decoding.tokens import Decoded, TokenRequest
from pythagoras.llm.sampling import Sampling
from pythagoras.train.diffusion.layout import tensors
from pythagoras.train.diffusion.noise import Noisy
from pythagoras.train.diffusion.proofs import Proof
from tests.train.test_decoding import CONTEXT, ENDS, KINDS, VOCABULARY, decoded, network, prompts, qwen3, written

torch = pytest.importorskip("torch")

MASK, BLOCK = 3, 4
GREEDY = Sampling(0.0, 1.0, 20)


def in_blocks(
    model: Any,
    requests: list[TokenRequest],
    blocks: Blocks,
    sampling: Sampling = GREEDY,
    batch: int = 8,
    used: Network | None = None,
) -> list[Decoded]:
    decoder = BlockDecoder(model, ENDS, MASK, blocks, sampling, batch=batch, network=used)
    return sorted(decoder.decode(requests), key=lambda one: one.request.number)


def requests(count: int, seed: int = 0) -> list[TokenRequest]:
    return [TokenRequest(number, prompt, seed=number) for number, prompt in enumerate(prompts(count, seed))]


def looked(rows: Rows, tokens: list[list[int]], causal: list[int]) -> list[Any]:
    """All that is causal stays."""
    found = rows.look(tokens, causal)
    rows.write(causal)
    return found


# --- the network ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_looking_with_a_cache_is_one_pass_with_the_mask_of_training(kind: str) -> None:
    """Two blocks, the first read and the second masked: the logits are those of [noisy; clean]."""
    model, used = network(kind)
    if kind == "llama":
        model.set_attn_implementation("sdpa")
    given = prompts(3, longest=12)
    own = [[5 + (7 * at + row) % 60 for at in range(2 * BLOCK)] for row in range(3)]
    rows = used.rows()
    rows.add(used.read(given))
    hidden = [[MASK if at in (1, 2) else token for at, token in enumerate(block[BLOCK:])] for block in own]
    first = looked(rows, [[MASK] * BLOCK for _ in own], [0, 0, 0])
    second = looked(rows, [[*block[:BLOCK], *masked] for block, masked in zip(own, hidden, strict=True)], [BLOCK] * 3)
    again = looked(rows, hidden, [0, 0, 0])
    for row, prompt in enumerate(given):
        proof = Proof(array("i", [*prompt, *own[row]]), len(prompt))
        noisy = Noisy(proof, dict.fromkeys((*range(BLOCK), BLOCK + 1, BLOCK + 2), 1.0), BLOCK)
        batch = tensors([[[noisy]]], mask=MASK, padding=0)
        with torch.inference_mode():
            logits = model(
                input_ids=batch["input_ids"],
                position_ids=batch["position_ids"],
                attention_mask=batch["attention_mask"],
                use_cache=False,
            ).logits[0]
        clean = logits[2 * BLOCK + len(prompt) :]
        assert torch.allclose(first[row], logits[:BLOCK], atol=2e-4)
        assert torch.allclose(second[row][BLOCK:], logits[BLOCK : 2 * BLOCK], atol=2e-4)
        assert torch.allclose(second[row][:BLOCK], clean, atol=2e-4)
        assert torch.allclose(again[row], logits[BLOCK : 2 * BLOCK], atol=2e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_write_differently_much_go_on_as_each_would_alone(kind: str) -> None:
    _, used = network(kind)
    given = prompts(3, seed=4, longest=15)
    tokens = [[9, 10, 11, 12, MASK], [9, 10, MASK], [MASK, MASK, MASK, MASK]]
    kept = [4, 2, 0]
    rows = used.rows()
    rows.add(used.read(given))
    together = [looked(rows, tokens, kept), looked(rows, [[20, 21, 22]] * 3, [1, 1, 1])]
    stepped = rows.step(torch.tensor([30, 31, 32]))
    for at in range(3):
        alone = used.rows()
        alone.add(used.read([given[at]]))
        assert torch.allclose(looked(alone, [tokens[at]], [kept[at]])[0], together[0][at], atol=2e-4)
        assert torch.allclose(looked(alone, [[20, 21, 22]], [1])[0], together[1][at], atol=2e-4)
        assert torch.allclose(alone.step(torch.tensor([30 + at]))[0], stepped[at], atol=2e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_the_models_own(kind: str) -> None:
    model, used = network(kind)
    prompt, completions = prompts(1)[0], [(5, 6, 7), (9,), (), (11, 12, 13, 14, 15)]
    found = Scorer(model, used).scores(prompt, completions)
    for score, own in zip(found, completions, strict=True):
        with torch.inference_mode():
            behind = model(input_ids=torch.tensor([[*prompt, *own]]), use_cache=False).logits[0].log_softmax(-1)
        expected = sum(float(behind[len(prompt) + at - 1, token]) for at, token in enumerate(own))
        assert score == pytest.approx(expected, abs=1e-3)


# --- the decoder ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_of_one_token_are_autoregressive_decoding(kind: str) -> None:
    model, used = network(kind)
    wanted = requests(6)
    # the mask may be likely, and is never written in blocks
    plain = [one for one in decoded(model, wanted, GREEDY, used=used) if MASK not in one.tokens]
    assert len(plain) > 2
    numbers = {one.request.number for one in plain}
    found = in_blocks(model, [one for one in wanted if one.number in numbers], Blocks(1), used=used)
    assert written(found) == written(plain)


@pytest.mark.parametrize(
    "blocks",
    [
        Blocks(BLOCK, 0.5),
        Blocks(BLOCK, 1.0),
        Blocks(BLOCK, steps=2),
        Blocks(8, 0.2, first=2),
        Blocks(8, 0.2, first=2, slides=True),
        Blocks(8, 0.1, slides=True, check=0.05),
    ],
)
def test_a_completion_does_not_depend_on_its_batch(blocks: Blocks) -> None:
    model = qwen3()
    drawn = Sampling(1.0, 0.9, 20)
    alone = in_blocks(model, requests(9), blocks, drawn, batch=1)
    assert written(in_blocks(model, requests(9), blocks, drawn, batch=4)) == written(alone)
    assert len({one.tokens for one in alone}) > 5
    assert not any(MASK in one.tokens for one in alone)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch", [1, 4])
def test_checked_blocks_write_what_the_model_would_token_by_token(kind: str, batch: int) -> None:
    """What has half of the probability is the likeliest, and so what decoding token by token writes."""
    model, used = network(kind)
    wanted = requests(8)
    plain = {one.request.number: one for one in decoded(model, wanted, GREEDY, used=used) if MASK not in one.tokens}
    found = in_blocks(
        model,
        [wanted[number] for number in plain],
        Blocks(8, 0.02, first=4, slides=True, check=0.5),
        batch=batch,
        used=used,
    )
    assert written(found) == written(list(plain.values()))


def test_blocks_that_slide_take_fewer_passes_and_stop_at_the_end() -> None:
    model = qwen3()
    drawn = Sampling(1.0, 1.0, 18)
    found = in_blocks(model, requests(12), Blocks(8, 0.01, first=2, slides=True), drawn)
    assert all(one.passes < len(one.tokens) for one in found if len(one.tokens) > 3)
    assert all(len(one.tokens) <= 18 for one in found)
    assert all(one.tokens[-1] in ENDS for one in found if one.ended)


def test_other_seeds_give_other_completions() -> None:
    model = qwen3()
    prompt = prompts(1)[0]
    same = [TokenRequest(number, prompt, seed=number) for number in range(12)]
    assert len({one.tokens for one in in_blocks(model, same, Blocks(BLOCK, 0.9), Sampling(1.0, 1.0, 12))}) > 6


def test_a_low_threshold_takes_fewer_passes() -> None:
    model = qwen3()
    passes = [
        sum(one.passes for one in in_blocks(model, requests(8), Blocks(8, threshold))) for threshold in (0.01, 0.5, 1.0)
    ]
    assert passes[0] < passes[1] <= passes[2]


def test_so_many_passes_a_block_as_are_asked_for() -> None:
    found = in_blocks(qwen3(), requests(8), Blocks(BLOCK, steps=2), Sampling(1.0, 1.0, 12))
    whole = [one for one in found if not one.ended]
    assert whole
    assert {one.passes for one in whole} == {6}


def test_limits_of_tokens_and_of_the_context() -> None:
    model = qwen3()
    (short,) = in_blocks(model, [TokenRequest(0, (20, 21), limit=3)], Blocks(BLOCK, 0.1), Sampling(1.0, 1.0, 30))
    assert len(short.tokens) <= 3
    long = prompts(1)[0][:1] * (CONTEXT - BLOCK)
    (last,) = in_blocks(model, [TokenRequest(0, long)], Blocks(BLOCK, 0.1), Sampling(1.0, 1.0, 30))
    assert len(last.tokens) <= BLOCK
    with pytest.raises(InputError, match="no room"):
        in_blocks(model, [TokenRequest(0, (*long, 9))], Blocks(BLOCK))


@pytest.mark.parametrize("how", [{}, {"slides": True}, {"slides": True, "check": 0.3}])
def test_what_is_given_stays_and_holes_are_filled(how: dict[str, Any]) -> None:
    """However few new tokens are allowed for; and nothing in a hole ends the proof."""
    model = qwen3()
    given = (11, None, 13, 14, 15, 16, 17, 18, None, None, 21, ENDS[0])
    for seed in range(20):
        request = TokenRequest(0, prompts(1)[0], seed=seed, given=given)
        (found,) = in_blocks(model, [request], Blocks(BLOCK, 0.9, **how), Sampling(2.0, 1.0, 4))
        assert found.ended
        for token, known in zip(found.tokens, given, strict=True):
            assert token == known if known is not None else token not in {MASK, *ENDS}


def test_blocks_grow_by_what_fits_and_shrink_by_what_was_wrong() -> None:
    """On a model that is sure of nothing every check fails, and blocks stay as small as they began."""
    sizes: list[int] = []

    class Watching(BlockDecoder):
        def _pass(self, going: Any, rows: Any) -> None:
            sizes.extend(len(row.block) for row in rows)
            super()._pass(going, rows)

    drawn = Sampling(1.0, 1.0, 24)
    for blocks in (Blocks(8, 0.001, first=2, slides=True), Blocks(8, 0.001, first=2, slides=True, check=0.9)):
        sizes.clear()
        decoder = Watching(qwen3(), (), MASK, blocks, drawn, batch=4)
        assert {len(one.tokens) for one in decoder.decode(requests(4))} == {24}
        if blocks.check:
            assert max(sizes) <= 4
        else:
            assert set(sizes) >= {2, 4, 8}


def test_growing_blocks_stay_inside_of_the_context() -> None:
    model = qwen3()
    prompt = prompts(1)[0][:1] * (CONTEXT - 13)
    for slides in (False, True):
        decoder = BlockDecoder(model, (), MASK, Blocks(8, 0.001, first=2, slides=slides), Sampling(1.0, 1.0, 100))
        (found,) = decoder.decode([TokenRequest(0, prompt)])
        assert len(found.tokens) == 13
        assert not found.ended


def test_a_watch_ends_a_completion() -> None:
    told: list[int] = []

    def watch() -> Any:
        def ends(token: int) -> bool:
            told.append(token)
            return len(told) == 6

        return ends

    decoder = BlockDecoder(qwen3(), (), MASK, Blocks(BLOCK, 0.3), Sampling(1.0, 1.0, 30), watch=watch)
    (found,) = decoder.decode([TokenRequest(0, (20, 21))])
    assert found.ended
    assert found.tokens == tuple(told)


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": -1},
        {"first": -1},
        {"size": 4, "first": 8},
        {"threshold": 0.0},
        {"threshold": 1.5},
        {"steps": -1},
        {"check": 1.0, "slides": True},
        {"check": 0.1},
        {"slides": True, "steps": 2},
    ],
)
def test_settings_that_are_none(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Blocks(**wrong)


def test_blocks_have_a_size() -> None:
    with pytest.raises(InputError, match="no size"):
        BlockDecoder(qwen3(), ENDS, MASK, Blocks())


def test_nothing_beyond_the_vocabulary() -> None:
    found = in_blocks(qwen3(), requests(5), Blocks(BLOCK, 0.2), Sampling(2.0, 1.0, 16))
    assert all(0 <= token < VOCABULARY for one in found for token in one.tokens)
