"""Pictures: that they show what was asked for, read without colour, and stand in a page or a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pytest

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.compare import Grid, Transition
from pythagoras.evaluate.analysis.cost import CostCurve
from pythagoras.evaluate.analysis.failures import Shares
from pythagoras.evaluate.analysis.passn import Curve
from pythagoras.evaluate.analysis.published import published
from pythagoras.evaluate.results import Floats
from pythagoras.evaluate.shown import pictures
from pythagoras.evaluate.shown.canvas import shortened, wrapped
from pythagoras.evaluate.shown.palette import TRANSITIONS, area_look, ink_on, lightness, line_look

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.path import Path as MplPath

LONG = "Goedel-Prover-V2-32B with $2$ rounds of self-correction, temperature 1.0, top-p 0.95, seed 17"
SHARES = Shares(
    "errors", 1000, (("tactic failure", 930), ("other", 50), *((f"part {at}", 2) for at in range(10)), ("x", 0))
)


def made_curve(label: str, n: tuple[int, ...] = (1, 2, 4), start: float = 0.3) -> Curve:
    value = tuple(start + 0.05 * at for at in range(len(n)))
    return Curve(label, n, value, tuple(v - 0.02 for v in value), tuple(v + 0.02 for v in value))


def made_cost(label: str, cost: tuple[float, ...] = (1e8, 2e8, 4e8)) -> CostCurve:
    one = made_curve(label)
    return CostCurve(label, "etc", "query-key pairs", one.n, cost, one.value, one.low, one.high)


def made_grid(rows: int, columns: int) -> Grid:
    kinds = list(Transition)
    cells = tuple(tuple(kinds[(row + 2 * column) % len(kinds)] for column in range(columns)) for row in range(rows))
    names = tuple(f"mathd_numbertheory_{at}_alf{at % 2}" for at in range(rows))
    return Grid("a benchmark", names, tuple(f"prover {at} {LONG}" for at in range(columns)), cells)


PICTURES: dict[str, Callable[[], Figure]] = {
    "curves of one": lambda: pictures.curves([made_curve("a")]),
    "curves of one point": lambda: pictures.curves([made_curve("a", (1,))]),
    "curves of many": lambda: pictures.curves([made_curve(f"{at} {LONG}", start=at / 10) for at in range(6)]),
    "curves and others": lambda: pictures.curves([made_curve("_a")], published("minif2f/test")),
    "others alone": lambda: pictures.curves([], published("minif2f-alf/test")),
    "no curves": lambda: pictures.curves([]),
    "cost": lambda: pictures.cost([made_cost("a"), made_cost("b")]),
    "free": lambda: pictures.cost([made_cost("a", (0.0, 0.0, 0.0))]),
    "free at first": lambda: pictures.cost([made_cost("a", (0.0, 1.0, 2.0))]),
    "no cost": lambda: pictures.cost([]),
    "small grid": lambda: pictures.grid(made_grid(3, 1)),
    "large grid": lambda: pictures.grid(made_grid(150, 6)),
    "no grid": lambda: pictures.grid(made_grid(0, 2)),
    "donut": lambda: pictures.donut(SHARES),
    "donut of one": lambda: pictures.donut(Shares("domains", 3, (("IMO", 3),))),
    "no donut": lambda: pictures.donut(Shares("domains", 0, ())),
    "bars": lambda: pictures.bars([SHARES, Shares(LONG, 2, (("other", 2),)), Shares("none", 0, ()), SHARES]),
    "no bars": lambda: pictures.bars([]),
    "funnel": lambda: pictures.funnel([Shares("dedup", 10, (("kept", 7), ("same text", 3))), Shares("none", 0, ())]),
    "no funnel": lambda: pictures.funnel([]),
}


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    """Each picture for a page."""
    return {name: pictures.svg(draw(), f"{name}\nwhat it shows") for name, draw in PICTURES.items()}


def texts_of(figure: Figure) -> list[str]:
    """What a reader of the picture reads."""
    root = ElementTree.fromstring(pictures.svg(figure, ""))
    return ["".join(element.itertext()).strip() for element in root.iter("{http://www.w3.org/2000/svg}text")]


def points_of(line: Line2D) -> tuple[list[float], list[float]]:
    return np.asarray(line.get_xdata()).tolist(), np.asarray(line.get_ydata()).tolist()


def corners_of(path: MplPath) -> Floats:
    return np.asarray(path.vertices, dtype=np.float64)


def legend_of(figure: Figure) -> list[str]:
    return [text.get_text().strip() for text in figure.legends[0].get_texts() if text.get_text().strip()]


# --- what is shown -------------------------------------------------------------------------------


def test_a_curve_a_run() -> None:
    figure = pictures.curves([made_curve("first"), made_curve("_second", (1, 2, 4, 8))])
    (axes,) = figure.axes
    first, second = axes.get_lines()
    assert points_of(first)[0] == [1, 2, 4]
    assert points_of(second)[1] == pytest.approx([0.3, 0.35, 0.4, 0.45])
    assert len(axes.collections) == 2  # a band each
    assert legend_of(figure) == ["first", "_second"]
    assert axes.get_xscale() == "log"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1", "2", "4", "8"]
    assert first.get_color() != second.get_color()
    assert first.get_marker() != second.get_marker()
    assert pictures.svg(figure, "").count("stroke-dasharray") == 2  # one of the two lines, and in the legend


def test_budgets_that_are_too_near_have_round_ticks() -> None:
    (axes,) = pictures.curves([made_curve("a", (1, 64, 70, 1000))]).axes
    ticks = [tick.get_text() for tick in axes.get_xticklabels()]
    assert ticks == ["1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1,024"]


def test_one_point_has_its_interval() -> None:
    (axes,) = pictures.curves([made_curve("a", (1,))]).axes
    (path,) = axes.collections[0].get_paths()
    assert corners_of(path)[:, 1].tolist() == pytest.approx([0.28, 0.32])


def test_what_others_report_is_apart() -> None:
    figure = pictures.curves([made_curve("ours")], published("minif2f/test", method="Kimina-Prover-70B"))
    ours, *theirs = figure.axes[0].get_lines()
    assert ours.get_markerfacecolor() != "none"
    assert all(line.get_markerfacecolor() == "none" or line.get_marker() == "None" for line in theirs)
    assert all(line.get_linestyle() == ":" for line in theirs)
    assert legend_of(figure) == [
        *("measured here", "ours"),
        *("reported by others", "Kimina-Prover-70B", "Kimina-Prover-70B (ttrl), N not told"),
    ]
    assert 0.922 in {share for line in theirs for share in points_of(line)[1]}


def test_solved_against_cost() -> None:
    figure = pictures.cost([made_cost("a"), made_cost("b")])
    (axes,) = figure.axes
    assert [points_of(line)[0] for line in axes.get_lines()] == [[1e8, 2e8, 4e8]] * 2
    assert "query-key pairs" in axes.get_xlabel()
    assert axes.get_xscale() == "log"
    assert legend_of(figure) == ["a", "b"]


@pytest.mark.parametrize(("rows", "columns"), [(3, 1), (100, 2), (488, 6)])
def test_a_grid_has_a_cell_for_each_outcome(rows: int, columns: int) -> None:
    grid = made_grid(rows, columns)
    figure = pictures.grid(grid)
    (axes,) = figure.axes
    places: dict[str, int] = {}
    for patch in axes.patches:
        corners = corners_of(patch.get_path())
        places[str(patch.get_facecolor())] = len(corners) // 5  # of a rectangle
        assert corners.min() >= 0
        assert corners[:, 0].max() <= figure.get_figwidth()
        assert corners[:, 1].max() <= figure.get_figheight()
    in_legend = len(Transition)
    assert sum(places.values()) == rows * columns + in_legend
    texts = texts_of(figure)
    counts = [sum(row[0] == transition for row in grid.cells) for transition in TRANSITIONS]
    first = next(at for at, text in enumerate(texts) if text.startswith(("prover 0", "A prover 0", "A  prover 0")))
    assert texts[first + 1 : first + 7] == [*map(str, counts), str(rows)]
    assert {*(transition.value for transition in Transition), "pairs"} <= set(texts)
    assert all(shortened(name, 30) in texts for name in grid.problems)


def test_a_donut_names_and_counts_its_parts() -> None:
    text = " ".join(texts_of(pictures.donut(SHARES)))
    for name, count in SHARES.parts:
        assert name in text
        if count:
            assert f"{count} ({count / 10:.1f}%)" in text
    assert "1,000" in text
    assert "none: x" in text


def test_a_donut_is_closed_and_its_labels_apart() -> None:
    from matplotlib.patches import Wedge

    figure = pictures.donut(SHARES)
    figure.canvas.draw()
    wedges = [patch for patch in figure.axes[0].patches if isinstance(patch, Wedge)]
    assert len(wedges) == 12
    assert sum(wedge.theta2 - wedge.theta1 for wedge in wedges) == pytest.approx(360, abs=360 * 0.004 * 12)
    for line in figure.axes[0].get_lines():  # from a part to its label, not across the ring
        (x, *more_x), (y, *more_y) = points_of(line)
        middle_x, middle_y = wedges[0].center
        ways = [((x + more_x[0]) / 2 - middle_x, (y + more_y[0]) / 2 - middle_y), (x - middle_x, y - middle_y)]
        assert all(np.hypot(*way) > 0.99 * wedges[0].r for way in ways)
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert all(box.x0 >= 0 and box.y0 >= 0 for box in boxes)
    assert all(box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1 for box in boxes)


def test_labels_are_spread() -> None:
    assert pictures.spread([0, 0.1, 0.2, 5], 1, 0, 10) == [0.5, 1.5, 2.5, 5]
    assert pictures.spread([9, 9.5, 10], 1, 0, 10) == [7.5, 8.5, 9.5]
    assert pictures.spread([], 1, 0, 10) == []


def test_bars_have_a_panel_each() -> None:
    figure = pictures.bars([SHARES, Shares("run b", 3, (("other", 2), ("new", 1)))])
    first, second = figure.axes
    names = [tick.get_text() for tick in first.get_yticklabels()]
    assert names == [*(name for name, _ in SHARES.parts), "new"]
    assert len(second.patches) == len(names)
    assert second.patches[1].get_width() == pytest.approx(2 / 3)  # type: ignore[attr-defined]
    assert "run b\n3 in all" in second.get_title()
    assert "2 (66.7%)" in texts_of(figure)


def test_a_funnel() -> None:
    figure = pictures.funnel([Shares("dedup", 10, (("kept", 7), ("same text", 3))), Shares("none", 0, (("kept", 0),))])
    assert {"dedup", "kept 7 of 10; same text 3", "kept 0 of 0"} <= set(texts_of(figure))


@pytest.mark.parametrize("name", [name for name in PICTURES if name.startswith("no ")])
def test_nothing_is_said_to_be_nothing(name: str) -> None:
    assert "nothing to show" in texts_of(PICTURES[name]())


@pytest.mark.parametrize("name", PICTURES)
def test_no_text_is_cut(name: str) -> None:
    figure = PICTURES[name]()
    figure.canvas.draw()
    frame = figure.bbox.padded(1)
    for text in [
        *(text for axes in figure.axes for text in axes.texts),
        *(t for one in figure.legends for t in one.get_texts()),
    ]:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0, text
        assert box.x1 <= frame.x1, text
        assert frame.y0 <= box.y0, text
        assert box.y1 <= frame.y1, text


@pytest.mark.parametrize(
    ("text", "short"), [("short", "short"), ("exactly ten", "exact…n ten"), ("a" * 30 + "b" * 30, "aaaaa…bbbbb")]
)
def test_of_long_labels_the_ends_are_kept(text: str, short: str) -> None:
    assert shortened(text, 10 if text == "" else 11) == (text if len(text) <= 11 else short)


def test_wrapped_labels_have_at_most_two_lines() -> None:
    for width in (10, 20, 34, 90):
        lines = wrapped(LONG, width).split("\n")
        assert len(lines) <= 2
        assert all(len(line) <= width for line in lines)


# --- without colour ------------------------------------------------------------------------------

PROTANOPIA = ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998))
DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
TRITANOPIA = ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900))
"""After Machado, Oliveira and Fernandes (2009), at full severity; they act on linear light."""
TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE = (0.95047, 1.0, 1.08883)


def lab(colour: str, seen_by: tuple[tuple[float, ...], ...] | None = None) -> Floats:
    """CIELAB of a colour, as somebody sees it."""
    encoded = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    light = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    if seen_by:
        light = np.clip(np.array(seen_by) @ light, 0, 1)
    x, y, z = np.array(TO_XYZ) @ light / WHITE
    fx, fy, fz = (value ** (1 / 3) if value > 216 / 24389 else (value * 24389 / 27 + 16) / 116 for value in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


def pairs_of_transitions() -> Iterator[tuple[str, str]]:
    colours = [look.colour if look.colour != "none" else "#ffffff" for look in TRANSITIONS.values()]
    yield from combinations(colours, 2)


@pytest.mark.parametrize(
    "seen_by", [None, PROTANOPIA, DEUTERANOPIA, TRITANOPIA], ids=["all", "protan", "deutan", "tritan"]
)
def test_outcomes_differ_for_the_colour_blind(seen_by: tuple[tuple[float, ...], ...] | None) -> None:
    for one, other in pairs_of_transitions():
        assert np.linalg.norm(lab(one, seen_by) - lab(other, seen_by)) > 13, (one, other)  # 2.3 is just noticeable


def test_outcomes_differ_on_grey_paper() -> None:
    shades = sorted(lightness(look.colour) for look in TRANSITIONS.values() if look.colour != "none")
    assert min(after - before for before, after in pairwise(shades)) > 15
    assert len({look.symbol for look in TRANSITIONS.values()}) == len(TRANSITIONS) == len(Transition)


def test_the_simulation_finds_what_is_known() -> None:
    red, green = "#b04a3a", "#6a7a2a"
    assert np.linalg.norm(lab(red) - lab(green)) > 40
    assert np.linalg.norm(lab(red, DEUTERANOPIA) - lab(green, DEUTERANOPIA)) < 15


def test_symbols_can_be_read_on_their_cells() -> None:
    for look in TRANSITIONS.values():
        if look.colour != "none":
            assert abs(lightness(ink_on(look.colour)) - lightness(look.colour)) > 40


def test_lightness() -> None:
    assert lightness("#000000") == 0
    assert lightness("#ffffff") == pytest.approx(100)
    for colour in ("#0072b2", "#e69f00", "#7a2a00", "#010101"):
        assert lightness(colour) == pytest.approx(lab(colour)[0], abs=0.01)


def test_no_two_looks_are_the_same() -> None:
    assert len({line_look(at) for at in range(280)}) == 280
    assert len({line_look(at).dashes for at in range(5)}) == 5
    assert len({line_look(at).marker for at in range(8)}) == 8
    assert len({area_look(at) for at in range(28)}) == 28


# --- in a page -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_for_a_page(drawn: dict[str, str], name: str) -> None:
    found = drawn[name]
    assert found.startswith("<svg ")
    root = ElementTree.fromstring(found)
    assert root.attrib["role"] == "img"
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    assert root.attrib["aria-labelledby"].split() == ids[:2]
    assert [root[0].text, root[1].text] == [name, "what it shows"]
    refers = re.findall(r"url\(#([^)]+)\)", found) + re.findall(r'href="#([^"]+)"', found)
    assert set(refers) <= set(ids)
    assert not any(element.tag.endswith(("}style", "}metadata", "}script")) for element in root.iter())
    assert "#000000" not in found
    assert "ns0:" not in found
    for element in root.iter("{http://www.w3.org/2000/svg}path"):  # no area of paper behind it
        assert "fill: #ffffff" not in element.attrib.get("style", "") or element.attrib.get("id")


def test_pictures_on_one_page_do_not_clash(drawn: dict[str, str]) -> None:
    ids = [name for found in drawn.values() for name in re.findall(r'\bid="([^"]+)"', found)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", PICTURES)
def test_the_same_picture_again(drawn: dict[str, str], name: str) -> None:
    assert pictures.svg(PICTURES[name](), f"{name}\nwhat it shows") == drawn[name]


def test_what_a_picture_says_is_escaped() -> None:
    found = pictures.svg(pictures.curves([made_curve("<b> & $x$")]), 'a <i> & "b"')
    root = ElementTree.fromstring(found)
    assert root[0].text == root[1].text == 'a <i> & "b"'
    assert "<b> & $x$" in texts_of(pictures.curves([made_curve("<b> & $x$")]))


def test_a_page_does_not_change_a_figure() -> None:
    figure = pictures.curves([made_curve("a")])
    before = figure.get_facecolor()
    pictures.svg(figure, "x")
    assert figure.get_facecolor() == before


# --- in a file -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("ending", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_files(tmp_path: Path, ending: str, start: bytes) -> None:
    paths = [tmp_path / "new" / f"{name}{ending}" for name in "ab"]
    for path in paths:
        pictures.save(pictures.donut(SHARES), path)
    first, second = (path.read_bytes() for path in paths)
    assert first.startswith(start)
    assert first == second


def test_files_that_can_not_be(tmp_path: Path) -> None:
    figure = pictures.nothing("x")
    with pytest.raises(InputError, match=r"x\.doc can't be drawn: end its name in one of \.png, \.svg, \.pdf"):
        pictures.save(figure, tmp_path / "x.doc")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't be written"):
        pictures.save(figure, tmp_path / "file" / "x.png")


def test_pictures_leave_no_global_state() -> None:
    import sys

    import matplotlib

    before = dict(matplotlib.rcParams)
    pictures.svg(pictures.curves([made_curve("a")]), "x")
    assert dict(matplotlib.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()
