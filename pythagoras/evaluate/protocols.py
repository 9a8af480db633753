"""Protocols: how attempts are made of completions, as data. Known ones are in protocols/; users write theirs.

An attempt is the unit of pass@N whatever it costs: a restart is one round, a self-correction up to `rounds` of them.
What it costs is counted in tokens, so that protocols can be compared at the same budget.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Part(BaseModel):
    """One way of making attempts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sampler: str = ""
    """Who writes: one of the run's samplers by name; empty: the first."""
    rounds: int = Field(default=1, ge=1, le=100)
    """Rounds of an attempt at most: it ends with the first that is proved."""
    repair: Literal["", "turns", "infill"] = ""
    """How rounds after the first come about: a conversation about Lean's errors, or holes where Lean found them."""
    repairer: str = ""
    """Who writes the rounds after the first; empty: the same."""
    weight: int = Field(default=1, ge=1)
    """Of a mixture's attempts, how many in a turn are this part's."""
    at_most: int | None = Field(default=None, ge=1)
    """Attempts at a statement at most; the other parts make the rest."""

    @model_validator(mode="after")
    def _sound(self) -> Part:
        if (self.rounds > 1) != bool(self.repair):
            raise ValueError("more than one round and a way to repair belong together: give both, or neither")
        return self


class Protocol(BaseModel):
    """What a run does for each statement."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    about: str = ""
    parts: tuple[Part, ...] = Field(min_length=1)
