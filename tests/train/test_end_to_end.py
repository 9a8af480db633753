"""From nothing to judged proofs: tokenizer and base model, SFT in three stages, merged, reloaded, sampled, judged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pythagoras.corpus.records import Formalisation, Tier
from pythagoras.generate.sampler import Request
from pythagoras.generate.samplers import open_sampler
from pythagoras.lean.pool import LeanPool
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.verifier import CheckedVerifier, Submission
from pythagoras.lean.wire import Limits
from pythagoras.train import threads
from pythagoras.train.base import train_base
from pythagoras.train.run_folder import opened, read_log
from pythagoras.train.settings import Base, Sft, Shape, Training
from pythagoras.train.sft import train_sft
from tests.train.learners import proofs

torch = pytest.importorskip("torch")

SHAPE = Shape(hidden=64, layers=2, heads=2, key_heads=1, head=32, inner=128)
SETTINGS = Training(
    seed=3,
    base=Base(
        vocabulary=600, shape=SHAPE, context=256, statements=80, tokens=20_000, batch_tokens=2_048, learning_rate=5e-3
    ),
    sft=Sft(rank=8, alpha=16, context=256, batch_tokens=1_024, epochs=1),
)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    threads.prepare(1)
    yield
    torch.set_num_threads(before)


def test_from_nothing_to_judged_proofs(tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    with opened(tmp_path / "base", "base", SETTINGS.base, {}, seed=SETTINGS.seed) as run:
        train_base(SETTINGS, run, lambda line: None)
        base = run.model
    instances = proofs(48)
    with opened(tmp_path / "sft", "sft", SETTINGS.sft, {}, seed=SETTINGS.seed) as run:
        train_sft(SETTINGS, instances, base, run, lambda line: None)
        model = run.model
    stages = [line["stage"] for line in read_log(tmp_path / "sft")]
    assert list(dict.fromkeys(stages)) == [tier.value for tier in (Tier.EASY, Tier.MEDIUM, Tier.HARD)]

    loaded = AutoModelForCausalLM.from_pretrained(model)
    assert loaded.config.model_type == "qwen3"
    assert not any("lora" in name for name in loaded.state_dict())  # merged
    before = AutoModelForCausalLM.from_pretrained(base).state_dict()
    assert any(not torch.equal(value, before[name]) for name, value in loaded.state_dict().items())
    text = "theorem t (n : ℕ) : n + 0 = n :=\nby simp"
    tokenizer = AutoTokenizer.from_pretrained(model)
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text

    goals = [Formalisation(each.name, each.statement, "bench") for each in instances[:4]]
    with open_sampler(f"local:{tmp_path / 'sft'}") as sampler:
        samples = list(sampler.sample([Request(goal, n, seed=n) for goal in goals for n in range(2)]))
    assert len(samples) == 8
    assert all(sample.generated_tokens for sample in samples)
    submissions = [Submission(parse_statement(f"{each.request.goal.text} := sorry"), each.text) for each in samples]
    with LeanPool(1, spare=False) as pool:
        judged = list(CheckedVerifier(pool, limits=Limits(timeout_s=20, heartbeats=20_000)).verify(submissions))
    assert all(each.verdict is not None for each in judged), [each.failure for each in judged]
