"""Statement alignment: whether what a prover wrote is about the statement that it was asked, told without Lean.

The paper keeps a pair when the proof references its target statement. Here a completion is aligned when all of this
holds, in this order:

1. The sampler ended it by itself: what ran into the limit of tokens may have gone on.
2. It has no word that no proof may have (`sorry`, `axiom`, `native_decide`, ...), it is not longer than what is judged,
   and something stands in the place of the proof: the first two rungs of the verdict (`pythagoras.lean.submission`).
3. The proof stands behind `:=`; cases right behind the statement can't be kept in an instance.
4. A completion that states theorems states the target among them, by its name, and token for token: where it repeats
   another statement under that name, its proof is one of that other statement. A proof body alone repeats none.
5. Names that can only be local are introduced by somebody. Those are `h`, `hx`, `h₁`, `ih`, `n`, `x'` and the like (a
   letter, or `h` or `ih` with at most one letter, and digits or primes; in `h.le` it is `h`). They must occur in the
   statement, in what stands before it, or in the proof at a place where names are introduced: behind `intro`, `obtain`,
   `have`, `with`, `fun`, `∀`, `|`, `case` and so on. It is not told whether that place comes first or is in scope.
6. No text of it is a special token of chats, which training refuses.

It is no check of correctness: an aligned proof may be wrong in every other way. Nor does a verdict rest on it: it says
which pairs are kept unverified, and the audit says what that is worth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pythagoras.corpus.judgements import readable
from pythagoras.corpus.proofs import context_in, has_body, proof_in, reasoning_in
from pythagoras.generate.sampler import Finish, Sample
from pythagoras.lean import signatures
from pythagoras.lean.statements import Statement
from pythagoras.lean.submission import prepare, read
from pythagoras.lean.tokens import Sort, Token, tokens
from pythagoras.lean.verdict import STANDARD, Reason, Refusal


class Fault(StrEnum):
    """Why a completion is not aligned with its statement."""

    CUT = "cut off at the limit of tokens"
    NO_PROOF = "no proof of the target"
    FORBIDDEN = "a word that no proof may have"
    TOO_LONG = "too long"
    OTHER_STATEMENT = "another statement under the target's name"
    NO_BODY = "proved by cases, without :="
    UNKNOWN_NAME = "a name that nobody introduced"
    SPECIAL_TOKEN = "a special token of chats"


@dataclass(frozen=True, slots=True)
class Misaligned:
    """A completion that is not about its statement."""

    fault: Fault
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Aligned:
    """What a pair has from a completion."""

    proof: str
    """What stands behind `:=`."""
    context: str
    """What stands before the statement: its own context, and lemmas that the prover put there."""
    reasoning: str


def align(statement: Statement, sample: Sample) -> Aligned | Misaligned:
    """Whether a completion is about the statement; see the module for what that means."""
    text = readable(sample.text)
    if sample.finish is Finish.LENGTH:
        return Misaligned(Fault.CUT, f"{sample.generated_tokens} tokens")
    prepared = prepare(statement, text, STANDARD)
    if isinstance(prepared, Refusal):
        return Misaligned(_FAULTS.get(prepared.reason, Fault.FORBIDDEN), prepared.detail)
    if not has_body(prepared):
        return Misaligned(Fault.NO_BODY)
    if other := _other_statement(statement, text):
        return Misaligned(Fault.OTHER_STATEMENT, other)
    found = Aligned(proof_in(prepared), context_in(prepared, statement), reasoning_in(text, statement))
    if unknown := unknown_names(found.proof, f"{found.context}\n\n{statement.text}"):
        return Misaligned(Fault.UNKNOWN_NAME, ", ".join(unknown))
    return found


_FAULTS = {Reason.NO_PROOF: Fault.NO_PROOF, Reason.TOO_LONG: Fault.TOO_LONG}


def _other_statement(statement: Statement, text: str) -> str:
    """What a completion states under the target's name, where it is not the target; empty where it is, or for a body.

    `read` has found the target in it, else there would be no proof.
    """
    written = read(statement, text)
    if written.before is None:
        return ""
    ours = _signature(statement.text)
    theirs = [
        _signature(written.block[command.start : command.end])
        for command in signatures.commands(written.block)
        if command.word in signatures.THEOREMS and statement.name in (command.name, command.written_name)
    ]
    return "" if theirs and theirs[-1] == ours else " ".join(theirs[-1] if theirs else ())


def _signature(command: str) -> tuple[str, ...]:
    """The tokens of a theorem behind its keyword and name, up to its proof."""
    line = tokens(command)
    keyword = next((at for at, token in enumerate(line) if token.text in signatures.THEOREMS), 0)
    rest = line[keyword + 2 :]
    return tuple(token.text for token in rest[: signatures.value_of(rest)])


# --- names ----------------------------------------------------------------------------------------

_LOCAL = re.compile(r"(?:i?h[a-zA-Z]?|[a-z])[0-9₀-₉]*'*")
"""What nobody calls a theorem or a tactic: where it stands in a proof, it is a variable or a hypothesis."""
_BINDING = frozenset(
    [
        *("intro", "intros", "rintro", "obtain", "have", "haveI", "let", "letI", "suffices", "fun", "λ", "with", "ext"),
        *(
            "funext",
            "rename_i",
            "next",
            "case",
            "case'",
            "by_cases",
            "by_contra",
            "by_contra!",
            "if",
            "replace",
            "wlog",
            "rec",
        ),
        *("∀", "∃", "∑", "∏", "|", "?"),
    ]
)
"""Names behind these are introduced, up to a colon, `:=`, `=>`, a comma, the next tactic or the line's end."""
_BINDING_LINES = frozenset({"generalize", "choose", "rename", "set", "induction'", "cases'", "injection"})
"""The same for all names of the line."""
_NAMING = frozenset({"cases", "rcases", "match", "induction"})
"""A name between one of these and a colon is that of an equation: `cases h : f x`."""
_ENDS = frozenset({":", ":=", "=>", "↦", ",", ";", "<;>", "from", "then", "using", "at"})


def unknown_names(proof: str, before: str) -> tuple[str, ...]:
    """Names in a proof that can only be local, and that neither it nor what stands before it introduces."""
    line = tokens(proof)
    known = {_head(token) for token in tokens(before) if token.sort is Sort.NAME} | set(_introduced(line))
    used = (_head(token) for token in line if token.sort is Sort.NAME)
    return tuple(dict.fromkeys(name for name in used if _LOCAL.fullmatch(name) and name not in known))


def _introduced(line: Sequence[Token]) -> Iterator[str]:
    for at, token in enumerate(line):
        if token.text in _BINDING or token.text in _BINDING_LINES:
            whole = token.text in _BINDING_LINES
            yield from (name.text for name in _behind(line[at + 1 :], token.depth, whole) if name.sort is Sort.NAME)
        elif (token.text == ":=" and at and token.depth) or (
            token.text == ":" and at > 1 and line[at - 2].text in _NAMING
        ):  # a named argument: `(n := 3)`
            yield line[at - 1].text


def _behind(line: Sequence[Token], depth: int, whole: bool) -> Iterator[Token]:
    """The tokens behind a word that introduces names; brackets around them may go over lines."""
    for token in line:
        if token.depth < depth or (token.depth == depth and (token.first or (token.text in _ENDS and not whole))):
            return
        yield token


def _head(token: Token) -> str:
    return token.text.partition(".")[0]
