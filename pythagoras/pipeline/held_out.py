"""Problems that are kept for reinforcement learning, and how one that says the same is recognised.

By its text without its dress, by its meaning (read from its words or from its Lean), by its statement up to names, and
by the kernel type of its statement where Lean was asked for it. Any one of them is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from pythagoras.corpus.normal import alpha_key, informal_key
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Formalisation, Instance, Problem, Record, formal_text, informal_text, record_id
from pythagoras.corpus.stages import Dropped
from pythagoras.pipeline.case import settings_of
from pythagoras.pipeline.language.english import read_english
from pythagoras.pipeline.language.lean_reader import read_lean
from pythagoras.pipeline.language.meaning import Claim
from pythagoras.pipeline.language.normal import key
from pythagoras.pipeline.language.reading import NotRead


@dataclass(slots=True)
class HeldOut:
    """The marks of what is held out, each with the id of the problem that has it."""

    marks: dict[str, str] = field(default_factory=dict)

    def add(self, record: Problem | Formalisation) -> None:
        """Hold out a problem, or a problem by what it was formalised as."""
        problem = record_id(record) if isinstance(record, Problem) else record.problem
        for mark in marks_of(record):
            self.marks.setdefault(mark, problem)

    def decide(self, records: Iterable[Record]) -> Iterator[Record | Dropped]:
        """The records, with those that say what a problem held out says as dropped."""
        for record in records:
            found = next((mark for mark in marks_of(record) if mark in self.marks), None)
            if found is None:
                yield record
            else:
                yield Dropped(record, Reason.HELD_OUT, self.marks[found], detail=f"the same {found.partition(' ')[0]}")


def held_out(problems: Iterable[Problem], formalisations: Iterable[Formalisation]) -> HeldOut:
    """What must not get into the corpus."""
    found = HeldOut()
    for problem in problems:
        found.add(problem)
    for formalisation in formalisations:
        found.add(formalisation)
    return found


def marks_of(record: Record) -> Iterator[str]:
    """All that a record is recognised by, each with its kind before it; the cheap ones first."""
    words, statement = informal_text(record), formal_text(record)
    if words and (text := informal_key(words)):
        yield f"text {text}"
    if statement:
        context = record.context if isinstance(record, Formalisation | Instance) else ""
        yield f"statement {alpha_key(statement, context)}"
        if kernel_type := settings_of(record).get("type"):
            yield f"type {kernel_type}"
    for text, reader in ((words, read_english), (statement, read_lean)):
        if text and (meaning := _meaning(text, reader)):
            yield f"meaning {meaning}"


def _meaning(text: str, reader: Callable[[str], Claim]) -> str:
    """The key of what it means; empty where that can't be read."""
    try:
        return key(reader(text))
    except NotRead:
        return ""
