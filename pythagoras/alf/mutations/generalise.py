"""Generalisations: more is claimed, or less is supposed.

Those that add a parameter to both sides follow from the statement, and so does leaving out a hypothesis that its proof
does not look at. The others may be false, so they are proposed only where numbers can be tried and a few do not speak
against them. A constant becomes a variable together with what that needs: another constant that moves with it, or a
hypothesis about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from random import Random

from pythagoras.alf.mutations.outlines import mentioned
from pythagoras.alf.mutations.places import conclusions, replaced
from pythagoras.alf.mutations.sequents import (
    NUMBERS,
    ORDERED,
    WHOLE,
    Change,
    Scope,
    Sequent,
    fresh,
    is_proposition,
    numbers,
    operator,
    outlined,
)
from pythagoras.alf.mutations.trials import unrefuted
from pythagoras.alf.states import named_by
from pythagoras.alf.variants import Category, Made, Operator, Parent, Promise
from pythagoras.corpus.records import Instance
from pythagoras.language.changes.terms import conjuncts
from pythagoras.language.meaning import Apply, Bind, Call, Number, Term, Typed, Variable, free_variables, walk

_CONSTANTS, _PAIRS, _CANDIDATES = 2, 2, 5
_FARTHEST, _LARGEST = 50, 1_000
_ZERO, _TWO = Number(0), Number(2)
_LOOSE = {"<": "≤", ">": "≥"}
_STRICT = {"≤": "<", "≥": ">"}


# --- what follows ---------------------------------------------------------------------------------------


def term_added(found: Sequent, rng: Random) -> Iterator[Sequent]:
    def added(part: Apply, kind: str, own: Variable) -> Term | None:
        match part:
            case Apply("=" | "≠" | "<" | "≤" | ">" | "≥" | "≡" | "≡ℤ", (left, right, *modulus)):
                return Apply(part.sign, (Apply("+", (left, own)), Apply("+", (right, own)), *modulus))
        return None

    return _with_parameter(found, added, rng)


def factor_added(found: Sequent, rng: Random) -> Iterator[Sequent]:
    def multiplied(part: Apply, kind: str, own: Variable) -> Term | None:
        match part:
            case Apply("=" | "≡" | "≡ℤ", (left, right, *modulus)):
                return Apply(part.sign, (Apply("*", (own, left)), Apply("*", (own, right)), *modulus))
            case Apply("∣", (divisor, number)) if kind in WHOLE:
                return Apply("∣", (divisor, Apply("*", (own, number))))
            case Apply("<" | "≤" | ">" | "≥", (left, right)) if kind in ORDERED:
                bigger = Apply(part.sign, (Apply("*", (own, left)), Apply("*", (own, right))))
                condition = Apply("<" if part.sign in "<>" else "≤", (_ZERO, own))
                return Apply("implies", (condition, bigger))
        return None

    for one in _with_parameter(found, multiplied, rng):
        match one.goal:
            case Apply("implies", (condition, goal)) if one.goal != found.goal:
                yield one.supposing(condition).proving(goal)
            case _:
                yield one


def power_of_both(found: Sequent, rng: Random) -> Iterator[Sequent]:
    def raised(part: Apply, kind: str, own: Variable) -> Term | None:
        match part:
            case Apply("=" | "≡" | "≡ℤ", (left, right, *modulus)):
                return Apply(part.sign, (Apply("^", (left, own)), Apply("^", (right, own)), *modulus))
        return None

    return _with_parameter(found, raised, rng, "ℕ")


def _with_parameter(
    found: Sequent, change: Callable[[Apply, str, Variable], Term | None], rng: Random, wanted: str = ""
) -> Iterator[Sequent]:
    """With a new variable in one part of the goal, of the kind of its numbers or of the one that is wanted."""
    name = fresh(found.names())
    parts = conjuncts(found.goal)
    for at in rng.sample(range(len(parts)), len(parts)):
        part = parts[at]
        kind = found.scope.kind(*part.args) if isinstance(part, Apply) else None
        new = change(part, kind, Variable(name)) if isinstance(part, Apply) and kind is not None else None
        if new is not None:
            goal = new if len(parts) == 1 else Apply("and", (*parts[:at], new, *parts[at + 1 :]))
            yield found.introducing(Typed(name, wanted or kind or "ℕ")).proving(goal)


def _unneeded_hypothesis(parent: Parent, rng: Random) -> Iterator[Made]:
    """A hypothesis that a verified proof neither names nor can have found by itself is left out.

    What its tactics look at, their kinds tell, which only a trace has. Lean looks at all when it needs an instance,
    which a relation never is.
    """
    record = parent.record
    if not isinstance(record, Instance) or not record.verified or parent.trace is None:
        return
    found = outlined(parent.statement)
    named = named_by(parent.trace.steps, record.proof)
    if found is None or named is None:
        return
    for at in rng.sample(range(len(found.given)), len(found.given)):
        if found.given[at].name not in named and is_proposition(found.given[at].term):
            yield found.without(at).made()


# --- what may be false ----------------------------------------------------------------------------------


def constant_to_variable(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """A number becomes a variable, and with it what must move with it."""
    terms = (*found.hypotheses, found.goal)
    found_values = (
        part for term in terms for part in walk(term) if isinstance(part, Number) and 1 < part.value < _LARGEST
    )
    values = list(dict.fromkeys(found_values))
    rng.shuffle(values)
    name = fresh(found.names())
    kinds = dict.fromkeys((max((one.type for one in numbers(found)), key=NUMBERS.index, default="ℕ"), "ℕ"))
    for constant in values[:_CONSTANTS]:
        others = [one for one in values if one != constant][:_PAIRS]
        for kind in kinds:
            general = found.introducing(Typed(name, kind)).mapped(
                lambda term, constant=constant: replaced(term, constant, Variable(name))  # type: ignore[misc]
            )
            made = chain([general], _moving(general, constant, others, name), _conditions(general, constant, name))
            others_too = Apply("≠", (Variable(name), constant))
            best = next(unrefuted(islice(made, _CANDIDATES), rng, others_too), None)
            if best is not None:
                yield best
                break


def _moving(general: Sequent, constant: Number, others: Iterable[Number], name: str) -> Iterator[Sequent]:
    """With another number as a sum, a difference or a multiple of the variable."""
    own = Variable(name)
    for other in others:
        step = other.value - constant.value
        if abs(step) > _FARTHEST:
            continue
        forms: list[Term] = [
            Apply("+", (own, Number(step))) if step > 0 else Apply("-", (own, Number(-step))),
            Apply("-", (Number(other.value + constant.value), own)),
        ]
        if other.value % constant.value == 0:
            forms.insert(0, Apply("*", (Number(other.value // constant.value), own)))
        for form in forms:
            yield general.mapped(lambda term, form=form, other=other: replaced(term, other, form))  # type: ignore[misc]


def _conditions(general: Sequent, constant: Number, name: str) -> Iterator[Sequent]:
    own = Variable(name)
    yield general.supposing(Apply("<", (_ZERO, own)))
    yield general.supposing(Apply("≥", (own, constant)))
    yield general.supposing(Apply("≤", (own, constant)))
    if general.variables[-1].type in WHOLE:
        rest = Number(constant.value % 2)
        yield general.supposing(Apply("=", (Apply("%", (own, _TWO)), rest)))
        yield general.supposing(Apply("∣", (constant, own)))


def part_to_variable(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """A part that stands in several places becomes a variable."""
    scope = found.scope
    terms = (*found.hypotheses, found.goal)
    parts = Counter(part for term in terms for part in walk(term) if isinstance(part, Apply | Call))
    often = {part for part, count in parts.items() if count > 1 and set() < free_variables(part) <= scope.types.keys()}
    name = fresh(found.names())
    for part in rng.sample(sorted(often, key=repr), len(often)):
        kind = scope.kind(part)
        if kind is not None:
            yield found.introducing(Typed(name, kind)).mapped(
                lambda term, part=part: replaced(term, part, Variable(name))  # type: ignore[misc]
            )


def dropped_hypothesis(found: Sequent, rng: Random) -> Iterator[Sequent]:
    for at in rng.sample(range(len(found.given)), len(found.given)):
        yield found.without(at)


def weaker_hypothesis(found: Sequent, rng: Random) -> Iterator[Sequent]:
    made: list[Sequent] = []
    for at, hypothesis in enumerate(found.hypotheses):
        parts = conjuncts(hypothesis)
        for number, part in enumerate(parts):
            if len(parts) > 1:
                made.append(found.exchanged(at, *parts[:number], *parts[number + 1 :]))
            made += [
                found.exchanged(at, *parts[:number], new, *parts[number + 1 :])
                for new in _weaker(part, found.scope, rng)
            ]
    rng.shuffle(made)
    yield from made


def _weaker(term: Term, scope: Scope, rng: Random) -> Iterator[Term]:
    match term:
        case Apply("<" | ">" as sign, args):
            yield Apply(_LOOSE[sign], args)
        case Apply("=", args) if scope.kind(*args) in ORDERED:
            yield Apply(rng.choice(("≤", "≥")), args)
        case Apply("≥", (left, Number(bound))) if bound > 0:
            yield Apply("≥", (left, Number(rng.randrange(bound))))
        case Apply("≤", (left, Number(bound))):
            yield Apply("≤", (left, Number(bound + rng.randint(1, 9))))


def stronger_goal(found: Sequent, rng: Random) -> Iterable[Sequent]:
    def stronger(goal: Term, scope: Scope) -> Iterator[Term]:
        match goal:
            case Apply("≤" | "≥" as sign, args):
                yield Apply(_STRICT[sign], args)
            case Apply("implies", args):
                yield Apply("iff", args)
            case Bind("∃", (variable,), body):
                yield Bind("∃!", (variable,), body)
            case Apply("∣", (Number(divisor), number)):
                yield Apply("∣", (Number(divisor * rng.choice((2, 3))), number))
            case Apply("or", parts):
                yield Apply("and", parts)

    return conclusions(found, stronger)


def converse_too(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """A hypothesis and the goal become equivalent."""
    shared = [at for at, one in enumerate(found.hypotheses) if mentioned(one) & mentioned(found.goal)]
    for at in rng.sample(shared, len(shared)):
        yield found.without(at).proving(Apply("iff", (found.hypotheses[at], found.goal)))


def _true(name: str, about: str, change: Change) -> Operator:
    return operator(name, Category.GENERALISATION, Promise.TRUE, about, change)


def _unknown(name: str, about: str, change: Change) -> Operator:
    def supported(found: Sequent, rng: Random) -> Iterator[Sequent]:
        return unrefuted(change(found, rng), rng)

    return operator(name, Category.GENERALISATION, Promise.UNKNOWN, about, supported)


OPERATORS = (
    _true("term_added", "a new variable is added to both sides of the goal", term_added),
    _true("factor_added", "both sides of the goal are multiplied with a new variable", factor_added),
    _true("power_of_both", "both sides of the goal are raised to a new power", power_of_both),
    Operator(
        "unneeded_hypothesis",
        Category.GENERALISATION,
        Promise.TRUE,
        "a hypothesis that the proof does not use is left out",
        _unneeded_hypothesis,
        of_proof=True,
    ),
    operator(
        "constant_to_variable",
        Category.GENERALISATION,
        Promise.UNKNOWN,
        "a number becomes a variable, with what must move with it",
        constant_to_variable,
    ),
    _unknown("part_to_variable", "a part that stands in several places becomes a variable", part_to_variable),
    _unknown("dropped_hypothesis", "a hypothesis is left out", dropped_hypothesis),
    _unknown("weaker_hypothesis", "a hypothesis says less", weaker_hypothesis),
    _unknown("stronger_goal", "the goal says more", stronger_goal),
    _unknown("converse_too", "a hypothesis and the goal become equivalent", converse_too),
)
