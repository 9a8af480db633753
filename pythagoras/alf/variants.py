"""What mutation is about: categories, promises, a parent as operators see it, and what they make of it.

The paper ("Augmented Lean Formalisation") asks for exactly one variant of a statement in each of five categories,
statements only. Here an operator is a plain function with a name, a category and a promise; a mutator (symbolic or a
chat model) chooses one variant a category.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import TypeAlias

from pythagoras.alf.traces import Trace
from pythagoras.corpus.records import Formalisation, Instance, Truth
from pythagoras.language.meaning import Claim
from pythagoras.lean.statements import Statement


class Category(StrEnum):
    """The paper's five."""

    SIMPLIFICATION = "simplification"
    GENERALISATION = "generalisation"
    LEMMA = "lemma proposal"
    DECOMPOSITION = "proof-step decomposition"
    REFORMULATION = "reformulation"


class Promise(StrEnum):
    """What an operator says about a variant of a statement that is true."""

    TRUE = "true"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Parent:
    """A statement, and all that operators may look at."""

    record: Formalisation | Instance
    statement: Statement
    claim: Claim | None = None
    """What it means; None where the language has no sign for something in it (`pythagoras.language`)."""
    trace: Trace | None = None
    """What Lean saw in its proof; None where there is no proof, or nobody asked Lean."""
    partners: tuple[Parent, ...] = ()
    """Other statements that share a sub-expression with it, known to be true: what it is joined with."""

    @property
    def is_known_true(self) -> bool:
        record = self.record
        return record.verified if isinstance(record, Instance) else record.truth is Truth.TRUE


Made: TypeAlias = Claim | str
"""A variant: a meaning, which is then written as Lean, or a statement's text behind the theorem's name."""


@dataclass(frozen=True, slots=True)
class Operator:
    """One way to new statements."""

    name: str
    category: Category
    promise: Promise
    about: str
    """One line: what changes."""
    make: Callable[[Parent, Random], Iterable[Made]]
    """Its variants of a parent, the best first; none where it does not apply. Never asks Lean."""
    of_proof: bool = False
    """Whether it looks at traces, and makes nothing without one."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A new statement and where it comes from."""

    text: str
    """From `theorem` up to and without `:=`."""
    category: Category
    operator: str
    promise: Promise
    claim: Claim | None = None
