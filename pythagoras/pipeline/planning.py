"""What a recipe will need at another size, from what a build of it has measured.

Every stage is taken to need as much for a row as it did, and to hand on the same share. That is right for what is done
row by row; comparing all rows with all (near duplicates) drops more, and takes longer a row, in a larger corpus. Rates
are those of one recipe: another prover, other players or another number of variants have others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pythagoras.errors import InputError
from pythagoras.pipeline.distilling import SIZES
from pythagoras.pipeline.recipe import Recipe
from pythagoras.pipeline.report.figures import Figures, Step
from pythagoras.pipeline.report.reading import read_figures
from pythagoras.pipeline.run_folder import differences, recipe_of

PAPER_PROBLEMS, PAPER_HARD = 852_641, 328_966
"""The sizes of the paper's sources: easy and medium together, and hard."""
MEASURED = Path(__file__).parent / "measured"
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
_RUBRIC = ("distil", "new-easy", "formalise-easy", "apart-easy", "prove-easy")
_MIXED = ("gather", "dedup", "decontaminate", "leaks", "train", "validation")
_NEEDED = ("worker_hours", "alone_hours", "lean_hours", "prompt_tokens", "generated_tokens", "money", "gigabytes")
_RATES = ("prover.", "roles.", "rubric.variants")
"""What rates are those of: measured with another one of these, they are another recipe's."""
_NO_RATE = ("name", "seed", "source.count", "source.seed", "hard_source.count", "hard_source.seed", "rubric.most")
"""What changes no rate: sizes, which are what is planned, and names."""


@dataclass(frozen=True, slots=True)
class Need:
    """What one stage will need."""

    stage: str
    rows: float
    worker_hours: float
    alone_hours: float
    """Of these, what one process does by itself, however many workers there are."""
    lean_hours: float
    prompt_tokens: float
    generated_tokens: float
    money: float
    gigabytes: float

    def as_dict(self) -> dict[str, Any]:
        needed = {name: round(getattr(self, name), 4) for name in _NEEDED}
        return {"stage": self.stage, "rows": round(self.rows)} | needed


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

    def days(self, workers: int) -> float:
        """How long it takes so many workers; what one process does alone, they do not share."""
        alone = self.total("alone_hours")
        return ((self.total("worker_hours") - alone) / workers + alone) / 24

    def as_dict(self) -> dict[str, Any]:
        return {
            **{"problems": self.problems, "hard_problems": self.hard_problems, "measured_on": self.measured_on},
            "stages": [need.as_dict() for need in self.needs],
            "total": {name: round(self.total(name), 4) for name in _NEEDED},
            "instances": round(self.instances),
        }


def forecast(recipe: Recipe, measured: Figures, problems: int, hard_problems: int) -> Forecast:
    """What the recipe will need for so many problems, at the rates of a build of it. Raises InputError."""
    seeds = _read(measured, "source")
    if not seeds:
        raise InputError(f"{measured.name} read no problem: nothing was measured")
    hard = _read(measured, "hard-source")
    if hard_problems and not hard:
        raise InputError("the measured build has no hard tier: measure one that has, or plan with --hard 0")
    factors = dict.fromkeys(_HARD, hard_problems / hard if hard else 0.0)
    factors |= dict.fromkeys(_RUBRIC, _rubric_factor(recipe, measured, problems / seeds))
    proved = {name: _made(measured, name) for name in ("prove-medium", "prove-easy", "prove-hard")}
    corpus = sum(proved.values())
    mixed = sum(count * factors.get(name, problems / seeds) for name, count in proved.items())
    factors |= dict.fromkeys(_MIXED, mixed / corpus if corpus else 0.0)
    steps = [(step, factors.get(step.stage, problems / seeds)) for step in measured.steps]
    needs = tuple(_need(step, factor, recipe) for step, factor in steps if factor)
    instances = _made(measured, "train") + _made(measured, "validation")
    return Forecast(problems, hard_problems, seeds + hard, needs, instances * factors["train"])


def _rubric_factor(recipe: Recipe, measured: Figures, factor: float) -> float:
    """How many times as many failures are distilled: `rubric.most` stays what it is, however many there are."""
    distilled = _read(measured, "distil") / (len(SIZES) * recipe.rubric.variants)
    wanted = _made(measured, "examine") * factor
    most = recipe.rubric.most
    return min(wanted, most if most is not None else wanted) / distilled if distilled else 0.0


@dataclass(frozen=True, slots=True)
class Measured:
    """What a build has measured, and what is different in the recipe that is planned."""

    figures: Figures
    differences: tuple[str, ...] = ()
    """Each with its place in front; none that rates are known to depend on, and no sizes."""
    recipe: str = ""
    """The name of the one that was measured."""


def measured_rates(recipe: Recipe, run: Path | None, folder: Path = MEASURED, *, called: str = "") -> Measured:
    """What was measured: of a build of one's own, or the one that comes with the recipe. Raises InputError.

    A recipe without one takes that of another with the same prover and players. `folder` has those that come along:
    each what `pythagoras corpus funnel RUN --json` says. `called` is what a command line names the recipe by.
    """
    trial = _trial(recipe, called or recipe.name)
    if run is not None:
        return _compared(read_figures(run), recipe_of(run), recipe, str(run), trial)
    own = folder / f"{recipe.name}.json"
    for path in [own] if own.is_file() else sorted(folder.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        try:
            return _compared(figures_of(told), Recipe.model_validate(told["recipe"]), recipe, "what comes along", trial)
        except InputError:
            if path == own:
                raise
    raise InputError(f"no rates are measured for the recipe {recipe.name}: {trial}")


def _compared(figures: Figures, there: Recipe, recipe: Recipe, whose: str, trial: str) -> Measured:
    found = [each for each in differences(there, recipe) if each.partition(":")[0] not in _NO_RATE]
    if other := next((each for each in found if each.startswith(_RATES)), None):
        raise InputError(f"the rates of {whose} are another recipe's ({other}): {trial}")
    return Measured(figures, tuple(found), there.name)


def _trial(recipe: Recipe, called: str) -> str:
    """What to do where there are no rates."""
    hard = " --set hard_source.count=20" if recipe.hard_source is not None else ""
    return (
        f"build a small part of it with `pythagoras corpus build {called} --set source.count=200{hard} -o trial`, "
        "and plan with `--run trial`"
    )


def figures_of(told: Mapping[str, Any]) -> Figures:
    """Figures from their JSON, as far as a forecast needs them."""
    steps = tuple(
        Step(each["stage"], each["read"], each["made"], each["dropped"], each["counted"], each["costs"])
        for each in told["steps"]
    )
    return Figures(
        told["name"], (), (), (), {}, (0, 0), (0, 0), told["failed"], told["actionable"], told["final"], steps
    )


@dataclass(frozen=True, slots=True)
class Spent:
    """What models were asked for and wrote, and what that costs at the recipe's prices."""

    prompt_tokens: float
    generated_tokens: float
    money: float


def spent(steps: Iterable[Step], recipe: Recipe) -> Spent:
    """What stages spent on models; answers from a cache cost nothing."""
    prompt, generated, money = 0.0, 0.0, 0.0
    for step in steps:
        for part in (*_PARTS, "prover"):
            if part == "prover" and recipe.prover.backend in ("search", "portfolio"):
                continue  # a search's words and signs are nobody's tokens
            model = recipe.prover if part == "prover" else getattr(recipe.roles, part)
            asked = step.costs.get(f"{part}_prompt_tokens", 0.0)
            written = step.costs.get(f"{part}_generated_tokens", 0.0)
            prompt, generated = prompt + asked, generated + written
            money += (asked * model.price_in + written * model.price_out) / 1e6
    return Spent(prompt, generated, money)


def _need(step: Step, factor: float, recipe: Recipe) -> Need:
    costs, tokens = step.costs, spent([step], recipe)
    return Need(
        stage=step.stage,
        rows=step.read * factor,
        worker_hours=costs.get("worker_s", 0.0) * factor / 3600,
        alone_hours=costs.get("alone_s", 0.0) * factor / 3600,
        lean_hours=costs.get("lean_s", 0.0) * factor / 3600,
        prompt_tokens=tokens.prompt_tokens * factor,
        generated_tokens=tokens.generated_tokens * factor,
        money=tokens.money * factor,
        gigabytes=costs.get("bytes", 0.0) * factor / 1e9,
    )


def _read(measured: Figures, stage: str) -> int:
    return next((step.read for step in measured.steps if step.stage == stage), 0)


def _made(measured: Figures, stage: str) -> int:
    return next((step.made for step in measured.steps if step.stage == stage), 0)
