"""Between text and tokens, for any tokenizer of transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pythagoras.errors import InputError
from pythagoras.llm.chat import Message


def prompt_tokens(tokenizer: Any, prompt: tuple[Message, ...] | str, *, marked: bool = True) -> tuple[int, ...]:
    """A chat by the tokenizer's template, raw text as it is; `marked` text begins with what marks a beginning, if any.

    Raises InputError for a chat without a template.
    """
    if not isinstance(prompt, str):
        if not tokenizer.chat_template:
            raise InputError("the model has no chat template, so it can't chat: choose another one")
        turns = [message.as_dict() for message in prompt]
        prompt = str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))
        marked = False  # the template wrote them
    sendable = prompt.encode("utf-8", "replace").decode("utf-8")  # no tokenizer takes halves of characters
    return tuple(tokenizer(sendable, add_special_tokens=marked)["input_ids"])


def text_of(tokenizer: Any, tokens: Sequence[int]) -> str:
    """What tokens say, without marks, to the last blank."""
    return str(tokenizer.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False))
