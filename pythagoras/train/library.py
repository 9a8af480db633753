"""Theorems of Lean's own library and of the `core` header: names and statements, without proofs.

They come along as a file (`data/library.txt`, a line a theorem, as Lean's `#check` prints it, and behind a tab the
tactics that prove it by themselves), so that making texts for a base model needs no Lean. `listed` is how the file was
made, and a test asks Lean about some of it again: names stand in the library's compiled files, statements are what Lean
answers to `#check`, only those are kept that Lean takes back as a new theorem with the library's own for a proof, and
each of these is asked about once a tactic. Lean's library is under the Apache licence 2.0.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from pythagoras.errors import HostError, InputError
from pythagoras.lean.headers import core
from pythagoras.lean.pool import Check, Checker, Status
from pythagoras.lean.signatures import THEOREMS, commands
from pythagoras.lean.statements import Binder, parse_statement
from pythagoras.lean.wire import Answer, Limits

MODULES = ("Prelude", "Core", "PropLemmas", "SimpLemmas", "Classical", "Data/Bool", "Data/Nat", "Data/Int", "Data/Rat")
"""Of `Init`, each with all that is below it: what statements over ℕ, ℤ and ℚ rest on."""
_LONGEST = 160
"""Characters of a line; longer ones are about Lean's own implementation."""
_INTERNAL = re.compile(
    r"«|(?:^|\.)_|\.(?:match|proof|simp|eq|injEq|inj|sizeOf|noConfusion|rec|casesOn|brecOn|below|ext_iff)(?:_|$)"
    r"|Lean\.|Linear\.|SOM\.|Internal|\.inst|^inst"
)
"""Names of what Lean makes for itself."""
_UNIVERSES = re.compile(r"\.\{[^}]*\}")
_TYPE = re.compile(r"\b(?:Type|Sort) (?:u(?:_\d+)?|v|w)\b")
_UNWRITABLE = re.compile(r"[✝⋯]|\?m|@")
"""What Lean prints and does not read."""
CLOSERS = ("grind", "omega", "simp", "decide", "rfl", "simp_all")
_BATCH = 40
_LIMITS = Limits(heartbeats=2_000, timeout_s=120)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LibraryTheorem:
    """What one says, and what it takes."""

    name: str
    binders: tuple[Binder, ...]
    goal: str
    closers: tuple[str, ...] = ()
    """Those of `CLOSERS` that prove it by themselves."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of what it is given; the rest Lean finds by itself."""
        return tuple(name for binder in self.binders if binder.kind == "explicit" for name in binder.names)

    @property
    def text(self) -> str:
        """As Lean says it."""
        return " ".join((self.name, *(binder.text for binder in self.binders), ":", self.goal))


@functools.cache
def theorems() -> tuple[LibraryTheorem, ...]:
    """All that come along, in the library's order."""
    text = (importlib.resources.files(__package__) / "data" / "library.txt").read_text(encoding="utf-8")
    return tuple(map(as_theorem, text.splitlines()))


def as_theorem(line: str) -> LibraryTheorem:
    """What a line of the file, or an answer to `#check`, says. Raises InputError where it is none."""
    said, _, closers = line.partition("\t")
    statement = parse_statement(f"theorem {said} := sorry")
    return LibraryTheorem(statement.name, statement.binders, statement.goal, tuple(filter(None, closers.split(","))))


# --- how the file was made ----------------------------------------------------------------------


def listed(checker: Checker, library: Path) -> Iterator[str]:
    """The lines of the file. `library` is the folder of the compiled library, `lib/lean` of an installation."""
    names = dict.fromkeys((*library_names(library), *header_names()))
    lines = (line for line in statements(checker, names) if len(line) <= _LONGEST and not _UNWRITABLE.search(line))
    return closed(checker, taken_back(checker, lines))


def library_names(library: Path) -> Iterator[str]:
    """The constants that the library has under `MODULES`, theorems and others."""
    for module in MODULES:
        own = library / "Init" / f"{module}.olean"
        for path in (*([own] if own.exists() else ()), *sorted(own.with_suffix("").rglob("*.olean"))):
            yield from (name for name in constant_names(path.read_bytes()) if not _INTERNAL.search(name))


def header_names() -> Iterator[str]:
    """The theorems that the `core` header declares."""
    for command in commands(core().library):
        if command.word in THEOREMS and command.name:
            yield command.name


def statements(checker: Checker, names: Iterable[str]) -> Iterator[str]:
    """What Lean says to `#check`, for each name that it knows."""
    for part in _batches(names):
        for message in _ask(checker, "".join(f"#check {name}\n" for name in part)).messages:
            if message.severity == "info":
                yield _TYPE.sub("Type", _UNIVERSES.sub("", " ".join(message.data.split()), count=1))


def taken_back(checker: Checker, lines: Iterable[str]) -> Iterator[str]:
    """Those lines that are theorems, and that Lean reads as it wrote them."""
    for part in _batches(lines):
        good = _hold(checker, part, lambda theorem: " ".join((theorem.name, *theorem.arguments)))
        yield from (line for line, holds in zip(part, good, strict=True) if holds)


def closed(checker: Checker, lines: Iterable[str]) -> Iterator[str]:
    """Each line with the tactics that prove what it says."""
    for part in _batches(lines):
        found = {tactic: _hold(checker, part, functools.partial(_by, tactic)) for tactic in CLOSERS}
        for number, line in enumerate(part):
            yield f"{line}\t{','.join(tactic for tactic in CLOSERS if found[tactic][number])}"


def _by(tactic: str, _: LibraryTheorem) -> str:
    return f"by {tactic}"


def _hold(checker: Checker, lines: Sequence[str], proof: Callable[[LibraryTheorem], str]) -> list[bool]:
    """For each line, whether it is a theorem with this proof."""
    wrong = {error.pos.line for error in _ask(checker, "".join(_restated(line, proof) for line in lines)).errors}
    return [number not in wrong for number in range(1, len(lines) + 1)]


def _restated(line: str, proof: Callable[[LibraryTheorem], str]) -> str:
    try:
        theorem = as_theorem(line)
    except InputError:
        return "example : False := 0\n"
    _, _, statement = line.partition(" ")
    return f"theorem restated_{theorem.name.replace('.', '_')} {statement} := {proof(theorem)}\n"


def constant_names(olean: bytes) -> Iterator[str]:
    """The names of a compiled file's constants, in its order.

    The file is memory as it was (of a 32-bit machine): a header of 80 bytes, the address of its beginning, the address
    of its root; an object has its count of fields at 6 and its kind at 7, then fields of 4 bytes.
    """
    if olean[:6] != b"olean\x02":
        raise InputError("a file of Lean's library has another format than this program reads: install Lean anew")
    base, root = struct.unpack_from("<II", olean, 80)

    def name(address: int) -> str:
        if address & 1:  # no address: the empty name
            return ""
        at = address - base
        before, last = struct.unpack_from("<II", olean, at + 8)
        part = text(last - base) if olean[at + 7] == 1 else f"«{last >> 1}»"
        return f"{found}.{part}" if (found := name(before)) else part

    def text(at: int) -> str:
        (size,) = struct.unpack_from("<I", olean, at + 8)
        return olean[at + 20 : at + 19 + size].decode()

    (array,) = struct.unpack_from("<I", olean, root - base + 12)  # its second field: the first are the imports
    (count,) = struct.unpack_from("<I", olean, array - base + 8)
    yield from map(name, struct.unpack_from(f"<{count}I", olean, array - base + 16))


def _ask(checker: Checker, code: str) -> Answer:
    (checked,) = checker.check([Check(code, limits=_LIMITS)])
    if checked.answer is None or checked.status is not Status.ANSWERED:  # without errors behind where it ended
        raise HostError(checked.failure or "Lean did not come to the end of a question about its library")
    return checked.answer


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    left = iter(items)
    while part := list(islice(left, _BATCH)):
        yield part
