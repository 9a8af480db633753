"""A statement under other names: every variable and hypothesis that it binds before its colon is called otherwise.

GSM-Symbolic's perturbation of variables, on Lean's text. It says the same as before to Lean; whoever remembers the
original's wording remembers something else. Read without Lean, so it works on Mathlib's statements as well. The
theorem's own name is another matter: that is changed where files and comparisons want it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

from pythagoras.lean.statements import Binder, Statement
from pythagoras.lean.tokens import Sort, tokens

_NUMBERS = ("a", "b", "c", "d", "k", "l", "m", "n", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z")
_FUNCTIONS = ("f", "g", "F", "G", "u", "v", "p", "q")
_OTHERS = ("A", "B", "C", "P", "Q", "R", "S", "T", "U", "V")
_HYPOTHESES = ("h", "h_", "hyp", "hyp_", "hx", "hh", "hc")
_THEOREM = re.compile(r"\b((?:theorem|lemma)\s+)((?:«[^»\n]*»|[^\s({\[⦃:«])+)")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def renamed(statement: Statement, rng: Random) -> str:
    """The statement's text with other names. A name that is also a part of another name in it stays."""
    text = statement.text
    names = [token for token in tokens(text) if token.sort is Sort.NAME]
    used = {part for token in tokens(f"{statement.context}\n{text}") for part in token.text.split(".")}
    chosen = _chosen(statement, used, rng)
    inner = {part for token in names for part in token.text.split(".")[1:]}
    start = len(text) - len(text.lstrip())
    pieces: list[str] = []
    for token in names:
        head, dot, rest = token.text.partition(".")
        if head in chosen and head not in inner:
            pieces += [text[start : token.start], chosen[head], dot, rest]
            start = token.end
    return "".join([*pieces, text[start:]])


def called(text: str, name: str = "", suffix: str = "") -> str:
    """A statement's text with another name for the theorem, or with something behind its own."""

    def change(found: re.Match[str]) -> str:
        own = name or found[2]
        return f"{found[1]}{own[:-1]}{suffix}»" if own.endswith("»") else f"{found[1]}{own}{suffix}"

    return _THEOREM.sub(change, text, count=1)


def anonymous(text: str) -> str:
    """A statement's text as it is compared: names of theorems say nothing."""
    return called(text, "goal")


def _chosen(statement: Statement, used: set[str], rng: Random) -> dict[str, str]:
    """A new name for each that is bound."""
    hypotheses = statement.hypotheses
    style = rng.choice(_HYPOTHESES)
    found: dict[str, str] = {}
    for binder in statement.binders:
        for old in binder.names:
            if old in found or old == "_":
                continue
            if binder in hypotheses:
                candidates: Iterable[str] = (_numbered(style, number) for number in range(1, 100))
            else:
                candidates = rng.sample(pool := _pool(binder), len(pool))
            new = next((name for name in candidates if name not in used), None)
            if new is not None:
                used.add(new)
                found[old] = new
    return found


def _pool(binder: Binder) -> tuple[str, ...]:
    """Names that a reader would expect for such a thing."""
    if "→" in binder.type:
        return _FUNCTIONS
    return _NUMBERS if binder.type in ("ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Nat", "Int", "Rat", "Real") else _OTHERS


def _numbered(style: str, number: int) -> str:
    return f"{style}{number}" if style.endswith("_") else f"{style}{str(number).translate(_SUBSCRIPTS)}"
