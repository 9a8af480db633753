"""Meanings on numbers: the value of a term, whether a claim holds for given values, values for which it does or fails.

Exact, with the numbers of mathematics (see `bare`: subtraction does not stop at 0, only `//` rounds) and Lean's
conventions where there is no value (see `exact`). Nothing here proves a claim about infinitely many numbers: what would
need that is unknown, and so is what would take too long. An unbounded `∀` is searched for a counterexample in a small
window, an unbounded `∃` for a witness.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import TypeAlias

from pythagoras.language.bare import bare, bare_term
from pythagoras.language.calculating import STEPS, Calculator, Test
from pythagoras.language.exact import Value
from pythagoras.language.examples import examples_of
from pythagoras.language.meaning import Apply, Bind, Claim, Term

Assignment: TypeAlias = Mapping[str, Value]

STEPS_A_TRY, SEARCH_STEPS = 10_000, 300_000
"""How many signs are worked out where values are searched for: with one try, and with all."""


def value(term: Term, assignment: Assignment) -> Value:
    """What a term comes to, when its free variables have these values. Raises Unknown."""
    return Calculator().value(bare_term(term))(dict(assignment))


def holds(claim: Claim, assignment: Assignment) -> bool | None:
    """Whether the claim is true of these values: so it is when a hypothesis fails. None: that can't be told.

    Variables without a value stand for all of their type.
    """
    exact = bare(claim)
    others = tuple(variable for variable in claim.variables if variable.name not in assignment)
    given: Term = Apply("and", exact.hypotheses)
    goal: Term = Apply("implies", (given, exact.goal)) if exact.hypotheses else exact.goal
    return Calculator().truth(Bind("∀", others, goal) if others else goal)(dict(assignment))


def satisfied(claim: Claim, assignment: Assignment) -> bool | None:
    """Whether these values satisfy the hypotheses. None: that can't be told."""
    return Calculator().all(bare(claim).hypotheses)(dict(assignment))


def example(claim: Claim, rng: Random, tries: int = 300) -> dict[str, Value] | None:
    """Small values for the variables that satisfy all hypotheses; None where none are found.

    Functions have values only where hypotheses define them: `f x = 2 * x + 1` for all x, or step by step from `f 0` on.
    """
    return _Trial(claim).example(rng, tries)


def refuted(claim: Claim, rng: Random, tries: int = 300) -> dict[str, Value] | None:
    """Values for which the hypotheses hold and the goal does not; None where none are found."""
    return _Trial(claim).refuted(rng, tries)


def stands(claim: Claim, rng: Random, tries: int, refuting: Sequence[int]) -> bool:
    """Whether the goal is seen to hold for an example, and no search refutes the claim, each with so many tries.

    The example comes first: most of what is false, or can't be told, fails there.
    """
    trial = _Trial(claim)
    values = trial.example(rng, tries)
    if values is None or trial.holds(values) is not True:
        return False
    return all(trial.refuted(rng, one) is None for one in refuting)


class _Trial:
    """A claim that values are tried on."""

    def __init__(self, claim: Claim) -> None:
        self._claim = bare(claim)
        self._run = Calculator()
        self._examples = examples_of(self._claim, self._run.alone)
        self._given = self._run.all(self._examples.others)

    @cached_property
    def _goal(self) -> Test:
        return self._run.truth(self._claim.goal)

    def example(self, rng: Random, tries: int) -> dict[str, Value] | None:
        return self._found(rng, tries, lambda values: True)

    def refuted(self, rng: Random, tries: int) -> dict[str, Value] | None:
        goal = self._goal
        return self._found(rng, tries, lambda values: goal(values) is False)

    def holds(self, values: Assignment) -> bool | None:
        """The goal alone."""
        self._run.steps = STEPS
        return self._goal(dict(values))

    def _found(self, rng: Random, tries: int, is_wanted: Callable[[dict[str, Value]], bool]) -> dict[str, Value] | None:
        """Values that are wanted and satisfy the hypotheses."""
        left = SEARCH_STEPS
        for found in self._examples.assignments(rng, tries):
            self._run.steps = allowed = min(left, STEPS_A_TRY)
            if is_wanted(dict(found)) and self._given(dict(found)):
                return found
            left -= allowed - self._run.steps
            if left <= 0:
                break
        return None
