"""Moves that follow the shape of a goal: introduce, take apart what is given, split what is to be shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pythagoras.generate.searching.closers import LINEAR, closers, open_goal, tactic
from pythagoras.generate.searching.goals import Goal, Variable
from pythagoras.generate.searching.proofs import Case, Open, Proof, Step, joined
from pythagoras.generate.searching.terms import (
    HOLE,
    RELATIONS,
    Term,
    call,
    conjuncts,
    free,
    name,
    sign,
    substitute,
    subterms,
)
from pythagoras.generate.searching.values import RAT

_EXTREMES = {"IsLeast": "≤", "IsGreatest": "≥"}


def introduced(goal: Goal) -> tuple[list[Step], Goal]:
    """The goal behind all its quantifiers, premises and `let`s, with the step that takes them in."""
    patterns: list[str] = []
    said: list[str] = []
    while True:
        target = goal.target
        if target.is_binder("∀"):
            goal, variable = _named(goal, target.variable, target.left, target.body)
            patterns.append(variable)
        elif target.is_binder("let"):
            goal = goal.let(Variable(target.variable, target.left, target.right)).to(target.body)
            patterns.append(target.variable)
        elif target.is_sign("→"):
            goal, pattern = taken(goal.to(target.right), target.left)
            patterns.append(pattern)
            said.append(str(target.left))
        elif target.is_sign("¬"):
            goal, pattern = taken(goal.to(name("False")), target.left)
            patterns.append(pattern)
            said.append(str(target.left))
        elif target.is_sign("≠"):
            goal, pattern = taken(goal.to(name("False")), sign("=", *target.parts))
            patterns.append(pattern)
            said.append(str(sign("=", *target.parts)))
        elif target.is_call("Function.Injective") and len(target.parts) == 2:
            goal, steps = _injective(goal, target.right)
            return [*_introduction(patterns, said), *steps], goal
        elif target.is_call("Function.Surjective") and target.right.is_binder("fun"):
            function = target.right
            goal, variable = _named(goal, "y", function.left, HOLE)
            hit = sign("=", function.body, name(variable))
            goal = goal.to(Term("bind", "∃", (function.left, HOLE, hit), function.variable))
            patterns.append(variable)
        else:
            return _introduction(patterns, said), goal


def _introduction(patterns: list[str], said: list[str]) -> list[Step]:
    if not patterns:
        return []
    words = f"Assume {joined([f'`{each}`' for each in said])}." if said else ""
    tactic = "rintro" if any("⟨" in pattern for pattern in patterns) else "intro"
    return [Step(f"{tactic} {' '.join(patterns)}", words)]


def _named(goal: Goal, wanted: str, type_: Term, body: Term) -> tuple[Goal, str]:
    """The goal about a variable, under a name that is free."""
    variable = goal.fresh(wanted)
    found = body if variable == wanted else substitute(body, {wanted: name(variable)})
    return goal.let(Variable(variable, type_)).to(found), variable


def taken(goal: Goal, claim: Term) -> tuple[Goal, str]:
    """The goal with a claim taken apart into facts, and the pattern that does it."""
    if claim.is_binder("∃"):
        variable = goal.fresh(claim.variable)
        goal = goal.let(Variable(variable, claim.left))
        goal, pattern = taken(goal, substitute(claim.body, {claim.variable: name(variable)}))
        return goal, f"⟨{variable}, {pattern.removeprefix('⟨').removesuffix('⟩') if pattern[0] == '⟨' else pattern}⟩"
    if claim.is_sign("∧"):
        patterns = []
        for part in conjuncts(claim):
            goal, pattern = taken(goal, part)
            patterns.append(pattern)
        return goal, f"⟨{', '.join(patterns)}⟩"
    goal, fact = goal.given(claim)
    return goal, fact.name


def _injective(goal: Goal, function: Term) -> tuple[Goal, list[Step]]:
    domain = function.left if function.kind == "bind" else _first_domain(goal, function.name)
    goal, one = _named(goal, "a", domain, goal.target)
    goal, other = _named(goal, "b", domain, goal.target)
    steps = []
    if function.is_binder("fun"):
        left, right = (substitute(function.body, {function.variable: name(each)}) for each in (one, other))
        goal, fact = goal.given(sign("=", left, right))
        steps.append(Step(f"dsimp only at {fact.name}"))
    else:
        goal, fact = goal.given(
            sign("=", Term("call", "", (function, name(one))), Term("call", "", (function, name(other))))
        )
    said = f"Let `{one}` and `{other}` have the same value; they must be shown to be equal."
    return goal.to(sign("=", name(one), name(other))), [Step(f"intro {one} {other} {fact.name}", said), *steps]


def _first_domain(goal: Goal, function: str) -> Term:
    for variable in goal.variables:
        if variable.name == function and variable.type.is_sign("→"):
            return variable.type.left
    return HOLE


def skeleton(goal: Goal) -> Proof:
    """The goal taken apart as far as its shape says; what is left is open."""
    steps, inner = introduced(goal)
    facts, inner = _apart(inner)
    steps += facts
    cases = _split(inner)
    return (*steps, cases) if cases is not None else (*steps, open_goal(inner))


def _apart(goal: Goal) -> tuple[list[Step], Goal]:
    """Facts that say several things, or that something exists, taken apart."""
    steps = []
    for fact in goal.facts:
        if fact.claim.is_sign("∧") or fact.claim.is_binder("∃"):
            goal, pattern = taken(goal.without([fact.name]), fact.claim)
            steps.append(Step(f"obtain {pattern} := {fact.name}"))
    return steps, goal


def _split(goal: Goal) -> Step | None:
    """A step that leaves cases, with their skeletons."""
    target = goal.target
    if target.is_sign("↔"):
        there = goal.to(sign("→", *target.parts))
        back = goal.to(sign("→", target.right, target.left))
        cases = (
            Case("·", skeleton(there), "From left to right"),
            Case("·", skeleton(back), "From right to left"),
        )
        return Step("constructor", "Both directions are shown.", cases)
    if target.is_sign("∧"):
        parts = conjuncts(target)
        step = "constructor" if len(parts) == 2 else f"refine ⟨{', '.join('?_' for _ in parts)}⟩"
        return Step(
            step, "The parts are shown one by one.", tuple(Case("·", skeleton(goal.to(part))) for part in parts)
        )
    if target.is_call("Function.Bijective"):
        function = target.right
        kinds = ("Function.Injective", "Function.Surjective")
        halves = tuple(Case("·", skeleton(goal.to(call(kind, function)))) for kind in kinds)
        return Step("constructor", "It must be shown to be injective and to reach every value.", halves)
    if target.is_call(*_EXTREMES) and target.right.is_binder("set") and len(target.parts) == 3:
        return _extreme(goal, target)
    return None


def _extreme(goal: Goal, target: Term) -> Step:
    """The least or greatest element of a set: it is in there, and nothing in there is beyond it."""
    inside, element = target.right, target.parts[2]
    member = goal.to(substitute(inside.body, {inside.variable: element}))
    found = open_goal(member)
    variable = goal.fresh(inside.variable)
    other, pattern = taken(
        goal.let(Variable(variable, inside.left)), substitute(inside.body, {inside.variable: name(variable)})
    )
    bound = sign(_EXTREMES[target.left.name], element, name(variable))
    if bound.name == "≥":
        bound = sign("≤", name(variable), element)
    other = other.to(bound)
    shown: Proof = (Step(f"rintro {variable} {pattern}"), Open(other, closers(other)))
    if pattern[0] != "⟨":
        shown = (Step(f"intro {variable} {pattern}"), Step(f"simp only [Set.mem_setOf_eq] at {pattern}"), shown[1])
    cases = (
        Case("·", (Step(f"show {member.target}"), found), f"`{element}` is in the set"),
        Case("·", shown, "Nothing in the set is beyond it"),
    )
    return Step("constructor", "", cases)


def alternatives(goal: Goal) -> Iterator[Proof]:
    """The cases of a fact that says "or"."""
    for fact in goal.facts:
        if fact.claim.is_sign("∨"):
            parts = []
            rest = fact.claim
            while rest.is_sign("∨"):
                parts.append(rest.left)
                rest = rest.right
            parts.append(rest)
            cases = []
            for part in parts:
                facts = tuple(replace(each, claim=part) if each.name == fact.name else each for each in goal.facts)
                cases.append(Case("·", skeleton(replace(goal, facts=facts)), f"If `{part}`"))
            pattern = " | ".join([fact.name] * len(parts))
            yield (Step(f"rcases {fact.name} with {pattern}", "The cases are looked at one by one.", tuple(cases)),)
            return


def substituted(goal: Goal) -> Iterator[Proof]:
    """Variables that are given as something else, replaced by it."""
    used = []
    for fact in goal.facts:
        claim = fact.claim
        if not claim.is_sign("="):
            continue
        for side, other in (claim.parts, claim.parts[::-1]):
            known = {variable.name for variable in goal.variables if variable.value is None}
            if side.kind == "name" and side.name in known and side.name not in free(other):
                goal = goal.without([fact.name]).replaced(side.name, other)
                used.append(fact.name)
                break
    if used:
        yield (Step(f"subst {' '.join(used)}", "What is given is put in."), open_goal(goal))


def cast_up(goal: Goal) -> Iterator[Proof]:
    """A claim about whole numbers from facts about the same numbers as fractions."""
    target = goal.target
    given = any(term.kind == "cast" and term.right == name(RAT) for fact in goal.facts for term in subterms(fact.claim))
    if not given or not target.is_sign(*RELATIONS) or RAT in goal.domains.values():
        return
    claim = sign(target.name, Term("cast", "", (target.left, name(RAT))), target.right)
    inner, fact = goal.given(claim)
    shown = Open(inner.to(claim), (tactic("grind", LINEAR),), last=True)
    step = Step(f"have {fact.name} : {claim} := by", "It is shown for fractions first.", (Case("", (shown,)),))
    yield (step, Step(f"exact_mod_cast {fact.name}", "Whole numbers are equal when they are as fractions."))
