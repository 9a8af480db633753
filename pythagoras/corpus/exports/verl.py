"""For verl, which the paper's reinforcement learning runs on: statements to be proved, GRPO, and Lean as the reward.

Rows have no proof: a statement that the corpus has several proofs of is one problem. The reward file asks `pythagoras
lean serve`; it is copied into the export and needs nothing but Python. The configuration has not been run here.
"""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterator

import pyarrow as pa

from pythagoras.corpus import prompts
from pythagoras.corpus.exports.curriculum import HELD_OUT, Curriculum
from pythagoras.corpus.exports.draft import Draft
from pythagoras.corpus.exports.recipe import ROLLOUTS, ExportSettings
from pythagoras.corpus.records import Formalisation, Instance, Record, Truth, record_id
from pythagoras.errors import InputError

_MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string())])
_SCHEMA = pa.schema(
    [
        ("data_source", pa.string()),
        ("prompt", pa.list_(_MESSAGE)),
        ("ability", pa.string()),
        ("reward_model", pa.struct([("style", pa.string()), ("ground_truth", pa.string())])),
        (
            "extra_info",
            pa.struct(
                [
                    ("split", pa.string()),
                    ("index", pa.int64()),
                    ("id", pa.string()),
                    ("name", pa.string()),
                    ("header", pa.string()),
                    ("tier", pa.string()),
                    ("source", pa.string()),
                ]
            ),
        ),
    ]
)
_PROMPT_TOKENS = 2_048
_RUN = """\
#!/bin/sh
# Start `pythagoras lean serve` first, and name it in PYTHAGORAS_LEAN_SERVER unless it is on this machine's port 8000.
set -eu
cd "$(dirname "$0")"
exec python -m verl.trainer.main_ppo --config-path "$PWD" --config-name grpo \\
  "data.train_files=[{train}]" "data.val_files=[{validation}]" \\
  "reward.custom_reward_function.path=$PWD/reward.py" "$@"
"""


def write(draft: Draft, curriculum: Curriculum, settings: ExportSettings) -> None:
    """Parquet by stage, the reward, the configuration, and the script that runs it."""
    if not prompts.prompt(settings.prompt).is_chat:
        raise InputError(
            f"verl's prompts are chats, and {settings.prompt!r} is raw text: "
            f"choose one of {', '.join(prompts.names(chat=True))}"
        )
    stages = [stage.value for stage in curriculum.stages]
    for name in [*stages, HELD_OUT] if curriculum.held_out else stages:
        split = "test" if name == HELD_OUT else "train"
        draft.write_parquet(f"data/{name}.parquet", _rows(curriculum, name, split, settings), _SCHEMA)
    draft.write_text("reward.py", importlib.resources.files(__package__).joinpath("reward.py").read_text("utf-8"))
    train = [f"data/{stage}.parquet" for stage in stages]
    validation = [f"data/{HELD_OUT}.parquet"] if curriculum.held_out else train[:1]
    draft.write_text("grpo.yaml", _config(train, validation, settings, evaluated=bool(curriculum.held_out)))
    places = {"train": _absolute(train), "validation": _absolute(validation)}
    draft.write_text("run.sh", _RUN.format(**places), executable=True)


def as_instance(record: Record) -> Record:
    """A statement without a proof as a problem of reinforcement learning; other records as they are."""
    if not isinstance(record, Formalisation) or record.truth is Truth.FALSE:
        return record
    return Instance(
        name=record.name,
        statement=record.text,
        proof="",
        source=record.source,
        tier=record.tier,
        verified=False,
        informal=record.docstring,
        header=record.header,
        context=record.context,
        topic=record.topic,
        provenance=record.provenance,
    )


def _rows(curriculum: Curriculum, name: str, split: str, settings: ExportSettings) -> Iterator[dict[str, object]]:
    seen: set[int] = set()  # 2 million hashes are 150 MB at the most
    for instance in curriculum.instances(name):
        rendered = prompts.render(instance, settings.prompt)
        assert not isinstance(rendered.prompt, str)
        key = hash((instance.header, instance.context, instance.statement))
        if key in seen:
            continue
        context = f"{instance.context.strip()}\n\n" if instance.context.strip() else ""
        yield {
            "data_source": "pythagoras",
            "prompt": [turn.as_dict() for turn in rendered.prompt],
            "ability": "math",
            "reward_model": {"style": "rule", "ground_truth": f"{context}{instance.statement} := sorry"},
            "extra_info": {
                "split": split,
                "index": len(seen),
                "id": record_id(instance),
                "name": instance.name,
                "header": instance.header,
                "tier": instance.tier.value,
                "source": instance.source,
            },
        }
        seen.add(key)


def _absolute(files: list[str]) -> str:
    return ",".join(f"$PWD/{file}" for file in files)


def _config(train: list[str], validation: list[str], settings: ExportSettings, *, evaluated: bool) -> str:
    return f"""\
# GRPO as the paper has it: {ROLLOUTS} rollouts a problem, one epoch, no KL penalty, all parameters, and reward 1 iff
# Lean says proved. The model to begin with is the one that SFT made, its adapters merged. Batch sizes, the learning
# rate and the number of GPUs are verl's defaults: the paper does not say them.
#
# DAPO-style filtering: the paper keeps a problem only while 1 to 5 of its {ROLLOUTS} rollouts succeed. verl's main_ppo
# does not filter. Its DAPO trainer (recipe.dapo.main_dapo) drops groups whose rollouts all score the same, with
# algorithm.filter_groups.enable=True and algorithm.filter_groups.metric=acc, a value that the reward reports. The upper
# bound of 5 is not part of verl: sample each problem {ROLLOUTS} times beforehand and leave out those with 6 or more.
hydra:
  searchpath:
    - pkg://verl.trainer.config
defaults:
  - ppo_trainer
  - _self_

algorithm:
  adv_estimator: grpo
  use_kl_in_reward: false

data:
  train_files: {json.dumps(train)}
  val_files: {json.dumps(validation)}{"" if evaluated else "  # nothing is held out, and nothing is validated"}
  prompt_key: prompt
  reward_fn_key: data_source
  max_prompt_length: {min(_PROMPT_TOKENS, settings.budget // 2)}
  max_response_length: {settings.budget - min(_PROMPT_TOKENS, settings.budget // 2)}
  filter_overlong_prompts: true
  shuffle: false # the curriculum's order

actor_rollout_ref:
  model:
    path: {json.dumps(settings.model)}
  actor:
    use_kl_loss: false
  rollout:
    name: vllm
    n: {ROLLOUTS}

reward:
  custom_reward_function:
    path: reward.py
    name: compute_score

trainer:
  total_epochs: 1
  val_before_train: {json.dumps(evaluated)}
  test_freq: {20 if evaluated else -1}
"""
