"""Lean terms as trees, read without Lean: as much of them as the search must see to choose its moves.

What is read here steers the search and nothing else: Lean judges every text that comes of it, so a term that is read
wrongly costs questions and never a verdict. What can't be read raises `NotRead`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pythagoras.lean.tokens import Sort, Token, tokens

_BINARY = {
    "↔": (20, 21, 21),
    "→": (25, 26, 25),
    "∨": (30, 31, 30),
    "∧": (35, 36, 35),
    **dict.fromkeys(("=", "≠", "<", "≤", ">", "≥", "∣", "∈", "∉", "⊆"), (50, 51, 51)),
    "+": (65, 65, 66),
    "-": (65, 65, 66),
    "*": (70, 70, 71),
    "/": (70, 70, 71),
    "%": (70, 70, 71),
    "^": (75, 76, 75),
    "∘": (90, 91, 90),
}
"""Level of each sign, and the least that its left and right side must have."""
_CONGRUENT, _BIG, _NEGATIVE, _NOT, _APPLIED, _ALONE = 50, 67, 75, 40, 1023, 1024
_QUANTIFIERS = ("∀", "∃", "∃!", "fun", "λ")
_BIG_SIGNS = ("∑", "∏")
_WORDS = frozenset({"let", "if", "then", "else", "have", "from", "in", "at", "with", "by"})
_BOUNDS = ("<", "≤", ">", "≥", "∈", "≠")
RELATIONS = frozenset({"=", "≠", "<", "≤", ">", "≥"})
_DEEPEST_NESTING = 60
_DEEPEST = 120
"""Terms are gone through by recursion: a sum of a thousand parts is none that can be worked with here."""
_MOST_DIGITS = 1000
CONNECTIVES = frozenset({"∧", "∨", "→", "↔", "¬"})


class NotRead(ValueError):
    """The text is no term that is known here."""


@dataclass(frozen=True, slots=True)
class Term:
    """A node. `kind` says what it is, `name` which one, `parts` are the terms in it.

    number     name: its digits
    name       a variable or a constant
    call       parts: function and arguments
    sign       name: an infix or prefix sign (`-` with one part is the negative, `≡` has the modulus as third)
    bind       name: ∀ ∃ ∃! fun ∑ ∏ set let; `variable` is bound; parts: type or `_`, what it runs over or is, body
    cast       parts: term and type
    raw        name: text that is kept as it is: lists, tuples
    """

    kind: str
    name: str = ""
    parts: tuple[Term, ...] = ()
    variable: str = ""

    @property
    def body(self) -> Term:
        return self.parts[-1]

    @property
    def left(self) -> Term:
        return self.parts[0]

    @property
    def right(self) -> Term:
        return self.parts[1]

    def is_sign(self, *signs: str) -> bool:
        return self.kind == "sign" and self.name in signs

    def is_binder(self, *names: str) -> bool:
        return self.kind == "bind" and self.name in names

    def is_call(self, *functions: str) -> bool:
        return self.kind == "call" and self.parts[0].kind == "name" and self.parts[0].name in functions

    def __str__(self) -> str:
        return write(self)


HOLE = Term("name", "_")


def number(value: int) -> Term:
    return Term("number", str(value)) if value >= 0 else Term("sign", "-", (Term("number", str(-value)),))


def name(text: str) -> Term:
    return Term("name", text)


def sign(symbol: str, *parts: Term) -> Term:
    return Term("sign", symbol, parts)


def call(function: str, *arguments: Term) -> Term:
    return Term("call", "", (name(function), *arguments))


def value(term: Term) -> int | None:
    """The whole number that it is written as."""
    if term.kind == "number":
        return int(term.name)
    if term.is_sign("-") and len(term.parts) == 1 and term.left.kind == "number":
        return -int(term.left.name)
    if term.kind == "cast":
        return value(term.left)
    return None


def subterms(term: Term) -> Iterator[Term]:
    """The term and all that is in it, outermost first."""
    yield term
    for part in term.parts:
        yield from subterms(part)


def free(term: Term) -> frozenset[str]:
    """Names that it mentions and does not bind. Constants are among them."""
    if term.kind == "name":
        return frozenset({term.name.split(".")[0], term.name})
    if term.kind == "raw":
        return frozenset(token.text for token in tokens(term.name) if token.sort is Sort.NAME)
    if term.kind == "bind":
        inside = frozenset().union(*(free(part) for part in term.parts[:-1]))
        return inside | (free(term.body) - {term.variable})
    return frozenset().union(*(free(part) for part in term.parts))


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """The term with terms in the place of names. What is put in must not mention what is bound around it."""
    if term.kind == "name":
        return values.get(term.name, term)
    if term.kind == "bind" and term.variable in values:
        values = {other: found for other, found in values.items() if other != term.variable}
    return replace(term, parts=tuple(substitute(part, values) for part in term.parts)) if term.parts else term


def conjuncts(term: Term) -> list[Term]:
    return [*conjuncts(term.left), *conjuncts(term.right)] if term.is_sign("∧") else [term]


def upward(term: Term) -> Term:
    """An inequality with the smaller side first; everything else as it is."""
    if term.is_sign("≥", ">"):
        return Term("sign", "≤" if term.name == "≥" else "<", (term.right, term.left))
    return term


# --- reading -------------------------------------------------------------------------------------


def read(text: str) -> Term:
    """The term that a text is. Raises NotRead."""
    line = tokens(text)
    reader = _Reader(line, text)
    found = reader.term(0)
    if reader.at < len(line):
        raise NotRead(f"the term goes on at {line[reader.at].text!r}")
    if _depth(found) > _DEEPEST:
        raise NotRead(f"the term has more than {_DEEPEST} levels")
    return found


def _depth(term: Term) -> int:
    """How many terms are inside each other. A loop, for it is asked of terms that are too deep."""
    depth, level = 0, [term]
    while level:
        depth += 1
        level = [part for each in level for part in each.parts]
    return depth


class _Reader:
    def __init__(self, line: tuple[Token, ...], text: str) -> None:
        self.line = line
        self.text = text
        self.at = 0
        self.nested = 0
        self.ends_with_line = False  # the value of a `let`: what it is said of stands on the next line

    @property
    def word(self) -> str:
        return self.line[self.at].text if self.at < len(self.line) else ""

    def take(self, *expected: str) -> str:
        word = self.word
        if not word or (expected and word not in expected):
            raise NotRead(f"{word or 'the end'!r} stands in the place of {' or '.join(expected) or 'a term'}")
        self.at += 1
        return word

    def next_line(self) -> bool:
        return self.ends_with_line and self.at < len(self.line) and self.line[self.at].first

    def term(self, least: int) -> Term:
        self.nested += 1
        if self.nested > _DEEPEST_NESTING:
            raise NotRead(f"more than {_DEEPEST_NESTING} terms are inside each other")
        found = self.joined(least)
        self.nested -= 1
        return found

    def joined(self, least: int) -> Term:
        left = self.prefixed(least)
        while not self.next_line():
            if self.word == "≡" and least <= _CONGRUENT:
                left = self.congruence(left)
                continue
            word = {"->": "→"}.get(self.word, self.word)
            known = _BINARY.get(word)
            if known is None or known[0] < least:
                return left
            self.at += 1
            left = Term("sign", word, (left, self.term(known[2])))
        return left

    def congruence(self, left: Term) -> Term:
        self.take("≡")
        right = self.term(_CONGRUENT + 1)
        self.take("[")
        kind = self.take("MOD", "ZMOD")
        modulus = self.term(0)
        self.take("]")
        return Term("sign", "≡", (left, right, modulus), "Nat" if kind == "MOD" else "Int")

    def prefixed(self, least: int) -> Term:
        word = self.word
        if word == "-":
            self.at += 1
            return Term("sign", "-", (self.term(_NEGATIVE),))
        if word == "¬":
            self.at += 1
            return Term("sign", "¬", (self.term(_NOT),))
        if word in _QUANTIFIERS:
            return self.quantified()
        if word in _BIG_SIGNS:
            return self.big()
        if word == "let":
            return self.let()
        return self.applied()

    def quantified(self) -> Term:
        kind = self.take(*_QUANTIFIERS)
        if kind == "∃" and self.word == "!":
            self.at += 1
            kind = "∃!"
        kind = "fun" if kind == "λ" else kind
        groups: list[tuple[list[str], Term, tuple[str, Term] | None]] = []
        while self.word not in (",", "=>", "↦"):
            if self.word == "(":
                self.take("(")
                names = self.names()
                self.take(":")
                groups.append((names, self.term(0), None))
                self.take(")")
                continue
            names = self.names()
            kept = None
            type_ = HOLE
            if self.word == ":":
                self.take(":")
                type_ = self.term(0)
            elif self.word in _BOUNDS:
                kept = self.take(), self.term(51)
            groups.append((names, type_, kept))
        self.take(",", "=>", "↦")
        if not groups:
            raise NotRead(f"{kind} binds nothing")
        held, self.ends_with_line = self.ends_with_line, False
        body = self.term(0)
        self.ends_with_line = held
        for names, type_, bound in reversed(groups):
            for variable in reversed(names):
                if bound is not None:
                    limit = Term("sign", bound[0], (name(variable), bound[1]))
                    body = Term("sign", "→" if kind == "∀" else "∧", (limit, body))
                body = Term("bind", kind, (type_, HOLE, body), variable)
        return body

    def names(self) -> list[str]:
        found: list[str] = []
        while self.at < len(self.line) and (self.line[self.at].sort is Sort.NAME or self.word == "_"):
            found.append(self.take())
        if not found:
            raise NotRead(f"{self.word!r} stands in the place of a name")
        return found

    def big(self) -> Term:
        kind = self.take(*_BIG_SIGNS)
        [variable] = self.names()[:1]
        self.take("∈", "in")
        over = self.term(_CONGRUENT + 1)
        self.take(",")
        return Term("bind", kind, (HOLE, over, self.term(_BIG)), variable)

    def let(self) -> Term:
        self.take("let")
        [variable] = self.names()[:1]
        type_ = HOLE
        if self.word == ":":
            self.take(":")
            type_ = self.term(0)
        self.take(":=")
        held, self.ends_with_line = self.ends_with_line, True
        value_ = self.term(0)
        self.ends_with_line = held
        if self.word == ";":
            self.take(";")
        return Term("bind", "let", (type_, value_, self.term(0)), variable)

    def applied(self) -> Term:
        function = self.atom()
        arguments: list[Term] = []
        while self.starts_argument():
            arguments.append(self.atom())
        return Term("call", "", (function, *arguments)) if arguments else function

    def starts_argument(self) -> bool:
        if self.at >= len(self.line) or self.next_line():
            return False
        token = self.line[self.at]
        if token.sort is Sort.NAME:
            return token.text not in _WORDS and token.text not in _QUANTIFIERS
        if token.text == "[" and self.at + 1 < len(self.line) and self.line[self.at + 1].text in ("MOD", "ZMOD"):
            return False
        return token.sort is Sort.NUMBER or (token.text in ("(", "⟨", "{", "[", "↑") and self.before_is_blank())

    def before_is_blank(self) -> bool:
        return self.at == 0 or self.line[self.at - 1].end < self.line[self.at].start

    def atom(self) -> Term:
        found = self.bare()
        while self.at < len(self.line) and not self.before_is_blank():  # `(s).card`, `n!`
            if self.word == "!":
                self.at += 1
                found = call("Nat.factorial", found)
            elif self.word == "." and self.at + 1 < len(self.line) and self.line[self.at + 1].sort is Sort.NAME:
                self.at += 1
                found = Term("call", "", (name(f".{self.take()}"), found))
            else:
                break
        return found

    def bare(self) -> Term:
        if self.at >= len(self.line):
            raise NotRead("the term ends too early")
        token = self.line[self.at]
        if token.sort is Sort.NUMBER:
            if not token.text.isdecimal() or len(token.text) > _MOST_DIGITS:
                raise NotRead(f"{token.text[:20]} is no whole number of up to {_MOST_DIGITS} digits")
            return Term("number", self.take())
        if token.sort is Sort.NAME and token.text not in _WORDS:
            return Term("name", self.take())
        if token.text == "_":
            return Term("name", self.take())
        if token.text == "(":
            return self.bracketed()
        if token.text == "↑":
            self.at += 1
            return Term("cast", "", (self.atom(), HOLE))
        if token.text == "{":
            return self.set()
        if token.text in ("[", "⟨"):
            return self.kept()
        raise NotRead(f"no term begins with {token.text!r}")

    def bracketed(self) -> Term:
        self.take("(")
        held, self.ends_with_line = self.ends_with_line, False
        inner = self.term(0)
        if self.word == ":":
            self.take(":")
            inner = Term("cast", "", (inner, self.term(0)))
        self.take(")")
        self.ends_with_line = held
        return inner

    def set(self) -> Term:
        begin = self.at
        self.take("{")
        if self.at < len(self.line) and self.line[self.at].sort is Sort.NAME:
            variable = self.take()
            type_, over = HOLE, HOLE
            if self.word == ":":
                self.take(":")
                type_ = self.term(_CONGRUENT + 1)
            elif self.word == "∈":
                self.take("∈")
                over = self.term(_CONGRUENT + 1)
            if self.word == "|":
                self.take("|")
                body = self.term(0)
                self.take("}")
                return Term("bind", "set", (type_, over, body), variable)
        self.at = begin
        return self.kept()

    def kept(self) -> Term:
        """What stands in these brackets, as text."""
        depth, begin = self.line[self.at].depth, self.line[self.at].start
        self.at += 1
        while self.at < len(self.line) and self.line[self.at].depth > depth:
            self.at += 1
        if self.at >= len(self.line):
            raise NotRead("a bracket is left open")
        self.at += 1
        return Term("raw", self.text[begin : self.line[self.at - 1].end])


# --- writing -------------------------------------------------------------------------------------


def write(term: Term) -> str:
    """The term as Lean reads it."""
    return _written(term)[0]


def _written(term: Term) -> tuple[str, int]:
    """The text, and how firmly it holds together."""
    match term.kind:
        case "number" | "name":
            return term.name, _ALONE
        case "raw":
            return term.name, _ALONE
        case "cast" if term.right == HOLE:
            return f"↑{_at_least(term.left, _ALONE)}", _ALONE
        case "cast":
            return f"({write(term.left)} : {write(term.right)})", _ALONE
        case "call" if term.left.name.startswith("."):
            return f"{_at_least(term.right, _ALONE)}{term.left.name}", _ALONE
        case "call":
            return " ".join(_at_least(part, _ALONE) for part in term.parts), _APPLIED
        case "sign":
            return _written_sign(term)
    level = _ALONE if term.name == "set" else _BIG if term.name in _BIG_SIGNS else 0
    return _written_binder(term), level


def _written_sign(term: Term) -> tuple[str, int]:
    if term.name == "≡":
        left, right, modulus = term.parts
        kind = "MOD" if term.variable == "Nat" else "ZMOD"
        return f"{_at_least(left, 51)} ≡ {_at_least(right, 51)} [{kind} {write(modulus)}]", _CONGRUENT
    if len(term.parts) == 1:
        level = _NOT if term.name == "¬" else _NEGATIVE
        twice = term.name == "-" and term.left.is_sign("-") and len(term.left.parts) == 1  # `--` begins a comment
        return f"{term.name}{_at_least(term.left, _ALONE if twice else level)}", level
    level, left_least, right_least = _BINARY[term.name]
    return f"{_at_least(term.left, left_least)} {term.name} {_at_least(term.right, right_least)}", level


def _written_binder(term: Term) -> str:
    type_, over, body = term.parts
    typed = "" if type_ == HOLE else f" : {write(type_)}"
    if term.name == "let":
        return f"let {term.variable}{typed} := {write(over)}; {write(body)}"
    if term.name == "set":
        return f"{{{term.variable}{typed}{'' if over == HOLE else f' ∈ {write(over)}'} | {write(body)}}}"
    if term.name in _BIG_SIGNS:
        return f"{term.name} {term.variable} ∈ {write(over)}, {_at_least(body, _BIG)}"
    return f"{term.name} {term.variable}{typed}{' =>' if term.name == 'fun' else ','} {write(body)}"


def _at_least(term: Term, level: int) -> str:
    text, own = _written(term)
    return text if own >= level else f"({text})"
