"""For TRL's SFTTrainer: prompt and completion, as chats or as raw text, with the arguments that go with each stage.

The configurations are plain JSON: `sft_config` for `SFTConfig(**...)`, `lora_config` for peft's `LoraConfig(**...)`,
and the adapters that a stage goes on with. Loss is on completions only. They have not been run here. A model's own chat
template may add tokens that the length filter does not count: Qwen3's writes an empty pair of thinking tags, four
tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

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
    runs,
)


def write(draft: Draft, curriculum: Curriculum, settings: ExportSettings) -> None:
    """Data, and one file of arguments a stage."""
    names = [stage.value for stage in curriculum.stages] + [HELD_OUT] * bool(curriculum.held_out)
    for name in names:
        draft.write_lines(f"data/{name}.jsonl", _rows(curriculum, name, settings))
    for run in runs(curriculum.stages):
        config = _config(run, settings, evaluated=bool(curriculum.held_out))
        draft.write_text(f"configs/{run.title}.json", json.dumps(config, indent=2) + "\n")


def _rows(curriculum: Curriculum, name: str, settings: ExportSettings) -> Iterator[dict[str, object]]:
    for instance in curriculum.instances(name):
        rendered = prompts.render(instance, settings.prompt)
        if isinstance(rendered.prompt, str):
            yield {"prompt": rendered.prompt, "completion": rendered.completion}
        else:
            answer = prompts.Message("assistant", rendered.completion)
            yield {"prompt": [turn.as_dict() for turn in rendered.prompt], "completion": [answer.as_dict()]}


def _config(run: Run, settings: ExportSettings, *, evaluated: bool) -> dict[str, Any]:
    return {
        "model": settings.model,
        "adapters": run.before.output if run.before is not None else None,
        "train_file": f"data/{run.stage.value}.jsonl",
        "eval_file": f"data/{HELD_OUT}.jsonl" if evaluated else None,
        "sft_config": {
            "output_dir": run.output,
            "learning_rate": LEARNING_RATES[run.stage],
            "num_train_epochs": EPOCHS,
            "max_length": settings.budget,
            "completion_only_loss": True,
            "packing": False,
            "train_sampling_strategy": "sequential",  # else the order of the rows is lost
            "per_device_train_batch_size": 1,
            "gradient_accumulation_steps": BATCH_ROWS,
            "lr_scheduler_type": "cosine",
            "warmup_steps": WARMUP,  # below one it is a share
            "seed": settings.seed or 0,
        },
        "lora_config": {"r": LORA_RANK, "target_modules": "all-linear", "task_type": "CAUSAL_LM"},
    }
