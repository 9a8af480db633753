"""One-liners for a theorem that rests on what its own text declares: Lean's tactics, told what they may use."""

from __future__ import annotations

from pythagoras.lean import signatures
from pythagoras.lean.signatures import THEOREMS
from pythagoras.lean.statements import Statement
from pythagoras.lean.tokens import Sort, tokens

_DEFINITIONS = frozenset({"def", "abbrev"})
_MOST = 6
"""Names of each kind that tactics are told: the last ones, which are the nearest."""


def hinted(statement: Statement) -> tuple[str, ...]:
    """Tactics with the definitions that the statement is made of, and with the lemmas before it."""
    declared = [one for one in signatures.commands(statement.context) if one.name is not None]
    definitions = [one.name or "" for one in declared if one.word in _DEFINITIONS]
    lemmas = [one.name or "" for one in declared if one.word in THEOREMS][-_MOST:]
    used = _used(statement, definitions)[-_MOST:]
    found = []
    if used:
        unfolded = f"unfold {' '.join(used)}"
        found += [*_with(used), f"{unfolded}; omega", f"{unfolded}; grind", f"{unfolded}; simp"]
    if lemmas:
        found += [*_with([*used, *lemmas]), *(f"exact {name} .." for name in reversed(lemmas))]
    return tuple(found)


def _with(names: list[str]) -> list[str]:
    told = ", ".join(names)
    return [f"{tactic} [{told}]" for tactic in ("simp", "grind", "simp_all")]


def _used(statement: Statement, definitions: list[str]) -> list[str]:
    """The definitions that the statement names, by whatever part of their names."""
    words = {token.text for token in tokens(statement.text) if token.sort is Sort.NAME}
    last = {word.rpartition(".")[2] for word in words}
    return [name for name in definitions if name.rpartition(".")[2] in last]
