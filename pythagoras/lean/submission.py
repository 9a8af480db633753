"""What a model wrote, made into what Lean is asked: our statement, its proof.

A submission is a chat completion (the last Lean block counts), a file, or a proof body. Its own version of the
statement is thrown away and ours put in its place; what it declares before and behind stays, so that auxiliary lemmas
work. It can change nothing by that: the last rungs of the verdict compare the theorem with what our statement is by
itself.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from functools import lru_cache

from pythagoras.lean import lexical, signatures
from pythagoras.lean.gate import gate, uses_sorry
from pythagoras.lean.imports import split_imports
from pythagoras.lean.statements import Statement
from pythagoras.lean.verdict import Policy, Reason, Refusal, Rung

LONGEST = 200_000
"""Characters of Lean that are judged. What is longer is not even read: no proof is, and Lean would take for ever."""
_KEPT = 128
"""Submissions that are known by heart: an attempt's is read when it is written down, and again when it is judged."""
_FENCE = re.compile(r"^[ \t]*+(`{3,}+)[ \t]*+([\w+-]*+)[^\n`]*+$", re.MULTILINE)  # possessive: in one go
_BLANK = re.compile(r"(?:\s+|--[^\n]*)*+")
_LEAN_TAGS = frozenset({"lean", "lean4"})
_TERM_START = re.compile(r"(?:fun\b|λ|⟨|@|[^\W\d][\w']*\.[^\W\d])")  # no tactic's name has a dot
_COMMAND_START = re.compile(r"(?:theorem|lemma|def|abbrev|instance|example|open|namespace|section|import|set_option)\b")
_BODY_START = re.compile(r"by\b")
_DECLARATIONS = frozenset({"def", "abbrev", "theorem", "lemma", "structure", "inductive", "class", "instance"})
_ALTERNATIVES_INSIDE = frozenset({"match", "fun", "λ", "nomatch"})


@dataclass(frozen=True, slots=True)
class Assembly:
    """What Lean is asked about a submission, on top of the statement's header."""

    text: str
    name: str
    """Full name of the target in it: a file may have it in a namespace."""
    proof_start: int
    """Where the proof begins in it; what stands before the statement came from the submission or our context."""
    paper_rule: bool
    """The textual half of the paper's rule: the statement stands in the submission verbatim, and no `sorry` does."""


def lean_block(completion: str, name: str = "") -> str:
    """The Lean in a completion: its last Lean block (or the last block that says no language), or all of it.

    Blocks that have the theorem of that name go before those that have not. One that is never closed goes to the end.
    """
    blocks = _blocks(completion)
    stated = re.compile(rf"\b(?:theorem|lemma)\s+(?:\w+\.)*{re.escape(name.rpartition('.')[2])}(?![\w'.])")
    for wanted in (_LEAN_TAGS, frozenset({""})):
        found = [text for language, text in blocks if language in wanted]
        with_theorem = [text for text in found if name and stated.search(text)]
        if found:
            return (with_theorem or found)[-1].strip("\n") + "\n"
    return completion


def _blocks(completion: str) -> list[tuple[str, str]]:
    """Language and text of each block between fences."""
    blocks: list[tuple[str, str]] = []
    opened: tuple[str, str, int] | None = None  # marks, language, where the block begins
    for fence in _fences(completion):
        marks, language = fence[1], fence[2].lower()
        if opened is None:
            opened = marks, language, fence.end()
        elif not language and len(marks) >= len(opened[0]):
            blocks.append((opened[1], completion[opened[2] : fence.start()]))
            opened = None
    if opened is not None:
        blocks.append((opened[1], completion[opened[2] :]))
    return blocks


def _fences(text: str) -> list[re.Match[str]]:
    """The fences of a text, but not those in comments of one that is Lean throughout, such as docstrings."""
    found = list(_FENCE.finditer(text))
    if not found or len(text) > LONGEST or not _COMMAND_START.match(text, _behind_comments(text)):
        return found
    reading = lexical.read(text)
    starts = [piece.start for piece in reading.pieces]
    return [
        fence for fence in found if reading.pieces[bisect.bisect(starts, fence.start()) - 1].kind is lexical.Kind.CODE
    ]


def _behind_comments(text: str) -> int:
    """Where the first word stands."""
    at = 0
    while found := _BLANK.match(text, at):
        at = found.end()
        if not text.startswith("/-", at):
            break
        at, _ = lexical.block_end(text, at)
    return at


def prepare(statement: Statement, text: str, policy: Policy) -> Assembly | Refusal:
    """The first two rungs: what Lean is asked, or why it is not asked at all."""
    written = read(statement, text)
    if written.too_long:
        size = f"{len(written.block):,} characters of Lean, and {LONGEST:,} are judged"
        return Refusal(Rung.LEXICAL, Reason.TOO_LONG, size)
    if policy.gate and (refusal := gate(written.block, policy)) is not None:
        return refusal
    if statement.answers and not policy.answers:
        return Refusal(Rung.ASSEMBLED, Reason.OPEN_ANSWER, ", ".join(statement.answers))
    before, proof = written.before, written.proof
    if _is_empty(proof):
        return Refusal(Rung.ASSEMBLED, Reason.NO_PROOF, statement.name)
    opening = _joined(statement.context, before) + statement.text.rstrip() + " "
    return Assembly(
        text=opening + proof,
        name=_name_in(opening, statement),
        proof_start=len(opening),
        paper_rule=written.paper_rule,
    )


@dataclass(frozen=True, slots=True)
class Written:
    """What a completion has for a statement."""

    block: str
    """The Lean in it."""
    before: str | None
    """What stands before the target in a file; None before a proof body alone."""
    proof: str
    paper_rule: bool
    """The textual half of the paper's rule: the statement stands in it verbatim, be it in a comment, and no `sorry`.
    A proof body alone is put behind the statement, as the paper does. False for what is too long to be read."""

    @property
    def too_long(self) -> bool:
        return len(self.block) > LONGEST


@lru_cache(maxsize=_KEPT)
def read(statement: Statement, text: str) -> Written:
    """Take a completion apart."""
    text = text.encode(errors="replace").decode()  # as Lean will get it: half characters can't be sent
    block = lean_block(text, statement.name)
    if len(block) > LONGEST:
        return Written(block, None, "", False)
    _, code = split_imports(block)
    before, proof = _parts(statement, code)
    verbatim = before is None or _squeezed(statement.text) in _squeezed(text)
    return Written(block, before, proof, verbatim and not uses_sorry(code))


def _is_empty(proof: str) -> bool:
    """Nothing but comments, and perhaps the words that a proof begins with."""
    return not lexical.read(proof).code.strip().removeprefix(":=").strip().removeprefix("by").strip()


def _parts(statement: Statement, code: str) -> tuple[str | None, str]:
    """What stands before the target in a file, and its proof with all that follows. None before a proof body alone."""
    names = {statement.name, _written_name(statement)}
    for command in reversed(signatures.commands(code)):
        if command.word in signatures.THEOREMS and names & {command.name, command.written_name}:
            start, proof = _own_start(command), _proof_start(command)
            return code[:start], code[proof:] if proof is not None else ""
    bare = lexical.read(code).code.strip()
    if _COMMAND_START.match(bare):  # a file, without the target
        return "", ""
    return None, _body(code, bare)


def _name_in(opening: str, statement: Statement) -> str:
    """The target's full name behind all that stands before it: a file may have it in a namespace."""
    return signatures.commands(opening)[-1].name or statement.name


def _own_start(command: signatures.Command) -> int:
    """Where the theorem itself begins, modifiers included: `open ... in` and `set_option ... in` before it stay."""
    before = command.tokens[: command.keyword]
    own = max((index + 1 for index, token in enumerate(before) if token.text == "in" and token.depth == 0), default=0)
    return command.tokens[own].start


def _proof_start(command: signatures.Command) -> int | None:
    """Where a theorem's type ends and its proof begins: at `:=`, at the first `| pattern =>`, or at `where`."""
    line = command.tokens[command.keyword :]
    colon = next((index for index, token in enumerate(line) if token.text == ":" and token.depth == line[0].depth), 0)
    body = line[colon + 1 :]
    value = signatures.value_of(body)
    outer = [token for token in body[:value] if token.depth == line[0].depth]
    last_arrow = max((index for index, token in enumerate(outer) if token.text == "=>"), default=-1)
    for index, token in enumerate(outer):
        if token.text in _ALTERNATIVES_INSIDE:
            break
        if token.text == "where" or (token.text == "|" and token.first and index < last_arrow):
            return token.start
    return body[value].start if value < len(body) else None


def _written_name(statement: Statement) -> str:
    return signatures.commands(statement.text)[-1].written_name or statement.name


def _body(code: str, bare: str) -> str:
    """A proof body as it follows a statement: a term behind `:=`, `by` and tactics, or tactics alone."""
    if bare.startswith(":="):
        return code.strip()
    if _BODY_START.match(bare) or _TERM_START.match(bare):
        return f":=\n{code}"
    return f":= by\n{_indented(code)}"


def _indented(tactics: str) -> str:
    """Tactics two columns in; a first line that continued a `by` may stand further left or right than the others."""
    lines = tactics.strip("\n").split("\n")
    rest = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    first = len(lines[0]) - len(lines[0].lstrip())
    if rest and min(rest) != first and first == 0:
        lines[0] = " " * min(rest) + lines[0]
    return "\n".join(f"  {line}" if line.strip() else line for line in lines) + "\n"


def _joined(context: str, before: str | None) -> str:
    """Our context and what a file brings: commands that the file repeats, or has its own of, are not said twice."""
    if before is None or not before.strip():
        return _ended(context)
    theirs = signatures.commands(before)
    said = {_squeezed(before[command.start : command.end]) for command in theirs}
    declared = {command.name for command in theirs if command.word in _DECLARATIONS}
    ours = (
        context[command.start : command.end]
        for command in signatures.commands(context)
        if _squeezed(context[command.start : command.end]) not in said
        and not (command.word in _DECLARATIONS and command.name is not None and command.name in declared)
    )
    return _ended("\n\n".join(ours)) + before


def _ended(text: str) -> str:
    return f"{text.rstrip()}\n\n" if text.strip() else ""


def _squeezed(text: str) -> str:
    return " ".join(text.split())
