"""Drawing in inches, from the top left: for pictures whose parts need exact places. And how labels are fitted."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pythagoras.evaluate.shown.palette import INK
from pythagoras.evaluate.shown.visible import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POINTS = 72
"""In an inch."""


class Canvas:
    """A figure with one set of axes over all of it, without marks."""

    figure: Figure

    def __init__(self, width: float, height: float, dpi: int) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.width, self.height = width, height
        self.figure = Figure(figsize=(width, height), dpi=dpi)
        FigureCanvasAgg(self.figure)
        self._axes = self.figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        self._axes.set_axis_off()

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float,
        ha: Literal["left", "center", "right"] = "left",
        va: Literal["top", "center", "bottom"] = "center",
        colour: str = INK,
        weight: str = "normal",
    ) -> None:
        lined = va == "center" and "\n" not in text  # texts side by side stand on one line
        y += 0.36 * size / _POINTS if lined else 0.0
        settings: dict[str, Any] = {"fontsize": size, "color": colour, "fontweight": weight, "linespacing": 1.15}
        self._axes.text(x, y, plain(text), ha=ha, va="baseline" if lined else va, **settings)

    def line(self, x: Sequence[float], y: Sequence[float], colour: str) -> None:
        self._axes.plot(x, y, color=colour, linewidth=0.8, solid_capstyle="butt")

    def bar(self, x: float, y: float, width: float, height: float, colour: str, hatch: str = "") -> None:
        from matplotlib.patches import Rectangle

        self._axes.add_patch(Rectangle((x, y), width, height, facecolor=colour, hatch=hatch, linewidth=0))

    def ring(
        self, x: float, y: float, inner: float, outer: float, start: float, end: float, colour: str, hatch: str
    ) -> None:
        """A part of a ring, clockwise from the top, from one share of it to another."""
        from matplotlib.patches import Wedge

        gap = min(0.004, (end - start) / 4) if end - start < 1 else 0.0  # a real gap has the colour of any page
        first, last = (360 * (share - 0.25) for share in (start + gap / 2, end - gap / 2))
        self._axes.add_patch(
            Wedge((x, y), outer, first, last, width=outer - inner, facecolor=colour, hatch=hatch, linewidth=0)
        )

    def cells(self, corners: Sequence[tuple[float, float]], width: float, height: float, colour: str) -> None:
        """Rectangles of one size and colour as one path; `none` is an empty frame."""
        import numpy as np
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        steps = np.array([(0, 0), (width, 0), (width, height), (0, height), (0, 0)])
        vertices = (np.array(corners)[:, None, :] + steps).reshape(-1, 2)
        codes = np.tile([Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], len(corners))
        edge = {"edgecolor": INK, "linewidth": 0.4} if colour == "none" else {"linewidth": 0}
        self._axes.add_patch(PathPatch(Path(vertices, codes), facecolor=colour, **edge))

    def symbols(self, centres: Sequence[tuple[float, float]], marker: str, size: float, colour: str) -> None:
        """The same mark at many places."""
        x, y = zip(*centres, strict=True)
        settings: dict[str, Any] = {"linewidth": 0.9} if marker == "x" else {"linewidth": 0}
        self._axes.scatter(x, y, s=(size * _POINTS) ** 2, marker=marker, color=colour, zorder=3, **settings)


def text_width(text: str, size: float) -> float:
    """About how many inches a text of one or more lines needs, on the safe side."""
    return max(map(len, text.split("\n"))) * 0.62 * size / _POINTS


def plain(text: str) -> str:
    """The text as it is: no dollar sign begins a formula, and nothing in it is hidden."""
    return visible(text).replace("$", r"\$")


def shortened(text: str, most: int) -> str:
    """At most so many letters; of a longer text the middle is left out, because ends tell versions and sizes apart."""
    text = visible(text)  # before it is measured, and before white space of all kinds is taken for a blank
    if len(text) <= most:
        return text
    front = math.ceil((most - 1) / 2)
    return f"{text[:front]}…{text[len(text) - (most - 1 - front) :]}"


def wrapped(text: str, width: int, lines: int = 2) -> str:
    """The text in at most so many lines; of a longer one the middle is left out."""
    most = width * lines
    while len(found := textwrap.wrap(shortened(text, most), width, break_on_hyphens=False)) > lines:
        most -= 1
    return "\n".join(found) or " "
