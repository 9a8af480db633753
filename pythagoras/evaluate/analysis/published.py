"""What others report: the numbers that the paper prints, as data with their sources. Nothing here was measured by us.

These have types of their own, so that no table and no picture can take one for a run's.
"""

from __future__ import annotations

import functools
import importlib.resources
import tomllib
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pythagoras.errors import InputError

PAPER = "the Pythagoras-Prover paper"

Protocol = Literal["restart", "self-correction", "ttrl", "not told"]


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """A prover's result on a benchmark, as printed."""

    method: str
    params: str
    """Its size, like `32B`, by the table or the method's name, or by another table; empty where no place says it."""
    benchmark: str
    n: int
    """Attempts; 0 where they are not told."""
    value: float
    unit: Literal["percent", "solved"]
    """`solved` counts problems, of which there are `total`."""
    total: int | None
    protocol: Protocol
    table: str
    """Label of the paper's table, figure or section."""
    copied: bool
    """Whether the paper has it from others; if not, its authors measured it."""
    ablation: bool
    """Whether it is of a variant that shows what a part of the training does."""
    note: str

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.value / (100 if self.total is None else self.total)

    @property
    def system(self) -> str:
        """What pictures call it: results of one system make one line."""
        return self.method if self.protocol == "restart" else f"{self.method} ({self.protocol})"

    @property
    def source(self) -> str:
        """Words for tables."""
        whose = "copied there from others" if self.copied else "measured there"
        return f"as reported in {PAPER}, {self.table}; {whose}"

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "share": self.share, "source": self.source}


@dataclass(frozen=True, slots=True)
class PublishedRound:
    """Mean tokens of a round, by which the paper tells its cost."""

    method: str
    n: int
    round: int
    prompt: float
    generated: float
    protocol: Protocol
    note: str = ""
    table: str = "tab:etc-comparison"


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """A number of the paper's analysis."""

    about: str
    what: str
    of: str
    """The benchmark, or the set that it is a share of."""
    value: float
    unit: str
    count: int | None
    total: int | None
    section: str
    note: str


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _ResultRow(_Strict):
    method: str
    params: str
    n: int
    value: float
    protocol: Protocol = "restart"
    note: str = ""


class _Group(_Strict):
    benchmark: str
    table: str
    unit: Literal["percent", "solved"]
    of: int | None = None
    copied: bool
    ablation: bool = False
    rows: tuple[_ResultRow, ...]


class _FigureRow(_Strict):
    what: str
    of: str
    value: float
    unit: str
    count: int | None = None
    total: int | None = None
    note: str = ""


class _Figures(_Strict):
    about: str
    section: str
    rows: tuple[_FigureRow, ...]


class _File(_Strict):
    group: tuple[_Group, ...]
    rounds: tuple[PublishedRound, ...]
    figures: tuple[_Figures, ...]


def published(
    benchmark: str | None = None,
    *,
    method: str | None = None,
    n: int | None = None,
    protocol: Protocol | None = None,
    table: str | None = None,
) -> tuple[PublishedResult, ...]:
    """Results in the paper's order, all or those that are asked for. A result that two tables print is there twice.

    `benchmark` is called as in runs: `minif2f/test`, `minif2f-alf/test`, `putnambench`. Of others there are none.
    """
    wanted = {"benchmark": benchmark, "method": method, "n": n, "protocol": protocol, "table": table}
    asked = {name: value for name, value in wanted.items() if value is not None}
    return tuple(one for one in _results() if all(getattr(one, name) == value for name, value in asked.items()))


def scaling(benchmark: str) -> tuple[PublishedResult, ...]:
    """What stands beside curves over N: each system's result at each N once, without ablations and unknown N."""
    found: dict[tuple[str, int], PublishedResult] = {}
    for one in published(benchmark):
        if one.n and not one.ablation:
            found.setdefault((one.system, one.n), one)
    return tuple(found.values())


def published_rounds() -> tuple[PublishedRound, ...]:
    """The paper's token counts, from which it computes ETC."""
    return _file().rounds


def published_figures(section: str | None = None) -> tuple[PublishedFigure, ...]:
    """Numbers of the analysis, all or those of one section. Raises InputError for a section that has none."""
    found = tuple(
        PublishedFigure(section=group.section, about=group.about, **dict(row))
        for group in _file().figures
        for row in group.rows
        if section in (None, group.section)
    )
    if not found:
        sections = sorted({group.section for group in _file().figures})
        raise InputError(f"no figures of a section {section!r} are kept: choose one of {', '.join(sections)}")
    return found


@functools.cache
def _results() -> tuple[PublishedResult, ...]:
    return tuple(
        PublishedResult(
            **dict(row),
            benchmark=group.benchmark,
            unit=group.unit,
            total=group.of,
            table=group.table,
            copied=group.copied,
            ablation=group.ablation,
        )
        for group in _file().group
        for row in group.rows
    )


@functools.cache
def _file() -> _File:
    text = importlib.resources.files(__package__).joinpath("published.toml").read_text(encoding="utf-8")
    return _File.model_validate(tomllib.loads(text))
