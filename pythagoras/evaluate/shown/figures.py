"""Figures on their way out: as a part of an HTML page, or as files. The same figure gives the same bytes."""

from __future__ import annotations

import hashlib
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from pythagoras.errors import InputError
from pythagoras.evaluate.shown.visible import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SALT = "pythagoras"
_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_PIXELS = 96
"""In an inch, for browsers."""
_FONTS = "'DejaVu Sans', Verdana, sans-serif"
"""What it was laid out with, one of the same widths, and what there is."""
_METADATA: dict[str, dict[str, str | None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def svg(figure: Figure, alt: str) -> str:
    """An `<svg>` element to put into a page: text stays text, black is the page's own ink, the background is the page.

    `alt` is what a screen reader says; its first line is the title. Ids carry a hash of the picture, so that several
    stand on one page.
    """
    root = ElementTree.fromstring(_render(figure))
    for child in list(root):
        if child.tag == f"{_SVG}metadata" or child.find(f"{_SVG}style") is not None:
            root.remove(child)  # matplotlib's style sheet would hold for the whole page
    prefix = "p" + hashlib.sha256(ElementTree.tostring(root) + alt.encode("utf-8", "replace")).hexdigest()[:10]
    used = {name for element in root.iter() for name in _references(element)}
    for element in root.iter():
        _make_inline(element, prefix, used)
    width, height = figure.get_size_inches() * _PIXELS
    root.attrib = {
        "xmlns": "http://www.w3.org/2000/svg",
        "role": "img",
        "aria-labelledby": f"{prefix}-title {prefix}-desc",
        "viewBox": root.attrib["viewBox"],
        "width": f"{width:.0f}",
        "height": f"{height:.0f}",
        "style": f"max-width: 100%; height: auto; font-family: {_FONTS}",
        "fill": "currentColor",
        "stroke-linejoin": "round",
        "stroke-linecap": "butt",
    }
    title, _, rest = visible(alt).partition("\n")
    for at, (tag, text) in enumerate((("title", title), ("desc", rest or title))):
        described = ElementTree.Element(tag, {"id": f"{prefix}-{tag}"})
        described.text = text
        root.insert(at, described)
    return ElementTree.tostring(root, encoding="unicode")


def check_name(path: Path) -> None:
    """Raises InputError unless a picture can have this name."""
    if path.suffix not in _METADATA:
        raise InputError(f"{path} can't be drawn: end its name in one of {', '.join(_METADATA)}")


def save(figure: Figure, path: Path) -> None:
    """Write the picture; the ending of the path says in which format."""
    check_name(path)
    import matplotlib

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with matplotlib.rc_context({"svg.hashsalt": _SALT, "pdf.fonttype": 42}):
            figure.savefig(path, metadata=_METADATA[path.suffix])
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror or error}") from None


def _render(figure: Figure) -> str:
    import matplotlib

    written = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": _SALT, "svg.fonttype": "none"}):
        figure.savefig(written, format="svg", transparent=True, metadata=_METADATA[".svg"])
    return written.getvalue()


def _make_inline(element: ElementTree.Element, prefix: str, used: set[str]) -> None:
    """Names without namespaces, ids that are this picture's own, and the page's ink."""
    element.tag = element.tag.removeprefix(_SVG)
    attributes: dict[str, str] = {}
    for name, value in element.attrib.items():
        if name == "id":
            if value in used:
                attributes["id"] = f"{prefix}-{value}"
        elif name == _HREF:
            attributes["href"] = value.replace("#", f"#{prefix}-")
        elif not value.startswith("rotate(-0 "):  # which matplotlib gives to all texts
            value = re.sub(r"font-family: [^;]*;? ?", "", value)  # the whole picture has one
            attributes[name] = _inked(_rounded(value.replace("url(#", f"url(#{prefix}-")))
    element.attrib = attributes


def _references(element: ElementTree.Element) -> list[str]:
    """The ids that an element refers to."""
    found = re.findall(r"url\(#([^)]+)\)", " ".join(element.attrib.values()))
    return [*found, *([element.attrib[_HREF].removeprefix("#")] if _HREF in element.attrib else [])]


def _rounded(text: str) -> str:
    """Numbers to a hundredth of a point, in one line: pages with hundreds of rows stay small."""
    return re.sub(r"-?\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", " ".join(text.split()))


def _inked(style: str) -> str:
    """Black, which matplotlib writes for lines, is the page's ink. It leaves black areas and texts without a colour."""
    return re.sub(r"(stroke|fill): #000000", r"\1: currentColor", style)
