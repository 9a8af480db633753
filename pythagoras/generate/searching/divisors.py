"""Divisors: multiples written out, the Euclidean algorithm on linear forms, and primes that divide a product."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import gcd

from pythagoras.generate.searching import polynomials
from pythagoras.generate.searching.closers import EXPAND, GRIND, OMEGA, SIMP, tactic
from pythagoras.generate.searching.goals import Goal, Variable
from pythagoras.generate.searching.polynomials import NoPolynomial, Polynomial
from pythagoras.generate.searching.proofs import Case, Open, Proof, Step
from pythagoras.generate.searching.terms import Term, call, name, sign, subterms, value
from pythagoras.generate.searching.values import INT, NAT, is_prime

_MOST_STEPS = 8
_LARGEST_PRIME = 2000
"""`decide` shows of small numbers that they are prime."""


def multiples(goal: Goal) -> Iterator[Proof]:
    """`d ∣ ...` from facts `d ∣ x`: each `x` is written as a multiple, and the quotient is named."""
    target = goal.target
    if not target.is_sign("∣") or value(target.left) is not None:
        return
    steps: list[Step] = []
    named: dict[str, str] = {}
    for fact in goal.facts:
        claim = fact.claim
        if claim.is_sign("∣") and claim.right.kind == "name" and claim.left.kind == "name":
            factor = goal.fresh(("a", "b", "c", "d")[min(len(named), 3)])
            multiple = sign("*", claim.left, name(factor))
            kind = next(each.type for each in goal.variables if each.name == claim.right.name)
            goal = goal.let(Variable(factor, kind)).without([fact.name])
            goal = goal.replaced(claim.right.name, multiple)
            named[claim.right.name] = str(multiple)
            steps.append(Step(f"obtain ⟨{factor}, rfl⟩ := {fact.name}"))
    if not steps:
        return
    try:
        divisor = polynomials.expand(goal.target.left, frozenset(goal.numbers))
        [(monomial, coefficient)] = divisor.items()
        whole = polynomials.expand(goal.target.right, frozenset(goal.numbers))
        quotient = polynomials.multiply(polynomials.constant(1 / coefficient), polynomials.divided(whole, monomial))
    except (NoPolynomial, ValueError):
        return
    written = " and ".join(f"`{each} = {multiple}`" for each, multiple in named.items())
    steps[0] = Step(steps[0].tactic, f"Write {written}.")
    term = polynomials.write(quotient)
    found = Step(f"refine ⟨{term}, ?_⟩", f"Then the quotient is `{term}`.")
    inner = goal.to(sign("=", goal.target.right, sign("*", goal.target.left, term)))
    yield (*steps, found, Open(inner, (tactic("grind", EXPAND), tactic("simp", SIMP)), last=True))


def greatest(goal: Goal) -> Iterator[Proof]:
    """The greatest common divisor of two linear forms, by the Euclidean algorithm."""
    for term in subterms(goal.target):
        if term.is_call("Nat.lcm") and len(term.parts) == 3:
            said = "The common factor is taken out, and the rest is computed."
            rest = (Step("rfl"),)
            sides = ("Nat.lcm_mul_right", "Nat.lcm_mul_left")
            closers = tuple((Step(f"rw [{lemma}]", said), *rest) for lemma in sides)
            yield (Open(goal, (*closers, tactic("simp [Nat.lcm_mul_right, Nat.lcm_mul_left]", said)), last=True),)
            return
        if term.is_call("Nat.gcd", "Nat.Coprime") and len(term.parts) == 3:
            plans = (_euclid(goal, term), _combined(goal, term))
            yield from (plan for plan in plans if plan is not None)
            return


def _euclid(goal: Goal, term: Term) -> Proof | None:
    try:
        forms = [polynomials.expand(part, frozenset(goal.numbers)) for part in term.parts[1:]]
    except NoPolynomial:
        return None
    if any(polynomials.degree(form) > 1 or min(form.values(), default=Fraction(0)) < 0 for form in forms):
        return None
    one, other = term.parts[1:]
    first, second = forms
    chain: list[tuple[Term, Term, str]] = []
    for _ in range(_MOST_STEPS):
        found = _subtracted(first, second)
        if found is not None:
            times, first = found
            chain.append((one, _with_multiple(first, times, other), "Nat.gcd_add_mul_right_left"))
            one = polynomials.write(first)
            continue
        found = _subtracted(second, first)
        if found is None:
            break
        times, second = found
        chain.append((other, _with_multiple(second, times, one), "Nat.gcd_add_mul_right_right"))
        other = polynomials.write(second)
    steps: list[Step] = []
    if term.is_call("Nat.Coprime"):
        steps.append(Step("rw [Nat.coprime_iff_gcd_eq_one]"))
    for number_, (before, after, lemma) in enumerate(chain):
        said = "By the Euclidean algorithm, multiples of one number are taken from the other." if not number_ else ""
        steps.append(Step(f"rw [show {before} = {after} by omega, {lemma}]", said))
    end = goal.to(call("Nat.gcd", one, other))
    given = "".join(f", {fact.name}" for fact in goal.facts)
    out = "The common factor is taken out."
    closing = (
        tactic("simp", SIMP),
        tactic("rfl"),
        *(
            tactic(f"rw [{lemmas}{given}]", out)
            for lemmas in ("Nat.gcd_mul_left", "Nat.gcd_mul_left, Nat.gcd_comm", "Nat.gcd_comm, Nat.gcd_mul_left")
        ),
        *((tactic(f"rw [Nat.gcd_comm{given}]", "The order does not matter."),) if given else ()),
        tactic(f"simp [Nat.gcd_mul_left, Nat.gcd_mul_right, Nat.gcd_comm{given}]", SIMP),
        tactic("omega", OMEGA),
        tactic("grind", GRIND),
    )
    return (*steps, Open(end, closing, last=True))


def _combined(goal: Goal, term: Term) -> Proof | None:
    """A divisor of two linear forms in one variable divides the combination in which the variable is gone."""
    try:
        forms = [polynomials.expand(part, frozenset(goal.numbers)) for part in term.parts[1:]]
    except NoPolynomial:
        return None
    atoms = {each for form in forms for each in polynomials.atoms(form)}
    if len(atoms) != 1 or any(polynomials.degree(form) != 1 for form in forms):
        return None
    [variable] = atoms
    slopes = [form[(variable,)] for form in forms]
    sides = list(zip(term.parts[1:], reversed(slopes), ("Nat.gcd_dvd_left", "Nat.gcd_dvd_right"), strict=True))
    difference = forms[0].get((), Fraction(0)) * slopes[1] - forms[1].get((), Fraction(0)) * slopes[0]
    if difference < 0:
        sides.reverse()
    common = gcd(*(int(slope) for slope in slopes))
    times = [int(slope) // common for _, slope, _ in sides]
    rest = abs(int(difference)) // common
    one, other = term.parts[1:]
    divided = call("Nat.gcd", one, other)
    products = [f"{count} * ({side})" for count, (side, _, _) in zip(times, sides, strict=True)]
    parts = [
        f"(Nat.dvd_mul_left_of_dvd ({lemma} _ _) {count})" for count, (_, _, lemma) in zip(times, sides, strict=True)
    ]
    fact = goal.fresh("h")
    said = f"A common divisor divides `{' - '.join(products)}`, which is {rest}."
    closing = (
        tactic(f"exact {fact}"),
        tactic(f"exact Nat.dvd_one.1 {fact}", "So it is 1."),
        tactic(f"exact Nat.dvd_trans {fact} (by decide)"),
    )
    return (
        Step(f"have {fact} : {divided} ∣ {' - '.join(products)} := Nat.dvd_sub {' '.join(parts)}", said),
        Step(f"rw [show {' - '.join(products)} = {rest} by omega] at {fact}"),
        Open(goal, closing, last=True),
    )


def _subtracted(large: Polynomial, small: Polynomial) -> tuple[int, Polynomial] | None:
    """How often the small form can be taken from the large one, and what remains."""
    if not small or any(monomial not in large for monomial in small):
        return None
    times = min(int(large[monomial] // coefficient) for monomial, coefficient in small.items())
    if times < 1:
        return None
    return times, polynomials.add(large, small, -times)


def _with_multiple(rest: Polynomial, times: int, other: Term) -> Term:
    return sign("+", polynomials.write(rest), sign("*", name(str(times)), other))


def in_product(goal: Goal) -> Iterator[Proof]:
    """A prime that divides a product divides a factor."""
    for fact in goal.facts:
        claim = fact.claim
        prime = value(claim.left) if claim.is_sign("∣") else None
        if prime is None or not claim.right.is_sign("*") or prime > _LARGEST_PRIME or not is_prime(prime):
            continue
        kinds = {goal.domains[each] for each in goal.numbers}
        left, right = claim.right.parts
        used = goal.fresh("h")
        said = f"{prime} is prime, so it divides one of the factors."
        if kinds == {NAT}:
            split = f"rcases (Nat.Prime.dvd_mul (by decide)).1 {fact.name} with {used} | {used}"
            before: tuple[Step, ...] = ()
        elif kinds == {INT}:
            product = f"{prime} ∣ ({left}).natAbs * ({right}).natAbs"
            shown = (Step("rw [← Int.natAbs_mul]"), Step(f"exact Int.natAbs_dvd_natAbs.2 {fact.name}"))
            before = (Step(f"have {used} : {product} := by", said, (Case("", shown),)),)
            split = f"rcases (Nat.Prime.dvd_mul (by decide)).1 {used} with {used} | {used}"
            said = ""
        else:
            continue
        cases = tuple(
            Case("·", (Open(goal, (tactic("omega", OMEGA), tactic("grind", GRIND)), last=True),)) for _ in range(2)
        )
        yield (*before, Step(split, said, cases))
