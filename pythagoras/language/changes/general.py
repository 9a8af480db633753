"""Claims about all numbers that have a short argument: identities, linear consequences, truth tables, residues.

Also single steps of longer proofs that are such claims: the algebra of an induction step, one residue class of a
congruence, a completed square.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from random import Random

from pythagoras.language.changes.algebra import NoPolynomial, as_term, combination, difference, polynomial
from pythagoras.language.changes.simpler import Kind, Simpler
from pythagoras.language.changes.terms import numeral, tidied, unfolded
from pythagoras.language.changes.working import said
from pythagoras.language.evaluate import holds, satisfied, value
from pythagoras.language.exact import Unknown
from pythagoras.language.meaning import (
    Apply,
    Bind,
    Call,
    Claim,
    Number,
    Term,
    Typed,
    Variable,
    free_variables,
    substitute,
    walk,
)
from pythagoras.language.spoken import say_term

_MOST_PROPOSITIONS = 4
_BIGGEST_MODULUS = 40


def argument(claim: Claim) -> tuple[str, ...] | None:
    """Why a claim holds for all its variables, in steps; None where no short argument is found."""
    return _identity(claim) or _linear(claim) or _by_cases(claim)


def _identity(claim: Claim) -> tuple[str, ...] | None:
    goal = unfolded(claim.goal)
    if not isinstance(goal, Apply) or goal.sign != "=" or difference(goal) != {}:
        return None
    try:
        expanded = say_term(as_term(polynomial(goal.args[0])))
    except NoPolynomial:
        return None
    first = f"Multiply out the left side, {say_term(goal.args[0])}: it becomes {expanded}."
    return first, f"Multiply out the right side, {say_term(goal.args[1])}: it becomes {expanded} as well."


def _linear(claim: Claim) -> tuple[str, ...] | None:
    """An equation that is a sum of multiples of the given equations."""
    goal = difference(unfolded(claim.goal)) if _is_equation(claim.goal) else None
    given = [one for one in claim.hypotheses if _is_equation(one)]
    differences = [difference(one) for one in given]
    if not goal or not given or any(one is None for one in differences):
        return None
    factors = combination(goal, [one for one in differences if one is not None])
    if factors is None:
        return None
    used = [(factor, one) for factor, one in zip(factors, given, strict=True) if factor]
    steps = [f"Multiply the equation {say_term(one)} by {said(factor)}." for factor, one in used if factor != 1]
    steps += [f"Keep the equation {say_term(one)} as it is." for factor, one in used if factor == 1]
    added = "Add the equations that this gives" if len(used) > 1 else "Collect terms"
    return *steps, f"{added}: what comes out, with all terms on one side, is {say_term(claim.goal)}."


def _is_equation(term: Term) -> bool:
    return isinstance(term, Apply) and term.sign == "=" and len(term.args) == 2


def _by_cases(claim: Claim) -> tuple[str, ...] | None:
    """A claim about propositions: every way for them to be true or false."""
    names = [variable.name for variable in claim.variables]
    if not names or len(names) > _MOST_PROPOSITIONS or any(variable.type != "Prop" for variable in claim.variables):
        return None
    steps = ["Go through all ways for the propositions to be true or false."]
    for truths in itertools.product((True, False), repeat=len(names)):
        values = dict(zip(names, truths, strict=True))
        if not holds(claim, values):
            return None
        case = " and ".join(f"{name} is {'true' if truth else 'false'}" for name, truth in values.items())
        given = satisfied(claim, values)
        steps.append(
            f"If {case}, {'the claim holds' if given else 'an assumption fails, and there is nothing to prove'}."
        )
    return tuple(steps)


def truths(claim: Claim, rng: Random) -> Iterator[Simpler]:
    """A claim about propositions with one of them known to be true, or known to be false: one case of a proof by cases.

    Properties of numbers that are all taken at one number count as propositions.
    """
    plain = _at_one_place(claim)
    if plain is None or len(plain.variables) > _MOST_PROPOSITIONS:
        return
    if plain != claim and (steps := _by_cases(plain)) is not None:
        yield Simpler(plain, Kind.GOAL, steps)
    names = [variable.name for variable in plain.variables]
    for name in rng.sample(names, len(names)) if len(names) > 1 else ():
        known: Term = Variable(name)
        for given in (known, Apply("not", (known,))):
            case = Claim(plain.variables, (*plain.hypotheses, given), plain.goal)
            if not 0 < _possible(case) < _possible(plain):
                continue  # it contradicts what is given, or follows from it
            if (steps := _by_cases(case)) is not None:
                yield Simpler(case, Kind.CASE, steps)


def _possible(claim: Claim) -> int:
    """In how many ways the hypotheses about propositions can hold."""
    names = [variable.name for variable in claim.variables]
    ways = itertools.product((True, False), repeat=len(names))
    return sum(bool(satisfied(claim, dict(zip(names, truths, strict=True)))) for truths in ways)


def _at_one_place(claim: Claim) -> Claim | None:
    """The claim about propositions that is left when every quantifier is taken at the same number."""
    if not claim.variables or any(one.type.rpartition(" → ")[2] != "Prop" for one in claim.variables):
        return None
    hypotheses = tuple(_unquantified(one) for one in claim.hypotheses)
    goal = _unquantified(claim.goal)
    variables = tuple(Typed(one.name, "Prop") for one in claim.variables)
    return Claim(variables, hypotheses, goal)


def _unquantified(term: Term) -> Term:
    match term:
        case Bind("∀" | "∃", _, body):
            return _unquantified(body)
        case Apply():
            return Apply(term.sign, tuple(map(_unquantified, term.args)))
        case Call(function):
            return function
    return term


# --- single steps ----------------------------------------------------------------------------------


def cases(claim: Claim, rng: Random) -> Iterator[Simpler]:
    """A remainder for one residue class of the variable: one case of a proof by cases."""
    found = _remainder(unfolded(claim.goal))
    if found is None or len(claim.variables) != 1 or claim.variables[0].type not in ("ℕ", "ℤ"):
        return
    term, modulus = found
    variable = claim.variables[0]
    if not 1 < modulus <= _BIGGEST_MODULUS or not _is_polynomial_in(term, variable.name):
        return
    for rest in rng.sample(range(modulus), min(modulus, 4)):
        try:
            at_rest = value(term, {variable.name: rest})
        except Unknown:
            return
        left = at_rest % modulus
        given = Apply("=", (Apply("%", (Variable(variable.name), Number(modulus))), Number(rest)))
        goal = Apply("=", (Apply("%", (term, Number(modulus))), Number(left)))
        name = variable.name
        steps = (
            f"Since {name} leaves remainder {rest} when divided by {modulus}, calculate with {rest} in its place.",
            f"For {name} = {rest} the expression {say_term(term)} is {said(at_rest)}.",
            f"{said(at_rest)} = {modulus} · {_bracketed(at_rest // modulus)} + {left}, so the remainder is {left}.",
        )
        yield Simpler(Claim((variable,), (given,), goal), Kind.CASE, steps)


def _bracketed(number: int) -> str:
    return str(number) if number >= 0 else f"({number})"


def _remainder(goal: Term) -> tuple[Term, int] | None:
    """The term whose remainder the goal is about, and the modulus."""
    match goal:
        case Apply("not", (inner,)):
            return _remainder(inner)
        case Apply("∣", (Number(modulus), term)):
            return term, modulus
        case Apply("≡", (left, right, Number(modulus))):
            return (left if right == Number(0) else Apply("-", (left, right))), modulus
        case Apply("even" | "odd", (term,)):
            return term, 2
        case Apply("=" | "≠", (Apply("%", (term, Number(modulus))), _)):
            return term, modulus
        case Apply("=" | "≠", (_, Apply("%", (term, Number(modulus))))):
            return term, modulus
        case Apply("iff" | "or" | "and", parts):
            return next((found for part in parts if (found := _remainder(part)) is not None), None)
    return None


def _is_polynomial_in(term: Term, name: str) -> bool:
    try:
        found = polynomial(term)
    except NoPolynomial:
        return False
    quantities = {quantity for monomial in found for quantity, _ in monomial}
    return quantities == {Variable(name)} and all(one.denominator == 1 for one in found.values())


def squares(claim: Claim) -> Iterator[Simpler]:
    """A quadratic inequality in one variable: the square that it rests on, as an identity."""
    found = difference(unfolded(claim.goal))
    if found is None or len(claim.variables) != 1 or not isinstance(claim.goal, Apply) or claim.goal.sign == "=":
        return
    variable = claim.variables[0]
    own = Variable(variable.name)
    a, b, c = (found.get(monomial, Fraction(0)) for monomial in (((own, 2),), ((own, 1),), ()))
    if not a or not b or set(found) - {((own, 2),), ((own, 1),), ()} or variable.type == "ℕ":
        return
    if a < 0:
        a, b, c = -a, -b, -c
    shift, rest = b / (2 * a), c - b * b / (4 * a)
    whole = shift.denominator == rest.denominator == a.denominator == 1
    if variable.type == "ℤ" and not whole:
        return
    quadratic = as_term({((own, 2),): a, ((own, 1),): b} | ({(): c} if c else {}))
    moved = Apply("+" if shift > 0 else "-", (own, numeral(abs(shift))))
    square: Term = Apply("^", (moved, Number(2)))
    square = square if a == 1 else Apply("*", (numeral(a), square))
    completed = square if not rest else Apply("+" if rest > 0 else "-", (square, numeral(abs(rest))))
    posed = Claim((variable,), (), Apply("=", (quadratic, completed)))
    if (steps := _identity(posed)) is not None:
        yield Simpler(posed, Kind.STEP, steps)


def induction_steps(claim: Claim) -> Iterator[Simpler]:
    """The algebra of an induction step: for a sum with a closed form, and for a recurrence with one."""
    goal = unfolded(claim.goal)
    if not _is_equation(goal):
        return
    assert isinstance(goal, Apply)
    for left, right in (goal.args, goal.args[::-1]):
        yield from _sum_step(claim, left, right)
        yield from _recurrence_step(claim, left, right)


def _sum_step(claim: Claim, left: Term, right: Term) -> Iterator[Simpler]:
    match left:
        case Bind("∑") as total:
            factor: Term | None = None
        case Apply("*", (Number() as factor, Bind("∑") as total)):
            pass
        case _:
            return
    end = _end_of(total.domain)
    names = sorted(free_variables(end)) if end is not None else []
    if end is None or len(names) != 1 or any(isinstance(part, Bind) for part in walk(right)):
        return
    name = names[0]
    after = {name: Apply("+", (Variable(name), Number(1)))}
    added: Term = substitute(total.body, {total.variables[0].name: end})
    added = added if factor is None else Apply("*", (factor, added))
    kind = next((one.type for one in claim.variables if one.name == name), "ℕ")
    posed = Claim((Typed(name, kind),), (), tidied(Apply("=", (Apply("+", (right, added)), substitute(right, after)))))
    if (steps := _identity(posed)) is not None:
        yield Simpler(posed, Kind.STEP, steps)


def _end_of(domain: Term | None) -> Term | None:
    """The next number that a sum would run over, when its end grows by one."""
    match domain:
        case Apply("range", (end,)):
            return end
        case Apply("icc", (_, end)):
            return Apply("+", (end, Number(1)))
    return None


def _recurrence_step(claim: Claim, left: Term, right: Term) -> Iterator[Simpler]:
    match left:
        case Call(Variable(function), (Variable(at),)) if function not in free_variables(right):
            pass
        case _:
            return
    for hypothesis in claim.hypotheses:
        match hypothesis:
            case Bind(
                "∀",
                (Typed(own, kind),),
                Apply("=", (Call(Variable(named), (Apply("+", (Variable(n), Number(1))),)), rule)),
            ) if named == function and n == own:
                closed = substitute(right, {at: Variable(own)})
                before = _replaced(rule, Call(Variable(function), (Variable(own),)), closed)
                after = substitute(closed, {own: Apply("+", (Variable(own), Number(1)))})
                posed = Claim((Typed(own, kind),), (), Apply("=", (before, after)))
                if function not in free_variables(before) and (steps := _identity(posed)) is not None:
                    yield Simpler(posed, Kind.STEP, steps)


def _replaced(term: Term, old: Term, new: Term) -> Term:
    if term == old:
        return new
    if isinstance(term, Apply):
        return Apply(term.sign, tuple(_replaced(arg, old, new) for arg in term.args))
    return term
