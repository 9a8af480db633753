"""How large a meaning may be, so that whatever is done with it afterwards is quick and needs little of the stack.

Readers ask here before they hand a meaning out. Counted is what it comes to when named values stand in their places
and functions are applied, for comparing does that, and a dozen short lines can stand for millions of signs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import NamedTuple, ParamSpec, TypeVar

from pythagoras.language.meaning import Bind, Call, Cast, Claim, Let, Number, Term, Variable, children
from pythagoras.language.reading import NotRead

LONGEST_TEXT = 20_000
MOST_LEVELS = 60
"""Of terms inside of each other; a sum has one for each of its signs. Working on one takes up to ten calls a level."""
MOST_SIGNS = 1_000
MOST_VARIABLES = 40
"""Bound ones too: variables that look alike are tried against each other."""
TOO_LARGE = "it is too long or too deeply nested to be compared"

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class _Size(NamedTuple):
    levels: int
    signs: int
    bound: int
    """Variables that it binds."""


_ONE = _Size(1, 1, 0)


def short(text: str) -> str:
    """The text. NotRead where it is too long to be looked at."""
    if len(text) > LONGEST_TEXT:
        raise NotRead(TOO_LARGE)
    return text


def bounded(claim: Claim) -> Claim:
    """The claim. NotRead where it is too large."""
    terms = (*claim.hypotheses, claim.goal)
    if any(map(_is_too_deep, terms)):
        raise NotRead(TOO_LARGE)
    levels, signs, bound = _together(_size(term, {}) for term in terms)
    if levels > MOST_LEVELS or signs > MOST_SIGNS:
        raise NotRead(TOO_LARGE)
    if len(claim.variables) + bound > MOST_VARIABLES:
        raise NotRead(f"more than {MOST_VARIABLES} variables are too many to be compared")
    return claim


def within_the_stack(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """The function, with NotRead where it needs too much of the stack: its argument need not come from a reader."""

    @wraps(function)
    def guarded(*args: Arguments.args, **named: Arguments.kwargs) -> Result:
        try:
            return function(*args, **named)
        except RecursionError:
            raise NotRead(TOO_LARGE) from None

    return guarded


def _is_too_deep(term: Term) -> bool:
    """By itself, however deep: without recursion."""
    level: list[Term] = [term]
    for _ in range(MOST_LEVELS):
        level = [child for one in level for child in children(one)]
        if not level:
            return False
    return True


def _size(term: Term, values: Mapping[str, _Size]) -> _Size:
    match term:
        case Number(value):
            return _Size(1, 1 + value.bit_length() // 4, 0)  # a long numeral is not one sign: they are multiplied
        case Variable(name):
            return values.get(name, _ONE)
        case Cast(_, inner):
            return _size(inner, values)
        case Let(variable, value, body):
            own = _size(value, values)
            return _together((own, _size(body, {**values, variable.name: own})))
        case Bind(_, variables, body, domain):
            names = {variable.name for variable in variables}
            outside = {name: size for name, size in values.items() if name not in names}
            inside = _together((_size(body, outside), _ONE if domain is None else _size(domain, values)))
            return _Size(inside.levels + 1, inside.signs + 1, inside.bound + len(variables))
        case Call(function, args) if not isinstance(function, Variable) or function.name in values:
            own, given = _size(function, values), _together(_size(arg, values) for arg in args)
            return _Size(own.levels + given.levels, own.signs * given.signs, own.bound + own.signs * given.bound)
    inside = _together(_size(child, values) for child in children(term))
    return _Size(inside.levels + 1, inside.signs + 1, inside.bound)


def _together(sizes: Iterable[_Size]) -> _Size:
    found = _Size(0, 0, 0)
    for one in sizes:
        found = _Size(max(found.levels, one.levels), found.signs + one.signs, found.bound + one.bound)
    return found
