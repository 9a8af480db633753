"""The rubric distiller: from a failed proof to a simpler problem about the very step that failed.

The parser enforces what of the rubric can be told from the text: pure mathematics, a direct question that stands for
itself, a solution in steps. Whether the problem is true and within reach is Lean's to say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pythagoras.lean.diagnostics import ErrorClass, Level
from pythagoras.pipeline.roles.answers import fields_of, shortened
from pythagoras.pipeline.roles.role import Fault, Refused, Role, RoleName
from pythagoras.pipeline.roles.wording import code_in, question_fault, without_label

SHORTEST_SOLUTION = 30
LONGEST_SOLUTION = 20_000
_KEYS = ("root_cause", "level", "category", "question", "solution")
_STEP = re.compile(r"[.!?;:](?=\s|$)|\n+")
_NO_SOLUTION = re.compile(
    r"\b(?:left (?:to|for|as) (?:the reader|an exercise)|(?:solution|proof) (?:is )?omitted)\b",
    re.IGNORECASE,
)
_AMERICAN = (("ization", "isation"), ("synthesize", "synthesise"), ("_", " "), ("-", " "))


@dataclass(frozen=True, slots=True)
class Distilled:
    """A simpler problem, and what it was drawn from."""

    question: str
    solution: str
    category: ErrorClass
    level: Level
    root_cause: str


def parse(text: str, fields: Mapping[str, str]) -> Distilled | Refused:
    """The problem, when it keeps the rubric's rules."""
    found = fields_of(text, _KEYS)
    if isinstance(found, Refused):
        return found
    categories = {category.value: category for category in ErrorClass}
    levels = {level.value: level for level in Level}
    category = categories.get(_plain(found["category"]))
    level = levels.get(_plain(found["level"]).removesuffix(" error"))
    if category is None or level is None:
        wrong = "category" if category is None else "level"
        return Refused(Fault.WRONG_FIELDS, f"the {wrong} is {shortened(found[wrong], 60) or 'empty'}")
    if not found["root_cause"]:
        return Refused(Fault.WRONG_FIELDS, "the root cause is empty")
    question, solution = without_label(found["question"]), found["solution"]
    fault = question_fault(question, fields.get("problem", "")) or _solution_fault(solution)
    return fault or Distilled(question, solution, category, level, found["root_cause"])


def _solution_fault(solution: str) -> Refused | None:
    if len(solution) > LONGEST_SOLUTION:
        return Refused(Fault.TOO_LONG, f"a solution of {len(solution):,} characters")
    if code := code_in(solution):
        return Refused(Fault.HAS_CODE, f"{code} in the solution")
    if len(solution) < SHORTEST_SOLUTION or _NO_SOLUTION.search(solution):
        return Refused(Fault.NO_SOLUTION, shortened(solution, 60) or "it is empty")
    if sum(1 for step in _STEP.split(solution) if step.strip()) < 2:
        return Refused(Fault.NO_SOLUTION, "it is a single step")
    return None


def _plain(text: str) -> str:
    text = " ".join(text.casefold().split()).strip(" .")
    for american, ours in _AMERICAN:
        text = text.replace(american, ours)
    return text


DISTIL: Role[Distilled] = Role(
    RoleName.DISTIL,
    parse,
    ("problem", "statement", "proof", "errors", "goal", "category", "level", "number", "size"),
)
