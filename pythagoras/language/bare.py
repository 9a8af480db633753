"""Meanings without what only writers need: no casts, no named values, no `fun` at its arguments, bound names different.

A meaning's numbers are those of mathematics, whatever their types: `-` goes below 0 also between natural numbers, `/`
does not round, `//` does. (Lean's subtraction of natural numbers stops at 0. `lean_reader` reads one only where it
never gets there, and `lean_writer` casts where it might, or writes nothing; so no meaning has it.) Casts then change
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from operator import is_

from pythagoras.language.meaning import Apply, Bind, Call, Cast, Claim, Let, Number, Term, Typed, Variable

_WIDTHS = {"ℕ": 0, "ℤ": 1, "ℚ": 2}
_NATURAL = frozenset(("gcd", "lcm", "fib", "choose", "factorial", "totient", "card", "list_sum"))
_AS_WIDE = frozenset(("+", "*", "%", "//", "min", "max"))


def bare(claim: Claim) -> Claim:
    """The claim. Its own variables keep their names."""
    fresh = _Fresh()
    return Claim(claim.variables, tuple(fresh.bare(one, {}) for one in claim.hypotheses), fresh.bare(claim.goal, {}))


def bare_term(term: Term) -> Term:
    """The term. Its free variables keep their names."""
    return _Fresh().bare(term, {})


def number_type(term: Term, types: Mapping[str, str]) -> str | None:
    """The narrowest of ℕ, ℤ, ℚ that a bare term's values are seen to be in; None for what is no number or unknown."""
    match term:
        case Number():
            return "ℕ"
        case Variable():
            kind = types.get(term.name, "")
        case Call(function=Variable(name)):
            kind = types.get(name, "").split(" → ")[-1]
        case Bind(sign="∑" | "∏"):
            return number_type(term.body, {**types, **{one.name: one.type for one in term.variables}})
        case Apply(sign="abs"):
            inner = number_type(term.args[0], types)
            return "ℕ" if inner == "ℤ" else inner
        case Apply(sign="^"):
            return number_type(term.args[0], types)
        case Apply() if term.sign in _NATURAL:
            return "ℕ"
        case Apply() if term.sign in _AS_WIDE:
            return _widest([number_type(one, types) for one in term.args])
        case Apply(sign="-" | "neg"):
            return _widest(["ℤ", *(number_type(one, types) for one in term.args)])
        case Apply(sign="/"):
            return _widest(["ℚ", *(number_type(one, types) for one in term.args)])
        case _:
            return None
    return kind if kind in _WIDTHS else None


def _widest(types: Iterable[str | None]) -> str | None:
    found = "ℕ"
    for one in types:
        if one is None:
            return None
        found = max(found, one, key=_WIDTHS.__getitem__)
    return found


class _Fresh:
    """Hands out names that nobody can have written."""

    def __init__(self) -> None:
        self._numbers = count()

    def bare(self, term: Term, values: Mapping[str, Term]) -> Term:
        """The term with values, which are bare, for some of its variables."""
        match term:
            case Apply():
                inside = [self.bare(one, values) for one in term.args]
                same = all(map(is_, inside, term.args))  # most are bare already
                return term if same else Apply(term.sign, tuple(inside))
            case Number():
                return term
            case Variable():
                value = values.get(term.name)
                return term if value is None else self.renamed(value)
            case Cast():
                return self.bare(term.term, values)
            case Let():
                return self.bare(term.body, {**values, term.variable.name: self.bare(term.value, values)})
            case Call():
                return self.applied(self.bare(term.function, values), [self.bare(one, values) for one in term.args])
            case Bind():
                domain = None if term.domain is None else self.bare(term.domain, values)
                own = tuple(self.named(variable) for variable in term.variables)
                names = {old.name: Variable(new.name) for old, new in zip(term.variables, own, strict=True)}
                return Bind(term.sign, own, self.bare(term.body, {**values, **names}), domain)
        return term

    def renamed(self, term: Term) -> Term:
        """A bare term as it stands in another place: what it binds gets names of its own there."""
        return term if isinstance(term, Variable) else self.bare(term, {})

    def applied(self, function: Term, args: list[Term]) -> Term:
        if isinstance(function, Bind) and function.sign == "fun" and len(function.variables) == len(args):
            values = {variable.name: one for variable, one in zip(function.variables, args, strict=True)}
            return self.bare(function.body, values)
        return Call(function, tuple(args))

    def named(self, variable: Typed) -> Typed:
        return Typed(f"{variable.name.partition('#')[0]}#{next(self._numbers)}", variable.type)
