"""Where the tactics of a proof stand, by Lean's own parser, so that each character belongs to one of them at most.

Tactics stand inside each other: `have h : p := by simp`, `· omega`, `induction n with`. One rule tells them apart: a
character belongs to the innermost tactic around it. What is a tactic's own is cut wherever another one interrupts it,
and each stretch is without blanks at its ends. So of `have h : p := by simp` the stretches are `have h : p := by` and
`simp`; of an induction its head, every `| succ n ih =>` and every tactic behind that.

What is left is structure: the proof's own `by`, indents and new lines, separators. A proof without tactics is a term,
and one stretch, but for the tactics inside of it.

Lean only parses: with a single heartbeat it gives up on every proof as soon as it begins to elaborate it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pythagoras.errors import HostError
from pythagoras.lean.pool import Check, Checker
from pythagoras.lean.tokens import tokens
from pythagoras.lean.wire import Answer, Limits, Position, Span, Stretch

_BEFORE = "theorem goal : True :=\n"
_WORDS_BEFORE = len(tokens(_BEFORE))
_LIMITS = Limits(heartbeats=1, timeout_s=60)


def stretches_of(text: str, spans: Sequence[Span | Stretch]) -> tuple[Stretch, ...]:
    """The stretches of a text, in order, by the spans of its tactics, parents before children."""
    owners: list[int | None] = [None] * len(text)
    for number, span in enumerate(spans):
        owners[span.start : span.end] = [number] * (span.end - span.start)
    found: list[Stretch] = []
    begun = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or owners[at] != owners[begun]:
            written = text[begun:at]
            if owners[begun] is not None and written.strip():
                start = begun + len(written) - len(written.lstrip())
                found.append(Stretch(start=start, end=start + len(written.strip())))
            begun = at
    return tuple(found)


def parsed_proofs(proofs: Iterable[str], checker: Checker, header: str) -> Iterator[tuple[Stretch, ...] | None]:
    """For each proof, in order, its stretches; None where Lean can't read it to its end. Raises HostError."""
    for checked in checker.check(Check(_BEFORE + proof, header, _LIMITS, spans=True) for proof in proofs):
        if checked.answer is None:
            raise HostError(checked.failure or "Lean did not say where the tactics of a proof stand")
        yield _stretches(checked.check.code, checked.answer)


def _stretches(code: str, answer: Answer) -> tuple[Stretch, ...] | None:
    if len(answer.commands) != 1 or tokens(_behind(code, answer.commands[0].end_pos)):
        return None
    found = stretches_of(code, [*_term(code), *answer.spans])
    return tuple(Stretch(start=one.start - len(_BEFORE), end=one.end - len(_BEFORE)) for one in found) or None


def _term(code: str) -> tuple[Stretch, ...]:
    """A proof that is a term, from its first word to its last; nothing where it is `by` and tactics."""
    words = tokens(code)[_WORDS_BEFORE:]
    return (Stretch(start=words[0].start, end=words[-1].end),) if words and words[0].text != "by" else ()


def _behind(code: str, place: Position) -> str:
    lines = code.split("\n")
    return "\n".join([lines[place.line - 1][place.column :], *lines[place.line :]])
