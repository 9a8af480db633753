"""Whether what was read makes sense: the last word on a claim, when all of it is known.

Every name must be introduced once; numbers, claims and functions stand where they belong; `a(b)` is a product when a
is a number. No casts are put: in a meaning, as in English, a difference of natural numbers may be negative and a
quotient is no whole number. Only where nothing but a natural number can stand, as in exponents and arguments of
sequences, a difference is read no further than `subtraction` sees that it is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pythagoras.language.meaning import (
    Apply,
    Bind,
    Call,
    Cast,
    Claim,
    Let,
    Number,
    Term,
    Typed,
    Variable,
    immutable,
    walk,
)
from pythagoras.language.reading import NotRead
from pythagoras.language.subtraction import Known


@immutable
class Behind(Bind):
    """A quantifier that stood behind its body, which may turn out to belong to more than that."""

    said: tuple[Term, ...] = ()

    def joined(self) -> Bind:
        """As a plain quantifier; what was said of its variables goes into the body."""
        if self.sign == "∀":
            return Bind("∀", self.variables, implication(self.said, self.body))
        parts = (*self.said, self.body)
        return Bind(self.sign, self.variables, Apply("and", parts) if self.said else self.body)


def implication(premises: tuple[Term, ...], conclusion: Term) -> Term:
    """From all the premises the conclusion."""
    if not premises:
        return conclusion
    premise = premises[0] if len(premises) == 1 else Apply("and", premises)
    return Apply("implies", (premise, conclusion))


def replaced(term: Term, old: Term, new: Term) -> Term:
    """The term with one part replaced wherever it stands."""
    if term == old:
        return new
    match term:
        case Apply():
            return Apply(term.sign, tuple(replaced(one, old, new) for one in term.args))
        case Call():
            return Call(term.function, tuple(replaced(one, old, new) for one in term.args))
        case Behind():
            said = tuple(replaced(one, old, new) for one in term.said)
            return Behind(term.sign, term.variables, replaced(term.body, old, new), said=said)
        case Bind():
            domain = None if term.domain is None else replaced(term.domain, old, new)
            return Bind(term.sign, term.variables, replaced(term.body, old, new), domain)
    return term


def sensible(claim: Claim) -> Claim:
    """The claim with its signs settled. Raises NotRead if it makes no sense."""
    scope = _Scope({}, Known().given(*claim.hypotheses))
    for variable in claim.variables:
        scope = scope.entered((variable,), keep=True)
    hypotheses = tuple(_claim(one, scope) for one in claim.hypotheses)
    return Claim(claim.variables, hypotheses, _claim(claim.goal, scope))


_NATURAL, _INTEGER, _RATIONAL = range(3)
_WIDTHS = {"ℕ": _NATURAL, "ℤ": _INTEGER, "ℚ": _RATIONAL}

_ARITHMETIC = frozenset(("+", "-", "*", "/", "//", "%", "min", "max"))
_RELATIONS = frozenset(("=", "≠", "<", "≤", ">", "≥", "∣", "≡"))
_WHOLE = frozenset(("%", "//", "∣", "≡"))
_OF_NATURALS = frozenset(("fib", "choose", "factorial", "totient"))
_LOGIC = frozenset(("or", "not", "iff", "true", "false"))
_MAPS = frozenset(("injective", "surjective", "bijective"))


@dataclass(frozen=True, slots=True)
class _Scope:
    """Types of the names where a term stands, and what is known there."""

    types: Mapping[str, str]
    known: Known

    def entered(self, variables: tuple[Typed, ...], keep: bool = False) -> _Scope:
        """Inside of what binds these variables; `keep` for those of the claim, about which something is known."""
        for variable in variables:
            if variable.name in self.types:
                raise NotRead(f"{variable.name} is introduced twice")
        types = {**self.types, **{variable.name: variable.type for variable in variables}}
        return _Scope(types, self.known if keep else self.known.without(variable.name for variable in variables))

    def given(self, *facts: Term) -> _Scope:
        return _Scope(self.types, self.known.given(*facts))

    def type(self, name: str) -> str:
        if name not in self.types:
            raise NotRead(f"{name} is used, but not introduced")
        return self.types[name]


# --- claims ----------------------------------------------------------------------------------------


def _claim(term: Term, scope: _Scope) -> Term:
    """A term that must be a claim."""
    match term:
        case Variable(name):
            if scope.type(name) != "Prop":
                raise NotRead(f"{name} stands where a claim is expected, and is none")
            return term
        case Call(function=Variable(name)):
            if not scope.type(name).endswith("→ Prop"):
                raise NotRead(f"{name}(...) stands where a claim is expected, and is none")
            return _call(term, scope)
        case Behind():
            return _claim(term.joined(), scope)
        case Bind(sign="∀" | "∃" | "∃!"):
            return Bind(term.sign, term.variables, _claim(term.body, scope.entered(term.variables)))
        case Let():
            return _let(term, scope)
        case Apply("implies", (premise, conclusion)):
            return Apply("implies", (_claim(premise, scope), _claim(conclusion, scope.given(premise))))
        case Apply("and", parts):
            inside = scope.given(*parts)
            return Apply("and", tuple(_claim(one, inside) for one in parts))
        case Apply() if term.sign in _LOGIC:
            return Apply(term.sign, tuple(_claim(one, scope) for one in term.args))
        case Apply() if term.sign in _RELATIONS:
            return _relation(term, scope)
        case Apply(sign="even" | "odd" | "prime" | "coprime"):
            return Apply(term.sign, tuple(_whole(one, scope) for one in term.args))
        case Apply(sign="least" | "greatest"):
            return _extreme(term, scope)
        case Apply() if term.sign in _MAPS:
            return Apply(term.sign, (_function(term.args[0], scope),))
    raise NotRead("a number stands where a claim is expected")


def _let(term: Let, scope: _Scope) -> Term:
    value = _at(term.value, scope, term.variable.type)
    inside = scope.entered((term.variable,))
    known = inside.known.where(term.variable.name, value)
    return Let(term.variable, value, _claim(term.body, _Scope(inside.types, known)))


def _relation(term: Apply, scope: _Scope) -> Term:
    match term:
        case Apply("=", (Apply(sign="digits") as digits, Apply("list", row))):
            return Apply("=", (_digits(digits, scope), Apply("list", tuple(_at(one, scope, "ℕ") for one in row))))
    sides = [_number(one, scope) for one in term.args]
    if term.sign in _WHOLE and any(width == _RATIONAL for _, width in sides):
        raise NotRead(f"{'divisibility' if term.sign == '∣' else 'congruence'} is meant for integers only")
    return Apply(term.sign, tuple(side for side, _ in sides))


def _whole(term: Term, scope: _Scope) -> Term:
    number, width = _number(term, scope)
    if width == _RATIONAL:
        raise NotRead("even, odd, prime and coprime are meant for integers only")
    return number


def _extreme(term: Apply, scope: _Scope) -> Term:
    members, value = term.args
    if not isinstance(members, Bind):
        raise NotRead(f"the {term.sign} of nothing")
    body = _claim(members.body, scope.entered(members.variables))
    return Apply(term.sign, (Bind("set", members.variables, body), _at(value, scope, members.variables[0].type)))


def _function(term: Term, scope: _Scope) -> Term:
    match term:
        case Variable(name) if "→" in scope.type(name):
            return term
        case Bind(sign="fun", variables=(variable,), body=Cast(target, body)):
            value = _at(body, scope.entered(term.variables), target)
            return Bind("fun", term.variables, value if target == variable.type else Cast(target, value))
    raise NotRead("a number stands where a function is expected")


# --- numbers ---------------------------------------------------------------------------------------


def _number(term: Term, scope: _Scope) -> tuple[Term, int]:
    """A term that must be a number, and how wide a type it needs."""
    match term:
        case Number():
            return term, _NATURAL
        case Variable(name):
            return term, _width(name, scope.type(name))
        case Call(function=Variable(name)):
            kind = scope.type(name)
            if "→" not in kind:
                return _product(term, scope)
            return _call(term, scope), _width(f"{name}(...)", kind.rpartition(" → ")[2])
        case Apply(sign="neg"):
            inside, width = _number(term.args[0], scope)
            return Apply("neg", (inside,)), max(width, _INTEGER)
        case Apply(sign="abs"):
            inside, width = _number(term.args[0], scope)
            return Apply("abs", (inside,)), width
        case Apply("^", (base, exponent)):
            _certain_base(base, scope)
            inside, width = _number(base, scope)
            return Apply("^", (inside, _at(exponent, scope, "ℕ"))), width
        case Apply() if term.sign in _ARITHMETIC:
            return _arithmetic(term, scope)
        case Apply(sign="gcd" | "lcm"):
            return Apply(term.sign, tuple(_whole(one, scope) for one in term.args)), _NATURAL
        case Apply() if term.sign in _OF_NATURALS:
            return Apply(term.sign, tuple(_at(one, scope, "ℕ") for one in term.args)), _NATURAL
        case Apply(sign="card"):
            return Apply("card", (_collection(term.args[0], scope),)), _NATURAL
        case Apply("list_sum", (Apply(sign="digits") as digits,)):
            return Apply("list_sum", (_digits(digits, scope),)), _NATURAL
        case Bind(sign="∑" | "∏"):
            return _sum(term, scope)
    raise NotRead("a claim stands where a number is expected")


def _sum(term: Bind, scope: _Scope) -> tuple[Term, int]:
    domain = _collection(term.domain, scope)
    below = scope.entered(term.variables).given(Apply("∈", (Variable(term.variables[0].name), domain)))
    body, width = _number(term.body, below)
    return Bind(term.sign, term.variables, body, domain), width


def _width(name: str, kind: str) -> int:
    if kind not in _WIDTHS:
        raise NotRead(f"{name} stands where a number is expected, and is none")
    return _WIDTHS[kind]


def _at(term: Term, scope: _Scope, kind: str) -> Term:
    """A number where only one of this type can stand."""
    number, width = _number(term, scope)
    if width > _WIDTHS.get(kind, -1) and not (
        kind == "ℕ" and width == _INTEGER and all(_is_natural(part, scope) for part in walk(number))
    ):
        raise NotRead(f"what is expected here is of {kind}, and this need not be: {_shown(term)}")
    return number


def _is_natural(part: Term, scope: _Scope) -> bool:
    """Whether this step does not leave the natural numbers, as far as can be seen."""
    match part:
        case Apply("-", (larger, smaller)):
            return scope.known.at_least(larger, smaller)
        case Apply(sign="neg"):
            return False
        case Variable(name):
            return scope.types.get(name, "ℕ") == "ℕ"
        case Call(function=Variable(name)):
            return scope.type(name).endswith("→ ℕ")
    return True


def _shown(term: Term) -> str:
    match term:
        case Number(value):
            return str(value)
        case Variable(name):
            return name
        case Apply("neg", (inside,)):
            return f"-{_shown(inside)}"
        case Apply(sign, (left, right)):
            return f"{_shown(left)} {sign} {_shown(right)}"
    return "..."


def _arithmetic(term: Apply, scope: _Scope) -> tuple[Term, int]:
    sides = [_number(one, scope) for one in term.args]
    width = max(width for _, width in sides)
    if term.sign == "-":
        width = max(width, _INTEGER)
    elif term.sign == "/":
        width = _RATIONAL
    elif term.sign in _WHOLE and width == _RATIONAL:
        raise NotRead("a remainder is meant for integers only")
    return Apply(term.sign, tuple(side for side, _ in sides)), width


def _certain_base(base: Term, scope: _Scope) -> None:
    """In `a(b)^2` the power belongs to a(b) if a is a function, and else to b."""
    if isinstance(base, Call) and isinstance(base.function, Variable) and "→" not in scope.type(base.function.name):
        raise NotRead(f"what the power behind {base.function.name}(...) belongs to is not certain")


def _product(term: Call, scope: _Scope) -> tuple[Term, int]:
    """`a(b + c)`, where a turned out to be a number."""
    if len(term.args) != 1:
        raise NotRead("a number is applied like a function")
    return _number(Apply("*", (term.function, term.args[0])), scope)


def _call(term: Call, scope: _Scope) -> Term:
    if not isinstance(term.function, Variable):
        raise NotRead("what is applied is no function")
    *sources, _ = scope.type(term.function.name).split(" → ")
    if len(sources) != len(term.args):
        raise NotRead(f"{term.function.name} takes another number of arguments")
    args = (_at(one, scope, source) for source, one in zip(sources, term.args, strict=True))
    return Call(term.function, tuple(args))


# --- collections -----------------------------------------------------------------------------------


def _collection(term: Term | None, scope: _Scope) -> Term:
    match term:
        case Apply(sign="range" | "divisors"):
            return Apply(term.sign, (_at(term.args[0], scope, "ℕ"),))
        case Apply("icc", (low, Apply("-", (end, Number() as less)))):
            # Cut off at 0 or not, this is empty where the end is small, since it begins with 1 or more.
            return Apply("icc", (_at(low, scope, "ℕ"), Apply("-", (_at(end, scope, "ℕ"), less))))
        case Apply(sign="icc"):
            return Apply("icc", tuple(_at(one, scope, "ℕ") for one in term.args))
        case Bind(sign="filter"):
            domain = _collection(term.domain, scope)
            return Bind("filter", term.variables, _claim(term.body, scope.entered(term.variables)), domain)
    raise NotRead("what is added up or counted is not certain")


def _digits(term: Apply, scope: _Scope) -> Term:
    return Apply("digits", tuple(_at(one, scope, "ℕ") for one in term.args))
