"""Moves for "there is": numbers and terms that fulfil a claim, found by computing before Lean is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice, product
from math import isqrt, lcm

from pythagoras.generate.searching import polynomials
from pythagoras.generate.searching.closers import closers, tactic
from pythagoras.generate.searching.goals import Goal, Variable
from pythagoras.generate.searching.polynomials import NoPolynomial, Polynomial
from pythagoras.generate.searching.proofs import Case, Open, Proof, Step
from pythagoras.generate.searching.remainders import as_multiple, told_remainder
from pythagoras.generate.searching.structure import skeleton, taken
from pythagoras.generate.searching.terms import (
    RELATIONS,
    Term,
    conjuncts,
    name,
    number,
    sign,
    substitute,
    subterms,
    value,
)
from pythagoras.generate.searching.values import INT, NAT, RAT, Judging, Number, Unknown, Values, judging

_RADIUS = {0: 0, 1: 400, 2: 60, 3: 15}
"""How far numbers are tried, by how many of them are tried at once."""
_SAMPLES = (0, 1, 2, 3, 5, 8, 13, -1, -2, -7)
_MOST_SAMPLES = 60
_MOST_POINTS = 100_000
_CANDIDATES = 3
_LARGEST_OFFSET = 1500
_MOST_REMAINDERS = 30
_SPELLED = {"Nat": NAT, "Int": INT, "Rat": RAT}


@dataclass(frozen=True)
class _Sought:
    """What is looked for: unknowns of which a claim shall hold, whatever the parameters are."""

    goal: Goal
    unknowns: tuple[str, ...]
    kinds: Mapping[str, str]
    claim: Term

    @cached_property
    def domains(self) -> dict[str, str]:
        return {**self.goal.domains, **self.kinds}

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        mentioned = {term.name for term in subterms(self.claim)}
        return tuple(each for each in self.goal.numbers if each in mentioned and each not in self.unknowns)

    @cached_property
    def equations(self) -> list[Polynomial]:
        """The equations of the claim, as polynomials that must be 0."""
        found = []
        names = frozenset((*self.unknowns, *self.parameters))
        for part in conjuncts(self.claim):
            if part.is_sign("="):
                try:
                    found.append(_difference(part, names))
                except NoPolynomial:
                    continue
        return found

    def test(self, claim: Term) -> Judging:
        """The claim as a test of the unknowns and parameters, each of which costs a step. Raises Unknown."""
        judged, effort = judging(claim, self.domains, self.goal.effort), self.goal.effort

        def tested(values: Values) -> bool:
            effort.spend()
            return judged(values)

        return tested

    def samples(self) -> list[dict[str, Number]]:
        """Values of the parameters at which all facts hold, as far as that can be computed."""
        tests = []
        for fact in self.goal.facts:
            try:
                test = self.test(fact.claim)
                test(dict.fromkeys(self.domains, 1))
            except (Unknown, KeyError):
                continue
            tests.append(test)
        found: list[dict[str, Number]] = []
        for point in islice(product(_SAMPLES, repeat=len(self.parameters)), _MOST_POINTS):
            values: dict[str, Number] = dict(zip(self.parameters, point, strict=True))
            if any(value_ < 0 and self.domains[each] == NAT for each, value_ in values.items()):
                continue
            try:
                if all(test(values) for test in tests):
                    found.append(values)
            except (Unknown, KeyError):
                return []
            if len(found) >= _MOST_SAMPLES:
                break
        return found


def witnesses(goal: Goal) -> Iterator[Proof]:
    """Plans that name a witness. A number of which a divisor or a remainder is given is written as a multiple first."""
    if not goal.target.is_binder("∃", "∃!"):
        return
    for fact in goal.facts:
        told = told_remainder(fact.claim)
        if told is not None and told[0] in goal.mentioned:
            step, written = as_multiple(goal.without([fact.name]), *told)
            yield from ((step, *plan) for plan in _plans(written))
            return
    yield from _plans(goal)


def _plans(goal: Goal) -> Iterator[Proof]:
    unknowns: list[tuple[str, str]] = []
    claim = goal.target
    unique = claim.is_binder("∃!")
    while claim.is_binder("∃", "∃!"):
        kind = _SPELLED.get(claim.left.name, claim.left.name)
        unknowns.append((claim.variable, kind))
        claim = claim.body
    if len({each for each, _ in unknowns}) < len(unknowns):
        return
    kinds = {each: INT if kind == "_" else kind for each, kind in unknowns}
    if not set(kinds.values()) <= {NAT, INT, RAT}:
        return
    sought = _Sought(goal, tuple(kinds), kinds, claim)
    for found in islice(_distinct(_found(sought)), _CANDIDATES):
        yield _unique(sought, found) if unique else _named(sought, found)
    if not unique:
        yield from _by_remainder(sought)


def _named(sought: _Sought, found: Sequence[Term]) -> Proof:
    claim = substitute(sought.claim, dict(zip(sought.unknowns, found, strict=True)))
    goal = sought.goal.to(claim)
    inner = skeleton(goal) if claim.is_binder("∀") else (Open(goal, closers(goal)),)
    return (Step(f"refine ⟨{', '.join(map(str, found))}, ?_⟩", _said(sought, found)), *inner)


def _unique(sought: _Sought, found: Sequence[Term]) -> Proof:
    [unknown] = sought.unknowns[:1]
    goal = sought.goal
    first = goal.to(substitute(sought.claim, {unknown: found[0]}))
    variable = goal.fresh(unknown)
    other, pattern = taken(
        goal.let(Variable(variable, goal.target.left)), substitute(sought.claim, {unknown: name(variable)})
    )
    other = other.to(sign("=", name(variable), found[0]))
    taking = Step(f"{'rintro' if '⟨' in pattern else 'intro'} {variable} {pattern}")
    cases = (
        Case("·", (Open(first, closers(first)),), "It fulfils the claim"),
        Case("·", (taking, Open(other, closers(other))), "Nothing else does"),
    )
    return (Step(f"refine ⟨{found[0]}, ?_, ?_⟩", _said(sought, found), cases),)


def _said(sought: _Sought, found: Sequence[Term]) -> str:
    parts = [f"`{each} = {term}`" for each, term in zip(sought.unknowns, found, strict=True)]
    return f"Take {' and '.join(parts)}."


def _distinct(found: Iterator[tuple[Term, ...]]) -> Iterator[tuple[Term, ...]]:
    seen = set()
    for each in found:
        if each not in seen:
            seen.add(each)
            yield each


def _found(sought: _Sought) -> Iterator[tuple[Term, ...]]:
    """Witnesses that hold as far as we can compute, likely ones first."""
    if sought.claim.is_binder("∀"):
        yield from _coefficients(sought)
        return
    try:
        test = sought.test(sought.claim)
        samples = sought.samples() if sought.parameters else [{}]
        yield from (each for each in _solved(sought) if _fits(each, sought, samples))
        if not sought.parameters:
            yield from (_terms(each) for each in islice(_numbers(sought, test), 1))
            return
        yield from (each for each in _linear(sought) if _fits(each, sought, samples))
        if len(sought.unknowns) == 1:
            yield from (each for each in _between(sought) if _fits(each, sought, samples))
            yield from _shifted(sought, test, samples)
    except Unknown:
        return


def _terms(values: Mapping[str, Number]) -> tuple[Term, ...]:
    return tuple(_number_term(each) for each in values.values())


def _number_term(found: Number) -> Term:
    return polynomials.write(polynomials.constant(Fraction(found)))


def _fits(found: Sequence[Term], sought: _Sought, samples: Sequence[Mapping[str, Number]]) -> bool:
    """Whether the claim holds with these terms at all samples. A fraction of ℕ or ℤ does not fit."""
    claim = substitute(sought.claim, dict(zip(sought.unknowns, found, strict=True)))
    whole = [each for each, kind in zip(found, sought.kinds.values(), strict=True) if kind != RAT]
    if any(term.is_sign("/") for each in whole for term in subterms(each)):
        return False
    try:
        test = sought.test(claim)
        return bool(samples) and all(test(values) for values in samples)
    except Unknown:
        return False


# --- numbers -------------------------------------------------------------------------------------


def _range(kind: str, radius: int) -> list[Number]:
    if kind == NAT:
        return list(range(radius + 1))
    found: list[Number] = [0]
    for each in range(1, radius + 1):
        found.extend([each, -each])
    if kind == RAT and radius <= 60:
        found.extend(Fraction(each, 2) for each in range(-radius, radius + 1) if each % 2)
    return found


def _numbers(sought: _Sought, test: Judging) -> Iterator[dict[str, Number]]:
    """Numbers that fulfil the claim, small ones first: all but one are tried, that one is computed if it can be."""
    *others, last = sought.unknowns
    solving = next((each for each in sought.equations if _power_in(each, last) in (1, 2)), None)
    if solving is None:
        others = [*sought.unknowns]
    radius = _RADIUS.get(len(others), 8)
    if solving is None and len(others) == 1:
        radius = 6000
    ranges = [_range(sought.kinds[each], radius) for each in others]
    for point in _outward(ranges) if len(ranges) > 1 else product(*ranges):
        sought.goal.effort.spend()
        values: dict[str, Number] = dict(zip(others, point, strict=True))
        roots = [None] if solving is None else _roots(solving, last, values)
        for root in roots:
            full = dict(values) if root is None else {**values, last: root}
            if root is not None and not _is_of(root, sought.kinds[last]):
                continue
            try:
                if test(full):
                    yield {each: full[each] for each in sought.unknowns}
            except Unknown:
                continue


def _outward(ranges: Sequence[Sequence[Number]]) -> Iterator[tuple[Number, ...]]:
    """All points, those around 0 first: by their largest coordinate, of those in the order of the ranges."""
    for extent in sorted({_extent(each) for inside in ranges for each in inside}):
        yield from _shell([[each for each in inside if _extent(each) <= extent] for inside in ranges], extent)


def _extent(coordinate: Number) -> Number:
    return max(coordinate, -coordinate)


def _shell(ranges: Sequence[Sequence[Number]], extent: Number) -> Iterator[tuple[Number, ...]]:
    """The points with a coordinate of that size."""
    first, *others = ranges
    for each in first:
        if _extent(each) == extent:
            yield from ((each, *rest) for rest in product(*others))
        elif others:
            yield from ((each, *rest) for rest in _shell(others, extent))


def _is_of(root: Number, kind: str) -> bool:
    return kind == RAT or (Fraction(root).denominator == 1 and (kind == INT or root >= 0))


def _power_in(polynomial: Polynomial, unknown: str) -> int:
    return max((monomial.count(unknown) for monomial in polynomial), default=0)


def _roots(polynomial: Polynomial, unknown: str, values: Mapping[str, Number]) -> list[Number | None]:
    """Where the polynomial is 0, all other atoms being numbers."""
    powers = [Fraction(0), Fraction(0), Fraction(0)]
    for monomial, coefficient in polynomial.items():
        for each in monomial:
            coefficient *= 1 if each == unknown else values[each]
        powers[monomial.count(unknown)] += coefficient
    c, b, a = powers
    if a == 0:
        return [] if b == 0 else [_simple(-c / b)]
    inside = b * b - 4 * a * c
    if inside < 0:
        return []
    root = Fraction(isqrt(inside.numerator), isqrt(inside.denominator))
    return [_simple((-b + side * root) / (2 * a)) for side in (1, -1)] if root * root == inside else []


def _simple(found: Fraction) -> Number:
    return found.numerator if found.denominator == 1 else found


def _difference(relation: Term, names: frozenset[str]) -> Polynomial:
    return polynomials.add(polynomials.expand(relation.left, names), polynomials.expand(relation.right, names), -1)


# --- terms in the parameters -----------------------------------------------------------------------


def _solved(sought: _Sought) -> Iterator[tuple[Term, ...]]:
    """The equations solved for the unknowns."""
    if len(sought.equations) >= len(sought.unknowns):
        found = polynomials.solve(sought.equations, sought.unknowns)
        if found is not None:
            yield tuple(_quotient_term(found[each]) for each in sought.unknowns)


def _quotient_term(polynomial: Polynomial) -> Term:
    """The polynomial with one denominator below all of it."""
    denominator = lcm(*(each.denominator for each in polynomial.values())) if polynomial else 1
    top = polynomials.write({monomial: each * denominator for monomial, each in polynomial.items()})
    return top if denominator == 1 else sign("/", top, number(denominator))


def _linear(sought: _Sought) -> Iterator[tuple[Term, ...]]:
    """Terms that are linear in the parameters, from the numbers that fit when those are 0 and 1."""
    zero = dict.fromkeys(sought.parameters, 0)
    base = _at(sought, zero)
    if base is None:
        return
    slopes: dict[str, Mapping[str, Number]] = {}
    for parameter in sought.parameters:
        found = _at(sought, {**zero, parameter: 1})
        if found is None:
            return
        slopes[parameter] = {each: found[each] - base[each] for each in sought.unknowns}
    terms = []
    for unknown in sought.unknowns:
        form: Polynomial = polynomials.constant(Fraction(base[unknown]))
        for parameter in sought.parameters:
            form = polynomials.add(form, polynomials.atom(parameter), Fraction(slopes[parameter][unknown]))
        terms.append(polynomials.write(form))
    yield tuple(terms)


def _at(sought: _Sought, values: Mapping[str, int]) -> dict[str, Number] | None:
    """Numbers that fit when the parameters have these values."""
    put_in = {each: number(found) for each, found in values.items()}
    fixed = _Sought(sought.goal, sought.unknowns, sought.kinds, substitute(sought.claim, put_in))
    return next(_numbers(fixed, fixed.test(fixed.claim)), None)


def _between(sought: _Sought) -> Iterator[tuple[Term, ...]]:
    """For one unknown: where its bounds are equations, and the middle between each two."""
    [unknown] = sought.unknowns
    names = frozenset((unknown, *sought.parameters))
    forms: list[Polynomial] = []
    for part in conjuncts(sought.claim):
        if part.kind == "sign" and part.name in RELATIONS:
            try:
                solution = polynomials.solve([_difference(part, names)], [unknown])
            except NoPolynomial:
                continue
            if solution is not None and solution[unknown] not in forms:
                forms.append(solution[unknown])
    for one, other in combinations(forms, 2):
        yield (_quotient_term(polynomials.multiply(polynomials.constant(Fraction(1, 2)), polynomials.add(one, other))),)
    for form in forms:
        for shift in (0, 1, -1):
            yield (_quotient_term(polynomials.add(form, polynomials.constant(shift))),)


def _shifted(sought: _Sought, test: Judging, samples: Sequence[Mapping[str, Number]]) -> Iterator[tuple[Term, ...]]:
    """For one unknown: a multiple of the parameters and a number behind it. The factor may come from moduli."""
    [unknown] = sought.unknowns
    moduli = [
        abs(found)
        for term in subterms(sought.claim)
        if term.is_sign("%", "≡", "∣")
        for found in [value(term.parts[0] if term.name == "∣" else term.parts[-1])]
        if found
    ]
    slopes = [1, 2, *([lcm(*moduli)] if moduli else [])]
    for slope in slopes:
        for offset in range(min(_LARGEST_OFFSET, 3 * slope + 30)):
            if all(test({**values, unknown: slope * sum(values.values()) + offset}) for values in samples):
                form = polynomials.constant(offset)
                for parameter in sought.parameters:
                    form = polynomials.add(form, polynomials.atom(parameter), slope)
                yield (polynomials.write(form),)
                break


def _coefficients(sought: _Sought) -> Iterator[tuple[Term, ...]]:
    """Numbers such that an equation holds for all values of the variables behind "for all"."""
    claim = sought.claim
    variables: list[str] = []
    while claim.is_binder("∀"):
        variables.append(claim.variable)
        claim = claim.body
    if not claim.is_sign("=") or sought.parameters:
        return
    try:
        equation = _difference(claim, frozenset((*sought.unknowns, *variables)))
    except NoPolynomial:
        return
    by_power: dict[tuple[str, ...], Polynomial] = {}
    for monomial, coefficient in equation.items():
        power = tuple(each for each in monomial if each in variables)
        rest = tuple(each for each in monomial if each not in variables)
        by_power.setdefault(power, {})[rest] = coefficient
    conditions = list(by_power.values())
    tries: list[dict[str, Polynomial]] = [{}]
    if any(polynomials.degree(each) > 1 for each in conditions):
        first = sought.unknowns[0]
        tries = [{first: polynomials.constant(Fraction(each))} for each in _range(sought.kinds[first], 60)]
    for known in tries:
        rows = [polynomials.put_in(each, known) for each in conditions]
        rows += [polynomials.add(polynomials.atom(each), found, -1) for each, found in known.items()]
        if any(polynomials.degree(row) > 1 for row in rows):
            continue
        solved = polynomials.solve_all(rows, sought.unknowns)
        if solved is not None and all(_is_of(solved[each], sought.kinds[each]) for each in sought.unknowns):
            yield tuple(_number_term(solved[each]) for each in sought.unknowns)
            return


# --- by remainders -------------------------------------------------------------------------------


def _by_remainder(sought: _Sought) -> Iterator[Proof]:
    """`a * x + b * y = k` in natural numbers: `y` depends on the remainder of `k` alone."""
    if len(sought.unknowns) != 2 or len(sought.parameters) != 1 or len(sought.equations) != 1:
        return
    [equation], [parameter] = sought.equations, sought.parameters
    factor = -equation.get((parameter,), Fraction(0))
    if not factor or len(equation) != 3:
        return
    coefficients = {each: equation.get((each,), Fraction(0)) / factor for each in sought.unknowns}
    if any(each.denominator != 1 or each <= 0 for each in coefficients.values()):
        return
    first, second = sorted(sought.unknowns, key=lambda each: coefficients[each])
    a, b = int(coefficients[first]), int(coefficients[second])
    if a > _MOST_REMAINDERS:
        return
    counts = {(b * count) % a: count for count in reversed(range(a))}
    if len(counts) < a:
        return
    count_of_one = counts[1 % a]
    shown = sign("*", number(count_of_one), name(parameter)) if count_of_one != 1 else name(parameter)
    many = sign("%", shown, number(a))
    few = sign("/", sign("-", name(parameter), sign("*", number(b), many)), number(a))
    yield _named(sought, [many if each == second else few for each in sought.unknowns])
    goal = sought.goal
    fact = goal.fresh("h")
    cases = []
    for rest in range(a):
        bought = sign("-", name(parameter), number(b * counts[rest])) if counts[rest] else name(parameter)
        terms = {first: sign("/", bought, number(a)), second: number(counts[rest])}
        written = ", ".join(str(terms[each]) for each in sought.unknowns)
        cases.append(Case("·", tactic(f"exact ⟨{written}, by omega⟩")))
    parts = " ∨ ".join(f"{parameter} % {a} = {rest}" for rest in range(a))
    yield (
        Step(f"have {fact} : {parts} := by omega", f"Look at the remainder of `{parameter}` on division by {a}."),
        Step(
            f"rcases {fact} with {' | '.join([fact] * a)}",
            f"In each case a fixed `{second}` makes the rest a multiple of {a}, which gives `{first}`.",
            tuple(cases),
        ),
    )
