"""Remainders: cases by the remainder of a variable, a table of all remainders, and powers that run in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import lcm

from pythagoras.generate.searching import polynomials
from pythagoras.generate.searching.closers import DECIDE, DEFINITION, GRIND, OMEGA, by_kernel, open_goal, tactic
from pythagoras.generate.searching.goals import Fact, Goal
from pythagoras.generate.searching.proofs import Case, Open, Proof, Step
from pythagoras.generate.searching.remainders import as_multiple, told_remainder
from pythagoras.generate.searching.terms import (
    HOLE,
    Term,
    free,
    name,
    number,
    sign,
    substitute,
    subterms,
    upward,
    value,
)
from pythagoras.generate.searching.values import INT, NAT, Effort, Unknown, computing

_MOST_CASES = 40
_MOST_IN_TABLE = 260
_MOST_POINTS = 4096
_LARGEST = 64
_MODULI = (2, 3, 4, 5, 7, 8, 9, 11, 13, 16)
_KINDS = {NAT: "Nat", INT: "Int"}
_LEMMAS = {
    NAT: ("Nat.add_mod", "Nat.mul_mod", "Nat.pow_mod"),
    INT: ("Int.add_emod", "Int.sub_emod", "Int.mul_emod", "Int.pow_succ"),
}
_TO_REMAINDERS = {
    NAT: {"∣": "Nat.dvd_iff_mod_eq_zero", "≡": "Nat.ModEq", "Even": "Nat.even_iff", "Odd": "Nat.odd_iff"},
    INT: {"∣": "Int.dvd_iff_emod_eq_zero", "≡": "Int.ModEq", "Even": "Int.even_iff", "Odd": "Int.odd_iff"},
}


def residues(goal: Goal) -> Iterator[Proof]:
    """Plans that compute with remainders."""
    kinds = {goal.domains[each] for each in goal.numbers if each in _all_mentioned(goal)}
    if len(kinds) != 1 or not kinds <= _KINDS.keys():
        return
    [kind] = kinds
    if goal.target == name("False"):
        yield from _impossible(goal, kind)
    relevant = [fact for fact in goal.facts if _moduli(fact.claim) and not _is_remainder(fact.claim)]
    claims = [goal.target, *(fact.claim for fact in relevant)]
    moduli = {each for claim in claims for each in _moduli(claim)}
    modulus = lcm(*moduli) if moduli else 0
    if not 2 <= modulus <= _LARGEST or not _moduli(goal.target):
        return
    yield from _computed(goal, kind, modulus, relevant, claims)


def _all_mentioned(goal: Goal) -> frozenset[str]:
    return goal.mentioned.union(*(free(fact.claim) for fact in goal.facts))


def _moduli(claim: Term) -> list[int]:
    """The numbers by which something is divided in a claim."""
    found: list[int | None] = []
    for term in subterms(claim):
        if term.is_sign("%", "≡"):
            found.append(value(term.parts[-1]))
        elif term.is_sign("∣"):
            found.append(value(term.left))
        elif term.is_call("Even", "Odd"):
            found.append(2)
    return [each for each in found if each is not None and each > 1]


def _is_remainder(claim: Term) -> bool:
    """Whether a fact tells the remainder of a variable by itself."""
    return told_remainder(claim) is not None


def _matters(claims: list[Term], variable: str, modulus: int) -> bool:
    """Whether the variable's remainder can change anything: not where it only occurs as a multiple of the modulus."""
    for claim in claims:
        for term in subterms(claim):
            if not (term.is_sign("%", "∣", "≡", "=") or term.is_call("Even", "Odd")):
                continue
            for part in term.parts:
                for monomial, coefficient in polynomials.expand(part).items():
                    if coefficient % modulus and any(variable in free(Term("raw", each)) for each in monomial):
                        return True
    return False


def _computed(goal: Goal, kind: str, modulus: int, relevant: list[Fact], claims: list[Term]) -> Iterator[Proof]:
    known: dict[str, tuple[Fact, int]] = {}
    for fact in goal.facts:
        told = told_remainder(fact.claim)
        if told is not None and told[1] % modulus == 0:
            known[told[0]] = fact, told[2] % modulus
    variables = [
        each
        for each in goal.numbers
        if each not in known and any(each in free(claim) for claim in claims) and _matters(claims, each, modulus)
    ]
    steps, given = _restated(goal, kind, modulus, known)
    reverted = tuple(Step(f"revert {fact.name}") for fact in relevant)
    cases = modulus ** len(variables)
    if kind == NAT and 1 <= len(variables) <= 2 and cases <= _MOST_IN_TABLE and not given:
        yield (*reverted, *_table(goal, modulus, variables, relevant))
    if cases <= _MOST_CASES:
        lemmas = _rewriting(goal, kind)
        yield (*steps, *reverted, *_cases(goal, kind, modulus, variables, lemmas, given))


def _restated(
    goal: Goal, kind: str, modulus: int, known: Mapping[str, tuple[Fact, int]]
) -> tuple[list[Step], list[str]]:
    """Facts as remainders by the modulus, under names of their own."""
    steps, names = [], []
    for variable, (fact, rest) in known.items():
        claim = sign("=", sign("%", name(variable), number(modulus)), number(rest))
        if fact.claim == claim:
            names.append(fact.name)
            continue
        goal, new = goal.given(claim, "hr")
        proof = "by omega"
        if fact.claim.is_call("Even", "Odd"):
            proof = f"{_TO_REMAINDERS[kind][fact.claim.left.name]}.1 {fact.name}"
        steps.append(Step(f"have {new.name} : {claim} := {proof}", f"The remainder of `{variable}` is {rest}."))
        names.append(new.name)
    return steps, names


def _rewriting(goal: Goal, kind: str) -> list[str]:
    """The lemmas that turn all claims of a goal into equations of remainders, and compute with them."""
    found = [lemma for mark, lemma in _TO_REMAINDERS[kind].items() if goal.has(mark)]
    return [*found, *_LEMMAS[kind]]


def _cases(goal: Goal, kind: str, modulus: int, variables: list[str], lemmas: list[str], given: list[str]) -> Proof:
    steps: list[Step | Open] = []
    splits: list[str] = []
    facts = list(given)
    for variable in variables:
        goal, fact = goal.given(sign("=", sign("%", name(variable), number(modulus)), name("_")), "hm")
        parts = " ∨ ".join(f"{variable} % {modulus} = {rest}" for rest in range(modulus))
        steps.append(
            Step(f"have {fact.name} : {parts} := by omega", f"Look at the remainder of `{variable}` modulo {modulus}.")
        )
        splits.append(f"rcases {fact.name} with {' | '.join([fact.name] * modulus)}")
        facts.append(fact.name)
    front = " <;> ".join(splits)
    then = f"{front} <;> " if front else ""
    computed = f"simp [{', '.join([*lemmas, *facts])}]"
    said = "In each case the remainder of the whole is computed." if splits else "The remainders are put in."
    closers = (
        tactic(f"{then}{computed}", said),
        tactic(f"{then}{computed} <;> omega", said),
        tactic(f"{then}grind", said),
    )
    return (*steps, Open(goal, closers, last=True))


def _table(goal: Goal, modulus: int, variables: list[str], relevant: list[Fact]) -> Proof:
    """The claim for all remainders by `decide`, then for the variables by their remainders."""
    claim = _as_remainders(goal.target)
    for premise in reversed(relevant):
        claim = sign("→", _as_remainders(premise.claim), claim)
    quantified = "".join(f"∀ {each} < {modulus}, " for each in variables)
    key, fact = goal.fresh("key"), goal.fresh("h")
    arguments = " ".join(f"({each} % {modulus}) (Nat.mod_lt _ (by decide))" for each in variables)
    lemmas = ", ".join(_rewriting(goal, NAT))
    listed = " and ".join(f"`{each}`" for each in variables)
    said = f"Only the remainders of {listed} modulo {modulus} matter, and for all of them the claim is computed."
    decided = (tactic("decide", ""), *by_kernel([_for_all(variables, modulus, claim)], said=""))
    return (
        Step(f"have {key} : {quantified}{claim} := by", said, (Case("", (Open(goal, decided, last=True),)),)),
        Step(f"have {fact} := {key} {arguments}"),
        Step(f"simpa [{lemmas}] using {fact}", "The remainders of the variables are put in."),
    )


def _for_all(variables: list[str], below: int, claim: Term) -> Term:
    for each in reversed(variables):
        bounded = sign("→", sign("<", name(each), number(below)), claim)
        claim = Term("bind", "∀", (HOLE, HOLE, bounded), each)
    return claim


def _as_remainders(claim: Term) -> Term:
    """The claim with divisibility, parity and congruence written as remainders."""
    if claim.is_sign("∣"):
        return sign("=", sign("%", claim.right, claim.left), number(0))
    if claim.is_sign("≡"):
        left, right, modulus = claim.parts
        return sign("=", sign("%", left, modulus), sign("%", right, modulus))
    if claim.is_call("Even", "Odd"):
        return sign("=", sign("%", claim.right, number(2)), number(int(claim.left.name == "Odd")))
    if claim.kind == "sign" and claim.name in ("∧", "∨", "→", "↔", "¬"):
        return replace(claim, parts=tuple(_as_remainders(part) for part in claim.parts))
    return claim


def hidden_divisor(goal: Goal) -> Iterator[Proof]:
    """`∃ e, P = 4 * e` says that 4 divides P."""
    target = goal.target
    if not target.is_binder("∃") or not target.body.is_sign("="):
        return
    left, right = target.body.parts
    if right.is_sign("*") and value(right.left) and right.right == name(target.variable):
        if target.variable in free(left):
            return
        divided = sign("∣", right.left, left)
        fact = goal.fresh("h")
        said = f"That is to say that `{right.left}` divides `{left}`."
        inner: Proof = (open_goal(goal.to(divided)),)
        yield (Step(f"have {fact} : {divided} := by", said, (Case("", inner),)), Step(f"exact {fact}"))


def _impossible(goal: Goal, kind: str) -> Iterator[Proof]:
    """An equation that no remainders fulfil."""
    for fact in goal.facts:
        if not fact.claim.is_sign("="):
            continue
        variables = [each for each in goal.numbers if each in free(fact.claim)]
        for modulus in _MODULI:
            split = [each for each in variables if _matters([fact.claim], each, modulus)]
            if modulus ** len(split) > _MOST_POINTS or not _never(fact.claim, variables, split, modulus, goal):
                continue
            if modulus ** len(split) > _MOST_CASES:
                yield from _by_powers(goal, kind, modulus, fact)
                return
            inner, new = goal.given(sign("=", *(sign("%", part, number(modulus)) for part in fact.claim.parts)), "hm")
            plan = _cases(inner, kind, modulus, split, [*_LEMMAS[kind]], [])
            revert = Step(f"revert {new.name}")
            said = f"The equation is looked at modulo {modulus}."
            yield (Step(f"have {new.name} : {new.claim} := by rw [{fact.name}]", said), revert, *plan)
            return


def _by_powers(goal: Goal, kind: str, modulus: int, fact: Fact) -> Iterator[Proof]:
    """An equation in powers of single variables: which remainders these have is shown for each, the rest is linear."""
    found = {term for term in subterms(fact.claim) if term.is_sign("^") and term.left.kind == "name"}
    steps: list[Step | Open] = []
    for power in sorted(found, key=str):
        exponent = value(power.right)
        if exponent is None:
            return
        rests = sorted({pow(each, exponent, modulus) for each in range(modulus)})
        claim = " ∨ ".join(f"{power} % {modulus} = {rest}" for rest in rests)
        goal, new = goal.given(power, "hp")
        inner = _cases(goal, kind, modulus, [power.left.name], [*_LEMMAS[kind]], [])
        listed = ", ".join(map(str, rests))
        said = f"The remainder of `{power}` modulo {modulus} is one of {listed}."
        steps.append(Step(f"have {new.name} : {claim} := by", said, (Case("", inner),)))
    if steps:
        yield (*steps, Open(goal, (tactic("omega", "With these the equation can't hold."),), last=True))


def _never(claim: Term, variables: list[str], split: list[str], modulus: int, goal: Goal) -> bool:
    try:
        sides = [computing(part, goal.domains, goal.effort) for part in claim.parts]
        for point in product(range(modulus), repeat=len(split)):
            goal.effort.spend()
            values = {**dict.fromkeys(variables, 0), **dict(zip(split, point, strict=True))}
            if (sides[0](values) - sides[1](values)) % modulus == 0:
                return False
    except (Unknown, KeyError):
        return False
    return bool(split)


# --- powers --------------------------------------------------------------------------------------


def powers(goal: Goal) -> Iterator[Proof]:
    """Powers whose exponent is a variable have a fixed remainder here: that is shown first, by induction."""
    moduli = _moduli(goal.target)
    if not moduli or not goal.has("^"):
        return
    modulus = lcm(*moduli)
    steps: list[Step | Open] = []
    for fact in goal.facts:
        told = told_remainder(fact.claim)
        if told is not None and any(
            term.is_sign("^") and told[0] in free(term.right) for term in subterms(goal.target)
        ):
            variable, period, rest = told
            positive = any(_is_positive(each.claim, variable) for each in goal.facts)
            step, goal = as_multiple(goal, variable, period, rest or (period if positive else 0))
            steps.append(step)
    lemmas: list[str] = []
    uses: list[Step] = []
    for power in dict.fromkeys(term for term in subterms(goal.target) if term.is_sign("^")):
        exponents = [each for each in goal.numbers if each in free(power.right)]
        if value(power.left) is None or len(exponents) != 1:
            continue
        found = _fixed(power, exponents[0], modulus, goal.effort)
        if found is None:
            return
        fixed = sign("=", sign("%", power, number(modulus)), number(found))
        goal, fact = goal.given(fixed, "hp")
        steps.append(_circle(goal.to(fixed), power, exponents[0], fact.name))
        lemmas.append(fact.name)
        uses.append(Step(f"have {fact.name} := {fact.name} {exponents[0]}"))
    if not lemmas:
        return
    facts = ", ".join(lemmas)
    unfolded = "".join(f"{lemma}, " for mark, lemma in _TO_REMAINDERS[NAT].items() if goal.has(mark))
    closers = (
        tactic(f"simp [{unfolded}Nat.add_mod, Nat.mul_mod, {facts}]", "The remainders of the powers are put in."),
        (*uses, Step("omega", OMEGA)),
        tactic("grind", GRIND),
    )
    yield (*steps, Open(goal, closers, last=True))


def _is_positive(claim: Term, variable: str) -> bool:
    low = upward(claim)
    return low.is_sign("<", "≤") and low.right == name(variable) and (value(low.left) or 0) >= int(low.name == "≤")


def _fixed(power: Term, variable: str, modulus: int, effort: Effort) -> int | None:
    """The remainder that a power has whatever its exponent's variable is."""
    domains = {variable: NAT}
    try:
        compute = computing(power, domains, effort)
        found = {int(compute({variable: each})) % modulus for each in range(8)}
    except Unknown:
        return None
    return found.pop() if len(found) == 1 else None


def _circle(goal: Goal, power: Term, variable: str, fact: str) -> Step:
    exponent = power.right
    hypothesis = goal.fresh("ih")
    step = polynomials.expand(exponent).get((variable,), None)
    later = substitute(exponent, {variable: sign("+", name(variable), number(1))})
    shorter = sign("+", exponent, number(int(step) if step else 1))
    unrolled = f"rw [show {later} = {shorter} by omega, Nat.pow_add, Nat.mul_mod, {hypothesis}]"
    zero = goal.to(substitute(goal.target, {variable: number(0)}))
    closers = (tactic(unrolled), tactic(f"rw [Nat.pow_succ, Nat.mul_mod, {hypothesis}]"), tactic("grind"))
    cases = (
        Case("| zero =>", (Open(zero, (tactic("rfl", DEFINITION), tactic("decide", DECIDE)), last=True),)),
        Case(f"| succ {variable} {hypothesis} =>", (Open(goal, closers, last=True),)),
    )
    said = f"By induction, `{goal.target}` for every `{variable}`."
    inner: Proof = (Step(f"intro {variable}"), Step(f"induction {variable} with", "", cases))
    return Step(f"have {fact} : ∀ {variable} : ℕ, {goal.target} := by", said, (Case("", inner),))
