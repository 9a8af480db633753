"""The autoformaliser: from a problem to a statement in Lean.

What is taken from an answer is one theorem's statement, under the name that the task gives. Whatever else an answer
brings could change what the statement means (a notation, a definition, a variable), so it is refused; only imports,
`open` and limits, which models write by habit, are left out silently. Lean says afterwards whether it means anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pythagoras.errors import InputError
from pythagoras.lean import lexical, signatures
from pythagoras.lean.gate import gate
from pythagoras.lean.signatures import THEOREMS, Command
from pythagoras.lean.submission import lean_block
from pythagoras.lean.verdict import STANDARD
from pythagoras.pipeline.roles.answers import said, shortened
from pythagoras.pipeline.roles.role import Fault, Refused, Role, RoleName

LONGEST = 5_000
"""Characters of a statement."""
_LEFT_OUT = frozenset({"import", "open"})
_LIMITS = re.compile(r"set_option\s+(?:maxHeartbeats|maxRecDepth|autoImplicit|relaxedAutoImplicit)\b")
_COMMAND = re.compile(r"(?:theorem|lemma|import|open|set_option|noncomputable|@\[|/--)")
_BLANKS = re.compile(r"(?<=\S)[ \t]{2,}")


def parse(text: str, fields: Mapping[str, str]) -> str | Refused:
    """The statement, from `theorem` up to and without `:=`."""
    answer = said(text)
    if isinstance(answer, Refused):
        return answer
    name = fields.get("name", "").strip() or "statement"
    block = lean_block(answer, name).replace("\r\n", "\n")
    if block == answer and not _COMMAND.match(block):
        return Refused(Fault.NO_BLOCK)
    commands = [command for command in signatures.commands(block) if not _is_left_out(command, block)]
    theorems = [command for command in commands if command.word in THEOREMS or command.word == "example"]
    if not theorems:
        return Refused(Fault.NO_STATEMENT, "there is no theorem in the block")
    if len(theorems) > 1:
        return Refused(Fault.SEVERAL_STATEMENTS, shortened(", ".join(one.written_name or one.word for one in theorems)))
    others = [command for command in commands if command not in theorems]
    if others:
        return Refused(Fault.NO_STATEMENT, f"beside the theorem stands {shortened(_text(others[0], block), 80)}")
    return _statement(theorems[0], block, name)


def _statement(theorem: Command, block: str, name: str) -> str | Refused:
    before = block[theorem.start : theorem.tokens[theorem.keyword].start]
    if re.search(r"\bin\b|@\[", lexical.read(before).code):
        return Refused(Fault.NO_STATEMENT, f"before the theorem stands {shortened(before, 80)}")
    try:
        parts = signatures.signature(theorem)
    except InputError as error:
        fault = Fault.HAS_PROOF if "without `:=`" in str(error) else Fault.NO_STATEMENT
        return Refused(fault, shortened(str(error)))
    code = lexical.read(block).code  # comments are blank in it
    text = f"theorem {name}{code[parts.name.end : parts.type.end]}"
    text = "\n".join(_BLANKS.sub(" ", line.rstrip(" \t")) for line in text.split("\n"))
    text = re.sub(r"\n\s*\n", "\n", text)
    if len(text) > LONGEST:
        return Refused(Fault.TOO_LONG, f"{len(text):,} characters")
    if refusal := gate(text, STANDARD):
        return Refused(Fault.NO_STATEMENT, f"{refusal.reason.value}: {refusal.detail}")
    return text


def _is_left_out(command: Command, block: str) -> bool:
    if command.keyword > 0:  # `open ... in theorem` belongs to the theorem
        return False
    return command.word in _LEFT_OUT or bool(_LIMITS.match(block, command.start))


def _text(command: Command, block: str) -> str:
    return block[command.start : command.end]


FORMALISE: Role[str] = Role(RoleName.FORMALISE, parse, ("problem", "name", "header"))
