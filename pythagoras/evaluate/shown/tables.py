"""Tables: numbers of results with their names, and how they are written. Where they come from: `result_tables`.

A cell holds the number in the unit that its column's name says, and is formatted here and nowhere else: whole numbers
in full, percentages with one decimal, very large and very small numbers like 1.95e11, what is not known as a dash.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pythagoras.evaluate.shown.latex import escaped

if TYPE_CHECKING:
    from rich.console import RenderableType

Cell = str | int | float | None
NOT_KNOWN = "–"
AT_LEAST = "≥"
"""In front of a lower bound."""
_LARGE, _SMALL = 1e6, 1e-3
_GAP = 2
_LONG_WORD, _NARROW = 24, 6
"""What is longer than a long word may be broken anywhere; a column is no narrower than this."""
_MOST_TURNED = 12
_PREAMBLE = r"% \usepackage{booktabs,amssymb,textcomp,graphicx}"
_FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""What is wider than the column is made smaller; the rest stays as it is."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns. A column whose name ends in % holds percentages."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows), self.title


def markdown(table: Table) -> str:
    """A table of GitHub's kind under its title, the note behind it."""
    lines = [f"**{_flat(table.title)}**", "", _piped(map(_flat, table.columns))]
    lines.append(_piped("---:" if right else "---" for right in number_columns(table)))
    lines.extend(_piped(map(_flat, row)) for row in cells(table))
    if table.note:
        lines.extend(["", _flat(table.note)])
    return "\n".join(lines) + "\n"


def latex(table: Table, label: str = "") -> str:
    """A `table` environment in booktabs style, with caption and label. Without a label, one is made of the title."""
    label = label or "tab:" + re.sub(r"[^a-z0-9]+", "-", table.title.lower()).strip("-")
    kinds = "".join("r" if right else "l" for right in number_columns(table))
    lines = [
        _PREAMBLE,
        r"\begin{table}[t]",
        r"\centering",
        r"\small",
        rf"\caption{{{escaped(table.title)}}}",
        rf"\label{{{re.sub(r'[^A-Za-z0-9:.-]', '-', label)}}}",
        _FITTED,
        rf"\begin{{tabular}}{{@{{}}{kinds}@{{}}}}",
        r"\toprule",
        _ampersands(table.columns),
        r"\midrule",
        *map(_ampersands, cells(table)),
        r"\bottomrule",
        r"\end{tabular}}",
    ]
    if table.note:
        lines.extend(
            [r"\par\smallskip", rf"\begin{{minipage}}{{\linewidth}}\footnotesize {escaped(table.note)}\end{{minipage}}"]
        )
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def rich_table(table: Table, width: int | None = None) -> RenderableType:
    """For the terminal: title, table and note one below the other, as wide as each needs, or broken to fit the width.

    Nothing is cut off: cells get more lines, and a table of many columns and few rows is turned.
    """
    from rich.console import Group
    from rich.table import Table as RichTable
    from rich.text import Text

    shown: list[RichTable] = []
    for part in _fitting(table, width):
        grid = RichTable(box=None, pad_edge=False, header_style="bold")
        widths = _widths(part, width)
        for column, right, wide in zip(part.columns, number_columns(part), widths, strict=True):
            text = Text("\n".join(_wrapped(column, wide)))
            grid.add_column(text, justify="right" if right else "left", width=wide, no_wrap=True)
        for row in cells(part):
            lines = (_wrapped(cell, wide) for cell, wide in zip(row, widths, strict=True))
            grid.add_row(*(Text("\n".join(cell)) for cell in lines))
        shown.append(grid)
    note = [Text("\n".join(_wrapped(table.note, width)), style="dim")] if table.note else []
    return Group(Text(table.title, style="bold"), *shown, *note)


def _fitting(table: Table, width: int | None) -> list[Table]:
    """The table itself; where whole words do not fit in its columns, turned: a row a column, some of them at a time."""
    needed = sum(_least(table)) + _GAP * (len(table.columns) - 1)
    if width is None or needed <= width or len(table.rows) > _MOST_TURNED:
        return [table]
    texts = cells(table)
    names = max(map(len, table.columns))
    wide = max((len(cell) for row in texts for cell in row), default=0)
    some = max(1, (width - names) // (_GAP + min(wide, _LONG_WORD)))
    parts = []
    for first in range(0, len(texts), some):
        chosen = texts[first : first + some]
        rows = zip(table.columns, *chosen, strict=True)
        heads, *rest = rows
        parts.append(Table(table.title, heads, tuple(rest)))
    return parts


def _least(table: Table) -> list[int]:
    """By column, the width that its longest word needs."""
    columns = zip(table.columns, *cells(table), strict=True)
    return [max(min(_LONG_WORD, len(word)) for text in column for word in _words(text)) for column in columns]


def _widths(table: Table, width: int | None) -> list[int]:
    """By column; the widest are made narrower until all fit, at first as far as words stay whole."""
    columns = zip(table.columns, *cells(table), strict=True)
    widths = [max(map(len, column), default=1) or 1 for column in columns]
    if width is None:
        return widths
    heads = [max(_NARROW, *map(len, _words(name))) for name in table.columns]
    for floors in (_least(table), heads):
        while sum(widths) + _GAP * (len(widths) - 1) > width:
            room = [at for at in range(len(widths)) if widths[at] > max(1, floors[at])]
            if not room:
                break
            widths[max(room, key=widths.__getitem__)] -= 1
    return widths


def _words(text: str) -> list[str]:
    """What stays in one piece where lines are broken."""
    return re.findall(r"[^\s-]*-|[^\s-]+", text) or [""]


def _wrapped(text: str, width: int | None) -> list[str]:
    if width is None:
        return [text]
    return textwrap.wrap(text, width) or [""]


def without_empty(table: Table) -> Table:
    """The same without columns that have nothing in any row."""
    kept = [at for at in range(len(table.columns)) if any(row[at] not in (None, "") for row in table.rows)]
    return replace(
        table,
        columns=tuple(table.columns[at] for at in kept),
        rows=tuple(tuple(row[at] for at in kept) for row in table.rows),
    )


def cells(table: Table) -> list[list[str]]:
    """All cells as texts."""
    return [
        [shown(cell, name.endswith("%")) for name, cell in zip(table.columns, row, strict=True)] for row in table.rows
    ]


def shown(cell: Cell, percent: bool = False) -> str:
    """One cell as text."""
    if _unknown(cell):
        return NOT_KNOWN
    if isinstance(cell, str) or cell is None:
        return cell or ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    return number(cell, percent)


def number(value: float, percent: bool = False) -> str:
    """85.2 for percentages; else three significant digits, and like 1.95e11 where that would be long."""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if percent:
        return f"{value:.1f}"
    if value and not _SMALL <= abs(value) < _LARGE:
        digits, power = f"{value:.2e}".split("e")
        return f"{digits}e{int(power)}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def percent(share: float, *, at_least: bool = False) -> Cell:
    """A share as a cell of percentages; a lower bound like ≥ 85.2."""
    return f"{AT_LEAST} {number(100 * share, percent=True)}" if at_least else 100 * share


def interval(value: float, low: float, high: float, *, at_least: bool = False) -> str:
    """Shares as percentages, like 85.2 [80.1, 89.4], or ≥ 85.2 [80.1, 89.4]."""
    texts = (number(100 * share, percent=True) for share in (value, low, high))
    return "{}{} [{}, {}]".format(f"{AT_LEAST} " if at_least else "", *texts)


def _unknown(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def number_columns(table: Table) -> list[bool]:
    """By column: whether it is of numbers."""
    columns = zip(*cells(table), strict=True) if table.rows else [()] * len(table.columns)
    return [any(c != NOT_KNOWN for c in column) and all(map(_numeric, column)) for column in columns]


def _numeric(text: str) -> bool:
    return text == NOT_KNOWN or re.fullmatch(r"(≥ )?[-+]?[\d∞][\d,.∞]*(e-?\d+)?( \[.*\])?( ?%)?", text) is not None


def _flat(text: str) -> str:
    """One line of Markdown that shows the text as it is."""
    return re.sub(r"([\\`*_|<\[\]~$])", r"\\\1", " ".join(text.split()))


def _piped(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _ampersands(texts: Iterable[str]) -> str:
    return f"{' & '.join(map(escaped, texts))} \\\\"
