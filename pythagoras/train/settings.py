"""What training depends on: one strict model a stage. The paper's figures are the defaults where it has them.

The paper ("Training Algorithm", "Training Details"): LoRA of rank 64 on all linear layers, two epochs, 8,192 tokens,
learning rates of 3e-4 and 7e-5; GRPO with 8 rollouts a problem, one epoch, all parameters, no KL, and only problems of
which 1 to 5 rollouts succeed. What it does not say (batch sizes, schedule, warm-up, the learning rate of RL) is ours.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from pythagoras.config import TRAINING, Part, parsed, read_recipe
from pythagoras.corpus.exports.recipe import (
    CLIP_HIGH,
    CLIP_LOW,
    EPOCHS,
    FEWEST,
    LEARNING_RATES,
    LORA_ALPHA,
    LORA_RANK,
    MOST,
    RL_EPOCHS,
    RL_LEARNING_RATE,
    ROLLOUTS,
    TRAINED_SHARE,
    WARMUP,
)
from pythagoras.corpus.length import BUDGET, Mode
from pythagoras.corpus.records import Tier


class Shape(Part):
    """A Qwen3-architecture model from scratch: about 6 million parameters by default."""

    hidden: int = Field(default=256, ge=8)
    layers: int = Field(default=7, ge=1)
    heads: int = Field(default=4, ge=1)
    key_heads: int = Field(default=2, ge=1)
    head: int = Field(default=64, ge=8)
    """Width of a head."""
    inner: int = Field(default=768, ge=8)
    """Width inside a layer's feed-forward part."""


class Base(Part):
    """The stand-in for a pretrained model: a tokenizer and a small model from scratch on generic Lean."""

    vocabulary: int = Field(default=2_048, ge=400)
    """Bytes, Lean's signs and special tokens alone are nearly 400."""
    shape: Shape = Shape()
    context: int = Field(default=512, ge=16)
    """Tokens of a row in training, and of the longest sequence that the model takes."""
    statements: int = Field(default=14_000, ge=1)
    """How many of the generator's statements are among the texts: these make about as many tokens as are wanted."""
    tokens: int = Field(default=2_400_000, ge=1)
    """How many tokens it is trained on; texts come again where there are fewer."""
    batch_tokens: int = Field(default=2_048, ge=16)
    """Few, so that so few tokens make many steps."""
    learning_rate: float = Field(default=2e-3, gt=0)
    warmup: float = Field(default=0.03, ge=0, lt=1)


class Sft(Part):
    """Supervised fine-tuning on a corpus with tiers."""

    prompt: str = "compact"
    method: Literal["lora", "full"] = "lora"
    rank: int = Field(default=LORA_RANK, ge=1)
    alpha: int = Field(default=LORA_ALPHA, ge=1)
    """LoRA's scale is alpha / rank."""
    order: Literal["curriculum", "shuffled", "reversed"] = "curriculum"
    """Stages easy, medium, hard; all rows mixed in one stage; or the stages from the hard end."""
    length: Mode = Mode.DYNAMIC
    context: int = Field(default=BUDGET, ge=16)
    epochs: int = Field(default=EPOCHS, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    """So many in all, prompts included, in the place of epochs: for trainings that shall see the same amount. Stages
    share them by their sizes."""
    learning_rates: dict[Tier, float] = Field(default=LEARNING_RATES)
    """Tiers that are not named keep the default. The shuffled stage takes the first one of the tiers that are there."""
    batch_tokens: int = Field(default=8_192, ge=16)
    warmup: float = Field(default=WARMUP, ge=0, lt=1)
    shuffle: bool = True
    """Inside a stage, by the seed, anew each epoch; else the corpus's order."""
    packed: bool = True
    """Several examples a row, none of which sees another; else one a row, padded."""
    reasoning: bool = True
    """Whether the reasoning before a proof is trained on where the prompt shows it."""

    @field_validator("learning_rates")
    @classmethod
    def _every_tier_has_one(cls, given: dict[Tier, float]) -> dict[Tier, float]:
        return {**LEARNING_RATES, **given}


class Rl(Part):
    """Reinforcement learning from Lean: GRPO with DAPO's dynamic filter."""

    prompt: str | None = None
    """The family that the model was trained with, which its folder tells: needed only where it does not."""
    rollouts: int = Field(default=ROLLOUTS, ge=2)
    fewest: int = Field(default=FEWEST, ge=1)
    most: int = Field(default=MOST, ge=1)
    """Problems with so many successes among their rollouts train; others are replaced."""
    lost: int = Field(default=2, ge=0)
    """Rollouts of a problem that may lack a verdict because Lean broke down; with more it does not train."""
    problems: int = Field(default=16, ge=1)
    """Problems that train in a step, at least: more are drawn until there are so many, and all that are kept train."""
    epochs: int = Field(default=RL_EPOCHS, ge=1)
    steps: int | None = Field(default=None, ge=1)
    """At most so many steps, whatever problems are left."""
    updates: int = Field(default=1, ge=1)
    """Updates of the weights a step: its problems are split into so many batches."""
    learning_rate: float = Field(default=RL_LEARNING_RATE, gt=0)
    warmup: int = Field(default=5, ge=0)
    """Steps in which the learning rate rises; behind them it is constant."""
    clip_low: float = Field(default=CLIP_LOW, gt=0, lt=1)
    clip_high: float = Field(default=CLIP_HIGH, gt=0)
    temperature: float = Field(default=1.0, gt=0)
    """There is no `top_p`: what draws must be what the loss takes the probabilities of."""
    max_tokens: int = Field(default=BUDGET, ge=1)
    batch: int = Field(default=64, ge=1)
    """Rollouts that are drawn at a time."""
    heartbeats: int = Field(default=20_000, ge=1)
    """The most that Lean may spend on a rollout, in thousands, as Lean's own option counts."""
    timeout_s: float = Field(default=20.0, gt=0)
    """The clock behind that, far away: what it ends is counted apart, as it may end otherwise elsewhere."""

    @model_validator(mode="after")
    def _some_train(self) -> Self:
        if not self.fewest <= self.most < self.rollouts:
            raise ValueError(
                f"with {self.rollouts} rollouts, {self.fewest} to {self.most} successes select nothing to learn from: "
                "fewest must be at most most, and most less than rollouts"
            )
        return self


class Noise(Part):
    """How proofs are masked (`pythagoras.train.diffusion.noise`); the defaults are the paper's."""

    unit: Literal["tactic", "token"] = "tactic"
    """What is masked whole."""
    times: Literal["uniform", "stratified", "antithetic"] = "uniform"
    """How the times of a step are drawn: each by itself, spread evenly, or in pairs t, 1 - t."""
    floor: float = Field(default=0.0, ge=0, lt=1)
    """The least time."""
    per_block: bool = False
    """Whether each block has its own time, in the place of one for the sequence."""
    heaviest: float | None = Field(default=None, ge=1)
    """The most that a masked token weighs, in the place of 1/t."""
    structure: float = Field(default=0.0, ge=0, le=1)
    """The share of sequences whose structure is masked, too."""
    copies: int = Field(default=1, ge=1)
    """Maskings of each proof in a step."""


class Diffusion(Part):
    """Block diffusion on a corpus with proofs, from an autoregressive model: all parameters."""

    prompt: str = "compact"
    block: int = Field(default=32, ge=1)
    """Tokens that are written together."""
    smallest: int | None = Field(default=None, ge=1)
    """Each masking draws its own size of blocks: this, or this doubled some times; doubled most often it is `block`.
    Then a sampler can begin with small blocks. Not given: `block` is the only size."""
    noise: Noise = Noise()
    causal: float = Field(default=0.0, ge=0)
    """What the autoregressive loss of the same proofs weighs beside: it costs next to nothing, as the pass is made."""
    length: Literal[Mode.DYNAMIC, Mode.DROP] = Mode.DYNAMIC
    """What is too long; a proof that was cut has no end and no tactics to parse."""
    context: int = Field(default=4_096, ge=16)
    epochs: int = Field(default=EPOCHS, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    """So many in all, prompts included, in the place of epochs."""
    learning_rate: float = Field(default=LEARNING_RATES[Tier.ALF], gt=0)
    batch_tokens: int = Field(default=8_192, ge=16)
    warmup: float = Field(default=WARMUP, ge=0, lt=1)

    @model_validator(mode="after")
    def _doubles(self) -> Self:
        if self.blocks[-1] != self.block:
            raise ValueError(
                f"smallest blocks of {self.smallest} never double to {self.block}: give a half, a quarter, …"
            )
        return self

    @property
    def blocks(self) -> list[int]:
        """The sizes that blocks may have."""
        sizes = [self.smallest or self.block]
        while 2 * sizes[-1] <= self.block:
            sizes.append(2 * sizes[-1])
        return sizes

    def as_sft(self) -> Sft:
        """What the same examples would be read with elsewhere. Reasoning is left out: only proofs have tactics."""
        return Sft(
            prompt=self.prompt,
            method="full",
            order="shuffled",
            length=self.length,
            context=self.context,
            epochs=self.epochs,
            tokens=self.tokens,
            learning_rates=dict.fromkeys(Tier, self.learning_rate),
            batch_tokens=self.batch_tokens,
            warmup=self.warmup,
            reasoning=False,
        )


class Lab(Part):
    """Training on GPUs with others' programs: what `pythagoras run --emit` writes and `pythagoras plan` counts with."""

    model: str = "Qwen/Qwen3-4B"
    """What SFT begins with: a name or a folder that transformers can load."""
    architecture: str = "qwen3-4b"
    """Its shape, for counting: a name of `pythagoras.llm.architectures`, or a folder with a config.json."""
    tokenizer: str = ""
    """Counts for the length filter, as `pythagoras.corpus.tokenizers` reads it; empty for the model's own."""
    nodes: int = Field(default=1, ge=1)
    gpus: int = Field(default=8, ge=1)
    """On each node."""
    rows: int = Field(default=1, ge=1)
    """Full rows that a GPU trains on at a time."""
    sharded: bool = False
    """Whether SFT splits the model over all GPUs; else each has it whole. RL always splits it."""
    tensor_parallel: int = Field(default=1, ge=1)
    """GPUs that share one copy of the model when rollouts are drawn."""
    cache_share: float = Field(default=0.6, gt=0, lt=1)
    """Of a GPU's memory, for the weights and the cache of rollouts."""
    offload: bool = False
    """Whether RL keeps weights and optimizer in the hosts' memory while rollouts are drawn."""
    gpu_memory_gb: float = Field(default=80.0, gt=0)
    gpu_tflops: float = Field(default=989.0, gt=0)
    """A GPU's peak with 16 bits, without sparsity; this one is an H100's (SXM), by its data sheet."""
    train_mfu: float = Field(default=0.4, gt=0, le=1)
    """Assumed: the share of the peak that training reaches."""
    rollout_mfu: float = Field(default=0.1, gt=0, le=1)
    """Assumed: the share that drawing rollouts reaches; it waits for memory most of the time."""
    trained_share: float = Field(default=TRAINED_SHARE, gt=0, le=1)
    """Assumed: the share of RL's problems that the filter keeps."""


class Training(Part):
    """The training sections of a recipe."""

    seed: int = 0
    base: Base = Base()
    sft: Sft = Sft()
    rl: Rl = Rl()
    diffusion: Diffusion = Diffusion()
    lab: Lab = Lab()


def load_training(recipe: str, changes: tuple[str, ...] = ()) -> Training:
    """What a recipe says about training, with changes like `sft.epochs=1`. Raises InputError."""
    table: dict[str, Any] = read_recipe(recipe, changes)
    return parsed(Training, {name: table[name] for name in ("seed", *TRAINING) if name in table}, recipe)
