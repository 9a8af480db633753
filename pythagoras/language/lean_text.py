"""Terms in Lean's notation, as the `core` header has it: signs, parentheses by precedence, binders.

Says nothing about types: casts stand where the term has them.
"""

from __future__ import annotations

from collections.abc import Sequence

from pythagoras.language.meaning import Apply, Bind, Call, Cast, Let, Number, Term, Typed, Variable, walk

_INFIX = {
    **{"iff": (20, "↔", 21, 21), "implies": (25, "→", 26, 25), "or": (30, "∨", 31, 30), "and": (35, "∧", 36, 35)},
    **{sign: (50, sign, 51, 51) for sign in ("=", "≠", "<", "≤", ">", "≥", "∣", "∈")},
    **{"+": (65, "+", 65, 66), "-": (65, "-", 65, 66), "*": (70, "*", 70, 71), "/": (70, "/", 70, 71)},
    **{"//": (70, "/", 70, 71), "%": (70, "%", 70, 71), "^": (75, "^", 76, 75)},
}
"""How tight a sign is, how Lean writes it, and how tight its sides must be."""
_FUNCTIONS = {
    **{"gcd": "Nat.gcd", "lcm": "Nat.lcm", "gcdℤ": "Int.gcd", "lcmℤ": "Int.lcm", "min": "min", "max": "max"},
    **{"fib": "Nat.fib", "choose": "Nat.choose", "factorial": "Nat.factorial", "totient": "Nat.totient"},
    **{"range": "Finset.range", "icc": "Finset.Icc", "divisors": "Nat.divisors", "digits": "Nat.digits"},
    **{"even": "Even", "odd": "Odd", "coprime": "Nat.Coprime", "prime": "Nat.Prime"},
    **{"least": "IsLeast", "greatest": "IsGreatest"},
    **{"injective": "Function.Injective", "surjective": "Function.Surjective", "bijective": "Function.Bijective"},
}
_NOT, _NEGATIVE, _APPLIED, _ATOM = 40, 75, 1023, 1024
_BODY_OF_SUM = 67


def term_text(term: Term) -> str:
    """The term in Lean as it is, without casts that it does not have."""
    return _written(term, 0)


def binders(variables: Sequence[Typed]) -> list[str]:
    """`(x y : ℤ)`, `(n : ℕ)`: neighbours of one type together."""
    groups: list[tuple[str, list[str]]] = []
    for variable in variables:
        if groups and groups[-1][0] == variable.type:
            groups[-1][1].append(variable.name)
        else:
            groups.append((variable.type, [variable.name]))
    return [f"({' '.join(names)} : {kind})" for kind, names in groups]


def _written(term: Term, tight: int) -> str:
    """The term, in parentheses where it is looser than it must be."""
    text, own = _plain(term)
    return f"({text})" if own < tight else text


def _plain(term: Term) -> tuple[str, int]:
    """The term without parentheses around it, and how tight it is."""
    match term:
        case Number(value):
            return str(value), _ATOM
        case Variable(name):
            return name, _ATOM
        case Cast(kind, inner):
            return f"({_written(inner, 0)} : {kind})" if kind else f"↑{_written(inner, _ATOM)}", _ATOM
        case Call(function, args):
            return " ".join(_written(part, _ATOM) for part in (function, *args)), _APPLIED
        case Let(variable, value, body):
            return f"let {variable.name} : {variable.type} := {_written(value, 0)}; {_written(body, 0)}", 0
        case Bind():
            return _bound(term)
        case Apply():
            return _applied(term)


def _applied(term: Apply) -> tuple[str, int]:
    sign, args = term.sign, term.args
    if sign in ("and", "or"):
        tight, shown, left, right = _INFIX[sign]
        *firsts, last = args
        parts = [*(_written(one, left) for one in firsts), _written(last, right + 1 if _same(last, sign) else right)]
        return f" {shown} ".join(parts), tight
    if sign in _INFIX:
        tight, shown, left, right = _INFIX[sign]
        return f"{_written(args[0], left)} {shown} {_written(args[1], right)}", tight
    if sign in _FUNCTIONS:
        return " ".join((_FUNCTIONS[sign], *(_written(arg, _ATOM) for arg in args))), _APPLIED
    match sign:
        case "not":
            return f"¬{_written(args[0], _NOT)}" if _short(args[0]) else f"¬ ({_written(args[0], 0)})", _NOT
        case "neg":
            inner = _written(args[0], _ATOM if _same(args[0], "neg") else _NEGATIVE)  # `--` begins a comment
            return f"-{inner}", _NEGATIVE
        case "abs":
            return f"|{_written(args[0], 0)}|", _APPLIED
        case "≡" | "≡ℤ":
            modulus = f"[{'MOD' if sign == '≡' else 'ZMOD'} {_written(args[2], 0)}]"
            return f"{_written(args[0], 51)} ≡ {_written(args[1], 51)} {modulus}", 50
        case "card":
            return f"{_written(args[0], _ATOM)}.card", _APPLIED
        case "list_sum":
            return f"{_written(args[0], _ATOM)}.sum", _APPLIED
        case "list":
            return f"[{', '.join(_written(arg, 0) for arg in args)}]", _ATOM
        case "true" | "false":
            return sign.capitalize(), _ATOM
    return " ".join((sign, *(_written(arg, _ATOM) for arg in args))), _APPLIED


def _same(term: Term, sign: str) -> bool:
    return isinstance(term, Apply) and term.sign == sign


def _short(term: Term) -> bool:
    """Whether `¬` stands before it without parentheses around it."""
    return isinstance(term, Variable | Call) or (isinstance(term, Apply) and term.sign in ("not", "true", "false"))


def _bound(term: Bind) -> tuple[str, int]:
    groups = binders(term.variables)
    named = groups[0][1:-1] if len(groups) == 1 else " ".join(groups)
    match term.sign:
        case "∀" | "∃" | "∃!":
            return f"{term.sign} {named}, {_written(term.body, 0)}", 0
        case "fun":
            return f"fun {named} => {_written(term.body, 0)}", 0
        case "set":
            return f"{{{named} | {_written(term.body, 0)}}}", _ATOM
    assert term.domain is not None
    name = term.variables[0].name
    if term.sign == "filter":
        shown = named if _would_be_taken_for_another(term) else name
        function = f"(fun {shown} => {_written(term.body, 0)})"
        return f"{_written(term.domain, _ATOM)}.filter {function}", _APPLIED
    body = _written(term.body, _BODY_OF_SUM)
    return f"{term.sign} {name} ∈ {_written(term.domain, 0)}, {body}", _BODY_OF_SUM


def _would_be_taken_for_another(term: Bind) -> bool:
    """Whether Lean needs the type of what is counted: where the variable is cast, it would count integers."""
    (variable,) = term.variables
    cast = any(isinstance(part, Cast) and part.term == Variable(variable.name) for part in walk(term.body))
    return cast or variable.type != "ℕ"
