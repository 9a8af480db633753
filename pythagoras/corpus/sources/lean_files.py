"""The theorems of a .lean file as rows, and what PutnamBench's files say about answers that are to be found.

A row has what a statement needs to stand alone: imports, opens, definitions before it, not the other theorems; and with
its proof those theorems, too, that the proof names. Reading is lexical (`signatures`); Lean is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from pythagoras.corpus.rows import RowError
from pythagoras.errors import InputError
from pythagoras.lean import signatures
from pythagoras.lean.signatures import THEOREMS, Command

COLUMNS = ("name", "lean", "proof", "docstring", "folder_split")
SPLITS = {"test": "test", "valid": "valid", "validation": "valid", "train": "train"}
"""Names of splits as folders and files have them, and what we call them."""

_NOT_NEEDED = (*THEOREMS, "example", "#")
_OPEN_ANSWERS = frozenset({"def", "abbrev", "instance"})
_COMMENTS = re.compile(r"[ \t]*(?:\n[ \t]*)?((?:--[^\n]*(?:\n[ \t]*(?=--)|))+)")


def theorem_rows(source: str, path: PurePath) -> Iterator[tuple[int, dict[str, Any] | RowError]]:
    """The line where each theorem begins, and its row, or why it is none."""
    source = source.replace("\r\n", "\n")
    found = signatures.commands(source)
    split = split_of(path)
    for index, command in enumerate(found):
        if command.word in THEOREMS:
            line = source.count("\n", 0, command.tokens[command.keyword].start) + 1
            try:
                yield line, {**_row(source, found[:index], command), "folder_split": split}
            except InputError as error:
                yield line, RowError("", str(error))


def split_of(path: PurePath) -> str:
    """The split that a path speaks of: its folder has that name, or the file's name begins with it; empty for none."""
    words = (re.split(r"[-_.]", path.name.lower())[0], path.parent.name.lower())
    return next((SPLITS[word] for word in words if word in SPLITS), "")


def answers_of(source: str) -> dict[str, str]:
    """For each definition that is left as `sorry`, the answer in the comment behind it; empty where there is none."""
    found: dict[str, str] = {}
    for command in signatures.commands(source):
        if command.word in _OPEN_ANSWERS and command.name and _is_open(command):
            comment = _COMMENTS.match(source, command.end)
            lines = comment[1].split("\n") if comment else []
            found[command.name] = "\n".join(line.strip().removeprefix("--").strip() for line in lines).strip()
    return found


def _row(source: str, before: Sequence[Command], command: Command) -> dict[str, Any]:
    parts = signatures.signature(command)
    end = parts.type.end
    if parts.doc is None:
        statement = source[parts.start : end]
    else:
        statement = source[parts.start : parts.doc.start] + source[parts.doc.end : end].lstrip()
    context = [_with_comments(source, other) for other in before if not other.word.startswith(_NOT_NEEDED)]
    doc = "" if parts.doc is None else parts.doc.of(source)
    return {
        "name": command.name or "",
        "lean": "\n\n".join([*context, f"{statement} := sorry\n"]),
        "proof": "\n\n".join(_with_comments(source, other) for other in [*_used(before, command), command]),
        "docstring": doc.removeprefix("/--").removesuffix("-/").strip(),
    }


def _used(before: Sequence[Command], command: Command) -> list[Command]:
    """What a proof may rest on: everything but theorems, and those that it names, or that have attributes."""
    named = {token.text for token in command.tokens}
    kept: list[Command] = []
    for other in reversed(before):
        if other.word in THEOREMS:
            if not named & {other.name, other.written_name} and other.tokens[0].text != "@":
                continue
            named |= {token.text for token in other.tokens}
        if not other.word.startswith(("example", "#")):
            kept.append(other)
    return kept[::-1]


def _with_comments(source: str, command: Command) -> str:
    """A command as written, with the answer that may stand in a comment behind it."""
    first = command.tokens[0]
    indent = " " * first.column if first.first else ""
    comment = _COMMENTS.match(source, command.end) if _is_open(command) else None
    return indent + source[command.start : comment.end() if comment else command.end]


def _is_open(command: Command) -> bool:
    body = command.tokens[command.keyword :]
    body = body[signatures.value_of(body) :]
    return [token.text for token in body] in ([":=", "sorry"], [":=", "by", "sorry"])
