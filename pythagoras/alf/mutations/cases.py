"""Steps of a proof that a statement's form suggests: a direction, a part once the others are known, a case."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from pythagoras.alf.mutations.outlines import mentioned
from pythagoras.alf.mutations.sequents import ORDERED, Change, Sequent, numbers, operator
from pythagoras.alf.mutations.trials import free_numbers, possible
from pythagoras.alf.variants import Category, Operator, Promise
from pythagoras.language.changes.terms import conjuncts
from pythagoras.language.meaning import Apply, Number, Term, Variable, free_variables, walk

_ZERO = Number(0)


def one_direction(found: Sequent, rng: Random) -> Iterator[Sequent]:
    match found.goal:
        case Apply("iff", (left, right)):
            for premise, conclusion in rng.sample(((left, right), (right, left)), 2):
                yield found.supposing(*conjuncts(premise)).proving(conclusion)


def part_given_others(found: Sequent, rng: Random) -> Iterator[Sequent]:
    parts = conjuncts(found.goal)
    for at in rng.sample(range(1, len(parts)), len(parts) - 1):
        yield found.supposing(*parts[:at]).proving(parts[at])


def case_of_hypothesis(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """One of the alternatives that a hypothesis leaves."""
    scope = found.scope
    made: list[Sequent] = []
    for at, hypothesis in enumerate(found.hypotheses):
        match hypothesis:
            case Apply("or", parts):
                made += [found.exchanged(at, *conjuncts(one)) for one in parts]
            case Apply("≠", args) if scope.kind(*args) in ORDERED:
                made += [found.exchanged(at, Apply(sign, args)) for sign in ("<", ">")]
            case Apply("≤" | "≥", args):
                made.append(found.exchanged(at, Apply("=", args)))
    rng.shuffle(made)
    return possible(made, rng)


def order_case(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """One of two variables is the larger one, or one has a sign."""
    variables = free_numbers(found, *ORDERED)
    held = frozenset[str]().union(*map(mentioned, found.hypotheses))
    known = set(found.hypotheses)
    cases: list[Term] = []
    for at, one in enumerate(variables):
        own = Variable(one.name)
        if found.is_exact or one.name not in held:
            cases += [Apply("≤", (_ZERO, own)), Apply("<", (own, _ZERO))] if one.type != "ℕ" else []
            cases += [Apply("=", (own, _ZERO)), Apply("<", (_ZERO, own))]
        for other in (Variable(each.name) for each in variables[at + 1 :] if each.type == one.type):
            cases += [Apply("≤", (own, other)), Apply("<", (other, own))]
    rng.shuffle(cases)
    return possible((found.supposing(case) for case in cases if case not in known), rng)


# --- lemmas ---------------------------------------------------------------------------------------------


def nonnegative_square(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """For a goal that is a bound: what squares of its variables say."""
    if not isinstance(found.goal, Apply) or found.goal.sign not in ("<", "≤", ">", "≥"):
        return
    if not any(_is_nonlinear(part) for part in walk(found.goal)):
        return
    variables = numbers(found, *ORDERED)
    pairs = [
        (one, other) for one in variables for other in variables if one.name < other.name and one.type == other.type
    ]
    for one, other in rng.sample(pairs, len(pairs)):
        left, right = Variable(one.name), Variable(other.name)
        squares = Apply("+", (_squared(left), _squared(right)))
        doubled = Apply("*", (Number(2), Apply("*", (left, right))))
        alone = Sequent((one, other), (), Apply("≤", (doubled, squares)), found.is_exact)
        if one.type != "ℕ" and rng.random() < 0.5:
            number = Number(rng.randint(2, 5))
            shifted = Apply("-", (left, Apply("*", (number, right))))
            alone = alone.proving(Apply("≤", (_ZERO, _squared(shifted))))
        yield alone


def _is_nonlinear(part: Term) -> bool:
    match part:
        case Apply("^", (base, _)):
            return not isinstance(base, Number)
        case Apply("*", (left, right)):
            return bool(free_variables(left)) and bool(free_variables(right))
    return False


def _squared(term: Term) -> Term:
    return Apply("^", (term, Number(2)))


def product_of_bounds(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """Two hypotheses that are bounds: the product of what they say is not negative."""
    scope = found.scope
    gaps: list[tuple[Term, Term]] = []
    for part in (part for one in found.hypotheses for part in conjuncts(one)):
        match part:
            case Apply("<" | "≤" | ">" | "≥" as sign, (left, right)) if scope.is_ring(left, right):
                less, more = (left, right) if sign in ("<", "≤") else (right, left)
                gaps.append((part, more if less == _ZERO else Apply("-", (more, less))))
    pairs = [(one, other) for at, one in enumerate(gaps) for other in gaps[at + 1 :]]
    for (one, first), (other, second) in rng.sample(pairs, len(pairs)):
        goal = Apply("≤", (_ZERO, Apply("*", (first, second))))
        yield Sequent(found.variables, (), goal, found.is_exact, found.before).supposing(one, other)


def _step(name: str, about: str, change: Change) -> Operator:
    return operator(name, Category.DECOMPOSITION, Promise.TRUE, about, change)


def _lemma(name: str, about: str, change: Change) -> Operator:
    return operator(name, Category.LEMMA, Promise.TRUE, about, change)


OPERATORS = (
    _step("one_direction", "one direction of an equivalence", one_direction),
    _step("part_given_others", "a part of a conjunction, supposing those before it", part_given_others),
    _step("case_of_hypothesis", "one of the alternatives that a hypothesis leaves", case_of_hypothesis),
    _step("order_case", "one of two variables is the larger one, or one has a sign", order_case),
    _lemma("nonnegative_square", "what squares of the variables say about a bound", nonnegative_square),
    _lemma("product_of_bounds", "the product of what two bounds say is not negative", product_of_bounds),
)
