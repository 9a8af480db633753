"""What training a recipe takes on its GPUs: memory on each, and GPU-hours. An estimate, with its formula.

N are all parameters, M those that a token is multiplied with (all but the table of embeddings, where the last layer has
its own), A those of the adapters, T the tokens that are trained on, D those that are drawn, and a P the FLOPs of
attention: P pairs of a token and one that it attends to, a FLOPs for each, all layers together.

SFT, LoRA         (4 M + 6 A) T + 3 a P: forward 2, backward 2 through frozen weights, and 4 through the adapters
SFT, all          6 M T + 3 a P
recompute         2 M T + a P more: activations are computed anew on the way back
rollouts          2 M D + a P, drawn for every problem, and one for every pair of self-distillation
learning by RL    6 M T + 3 a P, recompute, and 2 M T + a P for the old probabilities; only of problems that are kept
self-distillation SFT once more, on the pairs
GPU-hours         FLOPs / (peak x MFU) / 3600, with one MFU for training and one for drawing

Memory (bytes a GPU): 2 a parameter that is frozen; of one that trains 4 for itself, 4 for its gradient and 8 for Adam;
all of them split over the GPUs where the recipe splits the model, and two layers whole beside that. Between layers 2 a
token and width; within one layer what its backward pass needs; for the last layer 10 a token and entry of the
vocabulary (logits, the same in full precision, and their gradient). Rollouts have a copy of the weights and a cache of
keys and values. What the libraries themselves take (some GB) is not counted, and Lean runs elsewhere. Neither is making
variants for self-distillation, nor drawing for those whose proof is not kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.corpus.records import Instance, Tier
from pythagoras.corpus.tokenizers import TokenCounter
from pythagoras.errors import InputError
from pythagoras.llm.architectures import Architecture, architecture
from pythagoras.train.settings import Training

FORMULA = "\n\n".join((__doc__ or "").split("\n\n")[1:-1])
"""In words, as it stands above."""
PAPER_INSTANCES = {Tier.EASY: 262_247, Tier.MEDIUM: 239_824, Tier.HARD: 338_683, Tier.ALF: 2_000_000}
"""Verified instances in the paper's three tiers ("Data analysis"), and its "approximately 2M" of self-distillation."""
_GB = 1e9
_FROZEN, _TRAINED, _GRADIENT, _ADAM = 2, 4, 4, 8
"""Bytes of a parameter."""
_LOGITS = 10
_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is trained on. The defaults are the paper's, as far as it says them. Of nothing, there is no stage."""

    instances: dict[Tier, int] = field(default_factory=lambda: dict(PAPER_INSTANCES))
    tokens: float = 4_096.0
    """Mean of an instance, prompt included. The paper does not say; none has more than the context."""
    problems: int = 100_000
    """Of RL. The paper does not say; the first of its three sources alone has 98,632 rows, as published."""
    prompt_tokens: float = 285.0
    """Mean of a prompt: the paper's, in its account of costs."""
    rollout_tokens: float = 6_000.0
    """Mean of a rollout. The paper does not say; none has more than the recipe's limit."""
    counted: bool = False
    """Whether instances, their tokens and problems are those of a corpus: its pairs of self-distillation are drawn."""

    @property
    def undrawn(self) -> int:
        """Pairs of self-distillation that a proof must be drawn for."""
        return 0 if self.counted else self.instances.get(Tier.ALF, 0)


@dataclass(frozen=True, slots=True)
class Memory:
    """What lies in a GPU's memory at its fullest, in GB (10^9 bytes)."""

    weights: float
    gradients: float
    optimizer: float
    activations: float
    logits: float
    cache: float = 0.0
    """Keys and values of rollouts."""

    @property
    def total(self) -> float:
        return float(sum(asdict(self).values()))

    def as_dict(self) -> dict[str, float]:
        return {name: round(value, 2) for name, value in (*asdict(self).items(), ("total", self.total))}


@dataclass(frozen=True, slots=True)
class Need:
    """What one stage takes."""

    stage: str
    """`sft easy`, ..., `rl rollouts`, `rl training`, `distillation rollouts`, `distillation training`."""
    rows: float
    """Instances or rollouts, each as often as it comes."""
    tokens: float
    flops: float
    gpu_hours: float
    hours: float
    """On all GPUs of the recipe."""
    memory: Memory

    def as_dict(self) -> dict[str, Any]:
        return {
            **{"stage": self.stage, "rows": round(self.rows), "tokens": round(self.tokens), "flops": self.flops},
            **{"gpu_hours": round(self.gpu_hours, 2), "hours": round(self.hours, 2)},
            "memory_gb": self.memory.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class Needs:
    """What a recipe takes."""

    model: str
    parameters: int
    adapters: int
    """Parameters of LoRA; 0 where all are trained."""
    gpus: int
    gpu_memory_gb: float
    stages: tuple[Need, ...]
    cached_rollouts: float | None
    """Rollouts of full length whose keys and values fit beside one copy of the model, on its GPUs together; None where
    none are drawn."""
    assumed: tuple[str, ...]
    """What nobody has said or measured, in words."""

    @property
    def gpu_hours(self) -> float:
        return sum(stage.gpu_hours for stage in self.stages)

    @property
    def fits(self) -> bool:
        """Whether every stage has room in a GPU, and rollouts room for one at the least."""
        draws = self.cached_rollouts is None or self.cached_rollouts >= 1
        return draws and all(each.memory.total <= self.gpu_memory_gb for each in self.stages)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            **{"model": self.model, "parameters": self.parameters, "adapters": self.adapters, "gpus": self.gpus},
            "gpu_memory_gb": self.gpu_memory_gb,
            "stages": [stage.as_dict() for stage in self.stages],
            "gpu_hours": round(self.gpu_hours, 2),
            "hours": round(sum(stage.hours for stage in self.stages), 2),
            "fits": self.fits,
            "cached_rollouts": None if self.cached_rollouts is None else round(self.cached_rollouts, 1),
            "assumed": list(self.assumed),
        }


def needs(training: Training, sizes: Sizes | None = None) -> Needs:
    """What a recipe's training takes, of corpora of such sizes: the paper's by default. Raises InputError."""
    sizes = sizes or Sizes()
    lab = training.lab
    model = architecture(lab.architecture)
    if model.n_routed_experts or model.is_latent:
        raise InputError(f"{lab.architecture} has experts or latent attention, which nothing is counted for here")
    adapters = lora_parameters(model, training.sft.rank) if training.sft.method == "lora" else 0
    stages = [
        *_sft(training, model, adapters, sizes),
        *(_rl(training, model, sizes) if sizes.problems else ()),
        *_distillation(training, model, adapters, sizes),
    ]
    return Needs(
        model=lab.model,
        parameters=model.parameters,
        adapters=adapters,
        gpus=lab.nodes * lab.gpus,
        gpu_memory_gb=lab.gpu_memory_gb,
        stages=tuple(stages),
        cached_rollouts=_cached_rollouts(training, model, sizes) if sizes.problems or sizes.undrawn else None,
        assumed=tuple(_assumed(training, sizes)),
    )


def sizes_of(corpus: Iterable[Instance], problems: int, counter: TokenCounter, prompt: str) -> Sizes:
    """The sizes of a corpus: its instances by tier, and their mean length as that counter and that prompt have it."""
    instances: Counter[Tier] = Counter()
    tokens = 0
    stream = iter(corpus)
    while batch := list(islice(stream, _BATCH)):
        texts = ["".join(prompts.sequence(prompts.render(instance, prompt))) for instance in batch]
        tokens += sum(counter.count(texts))
        instances.update(instance.tier for instance in batch)
    if not instances:
        raise InputError("there are no instances to count: name a corpus with proofs, or plan with the paper's sizes")
    ordered = {tier: instances[tier] for tier in Tier if instances[tier]}
    return Sizes(instances=ordered, tokens=tokens / instances.total(), problems=problems, counted=True)


def lora_parameters(model: Architecture, rank: int) -> int:
    """Of adapters on all linear layers: a matrix of rows and columns gets one of rank and rows, and one of columns."""
    heads = model.num_attention_heads * _head(model)
    keys = (model.num_key_value_heads or model.num_attention_heads) * _head(model)
    wide, inner = model.hidden_size, model.intermediate_size
    attention = (wide + heads) + 2 * (wide + keys) + (heads + wide)
    return rank * model.num_hidden_layers * (attention + 3 * (wide + inner))


# --- stages --------------------------------------------------------------------------------------


def _sft(training: Training, model: Architecture, adapters: int, sizes: Sizes) -> list[Need]:
    return [
        _tuning(training, model, adapters, f"sft {tier.value}", rows, sizes.tokens)
        for tier, rows in sizes.instances.items()
        if tier is not Tier.ALF
    ]


def _tuning(training: Training, model: Architecture, adapters: int, stage: str, rows: int, mean: float) -> Need:
    sft, lab = training.sft, training.lab
    weights = multiplied(model)
    learned = 4 * weights + 6 * adapters if adapters else 6 * weights
    memory = _training_memory(training, model, adapters, sft.context, split=lab.sharded)
    length = min(mean, sft.context)
    seen = rows * sft.epochs
    tokens = seen * length
    flops = (learned + 2 * weights) * tokens + 4 * attention(model, tokens, length)
    return _need(training, stage, seen, tokens, flops, lab.train_mfu, memory)


def _rl(training: Training, model: Architecture, sizes: Sizes) -> list[Need]:
    rl, lab = training.rl, training.lab
    weights = multiplied(model)
    written = min(sizes.rollout_tokens, rl.max_tokens)
    length = sizes.prompt_tokens + written
    asked = sizes.problems * rl.epochs
    drawn = asked * rl.rollouts
    computed = drawn * written + asked * sizes.prompt_tokens  # a prompt is computed once for all its rollouts
    drawing = 2 * weights * computed + attention(model, drawn * length, length)
    kept = drawn * lab.trained_share
    tokens = kept * length
    learning = (6 + 2 + 2) * weights * tokens + 5 * attention(model, tokens, length)
    return [
        _need(
            *(training, "rl rollouts", drawn, computed, drawing, lab.rollout_mfu),
            _drawing_memory(training, model, trains=True),
        ),
        _need(
            *(training, "rl training", kept, tokens, learning, lab.train_mfu),
            _training_memory(training, model, 0, round(sizes.prompt_tokens) + rl.max_tokens, split=True),
        ),
    ]


def _distillation(training: Training, model: Architecture, adapters: int, sizes: Sizes) -> list[Need]:
    """Behind RL: the model writes the pairs, each as long as an instance, and is tuned on them."""
    found = []
    if drawn := sizes.undrawn:
        length = min(sizes.tokens, training.sft.context)
        tokens = drawn * length  # each has a prompt of its own
        drawing = 2 * multiplied(model) * tokens + attention(model, tokens, length)
        memory = _drawing_memory(training, model, trains=False)
        found.append(_need(training, "distillation rollouts", drawn, tokens, drawing, training.lab.rollout_mfu, memory))
    if rows := sizes.instances.get(Tier.ALF):
        found.append(_tuning(training, model, adapters, "distillation training", rows, sizes.tokens))
    return found


def _need(training: Training, stage: str, rows: float, tokens: float, flops: float, mfu: float, memory: Memory) -> Need:
    lab = training.lab
    gpu_hours = flops / (lab.gpu_tflops * 1e12 * mfu) / 3600
    return Need(stage, rows, tokens, flops, gpu_hours, gpu_hours / (lab.nodes * lab.gpus), memory)


def multiplied(model: Architecture) -> int:
    """Parameters that a token is multiplied with."""
    return model.layer_weights + model.head_weights


def attention(model: Architecture, tokens: float, length: float) -> float:
    """FLOPs of attention in one forward pass: a token attends to half of its sequence on average."""
    return model.prefill_flops_per_pair * tokens * length / 2


# --- memory --------------------------------------------------------------------------------------


def _training_memory(training: Training, model: Architecture, adapters: int, context: int, *, split: bool) -> Memory:
    """Of a GPU that trains on full rows, with activations computed anew layer by layer."""
    lab = training.lab
    parts = lab.nodes * lab.gpus if split else 1
    frozen, trained = (model.parameters, adapters) if adapters else (0, model.parameters)
    whole = 2 * _FROZEN * model.layer_weights / model.num_hidden_layers if split else 0  # two layers
    tokens = lab.rows * context
    between = 2 * tokens * model.hidden_size * model.num_hidden_layers
    within = 2 * tokens * (8 * model.hidden_size + 4 * model.intermediate_size)
    return Memory(
        weights=((_FROZEN * frozen + _TRAINED * trained) / parts + whole) / _GB,
        gradients=_GRADIENT * trained / parts / _GB,
        optimizer=_ADAM * trained / parts / _GB,
        activations=(between + within) / _GB,
        logits=_LOGITS * tokens * model.vocab_size / _GB,
    )


def _drawing_memory(training: Training, model: Architecture, *, trains: bool) -> Memory:
    """Of a GPU that draws rollouts: where the model trains, too, its part of that stays unless the recipe moves it."""
    lab = training.lab
    gpus = lab.nodes * lab.gpus
    stays = 0.0 if lab.offload or not trains else model.parameters / gpus / _GB
    return Memory(
        weights=_FROZEN * model.parameters / lab.tensor_parallel / _GB + _TRAINED * stays,
        gradients=0.0,
        optimizer=_ADAM * stays,
        activations=0.0,
        logits=0.0,
        cache=max(0.0, _room(training, model)),
    )


def _room(training: Training, model: Architecture) -> float:
    """What a GPU's share for rollouts leaves for keys and values, in GB; below 0 where the weights do not fit."""
    lab = training.lab
    return lab.cache_share * lab.gpu_memory_gb - _FROZEN * model.parameters / lab.tensor_parallel / _GB


def _cached_rollouts(training: Training, model: Architecture, sizes: Sizes) -> float:
    room = max(0.0, _room(training, model)) * _GB * training.lab.tensor_parallel
    return room / (model.cache_bytes_per_token * (sizes.prompt_tokens + training.rl.max_tokens))


def _head(model: Architecture) -> int:
    return model.head_dim or model.hidden_size // model.num_attention_heads


def _assumed(training: Training, sizes: Sizes) -> list[str]:
    lab = training.lab
    told = [f"training reaches {lab.train_mfu:.0%} of a GPU's {lab.gpu_tflops:g} TFLOPS, drawing {lab.rollout_mfu:.0%}"]
    rollout = f"a rollout {sizes.rollout_tokens:,.0f}"
    if not sizes.counted:
        told.append(f"an instance has {sizes.tokens:,.0f} tokens, {rollout}, on average")
        told.append(f"RL has {sizes.problems:,} problems, of which the filter keeps {lab.trained_share:.0%}")
    elif sizes.problems:
        told.append(f"a prompt of RL has {sizes.prompt_tokens:,.0f} tokens, {rollout}, on average")
        told.append(f"RL's filter keeps {lab.trained_share:.0%} of {sizes.problems:,} problems")
    if sizes.undrawn:
        told.append(
            f"self-distillation draws {sizes.undrawn:,} proofs as long as an instance, and keeps them all; making the "
            "variants is not counted"
        )
    rows = f"{lab.rows} full {'row' if lab.rows == 1 else 'rows'}"
    return [*told, f"a GPU has {lab.gpu_memory_gb:g} GB and trains on {rows} at a time"]
