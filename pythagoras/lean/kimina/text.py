"""The text that a server is sent for a check, and its answer with places counted as in the check's own code.

Places inside an `infotree` stay those of the text that was sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from pythagoras.errors import HostDied
from pythagoras.lean.headers import NONE, Header
from pythagoras.lean.imports import split_imports
from pythagoras.lean.native.audit import Audit, new_nonce, with_report
from pythagoras.lean.pool import Check
from pythagoras.lean.wire import Answer, Message, Position


@dataclass(frozen=True, slots=True)
class Assembled:
    """A text and where in it things stand; lines count from 1."""

    text: str
    code_line: int
    """The code's first line."""
    audit_line: int
    """The line of the audit's command; behind the text when it has none."""
    nonce: str


def assemble(check: Check, header: Header, *, audited: bool) -> Assembled:
    """Imports, the audit's definitions, the scope, limits, the code, the audit's command: each on lines of its own."""
    library, scope, code = header.library, header.scope, check.code
    if header == NONE:  # the code may bring imports, which must stay the first thing
        modules, code = split_imports(code)
        library = "".join(f"import {module}\n" for module in modules)
    audit, nonce = Audit.new(), new_nonce()
    parts = [library, scope, _options(check)]
    if audited:
        needed = "" if header.has_imports else "import Lean\n"  # Mathlib has it; servers know `import Mathlib` by heart
        parts = [needed + library, audit.definitions, scope, _options(check)]
    before = _lines(parts)
    text = before + code
    if audited:
        text += f"\n\n{audit.command(nonce, check.names)}"
    code_line = 1 + before.count("\n")
    return Assembled(text, code_line, code_line + code.count("\n") + 2, nonce)


def written_out(header: Header) -> str:
    """A header's text as it stands before the code."""
    return _lines([header.library, header.scope])


def _lines(parts: Sequence[str]) -> str:
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)


def _options(check: Check) -> str:
    options = {"maxHeartbeats": check.limits.heartbeats, "maxRecDepth": check.limits.rec_depth}
    return "".join(f"set_option {name} {value}\n" for name, value in options.items() if value is not None)


def reports(response: Mapping[str, Any]) -> bool:
    """Whether an answer tells of declarations in our shape; there are REPLs with others."""
    try:
        Answer.model_validate({"declarations": response["declarations"]})
    except (KeyError, ValidationError):
        return False
    return True


def read_response(response: Mapping[str, Any], snippet: Assembled, check: Check) -> Answer:
    """The server's answer in our shape. What is wrong before the code is the server's fault, not the code's."""
    if "message" in response:  # the request as a whole failed: an import that is not there, for instance
        data = {"severity": "error", "pos": {"line": 1, "column": 0}, "data": response["message"], "kind": "request"}
        return Answer.model_validate({"messages": [data]})
    by_itself = reports(response)
    answer = Answer.model_validate(response if by_itself else {**response, "declarations": ()})
    early = [m for m in answer.messages if m.severity == "error" and m.pos.line < snippet.code_line]
    if early:
        said = early[0].data.strip().partition("\n")[0]
        raise HostDied(f"the server's Lean rejects the header {check.header} (line {early[0].pos.line}: {said})")
    own = _shifted(answer, snippet)
    if by_itself or not check.names:
        return own
    told = [m for m in answer.messages if m.pos.line == snippet.audit_line and m.pos.column == 0]
    return with_report(own, told, snippet.nonce, check.holes)


def _shifted(answer: Answer, snippet: Assembled) -> Answer:
    """The answer without what stands around the code, its lines counted from the code's first."""
    first, last = snippet.code_line, snippet.audit_line

    def move(place: Position | None) -> Position | None:
        return place and Position(line=max(1, place.line - first + 1), column=place.column)

    def moved(message: Message) -> Message:
        return message.model_copy(update={"pos": move(message.pos), "end_pos": move(message.end_pos)})

    sorries = tuple(s.model_copy(update={"pos": move(s.pos), "end_pos": move(s.end_pos)}) for s in answer.sorries)
    tactics = tuple(t.model_copy(update={"pos": move(t.pos), "end_pos": move(t.end_pos)}) for t in answer.tactics)
    inside = tuple(
        moved(message)
        for message in answer.messages
        if first <= message.pos.line < last or (message.severity == "error" and message.pos.line >= last)
    )
    return answer.model_copy(update={"messages": inside, "sorries": sorries, "tactics": tactics})
