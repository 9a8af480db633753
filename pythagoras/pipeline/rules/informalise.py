"""Informalising by rules: read the Lean, say it in English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pythagoras.pipeline.language.lean_reader import read_lean
from pythagoras.pipeline.language.meaning import Apply, Bind, Call, Cast, Claim, Let, Term, Typed, Variable, walk
from pythagoras.pipeline.language.reading import NotRead
from pythagoras.pipeline.language.spoken import say

_LETTERS = "cdepqrstuvwxyzmnkjbghl"
"""What names of code are replaced by: no letter that is a word."""
_SUBSCRIPTS = "₁₂₃₄₅₆₇₈₉"


def answer(fields: Mapping[str, str], number: int = 0, seed: int = 0) -> str:
    """What `statement` says. There is one way to say it, whatever number and seed."""
    try:
        return say(_plainly_named(read_lean(fields["statement"])))
    except NotRead as error:
        return f"CAN'T: {error}"


def _plainly_named(claim: Claim) -> Claim:
    """With letters for names such as `cost_of_melons`, which are no English."""
    terms = (*claim.hypotheses, claim.goal)
    used = dict.fromkeys(
        [variable.name for variable in claim.variables] + [name for term in terms for name in _names(term)]
    )
    free = (name for end in ("", *_SUBSCRIPTS) for letter in _LETTERS if (name := letter + end) not in used)
    names = dict(zip([name for name in used if "_" in name], free, strict=False))
    variables = tuple(_renamed_variable(one, names) for one in claim.variables)
    *hypotheses, goal = (_renamed(term, names) for term in terms)
    return Claim(variables, tuple(hypotheses), goal)


def _names(term: Term) -> Iterator[str]:
    for one in walk(term):
        match one:
            case Variable(name):
                yield name
            case Bind(_, variables):
                yield from (variable.name for variable in variables)
            case Let(variable):
                yield variable.name


def _renamed(term: Term, names: Mapping[str, str]) -> Term:
    """Every name everywhere: the new ones are not in use."""
    match term:
        case Variable(name):
            return Variable(names.get(name, name))
        case Apply(sign, args):
            return Apply(sign, tuple(_renamed(one, names) for one in args))
        case Call(function, args):
            return Call(_renamed(function, names), tuple(_renamed(one, names) for one in args))
        case Cast(kind, inner):
            return Cast(kind, _renamed(inner, names))
        case Bind(sign, variables, body, domain):
            own = tuple(_renamed_variable(one, names) for one in variables)
            return Bind(sign, own, _renamed(body, names), None if domain is None else _renamed(domain, names))
        case Let(variable, value, body):
            return Let(_renamed_variable(variable, names), _renamed(value, names), _renamed(body, names))
    return term


def _renamed_variable(variable: Typed, names: Mapping[str, str]) -> Typed:
    return Typed(names.get(variable.name, variable.name), variable.type)
