"""A Lean text with theorems that have no proof yet: which they are, what they rest on, and the text with proofs put in.

A theorem is open when nothing but `sorry` (or nothing at all) stands for its proof. A `sorry` inside of a longer proof
is left alone. Theorems are found by words; whether the text is Lean, Lean says, with places as the user counts them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pythagoras.errors import InputError
from pythagoras.lean import signatures
from pythagoras.lean.headers import header as header_of
from pythagoras.lean.imports import MATHLIB_FAMILY, split_imports
from pythagoras.lean.pool import Check, Checker
from pythagoras.lean.scopes import joined, mathlib_header, own_context
from pythagoras.lean.signatures import THEOREMS, Command
from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.lean.theorems import report
from pythagoras.lean.tokens import tokens
from pythagoras.lean.verdict import first_line
from pythagoras.lean.verifier import Judged
from pythagoras.lean.wire import NO_PROGRAMS, Limits, Position
from pythagoras.prove.candidates import candidate
from pythagoras.prove.refusal import sound

_NOTHING: tuple[tuple[str, ...], ...] = ((), (":=",), (":=", "by"))
_SORRY = ((":=", "sorry"), (":=", "by", "sorry"))
_GIVEN_UP = frozenset({"sorry", "admit"})
_LEFT_OUT = ("example", "#")
"""Commands that nothing rests on, and that may run programs."""


@dataclass(frozen=True, slots=True)
class Open:
    """A theorem without a proof."""

    name: str
    """Its full name."""
    line: int
    """Where it begins, from 1."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that keeps a text from being proved as a whole."""

    name: str
    """The theorem that it is about; empty for an error elsewhere."""
    text: str


class Sheet:
    """A text that is filled in, theorem by theorem. A proof that is put in may be used by those behind it."""

    def __init__(self, text: str, header: str = "core") -> None:
        """`header` is what the Lean at hand puts in the place of Mathlib, or Mathlib's own."""
        self.text = text.replace("\r\n", "\n")
        """As it stands now: as the user wrote it, but for the proofs that were put in."""
        self._header = header
        modules, _ = split_imports(self.text)
        self.foreign = tuple(name for name in modules if name.partition(".")[0] not in MATHLIB_FAMILY)
        """Modules that it imports and that are not Mathlib's: they are left out."""
        theorems = [one for one in signatures.commands(self.text) if one.word in THEOREMS and one.name is not None]
        self.open = tuple(
            Open(command.name or "", self.text.count("\n", 0, _own_start(command)) + 1)
            for command in theorems
            if _is_open(command)
        )
        self.partly = tuple(
            command.name or ""
            for command in theorems
            if not _is_open(command) and any(token.text in _GIVEN_UP for token in command.tokens)
        )
        """Theorems with a `sorry` inside of their proofs: they are left as they are."""

    def check(self, checker: Checker, limits: Limits = Limits()) -> None:
        """Ask Lean whether the text is Lean, up to the last open theorem. Raises StatementRefused where it is not.

        InputError says that there is nothing to prove; HostError that Lean itself failed.
        """
        commands = signatures.commands(self.text)
        last = max((command.end for command in commands if _is_open(command)), default=len(self.text))
        readable = self._readable()
        end = _position(self.text, last)
        [checked] = checker.check([Check(readable, self._header_id(), limits, refuse=NO_PROGRAMS)])
        sound(checked, end)
        if not self.open:
            raise InputError(
                "there is nothing to prove: no theorem has `sorry` for its proof, or none at all; "
                "write one as `theorem name ... : statement`"
            )
        names = [one.name for one in self.open]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"two theorems are called {twice}: give one of them another name")
        for name in names:
            self.statement(name)

    def statement(self, name: str) -> Statement:
        """The open theorem of that name, with what stands before it as its context."""
        found = parse_statement(self._closed(), name=name, header=self._header)
        header = self._header_id()
        settled = _settled(found)
        return replace(settled, header=header, context=own_context(settled.context, header))

    def fill(self, name: str, judged: Judged) -> None:
        """Put a proof that holds in the place of the `sorry`, and before the theorem the lemmas that it brings."""
        proved = candidate(judged.submission.statement, judged.submission.text)
        assert proved is not None
        command = next(one for one in signatures.commands(self.text) if _is_open(one) and one.name == name)
        end = signatures.signature(command).type.end
        lemmas = f"{proved.lemmas}\n\n" if proved.lemmas else ""
        start = command.start
        self.text = f"{self.text[:start]}{lemmas}{self.text[start:end]}{proved.behind}{self.text[command.end :]}"

    def faults(self, checker: Checker, limits: Limits = Limits()) -> tuple[Fault, ...]:
        """What Lean has against the text as it stands now: errors, and theorems that are not proved."""
        _, body = split_imports(self.text)
        [checked] = checker.check([Check(body, self._header_id(), limits)])
        if checked.answer is None:
            return (Fault("", f"Lean broke down: {checked.failure}"),)
        found = report(checked.answer)
        unproved = (
            Fault(one.name, f"{one.name} in line {one.pos.line}: {one.why}") for one in found.theorems if not one.proved
        )
        return (*(Fault("", first_line(error)) for error in found.other_errors), *unproved)

    def _header_id(self) -> str:
        """The header that the text stands on: of Mathlib's, the one that it begins as."""
        modules, body = split_imports(self.text)
        if not header_of(self._header).has_imports or not modules or self.foreign:
            return self._header
        return mathlib_header(modules, body)

    def _readable(self) -> str:
        """The text for Lean with everything in its place: imports blanked, and `sorry` where no proof stands."""
        return self._with_sorries(split_imports(self.text)[1], blank=True)

    def _closed(self) -> str:
        return self._with_sorries(self.text)

    def _with_sorries(self, text: str, *, blank: bool = False) -> str:
        for command in reversed(signatures.commands(text)):
            value = _value(command)
            if command.word.startswith(_LEFT_OUT) and blank:
                text = text[: command.start] + _blank(text[command.start : command.end]) + text[command.end :]
            elif _is_open(command) and value in _NOTHING:
                text = text[: command.end] + (" sorry" if value else " := sorry") + text[command.end :]
        return text


def _settled(statement: Statement) -> Statement:
    """The statement without definitions that are `sorry`. Raises InputError where it rests on one."""
    if not statement.answers:
        return statement
    commands = signatures.commands(statement.context)
    kept = [one for one in commands if one.name not in statement.answers]
    texts = [statement.text, *(statement.context[one.start : one.end] for one in kept)]
    words = {part for text in texts for token in tokens(text) for part in token.text.split(".")}
    needed = next((name for name in statement.answers if name.rpartition(".")[2] in words), None)
    if needed is not None:
        raise InputError(f"{statement.name} rests on {needed}, whose own body is `sorry`: give it one")
    return replace(statement, context=joined(statement.context, kept), answers=())


def _is_open(command: Command) -> bool:
    return command.word in THEOREMS and command.name is not None and _value(command) in (*_NOTHING, *_SORRY)


def _value(command: Command) -> tuple[str, ...]:
    """The words of a command from its `:=` on."""
    body = command.tokens[command.keyword :]
    return tuple(token.text for token in body[signatures.value_of(body) :])


def _own_start(command: Command) -> int:
    return command.tokens[command.keyword].start


def _blank(text: str) -> str:
    return "".join(sign if sign.isspace() else " " for sign in text)


def _position(text: str, at: int) -> Position:
    before = text[:at]
    return Position(line=before.count("\n") + 1, column=at - before.rfind("\n") - 1)
