"""The records of a corpus: frozen, flat, and each with an id made of its content.

Says what a record is, nothing about files (`rows`, `store`). `pythagoras.lean` has a statement taken apart and a
verdict with all that Lean said; `Formalisation` and `Judgement` are the rows that keep one of each.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass, fields
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from pydantic import ConfigDict, Field

from pythagoras.lean.statements import Statement, parse_statement

_STRICT = ConfigDict(extra="forbid")
Int64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]
"""What a column of a file can hold."""


class Tier(StrEnum):
    """How hard, in the order of the curriculum. ALF holds what mutation made of the other three."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    ALF = "alf"


class Truth(StrEnum):
    """What is known of a statement before anybody proves it."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a record comes from. Not part of its id: the same content made twice is the same record."""

    parent: str = ""
    """Id of the record that it was made from; in a benchmark made by mutation, the name of the original problem."""
    maker: str = ""
    """The operator, family or model that made it."""
    settings: str = ""
    """The maker's settings, as JSON."""
    run: str = ""
    __pydantic_config__ = _STRICT


def settings_text(settings: dict[str, Any]) -> str:
    """Settings as they stand in a provenance: JSON with sorted keys."""
    return json.dumps(settings, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in natural language."""

    text: str
    source: str
    topic: str = ""
    answer: str = ""
    """Empty when it is not known."""
    tier: Tier = Tier.MEDIUM
    provenance: Provenance = Provenance()
    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Formalisation:
    """A statement in Lean, without a proof."""

    name: str
    text: str
    """From `theorem`, or its modifiers, up to and without `:=`."""
    source: str
    header: str = "core"
    """Id of the header that it stands on; the header's text is not repeated in rows."""
    context: str = ""
    """Commands between header and statement, such as the definitions that it needs."""
    docstring: str = ""
    """What it says in natural language."""
    problem: str = ""
    """Id of the problem that it formalises."""
    topic: str = ""
    tier: Tier = Tier.MEDIUM
    truth: Truth = Truth.UNKNOWN
    provenance: Provenance = Provenance()
    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a sampler wrote for a statement: one round of one attempt."""

    formalisation: str
    """Id of the statement."""
    completion: str
    """All that it wrote; `pythagoras.lean.submission` finds the proof in it."""
    number: Int64 = 0
    """Which attempt at the statement, from 0."""
    round: Int64 = 0
    """0 for the first; each later one repairs what the one before it wrote."""
    submission: str = ""
    """What is judged of it: the same for all attempts whose Lean is the same. Its judgement has it, too."""
    finish: str = ""
    """How it ended: `pythagoras.generate.sampler.Finish`, by its value."""
    prompt_tokens: Int64 = 0
    generated_tokens: Int64 = 0
    cached_tokens: Int64 = 0
    """Of the prompt's tokens, those that the sampler says it did not have to compute again."""
    milliseconds: float = 0.0
    """How long the sampler took for it, alone or in its batch."""
    seed: Int64 = 0
    provenance: Provenance = Provenance()
    """Its maker is the sampler, with its settings."""
    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Remark:
    """A message of Lean's at its place in the text that was checked. Lines count from 1, columns from 0."""

    severity: str
    line: Int64
    column: Int64
    text: str
    end_line: Int64 | None = None
    end_column: Int64 | None = None
    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict about a submission, which may be that of several attempts; or why there is none."""

    submission: str
    """The submission's id, which its attempts have, too."""
    outcome: str
    """`proved`, `rejected` or `timeout`: `pythagoras.lean.verdict.Outcome`. Empty where Lean broke down."""
    reason: str
    """`pythagoras.lean.verdict.Reason`, by name in lower case; empty without an outcome."""
    detail: str = ""
    """What exactly, for people; without an outcome, why there is none."""
    error: str = ""
    """Class of the root cause, where Lean reports errors: `pythagoras.lean.diagnostics.ErrorClass`, by its value."""
    paper_rule: bool | None = None
    """Whether it passes the paper's rule; None when that can't be told."""
    checked: str = ""
    """What Lean was asked, on top of the header; empty when it was not asked."""
    remarks: tuple[Remark, ...] = ()
    axioms: tuple[str, ...] = ()
    lean_version: str = ""
    policy: str = ""
    milliseconds: float = 0.0
    provenance: Provenance = Provenance()
    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Instance:
    """What training reads: a statement with a proof, and the reasoning that led to it."""

    name: str
    statement: str
    """From `theorem`, or its modifiers, up to and without `:=`."""
    proof: str
    """What stands behind `:=`."""
    source: str
    tier: Tier
    verified: bool
    """Whether Lean has judged it proved."""
    reasoning: str = ""
    informal: str = ""
    header: str = "core"
    context: str = ""
    topic: str = ""
    provenance: Provenance = Provenance()
    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Rejected:
    """A record that a stage dropped, and why. `row` is the record itself, so nothing is lost."""

    record: str
    """Id of the dropped record."""
    stage: str
    reason: str
    """A `pythagoras.corpus.reasons.Reason`, by its value."""
    other: str = ""
    """What it lost against: a survivor's id, a benchmark's item."""
    score: float | None = None
    """Similarity to the other, where there is such a thing."""
    detail: str = ""
    """Evidence in words: the shared n-gram, the length, the field."""
    record_kind: str = ""
    row: str = ""
    """The record as JSON."""
    provenance: Provenance = Provenance()
    __pydantic_config__ = _STRICT


Record: TypeAlias = Problem | Formalisation | Attempt | Judgement | Instance | Rejected

KINDS: dict[str, type[Record]] = {
    "problem": Problem,
    "formalisation": Formalisation,
    "attempt": Attempt,
    "judgement": Judgement,
    "instance": Instance,
    "rejected": Rejected,
}
"""Every kind of record by the name that files use."""

_KIND_OF = {cls: name for name, cls in KINDS.items()}
_CONTENT = {
    cls: tuple(field.name for field in fields(cls) if field.name != "provenance") for cls in _KIND_OF
}  # what makes an id


def kind_of(record: Record) -> str:
    return _KIND_OF[type(record)]


def record_id(record: Record) -> str:
    """32 hexadecimal digits that depend on the kind and on every field but the provenance."""
    content = [kind_of(record), *(getattr(record, name) for name in _CONTENT[type(record)])]
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=astuple)  # remarks are records, too
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


# --- what stages ask of a record, whichever kind it is -------------------------------------------


def informal_text(record: Record) -> str:
    """What it says in natural language; empty where it says nothing."""
    match record:
        case Problem():
            return record.text
        case Formalisation():
            return record.docstring
        case Instance():
            return record.informal
    return ""


def formal_text(record: Record) -> str:
    """Its Lean statement without context, up to `:=`; empty where it has none."""
    match record:
        case Formalisation():
            return record.text
        case Instance():
            return record.statement
    return ""


def statement_of(record: Formalisation | Instance) -> Statement:
    """The Lean statement, taken apart. Raises InputError where the text is no statement."""
    text = formal_text(record)
    source = f"{record.context}\n\n{text} := sorry" if record.context else f"{text} := sorry"
    return parse_statement(source, header=record.header)


def settings_of(record: Record) -> dict[str, Any]:
    """The settings in its provenance, which anybody may have written: what is no JSON object stands under a name."""
    text = record.provenance.settings
    try:
        found = json.loads(text) if text else {}
    except ValueError:
        return {"settings": text}
    return found if isinstance(found, dict) else {"settings": text}


def group_of(record: Record, by: str) -> str:
    """The group that statistics put it in: by tier, source, topic, operator or any other field; empty for none."""
    value = record.provenance.maker if by == "operator" else getattr(record, by, "")
    return str(value)
