"""Goals of a proof as theorems: what a tactic leaves, what a nested block proves, cases, induction, single steps.

A goal that Lean has seen closed is true in its context, and a trace has no others: not those of branches that a proof
has given up. What an operator leaves out of the context can't matter (`states.needed`), so that all of them promise
truth.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from pythagoras.alf.mutations.haves import stated
from pythagoras.alf.mutations.steps import base_case, step_case
from pythagoras.alf.states import Entry, State, needed, read_state, written
from pythagoras.alf.traces import ARM, RULE, Step
from pythagoras.alf.variants import Category, Made, Operator, Parent, Promise

_SPLITTING = frozenset({"rcases", "cases", "obtain", "rcasesPatMed", "tacticBy_cases_", "split", "constructor"})
_NO_STEP = frozenset({RULE, ARM, "refine", "constructor", "intro", "rintro", "induction"})


def _posed(goals: list[str], rng: Random) -> Iterator[Made]:
    """Goals as theorems, in a random order."""
    different = list(dict.fromkeys(goals))
    for goal in rng.sample(different, len(different)):
        state = read_state(goal)
        made = None if state is None else written(needed(state, None, rng))
        if made is not None:
            yield made


def _goal_after(parent: Parent, rng: Random) -> Iterator[Made]:
    steps = () if parent.trace is None else parent.trace.steps
    plain = (one for one in steps if one.kind not in (RULE, ARM) and one.kind not in _SPLITTING)
    yield from _posed([one.after[0] for one in plain if one.after and not one.text.startswith("have")], rng)


def _goal_with_have(parent: Parent, rng: Random) -> Iterator[Made]:
    if parent.trace is not None:
        found = [step.after[0] for _, step, _, _ in stated(parent.trace)]
        yield from _posed(found[-3:], rng)


def _nested_goal(parent: Parent, rng: Random) -> Iterator[Made]:
    """What is proved inside of another step, and is not what a step before it left."""
    steps = () if parent.trace is None else parent.trace.steps
    left: set[str] = set()
    found: list[str] = []
    for step in steps:
        if step.depth > 0 and step.before and step.before[0] not in left and step.kind not in (RULE, ARM):
            found.append(step.before[0])
        left.update((*step.before, *step.after))
    yield from _posed(found, rng)


def _case(parent: Parent, rng: Random) -> Iterator[Made]:
    steps = () if parent.trace is None else parent.trace.steps
    split = (one for one in steps if one.kind in _SPLITTING and len(one.after) > len(one.before))
    yield from _posed([goal for one in split for goal in one.after if goal not in one.before], rng)


def _induction(parent: Parent, rng: Random, *, is_step: bool) -> Iterator[Made]:
    """An arm of an induction: with a hypothesis that was not there before, or without."""
    if parent.trace is None:
        return
    for at, step in enumerate(parent.trace.steps):
        if step.kind == "induction" and step.before:
            before = read_state(step.before[0])
            arms = [one for one in parent.trace.inside(at) if one.kind == ARM]
            begun = [one for one in arms if one.before and one.before != step.before]
            found = [one.before[0] for one in begun if _has_new(one, before) is is_step]
            yield from _posed(found, rng)


def _has_new(arm: Step, before: State | None) -> bool:
    state = read_state(arm.before[0])
    if state is None or before is None:
        return False
    return sum(not entry.is_data for entry in state.entries) > sum(not entry.is_data for entry in before.entries)


def _base(parent: Parent, rng: Random) -> Iterator[Made]:
    yield from _induction(parent, rng, is_step=False)
    if parent.claim is not None:
        yield from base_case(parent.claim, rng)


def _step(parent: Parent, rng: Random) -> Iterator[Made]:
    yield from _induction(parent, rng, is_step=True)
    if parent.claim is not None:
        yield from step_case(parent.claim, rng)


def _one_step(parent: Parent, rng: Random) -> Iterator[Made]:
    """The goal before a tactic, supposing the goal after it."""
    steps = () if parent.trace is None else parent.trace.steps
    found = [one for one in steps if one.kind not in _NO_STEP and len(one.before) == len(one.after) == 1]
    for step in rng.sample(found, len(found)):
        before, after = read_state(step.before[0]), read_state(step.after[0])
        if before is not None and after is not None and before.entries == after.entries:
            name = next((name for name in ("hq", "hq₁", "hq₂", "hq₃") if name not in before.names), None)
            if name is None:
                continue
            supposed = before.having((*before.entries, Entry((name,), after.target)))
            made = written(needed(supposed, None, rng))
            if made is not None:
                yield made


OPERATORS = (
    Operator(
        "goal_after",
        Category.DECOMPOSITION,
        Promise.TRUE,
        "the goal that a tactic of the proof leaves, as a theorem",
        _goal_after,
        of_proof=True,
    ),
    Operator(
        "goal_with_have",
        Category.DECOMPOSITION,
        Promise.TRUE,
        "what is left to prove once a `have` of the proof is known",
        _goal_with_have,
        of_proof=True,
    ),
    Operator(
        "nested_goal",
        Category.DECOMPOSITION,
        Promise.TRUE,
        "what a block inside of another step of the proof proves",
        _nested_goal,
        of_proof=True,
    ),
    Operator(
        "case_of_proof",
        Category.DECOMPOSITION,
        Promise.TRUE,
        "one case that the proof distinguishes",
        _case,
        of_proof=True,
    ),
    Operator(
        "induction_base",
        Category.DECOMPOSITION,
        Promise.TRUE,
        "where an induction begins: the proof's, or one that the goal suggests",
        _base,
    ),
    Operator(
        "induction_step",
        Category.DECOMPOSITION,
        Promise.TRUE,
        "the step of an induction: the proof's, or one that the goal suggests",
        _step,
    ),
    Operator(
        "one_step",
        Category.DECOMPOSITION,
        Promise.TRUE,
        "the goal before a tactic, supposing the goal that it leaves",
        _one_step,
        of_proof=True,
    ),
)
