"""Inequalities: squares are not negative, and what is larger has a larger square."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pythagoras.generate.searching import polynomials
from pythagoras.generate.searching.closers import GRIND, tactic
from pythagoras.generate.searching.goals import Goal
from pythagoras.generate.searching.polynomials import NoPolynomial, Polynomial
from pythagoras.generate.searching.proofs import Open, Proof, Step
from pythagoras.generate.searching.terms import Term, name, number, sign, upward, value
from pythagoras.generate.searching.values import NAT

_NOT_NEGATIVE = "{listed} {are} not negative."
_REST = "Expanded, these and what is given add up to the claim, which `grind` finds."


def squares(goal: Goal) -> Iterator[Proof]:
    """A quadratic inequality from squares that are 0 where both sides come closest."""
    difference = _difference(goal, goal.target)
    if difference is None:
        return
    for fact in goal.facts:  # a variable that is given as a polynomial in the others
        if fact.claim.is_sign("=") and fact.claim.left.name in goal.numbers:
            given = polynomials.expand(fact.claim.right)
            if fact.claim.left.name not in polynomials.atoms(given):
                difference = polynomials.put_in(difference, {fact.claim.left.name: given})
    if polynomials.degree(difference) != 2:
        return
    equations = []
    for fact in goal.facts:
        if fact.claim.is_sign("="):
            found = _difference(goal, fact.claim)
            if found is not None and polynomials.degree(found) == 1:
                equations.append(found)
    point = polynomials.lowest_point(difference, equations)
    if point is None:
        return
    forms = polynomials.squares(difference, point)
    if forms is None:
        forms = [polynomials.add(polynomials.atom(each), polynomials.constant(at), -1) for each, at in point.items()]
        forms += _pairs(difference, point)
    steps: list[Step] = []
    for form in forms:
        if not form:
            continue
        term = polynomials.write(polynomials.whole(form))
        goal, new = goal.given(sign("≤", number(0), sign("^", term, number(2))))
        said = f"`({term})^2`"
        steps.append(Step(f"have {new.name} := sq_nonneg ({term})", said, spare=True, among=_NOT_NEGATIVE))
    if steps:
        yield (*steps, Open(goal, (tactic("grind", _REST),), last=True))


def _pairs(difference: Polynomial, point: dict[str, Fraction]) -> list[Polynomial]:
    """Differences of the atoms that stand together in a product."""
    found = []
    for monomial in difference:
        if len(monomial) == 2 and monomial[0] != monomial[1]:
            one, other = (
                polynomials.add(polynomials.atom(each), polynomials.constant(point[each]), -1) for each in monomial
            )
            found.append(polynomials.add(one, other, -1))
    return found


def _difference(goal: Goal, relation: Term) -> Polynomial | None:
    """The larger side without the smaller one, as a polynomial in the variables."""
    if not relation.is_sign("≤", "<", "≥", ">", "="):
        return None
    small, large = upward(relation).parts
    try:
        names = frozenset(goal.numbers)
        return polynomials.add(polynomials.expand(large, names), polynomials.expand(small, names), -1)
    except NoPolynomial:
        return None


def by_size(goal: Goal) -> Iterator[Proof]:
    """`x ≤ c` for natural numbers, where a larger `x` would make a given bound false: squares grow."""
    target = upward(goal.target)
    if not target.is_sign("≤", "<") or target.left.kind != "name" or goal.domains.get(target.left.name) != NAT:
        return
    bound = value(target.right)
    if bound is None:
        return
    variable = target.left.name
    least = bound + (target.name == "≤")
    denied, large = goal.fresh("hn"), goal.fresh("hp")
    product = f"{least} * {least} ≤ {variable} * {variable}"
    said = f"Suppose that `{variable}` is larger. Then `{product}`, against what is given."
    yield (
        Step("apply Classical.byContradiction"),
        Step(f"intro {denied}"),
        Step(f"have {large} : {product} := Nat.mul_le_mul (by omega) (by omega)", said),
        Open(goal.to(name("False")), (tactic("grind", GRIND), tactic("omega")), last=True),
    )
