"""Recipes: one TOML file a run, one strict model a stage, few fields, each default written once.

A recipe has a name, a few words about itself, a seed, and a section for each stage. `like = "paper"` takes all that it
does not say itself from another recipe; `--set a.b=c` changes single values. Each stage reads its own sections and
leaves those of others alone.
"""

from __future__ import annotations

import importlib.resources
import json
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from pythagoras.errors import InputError
from pythagoras.lookup import choose

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

TRAINING = ("base", "sft", "rl", "diffusion", "lab")
"""Sections of a recipe that training reads."""
RUN = ("stages", "start", "alf", "evaluation")
"""What of a recipe `pythagoras run` reads beside those; all others are the seed corpus's."""


class Part(BaseModel):
    """A section of a recipe."""

    model_config = ConfigDict(frozen=True, extra="forbid")


P = TypeVar("P", bound=Part)

_SHOWN = 60
"""Characters of a wrong value."""
_WANTED = {
    ("int_type", "int_parsing", "int_from_float"): "a whole number",
    ("float_type", "float_parsing", "finite_number"): "a number",
    ("bool_type", "bool_parsing"): "true or false",
    ("string_type", "path_type"): "a text",
    ("tuple_type", "list_type"): "a list, as [1, 2]",
    ("dict_type", "model_type"): "a section with settings of its own",
    ("literal_error", "enum"): "{expected}",
    ("greater_than_equal",): "{ge:g} or more",
    ("greater_than",): "more than {gt:g}",
    ("less_than_equal",): "{le:g} or less",
    ("less_than",): "less than {lt:g}",
}
"""What a value must be, by what pydantic calls its fault."""


def known_recipes() -> dict[str, str]:
    """The texts of the recipes that come along, by name."""
    folder = importlib.resources.files("pythagoras") / "recipes"
    found = (file for file in folder.iterdir() if file.name.endswith(".toml"))
    return {file.name.removesuffix(".toml"): file.read_text(encoding="utf-8") for file in found}


def read_recipe(name: str, changes: Iterable[str] = ()) -> dict[str, Any]:
    """A recipe by its name or its file as a table, with changes like `source.count=100`. Raises InputError."""
    table = _read(name)
    for change in changes:
        _apply(table, change)
    return table


def _read(name: str, behind: tuple[str, ...] = ()) -> dict[str, Any]:
    """A recipe with all that it takes from others; `behind` are those that it is read for."""
    if name in behind:
        raise InputError(f"the recipe {name} is like itself ({' -> '.join((*behind, name))}): take one `like` out")
    if name.endswith(".toml"):
        try:
            text = Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            said = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
            raise InputError(f"the recipe {name} can't be read ({said}): name a TOML file or a known recipe") from None
    else:
        text = choose("recipe", name, known_recipes(), beside="name a .toml file of your own")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"the recipe {name} is no TOML ({error}): correct it") from None
    like = table.pop("like", None)
    return table if like is None else _merged(_read(str(like), (*behind, name)), table)


def _merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Both tables in one; where they have the same values, those of the second."""
    inner = {
        key: _merged(under[key], value)
        for key, value in over.items()
        if isinstance(value, dict) and isinstance(under.get(key), dict)
    }
    return {**under, **over, **inner}


def parsed(model: type[P], table: dict[str, Any], name: str) -> P:
    """What a recipe's table says, as its model. Raises InputError."""
    try:
        return model.model_validate(table)
    except ValidationError as error:
        raise InputError(f"the recipe {name} is wrong: {_fault(model, error.errors()[0])}") from None


def _fault(model: type[Part], error: ErrorDetails) -> str:
    """What is wrong with one value of a recipe, and what would be right."""
    *parts, last = error["loc"]
    if last == "[key]":  # of a table whose names are given
        *parts, last = parts
    where, kind, context = ".".join(map(str, (*parts, last))), error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown(model, [str(part) for part in parts], str(last))
    if kind == "missing":
        return f"{where} is not said: add it"
    if kind == "value_error":
        return f"{where}: {context['error']}"
    if kind == "string_pattern_mismatch":  # where a name is wanted, somebody may have given the secret itself
        return f"{where} does not match {context['pattern']}: give a name that does"
    value = json.dumps(error["input"], ensure_ascii=False, default=str)
    wanted = next((text for kinds, text in _WANTED.items() if kind in kinds), "")
    said = f"give {wanted.format(**context)}" if wanted else error["msg"]
    return f"{where} is {value if len(value) <= _SHOWN else f'{value[:_SHOWN]}...'}: {said}"


def _unknown(model: type[Part], parts: Sequence[str], name: str) -> str:
    """That there is no such setting, and which ones there are."""
    fields: dict[str, object] = dict.fromkeys((*TRAINING, *RUN)) if not parts else {}
    section: object = model
    for part in parts:
        found = getattr(section, "model_fields", {}).get(part)
        section = getattr(found, "annotation", None)
        section = next((each for each in get_args(section) if isinstance(each, type)), section)  # `Source | None`
    fields |= getattr(section, "model_fields", {})
    try:
        choose(f"setting of {'.'.join(parts)}" if parts else "section", name, fields)
    except InputError as error:
        return str(error)
    raise AssertionError(f"{name} is a field of {model.__name__}")


def _apply(table: dict[str, Any], change: str) -> None:
    """Change one value: what stands behind `=` is read as TOML, and as a plain text where it is none."""
    path, equals, text = change.partition("=")
    if not equals or not path.strip():
        raise InputError(f"--set {change} changes nothing: write it as part.name=value")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    *parts, last = path.strip().split(".")
    for part in parts:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise InputError(f"--set {change}: {part} is a value, not a part of the recipe")
    table[last] = value
