"""Terms made into functions of their variables' values: taken apart once, worked out for many values.

Terms are bare, so no two binders share a name, and what is bound is written into the values that are given. Values are
exact (see `exact`); truth is True, False, or None for unknown. What takes too many steps is unknown as well.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from pythagoras.language.exact import LONGEST, NUMBERS, RELATIONS, Unknown, Value, plain
from pythagoras.language.meaning import Apply, Bind, Call, Number, Term, Typed, Variable, free_variables

Values: TypeAlias = dict[str, Value]
Calculation: TypeAlias = Callable[[Values], Value]
Test: TypeAlias = Callable[[Values], bool | None]

STEPS = 50_000
"""How many signs are worked out before something counts as unknown."""
_SMALL = 1 << 60
"""Integers nearer to 0 are plain as they are."""
WINDOW = 12
"""How far from 0 values are tried where nothing bounds them."""


class Calculator:
    """What makes the functions, with what is left of the steps of all that it made."""

    def __init__(self, steps: int = STEPS) -> None:
        self.steps = steps

    # --- numbers -------------------------------------------------------------------------------

    def value(self, term: Term) -> Calculation:
        """What the term comes to. The function raises Unknown."""
        work, steps = self._number(term)

        def counted(values: Values) -> Value:
            self._spend(steps)
            return work(values)

        return counted

    def alone(self, term: Term) -> Calculation:
        """The same, with as many steps each time as there are at most, whatever is left of them elsewhere."""
        work = self.value(term)

        def uncounted(values: Values) -> Value:
            left, self.steps = self.steps, STEPS
            try:
                return work(values)
            finally:
                self.steps = left

        return uncounted

    def _spend(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise Unknown("it takes too long")

    def _number(self, term: Term) -> tuple[Calculation, int]:
        """The function, and how many steps it is, but for what it counts itself: what is done for each element."""
        match term:
            case Number(number):
                return lambda values: number, 1
            case Variable(name):
                return _variable(name), 1
            case Apply(sign, args) if sign in NUMBERS:
                return self._applied(NUMBERS[sign], args)
            case Call():
                return self._called(term)
            case Bind(sign="fun"):
                return self._function([one.name for one in term.variables], self.value(term.body)), 1
            case Bind(sign="set"):
                return self._function([term.variables[0].name], self.truth(term.body)), 1
            case Bind(sign="∑" | "∏" | "filter"):
                return self._collected(term)
        return self._certain(term), 1

    def _applied(self, operation: Callable[..., Value], args: Sequence[Term]) -> tuple[Calculation, int]:
        parts = [self._number(one) for one in args]
        steps = 1 + sum(one for _, one in parts)
        match parts:
            case [(left, _), (right, _)]:

                def both(values: Values) -> Value:
                    found = operation(left(values), right(values))
                    return found if type(found) is int and -_SMALL < found < _SMALL else plain(found)

                return both, steps
            case [(only, _)]:
                return lambda values: plain(operation(only(values))), steps
        return lambda values: plain(operation(*[part(values) for part, _ in parts])), steps

    def _called(self, term: Call) -> tuple[Calculation, int]:
        (function, steps), *args = [self._number(one) for one in (term.function, *term.args)]

        def called(values: Values) -> Value:
            try:
                return plain(function(values)(*[one(values) for one, _ in args]))
            except RecursionError:  # functions that are defined by each other
                raise Unknown("it takes too long") from None

        return called, 1 + steps + sum(one for _, one in args)

    @staticmethod
    def _function(names: Sequence[str], body: Calculation) -> Calculation:
        def function(values: Values) -> Value:
            outside = dict(values)
            return lambda *args: body({**outside, **dict(zip(names, args, strict=True))})

        return function

    def _collected(self, term: Bind) -> tuple[Calculation, int]:
        assert term.domain is not None
        domain, steps = self._number(term.domain)
        name = term.variables[0].name

        def elements(values: Values) -> Iterator[Value]:
            members = domain(values)
            if callable(members):
                raise Unknown("it runs over infinitely many numbers")
            for member in members:
                values[name] = member
                yield member

        if term.sign == "filter":
            is_in = self._certain(term.body)
            return lambda values: [member for member in elements(values) if is_in(values)], 1 + steps
        body = self.value(term.body)

        def total(values: Values) -> Value:
            found: Value = 0
            for _ in elements(values):
                found = plain(found + body(values))
            return found

        def product(values: Values) -> Value:
            found: Value = 1
            for _ in elements(values):
                found = plain(found * body(values))
            return found

        return total if term.sign == "∑" else product, 1 + steps

    def _certain(self, term: Term) -> Calculation:
        test = self.truth(term)

        def certain(values: Values) -> bool:
            found = test(values)
            if found is None:
                raise Unknown("its truth is not known")
            return found

        return certain

    # --- truth -----------------------------------------------------------------------------------

    def truth(self, term: Term) -> Test:
        match term:
            case Apply("and", args):
                return self.all(args)
            case Apply("or", args):
                return self._any([self.truth(one) for one in args])
            case Apply("not", (inner,)):
                return _denied(self.truth(inner))
            case Apply("implies", (premise, conclusion)):
                return self._any([_denied(self.truth(premise)), self.truth(conclusion)])
            case Apply("iff", (one, other)):
                return _agreeing(self.truth(one), self.truth(other))
        return _known(self._test(term))

    def _test(self, term: Term) -> Test:
        """The same for what has no propositions as its parts; the function may raise Unknown."""
        match term:
            case Bind(sign="∀"):
                return self._for_all(term)
            case Bind(sign="∃" | "∃!"):
                return self._exists(term)
            case Apply("least" | "greatest", (Bind() as members, number)):
                return self._extreme(term.sign, members, self.value(number))
            case Apply("injective" | "bijective", (Bind() as function,)):
                return self._injective(function)
            case Apply("∈", args):
                return self._related(_is_member, args)
            case Apply(sign, args) if sign in RELATIONS:
                return self._related(RELATIONS[sign], args)
            case Variable() | Call():
                return self._proposition(self.value(term))
        return lambda values: None

    def _related(self, relation: Callable[..., bool | None], args: Sequence[Term]) -> Test:
        parts = [self._number(one) for one in args]
        steps = sum(one for _, one in parts)
        functions = [part for part, _ in parts]

        def related(values: Values) -> bool | None:
            self._spend(steps)
            return relation(*[part(values) for part in functions])

        def compared(values: Values) -> bool | None:
            self._spend(steps)
            return relation(left(values), right(values))

        if len(functions) != 2:
            return related
        left, right = functions
        return compared

    @staticmethod
    def _proposition(calculation: Calculation) -> Test:
        def proposition(values: Values) -> bool | None:
            found = calculation(values)
            return found if isinstance(found, bool) else None

        return proposition

    def all(self, terms: Iterable[Term]) -> Test:
        """False as soon as one is; None when none is, and one is not known."""
        tests = [self.truth(one) for one in terms]

        def conjunction(values: Values) -> bool | None:
            found: bool | None = True
            for test in tests:
                truth = test(values)
                if truth is False:
                    return False
                found = found and truth
            return found

        return conjunction

    @staticmethod
    def _any(tests: Sequence[Test]) -> Test:
        """True as soon as one is; None when none is, and one is not known."""

        def disjunction(values: Values) -> bool | None:
            found: bool | None = False
            for test in tests:
                truth = test(values)
                if truth:
                    return True
                found = None if truth is None else found
            return found

        return disjunction

    # --- quantifiers -----------------------------------------------------------------------------

    def _for_all(self, term: Bind) -> Test:
        premise = term.body.args[0] if isinstance(term.body, Apply) and term.body.sign == "implies" else None
        choices = self._choices(term.variables, [] if premise is None else _conjuncts(premise))
        body = self.truth(term.body)

        def for_all(values: Values) -> bool | None:
            chosen, complete = choices(values)
            found: bool | None = True if complete else None
            for _ in chosen:
                truth = body(values)
                if truth is False:
                    return False
                if self.steps < 0:
                    return None
                found = found and truth
            return found

        return for_all

    def _exists(self, term: Bind) -> Test:
        choices = self._choices(term.variables, _conjuncts(term.body))
        body = self.truth(term.body)
        is_one_enough = term.sign == "∃"

        def exists(values: Values) -> bool | None:
            chosen, complete = choices(values)
            witnesses = 0
            for _ in chosen:
                truth = body(values)
                if truth:
                    witnesses += 1
                    if is_one_enough or witnesses > 1:
                        return is_one_enough
                if self.steps < 0:
                    return None
                complete = complete and truth is not None
            return witnesses == 1 if complete else None

        return exists

    def _choices(
        self, variables: Sequence[Typed], terms: Sequence[Term]
    ) -> Callable[[Values], tuple[Iterator[None], bool]]:
        """Writes values to try into the given ones, and tells whether no others come into question under the terms."""
        names = [variable.name for variable in variables]
        limits = [self._limits(variable, terms, set(names)) for variable in variables]

        def written(values: Values, ranges: Sequence[Iterable[Value]]) -> Iterator[None]:
            if len(names) == 1:
                for values[names[0]] in ranges[0]:
                    yield
                return
            for chosen in itertools.product(*ranges):
                values.update(zip(names, chosen, strict=True))
                yield

        def choices(values: Values) -> tuple[Iterator[None], bool]:
            found = [_range(one.type, *limit(values)) for one, limit in zip(variables, limits, strict=True)]
            return written(values, [one for one, _ in found]), all(complete for _, complete in found)

        return choices

    def _limits(
        self, variable: Typed, terms: Sequence[Term], bound: set[str]
    ) -> Callable[[Values], tuple[int | None, int | None]]:
        """The least and the greatest integer that the terms allow, by those that compare the variable itself."""
        compared: list[tuple[str, Calculation]] = []
        own = Variable(variable.name)
        for term in terms:
            if isinstance(term, Apply) and term.sign in _MIRRORED and own in term.args:
                first, second = term.args
                sign, other = (term.sign, second) if first == own else (_MIRRORED[term.sign], first)
                if not free_variables(other) & bound:
                    compared.append((sign, self.value(other)))

        def limits(values: Values) -> tuple[int | None, int | None]:
            low: int | None = 0 if variable.type == "ℕ" else None
            high: int | None = None
            for sign, other in compared:
                try:
                    limit = other(values)
                except Unknown:
                    continue
                if sign in ("<", "≤", "="):
                    top = math.ceil(limit) - 1 if sign == "<" else math.floor(limit)
                    high = top if high is None else min(high, top)
                if sign in (">", "≥", "="):
                    bottom = math.floor(limit) + 1 if sign == ">" else math.ceil(limit)
                    low = bottom if low is None else max(low, bottom)
            return low, high

        return limits

    # --- properties of sets and functions --------------------------------------------------------

    def _extreme(self, sign: str, members: Bind, calculation: Calculation) -> Test:
        """The least or greatest element of a set of integers. Without a bound on the set it is only refuted."""
        variable = members.variables[0]
        limits = self._limits(variable, _conjuncts(members.body), {variable.name})
        body = self.truth(members.body)

        def extreme(values: Values) -> bool | None:
            number = calculation(values)
            if not isinstance(number, int) or variable.type == "ℚ":
                return None
            low, high = limits(values)
            if sign == "least":
                others = range(max(number - LONGEST, number - 2 * WINDOW if low is None else low), number)
                complete = low is not None and number - low <= LONGEST
            else:
                others = range(number + 1, min(number + LONGEST, number + 2 * WINDOW if high is None else high) + 1)
                complete = high is not None and high - number <= LONGEST
            values[variable.name] = number
            found = body(values)
            for values[variable.name] in others:
                inside = body(values)
                if found is False or inside:
                    return False
                found = None if inside is None else found
            return found if complete or found is False else None

        return extreme

    def _injective(self, function: Bind) -> Test:
        """Two places with one value refute it; nothing proves it."""
        calculation = self.value(function)
        window = _WINDOWS.get(function.variables[0].type, ())

        def injective(values: Values) -> bool | None:
            seen = list(map(calculation(values), window))
            return False if len(set(seen)) < len(seen) else None

        return injective


def _variable(name: str) -> Calculation:
    def variable(values: Values) -> Value:
        try:
            return values[name]
        except KeyError:
            raise Unknown(f"{name} has no value") from None

    return variable


def _is_member(member: Value, members: Value) -> bool | None:
    known: bool | None = members(member) if callable(members) else member in members
    return known


def _known(test: Test) -> Test:
    def known(values: Values) -> bool | None:
        try:
            return test(values)
        except Unknown:
            return None

    return known


def _denied(test: Test) -> Test:
    def denied(values: Values) -> bool | None:
        truth = test(values)
        return None if truth is None else not truth

    return denied


def _agreeing(one: Test, other: Test) -> Test:
    def agreeing(values: Values) -> bool | None:
        sides = one(values), other(values)
        return None if None in sides else sides[0] == sides[1]

    return agreeing


def _range(kind: str, low: int | None, high: int | None) -> tuple[Iterable[Value], bool]:
    """Values of a type to try between these limits, and whether they are all."""
    if kind not in _WINDOWS:
        raise Unknown(f"it is about all {kind}")
    if kind in ("ℚ", "Prop") or (low is None and high is None):
        return _WINDOWS[kind], kind == "Prop"
    if low is not None and high is not None:
        return range(low, min(high, low + LONGEST) + 1), high <= low + LONGEST
    start = low if low is not None else (high or 0) - 2 * WINDOW
    return range(start, start + 2 * WINDOW + 1), False


_MIRRORED = {"<": ">", "≤": "≥", ">": "<", "≥": "≤", "=": "="}
_AROUND_0 = sorted(range(-WINDOW, WINDOW + 1), key=abs)
_WINDOWS: dict[str, tuple[Value, ...]] = {
    "ℕ": tuple(range(2 * WINDOW + 1)),
    "ℤ": tuple(_AROUND_0),
    "ℚ": tuple(dict.fromkeys(plain(Fraction(p, q)) for q in (1, 2, 3) for p in _AROUND_0)),
    "Prop": (False, True),
}


def _conjuncts(term: Term) -> list[Term]:
    if isinstance(term, Apply) and term.sign == "and":
        return [one for part in term.args for one in _conjuncts(part)]
    return [term]
