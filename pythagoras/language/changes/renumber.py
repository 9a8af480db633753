"""Other numbers for a claim, by several ways; each works out anew what its changes make false.

* forward: any numbers change; the goal's others follow from examples (closed forms, values, remainders, bounds);
* backward: the answers change; what leads to them follows (systems, recurrences, roots, what is said to exist);
* through values: the variables get other values, which the hypotheses are made to fit, then the goal;
* by divisors: any numbers change; what divides all values, or all of them divide, follows;
* by search: one number of the goal is tried until the goal is not refuted (moduli, least and greatest numbers).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import NamedTuple

from pythagoras.language.changes.divisors import counted, is_about_divisors, with_divisors
from pythagoras.language.changes.fitting import Assignment, Equation, drawn, equations, fitted, samples, sides, small
from pythagoras.language.changes.numerals import Place, may_be, number, number_at, numerals, put, term_at
from pythagoras.language.changes.terms import conjuncts, is_function
from pythagoras.language.evaluate import holds
from pythagoras.language.meaning import Apply, Bind, Claim, Term, Variable, free_variables, walk

_EXAMPLES = 14
_MANY = 60
_SEARCHED = 12
_FARTHEST = 600
_NEAR = 3
_A_SIDE = 2
"""Steps to a side of a relation."""
_DRAWS = 6
"""Of what is said to exist, until it satisfies the rest."""
_STEPS = (-3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 10, 12)
_SAME_REMAINDERS = 24
"""A change by this keeps remainders by all that divides it: what can't be for its remainders can't be then either."""


class Made(NamedTuple):
    """A claim with other numbers."""

    claim: Claim
    is_fitted: bool
    """Whether numbers were worked out such that it holds."""


Way = Callable[[Claim, Random], Iterator[Made]]


def renumbered(claim: Claim, places: Sequence[Place], rng: Random) -> Claim:
    """Another number in one to three of the places; where the same number stands more than once, often in all."""
    new: dict[Place, Fraction] = {}
    moduli = [abs(int(number_at(claim, place))) for place in places if _is_modulus(claim, place)]
    for place in rng.sample(places, min(len(places), rng.choice((1, 1, 2, 2, 3)))):
        old = number_at(claim, place)
        least = 2 if abs(old) >= 2 else 1
        step: Fraction | int = rng.choice(_STEPS)
        if moduli and rng.random() < 0.4:
            step = rng.choice(moduli) * rng.choice((-1, 1, 2))
        elif not moduli and _is_denied(claim) and rng.random() < 0.7:
            step = _SAME_REMAINDERS * rng.choice((-1, 1, 2))
        if old.denominator > 1:
            step = Fraction(step, old.denominator)
        size = abs(old) + step if rng.random() < 0.8 else abs(old) * rng.choice((2, 3))
        size = max(Fraction(least), size) if old.denominator == 1 else abs(size) or abs(old)
        for other in _together(claim, place, rng):
            if other not in places:
                continue
            near = abs(number_at(claim, other)) - abs(old) + size
            if near > (1 if _is_modulus(claim, other) else 0):  # all numbers are congruent modulo 1
                new[other] = near if number_at(claim, other) > 0 else -near
    return put(claim, new)


def _together(claim: Claim, place: Place, rng: Random) -> list[Place]:
    """The places whose numbers move with one: none but its own, the same numbers, or those near, as in n + 4, n + 5."""
    old = abs(number_at(claim, place))
    chance = rng.random()
    if chance < 0.4:
        return [place]
    sizes = {each: abs(number_at(claim, each)) for each in numerals(claim)}
    if chance < 0.75:
        return [each for each, size in sizes.items() if size == old]
    return [each for each, size in sizes.items() if abs(size - old) <= _NEAR or abs(size - old) in sizes.values()]


def _is_modulus(claim: Claim, place: Place) -> bool:
    if len(place) < 2:
        return False
    around = term_at(claim, place[:-1])
    return isinstance(around, Apply) and (around.sign, place[-1]) in (("%", 1), ("≡", 2), ("∣", 0))


def _is_denied(claim: Claim) -> bool:
    return isinstance(claim.goal, Apply) and claim.goal.sign in ("≠", "not")


# --- forward --------------------------------------------------------------------------------------


def forward(claim: Claim, rng: Random) -> Iterator[Made]:
    changed = renumbered(claim, _free(claim, numerals(claim)), rng)
    yield Made(changed, False)
    yield from with_goal_fitted(claim, changed, rng)


def with_goal_fitted(claim: Claim, changed: Claim, rng: Random, known: Sequence[Assignment] = ()) -> Iterator[Made]:
    """The changed claim with such numbers of the goal, of those that are as they were, that its equations hold.

    For examples, and for what is known to be one.
    """
    goal = len(claim.hypotheses)
    values = [*known, *small(samples(met(changed), rng, _EXAMPLES))]
    made: Claim | None = changed
    for equation in equations(changed, goal):
        if equation.there_are or made is None:
            return
        made = _side_fitted(claim, made, equation, values, rng)
    if made is not None and made != changed:
        yield Made(made, True)


def _side_fitted(
    claim: Claim, changed: Claim, equation: Equation, values: Sequence[Assignment], rng: Random
) -> Claim | None:
    """With one side of the equation fitted to the other, of the numbers that are as they were."""
    both = sides(changed, equation)
    rng.shuffle(both)
    for side in both:
        same = [place for place in _free(claim, side) if number_at(changed, place) == number_at(claim, place)]
        rng.shuffle(same)
        made = fitted(changed, equation, same, values, rng)
        if made is not None:
            return made
    return None


def _free(claim: Claim, places: Sequence[Place]) -> list[Place]:
    """Those that may change: of bounds that follow from bounds, only what stands on a side by itself."""
    if met(claim) == claim or any(is_function(one) for one in claim.variables):
        return list(places)
    return [place for place in places if len(place) == _A_SIDE]


def met(claim: Claim) -> Claim:
    """The claim with its hypotheses' bounds attained, when its goal is a bound: there it is as sharp as it can be."""
    if not (isinstance(claim.goal, Apply) and claim.goal.sign in ("≤", "≥")):
        return claim
    hypotheses = (
        Apply("=", one.args) if isinstance(one, Apply) and one.sign in ("≤", "≥") else one for one in claim.hypotheses
    )
    return Claim(claim.variables, tuple(hypotheses), claim.goal)


# --- backward -------------------------------------------------------------------------------------


def backward(claim: Claim, rng: Random) -> Iterator[Made]:
    """Other answers, and what is given such that it leads to them."""
    goal = claim.goal
    if isinstance(goal, Bind) and goal.sign in ("∃", "∃!"):
        yield from _with_witnesses(claim, rng)
    elif isinstance(goal, Apply) and goal.sign == "iff":
        yield from _with_roots(claim, rng)
    elif claim.hypotheses and _is_answer(claim):
        yield from _with_answers(claim, rng)


def _is_answer(claim: Claim) -> bool:
    """Whether the goal says what variables, or functions, are."""
    functions = {one.name for one in claim.variables if is_function(one)}
    for part in conjuncts(claim.goal):
        match part:
            case Apply("=" | "≤" | "≥", (left, right)):
                names = free_variables(left) & functions
                if not names and not any(isinstance(one, Variable) for one in (left, right)):
                    return False
            case _:
                return False
    return True


def _with_answers(claim: Claim, rng: Random) -> Iterator[Made]:
    goal = len(claim.hypotheses)
    places = numerals(claim)
    of_goal = [place for place in places if place[0] == goal]
    if not of_goal:
        return
    changed = renumbered(claim, of_goal, rng)
    if rng.random() < 0.5:
        changed = renumbered(changed, places, rng)
    given = frozenset[str]().union(*map(free_variables, claim.hypotheses))
    inner = tuple(one for one in claim.variables if one.name not in given)
    answer = Bind("∀", inner, changed.goal) if inner else changed.goal
    outer = tuple(one for one in claim.variables if one.name in given)
    values = samples(Claim(outer, conjuncts(answer), Apply("true", ())), rng, _EXAMPLES)
    made: Claim | None = changed
    for index in range(goal):
        for equation in equations(changed, index):
            if made is not None:
                made = _side_fitted(claim, made, equation, values, rng) or _side_fitted(
                    changed, made, equation, values, rng
                )
    if made is not None:
        yield Made(made, True)


def _with_witnesses(claim: Claim, rng: Random) -> Iterator[Made]:
    """Other numbers for which what is said to exist is what was drawn, or worked out."""
    goal = claim.goal
    assert isinstance(goal, Bind)
    if claim.variables or claim.hypotheses:
        return
    changed = renumbered(claim, numerals(claim), rng)
    inner = list(equations(changed, 0))
    draws: list[Assignment] = [drawn(goal.variables, rng) for _ in range(_DRAWS)]
    if all(equation.for_all for equation in inner):
        draws.append({})
    for known in draws:
        made: Claim | None = changed if inner else None
        for equation in inner:
            if made is not None:
                made = _side_fitted(claim, made, equation, [known], rng)
        if made is None or not isinstance(made.goal, Bind):
            continue
        if not known or holds(Claim((), (), made.goal.body), known) is not False:
            yield Made(made, True)
            return


def _with_roots(claim: Claim, rng: Random) -> Iterator[Made]:
    """`p(x) = 0 ↔ x = a ∨ x = b` with other a and b, and p such that they are its roots."""
    goal = len(claim.hypotheses)
    assert isinstance(claim.goal, Apply)
    for answers, other in ((1, 0), (0, 1)):
        places = [place for place in numerals(claim) if place[:2] == (goal, answers)]
        if not places or not roots(claim.goal.args[answers]):
            continue
        changed = renumbered(claim, places, rng)
        assert isinstance(changed.goal, Apply)
        values = roots(changed.goal.args[answers])
        equation = Equation((goal, other), (), ())
        sign = term_at(changed, equation.place)
        if not values or not (isinstance(sign, Apply) and sign.sign == "="):
            continue
        made = _side_fitted(claim, changed, equation, values, rng)
        if made is not None:
            yield Made(made, True)


def roots(term: Term) -> list[Assignment]:
    """The values in `x = 2 ∨ x = 7/4`; none for other terms."""
    found: list[Assignment] = []
    for part in term.args if isinstance(term, Apply) and term.sign == "or" else (term,):
        match part:
            case Apply("=", (Variable(name), right)) if (value := number(right)) is not None:
                found.append({name: value})
            case Apply("=", (left, Variable(name))) if (value := number(left)) is not None:
                found.append({name: value})
            case _:
                return []
    return found


# --- through values -------------------------------------------------------------------------------


def through_values(claim: Claim, rng: Random) -> Iterator[Made]:
    """Other values for the variables, numbers of the hypotheses that fit them, and the goal that follows."""
    if not claim.hypotheses or any(is_function(one) or one.type == "Prop" for one in claim.variables):
        return
    values = drawn(claim.variables, rng)
    made: Claim | None = claim
    for index in range(len(claim.hypotheses)):
        for equation in equations(claim, index):
            if made is not None:
                made = _constant_fitted(made, equation, values, rng)
    if made is not None and made != claim:
        yield Made(made, False)
        yield from with_goal_fitted(claim, made, rng, [values])


def _constant_fitted(claim: Claim, equation: Equation, values: Assignment, rng: Random) -> Claim | None:
    """With the number fitted that is a side of the equation by itself, or that it is linear in."""
    places = [place for side in sides(claim, equation) for place in side]
    rng.shuffle(places)
    places.sort(key=len)
    for place in places[:3]:
        made = fitted(claim, equation, [place], [values], rng)
        if made is not None:
            return made
    return None


# --- by search ------------------------------------------------------------------------------------


def by_search(claim: Claim, rng: Random) -> Iterator[Made]:
    """Any numbers change, and one of the goal that was left alone is tried from 1 on."""
    changed = renumbered(claim, numerals(claim), rng)
    goal = len(claim.hypotheses)
    same = [
        place
        for place in numerals(changed)
        if place[0] == goal and number_at(changed, place) == number_at(claim, place)
    ]
    if isinstance(changed.goal, Apply) and changed.goal.sign in ("least", "greatest"):
        yield from _with_extreme(changed)
        return
    if not same or any(isinstance(one, Bind) and one.sign == "∃" for one in walk(claim.goal)):
        return
    values = small(samples(changed, rng, _EXAMPLES))
    if not values:
        return
    place = rng.choice(same) if rng.random() < 0.5 else min(same, key=len)
    old = int(number_at(changed, place))
    around = sorted(range(max(2, old - _SEARCHED // 2), old + _SEARCHED), key=lambda one: abs(one - old))
    for one in around[1:]:
        made = put(changed, {place: Fraction(one)})
        if may_be(changed, place, Fraction(one)) and _holds_for(made.goal, values):
            yield Made(made, False)
            return


def _with_extreme(claim: Claim) -> Iterator[Made]:
    """The least number of a set, or the greatest, as counting finds it."""
    goal = claim.goal
    assert isinstance(goal, Apply)
    members = goal.args[0]
    if claim.variables or not isinstance(members, Bind) or number(goal.args[1]) is None:
        return
    name = members.variables[0].name
    found = (one for one in range(_FARTHEST) if holds(Claim((), (), members.body), {name: one}))
    answer = next(found, 0) if goal.sign == "least" else max(found, default=0)
    if 0 < answer < _FARTHEST - 1:
        yield Made(put(claim, {(0, 1): Fraction(answer)}), False)


def _holds_for(goal: Term, values: Sequence[Assignment]) -> bool:
    return all(holds(Claim((), (), goal), one) is not False for one in values)


# --- by divisors ----------------------------------------------------------------------------------


def by_divisors(claim: Claim, rng: Random) -> Iterator[Made]:
    """Any numbers change, and the divisor that the goal is about follows."""
    if is_about_divisors(claim.goal):
        changed = renumbered(claim, numerals(claim), rng)
        made = with_divisors(changed, counted(changed) or samples(changed, rng, _MANY, 2 * _MANY))
        if made is not None:
            yield Made(made, True)


WAYS: tuple[Way, ...] = (backward, through_values, forward, by_divisors, by_search)
