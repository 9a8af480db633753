"""Protocols: how attempts are made of completions, as data. Known ones are in protocol_files/; users write theirs.

An attempt is the unit of pass@N whatever it costs: a restart is one round, a self-correction up to `rounds` of them.
What it costs is counted in tokens, so that protocols can be compared at the same budget.
"""

from __future__ import annotations

import difflib
import importlib.resources
import json
import math
import os
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pythagoras.errors import InputError
from pythagoras.generate.sampler import Ability, Sampler
from pythagoras.lookup import choose

MOST_ROUNDS = 100
_NAMES = ("restart", "self-correction", "infill", "infill-wider", "restart-and-correct", "portfolio-first")


class Part(BaseModel):
    """One way of making attempts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sampler: str = ""
    """Who writes: one of the run's samplers by name; empty: the first that no part names (if all are named, the first).
    So in which order a mixture's samplers are given does not matter."""
    rounds: int = Field(default=1, ge=1, le=MOST_ROUNDS)
    """Rounds of an attempt at most: it ends with the first that is proved."""
    repair: Literal["", "turns", "infill"] = ""
    """How rounds after the first come about: a conversation about Lean's errors, or holes where Lean found them."""
    widens: bool = False
    """Whether a hole takes all behind it, too, when the round before has filled one in vain."""
    repairer: str = ""
    """Who writes the rounds after the first; empty: the same."""
    weight: int = Field(default=1, ge=1)
    """Of a mixture's attempts, how many in a turn are this part's."""
    at_most: int | None = Field(default=None, ge=1)
    """Attempts at a statement at most; the other parts make the rest."""

    @model_validator(mode="after")
    def _sound(self) -> Part:
        if (self.rounds > 1) != bool(self.repair):
            raise ValueError("more than one round and a way to repair belong together: give both, or neither")
        if self.widens and self.repair != "infill":
            raise ValueError("only holes can widen: set repair to infill, or leave widens out")
        if self.repairer and not self.repair:
            raise ValueError("a repairer needs a way to repair: give it, or leave the repairer out")
        return self


class Protocol(BaseModel):
    """What a run does for each statement."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[^\r\n]{1,100}$")
    about: str = ""
    parts: tuple[Part, ...] = Field(min_length=1)


# --- by name, from a file ------------------------------------------------------------------------


@cache
def known_protocols() -> Mapping[str, Protocol]:
    """The protocols that come with the package, by name."""
    folder = importlib.resources.files(__package__) / "protocol_files"
    return {name: _parse((folder / f"{name}.toml").read_text(encoding="utf-8"), f"{name}.toml") for name in _NAMES}


def load_protocol(name_or_path: str) -> Protocol:
    """A known protocol by its name, or one from a user's TOML file. Raises InputError."""
    if not name_or_path.endswith(".toml") and os.sep not in name_or_path:
        return choose("protocol", name_or_path, known_protocols())
    try:
        text = Path(name_or_path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"the protocol {name_or_path} is no UTF-8 text: save it as such") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        names = ", ".join(_NAMES)
        raise InputError(
            f"the protocol {name_or_path!r} can't be read ({why}): give a file, or one of {names}"
        ) from None
    return _parse(text, name_or_path)


def with_rounds(protocol: Protocol, rounds: int) -> Protocol:
    """The protocol with another number of rounds wherever it repairs; one round is no repair. Raises InputError."""
    if not 1 <= rounds <= MOST_ROUNDS:
        raise InputError(f"{rounds} rounds can't be made: choose from 1 to {MOST_ROUNDS}")
    if rounds > 1 and not any(part.repair for part in protocol.parts):
        repairing = _either(name for name, known in known_protocols().items() if known.parts[0].repair)
        raise InputError(
            f"the protocol {protocol.name} repairs nothing, so it has no {rounds} rounds: choose {repairing}"
        )
    changes = {"rounds": rounds} if rounds > 1 else {"rounds": 1, "repair": "", "repairer": ""}
    parts = tuple(Part(**(part.model_dump() | changes)) if part.repair else part for part in protocol.parts)
    return Protocol(name=protocol.name, about=protocol.about, parts=parts)


def _parse(text: str, file: str) -> Protocol:
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"the protocol {file} is no TOML: {str(error).splitlines()[0]}") from None
    table.setdefault("name", Path(file).stem)
    try:  # as JSON, where types are taken at their word and lists may be tuples
        return Protocol.model_validate_json(json.dumps(table, default=str), strict=True)
    except ValidationError as error:
        raise InputError(f"the protocol {file}: {_first(error)}") from None


def _first(error: ValidationError) -> str:
    """The first thing that is wrong, where it stands, and what to do."""
    first = error.errors(include_url=False)[0]
    *above, last = first["loc"] or ("",)
    where = ".".join(str(step + 1 if isinstance(step, int) else step) for step in first["loc"])
    if first["type"] == "extra_forbidden":
        keys = tuple((Part if above else Protocol).model_fields)
        near = difflib.get_close_matches(str(last), keys, n=1)
        guess = f"did you mean {near[0]!r}? " if near else ""
        return f"{where!r} is no key of it: {guess}choose one of {', '.join(keys)}"
    said = first["msg"].removeprefix("Value error, ").splitlines()[0]
    endings = {"missing": ": write it", "value_error": ""}  # their input is the table that they are in
    return f"{where}: {said}" + endings.get(first["type"], f", not {_shown(first['input'])}")


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:60]}..."


# --- mixtures ------------------------------------------------------------------------------------


def place_of(protocol: Protocol, number: int, most: Mapping[str, int | None]) -> tuple[int, int]:
    """The part that makes attempt `number`, counted from 0, and which of its sampler's own attempts that is.

    Parts take turns in their order, each for as many attempts as its weight says; those that are used up are passed
    over. `most` has the run's samplers in their order, each with the attempts that it has at all; parts that share a
    sampler share those. What an attempt belongs to does not depend on how many are made.
    """
    parts = protocol.parts
    writers = [writer(protocol, part, most) for part in parts]
    rooms = [number + 1 if part.at_most is None else part.at_most for part in parts]
    supplies = {name: number + 1 if limit is None else limit for name, limit in most.items()}
    made = dict.fromkeys(writers, 0)
    before = number
    while True:
        live = [index for index, name in enumerate(writers) if min(rooms[index], supplies[name]) > 0]
        if not live:
            raise IndexError(f"there are only {number - before} attempts")
        weights = dict.fromkeys(writers, 0)
        for index in live:
            weights[writers[index]] += parts[index].weight
        whole = [rooms[index] // parts[index].weight for index in live]
        whole += [supplies[name] // weight for name, weight in weights.items() if weight]
        turns = int(min(*whole, before // sum(weights.values())))  # in which nothing is used up half-way
        for index in live:
            name, weight = writers[index], parts[index].weight
            takes = turns * weight if turns else min(weight, rooms[index], supplies[name])
            if not turns and before < takes:
                return index, made[name] + before
            before -= int(takes)
            rooms[index] -= takes
            supplies[name] -= takes
            made[name] += int(takes)


def available(protocol: Protocol, n: int, most: Mapping[str, int | None]) -> int:
    """Of `n` attempts, how many there are: fewer where every part is used up before."""
    wanted: dict[str, float] = {}
    for part in protocol.parts:
        name = writer(protocol, part, most)
        wanted[name] = wanted.get(name, 0) + (math.inf if part.at_most is None else part.at_most)
    limits = ((supply, most[name]) for name, supply in wanted.items())
    return int(min(n, sum(supply if limit is None else min(supply, limit) for supply, limit in limits)))


# --- who takes part ------------------------------------------------------------------------------


def writer(protocol: Protocol, part: Part, samplers: Mapping[str, object]) -> str:
    """Name of the sampler that writes the first rounds of a protocol's part."""
    if part.sampler:
        return part.sampler
    named = {name for one in protocol.parts for name in (one.sampler, one.repairer)}
    return next((name for name in samplers if name not in named), next(iter(samplers)))


def repairer(protocol: Protocol, part: Part, samplers: Mapping[str, object]) -> str:
    """Name of the sampler that writes the later rounds of a protocol's part."""
    return part.repairer or writer(protocol, part, samplers)


_CANT = {"turns": "can't hold a conversation", "infill": "can't fill holes"}


def check_samplers(protocol: Protocol, samplers: Mapping[str, Sampler]) -> None:
    """Whether the run's samplers, the first one first, can do what a protocol asks of them. Raises InputError."""
    if not samplers:
        raise InputError(f"the protocol {protocol.name} needs a sampler: name one")
    for part in protocol.parts:
        for name in filter(None, (part.sampler, part.repairer)):
            if name not in samplers:
                there = ", ".join(samplers)
                setting = name if name == "portfolio" else f"{name}=..."
                raise InputError(
                    f"the protocol {protocol.name} needs the sampler {name!r}, and the run has {there}: "
                    f"add --sampler {setting}"
                )
        if part.repair:
            name = repairer(protocol, part, samplers)
            if Ability(part.repair) not in samplers[name].abilities:
                others = _either(_possible(samplers[name].abilities))
                raise InputError(
                    f"the protocol {protocol.name} repairs by {part.repair}, and the sampler {name} "
                    f"{_CANT[part.repair]}: choose the protocol {others}, or name another repairer"
                )
    busy = {find(protocol, part, samplers) for part in protocol.parts for find in (writer, repairer)}
    if idle := [name for name in samplers if name not in busy]:
        raise InputError(
            f"the protocol {protocol.name} has nothing to do for the sampler {idle[0]}: leave it out, "
            "or choose a protocol whose parts name it"
        )


def _possible(abilities: frozenset[Ability]) -> list[str]:
    """Known protocols of one part that a sampler with these abilities can do alone."""
    alone = {name: known.parts[0].repair for name, known in known_protocols().items() if len(known.parts) == 1}
    return [name for name, repair in alone.items() if not repair or Ability(repair) in abilities]


def _either(names: Iterable[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
