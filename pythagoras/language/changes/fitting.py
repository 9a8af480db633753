"""Numbers of a claim worked out so that its equations hold.

The numbers that are asked for stand in an equation as coefficients do: it is linear in them. So every choice of values
for the variables is one linear equation for the numbers, and a few more choices than numbers fix them, or show that
none will do. What stays open keeps the number that was there. Nothing here proves that the equation holds elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from pythagoras.language.bare import bare
from pythagoras.language.calculating import STEPS, Calculator
from pythagoras.language.changes.linear import solution
from pythagoras.language.changes.numerals import Place, may_be, number_at, numerals, put, term_at, terms
from pythagoras.language.evaluate import value
from pythagoras.language.exact import Unknown, Value
from pythagoras.language.examples import examples_of
from pythagoras.language.meaning import Apply, Bind, Claim, Term, Typed, children

Assignment = dict[str, Value]

LARGEST = 10**9
_SPARE = 3
"""Choices of values beyond those that fix the numbers."""
_IN_VAIN = 16
"""Tries without a new one before further examples are given up."""
_RELATIONS = ("=", "≤", "≥")


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation in a claim (or a bound, of which the sides may meet), and what is bound around it."""

    place: Place
    for_all: tuple[Typed, ...]
    there_are: tuple[Typed, ...]


def equations(claim: Claim, index: int) -> Iterator[Equation]:
    """Those that a hypothesis, or the goal, says to hold."""
    return _equations(terms(claim)[index], (index,), (), ())


def _equations(
    term: Term, place: Place, for_all: tuple[Typed, ...], there_are: tuple[Typed, ...]
) -> Iterator[Equation]:
    match term:
        case Apply(sign, _) if sign in _RELATIONS:
            yield Equation(place, for_all, there_are)
        case Apply("and", parts):
            for at, part in enumerate(parts):
                yield from _equations(part, (*place, at), for_all, there_are)
        case Bind("∀", variables, body):
            yield from _equations(body, (*place, 0), (*for_all, *variables), there_are)
        case Bind("∃" | "∃!", variables, body):
            yield from _equations(body, (*place, 0), for_all, (*there_are, *variables))


def samples(claim: Claim, rng: Random, most: int, tries: int = 60) -> list[Assignment]:
    """Different values for the variables that satisfy the hypotheses."""
    return list(each_sample(claim, rng, most, tries))


def each_sample(claim: Claim, rng: Random, most: int, tries: int) -> Iterator[Assignment]:
    """The same, one after the other."""
    seen: set[str] = set()
    last = 0
    exact = bare(claim)
    run = Calculator()
    examples = examples_of(exact, run.alone)
    given = run.all(examples.others)
    for turn, values in enumerate(examples.assignments(rng, tries)):
        if len(seen) == most or turn - last >= _IN_VAIN:
            return
        plain = repr([(name, one) for name, one in values.items() if not callable(one)])
        run.steps = STEPS
        if plain not in seen and given(dict(values)):
            seen.add(plain)
            last = turn
            yield values


def small(values: list[Assignment]) -> list[Assignment]:
    """Those two thirds that are the smallest: sums and powers take long for large numbers."""
    size = {id(one): max((abs(part) for part in one.values() if not callable(part)), default=0) for one in values}
    return sorted(values, key=lambda one: size[id(one)])[: -(-2 * len(values) // 3)]


def drawn(variables: Sequence[Typed], rng: Random) -> Assignment:
    """Some small values."""
    below = rng.choice((1, 1, 1, 2, 3))
    return {one.name: _drawn(one.type, below, rng) for one in variables}


def _drawn(kind: str, below: int, rng: Random) -> Value:
    if kind == "ℕ":
        return rng.randint(0, 15)
    whole = rng.randint(-12, 12)
    return whole if kind != "ℚ" or whole % below == 0 else Fraction(whole, below)


def fitted(
    claim: Claim, equation: Equation, open_places: Sequence[Place], values: Sequence[Assignment], rng: Random
) -> Claim | None:
    """The claim with such numbers in the open places that the equation holds for these values.

    What is bound by `∀` around the equation gets values as well; what is bound by `∃` has one already, or is worked out
    with the numbers. None where no numbers will do, or some that do not fit into their places.
    """
    if not values:
        return None
    names = [one.name for one in equation.there_are if one.name not in values[0]]
    kinds = {one.name: one.type for one in equation.there_are}
    try:
        system = _System(claim, equation, names)
        first = [{**one, **drawn(equation.for_all, rng)} for one in values[:2]]
        places = system.linear(open_places, first)
        wanted = len(places) + len(names) + _SPARE
        often = 1 if len(values) >= wanted or not equation.for_all else -(-wanted // len(values))
        envs = [{**one, **drawn(equation.for_all, rng)} for one in values[:wanted] for _ in range(often)]
        changes = solution([system.row(places, env) for env in envs], len(places) + len(names))
    except (Unknown, TypeError, ValueError, ZeroDivisionError):
        return None
    if changes is None:
        return None
    for name, witness in zip(names, changes[len(places) :], strict=True):
        if (kinds[name] != "ℚ" and witness.denominator != 1) or (kinds[name] == "ℕ" and witness < 0):
            return None
    new = {
        place: number_at(claim, place) + change for place, change in zip(places, changes[: len(places)], strict=True)
    }
    if any(abs(one) > LARGEST or one.denominator > 12 or not may_be(claim, place, one) for place, one in new.items()):
        return None
    return put(claim, new)


@dataclass(frozen=True, slots=True)
class _System:
    """The difference of an equation's sides, by what is to be worked out: numbers in places, then variables."""

    claim: Claim
    equation: Equation
    names: Sequence[str]

    def gap(self, added: Mapping[Place, Fraction], env: Assignment) -> Fraction:
        """The difference of the sides with so much more in these places."""
        start = len(self.equation.place)
        alone = Claim((), (), term_at(self.claim, self.equation.place))
        changed = put(
            alone, {(0, *place[start:]): number_at(self.claim, place) + more for place, more in added.items()}
        )
        left, right = (value(side, env) for side in children(changed.goal)[:2])
        for side in (left, right):
            if isinstance(side, bool) or not isinstance(side, int | Fraction):
                raise Unknown("no number")
        return Fraction(left) - Fraction(right)

    def row(self, places: Sequence[Place], env: Assignment) -> list[Fraction]:
        """What one more in each place changes, then in each variable; and what the sides are apart."""
        env = {**dict.fromkeys(self.names, 0), **env}
        apart = self.gap({}, env)
        row = [self.gap({place: Fraction(1)}, env) - apart for place in places]
        row += [self.gap({}, {**env, name: 1}) - apart for name in self.names]
        return [*row, -apart]

    def linear(self, places: Sequence[Place], envs: Sequence[Assignment]) -> list[Place]:
        """As many of the places as the difference is linear in, together."""
        if all(self.is_linear(places, env) for env in envs):
            return list(places)
        chosen: list[Place] = []
        for place in places:
            if all(self.is_linear([*chosen, place], env) for env in envs):
                chosen.append(place)
        return chosen

    def is_linear(self, places: Sequence[Place], env: Assignment) -> bool:
        *row, apart = self.row(places, env)
        for factor in (2, 3):
            steps = [Fraction(factor + at) for at in range(len(row))]
            moved = {**dict.fromkeys(self.names, 0), **env}
            moved.update(zip(self.names, steps[len(places) :], strict=True))
            expected = sum((one * step for one, step in zip(row, steps, strict=True)), -apart)
            if self.gap(dict(zip(places, steps, strict=False)), moved) != expected:
                return False
        return True


def sides(claim: Claim, equation: Equation) -> list[list[Place]]:
    """The places of the numbers of each side, zeros too."""
    length = len(equation.place)
    inside = [place for place in numerals(claim, zeros=True) if place[:length] == equation.place]
    return [[place for place in inside if place[length] == side] for side in (0, 1)]
