"""What all parsers do first: leave the thinking out, notice a player that gives up, find the JSON object.

An answer is any text at all. Whatever it is, a function here returns a part of it or `Refused`; none raises.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from pythagoras.pipeline.roles.role import Fault, Refused

LONGEST = 100_000
"""Characters of an answer that are read, without its thinking: no role needs a tenth of them."""
_THINKING_ENDS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_THINKING_BEGINS = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_GIVES_UP = re.compile(r"\W{0,4}(?:CAN['’]T|CANNOT|CAN NOT)\s*:\s*(?P<why>.*)", re.DOTALL)
_OBJECT = re.compile(r'\{(?=\s*["}])')
_MOST_BEGINNINGS = 200
"""Places that are tried as the beginning of an object: each failure may have read the answer to its end."""
_ESCAPE = re.compile(r'\\(["\\/bfnrt]|u(?=[0-9a-fA-F]{4}))?')
"""A backslash with what it escapes in JSON; one that escapes nothing is LaTeX's, and many models write it singly."""
_LATEX = {"\b": "\\b", "\f": "\\f"}
_LATEX_LETTER = {"\t": "\\t", "\r": "\\r"}
_LATEX_WORD = re.compile(r"([\t\r])(?=[a-z]{2})")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def said(text: str) -> str | Refused:
    """The answer behind its thinking; refused when there is none, or when it says that it can't."""
    text = _THINKING_ENDS.split(text)[-1]
    if _THINKING_BEGINS.search(text):
        return Refused(Fault.CUT_OFF, "its thinking has no end")
    text = text.strip()
    if not text:
        return Refused(Fault.NO_ANSWER, "nothing follows its thinking")
    if len(text) > LONGEST:
        return Refused(Fault.TOO_LONG, f"{len(text):,} characters, and {LONGEST:,} are read")
    if gives_up := _GIVES_UP.match(text):
        return Refused(Fault.CAN_NOT, shortened(gives_up["why"]))
    return text


def fields_of(text: str, names: tuple[str, ...]) -> Mapping[str, str] | Refused:
    """The texts of the last JSON object of an answer, which must have just these names.

    Words around the object, a fence and earlier drafts are passed over. A later object that is broken is not: then
    nobody knows which one was meant.
    """
    answer = said(text)
    if isinstance(answer, Refused):
        return answer
    found = _last_object(answer)
    if isinstance(found, Refused):
        return found
    missing = [name for name in names if name not in found]
    surplus = [name for name in found if name not in names]
    if missing or surplus:
        said_of = [f"without {', '.join(missing)}"] if missing else []
        said_of += [f"with {shortened(', '.join(surplus))}"] if surplus else []
        return Refused(Fault.WRONG_FIELDS, " and ".join(said_of))
    texts: dict[str, str] = {}
    for name in names:
        if not isinstance(found[name], str):
            return Refused(Fault.WRONG_FIELDS, f"{name} is no text")
        texts[name] = _readable(found[name])
    return texts


def shortened(text: str, most: int = 200) -> str:
    """One line for a detail."""
    line = " ".join(text.encode(errors="replace").decode().split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _last_object(answer: str) -> dict[str, Any] | Refused:
    answer = _ESCAPE.sub(lambda escape: escape[0] if escape[1] else "\\\\", answer)  # changes no valid object
    found: dict[str, Any] | None = None
    broken = "there is no object in it"
    at = tries = 0
    while begins := _OBJECT.search(answer, at):
        tries += 1
        if tries > _MOST_BEGINNINGS:
            return Refused(Fault.NO_JSON, "too many braces to tell where an object begins")
        read = _object_at(answer, begins.start())
        if not isinstance(read, str):
            found, at = read
        elif found is not None:
            return Refused(Fault.NO_JSON, f"another object follows that is broken: {read}")
        else:
            broken, at = read, begins.end()
    return Refused(Fault.NO_JSON, broken) if found is None else found


def _object_at(answer: str, start: int) -> tuple[dict[str, Any], int] | str:
    """The object that begins there and where it ends, or what is wrong with it. Texts may have line breaks."""
    try:
        return json.JSONDecoder(strict=False, object_pairs_hook=_once).raw_decode(answer, start)
    except RecursionError:
        return "it is nested too deeply"
    except ValueError as error:
        return shortened(str(error))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    counts = Counter(name for name, _ in pairs)
    if repeated := sorted(name for name, count in counts.items() if count > 1):
        raise ValueError(f"it has {', '.join(repeated)} twice")
    return dict(pairs)


def _readable(text: str) -> str:
    """A text of an object as it was meant: `\\frac` with one backslash is no form feed."""
    for control, written in _LATEX.items():
        text = text.replace(control, written)
    text = _LATEX_WORD.sub(lambda control: _LATEX_LETTER[control[1]], text)
    return _CONTROL.sub(" ", text.encode(errors="replace").decode()).strip()
