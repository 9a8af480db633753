"""For verl, which the paper's reinforcement learning runs on: statements to be proved, GRPO, and Lean as the reward.

Rows have no proof: a statement that the corpus has several proofs of is one problem. The reward file asks `pythagoras
lean serve`, and the sampler has the paper's filter of problems; both are copied into the export and need nothing of
ours. verl 0.9.1 reads the configuration and loads both files (tests/unit/test_lab_keys.py, test_verl.py); it has not
been trained with here, for want of a GPU.
"""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterator

import pyarrow as pa

from pythagoras.corpus import prompts
from pythagoras.corpus.exports.curriculum import HELD_OUT, Curriculum
from pythagoras.corpus.exports.draft import Draft
from pythagoras.corpus.exports.recipe import ExportSettings, decimal
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
_SAMPLER = "SuccessFilter"
_RUN = """\
#!/bin/sh
# Start `pythagoras lean serve` first, and name it in PYTHAGORAS_LEAN_SERVER unless it is on this machine's port 8000.
{nodes}set -eu
cd "$(dirname "$0")"
export PYTHAGORAS_LEAN_TIMEOUT="${{PYTHAGORAS_LEAN_TIMEOUT:-{timeout_s:g}}}"
python -m verl.trainer.main_ppo --config-path "$PWD" --config-name grpo \\
  "data.train_files=[{train}]" "data.val_files=[{validation}]" \\
  {model}"trainer.default_local_dir=$PWD/saves" \\
  "reward.custom_reward_function.path=$PWD/reward.py" \\
  "trainer.v1.sampler.custom_sampler.path=$PWD/sampler.py" "$@"
# The last checkpoint as a model that transformers loads:
step=$(cat saves/latest_checkpointed_iteration.txt)
python -m verl.model_merger merge --backend fsdp --local_dir "saves/global_step_$step/actor" --target_dir {merged}
"""
MERGED = "merged"
"""The folder of the model that reinforcement learning makes."""


def write(draft: Draft, curriculum: Curriculum, settings: ExportSettings) -> None:
    """Parquet by stage, the reward, the configuration, and the script that runs it."""
    if not prompts.prompt(settings.prompt).is_chat:
        raise InputError(
            f"verl's prompts are chats, and {settings.prompt!r} is raw text: "
            f"choose one of {', '.join(prompts.names(chat=True))}"
        )
    stages = [stage.value for stage in curriculum.stages]
    for name in curriculum.names:
        split = "test" if name == HELD_OUT else "train"
        draft.write_parquet(f"data/{name}.parquet", _rows(curriculum, name, split, settings), _SCHEMA)
    for name, source in (("reward.py", "reward.py"), ("sampler.py", "verl_sampler.py")):
        draft.write_text(name, importlib.resources.files(__package__).joinpath(source).read_text("utf-8"))
    train = [f"data/{stage}.parquet" for stage in stages]
    validation = [f"data/{HELD_OUT}.parquet"] if curriculum.held_out else train[:1]
    draft.write_text("grpo.yaml", _config(train, validation, settings, evaluated=bool(curriculum.held_out)))
    begin = settings.rl.begins_with
    several = "# Start Ray on all nodes (`ray start`), share this folder among them, and run this on the first.\n"
    script = _RUN.format(
        nodes=several if settings.machines.nodes > 1 else "",
        train=_absolute(train),
        validation=_absolute(validation),
        model=f'"actor_rollout_ref.model.path=$PWD/{begin}" ' if begin else "",
        timeout_s=settings.rl.timeout_s,
        merged=MERGED,
    )
    draft.write_text("run.sh", script, executable=True)


def as_instance(record: Record) -> Record:
    """A statement without a proof as a problem of reinforcement learning; other records as they are."""
    if not isinstance(record, Formalisation) or record.truth is Truth.FALSE:
        return record
    return as_problem(record)


def as_problem(goal: Formalisation) -> Instance:
    """A statement as an instance whose proof is still to be found."""
    return Instance(
        name=goal.name,
        statement=goal.text,
        proof="",
        source=goal.source,
        tier=goal.tier,
        verified=False,
        informal=goal.docstring,
        header=goal.header,
        context=goal.context,
        topic=goal.topic,
        provenance=goal.provenance,
    )


def each_once(curriculum: Curriculum, name: str) -> Iterator[tuple[Instance, str]]:
    """The statements of a stage, each once, with the text that a proof is judged by."""
    seen: set[int] = set()  # 2 million hashes are 150 MB at the most
    for instance in curriculum.instances(name):
        key = hash((instance.header, instance.context, instance.statement))
        if key not in seen:
            seen.add(key)
            context = f"{instance.context.strip()}\n\n" if instance.context.strip() else ""
            yield instance, f"{context}{instance.statement} := sorry"


def _rows(curriculum: Curriculum, name: str, split: str, settings: ExportSettings) -> Iterator[dict[str, object]]:
    for index, (instance, target) in enumerate(each_once(curriculum, name)):
        shown = prompts.shown(instance, settings.prompt)
        assert not isinstance(shown, str)
        yield {
            "data_source": "pythagoras",
            "prompt": [turn.as_dict() for turn in shown],
            "ability": "math",
            "reward_model": {"style": "rule", "ground_truth": target},
            "extra_info": {
                "split": split,
                "index": index,
                "id": record_id(instance),
                "name": instance.name,
                "header": instance.header,
                "tier": instance.tier.value,
                "source": instance.source,
            },
        }


def _absolute(files: list[str]) -> str:
    return ",".join(f"$PWD/{file}" for file in files)


def prompt_tokens(settings: ExportSettings) -> int:
    """What a prompt may take."""
    return min(_PROMPT_TOKENS, settings.budget // 2)


def _config(train: list[str], validation: list[str], settings: ExportSettings, *, evaluated: bool) -> str:
    rl, machines = settings.rl, settings.machines
    asked = prompt_tokens(settings)
    answered = rl.max_tokens or settings.budget - asked
    return f"""\
# GRPO as the paper has it: {rl.rollouts} rollouts a problem, no KL penalty, all parameters, reward 1 iff Lean says
# proved, and only problems of which {rl.fewest} to {rl.most} rollouts succeed: others are replaced (sampler.py). The
# model to begin with is the one that SFT made, its adapters merged. Batch sizes, the learning rate and the clipping are
# ours: the paper does not say them.
#
# verl counts an epoch by the problems that train. Its data come round again where many are replaced; for one round set
# trainer.total_training_steps to what is left of them. Rollouts without a verdict raise and are drawn anew; leave the
# reward manager as it is: `limited` would make zeros of them.
hydra:
  searchpath:
    - pkg://verl.trainer.config
defaults:
  - ppo_trainer
  - _self_

algorithm:
  adv_estimator: grpo
  use_kl_in_reward: false
  filter_groups:
    enable: true
    metric: acc

data:
  train_files: {json.dumps(train)}
  val_files: {json.dumps(validation)}{"" if evaluated else "  # nothing is held out, and nothing is validated"}
  prompt_key: prompt
  reward_fn_key: data_source
  max_prompt_length: {asked}
  max_response_length: {answered}
  filter_overlong_prompts: true
  truncation: error
  train_batch_size: {rl.problems}
  gen_batch_size: 1 # as many problems are drawn anew as were replaced
  shuffle: false # the curriculum's order

actor_rollout_ref:
  model:
    path: {json.dumps(rl.begins_with or settings.model)}
    enable_gradient_checkpointing: true
    use_remove_padding: true
  actor:
    use_kl_loss: false
    ppo_mini_batch_size: {max(1, rl.problems // rl.updates)}
    use_dynamic_bsz: true
    ppo_max_token_len_per_gpu: {machines.rows * (asked + answered)}
    clip_ratio_low: {rl.clip_low}
    clip_ratio_high: {rl.clip_high}
    loss_agg_mode: token-mean
    optim:
      lr: {decimal(rl.learning_rate)}
    fsdp_config:
      param_offload: {json.dumps(machines.offload)}
      optimizer_offload: {json.dumps(machines.offload)}
  rollout:
    name: vllm
    n: {rl.rollouts}
    temperature: {rl.temperature}
    top_p: {rl.top_p}
    tensor_model_parallel_size: {machines.tensor_parallel}
    gpu_memory_utilization: {machines.cache_share}

reward:
  custom_reward_function:
    path: reward.py
    name: compute_score
  reward_manager:
    name: naive

trainer:
  project_name: pythagoras
  experiment_name: grpo
  logger: ["console"]
  nnodes: {machines.nodes}
  n_gpus_per_node: {machines.gpus}
  total_epochs: {rl.epochs}
  save_freq: 50
  default_local_dir: saves
  val_before_train: {json.dumps(evaluated)}
  test_freq: {20 if evaluated else -1}
  v1:
    trainer_mode: sync
    sampler:
      custom_sampler:
        path: sampler.py
        name: {_SAMPLER}
      sampler_kwargs:
        fewest: {rl.fewest}
        most: {rl.most}
        problems: {rl.problems}
"""
