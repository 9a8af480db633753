"""Values out of foreign rows: where a value stands (a path), and what is taken of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pythagoras.corpus.rows import RowError

Row: TypeAlias = Mapping[str, Any]
Getter: TypeAlias = Callable[[Row], Any]

_STEP = re.compile(r"\[([^\]=]+)=([^\]]*)\]|\[(-?\d+)\]|([^.\[\]]+)")
_LEAN_BLOCK = re.compile(r"```lean4?[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_BOXED = "\\boxed{"


def column_of(path: str) -> str:
    """The column that a path begins with."""
    found = _STEP.match(path)
    return found[4] if found and found[4] else path


def getter(path: str) -> Getter:
    """A function that follows a path through a row; it gives None where the path leads nowhere.

    A path is a column (`problem`), a field inside one (`rl_data.win_rate`), an element of a list by its number
    (`generations[0]`), or by one of its fields (`messages[role=user].content`).
    """
    steps = list(_STEP.finditer(path))
    if not steps or sum(len(step[0]) for step in steps) + path.count(".") != len(path):
        raise ValueError(f"{path!r} is no path: write column, column.field, column[0] or column[field=value].field")
    if len(steps) == 1:
        column = steps[0][4]
        return lambda row: row.get(column)
    moves = [_move(step) for step in steps]

    def get(row: Row) -> Any:
        value: Any = row
        for move in moves:
            value = move(value)
            if value is None:
                return None
        return value

    return get


def _move(step: re.Match[str]) -> Callable[[Any], Any]:
    key, wanted, index, column = step[1], step[2], step[3], step[4]
    if column is not None:
        return lambda value: value.get(column) if isinstance(value, Mapping) else None
    if index is not None:
        at = int(index)
        return lambda value: value[at] if isinstance(value, list) and -len(value) <= at < len(value) else None

    def select(value: Any) -> Any:
        if not isinstance(value, list):
            return None
        return next((part for part in value if isinstance(part, Mapping) and part.get(key) == wanted), None)

    return select


# --- what is taken of a text ---------------------------------------------------------------------


def boxed(text: str) -> str:
    """What stands in the last `\\boxed{...}`, with brackets inside it; empty when there is none or it never ends."""
    start = text.rfind(_BOXED)
    depth = 0
    for at in range(start + len(_BOXED) - 1, len(text)) if start >= 0 else ():
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return text[start + len(_BOXED) : at].strip()
    return ""


def lean_block(text: str) -> str:
    """The last block between ```lean4 and ```; one that is never closed goes to the end. Empty when there is none."""
    found = _LEAN_BLOCK.findall(text)
    return str(found[-1]).strip() if found else ""


def before_lean_block(text: str) -> str:
    """What stands before the last Lean block; all of it when there is none."""
    found = list(_LEAN_BLOCK.finditer(text))
    return text[: found[-1].start()].strip() if found else text.strip()


def area(text: str) -> str:
    """The second step of `Mathematics -> Algebra -> ...` as a topic; of another text, all of it."""
    steps = [step.strip() for step in text.split("->")]
    return topic(steps[1] if len(steps) > 1 else steps[0])


def topic(text: str) -> str:
    """`Number Theory` and `number_theory` as `number theory`."""
    return text.lower().replace("_", " ")


TAKES: dict[str, Callable[[str], str]] = {
    "area": area,
    "before lean": before_lean_block,
    "boxed": boxed,
    "lean": lean_block,
    "lower": str.lower,
    "topic": topic,
}
"""What a mapping may take of a text, by name. Of a list, it is taken of the first element that has it."""


def text_at(value: Any, path: str, take: Callable[[str], str] | None, pattern: re.Pattern[str] | None) -> str:
    """The text that a value holds, stripped; empty when it holds none. Raises RowError for what is no text."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, bool) or not isinstance(value, int | float | list):
        raise RowError(path, f"it is a {_kind(value)}, not text")
    elif isinstance(value, list):
        if take is None and pattern is None:
            raise RowError(path, "it is a list, not text")
        parts = (text_at(part, path, take, pattern) for part in value)
        return next((part for part in parts if part), "")
    else:
        text = str(value)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise RowError(path, f"it has half a character at position {error.start}") from None
    if pattern is not None:
        found = pattern.search(text)
        text = found[1] or "" if found else ""
    return (text if take is None else take(text)).strip()


def _kind(value: Any) -> str:
    return "table" if isinstance(value, Mapping) else type(value).__name__
