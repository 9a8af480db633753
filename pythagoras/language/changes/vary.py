"""Variants of a hard problem, by rules: problems of the same kind with other numbers, none of them the original.

A variant must not be what is held out: so nothing here restates the original, asks for a case of it, or for something
that it is a case of. The numbers change, and those that then make the claim false are worked out anew (`renumber`).
What the values refute that are tried is left out, as is what can't hold at all; where values can't tell, what was
worked out is believed. The rest is for the prover to find out. The k-th variant of a problem is always the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from random import Random

from pythagoras.language.changes.divisors import counted, with_divisors
from pythagoras.language.changes.fitting import Assignment, each_sample, samples
from pythagoras.language.changes.numerals import Place, number_at, numerals, written
from pythagoras.language.changes.remainders import reduced
from pythagoras.language.changes.renumber import WAYS, met, roots
from pythagoras.language.changes.terms import is_function, opened, unfolded
from pythagoras.language.changes.weaker import is_case
from pythagoras.language.english import read_english
from pythagoras.language.evaluate import holds, value
from pythagoras.language.exact import Unknown, Value
from pythagoras.language.meaning import Apply, Bind, Claim, free_variables, walk
from pythagoras.language.normal import key
from pythagoras.language.reading import NotRead
from pythagoras.language.spoken import say

_TRIES = 100
"""Draws before a problem counts as one that can't be varied further."""
_IDLE = 8
"""Draws in vain, one after the other, before a way to other numbers is left."""
_VALUES, _DEAR_VALUES = 60, 10
"""Examples for which a variant must hold; fewer where each means a search."""


def answer(fields: Mapping[str, str], number: int, seed: int) -> str:
    """The variant of that number as JSON, or why there is none."""
    try:
        claim = read_english(fields["problem"])
        for at, (variant, change) in enumerate(variants(claim, Random(f"{seed} {key(claim)}"))):
            if at == number:
                return json.dumps({"question": say(variant), "change": change}, ensure_ascii=False)
    except NotRead as why:
        return f"CAN'T: {why}"
    return "CAN'T: no further choice of numbers makes another problem that can be true"


def variants(claim: Claim, rng: Random) -> Iterator[tuple[Claim, str]]:
    """Problems of the same kind with other numbers, each once, with a word on what was changed."""
    claim = opened(Claim(claim.variables, claim.hypotheses, unfolded(claim.goal)))
    if not numerals(claim):
        return
    seen = {key(claim), key(reduced(claim))}
    judge = _Judge.of(claim)
    ways, idle = list(WAYS), dict.fromkeys(WAYS, 0)
    for turn in range(_TRIES):
        way = ways[turn % len(ways)]
        candidates = list(way(claim, rng))
        idle[way] = 0 if candidates else idle[way] + 1
        if idle[way] == _IDLE and len(ways) > 1:
            ways.remove(way)
        for made in candidates:
            variant = _closed(written(made.claim))
            try:
                own, own_reduced = key(variant), key(reduced(variant))
            except NotRead:
                continue
            if {own, own_reduced} & seen or is_case(claim, made.claim) or is_case(made.claim, claim):
                continue
            if not judge.can_hold(made.claim, made.is_fitted):
                continue
            seen |= {own, own_reduced}
            if not judge.is_restated(made.claim) and _is_readable(variant, own):
                yield variant, _difference(claim, made.claim)
                break


def _closed(claim: Claim) -> Claim:
    """The claim with `∀` before its goal for a variable whose name a hypothesis binds as well."""
    bound = {
        variable.name
        for hypothesis in claim.hypotheses
        for term in walk(hypothesis)
        if isinstance(term, Bind)
        for variable in term.variables
    }
    own = tuple(variable for variable in claim.variables if variable.name in bound)
    if not own or any(free_variables(hypothesis) & {one.name for one in own} for hypothesis in claim.hypotheses):
        return claim
    others = tuple(variable for variable in claim.variables if variable.name not in bound)
    return Claim(others, claim.hypotheses, Bind("∀", own, claim.goal))


def _is_readable(variant: Claim, own: str) -> bool:
    """Whether what is said of it is read as the same again."""
    try:
        return key(read_english(say(variant))) == own
    except NotRead:
        return False


def _difference(claim: Claim, variant: Claim) -> str:
    """Which numbers are others."""
    pairs = {(number_at(claim, place), number_at(variant, place)): None for place in _changed(claim, variant)}
    return ", ".join(f"{old} became {new}" for old, new in pairs)


# --- what can be a variant ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Judge:
    """What examples say of an original, to compare its variants with."""

    original: Claim
    examples: int
    """How many are looked at."""
    has_examples: bool
    is_decided: bool
    """Whether examples show that the goal holds, and not only that nothing speaks against it."""
    needs_fitting: bool
    """Whether it is about a divisor that can be worked out: then any other is likely to be wrong, if only far out."""

    @classmethod
    def of(cls, claim: Claim) -> _Judge:
        bound = sum(len(one.variables) for one in walk(claim.goal) if isinstance(one, Bind) and one.sign != "fun")
        is_dear = bound > 1 or any(is_function(one) for one in claim.variables)
        count = _DEAR_VALUES if is_dear else _VALUES
        values = samples(claim, Random(0), count)
        is_decided = bool(values) and all(_holds(claim, one) for one in values)
        needs_fitting = with_divisors(claim, counted(claim)) is not None
        return cls(claim, count, bool(values), is_decided, needs_fitting)

    def can_hold(self, variant: Claim, is_fitted: bool) -> bool:
        """Not refuted; with examples where the original has some; and shown by them, or fitted."""
        if not is_fitted and (self.needs_fitting or not (self.is_decided or self.is_refutable)):
            return False
        if not self.is_cheap:
            return is_fitted
        found = not self.has_examples
        most = _DEAR_VALUES if is_fitted else self.examples
        for one in chain(each_sample(variant, Random(1), most, 3 * most), _critical(variant)):
            found = True
            truth = _holds(variant, one)
            if truth is False or (truth is None and self.is_decided and not is_fitted):
                return False
        return found

    @property
    def is_cheap(self) -> bool:
        """Whether no search for several numbers at once is needed. Where it is, what exists must be known."""
        goal = self.original.goal
        if isinstance(goal, Bind):
            return bool(self.original.variables) or len(goal.variables) == 1
        several = (isinstance(one, Bind) and one.sign == "∃" and len(one.variables) > 1 for one in walk(goal))
        return not (isinstance(goal, Apply) and goal.sign == "iff" and any(several))

    @property
    def is_refutable(self) -> bool:
        """Whether examples would speak against most false claims of this kind, though none shows a true one."""
        goal = self.original.goal
        if isinstance(goal, Apply):
            return goal.sign in ("least", "greatest", "injective", "bijective")
        return isinstance(goal, Bind) and not any(isinstance(one, Bind) for one in walk(goal.body))

    def is_restated(self, variant: Claim) -> bool:
        """Whether it is the same equation, but that both sides are multiplied or something is added to them."""
        goal, other, index = self.original.goal, variant.goal, len(variant.hypotheses)
        changed = _changed(self.original, variant)
        if [place[:2] for place in changed] != [(index, 0), (index, 1)]:
            return False
        if not (isinstance(goal, Apply) and isinstance(other, Apply) and goal.sign == "="):
            return False
        old, new = ([number_at(claim, place) for place in changed] for claim in (self.original, variant))
        try:
            lefts = [
                (Fraction(value(goal.args[0], env)), Fraction(value(other.args[0], env)))
                for env in samples(variant, Random(3), _DEAR_VALUES)
            ]
        except (Unknown, TypeError, ValueError):
            return False
        is_multiple = new[0] * old[1] == new[1] * old[0] and all(y * old[0] == x * new[0] for x, y in lefts)
        added = abs(new[0] - old[0])
        return is_multiple or (added == abs(new[1] - old[1]) and all(abs(y - x) == added for x, y in lefts))


def _critical(claim: Claim) -> Iterator[Assignment]:
    """Values at which a false claim is likely to show: bounds that are attained, roots, all remainders."""
    if isinstance(claim.goal, Apply) and claim.goal.sign == "iff":
        for side in claim.goal.args:
            yield from roots(side)
    sharp = met(claim)
    if sharp != claim:
        yield from samples(sharp, Random(4), _DEAR_VALUES)
    yield from counted(claim)


def _holds(claim: Claim, values: Mapping[str, Value]) -> bool | None:
    return holds(Claim((), (), claim.goal), values)


def _changed(claim: Claim, variant: Claim) -> list[Place]:
    """Where another number stands."""
    return [place for place in numerals(claim) if number_at(claim, place) != number_at(variant, place)]
