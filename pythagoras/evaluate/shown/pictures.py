"""Pictures of results: curves over N and cost, grids of outcomes, shares. They read without colour as well.

Every function answers with a figure of its own; `save` writes it to a file, and `svg` makes it a part of a page.
How a corpus came to be is drawn in `corpus/picture.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from pythagoras.evaluate.analysis.compare import Grid, Transition
from pythagoras.evaluate.analysis.cost import CostCurve
from pythagoras.evaluate.analysis.cost_curves import MEASURES
from pythagoras.evaluate.analysis.failures import Shares
from pythagoras.evaluate.analysis.passn import Curve
from pythagoras.evaluate.analysis.published import PublishedResult
from pythagoras.evaluate.shown.canvas import Canvas, plain, shortened, text_width, wrapped
from pythagoras.evaluate.shown.figures import save as save
from pythagoras.evaluate.shown.figures import svg as svg
from pythagoras.evaluate.shown.palette import (
    BLUE,
    INK,
    ORANGE,
    QUIET,
    TRANSITIONS,
    CellLook,
    area_look,
    ink_on,
    line_look,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    _Entry = tuple[Artist | None, str]
    """Of a legend: what was drawn, None for a heading, and its words."""

_DPI = 130
_MOST_TICKS = 12
_FEW_TICKS = 8
_TURNS = 24
"""Ways to turn a donut that are tried."""
_LONG_COLUMN = 7
"""Entries of a legend's column, before there is another beside it."""
_ACROSS = 3
"""Panels of bars side by side."""
_CELL_WIDTH, _ROW_HEIGHT, _COUNT_WIDTH = 0.2, 0.125, 0.95
"""Of a grid of outcomes, in inches."""
_WIDEST = 12.5
"""Inches that the panels of a grid have together."""
_FEWEST_ROWS = 40
"""Of a grid's panel, before there is another beside it."""


def curves(curves: Sequence[Curve], published: Sequence[PublishedResult] = ()) -> Figure:
    """pass@N over N with interval bands; what others report are hollow markers in a legend column of their own."""
    if not curves and not published:
        return nothing("pass@N")
    figure, axes = _axes()
    ours: list[_Entry] = []
    for at, curve in enumerate(curves):
        ours.append((_line(axes, at, curve.n, curve.value, curve.low, curve.high), curve.label))
    theirs = _reported(axes, published, len(curves))
    axes.set_xlabel("attempts at each statement (N)")
    axes.set_ylabel("statements solved by N attempts")
    budgets = [n for curve in curves for n in curve.n] + [point.n for point in published if point.n]
    _doubling(axes, budgets or [1])
    _finish(figure, axes, ours, theirs)
    return figure


def cost(curves: Sequence[CostCurve]) -> Figure:
    """Share solved against what it cost on average, with interval bands. All curves are of one measure."""
    if not curves:
        return nothing("share solved against cost")
    figure, axes = _axes()
    ours: list[_Entry] = []
    for at, curve in enumerate(curves):
        ours.append((_line(axes, at, curve.cost, curve.solved, curve.low, curve.high), curve.label))
    paid = [cost for curve in curves for cost in curve.cost if cost > 0]
    if paid and all(cost > 0 for curve in curves for cost in curve.cost):
        axes.set_xscale("log")
    elif paid:  # what cost nothing has its place left of what did
        axes.set_xscale("symlog", linthresh=min(paid))
    measure = MEASURES[curves[0].measure].about if curves[0].measure in MEASURES else curves[0].measure
    axes.set_xlabel(plain(f"mean cost of a statement in {curves[0].unit}\n({measure})"))
    axes.set_ylabel("statements solved")
    _finish(figure, axes, ours, [])
    return figure


def grid(grid: Grid) -> Figure:
    """How each problem ended for each prover, a row a problem, wrapped into panels; below it the counts."""
    if not grid.problems or not grid.columns:
        return nothing(grid.label)
    names = [shortened(name, 30) for name in grid.problems]
    label_width = max(text_width(name, 6) for name in names) + 0.05
    panel_width = label_width + _CELL_WIDTH * len(grid.columns) + 0.25
    panels = max(1, min(int(_WIDEST / panel_width), -(-len(names) // _FEWEST_ROWS)))
    rows = -(-len(names) // panels)
    keys = (
        [""]
        if len(grid.columns) == 1
        else [chr(ord("A") + at % 26) * (1 + at // 26) for at in range(len(grid.columns))]
    )
    provers = [shortened(f"{key}  {name}".strip(), 70) for key, name in zip(keys, grid.columns, strict=True)]
    prover_width = max(text_width(name, 8) for name in [*provers, "pairs"]) + 0.15
    width = 0.3 + max(panels * panel_width, prover_width + _COUNT_WIDTH * (len(TRANSITIONS) + 1))
    top = 0.75
    canvas = Canvas(width, top + rows * _ROW_HEIGHT + 0.75 + 0.2 * len(provers), _DPI)
    canvas.text(0.15, 0.25, shortened(grid.label, int(width / text_width("x", 11))), size=11, weight="bold")
    corners: dict[Transition, list[tuple[float, float]]] = {transition: [] for transition in TRANSITIONS}
    for at, (name, cells) in enumerate(zip(names, grid.cells, strict=True)):
        panel, row = divmod(at, rows)
        x, y = 0.15 + panel * panel_width, top + row * _ROW_HEIGHT
        canvas.text(x + label_width - 0.04, y + _ROW_HEIGHT / 2, name, size=6, ha="right")
        for column, transition in enumerate(cells):
            corners[transition].append((x + label_width + column * _CELL_WIDTH, y))
            if row == 0:
                canvas.text(x + label_width + (column + 0.5) * _CELL_WIDTH, y - 0.08, keys[column], size=7, ha="center")
    y = top + rows * _ROW_HEIGHT + 0.4
    for column, transition in enumerate(TRANSITIONS):
        x = 0.15 + prover_width + (column + 1) * _COUNT_WIDTH
        corners[transition].append((x - _CELL_WIDTH, y - _ROW_HEIGHT - 0.06))
        canvas.text(x, y + 0.08, transition.value, size=8, ha="right")
    canvas.text(0.15 + prover_width + _COUNT_WIDTH * (len(TRANSITIONS) + 1), y + 0.08, "pairs", size=8, ha="right")
    for transition, look in TRANSITIONS.items():
        _cells(canvas, corners[transition], look)
    for column, prover in enumerate(provers):
        found = Counter(cells[column] for cells in grid.cells)
        y += 0.2
        canvas.text(0.15, y + 0.08, prover, size=8)
        for at, count in enumerate([*(found[transition] for transition in TRANSITIONS), found.total()], 1):
            canvas.text(0.15 + prover_width + at * _COUNT_WIDTH, y + 0.08, f"{count:,}", size=8, ha="right")
    return canvas.figure


def _cells(canvas: Canvas, corners: Sequence[tuple[float, float]], look: CellLook) -> None:
    """Cells of one outcome, with gaps between them."""
    gap = 0.015
    canvas.cells([(x + gap, y + gap) for x, y in corners], _CELL_WIDTH - 2 * gap, _ROW_HEIGHT - 2 * gap, look.colour)
    if look.symbol:
        ink = INK if look.colour == "none" else ink_on(look.colour)
        centres = [(x + _CELL_WIDTH / 2, y + _ROW_HEIGHT / 2) for x, y in corners]
        canvas.symbols(centres, look.symbol, 0.055, ink)


def donut(shares: Shares, order: Sequence[str] = ()) -> Figure:
    """Parts of a whole around its total, each with its name, count and share beside it.

    `order` has the names of several donuts' parts, so that a part looks the same in all of them.
    """
    shown = [(name, count) for name, count in shares.parts if count]
    looks = {name: area_look(at) for at, name in enumerate(dict.fromkeys([*order, *(name for name, _ in shown)]))}
    if not shown:
        return nothing(shares.title)
    labels = [f"{wrapped(name, 30)}\n{_counted(count, shares.total)}" for name, count in shown]
    pitch = 0.16 * max(label.count("\n") + 1 for label in labels) + 0.08
    radius = 1.15
    places = _placed([count / shares.total for _, count in shown], radius, pitch)
    height = max(2 * radius + 0.3, 2 * max(abs(place.label_y) for place in places) + pitch)
    canvas = Canvas(2 * (radius + 0.45 + 2.1), height + 1.0, _DPI)
    x, y = canvas.width / 2, 0.6 + height / 2
    canvas.text(x, 0.1, wrapped(shares.title, 70), size=11, weight="bold", ha="center", va="top")
    canvas.text(x, y - 0.06, f"{shares.total:,}", size=17, weight="bold", ha="center")
    canvas.text(x, y + 0.2, "in all", size=8, ha="center", colour=QUIET)
    for (name, _), label, place in zip(shown, labels, places, strict=True):
        look = looks[name]
        canvas.ring(x, y, 0.62 * radius, radius, place.start, place.end, look.colour, look.hatch)
        side = 1 if place.right else -1
        from_x, from_y = radius * math.sin(place.angle), -radius * math.cos(place.angle)
        to_x = x + side * (radius + 0.32)
        heights = [y + from_y, y + place.label_y, y + place.label_y]
        canvas.line([x + from_x, to_x, to_x + side * 0.06], heights, QUIET)
        canvas.text(to_x + side * 0.11, heights[1], label, size=8.5, ha="left" if place.right else "right")
    none = [name for name, count in shares.parts if not count]
    if none:
        canvas.text(x, canvas.height - 0.18, wrapped(f"none: {', '.join(none)}", 90), size=8, ha="center", colour=QUIET)
    return canvas.figure


def bars(several: Sequence[Shares]) -> Figure:
    """The same parts of several wholes, a panel each, so that a part is found at the same height in all."""
    shown = [shares for shares in several if shares.total]
    names = list(dict.fromkeys(name for shares in several for name, _ in shares.parts))
    if not shown or not names:
        return nothing(several[0].title if several else "shares")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    across = min(len(several), _ACROSS)
    down = -(-len(several) // across)
    size = (2.2 + 2.9 * across, down * (0.95 + 0.27 * len(names)))
    figure = Figure(figsize=size, layout="constrained", dpi=_DPI)
    FigureCanvasAgg(figure)
    panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).flat
    longest = max(count / shares.total for shares in shown for _, count in shares.parts)
    for axes, shares in zip(panels, several, strict=False):
        counts = dict(shares.parts)
        widths = [counts.get(name, 0) / shares.total if shares.total else 0.0 for name in names]
        drawn = axes.barh(range(len(names)), widths, color=line_look(0).colour, height=0.66)
        texts = [_counted(counts.get(name, 0), shares.total) for name in names]
        axes.bar_label(drawn, texts, padding=3, fontsize=8)
        axes.set_yticks(range(len(names)), [plain(shortened(name, 30)) for name in names], fontsize=9)
        axes.set_title(plain(f"{wrapped(shares.title, 34)}\n{shares.total:,} in all"), fontsize=9)
        _quiet(axes)
    panels[0].set_ylim(len(names) - 0.4, -0.6)
    panels[0].set_xlim(0, 1.75 * longest)
    panels[0].set_xticks([])
    for axes in panels[len(several) :]:
        axes.set_axis_off()
    return figure


def funnel(stages: Sequence[Shares]) -> Figure:
    """What stages kept of what they read, and why they dropped the rest. The first part of each is what it kept."""
    if not stages:
        return nothing("funnel")
    most = max(stage.total for stage in stages) or 1
    canvas = Canvas(8, 0.35 + 0.62 * len(stages), _DPI)
    left = 0.3 + min(2.5, max(text_width(stage.title, 9) for stage in stages))
    scale = (canvas.width - left - 0.3) / most
    for at, stage in enumerate(stages):
        y = 0.2 + 0.62 * at
        kept = stage.parts[0][1] if stage.parts else 0
        canvas.text(left - 0.1, y + 0.12, shortened(stage.title, 32), size=9, ha="right")
        canvas.bar(left, y, kept * scale, 0.24, BLUE)
        canvas.bar(left + kept * scale, y, (stage.total - kept) * scale, 0.24, ORANGE, hatch="////")
        reasons = "".join(f"; {name} {count:,}" for name, count in stage.parts[1:] if count)
        canvas.text(left, y + 0.36, shortened(f"kept {kept:,} of {stage.total:,}{reasons}", 110), size=8)
    return canvas.figure


def nothing(title: str) -> Figure:
    """A picture that says there is nothing to show."""
    canvas = Canvas(5, 1.2, _DPI)
    canvas.text(2.5, 0.3, wrapped(title, 60), size=11, weight="bold", ha="center")
    canvas.text(2.5, 0.75, "nothing to show", size=9, ha="center", colour=QUIET)
    return canvas.figure


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a part of a ring is, as shares of it clockwise from the top, and its label, in inches below the middle."""

    start: float
    end: float
    label_y: float

    @property
    def angle(self) -> float:
        return math.pi * (self.start + self.end)

    @property
    def right(self) -> bool:
        return math.sin(self.angle) >= 0


def _placed(shares: Sequence[float], radius: float, pitch: float) -> list[_Place]:
    """Parts one after another, turned so that labels get as near to their parts as they can."""
    best: list[_Place] = []
    least = math.inf
    for turn in range(_TURNS):
        ends = [turn / _TURNS + sum(shares[: at + 1]) for at in range(len(shares))]
        bare = [_Place(end - share, end, 0.0) for end, share in zip(ends, shares, strict=True)]
        wanted = [-1.05 * radius * math.cos(place.angle) for place in bare]
        labels = list(wanted)
        for right in (True, False):
            side = sorted((at for at, place in enumerate(bare) if place.right == right), key=lambda at: wanted[at])
            room = max(radius + pitch / 2, len(side) * pitch / 2)
            for at, label_y in zip(side, spread([wanted[at] for at in side], pitch, -room, room), strict=True):
                labels[at] = label_y
        moved = sum((label - want) ** 2 for label, want in zip(labels, wanted, strict=True))
        if moved < least - 1e-9:
            least = moved
            best = [replace(place, label_y=label) for place, label in zip(bare, labels, strict=True)]
    return best


def spread(wanted: Sequence[float], pitch: float, top: float, bottom: float) -> list[float]:
    """Heights near the wanted ones, which are sorted, that are at least a pitch apart and within the bounds."""
    heights = [max(height, top + pitch / 2) for height in wanted]
    for at in range(1, len(heights)):
        heights[at] = max(heights[at], heights[at - 1] + pitch)
    limit = bottom - pitch / 2
    for at in reversed(range(len(heights))):
        heights[at] = min(heights[at], limit)
        limit = heights[at] - pitch
    return heights


def _axes() -> tuple[Figure, Axes]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(8, 4.4), layout="constrained", dpi=_DPI)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g}%")
    axes.grid(color=QUIET, alpha=0.25, linewidth=0.6)
    return figure, axes


def _line(
    axes: Axes, at: int, x: Sequence[float], y: Sequence[float], low: Sequence[float], high: Sequence[float]
) -> Artist:
    look = line_look(at)
    if len(x) > 1:
        axes.fill_between(x, low, high, color=look.colour, alpha=0.13, linewidth=0)
    else:  # a band needs two points
        axes.vlines(x, low, high, color=look.colour, linewidth=1)
    (line,) = axes.plot(
        x, y, color=look.colour, marker=look.marker, linestyle=look.dashes, markersize=5.5, linewidth=1.7, zorder=3
    )
    return line


def _reported(axes: Axes, published: Sequence[PublishedResult], first: int) -> list[_Entry]:
    """Hollow markers, a system each; a line across where it is not told how many attempts it took."""
    systems: dict[str, list[tuple[int, float]]] = {}
    for point in published:
        systems.setdefault(point.system if point.n else f"{point.system}, N not told", []).append(
            (point.n, point.share)
        )
    drawn: list[_Entry] = []
    for at, (system, points) in enumerate(systems.items(), first):
        look = line_look(at)
        if not points[0][0]:
            drawn.append((axes.axhline(points[0][1], color=look.colour, linestyle=":", linewidth=1.2), system))
            continue
        points.sort()
        (line,) = axes.plot(
            [n for n, _ in points],
            [share for _, share in points],
            color=look.colour,
            marker=look.marker,
            markerfacecolor="none",
            linestyle=":",
            linewidth=0.8,
        )
        drawn.append((line, system))
    return drawn


def _doubling(axes: Axes, budgets: Sequence[int]) -> None:
    """A logarithmic axis with a tick at each budget, or where there are too many at powers of two."""
    ticks = sorted(set(budgets))
    apart = 1.3 if len(ticks) <= _FEW_TICKS else 1.6  # the more of them, the narrower
    if len(ticks) > _MOST_TICKS or any(after < apart * before for before, after in pairwise(ticks)):
        low, high = math.floor(math.log2(ticks[0])), math.ceil(math.log2(ticks[-1]))
        ticks = [2**power for power in range(low, high + 1, -(-(high - low + 1) // _MOST_TICKS))]
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlim(min(budgets) / 1.25, max(budgets) * 1.25)


def _finish(figure: Figure, axes: Axes, ours: Sequence[_Entry], theirs: Sequence[_Entry]) -> None:
    """Bounds of the shares, and a legend below: a column for what is measured, another for what is reported."""
    from matplotlib.lines import Line2D

    low, high = axes.get_ylim()
    margin = max(0.02, (high - low) * 0.04)
    axes.set_ylim(max(low - margin, -0.02), min(high + margin, 1.02))
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    columns = _legend_columns(ours, theirs)
    rows = max(map(len, columns))
    entries = [entry for column in columns for entry in [*column, *[(None, " ")] * (rows - len(column))]]
    width = (90, 44, 32)[len(columns) - 1]
    texts = [plain(wrapped(label, width)) for _, label in entries]
    lines = max(sum(text.count("\n") + 1 for text in texts[at : at + rows]) for at in range(0, len(texts), rows))
    figure.set_figheight(4.4 + 0.19 * lines)
    legend = figure.legend(
        [handle or Line2D([], [], linestyle="none") for handle, _ in entries],
        texts,
        loc="outside lower center",
        ncols=len(columns),
        frameon=False,
        fontsize=9 if len(columns) < 3 else 8,
        handlelength=3.5,
        columnspacing=1.2,
    )
    for (handle, _), text in zip(entries, legend.get_texts(), strict=True):
        text.set_fontweight("bold" if handle is None else "normal")


def _legend_columns(ours: Sequence[_Entry], theirs: Sequence[_Entry]) -> list[list[_Entry]]:
    """What is measured and what is reported have columns of their own, with headings."""
    if theirs:
        reported = _halved(theirs) if len(theirs) > _LONG_COLUMN else [list(theirs)]
        headed = [[(None, "reported by others"), *reported[0]], *([(None, " "), *rest] for rest in reported[1:])]
        return [[(None, "measured here"), *ours], *headed] if ours else headed
    fits = len(ours) > 3 and max(len(label) for _, label in ours) <= 34
    return _halved(ours) if fits else [list(ours)]


def _halved(entries: Sequence[_Entry]) -> list[list[_Entry]]:
    half = -(-len(entries) // 2)
    return [list(entries[:half]), list(entries[half:])]


def _counted(count: int, total: int) -> str:
    return f"{count:,} ({100 * count / total:.1f}%)" if total else f"{count:,}"


def _quiet(axes: Axes) -> None:
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
