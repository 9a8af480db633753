"""Whether a variant is a well-formed problem, by rules: what Lean accepts may still be nothing that one would pose.

The counterpart of `chat.ChatJudge`. The rules look at the text and, where the language reads it, at the meaning. They
refuse rather than let something odd into a benchmark; what the original does as well is no fault of its variant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from pythagoras.alf.variants import Parent, Promise, Variant
from pythagoras.errors import InputError
from pythagoras.language.evaluate import example, satisfied, value
from pythagoras.language.exact import Unknown
from pythagoras.language.meaning import Apply, Claim, Number, Term, Variable, free_variables, walk
from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.lean.tokens import Sort, tokens

_ALIKE = frozenset({"=", "≤", "≥", "∣", "iff", "implies"})
"""Relations that hold of anything and itself."""
_DATA = frozenset(
    ["ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Nat", "Int", "Rat", "Real", "Bool", "Prop", "Fin", "Set", "Finset", "List"]
)
_PLAIN = frozenset(["=", "≠", "<", "≤", ">", "≥", "∣", "+", "-", "*", "%", "neg", "even", "odd", "and", "or", "not"])
_SMALL, _LARGEST = 40, 10**6
"""Whole numbers that hypotheses are tried on: up to the first, and about what is written in them if that is no more
than the second."""
_RELATIONS = frozenset(["=", "≠", "<", "≤", ">", "≥", "∣", "∈", "↔", "∧", "∨", "¬", "∀", "∃"])


@dataclass(frozen=True, slots=True)
class Unjudged:
    """The judge could not be asked, which says nothing about the variant."""

    why: str


class Judge(Protocol):
    """Whoever looks over variants: rules or a chat model."""

    @property
    def name(self) -> str: ...

    def faults(self, pairs: Sequence[tuple[Parent, Variant]]) -> Sequence[str | Unjudged]:
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
    return next(found, "") or _unsatisfied(parent.claim, variant)


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
    if claim is not None:
        yield from _idle(claim)
        if _is_single(claim):
            yield "a single case", statement.goal
        if _is_nothing(claim):
            yield "a conclusion that says nothing", statement.goal


def _is_single(claim: Claim) -> bool:
    """Whether it is about nothing but given numbers: no variables, or an equation that says what each is."""
    free = {one.name for one in claim.variables}
    for hypothesis in claim.hypotheses:
        match hypothesis:
            case Apply("=", (Variable(name), given)) | Apply("=", (given, Variable(name))) if not free_variables(given):
                free.discard(name)
    return not free


def _idle(claim: Claim) -> Iterator[tuple[str, str]]:
    """Plain hypotheses about one whole number that hold of all of them, or of all that another one holds of.

    With powers and the like in it, one may be an induction's: that it holds of all numbers is to be shown.
    """
    types = {one.name: one.type for one in claim.variables if one.type in ("ℕ", "ℤ")}
    tried = _tried(claim.hypotheses)
    seen: list[tuple[str, frozenset[int]]] = []
    for hypothesis in claim.hypotheses:
        names = free_variables(hypothesis)
        if len(names) != 1 or not names <= types.keys() or not all(map(_is_plain, walk(hypothesis))):
            continue
        (name,) = names
        values = [number for number in tried if number >= 0 or types[name] == "ℤ"]
        truths = [satisfied(Claim((), (hypothesis,), claim.goal), {name: number}) for number in values]
        true = frozenset(number for number, truth in zip(values, truths, strict=True) if truth)
        if None in truths or not true:
            continue
        if len(true) == len(values):
            yield "a hypothesis that says nothing", f"about {name}"
        elif any(other == name and (true <= known or known <= true) for other, known in seen):
            yield "a hypothesis that another one implies", f"about {name}"
        seen.append((name, true))


def _is_plain(part: Term) -> bool:
    return part.sign in _PLAIN if isinstance(part, Apply) else isinstance(part, Variable | Number)


def _tried(hypotheses: Sequence[Term]) -> list[int]:
    """Small numbers, and some about and above each that is written down; none where one is too large to try others."""
    written = {abs(number) for one in hypotheses for part in walk(one) if (number := _written(part)) is not None}
    if max(written, default=0) > _LARGEST:
        return []
    near = {number + step for number in written for step in (-1, 0, 1)}
    above = {2 * max(written, default=0) + step for step in range(_SMALL)}
    found = {*range(_SMALL), *near, *above}
    return sorted(found | {-number for number in found})


def _written(part: Term) -> int | None:
    """A whole number as it is written: `1000`, or `10 ^ 3`."""
    if free_variables(part):
        return None
    try:
        found = value(part, {})
    except Unknown:
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _is_nothing(claim: Claim) -> bool:
    match claim.goal:
        case Apply("true", _):
            return True
        case Apply(sign, (left, right)):
            return sign in _ALIKE and left == right
    return claim.goal in claim.hypotheses


def _unsatisfied(original: Claim | None, variant: Variant) -> str:
    """Whether no small values satisfy the hypotheses, where some satisfy those of the original.

    Where nobody promises the variant to be true, that may be for other numbers in it; then what can't be satisfied is
    true for nothing, whatever can be found for the original.
    """
    claim = variant.claim
    if original is None or claim is None or not claim.hypotheses or claim.goal == Apply("false", ()):
        return ""  # where a contradiction is to be shown, nothing can satisfy them
    if example(claim, Random(0)) is not None:
        return ""
    if variant.promise is not Promise.TRUE:
        return "hypotheses that no values were found for"
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
