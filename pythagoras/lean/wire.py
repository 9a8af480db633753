"""What goes to a Lean host and what comes back: the community REPL's JSON, and this project's additions to it.

Field names here are Python's; aliases carry the wire's own. Unknown fields of an answer are ignored, so that answers
of the `repl` binary can be read too. `messages`, `sorries` and `tactics` are left out when they are empty.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Severity = Literal["trace", "info", "warning", "error"]
RefusedKind = Literal["program", "option", "axiom", "sorry"]
NO_PROGRAMS: tuple[RefusedKind, ...] = ("program", "option", "axiom")
"""What a text of strangers must not have: code that runs inside Lean, options that loosen it, what is not proved."""
PROOFS_ONLY: tuple[RefusedKind, ...] = (*NO_PROGRAMS, "sorry")
"""The same for a proof, which may leave nothing open."""
InfoTree = Literal["tactics", "original", "substantive"]
"""Which tactics a tree shows: all that ran, those that stand in the text, those that are no mere structure."""


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, populate_by_name=True, extra="ignore")


class Position(_Wire):
    """A place in the text: lines count from 1, columns (in characters) from 0, as Lean counts."""

    line: int
    column: int


class Message(_Wire):
    """Something that Lean said about a place in the text."""

    severity: Severity
    pos: Position
    end_pos: Position | None = Field(default=None, alias="endPos")
    data: str
    kind: str | None = None
    """Lean's own tag, such as `hasSorry`; None for most messages."""


class Sorry(_Wire):
    """A `sorry` in the text and the goal that it stands for."""

    goal: str
    pos: Position | None = None
    end_pos: Position | None = Field(default=None, alias="endPos")


class Tactic(_Wire):
    """A tactic as the elaborator ran it: the goals before it, and the constants in what it built."""

    tactic: str
    goals: str
    pos: Position
    end_pos: Position = Field(alias="endPos")
    used_constants: tuple[str, ...] = Field(default=(), alias="usedConstants")


class Span(_Wire):
    """A tactic as the parser saw it. `start` and `end` index the text as a Python string."""

    kind: str
    start: int
    end: int
    pos: Position
    end_pos: Position = Field(alias="endPos")
    parent: int | None
    """Index of the tactic around it in the same list, or None."""


class Declaration(_Wire):
    """A constant that the code declared, read from Lean's environment."""

    name: str
    kind: Literal["axiom", "definition", "theorem", "opaque", "quotient", "inductive", "constructor", "recursor"]
    type: str | None
    """The kernel type without names of bound variables; None when it is longer than 64 K characters."""
    type_key: str = Field(alias="typeKey")
    """Hash of the type and of the new definitions that it mentions: equal for the same statement, however written."""
    axioms: tuple[str, ...]
    """What it rests on. Axioms behind a library theorem are not known here and not listed (see docs/lean.md)."""


class Stretch(_Wire):
    """A stretch of the text; `start` and `end` index it as a Python string."""

    start: int
    end: int


class SignatureBinder(Stretch):
    """A binder of a theorem, brackets included."""

    kind: Literal["explicit", "implicit", "strict implicit", "instance"]


class Signature(_Wire):
    """Where the parts of a theorem stand, as Lean's parser sees them."""

    start: int
    """Where the command begins: its docstring, its modifiers, or an `open ... in` before them."""
    doc: Stretch | None = None
    name: Stretch
    binders: tuple[SignatureBinder, ...]
    type: Stretch
    value: int
    """Where the proof begins: at its `:=`."""


class Command(_Wire):
    """One command of the text and the constants that it brought."""

    kind: str
    name: str | None
    pos: Position
    end_pos: Position = Field(alias="endPos")
    declares: tuple[str, ...]
    signature: Signature | None = None
    """A theorem's, when it was asked for."""


class Refused(_Wire):
    """Syntax that no judged text may have."""

    kind: RefusedKind
    syntax: str


def _none_is_empty(value: object) -> object:
    return () if value is None else value


class Answer(_Wire):
    """What Lean made of one request."""

    messages: Annotated[tuple[Message, ...], BeforeValidator(_none_is_empty)] = ()
    sorries: Annotated[tuple[Sorry, ...], BeforeValidator(_none_is_empty)] = ()
    tactics: Annotated[tuple[Tactic, ...], BeforeValidator(_none_is_empty)] = ()
    infotree: tuple[dict[str, Any], ...] = ()
    """Tactics inside each other in the REPL's shape: `kind`, `node` (name, stx, goals before and after), `children`."""
    spans: tuple[Span, ...] = ()
    commands: tuple[Command, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    env: int | None = None
    programs: bool = False
    """The code ran, or would have run, a program of its own in Lean: see `host/programs.js`."""
    refused: Refused | None = None
    """What was not elaborated because the check refuses its kind; nothing behind it was looked at."""
    replay: str | None = None
    """What the kernel said to all new constants when it saw them again: empty when it took them, None if not asked."""
    interrupted: bool = False
    """The wall clock ended it; what stands here is what was done until then."""

    @property
    def errors(self) -> tuple[Message, ...]:
        return tuple(message for message in self.messages if message.severity == "error")


class Limits(_Wire):
    """How much one request may use. None leaves Lean's own default."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, extra="forbid")

    heartbeats: int | None = Field(default=None, ge=0)
    rec_depth: int | None = Field(default=None, ge=1, alias="recDepth")
    timeout_s: float = Field(default=60.0, gt=0, le=1e6, exclude=True)

    def to_wire(self) -> dict[str, int]:
        wire: dict[str, int] = {"timeoutMs": max(1, round(self.timeout_s * 1000))}
        wire |= self.model_dump(by_alias=True, exclude_none=True)
        return wire
