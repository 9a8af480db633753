"""The tree of a statement from its alpha text, without Lean: for statements that the Lean at hand can't elaborate.

Knows brackets, binders, application and the usual operators; any other sign is a word. It never fails: what it does not
understand stays a flat row of words, so that the same text has the same tree. Type ascriptions, coercion arrows and
namespaces (`Nat.Prime p`, `p.Prime`, `Prime p`) do not show in the tree: more is taken for the same than Lean would.
"""

from __future__ import annotations

from collections.abc import Sequence

from pythagoras.corpus.decontamination.trees import Tree, negation
from pythagoras.corpus.normal import alpha_words

_BINARY: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("<|", "$"), (10, 10)),
    "↔": (20, 21),
    "→": (25, 25),
    "∨": (30, 30),
    "∧": (35, 35),
    **dict.fromkeys(("=", "≠", "<", "≤", ">", "≥", "∈", "∉", "⊆", "⊂", "⊇", "⊃", "∣", "≡", "≈", "∼", "∤"), (50, 51)),
    **dict.fromkeys(("+", "-", "∪", "++"), (65, 66)),
    **dict.fromkeys(("*", "/", "%", "∩", "•", "×", "\\", "⬝"), (70, 71)),
    "^": (75, 75),
    "∘": (90, 90),
}
"""Operators: how strongly they bind, and how strongly what stands to their right must."""
_PREFIX = {"¬": 40, "-": 75, "√": 100, "↑": 100}
_BINDERS = {
    **dict.fromkeys(("∀", "∃", "fun"), 0),
    **dict.fromkeys(("∫", "⨍", "⋃", "⋂", "⨆", "⨅"), 60),
    **dict.fromkeys(("∑", "∏"), 67),
}
_GLUED = frozenset({"!", "'", "ᶠ", "ᵐ"})
_BOUNDED = frozenset({">", "≥", "<", "≤", "≠", "∈", "∉", "⊆", "⊂", "=", "∣", "in"})
_CLOSING = {"(": ")", "[": "]", "{": "}", "⦃": "⦄", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉", "⟦": "⟧", "⟪": "⟫", "‹": "›"}
_BRACKETS = frozenset({*_CLOSING, *_CLOSING.values()})
_STOPS = frozenset({",", ";", ":", ":=", "=>", ";;", "then", "else", "with", "|", "//", *_CLOSING.values()})
_TYPES = {"ℕ": "Nat", "ℤ": "Int", "ℚ": "Rat", "ℝ": "Real", "ℂ": "Complex"}
_SWAPPED = {">": "<", "≥": "≤", "⊇": "⊆", "⊃": "⊂"}
_NEGATED = {"≠": "=", "∉": "∈", "∤": "∣"}
_MOST_NESTED = 60


def lexical_tree(alpha: str) -> Tree:
    """The tree of an alpha text: `∀` for the definitions and the binders, then the goal."""
    *before, statement = alpha.split(" ;; ")
    line = alpha_words(statement)
    groups, at = _groups(line, 1)
    goal = _parse(line[at + 1 :])
    for variable, typed in reversed([_binder(group) for group in groups]):
        goal = ("∀", variable, typed, goal)
    for command in reversed(before):
        goal = _defined(alpha_words(command), goal)
    return goal


def _defined(line: Sequence[str], goal: Tree) -> Tree:
    """A definition before the statement is a variable of it. What an `abbrev` stands for does not count.

    Benchmarks write answers that are to be found as `abbrev x_solution : T := sorry`; a row may have them filled in.
    """
    own = next((word for word in line if word.startswith("#")), "_")
    said = line[: line.index(":=")] if line[:1] == ["abbrev"] and ":=" in line else line
    return ("∀", own, ("row", *(word for word in said if word != own)), goal)


def _groups(line: Sequence[str], at: int) -> tuple[list[Sequence[str]], int]:
    """The bracketed binders from here on, without brackets, and the index behind them."""
    groups: list[Sequence[str]] = []
    while at < len(line) and line[at] in _CLOSING:
        end = _closing(line, at)
        groups.append(line[at + 1 : end])
        at = end + 1
    while at < len(line) and line[at] != ":":  # universes and whatever else stands there
        at += 1
    return groups, at


def _closing(line: Sequence[str], at: int) -> int:
    """Index of the bracket that closes this one; the length when none does."""
    depth = 0
    for index in range(at, len(line)):
        depth += (line[index] in _CLOSING) - (line[index] in _BRACKETS and line[index] not in _CLOSING)
        if depth == 0:
            return index
    return len(line)


def _binder(group: Sequence[str]) -> tuple[str, Tree]:
    if group[1:2] == [":"]:
        return group[0], _parse(group[2:])
    return (group[0], "_") if len(group) == 1 else ("_", _parse(group))


def _parse(line: Sequence[str]) -> Tree:
    try:
        return _Reader(line).row("")
    except _TooDeep:
        return ("flat", *line)


class _TooDeep(Exception):
    """Not worth to be followed."""


class _Reader:
    """Reads a row of words by precedence. Each method leaves `at` behind what it read."""

    def __init__(self, line: Sequence[str]) -> None:
        self._line = line
        self.at = 0
        self._nested = 0

    def _word(self) -> str:
        return self._line[self.at] if self.at < len(self._line) else ""

    def expression(self, lowest: int) -> Tree:
        """As much as operators of at least this strength join."""
        self._nested += 1
        if self._nested > _MOST_NESTED:
            raise _TooDeep
        left = self._prefixed()
        while (sign := self._word()) in _BINARY and _BINARY[sign][0] >= lowest:
            self.at += 1
            left = _joined(sign, left, self.expression(_BINARY[sign][1]))
        self._nested -= 1
        return left

    def _prefixed(self) -> Tree:
        sign = self._word()
        if sign in _PREFIX:
            self.at += 1
            inner = self.expression(_PREFIX[sign])
            return inner if sign == "↑" else negation(inner) if sign == "¬" else (sign, inner)
        if sign in _BINDERS:
            return self._bound(sign)
        return self._application()

    def _application(self) -> Tree:
        """Words and brackets side by side."""
        parts: list[Tree] = []
        while (word := self._word()) and word not in _BINARY and word not in _STOPS:
            if word in _BINDERS or (parts and word in _PREFIX and word != "↑"):
                parts.append(self._prefixed())
            elif word == "↑":
                self.at += 1
            elif word.startswith(".") and len(word) > 1 and parts:  # `(t 3).den`
                parts[-1] = ("app", word.rpartition(".")[2], parts[-1])
                self.at += 1
            else:
                parts.append(self._atom(word))
        if self._word() == "|" and not parts:
            parts.append(self._absolute())
        if not parts:  # an operator where a term should be, such as `(· + 1)`, or an empty row
            return ""
        if len(parts) > 1 and parts[-1] == "!":
            parts[-2:] = [("app", "factorial", parts[-2])]
        head = parts[0][1:] if isinstance(parts[0], tuple) and parts[0][0] == "app" else parts[:1]
        return parts[0] if len(parts) == 1 else ("app", *head, *parts[1:])

    def _absolute(self) -> Tree:
        self.at += 1
        inner = self.expression(0)
        self.at += self._word() == "|"
        return ("app", "abs", inner)

    def _atom(self, word: str) -> Tree:
        if word in _CLOSING:
            return self._bracketed(word)
        self.at += 1
        return _TYPES.get(word) or word.rpartition(".")[2] or word

    def _bracketed(self, opening: str) -> Tree:
        self.at += 1
        tree = self.row(_CLOSING[opening])
        self.at += 1
        return tree if opening == "(" else (opening, tree)

    def row(self, closing: str) -> Tree:
        """All that stands before a bracket, or before the end: mostly one term, else several and signs between."""
        parts: list[Tree] = []
        while (word := self._word()) and word != closing:
            before = self.at
            parts.append(self.expression(0))
            if self.at > before:
                continue
            parts[-1] = word  # a sign where no term begins
            self.at += 1
            if word == ":" and len(parts) > 1:  # an ascription
                self.expression(0)
                del parts[-1]
        return parts[0] if len(parts) == 1 else ("row", *parts)

    def _bound(self, sign: str) -> Tree:
        """`∀ (x : T) (y) > 0, body` and its like."""
        precedence = _BINDERS[sign]
        self.at += 1
        while self._word() in _GLUED:
            sign += self._word()
            self.at += 1
        bound: list[tuple[str, Tree]] = []
        while self._word() in _CLOSING:
            end = _closing(self._line, self.at)
            bound.append(_binder(self._line[self.at + 1 : end]))
            self.at = end + 1
        conditions: list[Tree] = []
        if (relation := self._word()) in _BOUNDED:
            self.at += 1
            limit = self.expression(51)
            conditions = [_joined(relation, variable, limit) for variable, _ in bound]
        if self._word() in (",", "=>"):
            self.at += 1
        body = self.expression(precedence)
        for number, (variable, typed) in reversed(list(enumerate(bound))):
            body = _quantified(sign, variable, typed, conditions[number : number + 1], body)
        return body


def _quantified(sign: str, variable: str, typed: Tree, condition: Sequence[Tree], body: Tree) -> Tree:
    """`∀ x > 0, p` is `∀ x, x > 0 → p`, and `∃ x > 0, p` is `∃ x, x > 0 ∧ p`."""
    if sign == "∀":
        return ("∀", variable, typed, ("∀", "_", condition[0], body) if condition else body)
    if sign == "∃" and condition:
        return (sign, variable, typed, ("∧", condition[0], body))
    return (sign, variable, typed, *condition, body)


def _joined(sign: str, left: Tree, right: Tree) -> Tree:
    if sign == "→":
        return ("∀", "_", left, right)
    if sign in _SWAPPED:
        return (_SWAPPED[sign], right, left)
    if sign in _NEGATED:
        return negation((_NEGATED[sign], left, right))
    if sign in ("<|", "$"):
        return ("app", left, right)
    return (sign, left, right)
