"""The symbolic mutator: of a statement, one variant in each category, made by operators and without Lean.

Operators propose (`alf/mutations`); here it is chosen among them, at random, with weights that give rare ones their
turn. A proposal is refused when it says what its parent or a sibling says, is no statement, is too long, or, where
that is asked for, when small numbers refute it. A meaning that is written is read again, and must be the same. The
same parent and the same random numbers give the same variants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from statistics import median
from typing import Protocol

from pythagoras.alf.partners import Partners
from pythagoras.alf.reals import is_real, rational, real
from pythagoras.alf.variants import Category, Made, Operator, Parent, Promise, Variant
from pythagoras.corpus.goals import without_lemmas
from pythagoras.corpus.records import (
    Formalisation,
    Instance,
    Provenance,
    Tier,
    Truth,
    formal_text,
    record_id,
    settings_text,
)
from pythagoras.errors import InputError
from pythagoras.language.bare import bare
from pythagoras.language.evaluate import refuted
from pythagoras.language.lean_reader import read_lean, read_statement, read_written
from pythagoras.language.lean_writer import written
from pythagoras.language.meaning import Claim
from pythagoras.language.normal import key
from pythagoras.language.reading import NotRead
from pythagoras.lean.canonical import canonical_text
from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.lean.tokens import Sort, tokens


class Refusal(StrEnum):
    """Why there is no variant in a category: what became of the proposal that came farthest."""

    NONE = "no operator applies"
    NO_ANSWER = "no usable answer"
    """A model's answer is empty or cut off, or says that it can't."""
    FAILED = "a model could not be asked"
    """Which says nothing about the statement."""
    ILL_FORMED = "ill-formed"
    TOO_LONG = "too long"
    SAME_AS_PARENT = "the same as its parent"
    SAME_AS_SIBLING = "the same as a sibling"
    REFUTED = "refuted by small numbers"


@dataclass(frozen=True, slots=True)
class Missing:
    """A category without a variant."""

    category: Category
    reason: Refusal
    detail: str = ""
    """What was proposed and refused, for people: how often for which reason."""


class Mutator(Protocol):
    """Whatever makes variants: rules or a chat model."""

    def variants_of(self, parent: Parent, rng: Random) -> Sequence[Variant | Missing]:
        """One variant in each category, in the order of the categories, or why there is none."""
        ...


@dataclass(frozen=True, slots=True)
class SymbolicMutator:
    """Chooses among operators."""

    operators: Mapping[str, Operator]
    weights: Mapping[str, float] = field(default_factory=dict)
    """How likely an operator is asked before the others of its category; 1 where it is not named."""
    categories: tuple[Category, ...] = tuple(Category)
    longest: int = 1_500
    """Characters of a statement."""
    proposals: int = 4
    """That are looked at, of one operator."""
    refute: bool = False
    """Whether small numbers are tried on what has a meaning, and what they refute is refused."""
    tries: int = 60
    """How many choices of numbers."""
    partners: Partners | None = None
    """Where partners of a parent come from that has none of its own."""

    def variants_of(self, parent: Parent, rng: Random) -> Sequence[Variant | Missing]:
        if self.partners is not None and not parent.partners:
            parent = self.partners.of(parent, rng)
        seen = _Seen(parent)
        return [self._one(parent, category, seen, rng) for category in self.categories]

    def _one(self, parent: Parent, category: Category, seen: _Seen, rng: Random) -> Variant | Missing:
        refusals: Counter[Refusal] = Counter()
        name = variant_name(parent.statement, category)
        for operator, made in self._proposals(parent, category, rng, refusals):
            variant = _built(parent, operator, made, name)
            refusal = self._refusal(variant, seen, rng)
            if refusal is None:
                assert variant is not None
                seen.add(variant)
                return variant
            refusals[refusal] += 1
        order = list(Refusal)
        reason = max(refusals, key=order.index, default=Refusal.NONE)
        return Missing(category, reason, ", ".join(f"{count} {one}" for one, count in sorted(refusals.items())))

    def _proposals(
        self, parent: Parent, category: Category, rng: Random, refusals: Counter[Refusal]
    ) -> Iterator[tuple[Operator, Made]]:
        operators = [one for one in self.operators.values() if one.category is category]
        for operator in _shuffled(operators, self.weights, rng):
            made = iter(operator.make(parent, rng))
            for _ in range(self.proposals):
                try:
                    proposal = next(made)
                except StopIteration:
                    break
                except NotRead:  # what it would make can't be said
                    refusals[Refusal.ILL_FORMED] += 1
                    break
                yield operator, proposal

    def _refusal(self, variant: Variant | None, seen: _Seen, rng: Random) -> Refusal | None:
        if variant is None:
            return Refusal.ILL_FORMED
        if len(variant.text) > self.longest:
            return Refusal.TOO_LONG
        same = seen.same(variant)
        if same is not None:
            return same
        if self.refute and variant.claim is not None and refuted(variant.claim, rng, self.tries) is not None:
            return Refusal.REFUTED
        return None


def learned_mutator(
    operators: Mapping[str, Operator], parents: Iterable[Parent], seed: int, *, refute: bool = False, sample: int = 100
) -> SymbolicMutator:
    """A mutator that knows a corpus: who shares expressions with whom, and how often each operator applies."""
    known = list(parents)
    index = Partners(known)
    rng = Random(f"weights {seed}")
    tried = [index.of(parent, rng) for parent in rng.sample(known, min(len(known), sample))]
    return SymbolicMutator(operators, learned_weights(operators, tried, rng), refute=refute, partners=index)


def learned_weights(operators: Mapping[str, Operator], parents: Sequence[Parent], rng: Random) -> dict[str, float]:
    """Weights that make operators come up equally often, as far as they apply: learned from a sample of parents.

    To be learned once, before a run: then what becomes of a parent does not depend on the parents before it. Operators
    that look at traces are learned from parents that have one; without such they weigh what is usual in their category.
    """
    weights: dict[str, float] = {}
    for name, operator in operators.items():
        asked = [parent for parent in parents if parent.trace is not None or not operator.of_proof]
        if asked:
            applies = sum(_applies(operator, parent, rng) for parent in asked)
            weights[name] = (1 + len(asked)) / (1 + applies)
    for name, operator in operators.items():
        if name not in weights:
            others = [
                weights[one.name]
                for one in operators.values()
                if one.category is operator.category and not one.of_proof
            ]
            weights[name] = median(others) if others else 1.0
    return weights


def _applies(operator: Operator, parent: Parent, rng: Random) -> bool:
    try:
        return next(iter(operator.make(parent, rng)), None) is not None
    except NotRead:
        return False


# --- parents and records ---------------------------------------------------------------------------


def parent_of(record: Formalisation | Instance) -> Parent:
    """A record as operators see it, without trace and partners. Raises InputError where it has no statement."""
    text = formal_text(record)
    context = without_lemmas(record.context, text) if record.context else ""
    source = f"{context}\n\n{text} := sorry" if context else f"{text} := sorry"
    statement = parse_statement(source, header=record.header)
    return Parent(record, statement, _claim(statement))


def as_record(parent: Parent, variant: Variant, run: str = "") -> Formalisation:
    """A variant as it stands in a corpus: its maker is the operator."""
    record = parent.record
    return Formalisation(
        name=variant_name(parent.statement, variant.category),
        text=variant.text,
        source=record.source,
        header=record.header,
        context=parent.statement.context,
        topic=record.topic,
        tier=Tier.ALF,
        truth=Truth.TRUE if parent.is_known_true and variant.promise is Promise.TRUE else Truth.UNKNOWN,
        provenance=Provenance(
            parent=record_id(record),
            maker=variant.operator,
            settings=settings_text({"category": variant.category.value, "promise": variant.promise.value}),
            run=run,
        ),
    )


def variant_name(statement: Statement, category: Category) -> str:
    """The parent's name, without its namespace, and a word for the category."""
    own = statement.name.rpartition("»")[0] + "»" if statement.name.endswith("»") else statement.name.split(".")[-1]
    plain = "".join(letter if _is_name(f"a{letter}") else "_" for letter in own.strip("«»")).strip("_")
    name = plain if _is_name(plain) else f"problem_{plain}".strip("_")  # it may begin with a digit, or be empty
    return f"{name}_{_WORDS[category]}"


def _is_name(text: str) -> bool:
    """Whether Lean takes it for a name without brackets."""
    found = tokens(text)
    return len(found) == 1 and found[0].sort is Sort.NAME and found[0].text == text


_WORDS = {
    Category.SIMPLIFICATION: "simpler",
    Category.GENERALISATION: "general",
    Category.LEMMA: "lemma",
    Category.DECOMPOSITION: "step",
    Category.REFORMULATION: "again",
}


# --- proposals -------------------------------------------------------------------------------------


def _shuffled(operators: Sequence[Operator], weights: Mapping[str, float], rng: Random) -> list[Operator]:
    """In a random order, in which heavier ones tend to be first."""
    drawn = {one.name: rng.random() ** (1 / weights.get(one.name, 1.0)) for one in operators}
    return sorted(operators, key=lambda one: drawn[one.name], reverse=True)


def _built(parent: Parent, operator: Operator, made: Made, name: str) -> Variant | None:
    """The variant as it would be kept; None where it is no statement."""
    if isinstance(made, Claim):
        text = _written(made, name)
        if text is None:
            return None
        if is_real(parent.statement.text):
            text = real(text)
        return Variant(text, operator.category, operator.name, operator.promise, made)
    statement = _statement(f"theorem {name} {made.strip()}", parent)
    if statement is None:
        return None
    return Variant(statement.text, operator.category, operator.name, operator.promise, _claim(statement))


def _written(claim: Claim, name: str) -> str | None:
    """The claim as Lean; None where Lean can't say it, or would take what is written for something else."""
    try:
        found = written(claim)
        read = read_written(found)
        return found.theorem(name) if bare(read) == bare(claim) or key(read) == key(claim) else None
    except NotRead:
        return None


def _statement(text: str, parent: Parent) -> Statement | None:
    """The text as a statement on the parent's context; None where it is none, or has something behind it."""
    context = parent.statement.context
    try:
        found = parse_statement(f"{context}\n\n{text} := sorry", header=parent.statement.header)
    except InputError:
        return None
    return found if found.text == text and found.goal else None


def _claim(statement: Statement) -> Claim | None:
    if statement.context.strip():
        return None
    text = rational(statement.text)
    try:
        return read_statement(statement) if text == statement.text else read_lean(text)
    except NotRead:
        return None


class _Seen:
    """What a new variant must not say again."""

    def __init__(self, parent: Parent) -> None:
        self._parent = parent
        self._parent_key = None if parent.claim is None else key(parent.claim)
        self._parent_text = ""
        self._asked: tuple[Claim | None, str | None] = (None, None)
        self._keys: set[str] = set()
        self._texts: set[str] = set()

    def same(self, variant: Variant) -> Refusal | None:
        """A reformulation may mean what its parent means, but must not be the same but for names and spacing."""
        try:
            own = self._key(variant.claim)
        except NotRead:
            return Refusal.ILL_FORMED
        if own is not None and own in self._keys:
            return Refusal.SAME_AS_SIBLING
        if own is not None and own != self._parent_key:
            return None
        if own is not None and variant.category is not Category.REFORMULATION:
            return Refusal.SAME_AS_PARENT
        text = self._text(variant)
        if text in self._texts:
            return Refusal.SAME_AS_SIBLING
        self._parent_text = self._parent_text or canonical_text(self._parent.statement)
        return Refusal.SAME_AS_PARENT if text == self._parent_text else None

    def add(self, variant: Variant) -> None:
        own = self._key(variant.claim)
        if own is None:
            self._texts.add(self._text(variant))
        else:
            self._keys.add(own)

    def _key(self, claim: Claim | None) -> str | None:
        """What is added was asked about just before."""
        if claim is not self._asked[0]:
            self._asked = (claim, None if claim is None else key(claim))
        return self._asked[1]

    def _text(self, variant: Variant) -> str:
        statement = _statement(variant.text, self._parent)
        return variant.text if statement is None else canonical_text(statement)
