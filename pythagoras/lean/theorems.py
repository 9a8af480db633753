"""Which theorems of a file hold: an answer of Lean, turned into one report a theorem.

Judges by what Lean hands over in structure: errors in the theorem's own command, the declared constant, its axioms.
This is about a file that its owner trusts to say what it means; a hostile submission needs a verdict against a
statement of one's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pythagoras.lean.verdict import STANDARD_AXIOMS
from pythagoras.lean.wire import Answer, Command, Declaration, Message, Position

_THEOREM_KINDS = frozenset({"theorem", "example"})


@dataclass(frozen=True, slots=True)
class TheoremReport:
    """One theorem (or example) of a file: proved or not, and why not."""

    name: str
    pos: Position
    proved: bool
    why: str
    """Empty when proved."""
    messages: tuple[Message, ...]
    axioms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileReport:
    """All theorems of a file, and the errors that stand outside of them."""

    theorems: tuple[TheoremReport, ...]
    other_errors: tuple[Message, ...]

    @property
    def proved(self) -> bool:
        """There are theorems, all are proved, and nothing else is wrong."""
        return bool(self.theorems) and not self.other_errors and all(theorem.proved for theorem in self.theorems)


def report(answer: Answer) -> FileReport:
    """One report for each theorem and example that the commands of the text state."""
    declarations = {declaration.name: declaration for declaration in answer.declarations}
    theorems = tuple(_judge(command, answer, declarations) for command in _flat(answer.commands, declarations))
    theirs = {id(message) for theorem in theorems for message in theorem.messages}
    return FileReport(theorems, tuple(error for error in answer.errors if id(error) not in theirs))


def _flat(commands: tuple[Command, ...], declarations: dict[str, Declaration]) -> Iterator[Command]:
    for command in commands:
        if command.kind in _THEOREM_KINDS:
            yield command
        elif command.kind == "mutual":  # one syntax node for several theorems: go by what it declared
            for name in command.declares:
                if name in declarations and declarations[name].kind == "theorem" and "._" not in name:
                    yield command.model_copy(update={"kind": "theorem", "name": name})


def _judge(command: Command, answer: Answer, declarations: dict[str, Declaration]) -> TheoremReport:
    messages = tuple(_within(command, answer.messages))
    declared = _declared(command, declarations)
    axioms = declared.axioms if declared is not None else ()
    name = declared.name if declared is not None else command.name or f"example in line {command.pos.line}"
    sorry = any(_inside(command, sorry.pos) for sorry in answer.sorries if sorry.pos is not None)
    why = _why_not(command, messages, declared, sorry)
    if not why and answer.replay:
        why = f"the kernel refuses the file when it checks again: {answer.replay}"
    return TheoremReport(name, command.pos, not why, why, messages, axioms)


def _why_not(command: Command, messages: tuple[Message, ...], declared: Declaration | None, sorry: bool) -> str:
    if any(message.severity == "error" for message in messages):
        return "Lean reports an error"
    if command.kind == "example":  # leaves no constant behind to ask about
        if sorry or any(message.kind == "hasSorry" for message in messages):
            return "it uses sorry"
        return "Lean accepts it, but an example leaves no constant behind to judge: give it a name"
    if declared is None or declared.kind != "theorem":
        return "Lean did not declare it"
    if "sorryAx" in declared.axioms:
        return "it uses sorry"
    foreign = sorted(set(declared.axioms) - STANDARD_AXIOMS)
    return f"it rests on {', '.join(foreign)}" if foreign else ""


def _declared(command: Command, declarations: dict[str, Declaration]) -> Declaration | None:
    """The constant that the command names, whatever namespace it went to."""
    if command.name is None:
        return None
    wanted = command.name.removeprefix("_root_.")
    named = [name for name in command.declares if name == wanted or name.endswith(f".{wanted}")]
    return declarations.get(min(named, key=len)) if named else None  # helpers have longer names


def _within(command: Command, messages: tuple[Message, ...]) -> Iterator[Message]:
    return (message for message in messages if _inside(command, message.pos))


def _inside(command: Command, place: Position) -> bool:
    first, last = (command.pos.line, command.pos.column), (command.end_pos.line, command.end_pos.column)
    return first <= (place.line, place.column) <= last
