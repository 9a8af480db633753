"""Theorems joined: two statements that share a sub-expression become one (the paper's lemma graph).

Partners are given with the parent (`partners.Partners` finds them), and known to be true. Their variables are first
renamed so that the shared expression is the same in both; whatever is joined then follows from both, so it is true if
the parent is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import TypeAlias

from pythagoras.alf.mutations.places import replaced
from pythagoras.alf.mutations.sequents import fresh
from pythagoras.alf.partners import by_shape
from pythagoras.alf.variants import Category, Made, Operator, Parent, Promise
from pythagoras.language.evaluate import example
from pythagoras.language.meaning import (
    Apply,
    Bind,
    Cast,
    Claim,
    Let,
    Number,
    Term,
    Typed,
    Variable,
    children,
    free_variables,
    substitute,
    walk,
)

_MOST_HYPOTHESES = 6
_TRIES = 40
_SMALLEST = 4
"""Signs of an expression that makes two statements worth one."""


Fits: TypeAlias = Callable[[Claim, Claim, Term, Term], bool]
"""Whether two claims can be joined, by their goals and what they share, once in the names of each."""


def aligned(claim: Claim, partner: Claim, rng: Random, fits: Fits) -> Iterator[tuple[Claim, Claim, Term]]:
    """Both claims with their goals opened, the partner's variables renamed, and an expression that both have."""
    (one, own), (other, theirs) = by_shape(claim), by_shape(partner)
    shared = sorted(code for code in own.keys() & theirs.keys() if fits(one, other, own[code], theirs[code]))
    for code in rng.sample(shared, len(shared)):
        names: dict[str, str] = {}
        if _match(theirs[code], own[code], {}, names) and len(set(names.values())) == len(names):
            renamed = _renamed(other, names, {variable.name for variable in one.variables})
            values: dict[str, Term] = {old: Variable(new) for old, new in names.items()}
            goal = replaced(renamed.goal, substitute(theirs[code], values), own[code])  # bound names may differ
            yield one, Claim(renamed.variables, renamed.hypotheses, goal), own[code]


def _match(pattern: Term, term: Term, bound: Mapping[str, str], names: dict[str, str]) -> bool:
    """Whether the one is the other under other names; those of free variables are written down."""
    match pattern, term:
        case Variable(old), Variable(new):
            return (
                bound[old] == new if old in bound else names.setdefault(old, new) == new and new not in bound.values()
            )
        case Bind(sign, theirs, _), Bind(other, own, _):
            if sign != other or [one.type for one in theirs] != [one.type for one in own]:
                return False
            bound = {**bound, **{one.name: two.name for one, two in zip(theirs, own, strict=True)}}
        case Apply(sign), Apply(other) if sign != other:
            return False
        case Cast(kind), Cast(other) if kind != other:
            return False
        case (Number() | Let(), _):
            return pattern == term
    parts, others = children(pattern), children(term)
    same = type(pattern) is type(term) and len(parts) == len(others)
    return same and all(_match(part, other, bound, names) for part, other in zip(parts, others, strict=True))


def _renamed(claim: Claim, names: Mapping[str, str], taken: set[str]) -> Claim:
    """With these names; the other variables get ones that nobody has."""
    used = {*taken, *names.values(), *(own.name for own in claim.variables)}
    new: dict[str, str] = dict(names)
    for variable in claim.variables:
        if variable.name not in new:
            name = variable.name if variable.name not in taken else fresh(used)
            used.add(name)
            new[variable.name] = name
    values: dict[str, Term] = {old: Variable(name) for old, name in new.items()}
    return Claim(
        tuple(Typed(new[one.name], one.type) for one in claim.variables),
        tuple(substitute(one, values) for one in claim.hypotheses),
        substitute(claim.goal, values),
    )


def _together(one: Claim, other: Claim, goal: Term, rng: Random) -> Claim | None:
    """A goal under the hypotheses of both; None where a variable has two types, or they may exclude each other."""
    variables = list(one.variables)
    for variable in other.variables:
        if variable not in variables:
            if variable.name in {known.name for known in variables}:
                return None
            variables.append(variable)
    given = tuple(dict.fromkeys((*one.hypotheses, *other.hypotheses)))
    made = Claim(tuple(variables), given, goal)
    used = [frozenset[str]().union(*map(free_variables, claim.hypotheses)) for claim in (one, other)]
    if len(given) > _MOST_HYPOTHESES or (used[0] & used[1] and example(made, rng, _TRIES) is None):
        return None
    return made


def _joined(parent: Parent, rng: Random) -> Iterator[Made]:
    for one, other, _ in _pairs(parent, rng, lambda one, other, own, theirs: _size(own) >= _SMALLEST):
        made = _together(one, other, Apply("and", (one.goal, other.goal)), rng)
        if made is not None:
            yield made


def _size(term: Term) -> int:
    return sum(1 for _ in walk(term))


def _chained(parent: Parent, rng: Random) -> Iterator[Made]:
    """Two equations that have a side in common: the other sides are equal."""
    for one, other, _ in _pairs(parent, rng, lambda one, other, own, theirs: _sides(one) != () != _sides(other)):
        for left, right in _across(*_sides(one), *_sides(other)):
            made = _together(one, other, Apply("=", (left, right)), rng)
            if made is not None and left != right:
                yield made


def _sides(claim: Claim) -> tuple[Term, ...]:
    """Of an equation."""
    return claim.goal.args if isinstance(claim.goal, Apply) and claim.goal.sign == "=" else ()


def _across(a: Term, b: Term, c: Term, d: Term) -> list[tuple[Term, Term]]:
    sides = ((a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c))
    return [(rest, other) for shared, rest, again, other in sides if shared == again]


def _rewritten(parent: Parent, rng: Random) -> Iterator[Made]:
    """The parent with the shared expression replaced by what the partner says that it is."""
    for one, other, shared in _pairs(parent, rng, lambda one, other, own, theirs: theirs in _sides(other)):
        if shared in _sides(other):
            left, right = _sides(other)
            goal = replaced(one.goal, shared, right if left == shared else left)
            made = None if goal == one.goal else _together(one, other, goal, rng)
            if made is not None:
                yield made


def _pairs(parent: Parent, rng: Random, fits: Fits) -> Iterator[tuple[Claim, Claim, Term]]:
    for partner in rng.sample(parent.partners, len(parent.partners)):
        if parent.claim is not None and partner.claim is not None:
            yield from aligned(parent.claim, partner.claim, rng, fits)


OPERATORS = (
    Operator(
        "joined", Category.LEMMA, Promise.TRUE, "two theorems that share an expression, as one about both", _joined
    ),
    Operator(
        "chained", Category.LEMMA, Promise.TRUE, "two equations with a common side: the other sides are equal", _chained
    ),
    Operator(
        "rewritten_by",
        Category.LEMMA,
        Promise.TRUE,
        "an expression replaced by what another theorem says that it is",
        _rewritten,
    ),
)
