"""What is emitted for TRL, in TRL: every key, two stages of SFT with a tiny model, and GRPO with Lean as its reward."""

from __future__ import annotations

import importlib
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pythagoras.corpus.exports.export import export
from pythagoras.corpus.exports.recipe import ExportSettings, RlPlan
from pythagoras.llm.architectures import architecture
from pythagoras.train import rewards
from pythagoras.train.emit import RL_TRL, SFT, SFT_TRL
from pythagoras.train.needs import attention, lora_parameters, multiplied
from tests.train.tiny import make_model
from tests.train.toy import linear, make_prover
from tests.unit.emitted import small

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

CPU = {"bf16": False, "use_cpu": True, "gradient_checkpointing": False, "model_init_kwargs": {"dtype": "float32"}}


@pytest.fixture(scope="module", params=["4b", "32b"])
def emitted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small(tmp_path_factory.mktemp("lab") / "out", request.param).folder


def test_trl_and_peft_know_every_key_of_sft(emitted: Path) -> None:
    from peft import LoraConfig
    from trl.trainer.sft_config import SFTConfig

    configs = sorted((emitted / SFT_TRL / "configs").glob("*.json"))
    assert len(configs) == 3
    for path in configs:
        config = json.loads(path.read_text())
        arguments = SFTConfig(**{**config["sft_config"], "bf16": False, "use_cpu": True})
        assert (arguments.packing, arguments.completion_only_loss, arguments.max_length) == (True, True, 8192)
        lora = LoraConfig(**config["lora_config"])
        assert (lora.r, lora.target_modules) == (64, "all-linear")
        with pytest.raises(TypeError):
            SFTConfig(**{**config["sft_config"], "learning_rates": 1.0})


def test_trl_knows_every_key_of_grpo(emitted: Path) -> None:
    from trl.scripts.grpo import make_parser

    arguments = ["--config", str(emitted / RL_TRL / "grpo.yaml"), "--bf16", "false", "--use_cpu", "true"]
    script, training, model, data = make_parser().parse_args_and_config(arguments)  # refuses what it does not know
    assert (training.num_generations, training.beta, training.epsilon_high) == (8, 0.0, 0.28)
    assert script.reward_funcs == ["pythagoras.train.rewards.lean_reward"]
    assert model.model_name_or_path == f"../{SFT_TRL}/merged"
    assert [each.data_files for each in data.datasets] == [["data/hard.jsonl"]]


def test_accelerate_knows_every_key(emitted: Path) -> None:
    settings: Any = importlib.import_module("accelerate.commands.config.config_args")
    launching: Any = importlib.import_module("accelerate.commands.launch")
    known = vars(launching.launch_command_parser().parse_args(["train.py"]))
    for name in (SFT, SFT_TRL, RL_TRL):
        config = settings.ClusterConfig.from_yaml_file(str(emitted / name / "accelerate.yaml"))
        assert config.num_processes in (8, 32)  # it has refused what it does not know
        assert set(config.fsdp_config or {}) - set(known) == set()
        if name == RL_TRL:
            assert config.fsdp_config["fsdp_version"] == 2  # all parameters train: they are split


# --- it runs -------------------------------------------------------------------------------------


def program(path: Path) -> Any:
    """A file of the export, loaded as it is."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_two_stages_of_sft_run_on_the_emitted_files(tmp_path: Path) -> None:
    from safetensors.torch import load_file
    from transformers import AutoModelForCausalLM

    make_model(tmp_path / "model")
    changes = ("sft.packed=false", "sft.context=2048", "lab.gpus=1", f"lab.model={tmp_path / 'model'}", "sft.rank=4")
    folder = small(tmp_path / "out", "4b", *changes, held_out=False).folder / SFT_TRL
    train = program(folder / "train.py")
    for name, before in (("1-easy", None), ("2-medium", "1-easy")):
        config = json.loads((folder / "configs" / f"{name}.json").read_text())
        still = {"learning_rate": 0.0} if before else {}  # what it began with is then what it ends with
        trainer = train.train(config, folder, **CPU, **still, max_steps=2, logging_steps=1, disable_tqdm=True)
        assert trainer.state.global_step == 2
        trained = {key for key, value in trainer.model.named_parameters() if value.requires_grad}
        assert trained
        assert all("lora_" in key for key in trained)
        saved = load_file(folder / "saves" / name / "adapter_model.safetensors")
        assert any(value.abs().max() > 0 for key, value in saved.items() if "lora_B" in key)  # fresh ones are 0
        if before:
            first = load_file(folder / "saves" / before / "adapter_model.safetensors")
            assert saved.keys() == first.keys()
            assert all(torch.equal(value, first[key]) for key, value in saved.items())
    train.main(["--merge", str(folder / "configs" / "2-medium.json")])
    merged = AutoModelForCausalLM.from_pretrained(folder / "merged")
    begun = AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    place = "model.layers.0.self_attn.q_proj.weight"
    assert not torch.equal(merged.state_dict()[place], begun.state_dict()[place])


def test_grpo_runs_by_trls_own_script_with_lean_as_the_reward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The prover writes `omega` now and then, which alone proves these statements: rewards differ within a group."""
    grpo: Any = importlib.import_module("trl.scripts.grpo")
    make_prover(tmp_path / "prover", tactics=("omega", "rfl"))
    plan = RlPlan(problems=2, max_tokens=12, learning_rate=1e-3)
    settings = ExportSettings(prompt="compact", model=str(tmp_path / "prover"), rl=plan, budget=128)
    folder = export(linear(4), tmp_path / "out", "trl-grpo", settings).folder
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHAGORAS_LEAN", "embedded")
    monkeypatch.setenv("PYTHAGORAS_LEAN_JOBS", "1")
    monkeypatch.setattr(rewards, "_OPENED", {})
    scored: list[list[float | None]] = []
    real = rewards.lean_reward

    def lean_reward(*args: Any, **named: Any) -> list[float | None]:
        scored.append(real(*args, **named))
        return scored[-1]

    monkeypatch.setattr(rewards, "lean_reward", lean_reward)
    changes = {"bf16": "false", "use_cpu": "true", "gradient_checkpointing": "false", "use_vllm": "false"}
    more = {"dtype": "float32", "max_steps": "2", "save_strategy": "no", "disable_tqdm": "true"}
    small_steps = {"per_device_train_batch_size": "8", "steps_per_generation": "2", "gradient_accumulation_steps": "2"}
    options = [part for name, value in {**changes, **more, **small_steps}.items() for part in (f"--{name}", value)]
    script, training, model, data = grpo.make_parser().parse_args_and_config(["--config", "grpo.yaml", *options])
    grpo.main(script, training, model, data)
    assert [len(each) for each in scored] == [16, 16]
    assert {reward for each in scored for reward in each} == {0.0, 1.0}


# --- what training takes -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["qwen3-4b", "qwen3-32b"])
def test_adapters_have_as_many_parameters_as_peft_gives_them(name: str) -> None:
    from peft import LoraConfig, get_peft_model

    with torch.device("meta"):
        model = _qwen3(**_shape(name))
        wrapped: Any = get_peft_model(model, LoraConfig(r=64, target_modules="all-linear", task_type="CAUSAL_LM"))
    counted = sum(weight.numel() for weight in wrapped.parameters() if weight.requires_grad)
    assert lora_parameters(architecture(name), 64) == counted


def test_the_formula_counts_what_torch_counts(tmp_path: Path) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    shape = {**_shape("qwen3-4b"), "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3}
    shape |= {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 300}
    model, tokens = _qwen3(**shape), 96
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**shape, "model_type": "qwen3"}))
    known = architecture(str(path))
    ids = torch.zeros((1, tokens), dtype=torch.long)
    with FlopCounterMode(display=False) as forward:
        loss = model(ids, labels=ids, use_cache=False).loss
    # Written out, attention compares all pairs of a sequence; we count the half of them that are attended to.
    pairs = 2 * attention(known, tokens, tokens)
    assert forward.get_total_flops() == pytest.approx(2 * multiplied(known) * tokens + pairs, rel=0.01)
    with FlopCounterMode(display=False) as backward:
        loss.backward()
    assert backward.get_total_flops() == pytest.approx(2 * forward.get_total_flops(), rel=0.1)


def _shape(name: str) -> dict[str, Any]:
    known = architecture(name)
    wanted = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads")
    return {each: getattr(known, each) for each in (*wanted, "head_dim", "vocab_size", "tie_word_embeddings")}


def _qwen3(**shape: Any) -> Any:
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config: Any = Qwen3Config
    model: Any = Qwen3ForCausalLM
    return model(config(**shape, attn_implementation="eager"))  # of the other one torch counts nothing on a CPU
