"""Single steps of what a proof of a statement may do, seen in the statement alone: cases, directions, calculations.

Each supposes more than its parent, claims a part of what it claims, or replaces a part by what is equal to it; so a
true parent has true steps. Values are worked out exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from pythagoras.alf.mutations.lemmas import (
    by_definition,
    combined,
    known_value,
    multiplied_out,
    numbers_in,
    relations_in,
)
from pythagoras.alf.mutations.places import replaced
from pythagoras.alf.mutations.sequents import fresh
from pythagoras.alf.variants import Category, Made, Operator, Parent, Promise
from pythagoras.language.changes.terms import conjuncts, numeral, tidied, unfolded
from pythagoras.language.evaluate import example
from pythagoras.language.meaning import (
    Apply,
    Bind,
    Call,
    Claim,
    Let,
    Number,
    Term,
    Typed,
    Variable,
    free_variables,
    substitute,
    walk,
)

_MODULI = (2, 2, 3, 4, 5)
_ABOUT_REMAINDERS = frozenset(("%", "∣", "≡", "even", "odd", "^"))
_TRIES = 60
_TRUE = Apply("true", ())


def _calculated(parent: Parent, rng: Random) -> Iterator[Made]:
    """The goal with a part worked out: a value without variables, or a product of sums."""
    claim = parent.claim
    if claim is None:
        return
    goal = unfolded(claim.goal)
    parts = numbers_in(Claim(claim.variables, (), goal))
    for part in rng.sample(parts, len(parts)):
        found = multiplied_out(part) if free_variables(part) else known_value(part)
        changed = None if found is None else replaced(goal, part, found)
        if changed is not None and changed != goal and not _is_trivial(changed):
            yield Claim(claim.variables, claim.hypotheses, changed)


def _is_trivial(goal: Term) -> bool:
    return isinstance(goal, Apply) and goal.sign == "=" and goal.args[0] == goal.args[1]


def _unfolded_call(parent: Parent, rng: Random) -> Iterator[Made]:
    """The goal with a call of a function replaced by what its definition says."""
    claim = parent.claim
    if claim is None:
        return
    goal = unfolded(claim.goal)
    calls = list(dict.fromkeys(one for one in walk(goal) if isinstance(one, Call)))
    for call in rng.sample(calls, len(calls)):
        for hypothesis in claim.hypotheses:
            found = by_definition(call, hypothesis)
            if found is not None and (changed := replaced(goal, call, found)) != goal:
                yield Claim(claim.variables, claim.hypotheses, changed)


def _eliminated(parent: Parent, rng: Random) -> Iterator[Made]:
    """An equation among the hypotheses with a multiple of another one added to it."""
    claim = parent.claim
    equations = (
        []
        if claim is None
        else [at for at, one in enumerate(claim.hypotheses) if one in relations_in(claim) and _is_equation(one)]
    )
    pairs = [(one, other) for one in equations for other in equations if one != other]
    for one, other in rng.sample(pairs, min(len(pairs), 4)):
        if claim is not None:
            given = list(claim.hypotheses)
            given[one] = combined(given[one], 1, given[other], rng.choice((1, 2, 3)))
            yield Claim(claim.variables, tuple(given), claim.goal)


def _is_equation(term: Term) -> bool:
    return isinstance(term, Apply) and term.sign == "="


def _witness(parent: Parent, rng: Random) -> Iterator[Made]:
    """What is claimed to exist, shown."""
    claim = parent.claim
    match claim.goal if claim is not None and not claim.variables and not claim.hypotheses else None:
        case Bind("∃", variables, body) if all(one.type in ("ℕ", "ℤ", "ℚ") for one in variables):
            found = example(Claim(variables, conjuncts(body), _TRUE), rng, _TRIES)
            if found is not None:
                yield Claim((), (), substitute(body, {name: numeral(one) for name, one in found.items()}))


def _residue(parent: Parent, rng: Random) -> Iterator[Made]:
    """One remainder that a variable may leave: as a hypothesis, or written into it."""
    claim = parent.claim
    if claim is None:
        return
    signs = {part.sign for part in walk(claim.goal) if isinstance(part, Apply)}
    names = free_variables(claim.goal)
    integers = [one for one in claim.variables if one.type in ("ℕ", "ℤ") and one.name in names]
    for variable in rng.sample(integers, len(integers)) if signs & _ABOUT_REMAINDERS else ():
        modulus = rng.choice(_MODULI)
        rest = rng.randrange(modulus)
        if rng.random() < 0.5:
            left = Apply("=", (Apply("%", (Variable(variable.name), Number(modulus))), Number(rest)))
            yield Claim(claim.variables, (*claim.hypotheses, left), claim.goal)
        else:
            yield _at_multiple(claim, variable, modulus, rest)


def _at_multiple(claim: Claim, variable: Typed, modulus: int, rest: int) -> Claim:
    """The claim at `modulus * k + rest`."""
    bound = {own.name for term in (*claim.hypotheses, claim.goal) for own in _bound_in(term)}
    own = fresh({*(one.name for one in claim.variables), *bound})
    multiple: Term = Apply("*", (Number(modulus), Variable(own)))
    at = {variable.name: Apply("+", (multiple, Number(rest))) if rest else multiple}
    variables = tuple(Typed(own, one.type) if one == variable else one for one in claim.variables)
    return Claim(variables, tuple(substitute(one, at) for one in claim.hypotheses), substitute(claim.goal, at))


def _bound_in(term: Term) -> Iterator[Typed]:
    for part in walk(term):
        if isinstance(part, Bind):
            yield from part.variables
        elif isinstance(part, Let):
            yield part.variable


def _extreme(parent: Parent, rng: Random) -> Iterator[Made]:
    """Of a least or greatest element: that it is one, or that it bounds all others."""
    claim = parent.claim
    match claim.goal if claim is not None else None:
        case Apply("least" | "greatest" as sign, (Bind("set", (own,), body), number)):
            assert claim is not None
            taken = {variable.name for variable in claim.variables}
            name = own.name if own.name not in taken else fresh(taken)
            inside = substitute(body, {own.name: Variable(name)})
            bound = Apply("≤" if sign == "least" else "≥", (number, Variable(name)))
            given = (*claim.hypotheses, *conjuncts(inside))
            made = [
                Claim((*claim.variables, Typed(name, own.type)), given, bound),
                Claim(claim.variables, claim.hypotheses, substitute(body, {own.name: number})),
            ]
            yield from rng.sample(made, 2)


def _named_value(parent: Parent, rng: Random) -> Iterator[Made]:
    """What one of the named values of a goal comes to, by those before it."""
    claim = parent.claim
    if claim is None or claim.variables or claim.hypotheses:
        return
    lets: list[Let] = []
    goal = claim.goal
    while isinstance(goal, Let):
        lets.append(goal)
        goal = goal.body
    for at in rng.sample(range(len(lets)), len(lets)):
        name = Variable(lets[at].variable.name)
        posed: Term = name
        for one in reversed(lets[: at + 1]):
            posed = Let(one.variable, one.value, posed)
        found = known_value(unfolded(posed))
        if found is not None:
            closed: Term = Apply("=", (name, found))
            for one in reversed(lets[: at + 1]):
                closed = Let(one.variable, one.value, closed)
            yield Claim((), (), closed)


def _shorter(parent: Parent, rng: Random) -> Iterator[Made]:
    """The first terms of a sum, or the first numbers of a count."""
    parts = [] if parent.claim is None else [one for one in numbers_in(parent.claim) if not free_variables(one)]
    for part in rng.sample(parts, len(parts)):
        ranges = [one for one in walk(part) if isinstance(one, Apply) and one.sign in ("range", "icc")]
        match ranges:
            case [Apply("range", (Number(end),)) as old] if end > 2:
                new = Apply("range", (Number(rng.randint(max(1, end // 3), end - 1)),))
            case [Apply("icc", (Number(start), Number(end))) as old] if end > start + 2:
                new = Apply("icc", (Number(start), Number(rng.randint(start + (end - start) // 3, end - 1))))
            case _:
                continue
        less = replaced(part, old, new)
        found = known_value(less)
        if found is not None:
            yield Claim((), (), Apply("=", (less, found)))


def base_case(claim: Claim, rng: Random) -> Iterator[Made]:
    """At 0, for a natural number that no hypothesis speaks of."""
    for variable in _inductive(claim, rng):
        if not any(variable.name in free_variables(one) for one in claim.hypotheses):
            others = tuple(one for one in claim.variables if one != variable)
            yield Claim(others, claim.hypotheses, substitute(claim.goal, {variable.name: Number(0)}))


def step_case(claim: Claim, rng: Random) -> Iterator[Made]:
    """At n + 1, supposing it at n."""
    for variable in _inductive(claim, rng):
        after = {variable.name: Apply("+", (Variable(variable.name), Number(1)))}
        given = (*(substitute(one, after) for one in claim.hypotheses), claim.goal)
        yield Claim(claim.variables, tuple(map(tidied, given)), tidied(substitute(claim.goal, after)))


def _inductive(claim: Claim, rng: Random) -> list[Typed]:
    """The natural numbers that a sum ends with, a power has for its exponent or a function is taken at."""
    places = frozenset[str]()
    for part in walk(unfolded(claim.goal)):
        match part:
            case Apply("range" | "icc" | "fib" | "factorial", args) | Apply("^", (_, *args)) | Call(_, args):
                places |= frozenset[str]().union(*map(free_variables, args))
    found = [one for one in claim.variables if one.type == "ℕ" and one.name in places]
    return rng.sample(found, len(found))


OPERATORS = (
    Operator("calculated", Category.DECOMPOSITION, Promise.TRUE, "a part of the goal is worked out", _calculated),
    Operator(
        "unfolded_call",
        Category.DECOMPOSITION,
        Promise.TRUE,
        "a function's value in the goal is replaced by its definition",
        _unfolded_call,
    ),
    Operator(
        "eliminated",
        Category.DECOMPOSITION,
        Promise.TRUE,
        "a multiple of one equation is added to another, as in solving a system",
        _eliminated,
    ),
    Operator("witness", Category.DECOMPOSITION, Promise.TRUE, "what is claimed to exist, shown", _witness),
    Operator("residue_case", Category.DECOMPOSITION, Promise.TRUE, "a variable leaves a given remainder", _residue),
    Operator(
        "extreme_part",
        Category.DECOMPOSITION,
        Promise.TRUE,
        "of a least or greatest element: it is one, or it bounds all others",
        _extreme,
    ),
    Operator("named_value", Category.DECOMPOSITION, Promise.TRUE, "what a named value comes to", _named_value),
    Operator("shorter_sum", Category.DECOMPOSITION, Promise.TRUE, "the first terms of a sum or a count", _shorter),
)
