"""Polynomial equations: the roots that the claim names give the factors."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pythagoras.generate.searching import polynomials
from pythagoras.generate.searching.closers import EXPAND, GRIND, OMEGA, tactic
from pythagoras.generate.searching.goals import Goal
from pythagoras.generate.searching.polynomials import NoPolynomial
from pythagoras.generate.searching.proofs import Case, Open, Proof, Step
from pythagoras.generate.searching.terms import Term, number, sign
from pythagoras.generate.searching.values import INT, RAT

_ZERO = {INT: "Int.mul_eq_zero", RAT: "Rat.mul_eq_zero"}


def roots(goal: Goal) -> Iterator[Proof]:
    """`x = a ∨ x = b ∨ ...` from an equation whose roots these are."""
    parts, rest = [], goal.target
    while rest.is_sign("∨"):
        parts.append(rest.left)
        rest = rest.right
    parts.append(rest)
    found = [_root(part, goal) for part in parts]
    known = [each for each in found if each is not None]
    if len(known) < len(found) or len({variable for variable, _ in known}) != 1:
        return
    variable = known[0][0]
    kind = goal.domains.get(variable, "")
    if kind not in _ZERO:
        return
    for fact in goal.facts:
        powers = _multiplicities(fact.claim, variable, [root for _, root in known])
        if powers is None:
            continue
        factors = [
            _factor(variable, root) for (_, root), power in zip(known, powers, strict=True) for _ in range(power)
        ]
        if len(factors) < 2:
            continue
        yield _factored(goal, kind, factors)


def _root(part: Term, goal: Goal) -> tuple[str, Fraction] | None:
    if not part.is_sign("="):
        return None
    for side, other in (part.parts, reversed(part.parts)):
        if side.kind == "name" and side.name in goal.numbers:
            found = polynomials.expand(other)
            return (side.name, found.get((), Fraction(0))) if set(found) <= {()} else None
    return None


def _multiplicities(claim: Term, variable: str, found: list[Fraction]) -> list[int] | None:
    """How often each number is a root of the equation; None when there are other roots, or it is no equation."""
    if not claim.is_sign("="):
        return None
    try:
        names = frozenset({variable})
        rest = polynomials.add(polynomials.expand(claim.left, names), polynomials.expand(claim.right, names), -1)
    except NoPolynomial:
        return None
    size = polynomials.degree(rest)
    row = [rest.get((variable,) * power, Fraction(0)) for power in range(size, -1, -1)]
    powers = []
    for root in found:
        count = 0
        while len(row) > 1:
            divided = [row[0]]
            for coefficient in row[1:]:
                divided.append(coefficient + divided[-1] * root)
            if divided[-1]:
                break
            row = divided[:-1]
            count += 1
        powers.append(count)
    return powers if len(row) == 1 and size > 1 else None


def _factor(variable: str, root: Fraction) -> Term:
    form = polynomials.whole(polynomials.add(polynomials.atom(variable), polynomials.constant(root), -1))
    return polynomials.write(form)


def _factored(goal: Goal, kind: str, factors: list[Term]) -> Proof:
    """The equation as a product that is 0, and one case for each factor."""
    product = factors[-1]
    for factor in reversed(factors[:-1]):
        product = sign("*", factor, product)
    claim = sign("=", product, number(0))
    goal, fact = goal.given(claim)
    shown = Open(goal.to(claim), (tactic("grind", EXPAND),), last=True)
    step = Step(f"have {fact.name} : {claim} := by", f"The equation says that `{product}` is 0.", (Case("", (shown,)),))
    return (step, _split(goal, kind, fact.name, len(factors), first=True))


def _split(goal: Goal, kind: str, fact: str, left: int, first: bool = False) -> Step:
    closed = (tactic("omega", OMEGA),) if kind == INT else ()
    one = Open(goal, (*closed, tactic("grind", GRIND)), last=True)
    rest: Proof = (Open(goal, (*closed, tactic("grind", GRIND)), last=True),)
    if left > 2:
        rest = (_split(goal, kind, fact, left - 1),)
    said = "One of the factors must be 0." if first else ""
    return Step(f"rcases {_ZERO[kind]}.1 {fact} with {fact} | {fact}", said, (Case("·", (one,)), Case("·", rest)))
