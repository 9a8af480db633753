"""Lean's terms, parsed: from tokens to meanings in which types and divisions are still open.

Knows the notations of the `core` header with Lean's precedences. What is left open, `lean_types` settles: a bound
variable without a type has the type "", `↑x` is a cast to "", and `/` stands for both divisions. Names are taken as
variables unless they are functions that the meanings have a sign for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from pythagoras.language.lean_functions import CONSTANTS, FUNCTIONS, METHODS, function_of_holes
from pythagoras.language.meaning import Apply, Bind, Call, Cast, Let, Number, Term, Typed, Variable
from pythagoras.language.reading import NotRead
from pythagoras.lean.tokens import Sort, Token, closing, tokens

TYPE_NAMES = {"ℕ": "ℕ", "ℤ": "ℤ", "ℚ": "ℚ", "Nat": "ℕ", "Int": "ℤ", "Rat": "ℚ", "Prop": "Prop"}
CONGRUENT = {"MOD": "≡", "ZMOD": "≡ℤ"}
"""`≡ℤ` is a congruence of integers, until `lean_types` has cast its sides."""

_RELATIONS = frozenset({"=", "≠", "<", "≤", ">", "≥", "∣", "∈", "∉", "≡"})
_INFIX = {
    **{"↔": (20, 21, 21), "→": (25, 26, 25), "∨": (30, 31, 30), "∧": (35, 36, 35)},
    **dict.fromkeys(_RELATIONS, (50, 51, 51)),
    **dict.fromkeys("+-", (65, 65, 66)),
    **dict.fromkeys("*/%", (70, 70, 71)),
    **{"^": (75, 76, 75), "∘": (90, 91, 90)},
}
"""Signs between two terms: how tight, and how tight what stands to their left and right must be."""
_SIGN_OF = {"↔": "iff", "→": "implies", "∨": "or", "∧": "and"}
_SAME = {"λ": "fun", "↦": "=>", "->": "→"}
_GLUED = {("<", "="): "≤", (">", "="): "≥", ("!", "="): "≠", ("∃", "!"): "∃!"}
_BODY_OF_SUM = 67
_ARGUMENT = 1024
_MOST_NESTED = 100
_LONGEST_NUMERAL = 1000


def parse_term(text: str, declared: Iterable[str] = ()) -> Term:
    """The whole text as one term; `declared` are variables, whatever else their names may mean."""
    return _parsed(text, frozenset(declared))


@lru_cache(maxsize=1024)  # statements that are read one after the other often have hypotheses in common
def _parsed(text: str, declared: frozenset[str]) -> Term:
    parser = Parser(tokens(text), declared)
    term = parser.term()
    parser.end()
    return term


@lru_cache(maxsize=1024)
def parse_type(text: str) -> str | None:
    """`ℕ`, `ℤ → Prop`, ... in our spelling; None where it is no type of the meanings'."""
    parser = Parser(tokens(text))
    found = parser.type()
    return found if found is not None and parser.at == len(parser.line) else None


class Parser:
    """Reads terms off a line of tokens. Everything that it does not know is a NotRead."""

    def __init__(self, line: Sequence[Token], declared: Iterable[str] = ()) -> None:
        self.line, self.words = _joined(line)
        self.declared = set(declared)
        self.at = 0
        self.nested = 0
        self.column = -1
        """Arguments on later lines must stand to the right of this: where the `let` around them begins."""
        self.line_of_let = 0
        self.holes: list[int] = []
        """For each open parenthesis, how many `·` were met in it."""

    # --- tokens ------------------------------------------------------------------------------

    @property
    def word(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    @property
    def token(self) -> Token:
        return self.line[self.at]

    def refuse(self, why: str) -> NotRead:
        around = " ".join(self.words[max(0, self.at - 3) : self.at + 4])
        return NotRead(f"{why} at {around!r}" if around else why)

    def take(self, word: str) -> None:
        if self.word != word:
            raise self.refuse(f"no {word!r}")
        self.at += 1

    def skip(self, word: str) -> bool:
        if self.word != word:
            return False
        self.at += 1
        return True

    def name(self) -> str:
        if self.at >= len(self.line) or (self.token.sort is not Sort.NAME and self.word != "_"):
            raise self.refuse("no name")
        self.at += 1
        return self.words[self.at - 1]

    def new_name(self) -> str:
        """The name of a variable that begins here."""
        name = self.name()
        self.declared.add(name)
        return name

    def end(self) -> None:
        if self.at < len(self.line):
            raise self.refuse("not understood")

    def glued(self) -> bool:
        """Whether the token stands right behind the one before it."""
        return 0 < self.at < len(self.line) and self.line[self.at - 1].end == self.token.start

    # --- types -------------------------------------------------------------------------------

    def type(self) -> str | None:
        """A type from here on; None, and nothing taken, where none stands."""
        begun = self.at
        parts: list[str] = []
        while True:
            opened = self.skip("(")
            if self.word not in TYPE_NAMES:
                self.at = begun
                return None
            parts.append(TYPE_NAMES[self.word])
            self.at += 1
            if opened and not self.skip(")"):
                self.at = begun
                return None
            if not self.skip("→"):
                break
        if "Prop" in parts[:-1]:
            self.at = begun
            return None
        return " → ".join(parts)

    # --- terms -------------------------------------------------------------------------------

    def term(self, tight: int = 0) -> Term:
        self.nested += 1
        if self.nested > _MOST_NESTED:
            raise NotRead("nested too deeply")
        left, tightness = self.leading(), _ARGUMENT
        while self.word in _INFIX:
            precedence, left_least, right_least = _INFIX[self.word]
            if precedence < tight or tightness < left_least:
                break
            sign = self.word
            self.at += 1
            begun = self.at
            right = self.term(right_least)
            left, tightness = self.infix(sign, left, right, begun), precedence
        self.nested -= 1
        return left

    def infix(self, sign: str, left: Term, right: Term, begun: int) -> Term:
        """The two with the sign between them; `begun` is where the right one begins."""
        if sign == "≡":
            self.take("[")
            kind = CONGRUENT.get(self.word)
            if kind is None:
                raise self.refuse("no modulus")
            self.at += 1
            modulus = self.term()
            self.take("]")
            return Apply(kind, (left, right, modulus))
        if sign == "∉":
            return Apply("not", (Apply("∈", (left, right)),))
        if sign == "∘":
            return Bind("fun", (Typed("x", ""),), Call(left, (Call(right, (Variable("x"),)),)))
        if sign in ("∧", "∨"):
            name = _SIGN_OF[sign]
            return Apply(name, (left, *self.conjuncts(name, right, begun)))
        return Apply(_SIGN_OF.get(sign, sign), (left, right))

    def conjuncts(self, name: str, right: Term, begun: int) -> tuple[Term, ...]:
        """`a ∧ b ∧ c` is one list of three; `a ∧ (b ∧ c)`, which is the same to Lean, is kept as it is written."""
        bracketed = self.words[begun] == "(" and closing(self.line, begun) == self.at - 1
        return right.args if isinstance(right, Apply) and right.sign == name and not bracketed else (right,)

    def leading(self) -> Term:
        word = self.word
        if word == "¬":
            self.at += 1
            return Apply("not", (self.term(40),))
        if word == "-":
            self.at += 1
            return Apply("neg", (self.term(75),))
        if word in ("∀", "∃", "∃!"):
            return self.quantified()
        if word == "fun":
            self.at += 1
            return self.bound("fun", "=>")
        if word in ("∑", "∏"):
            return self.big()
        if word in ("let", "have"):
            return self.let()
        return self.application()

    def let(self) -> Term:
        column, line_of_let = self.column, self.line_of_let
        self.column, self.line_of_let = self.token.column, self.at
        self.at += 1
        name = self.new_name()
        kind = ""
        if self.skip(":"):
            found = self.type()
            if found is None:
                raise self.refuse("no type that is known")
            kind = found
        self.take(":=")
        value = self.term()
        self.column, self.line_of_let = column, line_of_let
        self.skip(";")
        return Let(Typed(name, kind), value, self.term())

    # --- application -------------------------------------------------------------------------

    def application(self) -> Term:
        name = self.function_name()
        if name is not None:
            count, make = FUNCTIONS[name]
            self.at += 1
            args = [self.argument() for _ in range(count)]
            return self.behind(make(*args))
        head = self.behind(self.atom())
        args = []
        while self.argument_follows():
            args.append(self.argument())
        if not args:
            return head
        if not isinstance(head, Variable | Bind):
            raise self.refuse("not a function")
        return self.behind(Call(head, tuple(args)))

    def function_name(self) -> str | None:
        """The function that is applied here; None where it is something else."""
        if self.at >= len(self.line) or self.token.sort is not Sort.NAME:
            return None
        return self.word if self.word in FUNCTIONS and self.word not in self.declared else None

    def argument_follows(self) -> bool:
        if self.at >= len(self.line):
            return False
        token = self.token
        if self.column >= 0 and token.column <= self.column and self.on_later_line():
            return False
        if self.word in _KEYWORDS:
            return False
        return token.sort in (Sort.NAME, Sort.NUMBER) or self.word in ("(", "↑", "{", "⟨")

    def on_later_line(self) -> bool:
        return any(token.first for token in self.line[self.line_of_let + 1 : self.at + 1])

    def argument(self) -> Term:
        """One argument: an atom with what is glued to it, or a `fun` at the end."""
        if self.word == "fun":
            self.at += 1
            return self.bound("fun", "=>")
        name = self.function_name()
        if name is not None and FUNCTIONS[name][0] == 1:  # `Finset.filter Even s`
            self.at += 1
            return Bind("fun", (Typed("x", ""),), FUNCTIONS[name][1](Variable("x")))
        return self.behind(self.atom())

    def behind(self, term: Term) -> Term:
        """Fields (`s.card`), `!` and `⁻¹` behind a term."""
        while self.at < len(self.line):
            if self.word == "." and self.glued() and self.at + 1 < len(self.line):
                self.at += 1
                for field in self.name().split("."):
                    term = self.field(term, field)
            elif self.word == "!" and self.words[self.at + 1 : self.at + 2] != ["="]:
                self.at += 1
                term = Apply("factorial", (term,))
            elif self.word == "⁻" and self.words[self.at + 1 : self.at + 2] == ["¹"]:
                self.at += 2
                term = Apply("/", (Number(1), term))
            else:
                break
        return term

    def field(self, term: Term, field: str) -> Term:
        method = METHODS.get(field)
        if method is None:
            raise self.refuse(f"{field!r} is not known")
        if method == "Finset.sum" and isinstance(term, Apply) and term.sign == "digits":
            method = "List.sum"
        count, make = FUNCTIONS[method]
        rest = [self.argument() for _ in range(count - 1)]
        return make(*rest, term) if method == "Finset.filter" else make(term, *rest)

    def atom(self) -> Term:
        if self.at >= len(self.line):
            raise self.refuse("it ends too early")
        token, word = self.token, self.word
        if token.sort is Sort.NUMBER:
            if len(word) > _LONGEST_NUMERAL:
                raise NotRead(f"a numeral of {len(word)} digits")
            self.at += 1
            return Number(int(word))
        if token.sort is Sort.NAME and word not in _KEYWORDS:
            return self.named()
        match word:
            case "(":
                return self.parenthesised()
            case "↑":
                self.at += 1
                return Cast("", self.behind(self.atom()))
            case "|":
                self.at += 1
                inner = self.term()
                self.take("|")
                return Apply("abs", (inner,))
            case "{":
                return self.braces()
            case "[":
                self.at += 1
                return Apply("list", self.listed("]"))
            case "·" if self.holes:
                self.at += 1
                self.holes[-1] += 1
                return Variable(f"·{self.holes[-1]}")
        raise self.refuse(f"{word!r} is not known")

    def named(self) -> Term:
        word = self.name()
        if word in CONSTANTS:
            return CONSTANTS[word]
        if word in TYPE_NAMES or word in ("ℝ", "ℂ", "Type", "Set", "Finset"):
            raise NotRead(f"a type where a term should be: {word}")
        if word.endswith("!") and len(word) > 1:
            return Apply("factorial", (Variable(word[:-1]),))
        head, *fields = word.split(".")
        if fields and head in (
            "Nat",
            "Int",
            "Rat",
            "Real",
            "Finset",
            "Set",
            "Function",
            "Complex",
            "NNReal",
            "Polynomial",
        ):
            raise NotRead(f"{word!r} is not known")
        term: Term = Variable(head)
        for field in fields:
            term = self.field(term, field)
        return term

    def parenthesised(self) -> Term:
        self.take("(")
        self.holes.append(0)
        column, self.column = self.column, -1
        inner = self.term()
        if self.skip(":"):
            kind = self.type()
            if kind is None:
                raise self.refuse("no type that is known")
            inner = Cast(kind, inner)
        self.take(")")
        self.column = column
        return function_of_holes(inner, self.holes.pop())

    def listed(self, close: str) -> tuple[Term, ...]:
        found: list[Term] = []
        while not self.skip(close):
            found.append(self.term())
            if self.word != close:
                self.take(",")
        return tuple(found)

    def braces(self) -> Term:
        """`{x : ℕ | ...}`, `{x ∈ s | ...}` or `{1, 2, 3}`."""
        self.take("{")
        begun = self.at
        if self.at < len(self.line) and self.token.sort is Sort.NAME and self.words[self.at + 1 : self.at + 2] != ["}"]:
            name = self.new_name()
            kind, domain = "", None
            if self.skip(":"):
                kind = self.type() or ""
            elif self.skip("∈"):
                domain = self.term()
            if self.skip("|"):
                body = self.term()
                self.take("}")
                variable = Typed(name, kind)
                return Bind("set", (variable,), body) if domain is None else Bind("filter", (variable,), body, domain)
        self.at = begun
        return Apply("list", self.listed("}"))

    # --- binders -----------------------------------------------------------------------------

    def quantified(self) -> Term:
        sign = self.word
        self.at += 1
        return self.bound(sign, ",")

    def bound(self, sign: str, before_body: str) -> Term:
        """Binders, then the body; bounds and hypotheses among the binders become part of the body."""
        groups: list[tuple[Typed, ...] | Term] = []
        while self.word != before_body:
            groups += self.binder_group()
        self.take(before_body)
        body = self.term()
        for group in reversed(groups):
            if isinstance(group, tuple):
                body = Bind(sign, group, body)
            elif sign == "∀":
                body = Apply("implies", (group, body))
            elif sign == "∃":
                more = body.args if isinstance(body, Apply) and body.sign == "and" else (body,)
                body = Apply("and", (group, *more))
            else:
                raise self.refuse(f"a bound behind `{sign}`")
        return body

    def binder_group(self) -> list[tuple[Typed, ...] | Term]:
        """`x y : ℤ`, `x y`, `(x y : ℤ)`, `(h : x > 0)`, `k < 6`, `x ∈ s`."""
        close = {"(": ")", "{": "}", "⦃": "⦄"}.get(self.word)
        if close is not None:
            self.at += 1
        names = [self.new_name()]
        while self.at < len(self.line) and self.token.sort is Sort.NAME and self.word not in _KEYWORDS:
            names.append(self.new_name())
        found: list[tuple[Typed, ...] | Term]
        if self.skip(":"):
            kind = self.type()
            found = [self.term()] if kind is None else [tuple(Typed(name, kind) for name in names)]
        elif self.word in _RELATIONS:
            sign = self.word
            self.at += 1
            right = self.term(51)
            found = [tuple(Typed(name, "") for name in names)]
            found += [self.infix(sign, Variable(name), right, self.at) for name in names]
        else:
            found = [tuple(Typed(name, "") for name in names)]
        if close is not None:
            self.take(close)
        return found

    def big(self) -> Term:
        """`∑ k ∈ s, ...` and `∏`."""
        sign = self.word
        self.at += 1
        name = self.new_name()
        if self.word not in ("∈", "in"):
            raise self.refuse(f"no domain of `{sign}`")
        self.at += 1
        domain = self.term()
        variable = Typed(name, "")
        if self.skip("with"):
            domain = Bind("filter", (variable,), self.term(), domain)
        self.take(",")
        return Bind(sign, (variable,), self.term(_BODY_OF_SUM), domain)


_KEYWORDS = frozenset({"let", "have", "fun", "if", "then", "else", "with", "in", "at", "by", "show", "from", "do"})


def _joined(line: Sequence[Token]) -> tuple[list[Token], list[str]]:
    """Tokens with one word each: signs of two characters as one, `||` as two."""
    kept: list[Token] = []
    words: list[str] = []
    for token in line:
        if token.sort is Sort.DOC:
            continue
        if token.sort is Sort.LITERAL:
            raise NotRead(f"a literal: {token.text}")
        glued = kept and kept[-1].end == token.start and _GLUED.get((words[-1], token.text))
        if glued:
            words[-1] = glued
        elif token.text == "||":
            kept += [token, token]
            words += ["|", "|"]
        else:
            kept.append(token)
            words.append(_SAME.get(token.text, token.text))
    return kept, words
