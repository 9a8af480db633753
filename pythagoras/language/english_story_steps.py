"""What all word problems share: words of their own, steps with names, a question and its answer.

Things are counted: a story in which somebody gives away more than there is, or half of an odd number, is refused, so
that natural numbers say what the story says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pythagoras.language.english_sense import sensible
from pythagoras.language.english_sentences import Sentences
from pythagoras.language.english_words import PROVE
from pythagoras.language.meaning import Apply, Claim, Let, Number, Term, Typed, Variable
from pythagoras.language.reading import NotRead

_BENDING = frozenset(
    [
        "not",
        "never",
        "no",
        "nor",
        "only",
        "but",
        "if",
        "unless",
        "except",
        "about",
        "nearly",
        "almost",
        "half",
        "twice",
        "some",
        "most",
        "each",
        "every",
        "or",
    ]
)
"""Words that would turn what is said around, and so are no names of things."""

Words = tuple[str, ...]


class Amount(NamedTuple):
    """So many, and so many for each unit of the unknown number of the story."""

    fixed: int
    each: int = 0


class StorySteps(Sentences):
    """A reader of what word problems are made of."""

    def plain(self) -> str:
        """A word of the story's own."""
        word = self.word
        if word in _BENDING or (word != "a" and (len(word) < 2 or not word.replace("-", "").isalpha())):
            raise self.stuck("expected a word of the story")
        self.at += 1
        return word

    def called(self, *ends: str) -> Words:
        """Words up to one of these."""
        found = [self.plain()]
        while self.word not in ends:
            found.append(self.plain())
        return tuple(found)

    def step(self, words: Words, kind: str, value: Term) -> Variable:
        """Name a value."""
        name = "_".join(words)
        if any(variable.name == name for variable, _ in self.lets):
            raise self.stuck(f"two things are called {' '.join(words)}")
        self.lets.append((Typed(name, kind), value))
        return Variable(name)

    def answered(self, question: Callable[[], Term]) -> Claim:
        """The question with its answer, in one of both orders."""
        if self.word in PROVE:
            self.at += 1
            self.expect("that", "the", "answer", "to", "the", "following", "question", "is")
            answer = self.symbolic()
            self.expect(":")
            asked = question()
            self.expect("?")
        else:
            asked = question()
            self.expect("?")
            if self.word not in PROVE:
                raise self.stuck('expected "Show that"')
            self.at += 1
            if not (self.accept("that", "the", "answer", "is") or self.accept("that", "it", "is")):
                raise self.stuck('expected "that the answer is"')
            answer = self.symbolic()
            self.expect(".")
        return self.told(Apply("=", (asked, answer)))

    def told(self, goal: Term) -> Claim:
        """The claim with all values named that were named, in their order."""
        if self.word:
            raise self.stuck("nothing is expected behind the claim")
        named = tuple(variable for variable, _ in self.lets)
        checked = sensible(Claim((*self.variables, *named), tuple(self.hypotheses), goal))
        known: dict[str, Amount] = {one.name: Amount(0, 1) for one in self.variables}
        claimed = checked.goal
        for variable, value in self.lets:
            if variable.type == "ℕ":
                known[variable.name] = _counted(value, known)
        for variable, value in reversed(self.lets):
            claimed = Let(variable, value, claimed)
        return Claim(tuple(self.variables), checked.hypotheses, claimed)

    def unknown(self) -> None:
        """`, where x is a natural number`."""
        if self.accept(",", "where"):
            self.read_where()


def _counted(value: Term, known: dict[str, Amount]) -> Amount:
    """The value of a step, which must be a whole number and not negative, whatever the unknown number is."""
    match value:
        case Number(number):
            return Amount(number)
        case Variable(name) if name in known:
            return known[name]
        case Apply("+" | "-" as sign, (left, right)):
            a, b = _counted(left, known), _counted(right, known)
            turn = 1 if sign == "+" else -1
            result = Amount(a.fixed + turn * b.fixed, a.each + turn * b.each)
            if min(result) < 0:
                raise NotRead("the story takes away more than there may be")
            return result
        case Apply("*", (left, right)):
            a, b = _counted(left, known), _counted(right, known)
            if a.each and b.each:
                raise NotRead("the story multiplies unknown numbers")
            return Amount(a.fixed * b.fixed, a.fixed * b.each + a.each * b.fixed)
        case Apply("//", (left, Number(divisor))):
            a = _counted(left, known)
            if a.fixed % divisor or a.each % divisor:
                raise NotRead(f"the story divides by {divisor} what need not be a multiple of it")
            return Amount(a.fixed // divisor, a.each // divisor)
    raise NotRead("the story counts with something that is no natural number")
