"""What training takes: against figures that are known, and against each other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pythagoras.cli.plan import plan
from pythagoras.corpus.records import Instance, Record, Tier
from pythagoras.corpus.rows import to_line
from pythagoras.corpus.tokenizers import ByteCounter
from pythagoras.errors import InputError
from pythagoras.llm.architectures import architecture
from pythagoras.train.emit import emit
from pythagoras.train.needs import Sizes, lora_parameters, multiplied, needs, sizes_of
from pythagoras.train.settings import Training, load_training
from tests.unit.emitted import GOALS, instances
from tests.unit.processes import pythagoras


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
    easy, _, _, drawing, learning, distilling, tuning = small.stages
    assert easy.memory.weights == pytest.approx((2 * 4.022272 + 4 * 0.132120576), rel=1e-6)  # whole on every GPU
    assert easy.memory.logits == pytest.approx(10 * 8192 * 151_936 / 1e9)
    assert learning.memory.optimizer == pytest.approx(8 * 4.022272 / 8)
    assert drawing.memory.cache == pytest.approx(0.6 * 80 - 2 * 4.022272)
    assert drawing.memory.optimizer > distilling.memory.optimizer == 0  # nothing trains beside that
    assert tuning.memory == easy.memory
    # Keys and values: 36 layers, 2 x 8 heads of 128, 2 bytes, for prompt and rollout.
    assert small.cached_rollouts == pytest.approx(drawing.memory.cache * 1e9 / (36 * 2 * 8 * 128 * 2 * (285 + 8192)))
    assert all(stage.memory.total <= 80 for each in (small, large) for stage in each.stages)
    assert small.fits
    assert large.fits


def test_what_does_not_fit_is_seen() -> None:
    assert not needs(recipe("32b", "lab.sharded=false")).fits  # 66 GB of weights, and the rest
    assert not needs(recipe("32b", "lab.nodes=1")).fits  # an eighth of 524 GB
    drawing = needs(recipe("32b", "lab.nodes=1", "lab.offload=true", "rl.max_tokens=4096")).stages[3]
    assert drawing.stage == "rl rollouts"
    assert drawing.memory.total < 80
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
    assert (sizes.problems, sizes.counted) == (7, True)
    with pytest.raises(InputError, match="no instances"):
        sizes_of([], 7, ByteCounter(), "compact")


def test_self_distillation_is_drawn_and_trained_on() -> None:
    training = recipe("4b")
    sizes = Sizes({Tier.EASY: 1_000, Tier.ALF: 1_000}, tokens=1_000, problems=0)
    easy, drawing, tuning = needs(training, sizes).stages
    assert (drawing.stage, drawing.rows, drawing.tokens) == ("distillation rollouts", 1_000, 1_000_000)
    assert drawing.flops == pytest.approx(1e6 * 2 * 4_022_272_000 + 4 * 36 * 32 * 128 * 1e6 * 1_000 / 2)
    assert tuning == replace(easy, stage="distillation training")
    paper = needs(training)
    assert [stage.rows for stage in paper.stages[-2:]] == [2_000_000, 4_000_000]
    assert any("self-distillation draws 2,000,000 proofs" in line for line in paper.assumed)


def test_a_corpus_that_is_there_is_not_drawn() -> None:
    sizes = Sizes({Tier.EASY: 10, Tier.ALF: 10}, tokens=1_000, problems=0, counted=True)
    found = needs(recipe("32b", "lab.tensor_parallel=1"), sizes)
    assert [stage.stage for stage in found.stages] == ["sft easy", "distillation training"]
    assert found.cached_rollouts is None
    assert found.fits  # rollouts would not
    assert not any("1,000" in line or "problems" in line for line in found.assumed)
    assert found.as_dict()["cached_rollouts"] is None


def test_plan_for_a_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the command says is what `run --emit` writes."""
    corpus, statements = tmp_path / "corpus.jsonl", tmp_path / "held_out.jsonl"
    long = replace(instances(1)[0], proof="by\n" + "  omega\n" * 9_000)
    write(corpus, [*instances(), long])
    write(statements, GOALS)
    asked = ("--set", "lab.tokenizer=lean", "--corpus", str(corpus), "--held-out", str(statements))
    done = pythagoras("plan", "4b", *asked, "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip() == "1 instances are left out: proof too long"
    told = json.loads(done.stdout)["training"]
    rows = {stage["stage"]: stage["rows"] for stage in told["stages"]}
    made = emit("4b", recipe("4b", "lab.tokenizer=lean"), instances(), lambda: GOALS, tmp_path / "out")
    tuned = {f"sft {tier.value}": 2 * made.sft[tier] for tier in (Tier.EASY, Tier.MEDIUM, Tier.HARD)}
    assert rows == {
        **tuned,
        **{"rl rollouts": 8 * len(GOALS), "rl training": 0.4 * 8 * len(GOALS)},
        "distillation training": 2 * made.sft[Tier.ALF],
    }
    plan("4b", corpus=[corpus], changes=["lab.tokenizer=lean"])
    shown = capsys.readouterr().out
    assert "sft hard" in shown
    assert "rl " not in shown  # nobody named statements
    with pytest.raises(InputError, match=r"has no section \[lab\]"):
        plan("embedded", corpus=[corpus])
    with pytest.raises(InputError, match="a corpus that is there is not planned"):
        plan("4b", corpus=[corpus], problems=5)
    with pytest.raises(InputError, match="name that with --corpus"):
        plan("4b", held_out=[statements])


def write(path: Path, records: Sequence[Record]) -> None:
    path.write_text("".join(f"{to_line(record)}\n" for record in records), encoding="utf-8")


def test_a_model_of_another_kind_is_refused() -> None:
    with pytest.raises(InputError, match="experts or latent attention"):
        needs(recipe("4b", "lab.architecture=deepseek-v3"))


def test_the_paper_has_so_many_instances() -> None:
    stages = needs(recipe("4b")).as_dict()["stages"]
    assert sum(stage["rows"] for stage in stages[:3]) == 2 * (502_071 + 338_683)
    assert needs(recipe("4b")).as_dict()["assumed"]
