"""The informaliser: from a statement in Lean back to a problem in words, which the judge of alignment compares."""

from __future__ import annotations

from collections.abc import Mapping

from pythagoras.pipeline.roles.answers import said
from pythagoras.pipeline.roles.role import Refused, Role, RoleName
from pythagoras.pipeline.roles.wording import problem_fault, without_label


def parse(text: str, fields: Mapping[str, str]) -> str | Refused:
    """The problem in words."""
    answer = said(text)
    if isinstance(answer, Refused):
        return answer
    answer = without_label(answer).strip()
    return problem_fault(answer) or answer


INFORMALISE: Role[str] = Role(RoleName.INFORMALISE, parse, ("statement",))
