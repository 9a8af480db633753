"""The JSON of the Kimina Lean Server's REST protocol, for its servers and its clients: `/api/check`, `/verify`.

Answers hold the community REPL's objects (`wire.py`). Fields that are None are not sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pythagoras.lean.wire import Declaration, Message, Refused, RefusedKind, Sorry, Tactic

InfoTreeDetail = Literal["full", "tactics", "original", "substantive"]


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, populate_by_name=True, extra="ignore")


# --- /api/check ------------------------------------------------------------------------------------


class Snippet(_Wire):
    """A piece of Lean with the name that its result comes back under."""

    id: str
    code: str


class CheckRequest(_Wire):
    """What `POST /api/check` takes."""

    snippets: tuple[Snippet, ...] = Field(min_length=1)
    timeout: float = Field(default=30, ge=0, allow_inf_nan=False)
    """Seconds of wall clock for each snippet."""
    debug: bool = False
    """Whether results come with `diagnostics`."""
    reuse: bool = True
    """Whether a process that has checked something before may check this."""
    infotree: InfoTreeDetail | None = None
    declarations: bool = False
    """Ours, unknown to others: whether the answer tells what each snippet declared."""
    holes: tuple[str, ...] = ()
    """Ours: definitions whose bodies do not count in the keys of types."""
    refuse: tuple[RefusedKind, ...] = ()
    """Ours: kinds of syntax to stop at."""
    replay: bool = False
    """Ours: whether the kernel shall check everything twice."""
    header: str = ""
    """Ours: id of the header whose text each snippet begins with; the server has it compiled."""

    @model_validator(mode="after")
    def _ids_differ(self) -> Self:
        refuse_repeats([snippet.id for snippet in self.snippets])
        return self


class CommandResponse(_Wire):
    """What Lean made of a snippet: the REPL's answer. `message` alone stands for a request that the REPL refused."""

    env: int | None = None
    messages: tuple[Message, ...] | None = None
    sorries: tuple[Sorry, ...] | None = None
    tactics: tuple[Tactic, ...] | None = None
    declarations: tuple[Declaration, ...] | None = None
    """Ours, where it was asked for."""
    replay: str | None = None
    """Ours: what the kernel said the second time, where it was asked."""
    refused: Refused | None = None
    """Ours: what was not elaborated because it was to be refused."""
    infotree: Any = Field(default=None, exclude=True)  # nested deeper than pydantic writes: `to_wire` adds it
    message: str | None = None

    def to_wire(self) -> dict[str, Any]:
        wire = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return wire if self.infotree is None else {**wire, "infotree": self.infotree}


class Diagnostics(_Wire):
    """The process that answered, and what it used."""

    repl_uuid: str
    cpu_max: float
    """Percent of one core."""
    memory_max: float
    """Bytes."""


class SnippetResult(_Wire):
    """What became of a snippet: Lean's `response`, or the `error` that kept Lean from giving one."""

    id: str
    time: float = 0.0
    error: str | None = None
    response: CommandResponse | None = None
    diagnostics: Diagnostics | None = None

    @model_validator(mode="after")
    def _error_or_response(self) -> Self:
        if (self.error is None) == (self.response is None):
            raise ValueError("a result has either `error` or `response`")
        return self

    def to_wire(self) -> dict[str, Any]:
        wire = self.model_dump(mode="json", exclude_none=True, exclude={"response"})
        return wire if self.response is None else {**wire, "response": self.response.to_wire()}


class CheckResponse(_Wire):
    """What `POST /api/check` answers, in the order of the snippets."""

    results: tuple[SnippetResult, ...]

    def to_wire(self) -> dict[str, Any]:
        return {"results": [result.to_wire() for result in self.results]}


# --- /verify, the older form -----------------------------------------------------------------------


class Code(_Wire):
    """A piece of Lean in the older form, as `proof` or as `code`."""

    custom_id: str | int
    proof: str | None = None
    code: str | None = None

    @model_validator(mode="after")
    def _has_content(self) -> Self:
        if self.proof is None and self.code is None:
            raise ValueError("an item of `codes` has its Lean in `proof` or in `code`")
        return self

    def to_snippet(self) -> Snippet:
        content = self.proof if self.proof is not None else self.code
        return Snippet(id=str(self.custom_id), code=content or "")


class VerifyRequest(_Wire):
    """What `POST /verify` takes."""

    codes: tuple[Code, ...] = Field(min_length=1)
    timeout: float = Field(default=300, ge=0, allow_inf_nan=False)
    infotree_type: InfoTreeDetail | None = None
    disable_cache: bool = False
    declarations: bool = False
    holes: tuple[str, ...] = ()
    refuse: tuple[RefusedKind, ...] = ()
    header: str = ""

    @model_validator(mode="after")
    def _ids_differ(self) -> Self:
        refuse_repeats([str(code.custom_id) for code in self.codes])
        return self

    def to_check(self) -> CheckRequest:
        """The same request in the newer form."""
        return CheckRequest(
            snippets=tuple(code.to_snippet() for code in self.codes),
            timeout=self.timeout,
            reuse=not self.disable_cache,
            infotree=self.infotree_type,
            declarations=self.declarations,
            holes=self.holes,
            refuse=self.refuse,
            header=self.header,
        )


class TimedResponse(CommandResponse):
    """The older form has the time beside Lean's answer."""

    time: float | None = None


class VerifyResult(_Wire):
    """A result in the older form."""

    custom_id: str
    error: str | None = None
    response: TimedResponse | None = None

    @classmethod
    def of(cls, result: SnippetResult) -> Self:
        """The older form of a result."""
        response = result.response
        timed = None if response is None else TimedResponse.model_construct(**dict(response), time=result.time)
        return cls(custom_id=result.id, error=result.error, response=timed)

    def to_wire(self) -> dict[str, Any]:
        wire = self.model_dump(mode="json", exclude_none=True, exclude={"response"})
        return wire if self.response is None else {**wire, "response": self.response.to_wire()}


class VerifyResponse(_Wire):
    """What `POST /verify` answers."""

    results: tuple[VerifyResult, ...]

    def to_wire(self) -> dict[str, Any]:
        return {"results": [result.to_wire() for result in self.results]}


def refuse_repeats(ids: Sequence[str]) -> None:
    """Results come back under their ids, so each needs its own."""
    seen: set[str] = set()
    for name in ids:
        if name in seen:
            raise ValueError(f"the id {name[:100]!r} is given twice: each needs its own")
        seen.add(name)
