"""Raw prompts, which a model goes on with: what they leave open, and where the proof that it writes is over.

A chat ends by the token that ends a turn. A raw text may go on with the next theorem: the proof is over where a command
begins in the first column of a line, or a block of code ends, behind the proof's own beginning and outside of comments.
What else stands in the first column may be part of a proof (`| zero => rfl`), and so it is left to Lean.
"""

from __future__ import annotations

import re

from pythagoras.lean import lexical
from pythagoras.lean.lexical import Kind
from pythagoras.lean.signatures import MODIFIERS
from pythagoras.lean.tokens import TOP_LEVEL

FENCE = "```"
_FENCE = re.compile(f"^{FENCE}", re.MULTILINE)
_WORDS = "|".join(sorted(word for word in TOP_LEVEL | MODIFIERS if word.isidentifier()))
_NEXT = re.compile(
    rf"\n(?:(?:{_WORDS})(?![\w.'!?])|(?:open|set_option)\b(?![^\n]*\bin\b)[^\n]*\n|@\[|#[a-z]|/-[-!]|{FENCE})"
)
"""What begins a command, or ends a block. `open` and `set_option` with `in` may begin a tactic."""
_COMMENTS = frozenset({Kind.COMMENT, Kind.DOC_COMMENT})


def begun(prompt: str) -> bool:
    """Whether a raw prompt ends inside of the proof."""
    return not prompt.endswith("\n")


def completed(prompt: str, written: str) -> str:
    """A completion as a judge reads it: without what follows the proof, in the block that the prompt opened."""
    end = proof_end(written, begun=begun(prompt))
    return open_block(prompt) + (written if end is None else written[:end])


def open_block(prompt: str) -> str:
    """The block of code that a raw prompt leaves open: what the model wrote goes on inside, and closes it."""
    fences = [fence.start() for fence in _FENCE.finditer(prompt)]
    return prompt[fences[-1] :] if len(fences) % 2 else ""


def proof_end(text: str, *, begun: bool = False, partial: bool = False) -> int | None:
    """Where a proof body ends that something else follows; `begun` is a text that goes on inside of the proof.

    Before the proof there may be comments, in whatever column their lines are. A `partial` text is still being
    written, so that its last word may be the beginning of another one.
    """
    pieces = lexical.read(text).pieces
    start = 0 if begun else _first_word(text, pieces)
    inside = [range(piece.start + 1, piece.end) for piece in pieces if piece.kind is not Kind.CODE]
    for found in _NEXT.finditer(text, start):
        if not any(found.start() + 1 in stretch for stretch in inside) and not (partial and found.end() == len(text)):
            return found.start()
    return None


def _first_word(text: str, pieces: tuple[lexical.Piece, ...]) -> int:
    """Where the first thing stands that is no comment."""
    for piece in pieces:
        stretch = text[piece.start : piece.end]
        if piece.kind not in _COMMENTS and stretch.strip():
            return piece.start + len(stretch) - len(stretch.lstrip())
    return len(text)
