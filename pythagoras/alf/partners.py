"""Which statements share a sub-expression: an index of a corpus, for mutations that join two theorems.

Only what is known to be true is in it: what is joined then rests on the truth of one parent alone. Expressions are
compared up to the names of their variables, but with their types. What too many share tells nothing and is left out, as
are numerals and names alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from random import Random

from pythagoras.alf.reals import is_real
from pythagoras.alf.variants import Parent
from pythagoras.language.bare import bare_term
from pythagoras.language.changes.terms import opened, unfolded
from pythagoras.language.meaning import Apply, Bind, Call, Claim, Number, Term, Variable, free_variables, walk
from pythagoras.language.order import code

_MOST_A_SHAPE = 20
"""Statements that are remembered for one expression."""
_MOST_EXPRESSIONS = 24
"""Of one statement."""
_SIGNS = frozenset(
    [
        *("+", "-", "*", "/", "//", "^", "%", "abs", "gcd", "lcm", "fib", "choose", "factorial", "totient", "min"),
        *("max", "card", "list_sum"),
    ]
)


def expressions(claim: Claim) -> list[Term]:
    """The numbers in a goal that are worth sharing, the largest first: those whose variables are the claim's."""
    names = {variable.name for variable in claim.variables}
    found = (part for part in walk(unfolded(claim.goal)) if _is_worth(part) and free_variables(part) <= names)
    return list(dict.fromkeys(found))[:_MOST_EXPRESSIONS]


def _is_worth(term: Term) -> bool:
    match term:
        case Number(value):
            return value > 9  # a common value, such as two sums may have
        case Apply("/", (Number(), Number())):
            return True
        case Apply(sign):
            return sign in _SIGNS
        case Bind(sign):
            return sign in ("∑", "∏")
        case Call():
            return True
    return False


def shape(term: Term, claim: Claim) -> str:
    """Equal for terms that differ in names alone."""
    types = {variable.name: variable.type for variable in claim.variables}
    plain = bare_term(term)
    order = dict.fromkeys(part.name for part in walk(plain) if isinstance(part, Variable))
    names = {name: f"v{at}:{types.get(name, '')}" for at, name in enumerate(order)}
    bound = (own for part in walk(plain) if isinstance(part, Bind) for own in part.variables)
    return code(plain, {**{own.name: f"b:{own.type}" for own in bound if own.name not in order}, **names})


@lru_cache(maxsize=4096)
def by_shape(claim: Claim) -> tuple[Claim, Mapping[str, Term]]:
    """The claim with its goal opened, and its expressions by their shapes."""
    plain = opened(Claim(claim.variables, claim.hypotheses, unfolded(claim.goal)))
    return plain, {shape(part, plain): part for part in expressions(plain)}


class Partners:
    """An index of statements by what they have in them."""

    def __init__(self, parents: Iterable[Parent]) -> None:
        self._parents: list[Parent] = []
        self._places: dict[str, list[int]] = defaultdict(list)
        for parent in filter(lambda one: one.is_known_true, parents):
            for one in set(_shapes(parent)):
                places = self._places[one]
                if len(places) < _MOST_A_SHAPE:
                    places.append(len(self._parents))
            self._parents.append(replace(parent, trace=None, partners=()))

    def of(self, parent: Parent, rng: Random, most: int = 3) -> Parent:
        """The parent with partners: those that share the larger expressions with it first, by chance among equals."""
        found: dict[int, None] = {}
        for one in _shapes(parent):
            places = self._places.get(one, [])
            for at in rng.sample(places, len(places)):
                if _can_join(self._parents[at], parent):
                    found[at] = None
            if len(found) >= most:
                break
        return replace(parent, partners=tuple(self._parents[at] for at in list(found)[:most]))


def _can_join(one: Parent, other: Parent) -> bool:
    """Whether they are two, on the same header, and about the same kind of numbers where these are read as others."""
    same = one.statement.header == other.statement.header
    return same and one.record != other.record and is_real(one.statement.text) == is_real(other.statement.text)


def _shapes(parent: Parent) -> list[str]:
    return [] if parent.claim is None or parent.statement.context else list(by_shape(parent.claim)[1])
