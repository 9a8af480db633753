"""What an instance keeps of a completion that Lean judged proved: the proof, what stands before it, the reasoning."""

from __future__ import annotations

import re

from pythagoras.lean.statements import Statement
from pythagoras.lean.submission import Assembly, read

_EDGE = re.compile(r"^(?:`{3,}[\w+-]*|#+ [^\n]*proof[^\n]*|</?think(?:ing)?>|)$", re.IGNORECASE)


def has_body(assembly: Assembly) -> bool:
    """Whether the proof stands behind `:=`; cases right behind the statement do not, and no instance can hold them."""
    return assembly.text.startswith(":=", assembly.proof_start)


def proof_in(assembly: Assembly) -> str:
    """What stands behind `:=`. Lines that hang on the column of the first keep the break before it."""
    proof = assembly.text[assembly.proof_start :].strip().removeprefix(":=").rstrip()
    first, newline, _ = proof.strip().partition("\n")
    return proof.strip() if first.strip() == "by" or not newline else proof.lstrip(" ")


def context_in(assembly: Assembly, statement: Statement) -> str:
    """What stands before the statement: our context, and lemmas that the prover put there."""
    return assembly.text[: assembly.proof_start].rstrip().removesuffix(statement.text.rstrip()).rstrip()


def reasoning_in(text: str, statement: Statement) -> str:
    """What a completion says before its Lean, without the signs that separate the two."""
    block = read(statement, text).block.strip()
    before = text[: text.rfind(block)] if block and block in text else ""
    lines = before.strip().split("\n")
    while lines and _EDGE.match(lines[-1].strip()):
        lines.pop()
    while lines and _EDGE.match(lines[0].strip()):
        lines.pop(0)
    return "\n".join(lines).strip()
