"""Records as the stages of decontamination see them, and what a stage hands back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pythagoras.corpus.normal import alpha_text, normal_informal
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Attempt, Formalisation, Instance, Record, formal_text, informal_text, record_id
from pythagoras.lean import signatures

_DEFINES = frozenset({"def", "abbrev", "instance", "structure", "inductive", "class", "opaque", "variable"})
_SHORT_ID = 12
LEAST_SEEN = 5
"""What stands in no more rows than this is not common, however few rows there are."""


@dataclass(frozen=True, slots=True)
class View:
    """A record with its texts in the forms that are compared, each made once."""

    record: Record
    informal: str
    """`normal_informal` of what it says; empty where it says nothing."""
    formal: str
    """`alpha_text` of its statement, behind the definitions that it needs; empty where it has none."""
    proof: str
    """As written."""

    @property
    def statement(self) -> str:
        """The formal part without the definitions before it."""
        return self.formal.rpartition(" ;; ")[2]


@dataclass(frozen=True, slots=True)
class Item:
    """A benchmark's item."""

    label: str
    """Its source and name."""
    family: str
    """The same for a problem and its mutations, which share most of their words; else its label."""
    view: View


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that a stage found in a benchmark."""

    reason: Reason
    item: str
    """The label of the item."""
    score: float
    """How much of it was found, or how similar it is: 1 for the same."""
    detail: str
    """Evidence for people."""


class Stage(Protocol):
    """One way to find a benchmark's items in rows. Built from the items; what a row answers depends on no other row."""

    def find(self, rows: Sequence[View]) -> list[Hit | None]:
        """The strongest hit of each row."""
        ...


def view_of(record: Record) -> View:
    text = formal_text(record)
    context = record.context if isinstance(record, Formalisation | Instance) else ""
    return View(
        record,
        normal_informal(informal_text(record)),
        alpha_text(text, definitions(context)) if text else "",
        _proof_of(record),
    )


def _proof_of(record: Record) -> str:
    match record:
        case Instance():
            return record.proof
        case Attempt():
            return record.completion
    return ""


def items_of(benchmarks: Iterable[Record]) -> list[Item]:
    """The items of benchmarks, in order. Where sources and names meet, the first keeps the plain label."""
    records = list(benchmarks)
    originals = {parent for record in records if (parent := _parent(record))}
    items: list[Item] = []
    taken: set[str] = set()
    for record in records:
        label = _label(record)
        if label in taken:
            label = f"{label}#{record_id(record)[:_SHORT_ID]}"
        taken.add(label)
        names = (_parent(record), getattr(record, "name", ""), record_id(record))
        family = next((name for name in names if name in originals), label)
        items.append(Item(label, family, view_of(record)))
    return items


def _parent(record: Record) -> str:
    """What a mutation was made from, by name or id; empty for everything else."""
    return record.provenance.parent if isinstance(record, Formalisation | Instance) else ""


def _label(record: Record) -> str:
    name = getattr(record, "name", "") or record_id(record)[:_SHORT_ID]
    source = getattr(record, "source", "")
    return f"{source}/{name}" if source else name


def definitions(context: str) -> str:
    """What a context declares; which names it opens and which options it sets are as formatting here."""
    if not context:
        return ""
    return "\n".join(
        context[command.start : command.end] for command in signatures.commands(context) if command.word in _DEFINES
    )
