"""When are two statements the same? A key for each: equal keys mean the same statement, however it is written.

Where Lean elaborates a statement the key is that of its kernel type. Elsewhere it is a hash of `canonical_text`: names
of bound variables, spacing, comments and grouping of binders do not show in that text, everything else does. The scope
of a variable is found by brackets, commas and the usual precedences, without Lean; where it is not clear (patterns of
`match`, `{f x | (x : ℕ)}`) names stay as written, so that the same statement may get two keys.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pythagoras.errors import HostDied, InputError
from pythagoras.lean import signatures
from pythagoras.lean.pool import Check, Checked, Checker, Status
from pythagoras.lean.signatures import THEOREMS, Command
from pythagoras.lean.statements import Statement
from pythagoras.lean.tokens import Sort, Token, closing
from pythagoras.lean.wire import NO_PROGRAMS, Limits

Names = Mapping[str, str]
"""What each variable in scope is called in the canonical text."""

_BINDER_PRECEDENCE = {
    **dict.fromkeys(("∀", "∃", "fun", "λ"), 0),
    **dict.fromkeys(("∫", "⨍", "⋃", "⋂", "⨆", "⨅"), 60),
    **dict.fromkeys(("∑", "∏"), 67),
}
"""Signs that bind variables: operators weaker than this end what they range over."""
_OPERATORS = {
    **dict.fromkeys(("<|", "$", "|>"), 10),
    **dict.fromkeys(("↔",), 20),
    **dict.fromkeys(("→", "->"), 25),
    **dict.fromkeys(("∨", "||"), 30),
    **dict.fromkeys(("∧", "×", "&"), 35),
    **dict.fromkeys(("=", "≠", "<", "≤", ">", "≥", "∈", "∉", "⊆", "⊂", "⊇", "⊃", "∣", "≡", "≈", "∼"), 50),
    **dict.fromkeys(("+", "-", "∪"), 65),
}
_SCOPE_ENDS = frozenset({",", ";", ":", ":=", "then", "else", "∂"})
_GLUED_TO_BINDER = frozenset({"!", "'", "ᶠ", "ᵐ"})
"""`∃!`, `∑'`, `∀ᶠ`."""
_VALUE_WORDS = frozenset({"let", "have", "letI", "haveI"})
_OWED: dict[str, tuple[str, ...]] = {
    **{sign: (",",) for sign in _BINDER_PRECEDENCE if sign not in ("fun", "λ")},
    **dict.fromkeys(_VALUE_WORDS, (":=", ";")),
    "if": ("then", "else"),
}
"""Ends of a scope that come once more when one of these stands in it."""
_OPENING = {"(": ")", "[": "]", "{": "}", "⦃": "⦄", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉", "⟦": "⟧", "⟪": "⟫", "‹": "›"}
_PATTERN_EDGES = frozenset({",", *_OPENING, *_OPENING.values()})
_SAME = {"λ": "fun", "↦": "=>", "->": "→"}
_NO_MEANING = frozenset({"example", "import"}) | THEOREMS
"""Commands of a context that can't change what a statement says."""
_DEFINITIONS = frozenset({"def", "abbrev", "instance"})


def canonical_keys(
    statements: Iterable[Statement], checker: Checker, limits: Limits = Limits(timeout_s=20)
) -> Iterator[tuple[Statement, str]]:
    """Each statement with its key, in order. A Lean that breaks down raises HostDied: it says nothing about a key."""
    asked: list[Statement] = []

    def checks() -> Iterator[Check]:
        for statement in statements:
            asked.append(statement)
            yield Check(statement.source, statement.header, limits, refuse=NO_PROGRAMS, holes=statement.answers)

    for number, checked in enumerate(checker.check(checks())):
        yield asked[number], _kernel_key(asked[number], checked) or _text_key(asked[number])


def canonical_key(statement: Statement, checker: Checker | None = None) -> str:
    """`kernel:` and the key of its type where the checker can elaborate it, else `text:` and a hash of its text."""
    if checker is None:
        return _text_key(statement)
    return next(key for _, key in canonical_keys([statement], checker))


def canonical_text(statement: Statement) -> str:
    """The statement on one line, without its name, comments and spacing, its variables numbered."""
    try:
        return _canonical_text(statement)
    except RecursionError as error:
        raise InputError(f"the statement {statement.name} is nested too deeply to be compared: leave it out") from error


def _canonical_text(statement: Statement) -> str:
    writer = _Writer()
    names: Names = {}
    for command in signatures.commands(statement.context):
        if command.word not in _NO_MEANING and not _is_limit(command):
            names = writer.context(command, names)
    *_, command = signatures.commands(statement.text)
    writer.theorem(command, names)
    return "".join(writer.written).strip()


def _kernel_key(statement: Statement, checked: Checked) -> str | None:
    if checked.status is Status.HOST_FAILURE:
        raise HostDied(f"no key for {statement.name}: {checked.failure}; try it again")
    answer = checked.answer
    if answer is None or answer.errors or answer.interrupted or answer.refused is not None:
        return None
    return next((f"kernel:{one.type_key}" for one in answer.declarations if one.name == statement.name), None)


def _text_key(statement: Statement) -> str:
    return "text:" + hashlib.sha256(canonical_text(statement).encode()).hexdigest()


def _is_limit(command: Command) -> bool:
    return command.word == "set_option" and (command.written_name or "").startswith("max")


@dataclass(slots=True)
class _Writer:
    """Writes tokens, bound variables as `#0`, `#1`, ... in the order of their binders."""

    written: list[str] = field(default_factory=list)
    bound: int = 0

    def put(self, *words: str) -> None:
        self.written += [f" {word}" for word in words]

    def fresh(self) -> str:
        self.bound += 1
        return f"#{self.bound - 1}"

    # --- commands ----------------------------------------------------------------------------

    def theorem(self, command: Command, names: Names) -> None:
        line = command.tokens
        self.scoped_prefix(command, names)
        self.put("theorem")
        self.signature(line, command.keyword + 2, names)

    def context(self, command: Command, names: Names) -> Names:
        """A command before the statement; what it calls by name from here on."""
        line = command.tokens
        if command.word == "variable":
            self.put("variable")
            names = self.binders(line[command.keyword + 1 :], names)
        elif command.word in _DEFINITIONS and command.written_name is not None and command.name is not None:
            self.scoped_prefix(command, names)
            own = self.fresh()
            names = {**names, command.written_name: own, command.name: own}
            self.put(command.word, own)
            self.signature(line, command.keyword + 2, names)
        else:
            self.terms(line, names)
        self.put(";;")
        return names

    def scoped_prefix(self, command: Command, names: Names) -> None:
        """An `open ... in` before the command; its attributes and modifiers do not matter."""
        before = command.tokens[: command.keyword]
        last = max((index for index, token in enumerate(before) if token.text == "in" and token.depth == 0), default=-1)
        self.terms([token for token in before[: last + 1] if token.sort is not Sort.DOC], names)

    def signature(self, line: Sequence[Token], at: int, names: Names) -> None:
        behind = signatures.behind_universes(line, at)
        universes = {token.text: self.fresh() for token in line[at:behind] if token.sort is Sort.NAME}
        self.put(*universes.values())
        end = behind
        while end < len(line) and line[end].text not in (":", ":=", "|", "where"):
            end = closing(line, end) + 1 if line[end].text in _OPENING else end + 1
        self.terms(line[end:], self.binders(line[behind:end], {**names, **universes}))

    # --- binders -----------------------------------------------------------------------------

    def binders(self, line: Sequence[Token], names: Names) -> Names:
        """Binders in brackets or bare, each on its own; the names behind them."""
        at = 0
        while at < len(line):
            end = closing(line, at) if line[at].text in _OPENING else at
            names = self.group(line[at : end + 1], names) if end > at else self.bare(line[at], names)
            at = end + 1
        return names

    def bare(self, token: Token, names: Names) -> Names:
        if token.sort is not Sort.NAME:
            self.put(token.text)
            return names
        new = self.fresh()
        self.put("(", new, ")")
        return _with(names, token.text, new)

    def group(self, line: Sequence[Token], names: Names) -> Names:
        """`(a b : T)` is written as `(a : T) (b : T)`; a pattern is written as it stands, its names bound."""
        opening, inner, close = line[0].text, line[1:-1], line[-1].text
        colon = next((index for index, token in enumerate(inner) if _is_at(token, ":", line[0].depth + 1)), len(inner))
        own = inner[:colon]
        if opening == "[" and colon != 1:
            self.put("[", self.fresh(), ":")
            self.terms(inner, names)
            self.put("]")
            return names
        if any(token.sort is not Sort.NAME for token in own):
            return self.pattern(line, names)
        return self.each(own, inner[colon:], names, opening, close)

    def each(self, own: Sequence[Token], typed: Sequence[Token], names: Names, opening: str, close: str) -> Names:
        """Variables of one type, each in brackets of its own."""
        inner = names
        for token in own:
            new = self.fresh()
            self.put(opening, new)
            self.terms(typed, names)
            self.put(close)
            inner = _with(inner, token.text, new)
        return inner

    def pattern(self, line: Sequence[Token], names: Names) -> Names:
        """Variables are what stands alone between brackets and commas; other names may be constructors and types."""
        inner = names
        for before, token, after in zip(line, line[1:], line[2:], strict=False):
            alone = before.text in _PATTERN_EDGES and after.text in _PATTERN_EDGES
            if token.sort is Sort.NAME and alone:
                inner = _with(inner, token.text, self.fresh())
        self.terms(line, inner)
        return inner

    # --- terms -------------------------------------------------------------------------------

    def terms(self, line: Sequence[Token], names: Names) -> None:
        at = 0
        while at < len(line):
            token = line[at]
            if _is_dependent_arrow(line, at):
                at = self.arrow(line, at, names)
            elif token.text in _OPENING:
                at = self.brackets(line, at, names)
            elif token.text in _BINDER_PRECEDENCE and token.sort is not Sort.LITERAL:
                at = self.quantified(line, at, names)
            elif token.text in _VALUE_WORDS:
                at, names = self.value(line, at, names)
            elif token.text == "if" and [following.text for following in line[at + 2 : at + 3]] == [":"]:
                self.put("if")
                names = _with(names, line[at + 1].text, self.fresh())
                at += 1
            else:
                self.word(line, at, names)
                at += 1

    def word(self, line: Sequence[Token], at: int, names: Names) -> None:
        token = line[at]
        text = _SAME.get(token.text, token.text)
        opens = at == 0 or line[at - 1].text == ","
        names_an_argument = opens and at + 1 < len(line) and line[at + 1].text == ":="
        if token.sort is Sort.NAME and not names_an_argument:
            head = text[: text.index("»") + 1] if text.startswith("«") else text.partition(".")[0]
            text = names.get(text) or names.get(head, head) + text[len(head) :]
        glued = at > 0 and line[at - 1].end == token.start and "." in (token.text, line[at - 1].text)
        self.written.append(text if glued else f" {text}")

    def brackets(self, line: Sequence[Token], at: int, names: Names) -> int:
        """A bracketed part; the index behind it."""
        end = closing(line, at)
        inner = line[at + 1 : end]
        bar = next((index for index, token in enumerate(inner) if _is_separator(token, line[at].depth + 1)), None)
        self.put(line[at].text)
        if line[at].text == "{" and bar is not None and (bound := _set_variables(inner[:bar])) is not None:
            names = self.domain(bound, inner[len(bound) : bar], names)
            self.put(inner[bar].text)
            self.terms(inner[bar + 1 :], names)
        else:
            self.terms(inner, names)
        if end > at and line[end].text == _OPENING[line[at].text]:
            self.put(line[end].text)
            return end + 1
        return max(end, at + 1)

    def arrow(self, line: Sequence[Token], at: int, names: Names) -> int:
        """`(x : T) → ...`; the index behind what it ranges over."""
        middle = closing(line, at) + 1
        inner = self.group(line[at:middle], names)
        end = _scope_end(line, middle + 1, _OPERATORS["→"])
        self.put("→")
        self.terms(line[middle + 1 : end], inner)
        return end

    def quantified(self, line: Sequence[Token], at: int, names: Names) -> int:
        """`∀ x, ...` and its like; the index behind what it ranges over."""
        sign, first = line[at], _behind_sign(line, at)
        middle = next((index for index in range(first, len(line)) if _separates(line[index], sign)), None)
        self.put(_SAME.get(sign.text, sign.text), *(token.text for token in line[at + 1 : first]))
        if middle is None:
            return first
        end = _scope_end(line, middle + 1, _BINDER_PRECEDENCE[sign.text])
        bound = _leading_binders(line[first:middle])
        inner = self.domain(bound, line[first + len(bound) : middle], names, sums=sign.text in ("∑", "∏"))
        self.put(_SAME.get(line[middle].text, line[middle].text))
        self.terms(line[middle + 1 : end], inner)
        return end

    def domain(self, bound: Sequence[Token], rest: Sequence[Token], names: Names, sums: bool = False) -> Names:
        """The binders of a quantifier and what they range over (`x y : ℕ`, `x ∈ s`, `n > 0`)."""
        if rest and rest[0].text == ":" and all(token.sort is Sort.NAME for token in bound):
            return self.each(bound, rest, names, "(", ")")
        inner = self.binders(bound, names)
        condition = next((index for index, token in enumerate(rest) if token.text == "with"), len(rest))
        if sums and rest and rest[0].text == "in":
            self.put("∈")
            rest, condition = rest[1:], condition - 1
        self.terms(rest[:condition], names)
        self.terms(rest[condition:], inner)
        return inner

    def value(self, line: Sequence[Token], at: int, names: Names) -> tuple[int, Names]:
        """`let x : T := v`: the index of the `:=`, and the names behind it."""
        depth = line[at].depth
        middle = next((index for index in range(at, len(line)) if _is_at(line[index], ":=", depth)), None)
        self.put(line[at].text)
        if middle is None:
            return at + 1, names
        colon = next((index for index in range(at, middle) if _is_at(line[index], ":", depth)), middle)
        inner = self.binders(line[at + 1 : colon], names)
        self.terms(line[colon:middle], names)
        self.put(":=")
        return middle + 1, inner


def _with(names: Names, name: str, new: str) -> Names:
    return names if name == "_" else {**names, name: new}


def _is_at(token: Token, text: str, depth: int) -> bool:
    return token.text == text and token.depth == depth


def _is_separator(token: Token, depth: int) -> bool:
    return token.text in ("|", "//") and token.depth == depth


def _separates(token: Token, sign: Token) -> bool:
    """Whether it ends the binders of that sign."""
    ends = ("=>", "↦") if sign.text in ("fun", "λ") else (",",)
    return token.depth == sign.depth and token.text in ends


def _is_dependent_arrow(line: Sequence[Token], at: int) -> bool:
    if line[at].text not in ("(", "{", "⦃"):
        return False
    end = closing(line, at)
    own = len(_leading_binders(line[at + 1 : end]))
    typed = (
        own > 0 and line[at + 1 + own].text == ":" and all(one.sort is Sort.NAME for one in line[at + 1 : at + 1 + own])
    )
    return typed and end + 1 < len(line) and line[end + 1].text in ("→", "->")


def _leading_binders(line: Sequence[Token]) -> Sequence[Token]:
    """The names and bracketed groups that a binder part begins with."""
    at = 0
    while at < len(line):
        if line[at].text in _OPENING:
            at = closing(line, at) + 1
        elif line[at].sort is Sort.NAME and line[at].text not in ("in", "with"):
            at += 1
        else:
            break
    return line[:at]


def _set_variables(line: Sequence[Token]) -> Sequence[Token] | None:
    """The variables before the bar of `{x ∈ s | ...}`; None when what stands there is a term, as in `{f x | ...}`."""
    bound = _leading_binders(line)
    if len(bound) == len(line):  # `{x | ...}`, `{(x, y) | ...}`
        return bound if len(bound) == 1 or (bound and closing(bound, 0) == len(bound) - 1) else None
    follows = line[len(bound)].text
    return bound if len(bound) == 1 and follows in (":", "∈", "<", "≤", ">", "≥", "≠", "⊆") else None


def _scope_end(line: Sequence[Token], start: int, precedence: int) -> int:
    """Where what a binder ranges over ends, from the token behind its comma."""
    index, owed = start, Counter[str]()
    while index < len(line):
        token = line[index]
        if token.depth != line[start].depth:
            index += 1
            continue
        if owed[token.text] > 0:  # it belongs to a `let`, an `if` or a binder inside
            owed[token.text] -= 1
        elif token.text in _SCOPE_ENDS:
            return index
        infix = index > start and line[index - 1].text not in _OPERATORS and line[index - 1].text != ","
        if infix and _OPERATORS.get(token.text, precedence) < precedence:
            return index
        owed.update(_OWED.get(token.text, ()))
        if token.text in _BINDER_PRECEDENCE or token.text in _VALUE_WORDS or token.text == "if":
            index = _behind_colon(line, index)
        index += 1
    return len(line)


def _behind_sign(line: Sequence[Token], at: int) -> int:
    """The index behind a sign that binds and what is glued to it, as in `∃!`."""
    first = at + 1
    while first < len(line) and line[first].text in _GLUED_TO_BINDER and line[first].start == line[first - 1].end:
        first += 1
    return first


def _behind_colon(line: Sequence[Token], at: int) -> int:
    """At the colon in `∀ x y : T`, `let x : T`, `if h : p`, when there is one; else where it was."""
    first = _behind_sign(line, at)
    behind = first + len(_leading_binders(line[first:]))
    return behind if behind < len(line) and line[behind].text == ":" else at
