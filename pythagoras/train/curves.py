"""How training went, as one picture: loss and reward of one or several runs, with their stages marked.

A thin line is each step, a thick one their running mean; rings are the loss on what was held out. Runs differ in colour
and in the dashes of their lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pythagoras.corpus.picture import check_name, save
from pythagoras.errors import InputError
from pythagoras.train.run_folder import read_log

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOOKS = (("#31688e", "-"), ("#c8553d", "--"), ("#4c9f70", "-."), ("#8e5aa8", ":"), ("#b08900", (0, (6, 1, 1, 1))))
"""Colour and dashes of a run; beyond these they come again."""
_QUIET = "#8a8f98"
_MEASURES = {"loss": "loss (nats a token)", "reward": "reward (share of rollouts proved)"}
_HELD_OUT = "validation_loss"
_WINDOWS = 40
"""A running mean is over this part of a run's steps."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A run's steps, counted through all its stages."""

    name: str
    lines: tuple[Mapping[str, Any], ...]
    stages: tuple[tuple[str, int], ...]
    """Each with the number of steps before it."""

    def points(self, measure: str, stage: str | None = None) -> tuple[list[int], list[float]]:
        """Where a measure was taken, in one stage or in all, and its values.

        The loss of reinforcement learning is none: it says how the policy moved, not how well it predicts.
        """
        before = dict(self.stages)
        taken = [
            (before[line["stage"]] + line["step"], line[measure])
            for line in self.lines
            if measure in line and stage in (None, line["stage"]) and not (measure == "loss" and "reward" in line)
        ]
        return [at for at, _ in taken], [value for _, value in taken]


def read_curve(folder: Path) -> Curve:
    """The curve of a run's folder. Raises InputError where nothing was logged."""
    lines = read_log(folder)
    if not lines:
        raise InputError(f"{folder} has no step yet: let its training go on for a while")
    lengths = [(stage, max(line["step"] for line in own)) for stage, own in groupby(lines, lambda line: line["stage"])]
    begins = accumulate((steps for _, steps in lengths), initial=0)
    stages = tuple((stage, begin) for (stage, _), begin in zip(lengths, begins, strict=False))
    return Curve(folder.name, tuple(lines), stages)


def draw_curves(folders: Sequence[Path], picture: Path, *, title: str = "") -> None:
    """Draw the runs into one picture, whose ending says in which format. Raises InputError."""
    check_name(picture)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    curves = [read_curve(folder) for folder in folders]
    measures = [name for name in _MEASURES if any(curve.points(name)[0] for curve in curves)]
    if not measures:
        raise InputError(f"{folders[0]} has logged no loss and no reward: there is nothing to draw")
    figure = Figure(figsize=(10, 1.2 + 4 * len(measures)), layout="constrained", dpi=130)
    FigureCanvasAgg(figure)
    if title:
        figure.suptitle(title, fontsize=14, fontweight="bold")
    for number, measure in enumerate(measures, 1):
        _panel(figure.add_subplot(len(measures), 1, number), curves, measure)
    save(figure, picture)


def _panel(axes: Axes, curves: Sequence[Curve], measure: str) -> None:
    from matplotlib.ticker import MaxNLocator

    row = 0
    for number, curve in enumerate(curves):
        colour, dashes = _LOOKS[number % len(_LOOKS)]
        drawn = [(stage, begin) for stage, begin in curve.stages if curve.points(measure, stage)[0]]
        for stage, _ in drawn:
            steps, values = curve.points(measure, stage)
            label = curve.name if stage == drawn[0][0] else None
            axes.plot(steps, values, color=colour, linewidth=0.6, alpha=0.35)
            axes.plot(steps, running_mean(values), color=colour, linestyle=dashes, linewidth=2, label=label)
        if measure == "loss":
            axes.plot(*curve.points(_HELD_OUT), "o", color=colour, markerfacecolor="white", markersize=7)
        _mark_stages(axes, drawn, colour if len(curves) > 1 else _QUIET, row)
        row += bool(drawn)
    axes.set_ylabel(_MEASURES[measure])
    axes.set_xlabel("steps")
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e4e6ea", linewidth=0.8)
    axes.set_axisbelow(True)
    if len(curves) > 1:
        axes.legend(frameon=False, loc="best")


def _mark_stages(axes: Axes, stages: Sequence[tuple[str, int]], colour: str, row: int) -> None:
    """A line where a stage begins, with its name above the panel; each run has a row for its names."""
    for stage, begin in stages:
        if begin:
            axes.axvline(begin, color=colour, linewidth=0.9, linestyle=":")
        where = (begin, 1.01 + 0.05 * row)
        axes.annotate(stage, where, xycoords=("data", "axes fraction"), color=colour, fontsize=9, va="bottom")


def running_mean(values: Sequence[float]) -> list[float]:
    """At each place the mean of those around it, over a fixed part of all."""
    reach = max(1, len(values) // _WINDOWS) // 2 + 1
    sums = list(accumulate(values, initial=0.0))
    ends = [(max(0, at - reach), min(len(values), at + reach + 1)) for at in range(len(values))]
    return [(sums[end] - sums[begin]) / (end - begin) for begin, end in ends]
