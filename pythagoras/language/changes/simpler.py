"""Simpler claims from a claim: parts of it, instances, single steps, each with its solution.

Whatever comes out of here is true, because its solution was worked out on numbers (`working`) or follows from a short
argument (`general`). A claim that nothing can be said for gives nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from random import Random

from pythagoras.language.changes.terms import conjuncts, is_function, numeral, opened, pruned, tidied, unfolded
from pythagoras.language.changes.working import BIGGEST, MOST_STEPS, NotWorked, Working, said
from pythagoras.language.evaluate import example, satisfied, value
from pythagoras.language.exact import Unknown, Value
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
from pythagoras.language.spoken import say_term

_DRAWS = 24
_MOST = 6
"""Instances of one claim."""
_CHECKED_BELOW = (4, 5, 6, 7, 8, 10)
_OPERATIONS = frozenset(
    [
        *(
            "+",
            "-",
            "*",
            "/",
            "//",
            "^",
            "%",
            "abs",
            "gcd",
            "lcm",
            "fib",
            "choose",
            "factorial",
            "totient",
            "min",
            "max",
        ),
        *("card", "digits", "list_sum", "divisors"),
    ]
)


class Kind(Enum):
    """How a simpler claim comes from the one that failed."""

    GOAL = "the goal itself, or a part of it"
    STEP = "the algebra of one step of it"
    CASE = "one case of it"
    BOUNDED = "it, for the first few numbers"
    PAIR = "two instances of it"
    PINNED = "it, for a variable with a given value"
    INSTANCE = "an instance of it"
    REDUCED = "the same with smaller numbers"
    WITNESS = "what is claimed to exist, shown"
    VALUE = "the value of a part of it"
    CONVERSION = "the passage from one kind of numbers to another"


@dataclass(frozen=True, slots=True)
class Simpler:
    """A claim with its solution."""

    claim: Claim
    kind: Kind
    steps: tuple[str, ...]


def pieces(claim: Claim) -> list[Claim]:
    """The claim with its goal opened, and the claims that it is made of, itself first."""
    tidy = Claim(claim.variables, tuple(map(tidied, claim.hypotheses)), tidied(claim.goal))
    found = [pruned(opened(tidy))]
    for piece in found:
        found.extend(part for part in map(pruned, _parts(piece)) if part not in found)
    return found[:8]


def _parts(claim: Claim) -> Iterator[Claim]:
    """One level down."""

    def part(goal: Term, *more: Term) -> Claim:
        return opened(Claim(claim.variables, (*claim.hypotheses, *more), goal))

    match claim.goal:
        case Apply("and", goals):
            yield from map(part, goals)
        case Apply("iff", (left, right)):
            yield part(right, *conjuncts(left))
            yield part(left, *conjuncts(right))
        case Bind("∃!", variables, body):
            yield part(Bind("∃", variables, body))
        case Apply("least" | "greatest", (Bind("set", (variable,), body), number)):
            yield part(substitute(body, {variable.name: number}))
        case Apply("bijective", args):
            yield part(Apply("injective", args))
        case Apply("injective", (Bind("fun", (variable,), body),)):
            other = next(name for name in "yztuv" if name != variable.name)
            same = Apply("=", (body, substitute(body, {variable.name: Variable(other)})))
            equal = Apply("=", (Variable(variable.name), Variable(other)))
            inner = Claim((*claim.variables, variable, Typed(other, variable.type)), (*claim.hypotheses, same), equal)
            if not {variable.name, other} & {one.name for one in claim.variables}:
                yield inner


# --- instances -------------------------------------------------------------------------------------


def examples(claim: Claim, rng: Random, most: int = _MOST) -> list[dict[str, Value]]:
    """Different values for the variables that satisfy the hypotheses, small ones first."""
    found: list[dict[str, Value]] = []
    for _ in range(_DRAWS if any(not is_function(variable) for variable in claim.variables) else 1):
        values = example(claim, rng, tries=60)
        if values is None:
            break
        plain = {name: one for name, one in values.items() if not callable(one)}
        if all(plain != {name: one for name, one in other.items() if not callable(one)} for other in found):
            found.append(values)
    return sorted(found, key=_size)[:most]


def _size(values: Mapping[str, Value]) -> tuple[int, int, str]:
    """Small numbers first, but 0 and 1 last of them: with those there is little to calculate."""
    numbers = [Fraction(one) for one in values.values() if not callable(one)]
    dull = sum(number in (0, 1) for number in numbers)
    return (dull, sum(abs(number.numerator) + 5 * (number.denominator - 1) for number in numbers), repr(numbers))


def instances(claim: Claim, rng: Random) -> Iterator[Simpler]:
    """The goal with numbers for its variables: ready made, pinned by hypotheses, and two at once."""
    worked: list[tuple[Claim, list[str], dict[str, Value]]] = []
    for values in examples(claim, rng):
        instance = _instance(claim, values, rng)
        shown = instance and _shown(instance, values)
        if instance is not None and shown:
            worked.append((instance, shown, values))
    for instance, shown, values in worked:
        plain = _plain_values(claim, values)
        put = [f"Put {', '.join(f'{name} = {said(one)}' for name, one in plain.items())}."] if plain else []
        yield Simpler(instance, Kind.WITNESS if _has_witness(claim) else Kind.INSTANCE, tuple(shown))
        pinned = _pinned(claim, plain)
        if pinned is not None:
            yield Simpler(pinned, Kind.PINNED, (*put, *shown))
    for (first, steps, _), (second, more, _) in itertools.pairwise(worked):
        goal = Apply("and", (first.goal, second.goal))
        if len(steps) + len(more) <= MOST_STEPS:
            yield Simpler(Claim(first.variables, first.hypotheses, goal), Kind.PAIR, (*steps, *more))


def _instance(claim: Claim, values: Mapping[str, Value], rng: Random) -> Claim | None:
    """The goal with these values; what defines its functions stays."""
    terms = {name: numeral(one) for name, one in _plain_values(claim, values).items()}
    truths = [variable.name for variable in claim.variables if variable.type == "Prop"]
    if truths:
        return None
    goal = _witnessed(substitute(unfolded(claim.goal), terms), values, rng)
    functions = tuple(variable for variable in claim.variables if is_function(variable))
    kept = tuple(
        substitute(hypothesis, terms)
        for hypothesis in claim.hypotheses
        if free_variables(hypothesis) & {variable.name for variable in functions}
    )
    return None if goal is None else pruned(Claim(functions, kept, goal))


def _plain_values(claim: Claim, values: Mapping[str, Value]) -> dict[str, Value]:
    return {one.name: values[one.name] for one in claim.variables if not is_function(one) and one.type != "Prop"}


def _has_witness(claim: Claim) -> bool:
    return isinstance(claim.goal, Bind) and claim.goal.sign == "∃"


def _witnessed(goal: Term, values: Mapping[str, Value], rng: Random) -> Term | None:
    """An existence with numbers found for it; an alternative that holds; what is neither stays."""
    match goal:
        case Bind("∃", variables, body):
            functions = {name: one for name, one in values.items() if callable(one)}
            if functions:
                return None
            found = example(Claim(variables, conjuncts(body), Apply("true", ())), rng, tries=1_500)
            if found is None:
                return None
            return _witnessed(substitute(body, {name: numeral(one) for name, one in found.items()}), values, rng)
        case Apply("or", parts):
            for part in parts:
                try:
                    Working(values).show(part)
                    return part
                except NotWorked:
                    continue
            return None
        case Bind("∀" | "∃!"):
            return None
    return goal


def _shown(claim: Claim, values: Mapping[str, Value]) -> list[str] | None:
    """The steps of an instance, when it is worth posing."""
    if not worth_posing(claim.goal):
        return None
    working = Working({name: one for name, one in values.items() if callable(one)})
    try:
        working.show(claim.goal)
    except NotWorked:
        return None
    return working.steps if 0 < len(working.steps) <= MOST_STEPS else None


def worth_posing(goal: Term) -> bool:
    """Whether there is something to calculate in it, with numbers that are not too large."""
    parts = list(walk(goal))
    if any(isinstance(part, Number) and part.value > BIGGEST for part in parts):
        return False
    return any(
        (isinstance(part, Apply) and part.sign in _OPERATIONS and not _is_numeral(part))
        or (isinstance(part, Bind) and part.sign in ("∑", "∏"))
        or isinstance(part, Call)
        for part in parts
    )


def _effort(term: Term) -> int:
    """Operations in a term; those that are more than a sum or a product of two numbers count twice."""
    if isinstance(term, Bind) or (isinstance(term, Apply) and term.sign in _OPERATIONS - {"+", "-", "*", "/"}):
        return 2
    return sum(
        isinstance(part, Bind | Call) or (isinstance(part, Apply) and part.sign in _OPERATIONS) for part in walk(term)
    )


def _is_numeral(term: Apply) -> bool:
    return term.sign == "/" and all(isinstance(arg, Number) for arg in term.args)


def _pinned(claim: Claim, plain: Mapping[str, Value]) -> Claim | None:
    """The claim with the variables that the goal uses held at these values, in place of their hypotheses."""
    used = free_variables(claim.goal)
    names = [name for name in plain if name in used]
    if not names or any(is_function(one) for one in claim.variables) or _has_witness(claim):
        return None
    given = tuple(Apply("=", (Variable(name), numeral(plain[name]))) for name in names)
    variables = tuple(variable for variable in claim.variables if variable.name in names)
    return Claim(variables, given, unfolded(claim.goal))


# --- the first few numbers ---------------------------------------------------------------------------


def bounded(claim: Claim, rng: Random) -> Iterator[Simpler]:
    """A claim about every natural number, for those below a small bound: finitely many, to be checked one by one."""
    if len(claim.variables) != 1 or claim.variables[0].type != "ℕ" or not worth_posing(claim.goal):
        return
    name = claim.variables[0].name
    for end in rng.sample(_CHECKED_BELOW, 3):
        steps: list[str] = []
        for number in range(end):
            values = {name: number}
            if satisfied(claim, values) is False:
                continue
            working = Working(values)
            goal = _witnessed(substitute(unfolded(claim.goal), {name: Number(number)}), values, rng)
            try:
                if goal is None:
                    raise NotWorked("no witness")
                working.show(goal)
            except NotWorked:
                return
            steps.append(f"For {name} = {number}: {' '.join(working.steps[-2:])}")
        if len(steps) > 1:
            below = Apply("<", (Variable(name), Number(end)))
            opening = f"There are finitely many natural numbers {name} below {end}, so check them one by one."
            yield Simpler(
                Claim(claim.variables, (below, *claim.hypotheses), claim.goal), Kind.BOUNDED, (opening, *steps)
            )


# --- values of parts -----------------------------------------------------------------------------------


def values_of_parts(claim: Claim, rng: Random) -> Iterator[Simpler]:
    """What named values, and parts of the goal and of the hypotheses, come to in an example."""
    for values in examples(claim, rng, most=3):
        plain = {name: numeral(one) for name, one in _plain_values(claim, values).items()}
        for term in _calculations(claim, plain):
            try:
                found = value(term, values)
                if not isinstance(found, int | Fraction) or free_variables(term) - _functions(claim):
                    continue
            except (Unknown, TypeError, ValueError):
                continue
            posed = _instance(Claim(claim.variables, claim.hypotheses, Apply("=", (term, numeral(found)))), values, rng)
            steps = posed and _shown(posed, values)
            if posed is not None and steps:
                yield Simpler(posed, Kind.VALUE, tuple(steps))


def reduced(claim: Claim, rng: Random) -> Iterator[Simpler]:
    """A value without variables, for smaller numbers: shorter sums, lower powers, divisors of less."""
    goal = unfolded(claim.goal)
    if claim.variables or not isinstance(goal, Apply) or goal.sign != "=":
        return
    term = max(goal.args, key=lambda side: sum(1 for _ in walk(side)))
    numbers = sorted({one.value for one in walk(term) if isinstance(one, Number) and one.value > 3}, reverse=True)
    for number in numbers[:4]:
        for smaller in dict.fromkeys((number // rng.randint(2, 4), number % 10 + 2, rng.randint(2, 5))):
            if not 1 < smaller < number:
                continue
            less = _with_number(term, number, smaller)
            try:
                found = value(less, {})
            except (Unknown, TypeError, ValueError):
                continue
            if isinstance(found, int | Fraction):
                posed = Claim((), (), Apply("=", (less, numeral(found))))
                if steps := _shown(posed, {}):
                    yield Simpler(posed, Kind.REDUCED, tuple(steps))


def _with_number(term: Term, old: int, new: int) -> Term:
    match term:
        case Number(value=one):
            return Number(new) if one == old else term
        case Apply():
            return Apply(term.sign, tuple(_with_number(arg, old, new) for arg in term.args))
        case Bind():
            domain = None if term.domain is None else _with_number(term.domain, old, new)
            return Bind(term.sign, term.variables, _with_number(term.body, old, new), domain)
    return term


def _functions(claim: Claim) -> set[str]:
    return {variable.name for variable in claim.variables if is_function(variable)}


def _calculations(claim: Claim, plain: Mapping[str, Term]) -> Iterator[Term]:
    """Terms with numbers in them: named values first, each from those before it; then sides of relations."""
    goal = substitute(claim.goal, plain)
    while isinstance(goal, Let):  # a named value is worth a problem of its own, however short
        yield unfolded(goal.value)
        goal = substitute(goal.body, {goal.variable.name: unfolded(goal.value)})
    for term in (goal, *(substitute(one, plain) for one in claim.hypotheses)):
        for part in walk(unfolded(term)):
            if isinstance(part, Apply) and part.sign in (
                "=",
                "≠",
                "<",
                "≤",
                ">",
                "≥",
                "∣",
                "≡",
                "even",
                "odd",
                "coprime",
            ):
                yield from (arg for arg in part.args if _effort(arg) > 1)
                if part.sign == "coprime":
                    yield Apply("gcd", part.args)
                if part.sign == "∣" and len(part.args) == 2:
                    yield Apply("%", (part.args[1], part.args[0]))


def conversions(claim: Claim, rng: Random, domains: tuple[str, str]) -> Iterator[Simpler]:
    """A number of the one kind from one of the other, through an expression of the claim."""
    small, large = domains
    for values in examples(claim, rng, most=4):
        plain = {name: one for name, one in _plain_values(claim, values).items() if Fraction(one).denominator == 1}
        sides = (
            part
            for part in walk(unfolded(claim.goal))
            if isinstance(part, Apply) and part.sign in ("=", "<", "≤", ">", "≥")
        )
        for term in (arg for side in sides for arg in side.args):
            names = sorted(free_variables(term))
            if len(names) != 1 or names[0] not in plain or (small == "ℕ" and plain[names[0]] < 0):
                continue
            name = names[0]
            other = next(one for one in "xyzuvw" if one != name)
            working = Working({name: plain[name]})
            try:
                found = working.number(term)
                if large == "ℤ" and Fraction(found).denominator != 1:
                    continue
            except NotWorked:
                continue
            given = (
                Apply("=", (Variable(name), numeral(plain[name]))),
                Apply("=", (Variable(other), term)),
            )
            goal = Apply("=", (Variable(other), numeral(found)))
            kinds = (Typed(name, small), Typed(other, large))
            opening = (
                f"Put {name} = {said(plain[name])} into {say_term(term)}, which is a calculation with whole numbers."
            )
            closing = f"So {other} = {said(found)}, now as a number of the larger kind."
            yield Simpler(Claim(kinds, given, goal), Kind.CONVERSION, (opening, *working.steps, closing))
