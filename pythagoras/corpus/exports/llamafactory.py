"""For LLaMA-Factory, which the paper's SFT runs on: one dataset and one run a stage, chained, then the merge.

Rows are chats in OpenAI's form (`messages`), which LLaMA-Factory reads as `sharegpt` with other tags; unlike `alpaca`
that has a place for a system's turn. Stages are separate runs since one run would mix them; within a run the order is
kept, but for packing, which sorts rows by length within its batches. LLaMA-Factory 0.9.5 parses every configuration
(tests/unit/test_lab_keys.py); none has been trained with here, for want of a GPU.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from pythagoras.corpus import prompts
from pythagoras.corpus.exports.curriculum import HELD_OUT, Curriculum
from pythagoras.corpus.exports.draft import Draft
from pythagoras.corpus.exports.recipe import (
    ACCELERATE,
    MERGED,
    ExportSettings,
    Run,
    accelerate_config,
    decimal,
    last_before_alf,
    launcher,
    once,
    ranks,
    runs,
)
from pythagoras.corpus.records import Tier
from pythagoras.errors import InputError

_TAGS = {
    "role_tag": "role",
    "content_tag": "content",
    "user_tag": "user",
    "assistant_tag": "assistant",
    "system_tag": "system",
}
_TEMPLATE = "qwen3_nothink"
_BEFORE_ALF = """\
# The paper puts reinforcement learning before this stage. When you have run it, name its model as model_name_or_path
# and remove adapter_name_or_path.
"""
_RUN = """\
#!/bin/sh
# Each stage goes on with the {what} of the one before it.
{nodes}set -eu
cd "$(dirname "$0")"
for config in {configs}; do
  {launch} -m llamafactory.launcher "$config"
done
{merge}"""


def write(draft: Draft, curriculum: Curriculum, settings: ExportSettings) -> None:
    """Data, `dataset_info.json`, one configuration a stage, and the script that runs them in order."""
    if not prompts.prompt(settings.prompt).is_chat:
        raise InputError(
            f"LLaMA-Factory writes chats, and the prompt {settings.prompt!r} is raw text: "
            f"choose one of {', '.join(prompts.names(chat=True))}, or export for trl"
        )
    for name in curriculum.names:
        draft.write_lines(f"data/{name}.jsonl", _rows(curriculum, name, settings))
    info = {_dataset(name): _described(name) for name in curriculum.names}
    draft.write_text("data/dataset_info.json", json.dumps(info, indent=2) + "\n")
    chained = runs(curriculum.stages)
    for run in chained:
        draft.write_text(f"configs/{run.title}.yaml", _config(run, settings, evaluated=bool(curriculum.held_out)))
    draft.write_text(ACCELERATE, accelerate_config(settings.machines))
    is_lora = settings.sft.method == "lora"
    if is_lora:
        draft.write_text("configs/merge.yaml", _merge(last_before_alf(chained), settings))
    script = _RUN.format(
        what="adapters" if is_lora else "model",
        nodes=ranks(settings.machines),
        configs=" ".join(f"configs/{run.title}.yaml" for run in chained),
        launch=launcher(settings.machines),
        merge=once("llamafactory-cli export configs/merge.yaml", settings.machines) if is_lora else "",
    )
    draft.write_text("run.sh", script, executable=True)


def _rows(curriculum: Curriculum, name: str, settings: ExportSettings) -> Iterator[dict[str, object]]:
    for instance in curriculum.instances(name):
        rendered = prompts.render(instance, settings.prompt)
        assert not isinstance(rendered.prompt, str)
        turns = [*rendered.prompt, prompts.Message("assistant", rendered.completion)]
        yield {"messages": [turn.as_dict() for turn in turns]}


def _dataset(name: str) -> str:
    return f"pythagoras_{name}"


def _described(name: str) -> dict[str, object]:
    return {
        "file_name": f"{name}.jsonl",
        "formatting": "sharegpt",
        "columns": {"messages": "messages"},
        "tags": _TAGS,
    }


def _config(run: Run, settings: ExportSettings, *, evaluated: bool) -> str:
    sft, machines = settings.sft, settings.machines
    is_lora = sft.method == "lora"
    model = settings.model if is_lora or run.before is None else run.before.output
    adapters = f"adapter_name_or_path: {run.before.output}\n" if is_lora and run.before is not None else ""
    lora = f"lora_rank: {sft.rank}\nlora_alpha: {sft.alpha}\nlora_target: all\n" if is_lora else ""
    packing = "packing: true\nneat_packing: true # no example sees another\nflash_attn: fa2\n" if sft.packed else ""
    evaluation = f"\neval_dataset: {_dataset(HELD_OUT)}\neval_strategy: epoch\n" if evaluated else ""
    note = _BEFORE_ALF if run.stage is Tier.ALF and run.before is not None else ""
    return f"""\
{note}model_name_or_path: {json.dumps(model)}
{adapters}
stage: sft
do_train: true
finetuning_type: {sft.method}
{lora}
dataset_dir: data
dataset: {_dataset(run.stage.value)}
template: {_TEMPLATE}
cutoff_len: {settings.budget}
disable_shuffling: true
{packing}{evaluation}
output_dir: {run.output}
learning_rate: {decimal(sft.learning_rates[run.stage])}
num_train_epochs: {sft.epochs}

# The paper does not say these.
per_device_train_batch_size: {machines.rows}
gradient_accumulation_steps: {machines.accumulation(sft.rows(settings.budget))}
lr_scheduler_type: cosine
warmup_ratio: {sft.warmup}
bf16: true
gradient_checkpointing: true
seed: {settings.seed or 0}
logging_steps: 10
save_strategy: epoch
"""


def _merge(run: Run, settings: ExportSettings) -> str:
    return f"""\
# For `llamafactory-cli export`: the adapters of the last stage put into the weights, for reinforcement learning.
model_name_or_path: {json.dumps(settings.model)}
adapter_name_or_path: {run.output}
template: {_TEMPLATE}
finetuning_type: lora
export_dir: {MERGED}
export_size: 5
export_device: auto
"""
