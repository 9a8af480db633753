"""The vocabulary of problems: what numbers are called, which words open a sentence, and what can be a name."""

from __future__ import annotations

import re

from pythagoras.language.meaning import Apply, Number, Term, Variable

PROVE = frozenset(("prove", "show", "demonstrate", "verify", "establish", "check", "deduce", "conclude"))
FIND = (("find",), ("determine",), ("work", "out"), ("compute",), ("calculate",), ("evaluate",))
NUMBERS: dict[tuple[str, ...], str] = {
    ("natural", "number"): "ℕ",
    ("natural", "numbers"): "ℕ",
    ("integer",): "ℤ",
    ("integers",): "ℤ",
    ("rational", "number"): "ℚ",
    ("rational", "numbers"): "ℚ",
    ("rationals",): "ℚ",
    ("rational",): "ℚ",
    ("proposition",): "Prop",
    ("propositions",): "Prop",
}
LETTERS = {"ℕ": "ℕ", "ℤ": "ℤ", "ℚ": "ℚ"}
ADJECTIVES = frozenset(
    ("positive", "negative", "nonnegative", "non-negative", "nonzero", "non-zero", "even", "odd", "prime")
)
KIND_WORDS = (
    frozenset(phrase[0] for phrase in NUMBERS)
    | ADJECTIVES
    | {"function", "functions", "property", "properties", "sequence", "sequences", "primes", "real"}
)
"""Words that a kind of numbers, functions or properties begins with. Before these "a" is no variable."""

RELATIONS = {"=": "=", "≠": "≠", "<": "<", "≤": "≤", ">": ">", "≥": "≥"}
SIGNS = frozenset("+-·/^=≠<≤>≥∣∤≡!(∈|")
"""Behind a name they show that it stands in a term, not in a list of names."""
VERBS = frozenset(("is", "are", "equals", "divides", "leaves", "leave", "never", "does", "do", "has", "exceeds", "be"))

SIGN_OF = {"positive": ">", "negative": "<", "nonnegative": "≥", "nonzero": "≠"}
PROPERTIES = {"even": "even", "odd": "odd", "prime": "prime"}
MAPS = {"injective": "injective", "surjective": "surjective", "bijective": "bijective"}

_NAME = re.compile(r"[^\W\d_₀-₉](?:[₀-₉]+|\d+)?'*")


def looks_like_name(word: str) -> bool:
    """A letter, perhaps with a subscript or a prime."""
    return (len(word) == 1 and word.isalpha()) or _NAME.fullmatch(word) is not None


def adjective_says(adjective: str, name: str) -> Term:
    """What a word like "positive" says of a number."""
    sign = SIGN_OF.get(adjective.replace("-", ""))
    return Apply(adjective, (Variable(name),)) if sign is None else Apply(sign, (Variable(name), Number(0)))
