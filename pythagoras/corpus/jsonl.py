"""JSON lines as rows. A line that can't be read is a Fault, and reading goes on behind it; no meaning is known here."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

from pythagoras.corpus.rows import Fault

NumberedRow: TypeAlias = tuple[int, dict[str, Any]]
"""The row's number, from 1: a line of a text file, an element of a list, a row of a table."""
STDIN = Path("-")
UNREADABLE = (OSError, EOFError, zlib.error)
"""What reading bytes may raise, gzip's damage included."""
BOM = b"\xef\xbb\xbf"

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def json_lines(path: Path) -> Iterator[NumberedRow | Fault]:
    """The objects of a file, gzipped where its name ends with .gz, or (as `-`) of standard input; blank lines are none.

    What a broken file had before the break is kept.
    """
    number = 0
    try:
        with opened(path) as file:
            for line in file:
                number += 1
                if number == 1:
                    if line.startswith(_UTF16):
                        yield Fault(str(path), None, "", "it is UTF-16: write it as UTF-8")
                        return
                    line = line.removeprefix(BOM)
                if line and not line.isspace():
                    yield _row(line, str(path), number)
    except UNREADABLE as error:
        yield Fault(str(path), number + 1 if number else None, "", f"it can't be read: {first_line(error)}")


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unzipped, or of standard input, which stays open."""
    if path == STDIN:
        yield sys.stdin.buffer
        return
    with cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb") as file:
        yield file


def no_object(file: str, number: int, row: Any) -> Fault:
    """What is said of JSON that is no row."""
    return Fault(file, number, "", f"it is a JSON {type(row).__name__}, not an object")


def first_line(error: BaseException) -> str:
    """What an error says, short enough for a Fault."""
    return (str(error).splitlines() or [""])[0].rstrip(". ") or type(error).__name__


def _row(line: bytes, file: str, number: int) -> NumberedRow | Fault:
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Fault(file, number, "", f"it is no UTF-8: {error.reason} at byte {error.start}")
    except (ValueError, RecursionError) as error:
        return Fault(file, number, "", f"it is no JSON: {first_line(error)}")
    return (number, row) if isinstance(row, dict) else no_object(file, number, row)
