"""What a family of problems draws, and how a drawing becomes a Lean statement.

A draft is a statement taken apart: variables, hypotheses and goal in Lean, and the same in words. Its truth is certain
by construction: families compute answers exactly, and nothing is assumed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

EASY, MEDIUM, HARD = 1, 2, 3
LEVELS = (EASY, MEDIUM, HARD)
"""The difficulty dial: a step, a few steps, an idea (induction, a witness, a case split)."""

Variables = tuple[tuple[tuple[str, ...], str], ...]
"""Names and their type, in the order of the binders: `((("x", "y"), "ℤ"), (("f",), "ℕ → ℕ"))`."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A problem before it gets a name."""

    variables: Variables
    hypotheses: tuple[str, ...]
    goal: str
    text: str
    """What the Lean says, in words."""
    answer: str = ""
    """The value that the problem asks for, where it asks for one."""
    true: bool = True


@dataclass(frozen=True, slots=True)
class Family:
    """Problems of one kind."""

    name: str
    topic: str
    draw: Callable[[Random, int, bool], Draft]
    """From a random source, a level and whether the statement shall be false."""


_WORD = re.compile(r"(?<![.\w])[^\W\d]\w*(?:\.\w+)*")
_CONSTANTS = frozenset(
    ("ℕ", "ℤ", "ℚ", "Prop", "Even", "Odd", "IsLeast", "IsGreatest", "MOD", "ZMOD", "fun", "let")
)  # what else is not a variable has a dot


def statement_key(draft: Draft) -> str:
    """Equal for drafts that differ only in names of variables, and in what stands before or behind the colon.

    Words are numbered in the order they appear, but for constants: those above, and all names with a dot.
    """
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        word = match[0]
        if "." in word or word in _CONSTANTS:
            return word
        return numbers.setdefault(word, f"#{len(numbers)}")

    binders = " ".join(f"({name} : {kind})" for names, kind in draft.variables for name in names)
    return _WORD.sub(number, " ⊢ ".join((binders, *draft.hypotheses, draft.goal)))


def key_digest(key: str) -> str:
    """Ten hexadecimal digits for a name."""
    return hashlib.blake2b(key.encode(), digest_size=5).hexdigest()


_HYPOTHESIS_NAMES = (
    ("h₀", "h₁", "h₂", "h₃", "h₄", "h₅", "h₆", "h₇"),
    ("h₁", "h₂", "h₃", "h₄", "h₅", "h₆", "h₇", "h₈"),
    ("h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"),
    ("ha", "hb", "hc", "hd", "he", "hf", "hg", "hh"),
)
_LONG = 100


def write_statement(draft: Draft, name: str, rng: Random) -> str:
    """The theorem up to its `:=`, in one of several shapes that mean the same."""
    shape = rng.random()
    if shape < 0.08 and draft.variables:
        return _laid_out([f"theorem {name}", f": ∀ {_quantified(draft.variables)}, {_implications(draft)}"], rng)
    binders = _binders(draft.variables, rng)
    if shape < 0.16 and draft.hypotheses:
        return _laid_out([f"theorem {name}", *binders, f": {_implications(draft)}"], rng)
    names: tuple[str, ...] = _HYPOTHESIS_NAMES[int(rng.random() * len(_HYPOTHESIS_NAMES))]
    if len(draft.hypotheses) == 1 and rng.random() < 0.5:
        names = ("h",)
    hypotheses = [f"({own} : {text})" for own, text in zip(names, draft.hypotheses, strict=False)]
    return _laid_out([f"theorem {name}", *binders, *hypotheses, f": {draft.goal}"], rng)


def _binders(variables: Variables, rng: Random) -> list[str]:
    if rng.random() < 0.15:
        return [f"({name} : {kind})" for names, kind in variables for name in names]
    return [f"({' '.join(names)} : {kind})" for names, kind in variables]


def _quantified(variables: Variables) -> str:
    if len(variables) == 1:
        return f"{' '.join(variables[0][0])} : {variables[0][1]}"
    return " ".join(f"({' '.join(names)} : {kind})" for names, kind in variables)


def _implications(draft: Draft) -> str:
    """`→` binds tighter than `↔`, and quantifiers reach as far as they can."""
    premises = [f"({one})" if any(sign in one for sign in "→↔∀∃") else one for one in draft.hypotheses]
    goal = f"({draft.goal})" if premises and "↔" in draft.goal else draft.goal
    return " → ".join((*premises, goal))


def _laid_out(parts: list[str], rng: Random) -> str:
    """On one line where it is short; else, as benchmarks do it, binders, hypotheses and goal on lines of their own."""
    line = " ".join(parts)
    if "\n" not in line and len(line) <= (_LONG if rng.random() < 0.8 else _LONG // 2):
        return line
    *first, goal = parts
    return "\n    ".join(first) + " :\n    " + goal.removeprefix(":").lstrip()
