"""Casts: a claim with every cast that Lean needs to take it as it is meant.

The rule. All terms of one relation are of one type: the largest among their variables, functions and casts; at least ℤ
where something is subtracted or negative, and ℚ where something is divided. Variables and function values of a smaller
type are cast to it, each by itself. Exponents, ends of ranges, arguments of functions on ℕ and named values of type ℕ
stay in ℕ, where Lean's subtraction stops at 0: it is written only where `subtraction` sees that it does not get there,
as the reader has it. A numeral gets its type where nothing else in the relation would give it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from pythagoras.language.lean_text import term_text
from pythagoras.language.lean_types import COLLECTIONS, NATURAL, ORDER, ORDERED
from pythagoras.language.meaning import Apply, Bind, Call, Cast, Claim, Let, Number, Term, Typed, Variable
from pythagoras.language.reading import NotRead
from pythagoras.language.subtraction import Known

OVER_INTEGERS = {"≡": "≡ℤ", "gcd": "gcdℤ", "lcm": "lcmℤ"}
"""What Lean writes in another way for integers."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What is known where a term stands."""

    types: Mapping[str, str]
    """Of variables."""
    known: Known

    def inside(self, variables: Sequence[Typed], *facts: Term) -> Scope:
        """Where these variables are bound, about which there are facts."""
        known = self.known.without([variable.name for variable in variables]).given(*facts)
        return Scope({**self.types, **{variable.name: variable.type for variable in variables}}, known)

    def where(self, variable: Typed, value: Term) -> Scope:
        """Below a `let`."""
        return Scope({**self.types, variable.name: variable.type}, self.known.where(variable.name, value))

    def given(self, *facts: Term) -> Scope:
        return Scope(self.types, self.known.given(*facts))


def with_casts(claim: Claim) -> Claim:
    """The claim as it is to be written; NotRead where no cast helps."""
    scope = Scope({variable.name: variable.type for variable in claim.variables}, Known().given(*claim.hypotheses))
    hypotheses = tuple(_proposition(term, scope) for term in claim.hypotheses)
    return Claim(claim.variables, hypotheses, _proposition(claim.goal, scope))


# --- propositions --------------------------------------------------------------------------------


def _proposition(term: Term, scope: Scope) -> Term:
    match term:
        case Apply("and"):
            inside = scope.given(*term.args)
            return Apply("and", tuple(_proposition(arg, inside) for arg in term.args))
        case Apply("implies", (premise, conclusion)):
            return Apply("implies", (_proposition(premise, scope), _proposition(conclusion, scope.given(premise))))
        case Apply("or" | "not" | "iff" | "true" | "false"):
            return Apply(term.sign, tuple(_proposition(arg, scope) for arg in term.args))
        case Apply():
            return _relation(term, scope)
        case Bind("∀" | "∃" | "∃!"):
            return Bind(term.sign, term.variables, _proposition(term.body, scope.inside(term.variables)))
        case Let():
            return _let(term, scope, _proposition)
        case Variable():
            return term
        case Call():
            return _called(term, scope)
    raise NotRead(f"not a proposition: {term_text(term)}")


def _relation(term: Apply, scope: Scope) -> Term:
    sign, args = term.sign, term.args
    if sign in ("=", "≠") and any(map(_is_collection, args)):
        return Apply(sign, tuple(_collection(arg, scope) for arg in args))
    if sign in ("=", "≠") and any(_is_function(arg, scope) for arg in args):
        return Apply(sign, tuple(_function(arg, scope) for arg in args))
    if sign in ORDERED or sign in ("even", "odd"):
        return Apply(sign, _together(args, scope))
    if sign == "≡":
        return _congruence(term, scope)
    if sign == "coprime":
        if _common(args, scope) != "ℕ":
            return Apply("=", (_number(Apply("gcd", args), "ℕ", scope), Number(1)))
        return Apply(sign, tuple(_number(arg, "ℕ", scope) for arg in args))
    if sign == "prime":
        return Apply(sign, (_number(args[0], "ℕ", scope),))
    if sign == "∈":
        kind = max((_own(args[0], scope), _element(args[1], scope)), key=ORDER.__getitem__)
        return Apply(sign, (_number(args[0], kind, scope), _collection(args[1], scope, kind)))
    if sign in ("least", "greatest"):
        return Apply(sign, (_collection(args[0], scope), _number(args[1], _element(args[0], scope), scope)))
    if sign in ("injective", "surjective", "bijective"):
        return Apply(sign, (_function(args[0], scope),))
    raise NotRead(f"not a proposition: {sign}")


def _congruence(term: Apply, scope: Scope) -> Term:
    kind = _common(term.args, scope)
    if kind == "ℚ":
        raise NotRead("a congruence of rational numbers")
    args = tuple(_number(arg, kind, scope) for arg in term.args)
    return Apply(OVER_INTEGERS["≡"] if kind == "ℤ" else "≡", args)


def _together(terms: Sequence[Term], scope: Scope) -> tuple[Term, ...]:
    """All in their common type, which a numeral says where nothing else does."""
    kind = _common(terms, scope)
    written = tuple(_number(term, kind, scope) for term in terms)
    if kind == "ℕ" or any(map(_says_type, written)):
        return written
    first = _typed(written[0], kind)
    return (first, *written[1:]) if first != written[0] or len(written) == 1 else (first, _typed(written[1], kind))


# --- numbers -------------------------------------------------------------------------------------


def _common(terms: Sequence[Term], scope: Scope) -> str:
    return max((_own(term, scope) for term in terms), key=ORDER.__getitem__)


def _own(term: Term, scope: Scope) -> str:
    """The smallest type that the term can have."""
    match term:
        case Number():
            return "ℕ"
        case Variable() | Call():
            return _value_type(term, scope)
        case Cast():
            return term.type
        case Apply("-" | "neg" | "abs"):
            return max(("ℤ", _common(term.args, scope)), key=ORDER.__getitem__)
        case Apply("/"):
            return "ℚ"
        case Apply("^"):
            return _own(term.args[0], scope)
        case Apply("+" | "*" | "//" | "%" | "min" | "max"):
            return _common(term.args, scope)
        case Apply(sign) if sign in NATURAL or sign in ("gcd", "lcm", "card", "list_sum"):
            return "ℕ"
        case Bind("∑" | "∏"):
            return _own(term.body, scope.inside(term.variables))
        case Let():
            return _own(term.body, scope.inside((term.variable,)))
    raise NotRead(f"not a number: {term_text(term)}")


def _value_type(term: Variable | Call, scope: Scope) -> str:
    if isinstance(term, Variable):
        kind = scope.types.get(term.name)
        if kind is None:
            raise NotRead(f"{term.name!r} is not introduced")
        if kind not in ORDER:
            raise NotRead(f"{term.name!r} is not a number")
        return kind
    kind = _function_type(term.function, scope)[-1]
    if kind not in ORDER:
        raise NotRead("a proposition where a number should be")
    return kind


def _number(term: Term, kind: str, scope: Scope) -> Term:
    """The term in that type, with casts at its leaves."""
    match term:
        case Number():
            return term
        case Cast():
            return _cast(term, kind, scope)
        case Apply("+" | "-" | "*" | "neg" | "min" | "max"):
            if kind == "ℕ" and term.sign == "neg":
                raise NotRead("a negative natural number")
            if kind == "ℕ" and term.sign == "-" and not scope.known.at_least(*term.args):
                raise NotRead(f"a subtraction of natural numbers that may stop at 0: {term_text(term)}")
            return _parted(term, kind, scope)
        case Apply("abs"):
            return _parted(term, kind, scope) if kind != "ℕ" else _raised(term, "ℤ", kind)
        case Apply("/"):
            return _parted(term, kind, scope) if kind == "ℚ" else _raised(term, "ℚ", kind)
        case Apply("//" | "%") if kind != "ℚ":
            return _parted(term, kind, scope)
        case Apply("^", (base, exponent)):
            return Apply("^", (_number(base, kind, scope), _number(exponent, "ℕ", scope)))
        case Bind("∑" | "∏"):
            assert term.domain is not None
            (own,) = term.variables
            body = _number(term.body, kind, _over(term, term.domain, scope))
            said = body if kind == "ℕ" or _says_type(body) else _typed(body, kind)
            domain = _collection(term.domain, scope, own.type)
            return Bind(term.sign, (own,), said, domain if kind == own.type == "ℕ" else _anchored(domain, own.type))
        case Let():
            return _let(term, scope, lambda body, inner: _number(body, kind, inner))
    return _leaf(term, kind, scope)


def _parted(term: Apply, kind: str, scope: Scope) -> Term:
    args = tuple(_number(arg, kind, scope) for arg in term.args)
    if term.sign in ("abs", "min", "max") and kind != "ℕ" and not any(map(_says_type, args)):
        args = (_typed(args[0], kind), *args[1:])
    return Apply(term.sign, args)


def _leaf(term: Term, kind: str, scope: Scope) -> Term:
    """What has a type of its own, and is cast as a whole."""
    own = _own(term, scope)
    if ORDER[own] > ORDER[kind]:
        return _raised(term, own, kind)
    match term:
        case Variable():
            inner: Term = term
        case Call():
            inner = _called(term, scope)
        case Apply("//" | "%"):
            if own == "ℚ":
                raise NotRead(f"{term.sign!r} of rational numbers")
            return Cast(kind, Cast(own, _number(term, own, scope)))
        case Apply("gcd" | "lcm"):
            args = _common(term.args, scope)
            if args == "ℚ":
                raise NotRead(f"the {term.sign} of rational numbers")
            sign = OVER_INTEGERS[term.sign] if args == "ℤ" else term.sign
            inner = Apply(sign, tuple(_number(arg, args, scope) for arg in term.args))
        case Apply("card" | "list_sum"):
            inner = Apply(term.sign, (_collection(term.args[0], scope),))
        case Apply():
            inner = Apply(term.sign, tuple(_number(arg, "ℕ", scope) for arg in term.args))
        case _:
            raise NotRead(f"not a number: {term_text(term)}")
    return inner if own == kind else Cast(kind, inner)


def _raised(term: Term, own: str, kind: str) -> NoReturn:
    raise NotRead(f"{term} is in {own} where Lean needs {kind}")


def _cast(term: Cast, kind: str, scope: Scope) -> Term:
    if ORDER[term.type] > ORDER[kind]:
        return _raised(term, term.type, kind)
    inner = _number(term.term, term.type, scope)
    if isinstance(term.term, Number):
        return Cast(kind, inner)
    if term.type == kind:
        return inner
    is_leaf = isinstance(term.term, Variable | Call) and inner == term.term
    return Cast(kind, inner) if is_leaf else Cast(kind, Cast(term.type, inner))


def _says_type(term: Term) -> bool:
    """Whether Lean finds the type in the term itself."""
    match term:
        case Variable() | Call() | Cast() | Bind() | Let():
            return True
        case Apply("^"):
            return _says_type(term.args[0])
        case Apply("+" | "-" | "*" | "/" | "//" | "%" | "neg"):
            return any(map(_says_type, term.args))
        case Apply():
            return True
    return False


def _typed(term: Term, kind: str) -> Term:
    """The first numeral gets the type."""
    match term:
        case Number():
            return Cast(kind, term)
        case Apply("neg", (Number(),)):
            return Cast(kind, term)
        case Apply("^"):
            return Apply("^", (_typed(term.args[0], kind), term.args[1]))
        case Apply():
            return Apply(term.sign, (_typed(term.args[0], kind), *term.args[1:]))
    return term


# --- functions, collections, named values --------------------------------------------------------


def _function_type(term: Term, scope: Scope) -> tuple[str, ...]:
    match term:
        case Variable(name) if "→" in scope.types.get(name, ""):
            return tuple(scope.types[name].split(" → "))
        case Bind("fun"):
            value = _own(term.body, scope.inside(term.variables))
            return (*(variable.type for variable in term.variables), value)
    raise NotRead(f"not a function: {term_text(term)}")


def _is_function(term: Term, scope: Scope) -> bool:
    return (isinstance(term, Bind) and term.sign == "fun") or (
        isinstance(term, Variable) and "→" in scope.types.get(term.name, "")
    )


def _function(term: Term, scope: Scope) -> Term:
    if isinstance(term, Bind) and term.sign == "fun":
        (body,) = _together((term.body,), scope.inside(term.variables))
        return Bind("fun", term.variables, body)
    _function_type(term, scope)
    return term


def _called(term: Call, scope: Scope) -> Term:
    *wanted, _ = _function_type(term.function, scope)
    if len(wanted) != len(term.args):
        raise NotRead("another number of arguments than the function has")
    args = tuple(_number(arg, kind, scope) for kind, arg in zip(wanted, term.args, strict=True))
    return Call(_function(term.function, scope), args)


def _is_collection(term: Term) -> bool:
    return (isinstance(term, Apply) and term.sign in COLLECTIONS) or (
        isinstance(term, Bind) and term.sign in ("set", "filter")
    )


def _element(term: Term, scope: Scope) -> str:
    match term:
        case Apply("icc" | "list"):
            return _common(term.args, scope) if term.args else "ℕ"
        case Bind("set" | "filter"):
            return term.variables[0].type
    return "ℕ"


def _collection(term: Term, scope: Scope, kind: str | None = None) -> Term:
    """The collection, of elements of that kind."""
    match term:
        case Apply("range" | "divisors" | "digits"):
            if kind not in (None, "ℕ"):
                raise NotRead(f"the elements of {term_text(term)} are not of type {kind}")
            return Apply(term.sign, tuple(_number(arg, "ℕ", scope) for arg in term.args))
        case Apply("icc" | "list"):
            args = tuple(_number(arg, kind or _element(term, scope), scope) for arg in term.args)
            return Apply(term.sign, args)
        case Bind("set" | "filter"):
            (own,) = term.variables
            if kind not in (None, own.type):
                raise NotRead(f"the elements of {term_text(term)} are not of type {kind}")
            domain = None if term.domain is None else _collection(term.domain, scope, own.type)
            inner = scope.inside((own,)) if term.domain is None else _over(term, term.domain, scope)
            return Bind(term.sign, (own,), _proposition(term.body, inner), domain)
    raise NotRead(f"not a collection: {term_text(term)}")


def _over(term: Bind, domain: Term, scope: Scope) -> Scope:
    """The scope of the body where the variable runs over a domain."""
    return scope.inside(term.variables, Apply("∈", (Variable(term.variables[0].name), domain)))


def _anchored(domain: Term, kind: str) -> Term:
    """With the type of its elements, where these are numerals: Lean would take it from casts of the variable."""
    match domain:
        case Apply("icc", (low, high)) if not _says_type(low) and not _says_type(high):
            return Apply("icc", (_typed(low, kind), high))
    return domain


def _let(term: Let, scope: Scope, rest: Callable[[Term, Scope], Term]) -> Term:
    value = _number(term.value, term.variable.type, scope)
    return Let(term.variable, value, rest(term.body, scope.where(term.variable, term.value)))
