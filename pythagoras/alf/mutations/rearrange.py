"""Reformulations of terms: other ways to write a sum, a product, a statement's named values; and other names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

from pythagoras.alf.mutations.outlines import renamed_text
from pythagoras.alf.mutations.places import replaced, rewriting
from pythagoras.alf.mutations.sequents import Given, Scope, Sequent, fresh, reformulation
from pythagoras.language.meaning import (
    Apply,
    Bind,
    Cast,
    Let,
    Number,
    Term,
    Typed,
    Variable,
    children,
    free_variables,
    walk,
    with_children,
)

_ANY_ORDER = frozenset(["and", "or", "gcd", "lcm", "coprime", "min", "max"])
_HIGHEST_PRODUCT = 4
_LETTERS = "abcdmnpqrstuvwxyz"
_FUNCTIONS = "fguvpq"


def _commuted(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("+" | "*", (left, right)) if left != right and scope.kind(left, right) is not None:
            yield Apply(term.sign, (right, left))
        case Apply(sign, args) if sign in _ANY_ORDER and len(set(args)) > 1:
            yield Apply(sign, (*args[1:], args[0]))


def _regrouped(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("+" | "*" as sign, (Apply(inner, (a, b)), c)) if inner == sign and scope.kind(a, b, c) is not None:
            yield Apply(sign, (a, Apply(sign, (b, c))))
        case Apply("+" | "*" as sign, (a, Apply(inner, (b, c)))) if inner == sign and scope.kind(a, b, c) is not None:
            yield Apply(sign, (Apply(sign, (a, b)), c))
        case Apply("-", (Apply("+", (a, b)), c)) if scope.is_ring(a, b, c):
            yield Apply("+", (a, Apply("-", (b, c))))
        case Apply("-", (Apply("-", (a, b)), c)) if scope.is_ring(a, b, c):
            yield Apply("-", (a, Apply("+", (b, c))))
        case Apply("+", (Apply("-", (a, b)), c)) if scope.is_ring(a, b, c):
            yield Apply("-", (Apply("+", (a, c)), b))


def _distributed(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("*", (a, Apply("+" | "-" as sign, (b, c)))) if _may_distribute(sign, scope, a, b, c):
            yield Apply(sign, (Apply("*", (a, b)), Apply("*", (a, c))))
        case Apply("*", (Apply("+" | "-" as sign, (b, c)), a)) if _may_distribute(sign, scope, a, b, c):
            yield Apply(sign, (Apply("*", (b, a)), Apply("*", (c, a))))
        case Apply("+" | "-" as sign, (Apply("*", (a, b)), Apply("*", (other, c)))) if a == other and _may_distribute(
            sign, scope, a, b, c
        ):
            yield Apply("*", (a, Apply(sign, (b, c))))


def _may_distribute(sign: str, scope: Scope, *terms: Term) -> bool:
    return scope.is_ring(*terms) or (sign == "+" and scope.kind(*terms) is not None)


def _power(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("^", (base, Number(exponent))) if 1 < exponent <= _HIGHEST_PRODUCT and scope.kind(base) is not None:
            product = base
            for _ in range(exponent - 1):
                product = Apply("*", (product, base))
            yield product
        case Apply("*", (left, right)) if left == right and scope.kind(left) is not None:
            yield Apply("^", (left, Number(2)))
        case Apply("*", (Number(2), other)) if not isinstance(other, Number) and scope.kind(other) is not None:
            yield Apply("+", (other, other))


# --- named parts ----------------------------------------------------------------------------------------


def named_part(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """A part of the goal gets a name, and an equation that says what it is."""
    scope = found.scope
    parts = {part: kind for part in walk(found.goal) if (kind := _nameable(part, scope)) is not None}
    for part in rng.sample(list(parts), len(parts)):
        name = fresh(found.names())
        named = found.mapped(lambda term, part=part, name=name: replaced(term, part, Variable(name)))  # type: ignore[misc]
        if any(free_variables(part) & bound for bound in _bound_around(found.goal, part)):
            continue
        equation = Given(Apply("=", (Variable(name), part)))
        yield replace(named.introducing(Typed(name, parts[part])), given=(equation, *named.given))


def _nameable(part: Term, scope: Scope) -> str | None:
    """The kind of numbers of a part that is worth a name."""
    if not isinstance(part, Apply) or part.sign not in ("+", "-", "*", "^", "%") or not free_variables(part):
        return None
    if not free_variables(part) <= scope.types.keys():
        return None
    kind = scope.kind(part)
    if scope.is_exact:
        return kind
    rounds = any(isinstance(one, Apply) and one.sign == "/" for one in walk(part))  # but not among wider numbers
    return None if kind == "ℕ" or (rounds and kind == "ℤ") else kind


def _bound_around(term: Term, part: Term, around: frozenset[str] = frozenset()) -> Iterator[frozenset[str]]:
    """For each place of a part, the names that are bound there."""
    if term == part:
        yield around
        return
    own = {one.name for one in term.variables} if isinstance(term, Bind) else set[str]()
    if isinstance(term, Let):
        own = {term.variable.name}
    for child in children(term):
        yield from _bound_around(child, part, around | own)


def named_values_given(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """The named values of the goal become variables, with hypotheses that say what they are."""
    opened = found
    taken = {one.name for one in found.variables}
    while isinstance(opened.goal, Let) and opened.goal.variable.name not in taken:
        goal = opened.goal
        equation = Apply("=", (Variable(goal.variable.name), goal.value))
        opened = opened.introducing(goal.variable).supposing(equation).proving(goal.body)
        taken.add(goal.variable.name)
    if opened != found and not isinstance(opened.goal, Let):
        yield opened


# --- names ----------------------------------------------------------------------------------------------


def renamed(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """Other letters for all variables, which also stand in another order, as the hypotheses do."""
    own = [*found.variables, *(one for term in (*found.hypotheses, found.goal) for one in _bound(term))]
    if not own:
        return
    taken = set(found.names())
    names: dict[str, str] = {}
    for one in own:
        if one.name not in names and one.type != "Prop" and not one.type.endswith("→ Prop"):
            wanted = list(_FUNCTIONS if "→" in one.type else _LETTERS)
            rng.shuffle(wanted)
            names[one.name] = fresh(taken, "".join(wanted))
            taken.add(names[one.name])
    variables = tuple(Typed(names.get(one.name, one.name), renamed_text(one.type, names)) for one in found.variables)
    changed = found.mapped(lambda term: _renamed(term, names))
    if not found.before and len({one.type for one in variables}) == 1:
        variables = tuple(rng.sample(variables, len(variables)))
    yield replace(changed, variables=variables, given=tuple(rng.sample(changed.given, len(changed.given))))


def _bound(term: Term) -> Iterator[Typed]:
    for part in walk(term):
        if isinstance(part, Bind):
            yield from part.variables


def _renamed(term: Term, names: Mapping[str, str]) -> Term:
    """With other names everywhere, also for what is bound: no new name was there before."""
    inner = with_children(term, [_renamed(child, names) for child in children(term)])
    match inner:
        case Variable(name):
            return Variable(renamed_text(name, names))
        case Bind(sign, variables, body, domain):
            own = tuple(Typed(names.get(one.name, one.name), renamed_text(one.type, names)) for one in variables)
            return Bind(sign, own, body, domain)
        case Cast(kind, part):
            return Cast(renamed_text(kind, names), part)
    return inner


OPERATORS = (
    reformulation("commuted", "terms of a sum, a product or a conjunction change places", rewriting(_commuted)),
    reformulation("regrouped", "brackets of a sum or a product stand elsewhere", rewriting(_regrouped)),
    reformulation(
        "distributed", "a product of a sum is multiplied out, or a factor taken out", rewriting(_distributed)
    ),
    reformulation("power_as_product", "`x ^ 2` is `x * x`, `2 * x` is `x + x`", rewriting(_power)),
    reformulation("named_part", "a part of the goal gets a name and an equation", named_part),
    reformulation("named_values_given", "named values of the goal become hypotheses", named_values_given),
    reformulation("renamed", "variables have other names and another order, hypotheses too", renamed),
)
