"""What a term comes to for given numbers, with Lean's arithmetic of ℕ, ℤ and ℚ.

Used to find witnesses and remainders before Lean is asked. Terms become functions, for thousands of numbers are tried.
`Unknown` is raised for all that is not known here, when the function is made or when it is called.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction

from pythagoras.generate.searching.terms import RELATIONS, Term

Number = int | Fraction
Values = Mapping[str, Number]
Domains = Mapping[str, str]
Computing = Callable[[Values], Number]
Judging = Callable[[Values], bool]
NAT, INT, RAT = "ℕ", "ℤ", "ℚ"
_SIZE = {NAT: 0, INT: 1, RAT: 2}
_LARGEST_POWER = 4096
_LARGEST_RANGE = 2000
_RELATED: Mapping[str, Callable[[Number, Number], bool]] = {
    "=": operator.eq,
    "≠": operator.ne,
    "<": operator.lt,
    "≤": operator.le,
    ">": operator.gt,
    "≥": operator.ge,
}


class Unknown(ValueError):
    """The term can't be computed here."""


def domain(term: Term, domains: Domains) -> str:
    """Which numbers a term is about: the largest domain that stands in it; ℕ when there is nothing but digits."""
    match term.kind:
        case "name":
            return domains.get(term.name, NAT)
        case "cast" if term.right.name in _SIZE:
            return term.right.name
        case "cast":
            return INT if term.right.name == "_" else RAT
        case "call":
            function = term.left.name
            if function in domains:
                return domains[function]
            if function.split(".")[0] in ("Nat", "") or function in (".card", ".sum"):
                return NAT
        case "bind" if term.name in ("∑", "∏"):
            return domain(term.body, {**domains, term.variable: NAT})
        case "sign" if term.name == "^":
            return domain(term.left, domains)
    return _largest(term.parts, domains)


def _largest(terms: tuple[Term, ...], domains: Domains) -> str:
    return max((domain(term, domains) for term in terms), key=_SIZE.__getitem__, default=NAT)


def computing(term: Term, domains: Domains, within: str | None = None) -> Computing:
    """The term as a function of its variables, computed in a domain (its own, when none is given). Raises Unknown."""
    kind = within or domain(term, domains)
    match term.kind:
        case "number":
            digits = int(term.name)
            return lambda _: digits
        case "name" if term.name in domains:
            return operator.itemgetter(term.name)
        case "cast":
            return computing(term.left, domains)
        case "sign" if len(term.parts) == 1 and term.name == "-":
            inner = computing(term.left, domains, kind)
            return lambda values: -inner(values)
        case "sign" if term.name == "^":
            base, exponent = computing(term.left, domains, kind), computing(term.right, domains, NAT)
            return lambda values: _power(base(values), exponent(values))
        case "sign" if term.name in ("+", "-", "*", "/", "%"):
            return _combining(
                term.name, computing(term.left, domains, kind), computing(term.right, domains, kind), kind
            )
        case "call":
            return _calling(term, domains)
        case "bind" if term.name in ("∑", "∏"):
            return _summing(term, domains)
    raise Unknown(str(term))


def judging(term: Term, domains: Domains) -> Judging:
    """The claim as a test of its variables. Raises Unknown."""
    if term.kind == "sign":
        if term.name in (*RELATIONS, "∣", "≡"):
            return _relating(term, domains)
        if term.name == "¬":
            denied = judging(term.left, domains)
            return lambda values: not denied(values)
        if term.name in ("∧", "∨", "→", "↔"):
            left, right = judging(term.left, domains), judging(term.right, domains)
            match term.name:
                case "∧":
                    return lambda values: left(values) and right(values)
                case "∨":
                    return lambda values: left(values) or right(values)
                case "→":
                    return lambda values: not left(values) or right(values)
            return lambda values: left(values) == right(values)
    if term.is_call("Even", "Odd"):
        inner, odd = computing(term.right, domains), term.left.name == "Odd"
        return lambda values: inner(values) % 2 == odd
    if term.is_call("Nat.Prime"):
        inner = computing(term.right, domains, NAT)
        return lambda values: _is_prime(int(inner(values)))
    if term.is_call("Nat.Coprime"):
        one, other = (computing(part, domains, NAT) for part in term.parts[1:])
        return lambda values: math.gcd(int(one(values)), int(other(values))) == 1
    raise Unknown(str(term))


def _relating(term: Term, domains: Domains) -> Judging:
    kind = _largest(term.parts, domains)
    if term.name == "≡":
        one, other, by = (computing(part, domains, kind) for part in term.parts)
        return lambda values: _divides(by(values), one(values) - other(values))
    left, right = (computing(part, domains, kind) for part in term.parts)
    if term.name == "∣":
        return lambda values: _divides(left(values), right(values))
    related = _RELATED[term.name]
    return lambda values: related(left(values), right(values))


def _divides(divisor: Number, number: Number) -> bool:
    return number == 0 if divisor == 0 else number % divisor == 0


def _combining(sign: str, left: Computing, right: Computing, kind: str) -> Computing:
    match sign:
        case "+":
            return lambda values: left(values) + right(values)
        case "*":
            return lambda values: left(values) * right(values)
        case "-" if kind == NAT:
            return lambda values: max(left(values) - right(values), 0)
        case "-":
            return lambda values: left(values) - right(values)
        case "/" if kind == RAT:
            return lambda values: Fraction(left(values)) / by if (by := right(values)) else 0
        case "/":
            return lambda values: _quotient(left(values), right(values))
        case "%" if kind != RAT:
            return lambda values: _rest(left(values), right(values))
    raise Unknown("remainders of fractions")


def _quotient(left: Number, right: Number) -> Number:
    """Lean's division of whole numbers: what is left over is never negative."""
    return (left - _rest(left, right)) // right if right else 0


def _rest(left: Number, right: Number) -> Number:
    return left % max(right, -right) if right else left


def _power(base: Number, exponent: Number) -> Number:
    if not 0 <= exponent <= _LARGEST_POWER or max(base, -base) > 10**9:
        raise Unknown(f"{base} to the power of {exponent}")
    return base ** int(exponent)


def _calling(term: Term, domains: Domains) -> Computing:
    known: Mapping[str, Callable[..., int]] = {
        "Nat.gcd": math.gcd,
        "Nat.lcm": math.lcm,
        "Nat.choose": math.comb,
        "Nat.factorial": math.factorial,
        "Nat.fib": _fibonacci,
    }
    function = known.get(term.left.name)
    if function is None:
        raise Unknown(str(term))
    arguments = [computing(part, domains, NAT) for part in term.parts[1:]]

    def called(values: Values) -> Number:
        numbers = [int(argument(values)) for argument in arguments]
        if not all(0 <= each <= _LARGEST_POWER for each in numbers) and function not in (math.gcd, math.lcm):
            raise Unknown(str(term))
        return function(*numbers)

    return called


def _fibonacci(index: int) -> int:
    first, second = 0, 1
    for _ in range(index):
        first, second = second, first + second
    return first


def _summing(term: Term, domains: Domains) -> Computing:
    _, over, body = term.parts
    if not over.is_call("Finset.range", "Finset.Icc", "Finset.Ico"):
        raise Unknown(str(over))
    bounds = [computing(part, domains, NAT) for part in over.parts[1:]]
    inner = computing(body, {**domains, term.variable: NAT})
    beyond = over.left.name == "Finset.Icc"

    def summed(values: Values) -> Number:
        first, last = [0, *(int(bound(values)) for bound in bounds)][-2:]
        if last - first > _LARGEST_RANGE:
            raise Unknown(f"{last - first} terms")
        found = [inner({**values, term.variable: index}) for index in range(first, last + beyond)]
        return sum(found) if term.name == "∑" else math.prod(found)

    return summed


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))
