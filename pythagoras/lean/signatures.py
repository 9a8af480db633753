"""The commands of a Lean text and the parts of a theorem's signature, found without Lean.

Works on any text, Mathlib's or not, because it knows words and brackets only. Where Lean's own parser can read a text
it says the same (`tests/lean/test_statements.py` compares the two). What is found are places in the text; nothing is
cut out or changed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pythagoras.errors import InputError
from pythagoras.lean.tokens import TOP_LEVEL, Sort, Token, closing, tokens

BinderKind = Literal["explicit", "implicit", "strict implicit", "instance"]
THEOREMS = frozenset({"theorem", "lemma"})
MODIFIERS = frozenset(
    [
        *("private", "protected", "public", "noncomputable", "unsafe"),
        *("partial", "nonrec", "local", "scoped", "meta"),
    ]
)
_MOST_MODIFIERS = 32
_DEEPEST = 1000
"""Blocks inside each other whose names are told: those of many thousands would be as long as the text itself."""
_SCOPED_BY_IN = frozenset({"open", "set_option", "variable", "include", "omit", "attribute", "universe"})
"""Commands that may stand before another one with `in`."""
_ALSO_IN_TERMS = frozenset({"open", "set_option"})
_KEYWORDS = TOP_LEVEL | _ALSO_IN_TERMS
_BINDS_A_VALUE = frozenset({"let", "have", "letI", "haveI", "let_fun", "obtain"})
"""Words with a `:=` of their own."""
_BINDER_KINDS: dict[str, BinderKind] = {"(": "explicit", "{": "implicit", "⦃": "strict implicit", "[": "instance"}


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class BinderSpan:
    """A binder as written, brackets included."""

    kind: BinderKind
    span: Span


@dataclass(frozen=True, slots=True)
class Signature:
    """Where the parts of a theorem stand. Its own text is `start` to `type.end`, without `doc`."""

    start: int
    doc: Span | None
    name: Span
    binders: tuple[BinderSpan, ...]
    type: Span


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its tokens, the word that says what it is, and the namespace around it."""

    tokens: tuple[Token, ...]
    keyword: int
    """Index of the token that says what it is; attributes, modifiers and `open ... in` stand before it."""
    namespace: str = ""
    mutual: bool = False
    """It stands in a `mutual` block."""

    @property
    def word(self) -> str:
        return self.tokens[self.keyword].text

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end

    @property
    def written_name(self) -> str | None:
        """The name behind the keyword, as written; None when there is none."""
        following = self.tokens[self.keyword + 1 : self.keyword + 2]
        return following[0].text if following and following[0].sort is Sort.NAME else None

    @property
    def name(self) -> str | None:
        """The full name."""
        return None if self.written_name is None else full_name(self.namespace, self.written_name)


def full_name(namespace: str, name: str) -> str:
    """What Lean calls something of that name in that namespace."""
    if name.startswith("_root_."):
        return name.removeprefix("_root_.")
    return f"{namespace}.{name}" if namespace else name


# --- commands ----------------------------------------------------------------------------------


def commands(text: str) -> tuple[Command, ...]:
    """The commands of a text in order. What stands before the first is no command and left out."""
    return tuple(_placed(_split(tokens(text))))


def _split(line: Sequence[Token]) -> Iterator[Command]:
    begun: int | None = None
    keyword = -1  # of the command that has begun; -1 while only what may precede it was seen
    for index, token in enumerate(line):
        if token.depth > 0:
            continue
        own_line = begun is None or (token.first and token.column <= line[begun].column)
        if begun is not None and keyword < 0:
            if token.text in _KEYWORDS:
                keyword = index
        elif _begins(line, index, own_line):
            if begun is not None:
                yield Command(tuple(line[begun:index]), keyword - begun)
            begun, keyword = index, index if token.text in _KEYWORDS else -1
        elif begun is not None and token.text == "in" and line[keyword].text in _SCOPED_BY_IN:
            keyword = -1
    if begun is not None:
        yield Command(tuple(line[begun:]), max(0, keyword - begun))


def _begins(line: Sequence[Token], index: int, own_line: bool) -> bool:
    """Whether a command begins at this token. Words that terms know, too, must not be indented below it."""
    token = line[index]
    if token.text in TOP_LEVEL and token.sort is not Sort.LITERAL:
        return token.text != "lemma" or token.first  # a name where Mathlib is not
    if token.text in _ALSO_IN_TERMS:
        return own_line
    if token.sort is Sort.DOC or token.text in MODIFIERS or _is_attribute(line, index):
        behind = _behind_modifiers(line, index)
        return behind < len(line) and line[behind].text in _KEYWORDS
    return False


def _is_attribute(line: Sequence[Token], index: int) -> bool:
    return line[index].text == "@" and index + 1 < len(line) and line[index + 1].text == "["


def _behind_modifiers(line: Sequence[Token], index: int) -> int:
    """The first token from here on that is no doc comment, attribute or modifier."""
    for _ in range(_MOST_MODIFIERS):
        if index >= len(line):
            break
        if line[index].sort is Sort.DOC or line[index].text in MODIFIERS:
            index += 1
        elif _is_attribute(line, index):
            index = closing(line, index + 1) + 1
        else:
            break
    return index


@dataclass(slots=True)
class _Scopes:
    """Where a command stands: the `namespace`, `section` and `mutual` blocks that are open."""

    namespace: str = ""
    mutual: bool = False
    around: list[tuple[str, bool]] = field(default_factory=list)
    """For each open block, the namespace outside of it, and whether that is in a `mutual` block."""

    def pass_by(self, command: Command) -> None:
        names = (command.written_name or "").split(".")
        if command.word in ("namespace", "section"):
            for name in names:
                self._open(name if command.word == "namespace" else "", self.mutual)
        elif command.word == "mutual":
            self._open("", True)
        elif command.word == "end":
            outermost = max(0, len(self.around) - len(names))
            if outermost < len(self.around):
                self.namespace, self.mutual = self.around[outermost]
                del self.around[outermost:]

    def _open(self, name: str, mutual: bool) -> None:
        self.around.append((self.namespace, self.mutual))
        self.mutual = mutual
        if name and len(self.around) <= _DEEPEST:
            self.namespace = f"{self.namespace}.{name}" if self.namespace else name


def _placed(found: Iterator[Command]) -> Iterator[Command]:
    scopes = _Scopes()
    for command in found:
        yield Command(command.tokens, command.keyword, scopes.namespace, scopes.mutual)
        scopes.pass_by(command)


def value_of(line: Sequence[Token]) -> int:
    """Index of the `:=` that ends what stands before it, at the depth of the first token; the length when none does."""
    inner = 0
    depth = line[0].depth if line else 0
    for index, token in enumerate(line):
        if token.depth != depth:
            continue
        if token.text in _BINDS_A_VALUE:
            inner += 1
        elif token.text == ":=":
            if inner == 0:
                return index
            inner -= 1
    return len(line)


# --- signatures --------------------------------------------------------------------------------


def signature(command: Command) -> Signature:
    """The parts of a theorem. An InputError says what is missing."""
    line = command.tokens
    name = command.written_name
    if name is None:
        raise InputError("the theorem has no name: write one behind `theorem`")
    at = behind_universes(line, command.keyword + 2)
    groups, at = _groups(line, at)
    if at >= len(line) or line[at].text != ":":
        found = f"{line[at].text!r} where its `:` should be" if at < len(line) else "no `:`"
        raise InputError(f"the theorem {name} has no type ({found}): write `theorem {name} ... : statement := ...`")
    body = line[at + 1 :]
    body = body[: value_of(body)]
    _refuse_other_forms(name, body)
    if not body:
        raise InputError(f"the theorem {name} has no type (nothing behind its `:`): write the statement there")
    doc = next((Span(token.start, token.end) for token in line[: command.keyword] if token.sort is Sort.DOC), None)
    own_name = Span(line[command.keyword + 1].start, line[command.keyword + 1].end)
    return Signature(command.start, doc, own_name, groups, Span(body[0].start, body[-1].end))


def behind_universes(line: Sequence[Token], at: int) -> int:
    """Behind the `.{u, v}` of a name."""
    if at + 1 < len(line) and line[at].text == "." and line[at + 1].text == "{" and line[at].end == line[at + 1].start:
        return closing(line, at + 1) + 1
    return at


def _groups(line: Sequence[Token], at: int) -> tuple[tuple[BinderSpan, ...], int]:
    """The binders from here on, and the index behind them."""
    found: list[BinderSpan] = []
    while at < len(line):
        token = line[at]
        kind = _BINDER_KINDS.get(token.text)
        if kind is not None:
            end = closing(line, at)
            if token.text == "{" and line[at + 1 : at + 2] and line[at + 1].text == "{":
                kind = "strict implicit"
            found.append(BinderSpan(kind, Span(token.start, line[end].end)))
            at = end + 1
        elif token.sort is Sort.NAME and token.text != "where":
            found.append(BinderSpan("explicit", Span(token.start, token.end)))
            at += 1
        else:
            break
    return tuple(found), at


def _refuse_other_forms(name: str, body: Sequence[Token]) -> None:
    """Proofs without `:=`: by cases (`| 0 => ...`), or as a structure (`where`)."""
    depth = body[0].depth if body else 0
    outer = [token for token in body if token.depth == depth]
    last_arrow = max((index for index, token in enumerate(outer) if token.text == "=>"), default=-1)
    for index, token in enumerate(outer):
        if token.text in ("match", "fun", "λ", "nomatch"):
            return  # alternatives behind it are its own
        by_cases = token.text == "|" and token.first and index < last_arrow
        if by_cases or token.text == "where":
            raise InputError(
                f"the theorem {name} is proved without `:=` (`{token.text}`), so its type has no clear end: "
                "write `theorem ... : statement := by ...`"
            )
