"""Fine-tuning as a whole: stages, adapters and their merging, what is written, and that proofs are learned."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from pythagoras.corpus import prompts
from pythagoras.corpus.records import Instance
from pythagoras.errors import InputError
from pythagoras.generate.local import Trained, trained_with
from pythagoras.train import adapters, packing
from pythagoras.train.examples import Example, Instances, Reader
from pythagoras.train.model import load_for_training, save_model
from pythagoras.train.run_folder import opened, read_log
from pythagoras.train.settings import Sft, Training
from pythagoras.train.sft import train_sft
from pythagoras.train.trainer import Fit, _Collator, fit, mean_loss
from tests.train.learners import CONTEXT, make_learner, proofs, weights, without_reasoning
from tests.unit.corpora import problem


@pytest.fixture(scope="module")
def learner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_learner(tmp_path_factory.mktemp("learner"))


def settings(**changes: Any) -> Training:
    return Training(sft=Sft.model_validate({"context": CONTEXT, "batch_tokens": 512, "rank": 8, **changes}))


def trained(folder: Path, learner: Path, instances: list[Instance], how: Training, **options: Any) -> list[Any]:
    """Train into a folder, and give what `on_step` was told."""
    told: list[Any] = []
    with opened(folder, "sft", how, {}, seed=how.seed) as run:
        train_sft(how, instances, learner, run, told.append, **options)
    return told


# --- what comes out -------------------------------------------------------------------------------


def test_a_curriculum_with_adapters(tmp_path: Path, learner: Path) -> None:
    how = settings(learning_rates={"easy": 1e-2, "medium": 5e-3})
    told = trained(tmp_path / "run", learner, proofs(30), how, validation=proofs(36)[30:], keep_stages=True)
    log = read_log(tmp_path / "run")
    assert log == json.loads(json.dumps(told))
    steps = [line for line in log if "loss" in line]
    assert list(dict.fromkeys(line["stage"] for line in log)) == ["easy", "medium", "hard"]
    for stage in ("easy", "medium", "hard"):
        own = [line for line in steps if line["stage"] == stage]
        assert [line["step"] for line in own] == list(range(1, own[0]["steps"] + 1))
        assert sum(line["examples"] for line in own) == 20  # ten, twice
        assert max(line["learning_rate"] for line in own) == {"easy": 1e-2, "medium": 5e-3, "hard": 7e-5}[stage]
        assert all(line["tokens"] <= 512 for line in own)
    checked = [line for line in log if "validation_loss" in line]
    assert [line["stage"] for line in checked] == ["easy", "medium", "hard"]
    examples = json.loads((tmp_path / "run" / "examples.json").read_text())
    assert examples["cases"] == {"easy": {"both": 10}, "medium": {"no reasoning": 10}, "hard": {"no reasoning": 10}}
    assert [stage["examples"] for stage in examples["stages"]] == [10, 10, 10]
    assert examples["validation"]["kept"] == 6
    kept = [weights(tmp_path / "run" / "stages" / stage) for stage in ("easy", "medium", "hard")]
    assert same(kept[2], weights(tmp_path / "run" / "model"))
    assert not same(kept[0], kept[1])
    assert not (tmp_path / "run" / "work").exists()
    model, tokenizer = load_for_training(tmp_path / "run" / "model")
    held = Reader(how.sft, learner, tokenizer).read(proofs(36)[30:], Instances())
    assert mean_loss(model, tokenizer, held) == pytest.approx(checked[2]["validation_loss"], rel=1e-5)
    assert tokenizer("theorem")["input_ids"] == load_for_training(learner)[1]("theorem")["input_ids"]
    embedding = "model.embed_tokens.weight"  # which is the head, too
    assert torch.equal(kept[2][embedding], weights(learner)[embedding])
    assert model.config.tie_word_embeddings
    assert trained_with(tmp_path / "run" / "model") == Trained("compact")


def test_stages_may_be_asked_for_while_a_run_goes_on_and_not_when_it_is_over(tmp_path: Path, learner: Path) -> None:
    def killed(line: Any) -> None:
        if line["stage"] == "medium":
            raise KeyboardInterrupt

    how = settings(epochs=1)
    with pytest.raises(KeyboardInterrupt), opened(tmp_path / "run", "sft", how, {}, seed=how.seed) as run:
        train_sft(how, proofs(12), learner, run, killed)
    trained(tmp_path / "run", learner, proofs(12), how, keep_stages=True)
    trained(tmp_path / "all", learner, proofs(12), how, keep_stages=True)
    for stage in ("easy", "medium", "hard"):
        assert same(*(weights(tmp_path / run / "stages" / stage) for run in ("run", "all")))
    trained(tmp_path / "none", learner, proofs(12), how)
    with pytest.raises(InputError, match="its stages were not kept: begin anew"):
        trained(tmp_path / "none", learner, proofs(12), how, keep_stages=True)


def same(first: Mapping[str, torch.Tensor], second: Mapping[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def test_all_parameters_in_the_reversed_order_and_the_same_again(tmp_path: Path, learner: Path) -> None:
    how = settings(method="full", order="reversed", epochs=1, packed=False)
    for name in ("one", "two"):
        trained(tmp_path / name, learner, proofs(18), how)
    log = read_log(tmp_path / "one")
    assert list(dict.fromkeys(line["stage"] for line in log)) == ["hard", "medium", "easy"]
    one, two = (weights(tmp_path / name / "model") for name in ("one", "two"))
    assert same(one, two)
    before = weights(learner)
    assert all(not torch.equal(one[name], before[name]) for name in before)


def test_a_finished_run_is_left_alone(tmp_path: Path, learner: Path) -> None:
    how = settings(order="shuffled", epochs=1)
    assert trained(tmp_path / "run", learner, proofs(6), how)
    assert trained(tmp_path / "run", learner, proofs(6), how) == []


def test_what_can_not_be_trained_is_refused(tmp_path: Path, learner: Path) -> None:
    with pytest.raises(InputError, match="nothing to train on"):
        trained(tmp_path / "a", learner, [], settings())
    with pytest.raises(InputError, match=r"none of 1 records can be trained on \(unreadable: problem"):
        trained(tmp_path / "b", learner, [problem()], settings())  # type: ignore[list-item]
    with pytest.raises(InputError, match=f"the model takes {CONTEXT}: set sft.context={CONTEXT}"):
        trained(tmp_path / "c", learner, proofs(3), settings(context=CONTEXT + 1))
    with pytest.raises(InputError, match="there is no model"):
        trained(tmp_path / "d", tmp_path, proofs(3), settings())


# --- adapters -------------------------------------------------------------------------------------


def test_merged_weights_say_what_adapters_say(tmp_path: Path, learner: Path) -> None:
    model, _ = load_for_training(learner)
    before = model(torch.arange(50)[None]).logits.detach()
    adapted = adapters.attach(model, 64, 128, 0)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_B" in name:  # zero as they come
                parameter.normal_(std=0.05)
    expected = adapted(torch.arange(50)[None]).logits.detach()
    assert (expected - before).abs().max() > 0.1
    adapted.save_pretrained(tmp_path / "adapters")
    fresh, _ = load_for_training(learner)
    merged = adapters.merged(adapters.attach_saved(fresh, tmp_path / "adapters"))
    torch.testing.assert_close(merged(torch.arange(50)[None]).logits, expected, atol=1e-5, rtol=0)
    assert type(merged) is type(load_for_training(learner)[0])


def test_adapters_are_on_every_linear_layer_but_the_head(learner: Path) -> None:
    adapted = adapters.attach(load_for_training(learner)[0], 8, 16, 0)
    trainable = {name for name, parameter in adapted.named_parameters() if parameter.requires_grad}
    layers = {name.split(".lora_")[0].rpartition(".")[2] for name in trainable}
    assert layers == {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}
    assert len(trainable) == 2 * 7 * 2  # two layers
    assert all("lora_" in name for name in trainable)


def test_the_same_seed_gives_the_same_adapters(learner: Path) -> None:
    torch.manual_seed(5)
    drawn = torch.rand(1)
    torch.manual_seed(5)
    first, again, other = (
        adapters.attach(load_for_training(learner)[0], 8, 16, seed).state_dict() for seed in (0, 0, 1)
    )
    assert torch.equal(torch.rand(1), drawn)  # others' random numbers are left alone
    assert same(first, again)
    assert not same(first, other)


# --- the loss of a step ---------------------------------------------------------------------------


def one_step(folder: Path, learner: Path, examples: list[Example], **how: Any) -> tuple[Any, dict[str, Any]]:
    """The weights and the log after one step on all of them."""
    model, tokenizer = load_for_training(learner)
    with opened(folder, "sft", Sft(), {}) as run:
        fit(model, tokenizer, [examples], Fit("only", 1e-3, 0.0, 0, **how), run, lambda line: None)
    return {name: value.detach() for name, value in model.state_dict().items()}, read_log(folder)[0]


def test_many_parts_are_one_batch(tmp_path: Path, learner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However a step goes through the model, its loss, its gradient and what it does to the weights are the same."""
    reader = Reader(Sft(context=CONTEXT), learner, load_for_training(learner)[1])
    examples = reader.read(proofs(40), Instances())
    found, parts = [], []
    for size, packed in ((1 << 20, True), (256, True), (1, False)):
        monkeypatch.setattr(packing, "PART_TOKENS", size)
        parts.append(len(packing.laid_out(examples, packed=packed)))
        found.append(one_step(tmp_path / f"{size}", learner, examples, packed=packed))
    assert parts[0] == 1 < parts[1] < parts[2] == 40
    (expected, whole), *others = found
    for after, line in others:
        assert line["loss"] == pytest.approx(whole["loss"], rel=1e-5)
        assert line["gradient"] == pytest.approx(whole["gradient"], rel=1e-4)
        for name, value in after.items():
            torch.testing.assert_close(value, expected[name], atol=2e-5, rtol=0)


@pytest.mark.parametrize("what", ["the loss", "the gradient's norm"])
def test_what_is_no_number_is_not_trained_on(tmp_path: Path, learner: Path, what: str) -> None:
    model, tokenizer = load_for_training(learner)
    examples = Reader(Sft(context=CONTEXT), learner, tokenizer).read(proofs(3), Instances())
    if what == "the loss":
        with torch.no_grad():
            model.model.norm.weight.fill_(float("nan"))
    else:
        model.model.norm.weight.register_hook(lambda gradient: gradient * float("nan"))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    with opened(tmp_path / "run", "sft", Sft(), {}) as run:
        with pytest.raises(InputError, match=f"^{what} is nan, .*: lower the learning rate"):
            fit(model, tokenizer, [examples], Fit("only", 1e-3, 0.0, 0, save_every=1), run, lambda line: None)
        assert not list(run.work.glob("only/checkpoint-*"))
    assert read_log(tmp_path / "run") == []
    for name, value in model.state_dict().items():
        torch.testing.assert_close(value, before[name], rtol=0, atol=0, equal_nan=True)


def test_a_step_is_not_dealt_out_to_several_gpus(
    tmp_path: Path, learner: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trl.trainer.sft_config import SFTConfig

    monkeypatch.setattr(SFTConfig, "n_gpu", 2)
    with pytest.raises(InputError, match=r"2 GPUs are visible.*CUDA_VISIBLE_DEVICES=0"):
        one_step(tmp_path / "run", learner, [])
    with pytest.raises(ValueError, match="too many values"):  # nor are two taken for one
        _Collator([[], []], lambda number, step: [])([{"step": 0}, {"step": 1}])


def test_weights_that_change_are_float32_whatever_the_folder_has(tmp_path: Path, learner: Path) -> None:
    model, tokenizer = load_for_training(learner)
    save_model(model.bfloat16(), tokenizer, tmp_path)
    assert {value.dtype for value in weights(tmp_path).values()} == {torch.bfloat16}
    assert {value.dtype for value in load_for_training(tmp_path)[0].parameters()} == {torch.float32}


# --- it learns ------------------------------------------------------------------------------------


def test_thirty_two_proofs_are_learned_by_heart(tmp_path: Path, learner: Path) -> None:
    chosen = [instance for instance in without_reasoning(proofs(300)) if len(instance.proof) > 25][:32]
    assert len({instance.proof for instance in chosen}) > 24
    how = settings(method="full", order="shuffled", epochs=90, learning_rates={"easy": 5e-3}, batch_tokens=1_024)
    told = trained(tmp_path / "run", learner, chosen, how)
    assert told[-1]["loss"] < 0.05 < told[0]["loss"]
    model, tokenizer = load_for_training(tmp_path / "run" / "model")
    assert [greedy(model.eval(), tokenizer, instance) for instance in chosen] == [each.proof for each in chosen]


def greedy(model: Any, tokenizer: Any, instance: Instance) -> str:
    prompt = tokenizer(prompts.shown(instance, "compact"), return_tensors="pt")
    made = model.generate(**prompt, do_sample=False, max_new_tokens=CONTEXT)
    return str(tokenizer.decode(made[0, prompt["input_ids"].shape[1] :], skip_special_tokens=True))
