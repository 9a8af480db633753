"""The writer of hard variants: another problem of the same kind and at least the same difficulty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pythagoras.pipeline.roles.answers import fields_of
from pythagoras.pipeline.roles.role import Fault, Refused, Role, RoleName
from pythagoras.pipeline.roles.wording import question_fault, without_label


@dataclass(frozen=True, slots=True)
class Varied:
    """A variant."""

    question: str
    change: str
    """What was changed."""


def parse(text: str, fields: Mapping[str, str]) -> Varied | Refused:
    """The variant, when it is a problem of its own."""
    found = fields_of(text, ("question", "change"))
    if isinstance(found, Refused):
        return found
    if not found["change"]:
        return Refused(Fault.WRONG_FIELDS, "it does not say what was changed")
    question = without_label(found["question"])
    return question_fault(question, fields.get("problem", "")) or Varied(question, found["change"])


VARY: Role[Varied] = Role(RoleName.VARY, parse, ("problem", "number"))
