"""A goal as the search sees it: variables, facts, and what is to be shown.

It begins as the statement says and follows the search's own moves; Lean's goal states are not needed for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

from pythagoras.generate.searching.terms import NotRead, Term, free, read, substitute, subterms
from pythagoras.generate.searching.values import INT, NAT, RAT, Effort
from pythagoras.lean.statements import Statement

NUMBERS = (NAT, INT, RAT)
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SAME = {"Nat": NAT, "Int": INT, "Rat": RAT}


@dataclass(frozen=True, slots=True)
class Fact:
    """A hypothesis."""

    name: str
    claim: Term


@dataclass(frozen=True, slots=True)
class Variable:
    """Something of which the goal speaks."""

    name: str
    type: Term
    value: Term | None = None
    """What a `let` says that it is."""


@dataclass(frozen=True)
class Goal:
    """What is to be shown, and what is given."""

    variables: tuple[Variable, ...]
    facts: tuple[Fact, ...]
    target: Term
    taken: frozenset[str] = field(default=frozenset())
    """Names that must not be used again."""
    effort: Effort = field(default_factory=Effort, compare=False, repr=False)
    """What may still be computed for it, and for all goals that come of it."""

    @cached_property
    def domains(self) -> Mapping[str, str]:
        """The numbers that each variable stands for, or that each function's values are."""
        found = {}
        for variable in self.variables:
            result = variable.type
            while result.is_sign("→"):
                result = result.right
            kind = _SAME.get(result.name, result.name)
            if result.kind == "name" and kind in NUMBERS:
                found[variable.name] = kind
        return found

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Variables that are numbers themselves."""
        return tuple(
            variable.name
            for variable in self.variables
            if variable.name in self.domains and variable.type.kind == "name"
        )

    @cached_property
    def mentioned(self) -> frozenset[str]:
        return free(self.target)

    @cached_property
    def signs(self) -> frozenset[str]:
        """Every sign, binder and constant that occurs in what is given and what is to be shown."""
        claims = (self.target, *(fact.claim for fact in self.facts))
        return frozenset(
            name for claim in claims for term in subterms(claim) if (name := term.name) and term.kind != "number"
        )

    @cached_property
    def used(self) -> frozenset[str]:
        """Names that stand for something: one of them, bound again, would hide it."""
        names = {variable.name for variable in self.variables} | {fact.name for fact in self.facts}
        return self.mentioned.union(self.taken, names, *(free(fact.claim) for fact in self.facts))

    @cached_property
    def is_closed(self) -> bool:
        """Whether the target speaks of no variable: it can be computed."""
        return not any(variable.name in self.mentioned for variable in self.variables)

    def has(self, *names: str) -> bool:
        return not self.signs.isdisjoint(names)

    def about(self, kind: str) -> bool:
        """Whether numbers of that kind occur."""
        return kind in self.domains.values() or kind in self.signs

    def fresh(self, wanted: str) -> str:
        """That name, or the first with a subscript that is free."""
        if wanted not in self.used:
            return wanted
        return next(name for index in count(1) if (name := wanted + str(index).translate(_SUBSCRIPTS)) not in self.used)

    def given(self, claim: Term, wanted: str = "h") -> tuple[Goal, Fact]:
        """The goal with one more fact, under a name that is free."""
        fact = Fact(self.fresh(wanted), claim)
        return replace(self, facts=(*self.facts, fact)), fact

    def let(self, variable: Variable) -> Goal:
        return replace(self, variables=(*self.variables, variable))

    def to(self, target: Term) -> Goal:
        return replace(self, target=target)

    def without(self, names: Iterable[str]) -> Goal:
        """The goal without some facts; their names stay taken."""
        gone = frozenset(names)
        kept = tuple(fact for fact in self.facts if fact.name not in gone)
        return replace(self, facts=kept, taken=self.taken | gone)

    def replaced(self, variable: str, by: Term) -> Goal:
        """The goal with a term in the place of a variable, as `subst` leaves it."""
        values = {variable: by}
        return replace(
            self,
            variables=tuple(each for each in self.variables if each.name != variable),
            facts=tuple(Fact(fact.name, substitute(fact.claim, values)) for fact in self.facts),
            target=substitute(self.target, values),
            taken=self.taken | {variable},
        )


def opened(statement: Statement) -> Goal:
    """The goal that a statement opens. Raises NotRead."""
    hypotheses = set(statement.hypotheses)
    variables: list[Variable] = []
    facts: list[Fact] = []
    for binder in statement.binders:
        if not binder.names:
            continue
        type_ = read(binder.type) if binder.type else None
        if type_ is None:
            raise NotRead(f"{binder.text} says no type")
        for name in binder.names:
            if binder in hypotheses:
                facts.append(Fact(name, type_))
            else:
                variables.append(Variable(name, type_))
    return Goal(tuple(variables), tuple(facts), read(statement.goal), frozenset({statement.name}))
