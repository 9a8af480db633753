"""What a statement means, apart from the words or the Lean that say it.

A small term language for elementary mathematics. Readers (`english`, `lean_reader`) make meanings, writers (`spoken`,
`lean_writer`) say them, `normal` decides whether two are the same. What none of these signs can say is not read at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, dataclass_transform

_Class = TypeVar("_Class")


@dataclass_transform(frozen_default=True)
def immutable(cls: type[_Class]) -> type[_Class]:
    """A part of a meaning. To mypy it is frozen; at run time it is not, so that terms are made faster."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


@immutable
class Number:
    """A numeral. Never negative: that is `Apply("neg", ...)`; a fraction is `Apply("/", ...)`."""

    value: int


@immutable
class Variable:
    """A variable, a function or a proposition by its name."""

    name: str


@immutable
class Apply:
    """A sign of `SIGNS` with its arguments."""

    sign: str
    args: tuple[Term, ...]


@immutable
class Call:
    """A function variable (or a `fun`) at its arguments: `f (n + 1)`."""

    function: Term
    args: tuple[Term, ...]


@immutable
class Bind:
    """A sign of `BINDERS` with the variables that it binds.

    `domain` is what the variable of `∑`, `∏` and `filter` runs over; elsewhere it is None, and bounds (`∃ k < 6`) are
    part of the body: with `and` for `∃`, with `implies` for `∀`.
    """

    sign: str
    variables: tuple[Typed, ...]
    body: Term
    domain: Term | None = None


@immutable
class Let:
    """A named value inside of a goal: `let total : ℕ := 3 * 16`, and what follows."""

    variable: Typed
    value: Term
    body: Term


@immutable
class Cast:
    """A term taken as of another type. Writers put it where Lean needs it; `normal` looks through it."""

    type: str
    term: Term


@immutable
class Typed:
    """A variable with its type: `ℕ`, `ℤ`, `ℚ`, `Prop`, or a function's, `ℕ → ℤ`, `ℕ → Prop`."""

    name: str
    type: str


Term: TypeAlias = Number | Variable | Apply | Call | Bind | Let | Cast


@immutable
class Claim:
    """A whole statement: for all these variables, under these hypotheses, this holds."""

    variables: tuple[Typed, ...]
    hypotheses: tuple[Term, ...]
    goal: Term


SIGNS = {
    # arithmetic; `%` is the remainder, `//` division that rounds down
    "+": 2, "-": 2, "*": 2, "/": 2, "//": 2, "^": 2, "%": 2, "neg": 1, "abs": 1,
    "gcd": 2, "lcm": 2, "fib": 1, "choose": 2, "factorial": 1, "totient": 1, "min": 2, "max": 2,
    # collections: what `∑` runs over, what is counted, digits
    "range": 1, "icc": 2, "divisors": 1, "card": 1, "digits": 2, "list_sum": 1, "list": None, "∈": 2,
    # relations; `≡` has the modulus last, `digits` the base first
    "=": 2, "≠": 2, "<": 2, "≤": 2, ">": 2, "≥": 2, "∣": 2, "≡": 3,
    # properties; `least` and `greatest` take a `set` and the value
    "even": 1, "odd": 1, "coprime": 2, "prime": 1, "injective": 1, "surjective": 1, "bijective": 1,
    "least": 2, "greatest": 2,
    # logic
    "and": None, "or": None, "not": 1, "implies": 2, "iff": 2, "true": 0, "false": 0,
}  # fmt: skip
"""Every sign with its number of arguments; None for two or more (for `list`: any number)."""

BINDERS = ("∀", "∃", "∃!", "fun", "set", "∑", "∏", "filter")
"""`set` is {x : T | body}; `filter` is those elements of the domain for which the body holds."""


def children(term: Term) -> tuple[Term, ...]:
    """The terms directly inside of a term."""
    match term:
        case Apply():
            return term.args
        case Number() | Variable():
            return ()
        case Call():
            return (term.function, *term.args)
        case Bind():
            return (term.body,) if term.domain is None else (term.domain, term.body)
        case Let():
            return (term.value, term.body)
        case Cast():
            return (term.term,)


def with_children(term: Term, inside: Sequence[Term]) -> Term:
    """The term with other terms directly inside of it, in the order of `children`."""
    match term:
        case Apply():
            return Apply(term.sign, tuple(inside))
        case Call():
            return Call(inside[0], tuple(inside[1:]))
        case Bind():
            return Bind(term.sign, term.variables, inside[-1], None if term.domain is None else inside[0])
        case Let():
            return Let(term.variable, inside[0], inside[1])
        case Cast():
            return Cast(term.type, inside[0])
    return term


def walk(term: Term) -> Iterator[Term]:
    """The term and all that is inside of it."""
    ahead = [term]
    while ahead:
        one = ahead.pop()
        yield one
        if type(one) is Apply:  # most of what has something inside
            ahead += one.args[::-1]
        elif type(one) is not Number and type(one) is not Variable:
            ahead += children(one)[::-1]


def free_variables(term: Term) -> frozenset[str]:
    """Names that the term uses and does not bind."""
    match term:
        case Variable():
            return frozenset({term.name})
        case Bind():
            inside = free_variables(term.body) - {variable.name for variable in term.variables}
            return inside if term.domain is None else inside | free_variables(term.domain)
        case Let():
            return free_variables(term.value) | (free_variables(term.body) - {term.variable.name})
    return frozenset[str]().union(*map(free_variables, children(term)))


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """The term with free variables replaced. Bound names that would catch one of a value's are renamed."""
    if not values:
        return term
    match term:
        case Variable():
            return values.get(term.name, term)
        case Apply():
            return Apply(term.sign, tuple(substitute(arg, values) for arg in term.args))
        case Call():
            return Call(substitute(term.function, values), tuple(substitute(arg, values) for arg in term.args))
        case Cast():
            return Cast(term.type, substitute(term.term, values))
        case Bind():
            values = _meant(values, term)
            domain = None if term.domain is None else substitute(term.domain, values)
            variables, body = _apart(term.variables, term.body, values)
            return Bind(term.sign, variables, substitute(body, _without(values, variables)), domain)
        case Let():
            values = _meant(values, term)
            (variable,), body = _apart((term.variable,), term.body, values)
            inside = substitute(body, _without(values, (variable,)))
            return Let(variable, substitute(term.value, values), inside)
    return term


def _meant(values: Mapping[str, Term], term: Term) -> dict[str, Term]:
    """The values of variables that are free in the term: others can't be caught in it."""
    free = free_variables(term)
    return {name: value for name, value in values.items() if name in free}


def _without(values: Mapping[str, Term], bound: tuple[Typed, ...]) -> dict[str, Term]:
    names = {variable.name for variable in bound}
    return {name: value for name, value in values.items() if name not in names}


def _apart(bound: tuple[Typed, ...], body: Term, values: Mapping[str, Term]) -> tuple[tuple[Typed, ...], Term]:
    """Bound variables, and what they are bound in, under names that no value uses."""
    used = frozenset[str]().union(*map(free_variables, _without(values, bound).values()))
    fresh: dict[str, Term] = {}
    renamed: list[Typed] = []
    for variable in bound:
        name = variable.name
        while name in used or (name != variable.name and name in free_variables(body)):
            name += "'"
        renamed.append(Typed(name, variable.type))
        if name != variable.name:
            fresh[variable.name] = Variable(name)
    return tuple(renamed), substitute(body, fresh)
