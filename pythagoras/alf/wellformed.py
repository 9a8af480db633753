"""Whether a variant is a well-formed problem, by rules: what Lean accepts may still be nothing that one would pose.

The counterpart of `chat.ChatJudge`. The rules look at the text and, where the language reads it, at the meaning. They
refuse rather than let something odd into a benchmark; what the original does as well is no fault of its variant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Protocol

from pythagoras.alf.variants import Parent, Variant
from pythagoras.errors import InputError
from pythagoras.language.evaluate import example
from pythagoras.language.meaning import Apply, Claim
from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.lean.tokens import Sort, tokens

_ALIKE = frozenset({"=", "≤", "≥", "∣", "iff", "implies"})
"""Relations that hold of anything and itself."""
_DATA = frozenset(
    ["ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Nat", "Int", "Rat", "Real", "Bool", "Prop", "Fin", "Set", "Finset", "List"]
)
_RELATIONS = frozenset(["=", "≠", "<", "≤", ">", "≥", "∣", "∈", "↔", "∧", "∨", "¬", "∀", "∃"])


class Judge(Protocol):
    """Whoever looks over variants: rules or a chat model."""

    @property
    def name(self) -> str: ...

    def faults(self, pairs: Sequence[tuple[Parent, Variant]]) -> list[str]:
        """For each variant of a parent what is wrong with it, in one line; empty when nothing is."""
        ...


class RulesJudge:
    """Judges by the rules of this module."""

    name = "rules"

    def faults(self, pairs: Sequence[tuple[Parent, Variant]]) -> list[str]:
        return [fault(parent, variant) for parent, variant in pairs]


def fault(parent: Parent, variant: Variant) -> str:
    """The first thing that is wrong with a variant; empty when nothing is."""
    try:
        statement = parse_statement(f"{variant.text} := sorry")
    except InputError as error:
        return str(error)
    own = {kind for kind, _ in _faults(parent.statement, parent.claim)}
    found = (f"{kind}: {what}" for kind, what in _faults(statement, variant.claim) if kind not in own)
    return next(found, "") or _unsatisfied(parent.claim, variant.claim)


def _faults(statement: Statement, claim: Claim | None) -> Iterator[tuple[str, str]]:
    """What is wrong with a statement by itself: the kind of fault, and where."""
    binders = statement.binders
    behind = [*(binder.text for binder in binders), statement.goal]
    for at, binder in enumerate(binders):
        if not _is_data(binder.type):
            continue
        used = {part for text in (binder.type, *behind[at + 1 :]) for part in _names(text)}
        yield from (("a variable that nothing is said about", name) for name in binder.names if name not in used)
    types = [_plain(binder.type) for binder in statement.hypotheses]
    yield from (("a hypothesis that stands there twice", one) for at, one in enumerate(types) if one in types[:at])
    if _plain(statement.goal) in types:
        yield "a conclusion that is supposed", statement.goal
    if claim is not None and _is_nothing(claim):
        yield "a conclusion that says nothing", statement.goal


def _is_nothing(claim: Claim) -> bool:
    match claim.goal:
        case Apply("true", _):
            return True
        case Apply(sign, (left, right)):
            return sign in _ALIKE and left == right
    return claim.goal in claim.hypotheses


def _unsatisfied(original: Claim | None, claim: Claim | None) -> str:
    """Whether no small values satisfy the hypotheses, where some satisfy those of the original."""
    if original is None or claim is None or not claim.hypotheses or claim.goal == Apply("false", ()):
        return ""  # where a contradiction is to be shown, nothing can satisfy them
    if example(claim, Random(0)) is not None:
        return ""
    found = example(original, Random(0)) is not None
    return "hypotheses that no values were found for, as were for the original" if found else ""


def _is_data(type_text: str) -> bool:
    """Whether it is a type of numbers, functions, sets and the like, as far as its words tell."""
    words = [token.text for token in tokens(type_text)]
    return bool(words) and (words[0] in _DATA or "→" in words) and not _RELATIONS.intersection(words)


def _names(text: str) -> Iterator[str]:
    for token in tokens(text):
        if token.sort is Sort.NAME:
            yield token.text
            yield token.text.partition(".")[0]


def _plain(text: str) -> str:
    return " ".join(token.text for token in tokens(text))
