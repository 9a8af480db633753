"""Functions that no formula defines: what an equation that holds for all numbers says at a few of them.

A rule such as `3 f(x) - f(-x) = 11 x - 12` is taken at small numbers; what the equations that this gives fix together
is a value of the function, and they are simpler than the rule.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from pythagoras.language.changes.algebra import NoPolynomial, as_term, combination, difference, polynomial
from pythagoras.language.changes.simpler import Kind, Simpler
from pythagoras.language.changes.terms import is_function, numeral
from pythagoras.language.changes.working import said
from pythagoras.language.evaluate import value
from pythagoras.language.exact import Unknown, Value
from pythagoras.language.meaning import (
    Apply,
    Bind,
    Call,
    Claim,
    Term,
    Variable,
    free_variables,
    substitute,
    walk,
)
from pythagoras.language.spoken import say_term

_PLACES = {"ℕ": (1, 2, 0, 3), "ℤ": (1, 2, -1, 3, 0), "ℚ": (1, 2, -1, 3, 0)}
_MOST_INSTANCES = 10
_MOST_POSED = 6


@dataclass(frozen=True, slots=True)
class _Equation:
    """An equation between values of functions at numbers, and where it comes from."""

    term: Term
    origin: str
    """Empty for one that is given as it is."""


def function_values(claim: Claim) -> Iterator[Simpler]:
    """Values of the functions that follow from their equations at one or two places."""
    functions = tuple(variable for variable in claim.variables if is_function(variable))
    names = {variable.name for variable in functions}
    if not functions or any("Prop" in one.type for one in functions):
        return
    about = tuple(one for one in claim.hypotheses if free_variables(one) and free_variables(one) <= names)
    claim = Claim(functions, about, claim.goal)
    given = [_Equation(one, "") for one in about if _is_ground(one)]
    taken = [equation for one in about for equation in _taken(one)][:_MOST_INSTANCES]
    posed = 0
    for size in (1, 2):
        for chosen in itertools.combinations(taken, size):
            equations = (*given, *chosen)
            for call, found in _fixed(equations):
                if posed < _MOST_POSED and not any(call in walk(one.term) and _is_value(one.term) for one in given):
                    posed += 1
                    yield from _posed(claim, equations, call, found)


def _posed(claim: Claim, equations: tuple[_Equation, ...], call: Term, found: Term) -> Iterator[Simpler]:
    goal = Apply("=", (call, found))
    used = [one for one in equations if one.origin or set(_calls(one.term)) & _around(equations, call)]
    steps = tuple(f"{one.origin} {say_term(one.term)}." for one in used if one.origin)
    known = [say_term(one.term) for one in used if not one.origin]
    if known:
        steps = (*steps, f"It is also given that {' and '.join(known)}.")
    steps = (*steps, f"Solving these equations for {say_term(call)} gives {say_term(goal)}.")
    yield Simpler(Claim(claim.variables, tuple(one.term for one in used), goal), Kind.STEP, steps)
    yield Simpler(Claim(claim.variables, claim.hypotheses, goal), Kind.VALUE, steps)


def _around(equations: tuple[_Equation, ...], call: Term) -> set[Term]:
    """The values that equations tie to this one."""
    found = {call}
    for _ in equations:
        for one in equations:
            if found & set(_calls(one.term)):
                found |= set(_calls(one.term))
    return found


def _taken(rule: Term) -> Iterator[_Equation]:
    """A rule at small numbers, and at those where it looks from there."""
    if not isinstance(rule, Bind) or rule.sign != "∀" or not _is_equation(rule.body) or not list(_calls(rule.body)):
        return
    if any(variable.type not in _PLACES for variable in rule.variables):
        return
    places = list(itertools.islice(itertools.product(*(_PLACES[one.type] for one in rule.variables)), _MOST_INSTANCES))
    for numbers in places:
        try:
            equation = _at(rule, numbers)
        except (Unknown, NoPolynomial, TypeError, ValueError):
            continue
        yield equation
        if len(numbers) == 1 and len(places) < 2 * _MOST_INSTANCES:
            looked_at = (value(call.args[0], {}) for call in _calls(equation.term) if isinstance(call, Call))
            places += [(place,) for place in looked_at if (place,) not in places]


def _at(rule: Bind, numbers: tuple[Value, ...]) -> _Equation:
    names = [variable.name for variable in rule.variables]
    put = {name: numeral(number) for name, number in zip(names, numbers, strict=True)}
    places = " and ".join(f"{name} = {said(number)}" for name, number in zip(names, numbers, strict=True))
    return _Equation(_worked_out(substitute(rule.body, put)), f"For {places} the rule says that")


def _worked_out(term: Term) -> Term:
    """An equation with its places worked out, and each side collected."""
    assert isinstance(term, Apply)
    return Apply("=", tuple(as_term(polynomial(_at_numbers(side))) for side in term.args))


def _at_numbers(term: Term) -> Term:
    match term:
        case Call(Variable() as function, args):
            return Call(function, tuple(numeral(value(arg, {})) for arg in args))
        case Apply():
            return Apply(term.sign, tuple(map(_at_numbers, term.args)))
    return term


def _fixed(equations: tuple[_Equation, ...]) -> Iterator[tuple[Term, Term]]:
    """Values that the equations fix, each with its number."""
    rows = [difference(one.term) for one in equations]
    if any(row is None for row in rows):
        return
    known = [row for row in rows if row is not None]
    without_numbers = [{monomial: one for monomial, one in row.items() if monomial} for row in known]
    for call in dict.fromkeys(call for one in equations for call in _calls(one.term)):
        factors = combination({((call, 1),): polynomial(call)[((call, 1),)]}, without_numbers)
        if factors is not None and sum(factor != 0 for factor in factors) > 0:
            number = -sum(factor * row.get((), 0) for factor, row in zip(factors, known, strict=True))
            yield call, numeral(number)


def _calls(term: Term) -> Iterator[Term]:
    return (part for part in walk(term) if isinstance(part, Call))


def _is_equation(term: Term) -> bool:
    return isinstance(term, Apply) and term.sign == "=" and len(term.args) == 2


def _is_ground(term: Term) -> bool:
    return _is_equation(term) and bool(list(_calls(term))) and not any(isinstance(part, Bind) for part in walk(term))


def _is_value(term: Term) -> bool:
    """`f 1 = 9`, which says already what it could be asked for."""
    return isinstance(term, Apply) and any(isinstance(arg, Call) for arg in term.args)
