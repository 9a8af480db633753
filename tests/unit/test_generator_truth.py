"""Is what the generator calls true true, and what it calls false false? Drafts are read and evaluated, without Lean.

The evaluator here knows the part of Lean that drafts are written in, and nothing of how they are made. It tries small
values. So it can refute a statement about all numbers and confirm one about some, and says None where it can't tell.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from pythagoras.corpus.generator.families import FAMILIES
from pythagoras.corpus.generator.family import LEVELS, Draft

Env = dict[str, Any]
Term = Callable[[Env], Any]

_TOKEN = re.compile(r"\[Z?MOD|:=|=>|∃!|¬|[^\W\d][\w.]*|\d+|\.\w+|\n|[^\s]")
_INFIX = {
    "↔": (20, 21),
    "→": (25, 25),
    "∨": (30, 30),
    "∧": (35, 35),
    **dict.fromkeys(("=", "≠", "<", "≤", ">", "≥", "∣", "≡"), (50, 51)),
    "+": (65, 66),
    "-": (65, 66),
    **dict.fromkeys(("*", "/", "%"), (70, 71)),
    "^": (75, 75),
}


def _fib(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def _digits(base: int, n: int) -> list[int]:
    return [] if n == 0 else [n % base, *_digits(base, n // base)]


def _divisors(n: int) -> list[int]:
    return [d for d in range(1, n + 1) if n % d == 0]


def _least(members: Callable[[int], Any], value: int) -> bool | None:
    return _extreme(members, value, range(value)) if isinstance(value, int) else None


def _greatest(members: Callable[[int], Any], value: int) -> bool | None:
    return _extreme(members, value, range(value + 1, value + 300))


def _extreme(members: Callable[[int], Any], value: int, others: range) -> bool | None:
    """Whether the value is a member and the others are not; None where membership could not be decided."""
    found = [members(value), *(_negate(members(other)) for other in others)]
    return False if False in found else None if None in found else True


_CONSTANTS: dict[str, tuple[int, Callable[..., Any]]] = {
    "Even": (1, lambda n: n % 2 == 0),
    "Odd": (1, lambda n: n % 2 == 1),
    "Nat.gcd": (2, math.gcd),
    "Nat.lcm": (2, math.lcm),
    "Nat.Coprime": (2, lambda a, b: math.gcd(a, b) == 1),
    "Nat.choose": (2, math.comb),
    "Nat.factorial": (1, math.factorial),
    "Nat.fib": (1, _fib),
    "Nat.digits": (2, _digits),
    "Nat.divisors": (1, _divisors),
    "Nat.totient": (1, lambda n: sum(math.gcd(k, n) == 1 for k in range(n))),
    "Finset.range": (1, lambda n: list(range(n))),
    "Finset.Icc": (2, lambda a, b: list(range(a, b + 1))),
    "Finset.filter": (2, lambda p, s: [one for one in s if p(one)]),
    "IsLeast": (2, _least),
    "IsGreatest": (2, _greatest),
}
_METHODS: dict[str, Callable[..., Any]] = {
    ".card": len,
    ".sum": sum,
    ".filter": lambda s, p: [one for one in s if p(one)],
}
_DOMAINS: dict[str, list[Any]] = {
    "ℕ": list(range(60)),
    "ℤ": sorted(range(-45, 46), key=abs),
    "ℚ": list(dict.fromkeys(Fraction(p, q) for q in (1, 2, 3) for p in range(-8, 9))),
    "Prop": [False, True],
}
_ALONE = {"ℕ": list(range(900)), "ℤ": sorted(range(-450, 451), key=abs)}
"""For the only variable of a draft, since remainders need room."""


class Reader:
    """Reads a term into a function of its variables. `exact` domains are all there is; others are samples."""

    def __init__(
        self, text: str, functions: frozenset[str], rational: bool, domains: dict[str, list[Any]], exact: bool
    ):
        self.tokens = [*_TOKEN.findall(text), ""]
        self.at = 0
        self.functions, self.rational, self.domains, self.exact = functions, rational, domains, exact

    def next(self) -> str:
        self.at += 1
        return str(self.tokens[self.at - 1])

    def expect(self, token: str) -> None:
        found = self.next()
        assert found == token, (found, token, self.tokens)

    def whole(self) -> Term:
        term = self.term(0)
        assert self.tokens[self.at] == "", self.tokens[self.at :]
        return term

    def term(self, least: int) -> Term:
        left = self.prefix()
        while (sign := self.tokens[self.at]) in _INFIX and _INFIX[sign][0] >= least:
            self.next()
            right = self.term(_INFIX[sign][1])
            if sign == "≡":
                assert self.next() in ("[MOD", "[ZMOD")
                modulus = self.term(0)
                self.expect("]")
                left = _congruent(left, right, modulus)
            else:
                left = _operation(sign, left, right, self.rational)
        return left

    def prefix(self) -> Term:
        token = self.next()
        if token == "-":
            inner = self.term(75)
            return lambda env: -inner(env)
        if token == "¬":
            inner = self.term(40)
            return lambda env: _negate(inner(env))
        if token in ("∀", "∃", "∃!"):
            return self.quantified(token)
        if token in ("∑", "∏"):
            return self.big(token)
        if token == "let":
            return self.let()
        return self.applied(token)

    def applied(self, token: str) -> Term:
        if token in _CONSTANTS:
            arity, function = _CONSTANTS[token]
            arguments = [self.argument() for _ in range(arity)]
            return lambda env: function(*(one(env) for one in arguments))
        if token in self.functions:
            argument = self.argument()
            return lambda env: env[token](argument(env))
        return self.atom(token)

    def argument(self) -> Term:
        return self.atom(self.next())

    def atom(self, token: str) -> Term:
        if token.isdigit():
            value = int(token)
            return lambda env: value
        if token == "(":
            inner = self.function() if self.tokens[self.at] == "fun" else self.term(0)
            if self.tokens[self.at] == ":":  # a cast
                self.next()
                self.next()
            self.expect(")")
            return self.methods(inner)
        if token == "[":
            parts = [self.term(0)]
            while self.tokens[self.at] == ",":
                self.next()
                parts.append(self.term(0))
            self.expect("]")
            return lambda env: [one(env) for one in parts]
        if token == "{":
            name = self.next()
            self.expect(":")
            kind = self.next()
            self.expect("|")
            body = self.term(0)
            self.expect("}")
            return lambda env: lambda value: body({**env, name: value}) if kind == "ℕ" else None
        assert re.fullmatch(r"[^\W\d]\w*", token), (token, self.tokens)
        return lambda env: env[token]

    def methods(self, inner: Term) -> Term:
        while (method := self.tokens[self.at]) in _METHODS:
            self.next()
            arguments = [self.argument()] if method == ".filter" else []
            inner = _method(_METHODS[method], inner, arguments)
        return inner

    def function(self) -> Term:
        self.expect("fun")
        name = self.next()
        if self.tokens[self.at] == ":":
            self.next()
            self.next()
        self.expect("=>")
        body = self.term(0)
        return lambda env: lambda value: body({**env, name: value})

    def let(self) -> Term:
        name = self.next()
        self.expect(":")
        self.next()
        self.expect(":=")
        value = self.term(0)
        self.expect("\n")
        body = self.term(0)
        return lambda env: body({**env, name: value(env)})

    def big(self, sign: str) -> Term:
        name = self.next()
        self.expect("∈")
        over = self.term(51)
        self.expect(",")
        body = self.term(67)
        fold: Callable[[Any], Any] = sum if sign == "∑" else math.prod
        return lambda env: fold(body({**env, name: one}) for one in over(env))

    def quantified(self, sign: str) -> Term:
        names = []
        while self.tokens[self.at] not in (":", "<", ","):
            names.append(self.next())
        domain, exact = self.domains["ℤ"], self.exact
        if (sign_behind := self.next()) == "<":
            domain, exact = list(range(int(self.next()))), True
        elif sign_behind == ":":
            domain = self.domains[self.next()]
        if sign_behind != ",":
            self.expect(",")
        body = self.term(0)

        def instances(env: Env) -> Iterator[Any]:
            size = len(domain) if len(names) == 1 else 40 if len(names) == 2 else 16
            for values in itertools.product(domain[:size], repeat=len(names)):
                yield body({**env, **dict(zip(names, values, strict=True))})

        if sign == "∀":
            return lambda env: _all(instances(env), exact)
        if sign == "∃":
            return lambda env: _negate(_all(map(_negate, instances(env)), exact))
        return lambda env: _unique(list(instances(env)))


def _congruent(left: Term, right: Term, modulus: Term) -> Term:
    return lambda env: (left(env) - right(env)) % modulus(env) == 0


def _method(function: Callable[..., Any], inner: Term, arguments: list[Term]) -> Term:
    return lambda env: function(inner(env), *(one(env) for one in arguments))


def _negate(value: Any) -> Any:
    return None if value is None else not value


def _all(values: Iterator[Any], exact: bool) -> Any:
    """False when one is; True only when nothing was left out."""
    seen = None if not exact else True
    for value in values:
        if value is False:
            return False
        if value is None:
            seen = None
    return seen


def _unique(values: list[Any]) -> Any:
    """A second solution refutes; that there is one and no more can't be confirmed."""
    return False if values.count(True) > 1 else None


def _operation(sign: str, left: Term, right: Term, rational: bool) -> Term:
    def divide(a: Any, b: Any) -> Any:
        return (Fraction(a, b) if b else Fraction(0)) if rational else a // b

    match sign:
        case "∧":
            return lambda env: _negate(_any(_negate(left(env)), _negate(right(env))))
        case "∨":
            return lambda env: _any(left(env), right(env))
        case "→":
            return lambda env: _any(_negate(left(env)), right(env))
        case "↔":
            return lambda env: _same(left(env), right(env))
    operations: dict[str, Callable[[Any, Any], Any]] = {
        "=": lambda a, b: a == b,
        "≠": lambda a, b: a != b,
        "<": lambda a, b: a < b,
        "≤": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        "≥": lambda a, b: a >= b,
        "∣": lambda a, b: b % a == 0 if a else b == 0,
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": divide,
        "%": lambda a, b: a % b,
        "^": lambda a, b: a**b,
    }
    operate = operations[sign]
    return lambda env: operate(left(env), right(env))


def _any(left: Any, right: Any) -> Any:
    if left is True or right is True:
        return True
    return None if left is None or right is None else False


def _same(left: Any, right: Any) -> Any:
    return None if left is None or right is None else left == right


_EXPONENT = re.compile(r"\^ \(?(\d+ \* )?[^\W\d]|∑|∏|Nat.f|Nat.choose")
_RULE = re.compile(r"∀ (\w+) : ℕ, (\w+) \(\w+ \+ ([12])\) [=≤≥] (.*)")
_START = re.compile(r"(\w+) ([01]) [=≤≥] (-?\d+)")


def sequence(draft: Draft, name: str, read: Callable[[str], Term]) -> Callable[[int], Any] | None:
    """The sequence that the hypotheses describe; where they are inequalities, the one with equality in all of them."""
    values: dict[int, Any] = {}
    rule = None
    for one in draft.hypotheses:
        if (start := _START.fullmatch(one)) is not None:
            values[int(start[2])] = int(start[3])
        elif (step := _RULE.fullmatch(one)) is not None:
            rule = (step[1], int(step[3]), read(step[4]))
    if rule is None or 0 not in values:
        return None
    variable, shift, right = rule

    def value(at: int) -> Any:
        if at not in values:
            values[at] = right({variable: at - shift, name: value})
        return values[at]

    return value


_EQUATION = re.compile(r"(?:∀ ([\w ]+) : [ℤℚ], )?(.*) = (.*)")


def affine(draft: Draft, name: str, read: Callable[[str], Term]) -> Callable[[Any], Any] | None:
    """The function a x + b that satisfies the equations about it alone, if they determine one."""
    rows = []
    for one in draft.hypotheses:
        equation = _EQUATION.fullmatch(one)
        if equation is None or name not in re.findall(r"\w+", one):
            continue
        sides = [read(equation[2]), read(equation[3])]
        for point in ((0, 0), (1, 2), (-3, 5)):
            values = dict(zip((equation[1] or "").split(), map(Fraction, point), strict=False))
            # The difference of the sides is affine in a and b, so three probes give its coefficients.
            probes = [{**values, name: (lambda v, a=a, b=b: a * v + b)} for a, b in ((0, 0), (1, 0), (0, 1))]
            rest, *slopes = (sides[0](env) - sides[1](env) for env in probes)
            rows.append((slopes[0] - rest, slopes[1] - rest, -rest))
    for (p, q, r), (s, t, u) in itertools.combinations(rows, 2):
        if p * t != q * s:
            a, b = Fraction(r * t - q * u) / (p * t - q * s), Fraction(p * u - r * s) / (p * t - q * s)
            assert all(p * a + q * b == r for p, q, r in rows)
            return lambda v: a * v + b
    return None


def assignments(draft: Draft, rng: Random, read: Callable[[str], Term]) -> Iterator[Env]:
    """Values for the variables: all combinations of small ones for one or two, some for more."""
    names = [(name, kind) for group, kind in draft.variables for name in group]
    if any(kind.endswith("→ Prop") for _, kind in names):
        for _ in range(60):
            sets = {name: frozenset(k for k in range(6) if rng.random() < rng.random()) for name, _ in names}
            yield {name: members.__contains__ for name, members in sets.items()}
    elif any("→" in kind for _, kind in names):
        found = [sequence(draft, name, read) or affine(draft, name, read) for name, _ in names]
        if None not in found:
            yield {name: function for (name, _), function in zip(names, found, strict=True)}
    elif all(kind == "Prop" for _, kind in names):
        for values in itertools.product((False, True), repeat=len(names)):
            yield {name: value for (name, _), value in zip(names, values, strict=True)}
    elif not names:
        yield {}
    elif len(names) == 1:
        [(name, kind)] = names
        small = "∃" in draft.goal or _EXPONENT.search(draft.goal)
        yield from ({name: value} for value in (_DOMAINS[kind][:15] if small else _ALONE.get(kind, _DOMAINS[kind])))
    else:
        for _ in range(100 if "∃" in draft.goal else 1000):
            yield {name: _DOMAINS[kind][int(len(_DOMAINS[kind]) * rng.random() ** 2)] for name, kind in names}


def counterexample(draft: Draft, rng: Random) -> Env | None:
    """Values of the variables for which the hypotheses hold and the goal does not, if small ones show it."""
    texts = (*draft.hypotheses, draft.goal)
    kinds = [kind for _, kind in draft.variables]
    rational = any("ℚ" in text for text in (*texts, *kinds))
    exact = any(kind.endswith("→ Prop") for kind in kinds)
    functions = frozenset(name for names, kind in draft.variables if "→" in kind for name in names)

    domains = {**_DOMAINS, "ℕ": list(range(8))} if functions else _DOMAINS  # sequences may grow fast
    domains = {"ℕ": list(range(6)), "ℤ": list(range(6))} if exact else domains

    def read(text: str) -> Term:
        return Reader(text, functions, rational, domains, exact).whole()

    hypotheses = [read(text) for text in draft.hypotheses]
    goal = read(draft.goal)
    sequences = functions and not exact
    for env in assignments(draft, rng, read):
        if (sequences or all(one(env) is True for one in hypotheses)) and goal(env) is False:
            return env
    return None


def verdict(draft: Draft, rng: Random) -> bool | None:
    """False when something refutes the draft; True when it has no variables and holds; None when it is open."""
    if counterexample(draft, rng) is not None:
        return False
    if draft.variables:
        return None
    return True if Reader(draft.goal, frozenset(), "ℚ" in draft.goal, _DOMAINS, False).whole()({}) is True else None


OUT_OF_REACH = frozenset({"injective_function"})
"""What can't be told from a few values."""
HARD_TO_HIT = frozenset(
    {"linear_pair", "linear_triple", "linear_combination", "linear_bound", "symmetric_values", "constrained_bound"}
    | {"complete_square", "between", "polynomial_roots", "linear_equation", "story_ages", "digit_puzzle"}
    | {"pigeonhole", "divides_combination"}
)
"""Hypotheses or witnesses that small values seldom meet."""
DRAWS = 10


@pytest.mark.parametrize("name", sorted(FAMILIES.keys() - OUT_OF_REACH))
@pytest.mark.parametrize("level", LEVELS)
def test_statements_have_the_truth_that_they_claim(name: str, level: int) -> None:
    rng = Random(f"{name} {level}")
    refuted = 0
    for _ in range(DRAWS):
        true, false = (FAMILIES[name].draw(rng, level, wanted) for wanted in (False, True))
        assert true.true
        assert not false.true
        assert verdict(true, rng) is not False, true
        found = verdict(false, rng)
        assert found is not True, false
        refuted += found is False
    print(f"{name} {level}: {refuted} of {DRAWS} false ones refuted")
    if name not in HARD_TO_HIT and not _existential(FAMILIES[name].draw(rng, level, True)):
        assert refuted >= DRAWS // 3


def _existential(draft: Draft) -> bool:
    """Whether it claims that something exists: trying some values never refutes that."""
    return "∃" in draft.goal and "¬ ∃" not in draft.goal


@pytest.mark.parametrize(
    ("hypotheses", "goal", "expected"),
    [
        ((), "∑ i ∈ Finset.range 4, (2 * i + 1) = 16", True),
        ((), "∑ i ∈ Finset.range 4, 2 * i + 1 = 13", True),
        ((), "-2 ^ 2 + 3 * 2 = 2 ∧ 7 % 3 = 1", True),
        ((), "let a : ℕ := 7\nlet b : ℕ := a / 2\nb = 4", False),
        ((), "IsLeast {n : ℕ | n > 3 ∧ 5 ∣ n} 10", False),
        (("Even n",), "Odd (n + 1)", None),
        (("n % 4 = 2",), "4 ∣ n ^ 2 ∧ n ≡ 2 [MOD 8]", False),
        ((), "(∃ x y : ℤ, 4 * x + 6 * y = n) ↔ 2 ∣ n", None),
        ((), "∃ m : ℕ, m = n + 1", None),
        ((), "∃ m : ℕ, m * m = 49", True),
        ((), "∃! m : ℤ, m * m = 49", False),
        ((), "∃ m : ℕ, m * m = 50", None),
        (("∀ m : ℕ, m * n = 0",), "n = 0", None),
    ],
)
def test_the_evaluator_itself(hypotheses: tuple[str, ...], goal: str, expected: bool | None) -> None:
    variables = ((("n",), "ℕ"),) if "n" in re.findall(r"\w+", f"{hypotheses} {goal.partition('{')[0]}") else ()
    assert verdict(Draft(variables, hypotheses, goal, ""), Random(0)) is expected
