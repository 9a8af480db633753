"""What a term comes to for given numbers, with Lean's arithmetic of ℕ, ℤ and ℚ.

Used to find witnesses and remainders before Lean is asked. Terms become functions, for thousands of numbers are tried.
`Unknown` is raised for all that is not known here, when the function is made or when it is called; `Tired` when an
attempt has computed as much as it may.
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
_MOST_STEPS = 400_000
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


class Tired(Exception):
    """An attempt has computed enough."""


class Effort:
    """How much an attempt may still compute, in steps of about a microsecond. Counted, for no clock may decide."""

    def __init__(self, steps: int = _MOST_STEPS) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Raises Tired when there is nothing left."""
        self.left -= steps
        if self.left < 0:
            raise Tired


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


def computing(term: Term, domains: Domains, effort: Effort, within: str | None = None) -> Computing:
    """The term as a function of its variables, computed in a domain (its own, when none is given). Raises Unknown."""
    kind = within or domain(term, domains)
    match term.kind:
        case "number":
            digits = int(term.name)
            return lambda _: digits
        case "name" if term.name in domains:
            return operator.itemgetter(term.name)
        case "cast":
            return computing(term.left, domains, effort)
        case "sign" if len(term.parts) == 1 and term.name == "-":
            inner = computing(term.left, domains, effort, kind)
            return lambda values: -inner(values)
        case "sign" if term.name == "^":
            base, exponent = computing(term.left, domains, effort, kind), computing(term.right, domains, effort, NAT)
            return lambda values: _power(base(values), exponent(values), effort)
        case "sign" if term.name in ("+", "-", "*", "/", "%"):
            left, right = (computing(part, domains, effort, kind) for part in term.parts)
            return _combining(term.name, left, right, kind)
        case "call":
            return _calling(term, domains, effort)
        case "bind" if term.name in ("∑", "∏"):
            return _summing(term, domains, effort)
    raise Unknown(str(term))


def judging(term: Term, domains: Domains, effort: Effort) -> Judging:
    """The claim as a test of its variables. Raises Unknown."""
    if term.kind == "sign":
        if term.name in (*RELATIONS, "∣", "≡"):
            return _relating(term, domains, effort)
        if term.name == "¬":
            denied = judging(term.left, domains, effort)
            return lambda values: not denied(values)
        if term.name in ("∧", "∨", "→", "↔"):
            left, right = (judging(part, domains, effort) for part in term.parts)
            match term.name:
                case "∧":
                    return lambda values: left(values) and right(values)
                case "∨":
                    return lambda values: left(values) or right(values)
                case "→":
                    return lambda values: not left(values) or right(values)
            return lambda values: left(values) == right(values)
    if term.is_call("Even", "Odd") and len(term.parts) == 2:
        inner, odd = computing(term.right, domains, effort), term.left.name == "Odd"
        return lambda values: inner(values) % 2 == odd
    if term.is_call("Nat.Prime") and len(term.parts) == 2:
        inner = computing(term.right, domains, effort, NAT)
        return lambda values: is_prime(int(inner(values)))
    if term.is_call("Nat.Coprime") and len(term.parts) == 3:
        one, other = (computing(part, domains, effort, NAT) for part in term.parts[1:])
        return lambda values: math.gcd(int(one(values)), int(other(values))) == 1
    raise Unknown(str(term))


def _relating(term: Term, domains: Domains, effort: Effort) -> Judging:
    kind = _largest(term.parts, domains)
    if term.name == "≡":
        one, other, by = (computing(part, domains, effort, kind) for part in term.parts)
        return lambda values: _divides(by(values), one(values) - other(values))
    left, right = (computing(part, domains, effort, kind) for part in term.parts)
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


def _power(base: Number, exponent: Number, effort: Effort) -> Number:
    if not 0 <= exponent <= _LARGEST_POWER or max(base, -base) > 10**9:
        raise Unknown("a large power")
    effort.spend(1 + int(exponent) // 16)
    return base ** int(exponent)


def _calling(term: Term, domains: Domains, effort: Effort) -> Computing:
    known: Mapping[tuple[str, int], Callable[..., int]] = {
        ("Nat.gcd", 2): math.gcd,
        ("Nat.lcm", 2): math.lcm,
        ("Nat.choose", 2): math.comb,
        ("Nat.factorial", 1): math.factorial,
        ("Nat.fib", 1): _fibonacci,
    }
    function = known.get((term.left.name, len(term.parts) - 1))
    if function is None:
        raise Unknown(str(term))
    arguments = [computing(part, domains, effort, NAT) for part in term.parts[1:]]

    def called(values: Values) -> Number:
        numbers = [int(argument(values)) for argument in arguments]
        if function not in (math.gcd, math.lcm):
            if not all(0 <= each <= _LARGEST_POWER for each in numbers):
                raise Unknown(str(term))
            effort.spend(1 + max(numbers) // 4)
        return function(*numbers)

    return called


def _fibonacci(index: int) -> int:
    first, second = 0, 1
    for _ in range(index):
        first, second = second, first + second
    return first


def _summing(term: Term, domains: Domains, effort: Effort) -> Computing:
    _, over, body = term.parts
    known = {"Finset.range": 2, "Finset.Icc": 3, "Finset.Ico": 3}
    if over.kind != "call" or known.get(over.left.name) != len(over.parts):
        raise Unknown(str(over))
    bounds = [computing(part, domains, effort, NAT) for part in over.parts[1:]]
    inner = computing(body, {**domains, term.variable: NAT}, effort)
    beyond = over.left.name == "Finset.Icc"

    def summed(values: Values) -> Number:
        first, last = [0, *(int(bound(values)) for bound in bounds)][-2:]
        if last - first > _LARGEST_RANGE:
            raise Unknown(f"{last - first} terms")
        effort.spend(max(last - first, 0))
        found = [inner({**values, term.variable: index}) for index in range(first, last + beyond)]
        return sum(found) if term.name == "∑" else math.prod(found)

    return summed


_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
_SURELY_PRIME_BELOW = 3_317_044_064_679_887_385_961_981
"""Below this a number that passes the test of Miller and Rabin for the first 13 primes is prime (Sorenson, Webster)."""


def is_prime(number: int) -> bool:
    """Raises Unknown for numbers that are too large to say."""
    if number < 2 or any(number % each == 0 for each in _WITNESSES):
        return number in _WITNESSES
    if number >= _SURELY_PRIME_BELOW:
        raise Unknown("whether a large number is prime")
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes(number, odd, twos, each) for each in _WITNESSES)


def _passes(number: int, odd: int, twos: int, base: int) -> bool:
    found = pow(base, odd, number)
    if found in (1, number - 1):
        return True
    return any((found := found * found % number) == number - 1 for _ in range(twos - 1))
