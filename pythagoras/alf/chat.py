"""Mutation by a chat model: a prompt a category, one answer a statement and category, and reasons for what is refused.

The counterpart of the symbolic mutator. A model is shown the statement (and its proof, where there is one) and writes
one theorem under a name that it is told. What is taken from its answer is that theorem's statement and nothing else, by
the same parser that autoformalisers go through (`pipeline.roles.formalise`); a statement that says what the parent or
the prompt's own example says is refused as well, and, where that is asked for, one that small numbers refute. Nothing
that a model writes is promised to be true, and nothing here asks Lean. The judge of well-formedness, whom benchmarks
ask, is the other role in this module.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.resources
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from pydantic import BaseModel, ConfigDict

from pythagoras.alf.mutating import Missing, Refusal, parent_of, variant_name
from pythagoras.alf.reading import in_place_of
from pythagoras.alf.variants import Category, Parent, Promise, Variant
from pythagoras.alf.wellformed import Unjudged
from pythagoras.config import parsed
from pythagoras.corpus.normal import alpha_key
from pythagoras.corpus.records import Formalisation, Instance, record_id
from pythagoras.errors import InputError
from pythagoras.language.evaluate import refuted
from pythagoras.language.normal import key
from pythagoras.language.reading import NotRead
from pythagoras.lean.statements import Statement
from pythagoras.llm.chat import ChatBackend
from pythagoras.lookup import choose
from pythagoras.pipeline import recipe
from pythagoras.pipeline.case import seed_of
from pythagoras.pipeline.formalising import HEADER_NOTES
from pythagoras.pipeline.roles import formalise
from pythagoras.pipeline.roles.answers import fields_of, shortened
from pythagoras.pipeline.roles.players import ChatPlayer, open_model
from pythagoras.pipeline.roles.role import Fault, Refused, Role, Task
from pythagoras.pipeline.roles.templates import Template, named, turns

_WELL_FORMED, _ILL_FORMED = "well-formed", "ill-formed"


@contextlib.contextmanager
def open_chat(
    does: str, setting: str, model: str = "", cache: Path | None = None, *, beside: str = "", **more: Any
) -> Iterator[ChatBackend]:
    """The model that a setting names: endpoint:URL (or the address alone), local:FOLDER, replay:FILE.

    `model` is what an endpoint calls it, `beside` who else could be named in its place; `more` are further settings of
    `recipe.Player`. Raises InputError.
    """
    kind, _, where = setting.partition(":")
    if kind in ("http", "https"):
        kind, where = "endpoint", setting
    kinds = {"endpoint": "url", "local": "model", "replay": "recording"}
    field = choose(f"chat model that {does}", kind, kinds, beside=f"{beside}, which needs no model" if beside else "")
    if kind == "endpoint" and not model:
        raise InputError(f"{setting} needs a model: pass --model with what the server calls it")
    named_model = {"model": model} if model and kind != "local" else {}
    settings = parsed(recipe.Player, {"backend": kind, field: where, **named_model, **more}, setting)
    with open_model(does, settings, cache) as backend:
        yield backend


# --- prompts ---------------------------------------------------------------------------------------


class _CategoryPrompt(BaseModel):
    """A category's own part of the prompt."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    name: str
    given: str
    good: str
    bad: tuple[tuple[str, str], ...]
    """Answers that would be wrong, each with what is wrong with it."""


class _Prompts(BaseModel):
    """The whole of `prompts/mutate.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    frame: str
    perturbed: str
    user: str
    categories: dict[Category, _CategoryPrompt]


def category_prompt(category: Category, *, perturbed: bool = False) -> Template:
    """What a model is shown for a category; with `perturbed`, it shall change numbers and names as well."""
    prompts = _prompts()
    own = prompts.categories[category]
    task = own.task.strip() + (f"\n{prompts.perturbed.rstrip()}" if perturbed else "")
    bad = "\n".join(f"- `{statement}`: {why}" for statement, why in own.bad)
    parts = {"category": category.value, "task": task, "name": own.name, "given": own.given, "good": own.good}
    system = prompts.frame
    for place, text in {**parts, "bad": bad}.items():
        system = system.replace(f"{{{place}}}", text)
    return Template(system=system, user=prompts.user)


def examples(category: Category) -> tuple[str, ...]:
    """The statements that a category's prompt shows: the given one, the good answer, the bad ones."""
    own = _prompts().categories[category]
    return (own.given, own.good, *(statement for statement, _ in own.bad))


@functools.cache
def _prompts() -> _Prompts:
    return _Prompts.model_validate(tomllib.loads(_file("mutate.toml")))


@functools.cache
def _judge_prompt() -> Template:
    return Template.model_validate(tomllib.loads(_file("judge.toml")))


def _file(name: str) -> str:
    return (importlib.resources.files(__package__) / "prompts" / name).read_text(encoding="utf-8")


# --- mutating --------------------------------------------------------------------------------------


class ChatMutator:
    """A chat model in the place of symbolic operators."""

    def __init__(self, backend: ChatBackend, *, seed: int = 0, perturbed: bool = False, refute: bool = False) -> None:
        prompts = {category.value: category_prompt(category, perturbed=perturbed) for category in Category}
        self._seed = seed
        self._refute = refute
        self._player = ChatPlayer(
            named("mutate", *prompts.values()),
            lambda fields: turns(fields["category"], prompts[fields["category"]], fields),
            backend,
        )

    @property
    def name(self) -> str:
        return self._player.name

    @property
    def settings(self) -> Mapping[str, Any]:
        """All that its answers depend on."""
        return {**self._player.settings, "seed": self._seed, "refute": self._refute}

    def variants_of(self, parent: Parent, rng: Random) -> Sequence[Variant | Missing]:
        """One variant in each category, in the order of the categories, or why there is none."""
        return self.mutate([parent], rng.getrandbits(31))[0]

    def mutate(self, parents: Sequence[Parent], number: int = 0) -> list[list[Variant | Missing]]:
        """The same for many parents, all asked for at once; `number` tells several rounds apart."""
        wanted = [(at, category) for at in range(len(parents)) for category in Category]
        tasks = [self._task(parents[at], category, number) for at, category in wanted]
        places = {id(task): place for task, place in zip(tasks, wanted, strict=True)}
        found: dict[tuple[int, Category], Variant | Missing] = {}
        for written in self._player.write(tasks):
            at, category = places[id(written.task)]
            found[at, category] = (
                Missing(category, Refusal.FAILED, written.failure)
                if written.failure
                else self._taken(parents[at], category, MUTATE.read(written))
            )
        return [[found[at, category] for category in Category] for at in range(len(parents))]

    def _taken(self, parent: Parent, category: Category, read: str | Refused) -> Variant | Missing:
        if isinstance(read, Refused):
            why = f"{read.fault.value}{f': {read.detail}' if read.detail else ''}"
            return Missing(category, _REFUSALS.get(read.fault, Refusal.ILL_FORMED), why)
        claim = in_place_of(parent, read).claim
        if self._refute and claim is not None and (values := refuted(claim, Random(self._seed))) is not None:
            return Missing(category, Refusal.REFUTED, ", ".join(f"{name} = {value}" for name, value in values.items()))
        return Variant(read, category, self.name, Promise.UNKNOWN, claim)

    def _task(self, parent: Parent, category: Category, number: int) -> Task:
        record = parent.record
        fields = {
            "category": category.value,
            "statement": _shown(parent.statement),
            "proof": record.proof if isinstance(record, Instance) else "",
            "header": HEADER_NOTES.get(record.header.partition("-")[0], record.header),
            "name": variant_name(parent.statement, category),
        }
        return Task(fields, number, seed_of(self._seed, "mutate", record_id(record)))


def _shown(statement: Statement) -> str:
    """A statement with what it rests on."""
    return f"{statement.context}\n\n{statement.text}" if statement.context else statement.text


def parse_variant(text: str, fields: Mapping[str, str]) -> str | Refused:
    """The statement in an answer, when it is one of its own."""
    found = formalise.parse(text, fields)
    if isinstance(found, Refused):
        return found
    is_other = fields["category"] != Category.REFORMULATION  # that one shall mean the same
    if _same(found, fields["statement"], by_meaning=is_other):
        return Refused(Fault.REPEATS, "it is the statement that it was made from")
    if any(_same(found, shown) for shown in examples(Category(fields["category"]))):
        return Refused(Fault.REPEATS, "it is an example of the prompt")
    return found


def _same(one: str, other: str, *, by_meaning: bool = False) -> bool:
    """Whether two statements are the same but for names and spacing, or mean the same, as far as reading tells."""
    if alpha_key(one) == alpha_key(other):
        return True
    if not by_meaning:
        return False
    first, second = (parent_of(Formalisation("", text, "")).claim for text in (one, other))
    try:
        return first is not None and second is not None and key(first) == key(second)
    except NotRead:
        return False


MUTATE: Role[str] = Role("mutate", parse_variant, ("category", "statement", "proof", "header", "name"))
_REFUSALS = {
    Fault.NO_ANSWER: Refusal.NO_ANSWER,
    Fault.CUT_OFF: Refusal.NO_ANSWER,
    Fault.CAN_NOT: Refusal.NO_ANSWER,
    Fault.TOO_LONG: Refusal.TOO_LONG,
    Fault.REPEATS: Refusal.SAME_AS_PARENT,
}
"""Where it is not that the answer is no statement."""


# --- judging ---------------------------------------------------------------------------------------


class ChatJudge:
    """A chat model that says whether variants are well-formed problems."""

    def __init__(self, backend: ChatBackend, *, seed: int = 0) -> None:
        self._player = ChatPlayer(
            named("judge", _judge_prompt()), functools.partial(turns, "judge", _judge_prompt()), backend
        )
        self._seed = seed

    @property
    def name(self) -> str:
        return self._player.name

    def faults(self, pairs: Sequence[tuple[Parent, Variant]]) -> list[str | Unjudged]:
        """For each variant what is wrong with it; empty when nothing is. An answer without a verdict is no approval."""
        tasks = [
            Task({"original": _shown(parent.statement), "variant": variant.text}, seed=self._seed)
            for parent, variant in pairs
        ]
        places = {id(task): at for at, task in enumerate(tasks)}
        found: list[str | Unjudged] = [""] * len(tasks)
        for written in self._player.write(tasks):
            read: str | Unjudged | Refused = WELL_FORMED.read(written)
            if written.failure:
                read = Unjudged(written.failure)
            elif isinstance(read, Refused):
                read = f"no verdict: {read.fault.value}{f' ({read.detail})' if read.detail else ''}"
            found[places[id(written.task)]] = read
        return found


def parse_judgement(text: str, fields: Mapping[str, str]) -> str | Refused:
    """The fault that a judge names; empty for what is well-formed. A verdict that contradicts itself is none."""
    found = fields_of(text, ("verdict", "fault"))
    if isinstance(found, Refused):
        return found
    verdict = found["verdict"].casefold().strip(" .")
    if verdict not in (_WELL_FORMED, _ILL_FORMED):
        return Refused(Fault.NO_VERDICT, f"the verdict is {shortened(found['verdict'], 60) or 'empty'}")
    if (verdict == _ILL_FORMED) != bool(found["fault"]):
        return Refused(Fault.NO_VERDICT, f"it says {verdict}, and names {'a' if found['fault'] else 'no'} fault")
    return shortened(found["fault"])


WELL_FORMED: Role[str] = Role("judge", parse_judgement, ("original", "variant"))
