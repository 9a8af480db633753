"""A problem's text as words, numerals and signs. LaTeX and typographic signs become the plain ones first."""

from __future__ import annotations

import re
from typing import NamedTuple

from pythagoras.language.reading import NotRead


class Tokens(NamedTuple):
    """The words of a text, in lower case where only their first letter was a capital, and where each begins and ends.

    Single letters keep their case, since they may be variables.
    """

    text: str
    words: list[str]
    spans: list[tuple[int, int]]


_SAME = {
    "−": "-", "–": "-", "×": "·", "⋅": "·", "*": "·", "∙": "·", "<=": "≤", ">=": "≥", "!=": "≠", "⇔": "↔", "<->": "↔",
    "<=>": "↔", "⇒": "→", "->": "→", "=>": "→", "’": "'", "＝": "=", "⩽": "≤", "⩾": "≥",
}  # fmt: skip
_LATEX = {
    r"\leq": "≤", r"\le": "≤", r"\geq": "≥", r"\ge": "≥", r"\neq": "≠", r"\ne": "≠", r"\cdot": "·", r"\times": "·",
    r"\mid": "∣", r"\nmid": "∤", r"\equiv": "≡", r"\in": "∈", r"\to": "→", r"\left": "", r"\right": "", r"\,": "",
    r"\mathbb{N}": "ℕ", r"\mathbb{Z}": "ℤ", r"\mathbb{Q}": "ℚ", r"\Rightarrow": "→", r"\implies": "→", r"\iff": "↔",
    r"\Leftrightarrow": "↔", r"\lnot": "not ", r"\land": "and", r"\lor": "or", r"\varphi": "φ", r"\phi": "φ",
}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ", "0123456789n")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_POWER = re.compile(r"\^\{([^{}]*)\}")
_SUBSCRIPT = re.compile(r"_(?:\{(\d+)\}|(\d))")
_SUPERSCRIPT = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ]+")
_MODULUS = re.compile(r"\\pmod\{([^{}]*)\}")
_COMMAND = re.compile(r"\\mathbb\{[NZQ]\}|\\[A-Za-z]+|\\,")

_LONGEST_NUMERAL = 1000

_TOKEN = re.compile(
    r"\s*(?:"
    r"(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<word>[A-Za-z]{2,}(?:-[A-Za-z]{2,})+|[^\W\d₀-₉][\w']*)"
    r"|(?P<sign><=>|<->|<=|>=|!=|->|=>|[-+·*×⋅∙−–/^!|∣∤≡=≠<>≤≥⩽⩾()\[\]{},.:;?∈→↔⇒⇔])"
    r")"
)


def tokenise(text: str) -> Tokens:
    """Raises NotRead at the first sign that has no meaning here."""
    text = _plain(text) if not text.isascii() or "\\" in text or "$" in text or "_" in text else text
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            raise NotRead(f'"{text[at:].split()[0][:40]}" has a sign that can\'t be read')
        kind = found.lastgroup or ""
        word = found[kind]
        if kind == "number" and len(word) > _LONGEST_NUMERAL:
            raise NotRead(f"a numeral of {len(word)} digits")
        if kind == "word" and len(word) > 1 and word[1:].islower():
            word = word.lower()
        words.append(_SAME.get(word, word))
        spans.append(found.span(kind))
        at = found.end()
    return Tokens(text, words, spans)


def _plain(text: str) -> str:
    """Without LaTeX, as far as it is common in problems; what is left of it is refused as an unknown sign."""
    if "\\" in text or "$" in text or "^{" in text:
        text = re.sub(r"\$\$?|\\[()\[\]]", " ", text)
        before = ""
        while before != text:
            before = text
            text = _MODULUS.sub(r"(mod \1)", _POWER.sub(r"^(\1)", _FRACTION.sub(r"((\1)/(\2))", text)))
        text = _COMMAND.sub(lambda found: _LATEX.get(found[0], found[0]), text)
    text = _SUBSCRIPT.sub(lambda found: (found[1] or found[2]).translate(_SUBSCRIPTS), text)
    return _SUPERSCRIPT.sub(lambda found: f"^{_exponent(found[0])}", text)


def _exponent(superscript: str) -> str:
    plain = superscript.translate(_SUPERSCRIPTS)
    return plain if plain.isdigit() or len(plain) == 1 else f"({plain})"
