"""The tactic blocks of a proof and their steps, read off its layout, without Lean.

For cutting one step out of a proof that Lean has refused, perhaps because it could not even parse it; so columns count
for more than brackets. What stands inside terms, `conv` blocks and `first | ...` is not taken apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from pythagoras.lean.tokens import TOP_LEVEL, Token, tokens

_BULLETS = frozenset({"·", "."})
_BRACKETS = frozenset({"(", "{"})
_CLOSING = frozenset(")]}⦄⟩⟫⌋⌉⟧›")
_GOES_ON = _CLOSING | {"|", "<", ";", ":=", "with", "at", "using", "generalizing", "else", "then"}
"""What may begin a line in the column of the steps and is none."""
_CASES = frozenset({"case", "case'", "next"})
_ALTERNATIVES = frozenset({"induction", "cases", "match", "fun_induction", "fun_cases"})
_BINDERS = frozenset({"fun", "λ"})
_STATING = frozenset({"have", "let", "show", "suffices", "obtain", "set", "generalize", "change"}) | _ALTERNATIVES
_DEEPEST = 100
_LONGEST_PATTERN = 200
"""Blocks inside each other, and tokens before an arrow; nobody's proof has more."""


@dataclass(slots=True)
class Step:
    """One tactic with all that belongs to it."""

    tokens: list[Token]
    column: int
    """Where the steps of its block stand."""
    depth: int
    unclosed: bool = False
    """The next step begins although a bracket is still open."""

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end


@dataclass(slots=True)
class Block:
    """The steps behind a `by`, a bullet, an arrow or a bracket; none where a block is due and nothing is indented."""

    opener: Token
    column: int
    steps: list[Step] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.steps[-1].end if self.steps else self.opener.end


def blocks(text: str, start: int) -> list[Block]:
    """All tactic blocks of a text from `start` on, outer ones before those inside them."""
    return _Walk([token for token in tokens(text) if token.start >= start]).found


def steps(found: Sequence[Block]) -> Iterator[Step]:
    for block in found:
        yield from block.steps


class _Walk:
    def __init__(self, line: Sequence[Token]) -> None:
        self.found: list[Block] = []
        self._open: list[Block] = []
        self._due: Token | None = None  # opens a block that has not begun
        self._anew = False  # the token before it separates steps
        for index, token in enumerate(line):
            self._close(token)
            self._take(token, line[index - 1] if index else None)
        self._begin_empty()

    def _close(self, token: Token) -> None:
        """End the blocks that a token is outside of."""
        outermost = token.first and token.column == 0 and token.text in TOP_LEVEL
        if self._due and self._open and token.first and token.column <= self._open[-1].column:
            self._begin_empty()
        while self._open:
            block = self._open[-1]
            depth = block.steps[0].depth
            left = token.first and token.column < block.column
            behind = token.depth == depth > 0 and _follows(token, block.steps[-1])
            if not (left or outermost or behind or token.depth < depth):
                return
            self._open.pop()
        if outermost:
            self._begin_empty()

    def _take(self, token: Token, before: Token | None) -> None:
        if self._due:
            block = Block(self._due, token.column)
            self.found.append(block)
            self._open.append(block)
            self._due = None
            self._step(block, token)
        elif self._open:
            block = self._open[-1]
            own_line = token.first and token.column == block.column and token.text not in _GOES_ON
            if own_line or (self._anew and token.text != ">"):
                block.steps[-1].unclosed = own_line and token.depth > block.steps[-1].depth
                self._step(block, token)
            elif token.text == ";" and token.depth == block.steps[-1].depth:
                self._anew = True
                if before and before.text == "<" and len(block.steps[-1].tokens) > 1:  # of `<;>`
                    for around in self._open:
                        around.steps[-1].tokens.pop()
                self._extend(token, but=block)
            else:
                self._extend(token, but=block if self._anew else None)
        if self._opens(token):
            self._due = token

    def _step(self, block: Block, token: Token) -> None:
        self._extend(token, but=block)
        block.steps.append(Step([token], block.column, token.depth))
        self._anew = False

    def _extend(self, token: Token, but: Block | None) -> None:
        for around in self._open:
            if around is not but:
                around.steps[-1].tokens.append(token)

    def _opens(self, token: Token) -> bool:
        if len(self._open) == _DEEPEST:
            return False
        if token.text == "by":
            return True
        if not self._open:
            return False
        step = self._open[-1].steps[-1]
        if token is step.tokens[0]:
            return token.text in _BULLETS or token.text in _BRACKETS
        return token.text == "=>" and _leads_to_tactics(step, token)

    def _begin_empty(self) -> None:
        if self._due:
            self.found.append(Block(self._due, (self._open[-1].column if self._open else 0) + 2))
            self._due = None


def _follows(token: Token, step: Step) -> bool:
    """Whether a token in brackets stands behind the tactics there: `⟨by simp, h⟩`, `(by simp : p)`."""
    return token.text == "," or (token.text == ":" and step.tokens[0].text not in _STATING)


def _leads_to_tactics(step: Step, arrow: Token) -> bool:
    """Whether tactics follow an arrow: that of a case or of a tactic's alternatives, not that of a function."""
    for token in islice(reversed(step.tokens), _LONGEST_PATTERN):
        if token.depth != arrow.depth:
            continue
        if token.text in _CASES:
            return True
        if token.text in _BINDERS:
            return False
        if token.text == "|":
            return step.tokens[0].text in _ALTERNATIVES
    return False
