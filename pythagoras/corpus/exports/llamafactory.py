"""For LLaMA-Factory, which the paper's SFT runs on: one dataset and one run a stage, chained.

Rows are chats in OpenAI's form (`messages`), which LLaMA-Factory reads as `sharegpt` with other tags; unlike `alpaca`
that has a place for a system's turn. Stages are separate runs since one run would mix them; within a run the order is
kept. The configurations have not been run here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from pythagoras.corpus import prompts
from pythagoras.corpus.exports.curriculum import HELD_OUT, Curriculum
from pythagoras.corpus.exports.draft import Draft
from pythagoras.corpus.exports.recipe import (
    BATCH_ROWS,
    EPOCHS,
    LEARNING_RATES,
    LORA_RANK,
    WARMUP,
    ExportSettings,
    Run,
    decimal,
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
_BEFORE_ALF = """\
# The paper puts reinforcement learning before this stage. When you have run it, name its model as model_name_or_path
# and remove adapter_name_or_path.
"""
_RUN = """\
#!/bin/sh
# Each stage goes on with the adapters of the one before it.
set -eu
cd "$(dirname "$0")"
for config in {configs}; do
  llamafactory-cli train "$config"
done
"""


def write(draft: Draft, curriculum: Curriculum, settings: ExportSettings) -> None:
    """Data, `dataset_info.json`, one configuration a stage, and the script that runs them in order."""
    if not prompts.prompt(settings.prompt).is_chat:
        raise InputError(
            f"LLaMA-Factory writes chats, and the prompt {settings.prompt!r} is raw text: "
            f"choose one of {', '.join(prompts.names(chat=True))}, or export for trl"
        )
    names = [stage.value for stage in curriculum.stages] + [HELD_OUT] * bool(curriculum.held_out)
    for name in names:
        draft.write_lines(f"data/{name}.jsonl", _rows(curriculum, name, settings))
    info = {_dataset(name): _described(name) for name in names}
    draft.write_text("data/dataset_info.json", json.dumps(info, indent=2) + "\n")
    chained = runs(curriculum.stages)
    for run in chained:
        draft.write_text(f"configs/{run.title}.yaml", _config(run, settings, evaluated=bool(curriculum.held_out)))
    configs = " ".join(f"configs/{run.title}.yaml" for run in chained)
    draft.write_text("run.sh", _RUN.format(configs=configs), executable=True)


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
    adapters = f"adapter_name_or_path: {run.before.output}\n" if run.before is not None else ""
    evaluation = f"\neval_dataset: {_dataset(HELD_OUT)}\neval_strategy: epoch\n" if evaluated else ""
    note = _BEFORE_ALF if run.stage is Tier.ALF and run.before is not None else ""
    return f"""\
{note}model_name_or_path: {json.dumps(settings.model)}
{adapters}
stage: sft
do_train: true
finetuning_type: lora
lora_rank: {LORA_RANK}
lora_target: all

dataset_dir: data
dataset: {_dataset(run.stage.value)}
template: qwen3_nothink
cutoff_len: {settings.budget}
disable_shuffling: true
{evaluation}
output_dir: {run.output}
learning_rate: {decimal(LEARNING_RATES[run.stage])}
num_train_epochs: {EPOCHS}

# The paper does not say these.
per_device_train_batch_size: 1
gradient_accumulation_steps: {BATCH_ROWS}
lr_scheduler_type: cosine
warmup_ratio: {WARMUP}
bf16: true
gradient_checkpointing: true
logging_steps: 10
save_strategy: epoch
"""
