"""What the search asks of Lean: a proof with open goals, each tried by its closers; or several proofs at once.

The closers of a goal stand in one `first`, each followed by a mark that Lean prints when it comes there, so one
question tells which of them closes which goal. What none closes is left by `sorry`. No proof that is written has these.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pythagoras.generate.searching.proofs import Open, Proof, body, holes, lines
from pythagoras.lean.pool import Check, Checker
from pythagoras.lean.signatures import THEOREMS, commands
from pythagoras.lean.statements import Statement
from pythagoras.lean.wire import NO_PROGRAMS, Answer, Limits

_MARK = re.compile(r"#([0-9]{1,6})\.([0-9]{1,6})")


class Spent(Exception):
    """No question is left."""


class Broken(Exception):
    """Lean itself failed: nothing was learned, and nothing can be said of the statement."""


class Asker:
    """Asks Lean about one statement, so often and no more."""

    def __init__(self, checker: Checker, statement: Statement, *, checks: int, limits: Limits) -> None:
        self.left = checks
        self.seconds = 0.0
        self._checker = checker
        self._statement = statement
        self._limits = limits

    def closed(self, proof: Proof) -> dict[int, Proof] | None:
        """What closes the open goals of a proof, by their ids; None when it fails elsewhere. Raises Spent, Broken."""
        opened = list(holes(proof))
        numbers = {id(hole): number for number, hole in enumerate(opened)}
        answer = self._ask(self._theorem(body(proof, lambda hole: _trial(hole, numbers[id(hole)]))))
        if answer is None or answer.errors or not self._is_declared(answer, self._statement.name):
            return None
        found: dict[int, Proof] = {}
        for message in answer.messages:
            mark = _MARK.fullmatch(message.data.strip()) if message.severity == "info" else None
            if mark is not None:  # others may have written such a line too: only what we asked for counts
                number, which = int(mark[1]), int(mark[2])
                if number < len(opened) and which < len(opened[number].closers):
                    found[id(opened[number])] = opened[number].closers[which]
        return found

    def proved(self, proofs: Sequence[Proof]) -> list[bool]:
        """Which of some whole proofs Lean takes, asked in one question. Raises Spent and Broken."""
        names = [f"{self._statement.name.replace('.', '_')}_variant_{number}" for number in range(len(proofs))]
        texts = [self._theorem(body(proof), name) for name, proof in zip(names, proofs, strict=True)]
        answer = self._ask("\n\n".join(texts))
        if answer is None:
            return [False for _ in proofs]
        declared = {each.name.rpartition(".")[2]: each for each in answer.declarations if each.kind == "theorem"}
        failed = [error.pos.line for error in answer.errors]
        found = []
        for name in names:
            command = next((each for each in answer.commands if (each.name or "").rpartition(".")[2] == name), None)
            inside = command and any(command.pos.line <= line <= command.end_pos.line for line in failed)
            known = declared.get(name)
            found.append(command is not None and not inside and known is not None and "sorryAx" not in known.axioms)
        return found

    def _ask(self, text: str) -> Answer | None:
        """What Lean says to it behind the statement's context; None when nothing can be learned from that: when it is
        refused, and when the clock ended it, for half an answer would depend on the machine."""
        if self.left <= 0:
            raise Spent
        self.left -= 1
        context = ""
        if self._statement.context:  # which may set another limit: MiniF2F's takes it away
            context = f"{self._statement.context}\n\nset_option maxHeartbeats {self._limits.heartbeats}\n\n"
        check = Check(context + text, self._statement.header, self._limits, refuse=NO_PROGRAMS)
        [checked] = self._checker.check([check])
        self.seconds += checked.seconds
        if checked.answer is None and not checked.hung:
            raise Broken(checked.failure)
        answer = checked.answer
        return None if answer is None or answer.refused or answer.interrupted else answer

    def _theorem(self, proof: str, name: str | None = None) -> str:
        written = self._statement.text
        if name is not None:
            written = _renamed(written, name)
        return f"{written} := {proof}\n"

    def _is_declared(self, answer: Answer, name: str) -> bool:
        return any(each.name == name and each.kind == "theorem" for each in answer.declarations)


def _trial(hole: Open, number: int) -> list[str]:
    """A goal's closers, each with its mark, and `sorry` behind them."""
    if not hole.closers:
        return ["sorry"]
    found = ["first"]
    for index, closer in enumerate(hole.closers):
        inner = [*lines(closer), "done", f'trace "#{number}.{index}"']
        found.extend([f"  | ({inner[0]}", *(f"     {line}" for line in inner[1:-1]), f"     {inner[-1]})"])
    return [*found, f'  | (trace "#{number}.-1"', "     sorry)"]


def _renamed(statement: str, new: str) -> str:
    """The statement under another name."""
    theorem = next(command for command in commands(statement) if command.word in THEOREMS)
    written = theorem.tokens[theorem.keyword + 1]
    return statement[: written.start] + new + statement[written.end :]
