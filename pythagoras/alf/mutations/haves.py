"""Lemmas that a proof has stated on its way: its `have`s, instances of what it cites, what one rewriting says.

Each is a theorem of its own with the context that it needs (`states.needed`), and true: Lean has seen its proof. That
holds of a branch, too, that the proof has given up later.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from pythagoras.alf.mutations.outlines import names_in
from pythagoras.alf.states import Entry, State, meaning, named_by, needed, read_state, written
from pythagoras.alf.traces import RULE, Step, Trace
from pythagoras.alf.variants import Category, Made, Operator, Parent, Promise
from pythagoras.language.meaning import Apply, Claim
from pythagoras.lean.tokens import tokens


def stated(trace: Trace) -> Iterator[tuple[int, Step, State, Entry]]:
    """The `have`s: where, the step, the goal before it, and what it brought."""
    for at, step in enumerate(trace.steps):
        if step.text.startswith("have") and step.before and len(step.before) == len(step.after):  # it leaves nothing
            before, after = read_state(step.before[0]), read_state(step.after[0])
            if before is not None and after is not None:
                new = [entry for entry in after.entries if not entry.is_data and entry not in before.entries]
                if len(new) == 1 and len(after.entries) == len(before.entries) + 1:
                    yield at, step, before, new[0]


def _halves(text: str) -> tuple[bool, str]:
    """Of a `have`: whether it says what it states, and its proof."""
    line = [one for one in tokens(text) if one.depth == 0]
    value = next((one for one in line if one.text == ":="), None)
    typed = any(one.text == ":" for one in line if value is None or one.start < value.start)
    return typed, "" if value is None else text[value.end :]


def _have_alone(parent: Parent, rng: Random) -> Iterator[Made]:
    yield from _haves(parent, rng, typed=True)


def _lemma_instance(parent: Parent, rng: Random) -> Iterator[Made]:
    yield from _haves(parent, rng, typed=False)


def _haves(parent: Parent, rng: Random, *, typed: bool) -> Iterator[Made]:
    if parent.trace is None:
        return
    found = [one for one in stated(parent.trace) if _halves(one[1].text)[0] is typed]
    for at, step, before, new in rng.sample(found, len(found)):
        value = _halves(step.text)[1].strip()
        inside = parent.trace.inside(at)
        named = named_by(inside, "" if value.startswith("by") else value)
        made = written(needed(before.aiming(new.type), named, rng))
        if made is not None:
            yield made


def _rewriting(parent: Parent, rng: Random) -> Iterator[Made]:
    """That the goal before one rewriting and the goal after it are equivalent.

    Which part of the goal the rule is about is not known: the smallest one that changes may be inside of it, and need
    not be equal to what becomes of it.
    """
    if parent.trace is None:
        return
    rules = [at for at, step in enumerate(parent.trace.steps) if step.kind == RULE]
    for at in rng.sample(rules, len(rules)):
        step = parent.trace.steps[at]
        made = _rule(step, named_by(parent.trace.inside(at), step.text), rng)
        if made is not None:
            yield made


def _rule(step: Step, named: frozenset[str] | None, rng: Random) -> Made | None:
    if len(step.before) != 1 or len(step.after) != 1:
        return None
    before, after = read_state(step.before[0]), read_state(step.after[0])
    if before is None or after is None or before.entries != after.entries:
        return None
    if step.text.strip("← ") in before.names:  # it would say what the hypothesis says
        return None
    one, other = meaning(before), meaning(after)
    context = meaning(needed(before, names_in(before.target) | (named or before.names), rng))
    if one is None or other is None or context is None:
        return None
    return Claim(context.variables, context.hypotheses, Apply("iff", (one.goal, other.goal)))


OPERATORS = (
    Operator(
        "have_alone",
        Category.LEMMA,
        Promise.TRUE,
        "a `have` of the proof as a theorem with the context that it uses",
        _have_alone,
        of_proof=True,
    ),
    Operator(
        "lemma_instance",
        Category.LEMMA,
        Promise.TRUE,
        "a lemma or hypothesis that the proof cites, at the terms that it is used for",
        _lemma_instance,
        of_proof=True,
    ),
    Operator(
        "rewriting",
        Category.LEMMA,
        Promise.TRUE,
        "what one rewriting of the proof says: the goals before and after it are equivalent",
        _rewriting,
        of_proof=True,
    ),
)
