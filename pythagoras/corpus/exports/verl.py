"""For verl, which the paper's reinforcement learning runs on: statements to be proved, GRPO, and Lean as the reward.

Rows have no proof: a statement that the corpus has several proofs of is one problem. The reward is
`pythagoras.train.rewards`, so this package must be installed beside verl; the sampler has the paper's filter of
problems, and is copied into the export. verl 0.9.1 reads the configuration, calls the reward and filters with the
sampler (tests/unit/test_lab_keys.py, test_verl_sampler.py, tests/lean/test_rewards.py, which skip where verl is not
installed, as in CI); it has not been trained with here, for want of a GPU.
"""

from __future__ import annotations

import importlib.resources
import json
import math
from collections.abc import Iterator

import pyarrow as pa

from pythagoras.corpus import prompts
from pythagoras.corpus.exports.curriculum import HELD_OUT, Curriculum
from pythagoras.corpus.exports.draft import Draft
from pythagoras.corpus.exports.recipe import MERGED, ExportSettings, RlPlan, decimal, wanted_lean
from pythagoras.corpus.goals import each_once
from pythagoras.corpus.records import record_id
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
_SAMPLER = "SuccessFilter"
_RUN = """\
#!/bin/sh
# PYTHAGORAS_LEAN names the Lean that judges: {lean}.
# A server's key, if it has one, is in LEAN_SERVER_API_KEY. The package pythagoras must be installed beside verl.
{nodes}set -eu
cd "$(dirname "$0")"
: "${{PYTHAGORAS_LEAN:?say which Lean judges}}"
python -m verl.trainer.main_ppo --config-path "$PWD" --config-name grpo \\
  "data.train_files=[{train}]" "data.val_files=[{validation}]" \\
  {model}"trainer.default_local_dir=$PWD/saves" \\
  "+reward.custom_reward_function.reward_kwargs.lean='$PYTHAGORAS_LEAN'" \\
  "trainer.v1.sampler.custom_sampler.path=$PWD/sampler.py" "$@"
# The last checkpoint as a model that transformers loads:
step=$(cat saves/latest_checkpointed_iteration.txt)
python -m verl.model_merger merge --backend fsdp --local_dir "saves/global_step_$step/actor" --target_dir {merged}
"""


def write(draft: Draft, curriculum: Curriculum, settings: ExportSettings) -> None:
    """Parquet by stage, the sampler, the configuration, and the script that runs it."""
    if not prompts.prompt(settings.prompt).is_chat:
        raise InputError(
            f"verl's prompts are chats, and {settings.prompt!r} is raw text: "
            f"choose one of {', '.join(prompts.names(chat=True))}"
        )
    headers: set[str] = set()
    written = {
        name: draft.write_parquet(f"data/{name}.parquet", _rows(curriculum, name, settings, headers), _SCHEMA)
        for name in curriculum.names
    }
    sampler = importlib.resources.files(__package__).joinpath("verl_sampler.py").read_text("utf-8")
    draft.write_text("sampler.py", sampler)
    train = [f"data/{stage.value}.parquet" for stage in curriculum.stages]
    validation = [f"data/{HELD_OUT}.parquet"] if curriculum.held_out else train[:1]
    statements = sum(rows for name, rows in written.items() if name != HELD_OUT)
    config = _config(train, validation, statements, settings, evaluated=bool(curriculum.held_out))
    draft.write_text("grpo.yaml", config)
    begin = settings.rl.begins_with
    several = (
        "# Start Ray on all nodes (`ray start`, with the server's key in its environment), share this folder among\n"
        "# them, and run this on the first.\n"
    )
    script = _RUN.format(
        nodes=several if settings.machines.nodes > 1 else "",
        train=_absolute(train),
        validation=_absolute(validation),
        model=f'"actor_rollout_ref.model.path=$PWD/{begin}" ' if begin else "",
        lean=wanted_lean(headers),
        merged=MERGED,
    )
    draft.write_text("run.sh", script, executable=True)


def _rows(
    curriculum: Curriculum, name: str, settings: ExportSettings, headers: set[str]
) -> Iterator[dict[str, object]]:
    """The problems of a stage; `headers` gets what they stand on."""
    for index, (instance, target) in enumerate(each_once(curriculum.instances(name))):
        headers.add(instance.header)
        shown = prompts.shown(instance, settings.prompt)
        assert not isinstance(shown, str)
        yield {
            "data_source": "pythagoras",
            "prompt": [turn.as_dict() for turn in shown],
            "ability": "math",
            "reward_model": {"style": "rule", "ground_truth": target},
            "extra_info": {
                "split": "test" if name == HELD_OUT else "train",
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


def _steps(statements: int, rl: RlPlan) -> int:
    """As many as the statements last for, by the share of them that is expected to train.

    At most what verl's own count of epochs comes to: it would end before the last step otherwise, and save nothing.
    """
    problems = rl.step_problems(statements)
    expected = math.ceil(statements * rl.epochs * rl.trained_share / problems)
    return min(expected, statements // problems * rl.epochs, rl.steps or expected)


def _config(
    train: list[str], validation: list[str], statements: int, settings: ExportSettings, *, evaluated: bool
) -> str:
    rl, machines = settings.rl, settings.machines
    asked, answered = settings.prompt_tokens, settings.rollout_tokens
    problems = rl.step_problems(statements)
    heartbeats = f"\n      heartbeats: {rl.heartbeats} # in thousands" if rl.heartbeats is not None else ""
    return f"""\
# GRPO as the paper has it: {rl.rollouts} rollouts a problem, no KL penalty, all parameters, reward 1 iff Lean says
# proved, and only problems of which {rl.fewest} to {rl.most} rollouts succeed: others are replaced (sampler.py). The
# model to begin with is the one that SFT made, its adapters merged. Batch sizes, the learning rate and the clipping are
# ours: the paper does not say them.
#
# The steps are what {statements:,} statements last for if {rl.trained_share:.0%} of them train.
# verl draws two problems for each one that is replaced, and throws away what is left of them when a step is full
# (filter_groups/discarded_surplus_samples); its data come round again where that, or the filter, takes more. A problem
# with a rollout that has no verdict is replaced as well. Leave the reward manager as it is: `limited` would make zeros
# of such rollouts.
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
  train_batch_size: {problems}
  gen_batch_size: 1 # problems are replaced one by one
  shuffle: false # the curriculum's order

actor_rollout_ref:
  model:
    path: {json.dumps(rl.begins_with or settings.model)}
    enable_gradient_checkpointing: true
    use_remove_padding: true
  actor:
    use_kl_loss: false
    ppo_mini_batch_size: {max(1, problems // rl.updates)}
    use_dynamic_bsz: true
    ppo_max_token_len_per_gpu: {machines.rows * (asked + answered)}
    clip_ratio_low: {rl.clip_low}
    clip_ratio_high: {rl.clip_high}
    loss_agg_mode: token-mean
    optim:
      lr: {decimal(rl.learning_rate)}
      lr_warmup_steps: {rl.warmup}
    fsdp_config:
      param_offload: {json.dumps(machines.offload)}
      optimizer_offload: {json.dumps(machines.offload)}
  rollout:
    name: vllm
    n: {rl.rollouts}
    temperature: {rl.temperature}
    tensor_model_parallel_size: {machines.tensor_parallel}
    gpu_memory_utilization: {machines.cache_share}

reward:
  custom_reward_function:
    path: pkg://pythagoras.train.rewards
    name: compute_score_async
    reward_kwargs: # and `lean`, which run.sh adds
      timeout_s: {rl.timeout_s}{heartbeats}
  reward_manager:
    name: naive

trainer:
  project_name: pythagoras
  experiment_name: grpo
  logger: ["console"]
  nnodes: {machines.nodes}
  n_gpus_per_node: {machines.gpus}
  total_epochs: {rl.epochs}
  total_training_steps: {_steps(statements, rl)}
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
        problems: {problems}
"""
