"""Finitely many cases: numbers between bounds, propositions that hold or not, sums written out, binomials unrolled."""

from __future__ import annotations

from collections.abc import Iterator

from pythagoras.generate.searching import polynomials
from pythagoras.generate.searching.closers import GRIND, OMEGA, by_kernel, tactic
from pythagoras.generate.searching.goals import Goal
from pythagoras.generate.searching.proofs import Case, Open, Proof, Step
from pythagoras.generate.searching.terms import Term, free, name, number, sign, substitute, subterms, upward, value
from pythagoras.generate.searching.values import NAT

_MOST_VALUES = 25
_MOST_PROPOSITIONS = 4


def between(goal: Goal) -> Iterator[Proof]:
    """A natural number that lies between bounds: every value is looked at."""
    for variable in goal.numbers:
        if goal.domains[variable] != NAT:
            continue
        low, high = 0, None
        steps: list[Step] = []
        relations = [fact.claim for fact in goal.facts]
        target = upward(goal.target)
        if target.is_sign("≤") and value(target.left) is not None and target.right == name(variable):
            denied = goal.fresh("hn")
            relations.append(sign("<", name(variable), target.left))
            steps = [Step("apply Nat.le_of_not_lt", "Suppose that it is smaller."), Step(f"intro {denied}")]
        for claim in relations:
            least, most = _bounds(claim, variable)
            low = max(low, least)
            high = most if high is None or (most is not None and most < high) else high
        others = [
            fact for fact in goal.facts if variable in free(fact.claim) and _bounds(fact.claim, variable) == (0, None)
        ]
        if high is None or not low < high <= low + _MOST_VALUES:
            continue
        fact = goal.fresh("hv")
        values = range(low, high)
        parts = " ∨ ".join(f"{variable} = {each}" for each in values)
        steps.append(Step(f"have {fact} : {parts} := by omega", f"Only {len(values)} values of `{variable}` are left."))
        split = f"rcases {fact} with {' | '.join(['rfl'] * len(values))}"
        if len(values) == 1:
            split = f"subst {fact}"
        reverted = " ".join(each.name for each in others)
        computed = f" <;> revert {reverted}" if reverted else ""
        said = "Each of them is computed."
        claims = [goal.target, *(each.claim for each in others)]
        largest = [substitute(claim, {variable: number(high)}) for claim in claims]
        closers = (
            tactic(f"{split} <;> simp_all", said),
            *by_kernel(largest, len(values), before=f"{split}{computed} <;> ", said=said),
            tactic(f"{split} <;> omega", said),
        )
        yield (*steps, Open(goal, closers, last=True))
        return


def _bounds(claim: Term, variable: str) -> tuple[int, int | None]:
    """The least value that a claim allows, and the first that it does not allow any more."""
    if not claim.is_sign("≤", "<", "≥", ">"):
        return 0, None
    small, large = upward(claim).parts
    strict = claim.name in ("<", ">")
    if large == name(variable) and (bound := value(small)) is not None:
        return bound + strict, None
    if small == name(variable) and (bound := value(large)) is not None:
        return 0, bound + (not strict)
    return 0, None


def truth_table(goal: Goal) -> Iterator[Proof]:
    """Every proposition holds or does not."""
    found = [variable.name for variable in goal.variables if variable.type == name("Prop")]
    if not 1 <= len(found) <= _MOST_PROPOSITIONS:
        return
    splits = " <;> ".join(f"by_cases {goal.fresh(f'h{each}')} : {each}" for each in found)
    listed = ", ".join(f"`{each}`" for each in found)
    said = f"Go through the cases in which {listed} hold or do not."
    yield (Open(goal, (tactic(f"{splits} <;> simp_all", said), tactic(f"{splits} <;> grind", said)), last=True),)


def pigeonhole(goal: Goal) -> Iterator[Proof]:
    """If no value were large, the sum would be too small."""
    target = goal.target
    if not target.is_binder("∃") or not target.body.is_sign("∧"):
        return
    for fact in goal.facts:
        if not any(term.is_binder("∑") for term in subterms(fact.claim)):
            continue
        limit, claim = target.body.parts
        count = value(limit.right) if limit.is_sign("<") and limit.left == name(target.variable) else None
        if count is None or not claim.is_sign("≥", ">", "≤", "<") or count > 12:
            continue
        opposite = {"≥": "<", ">": "≤", "≤": ">", "<": "≥"}[claim.name]
        index, denied, bounds = target.variable, goal.fresh("hn"), goal.fresh("hb")
        claimed = f"∀ {index}, {index} < {count} → {sign(opposite, *claim.parts)}"
        steps = [
            Step("apply Classical.byContradiction"),
            Step(f"intro {denied}", "Suppose that there is none."),
            Step(f"have {bounds} : {claimed} := by", "", (Case("", (Step("grind"),)),)),
            Step(f"simp [Finset.sum_range_succ] at {fact.name}", "The sum is written out."),
        ]
        steps += [Step(f"have {goal.fresh(f'hb{each}')} := {bounds} {each} (by omega)") for each in range(count)]
        yield (*steps, Open(goal, (tactic("omega", "Together the bounds are too small."), tactic("grind")), last=True))


def binomials(goal: Goal) -> Iterator[Proof]:
    """Pascal's rule, and the closed forms of the numbers of pairs and triples."""
    chosen_from = (term for term in subterms(goal.target) if term.is_call("Nat.choose") and len(term.parts) == 3)
    found = list(dict.fromkeys(chosen_from))
    if not found:
        return
    steps: list[Step] = []
    for term in found:
        upper, lower = polynomials.expand(term.parts[1]), value(term.parts[2])
        if lower is None or upper.get((), 0) < 1:
            continue
        below = polynomials.write(polynomials.add(upper, polynomials.constant(1), -1))
        chosen = [f"Nat.choose ({below}) {each}" for each in (lower - 1, lower)]
        if {below} & {other.parts[1] for other in found} and lower > 0:
            fact = goal.fresh(f"hc{len(steps)}")
            said = "By Pascal's rule."
            steps.append(Step(f"have {fact} : {term} = {' + '.join(chosen)} := rfl", said))
    if steps:
        yield (*steps, Open(goal, (tactic("omega", OMEGA), tactic("grind", GRIND)), last=True))
    yield from _closed_forms(goal, found)


_PAIRS = """have {pairs} : ∀ n : ℕ, 2 * Nat.choose (n + 1) 2 = (n + 1) * n := by
  intro n
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [Nat.choose_succ_succ, Nat.choose_one_right]
    grind"""
_TRIPLES = """have {triples} : ∀ n : ℕ, 6 * Nat.choose (n + 2) 3 = (n + 2) * (n + 1) * n := by
  intro n
  induction n with
  | zero => rfl
  | succ n ih =>
    have hp := {pairs} (n + 1)
    rw [Nat.choose_succ_succ]
    grind"""


def _closed_forms(goal: Goal, found: list[Term]) -> Iterator[Proof]:
    lowers = {value(term.parts[2]) for term in found}
    if not lowers <= {1, 2, 3} or not lowers & {2, 3}:
        return
    pairs, triples = goal.fresh("pairs"), goal.fresh("triples")
    steps = [Step(_PAIRS.format(pairs=pairs), "First the number of pairs, by induction.")]
    if 3 in lowers:
        said = "Then the number of triples, by induction and the number of pairs."
        steps.append(Step(_TRIPLES.format(pairs=pairs, triples=triples), said))
    for index, term in enumerate(found):
        lower = value(term.parts[2])
        if lower in (2, 3):
            upper = polynomials.add(polynomials.expand(term.parts[1]), polynomials.constant(lower - 1), -1)
            lemma = pairs if lower == 2 else triples
            steps.append(Step(f"have {goal.fresh(f'hc{index}')} := {lemma} ({polynomials.write(upper)})"))
    yield (*steps, Open(goal, (tactic("grind", "The rest is arithmetic."), tactic("omega", OMEGA)), last=True))
