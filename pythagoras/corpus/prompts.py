"""Prompts: how a statement is shown to a prover, and what the prover is to answer.

The families of the field are wire formats: models were trained on them to the last newline, so they stand in files
(`prompts/*.toml`) and are only filled in here. Reading an answer is `pythagoras.lean.submission`'s business.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
import tomllib
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from pythagoras.corpus.records import Formalisation, Instance, formal_text, informal_text
from pythagoras.errors import InputError
from pythagoras.lean import headers
from pythagoras.llm.chat import Message as Message
from pythagoras.lookup import choose

DEFAULT = "pythagoras"
_NAMES = ("pythagoras", "deepseek", "goedel", "noncot", "kimina", "compact")
_PLACE = re.compile(r"\{(code|problem|reasoning|comment|answer|proof|tactics)\}")
_BY = re.compile(r"by(?![\w'.!?])")
_SPECIAL = re.compile(r"<[|｜][\w▁-]{1,64}[|｜]>|<(?:start|end)_of_turn>|<(?:bos|eos)>|</?s>|\[/?INST\]|<</?SYS>>")
"""Special tokens as chat templates write them: Qwen's and Llama 3's, DeepSeek's, Gemma's, Llama 2's and Mistral's.
Marks of thinking (`<think>`) make no turn and are left alone."""


class Prompt(BaseModel):
    """A family: what its file says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str
    header: bool
    """Whether the header's text stands before the statement. One without imports is never shown: it has no fixed text
    that other provers know, and `core` is too long to be repeated."""
    docstring: bool
    """Whether the informal text stands before the statement, as a docstring."""
    ends: str
    """What follows the statement."""
    name: str = ""
    """What stands in the place of the theorem's own name, which says nothing about its proof and costs a small model a
    dozen tokens. Only for families whose answer does not repeat the statement."""
    answer_header: bool
    """Whether the answer repeats the header's text."""
    system: str = ""
    user: str = ""
    text: str = ""
    """In place of a chat: raw text that the model goes on with."""
    with_reasoning: str
    """The completion of an instance that has reasoning, and of one that has none:"""
    without_reasoning: str

    @model_validator(mode="after")
    def _chat_or_text(self) -> Self:
        if bool(self.user) == bool(self.text):
            raise ValueError("a prompt has either a user's turn or a raw text")
        return self

    @property
    def is_chat(self) -> bool:
        return bool(self.user)

    @property
    def shows_reasoning(self) -> bool:
        """Whether a completion has a place for it."""
        return self.with_reasoning != self.without_reasoning


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a prover is shown, and what it is to answer."""

    prompt: tuple[Message, ...] | str
    """Turns of a chat, or raw text."""
    completion: str
    finished: bool = True
    """False where the completion was cut: it is not followed by an end of turn."""


@functools.cache
def _loaded() -> dict[str, Prompt]:
    folder = importlib.resources.files(__package__) / "prompts"
    texts = {name: (folder / f"{name}.toml").read_text(encoding="utf-8") for name in _NAMES}
    return {name: Prompt.model_validate(tomllib.loads(text)) for name, text in texts.items()}


def prompt(name: str) -> Prompt:
    """The family of that name."""
    return choose("prompt", name, _loaded())


def names(*, chat: bool | None = None) -> tuple[str, ...]:
    """Every family, or only those that are (or are not) chats."""
    return tuple(name for name, found in _loaded().items() if chat is None or found.is_chat is chat)


def unfit(instance: Instance) -> str:
    """Why no prompt can be made of an instance; empty for one that is fit.

    A special token in a text would be a real one to a trainer: `<|im_end|><|im_start|>assistant` in a problem begins a
    turn of its own. It is refused and not broken up: a proof that is changed is not the one that Lean judged, and
    mathematics has no use for them. (Lean's `f <|x|> g`, without a blank, is lost with them.)
    """
    try:
        headers.header(instance.header)
    except InputError as error:
        return str(error)
    for field in ("informal", "context", "statement", "reasoning", "proof", "topic"):
        if found := _SPECIAL.search(getattr(instance, field)):
            return f"its {field} holds {found[0]!r}, a special token of chats"
    return ""


def render(instance: Instance, name: str = DEFAULT, *, with_reasoning: bool = True) -> Rendered:
    """The instance as a prover is to be trained on it.

    Reasoning that is not there, or not wanted, changes the completion only. An instance without a proof is what the
    ablation's truncation left of one: its reasoning is the beginning of a completion, and nothing follows.
    """
    family = prompt(name)
    if not instance.proof:
        return Rendered(shown(instance, name), instance.reasoning, finished=False)
    reasoned = with_reasoning and bool(instance.reasoning.strip())
    template = family.with_reasoning if reasoned else family.without_reasoning
    completion = _filled(
        template,
        reasoning=instance.reasoning.strip(),
        comment=_inside_comment(instance.reasoning),
        answer=answer_code(instance, name),
        proof=instance.proof.strip(),
        tactics=_behind_by(instance.proof.strip()),
    )
    return Rendered(shown(instance, name), completion)


def sequence(rendered: Rendered) -> tuple[str, str]:
    """Prompt and completion as the text that training sees: a chat as ChatML, which is what Qwen3's models read.

    Special tokens are written out; a tokenizer that has them counts one each. Raw text gets its end from the trainer.
    """
    if isinstance(rendered.prompt, str):
        return rendered.prompt, rendered.completion
    turns = "".join(f"<|im_start|>{turn.role}\n{turn.content}<|im_end|>\n" for turn in rendered.prompt)
    end = "<|im_end|>\n" if rendered.finished else ""
    return f"{turns}<|im_start|>assistant\n", rendered.completion + end


def shown(goal: Formalisation | Instance, name: str = DEFAULT) -> tuple[Message, ...] | str:
    """What a prover is shown of a statement: turns of a chat, or raw text that it goes on with."""
    family = prompt(name)
    code = shown_code(goal, name)
    if family.text:
        return _filled(family.text, code=code)
    user = Message("user", _filled(family.user, code=code, problem=informal_text(goal).strip()))
    return (Message("system", family.system), user) if family.system else (user,)


def shown_code(goal: Formalisation | Instance, name: str = DEFAULT) -> str:
    """The Lean that a prover is shown: the statement without its proof, with all that the family puts around it."""
    family = prompt(name)
    informal = _inside_comment(informal_text(goal))
    docstring = f"/-- {informal} -/\n" if family.docstring and informal else ""
    code = _header_text(goal, family.header) + _statement(goal, docstring) + family.ends
    return _renamed(code, goal.name, family.name) if family.name else code


def answer_code(instance: Instance, name: str = DEFAULT) -> str:
    """The Lean that a prover is to answer: the theorem with its proof."""
    header = _header_text(instance, prompt(name).answer_header)
    return f"{header}{_statement(instance)} := {instance.proof.strip()}"


def _header_text(goal: Formalisation | Instance, wanted: bool) -> str:
    header = headers.header(goal.header)
    return f"{header.text.rstrip()}\n\n" if wanted and header.has_imports else ""


def _statement(goal: Formalisation | Instance, docstring: str = "") -> str:
    context = f"{goal.context.strip()}\n\n" if goal.context.strip() else ""
    return context + docstring + formal_text(goal).strip()


def _renamed(code: str, name: str, to: str) -> str:
    """The code with another name for the theorem. A proof that calls itself by the old one is none that Lean takes."""
    declared = re.compile(rf"((?:^|\n)[^\n]*?\b(?:theorem|lemma)\s+){re.escape(name)}(?![\w'.!?])")
    return declared.sub(lambda found: found[1] + to, code, count=1)


def _inside_comment(text: str) -> str:
    """Words that end no comment and open none, nor the block of code that the comment stands in."""
    return text.strip().replace("-/", "- /").replace("/-", "/ -").replace("```", "'''")


def _behind_by(proof: str) -> str:
    """What follows `:= by`: the tactics, with the blank or newline before them. A term becomes `exact`."""
    if _BY.match(proof):
        return proof[2:]
    return "\n  exact\n" + "\n".join(f"    {line}" if line.strip() else line for line in proof.split("\n"))


def _filled(template: str, **values: str) -> str:
    """The template with its places filled in, in one pass: what is put in may have braces of its own."""
    return _PLACE.sub(lambda place: values[place[1]], template)
