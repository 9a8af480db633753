"""Variants of a hard problem, by rules: problems of the same kind with other numbers, none of them the original.

A variant must not be what is held out: so nothing here restates the original, weakens it, or asks for a case of it. The
numbers change, and where that makes the claim false another number is worked out anew (the answer of an equation, a
remainder, a bound). What small values refute is left out, as is what can't hold at all; the rest is for the prover to
find out. The k-th variant of a problem is always the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from random import Random

from pythagoras.pipeline.language.english import read_english
from pythagoras.pipeline.language.evaluate import example, refuted, value
from pythagoras.pipeline.language.exact import Unknown
from pythagoras.pipeline.language.meaning import (
    Apply,
    Bind,
    Call,
    Claim,
    Let,
    Number,
    Term,
    children,
    substitute,
    with_children,
)
from pythagoras.pipeline.language.normal import key
from pythagoras.pipeline.language.reading import NotRead
from pythagoras.pipeline.language.spoken import say

Place = tuple[int, ...]
"""The way to a numeral: which of the claim's terms (the goal is the last), then which child, and so on."""

_TRIES = 60
"""Draws before a problem counts as one that can't be varied further."""
_VALUES = 60
"""Assignments that must not refute a variant."""
_LARGEST = 10**9
_SOLVED = 12
"""Numerals that are worked out anew, before one gives up."""


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
    claim = _opened(claim)
    seen = {key(claim)}
    known = example(claim, Random(0), _VALUES) is not None
    for _ in range(_TRIES):
        made = _renumbered(claim, rng)
        if made is None:
            return
        for variant in (made, *_solved(claim, made, rng)):
            try:
                own = key(variant)
            except NotRead:
                continue
            if own in seen or not _can_hold(variant, rng, known):
                continue
            seen.add(own)
            if _is_readable(variant, own):
                yield variant, _difference(claim, variant)
            break


def _can_hold(variant: Claim, rng: Random, known: bool) -> bool:
    """Not refuted by small values; and where values could be found for the original, some satisfy the hypotheses."""
    if refuted(variant, Random(rng.random()), _VALUES) is not None:
        return False
    return not known or example(variant, Random(rng.random()), _VALUES) is not None


def _is_readable(variant: Claim, own: str) -> bool:
    """Whether what is said of it is read as the same again."""
    try:
        return key(read_english(say(variant))) == own
    except NotRead:
        return False


# --- other numbers --------------------------------------------------------------------------------


def _renumbered(claim: Claim, rng: Random) -> Claim | None:
    """Another number in one to three places; None where there is no number."""
    places = list(_numerals(claim))
    if not places:
        return None
    for place in rng.sample(places, min(len(places), rng.choice((1, 1, 2, 2, 3)))):
        old = _at(claim, place)
        change = rng.choice((-3, -2, -1, 1, 2, 3, 5, 7, 10))
        new = old + change if rng.random() < 0.7 else old * rng.choice((2, 3))
        claim = _put(claim, place, max(2 if old >= 2 else 1, new))
    return claim


def _solved(claim: Claim, changed: Claim, rng: Random) -> Iterator[Claim]:
    """The changed claim with one of the numbers that were left alone worked out anew."""
    same = [place for place in _numerals(changed) if _at(changed, place) == _at(claim, place)]
    rng.shuffle(same)
    same.sort(key=lambda place: place[0] != len(changed.hypotheses))  # those of the goal first: answers stand there
    for place in same[:_SOLVED]:
        new = _worked_out(changed, place, rng)
        if new is not None and new != _at(changed, place):
            yield _put(changed, place, new)


def _worked_out(claim: Claim, place: Place, rng: Random) -> int | None:
    """The numeral at this place that makes the goal, an equation that is linear in it, hold for an example."""
    if not isinstance(claim.goal, Apply) or claim.goal.sign not in ("=", "≡", "≤", "≥"):
        return None
    try:
        values = example(claim, Random(rng.random()), _VALUES)
        if values is None:
            return None

        def gap(number: int) -> Fraction:
            at = _put(claim, place, number).goal
            assert isinstance(at, Apply)
            left, right = (value(side, values) for side in at.args[:2])
            if isinstance(left, bool) or not isinstance(left, int | Fraction) or not isinstance(right, int | Fraction):
                raise Unknown("no numbers")
            return Fraction(left) - Fraction(right)

        at_1, at_2 = gap(1), gap(2)
        if at_1 == at_2:
            return None
        solution = 1 - at_1 / (at_2 - at_1)
        if solution.denominator != 1 or not 1 <= solution <= _LARGEST or gap(int(solution)) != 0:
            return None
        return int(solution)
    except (Unknown, NotRead):
        return None


def _difference(claim: Claim, variant: Claim) -> str:
    """Which numbers are others."""
    pairs = {
        (_at(claim, place), _at(variant, place)): None
        for place in _numerals(claim)
        if _at(claim, place) != _at(variant, place)
    }
    return ", ".join(f"{old} became {new}" for old, new in pairs)


# --- parts of claims ------------------------------------------------------------------------------


def _opened(claim: Claim) -> Claim:
    """The claim with its goal's universal quantifiers among its variables, and without named values."""
    variables, goal = claim.variables, claim.goal
    while True:
        match goal:
            case Let(variable, meant, body):
                goal = substitute(body, {variable.name: meant})
            case Bind("∀", bound, body) if not {each.name for each in bound} & {each.name for each in variables}:
                variables, goal = (*variables, *bound), body
            case _:
                return Claim(variables, claim.hypotheses, goal)


def _numerals(claim: Claim) -> Iterator[Place]:
    """The places of numerals; exponents, zeros and places of functions stay what they are."""
    for at, term in enumerate((*claim.hypotheses, claim.goal)):
        yield from ((at, *path) for path in _paths(term))


def _paths(term: Term) -> Iterator[Place]:
    if isinstance(term, Number):
        if term.value > 0:
            yield ()
        return
    for at, child in enumerate(children(term)):
        if not (isinstance(term, Apply) and term.sign == "^" and at == 1) and not isinstance(term, Call):
            yield from ((at, *path) for path in _paths(child))


def _at(claim: Claim, place: Place) -> int:
    term = (*claim.hypotheses, claim.goal)[place[0]]
    for step in place[1:]:
        term = children(term)[step]
    assert isinstance(term, Number)
    return term.value


def _put(claim: Claim, place: Place, number: int) -> Claim:
    terms = [*claim.hypotheses, claim.goal]
    terms[place[0]] = _replaced(terms[place[0]], place[1:], Number(number))
    return Claim(claim.variables, tuple(terms[:-1]), terms[-1])


def _replaced(term: Term, path: Place, new: Term) -> Term:
    if not path:
        return new
    inner = [*children(term)]
    inner[path[0]] = _replaced(inner[path[0]], path[1:], new)
    return with_children(term, inner)
