"""The ladder: what each prover solves at which cost, as one small file that pages and papers show.

`pythagoras eval ladder` makes it of runs, and nobody types a number into it. What others report is not in the file: it
stands beside, from `analysis.published`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis import published
from pythagoras.evaluate.analysis.cost import cost_report
from pythagoras.evaluate.analysis.passn import pass_at
from pythagoras.evaluate.analysis.published import PublishedResult
from pythagoras.evaluate.results import Results

BUDGETS = (1, 8, 32, 128)
"""The N at which rungs are compared; a run's own N stands beside them."""
_PAPERS = "minif2f/test"
"""What the paper's main table is about."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Step(_Strict):
    """pass@N: of the first N attempts at each problem. Shares go from 0 to 1, with 95 % intervals."""

    n: int = Field(ge=1)
    solved: int = Field(ge=0)
    problems: int = Field(ge=0)
    low: float = Field(ge=0, le=1)
    high: float = Field(ge=0, le=1)
    short: int = Field(default=0, ge=0)
    """Unsolved problems that lack attempts or verdicts: with any of them, `solved` is a lower bound."""


class Rung(_Strict):
    """One prover on one benchmark."""

    name: str
    benchmark: str
    chosen: str = ""
    """Which of its statements, in words; empty: all."""
    n: int = Field(ge=1)
    """Attempts at each statement."""
    steps: tuple[Step, ...]
    """By N, upwards."""
    attempts: int = Field(ge=0)
    generated_tokens: float = Field(default=0, ge=0)
    etc: float | None = None
    """Effective token complexity of all attempts at a problem, on average; None where no tokens were counted."""
    lean_seconds: float | None = None
    wall_seconds: float | None = None
    score: float | None = None
    """The paper's S: the share solved at N, times generated tokens a second; None where no tokens were counted."""
    lean: str = ""
    """The Lean that judged."""
    started: str = ""
    """When, in UTC."""


class Ladder(_Strict):
    """Rungs in the order in which they shall be read."""

    format: Literal[1] = 1
    title: str
    made: tuple[str, ...] = ()
    """The commands that made it, in order."""
    rungs: tuple[Rung, ...]


def ladder(runs: Sequence[Results], *, title: str, made: Sequence[str] = (), seed: int = 0) -> Ladder:
    """The ladder of these runs, in their order."""
    if not runs:
        raise InputError("no run to make a ladder of: give the folders of one or more")
    return Ladder(title=title, made=tuple(made), rungs=tuple(_rung(run, seed) for run in runs))


def _rung(run: Results, seed: int) -> Rung:
    manifest = run.manifest
    most = max(1, manifest.n)
    budgets = sorted({n for n in BUDGETS if n < most} | {most})
    found = [pass_at(run, n, seed=seed) for n in budgets]
    cost = cost_report(run) if len(run.last_rounds) and run.fit.any() else None
    counted = cost is not None and cost.generated_tokens > 0
    return Rung(
        name=run.label,
        benchmark=manifest.benchmark.name,
        chosen=manifest.benchmark.filter,
        n=most,
        steps=tuple(
            Step(n=at.n, solved=at.solved, problems=at.problems, low=at.low, high=at.high, short=at.short)
            for at in found
        ),
        attempts=len(run.last_rounds),
        generated_tokens=cost.generated_tokens if cost else 0,
        etc=cost.etc.per_problem if cost and counted else None,
        lean_seconds=cost.lean_seconds if cost else None,
        wall_seconds=cost.wall_seconds if cost else None,
        score=cost.score if cost and counted else None,
        lean=manifest.lean.version,
        started=manifest.started,
    )


def reported(found: Ladder) -> tuple[PublishedResult, ...]:
    """What the paper reports about the ladder's benchmarks, each system at each N once.

    Where it reports nothing about any, its main table: that is on another benchmark, and its rows say so.
    """
    names = dict.fromkeys(rung.benchmark for rung in found.rungs)
    same = tuple(one for name in names for one in published.scaling(name))
    return same or published.scaling(_PAPERS)


def read_ladder(path: Path) -> Ladder:
    """The ladder in a file. Raises InputError where there is none that can be read."""
    again = "make it again with `pythagoras eval ladder RUN... -o FILE`"
    try:
        return Ladder.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path} can't be read ({error.strerror}): {again}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "its beginning"
        raise InputError(f"{path} is no ladder ({where}: {first['msg']}): {again}") from None


def write_ladder(path: Path, found: Ladder) -> None:
    """All or nothing."""
    staging = path.with_name(f".{path.name}.staging")
    text = json.dumps(found.model_dump(mode="json"), ensure_ascii=False, indent=2)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        staging.write_text(text + "\n", encoding="utf-8")
        os.replace(staging, path)
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror or error}") from None
