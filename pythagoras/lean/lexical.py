"""Lean text without Lean: which parts are comments, strings and quoted names, and which are code.

Comments nest, strings have escapes and raw forms, `'` is a part of names and begins characters. What can't be known
without Lean's own tables of tokens (`<--` is `<-` and `-`, not a comment; `s!"{ "a" ++ x }"` has code inside) is not
guessed: the reading says that it is not `certain`, and whoever must not be fooled then looks at the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

_NAME = re.compile(r"[^\W\d][\w'!?]*")
_NUMBER = re.compile(r"\d+")
_LINE_COMMENT = re.compile(r"--[^\n]*")
_COMMENT_EDGE = re.compile(r"/-|-/")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_PLAIN_STRING = re.compile(r'"[^"\\{}\n]*"')
_RAW_OPENING = re.compile(r'r(#*)"')
_CHARACTER = re.compile(r"'(?:\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)|[^\\'])'", re.DOTALL)
_PLAIN_CHARACTER = re.compile(r"'[^\\'\"/-]'")
_QUOTED_NAME = re.compile(r"«[^»]{0,1000}+»")
_SKIPPED_BY_LEAN = re.compile(r"\s*(?:--|/-)")
_BLANK = frozenset(" \t\r\n")
_BEFORE_LITERAL = frozenset(" \t\n([{,⟨")
_COMMENT_MARK = re.compile(r"--|/-")
_MAY_OPEN = re.compile(r"--|/-|[\"'«]")
"""What all but code begins with, or has in it: most texts have none of it."""
_NO_NEWLINE = re.compile(r"[^\n]")


class Kind(Enum):
    """What a piece of the text is."""

    CODE = "code"
    COMMENT = "comment"
    DOC_COMMENT = "doc comment"
    STRING = "string"
    CHARACTER = "character"
    QUOTED_NAME = "quoted name"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text, `start` to `end`."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A text in pieces that follow each other without gaps."""

    text: str
    pieces: tuple[Piece, ...]
    certain: bool
    """Whether Lean must read the same pieces, whatever tokens are declared."""

    @property
    def code(self) -> str:
        """The text with comments, strings and characters blanked; every place and line stays where it is."""
        return "".join(
            self.text[piece.start : piece.end]
            if piece.kind in (Kind.CODE, Kind.QUOTED_NAME)
            else _blank(self.text[piece.start : piece.end])
            for piece in self.pieces
        )


def read(text: str) -> Reading:
    """Take a text apart."""
    if _MAY_OPEN.search(text) is None:
        return Reading(text, (Piece(Kind.CODE, 0, len(text)),) if text else (), True)
    pieces: list[Piece] = []
    certain = True
    code_start = 0
    for piece, sure in _literals(text):
        certain = certain and sure
        if piece.kind is Kind.CODE:
            continue
        if code_start < piece.start:
            pieces.append(Piece(Kind.CODE, code_start, piece.start))
        pieces.append(piece)
        code_start = piece.end
    if code_start < len(text):
        pieces.append(Piece(Kind.CODE, code_start, len(text)))
    return Reading(text, tuple(pieces), certain)


def _literals(text: str) -> Iterator[tuple[Piece, bool]]:
    """Everything that is not plain code, in order, and whether it is certain."""
    at = 0
    while at < len(text):
        opened = _open(text, at)
        if opened is None:
            step = _NAME.match(text, at) or _NUMBER.match(text, at)
            at = step.end() if step else at + 1
        else:
            yield opened
            at = opened[0].end


def _open(text: str, at: int) -> tuple[Piece, bool] | None:
    """The comment, string, character or quoted name that begins here."""
    first = text[at]
    if first == "-" and text.startswith("--", at):
        line = _LINE_COMMENT.match(text, at)
        assert line is not None
        return Piece(Kind.COMMENT, at, line.end()), _after_blank(text, at)
    if first == "/" and text.startswith("/-", at):
        end, closed = block_end(text, at)
        is_doc = text.startswith("/--", at)
        sure = closed and _after_blank(text, at) and not _skips_a_comment(text, at)
        return Piece(Kind.DOC_COMMENT if is_doc else Kind.COMMENT, at, end), sure
    if first == '"':
        string = _STRING.match(text, at)
        plain = _PLAIN_STRING.match(text, at)
        sure = plain is not None and _after_any(text, at)
        return Piece(Kind.STRING, at, string.end() if string else len(text)), sure
    if first == "r" and (raw := _RAW_OPENING.match(text, at)) is not None:
        closing = text.find('"' + raw[1], raw.end())
        return Piece(Kind.STRING, at, len(text) if closing < 0 else closing + 1 + len(raw[1])), False
    if first == "'" and (character := _CHARACTER.match(text, at)) is not None:
        sure = _PLAIN_CHARACTER.match(text, at) is not None and _after_any(text, at)
        return Piece(Kind.CHARACTER, at, character.end()), sure
    if first == "«" and (name := _QUOTED_NAME.match(text, at)) is not None:
        odd = '"' in name[0] or "\n" in name[0] or _COMMENT_MARK.search(name[0]) is not None
        return Piece(Kind.QUOTED_NAME, at, name.end()), not odd
    if first == "«":  # never closed: an error to Lean, and no name
        return Piece(Kind.CODE, at, at + 1), False
    return None


def block_end(text: str, at: int) -> tuple[int, bool]:
    """Where a block comment ends, inner ones counted, and whether it does."""
    depth, here = 1, at + (3 if text.startswith(("/--", "/-!"), at) else 2)
    while edge := _COMMENT_EDGE.search(text, here):
        depth += 1 if edge[0] == "/-" else -1
        here = edge.end()
        if depth == 0:
            return here, True
    return len(text), False


def _skips_a_comment(text: str, at: int) -> bool:
    """Behind `/--` and `/-!`, which are tokens, Lean skips comments before it reads the text to its end."""
    return text.startswith(("/--", "/-!"), at) and _SKIPPED_BY_LEAN.match(text, at + 3) is not None


def _after_blank(text: str, at: int) -> bool:
    """No token of Lean's can reach over a blank, so a comment that follows one is a comment."""
    return at == 0 or text[at - 1] in _BLANK or text.startswith("-/", at - 2)


def _after_any(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] in _BEFORE_LITERAL


def _blank(text: str) -> str:
    return _NO_NEWLINE.sub(" ", text)
