"""Every family by name. A new one is a function in the module of its topic and a line in that module's list."""

from __future__ import annotations

from pythagoras.corpus.generator import (
    counting,
    digits,
    divisibility,
    divisors,
    existence,
    functions,
    inequalities,
    linear,
    logic,
    modular,
    parity,
    polynomials,
    recurrences,
    stories,
    sums,
)
from pythagoras.corpus.generator.family import Family

_MODULES = (
    linear,
    divisibility,
    modular,
    parity,
    polynomials,
    inequalities,
    divisors,
    digits,
    recurrences,
    sums,
    existence,
    counting,
    functions,
    stories,
    logic,
)

FAMILIES: dict[str, Family] = {family.name: family for module in _MODULES for family in module.FAMILIES}
"""All families, topic by topic."""

TOPICS: dict[str, tuple[Family, ...]] = {module.TOPIC: module.FAMILIES for module in _MODULES}
"""The families of each topic."""
