"""Mappings: how a published set's fields become ours, as data. Known ones are in mappings.toml; users write their own.

A mapping says which kind of record a set gives, where each of our fields stands in its rows, which rows are wanted, and
by which columns the set is recognised. Nothing is read here.
"""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from pythagoras.corpus.records import Tier
from pythagoras.corpus.sources.values import TAKES, column_of, getter
from pythagoras.errors import InputError
from pythagoras.lean.headers import header
from pythagoras.lookup import choose

Kind = Literal["problem", "formalisation", "instance"]

MUTATION = ("parent", "operator")
"""What a row says that is a mutation: the name of the statement that it was made from, and who made it."""
_FORMAL = ("statement", "name", "header", "docstring", "split", *MUTATION)
FIELDS: dict[Kind, frozenset[str]] = {
    "problem": frozenset({"text", "answer", "topic", "tier", "part", "split"}),
    "formalisation": frozenset({*_FORMAL, "topic", "tier", "part"}),
    "instance": frozenset({*_FORMAL, "topic", "tier", "part", "proof", "reasoning"}),
}
"""Our fields by kind of record. `part` names the part of a set that a row is from and ends up in its source."""
REQUIRED: dict[Kind, tuple[str, ...]] = {
    "problem": ("text",),
    "formalisation": ("statement",),
    "instance": ("statement", "proof"),
}
CANARY = "canary"
"""The column in which a benchmark says that it must not become training data."""
_ALSO_THERE = frozenset({CANARY, "level", "split"})
"""Columns that a file may have beside the published ones and still be recognised."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Value(_Strict):
    """Where a value stands, and what is taken of it."""

    path: str = Field(alias="from")
    take: str = ""
    """One of `values.TAKES`."""
    pattern: str = ""
    """A regular expression whose first group is the value; a text that does not match has none."""

    @model_validator(mode="after")
    def _sound(self) -> Value:
        getter(self.path)
        _compiled(self.pattern)
        if self.take and self.take not in TAKES:
            raise ValueError(f"nothing is called {self.take!r} to take: one of {', '.join(TAKES)}")
        if self.pattern and _compiled(self.pattern).groups < 1:
            raise ValueError(f"the pattern {self.pattern!r} has no group: put what is wanted in brackets")
        return self


class Condition(_Strict):
    """What a value must be. Case does not count in texts, and of a list one element is enough."""

    any_of: tuple[str | int | float, ...] | None = None
    matches: str = ""
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _sound(self) -> Condition:
        _compiled(self.matches)
        if self == Condition.model_construct():
            raise ValueError("it asks for nothing: give any_of, matches, at_least or at_most")
        return self

    @cached_property
    def _wanted(self) -> frozenset[tuple[type, Any]]:
        return frozenset(_comparable(value) for value in self.any_of or ())

    def holds(self, value: Any) -> bool:
        if isinstance(value, list):
            return any(self.holds(part) for part in value)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return (
            (self.any_of is None or _comparable(value) in self._wanted)
            and (not self.matches or (isinstance(value, str) and re.search(self.matches, value) is not None))
            and (self.at_least is None or (is_number and value >= self.at_least))
            and (self.at_most is None or (is_number and value <= self.at_most))
        )


class Join(_Strict):
    """A column that the set itself lacks, looked up in another file that the user hands over."""

    table: str
    """The name by which that file is handed over."""
    field: str
    """The column that rows get."""
    on: str
    """The column, here and there, whose text must be the same (but for blanks)."""
    take: str
    """The column of that file which holds the value."""


class Constants(_Strict):
    """Fields that are the same in every row, where the row does not say better."""

    source: str
    """`{file}` in it stands for the file's name without its ending."""
    tier: Tier = Tier.MEDIUM
    topic: str = ""
    header: str = ""
    """Id of the header that statements stand on; empty: `mathlib` where Mathlib is imported, else `core`. One of
    Mathlib's is for statements that bring no imports: others stand on what they bring."""
    split: str = ""

    @model_validator(mode="after")
    def _sound(self) -> Constants:
        if self.header:
            try:
                header(self.header)
            except InputError as error:
                raise ValueError(str(error)) from None
        return self


def _comparable(value: Any) -> tuple[type, Any]:
    """What is equal for values that count as the same: 1 is neither True nor 1.0."""
    if isinstance(value, str):
        return str, value.strip().casefold()
    return type(value), value if isinstance(value, int | float) else None


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


def _as_value(value: Any) -> Any:
    return {"from": value} if isinstance(value, str) else value


Candidate = Annotated[Value, BeforeValidator(_as_value)]
Candidates = Annotated[tuple[Candidate, ...], BeforeValidator(_as_list), Field(min_length=1)]


class Mapping(_Strict):
    """How to read one set."""

    name: str
    gives: Kind
    about: str = ""
    """Who publishes it, and where its shape was read."""
    from_memory: str = ""
    """What of its shape could not be confirmed."""
    benchmark: bool = False
    """It is there to measure: its split ends up in the source of its rows."""
    hub: str = ""
    """Its name on the Hugging Face hub."""
    config: str = ""
    splits: tuple[str, ...] = ()
    """The splits that are read when none is named; empty: all."""
    columns: tuple[str, ...] = ()
    """Every column that it is published with. A file with others is not recognised; empty: whatever there is."""
    needs: tuple[str, ...] | None = None
    """The columns that must be there; all of `columns` unless said."""
    needs_any: tuple[str, ...] = ()
    """One of these must be there, too."""
    named: str = ""
    """A regular expression that must be found in the file's path."""
    fields: dict[str, Candidates]
    """For each of our fields the places where it may stand: the first that has something counts."""
    constants: Constants
    values: dict[str, dict[str, str]] = {}
    """For a field of ours, other words for some of its values."""
    keep: tuple[dict[str, Condition], ...] = ()
    """Alternatives: a row is wanted when all conditions of one of them hold. None: all rows are."""
    join: Join | None = None

    @model_validator(mode="after")
    def _sound(self) -> Mapping:
        for field in [*self.fields, *self.values]:
            if field not in FIELDS[self.gives]:
                fields = ", ".join(sorted(FIELDS[self.gives]))
                raise ValueError(f"a {self.gives} has no field {field!r}: one of {fields}")
        for field in REQUIRED[self.gives]:
            if field not in self.fields:
                raise ValueError(f"fields.{field} is missing, without which there is no {self.gives}")
        for path in (path for alternative in self.keep for path in alternative):
            getter(path)
        _compiled(self.named)
        return self

    @property
    def must_have(self) -> frozenset[str]:
        return frozenset(self.columns if self.needs is None else self.needs)

    @property
    def reads(self) -> frozenset[str]:
        """The columns that it looks at; others need not be read."""
        paths = [candidate.path for candidates in self.fields.values() for candidate in candidates]
        paths += [path for alternative in self.keep for path in alternative]
        joined = [self.join.on, self.join.field] if self.join is not None else []
        return frozenset([*map(column_of, paths), *joined, CANARY])

    @property
    def _mutation(self) -> frozenset[str]:
        """The columns that a set of this shape has beside the published ones when it was made by mutation."""
        return frozenset(column_of(place.path) for field in MUTATION for place in self.fields.get(field, ()))

    def fits(self, columns: Sequence[str], file: str) -> bool:
        """Whether a file with these columns looks like this set."""
        found = frozenset(columns)
        return (
            self.must_have <= found
            and (not self.columns or found <= {*self.columns, *_ALSO_THERE, *self._mutation})
            and (not self.needs_any or not found.isdisjoint(self.needs_any))
            and re.search(self.named, file, re.IGNORECASE) is not None
        )


@cache
def known_mappings() -> MappingOf[str, Mapping]:
    """The mappings that come with the package, by name."""
    text = (importlib.resources.files(__package__) / "mappings.toml").read_text(encoding="utf-8")
    return _parse(tomllib.loads(text), "mappings.toml", {})


def read_mappings(file: Path) -> MappingOf[str, Mapping]:
    """The mappings of a user's TOML file, a table each; `extends` may name a known one. Raises InputError."""
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"the mapping {file} can't be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"the mapping {file} is no TOML: {error}") from None
    known = known_mappings()
    return _parse(tables, str(file), {name: known[name].model_dump(by_alias=True) for name in known})


def mappings_for(choice: str | None) -> MappingOf[str, Mapping]:
    """The mappings to choose from by shape: all known ones, the one of that name, or those of that TOML file."""
    if choice is None:
        return known_mappings()
    if choice.endswith(".toml"):
        return read_mappings(Path(choice))
    return {choice: choose("mapping", choice, known_mappings())}


def with_proofs(mapping: Mapping) -> Mapping:
    """A mapping of Lean files that gives the theorems' proofs, too."""
    proof = known_mappings()["lean-proofs"].fields["proof"]
    return mapping.model_copy(update={"gives": "instance", "fields": {"proof": proof, **mapping.fields}})


def without_proofs(mapping: Mapping) -> Mapping:
    """A mapping that gives statements alone, of a set that has proofs as well."""
    if mapping.gives != "instance":
        return mapping
    fields = {name: places for name, places in mapping.fields.items() if name not in ("proof", "reasoning")}
    return mapping.model_copy(update={"gives": "formalisation", "fields": fields})


def detect(columns: Sequence[str], file: str, mappings: MappingOf[str, Mapping]) -> Mapping | None:
    """The mapping whose set looks like a file with these columns: the one that asks for most; the first of equals."""
    fitting = [mapping for mapping in mappings.values() if mapping.fits(columns, file)]
    return max(fitting, key=lambda mapping: (len(mapping.must_have), bool(mapping.named)), default=None)


def _parse(tables: dict[str, Any], file: str, base: dict[str, Any]) -> dict[str, Mapping]:
    merged: dict[str, Any] = dict(base)
    found: dict[str, Mapping] = {}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise InputError(f"the mapping {file} has {name!r} outside of a table: put it under [name-of-the-set]")
        own = dict(table)
        if "extends" in own:
            own = _over(choose("mapping to extend", str(own.pop("extends")), merged), own)
        merged[name] = own
        try:
            found[name] = Mapping.model_validate({**own, "name": name})
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, (name, *first["loc"])))
            raise InputError(f"the mapping {file} has a wrong {where}: {first['msg']}") from None
    if not found:
        raise InputError(f"the mapping {file} is empty: write a table [name-of-the-set] with gives, fields, constants")
    return found


def _over(below: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """The table of a mapping that extends another: tables inside it are laid over each other, the rest is replaced."""
    both = {**below, **own}
    for part in ("fields", "constants", "values"):
        if part in below and part in own:
            both[part] = {**below[part], **own[part]}
    return both


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
