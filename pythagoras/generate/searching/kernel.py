"""How much Lean's kernel would compute to decide a claim: an estimate from its text, before the kernel is asked.

The kernel knows no heartbeats: what it has begun it finishes, or the clock ends the whole question. So it is asked only
what is small. An estimate counts the elements of finite sets, once for every computation that is made for each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from pythagoras.generate.searching.terms import Term, value
from pythagoras.generate.searching.values import NAT, Effort, Tired, Unknown, computing

MOST = 10_000
_BEYOND = MOST + 1
_SETS = {"Finset.range": 2, "Finset.Icc": 3, "Finset.Ico": 3, "Finset.Ioc": 3, "Finset.Ioo": 3}
_TO_ITS_ARGUMENT = frozenset({"Nat.divisors", "Nat.totient", "Nat.Prime", "Nat.factorial", "Nat.fib", "Nat.sqrt"})
_ENOUGH = 20_000
Largest = Mapping[str, int]


def work(claim: Term) -> int:
    """About how many things are looked at to decide it; never much more than `MOST`."""
    return _work(claim, {})


def _work(term: Term, largest: Largest) -> int:
    """The same, where bound variables have these values at most."""
    if term.kind == "bind":
        return _bound(term, largest)
    found = 1 + sum(_work(part, largest) for part in term.parts)
    if term.is_sign("^"):
        found += _value(term.right, largest) // 64
    elif term.is_call(*_TO_ITS_ARGUMENT) and len(term.parts) == 2:
        found += _value(term.right, largest)
    elif term.is_call("Nat.choose") and len(term.parts) == 3:
        upper, lower = (_value(part, largest) for part in term.parts[1:])
        found += upper * lower
    elif term.kind == "call" and term.left.name in _SETS:
        found += _top(term, largest)
    top = max((_top(part, largest) for part in term.parts), default=1)
    for part in term.parts:
        if part.is_binder("fun"):  # computed for each element of the set beside it
            found += top * _work(part.body, {**largest, part.variable: top})
    return min(found, _BEYOND)


def _bound(term: Term, largest: Largest) -> int:
    """A sum, a set, or a claim for all or some: its body for each value of the variable, where these are known."""
    _, over, body = term.parts
    top = _top(over, largest)
    if term.name in ("∀", "∃", "∃!") and body.is_sign("→", "∧") and body.left.is_sign("<", "≤", "∈"):
        top = _top(body.left.right, largest) if body.left.name == "∈" else _value(body.left.right, largest)
    return min(1 + _work(over, largest) + top * _work(body, {**largest, term.variable: top}), _BEYOND)


def _top(term: Term, largest: Largest) -> int:
    """How many elements a finite set has at most, or how large they are: whatever is more. 1 for all that is none."""
    if term.kind == "call" and _SETS.get(term.left.name) == len(term.parts):
        return max(_value(term.parts[-1], largest), 1)
    if term.is_call("Nat.divisors") and len(term.parts) == 2:
        return max(_value(term.right, largest), 1)
    if term.kind in ("call", "cast") or term.is_binder("set"):
        return max((_top(part, largest) for part in term.parts), default=1)
    return 1


def _value(term: Term, largest: Largest) -> int:
    if (known := value(term)) is not None:
        return min(abs(known), _BEYOND)
    try:
        found = computing(term, dict.fromkeys(largest, NAT), Effort(_ENOUGH))(largest)
    except (Unknown, Tired):
        return _BEYOND
    return min(math.ceil(max(found, -found)), _BEYOND)
