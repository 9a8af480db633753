"""A base model from scratch: a tiny one learns, loads as any other, and comes out the same whatever interrupts it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from pythagoras.corpus.generator.generate import generate
from pythagoras.errors import InputError
from pythagoras.train.base import base_steps, examples_of, train_base
from pythagoras.train.model import load_for_training, new_model, parameters
from pythagoras.train.run_folder import opened, read_log
from pythagoras.train.settings import Base, Shape, Training
from pythagoras.train.text import core_texts
from pythagoras.train.tokenizer import train_tokenizer

SHAPE = Shape(hidden=32, layers=2, heads=2, key_heads=1, head=16, inner=64)
BASE = Base(
    vocabulary=512, shape=SHAPE, context=128, statements=60, tokens=24_000, batch_tokens=2_048, learning_rate=5e-3
)
SETTINGS = Training(seed=5, base=BASE)


class Killed(Exception):
    """Stands for a kill."""


def trained(folder: Path, stop_at: int | None = None) -> list[dict[str, Any]]:
    """Train, and say what was logged; `stop_at` kills it there."""

    def on_step(line: Mapping[str, Any]) -> None:
        if line["step"] == stop_at:
            raise Killed

    with opened(folder, "base", BASE, {}, seed=SETTINGS.seed) as run:
        train_base(SETTINGS, run, on_step, save_every=3)
    return read_log(folder)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    model, _ = load_for_training(folder / "model")
    return dict(model.state_dict())


def learning(lines: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What does not depend on the clock."""
    return [tuple(value for key, value in line.items() if key != "seconds") for line in lines]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base") / "run"
    trained(folder)
    return folder


def test_it_learns(uninterrupted: Path) -> None:
    lines = read_log(uninterrupted)
    assert [line["step"] for line in lines] == list(range(1, len(lines) + 1))
    assert {"stage", "step", "loss", "learning_rate", "tokens", "seconds"} <= set(lines[0])
    assert {line["stage"] for line in lines} == {"base"}
    assert lines[0]["loss"] == pytest.approx(torch.log(torch.tensor(512.0)).item(), abs=0.3)  # it knows nothing yet
    assert lines[-1]["loss"] < lines[0]["loss"] - 0.5
    assert sum(line["tokens"] for line in lines) >= BASE.tokens


def test_it_loads_as_any_other_model(uninterrupted: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(uninterrupted / "model")
    tokenizer = AutoTokenizer.from_pretrained(uninterrupted / "model")
    assert model.config.model_type == "qwen3"
    assert model.config.tie_word_embeddings
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight
    assert model.generation_config.eos_token_id == tokenizer.eos_token_id
    prompt: Any = tokenizer("theorem t : 1 + 1 = 2 :=\n", return_tensors="pt")
    made = model.generate(**prompt, max_new_tokens=4, do_sample=False)
    assert made.shape[1] > prompt["input_ids"].shape[1]


def test_what_was_trained_on_is_told(uninterrupted: Path) -> None:
    told = json.loads((uninterrupted / "examples.json").read_text())
    assert told["texts"]["statement"] == BASE.statements
    assert told["steps"] == len(read_log(uninterrupted))
    assert told["tokens"] == sum(line["tokens"] for line in read_log(uninterrupted))


@pytest.mark.parametrize("stop_at", [2, 7])
def test_a_run_that_is_killed_ends_as_if_it_had_not_been(uninterrupted: Path, tmp_path: Path, stop_at: int) -> None:
    """Before its first checkpoint, and between two."""
    with pytest.raises(Killed):
        trained(tmp_path / "run", stop_at)
    assert not (tmp_path / "run" / "model").exists()
    lines = trained(tmp_path / "run")
    assert learning(lines) == learning(read_log(uninterrupted))
    expected = weights(uninterrupted)
    assert all(torch.equal(value, expected[name]) for name, value in weights(tmp_path / "run").items())


def test_a_finished_run_is_left_as_it_is(uninterrupted: Path) -> None:
    before = (uninterrupted / "model" / "model.safetensors").stat().st_mtime_ns
    trained(uninterrupted, stop_at=1)  # no step is made, so nothing kills it
    assert (uninterrupted / "model" / "model.safetensors").stat().st_mtime_ns == before


def test_texts_come_again_where_there_are_too_few() -> None:
    texts = ["theorem a : True := trivial", "theorem b (n : ℕ) : n = n := rfl"]
    tokenizer = train_tokenizer(texts, 512)
    once = sum(len(example.tokens) for example in examples_of(texts, tokenizer, 128))
    steps = base_steps(texts, tokenizer, BASE.model_copy(update={"tokens": 5 * once, "batch_tokens": 2 * once}))
    assert [len(step) for step in steps] == [4, 4, 2]


def test_a_long_text_is_cut_at_the_context_and_nothing_is_lost() -> None:
    texts = list(core_texts(20, seed=0))
    tokenizer = train_tokenizer(texts, 512)
    examples = examples_of(texts, tokenizer, 16)
    assert max(len(example.tokens) for example in examples) == 16
    assert all(example.prompt == 0 for example in examples)
    whole = [token for text in texts for token in (*tokenizer(text)["input_ids"], tokenizer.eos_token_id)]
    got = [token for example in examples for token in example.tokens]
    lost = len(whole) - len(got)  # an end that would stand alone has nothing before it to learn from
    assert 0 <= lost < len(texts)


def test_the_default_shape_has_about_six_million_parameters() -> None:
    tokenizer = train_tokenizer([drawn.formalisation.text for drawn in generate(300, seed=0)], 2_048)
    model = new_model(Shape(), tokenizer, context=512, seed=0)
    assert 5.5e6 < parameters(model) < 6.5e6


def test_a_new_model_depends_on_its_seed_and_on_nothing_else() -> None:
    tokenizer = train_tokenizer(["theorem"], 512)
    torch.manual_seed(1)
    first: Any = new_model(SHAPE, tokenizer, 128, seed=3)
    drawn = torch.rand(1)
    torch.manual_seed(1)
    assert torch.equal(torch.rand(1), drawn)  # others' random numbers are left alone
    again = new_model(SHAPE, tokenizer, 128, seed=3)
    other: Any = new_model(SHAPE, tokenizer, 128, seed=4)
    pairs = zip(first.parameters(), again.parameters(), strict=True)
    assert all(torch.equal(one, two) for one, two in pairs)
    assert not torch.equal(first.get_input_embeddings().weight, other.get_input_embeddings().weight)


def test_heads_that_can_not_be_shared_are_refused() -> None:
    with pytest.raises(InputError, match="3 heads"):
        new_model(SHAPE.model_copy(update={"heads": 3, "key_heads": 2}), train_tokenizer(["x"], 512), 128, seed=0)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no model"):
        load_for_training(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="can't load"):
        load_for_training(tmp_path)
