"""Verdicts as records: which completions are the same proof, and what is kept of a verdict.

The decision is `pythagoras.lean.verdict`'s. Here it becomes a `Judgement`, with what Lean said at its places, cut to a
size that a folder of thousands can hold.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from pythagoras.corpus.records import Judgement, Provenance, Remark
from pythagoras.lean.diagnostics import diagnose
from pythagoras.lean.statements import Statement
from pythagoras.lean.submission import Assembly, read
from pythagoras.lean.verdict import Reason
from pythagoras.lean.verifier import Judged
from pythagoras.lean.wire import Answer, Message, Position

MOST_ERRORS = 100
"""Errors of one proof that are kept; how many more there were is said behind them."""
MOST_WARNINGS = 20
LONGEST = 4000
"""Characters of one message that are kept."""
_DIAGNOSED = 50
"""Errors that the root cause is looked for among; it is one of the first."""


def readable(text: str) -> str:
    """What can be written to a file of a sampler's text: half characters become question marks, as Lean gets them."""
    return text.encode(errors="replace").decode()


def submission_id(goal: str, statement: Statement, completion: str) -> str:
    """The same for all completions at the goal of that id that have the same Lean, and pass the paper's rule alike."""
    written = read(statement, completion)
    content = [goal, written.block, written.paper_rule]
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def judgement(submission: str, judged: Judged, lean_version: str, policy: str = "") -> Judgement:
    """The record of what became of a submission."""
    verdict = judged.verdict
    common: dict[str, Any] = {
        "submission": submission,
        "checked": judged.assembly.text if judged.assembly is not None else "",
        "lean_version": lean_version,
        "policy": policy,
        "milliseconds": round(judged.seconds * 1000, 3),
        "provenance": Provenance(maker="lean"),
    }
    if verdict is None:
        return Judgement(outcome="", reason="", detail=_cut(judged.failure), **common)
    error = ""
    if verdict.reason is Reason.LEAN_ERROR and judged.assembly is not None:
        error = _root_class(verdict.messages, judged.assembly)
    return Judgement(
        outcome=verdict.outcome.value,
        reason=verdict.reason.name.lower(),
        detail=_cut(verdict.detail),
        error=error,
        paper_rule=verdict.paper_rule,
        remarks=remarks_of(verdict.messages),
        axioms=verdict.axioms,
        **common,
    )


def _root_class(messages: Sequence[Message], assembly: Assembly) -> str:
    before = assembly.text[: assembly.proof_start]
    proof_start = Position(line=before.count("\n") + 1, column=len(before) - before.rfind("\n") - 1)
    errors = [message for message in messages if message.severity == "error"][:_DIAGNOSED]
    root = diagnose(Answer(messages=tuple(errors)), assembly.text, proof_start).root
    return root.error.value if root is not None else ""


def remarks_of(messages: Sequence[Message]) -> tuple[Remark, ...]:
    """Errors and warnings in Lean's order, as many as are kept, and a word about those that are not."""
    room = {"error": MOST_ERRORS, "warning": MOST_WARNINGS}
    remarks: list[Remark] = []
    for message in messages:
        if room.get(message.severity, 0) > 0:
            room[message.severity] -= 1
            remarks.append(_remark(message))
    if len(remarks) < len(messages):
        more = f"{len(messages) - len(remarks):,} more errors and warnings are not kept"
        remarks.append(Remark("info", remarks[-1].line, 0, more))
    return tuple(remarks)


def _remark(message: Message) -> Remark:
    end = message.end_pos
    return Remark(
        severity=message.severity,
        line=message.pos.line,
        column=message.pos.column,
        text=_cut(message.data),
        end_line=end.line if end is not None else None,
        end_column=end.column if end is not None else None,
    )


def _cut(text: str) -> str:
    text = readable(text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text) - LONGEST:,} more characters)"
