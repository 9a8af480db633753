"""What training takes: against figures that are known, and against each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pythagoras.corpus.records import Instance, Tier
from pythagoras.corpus.tokenizers import ByteCounter
from pythagoras.errors import InputError
from pythagoras.llm.architectures import architecture
from pythagoras.train.needs import Sizes, lora_parameters, multiplied, needs, sizes_of
from pythagoras.train.settings import Training, load_training


def recipe(name: str, *changes: str) -> Training:
    return load_training(name, changes)


def test_parameters_of_the_papers_models() -> None:
    small, large = needs(recipe("4b")), needs(recipe("32b"))
    assert f"{small.parameters / 1e9:.1f} {large.parameters / 1e9:.1f}" == "4.0 32.8"  # their model cards
    assert f"{architecture('qwen3-4b').layer_weights / 1e9:.1f}" == "3.6"  # the card's, without embeddings
    assert f"{architecture('qwen3-32b').layer_weights / 1e9:.1f}" == "31.2"
    assert small.adapters == lora_parameters(architecture("qwen3-4b"), 64) == 132_120_576  # as peft makes them
    assert large.adapters == 536_870_912
    assert multiplied(architecture("qwen3-4b")) == small.parameters  # its embeddings are its last layer
    assert multiplied(architecture("qwen3-32b")) < large.parameters


def test_the_formula_by_hand() -> None:
    training = recipe("4b", "lab.train_mfu=0.5", "lab.gpu_tflops=1000", "lab.gpus=4")
    sizes = Sizes({Tier.EASY: 1_000}, tokens=1_000, problems=10, prompt_tokens=100, rollout_tokens=900)
    weights, adapters = 4_022_272_000, 132_120_576
    easy, drawing, learning = needs(training, sizes).stages
    tokens = 1_000 * 2 * 1_000
    pairs = tokens * 1_000 / 2
    flops = tokens * (4 * weights + 6 * adapters + 2 * weights) + 4 * (4 * 36 * 32 * 128) * pairs
    assert (easy.stage, easy.rows, easy.tokens) == ("sft easy", 2_000, tokens)
    assert easy.flops == pytest.approx(flops)
    assert easy.gpu_hours == pytest.approx(flops / 5e14 / 3600)
    assert easy.hours == pytest.approx(easy.gpu_hours / 4)
    assert (drawing.rows, drawing.tokens) == (80, 80 * 900 + 10 * 100)
    assert learning.rows == pytest.approx(80 * 0.4)
    assert learning.flops > 10 * weights * learning.tokens


def test_memory_by_hand() -> None:
    small, large = needs(recipe("4b")), needs(recipe("32b"))
    easy, _, _, drawing, learning = small.stages
    assert easy.memory.weights == pytest.approx((2 * 4.022272 + 4 * 0.132120576), rel=1e-6)  # whole on every GPU
    assert easy.memory.logits == pytest.approx(10 * 8192 * 151_936 / 1e9)
    assert learning.memory.optimizer == pytest.approx(8 * 4.022272 / 8)
    assert drawing.memory.cache == pytest.approx(0.6 * 80 - 2 * 4.022272)
    # Keys and values: 36 layers, 2 x 8 heads of 128, 2 bytes, for prompt and rollout.
    assert small.cached_rollouts == pytest.approx(drawing.memory.cache * 1e9 / (36 * 2 * 8 * 128 * 2 * (285 + 8192)))
    assert all(stage.memory.total <= 80 for each in (small, large) for stage in each.stages)
    assert small.fits
    assert large.fits


def test_what_does_not_fit_is_seen() -> None:
    assert not needs(recipe("32b", "lab.sharded=false")).fits  # 66 GB of weights, and the rest
    assert not needs(recipe("32b", "lab.nodes=1")).fits  # an eighth of 524 GB
    assert needs(recipe("32b", "lab.nodes=1", "lab.offload=true", "rl.max_tokens=4096")).stages[-2].memory.total < 80
    assert not needs(recipe("32b", "lab.tensor_parallel=1")).fits  # no room for a cache


def test_full_training_takes_more_than_lora_and_recompute_is_counted() -> None:
    lora, full = needs(recipe("4b")).stages[0], needs(recipe("4b", "sft.method=full")).stages[0]
    assert full.flops / lora.flops == pytest.approx(8 / 6, rel=0.1)
    assert full.memory.optimizer > 20 * lora.memory.optimizer


def test_sizes_of_a_corpus() -> None:
    one = Instance("t", "theorem t : 1 = 1", "by rfl", "handmade", Tier.HARD, True)
    sizes = sizes_of([one, replace(one, tier=Tier.EASY), one], 7, ByteCounter(), "compact")
    assert sizes.instances == {Tier.EASY: 1, Tier.HARD: 2}
    assert list(sizes.instances) == [Tier.EASY, Tier.HARD]
    assert 20 < sizes.tokens < 60
    assert sizes.problems == 7
    with pytest.raises(InputError, match="no instances"):
        sizes_of([], 7, ByteCounter(), "compact")


def test_a_model_of_another_kind_is_refused() -> None:
    with pytest.raises(InputError, match="experts or latent attention"):
        needs(recipe("4b", "lab.architecture=deepseek-v3"))


def test_the_paper_has_so_many_instances() -> None:
    stages = needs(recipe("4b")).as_dict()["stages"]
    assert sum(stage["rows"] for stage in stages[:3]) == 2 * (502_071 + 338_683)
    assert needs(recipe("4b")).as_dict()["assumed"]
