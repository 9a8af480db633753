"""The judge of alignment: whether what was formalised, read back, says what the source says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pythagoras.pipeline.roles.answers import fields_of, shortened
from pythagoras.pipeline.roles.role import Fault, Refused, Role, RoleName

_NOTHING = re.compile(r"none|nothing|no|null|n/a|no \w*\s?(?:discrepanc\w+|differences?)(?: found)?", re.IGNORECASE)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Aligned:
    """A verdict."""

    same: bool
    discrepancy: str
    """What differs; empty when nothing does."""


def parse(text: str, fields: Mapping[str, str]) -> Aligned | Refused:
    """The verdict. One that contradicts itself is none."""
    found = fields_of(text, ("verdict", "discrepancy"))
    if isinstance(found, Refused):
        return found
    verdict = found["verdict"].casefold().strip(" .")
    discrepancy = "" if _says_nothing(found["discrepancy"]) else found["discrepancy"]
    if verdict not in ("same", "different"):
        return Refused(Fault.NO_VERDICT, f"the verdict is {shortened(found['verdict'], 60) or 'empty'}")
    if verdict == "same" and discrepancy:
        return Refused(Fault.NO_VERDICT, f"it says same, and names a discrepancy: {shortened(discrepancy)}")
    if verdict == "different" and not discrepancy:
        return Refused(Fault.NO_VERDICT, "it says different, and names no discrepancy")
    return Aligned(verdict == "same", discrepancy)


def _says_nothing(discrepancy: str) -> bool:
    """Whether it is empty, or "none" in some words. Signs around them do not count."""
    words = list(_WORD.finditer(discrepancy))
    return not words or _NOTHING.fullmatch(discrepancy, words[0].start(), words[-1].end()) is not None


ALIGN: Role[Aligned] = Role(RoleName.ALIGN, parse, ("problem", "read_back", "statement"))
