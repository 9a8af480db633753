"""Small operations on meanings that rules need: negate, open a goal, leave out what it does not need."""

from __future__ import annotations

from fractions import Fraction

from pythagoras.language.exact import Value
from pythagoras.language.meaning import (
    Apply,
    Bind,
    Claim,
    Let,
    Number,
    Term,
    Typed,
    children,
    free_variables,
    substitute,
    with_children,
)

_OPPOSITE = {"=": "≠", "≠": "=", "<": "≥", "≥": "<", ">": "≤", "≤": ">"}


def numeral(value: Value) -> Term:
    """A number as a term. A truth value is none."""
    number = Fraction(value)
    size: Term = Number(abs(number.numerator))
    if number.denominator != 1:
        size = Apply("/", (size, Number(number.denominator)))
    return Apply("neg", (size,)) if number < 0 else size


def unfolded(term: Term) -> Term:
    """The term without named values: each in the place of its name."""
    if isinstance(term, Let):
        return unfolded(substitute(term.body, {term.variable.name: unfolded(term.value)}))
    return with_children(term, [unfolded(child) for child in children(term)])


def tidied(term: Term) -> Term:
    """The term with numbers that are added one after the other, as goals of inductions have them, added at once."""
    match term:
        case Apply("+", (left, Number(last))):
            left = tidied(left)
            match left:
                case Apply("+", (start, Number(number))):
                    return Apply("+", (start, Number(number + last)))
            return Apply("+", (left, Number(last)))
    return with_children(term, [tidied(child) for child in children(term)])


def negated(term: Term) -> Term:
    match term:
        case Apply("not", (inner,)):
            return inner
        case Apply(sign, args) if sign in _OPPOSITE:
            return Apply(_OPPOSITE[sign], args)
    return Apply("not", (term,))


def conjuncts(term: Term) -> tuple[Term, ...]:
    if isinstance(term, Apply) and term.sign == "and":
        return tuple(one for part in term.args for one in conjuncts(part))
    return (term,)


def opened(claim: Claim) -> Claim:
    """The same claim with what its goal quantifies among the variables, and its premises among the hypotheses."""
    taken = {variable.name for variable in claim.variables}
    match claim.goal:
        case Bind("∀", variables, body) if not taken & {variable.name for variable in variables}:
            return opened(Claim((*claim.variables, *variables), claim.hypotheses, body))
        case Apply("implies", (premise, conclusion)):
            return opened(Claim(claim.variables, (*claim.hypotheses, *conjuncts(premise)), conclusion))
        case Apply("not", (Bind("∃", variables, body),)) if not taken & {variable.name for variable in variables}:
            *premises, last = conjuncts(body)
            return opened(Claim((*claim.variables, *variables), (*claim.hypotheses, *premises), negated(last)))
    return claim


def pruned(claim: Claim) -> Claim:
    """The claim with those hypotheses alone that share variables with the goal, be it over others."""
    known = set(free_variables(claim.goal))
    kept: set[int] = set()
    growing = True
    while growing:
        growing = False
        for at, hypothesis in enumerate(claim.hypotheses):
            if at not in kept and free_variables(hypothesis) & known:
                kept.add(at)
                known |= free_variables(hypothesis)
                growing = True
    return Claim(
        tuple(variable for variable in claim.variables if variable.name in known),
        tuple(hypothesis for at, hypothesis in enumerate(claim.hypotheses) if at in kept),
        claim.goal,
    )


def is_function(variable: Typed) -> bool:
    return "→" in variable.type
