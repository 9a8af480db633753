"""Small values to try for a claim's variables, such as its hypotheses suggest.

Numbers are drawn from around 0 and from around the numbers of the claim; then linear equations among the hypotheses
are solved, for the variables that they fix. A single integer is also counted up. Functions get values where hypotheses
define them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from random import Random
from typing import TypeAlias

from pythagoras.language.exact import Unknown, Value, plain
from pythagoras.language.meaning import Apply, Bind, Call, Claim, Number, Term, Typed, Variable, walk

Calculation: TypeAlias = Callable[[dict[str, Value]], Value]
Calculating: TypeAlias = Callable[[Term], Calculation]
"""Makes a term into a function of its variables' values."""

_DRAWN = ("ℕ", "ℤ", "ℚ", "Prop")
_FARTHEST = 300
"""The last place at which a function is worked out step by step."""


@dataclass(frozen=True, slots=True)
class Examples:
    """What values for a claim's variables are drawn by."""

    drawn: Sequence[Typed] | None
    """The variables that are drawn, when all others are functions that hypotheses define; else there are no values."""
    names: Sequence[str]
    """Of those, the numbers."""
    numbers: Sequence[int]
    """Those of the claim."""
    equations: Sequence[Linear]
    functions: Mapping[str, Callable[[dict[str, Value]], Callable[[Value], Value]]]
    others: Sequence[Term]
    """The hypotheses that define no function: values have yet to satisfy them."""

    def assignments(self, rng: Random, tries: int) -> Iterator[dict[str, Value]]:
        """Values for all variables."""
        if self.drawn is None:
            return
        for turn in range(tries if self.drawn else 1):
            reach = 300 if turn % 5 == 4 else 2 + turn * 40 // tries
            found = {variable.name: _drawn(variable.type, rng, reach, self.numbers) for variable in self.drawn}
            if turn % 2 == 0:
                order = list(self.names)
                rng.shuffle(order)
                _solve(self.equations, order, found)
            elif len(self.drawn) == 1 and self.drawn[0].type in ("ℕ", "ℤ"):
                found[self.drawn[0].name] = turn // 2 * (-1 if self.drawn[0].type == "ℤ" and turn % 4 == 1 else 1)
            if all(_fits(variable.type, found[variable.name]) for variable in self.drawn):
                for name, function in self.functions.items():
                    found[name] = function(found)
                yield found


def examples_of(claim: Claim, calculating: Calculating) -> Examples:
    """What the variables of a bare claim are drawn by; `calculating` makes the functions that work out its terms."""
    defining = _definitions(claim)
    used = {id(term) for terms in defining.values() for term in terms}
    others = [term for term in claim.hypotheses if id(term) not in used]
    drawn = [variable for variable in claim.variables if variable.name not in defining]
    if any(variable.type not in _DRAWN for variable in drawn):
        return Examples(None, [], [], [], {}, others)
    names = [variable.name for variable in drawn if variable.type != "Prop"]
    equations = (term for term in others if isinstance(term, Apply) and term.sign == "=")
    linear = (_linear(term, names, calculating) for term in equations)
    numbers = {one.value for term in (*claim.hypotheses, claim.goal) for one in walk(term) if isinstance(one, Number)}
    return Examples(
        drawn,
        names,
        sorted(numbers),
        [one for one in linear if one is not None],
        {name: _function(name, terms, calculating) for name, terms in defining.items()},
        others,
    )


def _drawn(kind: str, rng: Random, reach: int, numbers: Sequence[int]) -> Value:
    if kind == "Prop":
        return rng.random() < 0.5
    if numbers and rng.random() < 0.2:
        near = rng.choice(numbers) * rng.randint(1, 3) + rng.choice((-1, 0, 0, 0, 1))
        return max(near, 0) if kind == "ℕ" else near * rng.choice((1, -1))
    if kind == "ℕ":
        return rng.randint(0, reach)
    if kind == "ℤ" or rng.random() < 0.6:
        return rng.randint(-reach, reach)
    return plain(Fraction(rng.randint(-reach, reach), rng.randint(1, 6)))


def _fits(kind: str, one: Value) -> bool:
    """Whether a number is of a type: solutions of equations are fractions, or negative."""
    if kind == "ℕ":
        return isinstance(one, int) and one >= 0
    return isinstance(one, int) if kind == "ℤ" else True


# --- linear equations --------------------------------------------------------------------------------


def _solve(equations: Sequence[Linear], names: Sequence[str], found: dict[str, Value]) -> None:
    """Changes as many values as the linear equations fix; the others stay as they were drawn."""
    fixed: dict[str, list[Value]] = {}
    for equation in equations:
        row = [*(equation.factors[name] for name in names), equation.value]
        for name, solved in fixed.items():
            row = _without(row, solved, names.index(name))
        pivot = next((at for at, one in enumerate(row[:-1]) if one), None)
        if pivot is None:
            continue
        row = [_over(one, row[pivot]) for one in row]
        fixed = {name: _without(solved, row, pivot) for name, solved in fixed.items()}
        fixed[names[pivot]] = row
    for name, row in fixed.items():
        free = sum(row[at] * found[other] for at, other in enumerate(names) if other not in fixed and row[at])
        found[name] = plain(row[-1] - free)


def _without(row: list[Value], solved: list[Value], pivot: int) -> list[Value]:
    """The row less so much of a solved one that the variable of that is gone from it."""
    factor = row[pivot]
    return [one - factor * other for one, other in zip(row, solved, strict=True)] if factor else row


def _over(one: Value, other: Value) -> Value:
    """The quotient; an integer stays one where it can, since fractions are slow."""
    if type(one) is int and type(other) is int and one % other == 0:
        return one // other
    return Fraction(one) / other


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear equation: factors of variables, and what the products come to."""

    factors: Mapping[str, Value]
    value: Value


def _linear(term: Apply, names: Sequence[str], calculating: Calculating) -> Linear | None:
    """An equation as a linear one; None where it is not linear in these variables, or has others.

    Read off values: at 0, with each variable at 1, and, to see whether it is linear indeed, at other places.
    """
    left, right = map(calculating, term.args)

    def difference(at: dict[str, Value]) -> Value:
        return left(dict(at)) - right(dict(at))

    zero = dict.fromkeys(names, 0)
    try:
        constant = difference(zero)
        factors = {name: difference({**zero, name: 1}) - constant for name in names}
        for place in (
            {name: 3 + 2 * at for at, name in enumerate(names)},
            {name: 7 - at for at, name in enumerate(names)},
        ):
            if difference(place) != constant + sum(factors[name] * place[name] for name in names):
                return None
    except (Unknown, TypeError, ValueError):  # not numbers
        return None
    return Linear(factors, -constant)


# --- functions ---------------------------------------------------------------------------------------


def _definitions(claim: Claim) -> dict[str, list[Term]]:
    """The hypotheses that together define a function, by its name."""
    found: dict[str, list[Term]] = {}
    hypotheses = claim.hypotheses
    for name in (variable.name for variable in claim.variables if "→" in variable.type):
        explicit = [one for one in hypotheses if _explicit(one, name) is not None]
        steps = [one for one in hypotheses if _step(one, name) is not None]
        places = {place[0]: one for one in hypotheses if (place := _place(one, name)) is not None}
        if explicit:
            found[name] = explicit[:1]
        elif steps and (step := _step(steps[0], name)) is not None and set(range(step[0])) <= set(places):
            found[name] = [steps[0], *(places[at] for at in range(step[0]))]
    return found


def _is_call(term: Term) -> bool:
    return isinstance(term, Call) and isinstance(term.function, Variable)


def _sides(term: Term) -> list[tuple[Term, Term]]:
    """Of an equation, or of a bound: what is equal is within it."""
    if isinstance(term, Apply) and term.sign in ("=", "≤", "≥"):
        return [(term.args[0], term.args[1]), (term.args[1], term.args[0])]
    return []


def _mentions(term: Term, name: str) -> bool:
    return Variable(name) in walk(term)


def _explicit(term: Term, name: str) -> tuple[str, Term] | None:
    """For `∀ x, f x = ...`: x and what it equals."""
    if not isinstance(term, Bind) or term.sign != "∀" or len(term.variables) != 1:
        return None
    own = term.variables[0].name
    for left, right in _sides(term.body):
        if left == Call(Variable(name), (Variable(own),)) and not _mentions(right, name):
            return own, right
    return None


def _place(term: Term, name: str) -> tuple[int, Term] | None:
    """For `f 0 = ...`: the place and the value."""
    for left, right in _sides(term):
        match left:
            case Call(Variable(function), (Number(place),)) if function == name and not any(map(_is_call, walk(right))):
                return place, right
    return None


def _step(term: Term, name: str) -> tuple[int, str, Term] | None:
    """For `∀ n, f (n + 2) = ...` that looks back at `f n` and `f (n + 1)`: 2, n and what it equals."""
    if not isinstance(term, Bind) or term.sign != "∀" or len(term.variables) != 1:
        return None
    own = term.variables[0].name
    for left, right in _sides(term.body):
        match left:
            case Call(Variable(function), (Apply("+", (Variable(at), Number(ahead))),)) if (
                function == name and at == own
            ):
                earlier: list[Term] = [Variable(own)]
                earlier += [Apply("+", (Variable(own), Number(back))) for back in range(1, ahead)]
                calls = [one for one in walk(right) if isinstance(one, Call)]
                if ahead > 0 and all(call.function == Variable(name) and call.args[0] in earlier for call in calls):
                    return ahead, own, right
    return None


def _function(
    name: str, terms: list[Term], calculating: Calculating
) -> Callable[[dict[str, Value]], Callable[[Value], Value]]:
    """A function as its definition says, given the values of the other variables, also of later functions."""
    explicit = _explicit(terms[0], name)
    if explicit is not None:
        own, body = explicit[0], calculating(explicit[1])
        return lambda found: lambda place: body({**found, own: place})
    step = _step(terms[0], name)
    assert step is not None
    places = [place[1] for term in terms[1:] if (place := _place(term, name)) is not None]
    return partial(_step_by_step, name, step[1], list(map(calculating, places)), calculating(step[2]))


def _step_by_step(
    name: str, own: str, first: Sequence[Calculation], body: Calculation, found: dict[str, Value]
) -> Callable[[Value], Value]:
    known: list[Value] = []

    def at(place: Value) -> Value:
        if not isinstance(place, int) or not 0 <= place <= _FARTHEST:
            raise Unknown("a function is not worked out at that place")
        while len(known) <= place:
            index = len(known)
            if index < len(first):
                known.append(first[index](dict(found)))
            else:
                known.append(body({**found, own: index - len(first), name: known.__getitem__}))
        return known[place]

    return at
