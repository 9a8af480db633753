"""What a sampler wrote, as the proof that is judged and handed out: the same for texts that differ by layout alone.

What people are shown is word for word what Lean took: a completion is first brought into this form, and then judged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pythagoras.lean import signatures
from pythagoras.lean.scopes import joined, own_context
from pythagoras.lean.statements import Statement
from pythagoras.lean.submission import read

_LONGEST_LINE = 100
_ONE_STEP = re.compile(r"by\n[ \t]+([^\n]+)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proof of a statement, and the lemmas that it brings."""

    statement: Statement
    lemmas: str
    """Commands that must stand before the theorem; mostly empty."""
    ending: str
    """What follows the statement: `:=` and the proof, or its cases, and whatever comes behind."""

    @property
    def proof(self) -> str:
        """What stands behind `:=`."""
        return self.ending.removeprefix(":=").strip()

    @property
    def theorem(self) -> str:
        """All of it, ready to be pasted behind the statement's context."""
        before = f"{self.lemmas}\n\n" if self.lemmas else ""
        return f"{before}{self.statement.text}{self.behind}"

    @property
    def behind(self) -> str:
        """The ending with the blank before it. Cases begin on a line of their own, or the first is part of the goal."""
        return f" {self.ending}" if self.ending.startswith(":=") else f"\n  {self.ending}"

    @property
    def text(self) -> str:
        """What is judged."""
        return self.theorem if self.lemmas or not self.ending.startswith(":=") else self.ending


def candidate(statement: Statement, written: str) -> Candidate | None:
    """The proof in what a sampler wrote; None where it has none, or is too long to be read."""
    found = read(statement, written)
    ending = found.proof.strip()
    if found.too_long or not ending:
        return None
    if ending.startswith(":="):
        proof = "\n".join(line.rstrip() for line in ending.removeprefix(":=").strip().split("\n"))
        step = _ONE_STEP.fullmatch(proof)
        if step is not None and len(step[1]) < _LONGEST_LINE:
            proof = f"by {step[1]}"
        ending = f":= {proof}"
    return Candidate(statement, _lemmas(statement, found.before or ""), ending)


def _lemmas(statement: Statement, before: str) -> str:
    """What a completion brings before the theorem, without what stands there anyway."""
    if not before.strip():
        return ""
    before = own_context(before, statement.header)
    said = {_squeezed(statement.context[one.start : one.end]) for one in signatures.commands(statement.context)}
    brought = signatures.commands(before)
    new = [one for one in brought if _squeezed(before[one.start : one.end]) not in said]
    return joined(before, new)


def _squeezed(text: str) -> str:
    return " ".join(text.split())
