"""What a stage makes of one record: records to keep, records that it drops with a reason, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from pythagoras.corpus.records import Record
from pythagoras.corpus.stages import Dropped


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one record. Nothing in it depends on who worked, how fast, or what else was under way."""

    kept: tuple[Record, ...] = ()
    """What goes on to the next stage."""
    beside: tuple[Record, ...] = ()
    """What is stored beside that, such as attempts and judgements."""
    dropped: tuple[Dropped, ...] = ()
    tally: dict[str, int] = field(default_factory=dict)
    """What the stage counts, such as classes of errors: the same in every run."""
    costs: dict[str, float] = field(default_factory=dict)
    """What it took, such as Lean's seconds and tokens: different in every run, so kept apart from the records."""
