"""Random claims for property tests of the pipeline's language, and what helps to compare them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

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

NUMBER_TYPES = ("ℕ", "ℤ", "ℚ")
_KINDS = (*NUMBER_TYPES, "Prop", "ℕ → ℤ", "ℤ → ℤ", "ℚ → ℚ", "ℕ → ℕ", "ℕ → Prop", "ℤ → Prop")
_LETTERS = "xyzwuvpqrs"
_BOUND = "ijkmn"
_ORDER = {"ℕ": 0, "ℤ": 1, "ℚ": 2}


def without_casts(claim: Claim) -> Claim:
    return Claim(claim.variables, tuple(map(uncast, claim.hypotheses)), uncast(claim.goal))


def uncast(term: Term) -> Term:
    match term:
        case Cast():
            return uncast(term.term)
        case Apply():
            return Apply(term.sign, tuple(map(uncast, term.args)))
        case Call():
            return Call(uncast(term.function), tuple(map(uncast, term.args)))
        case Bind():
            domain = None if term.domain is None else uncast(term.domain)
            return Bind(term.sign, term.variables, uncast(term.body), domain)
        case Let():
            return Let(term.variable, uncast(term.value), uncast(term.body))
    return term


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    """Claims that Lean elaborates: types meet where they must. The goal does not begin with `∀` or a premise."""
    kinds = draw(st.lists(st.sampled_from(_KINDS), max_size=4))
    variables = tuple(Typed(name, kind) for name, kind in zip(_LETTERS, kinds, strict=False))
    maker = _Maker(draw)
    hypotheses = tuple(maker.formula(variables, 2) for _ in range(draw(st.integers(0, 3))))
    goal = maker.formula(variables, 3)
    while isinstance(goal, Bind | Apply) and goal.sign in ("∀", "implies"):
        goal = goal.body if isinstance(goal, Bind) else goal.args[1]
        if isinstance(goal, Bind | Apply | Call | Variable) and not _closed(goal, variables):
            goal = maker.relation(variables, 2)
    named = draw(st.integers(0, 2)) if draw(st.booleans()) else 0
    return Claim(variables, hypotheses, maker.named_values(variables, named) if named else goal)


def drawn_claims(count: int) -> list[Claim]:
    """The same ones every time, for tests that look at many at once."""
    found: list[Claim] = []

    @settings(max_examples=count, derandomize=True, database=None, deadline=None, phases=[Phase.generate])
    @given(claims())
    def collect(claim: Claim) -> None:
        found.append(claim)

    collect()
    return found


def _closed(term: Term, variables: Sequence[Typed]) -> bool:
    return free_variables(term) <= {variable.name for variable in variables}


class _Maker:
    """Draws terms in a scope. `depth` bounds how deep they are."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def pick(self, choices: Sequence[str]) -> str:
        return choices[self.draw(st.integers(0, len(choices) - 1))]

    # --- formulas ----------------------------------------------------------------------------

    def formula(self, scope: Sequence[Typed], depth: int) -> Term:
        ways = ["relation", "relation"]
        if depth:
            ways += ["and", "or", "not", "implies", "iff", "∀", "∃", "∃!"]
        if any(kind.endswith("Prop") for _, kind in _pairs(scope)):
            ways += ["atom", "atom"]
        way = self.pick(ways)
        match way:
            case "relation":
                return self.relation(scope, depth)
            case "atom":
                return self.atom(scope)
            case "and" | "or":
                return Apply(way, tuple(self.formula(scope, depth - 1) for _ in range(self.draw(st.integers(2, 3)))))
            case "not":
                return Apply("not", (self.formula(scope, depth - 1),))
            case "implies" | "iff":
                return Apply(way, (self.formula(scope, depth - 1), self.formula(scope, depth - 1)))
        bound = self.fresh(scope)
        variable = Typed(bound, self.pick(NUMBER_TYPES))
        return Bind(way, (variable,), self.formula((*scope, variable), depth - 1))

    def atom(self, scope: Sequence[Typed]) -> Term:
        name, kind = self.draw(st.sampled_from([pair for pair in _pairs(scope) if pair[1].endswith("Prop")]))
        if kind == "Prop":
            return Variable(name)
        return Call(Variable(name), (self.number(scope, kind.split(" → ")[0], 1),))

    def relation(self, scope: Sequence[Typed], depth: int, decidable: bool = False) -> Term:
        """A relation of numbers or a property; only a decidable one can be counted by."""
        functions = [name for name, kind in _pairs(scope) if "→" in kind and not kind.endswith("Prop")]
        ways = ["=", "≠", "<", "≤", ">", "≥", "∣", "≡", "even", "odd", "prime", "coprime", "%", "gcd"]
        if not decidable:
            ways += ["least", "card", *(["injective"] if functions else [])]
        way = self.pick(ways)
        largest = self.pick(NUMBER_TYPES if way in ("=", "≠", "<", "≤", ">", "≥") else ("ℕ", "ℤ"))
        match way:
            case "even" | "odd":
                return Apply(way, (self.number(scope, largest, depth),))
            case "prime":
                return Apply(way, (self.number(scope, "ℕ", depth),))
            case "coprime":
                return Apply(way, (self.number(scope, "ℕ", depth), self.number(scope, "ℕ", depth)))
            case "≡":
                modulus = Number(self.draw(st.integers(2, 30)))
                return Apply(way, (self.number(scope, largest, depth), self.number(scope, largest, 1), modulus))
            case "%":
                divisor = self.draw(st.integers(2, 30))
                remainder = Number(self.draw(st.integers(0, divisor - 1)))
                return Apply("=", (Apply("%", (self.number(scope, largest, depth), Number(divisor))), remainder))
            case "gcd":
                both = (self.number(scope, largest, 1), self.number(scope, largest, 1))
                return Apply("=", (Apply(self.pick(("gcd", "lcm")), both), self.number(scope, "ℕ", 1)))
            case "injective":
                return Apply(self.pick(("injective", "surjective", "bijective")), (Variable(self.pick(functions)),))
            case "least":
                bound = Typed(self.fresh(scope), largest)
                body = self.relation((*scope, bound), 0)
                return Apply(
                    self.pick(("least", "greatest")), (Bind("set", (bound,), body), self.number(scope, largest, 1))
                )
            case "card":
                bound = Typed(self.fresh(scope), "ℕ")
                ends = (Number(self.draw(st.integers(1, 9))), Number(self.draw(st.integers(10, 99))))
                counted = Bind("filter", (bound,), self.relation((*scope, bound), 0, True), Apply("icc", ends))
                return Apply("=", (Apply("card", (counted,)), Number(self.draw(st.integers(0, 90)))))
        return Apply(way, (self.number(scope, largest, depth), self.number(scope, largest, depth)))

    def named_values(self, scope: Sequence[Typed], count: int) -> Term:
        """A chain of named values and a relation about them."""
        if count == 0:
            return self.relation(scope, 1)
        variable = Typed(("total", "bill")[count - 1], "ℕ")
        inner = (*(one for one in scope if one.name != variable.name), variable)
        return Let(variable, self.number(scope, "ℕ", 2), self.named_values(inner, count - 1))

    # --- numbers -----------------------------------------------------------------------------

    def number(self, scope: Sequence[Typed], largest: str, depth: int) -> Term:
        """A number that fits into that type; of ℕ, nothing is subtracted."""
        fitting = [name for name, kind in _pairs(scope) if kind in _ORDER and _ORDER[kind] <= _ORDER[largest]]
        functions = [
            (name, kind)
            for name, kind in _pairs(scope)
            if "→" in kind and not kind.endswith("Prop") and _ORDER[kind.split(" → ")[1]] <= _ORDER[largest]
        ]
        ways = ["numeral", *(["variable"] * 3 if fitting else [])]
        if depth:
            ways += ["+", "*", "^", "∑", "fib"] + (["-", "neg", "abs"] if largest != "ℕ" else ["//"])
            ways += ["/"] if largest == "ℚ" else []
            ways += ["call"] * 2 if functions else []
        way = self.pick(ways)
        match way:
            case "numeral":
                return Number(self.draw(st.integers(0, 40)))
            case "variable":
                return Variable(self.pick(fitting))
            case "call":
                name, kind = self.draw(st.sampled_from(functions))
                return Call(Variable(name), (self.number(scope, kind.split(" → ")[0], depth - 1),))
            case "neg" | "abs":
                return Apply(way, (self.number(scope, largest, depth - 1),))
            case "^":
                exponent = self.number(scope, "ℕ", 0)
                return Apply("^", (self.number(scope, largest, depth - 1), exponent))
            case "//":
                return Apply("//", (self.number(scope, "ℕ", depth - 1), Number(self.draw(st.integers(2, 9)))))
            case "fib":
                return Apply(self.pick(("fib", "factorial")), (self.number(scope, "ℕ", 0),))
            case "∑":
                bound = Typed(self.fresh(scope), "ℕ")
                ends = (Number(self.draw(st.integers(1, 5))), Number(self.draw(st.integers(6, 20))))
                domain = (
                    Apply("icc", ends) if self.draw(st.booleans()) else Apply("range", (self.number(scope, "ℕ", 0),))
                )
                body = self.number((*scope, bound), largest, depth - 1)
                return Bind(self.pick("∑∏"), (bound,), body, domain)
        return Apply(way, (self.number(scope, largest, depth - 1), self.number(scope, largest, depth - 1)))

    def fresh(self, scope: Sequence[Typed]) -> str:
        taken = {variable.name for variable in scope}
        names: list[str] = [*_BOUND, *(f"i{sub}" for sub in "₁₂₃₄₅₆₇₈₉")]
        return next(name for name in names if name not in taken)


def _pairs(scope: Sequence[Typed]) -> list[tuple[str, str]]:
    return [(variable.name, variable.type) for variable in scope]
