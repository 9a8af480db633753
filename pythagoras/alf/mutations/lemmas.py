"""Lemmas that a statement suggests by itself, without a proof: values of its parts, what its hypotheses say together.

All of them are true of every statement that has such parts, or are worked out exactly. An argument that is a difference
keeps the hypotheses about it: without them it need not be a natural number.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from pythagoras.alf.mutations.sequents import Scope
from pythagoras.alf.variants import Category, Made, Operator, Parent, Promise
from pythagoras.language.changes.algebra import NoPolynomial, as_term, polynomial
from pythagoras.language.changes.terms import numeral, unfolded
from pythagoras.language.evaluate import value
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
    children,
    free_variables,
    substitute,
    walk,
)

_ARITHMETIC = frozenset(("+", "-", "*", "/", "//", "^", "%", "neg", "abs", "min", "max"))
_FUNCTIONS = frozenset(("gcd", "lcm", "fib", "choose", "factorial", "totient", "card", "list_sum"))
_LARGEST = 10**12
_FACTORS = (1, 1, 2, 3, 5)
_NUMBERS = {"ℕ": range(7), "ℤ": range(-4, 7), "ℚ": range(-4, 7)}
_RELATIONS = {"=": "=", "<": "<", "≤": "≤", ">": "<", "≥": "≤"}
"""With the sign that it has when the smaller side is the first."""


def numbers_in(claim: Claim) -> list[Term]:
    """The parts that are numbers and more than a name or a numeral, without named values, each once."""
    terms = (unfolded(claim.goal), *claim.hypotheses)
    found = (part for term in terms for part in walk(term) if _is_number(part))
    return list(dict.fromkeys(found))


def _is_number(term: Term) -> bool:
    match term:
        case Apply("/" | "neg", args) if all(isinstance(one, Number) for one in args):
            return False  # a numeral
        case Apply(sign):
            return sign in _ARITHMETIC or sign in _FUNCTIONS
        case Bind(sign):
            return sign in ("∑", "∏")
    return False


def about(claim: Claim, goal: Term, *given: Term) -> Claim | None:
    """A claim about what these terms mention, all of which must be the claim's variables."""
    used = frozenset[str]().union(*map(free_variables, (goal, *given)))
    variables = tuple(variable for variable in claim.variables if variable.name in used)
    return Claim(variables, given, goal) if used == {variable.name for variable in variables} else None


def known_value(term: Term) -> Term | None:
    """What a term without variables comes to."""
    try:
        found = value(term, {})
    except (Unknown, TypeError, ValueError, ArithmeticError):
        return None
    if isinstance(found, bool) or not isinstance(found, int | Fraction) or abs(found.numerator) > _LARGEST:
        return None
    return numeral(found)


def multiplied_out(term: Term) -> Term | None:
    """The term as a sum of products; None where it is one, or is not made of sums and products."""
    if not isinstance(term, Apply) or term.sign not in ("*", "^"):
        return None
    if not any(isinstance(one, Apply) and one.sign in ("+", "-") for one in children(term)):
        return None
    try:
        found = as_term(polynomial(term))
    except NoPolynomial:
        return None
    return found if found != term and len(list(walk(found))) < 60 else None


def _value_of_part(parent: Parent, rng: Random) -> Iterator[Made]:
    parts = [] if parent.claim is None else [one for one in numbers_in(parent.claim) if not free_variables(one)]
    for part in rng.sample(parts, len(parts)):
        found = known_value(part)
        if found is not None and found != part:
            yield Claim((), (), Apply("=", (part, found)))


def _multiplied_out(parent: Parent, rng: Random) -> Iterator[Made]:
    parts = [] if parent.claim is None else [one for one in numbers_in(parent.claim) if free_variables(one)]
    for part in rng.sample(parts, len(parts)):
        found = multiplied_out(part)
        made = None if found is None or parent.claim is None else about(parent.claim, Apply("=", (part, found)))
        if made is not None:
            yield made


def _added(parent: Parent, rng: Random) -> Iterator[Made]:
    """A sum of multiples of two hypotheses, or one of them with all on one side."""
    claim = parent.claim
    relations = [] if claim is None else relations_in(claim)
    pairs = [(one, other) for one in relations for other in relations if one != other]
    for one, other in rng.sample(pairs, min(len(pairs), 4)):
        made = combined(one, rng.choice(_FACTORS), other, rng.choice(_FACTORS))
        if claim is not None and (posed := about(claim, made, one, other)) is not None:
            yield posed
    for one in rng.sample(relations, len(relations)):
        sign, left, right = _oriented(one)
        moved = Apply(sign, (Number(0), Apply("-", (right, left))))
        if claim is not None and Number(0) not in (left, right) and (posed := about(claim, moved, one)) is not None:
            yield posed


def relations_in(claim: Claim) -> list[Term]:
    """The hypotheses that compare numbers."""
    scope = Scope({variable.name: variable.type for variable in claim.variables}, is_exact=True)
    return [
        one
        for one in claim.hypotheses
        if isinstance(one, Apply) and one.sign in _RELATIONS and scope.kind(*one.args) is not None
    ]


def _oriented(term: Term) -> tuple[str, Term, Term]:
    assert isinstance(term, Apply)
    left, right = term.args if term.sign in ("=", "<", "≤") else term.args[::-1]
    return _RELATIONS[term.sign], left, right


def combined(one: Term, factor: int, other: Term, other_factor: int) -> Term:
    """What two relations say together when each is multiplied by a positive number and they are added."""
    (sign, left, right), (other_sign, other_left, other_right) = _oriented(one), _oriented(other)
    signs = {sign, other_sign}
    weakest = "<" if "<" in signs else "≤" if "≤" in signs else "="
    sides = ((left, other_left), (right, other_right))
    return Apply(weakest, tuple(Apply("+", (_times(factor, a), _times(other_factor, b))) for a, b in sides))


def _times(factor: int, term: Term) -> Term:
    return term if factor == 1 else Apply("*", (Number(factor), term))


def _instance(parent: Parent, rng: Random) -> Iterator[Made]:
    """A hypothesis about all numbers at one of them, or at a variable."""
    claim = parent.claim
    general = [] if claim is None else [one for one in claim.hypotheses if isinstance(one, Bind) and one.sign == "∀"]
    for hypothesis in rng.sample(general, len(general)):
        for _ in range(3):
            places = {one.name: _place(one, claim, rng) for one in hypothesis.variables} if claim else {}
            if claim is not None and all(place is not None for place in places.values()):
                put = {name: place for name, place in places.items() if place is not None}
                made = about(claim, substitute(hypothesis.body, put), hypothesis)
                if made is not None:
                    yield made


def _place(variable: Typed, claim: Claim | None, rng: Random) -> Term | None:
    same = [one for one in claim.variables if one.type == variable.type] if claim is not None else []
    if same and rng.random() < 0.3:
        return Variable(rng.choice(same).name)
    numbers = _NUMBERS.get(variable.type)
    return None if numbers is None else numeral(rng.choice(numbers))


def _last_summand(parent: Parent, rng: Random) -> Iterator[Made]:
    """A sum or a product with one term more, by the sum without it."""
    claim = parent.claim
    sums = [] if claim is None else [one for one in numbers_in(claim) if isinstance(one, Bind)]
    for total in rng.sample(sums, len(sums)):
        made = None if claim is None else _peeled(claim, total)
        if made is not None:
            yield made


def _peeled(claim: Claim, total: Bind) -> Claim | None:
    own = total.variables[0].name
    last: Term
    match total.domain:
        case Apply("range", (Number(end),)) if end > 1:
            shorter, last = Apply("range", (Number(end - 1),)), Number(end - 1)
            longer = total.domain
        case Apply("range", (end,)) if not isinstance(end, Number) and not _may_stop_at_0(end):
            shorter, last = total.domain, end
            longer = Apply("range", (Apply("+", (end, Number(1))),))
        case Apply("icc", (Number(start), Number(end))) if end > start:
            shorter, last = Apply("icc", (Number(start), Number(end - 1))), Number(end)
            longer = total.domain
        case Apply("icc", (Number(start), Variable() as end)) if start <= 1 and Typed(end.name, "ℕ") in claim.variables:
            last = Apply("+", (end, Number(1)))
            shorter, longer = total.domain, Apply("icc", (Number(start), last))
        case _:
            return None
    more = substitute(total.body, {own: last})
    sign = "+" if total.sign == "∑" else "*"
    parts = (Bind(total.sign, total.variables, total.body, shorter), more)
    return about(claim, Apply("=", (Bind(total.sign, total.variables, total.body, longer), Apply(sign, parts))))


def _may_stop_at_0(term: Term) -> bool:
    return any(isinstance(part, Apply) and part.sign in ("-", "//") for part in walk(term))


def _defined(parent: Parent, rng: Random) -> Iterator[Made]:
    """A value of a function that occurs, by the hypothesis that gives it."""
    claim = parent.claim
    if claim is None:
        return
    calls = [one for one in walk(unfolded(claim.goal)) if isinstance(one, Call)]
    for call in rng.sample(list(dict.fromkeys(calls)), len(set(calls))):
        for hypothesis in claim.hypotheses:
            found = by_definition(call, hypothesis)
            if found is not None:
                given = [one for one in claim.hypotheses if one == hypothesis or _limits(one, call)]
                made = about(claim, Apply("=", (call, found)), *given)
                if made is not None:
                    yield made


def _limits(hypothesis: Term, call: Call) -> bool:
    """Whether it may be what makes a difference among the arguments a natural number."""
    return any(_may_stop_at_0(one) and bool(free_variables(one) & free_variables(hypothesis)) for one in call.args)


def by_definition(call: Call, hypothesis: Term) -> Term | None:
    """What `∀ x, f x = ...` says of a call of f."""
    match hypothesis:
        case Bind("∀", variables, Apply("=", (Call(function, args), body))) if function == call.function:
            names = [Variable(one.name) for one in variables]
            if list(args) == names and len(call.args) == len(args):
                return substitute(body, {one.name: at for one, at in zip(variables, call.args, strict=True)})
    return None


OPERATORS = (
    Operator("value_of_part", Category.LEMMA, Promise.TRUE, "what a part without variables comes to", _value_of_part),
    Operator("multiplied_out", Category.LEMMA, Promise.TRUE, "a product or a power of sums, expanded", _multiplied_out),
    Operator("added_hypotheses", Category.LEMMA, Promise.TRUE, "what two hypotheses say when they are added", _added),
    Operator(
        "hypothesis_instance", Category.LEMMA, Promise.TRUE, "a hypothesis about all numbers at one of them", _instance
    ),
    Operator("last_summand", Category.LEMMA, Promise.TRUE, "a sum by the sum without its last term", _last_summand),
    Operator("defined_value", Category.LEMMA, Promise.TRUE, "a value of a function, by its definition", _defined),
)
