"""What a model reads and writes, between text and tokens: prompts of a family, and completions up to the proof's end.

A chat ends by the token that ends a turn. A raw text may go on with the next theorem, so it is watched: the proof is
over where something begins in the first column of a line, behind the proof's own beginning and outside of comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.corpus.prompts import Rendered
from pythagoras.errors import InputError
from pythagoras.generate.endpoint import open_block
from pythagoras.lean import lexical
from pythagoras.lean.lexical import Kind
from pythagoras.llm.chat import Message
from pythagoras.llm.decoding.texts import prompt_tokens, text_of

_TOP = re.compile(r"\n(?=\S)")
_COMMENTS = frozenset({Kind.COMMENT, Kind.DOC_COMMENT})


class Texts:
    """One tokenizer, and one family of prompts."""

    def __init__(self, tokenizer: Any, family: str, *, marked: bool = True) -> None:
        """Raw text begins with the tokenizer's mark, or not; a model that knows it without knows ChatML, too."""
        self._tokenizer = tokenizer
        self._family = prompts.prompt(family)
        self._marked = marked
        if self._family.is_chat and not tokenizer.chat_template and marked:
            raw = " or ".join(prompts.names(chat=False))
            raise InputError(f"the model has no chat template, and the prompt {family!r} is a chat: choose {raw}")
        self._pieces: dict[int, tuple[bool, bool, bool]] = {}

    @property
    def is_chat(self) -> bool:
        return self._family.is_chat

    @property
    def begun(self) -> bool:
        """Whether prompts end inside of the proof."""
        return not self.is_chat and not self._family.ends.endswith("\n")

    def tokens(self, prompt: tuple[Message, ...] | str) -> tuple[int, ...]:
        """A prompt of the family as tokens."""
        if not isinstance(prompt, str) and not self._tokenizer.chat_template:
            prompt = prompts.sequence(Rendered(prompt, ""))[0]
        return prompt_tokens(self._tokenizer, prompt, marked=self._marked)

    def text(self, prompt: tuple[Message, ...] | str, tokens: tuple[int, ...]) -> str:
        """A completion as a judge reads it: without what follows the proof, in the block that the prompt opened."""
        written = text_of(self._tokenizer, tokens)
        if not isinstance(prompt, str):
            return written
        end = proof_end(written, begun=self.begun)
        return open_block(prompt) + (written if end is None else written[:end])

    def watch(self) -> Callable[[int], bool]:
        """For a raw completion: is told its tokens one after the other, and says at which the proof is over."""
        tokens: list[int] = []
        at_start = not self.begun

        def ends(token: int) -> bool:
            nonlocal at_start
            tokens.append(token)
            begins, breaks, stops = self._piece(token)
            looked_at = breaks or (at_start and begins)
            at_start = stops
            return looked_at and proof_end(text_of(self._tokenizer, tokens), begun=self.begun) is not None

        return ends

    def _piece(self, token: int) -> tuple[bool, bool, bool]:
        """Whether a token begins with something visible, has that at the start of a line, ends at one."""
        if token not in self._pieces:
            text = text_of(self._tokenizer, [token])
            begins = bool(text) and not text[0].isspace()
            self._pieces[token] = begins, _TOP.search(text) is not None, text.endswith("\n")
        return self._pieces[token]


def proof_end(text: str, *, begun: bool = False) -> int | None:
    """Where a proof body ends that something else follows; `begun` is a text that goes on inside of the proof.

    Before the proof there may be comments, in whatever column their lines are.
    """
    pieces = lexical.read(text).pieces
    start = 0 if begun else _first_word(text, pieces)
    inside = [range(piece.start + 1, piece.end) for piece in pieces if piece.kind is not Kind.CODE]
    for newline in _TOP.finditer(text, start):
        if not any(newline.end() in stretch for stretch in inside):
            return newline.start()
    return None


def _first_word(text: str, pieces: tuple[lexical.Piece, ...]) -> int:
    """Where the first thing stands that is no comment."""
    for piece in pieces:
        stretch = text[piece.start : piece.end]
        if piece.kind not in _COMMENTS and stretch.strip():
            return piece.start + len(stretch) - len(stretch.lstrip())
    return len(text)
