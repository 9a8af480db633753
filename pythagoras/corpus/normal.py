"""Texts in a form in which trivial differences do not show: what deduplication and decontamination compare.

Informal text loses case, spacing, punctuation and the dress of LaTeX; numerals get one spelling. A Lean statement loses
its name, comments, attributes and formatting, and its variables are numbered. Both forms are for comparing, not for
reading, and neither asks Lean or a model: about 0.1 ms for an informal text, 0.4 ms for a statement.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from pythagoras.errors import InputError
from pythagoras.lean.canonical import canonical_text
from pythagoras.lean.statements import Statement
from pythagoras.lean.tokens import Sort, tokens

# --- informal text --------------------------------------------------------------------------------

_ONES = (
    *("zero", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_DIGITS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_ONES) if word}
_NUMBER_WORDS |= {word: str(10 * (number + 2)) for number, word in enumerate(_TENS)}
"""Words that are numbers wherever they stand. `one` is not among them: it is a pronoun as often."""

_SPELLED = re.compile(rf"\b({'|'.join(_TENS)})[- ]({'|'.join(_DIGITS)})\b|\b({'|'.join(_NUMBER_WORDS)})\b")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:(?:,|\{,\}|\\,)\d{3})+(?![\d,])")
_DECIMAL = re.compile(r"(?<!\d)\d+\.\d+")
_LEADING_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")
_POINT = re.compile(r"(?<![\w.)\]])\.(?=\d)")
_UNICODE = str.maketrans(
    {
        **{"−": "-", "–": "-", "‐": "-", "‑": "-", "—": " "},
        **{"·": "*", "×": "*", "⋅": "*", "∙": "*", "÷": "/", "∕": "/"},
        **{superscript: f"^{digit}" for digit, superscript in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
        **{subscript: f"_{digit}" for digit, subscript in enumerate("₀₁₂₃₄₅₆₇₈₉")},
        **dict.fromkeys('`"“”„«»‘', " "),
        "’": "'",
    }
)
_COMMANDS = {
    **dict.fromkeys(("le", "leq", "leqslant"), "≤"),
    **dict.fromkeys(("ge", "geq", "geqslant"), "≥"),
    **dict.fromkeys(("ne", "neq"), "≠"),
    **dict.fromkeys(("cdot", "times", "ast"), "*"),
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac"), "frac"),
    **{"lt": "<", "gt": ">", "div": "/", "pm": "±", "mid": "|", "equiv": "≡", "in": "∈", "sqrt": "√", "infty": "∞"},
    **{"pi": "π", "sum": "∑", "prod": "∏", "ldots": "...", "dots": "...", "cdots": "...", "to": "→"},
    **dict.fromkeys(("left", "right", "big", "Big", "bigl", "bigr", "displaystyle", "quad", "qquad", "limits"), " "),
}
"""LaTeX by its meaning; what only dresses a text is nothing. Other commands keep their names."""
_LATEX = re.compile(r"[\\${~]")
_FORMULA = re.compile(
    r"(?<!\\)\$\$?[^$]+(?<!\\)\$\$?|\\\((?:(?!\\[()]).)+\\\)|(?<!\\)\\\[(?:(?!\\[\[\]]).)+\\\]", re.DOTALL
)
_DRESSED = re.compile(r"\\(?:text(?:bf|it)?|emph|math(?:rm|bf|it)|operatorname|mbox)\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_ESCAPED = re.compile(r"\\([{}%#&])")
_SPACING = re.compile(r"\\[,;:! ()\[\]\\]|\\?[$~]")
_PART = r"\{\s*((?:-\s*)?\w+)\s*\}"
_SIMPLE_FRACTION = re.compile(rf"([\^/]\s*)?\bfrac\s*{_PART}\s*{_PART}(?!\s*[\^'!\ue000])")
_SINGLE_IN_BRACES = re.compile(r"\{\s*(\d+|[^\W\d_])\s*\}")
_BRACES = str.maketrans("{}", "()")

# Signs that are punctuation in prose and mean something in formulas. Where they mean something they are marked, and
# what is not marked goes.
_MARKS = {"!": "\ue000", "'": "\ue001", ":": "\ue002"}
_MARK = str.maketrans(_MARKS)
_UNMARK = str.maketrans({mark: sign for sign, mark in _MARKS.items()})
_UNEQUAL = re.compile(r"(?<=\s)!=")
_PUNCTUATION = re.compile(r"!+|'+|:")
_LAST_WORD = re.compile(r"([^\W\d_]*)(\s*)\Z")
_LONGEST_WORD = 30
_ENDS_OPERAND = ")]}|⌋⌉" + "".join(_MARKS.values())
_VOWEL = re.compile(r"[aeiouy]|[^\x00-\x7f]", re.IGNORECASE)
_SMALL_WORDS = frozenset(
    {"am", "an", "as", "at", "be", "by", "do", "go", "he", "if", "in", "is", "it", "me", "my", "no", "of", "on", "or"}
    | {"so", "to", "up", "us", "we"}
)
_PREFIXED = re.compile(r"\b((?:non|co|semi|anti|sub|super|pre|multi|inter|equi|quasi|pseudo)-)(?=[^\W\d_]{4})", re.I)
_OPERATOR = "[=<>≤≥≠+*/^|-]"
_COMPOUND = re.compile(
    rf"(?<!{_OPERATOR} )(?<!\S)(?:\d+|[^\W\d_]{{3,}})(?:-[^\W\d_]{{3,}})+(?![^\s.,;:!?])(?!\s*{_OPERATOR})"
)
_BLANK_TO_FILL = re.compile(r"(?:\\?_\s*){2,}")
_WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+|\.{3}|\ue000+|_|[^\w\s.,;:!?']")


def normal_informal(text: str) -> str:
    """The words, numbers and signs of a text, in lower case and separated by single blanks.

    Signs that mean something in mathematics stay, so that `x + 1` and `x - 1`, `n!` and `n`, `3:4` and `3, 4` differ.
    In a formula between dollars every sign does; elsewhere `!`, `:`, `'` and `-` go where they stand at words of prose.
    In doubt a sign stays: two forms of one text are found by other means, two problems made one are lost. Spelled
    numbers become digits where that is safe; `1,000`, `0.50` and `\\dfrac{1}{2}` become `1000`, `0.5` and `1 / 2`.
    """
    text = _BLANK_TO_FILL.sub(" ", _UNEQUAL.sub("≠", text.translate(_UNICODE)))
    if _LATEX.search(text):
        text = _without_latex(_FORMULA.sub(_marked, text))
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    text = _COMPOUND.sub(_apart, _PREFIXED.sub(lambda found: found[1][:-1], text))
    shouted = text.isupper()
    text = _PUNCTUATION.sub(lambda found: _meant(found, shouted), text)
    text = _SPELLED.sub(_digits, text.lower())
    text = _GROUPED.sub(lambda found: re.sub(r"\D", "", found[0]), _POINT.sub("0.", text))
    text = _DECIMAL.sub(lambda found: found[0].rstrip("0").rstrip("."), text)
    text = _LEADING_ZEROS.sub("", text)
    return " ".join(_WORD.findall(text)).translate(_UNMARK)


def _marked(formula: re.Match[str]) -> str:
    """A formula in which every sign means something; `\\!` and `\\:` are spaces."""
    text = re.sub(r"\\[!:]", " ", formula[0])
    return text.translate(_MARK).replace("-", " - ")


def _apart(compound: re.Match[str]) -> str:
    """`right-angled` and `3-digit` as two words. `abc-def` and `7-xyz` may be differences."""
    parts = compound[0].split("-")
    words = [part for part in parts if not part.isdigit()]
    real = all(_VOWEL.search(word) for word in words) and any(len(word) > 3 for word in words)
    return (" " if real and not any(word.isupper() for word in words) else "-").join(parts)


def _meant(found: re.Match[str], shouted: bool) -> str:
    """`!`, `'` or `:`, marked where it can mean something in mathematics."""
    text, sign = found.string, found[0][0]
    before = text[max(0, found.start() - _LONGEST_WORD) : found.start()]
    last = _LAST_WORD.search(before)
    word, blanks = last.groups() if last else ("", "")
    prose = bool(_VOWEL.search(word)) and (shouted or not word.isupper())
    prose = prose and (len(word) > 2 or word.lower() in _SMALL_WORDS)
    if sign == "'" and prose and not blanks:
        return ""
    if sign == ":" and prose and not blanks and text[found.end() : found.end() + 1].isalnum():  # `area:side`
        prose = False
    end = before.rstrip()[-1:]
    operand = end.isalnum() or (end != "" and end in _ENDS_OPERAND)
    stays = operand and not prose and not (sign == "'" and blanks)
    return found[0].translate(_MARK) if stays else " "


def _digits(found: re.Match[str]) -> str:
    tens, ones, single = found.groups()
    return _NUMBER_WORDS[single] if single else str(int(_NUMBER_WORDS[tens]) + _DIGITS[ones])


def _without_latex(text: str) -> str:
    text = _GROUPED.sub(lambda found: re.sub(r"\D", "", found[0]), text)  # before `\,` is taken for a space
    text = _SPACING.sub(" ", _ESCAPED.sub(r" \1 ", _DRESSED.sub(r" \1 ", text)))
    text = _COMMAND.sub(lambda found: f" {_COMMANDS.get(found[1], found[1])} ", text)
    text = _SIMPLE_FRACTION.sub(lambda found: found[0] if found[1] else f" {found[2]} / {found[3]} ", text)
    return _SINGLE_IN_BRACES.sub(r" \1 ", text).translate(_BRACES)


def informal_key(text: str) -> str:
    """MD5 of the normal text; equal texts are one problem. Empty for a text without words."""
    normal = normal_informal(text)
    return _md5(normal) if normal else ""


# --- Lean statements ------------------------------------------------------------------------------

_PROJECTION = re.compile(r"(#\d+|[)\]}⟩⟧⌋⌉])\.(?=[^.\s])")


def alpha_text(statement: str, context: str = "") -> str:
    """A statement (its text up to `:=`) without name, comments, attributes and formatting, its variables numbered.

    Every variable becomes `#0`, `#1`, ... in the order of the binders, those of `∀ ∃ fun ∑ let` and of set braces too;
    `(a b : ℕ)` is written as `(a : ℕ) (b : ℕ)`. The order of hypotheses shows: decontamination's structural stage and
    nothing else looks past it. A text that is no theorem is given as its tokens.
    """
    try:
        return canonical_text(Statement(name="", text=statement, context=context))
    except (InputError, ValueError, IndexError):
        return " ".join(token.text for token in tokens(statement) if token.sort is not Sort.DOC)


def alpha_words(alpha: str) -> list[str]:
    """The words of an alpha text, projections apart: `#0.den` is `#0` and `.den`."""
    return _PROJECTION.sub(r"\1 .", alpha).split()


def alpha_key(statement: str, context: str = "") -> str:
    """MD5 of the alpha text; equal for statements that differ in names and formatting only. Empty for no text."""
    normal = alpha_text(statement, context)
    return _md5(normal) if normal else ""


def _md5(text: str) -> str:
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
