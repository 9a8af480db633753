"""Where to cut a refused proof open, so that a sampler writes only what Lean did not take.

A hole is always a place for tactics. It takes the step that the root cause stands in, or follows the last step of a
block that leaves goals; where Lean points at a term, a `by` is put before it. Nothing of the statement, or of what
stands before it, is ever cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pythagoras.corpus.records import Formalisation, Judgement, Remark, statement_of
from pythagoras.errors import InputError
from pythagoras.evaluate.running.steps import Block, Step, blocks, steps
from pythagoras.generate.sampler import Hole
from pythagoras.lean.diagnostics import ErrorClass, classify, diagnose
from pythagoras.lean.signatures import commands
from pythagoras.lean.submission import Assembly, lean_block, prepare
from pythagoras.lean.tokens import TOP_LEVEL, Sort, tokens
from pythagoras.lean.verdict import Outcome, Policy
from pythagoras.lean.wire import Answer, Message, Position

LONGEST_PROOF = 100_000
"""Characters of a text that is cut open."""
_MOST_ERRORS = 50
"""Errors that the root cause is looked for among; it is one of the first."""
_UNPARSED = re.compile(r"unexpected\b|expected (?!type|struct)|unterminated|unknown tactic", re.IGNORECASE)
_UNFINISHED = frozenset([":=", *":+-/^=≠≤<>≥∧∨→↔∣,([{⟨|"])
"""Signs that no step ends with."""
_BEFORE_TERM = frozenset([":=", "=>", "<|", *"([{⟨,"])
_STATING = frozenset({"have", "suffices", "let", "obtain"})
_OPENS = re.compile(r"(?:\bby|\bwith|\bdo|:=|=>|<;>|[(\[{⟨,])\s*$")
_BY = re.compile(r"\s*by(?![\w'.!?])[ \t]*\n?")
_ANY = Policy(gate=False, answers=True)


def hole(judgement: Judgement, goal: Formalisation) -> Hole | None:
    """The refused proof without what Lean did not take; None where there is no such place in the proof.

    Where Lean was stopped by its clock it names no place: then there is one only if the proof is a single step.
    """
    text = judgement.checked
    if not text or len(text) > LONGEST_PROOF or (start := _proof_start(text, goal)) is None:
        return None
    found = blocks(text, start)
    errors = [remark for remark in judgement.remarks if remark.severity == "error"][:_MOST_ERRORS]
    if not errors:
        only = list(steps(found))
        return _cut(text, only[0]) if judgement.outcome == Outcome.TIMEOUT.value and len(only) == 1 else None
    root = _root(errors, text, start)
    at = _place(text, root.line, root.column)
    if at < start:
        return None
    end = at if root.end_line is None or root.end_column is None else _place(text, root.end_line, root.end_column)
    if _UNPARSED.match(root.text):
        return _unparsed(text, start, at, found, errors)
    if _is_unsolved(root) and (block := _left_open(text, at, found)) is not None:
        return _behind(text, min(block.end, end) if end > at else block.end, block.column)
    step = _around(at, found)
    if step is None:
        whole = (block.end for block in found if block.opener.start == at)
        return _term(text, at, max(_argument_end(text, at, end), next(whole, 0)))
    return _inside(text, at, step)


def filled(hole: Hole, text: str) -> str:
    """The proof with its hole filled: a submission like any other. Lines are indented to where the hole stands.

    Fences around a filling, and a `by` before it, are taken away; lines may be indented from the hole or from the left.
    """
    column = len(hole.before) - (hole.before.rfind("\n") + 1)
    lean = lean_block(text.replace("\r\n", "\n")).rstrip()
    tactics = lean[match.end() :] if (match := _BY.match(lean)) else lean
    first, *rest = tactics.lstrip("\n").split("\n")
    levels = [_indent(line) for line in rest if line.strip()]
    level = min(levels, default=0)
    if _indent(first) == 0 and level and not (_OPENS.search(first) and levels[0] == level):
        first = " " * level + first  # it stands where the others stand
    shift = column - min(_indent(first), level if levels else _indent(first))
    moved = [line if not line.strip() else " " * max(0, _indent(line) + shift) + line.lstrip(" ") for line in rest]
    return hole.before + "\n".join([first.strip(" "), *moved]) + hole.behind


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


# --- what went wrong, and where ------------------------------------------------------------------


def _proof_start(text: str, goal: Formalisation) -> int | None:
    """Where the proof begins in a text that was checked; None for one that was not made for this goal."""
    try:
        prepared = prepare(statement_of(goal), text, _ANY)
    except InputError:
        return None
    return prepared.proof_start if isinstance(prepared, Assembly) and prepared.text == text else None


def _root(errors: Sequence[Remark], text: str, start: int) -> Remark:
    """The root cause; of goals that are left where Lean stopped to parse, what it could not parse."""
    before = text[:start]
    position = Position(line=before.count("\n") + 1, column=len(before) - (before.rfind("\n") + 1))
    diagnosis = diagnose(Answer(messages=tuple(map(_message, errors))), text, position)
    found = diagnosis.root
    root = next(
        (one for one in errors if found and (one.line, one.column, one.text.strip()) == (*_at(found.pos), found.text)),
        errors[0],
    )
    if _is_unsolved(root):
        unparsed = (one for one in errors if _UNPARSED.match(one.text))
        later = (one for one in unparsed if (one.line, one.column) >= (root.end_line or 0, root.end_column or 0))
        root = next(later, root)
    return root


def _at(position: Position) -> tuple[int, int]:
    return position.line, position.column


def _message(remark: Remark) -> Message:
    end = None
    if remark.end_line is not None and remark.end_column is not None:
        end = Position(line=remark.end_line, column=remark.end_column)
    return Message(
        severity="error", pos=Position(line=remark.line, column=remark.column), end_pos=end, data=remark.text
    )


def _is_unsolved(remark: Remark) -> bool:
    return classify(_message(remark)).error is ErrorClass.UNSOLVED_GOALS


def _place(text: str, line: int, column: int) -> int:
    """Lean's position (columns are code points, as Python's) as an index; one outside is the nearest inside."""
    lines = text.split("\n")
    row = min(max(line - 1, 0), len(lines) - 1)
    return sum(len(before) + 1 for before in lines[:row]) + min(max(column, 0), len(lines[row]))


def _argument_end(text: str, at: int, end: int) -> int:
    """Where a term ends that Lean points at; one that begins what is in brackets, or behind a sign, goes on to its end.

    An unknown function takes its arguments along: by itself it has no type that could be asked for.
    """
    line = tokens(text)
    here = next((index for index, token in enumerate(line) if token.end > at), None)
    if here is None:
        return len(text)
    end = max(end, line[here].end)
    if line[here - 1].text not in _BEFORE_TERM:
        return end
    for token in line[here + 1 :]:
        leaves = token.depth < line[here].depth or (token.depth == line[here].depth and token.text in (",", "|"))
        if leaves or (token.first and token.column == 0 and token.text in TOP_LEVEL):
            break
        end = max(end, token.end)
    return end


# --- cutting -------------------------------------------------------------------------------------


def _cut(text: str, step: Step) -> Hole:
    return Hole(text[: step.start], text[step.end :])


def _behind(text: str, end: int, column: int) -> Hole:
    """An empty hole on a line of its own behind `end`."""
    return Hole(f"{text[:end].rstrip()}\n{' ' * column}", text[end:])


def _term(text: str, start: int, end: int) -> Hole:
    return Hole(f"{text[:start]}(by ", f"){text[end:]}")


def _left_open(text: str, at: int, found: Sequence[Block]) -> Block | None:
    """The block that Lean means when it reports goals at its first sign: `by`, a bullet, an arrow, `case`, `}`."""
    if text.startswith("}", at):
        closed = [block for block in found if block.opener.text == "{" and block.end <= at]
        return max(closed, key=lambda block: block.opener.start, default=None)
    if text.startswith("case", at):
        return next((block for block in found if block.opener.start > at and block.opener.text == "=>"), None)
    return next((block for block in found if block.opener.start == at), None)


def _around(at: int, found: Sequence[Block]) -> Step | None:
    """The innermost step around a place."""
    around = [step for step in steps(found) if step.start <= at < step.end or step.start < at == step.end]
    return max(around, key=lambda step: (at < step.end, step.start), default=None)


def _inside(text: str, at: int, step: Step) -> Hole:
    """The step, or of one that states a type, or of a calculation's, the proof behind its `:=`."""
    line = [token for token in step.tokens if token.depth == step.depth]
    given = [token for token in line if token.text == ":=" and token.end <= at]
    if not given:
        return _cut(text, step)
    said = [token.text for token in line if token.start < given[-1].start]
    chain = "calc" in said
    if not chain and not (said[0] in _STATING and ":" in said):
        return _cut(text, step)
    term = [token for token in step.tokens if token.start >= given[-1].end]
    later = [token.start for token in term if chain and token.first and token.text == "_"]
    end = max(token.end for token in term if not later or token.start < later[0])
    return Hole(f"{text[: term[0].start]}by ", text[end:])


def _unparsed(text: str, start: int, at: int, found: Sequence[Block], errors: Sequence[Remark]) -> Hole | None:
    """Where Lean could not parse: an empty block, a step without an end, the step itself, or what follows the proof."""
    here = max((command for command in commands(text) if command.start <= at), key=lambda one: one.start, default=None)
    ours = here is not None and here.start <= start < here.end
    before = [token for token in tokens(text) if start <= token.start and token.end <= at]
    for block in found:
        if not block.steps and before and block.opener.start == before[-1].start:
            return _behind(text, block.opener.end, block.column)
    inner = [step for step in steps(found) if step.end <= at]
    if unclosed := next((step.end for step in inner if step.unclosed), None):
        return _cut(text, max((step for step in inner if step.end == unclosed), key=lambda step: step.start))
    if before and before[-1].sort is Sort.SIGN and before[-1].text in _UNFINISHED:
        ends = [step for step in inner if step.end == before[-1].end]
        if ends:
            return _cut(text, max(ends, key=lambda step: step.start))
    if (step := _around(at, found)) is not None:
        return _cut(text, step)
    if not inner or here is None or not ours:
        return None
    rest = text[here.end :]
    for error in errors:
        opened = _left_open(text, _place(text, error.line, error.column), found) if _is_unsolved(error) else None
        if opened is not None and not text[opened.end : at].strip():
            return Hole(_behind(text, opened.end, opened.column).before, rest)
    last = max(inner, key=lambda step: (step.end, step.start))
    return Hole(text[: last.start], rest)
