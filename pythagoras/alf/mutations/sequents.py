"""A statement as statement operators see it: variables, what is given, and the goal, all of them terms.

Where the language reads the statement these are its meaning, and what comes out is a `Claim`. Elsewhere they are
outlines (`outlines`), and what comes out is text. An operator is written once, for both; where it rests on arithmetic
it asks the scope for the kind of numbers that it has before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import TypeAlias

from pythagoras.alf.mutations.outlines import mentioned, names_in, outline, outline_text
from pythagoras.alf.variants import Category, Made, Operator, Parent, Promise
from pythagoras.language.bare import bare_term, number_type
from pythagoras.language.lean_text import binders
from pythagoras.language.meaning import (
    Apply,
    Bind,
    Call,
    Cast,
    Claim,
    Let,
    Number,
    Term,
    Typed,
    Variable,
    substitute,
    walk,
)
from pythagoras.language.reading import NotRead
from pythagoras.lean.statements import Binder, Statement

NUMBERS = ("ℕ", "ℤ", "ℚ", "ℝ", "ℂ")
"""Each within the next."""
ORDERED = ("ℕ", "ℤ", "ℚ", "ℝ")
WHOLE = ("ℕ", "ℤ")
_SHARED_KIND = frozenset(["+", "-", "*", "/", "//", "%", "neg", "abs", "min", "max"])
_REAL_FUNCTIONS = {
    **{f"Real.{name}": 1 for name in ["sqrt", "sin", "cos", "tan", "exp", "log", "arcsin", "arccos", "arctan"]},
    **{"Real.pi": 0, "Real.logb": 2},
}
"""With their numbers of arguments."""
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_LETTERS = "kmnpqrstuvwxyzabcdefgjl"
_WIDTH = 100
_LAID_OUT = frozenset(["let", "have", "match", "by", "do"])
"""Words behind which line breaks matter."""
_MOST = 6
"""Variants that one operator makes of one statement."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The types of the variables around a term."""

    types: Mapping[str, str]
    is_exact: bool
    """Whether terms are meanings: of mathematics' numbers, where subtraction goes below 0 and `/` does not round."""

    def inside(self, term: Term) -> Scope:
        own = term.variables if isinstance(term, Bind) else (term.variable,) if isinstance(term, Let) else ()
        return replace(self, types={**self.types, **{one.name: one.type for one in own}}) if own else self

    def kind(self, *terms: Term) -> str | None:
        """The numbers that these terms of one relation are of; None for what are no numbers, or nobody can tell."""
        found = [self._kind(term) for term in terms]
        known = [one for one in found if one is not None]
        return max(known, key=NUMBERS.index, default=None) if len(known) == len(found) else None

    def _kind(self, term: Term) -> str | None:
        if self.is_exact:
            return number_type(bare_term(term), self.types)
        match term:
            case Number():
                return "ℕ"
            case Variable(name) if name in _REAL_FUNCTIONS:
                return "ℝ" if _REAL_FUNCTIONS[name] == 0 else None
            case Variable(name):
                return self._number(self.types.get(name))
            case Call(Variable(name), args) if name in _REAL_FUNCTIONS:
                return "ℝ" if _REAL_FUNCTIONS[name] == len(args) else None
            case Call(Variable(name), args):
                parts = self.types.get(name, "").split(" → ")
                return self._number(parts[-1]) if len(parts) == len(args) + 1 else None
            case Cast(kind, inner):
                return self._number(kind) if self._kind(inner) is not None or kind else None
            case Apply("^", (base, _)):
                return self._kind(base)
            case Apply(sign, args) if sign in _SHARED_KIND:
                return self.kind(*args)
            case Apply("gcd" | "lcm"):
                return "ℕ"
            case Bind("∑" | "∏"):
                return self.inside(term)._kind(term.body)
        return None

    @staticmethod
    def _number(kind: str | None) -> str | None:
        return kind if kind in NUMBERS else None

    def is_ring(self, *terms: Term) -> bool:
        """Whether `+`, `-` and `*` between these terms are what they are in mathematics."""
        kind = self.kind(*terms)
        return kind is not None and (self.is_exact or kind != "ℕ")


@dataclass(frozen=True, slots=True)
class Given:
    """A hypothesis. Without a name it gets one when it is written."""

    term: Term
    name: str = ""


@dataclass(frozen=True, slots=True)
class Sequent:
    """What is given, and the goal."""

    variables: tuple[Typed, ...]
    given: tuple[Given, ...]
    goal: Term
    is_exact: bool = True
    before: tuple[str, ...] = ()
    """Binders that stand before all others and stay as they are: implicit ones, instances."""

    @property
    def hypotheses(self) -> tuple[Term, ...]:
        return tuple(one.term for one in self.given)

    @property
    def scope(self) -> Scope:
        return Scope({one.name: one.type for one in self.variables}, self.is_exact)

    @property
    def claim(self) -> Claim:
        return Claim(self.variables, self.hypotheses, self.goal)

    def names(self) -> frozenset[str]:
        """All that are taken."""
        own = {one.name for one in self.variables} | {one.name for one in self.given}
        return frozenset(own).union(*map(mentioned, (*self.hypotheses, self.goal)), *map(names_in, self.before))

    def proving(self, goal: Term) -> Sequent:
        return replace(self, goal=goal)

    def supposing(self, *terms: Term) -> Sequent:
        return replace(self, given=(*self.given, *map(Given, terms)))

    def without(self, at: int) -> Sequent:
        return replace(self, given=(*self.given[:at], *self.given[at + 1 :]))

    def exchanged(self, at: int, *terms: Term) -> Sequent:
        """With others in the place of a hypothesis; the first has its name."""
        new = [Given(term, self.given[at].name if number == 0 else "") for number, term in enumerate(terms)]
        return replace(self, given=(*self.given[:at], *new, *self.given[at + 1 :]))

    def introducing(self, *variables: Typed) -> Sequent:
        return replace(self, variables=(*self.variables, *variables))

    def mapped(self, change: Callable[[Term], Term]) -> Sequent:
        given = tuple(replace(one, term=change(one.term)) for one in self.given)
        return replace(self, given=given, goal=change(self.goal))

    def made(self) -> Made:
        """The variant, without variables that nothing is said about."""
        used = set[str]().union(*map(mentioned, (*self.hypotheses, self.goal)))
        kept: list[Typed] = []
        for one in reversed(self.variables):  # a type may mention variables before it
            if one.name in used or not self._is_number_like(one):
                kept.insert(0, one)
                used |= names_in(one.type)
        if self.is_exact:
            return Claim(tuple(kept), self.hypotheses, self.goal)
        return _text(replace(self, variables=tuple(kept)))

    @staticmethod
    def _is_number_like(variable: Typed) -> bool:
        return variable.type.split(" → ")[-1] in NUMBERS


Change: TypeAlias = Callable[[Sequent, Random], Iterable[Sequent]]


def operator(name: str, category: Category, promise: Promise, about: str, change: Change) -> Operator:
    """An operator that a change of sequents makes."""

    def make(parent: Parent, rng: Random) -> Iterator[Made]:
        found = sequent(parent)
        if found is not None:
            for number, one in enumerate(change(found, rng)):
                if number == _MOST:
                    return
                yield one.made()

    return Operator(name, category, promise, about, make)


def simplification(name: str, about: str, change: Change) -> Operator:
    return operator(name, Category.SIMPLIFICATION, Promise.TRUE, about, change)


def reformulation(name: str, about: str, change: Change) -> Operator:
    return operator(name, Category.REFORMULATION, Promise.TRUE, about, change)


# --- statements -----------------------------------------------------------------------------------


def sequent(parent: Parent) -> Sequent | None:
    """None for a statement that can't be taken apart without Lean."""
    claim = parent.claim
    if claim is not None:
        return Sequent(claim.variables, tuple(map(Given, claim.hypotheses)), claim.goal)
    return outlined(parent.statement)


@lru_cache(maxsize=64)
def outlined(statement: Statement) -> Sequent | None:
    """The statement as it is written, also where it has a meaning."""
    if "--" in statement.text or "/-" in statement.text or not statement.goal:
        return None
    bound = statement.binders
    first = max((at + 1 for at, one in enumerate(bound) if not _is_plain(one)), default=0)
    guessed = [one for one in bound[first:] if one in statement.hypotheses]
    variables = [Typed(name, one.type) for one in bound[first:] if one not in guessed for name in one.names]
    given = [Given(outline(_one_line(one.type)), name) for one in guessed for name in one.names]
    names = {one.name for one in given} - {"_"}
    texts = [*(one.type for one in bound), statement.goal]
    if names & frozenset[str]().union(*map(names_in, texts)):
        return None  # a hypothesis is part of what is said: nothing can be moved
    before = tuple(one.text for one in bound[:first])
    return Sequent(tuple(variables), tuple(given), outline(_one_line(statement.goal)), False, before)


def _is_plain(binder: Binder) -> bool:
    return binder.kind == "explicit" and bool(binder.type) and ":=" not in binder.text


def _one_line(text: str) -> str:
    return text if names_in(text) & _LAID_OUT else " ".join(text.split())


def _text(found: Sequent) -> str:
    taken = set(found.names())
    parts = [*found.before, *binders(found.variables)]
    for one in found.given:
        name = one.name or next(name for name in _hypothesis_names() if name not in taken)
        taken.add(name)
        parts.append(f"({name} : {outline_text(one.term)})")
    goal = outline_text(found.goal)
    line = " ".join((*parts, ":", goal))
    if len(line) <= _WIDTH:
        return line
    return "\n    ".join((" ".join(("\n    ".join(parts), ":")).strip(), goal))


def _hypothesis_names() -> Iterator[str]:
    number = 0
    while True:
        yield "h" + str(number).translate(_SUBSCRIPTS)
        number += 1


def fresh(taken: Iterable[str], wanted: str = _LETTERS) -> str:
    """A letter that is not taken; the letters with a sign behind them when all are. NotRead where all of those are."""
    used = set(taken)
    for behind in ("", "'", "₁", "₂", "₃"):
        for letter in wanted:
            if letter + behind not in used:
                return letter + behind
    raise NotRead("more than a hundred variables")


# --- terms ----------------------------------------------------------------------------------------

_PROPOSITIONS = frozenset(
    [
        *("=", "≠", "<", "≤", ">", "≥", "∣", "∈", "≡", "≡ℤ", "even", "odd", "coprime", "prime"),
        *("injective", "surjective", "bijective", "least", "greatest"),
        *("and", "or", "not", "implies", "iff", "true", "false"),
    ]
)
_OPPOSITE = {"=": "≠", "≠": "=", "<": "≥", "≥": "<", ">": "≤", "≤": ">"}
FALSE = Apply("false", ())


def is_proposition(term: Term) -> bool:
    """Whether it surely is one. A name, or text, may be anything."""
    if isinstance(term, Bind):
        return term.sign in ("∀", "∃", "∃!")
    return isinstance(term, Apply) and term.sign in _PROPOSITIONS


def denied(term: Term, scope: Scope) -> Term:
    """The negation, inside of a relation where that is the same."""
    match term:
        case Apply("not", (inner,)):
            return inner
        case Apply("=" | "≠" as sign, args):
            return Apply(_OPPOSITE[sign], args)
        case Apply(sign, args) if sign in _OPPOSITE and scope.kind(*args) in ORDERED:
            return Apply(_OPPOSITE[sign], args)
    return Apply("not", (term,))


def put(found: Sequent, name: str, value: Term) -> Sequent | None:
    """With a value for a variable, which is no longer one; None where text or a type mentions it."""
    parts = [part for term in (*found.hypotheses, found.goal) for part in walk(term)]
    texts = [one.type for one in found.variables]
    texts += [one.type for part in parts if isinstance(part, Bind) for one in part.variables]
    texts += [part.type for part in parts if isinstance(part, Cast)]
    texts += [part.name for part in parts if isinstance(part, Variable) and part.name != name]
    if any(name in names_in(text) for text in texts):
        return None
    variables = tuple(one for one in found.variables if one.name != name)
    return replace(found.mapped(lambda term: substitute(term, {name: value})), variables=variables)


def numbers(found: Sequent, *kinds: str) -> list[Typed]:
    """The variables of these kinds, those of the goal first."""
    used = mentioned(found.goal)
    return sorted(
        (one for one in found.variables if one.type in (kinds or NUMBERS)), key=lambda one: one.name not in used
    )
