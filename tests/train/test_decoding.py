"""Decoding on small random models: against transformers' own results, and whatever the batch is."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pythagoras.errors import InputError
from pythagoras.llm.decoding import draws
from pythagoras.llm.decoding.decoder import BatchDecoder, network_for
from pythagoras.llm.decoding.network import CachedNetwork, Network
from pythagoras.llm.decoding.qwen3 import FusedQwen3, is_fusible
from pythagoras.llm.decoding.tokens import Decoded, TokenRequest
from pythagoras.llm.sampling import Sampling

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

VOCABULARY, CONTEXT, NEW = 97, 64, 20
ENDS = (7, 8)
SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": 48,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": CONTEXT,
    "initializer_range": 0.4,  # far from uniform, so that a wrong step shows
}
KINDS = ["fused", "cached", "llama"]


def qwen3(seed: int = 0, **changes: Any) -> Any:
    torch.manual_seed(seed)
    model = transformers.Qwen3ForCausalLM(transformers.Qwen3Config(**(SIZES | {"tie_word_embeddings": True} | changes)))
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" in name:  # they are ones otherwise, and could be left out
                weight.uniform_(0.5, 1.5)
    return model.eval()


def network(kind: str) -> tuple[Any, Network]:
    if kind == "llama":
        torch.manual_seed(0)
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZES)).eval()
        return model, network_for(model)
    model = qwen3()
    return model, FusedQwen3(model) if kind == "fused" else CachedNetwork(model)


def prompts(count: int, seed: int = 0, longest: int = 30) -> list[tuple[int, ...]]:
    dice = random.Random(seed)
    return [tuple(dice.choices(range(VOCABULARY), k=dice.randrange(1, longest))) for _ in range(count)]


def decoded(
    model: Any,
    requests: list[TokenRequest],
    sampling: Sampling | None = None,
    batch: int = 8,
    used: Network | None = None,
) -> list[Decoded]:
    decoder = BatchDecoder(model, ENDS, sampling or Sampling(1.0, 0.9, NEW), batch=batch, network=used)
    return sorted(decoder.decode(requests), key=lambda one: one.request.number)


def written(found: list[Decoded]) -> list[tuple[tuple[int, ...], bool]]:
    return [(one.tokens, one.ended) for one in found]


def requests(count: int, seed: int = 0) -> list[TokenRequest]:
    return [TokenRequest(number, prompt, number) for number, prompt in enumerate(prompts(count, seed))]


# --- the same as transformers --------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_logits_are_those_of_the_whole_sequence(kind: str) -> None:
    """Rows of many lengths that go on, leave and enter, each against a forward of all its tokens without a cache."""
    model, used = network(kind)
    texts = [list(prompt) for prompt in prompts(7)]
    dice = random.Random(1)

    def compare(logits: Any) -> None:
        for row, text in zip(logits, texts, strict=True):
            with torch.no_grad():
                whole = model(torch.tensor([text])).logits[0, -1]
            assert (row - whole).abs().max() < 1e-4

    found = used.read(texts)
    compare([prefix.logits for prefix in found])
    rows = used.rows()
    rows.add(found)
    for step in range(12):
        new = dice.choices(range(VOCABULARY), k=len(texts))
        texts = [[*text, token] for text, token in zip(texts, new, strict=True)]
        compare(rows.step(torch.tensor(new)))
        if step in (3, 6):
            kept = [0, len(texts) - 1, 2, 3][: len(texts) - 3]
            rows.keep(kept)
            texts = [texts[at] for at in kept]
        if step == 4:
            more = [list(prompt) for prompt in prompts(2, seed=5, longest=50)]
            rows.add([*used.read(more), *used.read(more[:1])])
            texts += [*more, more[0]]


@pytest.mark.parametrize("kind", KINDS)
def test_the_likeliest_tokens_are_those_of_generate(kind: str) -> None:
    model, used = network(kind)
    wanted = requests(12)
    found = decoded(model, wanted, Sampling(0.0, 1.0, NEW), 5, used)
    for one in found:
        config = transformers.GenerationConfig(
            max_new_tokens=NEW, do_sample=False, eos_token_id=list(ENDS), pad_token_id=0
        )
        made = model.generate(torch.tensor([one.request.prompt]), generation_config=config)
        assert list(one.tokens) == made[0, len(one.request.prompt) :].tolist()
    assert {one.ended for one in found} == {True, False}


def test_what_is_fused_is_a_plain_qwen3() -> None:
    assert isinstance(network_for(qwen3()), FusedQwen3)
    assert not is_fusible(network("llama")[0])
    assert not is_fusible(qwen3(attention_bias=True))
    assert not is_fusible(qwen3(use_sliding_window=True, sliding_window=8, max_window_layers=1))
    assert not is_fusible(qwen3(hidden_act="gelu"))
    assert not is_fusible(qwen3().to(torch.bfloat16))
    stretched = {"rope_type": "linear", "factor": 2.0, "rope_theta": 10_000.0}
    assert not is_fusible(qwen3(rope_parameters=stretched))


def test_adapters_and_windows_go_by_the_models_own_forward() -> None:
    peft = pytest.importorskip("peft")
    adapted = peft.get_peft_model(qwen3(), peft.LoraConfig(target_modules="all-linear", r=4, init_lora_weights=False))
    inside = adapted.get_base_model()
    assert not is_fusible(inside)
    for model in (adapted, inside, qwen3(use_sliding_window=True, sliding_window=8, max_window_layers=1)):
        found = decoded(model.eval(), requests(6), Sampling(0.0, 1.0, NEW), 3)
        for one in found:
            text = torch.tensor([[*one.request.prompt, *one.tokens]])
            with torch.no_grad():
                likeliest = model(text).logits[0, len(one.request.prompt) - 1 : -1].argmax(-1)
            assert list(one.tokens) == likeliest.tolist()


# --- whatever the batch is -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("top_p", [1.0, 0.8])
def test_a_completion_does_not_depend_on_its_batch_or_order(kind: str, top_p: float) -> None:
    model, used = network(kind)
    sampling = Sampling(0.7, top_p, NEW)
    wanted = requests(20)
    alone = written(decoded(model, wanted, sampling, 1, used))
    assert len({tokens for tokens, _ in alone}) == 20
    assert written(decoded(model, wanted, sampling, 6, used)) == alone
    assert written(decoded(model, wanted[::-1], sampling, 64, used)) == alone
    assert written(decoded(model, wanted[5:9], sampling, 3, used)) == alone[5:9]


def test_seeds() -> None:
    prompt = prompts(1)[0]
    model = qwen3()
    seeds = [5, 5, 6, -5, 2**63 - 1, 5 + 2**64]
    found = decoded(model, [TokenRequest(at, prompt, seed) for at, seed in enumerate(seeds)])
    texts = [one.tokens for one in found]
    assert texts[0] == texts[1] == texts[5]
    assert len(set(texts)) == 4
    assert len({one.tokens for one in decoded(model, requests(1) * 4, Sampling(0.0, max_tokens=NEW))}) == 1


# --- ends ----------------------------------------------------------------------------------------


def test_rows_that_end_early_make_room_for_others() -> None:
    model = qwen3()
    limits = list(itertools.islice(itertools.cycle([1, 2, 3, NEW, 40]), 50))
    wanted = [
        TokenRequest(number, prompt, number, limit)
        for number, (prompt, limit) in enumerate(zip(prompts(50), limits, strict=True))
    ]
    found = decoded(model, wanted, batch=8)
    assert [one.request for one in found] == wanted
    for one, limit in zip(found, limits, strict=True):
        assert one.ended is (one.tokens[-1] in ENDS)
        assert not set(one.tokens[:-1]) & set(ENDS)
        assert one.ended or len(one.tokens) == min(limit, NEW, CONTEXT - len(one.request.prompt))
        assert len(one.tokens) <= limit
    assert sum(one.ended for one in found) > 5


def test_what_watches_ends_a_completion() -> None:
    model = qwen3()

    def watch() -> Any:
        seen: list[int] = []

        def ends(token: int) -> bool:
            seen.append(token)
            return len(seen) >= 2 and seen[-2] % 2 == token % 2

        return ends

    free = BatchDecoder(model, (), Sampling(1.0, 1.0, NEW), batch=4)
    watched = BatchDecoder(model, (), Sampling(1.0, 1.0, NEW), batch=4, watch=watch)
    whole = {one.request.number: one.tokens for one in free.decode(requests(12))}
    for one in watched.decode(requests(12)):
        text = whole[one.request.number]
        pairs = (at for at in range(1, NEW) if text[at - 1] % 2 == text[at] % 2)
        end = next(pairs, None)
        assert (one.tokens, one.ended) == ((text, False) if end is None else (text[: end + 1], True))


def test_prompts_and_the_context() -> None:
    model = qwen3()
    decoder = BatchDecoder(model, (), Sampling(1.0, 1.0, NEW))
    full, nearly = tuple([1] * CONTEXT), tuple([1] * (CONTEXT - 3))
    assert "64 tokens leaves no room in the model's context of 64" in decoder.refusal(full)
    assert decoder.refusal(())
    assert decoder.refusal(nearly) == ""
    with pytest.raises(InputError, match="no room"):
        list(decoder.decode([TokenRequest(0, full)]))
    (cut,) = decoder.decode([TokenRequest(0, nearly)])
    assert (len(cut.tokens), cut.ended) == (3, False)


def test_it_is_stopped_from_another_thread() -> None:
    decoder = BatchDecoder(qwen3(max_position_embeddings=100_000), (), Sampling(max_tokens=50_000), batch=2)
    endless = (TokenRequest(number, (1, 2), number, 1 if number == 0 else None) for number in itertools.count())
    stream = decoder.decode(endless)
    assert next(stream).request.number == 0
    threading.Timer(0.2, decoder.stop).start()
    assert list(stream) == []
    not_begun = decoder.decode(endless)
    decoder.stop()
    assert list(not_begun) == []
    assert len(list(decoder.decode([TokenRequest(0, (1, 2), limit=1)]))) == 1  # and begins again


def test_requests_are_read_as_there_is_room() -> None:
    read: list[int] = []

    def endless() -> Iterator[TokenRequest]:
        for number in itertools.count():
            read.append(number)
            yield TokenRequest(number, (1, 2, 3), number, 2)

    stream = BatchDecoder(qwen3(), (), Sampling(1.0), batch=4).decode(endless())
    for count in range(1, 30):
        next(stream)
        assert len(read) <= count + 8


# --- shared prompts, weights, modes --------------------------------------------------------------


def test_a_prompt_is_read_once() -> None:
    first, second = prompts(2)
    decoder = BatchDecoder(qwen3(), ENDS, Sampling(1.0, 1.0, 4), batch=3)

    def reused(*texts: tuple[int, ...]) -> list[int]:
        found = decoder.decode(TokenRequest(number, text, number) for number, text in enumerate(texts))
        return [one.reused for one in sorted(found, key=lambda one: one.request.number)]

    assert sorted(reused(first, second, first, first, second, first)) == sorted([0, 0, *[len(first)] * 3, len(second)])
    assert reused(first) == [len(first)]
    decoder.refresh()
    assert reused(first, second) == [0, 0]


def test_prompts_that_were_read_are_forgotten_when_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pythagoras.llm.decoding.decoder._KEPT_BYTES", 30_000)
    model = qwen3()
    wanted = [TokenRequest(number, prompt, number) for number, prompt in enumerate(prompts(10) * 3)]
    found = decoded(model, wanted, batch=10)
    assert written(found) == written(decoded(model, wanted, batch=30))
    assert 0 < sum(one.reused for one in found) < 2 * sum(len(prompt) for prompt in prompts(10))


@pytest.mark.parametrize("kind", ["fused", "cached"])
def test_refresh_after_the_weights_changed(kind: str) -> None:
    model, used = network(kind)
    decoder = BatchDecoder(model, ENDS, Sampling(0.0, max_tokens=NEW), network=used)
    wanted = requests(6)
    stream = decoder.decode(wanted)
    before = {one.request.number: one.tokens for one in [next(stream)]}
    with pytest.raises(RuntimeError, match="end `decode` first"):
        decoder.refresh()
    before |= {one.request.number: one.tokens for one in stream}
    left = decoder.decode(wanted)
    next(left)
    left.close()  # type: ignore[attr-defined]  # as whoever leaves a loop does
    with torch.no_grad():
        for weight, other in zip(model.parameters(), qwen3(seed=1).parameters(), strict=True):
            weight.copy_(other)
    decoder.refresh()
    after = {one.request.number: one.tokens for one in decoder.decode(wanted)}
    assert after != before
    assert after == {
        one.request.number: one.tokens for one in decoded(qwen3(seed=1), wanted, Sampling(0.0, max_tokens=NEW))
    }


@pytest.mark.parametrize("kind", ["fused", "cached"])
def test_a_model_in_training_stays_so_and_is_sampled_from_without_dropout(kind: str) -> None:
    model = qwen3(attention_dropout=0.5)
    used: Network = FusedQwen3(model) if kind == "fused" else CachedNetwork(model)
    calm = written(decoded(model, requests(6), used=used))
    model.train()
    model.model.layers[1].eval()  # one part of it may be frozen
    modes = [module.training for module in model.modules()]
    stream = BatchDecoder(model, ENDS, Sampling(1.0, 0.9, NEW), network=used).decode(requests(6))
    found = [next(stream)]
    assert not torch.is_inference_mode_enabled()  # also in the middle of it
    assert [module.training for module in model.modules()] == modes
    found += stream
    assert written(sorted(found, key=lambda one: one.request.number)) == calm
    assert [module.training for module in model.modules()] == modes
    model(torch.tensor([[1, 2, 3]]), labels=torch.tensor([[1, 2, 3]])).loss.backward()
    assert all(weight.grad is not None for weight in model.parameters())


def test_time_is_shared_among_the_rows() -> None:
    began = time.monotonic()
    found = decoded(qwen3(), requests(12), batch=4)
    assert all(one.seconds > 0 for one in found)
    assert sum(one.seconds for one in found) <= time.monotonic() - began


# --- draws ---------------------------------------------------------------------------------------


def test_random_numbers_are_uniform_and_independent() -> None:
    import numpy

    keys = draws.keys(list(range(200)))
    places = numpy.arange(200, dtype=numpy.uint64)
    grid = draws.uniforms(numpy.repeat(keys, 200), numpy.tile(places, 200)).reshape(200, 200)
    assert 0 <= grid.min() < 1e-3 < 0.999 < grid.max() < 1
    counts = numpy.histogram(grid, bins=100, range=(0, 1))[0]
    assert ((counts - 400) ** 2 / 400).sum() < 149  # 99.9 % of chi-square with 99 degrees of freedom
    for left, right in ((grid[1:], grid[:-1]), (grid[:, 1:], grid[:, :-1]), (grid[2:, 1:], grid[:-2, :-1])):
        assert abs(numpy.corrcoef(left.ravel(), right.ravel())[0, 1]) < 0.02
    assert (draws.uniforms(keys, places) != draws.uniforms(keys, places, again=1)).all()


LOGITS = [0.0, 1.0, 2.0, 0.5, -1.0, -30.0, 1.5]


def sampled(temperature: float, top_p: float, count: int) -> Any:
    import numpy

    logits = torch.tensor(LOGITS).expand(count, -1)
    place = numpy.zeros(count, dtype=numpy.uint64)
    tokens = draws.drawn(logits, draws.keys(list(range(count))), place, Sampling(temperature, top_p))
    return tokens.bincount(minlength=len(LOGITS))


@pytest.mark.parametrize(
    ("temperature", "top_p", "nucleus"), [(1.0, 1.0, 6), (0.5, 1.0, 6), (2.0, 0.85, 5), (1.0, 0.5, 2), (1.0, 0.01, 1)]
)
def test_draws_follow_the_probabilities_of_the_nucleus(temperature: float, top_p: float, nucleus: int) -> None:
    """And nothing outside of it is ever drawn: the likeliest tokens, as few as have `top_p` together."""
    count = 20_000
    chances = (torch.tensor(LOGITS, dtype=torch.float64) / temperature).softmax(-1)
    order = chances.argsort(descending=True)[:nucleus]
    assert chances[order].sum() >= top_p or top_p == 1
    assert chances[order[:-1]].sum() < top_p
    expected = chances[order] / chances[order].sum() * count
    found = sampled(temperature, top_p, count)
    assert found[order].sum() == count
    chi_square = ((found[order] - expected) ** 2 / expected).sum()
    assert chi_square < 22  # 99.9 % with at most 5 degrees of freedom


def test_without_temperature_the_likeliest_is_drawn() -> None:
    assert sampled(0.0, 0.5, 10)[2] == 10
