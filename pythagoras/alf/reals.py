"""Statements about real numbers, read as if they were about rational ones.

The language of meanings has no ℝ. What operators do to the signs that it has is right in every ordered field, and a
rational counterexample is a real one; so a statement over ℝ that has no ℚ in it is read with ℚ in ℝ's place, and what
is made of it is written with ℝ again.
"""

from __future__ import annotations


def is_real(text: str) -> bool:
    """Whether a statement, or a goal, is one of those."""
    return "ℝ" in text and "ℚ" not in text


def rational(text: str) -> str:
    """The text as it is read."""
    return text.replace("ℝ", "ℚ") if is_real(text) else text


def real(text: str) -> str:
    """What was made of such a text, as it is written."""
    return text.replace("ℚ", "ℝ")
