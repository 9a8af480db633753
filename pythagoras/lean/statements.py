"""Statements: a theorem without its proof, taken apart, from any text or benchmark row that has one.

The text is kept as written. Reading is lexical and so works for text that the Lean at hand can't parse (Mathlib's);
`parse` asks Lean's own parser first where it can. Whether a statement means anything is not asked here: Lean says
that, when `source` is checked on the statement's header.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pythagoras.errors import InputError
from pythagoras.lean import signatures, wire
from pythagoras.lean.pool import Check, Checker
from pythagoras.lean.signatures import THEOREMS, BinderKind, BinderSpan, Command, Signature, Span
from pythagoras.lean.tokens import Token, tokens
from pythagoras.lean.wire import NO_PROGRAMS, Limits
from pythagoras.lookup import choose

_RELATIONS = frozenset({"=", "≠", "<", "≤", ">", "≥", "∣", "∈", "∉", "⊆", "⊂", "↔", "∧", "∨", "¬", "∀", "∃", "≡"})
_DATA = frozenset(
    [
        *("ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Nat", "Int", "Rat", "Bool", "Prop", "Type", "Sort"),
        *("Set", "Finset", "Multiset", "List", "Fin"),
    ]
)
_NOT_NEEDED = ("import", "example", "#")
_TEXT_FIELDS = ("formal_statement", "lean4_statement", "Formal Statement", "lean4_code", "source")
_NAME_FIELDS = ("name", "problem_id", "problem_name")
_INFORMAL_FIELDS = ("informal_prefix", "informal_statement", "Question")
_DEFINITIONS = frozenset({"def", "abbrev", "instance"})


@dataclass(frozen=True, slots=True)
class Binder:
    """One bracketed group as written: `(x y : ℕ)`, `{α : Type*}`, `[Fact p.Prime]`, `⦃s⦄`; or a bare name."""

    names: tuple[str, ...]
    type: str
    """Empty when none is written. A default value is not part of it."""
    kind: BinderKind
    text: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A theorem without its proof."""

    name: str
    """Its full name: `Foo.bar` for `theorem bar` in `namespace Foo`."""
    text: str
    """From its modifiers, or `theorem`, up to and without `:=`; no docstring."""
    context: str = ""
    """The commands of the source before it, without imports, examples, unproved theorems and comments between them."""
    header: str = "core"
    """Id of the header that it stands on."""
    imports: tuple[str, ...] = ()
    """Modules that the source imported; for information."""
    docstring: str = ""
    """What stands inside `/-- -/`."""
    binders: tuple[Binder, ...] = ()
    goal: str = ""
    """The type behind the binders' colon."""
    answers: tuple[str, ...] = ()
    """Definitions of the context whose body is `sorry`: what PutnamBench leaves to be found. Full names."""

    @property
    def hypotheses(self) -> tuple[Binder, ...]:
        """The binders that look like hypotheses; a guess, for people and prompts.

        That is every binder but an instance whose type has a relation, connective or quantifier outside of set
        braces, or which is called `h...` while its type does not begin with a type of data.
        """
        return tuple(binder for binder in self.binders if _looks_like_hypothesis(binder))

    @property
    def source(self) -> str:
        """A file that Lean can read on top of the header: context, statement, `sorry`."""
        before = f"{self.context}\n\n" if self.context else ""
        return f"{before}{self.text} := sorry\n"


def parse_statement(source: str, *, name: str | None = None, header: str = "core") -> Statement:
    """The statement of that name in a Lean text, or the last one; read without Lean.

    Raises InputError when there is none, none of that name, or when its type can't be told from its proof.
    """
    source = source.replace("\r\n", "\n")
    before, target = _find(source, name)
    return _build(source, before, target, signatures.signature(target), header)


def parse(
    source: str,
    checker: Checker | None = None,
    *,
    name: str | None = None,
    header: str = "core",
    limits: Limits = Limits(timeout_s=20),
) -> Statement:
    """The same, as Lean's own parser reads it on top of the header, wherever it can; without a checker, lexically."""
    if checker is None:
        return parse_statement(source, name=name, header=header)
    found = parse_with_lean(source, checker, name=name, header=header, limits=limits)
    return found or parse_statement(source, name=name, header=header)


def parse_with_lean(
    source: str,
    checker: Checker,
    *,
    name: str | None = None,
    header: str = "core",
    limits: Limits = Limits(timeout_s=20),
) -> Statement | None:
    """The statement as Lean's own parser reads it; None when that can't, or Lean does not come that far.

    What stands before the statement is elaborated, for it may declare notations; programs in it are not run.
    """
    source = source.replace("\r\n", "\n")
    before, target = _find(source, name)
    check = Check(_readable(source, before, target), header, limits, refuse=NO_PROGRAMS, signatures=True)
    answer = next(iter(checker.check([check]))).answer
    for command in answer.commands if answer is not None else ():
        if command.signature is not None and command.signature.name.start == target.tokens[target.keyword + 1].start:
            return _build(source, before, target, _from_wire(command.signature), header)
    return None


def statement_from_row(row: Mapping[str, object], *, header: str = "core") -> Statement:
    """The statement of a benchmark's row, in any of the shapes that benchmarks have.

    The Lean text is the first field of `formal_statement`, `lean4_statement`, `Formal Statement`, `lean4_code` and
    `source` that is there; a `header` beside it counts unless the text has imports itself. The row's name says which
    theorem is meant, when there is one of that name; the informal text is the docstring of a statement without one.
    """
    text = _first(row, _TEXT_FIELDS)
    if not text:
        raise InputError(
            f"the row has no Lean statement: it has the fields {', '.join(map(repr, row)) or '(none)'}, "
            f"and one of {', '.join(_TEXT_FIELDS)} must hold Lean text"
        )
    found = signatures.commands(text)
    if not any(command.word == "import" for command in found):
        text = _first(row, ("header",)) + "\n" + text
    names = {name for command in found if command.word in THEOREMS for name in (command.name, command.written_name)}
    name = next((row[field] for field in _NAME_FIELDS if row.get(field) in names - {None}), None)
    statement = parse_statement(text, name=name if isinstance(name, str) else None, header=header)
    return (
        statement if statement.docstring else replace(statement, docstring=_inside_doc(_first(row, _INFORMAL_FIELDS)))
    )


def _first(row: Mapping[str, object], fields: Sequence[str]) -> str:
    """The first of these fields that holds text."""
    return next((value for field in fields if isinstance(value := row.get(field), str) and value.strip()), "")


def _find(source: str, name: str | None) -> tuple[Sequence[Command], Command]:
    """The commands before the wanted theorem, and it."""
    found = signatures.commands(source)
    theorems = [index for index, command in enumerate(found) if command.word in THEOREMS and command.name]
    if not theorems:
        raise InputError("there is no theorem in the text: write one as `theorem name ... : statement := ...`")
    index = theorems[-1]
    if name is not None:
        written = {found[index].written_name or "": index for index in theorems}
        index = choose("theorem of the text", name, written | {found[index].name or "": index for index in theorems})
    if found[index].mutual:
        raise InputError(f"the theorem {found[index].name} stands in a mutual block: take it out of there")
    return found[:index], found[index]


def _readable(source: str, before: Sequence[Command], target: Command) -> str:
    """The text up to the end of the theorem, for Lean on a header: imports blanked, a missing proof put in."""
    text = source[: target.end]
    for command in before:
        if command.word == "import":
            text = text[: command.start] + " " * (command.end - command.start) + text[command.end :]
    has_value = any(token.text == ":=" and token.depth == 0 for token in target.tokens)
    return text if has_value else text + " := sorry"


def _from_wire(found: wire.Signature) -> Signature:
    return Signature(
        found.start,
        Span(found.doc.start, found.doc.end) if found.doc is not None else None,
        Span(found.name.start, found.name.end),
        tuple(BinderSpan(binder.kind, Span(binder.start, binder.end)) for binder in found.binders),
        Span(found.type.start, found.type.end),
    )


def _build(source: str, before: Sequence[Command], target: Command, parts: Signature, header: str) -> Statement:
    full = signatures.full_name(target.namespace, parts.name.of(source))
    start, end, doc = parts.start, parts.type.end, parts.doc
    text = source[start:end] if doc is None else source[start : doc.start] + source[doc.end : end].lstrip()
    return Statement(
        name=full,
        text=text,
        context=_context(source, before),
        header=header,
        imports=tuple(name for command in before if command.word == "import" for name in _imported(command)),
        docstring="" if doc is None else _inside_doc(doc.of(source)),
        binders=tuple(_binder(source, binder) for binder in parts.binders),
        goal=parts.type.of(source),
        answers=tuple(command.name for command in before if command.name is not None and _is_open(command)),
    )


def _context(source: str, before: Sequence[Command]) -> str:
    """Commands as written, what stands between them replaced by a blank line (by nothing more on the same line)."""
    kept = [command for command in before if not command.word.startswith(_NOT_NEEDED) and not _is_unproved(command)]
    indented = (" " * command.tokens[0].column if command.tokens[0].first else "" for command in kept)
    return "\n\n".join(
        indent + source[command.start : command.end] for indent, command in zip(indented, kept, strict=True)
    )


def _imported(command: Command) -> list[str]:
    return [token.text for token in command.tokens[command.keyword + 1 :] if token.text != "all"]


def _is_open(command: Command) -> bool:
    """Whether it is a definition whose body is `sorry`."""
    return command.word in _DEFINITIONS and _is_sorry(command)


def _is_unproved(command: Command) -> bool:
    """Whether it is another statement, which a file of many problems has beside the one that is wanted."""
    return command.word in THEOREMS and _is_sorry(command)


def _is_sorry(command: Command) -> bool:
    body = command.tokens[command.keyword :]
    body = body[signatures.value_of(body) :]
    return [token.text for token in body] in ([":=", "sorry"], [":=", "by", "sorry"])


def _inside_doc(comment: str) -> str:
    return comment.strip().removeprefix("/--").removesuffix("-/").strip()


def _binder(source: str, binder: BinderSpan) -> Binder:
    text = binder.span.of(source)
    line = tokens(text)
    if len(line) == 1:
        return Binder((line[0].text,), "", binder.kind, text)
    width = 2 if text.startswith("{{") else 1
    inner = line[width:-width]
    colon = next((index for index, token in enumerate(inner) if token.text == ":" and token.depth == width), None)
    if binder.kind == "instance" and colon != 1:
        return Binder((), text[width:-width].strip(), binder.kind, text)
    typed = inner[len(inner) if colon is None else colon + 1 :]
    typed = typed[: signatures.value_of(typed)]
    names = tuple(token.text for token in inner[:colon] if token.text not in (":=",))
    return Binder(names, text[typed[0].start : typed[-1].end] if typed else "", binder.kind, text)


def _looks_like_hypothesis(binder: Binder) -> bool:
    if binder.kind == "instance" or not binder.type:
        return False
    line = tokens(binder.type)
    if any(token.text in _RELATIONS for token in _outside_braces(line)):
        return True
    is_data = line[0].text in _DATA or any(token.text in ("→", "->") for token in line)
    return not is_data and any(name.startswith("h") for name in binder.names)


def _outside_braces(line: Sequence[Token]) -> list[Token]:
    found: list[Token] = []
    depth = 0
    for token in line:
        depth += (token.text == "{") - (token.text == "}")
        if depth == 0:
            found.append(token)
    return found
