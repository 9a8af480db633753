"""Records out of foreign rows: a mapping made into a function, for each of the three kinds of record."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pythagoras.corpus.records import Formalisation, Instance, Problem, Provenance, Tier, settings_text
from pythagoras.corpus.rows import RowError
from pythagoras.corpus.sources.lean_files import answers_of
from pythagoras.corpus.sources.mapping import CANARY, REQUIRED, Value
from pythagoras.corpus.sources.mapping import Mapping as FieldMapping
from pythagoras.corpus.sources.values import TAKES, Row, getter, text_at
from pythagoras.errors import InputError
from pythagoras.lean.headers import MATHLIB, NONE, core, header, header_names
from pythagoras.lean.imports import MATHLIB_FAMILY
from pythagoras.lean.scopes import mathlib_header, own_context
from pythagoras.lean.statements import Statement, statement_from_row
from pythagoras.lean.submission import prepare
from pythagoras.lean.verdict import Policy, Refusal

SourceRecord = Problem | Formalisation | Instance

_AS_GIVEN = Policy(gate=False, answers=True)
"""Proofs of a published set are taken apart, not judged: that is the verifier's work."""
_ROW = "row"
"""What the provenance calls a row's number."""


@dataclass(frozen=True, slots=True)
class Place:
    """What is the same for all rows of a file."""

    source: str
    """What the records' source begins with."""
    split: str
    settings: Mapping[str, Any]
    """What the provenance says of every row; its number is added."""
    tier: Tier | None
    """The tier of all rows, whatever they say."""


class Builder:
    """Makes records of the rows of one file."""

    def __init__(self, mapping: FieldMapping, place: Place) -> None:
        self.mapping = mapping
        self.place = place
        self._texts = {field: _reader(field, mapping) for field in mapping.fields}
        before, _, behind = settings_text({**place.settings, _ROW: 0}).partition(f'"{_ROW}":0')
        self._settings = f'{before}"{_ROW}":', behind

    def build(self, row: Row, number: int) -> SourceRecord:
        """The record of a row. Raises RowError with their name of the field."""
        match self.mapping.gives:
            case "problem":
                return self._problem(row, number)
            case "formalisation":
                return self._formalisation(row, number)
            case "instance":
                return self._instance(row, number)

    def build_item(self, row: Row, number: int) -> SourceRecord:
        """The record of a benchmark's row: a statement counts without a proof, too. Raises RowError as `build` does."""
        if self.mapping.gives == "instance":
            with suppress(RowError):
                return self._instance(row, number)
            return self._formalisation(row, number)
        return self.build(row, number)

    def unwanted(self, row: Row, number: int) -> SourceRecord:
        """The record of a row that a filter leaves out; one that should have a proof may lack it."""
        return self._formalisation(row, number) if self.mapping.gives == "instance" else self.build(row, number)

    def split(self, row: Row) -> str:
        """The split that a row is from: by its own word, else the mapping's, else its file's."""
        return self._text("split", row) or self.mapping.constants.split or self.place.split

    def _problem(self, row: Row, number: int) -> Problem:
        return Problem(
            text=self._text("text", row),
            source=self._source(row),
            topic=self._text("topic", row) or self.mapping.constants.topic,
            answer=self._text("answer", row),
            tier=self._tier(row),
            provenance=self._provenance(number),
        )

    def _formalisation(self, row: Row, number: int) -> Formalisation:
        statement, more = self._statement(row)
        return Formalisation(
            name=statement.name,
            text=statement.text,
            source=self._source(row),
            header=statement.header,
            context=own_context(statement.context, statement.header),
            docstring=statement.docstring,
            topic=self._text("topic", row) or self.mapping.constants.topic,
            tier=self._tier(row),
            provenance=self._mutated(row, self._provenance(number, more)),
        )

    def _instance(self, row: Row, number: int) -> Instance:
        statement, more = self._statement(row)
        context, proof = self._proof(statement, self._text("proof", row))
        return Instance(
            name=statement.name,
            statement=statement.text,
            proof=proof,
            source=self._source(row),
            tier=self._tier(row),
            verified=False,  # whatever the publisher says: it means that our own Lean has judged it
            reasoning=self._text("reasoning", row),
            informal=statement.docstring,
            header=statement.header,
            context=own_context(context, statement.header),
            topic=self._text("topic", row) or self.mapping.constants.topic,
            provenance=self._mutated(row, self._provenance(number, more)),
        )

    def _statement(self, row: Row) -> tuple[Statement, dict[str, Any]]:
        """The statement of a row, and what its provenance says beyond the usual."""
        text = self._text("statement", row)
        head = self._text("header", row)
        wanted = self.mapping.constants.header or _header_id(head, text)
        plain = {
            "formal_statement": text,
            "header": "" if head in header_names() else head,
            "name": self._text("name", row),
            "informal_prefix": self._text("docstring", row),
        }
        try:
            statement = statement_from_row(plain, header=wanted)
        except InputError as error:
            raise RowError(self._place_of("statement"), str(error)) from None
        more: dict[str, Any] = {}
        if plain["name"] and plain["name"] != statement.name:
            more["name"] = plain["name"]
        if statement.answers:
            more["answers"] = answers_of(text)
        if row.get(CANARY):
            more[CANARY] = str(row[CANARY])
        return _placed(statement), more

    def _proof(self, statement: Statement, text: str) -> tuple[str, str]:
        """What stands before the statement with this proof, lemmas of its own included; and the proof behind `:=`."""
        assembly = prepare(statement, text, _AS_GIVEN)
        if isinstance(assembly, Refusal):
            raise RowError(self._place_of("proof"), f"there is no proof of {statement.name} in it")
        if not assembly.paper_rule:
            raise RowError(self._place_of("proof"), f"it proves another statement than {statement.name}, or by sorry")
        before = assembly.text[: assembly.proof_start].rstrip().removesuffix(statement.text.rstrip())
        proof = assembly.text[assembly.proof_start :].strip()
        if not proof.startswith(":="):
            raise RowError(self._place_of("proof"), f"the proof of {statement.name} does not begin with `:=`")
        return before.strip(), proof.removeprefix(":=").strip()

    def _text(self, field: str, row: Row) -> str:
        read = self._texts.get(field)
        return read(row) if read is not None else ""

    def _tier(self, row: Row) -> Tier:
        if self.place.tier is not None:
            return self.place.tier
        said = self._text("tier", row)
        if not said:
            return self.mapping.constants.tier
        try:
            return Tier(said)
        except ValueError:
            tiers = ", ".join(tier.value for tier in Tier)
            raise RowError(self._place_of("tier"), f"{said[:40]!r} is no tier: one of {tiers}") from None

    def _source(self, row: Row) -> str:
        part = self.split(row) if self.mapping.benchmark else self._text("part", row)
        return f"{self.place.source}/{part}" if part else self.place.source

    def _provenance(self, number: int, more: Mapping[str, Any] | None = None) -> Provenance:
        if more:
            return Provenance(settings=settings_text({**self.place.settings, **more, _ROW: number}))
        before, behind = self._settings  # made once: a third of the time would go into this text
        return Provenance(settings=f"{before}{number}{behind}")

    def _mutated(self, row: Row, provenance: Provenance) -> Provenance:
        """The same, with the statement that a row is a mutation of, and the operator that made it one."""
        parent, operator = self._text("parent", row), self._text("operator", row)
        return replace(provenance, parent=parent, maker=operator) if parent or operator else provenance

    def _place_of(self, field: str) -> str:
        return _either(self.mapping.fields[field])


def _reader(field: str, mapping: FieldMapping) -> Callable[[Row], str]:
    """A function that gives a field's text out of a row; empty when there is none and none is required."""
    candidates = mapping.fields[field]
    places = [(getter(found.path), found.path, TAKES.get(found.take), _compiled(found.pattern)) for found in candidates]
    other_words = mapping.values.get(field, {})
    required = field in REQUIRED[mapping.gives]

    def read(row: Row) -> str:
        seen = ""
        for get, path, take, pattern in places:
            value = get(row)
            if value is None:
                continue
            seen = path
            text = text_at(value, path, take, pattern)
            if text:
                return other_words.get(text, text) if other_words else text
        if required:
            raise _absence(row, seen, candidates)
        return ""

    return read


def _absence(row: Row, seen: str, candidates: Sequence[Value]) -> RowError:
    if seen:
        return RowError(seen, "it is empty")
    null = next((found.path for found in candidates if found.path in row), None)
    return RowError(null, "it is null") if null else RowError(_either(candidates), "it is missing")


def _either(candidates: Sequence[Value]) -> str:
    return " or ".join(dict.fromkeys(found.path for found in candidates))


def _compiled(pattern: str) -> re.Pattern[str] | None:
    return re.compile(pattern) if pattern else None


# --- filters -------------------------------------------------------------------------------------


def row_filter(mapping: FieldMapping) -> Callable[[Row], str]:
    """A function that says why a row is not wanted; empty when it is."""
    alternatives = [
        [(path, getter(path), condition) for path, condition in alternative.items()] for alternative in mapping.keep
    ]

    def why_not(row: Row) -> str:
        reasons: list[str] = []
        for conditions in alternatives:
            for path, get, condition in conditions:
                value = get(row)
                if not condition.holds(value):
                    reasons.append(f"{path} is {_shown(value)}")
                    break
            else:
                return ""
        return "; ".join(dict.fromkeys(reasons))

    return why_not


def _shown(value: Any) -> str:
    return "missing" if value is None else repr(value)[:60]


# --- headers -------------------------------------------------------------------------------------


def _header_id(head: str, text: str) -> str:
    """The header of a statement: the one that is named, `mathlib` where Mathlib is imported, else `core`."""
    if head in header_names():
        return head
    modules = re.findall(r"^import\s+(\w+)", f"{head}\n{text}", re.MULTILINE)
    if any(module in MATHLIB_FAMILY for module in modules):
        return MATHLIB.id
    return NONE.id if modules else core().id


def _placed(statement: Statement) -> Statement:
    """On the very header that the statement came with, where that is one of Mathlib's."""
    if not statement.imports or not header(statement.header).has_imports:
        return statement
    return replace(statement, header=mathlib_header(statement.imports, statement.context))
