"""Every symbolic operator by its name."""

from __future__ import annotations

from pythagoras.alf.mutations import (
    cases,
    generalise,
    goals,
    graph,
    haves,
    kinds,
    lemmas,
    logic,
    numbers,
    rearrange,
    relations,
    series,
    simplify,
    steps,
)
from pythagoras.alf.variants import Operator

_GROUPS = (
    simplify.OPERATORS,
    generalise.OPERATORS,
    kinds.OPERATORS,
    logic.OPERATORS,
    relations.OPERATORS,
    rearrange.OPERATORS,
    series.OPERATORS,
    numbers.OPERATORS,
    cases.OPERATORS,
    haves.OPERATORS,
    goals.OPERATORS,
    lemmas.OPERATORS,
    steps.OPERATORS,
    graph.OPERATORS,
)

OPERATORS: dict[str, Operator] = {operator.name: operator for group in _GROUPS for operator in group}
"""Each group is the `OPERATORS` of a module beside this one."""
