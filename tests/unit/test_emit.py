"""Recipes of lab size as files: the paper's settings in each, chained by paths that exist, every row accounted for."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pythagoras.corpus.exports.recipe import Machines, RlPlan, SftPlan
from pythagoras.corpus.records import Record, Tier
from pythagoras.errors import InputError
from pythagoras.train.emit import DISTILLATION, RL, RL_TRL, SFT, SFT_TRL, emit
from pythagoras.train.settings import Lab, Rl, Sft, load_training
from tests.unit.emitted import GOALS, instances, small

yaml = pytest.importorskip("yaml")


def config(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    found = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    assert isinstance(found, dict)
    return found


def test_the_papers_settings_for_4b(tmp_path: Path) -> None:
    made = small(tmp_path / "out")
    folder = made.folder
    assert made.sft == dict.fromkeys(Tier, 3)
    assert made.rl == {Tier.HARD: len(GOALS)}
    assert {path.parent.name for path in folder.glob("*/run.sh")} == {SFT, RL, DISTILLATION, SFT_TRL, RL_TRL}
    stages = [config(folder / SFT / "configs" / f"{n}-{tier}.yaml") for n, tier in enumerate(Tier, 1) if n < 4]
    assert [stage["learning_rate"] for stage in stages] == [3e-4, 7e-5, 7e-5]
    for stage in stages:
        assert (stage["model_name_or_path"], stage["finetuning_type"]) == ("Qwen/Qwen3-4B", "lora")
        assert (stage["lora_rank"], stage["lora_target"], stage["cutoff_len"]) == (64, "all", 8192)
        assert (stage["num_train_epochs"], stage["neat_packing"]) == (2, True)
        assert stage["per_device_train_batch_size"] * stage["gradient_accumulation_steps"] * 8 == 64
    assert [stage.get("adapter_name_or_path") for stage in stages] == [None, "saves/1-easy", "saves/2-medium"]
    merge = config(folder / SFT / "configs" / "merge.yaml")
    assert (merge["adapter_name_or_path"], merge["export_dir"]) == ("saves/3-hard", "merged")

    grpo = config(folder / RL / "grpo.yaml")
    assert grpo["actor_rollout_ref"]["rollout"]["n"] == 8
    assert grpo["trainer"]["v1"]["sampler"]["sampler_kwargs"] == {"fewest": 1, "most": 5, "problems": 128}
    assert (grpo["trainer"]["total_epochs"], grpo["actor_rollout_ref"]["actor"]["use_kl_loss"]) == (1, False)
    assert "lora_rank" not in grpo["actor_rollout_ref"]["model"]  # all parameters train
    assert grpo["actor_rollout_ref"]["model"]["path"] == f"../{SFT}/merged"
    assert f"$PWD/../{SFT}/merged" in (folder / RL / "run.sh").read_text()
    distilled = config(folder / DISTILLATION / "configs" / "1-alf.yaml")
    assert (distilled["learning_rate"], distilled["model_name_or_path"]) == (1e-5, f"../{RL}/merged")

    assert grpo["reward"]["custom_reward_function"]["reward_kwargs"] == {"timeout_s": 60.0, "heartbeats": 400_000}
    assert grpo["actor_rollout_ref"]["actor"]["optim"]["lr_warmup_steps"] == 5
    assert grpo["trainer"]["total_training_steps"] == 1

    tried = config(folder / SFT_TRL / "configs" / "2-medium.json")
    assert (tried["lora_config"]["r"], tried["lora_config"]["target_modules"]) == (64, "all-linear")
    assert tried["adapters"] == "saves/1-easy"
    trl = config(folder / RL_TRL / "grpo.yaml")
    assert (trl["num_generations"], trl["beta"], trl["num_train_epochs"]) == (8, 0.0, 1)
    assert trl["model_name_or_path"] == f"../{SFT_TRL}/merged"
    assert trl["steps_per_generation"] * trl["per_device_train_batch_size"] * 8 == 128 * 8
    assert (trl["lr_scheduler_type"], trl["warmup_steps"]) == ("constant_with_warmup", 5)
    script = (folder / RL_TRL / "run.sh").read_text()
    assert 'PYTHAGORAS_LEAN_TIMEOUT="${PYTHAGORAS_LEAN_TIMEOUT:-60}"' in script
    assert 'PYTHAGORAS_LEAN_HEARTBEATS="${PYTHAGORAS_LEAN_HEARTBEATS:-400000}"' in script


def test_no_setting_of_reinforcement_learning_is_lost_silently(tmp_path: Path) -> None:
    carried = {field.name for field in fields(RlPlan)} & set(Rl.model_fields)
    untold = set(Rl.model_fields) - carried - {"prompt"}
    folder = small(tmp_path / "out", "4b", "rl.steps=1", "rl.updates=2", "rl.warmup=3").folder
    readme = (folder / "README.md").read_text()
    assert all(f"`rl.{name}`" in readme for name in untold)
    assert untold == {"lost", "batch"}
    assert config(folder / RL / "grpo.yaml")["trainer"]["total_training_steps"] == 1
    trl = config(folder / RL_TRL / "grpo.yaml")
    assert (trl["max_steps"], trl["warmup_steps"]) == (2, 6)  # TRL counts updates
    for section, plan in ((Sft, SftPlan), (Lab, Machines)):
        assert {field.name for field in fields(plan)} <= set(section.model_fields)


SFT_CHANGES = {
    "prompt": "kimina",
    "method": "full",
    "rank": "8",
    "alpha": "8",
    "order": "reversed",
    "length": "drop",
    "context": "4096",
    "epochs": "1",
    "learning_rates": "{hard=1e-6}",
    "batch_tokens": "65536",
    "warmup": "0.5",
    "shuffle": "false",
    "packed": "false",
    "reasoning": "false",
}


def contents(folder: Path) -> dict[str, bytes]:
    """What trainers read."""
    told = ("README.md", "export.json")
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in told)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_no_setting_of_fine_tuning_is_lost_silently(tmp_path: Path) -> None:
    assert {*SFT_CHANGES, "tokens"} == set(Sft.model_fields)
    corpus = [*instances(), replace(instances(1)[0], reasoning="word " * 9_000)]  # only its proof fits

    def made(*changes: str) -> Path:
        training = load_training("4b", ("lab.tokenizer=lean", *changes))
        return emit("4b", training, corpus, None, tmp_path / " ".join(("out", *changes))).folder

    before = contents(made())
    for name, value in SFT_CHANGES.items():
        assert contents(made(f"sft.{name}={value}")) != before, name
    told = (made("seed=5") / "README.md").read_text()
    assert "`sft.shuffle`: the order by the seed (5) is the same in every epoch" in told
    assert "`sft.batch_tokens` (524,288): an update is 64 rows of up to 8,192 tokens" in told
    assert "`sft.packed`" in told
    assert "`sft.order` (curriculum): rows of the tier alf come last" in told
    plain = (made("sft.shuffle=false", "sft.packed=false", "sft.batch_tokens=8192") / "README.md").read_text()
    assert "`sft.shuffle`" not in plain  # the order of the corpus is what every epoch has here, too
    assert "`sft.packed`" not in plain
    assert "(8,192): an update is 8 rows" in plain  # each of eight GPUs takes one
    cut = (made("sft.length=truncate") / "README.md").read_text()
    assert "`sft.length` (truncate)" in cut
    assert "`sft.length`" not in told
    counted = (made("sft.tokens=1000000") / "README.md").read_text()
    assert "`sft.tokens` (1,000,000): the trainers count epochs, and make 2 of them" in counted
    assert "`sft.tokens`" not in told


def test_rates_that_a_recipe_leaves_out_are_the_default(tmp_path: Path) -> None:
    for change in ("sft.learning_rates={easy=1e-4}", "sft.learning_rates.easy=1e-4"):
        folder = small(tmp_path / change, "4b", change, held_out=False).folder
        for at, rate in (("1-easy", 1e-4), ("2-medium", 7e-5), ("3-hard", 7e-5)):
            assert config(folder / SFT / "configs" / f"{at}.yaml")["learning_rate"] == rate
            assert config(folder / SFT_TRL / "configs" / f"{at}.json")["sft_config"]["learning_rate"] == rate
        assert config(folder / DISTILLATION / "configs" / "1-alf.yaml")["learning_rate"] == 1e-5


def test_the_order_of_fine_tuning_is_not_that_of_reinforcement_learning(tmp_path: Path) -> None:
    """Statements are shuffled by the seed whatever SFT does, and the seed is the recipe's in every case."""
    mixed = small(tmp_path / "mixed", "4b", "seed=7").folder
    kept = small(tmp_path / "kept", "4b", "seed=7", "sft.shuffle=false").folder
    for rl in (RL, RL_TRL):
        there = contents(mixed / rl)
        assert contents(kept / rl) == there
        assert contents(small(tmp_path / f"other {rl}", "4b", "seed=8").folder / rl) != there
    names = [row["extra_info"]["name"] for row in pq.read_table(kept / RL / "data" / "hard.parquet").to_pylist()]
    assert names != [goal.name for goal in GOALS]
    assert sorted(names) == sorted(goal.name for goal in GOALS)
    for folder in (mixed, kept):
        assert config(folder / SFT / "configs" / "1-easy.yaml")["seed"] == 7
        assert config(folder / SFT_TRL / "configs" / "1-easy.json")["sft_config"]["seed"] == 7
        assert config(folder / RL_TRL / "grpo.yaml")["seed"] == 7
    rows = [json.loads(line)["messages"][0]["content"] for line in (kept / SFT / "data/easy.jsonl").open()]
    assert [f"theorem t{n} " in row for n, row in zip((0, 4, 8), rows, strict=True)] == [True] * 3


def test_reinforcement_learning_begins_with_the_model_that_sft_makes(tmp_path: Path) -> None:
    """Its folder, and its prompt."""
    for method, made in (("lora", "merged"), ("full", "saves/3-hard")):
        changes = (f"sft.method={method}", "sft.prompt=kimina", "rl.prompt=kimina")
        folder = small(tmp_path / method, "4b", *changes).folder
        for sft, rl in ((SFT, RL), (SFT_TRL, RL_TRL)):
            grpo = config(folder / rl / "grpo.yaml")
            begins = grpo["actor_rollout_ref"]["model"]["path"] if rl == RL else grpo["model_name_or_path"]
            assert begins == f"../{sft}/{made}"
            configs = [path.read_text() for path in (folder / sft / "configs").iterdir()]
            assert made == "merged" or any(made in text for text in configs)
            assert (made == "merged") == ("merge" in (folder / sft / "run.sh").read_text())
        (row, *_) = pq.read_table(folder / RL / "data" / "hard.parquet").to_pylist()
        assert row["prompt"][0]["role"] == "system"  # Kimina's


def test_32b_is_split_over_its_nodes(tmp_path: Path) -> None:
    folder = small(tmp_path / "out", "32b").folder
    accelerate = config(folder / SFT / "accelerate.yaml")
    assert (accelerate["distributed_type"], accelerate["num_machines"], accelerate["num_processes"]) == ("FSDP", 4, 32)
    assert "NODE_RANK" in (folder / SFT / "run.sh").read_text()
    grpo = config(folder / RL / "grpo.yaml")
    assert (grpo["trainer"]["nnodes"], grpo["trainer"]["n_gpus_per_node"]) == (4, 8)
    assert grpo["actor_rollout_ref"]["rollout"]["tensor_model_parallel_size"] == 4
    assert config(small(tmp_path / "4b").folder / SFT / "accelerate.yaml")["distributed_type"] == "MULTI_GPU"


def test_the_data_are_in_place_and_their_rows_add_up(tmp_path: Path) -> None:
    long = replace(instances(1)[0], reasoning="word " * 9_000)  # only its proof fits
    endless = replace(long, proof="by\n" + "  omega\n" * 9_000)
    records: list[Record] = [*instances(), long, endless, GOALS[0]]
    seen: list[tuple[int, int]] = []
    made = emit(
        "4b",
        load_training("4b", ("lab.tokenizer=lean",)),
        records,
        lambda: [*GOALS, *GOALS, instances(1)[0]],
        tmp_path / "out",
        on_progress=lambda read, dropped: seen.append((read, dropped)),
    )
    assert sum(made.sft.values()) + made.left_out.total() == len(records)
    assert dict(made.left_out) == {"proof too long": 1, "unreadable": 1}
    assert seen == [(15, 2)]
    for name in (SFT, SFT_TRL):
        rows = [json.loads(line) for line in (made.folder / name / "data" / "easy.jsonl").read_text().splitlines()]
        assert len(rows) == made.sft[Tier.EASY] == 4
        assert "word word" not in json.dumps(rows)
    problems = pq.read_table(made.folder / RL / "data" / "hard.parquet").to_pylist()
    assert len(problems) == len(GOALS)  # each once
    assert (made.folder / RL / "data" / "easy.parquet").exists()
    told = json.loads((made.folder / "export.json").read_text())
    assert (told["recipe"], told["to"]) == ("4b", "lab")
    assert {path.relative_to(made.folder).as_posix() for path in made.files} == {*told["files"], "export.json"}


def test_without_held_out_statements_there_is_no_reinforcement_learning(tmp_path: Path) -> None:
    made = small(tmp_path / "out", held_out=False)
    assert made.rl == {}
    assert "`rl." not in (made.folder / "README.md").read_text()
    small(tmp_path / "other", "4b", "rl.prompt=kimina", held_out=False)  # which nothing is asked with
    assert not (made.folder / RL).exists()
    distilled = config(made.folder / DISTILLATION / "configs" / "1-alf.yaml")
    assert distilled["model_name_or_path"] == f"../{SFT}/merged"


def test_ablations(tmp_path: Path) -> None:
    reversed_ = small(tmp_path / "reversed", "4b", "sft.order=reversed").folder
    titles = [path.name for path in sorted((reversed_ / SFT / "configs").iterdir())]
    assert titles == ["1-hard.yaml", "2-medium.yaml", "3-easy.yaml", "merge.yaml"]
    mixed = small(tmp_path / "mixed", "4b", "sft.order=shuffled")
    assert {path.name for path in (mixed.folder / SFT / "data").iterdir()} == {"easy.jsonl", "dataset_info.json"}
    assert mixed.sft == {Tier.EASY: 9, Tier.ALF: 3}
    full = small(tmp_path / "full", "4b", "sft.method=full", "sft.packed=false").folder
    second = config(full / SFT / "configs" / "2-medium.yaml")
    assert (second["model_name_or_path"], second["finetuning_type"]) == ("saves/1-easy", "full")
    assert not {"lora_rank", "packing", "adapter_name_or_path"} & set(second)
    assert config(full / RL / "grpo.yaml")["actor_rollout_ref"]["model"]["path"] == f"../{SFT}/saves/3-hard"
    assert config(full / SFT_TRL / "configs" / "2-medium.json")["lora_config"] is None
    plain = small(tmp_path / "plain", "4b", "sft.reasoning=false").folder
    assert "Addition commutes" not in (plain / SFT / "data" / "easy.jsonl").read_text()


def test_what_can_not_be_emitted_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'compact', which is raw text, .* set sft\.prompt=pythagoras, or ") as told:
        small(tmp_path / "out", "embedded")
    assert "trl" not in str(told.value).lower()  # the command offers no such choice
    with pytest.raises(InputError, match=r"'pythagoras', and rl\.prompt is 'kimina': leave rl\.prompt out"):
        small(tmp_path / "out", "4b", "rl.prompt=kimina")
    with pytest.raises(InputError, match="no instance of the tiers"):
        emit("4b", load_training("4b", ("lab.tokenizer=lean",)), GOALS, None, tmp_path / "out")
    with pytest.raises(InputError, match="tokenizer"):
        emit("4b", load_training("4b", ("lab.tokenizer=nothing",)), instances(), None, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
    small(tmp_path / "out")
    with pytest.raises(InputError, match="holds an export already"):
        small(tmp_path / "out")
