"""What a build of the seed corpus is made of: one strict model a part, each default written once.

These are the sections of a recipe (`pythagoras.config`) that are not for training. They say nothing about the machine:
engine, workers and folders are given when it is run, and change nothing in the corpus.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from pythagoras.config import RUN, TRAINING, Part, parsed, read_recipe
from pythagoras.generate.search import CHECKS, HEARTBEATS
from pythagoras.llm.keys import KEY_VARIABLE


class Source(Part):
    """Where problems come from: the generator, or records that `corpus import` wrote."""

    count: int | None = Field(default=None, ge=1)
    """How many problems; None for all that the files have."""
    files: tuple[Path, ...] = ()
    """Corpus folders or files of problems; none for the generator."""
    levels: tuple[int, ...] = (1, 2, 3)
    """The generator's levels: 1 is a step, 2 a few, 3 an idea."""
    families: tuple[str, ...] = ()
    """The generator's families; none for all."""
    false_share: float = Field(default=0.0, ge=0, le=1)
    """The generator's share of problems whose claim is false, as real sources have them."""
    seed: int = 0


class _Asked(Part):
    """A model, and how it is asked: what players and the prover have in common."""

    model: str = ""
    """A model's name at the endpoint, or a folder that transformers can load."""
    url: str = ""
    """The endpoint's address."""
    api_key_env: str = Field(default=KEY_VARIABLE, pattern="^[A-Z_][A-Z0-9_]*$")
    """The NAME of the environment variable that has this endpoint's key; the key itself belongs into no recipe."""
    recording: Path | None = None
    """For `replay`: the file of recorded traffic. For the others: where to record what is said."""
    temperature: float = Field(default=0.7, ge=0)
    top_p: float = Field(default=0.95, gt=0, le=1)
    max_tokens: int = Field(default=4096, ge=1)
    timeout_s: float = Field(default=600.0, gt=0)
    concurrency: int = Field(default=16, ge=1)
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    price_in: float = Field(default=0.0, ge=0)
    """For a million tokens of prompt, in whatever currency."""
    price_out: float = Field(default=0.0, ge=0)


class Player(_Asked):
    """Who plays a role."""

    backend: Literal["rules", "endpoint", "local", "replay"] = "rules"
    batch: int = Field(default=1, ge=1)
    """For `local`: requests at a time. More are faster on a GPU, but answers then depend on their batch, by rounding:
    only a run that nobody interrupts gives the same again."""


class Roles(Part):
    """Who plays which role. The distiller is two, side by side: a large generator and a small one."""

    formalise: Player = Player()
    informalise: Player = Player()
    align: Player = Player()
    distil_large: Player = Player()
    distil_small: Player = Player()
    vary: Player = Player()


class Prover(_Asked):
    """Who proves, and how often it may try."""

    backend: Literal["search", "portfolio", "endpoint", "replay"] = "search"
    attempts: int = Field(default=2, ge=1)
    """Attempts a statement; one that is proved suffices."""
    checks: int = Field(default=CHECKS, ge=1)
    """For the search: how many questions it may ask Lean in an attempt."""
    heartbeats: int = Field(default=HEARTBEATS, ge=1)
    """For the search: the most that Lean may spend on one of them, in thousands, as Lean's own option counts."""
    prompt: str = "pythagoras"
    """The family of prompts that the model was trained on."""
    temperature: float = Field(default=1.0, ge=0)
    max_tokens: int = Field(default=30_000, ge=1)
    timeout_s: float = Field(default=3600.0, gt=0)
    concurrency: int = Field(default=32, ge=1)


class Lean(Part):
    """The Lean that judges: `pythagoras.lean.backends` knows what `backend` may be."""

    backend: str = "embedded"
    header: str = "core"
    timeout_s: float = Field(default=60.0, gt=0)


class Rubric(Part):
    """How failures become easier problems."""

    variants: int = Field(default=2, ge=1)
    """Variants from each of the two generators."""
    tau: float = Field(default=0.95, gt=0, le=1)
    """Above this similarity two variants count as one."""
    most: int | None = Field(default=None, ge=1)
    """Distil at most so many failures: the first ones."""


class Hard(Part):
    """How problems of competition level are varied."""

    variants: int = Field(default=4, ge=1)


class Finish(Part):
    """What is done to the corpus as a whole."""

    embedder: str = "static"
    tau: float = Field(default=0.95, gt=0, le=1)
    linkage: str = "direct"
    against: tuple[str, ...] = ("corebench",)
    """Benchmarks that must not be in it: names, or files."""
    validation_share: float = Field(default=0.05, ge=0, lt=1)


class Recipe(Part):
    """All that the corpus depends on."""

    name: str
    about: str = ""
    seed: int = 0
    source: Source = Source()
    hard_source: Source | None = None
    """Problems of competition level; None for a corpus without a hard tier."""
    roles: Roles = Roles()
    prover: Prover = Prover()
    lean: Lean = Lean()
    rubric: Rubric = Rubric()
    hard: Hard = Hard()
    finish: Finish = Finish()


def load_recipe(name: str, changes: tuple[str, ...] = ()) -> Recipe:
    """A recipe by its name or its file, with changes like `source.count=100`. Raises InputError."""
    table = read_recipe(name, changes)
    return parsed(Recipe, {key: value for key, value in table.items() if key not in (*TRAINING, *RUN)}, name)
