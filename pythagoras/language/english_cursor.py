"""A place in a text, and the smallest steps of reading: a word, a phrase, a list of names, a kind of number."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pythagoras.language.english_tokens import Tokens
from pythagoras.language.english_words import (
    ADJECTIVES,
    KIND_WORDS,
    LETTERS,
    NUMBERS,
    SIGNS,
    VERBS,
    adjective_says,
    looks_like_name,
)
from pythagoras.language.meaning import Term, Typed
from pythagoras.language.reading import NotRead

Read = TypeVar("Read")

Group = tuple[tuple[Typed, ...], tuple[Term, ...]]
"""Variables with their types, and what is said of them on the way ("positive", "with x < y")."""


_BEYOND = 8
"""So many words may be looked at behind the end."""
_MOST_ATTEMPTS = 500


class Stuck(Exception):
    """Not to be read this way; another way may be tried. What is shown in the end is the furthest failure."""


class Cursor:
    """Where the reader is, what is in scope there, and how far it ever came."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.words = [*tokens.words, *[""] * _BEYOND]
        self.at = 0
        self.attempts = 0
        self.scope: dict[str, str] = {}
        """Types by name; replaced, never changed, so that a way that fails leaves nothing behind."""
        self.failed_at = -1
        self.failure = ""

    @property
    def word(self) -> str:
        return self.words[self.at]

    def accept(self, *phrase: str) -> bool:
        """Go past the phrase if it is next."""
        words, at = self.words, self.at
        for word in phrase:
            if words[at] != word:
                return False
            at += 1
        self.at = at
        return True

    def accept_one(self, *words: str) -> str:
        """Go past the next word if it is one of these; "" if it is not."""
        word = self.words[self.at]
        if word in words:
            self.at += 1
            return word
        return ""

    def is_adjacent(self) -> bool:
        """Whether no space stands before the next word."""
        spans = self.tokens.spans
        return 0 < self.at < len(spans) and spans[self.at - 1][1] == spans[self.at][0]

    def expect(self, *phrase: str) -> None:
        if not self.accept(*phrase):
            raise self.stuck(f'expected "{" ".join(phrase)}"')

    def stuck(self, why: str) -> Stuck:
        """For raising, where the text can't be read on."""
        if self.at > self.failed_at:
            self.failed_at, self.failure = self.at, why
        return Stuck()

    def refusal(self) -> NotRead:
        """The furthest failure, in one line with the words where it was."""
        spans = self.tokens.spans
        if not spans:
            return NotRead("there is no text")
        if self.failed_at >= len(spans):
            return NotRead(f"the text ends too early: {self.failure}")
        start = spans[self.failed_at][0]
        end = spans[min(self.failed_at + 5, len(spans) - 1)][1]
        return NotRead(f'at "{" ".join(self.tokens.text[start:end].split())}": {self.failure}')

    def attempt(self, way: Callable[[], Read]) -> Read | None:
        """What a way of reading gives; back where we were, and None, if it fails."""
        at, scope = self.at, self.scope
        self.attempts += 1
        if self.attempts > _MOST_ATTEMPTS:  # each costs time, and inside of each other they double it
            raise NotRead("the text is too entangled to be read")
        try:
            return way()
        except Stuck:
            self.at, self.scope = at, scope
            return None

    # --- names ---------------------------------------------------------------------------------

    def is_name(self, word: str) -> bool:
        return word in self.scope or looks_like_name(word)

    def name(self) -> str:
        word = self.word
        if not self.is_name(word):
            raise self.stuck("expected a variable")
        self.at += 1
        return word

    def names(self) -> list[str]:
        """`x`, `x and y`, `x, y and z`, `x, y`; a verb follows."""
        found = [self.name()]
        while self.accept(",") or self.accept("and"):
            self.accept("and")
            found.append(self.name())
        return found

    def quantified_names(self, plural: bool) -> list[str]:
        """Names behind a noun, where the sentence may go on with a term ("for all integers x, y < 3 ...")."""
        found = [self.name()]
        while plural:
            ahead = 2 if self.word == "," and self.words[self.at + 1] == "and" else 1
            last = self.words[self.at + ahead - 1] == "and"
            name, behind = self.words[self.at + ahead], self.words[self.at + ahead + 1]
            if self.word not in (",", "and") or not self.is_name(name) or behind in SIGNS or behind in VERBS:
                break
            if not last and behind not in (",", "and"):
                break
            self.at += ahead + 1
            found.append(name)
            if last:
                break
        return found

    # --- kinds ---------------------------------------------------------------------------------

    def number_kind(self) -> tuple[str, tuple[str, ...], bool]:
        """A type, the adjectives before it, and whether it was in the plural: `positive rational numbers`."""
        adjectives: list[str] = []
        while self.word in ADJECTIVES:
            adjectives.append(self.word)
            self.at += 1
        if self.word == "real":
            raise self.stuck("real numbers can't be told here, only natural numbers, integers and rational numbers")
        for phrase, kind in NUMBERS.items():
            if self.accept(*phrase):
                return *_settled(kind, adjectives), phrase[-1].endswith("s")
        if adjectives and adjectives[-1] == "prime" and self.word not in ("number", "numbers"):
            return "ℕ", tuple(adjectives), False
        if "prime" in adjectives and (self.accept("number") or self.accept("numbers")):
            return "ℕ", tuple(adjectives), self.words[self.at - 1] == "numbers"
        if self.accept("primes"):
            return "ℕ", (*adjectives, "prime"), True
        raise self.stuck("expected a kind of number")

    def is_kind(self) -> bool:
        """Whether a kind of number, function or property is next."""
        return self.word in KIND_WORDS

    def numbers_of(self) -> str:
        """`the integers`, as the domain of a function."""
        self.accept("the")
        if self.word in LETTERS:
            self.at += 1
            return LETTERS[self.words[self.at - 1]]
        kind, adjectives, plural = self.number_kind()
        if adjectives or not plural:
            raise self.stuck("expected a set of numbers")
        return kind

    def function_type(self) -> str:
        """Behind `function`: `from the natural numbers to the integers`; behind `property`: `of integers`."""
        if self.accept("from"):
            source = self.numbers_of()
            self.expect("to")
            return f"{source} → {self.numbers_of()}"
        self.expect("of")
        return f"{self.numbers_of()} → Prop"

    def introduced(self) -> Callable[[list[str]], Group]:
        """What stands behind `be`: an article and a kind. Gives what it makes of the names."""
        self.accept_one("a", "an")
        if self.accept_one("function", "functions", "property", "properties"):
            return _plainly(self.function_type())
        if self.accept_one("sequence", "sequences"):
            self.expect("of")
            return _plainly(f"ℕ → {self.numbers_of()}")
        kind, adjectives, _ = self.number_kind()
        return lambda names: _group(names, kind, adjectives)

    def kind_and_names(self) -> Group:
        """Behind `every`, `all`, `there is a`: a kind and then names: `functions f and g from ... to ...`."""
        head = self.accept_one("function", "functions", "property", "properties")
        if head:
            names = self.quantified_names(head.endswith("s"))
            return _plainly(self.function_type())(names)
        if self.accept_one("sequence", "sequences"):
            names = self.quantified_names(True)
            self.expect("of")
            return _plainly(f"ℕ → {self.numbers_of()}")(names)
        kind, adjectives, plural = self.number_kind()
        return _group(self.quantified_names(plural), kind, adjectives)


def _settled(kind: str, adjectives: list[str]) -> tuple[str, tuple[str, ...]]:
    """Positive and nonnegative integers are natural numbers."""
    plain = [one.replace("-", "") for one in adjectives]
    if kind == "ℤ" and "nonnegative" in plain:
        return "ℕ", tuple(one for one in adjectives if one.replace("-", "") != "nonnegative")
    return "ℕ" if kind == "ℤ" and "positive" in plain else kind, tuple(adjectives)


def _group(names: list[str], kind: str, adjectives: tuple[str, ...]) -> Group:
    said = tuple(adjective_says(one, name) for name in names for one in adjectives)
    return tuple(Typed(name, kind) for name in names), said


def _plainly(kind: str) -> Callable[[list[str]], Group]:
    return lambda names: _group(names, kind, ())
