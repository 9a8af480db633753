"""What a model reads and writes, between text and tokens: prompts of a family, and completions up to the proof's end.

A chat ends by the token that ends a turn. A raw text is watched, as it may go on behind the proof (`generate.raw`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.corpus.prompts import Rendered
from pythagoras.errors import InputError
from pythagoras.generate.raw import begun, completed, proof_end
from pythagoras.llm.chat import Message
from pythagoras.llm.decoding.texts import prompt_tokens, text_of

_TOP = re.compile(r"\n(?=\S)")


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
        self._pieces: dict[int, tuple[bool, bool, bool, bool]] = {}

    @property
    def is_chat(self) -> bool:
        return self._family.is_chat

    @property
    def begun(self) -> bool:
        """Whether prompts end inside of the proof."""
        return not self.is_chat and begun(self._family.ends)

    def tokens(self, prompt: tuple[Message, ...] | str) -> tuple[int, ...]:
        """A prompt of the family as tokens."""
        if not isinstance(prompt, str) and not self._tokenizer.chat_template:
            prompt = prompts.sequence(Rendered(prompt, ""))[0]
        return prompt_tokens(self._tokenizer, prompt, marked=self._marked)

    def text(self, prompt: tuple[Message, ...] | str, tokens: tuple[int, ...]) -> str:
        """A completion as a judge reads it: without what follows the proof, in the block that the prompt opened."""
        written = text_of(self._tokenizer, tokens)
        return completed(prompt, written) if isinstance(prompt, str) else written

    def watch(self) -> Callable[[int], bool]:
        """For a raw completion: is told its tokens one after the other, and says at which the proof is over."""
        tokens: list[int] = []
        at_start, looking = not self.begun, False

        def ends(token: int) -> bool:
            nonlocal at_start, looking
            tokens.append(token)
            begins, breaks, has_line_end, stops = self._piece(token)
            looked_at = looking or breaks or (at_start and begins)
            looking = breaks or (looked_at and not has_line_end)  # up to the end of a line that begins at the left
            at_start = stops
            return looked_at and proof_end(text_of(self._tokenizer, tokens), begun=self.begun, partial=True) is not None

        return ends

    def _piece(self, token: int) -> tuple[bool, bool, bool, bool]:
        """Whether a token begins with something visible, has that at the start of a line, has a line's end, is one."""
        if token not in self._pieces:
            text = text_of(self._tokenizer, [token])
            begins = bool(text) and not text[0].isspace()
            self._pieces[token] = begins, _TOP.search(text) is not None, "\n" in text, text.endswith("\n")
        return self._pieces[token]
