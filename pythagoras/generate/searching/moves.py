"""All moves that fit a goal, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pythagoras.generate.searching import divisors, equations, finite, functions, inequalities, residues
from pythagoras.generate.searching.closers import tactic
from pythagoras.generate.searching.goals import Goal
from pythagoras.generate.searching.inductions import inductions
from pythagoras.generate.searching.proofs import Open, Proof
from pythagoras.generate.searching.structure import alternatives, cast_up, skeleton, substituted
from pythagoras.generate.searching.values import RAT, Tired
from pythagoras.generate.searching.witnesses import witnesses

_MOVES = (
    residues.hidden_divisor,
    witnesses,
    alternatives,
    finite.truth_table,
    finite.pigeonhole,
    finite.binomials,
    functions.uses,
    residues.powers,
    inductions,
    divisors.multiples,
    divisors.greatest,
    divisors.in_product,
    residues.residues,
    equations.roots,
    inequalities.squares,
    inequalities.by_size,
    finite.between,
    substituted,
    cast_up,
)


_CAN_NOT = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError, Tired)
"""What a move raises that meets something it was not made for: too deep, too large, of another shape."""


def moves(goal: Goal, reverse: bool = False) -> Iterator[Proof]:
    """Plans for a goal that no single tactic closes. What its shape says comes first, in either order."""
    for move in (_apart, *(reversed(_MOVES) if reverse else _MOVES)):
        yield from _made(move, goal)


def _made(move: Callable[[Goal], Iterator[Proof]], goal: Goal) -> Iterator[Proof]:
    """The plans of a move, up to the first that it can't make. A strange goal must not end the search."""
    plans = move(goal)
    while True:
        try:
            plan = next(plans, None)
        except _CAN_NOT:
            return
        if plan is None:
            return
        yield plan


def _apart(goal: Goal) -> Iterator[Proof]:
    apart = skeleton(goal)
    if not isinstance(apart[0], Open):
        yield apart


def last_resort(hole: Open) -> Proof:
    """What is written for a goal that nothing has closed yet: it may hold, and else Lean says why not.

    Nobody has asked about it, so its words are true either way.
    """
    name = _fitting(hole.goal)
    return tactic(name, f"What is left is for `{name}`.")


def _fitting(goal: Goal) -> str:
    """The tactic that such goals most often fall to."""
    if goal.target.is_binder("∃", "∃!"):
        return "simp"
    others = {variable.name for variable in goal.variables} - goal.domains.keys()  # real numbers, sets, propositions
    if goal.about(RAT) or (goal.numbers and (goal.has("^") or others & goal.mentioned)):
        return "grind"
    return "omega" if goal.numbers else "simp_all"
