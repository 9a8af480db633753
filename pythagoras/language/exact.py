"""What the signs of meanings come to on numbers: exact, with Lean's conventions, within limits.

Division with a remainder (`//`, `%`) is such that the remainder is not negative; by 0 everything is 0, and the
remainder is the number itself. What would be too large to work out is unknown.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

Value: TypeAlias = Any
"""An int, a Fraction, a bool, a collection of numbers, or a function of such."""

LONGEST = 20_000
"""Elements of a collection, and bits of a number."""


class Unknown(Exception):
    """Can't be told: it is about infinitely many numbers, takes too long, or a variable has no value."""


def floor_division(a: int, b: int) -> int:
    """`//`, which is Lean's `/` on integers."""
    return 0 if b == 0 else (a - a % abs(b)) // b


def remainder(a: int, b: int) -> int:
    """Lean's `%` on integers."""
    return a if b == 0 else a % abs(b)


def plain(number: Value) -> Value:
    """Fractions that are integers become ones, and numbers that are too long are refused."""
    if type(number) is int:  # the most common case first: asking for a Fraction takes long
        size = number.bit_length()
    elif isinstance(number, Fraction):
        size = number.numerator.bit_length()
        if number.denominator == 1:
            number = number.numerator
    else:
        return number
    if size > LONGEST:
        raise Unknown("a number is too long")
    return number


def _power(base: Value, exponent: Value) -> Value:
    exponent = _natural(exponent)
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size > 1 and size * exponent > LONGEST:
        raise Unknown("a power is too large")
    return base**exponent if exponent < 2 * LONGEST else base ** (exponent % 2 + 2)  # of 0, 1 or -1


def _integer(number: Value, most: float = math.inf) -> int:
    if not isinstance(number, int) or abs(number) > most:
        raise Unknown("not an integer, or too large")
    return number


def _natural(number: Value, most: float = math.inf) -> int:
    if _integer(number, most) < 0:
        raise Unknown("not a natural number")
    return int(number)


def _fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def _digits(base: Value, number: Value) -> list[int]:
    base, number = _natural(base), _natural(number)
    if base < 2:
        raise Unknown("a base below 2")
    found = []
    while number:
        number, digit = divmod(number, base)
        found.append(digit)
    return found


def _range(low: int, high: int) -> range:
    if high - low > LONGEST:
        raise Unknown("a range is too long")
    return range(low, max(low, high))


def _prime(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, math.isqrt(_natural(n, 10**8)) + 1))


def _equal(a: Value, b: Value) -> bool:
    if callable(a) or callable(b):
        raise Unknown("functions are not compared")
    return list(a) == list(b) if isinstance(a, range | list) and isinstance(b, range | list) else bool(a == b)


NUMBERS: dict[str, Callable[..., Value]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: Fraction(a) / b if b else 0,
    "//": lambda a, b: floor_division(_integer(a), _integer(b)),
    "%": lambda a, b: remainder(_integer(a), _integer(b)),
    "^": _power,
    "neg": operator.neg,
    "abs": abs,
    "min": min,
    "max": max,
    "gcd": lambda a, b: math.gcd(_integer(a), _integer(b)),
    "lcm": lambda a, b: math.lcm(_integer(a), _integer(b)),
    "fib": lambda n: _fibonacci(_natural(n, 5_000)),
    "choose": lambda n, k: math.comb(_natural(n, 2_000), _natural(k)),
    "factorial": lambda n: math.factorial(_natural(n, 1_000)),
    "totient": lambda n: sum(math.gcd(k, n) == 1 for k in range(_natural(n, LONGEST))),
    "range": lambda n: _range(0, _natural(n)),
    "icc": lambda a, b: _range(_integer(a), _integer(b) + 1),
    "divisors": lambda n: [d for d in range(1, _natural(n, LONGEST) + 1) if n % d == 0],
    "card": len,
    "digits": _digits,
    "list": lambda *numbers: list(numbers),
    "list_sum": sum,
}
"""Signs that make a number or a collection."""

RELATIONS: dict[str, Callable[..., bool]] = {
    "=": _equal,
    "≠": lambda a, b: not _equal(a, b),
    "<": operator.lt,
    "≤": operator.le,
    ">": operator.gt,
    "≥": operator.ge,
    "∣": lambda a, b: remainder(_integer(b), _integer(a)) == 0,
    "≡": lambda a, b, n: remainder(_integer(a) - _integer(b), _integer(n)) == 0,
    "even": lambda n: _integer(n) % 2 == 0,
    "odd": lambda n: _integer(n) % 2 == 1,
    "coprime": lambda a, b: math.gcd(_integer(a), _integer(b)) == 1,
    "prime": lambda n: _prime(_natural(n)),
    "true": lambda: True,
    "false": lambda: False,
}
"""Signs that are true or false of numbers."""
