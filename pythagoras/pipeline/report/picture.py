"""A build as one picture, in the paper's form: what was accepted, why attempts failed, what the rubric brought.

What the paper reports stands beside it as hollow marks, never as bars: it is about other problems and another prover.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pythagoras.corpus.picture import check_name, save
from pythagoras.pipeline.report.figures import PAPER, PAPER_ERRORS, Bar, Figures, together

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ACCEPTED, _REJECTED, _QUIET = "#0072b2", "#e69f00", "#767b84"
_CLASSES = {
    "tactic failure": "#0072b2",
    "unsolved goals": "#e69f00",
    "invalid field": "#009e73",
    "type mismatch": "#56b4e9",
    "unknown name": "#d55e00",
    "failed to synthesise": "#f0e442",
    "other": "#cc79a7",
}
_MOST = 10


def draw(figures: Figures, path: Path) -> None:
    """Write the picture; the ending of the path says in which format."""
    check_name(path)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 9.5), layout="constrained", dpi=130)
    FigureCanvasAgg(figure)
    figure.suptitle(f"seed corpus: {figures.name}", fontsize=15, fontweight="bold")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.35, 1))
    _accepted(figure.add_subplot(grid[0, 0]), figures)
    _errors(figure.add_subplot(grid[0, 1]), figures.errors, figures.no_class)
    _sources(figure.add_subplot(grid[1, 0]), figures)
    _rates(figure.add_subplot(grid[1, 1]), figures)
    save(figure, path)


def _accepted(axes: Axes, figures: Figures) -> None:
    """The paper's left panel: seed, synthetic, both; and the hard tier, which it has in words."""
    bars = [figures.seed_total, figures.synthetic_total, figures.combined]
    if figures.hard:
        bars.append(together("hard variants", figures.hard))
    _stacked(axes, bars)
    axes.set_title("accepted and rejected instances")
    axes.legend(frameon=False, loc="lower right", fontsize=9)


def _sources(axes: Axes, figures: Figures) -> None:
    bars = sorted(figures.seed, key=lambda bar: -bar.total)[:_MOST]
    _stacked(axes, [*bars, *figures.synthetic])
    axes.set_title("the largest sources or topics, and the rubric's generators")


def _stacked(axes: Axes, bars: list[Bar]) -> None:
    most = max((bar.total for bar in bars), default=0) or 1
    for height, bar in enumerate(bars):
        axes.barh(height, bar.accepted, color=_ACCEPTED, label="accepted" if height == 0 else None)
        axes.barh(
            height, bar.rejected, left=bar.accepted, color=_REJECTED, hatch="///", edgecolor="white",
            label="rejected" if height == 0 else None,
        )  # fmt: skip
        said = f" {bar.accepted:,} of {bar.total:,} ({bar.rate:.1%})" if bar.total else " none"
        axes.text(bar.total + most * 0.005, height, said, va="center", fontsize=8.5)
    axes.set_yticks(range(len(bars)), [bar.name for bar in bars], fontsize=9)
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_xlim(0, most * 1.32)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)


def _errors(axes: Axes, errors: Mapping[str, int], no_class: int) -> None:
    """The paper's donut."""
    total = sum(errors.values())
    more = f"\n({no_class:,} more have none: timeouts, or no error of Lean's)" if no_class else ""
    axes.set_title(f"root causes of rejected attempts{more}", fontsize=11 if more else None)
    if not total:
        said = "no attempt has one" if no_class else "no attempt was rejected"
        axes.text(0.5, 0.5, said, ha="center", va="center", color=_QUIET)
        axes.set_axis_off()
        return
    shown = sorted(((name, count) for name, count in errors.items() if count), key=lambda item: -item[1])
    wedges, *_ = axes.pie(
        [count for _, count in shown], colors=[_CLASSES.get(name, _QUIET) for name, _ in shown], startangle=90,
        counterclock=False, wedgeprops={"width": 0.4, "edgecolor": "white"},
    )  # fmt: skip
    labels = [
        f"{name}: {count:,} ({count / total:.1%}; paper {PAPER_ERRORS.get(name, 0):.1%})" for name, count in shown
    ]
    axes.legend(wedges, labels, frameon=False, fontsize=8.5, loc="upper center", bbox_to_anchor=(0.5, 0.02))
    axes.text(0, 0, f"{total:,}", ha="center", va="center", fontsize=13)


def _rates(axes: Axes, figures: Figures) -> None:
    bars = {"seed": figures.seed_total, "synthetic": figures.synthetic_total}
    if figures.hard:
        bars["hard"] = figures.hard_total
    for at, (name, bar) in enumerate(bars.items()):
        axes.bar(at, 100 * bar.rate, width=0.5, color=_ACCEPTED)
        axes.text(at, 100 * bar.rate + 1.5, f"{bar.rate:.1%}", ha="center", fontsize=10)
        paper = 100 * PAPER[name].rate
        axes.plot(
            at + 0.34, paper, marker="D", markersize=9, markerfacecolor="none", color="black", linestyle="none",
            label="paper (other problems, another prover)" if at == 0 else None,
        )  # fmt: skip
        axes.text(at + 0.34, paper + 3, f"{paper:.1f}%", ha="center", fontsize=8.5)
    axes.set_xticks(range(len(bars)), bars)
    axes.set_xlim(-0.5, len(bars) - 0.4)
    axes.set_ylim(0, 112)
    axes.set_ylabel("proved, % of instances")
    gains = ", ".join(f"{name} {gain:+.0%}" for name, gain in list(figures.gains.items())[:2])
    axes.set_title(f"verification rates; the rubric's relative gain:\n{gains or 'nothing was distilled'}", fontsize=11)
    axes.legend(frameon=False, fontsize=8.5, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
