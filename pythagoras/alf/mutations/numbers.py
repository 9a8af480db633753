"""Other numbers in the manner of GSM-Symbolic: the same problem, with numbers that keep it true where that can be told.

What follows from a change of one number is worked out on examples (`pythagoras.language.changes.renumber`); a few
numbers are tried before a variant is proposed. It is not proved, so nothing is promised, but for what is calculated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random

from pythagoras.alf.mutations.rearrange import renamed
from pythagoras.alf.mutations.sequents import Given, Sequent, operator, simplification
from pythagoras.alf.mutations.trials import tried, unrefuted
from pythagoras.alf.variants import Category, Promise
from pythagoras.language.changes import simpler
from pythagoras.language.changes.numerals import numerals, written
from pythagoras.language.changes.renumber import WAYS
from pythagoras.language.changes.terms import opened, unfolded
from pythagoras.language.meaning import Claim

_ROUNDS = 2
_A_WAY = 2


def other_numbers(found: Sequent, rng: Random) -> Iterator[Sequent]:
    claim = tried(found)
    if claim is None:
        return
    if found.is_exact:
        claim = opened(Claim(claim.variables, claim.hypotheses, unfolded(claim.goal)))
    if numerals(claim):
        yield from unrefuted(_renumbered(found, claim, rng), rng)


def _renumbered(found: Sequent, claim: Claim, rng: Random) -> Iterator[Sequent]:
    for _ in range(_ROUNDS):
        for way in rng.sample(WAYS, len(WAYS)):
            made = sorted(islice(way(claim, rng), _A_WAY), key=lambda one: not one.is_fitted)
            for one in made:
                if one.claim != claim:
                    yield _sequent(found, written(one.claim))


def _sequent(found: Sequent, claim: Claim) -> Sequent:
    names = [one.name for one in found.given] if len(found.given) == len(claim.hypotheses) else []
    given = tuple(Given(term, names[at] if names else "") for at, term in enumerate(claim.hypotheses))
    variables = claim.variables if found.is_exact else found.variables
    return replace(found, variables=variables, given=given, goal=claim.goal)


def other_numbers_and_names(found: Sequent, rng: Random) -> Iterator[Sequent]:
    for one in other_numbers(found, rng):
        yield from renamed(one, rng)


def smaller_numbers(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """A value without variables, for smaller numbers, calculated."""
    if found.is_exact and not found.variables:
        for one in simpler.reduced(found.claim, rng):
            yield _sequent(found, one.claim)


OPERATORS = (
    operator(
        "other_numbers", Category.REFORMULATION, Promise.UNKNOWN, "numbers change, others follow them", other_numbers
    ),
    operator(
        "other_numbers_and_names",
        Category.REFORMULATION,
        Promise.UNKNOWN,
        "numbers change, others follow them, and variables have other names",
        other_numbers_and_names,
    ),
    simplification("smaller_numbers", "a calculation with smaller numbers", smaller_numbers),
)
