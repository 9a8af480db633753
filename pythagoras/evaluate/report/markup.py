"""Pieces of HTML: tables, figures, lists of facts. Every text that goes in comes out escaped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pythagoras.evaluate.report.embed import escaped
from pythagoras.evaluate.shown.tables import Table, cells, number_columns


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page with a heading and a link to it."""

    key: str
    title: str
    body: str
    short: str = ""
    """What the link says; empty: the title."""

    def html(self) -> str:
        return (
            f'<section id="{self.key}" aria-labelledby="{self.key}-title">\n'
            f'<h2 id="{self.key}-title">{escaped(self.title)}</h2>\n{self.body}\n</section>'
        )

    def link(self) -> str:
        return f'<li><a href="#{self.key}">{escaped(self.short or self.title)}</a></li>\n'


def paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escaped(text)}</p>' if kind else f"<p>{escaped(text)}</p>"


def note(text: str) -> str:
    return paragraph(text, "note") if text else ""


def table(found: Table, *, fold: str = "") -> str:
    """A table whose first column names its rows; columns of numbers are aligned to the right.

    With words to unfold it by, it comes folded.
    """
    body = cells(found)
    kinds = [' class="number"' if right else "" for right in number_columns(found)]
    head = "".join(
        f'<th scope="col"{kind}>{escaped(name)}</th>' for name, kind in zip(found.columns, kinds, strict=True)
    )
    lines = []
    for row in body:
        line = [f"<td{kind}>{escaped(cell)}</td>" for cell, kind in zip(row, kinds, strict=True)]
        line[0] = f'<th scope="row"{kinds[0]}>{escaped(row[0])}</th>'
        lines.append(f"<tr>{''.join(line)}</tr>\n")
    written = (
        f'<div class="table" role="region" aria-label="{escaped(found.title)}" tabindex="0"><table>'
        f"<caption>{escaped(found.title)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{''.join(lines)}</tbody></table></div>{note(found.note)}"
    )
    return folded(fold, written) if fold else written


def heading(text: str, wanted: bool = True) -> str:
    """The heading of a part of a section, where there is more than one part."""
    return f"<h3>{escaped(text)}</h3>" if wanted else ""


def row_of(parts: Iterable[str], kind: str = "pair") -> str:
    """Parts side by side where there is room."""
    return f'<div class="{kind}">' + "".join(f"<div>{part}</div>\n" for part in parts) + "</div>"


def folded(title: str, body: str) -> str:
    return f'<details class="fold"><summary>{escaped(title)}</summary>{body}</details>\n'


def warning(text: str) -> str:
    return f'<p class="warning-box"><strong>Mind:</strong> {escaped(text)}</p>\n'


def facts(pairs: Iterable[tuple[str, str]], kind: str = "run-facts") -> str:
    """Names and values; those without a value are left out."""
    lines = (f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>\n" for name, value in pairs if value != "")
    return f'<dl class="facts {kind}">\n{"".join(lines)}</dl>'


def picture(svg: str, caption: str) -> str:
    """A picture that is its own text alternative's neighbour; the table beside it says the same in numbers."""
    said = f"<figcaption>{escaped(caption)}</figcaption>" if caption else ""
    return f'<figure class="picture"><div class="scroll">{svg}</div>{said}</figure>'


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}%"


def plural(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
