"""Rules as a player: deterministic code in the place of a model, for every role."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from time import perf_counter
from typing import Any, Protocol, cast

from pythagoras.pipeline.roles.role import RoleName, Task, Written

_RULES = {
    RoleName.FORMALISE: "pythagoras.pipeline.rules.formalise",
    RoleName.INFORMALISE: "pythagoras.pipeline.rules.informalise",
    RoleName.ALIGN: "pythagoras.pipeline.rules.align",
    RoleName.DISTIL: "pythagoras.pipeline.rules.distil",
    RoleName.VARY: "pythagoras.language.changes.vary",
}
"""The modules by role; each has a function `answer`. Only that of the role which is played is imported."""


class Answer(Protocol):
    """What every module of rules has under this name."""

    def __call__(self, fields: Mapping[str, str], number: int, seed: int) -> str:
        """The text of an answer; `CAN'T: ...` where the rules do not reach. Which one of several is `number`."""
        ...


class RulesPlayer:
    """Plays a role by its rules."""

    def __init__(self, role: RoleName) -> None:
        self.role = role

    @property
    def name(self) -> str:
        return "rules"

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"backend": "rules"}

    def write(self, tasks: Iterable[Task]) -> Iterator[Written]:
        """In the order of the tasks."""
        answer = cast(Answer, importlib.import_module(_RULES[self.role]).answer)
        for task in tasks:
            begun = perf_counter()
            text = answer(task.fields, task.number, task.seed)
            yield Written(task, text, seconds=perf_counter() - begun)
