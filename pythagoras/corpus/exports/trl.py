"""For TRL: SFT on prompts and completions, and GRPO on statements, as chats or as raw text.

SFT's configurations are plain JSON for the program beside them (`train.py`): `sft_config` for `SFTConfig(**...)`,
`lora_config` for peft's `LoraConfig(**...)`, and the adapters that a stage goes on with. Loss is on completions only.
GRPO's is a YAML file for TRL's own script; its reward is `pythagoras.train.rewards.lean_reward`. TRL takes every key,
and both run here with a tiny model on a CPU (tests/train/test_lab.py); on GPUs they have not.

A model's own chat template may add tokens that the length filter does not count: Qwen3's writes an empty pair of
thinking tags, four tokens.
"""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.corpus.exports.curriculum import HELD_OUT, Curriculum
from pythagoras.corpus.exports.draft import Draft
from pythagoras.corpus.exports.recipe import (
    ACCELERATE,
    ExportSettings,
    Run,
    accelerate_config,
    decimal,
    last_before_alf,
    launcher,
    once,
    ranks,
    runs,
    wanted_lean,
)
from pythagoras.corpus.goals import each_once

_RUN_SFT = """\
#!/bin/sh
# Each stage goes on with the {what} of the one before it.
{nodes}set -eu
cd "$(dirname "$0")"
for config in {configs}; do
  {launch} train.py "$config"
done
{merge}"""
_RUN_GRPO = """\
#!/bin/sh
# PYTHAGORAS_LEAN names the Lean that judges: {lean}.
# A server's key, if it has one, is in LEAN_SERVER_API_KEY.
{nodes}set -eu
cd "$(dirname "$0")"
: "${{PYTHAGORAS_LEAN:?say which Lean judges}}"
export PYTHAGORAS_LEAN_TIMEOUT="${{PYTHAGORAS_LEAN_TIMEOUT:-{timeout_s:g}}}"
{heartbeats}{launch} -m trl.scripts.grpo --config grpo.yaml "$@"
"""


def write(draft: Draft, curriculum: Curriculum, settings: ExportSettings) -> None:
    """For SFT: data, one file of arguments a stage, and what runs them."""
    for name in curriculum.names:
        draft.write_lines(f"data/{name}.jsonl", _rows(curriculum, name, settings))
    chained = runs(curriculum.stages)
    for run in chained:
        config = _sft_config(run, settings, evaluated=bool(curriculum.held_out))
        draft.write_text(f"configs/{run.title}.json", json.dumps(config, indent=2) + "\n")
    draft.write_text("train.py", importlib.resources.files(__package__).joinpath("trl_sft.py").read_text("utf-8"))
    draft.write_text(ACCELERATE, accelerate_config(settings.machines))
    is_lora, merged = settings.sft.method == "lora", last_before_alf(chained)
    script = _RUN_SFT.format(
        what="adapters" if is_lora else "model",
        nodes=ranks(settings.machines),
        configs=" ".join(f"configs/{run.title}.json" for run in chained),
        launch=launcher(settings.machines),
        merge=once(f"python train.py --merge configs/{merged.title}.json", settings.machines) if is_lora else "",
    )
    draft.write_text("run.sh", script, executable=True)


def write_grpo(draft: Draft, curriculum: Curriculum, settings: ExportSettings) -> None:
    """For GRPO: statements, TRL's arguments, and what runs them."""
    headers: set[str] = set()
    written = {
        name: draft.write_lines(f"data/{name}.jsonl", _problems(curriculum, name, settings, headers))
        for name in curriculum.names
    }
    statements = sum(rows for name, rows in written.items() if name != HELD_OUT)
    draft.write_text("grpo.yaml", _grpo_config(curriculum, statements, settings))
    whole = replace(settings.machines, sharded=settings.machines.all_gpus > 1)  # all parameters train
    draft.write_text(ACCELERATE, accelerate_config(whole))
    limit, name = settings.rl.heartbeats, "PYTHAGORAS_LEAN_HEARTBEATS"
    script = _RUN_GRPO.format(
        lean=wanted_lean(headers),
        nodes=ranks(whole),
        launch=launcher(whole),
        timeout_s=settings.rl.timeout_s,
        heartbeats=f'export {name}="${{{name}:-{limit}}}"\n' if limit is not None else "",
    )
    draft.write_text("run.sh", script, executable=True)


def _rows(curriculum: Curriculum, name: str, settings: ExportSettings) -> Iterator[dict[str, object]]:
    for instance in curriculum.instances(name):
        rendered = prompts.render(instance, settings.prompt)
        if isinstance(rendered.prompt, str):
            yield {"prompt": rendered.prompt, "completion": rendered.completion}
        else:
            answer = prompts.Message("assistant", rendered.completion)
            yield {"prompt": [turn.as_dict() for turn in rendered.prompt], "completion": [answer.as_dict()]}


def _problems(
    curriculum: Curriculum, name: str, settings: ExportSettings, headers: set[str]
) -> Iterator[dict[str, object]]:
    """The problems of a stage; `headers` gets what they stand on."""
    for instance, target in each_once(curriculum.instances(name)):
        headers.add(instance.header)
        shown = prompts.shown(instance, settings.prompt)
        yield {
            "prompt": shown if isinstance(shown, str) else [turn.as_dict() for turn in shown],
            "statement": target,
            "name": instance.name,
            "header": instance.header,
        }


def _sft_config(run: Run, settings: ExportSettings, *, evaluated: bool) -> dict[str, Any]:
    sft, machines = settings.sft, settings.machines
    is_lora = sft.method == "lora"
    # Without flash attention, packed examples would see each other.
    packing = {"packing": True, "packing_strategy": "bfd"} if sft.packed else {"packing": False}
    loading = {"dtype": "bfloat16"} | ({"attn_implementation": "flash_attention_2"} if sft.packed else {})
    return {
        "model": settings.model if is_lora or run.before is None else run.before.output,
        "adapters": run.before.output if is_lora and run.before is not None else None,
        "train_file": f"data/{run.stage.value}.jsonl",
        "eval_file": f"data/{HELD_OUT}.jsonl" if evaluated else None,
        "sft_config": {
            "output_dir": run.output,
            "learning_rate": sft.learning_rates[run.stage],
            "num_train_epochs": sft.epochs,
            "max_length": settings.budget,
            "completion_only_loss": True,
            **packing,
            "train_sampling_strategy": "sequential",  # else the order of the rows is lost
            "per_device_train_batch_size": machines.rows,
            "gradient_accumulation_steps": machines.accumulation(sft.rows(settings.budget)),
            "lr_scheduler_type": "cosine",
            "warmup_steps": sft.warmup,  # below one it is a share
            "bf16": True,
            "gradient_checkpointing": True,
            "model_init_kwargs": loading,
            "seed": settings.seed or 0,
            "logging_steps": 10,
            "save_strategy": "epoch",
            "eval_strategy": "epoch" if evaluated else "no",
            "report_to": "none",
        },
        "lora_config": {
            "r": sft.rank,
            "lora_alpha": sft.alpha,
            "lora_dropout": 0.0,
            "target_modules": "all-linear",
            "task_type": "CAUSAL_LM",
        }
        if is_lora
        else None,
    }


def _grpo_config(curriculum: Curriculum, statements: int, settings: ExportSettings) -> str:
    rl, machines = settings.rl, settings.machines
    passes = machines.accumulation(rl.step_problems(statements) * rl.rollouts)
    files = [f"data/{stage.value}.jsonl" for stage in curriculum.stages]
    last = f"max_steps: {rl.steps * rl.updates}\n" if rl.steps is not None else ""
    return f"""\
# GRPO with TRL: {rl.rollouts} rollouts a problem, no KL penalty, all parameters, reward 1 iff Lean says proved.
# Problems that all or none of the rollouts solve change nothing, but are not replaced, and those with more than
# {rl.most} successes do train: for the paper's filter use verl. Batch sizes, learning rate and clipping are ours.
model_name_or_path: {json.dumps(rl.begins_with or settings.model)}
dtype: bfloat16
datasets:
  - path: json
    data_files: {json.dumps(files)}
    split: train
reward_funcs: [pythagoras.train.rewards.lean_reward]

output_dir: saves/grpo
num_generations: {rl.rollouts}
beta: 0.0
epsilon: {rl.clip_low}
epsilon_high: {rl.clip_high}
loss_type: dapo # the mean over all tokens of a batch
learning_rate: {decimal(rl.learning_rate)}
lr_scheduler_type: constant_with_warmup
warmup_steps: {rl.warmup * rl.updates}
num_train_epochs: {rl.epochs}
{last}shuffle_dataset: false # the curriculum's order
max_completion_length: {settings.rollout_tokens}
temperature: {rl.temperature}
per_device_train_batch_size: {machines.rows}
steps_per_generation: {passes}
gradient_accumulation_steps: {max(1, passes // rl.updates)}
bf16: true
gradient_checkpointing: true
use_vllm: true
vllm_mode: colocate
vllm_tensor_parallel_size: {machines.tensor_parallel}
vllm_gpu_memory_utilization: {machines.cache_share}
seed: {settings.seed or 0}
logging_steps: 1
save_steps: 50
report_to: none
"""
