"""Claims changed on purpose: in one place so that they mean something else, or all over so that they mean the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from random import Random

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
    free_variables,
)

Change = Callable[[Term], Iterator[Term]]


def _inside(term: Term, change: Change) -> Iterator[Term]:
    """The term with one of its parts changed, in every way there is."""
    yield from change(term)
    match term:
        case Apply(sign, args):
            for at, one in enumerate(args):
                for new in _inside(one, change):
                    yield Apply(sign, (*args[:at], new, *args[at + 1 :]))
        case Call(function, args):
            for at, one in enumerate(args):
                for new in _inside(one, change):
                    yield Call(function, (*args[:at], new, *args[at + 1 :]))
        case Bind(sign, variables, body, domain):
            for new in _inside(body, change):
                yield Bind(sign, variables, new, domain)
            if domain is not None:
                for new in _inside(domain, change):
                    yield Bind(sign, variables, body, new)
        case Let(variable, value, body):
            for new in _inside(value, change):
                yield Let(variable, new, body)
            for new in _inside(body, change):
                yield Let(variable, value, new)
        case Cast(kind, inner):
            for new in _inside(inner, change):
                yield Cast(kind, new)


def _everywhere(claim: Claim, change: Change) -> Iterator[Claim]:
    for at, one in enumerate(claim.hypotheses):
        for new in _inside(one, change):
            yield Claim(claim.variables, (*claim.hypotheses[:at], new, *claim.hypotheses[at + 1 :]), claim.goal)
    for new in _inside(claim.goal, change):
        yield Claim(claim.variables, claim.hypotheses, new)


def _signs(exchanges: dict[str, str]) -> Callable[[Claim], Iterator[Claim]]:
    def change(term: Term) -> Iterator[Term]:
        if isinstance(term, Apply) and term.sign in exchanges:
            yield Apply(exchanges[term.sign], term.args)

    return lambda claim: _everywhere(claim, change)


def _binders(exchanges: dict[str, str]) -> Callable[[Claim], Iterator[Claim]]:
    def change(term: Term) -> Iterator[Term]:
        if isinstance(term, Bind) and term.sign in exchanges:
            yield Bind(exchanges[term.sign], term.variables, term.body, term.domain)

    return lambda claim: _everywhere(claim, change)


def _numbers(claim: Claim) -> Iterator[Claim]:
    def change(term: Term) -> Iterator[Term]:
        if isinstance(term, Number):
            yield Number(term.value + 1)
            if term.value > 1:
                yield Number(term.value - 1)

    return _everywhere(claim, change)


def _dropped_hypothesis(claim: Claim) -> Iterator[Claim]:
    for at in range(len(claim.hypotheses)):
        yield Claim(claim.variables, (*claim.hypotheses[:at], *claim.hypotheses[at + 1 :]), claim.goal)


def _added_hypothesis(claim: Claim) -> Iterator[Claim]:
    for one in claim.variables:
        if one.type in _OTHER_TYPE:
            further = Apply("<", (Number(3), Variable(one.name)))
            if further not in claim.hypotheses:
                yield Claim(claim.variables, (*claim.hypotheses, further), claim.goal)


def _dropped_part(claim: Claim) -> Iterator[Claim]:
    def change(term: Term) -> Iterator[Term]:
        if isinstance(term, Apply) and term.sign in ("and", "or"):
            for at in range(len(term.args)):
                rest = (*term.args[:at], *term.args[at + 1 :])
                if term.args[at] not in rest:
                    yield rest[0] if len(rest) == 1 else Apply(term.sign, rest)

    return _everywhere(claim, change)


_OTHER_TYPE = {"ℕ": "ℤ", "ℤ": "ℕ", "ℚ": "ℤ"}


def _types(claim: Claim) -> Iterator[Claim]:
    for at, one in enumerate(claim.variables):
        kinds = one.type.split(" → ")
        if kinds[-1] in _OTHER_TYPE:
            kind = " → ".join((*kinds[:-1], _OTHER_TYPE[kinds[-1]]))
            variables = (*claim.variables[:at], Typed(one.name, kind), *claim.variables[at + 1 :])
            yield Claim(variables, claim.hypotheses, claim.goal)


def _bound_types(claim: Claim) -> Iterator[Claim]:
    def change(term: Term) -> Iterator[Term]:
        if isinstance(term, Bind) and term.domain is None and term.variables[0].type in _OTHER_TYPE:
            first, *others = term.variables
            yield Bind(term.sign, (Typed(first.name, _OTHER_TYPE[first.type]), *others), term.body)

    return _everywhere(claim, change)


def _negated_goal(claim: Claim) -> Iterator[Claim]:
    yield Claim(claim.variables, claim.hypotheses, Apply("not", (claim.goal,)))


def _converse(claim: Claim) -> Iterator[Claim]:
    if claim.hypotheses and claim.hypotheses[-1] != claim.goal:
        yield Claim(claim.variables, (*claim.hypotheses[:-1], claim.goal), claim.hypotheses[-1])


def _one_direction(claim: Claim) -> Iterator[Claim]:
    def change(term: Term) -> Iterator[Term]:
        if isinstance(term, Apply) and term.sign == "iff" and term.args[0] != term.args[1]:
            yield Apply("implies", term.args)
            yield Apply("implies", (term.args[1], term.args[0]))

    return _everywhere(claim, change)


def _turned_quantifiers(claim: Claim) -> Iterator[Claim]:
    """A goal `∃ x, ∀ y` as `∀ y, ∃ x`, and the other way round."""
    match claim.goal:
        case Bind("∃" | "∀" as outer, some, Bind("∃" | "∀" as inner, others, body)) if outer != inner:
            yield Claim(claim.variables, claim.hypotheses, Bind(inner, others, Bind(outer, some, body)))
    match claim.goal:
        case Bind("∃", some, body) if claim.variables and not claim.hypotheses:
            if free_variables(claim.goal) and all("→" not in one.type for one in claim.variables):
                yield Claim((), (), Bind("∃", some, Bind("∀", claim.variables, body)))


def _other_variable(claim: Claim) -> Iterator[Claim]:
    """One place of a variable taken by another of the same type."""

    def change(term: Term) -> Iterator[Term]:
        if isinstance(term, Variable):
            kind = types.get(term.name)
            yield from (Variable(name) for name, other in types.items() if other == kind and name != term.name)

    types = {one.name: one.type for one in claim.variables if "→" not in one.type}
    return _everywhere(claim, change)


def _without_last_variable(claim: Claim) -> Iterator[Claim]:
    """The last variable set to 1, as if the statement were about that only."""
    if claim.variables and claim.variables[-1].type in _OTHER_TYPE and not _has_binder(claim):
        name = claim.variables[-1].name
        fixed = [_replaced(one, name) for one in (*claim.hypotheses, claim.goal)]
        yield Claim(claim.variables[:-1], tuple(fixed[:-1]), fixed[-1])


def _has_binder(claim: Claim) -> bool:
    return any(isinstance(one, Bind | Let) for term in (*claim.hypotheses, claim.goal) for one in _all(term))


def _all(term: Term) -> Iterator[Term]:
    def change(one: Term) -> Iterator[Term]:
        found.append(one)
        return iter(())

    found: list[Term] = []
    list(_inside(term, change))
    return iter(found)


def _replaced(term: Term, name: str) -> Term:
    match term:
        case Variable():
            return Number(1) if term.name == name else term
        case Apply(sign, args):
            return Apply(sign, tuple(_replaced(one, name) for one in args))
        case Call(function, args):
            return Call(function, tuple(_replaced(one, name) for one in args))
        case Cast(kind, inner):
            return Cast(kind, _replaced(inner, name))
    return term


MUTATIONS: dict[str, Callable[[Claim], Iterator[Claim]]] = {
    "a number": _numbers,
    "a hypothesis dropped": _dropped_hypothesis,
    "a hypothesis added": _added_hypothesis,
    "a part dropped": _dropped_part,
    "a variable's type": _types,
    "a bound variable's type": _bound_types,
    "a relation weakened": _signs({"<": "≤", ">": "≥", "=": "≤"}),
    "a relation strengthened": _signs({"≤": "<", "≥": ">"}),
    "a relation turned": _signs({"<": ">", ">": "<", "≤": "≥", "≥": "≤", "=": "≠", "≠": "="}),
    "a property": _signs({"even": "odd", "odd": "even", "gcd": "lcm", "lcm": "gcd", "injective": "surjective"}),
    "an extreme": _signs({"least": "greatest", "greatest": "least"}),
    "an operation": _signs({"+": "-", "*": "+", "^": "*"}),
    "a connective": _signs({"and": "or", "or": "and", "implies": "iff"}),
    "a quantifier": _binders({"∀": "∃", "∃": "∀", "∃!": "∃", "∑": "∏", "∏": "∑"}),
    "quantifiers turned": _turned_quantifiers,
    "the goal negated": _negated_goal,
    "the converse": _converse,
    "one direction of an equivalence": _one_direction,
    "another variable": _other_variable,
    "a special case": _without_last_variable,
}
"""Kinds of wrong formalisations: from a claim to claims that are wrong in one place."""


def wrong(claim: Claim, kind: str, rng: Random) -> Claim | None:
    """One of the mutants of a kind; None where there is none. Rarely it says the same: see `is_renaming`."""
    found = list(MUTATIONS[kind](claim))
    return rng.choice(found) if found else None


def is_renaming(one: Claim, other: Claim) -> bool:
    """Whether exchanging variables makes the one of the other, as in `x + y = 1 ∧ x < y` and `x + y = 1 ∧ y < x`.

    Also true where a hypothesis is gone that another repeats, and of `∃ e, t = k * e` over other integers. Slow, and
    written without looking at `normal`: all permutations are tried.
    """
    first = _plain_claim(one, {})
    names = sorted({name for term in (*one.hypotheses, one.goal) for name in _names(term)})
    if len(names) > 6:
        return first == _plain_claim(other, {})
    return any(
        first == _plain_claim(other, dict(zip(names, permuted, strict=True))) for permuted in permutations(names)
    )


def _plain_claim(claim: Claim, names: dict[str, str]) -> str:
    variables = sorted(f"{names.get(one.name, one.name)} : {one.type}" for one in claim.variables)
    parts = sorted({_plain(one, names) for hypothesis in claim.hypotheses for one in _conjuncts(hypothesis)})
    return f"{variables} {parts} {_plain(claim.goal, names)}"


def _conjuncts(term: Term) -> list[Term]:
    if isinstance(term, Apply) and term.sign == "and":
        return [one for part in term.args for one in _conjuncts(part)]
    return [term]


def _plain(term: Term, names: dict[str, str]) -> str:
    match term:
        case Variable():
            return names.get(term.name, term.name)
        case Apply(">" | "≥" as sign, (left, right)):
            return _plain(Apply({">": "<", "≥": "≤"}[sign], (right, left)), names)
        case Apply(sign, args):
            parts = [_plain(one, names) for one in args]
            return f"{sign}({sorted(parts) if sign in _SYMMETRIC else parts})"
        case Call(function, args):
            return f"{_plain(function, names)}({[_plain(one, names) for one in args]})"
        case Bind("∃", (own,), Apply("=", (left, Apply("*", (factor, Variable(name)))))) if name == own.name:
            return f"divides({_plain(left, names)}, {_plain(factor, names)})"
        case Bind(sign, variables, body, domain):
            own_names = sorted(f"{names.get(one.name, one.name)} : {one.type}" for one in variables)
            return f"{sign}{own_names}{'' if domain is None else _plain(domain, names)}({_plain(body, names)})"
        case Let(variable, value, body):
            return f"let {variable} {_plain(value, names)} {_plain(body, names)}"
        case Cast(_, inner):
            return _plain(inner, names)
    return str(term)


_SYMMETRIC = frozenset(("+", "*", "=", "≠", "gcd", "lcm", "and", "or", "iff"))


def _names(term: Term) -> Iterator[str]:
    return (one.name for one in _all(term) if isinstance(one, Variable))


# --- the same in other words -------------------------------------------------------------------------


def reworded(claim: Claim, rng: Random) -> Claim:
    """The claim with other names, another order, and other signs for the same."""
    names = {one.name: f"z{at}" for at, one in enumerate(rng.sample(claim.variables, len(claim.variables)))}
    variables = [Typed(names[one.name], one.type) for one in claim.variables]
    hypotheses = [_reworded(one, names, rng) for one in claim.hypotheses]
    goal = _reworded(claim.goal, names, rng)
    rng.shuffle(variables)
    if len(hypotheses) > 1 and rng.random() < 0.3:
        hypotheses = [Apply("and", tuple(hypotheses))]
    rng.shuffle(hypotheses)
    if hypotheses and rng.random() < 0.3:
        goal = Apply("implies", (hypotheses.pop(), goal))
    if variables and not hypotheses and rng.random() < 0.3:
        goal = Bind("∀", (variables[-1],), goal)
        variables.pop()
    return Claim(tuple(variables), tuple(hypotheses), goal)


def _reworded(term: Term, names: dict[str, str], rng: Random) -> Term:
    match term:
        case Variable():
            return Variable(names.get(term.name, term.name))
        case Apply(sign, args):
            return _said_otherwise(Apply(sign, tuple(_reworded(one, names, rng) for one in args)), rng)
        case Call(function, args):
            return Call(_reworded(function, names, rng), tuple(_reworded(one, names, rng) for one in args))
        case Bind(sign, variables, body, domain):
            own = {one.name: f"{one.name}_{rng.randrange(10**6)}" for one in variables}
            renamed = [Typed(own[one.name], one.type) for one in variables]
            if sign in ("∀", "∃"):
                rng.shuffle(renamed)
            new = None if domain is None else _reworded(domain, names, rng)
            return Bind(sign, tuple(renamed), _reworded(body, {**names, **own}, rng), new)
        case Let(variable, value, body):
            return Let(
                variable, _reworded(value, names, rng), _reworded(body, {**names, variable.name: variable.name}, rng)
            )
        case Cast(kind, inner):
            return Cast(kind, _reworded(inner, names, rng))
    return term


def _said_otherwise(term: Apply, rng: Random) -> Term:
    if rng.random() < 0.5:
        return term
    match term:
        case Apply("+" | "*" | "=" | "gcd" | "lcm" | "iff" | "and" | "or" as sign, args):
            return Apply(sign, tuple(rng.sample(args, len(args))))
        case Apply("-", (left, right)):
            return Apply("+", (Apply("neg", (right,)), left))
        case Apply("<" | "≤" | ">" | "≥" as sign, (left, right)):
            return Apply({"<": ">", "≤": "≥", ">": "<", "≥": "≤"}[sign], (right, left))
        case Apply("≠", args):
            return Apply("not", (Apply("=", args),))
        case Apply("∣", (Number() as divisor, number)):
            return rng.choice(
                (
                    Apply("=", (Apply("%", (number, divisor)), Number(0))),
                    Apply("≡", (number, Number(0), divisor)),
                )
            )
        case Apply("≡", (left, right, modulus)):
            return Apply("=", (Apply("%", (right, modulus)), Apply("%", (left, modulus))))
        case Apply("even", (number,)):
            return Apply("∣", (Number(2), number))
        case Apply("odd", (number,)):
            return Apply("=", (Apply("%", (number, Number(2))), Number(1)))
        case Apply("coprime", args):
            return Apply("=", (Number(1), Apply("gcd", args)))
        case Apply("range", (Number(end),)) if end:
            return Apply("icc", (Number(0), Number(end - 1)))
        case Apply("range", (end,)):
            return Apply("icc", (Number(0), Apply("-", (end, Number(1)))))
    return term
