"""The statistics of a corpus as one picture: who is in it, how long it is, and how it came to be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pythagoras.corpus.stats import Stats
from pythagoras.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TIERS = {"easy": "#4c9f70", "medium": "#e3a857", "hard": "#c8553d", "alf": "#5b7db1"}
_OTHER = "#8a8f98"
_KEPT, _DROPPED = "#4c9f70", "#c8553d"
_MOST = 12
"""Bars in a panel; what is beyond is one bar more."""
_FEWEST = 6
"""Bars that a panel has room for at the least, so that two of them are not two walls."""
_FORMATS = (".png", ".svg", ".pdf")


def draw(stats: Stats, path: Path, *, title: str, unit: str) -> None:
    """Write the picture; the ending of the path says in which format. `unit` is what lengths are counted in."""
    check_name(path)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 8.5), layout="constrained", dpi=130)
    FigureCanvasAgg(figure)
    figure.suptitle(f"{title}: {stats.rows:,} rows", fontsize=15, fontweight="bold")
    grid = figure.add_gridspec(2, 6, height_ratios=(1.25, 1))
    for column, by in enumerate(("source", "topic", "operator")):
        _bars(figure.add_subplot(grid[0, 2 * column : 2 * column + 2]), by, stats.groups[by])
    _lengths(figure.add_subplot(grid[1, :3]), stats, unit)
    _funnel(figure.add_subplot(grid[1, 3:]), stats)
    save(figure, path)


def save(figure: Figure, path: Path) -> None:
    """Write a picture. Raises InputError when the path can't be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path)
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror or error}") from None


def check_name(path: Path) -> None:
    """Raises InputError unless a picture can have this name."""
    if path.suffix not in _FORMATS:
        raise InputError(f"{path} can't be drawn: end its name in one of {', '.join(_FORMATS)}")


def _bars(axes: Axes, by: str, counts: Counter[str]) -> None:
    shown = counts.most_common(_MOST)
    rest = len(counts) - len(shown)
    if rest:
        shown.append((f"{rest} more", counts.total() - sum(count for _, count in shown)))
    names = [name if len(name) <= 28 else name[:27] + "…" for name, _ in shown]
    bars = axes.barh(range(len(shown)), [count for _, count in shown], color=_OTHER)
    axes.set_yticks(range(len(shown)), names, fontsize=8)
    axes.bar_label(bars, [f"{count:,}" for _, count in shown], padding=3, fontsize=8)
    axes.set_ylim(max(len(shown), _FEWEST) - 0.4, -0.6)
    axes.margins(x=0.18)
    axes.set_title(f"rows by {by}")
    _quiet(axes)


def _lengths(axes: Axes, stats: Stats, unit: str) -> None:
    """A step a tier over bins that double."""
    for tier, lengths in sorted(stats.tiers.items(), key=lambda item: [*_TIERS, item[0]].index(item[0])):
        bins = lengths.histogram()
        axes.stairs(
            list(bins.values()),
            [*bins, 2 * max(bins)],
            label=f"{tier} ({lengths.rows:,})",
            color=_TIERS.get(tier, _OTHER),
            linewidth=2,
        )
    axes.set_xscale("log", base=2)
    axes.set_xlabel(unit)
    axes.set_title("rows by length of all parts together")
    if stats.tiers:
        axes.legend(frameon=False, fontsize=9)
    _quiet(axes)


def _funnel(axes: Axes, stats: Stats) -> None:
    axes.set_title("funnel")
    if not stats.funnel:
        axes.text(0.5, 0.5, "nothing is known of how it was made", ha="center", va="center", color=_OTHER)
        axes.set_axis_off()
        return
    for height, step in enumerate(stats.funnel):
        axes.barh(height, step.kept, color=_KEPT)
        axes.barh(height, step.read - step.kept, left=step.kept, color=_DROPPED)
        reasons = "".join(f"; {reason} {count:,}" for reason, count in Counter(step.dropped).most_common())
        axes.text(0, height + 0.42, f" {step.kept:,} of {step.read:,}{reasons}", fontsize=8, va="top")
    axes.set_yticks(range(len(stats.funnel)), [step.stage for step in stats.funnel])
    axes.set_ylim(len(stats.funnel) - 0.2, -0.6)
    _quiet(axes)


def _quiet(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.tick_params(axis="x", labelsize=8)
