"""What a recipe will need at another size, from what a build of it has measured.

Every stage is taken to need as much for a row as it did, and to hand on the same share. That is right for what is done
row by row; comparing all rows with all (near duplicates) drops more, and takes longer a row, in a larger corpus.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pythagoras.errors import InputError
from pythagoras.pipeline.recipe import Recipe
from pythagoras.pipeline.report.figures import Figures, Step
from pythagoras.pipeline.report.reading import read_figures

PAPER_PROBLEMS, PAPER_HARD = 852_641, 328_966
"""The sizes of the paper's sources: easy and medium together, and hard."""
_PARTS = ("formalise", "informalise", "align", "distil_large", "distil_small", "vary")
_HARD = (
    "hard-source",
    "formalise-originals",
    "vary",
    "new-hard",
    "formalise-hard",
    "apart-hard",
    "prove-hard",
    "held-out",
)
_MIXED = ("gather", "dedup", "decontaminate", "leaks", "train", "validation")


@dataclass(frozen=True, slots=True)
class Need:
    """What one stage will need."""

    stage: str
    rows: float
    worker_hours: float
    lean_hours: float
    prompt_tokens: float
    generated_tokens: float
    money: float
    gigabytes: float

    def as_dict(self) -> dict[str, Any]:
        names = ("worker_hours", "lean_hours", "prompt_tokens", "generated_tokens", "money", "gigabytes")
        return {"stage": self.stage, "rows": round(self.rows)} | {name: round(getattr(self, name), 4) for name in names}


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a build will need, and what it will give."""

    problems: int
    hard_problems: int
    measured_on: int
    """How many problems the rates were measured on."""
    needs: tuple[Need, ...]
    instances: float

    def total(self, name: str) -> float:
        return float(sum(getattr(need, name) for need in self.needs))

    def as_dict(self) -> dict[str, Any]:
        names = ("worker_hours", "lean_hours", "prompt_tokens", "generated_tokens", "money", "gigabytes")
        return {
            **{"problems": self.problems, "hard_problems": self.hard_problems, "measured_on": self.measured_on},
            "stages": [need.as_dict() for need in self.needs],
            "total": {name: round(self.total(name), 4) for name in names},
            "instances": round(self.instances),
        }


def forecast(recipe: Recipe, measured: Figures, problems: int, hard_problems: int) -> Forecast:
    """What the recipe will need for so many problems, at the rates of a build of it."""
    seeds = _read(measured, "source")
    if not seeds:
        raise InputError(f"{measured.name} read no problem: nothing was measured")
    hard = _read(measured, "hard-source")
    if hard_problems and not hard:
        raise InputError("the measured build has no hard tier: measure one that has, or plan with --hard 0")
    factors = dict.fromkeys(_HARD, hard_problems / hard if hard else 0.0)
    corpus = _made(measured, "gather")
    from_hard = _made(measured, "prove-hard")
    mixed = (corpus - from_hard) * problems / seeds + (from_hard * hard_problems / hard if hard else 0.0)
    factors |= dict.fromkeys(_MIXED, mixed / corpus if corpus else 0.0)
    steps = [(step, factors.get(step.stage, problems / seeds)) for step in measured.steps]
    needs = tuple(_need(step, factor, recipe) for step, factor in steps if factor)
    instances = _made(measured, "train") + _made(measured, "validation")
    return Forecast(problems, hard_problems, seeds + hard, needs, instances * factors["train"])


def measured_rates(recipe: Recipe, run: Path | None) -> Figures:
    """What was measured: of a build of one's own, or the one that comes with the recipe. Raises InputError."""
    if run is not None:
        return read_figures(run)
    path = Path(__file__).parent / "measured" / f"{recipe.name}.json"
    if not path.is_file():
        raise InputError(
            f"no rates are measured for the recipe {recipe.name}: build a small part of it with "
            "`pythagoras corpus build RECIPE --set source.count=200 -o trial`, and plan with `--run trial`"
        )
    return figures_of(json.loads(path.read_text(encoding="utf-8")))


def figures_of(told: Mapping[str, Any]) -> Figures:
    """Figures from their JSON, as far as a forecast needs them."""
    steps = tuple(
        Step(each["stage"], each["read"], each["made"], each["dropped"], each["counted"], each["costs"])
        for each in told["steps"]
    )
    return Figures(
        told["name"], (), (), (), {}, (0, 0), (0, 0), told["failed"], told["actionable"], told["final"], steps
    )


def _need(step: Step, factor: float, recipe: Recipe) -> Need:
    costs = step.costs
    prompt, generated, money = 0.0, 0.0, 0.0
    for part in (*_PARTS, "prover"):
        asked, written = costs.get(f"{part}_prompt_tokens", 0.0), costs.get(f"{part}_generated_tokens", 0.0)
        if part == "prover" and recipe.prover.backend != "endpoint":
            continue  # a search's words and signs are nobody's tokens
        player = getattr(recipe.roles, part, None)
        prompt, generated = prompt + asked, generated + written
        if player is not None:
            money += (asked * player.price_in + written * player.price_out) / 1e6
    return Need(
        stage=step.stage,
        rows=step.read * factor,
        worker_hours=costs.get("worker_s", 0.0) * factor / 3600,
        lean_hours=costs.get("lean_s", 0.0) * factor / 3600,
        prompt_tokens=prompt * factor,
        generated_tokens=generated * factor,
        money=money * factor,
        gigabytes=costs.get("bytes", 0.0) * factor / 1e9,
    )


def _read(measured: Figures, stage: str) -> int:
    return next((step.read for step in measured.steps if step.stage == stage), 0)


def _made(measured: Figures, stage: str) -> int:
    return next((step.made for step in measured.steps if step.stage == stage), 0)
