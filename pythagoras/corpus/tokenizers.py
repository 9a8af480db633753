"""How long a text is to a model: counting and cutting by tokens.

bytes          one token a byte of UTF-8: an upper bound for every tokenizer that works on bytes
lean           one token a word, number or sign: about what a tokenizer trained on Lean makes of it
hf:NAME        a Hugging Face tokenizer, by a folder or the name of a model

The first two need nothing and stand for no model. There is no default: which tokenizer counted is part of every result.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pythagoras.errors import InputError
from pythagoras.lookup import choose

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_LONGEST_WORD = 12
"""Characters of a word that the lexical counter takes for one token."""
_LEXICAL = re.compile(rf"<\|\w+\|>| ?(?:[^\W\d_]{{1,{_LONGEST_WORD}}}|\d|_|[^\w\s])|\n *|\s")
"""Special tokens; words, digits and signs with the blank before them; a new line with its indent; other blanks."""


class TokenCounter(Protocol):
    """Whatever knows a model's tokens."""

    @property
    def name(self) -> str:
        """The setting that opens it."""
        ...

    def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has. Special tokens count where they are written out; none are added."""
        ...

    def cut(self, text: str, tokens: int) -> str:
        """The beginning of the text that its first tokens stand for, as a trainer cuts what it has tokenized."""
        ...


class ByteCounter:
    """Bytes of UTF-8."""

    name = "bytes"

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.encode("utf-8", "replace")) for text in texts]

    def cut(self, text: str, tokens: int) -> str:
        return text.encode("utf-8", "replace")[: max(tokens, 0)].decode("utf-8", "ignore")


class LeanCounter:
    """Words, numbers and signs."""

    name = "lean"

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(_LEXICAL.findall(text)) for text in texts]

    def cut(self, text: str, tokens: int) -> str:
        ends = (found.end() for found in _LEXICAL.finditer(text))
        return text[: max((end for _, end in zip(range(tokens), ends, strict=False)), default=0)]


class HuggingFaceCounter:
    """A Hugging Face tokenizer. It is loaded at the first count, and neither cuts nor pads by itself."""

    def __init__(self, where: str) -> None:
        self._where = where

    @property
    def name(self) -> str:
        return f"hf:{self._where}"

    def count(self, texts: Sequence[str]) -> list[int]:
        encodings = self._tokenizer.encode_batch_fast([_sendable(text) for text in texts], add_special_tokens=False)
        return [len(encoding) for encoding in encodings]

    def cut(self, text: str, tokens: int) -> str:
        offsets = self._tokenizer.encode(_sendable(text), add_special_tokens=False).offsets
        if len(offsets) <= tokens:
            return text
        if tokens <= 0:
            return ""
        # A character of several tokens has the same place in each: none of it stays unless all of it fits.
        return text[: min(offsets[tokens - 1][1], offsets[tokens][0])]

    @functools.cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = _load(self._where)
        tokenizer.no_truncation()  # a file may carry both, and lengths would be those of its settings
        tokenizer.no_padding()
        return tokenizer


def _load(where: str) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise InputError(f"the tokenizer {where!r} needs the package tokenizers: install it with pip") from None
    folder = Path(where).expanduser()
    try:
        if folder.is_dir():
            return Tokenizer.from_file(str(folder / "tokenizer.json"))
        return Tokenizer.from_pretrained(where)  # from the hub, or what was downloaded before
    except Exception as error:  # the library raises bare Exception, and whatever the network has in store
        raise InputError(
            f"there is no tokenizer.json at {where!r} that can be read ({_first_line(error)}): "
            "name a folder that has one (hf:FOLDER) or a model that is downloaded or within reach, or take lean"
        ) from None


def _sendable(text: str) -> str:
    """Half characters can't be handed to the tokenizer; each is replaced, so that places stay the same."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _bytes(where: str) -> TokenCounter:
    return _needs_no_place(ByteCounter(), where)


def _lean(where: str) -> TokenCounter:
    return _needs_no_place(LeanCounter(), where)


def _hugging_face(where: str) -> TokenCounter:
    if not where:
        raise InputError("'hf' does not say which tokenizer: write hf:FOLDER or hf:MODEL, such as hf:Qwen/Qwen3-4B")
    return HuggingFaceCounter(where)


def _needs_no_place(counter: TokenCounter, where: str) -> TokenCounter:
    if where:
        raise InputError(f"the tokenizer {counter.name!r} takes no place ({where!r} was given): write its name alone")
    return counter


TOKENIZERS: dict[str, Callable[[str], TokenCounter]] = {"bytes": _bytes, "lean": _lean, "hf": _hugging_face}
"""Every kind of tokenizer by its name; each takes what stands behind the colon of a setting."""


def open_tokenizer(setting: str) -> TokenCounter:
    """The tokenizer that a setting names: `bytes`, `lean`, `hf:FOLDER` or `hf:MODEL`."""
    name, _, where = setting.strip().partition(":")
    return choose("tokenizer", name, TOKENIZERS)(where)
