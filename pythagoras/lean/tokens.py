"""Lean text as tokens, without Lean: names, numbers, brackets and signs, each with its place and depth.

Made for statements: names are read by Lean's own rules for letters, `:=`, `=>` and their like are one token, brackets
are counted. Operators of more than one sign that a library declares (`<ᵐ`) come apart, which harms nobody here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from pythagoras.lean.lexical import Kind, read

_FIRST = (
    "A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u0391-\u039f\u03a1-\u03a2\u03a4-\u03a9\u03b1-\u03ba\u03bc-\u03fb"
    "\u1f00-\u1ffe\u2100-\u214f\U0001d49c-\U0001d59f"
)
"""Lean's letters: Greek without λ, Π and Σ, which are signs."""
_PART = rf"(?:«[^»\n]{{0,1000}}+»|[{_FIRST}][{_FIRST}0-9'!?\u2080-\u2089\u2090-\u209c\u1d62-\u1d6a\u2c7c]*)"
_TOKEN = re.compile(
    rf"(?P<name>{_PART}(?:\.{_PART})*)|(?P<number>[0-9]+)|(?P<sign>#(?:eval|check|print|reduce)\b|:=|::|=>|<\|>|<\|\||<\||\|\|+|\|>|->|<-|\.\.+|//|[^\s])"
)
_OPENING = frozenset("([{⦃⟨⟪⌊⌈⟦‹")
_CLOSING = frozenset(")]}⦄⟩⟫⌋⌉⟧›")
_SHORT = 100
TOP_LEVEL = frozenset(
    [
        *("import", "theorem", "lemma", "def", "abbrev", "example", "axiom", "opaque", "instance", "structure"),
        *("inductive", "class", "namespace", "section", "end", "variable", "universe", "mutual", "attribute", "export"),
        *("notation", "infix", "infixl", "infixr", "prefix", "postfix", "macro", "macro_rules", "syntax", "elab"),
        *("elab_rules", "declare_syntax_cat", "initialize", "include", "omit", "#eval", "#check", "#print", "#reduce"),
    ]
)
"""Words that begin commands and stand nowhere inside one."""


class Sort(Enum):
    """What a token is."""

    NAME = "name"
    NUMBER = "number"
    SIGN = "sign"
    LITERAL = "literal"
    """A string or a character."""
    DOC = "doc comment"


_SORTS: dict[str | None, Sort] = {sort.value: sort for sort in Sort}


class Token(NamedTuple):
    """A token and where it stands."""

    sort: Sort
    text: str
    start: int
    end: int
    depth: int
    """How many brackets are open around it; a bracket itself counts as outside of what it encloses."""
    column: int
    first: bool
    """The first one on its line."""


def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a text; comments are left out, doc comments are one token each."""
    return _of_short(text) if len(text) <= _SHORT else _tokens(text)


@lru_cache(maxsize=1024)  # binders and hypotheses, many of which come again and again
def _of_short(text: str) -> tuple[Token, ...]:
    return _tokens(text)


def _tokens(text: str) -> tuple[Token, ...]:
    depth = 0
    found: list[Token] = []
    line_start, behind = 0, 0
    for sort, start, end in _pieces(text):
        newline = text.rfind("\n", behind, start)
        first = newline >= 0 or not found
        word, line_start, behind = text[start:end], newline + 1 if newline >= 0 else line_start, end
        column = start - line_start
        if first and column == 0 and word in TOP_LEVEL:  # whatever was left open, it ends here
            depth = 0
        is_sign = sort is Sort.SIGN
        if is_sign and word in _CLOSING and depth:
            depth -= 1
        found.append(Token(sort, word, start, end, depth, column, first))
        if is_sign and word in _OPENING:
            depth += 1
    return tuple(found)


def _pieces(text: str) -> list[tuple[Sort, int, int]]:
    reading = read(text)
    code = reading.code
    found: list[tuple[Sort, int, int]] = []
    at = 0
    for piece in reading.pieces:
        if piece.kind in (Kind.CODE, Kind.QUOTED_NAME):
            continue
        found += _words(code, at, piece.start)
        at = piece.end
        if piece.kind is not Kind.COMMENT:
            found.append((Sort.DOC if piece.kind is Kind.DOC_COMMENT else Sort.LITERAL, piece.start, piece.end))
    return found + _words(code, at, len(text))


def _words(code: str, start: int, end: int) -> list[tuple[Sort, int, int]]:
    return [(_SORTS[match.lastgroup], *match.span()) for match in _TOKEN.finditer(code, start, end)]


def closing(line: Sequence[Token], opening: int) -> int:
    """Index of the bracket that closes the one at `opening`; the last index when none does."""
    depth = line[opening].depth
    for index in range(opening + 1, len(line)):
        if line[index].depth <= depth:
            return index
    return len(line) - 1
