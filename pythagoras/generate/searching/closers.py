"""Tactics that may close a goal by themselves, chosen by what the goal speaks of: cheap ones first."""

from __future__ import annotations

from collections.abc import Sequence

from pythagoras.generate.searching.goals import Goal
from pythagoras.generate.searching.kernel import MOST, work
from pythagoras.generate.searching.proofs import Open, Proof, Step
from pythagoras.generate.searching.terms import RELATIONS, Term, subterms, value
from pythagoras.generate.searching.values import INT, NAT, RAT

_LARGE = (
    "Finset.range",
    "Finset.Icc",
    "Finset.filter",
    ".filter",
    ".card",
    "Nat.divisors",
    "Nat.totient",
    "Nat.digits",
)
OMEGA = "This is linear arithmetic of whole numbers, which `omega` decides."
DECIDE = "Nothing is unknown here, so `decide` computes it."
GRIND = "This follows from what is at hand, and `grind` finds it."
LINEAR = "This is linear arithmetic, which `grind` does."
EXPAND = "Both sides are the same when they are expanded, which `grind` checks."
LOGIC = "This is a matter of logic: `grind` goes through the cases."
SIMP = "Simplifying settles it."
DEFINITION = "Both sides are the same by definition."


def tactic(text: str, said: str = "") -> Proof:
    """A closer of one step."""
    return (Step(text, said),)


def closers(goal: Goal) -> tuple[Proof, ...]:
    """What may close the goal."""
    return (*cheap(goal), *dear(goal))


def cheap(goal: Goal) -> tuple[Proof, ...]:
    """Tactics that succeed or fail within some milliseconds."""
    found: list[Proof] = []
    if goal.is_closed and not _has_unbounded(goal.target):
        found.extend(by_kernel([goal.target]) if is_large(goal) else [tactic("decide", DECIDE)])
    else:
        found.append(tactic("rfl", DEFINITION))
    if goal.about(NAT) or goal.about(INT) or goal.is_closed:
        found.append(tactic("omega", OMEGA))
    found.append(tactic("simp", SIMP))
    if equations := _equations(goal):
        found.append(
            tactic(f"simp [{', '.join(equations)}]", "The given equations are put in, and the rest is computed.")
        )
    return tuple(found)


def dear(goal: Goal) -> tuple[Proof, ...]:
    """Tactics that search."""
    return (tactic("grind", grind_said(goal)),)


def dearer(goal: Goal) -> tuple[Proof, ...]:
    """What is left to try when nothing else helped: more of the same, and tactics that change every fact."""
    rest = (Step("simp_all", "All facts are simplified by each other."), Step("omega", OMEGA))
    return (
        tactic("simp_all", "All facts are simplified by each other."),
        *(((Step("intros"), *rest), rest) if goal.about(NAT) or goal.about(INT) else ()),
        *by_kernel([goal.target]),
        tactic("grind (splits := 20) (gen := 12)", grind_said(goal)),
    )


def by_kernel(claims: Sequence[Term], times: int = 1, before: str = "", said: str = DECIDE) -> tuple[Proof, ...]:
    """That the kernel decides claims so many times; nothing where it may not come to an end."""
    if times * sum(map(work, claims)) > MOST:
        return ()
    return (tactic(f"{before}decide +kernel", said),)


def is_for_search(goal: Goal) -> bool:
    """Whether a tactic that searches has a chance at once: not where a witness or an induction is called for."""
    target = goal.target
    while target.is_binder("∀") or target.is_sign("→"):
        target = target.parts[-1]
    if target.is_binder("∃", "∃!") or goal.has("∑", "∏", "Nat.gcd", "Nat.lcm", "Nat.Coprime", "Nat.choose"):
        return False
    powers = (term.right for term in subterms(target) if term.is_sign("^"))
    return all(value(exponent) is not None for exponent in powers)


def open_goal(goal: Goal) -> Open:
    return Open(goal, closers(goal))


def grind_said(goal: Goal) -> str:
    """What `grind` does for such a goal, in words."""
    if not goal.has(*RELATIONS, "∣", "≡", "%"):
        return LOGIC
    if goal.target.is_sign("=") and not goal.facts:
        return EXPAND
    if goal.about(RAT) and not goal.has("^"):
        return LINEAR
    return GRIND


def is_large(goal: Goal) -> bool:
    """Whether computing it takes more than a few steps, or fractions, which only the kernel computes."""
    numbers = (value(term) for term in subterms(goal.target))
    return goal.has(*_LARGE, "∑", "∏", RAT) or any(each is not None and abs(each) > 2000 for each in numbers)


def _has_unbounded(term: Term) -> bool:
    """Whether it says something of infinitely many things."""
    return any(
        each.is_binder("∀", "∃", "∃!", "let") or each.is_call("IsLeast", "IsGreatest") for each in subterms(term)
    )


def _equations(goal: Goal) -> list[str]:
    """Facts that say what something is: they can be rewritten with."""
    found = []
    for fact in goal.facts:
        claim = fact.claim
        while claim.is_binder("∀"):
            claim = claim.body
        if claim.is_sign("=") and claim.left.kind in ("call", "name"):
            found.append(fact.name)
    return found
