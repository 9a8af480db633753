"""Names as texts have them: where Lean's are none, letters in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pythagoras.language.meaning import Apply, Bind, Call, Cast, Claim, Let, Term, Typed, Variable, walk
from pythagoras.language.reading import NotRead

LETTER = re.compile(r"[^\W\d_](?:[₀-₉]+)?'*")
_WORDS = frozenset("aAIF")
"""Letters that nothing is renamed to: words, and the Fibonacci numbers."""


def lettered(claim: Claim) -> Claim:
    """The claim under names as texts have them: letters for its own variables, and for names such as `cost_of_melons`.

    Words that are names of values inside of it stay: "Put total = 3 · 16".
    """
    own = {variable.name for variable in claim.variables}
    terms = (*claim.hypotheses, claim.goal)
    inside = [name for term in terms for name in _names(term) if name not in own]
    taken = own | set(inside)
    renamed: dict[str, str] = {}
    for name in (*(variable.name for variable in claim.variables), *inside):
        if name not in renamed and ("_" in name or (name in own and not LETTER.fullmatch(name))):
            renamed[name] = next((letter for letter in _letters(name) if letter not in taken), "")
            if not renamed[name]:
                raise NotRead("there are more variables than letters")
            taken.add(renamed[name])
    if not renamed:
        return claim
    *hypotheses, goal = (_renamed(term, renamed) for term in terms)
    return Claim(_renamed_variables(claim.variables, renamed), tuple(hypotheses), goal)


def _letters(name: str) -> Iterator[str]:
    """Letters for a name: its own first one, then others."""
    own = [letter for letter in name if LETTER.fullmatch(letter)]
    yield from (letter for letter in (*own[:1], *"xyzwnmkbcdpqrstuv") if letter not in _WORDS)
    yield from (f"x{chr(0x2080 + number // 10)}{chr(0x2080 + number % 10)}" for number in range(10, 100))


def _renamed(term: Term, names: Mapping[str, str]) -> Term:
    """With every name replaced, bound ones too: the new ones are not in use."""
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
            own = _renamed_variables(variables, names)
            return Bind(sign, own, _renamed(body, names), None if domain is None else _renamed(domain, names))
        case Let(variable, value, body):
            (variable,) = _renamed_variables((variable,), names)
            return Let(variable, _renamed(value, names), _renamed(body, names))
    return term


def _renamed_variables(variables: Sequence[Typed], names: Mapping[str, str]) -> tuple[Typed, ...]:
    return tuple(Typed(names.get(one.name, one.name), one.type) for one in variables)


def _names(term: Term) -> Iterator[str]:
    for part in walk(term):
        match part:
            case Variable(name):
                yield name
            case Bind(_, variables):
                yield from (variable.name for variable in variables)
            case Let(variable):
                yield variable.name
