"""Meanings on numbers: the value of a term, whether a claim holds for given values, values for which it does or fails.

Exact, with the numbers of mathematics (see `bare`: subtraction does not stop at 0, only `//` rounds) and Lean's
conventions where there is no value (see `exact`). Nothing here proves a claim about infinitely many numbers: what would
need that is unknown, and so is what would take too long. An unbounded `∀` is searched for a counterexample in a small
window, an unbounded `∃` for a witness.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import TypeAlias

from pythagoras.language.bare import bare, bare_term
from pythagoras.language.exact import LONGEST, NUMBERS, RELATIONS, Unknown, Value, plain
from pythagoras.language.examples import assignments
from pythagoras.language.meaning import Apply, Bind, Call, Claim, Number, Term, Typed, Variable, free_variables

Assignment: TypeAlias = Mapping[str, Value]

STEPS = 50_000
"""How many signs are worked out before something counts as unknown."""
STEPS_A_TRY, SEARCH_STEPS = 10_000, 300_000
"""The same where values are searched for: with one try, and with all."""
WINDOW = 12
"""How far from 0 values are tried where nothing bounds them."""


def value(term: Term, assignment: Assignment) -> Value:
    """What a term comes to, when its free variables have these values. Raises Unknown."""
    return _Run().value(bare_term(term), dict(assignment))


def holds(claim: Claim, assignment: Assignment) -> bool | None:
    """Whether the claim is true of these values: so it is when a hypothesis fails. None: that can't be told.

    Variables without a value stand for all of their type.
    """
    exact = bare(claim)
    env = dict(assignment)
    others = tuple(variable for variable in claim.variables if variable.name not in env)
    given: Term = Apply("and", exact.hypotheses)
    goal: Term = Apply("implies", (given, exact.goal)) if exact.hypotheses else exact.goal
    return _Run().truth(Bind("∀", others, goal) if others else goal, env)


def satisfied(claim: Claim, assignment: Assignment) -> bool | None:
    """Whether these values satisfy the hypotheses. None: that can't be told."""
    return _Run().all(bare(claim).hypotheses, dict(assignment))


def example(claim: Claim, rng: Random, tries: int = 300) -> dict[str, Value] | None:
    """Small values for the variables that satisfy all hypotheses; None where none are found.

    Functions have values only where hypotheses define them: `f x = 2 * x + 1` for all x, or step by step from `f 0` on.
    """
    return _found(bare(claim), rng, tries, refuting=False)


def refuted(claim: Claim, rng: Random, tries: int = 300) -> dict[str, Value] | None:
    """Values for which the hypotheses hold and the goal does not; None where none are found."""
    return _found(bare(claim), rng, tries, refuting=True)


def _found(claim: Claim, rng: Random, tries: int, refuting: bool) -> dict[str, Value] | None:
    left = SEARCH_STEPS
    for found, open_terms in assignments(claim, rng, tries, _evaluated):
        run = _Run(min(left, STEPS_A_TRY))
        fails = not refuting or run.truth(claim.goal, dict(found)) is False
        if fails and run.all(open_terms, dict(found)):
            return found
        left -= STEPS_A_TRY - run.steps
        if left <= 0:
            break
    return None


def _evaluated(term: Term, env: dict[str, Value]) -> Value:
    return _Run().value(term, env)


class _Run:
    """One evaluation, with what is left of its steps. Terms are bare."""

    def __init__(self, steps: int = STEPS) -> None:
        self.steps = steps

    # --- numbers -------------------------------------------------------------------------------

    def value(self, term: Term, env: dict[str, Value]) -> Value:
        self.steps -= 1
        if self.steps < 0:
            raise Unknown("it takes too long")
        match term:
            case Number():
                return term.value
            case Variable():
                if term.name not in env:
                    raise Unknown(f"{term.name} has no value")
                return env[term.name]
            case Call():
                function = self.value(term.function, env)
                args = [self.value(one, env) for one in term.args]
                try:
                    return plain(function(*args))
                except RecursionError:  # functions that are defined by each other
                    raise Unknown("it takes too long") from None
            case Bind(sign="fun"):
                names = [variable.name for variable in term.variables]
                return lambda *args: self.value(term.body, {**env, **dict(zip(names, args, strict=True))})
            case Bind(sign="∑" | "∏"):
                found: Value = 0 if term.sign == "∑" else 1
                for inside in self.elements(term, env):
                    one = self.value(term.body, inside)
                    found = plain(found + one if term.sign == "∑" else found * one)
                return found
            case Bind(sign="filter"):
                name = term.variables[0].name
                return [one[name] for one in self.elements(term, env) if self.certain(term.body, one)]
            case Bind(sign="set"):
                name = term.variables[0].name
                return lambda member: self.truth(term.body, {**env, name: member})
            case Apply() if term.sign in NUMBERS:
                return plain(NUMBERS[term.sign](*(self.value(one, env) for one in term.args)))
        return self.certain(term, env)

    def certain(self, term: Term, env: dict[str, Value]) -> bool:
        found = self.truth(term, env)
        if found is None:
            raise Unknown("its truth is not known")
        return found

    def elements(self, term: Bind, env: dict[str, Value]) -> Iterator[dict[str, Value]]:
        members = None if term.domain is None else self.value(term.domain, env)
        if members is None or callable(members):
            raise Unknown("it runs over infinitely many numbers")
        for member in members:
            yield {**env, term.variables[0].name: member}

    # --- truth: True, False, or None for unknown -----------------------------------------------

    def truth(self, term: Term, env: dict[str, Value]) -> bool | None:
        try:
            return self.truth_or_unknown(term, env)
        except Unknown:
            return None

    def truth_or_unknown(self, term: Term, env: dict[str, Value]) -> bool | None:
        match term:
            case Bind(sign="∀"):
                return self.for_all(term, env)
            case Bind(sign="∃" | "∃!"):
                return self.exists(term, env)
            case Apply(sign="and"):
                return self.all(term.args, env)
            case Apply(sign="or"):
                return _negated(self.all([_not(one) for one in term.args], env))
            case Apply(sign="not"):
                return _negated(self.truth(term.args[0], env))
            case Apply(sign="implies"):
                return _negated(self.all([term.args[0], _not(term.args[1])], env))
            case Apply(sign="iff"):
                sides = [self.truth(one, env) for one in term.args]
                return None if None in sides else sides[0] == sides[1]
            case Apply(sign="least" | "greatest"):
                return self.extreme(term, env)
            case Apply(sign="injective" | "bijective"):
                return self.injective(term.args[0], env)
            case Apply(sign="∈"):
                member, members = (self.value(one, env) for one in term.args)
                known: bool | None = members(member) if callable(members) else member in members
                return known
            case Apply() if term.sign in RELATIONS:
                return RELATIONS[term.sign](*(self.value(one, env) for one in term.args))
            case Variable() | Call():
                found = self.value(term, env)
                return found if isinstance(found, bool) else None
        return None

    def all(self, terms: Iterable[Term], env: dict[str, Value]) -> bool | None:
        """False as soon as one is; None when none is, and one is not known."""
        found: bool | None = True
        for one in terms:
            truth = self.truth(one, env)
            if truth is False:
                return False
            found = found and truth
        return found

    def for_all(self, term: Bind, env: dict[str, Value]) -> bool | None:
        body = term.body
        premises = _conjuncts(body.args[0]) if isinstance(body, Apply) and body.sign == "implies" else []
        values, complete = self.candidates(term.variables, premises, env)
        found: bool | None = True if complete else None
        for one in values:
            truth = self.truth(body, {**env, **one})
            if truth is False:
                return False
            if self.steps < 0:
                return None
            found = found and truth
        return found

    def exists(self, term: Bind, env: dict[str, Value]) -> bool | None:
        values, complete = self.candidates(term.variables, _conjuncts(term.body), env)
        witnesses = 0
        for one in values:
            truth = self.truth(term.body, {**env, **one})
            if truth:
                witnesses += 1
                if term.sign == "∃" or witnesses > 1:
                    return term.sign == "∃"
            if self.steps < 0:
                return None
            complete = complete and truth is not None
        return witnesses == 1 if complete else None

    def candidates(
        self, variables: tuple[Typed, ...], terms: list[Term], env: dict[str, Value]
    ) -> tuple[Iterator[dict[str, Value]], bool]:
        """Values to try for bound variables, and whether no others come into question under these terms."""
        names = [variable.name for variable in variables]
        ranges: list[Iterable[Value]] = []
        complete = True
        for variable in variables:
            low, high = self.bounds(variable, terms, env, set(names))
            if variable.type not in _WINDOWS:
                raise Unknown(f"it is about all {variable.type}")
            if variable.type in ("ℚ", "Prop") or (low is None and high is None):
                ranges.append(_WINDOWS[variable.type])
                complete &= variable.type == "Prop"
            elif low is not None and high is not None:
                ranges.append(range(low, min(high, low + LONGEST) + 1))
                complete &= high <= low + LONGEST
            else:
                start = low if low is not None else (high or 0) - 2 * WINDOW
                ranges.append(range(start, start + 2 * WINDOW + 1))
                complete = False
        return (dict(zip(names, values, strict=True)) for values in itertools.product(*ranges)), complete

    def bounds(
        self, variable: Typed, terms: list[Term], env: dict[str, Value], bound: set[str]
    ) -> tuple[int | None, int | None]:
        """The least and the greatest integer that the terms allow, by those that compare the variable itself."""
        low: int | None = 0 if variable.type == "ℕ" else None
        high: int | None = None
        own = Variable(variable.name)
        for term in terms:
            if not isinstance(term, Apply) or term.sign not in _MIRRORED or own not in term.args:
                continue
            first, second = term.args
            sign, other = (term.sign, second) if first == own else (_MIRRORED[term.sign], first)
            if free_variables(other) & bound:
                continue
            try:
                limit = self.value(other, env)
            except Unknown:
                continue
            if sign in ("<", "≤", "="):
                top = math.ceil(limit) - 1 if sign == "<" else math.floor(limit)
                high = top if high is None else min(high, top)
            if sign in (">", "≥", "="):
                bottom = math.floor(limit) + 1 if sign == ">" else math.ceil(limit)
                low = bottom if low is None else max(low, bottom)
        return low, high

    def extreme(self, term: Apply, env: dict[str, Value]) -> bool | None:
        """The least or greatest element of a set of integers. Without a bound on the set it is only refuted."""
        members, number = term.args[0], self.value(term.args[1], env)
        if not isinstance(members, Bind) or not isinstance(number, int) or members.variables[0].type == "ℚ":
            return None
        variable = members.variables[0]
        low, high = self.bounds(variable, _conjuncts(members.body), env, {variable.name})
        if term.sign == "least":
            others = range(max(number - LONGEST, number - 2 * WINDOW if low is None else low), number)
            complete = low is not None and number - low <= LONGEST
        else:
            others = range(number + 1, min(number + LONGEST, number + 2 * WINDOW if high is None else high) + 1)
            complete = high is not None and high - number <= LONGEST
        found = self.truth(members.body, {**env, variable.name: number})
        for other in others:
            inside = self.truth(members.body, {**env, variable.name: other})
            if found is False or inside:
                return False
            found = found and _negated(inside)
        return found if complete or found is False else None

    def injective(self, function: Term, env: dict[str, Value]) -> bool | None:
        """Two places with one value refute it; nothing proves it."""
        if not isinstance(function, Bind):
            return None
        window = _WINDOWS.get(function.variables[0].type, ())
        seen = [self.value(function, env)(one) for one in window]
        return False if len(set(seen)) < len(seen) else None


_MIRRORED = {"<": ">", "≤": "≥", ">": "<", "≥": "≤", "=": "="}
_WINDOWS: dict[str, tuple[Value, ...]] = {
    "ℕ": tuple(range(2 * WINDOW + 1)),
    "ℤ": tuple(sorted(range(-WINDOW, WINDOW + 1), key=abs)),
    "ℚ": tuple(dict.fromkeys(Fraction(p, q) for q in (1, 2, 3) for p in sorted(range(-WINDOW, WINDOW + 1), key=abs))),
    "Prop": (False, True),
}


def _negated(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _not(term: Term) -> Term:
    return Apply("not", (term,))


def _conjuncts(term: Term) -> list[Term]:
    if isinstance(term, Apply) and term.sign == "and":
        return [one for part in term.args for one in _conjuncts(part)]
    return [term]
