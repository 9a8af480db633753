"""Induction: on a natural number, from a bound on, or two steps at a time for recurrences that look back twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from pythagoras.generate.searching import polynomials
from pythagoras.generate.searching.closers import DECIDE, DEFINITION, GRIND, OMEGA, SIMP, by_kernel, tactic
from pythagoras.generate.searching.goals import Fact, Goal, Variable
from pythagoras.generate.searching.polynomials import Polynomial
from pythagoras.generate.searching.proofs import Case, Open, Proof, Step
from pythagoras.generate.searching.terms import Term, free, name, number, sign, substitute, subterms, upward, value
from pythagoras.generate.searching.values import INT, NAT, RAT

_SUMS = {
    ("∑", "Finset.range"): "Finset.sum_range_succ",
    ("∏", "Finset.range"): "Finset.prod_range_succ",
    ("∑", "Finset.Icc"): "Finset.sum_Icc_succ_top (by omega)",
    ("∏", "Finset.Icc"): "Finset.prod_Icc_succ_top (by omega)",
}
_TURNED = {"≤": "≥", "≥": "≤"}
_RECURSIVE = ("Nat.fib", "Nat.factorial", "Nat.choose")


def inductions(goal: Goal) -> Iterator[Proof]:
    """Plans by induction on a variable of the target, the last one first."""
    for variable in reversed(goal.variables):
        if variable.type.name not in (NAT, "Nat") or variable.value is not None:
            continue
        if variable.name not in goal.mentioned or not _is_worth_it(goal, variable.name):
            continue
        about = [fact for fact in goal.facts if variable.name in free(fact.claim)]
        if not about:
            if _looks_back_twice(goal):
                yield _two_steps(goal, variable.name)
            yield _simple(goal, variable.name)
            yield from _strengthened(goal, variable.name)
        elif len(about) == 1 and (least := _least(about[0].claim, variable.name)) is not None:
            yield _from_bound(goal, variable.name, about[0], least)


def _is_worth_it(goal: Goal, variable: str) -> bool:
    """Whether the variable stands where a step changes something: in an exponent, a range, a function's argument."""
    for term in subterms(goal.target):
        if term.is_sign("^") and variable in free(term.right):
            return True
        if term.kind == "bind" and term.name in ("∑", "∏") and variable in free(term.right):
            return True
        inside = term.kind == "call" and any(variable in free(part) for part in term.parts[1:])
        if inside and (term.left.name in _RECURSIVE or term.left.name in goal.domains):
            return True
    return False


def _least(claim: Term, variable: str) -> int | None:
    """The least value that a fact allows a variable."""
    if not claim.is_sign("≤", "<", ">", "≥"):
        return None
    small, large = upward(claim).parts
    bound = value(small)
    if bound is None or large != name(variable):
        return None
    return bound + (claim.name in ("<", ">"))


def _simple(goal: Goal, variable: str) -> Proof:
    zero = goal.to(substitute(goal.target, {variable: number(0)}))
    step, hypothesis = _next(goal, variable)
    cases = (
        Case("| zero =>", (Open(zero, _base_closers(zero)),), "At 0"),
        Case(
            f"| succ {variable} {hypothesis} =>", (Open(step, step_closers(step, variable, hypothesis)),), "In the step"
        ),
    )
    return (Step(f"induction {variable} with", f"By induction on `{variable}`.", cases),)


def _from_bound(goal: Goal, variable: str, bound: Fact, least: int) -> Proof:
    """From a bound on: the fact that states it goes, and comes back in the step."""
    inside = goal.without([bound.name])
    base = inside.to(substitute(goal.target, {variable: number(least)}))
    given = goal.fresh("hn")
    at_least = sign("≤", number(least), name(variable))
    step = replace(inside, facts=(*inside.facts, Fact(given, at_least)))
    step, hypothesis = _next(step, variable)
    used = bound.name
    steps: tuple[Step, ...] = ()
    if bound.claim.is_sign("<", ">"):
        used = goal.fresh("hn")
        given = goal.fresh("hm")
        steps = (Step(f"have {used} : {least} ≤ {variable} := {bound.name}"), Step(f"clear {bound.name}"))
        step = replace(inside, facts=(*inside.facts, Fact(given, at_least)), taken=inside.taken | {used})
        step, hypothesis = _next(step, variable)
    cases = (
        Case("| base =>", (Open(base, _base_closers(base)),), f"At {least}"),
        Case(
            f"| succ {variable} {given} {hypothesis} =>",
            (Open(step, step_closers(step, variable, hypothesis, given, least)),),
            "In the step",
        ),
    )
    said = f"By induction on `{variable}` from {least} on."
    return (*steps, Step(f"induction {variable}, {used} using Nat.le_induction with", said, cases))


def _next(goal: Goal, variable: str) -> tuple[Goal, str]:
    """The goal of the step, and the name of the hypothesis in it."""
    later = substitute(goal.target, {variable: sign("+", name(variable), number(1))})
    goal, fact = goal.given(goal.target, "ih")
    return goal.to(later), fact.name


def _base_closers(goal: Goal) -> tuple[Proof, ...]:
    facts = ", ".join(fact.name for fact in goal.facts)
    found = [tactic("rfl", DEFINITION), tactic("simp", SIMP)]
    if facts:
        found.append(tactic(f"simp [{facts}]", "The given values settle it."))
    if goal.is_closed:
        found.extend(by_kernel([goal.target]) if goal.about(RAT) else [tactic("decide", DECIDE)])
    found.extend([tactic("omega", OMEGA), tactic("grind", GRIND)])
    for fact in goal.facts:  # a function that adds up: its value at 0 comes from 0 + 0
        if (count := _arity(fact.claim)) == 2:
            found.append(
                (
                    Step(f"have {goal.fresh('h0')} := {fact.name}{' 0' * count}", "Both arguments are taken to be 0."),
                    Step("grind", GRIND),
                )
            )
    return tuple(found)


def _arity(claim: Term) -> int:
    count = 0
    while claim.is_binder("∀"):
        count += 1
        claim = claim.body
    return count if claim.is_sign("=") else 0


def step_closers(goal: Goal, variable: str, hypothesis: str, bound: str = "", least: int = 0) -> tuple[Proof, ...]:
    """What may close an induction step."""
    found: list[Proof] = []
    before: list[Step] = []
    recurrences = [fact for fact in goal.facts if fact.name != hypothesis and fact.claim.is_binder("∀")]
    sums = [
        lemma
        for term in subterms(goal.target)
        if term.kind == "bind" and (lemma := _SUMS.get((term.name, term.right.left.name if term.right.parts else "")))
    ]
    if goal.about(RAT) and goal.has("/"):
        positive = f"have {goal.fresh('hq')} : (0 : ℚ) ≤ {variable} := Rat.natCast_nonneg"
        before.append(Step(positive, "No denominator is 0.", spare=True))
    if bound and goal.has("^"):
        product = f"{least} * {variable} ≤ {variable} * {variable}"
        said = f"Since `{least} ≤ {variable}`, also `{product}`."
        multiplied = f"have {goal.fresh('hp')} : {product} := Nat.mul_le_mul_right {variable} {bound}"
        before.append(Step(multiplied, said, spare=True))
    if sums:
        found.extend(_sum_steps(goal, sums[0], hypothesis, tuple(before)))
    for fact in recurrences:
        found.extend(_recurrence_steps(goal, fact, variable, hypothesis, tuple(before)))
    if not sums and not recurrences:
        found.append(tactic("omega", OMEGA))
        if goal.has("^"):
            power = "Int.pow_succ" if goal.about(INT) else "Rat.pow_succ" if goal.about(RAT) else "Nat.pow_succ"
            said = "The power is taken apart."
            found.append((*before, Step(f"rw [{power}]", said), Step("grind", GRIND)))
            expand = f"simp only [{power}, Nat.mul_add, Nat.mul_one] at {hypothesis} ⊢"
            found.append((*before, Step(expand, said), Step("omega", OMEGA)))
        found.append((*before, Step("grind", GRIND)))
    return tuple(found)


def _sum_steps(goal: Goal, lemma: str, hypothesis: str, before: tuple[Step, ...]) -> Iterator[Proof]:
    said = "The last term is split off, and the induction hypothesis is put in."
    rest = Step("grind", "What remains is an identity of expressions in one variable, which `grind` checks.")
    linear = Step("omega", OMEGA)
    yield (*before, Step(f"rw [{lemma}, {hypothesis}]", said), rest)
    if goal.about(NAT) and not goal.about(RAT):
        yield (*before, Step(f"rw [{lemma}]", "The last term is split off."), linear)
    yield (*before, Step(f"rw [{lemma}, Nat.mul_add, {hypothesis}]", said), rest)
    yield (*before, Step(f"rw [{lemma}, ← Nat.mul_assoc, {hypothesis}]", said), rest)
    yield (*before, Step(f"rw [{lemma}]", "The last term is split off."), rest)
    bare = lemma.split(" ")[0]
    yield (*before, Step(f"grind [{bare}]", "The last term is split off, and the rest is computed."))


def _recurrence_steps(
    goal: Goal, fact: Fact, variable: str, hypothesis: str, before: tuple[Step, ...]
) -> Iterator[Proof]:
    put_in = f"The recurrence `{fact.name}` and the induction hypothesis are put in."
    two = fact.claim.body.is_binder("∀")
    arguments = f"{variable} 1" if two else variable
    if not two:
        yield (*before, Step(f"rw [{fact.name}, {hypothesis}]", put_in), Step("rfl", DEFINITION))
        yield (*before, Step(f"rw [{fact.name}, {hypothesis}]", put_in), Step("omega", OMEGA))
        yield (*before, Step(f"rw [{fact.name}, {hypothesis}]", put_in), Step("grind", GRIND))
        yield (*before, Step(f"rw [{fact.name}]", f"The recurrence `{fact.name}` is put in."), Step("omega", OMEGA))
    used = goal.fresh("hr")
    named = Step(f"have {used} := {fact.name} {arguments}", f"The given `{fact.name}` is used at `{arguments}`.")
    yield (*before, named, Step("omega", OMEGA))
    if goal.has("%", "≡", "∣"):
        lemmas = "Nat.add_mod, Nat.mul_mod, Nat.pow_mod"
        if goal.about(INT):
            lemmas = "Int.add_emod, Int.sub_emod, Int.mul_emod, Int.pow_succ"
        said = f"{put_in} Remainders are computed with."
        if goal.has("≡"):
            kind = "Int.ModEq" if goal.about(INT) else "Nat.ModEq"
            unfold = Step(f"simp only [{kind}] at {hypothesis} ⊢")
            yield (*before, unfold, Step(f"simp [{fact.name}, {lemmas}, {hypothesis}]", said))
        yield (*before, Step(f"simp [{fact.name}, {lemmas}, {hypothesis}]", said))
    if goal.has("^"):
        power = "Rat.pow_succ" if goal.about(RAT) else "Int.pow_succ" if goal.about(INT) else "Nat.pow_succ"
        yield (*before, named, Step(f"rw [{power}]", "The power is taken apart."), Step("grind", GRIND))
    yield (*before, named, Step("grind", GRIND))


# --- a stronger claim ----------------------------------------------------------------------------


def _strengthened(goal: Goal, variable: str) -> Iterator[Proof]:
    """A bound from a recurrence `f (n + 1) ≥ q * f n + d`: the best bound is shown by induction, and implies it."""
    target = goal.target
    if not target.is_sign("≤", "≥", "<", ">"):
        return
    called = next((term for term in subterms(target) if term.kind == "call" and term.left.name in goal.domains), None)
    if called is None or called.parts[1:] != (name(variable),):
        return
    function = called.left.name
    start, step = None, None
    for fact in goal.facts:
        if fact.claim.is_sign("≤", "≥"):
            start = _bounded(fact.claim, f"{function} 0") or start
        elif fact.claim.is_binder("∀") and fact.claim.body.is_sign("≤", "≥"):
            step = _bounded(fact.claim.body, f"{function} ({fact.claim.variable} + 1)") or step
            before = f"{function} {fact.claim.variable}"
    if start is None or step is None or start[0] != step[0] or set(step[1]) - {(), (before,)}:
        return
    first, factor, rest = (
        start[1].get((), Fraction(0)),
        step[1].get((before,), Fraction(0)),
        step[1].get((), Fraction(0)),
    )
    if set(start[1]) - {()} or factor <= 0:
        return
    powers: dict[str, Term] = {}
    if factor == 1:
        form = polynomials.add(polynomials.constant(first), polynomials.atom(variable), rest)
    else:
        fixed = rest / (1 - factor)
        power = sign("^", polynomials.write(polynomials.constant(factor)), name(variable))
        form = polynomials.add(polynomials.constant(fixed), polynomials.atom(str(power)), first - fixed)
        powers[str(power)] = power
    claim = sign(start[0], called, polynomials.write(form, powers))
    if claim == target:
        return
    key = goal.fresh("key")
    inner: Proof = (Step(f"intro {variable}"), *_simple(goal.to(claim), variable))
    used = Step(f"have {goal.fresh('hk')} := {key} {variable}")
    yield (
        Step(f"have {key} : ∀ {variable} : ℕ, {claim} := by", "A stronger claim is shown.", (Case("", inner),)),
        used,
        Open(goal, (tactic("omega", OMEGA), tactic("grind", GRIND)), last=True),
    )


def _bounded(claim: Term, what: str) -> tuple[str, Polynomial] | None:
    """Sign and bound, where a claim says how something is bounded."""
    left, right = claim.parts
    if str(left) == what:
        return claim.name, polynomials.expand(right)
    return (_TURNED[claim.name], polynomials.expand(left)) if str(right) == what else None


# --- two steps at a time -------------------------------------------------------------------------


def _looks_back_twice(goal: Goal) -> bool:
    for fact in goal.facts:
        claim = fact.claim
        if claim.is_binder("∀") and claim.body.is_sign("=", "≤", "≥", "<", ">"):
            variable = claim.variable
            for term in subterms(claim.body):
                if term.kind == "call" and sign("+", name(variable), number(2)) in term.parts[1:]:
                    return True
    return False


def _two_steps(goal: Goal, variable: str) -> Proof:
    """Induction on the claim for two numbers in a row."""
    later = sign("+", name(variable), number(1))
    both = sign("∧", goal.target, substitute(goal.target, {variable: _cast_later(later)}))
    key = goal.fresh("key")
    recurrence = next(fact for fact in reversed(goal.facts) if fact.claim.is_binder("∀"))
    others = ", ".join(fact.name for fact in goal.facts if fact is not recurrence)
    base = goal.to(substitute(both, {variable: number(0)}))
    step = goal.to(substitute(goal.target, {variable: sign("+", later, number(1))}))
    step = step.let(Variable(variable, name(NAT)))
    both_hold, this, next_ = goal.fresh("ih"), goal.fresh("ih₁"), goal.fresh("ih₂")
    put_in = f"The recurrence `{recurrence.name}` and both hypotheses are put in."
    using = Step(f"have {goal.fresh('hr')} := {recurrence.name} {variable}", put_in)
    closing = (
        (Step(f"rw [{recurrence.name}, {this}, {next_}]", put_in), Step("grind", GRIND)),
        (using, Step("grind", GRIND)),
        (using, Step("omega", OMEGA)),
    )
    starting = (
        tactic(f"simp [{others}]", "The given values settle it."),
        tactic("grind", GRIND),
        tactic("omega", OMEGA),
    )
    cases = (
        Case("| zero =>", (Open(base, starting, last=True),), "At 0"),
        Case(
            f"| succ {variable} {both_hold} =>",
            (
                Step(f"obtain ⟨{this}, {next_}⟩ := {both_hold}"),
                Step(f"refine ⟨{next_}, ?_⟩", "The first half is the hypothesis."),
                Open(step, closing, last=True),
            ),
            "In the step",
        ),
    )
    induction = Step(f"induction {variable} with", "", cases)
    said = f"The claim is shown for `{variable}` and `{later}` together, by induction on `{variable}`."
    inner: Proof = (Step(f"intro {variable}"), induction)
    return (
        Step(f"have {key} : ∀ {variable} : ℕ, {both} := by", said, (Case("", inner),)),
        Step(f"exact ({key} {variable}).1", "Its first half is the claim."),
    )


def _cast_later(later: Term) -> Term:
    """`n + 1` as a natural number, wherever it is put."""
    return Term("cast", "", (later, name(NAT)))
