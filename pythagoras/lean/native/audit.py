"""Ask a Lean that is not ours what was declared: our metaprogram around a submission, and the keys made of its report.

`audit.lean` is sent before the submission and one command behind it; what that relies on stands there. The report
is data: names by their parts, terms as a table of nodes, axioms from Lean's own collector. Types are written and hashed
here, in the shapes of `host/environment.js`; keys are still only comparable among answers of one kind of Lean.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.resources
import json
import re
import secrets
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from pythagoras.errors import InputError
from pythagoras.lean.wire import Answer, Declaration, Message, Position

_NAMESPACE = "PythagorasAudit"
_HELPER = re.compile(r"(^|\.)(match_\d+|_proof_\d+)$")
_TEXT_LIMIT = 1 << 16
"""Characters of a type written out; its key has no such limit."""
_NAME_PART = re.compile(r"«((?:[^»]|»»)*)»|([^.«»]+)")
_NAME = re.compile(rf"(?:{_NAME_PART.pattern})(?:\.(?:{_NAME_PART.pattern}))*")
_CHILDREN = {"#": 0, "sort": 0, "const": 0, "nat": 0, "string": 0, "app": 2, "fun": 2, "forall": 2, "let": 3, "proj": 1}
"""How many of a node's last parts are other nodes."""
NO_REPORT = "audit"
"""Kind of the message that stands for a report which did not come."""

NamePart = str | int


@dataclass(frozen=True, slots=True)
class Audit:
    """One use of the metaprogram: a tag that nobody can guess in its names, and in its syntax."""

    tag: str

    @classmethod
    def new(cls) -> Audit:
        return cls(secrets.token_hex(12))

    @property
    def definitions(self) -> str:
        """What goes before the submission, in a clean environment that has `import Lean`."""
        return _source().replace(_NAMESPACE, f"{_NAMESPACE}_{self.tag}")

    def command(self, nonce: str, names: Iterable[str]) -> str:
        """The line that goes behind the submission."""
        request = "\n".join("\t".join(_wire_parts(name)) for name in dict.fromkeys(names))
        return f"#{_NAMESPACE}_{self.tag} {_lean_string(nonce)} {_lean_string(request)}\n"


def new_nonce() -> str:
    return secrets.token_hex(16)


def with_report(answer: Answer, messages: Iterable[Message], nonce: str, holes: Sequence[str]) -> Answer:
    """The answer with the declarations that the report among these messages tells of.

    Without such a report, or with two, it gets an error: the submission has kept the audit from its work.
    """
    reports = [report for message in messages if (report := _parse(message, nonce)) is not None]
    if len(reports) == 1:
        try:
            return answer.model_copy(update={"declarations": tuple(_declarations(reports[0], frozenset(holes)))})
        except _BadReport as error:
            problem = f"the audit's report can't be read ({error})"
    else:
        problem = f"the audit behind the code gave {len(reports)} reports instead of one"
    told = Message(severity="error", pos=Position(line=1, column=0), data=problem, kind=NO_REPORT)
    return answer.model_copy(update={"messages": (*answer.messages, told), "declarations": ()})


@functools.cache
def _source() -> str:
    return (importlib.resources.files(__package__) / "audit.lean").read_text(encoding="utf-8")


# --- names -------------------------------------------------------------------------------------------


def name_parts(name: str) -> tuple[NamePart, ...]:
    """The parts of a name as Lean writes it: `a.«b c».1` has the text `a`, the text `b c`, the number 1."""
    if not _NAME.fullmatch(name) or any(unicodedata.category(character) == "Cc" for character in name):
        raise InputError(f"{name!r} is no name of a constant: write it as Lean prints it, such as Nat.add_comm")
    return tuple(_name_part(*found.groups()) for found in _NAME_PART.finditer(name))


def _name_part(quoted: str | None, plain: str) -> NamePart:
    if quoted is not None:
        return quoted.replace("»»", "»")
    return int(plain) if plain.isdecimal() and plain.isascii() else plain


def write_name(parts: Sequence[NamePart]) -> str:
    """A name as the embedded Lean's answers write it."""
    return ".".join(str(part) if isinstance(part, int) else _quoted(part) for part in parts)


def _quoted(part: str) -> str:
    plain = part != "" and _is_letter(part[0]) and all(_is_letter(c) or c.isnumeric() or c in "'!?" for c in part)
    return part if plain else "«" + part.replace("»", "»»") + "»"


def _is_letter(character: str) -> bool:
    return character == "_" or unicodedata.category(character).startswith("L")


def _wire_parts(name: str) -> Iterator[str]:
    for part in name_parts(name):
        yield from ("n", str(part)) if isinstance(part, int) else ("s", part)


def _lean_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


# --- the report --------------------------------------------------------------------------------------


class _BadReport(Exception):
    """Not what `audit.lean` writes."""


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class _Target(_Wire):
    name: list[NamePart]
    axioms: list[list[NamePart]]


class _Constant(_Wire):
    name: list[NamePart]
    kind: str
    type: int
    value: int | None
    constructors: list[list[NamePart]]


class _Report(_Wire):
    nonce: str
    targets: list[_Target]
    constants: list[_Constant]
    nodes: list[list[Any]]


def _parse(message: Message, nonce: str) -> _Report | None:
    """The report in a message, if it is one of ours."""
    if message.severity != "info" or not message.data.startswith("{"):
        return None
    try:
        data = json.loads(message.data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("nonce") != nonce:
        return None
    try:
        return _Report.model_validate(data)
    except ValidationError:
        return None


def _declarations(report: _Report, holes: frozenset[str]) -> Iterator[Declaration]:
    table = _Table(report, holes)
    if len({write_name(target.name) for target in report.targets}) != len(report.targets):
        raise _BadReport("it tells of a constant twice")
    for target in report.targets:
        name = write_name(target.name)
        constant = table.constants.get(name)
        if constant is None:
            raise _BadReport(f"it says nothing of {name}")
        try:
            yield Declaration(
                name=name,
                kind=constant.kind,
                type=table.text(constant.type),
                type_key=table.key(constant.type),
                axioms=tuple(sorted(write_name(axiom) for axiom in target.axioms)),
            )
        except ValidationError as error:
            raise _BadReport(f"{constant.kind} is no kind of constant") from error


class _Table:
    """Terms and constants of a report. A node stands behind all that it is made of. Terms may be deep: loops walk them.

    Helpers that Lean makes and shares (`match_1`) count by what they are and not by their names, as in
    `host/environment.js`.
    """

    def __init__(self, report: _Report, holes: frozenset[str]) -> None:
        self._holes = holes
        self.constants = {write_name(constant.name): constant for constant in report.constants}
        if len(self.constants) != len(report.constants):
            raise _BadReport("two constants have the same name")
        self._nodes: list[tuple[tuple[str, ...], tuple[int, ...]]] = []
        self._hashes: dict[int, str] = {}
        for node in report.nodes:
            self._add(node)

    def _add(self, node: list[Any]) -> None:
        kind = node[0] if node else None
        if not isinstance(kind, str) or kind not in _CHILDREN:
            raise _BadReport(f"{kind!r} is no kind of term")
        split = len(node) - _CHILDREN[kind]
        children = node[split:]
        if not all(type(child) is int and 0 <= child < len(self._nodes) for child in children):
            raise _BadReport("a term comes before its parts")
        labels = tuple(_label(part) for part in node[:split])
        if kind == "string":
            labels = (kind, *(json.dumps(label, ensure_ascii=False) for label in labels[1:]))
        self._nodes.append((labels, tuple(children)))

    def _hash(self, root: int) -> str:
        waiting, begun = [self._checked(root)], set[int]()
        while waiting:
            index = waiting[-1]
            needed = [] if index in self._hashes else [part for part in self._parts(index) if part not in self._hashes]
            if not needed:
                waiting.pop()
                self._hashes.setdefault(index, self._digest(index))
            elif index in begun:
                raise _BadReport("a helper is made of itself")
            else:
                begun.add(index)
                waiting += needed
        return self._hashes[root]

    def _parts(self, index: int) -> list[int]:
        """The nodes that a node's hash is made of."""
        labels, children = self._nodes[index]
        helper = self._helper(labels)
        if helper is None:
            return list(children)
        body = self._body(helper)
        return [*children, self.constants[helper].type, *([] if body is None else [body])]

    def _digest(self, index: int) -> str:
        """The hash of a node whose parts have theirs."""
        labels, children = self._nodes[index]
        helper = self._helper(labels)
        if helper is not None:
            labels = (labels[0], f"helper {self._content(helper)}", *labels[2:])
        digest = hashlib.sha256()
        for label in labels:
            digest.update(f"s{len(label)}:{label}".encode(errors="surrogatepass"))
        for child in children:
            digest.update(self._hashes[child].encode())
        return digest.hexdigest()

    def _helper(self, labels: tuple[str, ...]) -> str | None:
        """The helper that a node mentions."""
        mentioned = labels[1] if labels[0] in ("const", "proj") else ""
        constant = self.constants.get(mentioned)
        is_helper = constant is not None and constant.kind in ("definition", "theorem") and _HELPER.search(mentioned)
        return mentioned if is_helper else None

    def text(self, root: int) -> str | None:
        """The term written out; None when that is too long."""
        written: list[str] = []
        left = _TEXT_LIMIT
        waiting: list[int | str] = [self._checked(root)]
        while waiting and left >= 0:
            piece = waiting.pop()
            if isinstance(piece, str):
                written.append(piece)
                left -= len(piece)
                continue
            labels, children = self._nodes[piece]
            waiting.append(")")
            for child in reversed(children):
                waiting += [child, " "]
            waiting.append("(" + " ".join(labels))
        return "".join(written) if left >= 0 else None

    def key(self, root: int) -> str:
        """Hash of the term, and of what all new constants are that can be reached from it."""
        own = self._hash(root)
        reached = dict.fromkeys(self._uses(root))
        waiting = list(reached)
        while waiting:
            for name in self._content_uses(waiting.pop()):
                if name not in reached:
                    reached[name] = None
                    waiting.append(name)
        if not reached:
            return own
        listed = "\n".join(f"{len(name)}:{name}={self._content(name)}" for name in sorted(reached))
        return hashlib.sha256(f"{own}\n{listed}".encode(errors="surrogatepass")).hexdigest()

    def _content(self, name: str) -> str:
        """What a new constant is, others by name: kind, type, and body where that is part of what it means."""
        constant = self.constants[name]
        body = self._body(name)
        parts = [f"{constant.kind} {self._hash(constant.type)}"]
        parts += [] if body is None else [self._hash(body)]
        return hashlib.sha256("".join(parts).encode(errors="surrogatepass")).hexdigest()

    def _content_uses(self, name: str) -> Iterator[str]:
        constant, body = self.constants[name], self._body(name)
        yield from self._uses(constant.type)
        if body is not None:
            yield from self._uses(body)
        yield from (found for part in constant.constructors if (found := write_name(part)) in self.constants)

    def _body(self, name: str) -> int | None:
        return None if name in self._holes else self.constants[name].value

    def _uses(self, root: int) -> Iterator[str]:
        """New constants that a term mentions."""
        waiting, seen = [self._checked(root)], {root}
        while waiting:
            labels, children = self._nodes[waiting.pop()]
            helper = self._helper(labels)
            if helper is not None:
                yield from self._content_uses(helper)
            elif labels[0] in ("const", "proj") and labels[1] in self.constants:
                yield labels[1]
            for child in children:
                if child not in seen:
                    seen.add(child)
                    waiting.append(child)

    def _checked(self, index: int) -> int:
        if not 0 <= index < len(self._nodes):
            raise _BadReport("a term is missing")
        return index


def _label(part: Any) -> str:
    """A node's part that is no other node: text, or a name by its parts."""
    if isinstance(part, str):
        return part
    if isinstance(part, list) and all(isinstance(piece, (str, int)) for piece in part):
        return write_name(part)
    raise _BadReport(f"{part!r} is no part of a term")
