"""What became of the rows that training was given: each is trained on, or left out for a reason; counts add up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

_TOLD = 5
"""Rows left out that are described; the others are counted."""


@dataclass(slots=True)
class Account:
    """Grows while rows are read."""

    kept: int = 0
    left_out: Counter[StrEnum] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    """Why: a line each for the first few."""

    @property
    def read(self) -> int:
        return self.kept + self.left_out.total()

    def leave_out(self, why: StrEnum, detail: str) -> None:
        self.left_out[why] += 1
        if len(self.told) < _TOLD:
            self.told.append(f"{why.value}: {detail}")

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"read": self.read, "kept": self.kept, "left_out": dict(self.left_out), "told": self.told}
