"""A statement's tree in a normal form, and a key that does not depend on the order of its hypotheses.

Two statements get one key when they differ in names, in the order of variables and hypotheses, in `a > b` for `b < a`
(`≥`, `≠`, `¬` likewise), in which hypotheses stand before the colon and which before an arrow, in hypotheses joined by
`∧`, in the order of what `∧`, `∨`, `=` and `↔` join. Commuted sums, other bounds and rearranged equations are other
statements. Variables are told apart by colour refinement, so statements that only a regular graph's symmetries tell
apart (`a < b, b < c, c < a` and twice over) may share a key: for decontamination that is the safe side.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Tree: TypeAlias = "str | tuple[Tree, ...]"
"""A leaf, or a head and its parts. Variables are leaves `#0`, `#1`, ..., each bound once.

Heads with a meaning here: `∀` (variable, type, body), `=` and `↔` (parts in any order), `∧` and `∨` (any order and
grouping). The leaf `_` stands for the variable of an arrow. Other heads are words.
"""

_ANY_ORDER = frozenset({"=", "↔", "∧", "∨"})
_GROUPED = frozenset({"∧", "∨"})
_ROUNDS = 4
_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class _Binder:
    variable: str
    type: Tree


def negation(of: Tree) -> Tree:
    """`¬ p` is `p → False`."""
    return ("∀", "_", of, "False")


def order_free_key(statement: Tree) -> str:
    """Equal for statements that are the same up to what the module's docstring says. Empty for a tree too deep."""
    if _depth(statement) > _DEEPEST:
        return ""
    binders, goal = _telescope(statement)
    used = set(_leaves(goal)).union(*(_leaves(binder.type) for binder in binders)) - {"_"}
    parts: list[Tree] = []
    for binder in binders:
        if binder.variable in used:
            parts.append(("∶", binder.variable, binder.type))
        else:
            parts.extend(_conjuncts(binder.type))
    parts.append(("⊢", goal))
    colours = _colours(parts, [binder.variable for binder in binders if binder.variable in used])
    rendered = sorted(_Writer(colours, local=True).write(part) for part in parts)
    return hashlib.md5("\n".join(rendered).encode(), usedforsecurity=False).hexdigest()


def _telescope(tree: Tree) -> tuple[list[_Binder], Tree]:
    """Variables and hypotheses before what is claimed, wherever they stand."""
    binders: list[_Binder] = []
    while isinstance(tree, tuple) and tree[0] == "∀":
        binders.append(_Binder(str(tree[1]), tree[2]))
        tree = tree[3]
    return binders, tree


def _conjuncts(tree: Tree) -> Iterator[Tree]:
    if isinstance(tree, tuple) and tree[0] == "∧":
        for part in tree[1:]:
            yield from _conjuncts(part)
    else:
        yield tree


def _leaves(tree: Tree) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    else:
        for part in tree[1:]:
            yield from _leaves(part)


def _depth(tree: Tree) -> int:
    """How deep it is, as far as that matters."""
    depth, level = 0, [tree]
    while level and depth <= _DEEPEST:
        depth += 1
        level = [part for one in level if isinstance(one, tuple) for part in one[1:]]
    return depth


def _colours(parts: Sequence[Tree], variables: Sequence[str]) -> dict[str, str]:
    """A name for each variable, by where it occurs and with which others; the order of the parts has no say."""
    colours = dict.fromkeys(variables, "")
    occurring = {variable: [part for part in parts if variable in _leaves(part)] for variable in variables}
    for _ in range(_ROUNDS):
        new = {}
        for variable in variables:
            marked = _Writer({**colours, variable: "*"}, local=False)
            seen = "\n".join(sorted(marked.write(part) for part in occurring[variable]))
            new[variable] = hashlib.md5(f"{colours[variable]}\n{seen}".encode(), usedforsecurity=False).hexdigest()[:12]
        finer = len(set(new.values())) > len(set(colours.values()))
        colours = new
        if not finer:
            break
    return colours


class _Writer:
    """Writes a part. With `local`, variables are numbered inside it as well, so that `a < a` and `a < b` differ."""

    def __init__(self, colours: Mapping[str, str], *, local: bool) -> None:
        self._colours = colours
        self._local = local
        self._numbers: dict[str, int] = {}

    def write(self, tree: Tree) -> str:
        self._numbers = {}
        return self._write(tree)

    def _write(self, tree: Tree) -> str:
        if isinstance(tree, str):
            return self._leaf(tree)
        head, parts = str(tree[0]), tree[1:]
        if head == "∀" and not any(leaf == parts[0] for leaf in _leaves(parts[2])):  # an arrow, however it is written
            parts = ("_", *parts[1:])
        if head in _ANY_ORDER:
            flat = [one for part in parts for one in _same_head(part, head)] if head in _GROUPED else list(parts)
            parts = tuple(sorted(flat, key=_Writer(self._colours, local=False).write))
        return f"({head} {' '.join([self._write(part) for part in parts])})"

    def _leaf(self, leaf: str) -> str:
        if not leaf.startswith("#"):
            return leaf
        colour = self._colours.get(leaf, "")
        if colour == "*":
            return "*"
        if not self._local and colour:
            return f"#{colour}"
        return f"#{colour}.{self._numbers.setdefault(leaf, len(self._numbers))}"


def _same_head(tree: Tree, head: str) -> Iterator[Tree]:
    if isinstance(tree, tuple) and tree[0] == head:
        for part in tree[1:]:
            yield from _same_head(part, head)
    else:
        yield tree
