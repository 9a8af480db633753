"""Type-driven mutations: the same statement about other kinds of numbers.

A meaning's numbers are those of mathematics, whatever their type; so a natural number is an integer that is not
negative, and what holds for all rational numbers holds for all integers. Of statements that are text only those over ℝ
without anything but arithmetic in them are touched: they hold for rational numbers too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from pythagoras.alf.mutations.sequents import Given, Sequent, operator, reformulation, simplification
from pythagoras.alf.mutations.trials import is_sayable, possible, tried
from pythagoras.alf.variants import Category, Promise
from pythagoras.language.changes.algebra import difference
from pythagoras.language.changes.terms import unfolded
from pythagoras.language.meaning import Apply, Bind, Call, Cast, Number, Term, Typed, Variable, free_variables, walk

_WIDER = {"ℕ": "ℤ", "ℤ": "ℚ"}
_NARROWER = {"ℚ": ("ℤ", "ℕ"), "ℤ": ("ℕ",)}
_ZERO = Number(0)
_OF_INTEGERS = frozenset(("∣", "≡", "%", "//", "even", "odd", "gcd", "lcm", "coprime", "prime", "divisors"))


def naturals_as_integers(found: Sequent, rng: Random) -> Iterator[Sequent]:
    for names in _choices(found, "ℕ", rng):
        bounds = tuple(Given(Apply("≤", (_ZERO, Variable(name)))) for name in names)
        wider = _typed(found, names, "ℤ")
        yield from _sayable(replace(wider, given=(*bounds, *wider.given)))


def integers_as_naturals(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """An integer that is not negative, by a hypothesis, is a natural number."""
    for at, hypothesis in enumerate(found.hypotheses):
        match hypothesis:
            case Apply("≤", (Number(0), Variable(name))) | Apply("≥", (Variable(name), Number(0))):
                if Typed(name, "ℤ") in found.variables and found.is_exact:
                    yield from _sayable(_typed(found.without(at), (name,), "ℕ"))


def narrower_numbers(found: Sequent, rng: Random) -> Iterator[Sequent]:
    if found.is_exact:
        for kind, narrower in _NARROWER.items():
            for names in _choices(found, kind, rng):
                yield from possible(_sayable(_typed(found, names, rng.choice(narrower))), rng)
    elif found.variables and tried(found) is not None:
        names = tuple(one.name for one in found.variables)
        yield _typed(found.mapped(_over_rationals), names, "ℚ")


def _over_rationals(term: Term) -> Term:
    match term:
        case Cast("ℝ", inner):
            return Cast("ℚ", _over_rationals(inner))
        case Apply(sign, args):
            return Apply(sign, tuple(map(_over_rationals, args)))
    return term


def wider_numbers(found: Sequent, rng: Random) -> Iterator[Sequent]:
    for kind, wider in _WIDER.items():
        for names in _choices(found, kind, rng):
            yield from _sayable(_typed(found, names, wider))


def identity_for_wider_numbers(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """What is an identity of polynomials does not depend on the kind of its numbers."""
    goal = unfolded(found.goal)
    if found.given or not all(isinstance(part, Apply | Number | Variable) for part in walk(goal)):
        return
    if isinstance(goal, Apply) and goal.sign == "=" and difference(goal) == {}:
        yield from wider_numbers(found.proving(goal), rng)


def _choices(found: Sequent, kind: str, rng: Random) -> Iterator[tuple[str, ...]]:
    """All variables of a kind, then each by itself."""
    names = [one.name for one in found.variables if one.type == kind] if found.is_exact else []
    if names:
        yield tuple(names)
    if len(names) > 1:
        yield from ((name,) for name in rng.sample(names, len(names)))


def _typed(found: Sequent, names: tuple[str, ...], kind: str) -> Sequent:
    variables = tuple(Typed(one.name, kind) if one.name in names else one for one in found.variables)
    return replace(found, variables=variables)


def _sayable(found: Sequent) -> Iterator[Sequent]:
    """Where Lean has a way to say it: an exponent must be a natural number, as must the argument of a sequence."""
    if any(_is_misused(part, found) for term in (*found.hypotheses, found.goal) for part in walk(term)):
        return
    if is_sayable(found.claim):
        yield found


def _is_misused(part: Term, found: Sequent) -> bool:
    natural = {one.name for one in found.variables if one.type == "ℕ"}
    wider = {one.name for one in found.variables} - natural
    rational = {one.name for one in found.variables if one.type == "ℚ"}
    match part:
        case Apply("^", (_, exponent)):
            return bool(free_variables(exponent) & wider)
        case Apply(sign, args) if sign in _OF_INTEGERS:
            return any(free_variables(one) & rational for one in args)
        case Call(_, args) | Apply("range" | "icc" | "choose" | "fib" | "factorial" | "prime", args):
            return any(free_variables(one) & wider for one in args)
        case Bind(domain=domain) if domain is not None:
            return bool(free_variables(domain) & wider)
    return False


OPERATORS = (
    reformulation("naturals_as_integers", "ℕ becomes ℤ, with `0 ≤ n`", naturals_as_integers),
    reformulation("integers_as_naturals", "ℤ with `0 ≤ n` becomes ℕ", integers_as_naturals),
    simplification("narrower_numbers", "only integers, or natural numbers, are meant", narrower_numbers),
    operator(
        "wider_numbers",
        Category.GENERALISATION,
        Promise.UNKNOWN,
        "ℕ becomes ℤ, ℤ becomes ℚ, without a condition",
        wider_numbers,
    ),
    operator(
        "identity_for_wider_numbers",
        Category.GENERALISATION,
        Promise.TRUE,
        "an identity of polynomials is claimed for wider numbers",
        identity_for_wider_numbers,
    ),
)
