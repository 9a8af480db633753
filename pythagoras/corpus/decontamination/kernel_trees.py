"""The tree of a kernel type as the hosts write it: `(forall (const Nat ) (app (const f ) (# 0)))`.

Binders get unique variables in place of de Bruijn indices; the relations that Lean has twice (`>` for `<`, `≥`, `≠`,
`¬`) become one.
"""

from __future__ import annotations

import re

from pythagoras.corpus.decontamination.trees import Tree, negation

_TOKEN = re.compile(r"\(|\)|[^()]+")
_HEADS = {"forall": "∀", "fun": "fun", "let": "let"}
_SWAPPED = {"GT.gt": "LT.lt", "GE.ge": "LE.le", "Superset": "Subset"}
_LOGIC = {"Eq": ("=", 3), "Iff": ("↔", 2), "And": ("∧", 2), "Or": ("∨", 2)}


class _Odd(Exception):
    """A text that no host writes."""


def kernel_tree(text: str) -> Tree | None:
    """The tree of a type; None for a text in another form, such as a pretty-printed one."""
    found = _TOKEN.findall(text)
    try:
        tree, end = _expression(found, 0)
        if end == len(found):
            return _Opened().open(tree, ())
    except (_Odd, IndexError, ValueError, RecursionError):
        pass
    return None


def _expression(found: list[str], at: int) -> tuple[Tree, int]:
    """A bracketed expression as written, and the index behind it."""
    if found[at] != "(":
        raise _Odd
    parts: list[Tree] = list(found[at + 1].split())
    at += 2
    while found[at] != ")":
        if found[at] == "(":
            part, at = _expression(found, at)
            parts.append(part)
        elif found[at].isspace():
            at += 1
        else:
            raise _Odd
    return tuple(parts), at + 1


class _Opened:
    """Gives every binder a variable of its own."""

    def __init__(self) -> None:
        self._bound = 0

    def open(self, tree: Tree, variables: tuple[str, ...]) -> Tree:
        """`variables` are those of the binders around it, the innermost first."""
        if isinstance(tree, str):
            return tree
        head, parts = str(tree[0]), tree[1:]
        if head == "#":
            return variables[int(str(parts[0]))]
        if head == "const":
            return str(parts[0])  # universe levels follow from the types beside them
        if head == "app":
            return self._application(tree, variables)
        if head in _HEADS:
            variable = f"#{self._bound}"
            self._bound += 1
            before = [self.open(part, variables) for part in parts[:-1]]
            return (_HEADS[head], variable, *before, self.open(parts[-1], (variable, *variables)))
        return (head, *(self.open(part, variables) for part in parts))

    def _application(self, tree: Tree, variables: tuple[str, ...]) -> Tree:
        parts: list[Tree] = []
        while isinstance(tree, tuple) and tree[0] == "app":
            parts.append(self.open(tree[2], variables))
            tree = tree[1]
        function = self.open(tree, variables)
        arguments = tuple(reversed(parts))
        return _relation(function, arguments) if isinstance(function, str) else ("app", function, *arguments)


def _relation(name: str, arguments: tuple[Tree, ...]) -> Tree:
    if name in _SWAPPED and len(arguments) >= 2:
        return ("app", _SWAPPED[name], *arguments[:-2], arguments[-1], arguments[-2])
    if name == "Ne" and len(arguments) == 3:
        return negation(("=", *arguments))
    if name == "Not" and len(arguments) == 1:
        return negation(arguments[0])
    if name in _LOGIC and len(arguments) == _LOGIC[name][1]:
        return (_LOGIC[name][0], *arguments)
    return ("app", name, *arguments)
