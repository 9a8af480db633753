"""Lean text as terms, as far as its signs go; what has no sign among them stays text.

For statements that `pythagoras.language` can't read: over ℝ, about sets, limits, fields. Connectives, quantifiers,
relations and arithmetic become terms; anything else, be it a whole proposition, is a variable whose name is the text
itself. So an outline is written as it was read, but it has no meaning here: which subtraction a `-` is, and of what
type a numeral, only Lean knows. Bound variables without a type have the type `_`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from pythagoras.language.lean_writer import term_text
from pythagoras.language.meaning import Apply, Bind, Call, Cast, Number, Term, Typed, Variable, walk
from pythagoras.lean.tokens import Sort, Token, closing, tokens

_CONNECTIVES = {"↔": ("iff", 20, 21), "→": ("implies", 25, 25), "∨": ("or", 30, 30), "∧": ("and", 35, 35)}
"""The sign, how tight it is, and how tight its right side."""
_CONNECTIVES["->"] = _CONNECTIVES["→"]
_RELATIONS = frozenset(["=", "≠", "<", "≤", ">", "≥", "∣", "∈"])
_OTHER_RELATIONS = frozenset(["∉", "⊆", "⊂", "⊇", "⊃", "≈", "∼", "≃", "≅"])
_ARITHMETIC = {"+": (65, 66), "-": (65, 66), "*": (70, 71), "/": (70, 71), "%": (70, 71), "^": (75, 75)}
_NEGATED, _NEGATIVE, _A_SIDE, _A_SUM = 40, 75, 51, 67
_QUANTIFIERS = ("∀", "∃")
_BOUNDS = frozenset(["<", "≤", ">", "≥", "∈", "≠"])
_TO_THE_END = frozenset(["fun", "λ", "let", "have", "show", "if", "match", "by", "do", "suffices", "from"])
_WORDS = frozenset(["then", "else", "with", "at", "in", "where"]) | _TO_THE_END
_OPENING = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉", "⦃": "⦄", "⟪": "⟫", "⟦": "⟧", "‹": "›"}
_KNOWN = {
    **{"Even": ("even", 1), "Odd": ("odd", 1), "Nat.Prime": ("prime", 1), "Nat.Coprime": ("coprime", 2)},
    **{"Nat.gcd": ("gcd", 2), "Nat.lcm": ("lcm", 2), "min": ("min", 2), "max": ("max", 2), "abs": ("abs", 1)},
    **{"Finset.range": ("range", 1), "Finset.Icc": ("icc", 2)},
}
_MODULI = {"MOD": "≡", "ZMOD": "≡ℤ"}
_LONGEST, _DEEPEST = 600, 40
"""Tokens, and brackets around one: longer texts are not taken apart."""


@lru_cache(maxsize=256)
def outline(text: str) -> Term:
    """A proposition, or a term."""
    line = tokens(text)
    if len(line) > _LONGEST or any(token.depth > _DEEPEST for token in line) or not line:
        return opaque(text)
    reader = _Reader(text, line)
    try:
        return reader.whole(0, len(line))
    except _NoOutline:
        return opaque(text)


def outline_text(term: Term) -> str:
    """What Lean reads of a term that was an outline."""
    if isinstance(term, Variable) and is_opaque(term):
        return _inside(term.name)
    return term_text(term).replace(" : _,", ",")


def opaque(text: str) -> Variable:
    """Text that stays text."""
    line = tokens(text)
    if len(line) > 1 and not _is_bracketed(line):
        text = f"({text})"
    return Variable(text)


def is_opaque(variable: Variable) -> bool:
    return len(tokens(variable.name)) > 1


def mentioned(term: Term) -> frozenset[str]:
    """All names in a term, bound ones and those inside of text too; of `x.num`, that is `x` as well."""
    found: set[str] = set()
    for part in walk(term):
        if isinstance(part, Variable):
            found |= names_in(part.name)
        elif isinstance(part, Bind):
            found |= {one.name for one in part.variables}.union(*(names_in(one.type) for one in part.variables))
        elif isinstance(part, Cast):
            found |= names_in(part.type)
    return frozenset(found)


@lru_cache(maxsize=1024)
def names_in(text: str) -> frozenset[str]:
    """Names in a text, and those that `h.left` begins with."""
    words = [token.text for token in tokens(text) if token.sort is Sort.NAME]
    return frozenset(words) | {word.partition(".")[0] for word in words}


def renamed_text(text: str, names: Mapping[str, str]) -> str:
    """The text with other names: of `x.num`, the `x`."""
    if not names_in(text) & names.keys():
        return text
    parts: list[str] = []
    at = 0
    for token in tokens(text):
        first, dot, rest = token.text.partition(".")
        if token.sort is Sort.NAME and first in names:
            parts += [text[at : token.start], names[first], dot, rest]
            at = token.end
    return "".join((*parts, text[at:]))


def _is_bracketed(line: Sequence[Token]) -> bool:
    return line[0].text in _OPENING and closing(line, 0) == len(line) - 1


def _inside(text: str) -> str:
    line = tokens(text)
    return text[1:-1].strip() if line[0].text == "(" and _is_bracketed(line) else text


class _NoOutline(Exception):
    """The text goes on in a way that is not known."""


class _Reader:
    """Reads by precedence, from one token to another."""

    def __init__(self, text: str, line: Sequence[Token]) -> None:
        self.text = text
        self.line = line
        self.at = 0
        self.end = len(line)

    def whole(self, start: int, end: int) -> Term:
        """All of these tokens as one term."""
        outer = self.at, self.end
        self.at, self.end = start, end
        try:
            term = self.proposition(0)
            if self.at < end:
                raise _NoOutline
        finally:
            self.at, self.end = outer
        return term

    def word(self, ahead: int = 0) -> str:
        return self.line[self.at + ahead].text if self.at + ahead < self.end else ""

    def raw(self, start: int, end: int) -> Variable:
        if start >= end:
            raise _NoOutline
        return opaque(self.text[self.line[start].start : self.line[end - 1].end])

    def find(self, *words: str) -> int:
        """The next of these outside of brackets."""
        depth = self.line[self.at].depth if self.at < self.end else 0
        for index in range(self.at, self.end):
            if self.line[index].depth == depth and self.line[index].text in words:
                return index
        raise _NoOutline

    # --- propositions ----------------------------------------------------------------------------

    def proposition(self, tight: int) -> Term:
        left = self.relation()
        while (found := _CONNECTIVES.get(self.word())) is not None and found[1] >= tight:
            self.at += 1
            sign, _, inner = found
            right = self.proposition(inner)
            if sign in ("and", "or") and isinstance(right, Apply) and right.sign == sign:
                left = Apply(sign, (left, *right.args))
            else:
                left = Apply(sign, (left, right))
        return left

    def relation(self) -> Term:
        if self.word() in _QUANTIFIERS:
            return self.quantified()
        if self.word() == "¬":
            self.at += 1
            return Apply("not", (self.proposition(_NEGATED),))
        start = self.at
        left = self.side()
        sign = self.word()
        if sign in _RELATIONS:
            self.at += 1
            return Apply(sign, (left, self.side()))
        if sign == "≡":
            self.at += 1
            right = self.side()
            return self.congruence(left, right)
        if sign in _OTHER_RELATIONS:
            self.at += 1
            self.side()
            return self.raw(start, self.at)
        return left

    def congruence(self, left: Term, right: Term) -> Term:
        if self.word() != "[" or self.word(1) not in _MODULI:
            raise _NoOutline
        end = closing(self.line, self.at)
        term = Apply(_MODULI[self.word(1)], (left, right, self.whole(self.at + 2, end)))
        self.at = end + 1
        return term

    def quantified(self) -> Term:
        sign = self.word()
        self.at += 1
        if self.word() == "!" and sign == "∃":
            sign = "∃!"
            self.at += 1
        variables, premises = self.bound(self.find(","))
        self.at += 1
        body = self.proposition(0)
        if premises and sign == "∃!":
            raise _NoOutline
        for premise in reversed(premises):
            body = Apply("implies" if sign == "∀" else "and", (premise, body))
        return Bind(sign, tuple(variables), body)

    def bound(self, end: int) -> tuple[list[Typed], list[Term]]:
        """The variables up to the comma, and what bounds them."""
        variables: list[Typed] = []
        premises: list[Term] = []
        while self.at < end and self.word() == "(":
            inner = closing(self.line, self.at)
            self.at += 1
            variables += self.named(inner)
            self.at = inner + 1
        if variables and self.at < end:
            raise _NoOutline
        if not variables:
            names_end = next((i for i in range(self.at, end) if self.line[i].text in _BOUNDS), end)
            variables = self.named(names_end)
            if self.at < end:
                if len(variables) != 1 or variables[0].type != "_":
                    raise _NoOutline
                sign = self.word()
                premises.append(Apply(sign, (Variable(variables[0].name), self.whole(self.at + 1, end))))
                self.at = end
        return variables, premises

    def named(self, end: int) -> list[Typed]:
        """`x y : ℝ`, or names alone. A proposition is not a type of variables."""
        names: list[str] = []
        while self.at < end and self.line[self.at].sort is Sort.NAME:
            names.append(self.word())
            self.at += 1
        kind = "_"
        if self.at < end:
            if self.word() != ":" or self.at + 1 >= end:
                raise _NoOutline
            kind = self.text[self.line[self.at + 1].start : self.line[end - 1].end]
            if any(token.text in _RELATIONS | _OTHER_RELATIONS for token in self.line[self.at + 1 : end]):
                raise _NoOutline
            self.at = end
        if not names or "_" in names or any("." in name or name in _WORDS for name in names):
            raise _NoOutline
        return [Typed(name, kind) for name in names]

    # --- terms -----------------------------------------------------------------------------------

    def side(self) -> Term:
        """A side of a relation; as text where it has signs that are not known here."""
        start = self.at
        try:
            term = self.sum(_A_SIDE)
            if self.ends_side():
                return term
        except _NoOutline:
            pass
        self.at = start
        while self.at < self.end and not self.ends_side():
            word = self.word()
            if word in _TO_THE_END or word in _QUANTIFIERS:
                self.at = self.end
                break
            if word in ("∑", "∏", "∫", "⨆", "⨅", "⋃", "⋂", "⨍"):
                self.at = self.find(",")
            self.at = closing(self.line, self.at) + 1 if word in _OPENING else self.at + 1
        return self.raw(start, min(self.at, self.end))

    def ends_side(self) -> bool:
        word = self.word()
        if word == "[":
            return self.word(1) in _MODULI
        return self.at >= self.end or word in _CONNECTIVES or word in _RELATIONS | _OTHER_RELATIONS or word == "≡"

    def sum(self, tight: int) -> Term:
        if self.word() == "-":
            self.at += 1
            left: Term = Apply("neg", (self.sum(_NEGATIVE),))
        else:
            left = self.applied()
        while (found := _ARITHMETIC.get(self.word())) is not None and found[0] >= tight:
            sign = self.word()
            self.at += 1
            start = self.at
            right = self.sum(found[1])
            if sign == "^" and isinstance(right, Apply) and right.sign == "neg":
                right = self.raw(start, self.at)  # an exponent keeps its brackets
            left = Apply(sign, (left, right))
        return left

    def applied(self) -> Term:
        if self.word() in ("∑", "∏"):
            return self.series()
        head = self.atom()
        args: list[Term] = []
        while self.starts_argument():
            args.append(self.atom())
        if not args:
            return head
        known = _KNOWN.get(head.name) if isinstance(head, Variable) else None
        if known is not None and known[1] == len(args):
            return Apply(known[0], tuple(args))
        return Call(head, tuple(args))

    def starts_argument(self) -> bool:
        if self.at >= self.end:
            return False
        token = self.line[self.at]
        if token.sort is Sort.NAME:
            return token.text not in _WORDS
        if token.text == "[":
            return self.word(1) not in _MODULI
        return token.sort is Sort.NUMBER or token.text in _OPENING or token.text == "↑"

    def series(self) -> Term:
        sign = self.word()
        if self.word(2) != "∈" or self.line[self.at + 1].sort is not Sort.NAME:
            raise _NoOutline
        name = self.word(1)
        self.at += 3
        comma = self.find(",")
        domain = self.whole(self.at, comma)
        self.at = comma + 1
        return Bind(sign, (Typed(name, "_"),), self.sum(_A_SUM), domain)

    def atom(self) -> Term:
        if self.at >= self.end:
            raise _NoOutline
        start, token = self.at, self.line[self.at]
        self.at += 1
        term: Term
        if token.sort is Sort.NUMBER:
            term = Number(int(token.text)) if len(token.text) < 300 else opaque(token.text)
        elif token.sort is Sort.NAME and token.text not in _WORDS:
            term = Variable(token.text)
        elif token.text == "↑":
            return Cast("", self.atom())
        elif token.text == "|":
            term = Apply("abs", (self.sum(0),))
            if self.word() != "|":
                raise _NoOutline
            self.at += 1
        elif token.text in _OPENING:
            end = closing(self.line, start)
            if self.line[end].text != _OPENING[token.text] or end >= self.end:
                raise _NoOutline
            self.at = end + 1
            term = self.bracketed(start, end) if token.text == "(" else self.raw(start, end + 1)
        else:
            raise _NoOutline
        return self.with_fields(start, term)

    def bracketed(self, start: int, end: int) -> Term:
        colon = next(
            (
                i
                for i in range(start + 1, end)
                if self.line[i].text == ":" and self.line[i].depth == self.line[start].depth + 1
            ),
            end,
        )
        try:
            inner = self.whole(start + 1, colon)
        except _NoOutline:
            return self.raw(start, end + 1)
        if colon == end:
            return inner
        return Cast(self.text[self.line[colon + 1].start : self.line[end - 1].end], inner) if colon + 1 < end else inner

    def with_fields(self, start: int, term: Term) -> Term:
        """The atom, with `.num`, `⁻¹` and `^[n]` behind it as text. What else is glued to it is not known."""
        glued = False
        while self.at < self.end and self.line[self.at].start == self.line[self.at - 1].end:
            word, behind = self.word(), self.word(1)
            is_one = bool(behind) and self.line[self.at + 1].start == self.line[self.at].end
            if word in (".", "⁻") and is_one:
                self.at += 2
                glued = True
            elif word == "^" and behind == "[" and is_one:
                self.at = closing(self.line, self.at + 1) + 1
                glued = True
            elif word in ("₊", "!"):
                self.at += 1
                glued = True
            else:
                break
        return Variable(self.text[self.line[start].start : self.line[self.at - 1].end]) if glued else term
