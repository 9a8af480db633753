"""How the paper trains ("Training Algorithm", "Training Details"), for the configurations beside the data.

The constants are the only place where its figures stand; recipes (`pythagoras.train.settings`) begin with them.
What the paper does not say (batch sizes, schedule, warm-up, LoRA's scale, all of RL but rollouts, filter and epochs) is
ours, and the configurations say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pythagoras.corpus.length import BUDGET
from pythagoras.corpus.prompts import DEFAULT
from pythagoras.corpus.records import Tier
from pythagoras.lean import headers

EPOCHS = 2
LORA_RANK = 64
LORA_ALPHA = 2 * LORA_RANK
"""LoRA's scale is alpha / rank. Ours: it is what LLaMA-Factory takes when nothing is said."""
BATCH_ROWS = 16
"""Full rows an update; ours."""
WARMUP = 0.03
"""Ours."""
LEARNING_RATES: dict[Tier, float] = {Tier.EASY: 3e-4, Tier.MEDIUM: 7e-5, Tier.HARD: 7e-5, Tier.ALF: 1e-5}
"""The paper has "3e-4 and 7e-5 for the SFT stages" and 1e-5 for self-distillation. That the first is for the first
stage, which starts from fresh adapters, and the second for those that go on with them, is our reading."""

ROLLOUTS = 8
FEWEST, MOST = 1, 5
"""A problem trains when so many of its rollouts succeed."""
RL_EPOCHS = 1
RL_LEARNING_RATE = 1e-6
CLIP_LOW, CLIP_HIGH = 0.2, 0.28
"""DAPO's; ours to choose, like the learning rate and the batch."""
RL_PROBLEMS = 128
TRAINED_SHARE = 0.4
"""Of the problems that are drawn, those that the filter keeps. Assumed."""
_PROMPT_TOKENS = 2_048


@dataclass(frozen=True, slots=True)
class SftPlan:
    """How a corpus is trained on."""

    method: str = "lora"
    """Or `full`."""
    rank: int = LORA_RANK
    alpha: int = LORA_ALPHA
    epochs: int = EPOCHS
    learning_rates: dict[Tier, float] = field(default_factory=lambda: dict(LEARNING_RATES))
    batch_tokens: int = BATCH_ROWS * BUDGET
    """An update's, if its rows are full."""
    warmup: float = WARMUP
    packed: bool = False
    """Several examples a row, none of which sees another: needs flash attention."""

    def rows(self, budget: int) -> int:
        """Rows an update."""
        return max(1, self.batch_tokens // budget)


@dataclass(frozen=True, slots=True)
class RlPlan:
    """How problems are learned from."""

    rollouts: int = ROLLOUTS
    fewest: int = FEWEST
    most: int = MOST
    problems: int = RL_PROBLEMS
    """A step's."""
    updates: int = 1
    """A step's."""
    epochs: int = RL_EPOCHS
    steps: int | None = None
    """At most so many, whatever problems are left."""
    learning_rate: float = RL_LEARNING_RATE
    warmup: int = 0
    """Steps in which the learning rate rises."""
    clip_low: float = CLIP_LOW
    clip_high: float = CLIP_HIGH
    temperature: float = 1.0
    max_tokens: int | None = None
    """Of a rollout; None for what the prompt leaves of the budget."""
    timeout_s: float = 60.0
    """Of Lean's, for a rollout."""
    heartbeats: int | None = None
    """Of Lean's, for a rollout, in thousands; None for what the header says."""
    trained_share: float = TRAINED_SHARE
    begins_with: str = ""
    """A folder beside the export that has the model which SFT made; empty for the settings' model."""

    def step_problems(self, statements: int) -> int:
        """Problems of a step where there are so many statements: trainers do not begin with fewer than a step's."""
        return min(self.problems, statements)


@dataclass(frozen=True, slots=True)
class Machines:
    """What it is trained on."""

    nodes: int = 1
    gpus: int = 1
    """On each node."""
    rows: int = 1
    """That a GPU trains on at a time."""
    sharded: bool = False
    """Whether SFT splits the model over all GPUs, as one that does not fit into one needs it."""
    tensor_parallel: int = 1
    """GPUs that share one copy of the model when rollouts are drawn."""
    cache_share: float = 0.6
    """Of a GPU's memory, for the weights and the cache of rollouts."""
    offload: bool = False
    """Whether RL keeps weights and optimizer in the hosts' memory while rollouts are drawn."""

    @property
    def all_gpus(self) -> int:
        return self.nodes * self.gpus

    def accumulation(self, rows: int) -> int:
        """Passes before an update of so many rows."""
        return max(1, rows // (self.all_gpus * self.rows))


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """What an export may be asked for."""

    prompt: str = DEFAULT
    stages: tuple[Tier, ...] = tuple(Tier)
    """Tiers in the order of training; others are left out."""
    seed: int | None = None
    """Of all that is left to chance. It shuffles inside each stage; None keeps the order of the input."""
    held_out: float = 0.0
    """Share of the statements that go into a file of their own, for evaluation."""
    budget: int = BUDGET
    """Tokens at which trainers cut. The length filter is another command: nothing is dropped here."""
    model: str = "Qwen/Qwen3-4B"
    verified: bool = False
    """Whether only what Lean has judged proved goes in."""
    sft: SftPlan = SftPlan()
    rl: RlPlan = RlPlan()
    machines: Machines = Machines()
    shuffled: bool = True
    """Whether the seed shuffles; else it is the trainer's alone, and rows keep the order of the input."""

    @property
    def prompt_tokens(self) -> int:
        """What a prompt may take in reinforcement learning."""
        return min(_PROMPT_TOKENS, self.budget // 2)

    @property
    def rollout_tokens(self) -> int:
        return self.rl.max_tokens or self.budget - self.prompt_tokens


@dataclass(frozen=True, slots=True)
class Run:
    """One stage of the curriculum as a training run."""

    stage: Tier
    number: int
    """From 1."""
    before: Run | None
    """The run whose adapters, or whose model, this one goes on with."""

    @property
    def title(self) -> str:
        return f"{self.number}-{self.stage.value}"

    @property
    def output(self) -> str:
        """Where its adapters, or its model, go."""
        return f"saves/{self.title}"


def runs(stages: Sequence[Tier]) -> list[Run]:
    """The stages chained: each run goes on where the one before it ended."""
    found: list[Run] = []
    for stage in stages:
        found.append(Run(stage, len(found) + 1, found[-1] if found else None))
    return found


MERGED = "merged"
"""The folder of the model that adapters were put into."""


def made_model(stages: Sequence[Tier], sft: SftPlan) -> str:
    """Where the model that SFT made lies in its export: what RL begins with."""
    return MERGED if sft.method == "lora" else last_before_alf(runs(stages)).output


def last_before_alf(chained: Sequence[Run]) -> Run:
    """Self-distillation comes behind RL: what is merged for that is the stage before."""
    return next((run for run in reversed(chained) if run.stage is not Tier.ALF), chained[-1])


def decimal(number: float) -> str:
    """Without an exponent, which YAML's readers take for text when it has no dot."""
    return f"{number:.9f}".rstrip("0")


ACCELERATE = "accelerate.yaml"


def accelerate_config(machines: Machines) -> str:
    """For `accelerate launch --config_file`: every GPU has the model, or all of them share it (FSDP 2)."""
    kind = "FSDP" if machines.sharded else "MULTI_GPU" if machines.all_gpus > 1 else "NO"
    sharding = """\
fsdp_config:
  fsdp_version: 2
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_transformer_layer_cls_to_wrap: Qwen3DecoderLayer
  fsdp_reshard_after_forward: true
  fsdp_cpu_ram_efficient_loading: true
  fsdp_offload_params: false
  fsdp_activation_checkpointing: false # the trainer's own gradient_checkpointing does that
  fsdp_state_dict_type: FULL_STATE_DICT
"""
    return f"""\
compute_environment: LOCAL_MACHINE
distributed_type: {kind}
{sharding if machines.sharded else ""}mixed_precision: bf16
num_machines: {machines.nodes}
num_processes: {machines.all_gpus}
machine_rank: 0
rdzv_backend: static
same_network: true
main_training_function: main
use_cpu: false
"""


def wanted_lean(wanted: Iterable[str]) -> str:
    """Which Leans can judge statements on these headers, as PYTHAGORAS_LEAN names them."""
    if any(headers.header(name).has_imports for name in wanted):
        return "the address of a Kimina Lean Server, or native:FOLDER of a lake project, either with Mathlib"
    return "the address of `pythagoras lean serve` or of a Kimina Lean Server, or native:FOLDER of a lake project"


def launcher(machines: Machines) -> str:
    """What runs a trainer's Python program on these machines. Of several nodes, each runs it."""
    if machines.all_gpus == 1:
        return "python"
    places = ' --machine_rank "${NODE_RANK:-0}" --main_process_ip "$MASTER_ADDR" --main_process_port 29500'
    return f"accelerate launch --config_file {ACCELERATE}{places if machines.nodes > 1 else ''}"


def once(command: str, machines: Machines) -> str:
    """A line of a script that only the first node runs."""
    return f'[ "${{NODE_RANK:-0}}" != 0 ] || {command}\n' if machines.nodes > 1 else f"{command}\n"


def ranks(machines: Machines) -> str:
    """What a script says about nodes."""
    said = "# Run it on every node, in a shared folder: NODE_RANK counts them from 0, MASTER_ADDR is the first one.\n"
    return said if machines.nodes > 1 else ""
