"""Contamination made on purpose: a benchmark's statement changed in one of the ways that a stage must see through."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.lean.tokens import Sort, tokens

_NEW_NAMES = ("u", "v", "w", "r", "s₁", "t₂", "x₃", "y₄", "z₅", "m₆", "n₇", "g₈", "k₉", "e₁", "d₂", "c₃")
_FLIPPED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}
_SPACES = ("\n    ", "  ", " /- as it was -/ ", "\n\n  ", "   -- so\n  ")
_OTHER_CONNECTIVES = frozenset(
    ["∧", "∨", "→", "↔", "¬", "∀", "∃", "∑", "∏", "fun", "let", "if", ",", "∣", "=", "≠", "∈"]
)


def renamed(statement: Statement) -> str | None:
    """Other names for the theorem and for its variables and hypotheses."""
    own = [name for binder in statement.binders for name in binder.names if name != "_"]
    if not own:
        return None
    taken = {token.text.partition(".")[0] for token in tokens(statement.text)}
    free = (name for name in itertools.chain(_NEW_NAMES, (f"q{n}" for n in itertools.count())) if name not in taken)
    new = dict(zip(dict.fromkeys(own), free, strict=False))
    return _with_names(statement.text, {**new, statement.name: "some_other_name"})


def reformatted(statement: Statement) -> str | None:
    """Other spacing, comments, an attribute; binders one by one."""
    if "--" in statement.text:  # a comment to the end of its line would swallow what is put on it
        return None
    binders = " ".join(_ungrouped(binder.text) for binder in statement.binders)
    text = f"{binders} : {statement.goal}"
    spaces = itertools.cycle(_SPACES)
    return f"@[simp] lemma  {statement.name}_copy {re.sub(r'(?<![-]) +(?!-)', lambda _: next(spaces), text)}"


def swapped(statement: Statement) -> str | None:
    """Hypotheses in another order, behind the variables."""
    hypotheses = statement.hypotheses
    data = [binder for binder in statement.binders if binder not in hypotheses]
    if len({binder.type for binder in hypotheses}) < 2 or _depend(statement):
        return None
    return _written(statement, [binder.text for binder in (*data, *reversed(hypotheses))], statement.goal)


def restated(statement: Statement) -> str | None:
    """`a < b` as `b > a`, `a ≠ b` as `¬ a = b`, and the last hypothesis before an arrow."""
    hypotheses = statement.hypotheses
    if not hypotheses or _depend(statement) or len(hypotheses[-1].names) != 1:
        return None
    moved = hypotheses[-1]
    kept = [binder for binder in statement.binders if binder is not moved]
    texts = [
        f"({' '.join(binder.names)} : {_flipped(binder.type)})" if binder in hypotheses else binder.text
        for binder in kept
    ]
    return _written(statement, texts, f"({_flipped(moved.type)}) → {_bracketed(_flipped(statement.goal))}")


def extended(statement: Statement) -> str | None:
    """The whole statement with a variable before it and a hypothesis behind the others."""
    binders = ["(extra : ℕ)", *(binder.text for binder in statement.binders), "(h_extra : extra = 77)"]
    return _written(statement, binders, statement.goal)


KINDS: dict[str, Callable[[Statement], str | None]] = {
    "renamed variables": renamed,
    "reformatted": reformatted,
    "swapped hypotheses": swapped,
    "restated": restated,
    "extended": extended,
}
"""Each gives the changed text, or None where there is nothing to change."""


def copied_proof(proof: str) -> str:
    """The proof with other names for hypotheses and variables, other numbers and other spacing."""
    pieces, end = [], 0
    for token in tokens(proof):
        word = token.text
        if token.sort is Sort.NUMBER:
            word = str(int(word) + 3)
        elif token.sort is Sort.NAME and re.fullmatch(r"h(?!ave)\w*|ih\w*|[a-z]", word):
            word = f"{word}_other"
        pieces += [proof[end : token.start], word]
        end = token.end
    return "".join(pieces).replace("; ", ";  ") + "\n"


def parsed(text: str) -> Statement:
    return parse_statement(f"{text} := sorry")


def _written(statement: Statement, binders: list[str], goal: str) -> str:
    return f"theorem {statement.name}_again {' '.join(binders)} : {goal}"


def _with_names(text: str, new: dict[str, str]) -> str:
    pieces, end = [], 0
    for token in tokens(text):
        head, dot, rest = token.text.partition(".")
        word = new.get(token.text) or f"{new.get(head, head)}{dot}{rest}"
        pieces += [text[end : token.start], word if token.sort is Sort.NAME else token.text]
        end = token.end
    return "".join(pieces) + text[end:]


def _depend(statement: Statement) -> bool:
    """Whether some binder speaks of a hypothesis by its name."""
    names = {name for binder in statement.hypotheses for name in binder.names}
    rest = [*(binder.type for binder in statement.binders), statement.goal]
    return any(token.text.partition(".")[0] in names for text in rest for token in tokens(text))


def _ungrouped(binder: str) -> str:
    found = re.fullmatch(r"\((\w+(?: \w+)+) : ([^()]*)\)", binder)
    return binder if found is None else " ".join(f"({name} : {found[2]})" for name in found[1].split())


def _flipped(text: str) -> str:
    """The same said with the opposite sign, where it is a plain comparison."""
    line = tokens(text)
    outer = [token for token in line if token.depth == 0]
    signs = [token for token in outer if token.text in (*_FLIPPED, "≠")]
    plain = not any(token.text in _OTHER_CONNECTIVES and token.text != "≠" for token in outer)
    if len(signs) != 1 or not plain or "|" in text:
        return text
    left, right = text[: signs[0].start].strip(), text[signs[0].end :].strip()
    return f"¬ ({left} = {right})" if signs[0].text == "≠" else f"{right} {_FLIPPED[signs[0].text]} {left}"


def _bracketed(goal: str) -> str:
    """A goal that may stand behind an arrow: quantifiers and connectives take brackets."""
    return f"({goal})"
