"""All moves that fit a goal, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Iterator

from pythagoras.generate.searching import divisors, equations, finite, functions, inequalities, residues
from pythagoras.generate.searching.closers import tactic
from pythagoras.generate.searching.goals import Goal
from pythagoras.generate.searching.inductions import inductions
from pythagoras.generate.searching.proofs import Open, Proof
from pythagoras.generate.searching.structure import alternatives, skeleton, substituted
from pythagoras.generate.searching.values import RAT
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
)


def moves(goal: Goal, reverse: bool = False) -> Iterator[Proof]:
    """Plans for a goal that no single tactic closes. What its shape says comes first, in either order."""
    apart = skeleton(goal)
    if not isinstance(apart[0], Open):
        yield apart
    for move in reversed(_MOVES) if reverse else _MOVES:
        yield from move(goal)


def last_resort(goal: Goal) -> Proof:
    """What is written for a goal that nothing closes, so that Lean says why."""
    if goal.target.is_binder("∃", "∃!"):
        return tactic("simp")
    if not goal.numbers:
        return tactic("simp_all")
    if goal.about(RAT) or goal.has("^"):
        return tactic("grind")
    return tactic("omega")
