"""Tables: numbers of results with their names, and how they are written. Where they come from: `result_tables`.

A cell holds the number in the unit that its column's name says, and is formatted here and nowhere else: whole numbers
in full, percentages with one decimal, very large and very small numbers like 1.95e11, what is not known as a dash.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pythagoras.evaluate.shown.latex import escaped

if TYPE_CHECKING:
    from rich.console import RenderableType

Cell = str | int | float | None
NOT_KNOWN = "–"
_LARGE, _SMALL = 1e6, 1e-3
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


def as_dict(table: Table) -> dict[str, Any]:
    """Ready for JSON: numbers as numbers, what is not known as null."""
    rows = [[None if _unknown(cell) else cell for cell in row] for row in table.rows]
    return {"title": table.title, "columns": list(table.columns), "rows": rows, "note": table.note}


def markdown(table: Table) -> str:
    """A table of GitHub's kind under its title, the note behind it."""
    lines = [f"**{_flat(table.title)}**", "", _piped(map(_flat, table.columns))]
    lines.append(_piped("---:" if right else "---" for right in _right(table)))
    lines.extend(_piped(map(_flat, row)) for row in cells(table))
    if table.note:
        lines.extend(["", _flat(table.note)])
    return "\n".join(lines) + "\n"


def latex(table: Table, label: str = "") -> str:
    """A `table` environment in booktabs style, with caption and label. Without a label, one is made of the title."""
    label = label or "tab:" + re.sub(r"[^a-z0-9]+", "-", table.title.lower()).strip("-")
    kinds = "".join("r" if right else "l" for right in _right(table))
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


def rich_table(table: Table) -> RenderableType:
    """For the terminal: title, table and note one below the other, as wide as each needs."""
    from rich.console import Group
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(box=None, pad_edge=False, header_style="bold")
    for column, right in zip(table.columns, _right(table), strict=True):
        shown.add_column(Text(column), justify="right" if right else "left")
    for row in cells(table):
        shown.add_row(*map(Text, row))
    note = [Text(table.note, style="dim")] if table.note else []
    return Group(Text(table.title, style="bold"), shown, *note)


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


def interval(value: float, low: float, high: float) -> str:
    """Shares as percentages, like 85.2 [80.1, 89.4]."""
    return "{} [{}, {}]".format(*(number(100 * share, percent=True) for share in (value, low, high)))


def _unknown(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _right(table: Table) -> list[bool]:
    """By column: whether it is of numbers."""
    columns = zip(*cells(table), strict=True) if table.rows else [()] * len(table.columns)
    return [any(c != NOT_KNOWN for c in column) and all(map(_numeric, column)) for column in columns]


def _numeric(text: str) -> bool:
    return text == NOT_KNOWN or re.fullmatch(r"[-+]?[\d∞][\d,.∞]*(e-?\d+)?( \[.*\])?( ?%)?", text) is not None


def _flat(text: str) -> str:
    """One line of Markdown that shows the text as it is."""
    return re.sub(r"([\\`*_|<\[\]~$])", r"\\\1", " ".join(text.split()))


def _piped(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _ampersands(texts: Iterable[str]) -> str:
    return f"{' & '.join(map(escaped, texts))} \\\\"
