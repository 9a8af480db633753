"""Simplifications: less is claimed, or more is supposed. Whatever follows so from a true statement is true.

Where numbers can tell, what is supposed is possible if it was before: a statement about nothing teaches nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from pythagoras.alf.mutations.outlines import mentioned
from pythagoras.alf.mutations.places import conclusions
from pythagoras.alf.mutations.sequents import (
    ORDERED,
    WHOLE,
    Scope,
    Sequent,
    numbers,
    put,
    simplification,
)
from pythagoras.alf.mutations.trials import free_numbers, possible
from pythagoras.language.changes.terms import conjuncts, is_function, numeral
from pythagoras.language.evaluate import example, holds
from pythagoras.language.meaning import Apply, Bind, Cast, Claim, Number, Term, Variable, substitute

_TRIES = 30
_VALUES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12)
_ENDS = (4, 5, 6, 8, 10, 12, 16, 20)
_STRICT = {"≤": "<", "≥": ">"}
_LOOSE = {"<": "≤", ">": "≥"}


def one_conjunct(found: Sequent, rng: Random) -> Iterable[Sequent]:
    def alone(goal: Term, _: Scope) -> list[Term]:
        parts = conjuncts(goal)
        return rng.sample(parts, len(parts)) if len(parts) > 1 else []

    return conclusions(found, alone)


def weaker_goal(found: Sequent, rng: Random) -> Iterable[Sequent]:
    def weaker(goal: Term, scope: Scope) -> list[Term]:
        made = list(_weaker(goal, scope))
        return rng.sample(made, len(made))

    return conclusions(found, weaker)


def _weaker(goal: Term, scope: Scope) -> Iterator[Term]:
    match goal:
        case Apply("=", args) if scope.kind(*args) in ORDERED:
            yield Apply("≤", args)
            yield Apply("≥", args)
        case Apply("<" | ">" as sign, args):
            yield Apply(_LOOSE[sign], args)
            yield Apply("≠", args)
        case Bind("∃!", variables, body):
            yield Bind("∃", variables, body)
        case Bind("∃", variables, Apply("and", parts)):
            for at in range(len(parts)):
                rest = (*parts[:at], *parts[at + 1 :])
                body = rest[0] if len(rest) == 1 else Apply("and", rest)
                if {one.name for one in variables} <= mentioned(body):
                    yield Bind("∃", variables, body)
        case Apply("least" | "greatest", (Bind("set", (variable,), body), number)):
            yield substitute(body, {variable.name: number})
        case Apply("bijective", args):
            yield Apply("injective", args)
            yield Apply("surjective", args)


# --- more is supposed -------------------------------------------------------------------------------


def stronger_hypothesis(found: Sequent, rng: Random) -> Iterator[Sequent]:
    scope = found.scope
    made: list[Sequent] = []
    for at, hypothesis in enumerate(found.hypotheses):
        parts = conjuncts(hypothesis)
        for number, part in enumerate(parts):
            for new in _stronger(part, scope, rng):
                made.append(found.exchanged(at, *parts[:number], new, *parts[number + 1 :]))
    rng.shuffle(made)
    return possible(made, rng)


def _stronger(term: Term, scope: Scope, rng: Random) -> Iterator[Term]:
    match term:
        case Apply("≤" | "≥" as sign, args):
            yield Apply(_STRICT[sign], args)
            if scope.is_exact:
                yield Apply("=", args)
        case Apply("≠", args) if scope.kind(*args) in ORDERED:
            yield Apply("<", args)
            yield Apply(">", args)
        case Apply("or", parts):
            yield from parts
        case Apply("∣", (Number(divisor), divided)) if divisor > 1 and scope.kind(divided) in WHOLE:
            yield Apply("∣", (Number(divisor * rng.choice((2, 3, 5))), divided))
    if not isinstance(term, Apply) or scope.kind(*term.args) not in ORDERED:  # larger numerals may be smaller: `Fin 5`
        return
    match term:
        case Apply("≥" | ">", (left, Number(bound))):
            yield Apply(term.sign, (left, Number(bound + rng.randint(1, 9))))
        case Apply("≤" | "<", (Number(bound), right)):
            yield Apply(term.sign, (Number(bound + rng.randint(1, 9)), right))
        case Apply("<" | "≤", (left, Number(bound))) if bound > 3:
            yield Apply(term.sign, (left, Number(rng.randint(bound // 2, bound - 1))))


def further_hypothesis(found: Sequent, rng: Random) -> Iterator[Sequent]:
    known = set(found.hypotheses)
    made: list[Sequent] = []
    variables = free_numbers(found, *ORDERED)
    for variable in variables:
        own = Variable(variable.name)
        options: list[Term] = [Apply("<", (Number(0), own))]
        if variable.type in WHOLE:
            modulus = rng.choice((2, 2, 3, 4, 5))
            rest = Number(rng.randrange(modulus))
            options.append(Apply("=", (Apply("%", (own, Number(modulus))), rest)))
        options += [
            Apply(rng.choice(("<", "≤")), (own, Variable(other.name)))
            for other in variables
            if other.type == variable.type and other != variable
        ]
        made += [found.supposing(one) for one in options if one not in known]
    rng.shuffle(made)
    return possible(made, rng)


def first_numbers(found: Sequent, rng: Random) -> Iterator[Sequent]:
    made = [
        found.supposing(Apply("<", (Variable(variable.name), Number(rng.choice(_ENDS)))))
        for variable in free_numbers(found, "ℕ")
    ]
    return possible(made, rng)


# --- fewer variables --------------------------------------------------------------------------------


def value_for_variable(found: Sequent, rng: Random) -> Iterator[Sequent]:
    if not found.is_exact:
        yield from _typed_values(found, rng)
        return
    values = example(found.claim, rng, 2 * _TRIES)
    plain = [one for one in found.variables if not is_function(one) and one.type != "Prop"]
    for variable in rng.sample(plain, len(plain)):
        if values is None and variable.name in frozenset[str]().union(*map(mentioned, found.hypotheses)):
            continue
        value = numeral(values[variable.name]) if values is not None else Number(rng.choice(_VALUES))
        special = put(found, variable.name, value)
        if special is not None:
            yield _without_truths(special)


def _typed_values(found: Sequent, rng: Random) -> Iterator[Sequent]:
    variables = free_numbers(found)
    for variable in rng.sample(variables, len(variables)):
        for number in rng.sample(_VALUES, 3):
            special = put(found, variable.name, Cast(variable.type, Number(number)))
            if special is not None and all(_truth(one) is not False for one in special.hypotheses):
                yield special
                break


def _without_truths(found: Sequent) -> Sequent:
    """Without hypotheses that say nothing about any variable left."""
    return replace(found, given=tuple(one for one in found.given if _truth(one.term) is not True))


def _truth(term: Term) -> bool | None:
    """Of a term without variables."""
    return holds(Claim((), (), term), {})


def same_variable(found: Sequent, rng: Random) -> Iterator[Sequent]:
    made: list[Sequent] = []
    variables = numbers(found) if found.is_exact else free_numbers(found)
    for at, one in enumerate(variables):
        for other in variables[at + 1 :]:
            merged = put(found, other.name, Variable(one.name)) if one.type == other.type else None
            if merged is not None:
                made.append(merged)
    rng.shuffle(made)
    return possible(made, rng)


OPERATORS = (
    simplification("one_conjunct", "one part of a conjunction is left to prove", one_conjunct),
    simplification(
        "weaker_goal", "less is claimed: a bound for an equation, existence without uniqueness", weaker_goal
    ),
    simplification("stronger_hypothesis", "a hypothesis says more", stronger_hypothesis),
    simplification("further_hypothesis", "a hypothesis is added: a sign, an order, a remainder", further_hypothesis),
    simplification("first_numbers", "only natural numbers below a bound are meant", first_numbers),
    simplification("value_for_variable", "a variable has a value", value_for_variable),
    simplification("same_variable", "two variables are the same", same_variable),
)
