"""Colours, markers and lines of the pictures: told apart without colour vision, and on grey paper.

The colours are Okabe and Ito's. Where an area has nothing but its colour (the grid of outcomes) lightness is spread as
well, and each has a symbol; `tests/unit/test_pictures.py` simulates colour blindness and grey to hold that.
"""

from __future__ import annotations

from dataclasses import dataclass

from pythagoras.evaluate.analysis.compare import Transition

BLUE, VERMILLION, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
ORANGE, SKY, YELLOW = "#e69f00", "#56b4e9", "#f0e442"
INK = "#000000"
"""Becomes the colour of the text around the picture where it is put into a page."""
QUIET = "#767b84"
"""For what is beside the point; seen on white and on black."""
DARK_INK, LIGHT_INK = "#111111", "#ffffff"
"""On a coloured area, whatever the page around it."""

Dashes = str | tuple[float, tuple[float, ...]]
"""As matplotlib has it: a name, or an offset and lengths of ink and gap in turn."""

_LINES = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, INK)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES: tuple[Dashes, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (7, 2, 1.5, 2)), (0, (1, 1)))
_AREAS = (BLUE, ORANGE, GREEN, SKY, VERMILLION, YELLOW, PURPLE)
_HATCHES = ("", "///", "...", "xx")


@dataclass(frozen=True, slots=True)
class LineLook:
    """How one curve looks. No two of the first 280 look the same, and no two of the first five have the same dashes."""

    colour: str
    marker: str
    dashes: Dashes


@dataclass(frozen=True, slots=True)
class AreaLook:
    """How one part of a whole looks."""

    colour: str
    hatch: str


@dataclass(frozen=True, slots=True)
class CellLook:
    """How one outcome looks in a grid."""

    colour: str
    symbol: str
    """A marker of matplotlib's; empty: none."""


TRANSITIONS: dict[Transition, CellLook] = {
    Transition.BOTH_SOLVED: CellLook("#b4e2d0", ""),
    Transition.LOST: CellLook(ORANGE, "v"),
    Transition.GAINED: CellLook(BLUE, "^"),
    Transition.BOTH_FAILED: CellLook("#7a2a00", "x"),
    Transition.NOT_TOLD: CellLook("none", "$?$"),
}
"""The paper's green, orange, blue and red, from light to dark; what is not told is an empty frame."""


def line_look(at: int) -> LineLook:
    return LineLook(_LINES[at % len(_LINES)], _MARKERS[at % len(_MARKERS)], _DASHES[at % len(_DASHES)])


def area_look(at: int) -> AreaLook:
    return AreaLook(_AREAS[at % len(_AREAS)], _HATCHES[at // len(_AREAS) % len(_HATCHES)])


def lightness(colour: str) -> float:
    """L* of CIELAB, 0 to 100: how light a colour like #0072b2 is on grey paper."""
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return 116 * luminance ** (1 / 3) - 16 if luminance > 216 / 24389 else luminance * 24389 / 27


def ink_on(colour: str) -> str:
    """The ink that can be read on an area of this colour."""
    return DARK_INK if lightness(colour) > 55 else LIGHT_INK


def _linear(channel: float) -> float:
    """sRGB to linear light."""
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
