"""What a run has come to, a stage at a time: `overview.json`, which plans are made from as well.

A stage's account has what it took of the machine over all sessions (`Use`), and what it did (`Work`): its size, in
whatever its time grows with, and what it handed on. What a kill cuts off is at most a few seconds of the account.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pythagoras.corpus.store import write_json
from pythagoras.errors import InputError
from pythagoras.stages.meter import Use
from pythagoras.stages.recipe import Experiment, read_experiment
from pythagoras.stages.settings import StageName

OVERVIEW = "overview.json"
_KEPT = ("state", "use", "work", "bytes", "lean_s")
"""Of a stage's account, what is read again; the rest follows from it."""


class State(StrEnum):
    """Where a stage is."""

    WAITING = "waiting"
    BEGUN = "begun"
    """It is running, or was stopped: the same command goes on with it."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Work:
    """What a stage did."""

    unit: str
    """Of `size`, in words."""
    size: float
    """What its time grows with."""
    busy_s: float
    """Of its seconds, those that grow with the size; the others are for getting ready."""
    tokens: float = 0.0
    """Trained on, or drawn."""
    lean_s: float = 0.0
    made: Mapping[str, float] = field(default_factory=dict)
    """What later stages depend on, by name."""


@dataclass(frozen=True, slots=True)
class Account:
    """A stage."""

    state: State = State.WAITING
    use: Use = Use()  # noqa: RUF009 (it is frozen)
    work: Work | None = None
    """When it is done."""
    bytes: int = 0
    lean_s: float = 0.0
    """Of Lean, where the stage's own files do not say it."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A run."""

    experiment: Experiment
    cores: int
    """How many work side by side."""
    stages: Mapping[StageName, Account]
    planned: Mapping[StageName, Mapping[str, float]] = field(default_factory=dict)
    """What each stage was to need, by name, as it was planned before it began; none where nobody knew."""

    def state(self, stage: StageName) -> State:
        return self.stages.get(stage, Account()).state

    @property
    def finished(self) -> bool:
        return all(self.state(stage) is State.DONE for stage in self.experiment.stages)

    def with_stage(self, stage: StageName, account: Account) -> Overview:
        return replace(self, stages={**self.stages, stage: account})

    def as_dict(self) -> dict[str, Any]:
        """For JSON; each stage with what it needs and was to need, and the ratio of both."""
        return {
            "recipe": self.experiment.as_dict(),
            "cores": self.cores,
            "stages": {stage: self._told(stage) for stage in self.experiment.stages},
        }

    def _told(self, stage: StageName) -> dict[str, Any]:
        account = self.stages.get(stage, Account())
        told = {**asdict(account), "state": account.state.value}
        told["use"] = {name: round(value, 2) for name, value in asdict(account.use).items()}
        planned = dict(self.planned.get(stage, {}))
        seconds = account.use.seconds
        done = planned and account.state is State.DONE and planned.get("seconds")
        ratio = {"took_over_planned": round(seconds / planned["seconds"], 3)} if done else {}
        return {**told, "planned": planned, **ratio}


def write_overview(folder: Path, overview: Overview) -> None:
    write_json(folder / OVERVIEW, overview.as_dict())


def read_overview(path: Path) -> Overview:
    """From its file. Raises InputError where it can't be read."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        stages = TypeAdapter(dict[StageName, Account]).validate_python(
            {name: {key: one[key] for key in _KEPT} for name, one in told["stages"].items()}
        )
        planned = {name: one["planned"] for name, one in told["stages"].items() if one["planned"]}
        return Overview(read_experiment(told["recipe"]), told["cores"], stages, planned)
    except FileNotFoundError:
        raise InputError(f"{path.parent} is no run: `pythagoras run RECIPE -o {path.parent}` makes one") from None
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        why = str(error).partition("\n")[0]
        raise InputError(f"{path} can't be read ({why}): take it from a copy, or begin anew with --overwrite") from None
