"""What of a recipe only `pythagoras run` reads: which stages there are, what they begin with, and the sections of
mutation and evaluation. Corpus and training have their own (`pipeline.recipe`, `train.settings`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from pythagoras.config import Part
from pythagoras.llm.sampling import DEFAULT_SAMPLING

StageName = Literal["corpus", "emit", "base", "sft", "rl", "alf", "continued", "diffusion", "evaluation", "report"]
STAGES: tuple[StageName, ...] = get_args(StageName)
"""In their order, whatever order a recipe names them in."""
RungName = Literal["portfolio", "search", "base", "sft", "rl", "alf", "diffusion", "diffusion+infill"]
RUNGS: tuple[RungName, ...] = get_args(RungName)


class Start(Part):
    """What is there already, in the place of stages that a recipe leaves out."""

    corpus: Path | None = None
    """A build of `corpus build`, or a folder with its parts: in the place of the stage `corpus`."""
    model: Path | None = None
    """A training run, a model's folder, or `embedded`, which ships: in the place of the stage `base`."""


class Alf(Part):
    """Mutation, self-distillation and the audit, as `pythagoras alf` takes them (docs/alf.md)."""

    mutator: str = "symbolic"
    """Who makes variants: symbolic, endpoint:URL, local:FOLDER, or replay:FILE."""
    model: str = ""
    """The model of an endpoint."""
    limit: int | None = Field(default=None, ge=1)
    """Only so many statements of the corpus, from the first."""
    refute: bool = False
    """Refuse variants that small numbers refute."""
    elaborate: bool = False
    """Ask Lean about every new statement."""
    traces: bool = True
    """Symbolic: ask Lean what it saw in each verified proof, for steps."""
    embedder: str = "static"
    """What measures distances, and compares variants with benchmarks; none: neither is done."""
    temperature: float = Field(default=1.2, ge=0)
    top_p: float = Field(default=DEFAULT_SAMPLING.top_p, gt=0, le=1)
    max_tokens: int = Field(default=DEFAULT_SAMPLING.max_tokens, ge=1)
    """Of a proof that the prover writes of a variant."""
    batch: int = Field(default=64, ge=1)
    """Proofs that are written at a time."""
    budget: float | None = Field(default=None, gt=0, le=1)
    """Verify adaptively, for this share of what full verification would cost."""
    target: float = Field(default=0.95, gt=0, lt=1)
    """With a budget: the share of right pairs that is wanted."""
    sample: int = Field(default=2_000, ge=1)
    """Pairs that the audit checks; with a budget, also those that are audited for it at most."""
    timeout_s: float = Field(default=60.0, gt=0)


class Blocks(Part):
    """How a diffusion model writes, as `pythagoras eval run` takes it (docs/training.md)."""

    block: int = Field(default=0, ge=0)
    threshold: float = Field(default=0.9, ge=0, le=1)
    passes: int = Field(default=0, ge=0)
    first_block: int = Field(default=0, ge=0)
    slide: bool = False
    check: float = Field(default=0.0, ge=0, lt=1)


class Evaluation(Part):
    """Which models are measured on what. Each rung gets the same number of attempts at the same statements."""

    benchmarks: tuple[str, ...] = Field(default=("corebench/valid",), min_length=1)
    """As `pythagoras eval run` names them. None of them is trained on: the corpus is swept against each."""
    rungs: tuple[RungName, ...] | None = None
    """Those to measure; not given: all whose stage the recipe has."""
    n: int = Field(default=32, ge=1)
    """Attempts at each statement; a portfolio and a search have no more than they have."""
    limit: int | None = Field(default=None, ge=1)
    """Only so many statements of each benchmark, from the first."""
    seed: int = 0
    temperature: float = Field(default=DEFAULT_SAMPLING.temperature, ge=0)
    top_p: float = Field(default=DEFAULT_SAMPLING.top_p, gt=0, le=1)
    max_tokens: int = Field(default=DEFAULT_SAMPLING.max_tokens, ge=1)
    batch: int = Field(default=64, ge=1)
    """Attempts that are written at a time."""
    blocks: Blocks = Blocks()
    timeout_s: float = Field(default=60.0, gt=0)

    @model_validator(mode="after")
    def _once(self) -> Self:
        for what, names in (("benchmarks", self.benchmarks), ("rungs", self.rungs or ())):
            if len(set(names)) < len(names):
                raise ValueError(f"one of the {what} is named twice: name each once")
        return self


class Run(Part):
    """The sections that only `run` reads."""

    stages: tuple[StageName, ...] | None = None
    """Those to run; not given: all. One that is left out must not be needed: `start` says what takes its place."""
    start: Start = Start()
    alf: Alf = Alf()
    evaluation: Evaluation = Evaluation()
