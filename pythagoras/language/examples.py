"""Small values to try for a claim's variables, such as its hypotheses suggest.

Numbers are drawn from around 0 and from around the numbers of the claim; then linear equations among the hypotheses
are solved, for the variables that they fix. A single integer is also counted up. Functions get values where hypotheses
define them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import TypeAlias

from pythagoras.language.exact import Unknown, Value
from pythagoras.language.meaning import Apply, Bind, Call, Claim, Number, Term, Typed, Variable, walk

Evaluate: TypeAlias = Callable[[Term, dict[str, Value]], Value]

_DRAWN = ("ℕ", "ℤ", "ℚ", "Prop")
_FARTHEST = 300
"""The last place at which a function is worked out step by step."""


def assignments(
    claim: Claim, rng: Random, tries: int, evaluate: Evaluate
) -> Iterator[tuple[dict[str, Value], list[Term]]]:
    """Values for all variables, and the hypotheses that they have yet to satisfy: those that define no function.

    The claim is bare. Nothing comes where a function has no definition.
    """
    defining = _definitions(claim)
    used = {id(term) for terms in defining.values() for term in terms}
    open_terms = [term for term in claim.hypotheses if id(term) not in used]
    drawn = [variable for variable in claim.variables if variable.name not in defining]
    if any(variable.type not in _DRAWN for variable in drawn):
        return
    numbers = sorted(
        {one.value for term in (*claim.hypotheses, claim.goal) for one in walk(term) if isinstance(one, Number)}
    )
    equations = [term for term in open_terms if isinstance(term, Apply) and term.sign == "="]
    for turn in range(tries if drawn else 1):
        reach = 300 if turn % 5 == 4 else 2 + turn * 40 // tries
        found = {variable.name: _drawn(variable.type, rng, reach, numbers) for variable in drawn}
        if turn % 2 == 0:
            _solve(equations, drawn, found, rng, evaluate)
        elif len(drawn) == 1 and drawn[0].type in ("ℕ", "ℤ"):
            found[drawn[0].name] = turn // 2 * (-1 if drawn[0].type == "ℤ" and turn % 4 == 1 else 1)
        if all(_fits(variable.type, found[variable.name]) for variable in drawn):
            for name, terms in defining.items():
                found[name] = _function(name, terms, found, evaluate)
            yield found, open_terms


def _drawn(kind: str, rng: Random, reach: int, numbers: list[int]) -> Value:
    if kind == "Prop":
        return rng.random() < 0.5
    if numbers and rng.random() < 0.2:
        near = rng.choice(numbers) * rng.randint(1, 3) + rng.choice((-1, 0, 0, 0, 1))
        return max(near, 0) if kind == "ℕ" else near * rng.choice((1, -1))
    if kind == "ℕ":
        return rng.randint(0, reach)
    if kind == "ℤ" or rng.random() < 0.6:
        return rng.randint(-reach, reach)
    return Fraction(rng.randint(-reach, reach), rng.randint(1, 6))


def _fits(kind: str, one: Value) -> bool:
    """Whether a number is of a type: solutions of equations are fractions, or negative."""
    if kind == "ℕ":
        return isinstance(one, int) and one >= 0
    return isinstance(one, int) if kind == "ℤ" else True


# --- linear equations --------------------------------------------------------------------------------


def _solve(
    equations: Sequence[Term], drawn: list[Typed], found: dict[str, Value], rng: Random, evaluate: Evaluate
) -> None:
    """Changes as many values as the linear equations fix; the others stay as they were drawn."""
    names = [variable.name for variable in drawn if variable.type != "Prop"]
    rng.shuffle(names)
    rows = [row for term in equations if (row := _linear(term, names, found, evaluate)) is not None]
    fixed: dict[str, list[Fraction]] = {}
    for row in rows:
        for name, solved in fixed.items():
            row = _without(row, solved, names.index(name))
        pivot = next((at for at, one in enumerate(row[:-1]) if one), None)
        if pivot is None:
            continue
        row = [one / row[pivot] for one in row]
        fixed = {name: _without(solved, row, pivot) for name, solved in fixed.items()}
        fixed[names[pivot]] = row
    for name, row in fixed.items():
        free = sum(row[at] * found[other] for at, other in enumerate(names) if other not in fixed)
        solution = Fraction(row[-1] - free)
        found[name] = solution.numerator if solution.denominator == 1 else solution


def _without(row: list[Fraction], solved: list[Fraction], pivot: int) -> list[Fraction]:
    """The row less so much of a solved one that the variable of that is gone from it."""
    factor = row[pivot]
    return [one - factor * other for one, other in zip(row, solved, strict=True)]


def _linear(term: Term, names: list[str], found: dict[str, Value], evaluate: Evaluate) -> list[Fraction] | None:
    """Coefficients of an equation, and its constant on the other side; None where it is not linear.

    Read off values: at 0, with each variable at 1, and, to see whether it is linear indeed, at other places.
    """
    assert isinstance(term, Apply)
    left, right = term.args

    def difference(at: dict[str, Value]) -> Fraction:
        env = {**found, **at}
        return Fraction(evaluate(left, env)) - Fraction(evaluate(right, env))

    zero = dict.fromkeys(names, 0)
    try:
        constant = difference(zero)
        row = [difference({**zero, name: 1}) - constant for name in names]
        for place in (
            {name: 3 + 2 * at for at, name in enumerate(names)},
            {name: 7 - at for at, name in enumerate(names)},
        ):
            expected = constant + sum(one * place[name] for one, name in zip(row, names, strict=True))
            if difference(place) != expected:
                return None
    except (Unknown, TypeError, ValueError):  # not numbers
        return None
    return [*row, -constant]


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


def _function(name: str, terms: list[Term], found: dict[str, Value], evaluate: Evaluate) -> Callable[[Value], Value]:
    """A function as its definition says; `found` has the values of the other variables, also of later functions."""
    explicit = _explicit(terms[0], name)
    if explicit is not None:
        own, body = explicit
        return lambda place: evaluate(body, {**found, own: place})
    step = _step(terms[0], name)
    assert step is not None
    ahead, own, body = step
    known: list[Value] = []

    def at(place: Value) -> Value:
        if not isinstance(place, int) or not 0 <= place <= _FARTHEST:
            raise Unknown("a function is not worked out at that place")
        while len(known) <= place:
            index = len(known)
            if index < ahead:
                first = _place(terms[1 + index], name)
                assert first is not None
                known.append(evaluate(first[1], dict(found)))
            else:
                known.append(evaluate(body, {**found, own: index - ahead, name: known.__getitem__}))
        return known[place]

    return at
