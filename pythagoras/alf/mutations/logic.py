"""Reformulations by logic: the same hypotheses and the same goal, put together in another way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from pythagoras.alf.mutations.outlines import mentioned
from pythagoras.alf.mutations.places import rewriting
from pythagoras.alf.mutations.sequents import FALSE, Given, Scope, Sequent, denied, is_proposition, reformulation
from pythagoras.language.changes.terms import conjuncts, unfolded
from pythagoras.language.meaning import Apply, Bind, Term


def contrapositive(found: Sequent, rng: Random) -> Iterator[Sequent]:
    places = [at for at, one in enumerate(found.hypotheses) if is_proposition(one)]
    goal = denied(unfolded(found.goal), found.scope)
    for at in rng.sample(places, len(places)):
        yield found.without(at).supposing(goal).proving(denied(found.hypotheses[at], found.scope))


def supposed_false(found: Sequent, rng: Random) -> Iterator[Sequent]:
    if found.goal != FALSE:
        yield found.supposing(denied(unfolded(found.goal), found.scope)).proving(FALSE)


# --- before the colon and behind it -------------------------------------------------------------------


def hypotheses_behind_colon(found: Sequent, rng: Random) -> Iterator[Sequent]:
    count = len(found.given)
    for left in rng.sample(range(count), count):
        yield _behind(found, left)
    own = tuple(one for one in found.variables if one.type != "Prop")
    if own and len(own) == len(found.variables) and not found.before:
        yield replace(_behind(found, 0), variables=(), goal=Bind("∀", own, _behind(found, 0).goal))


def _behind(found: Sequent, left: int) -> Sequent:
    """With all hypotheses but the first few as premises of the goal."""
    goal = found.goal
    for one in reversed(found.hypotheses[left:]):
        goal = Apply("implies", (one, goal))
    return replace(found, given=found.given[:left], goal=goal)


def premises_before_colon(found: Sequent, rng: Random) -> Iterator[Sequent]:
    opened = found
    taken = {one.name for one in found.variables} | {one.name for one in found.given}
    while True:
        match opened.goal:
            case Apply("implies", (premise, conclusion)):
                opened = opened.supposing(premise).proving(conclusion)
            case Bind("∀", own, body) if not {one.name for one in own} & taken and all(one.type != "_" for one in own):
                opened = opened.introducing(*own).proving(body)
                taken |= {one.name for one in own}
            case Apply("not", (inner,)) if is_proposition(inner):
                opened = opened.supposing(inner).proving(FALSE)
            case _:
                break
    if opened != found:
        yield opened


# --- hypotheses ---------------------------------------------------------------------------------------


def reordered_hypotheses(found: Sequent, rng: Random) -> Iterator[Sequent]:
    if len(found.given) > 1:
        yield replace(found, given=(*found.given[1:], found.given[0]))
        yield replace(found, given=found.given[::-1])
        yield replace(found, given=tuple(rng.sample(found.given, len(found.given))))


def joined_hypotheses(found: Sequent, rng: Random) -> Iterator[Sequent]:
    places = [at for at in range(len(found.given) - 1) if all(map(is_proposition, found.hypotheses[at : at + 2]))]
    for at in rng.sample(places, len(places)):
        parts = tuple(part for one in found.hypotheses[at : at + 2] for part in conjuncts(one))
        both = Given(Apply("and", parts), found.given[at].name)
        yield replace(found, given=(*found.given[:at], both, *found.given[at + 2 :]))


def split_hypothesis(found: Sequent, rng: Random) -> Iterator[Sequent]:
    for at, one in enumerate(found.hypotheses):
        parts = conjuncts(one)
        if len(parts) > 1:
            yield found.exchanged(at, *parts)


# --- connectives --------------------------------------------------------------------------------------


def _disjunction(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("or", (first, *others)):
            rest = others[0] if len(others) == 1 else Apply("or", tuple(others))
            yield Apply("implies", (denied(first, scope), rest))
        case Apply("implies", (premise, conclusion)):
            yield Apply("or", (denied(premise, scope), conclusion))


def _turned_implication(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("implies", (premise, conclusion)):
            yield Apply("implies", (denied(conclusion, scope), denied(premise, scope)))
        case Apply("iff", (left, right)):
            yield Apply("iff", (denied(left, scope), denied(right, scope)))


def _two_implications(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("iff", (left, right)):
            yield Apply("and", (Apply("implies", (left, right)), Apply("implies", (right, left))))


def _moved_negation(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("not", (Bind("∃" | "∀" as sign, own, body) as inner,)):
            yield Bind("∀" if sign == "∃" else "∃", own, denied(body, scope.inside(inner)))
        case Apply("not", (Apply("and", parts),)):
            yield Apply("or", tuple(denied(one, scope) for one in parts))
        case Apply("not", (Apply("or", parts),)):
            yield Apply("and", tuple(denied(one, scope) for one in parts))
        case Apply("not", (Apply("implies", (premise, conclusion)),)):
            yield Apply("and", (premise, denied(conclusion, scope)))
        case Bind("∃" | "∀" as sign, own, body) if {one.name for one in own} <= mentioned(body):
            opposite = Bind("∀" if sign == "∃" else "∃", own, denied(body, scope.inside(term)))
            yield Apply("not", (opposite,))


OPERATORS = (
    reformulation("contrapositive", "a hypothesis and the goal change places, both negated", contrapositive),
    reformulation("supposed_false", "the goal's negation is given, and a contradiction is to be found", supposed_false),
    reformulation("hypotheses_behind_colon", "hypotheses become premises of the goal", hypotheses_behind_colon),
    reformulation("premises_before_colon", "premises of the goal become hypotheses", premises_before_colon),
    reformulation("reordered_hypotheses", "hypotheses stand in another order", reordered_hypotheses),
    reformulation("joined_hypotheses", "two hypotheses become one", joined_hypotheses),
    reformulation("split_hypothesis", "a hypothesis becomes several", split_hypothesis),
    reformulation("disjunction_as_implication", "`A ∨ B` is `¬A → B`, or back", rewriting(_disjunction)),
    reformulation("turned_implication", "`A → B` is `¬B → ¬A` inside of the statement", rewriting(_turned_implication)),
    reformulation("two_implications", "an equivalence is said in both directions", rewriting(_two_implications)),
    reformulation("moved_negation", "a negation goes through a quantifier or connective", rewriting(_moved_negation)),
)
