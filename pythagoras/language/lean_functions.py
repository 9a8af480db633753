"""Functions of Lean's that the meanings have signs for, by their names, and what they make of their arguments."""

from __future__ import annotations

from collections.abc import Callable

from pythagoras.language.meaning import (
    Apply,
    Bind,
    Call,
    Cast,
    Number,
    Term,
    Typed,
    Variable,
    free_variables,
    substitute,
)
from pythagoras.language.reading import NotRead


def _sign(name: str) -> Callable[..., Term]:
    return lambda *args: Apply(name, args)


def _typed(name: str, kind: str) -> Callable[..., Term]:
    return lambda *args: Apply(name, tuple(Cast(kind, arg) for arg in args))


def _quantified(sign: str) -> Callable[[Term, Term], Term]:
    def made(domain: Term, function: Term) -> Term:
        match function:
            case Bind("fun", (one,), body):
                return Bind(sign, (one,), body, domain)
            case Variable():
                return Bind(sign, (Typed("x", ""),), Call(function, (Variable("x"),)), domain)
        raise NotRead(f"what `{sign}` runs over is not a function")

    return made


def _bound_by(sign: str) -> Callable[[Term], Term]:
    """What Lean shows where it has no notation: `setOf fun x => ...`."""

    def made(function: Term) -> Term:
        if isinstance(function, Bind) and function.sign == "fun":
            return Bind(sign, function.variables, function.body)
        raise NotRead(f"what `{sign}` binds is not a function")

    return made


def _open_interval(low: int, high: int) -> Callable[[Term, Term], Term]:
    """Intervals without an end as those with both, where that end is a numeral (or the interval begins at 0)."""

    def made(start: Term, end: Term) -> Term:
        if low == 0 and high == 1 and start == Number(0):
            return Apply("range", (end,))
        if low:
            start = Number(start.value + low) if isinstance(start, Number) else Apply("+", (start, Number(low)))
        if high:
            if not isinstance(end, Number) or end.value < high:
                raise NotRead("an interval without its end, which is not a numeral")
            end = Number(end.value - high)
        return Apply("icc", (start, end))

    return made


FUNCTIONS: dict[str, tuple[int, Callable[..., Term]]] = {
    **{name: (2, _typed(sign, "ℕ")) for name, sign in (("Nat.gcd", "gcd"), ("Nat.lcm", "lcm"))},
    **{name: (2, _typed(sign, "ℤ")) for name, sign in (("Int.gcd", "gcd"), ("Int.lcm", "lcm"))},
    **{name: (2, _sign(name.lower())) for name in ("gcd", "lcm", "min", "max")},
    **{name: (2, _sign(name[4:].lower())) for name in ("Nat.choose", "Nat.Coprime", "Nat.digits")},
    **{name: (2, _sign(name[4:])) for name in ("Nat.min", "Nat.max")},
    **{name: (1, _sign(name[4:].lower())) for name in ("Nat.fib", "Nat.factorial", "Nat.totient", "Nat.divisors")},
    **{
        "Nat.Prime": (1, _sign("prime")),
        "Even": (1, _sign("even")),
        "Odd": (1, _sign("odd")),
        "abs": (1, _sign("abs")),
    },
    **{"Nat.succ": (1, lambda n: Apply("+", (n, Number(1)))), "Not": (1, _sign("not"))},
    **{"Int.natAbs": (1, lambda x: Apply("abs", (Cast("ℤ", x),)))},
    **{"Finset.range": (1, _sign("range")), "Finset.Icc": (2, _sign("icc")), "Finset.card": (1, _sign("card"))},
    **{"Finset.Ico": (2, _open_interval(0, 1)), "Finset.Ioc": (2, _open_interval(1, 0))},
    **{"Finset.Ioo": (2, _open_interval(1, 1)), "List.sum": (1, _sign("list_sum"))},
    **{"Finset.sum": (2, _quantified("∑")), "Finset.prod": (2, _quantified("∏"))},
    "Finset.filter": (2, lambda function, domain: _quantified("filter")(domain, function)),
    **{"setOf": (1, _bound_by("set")), "ExistsUnique": (1, _bound_by("∃!"))},
    **{"IsLeast": (2, _sign("least")), "IsGreatest": (2, _sign("greatest"))},
    **{f"Function.{name}": (1, _sign(name.lower())) for name in ("Injective", "Surjective", "Bijective")},
    **{
        "Nat.ModEq": (3, lambda n, a, b: Apply("≡", (a, b, n))),
        "Int.ModEq": (3, lambda n, a, b: Apply("≡ℤ", (a, b, n))),
    },
}
FUNCTIONS |= {
    name.removeprefix("Nat."): made
    for name, made in FUNCTIONS.items()
    if name.startswith("Nat.") and name not in ("Nat.gcd", "Nat.lcm", "Nat.Prime", "Nat.succ")
}
"""As Lean shows them where `Nat` is open; `gcd` and `lcm` are those of any numbers."""
METHODS = {
    **{name.partition(".")[2]: name for name in FUNCTIONS if name.startswith(("Nat.", "Finset.", "Function."))},
    **{"natAbs": "Int.natAbs", "gcd": "gcd", "lcm": "lcm"},
}
"""`a.gcd b` is `Nat.gcd a b`."""
CONSTANTS: dict[str, Term] = {"True": Apply("true", ()), "False": Apply("false", ())}


def function_of_holes(body: Term, count: int) -> Term:
    """`(· ∣ 12)` as `fun x => x ∣ 12`."""
    if not count:
        return body
    names: list[str] = []
    for name in "xyzw"[:count]:
        while name in free_variables(body):
            name += "'"
        names.append(name)
    body = substitute(body, {f"·{number}": Variable(name) for number, name in enumerate(names, 1)})
    return Bind("fun", tuple(Typed(name, "") for name in names), body)
