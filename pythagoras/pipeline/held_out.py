"""Problems that are kept for reinforcement learning, and how one that says the same is recognised.

Exactly, by any one of its marks: its text without its dress, its wording (names of variables and the word for "prove"
do not show), its meaning (read from its words or from its Lean), its statement up to names, that up to the order of
hypotheses and sides as well, and the kernel type of its statement where Lean was asked for it.

And nearly, where there is an embedder. A problem of an easier tier that is near one held out is dropped, as one of the
source is. A hard variant is near its original by design, and other numbers are what is wanted of it: it is dropped when
it is near, and has the same formulas in the same order. What that loses is a variant that changes words alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from pythagoras.corpus.decontamination.structure import lexical_key
from pythagoras.corpus.embedding.role import Embedder, Floats
from pythagoras.corpus.normal import alpha_key, alpha_text, informal_key, normal_informal
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import (
    Formalisation,
    Instance,
    Problem,
    Record,
    Tier,
    formal_text,
    informal_text,
    record_id,
    settings_of,
)
from pythagoras.corpus.rows import Fault
from pythagoras.corpus.stages import Dropped, Item
from pythagoras.language.english import read_english
from pythagoras.language.lean_reader import read_lean
from pythagoras.language.meaning import Claim
from pythagoras.language.normal import key
from pythagoras.language.reading import NotRead

_EMBED_ROWS = 4_096
_SIMILARITIES = 1 << 26
"""So many are computed at once: a quarter of a gigabyte."""


@dataclass(slots=True)
class HeldOut:
    """The marks of what is held out, each with the id of the problem that has it, and the problems themselves."""

    marks: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def add(self, record: Problem | Formalisation) -> None:
        """Hold out a problem, or a problem by what it was formalised as."""
        problem = record_id(record) if isinstance(record, Problem) else record.problem
        for mark in marks_of(record):
            self.marks.setdefault(mark, problem)
        if isinstance(record, Problem):
            self.problems.append(record)

    def decide(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, with those that say what a problem held out says as dropped."""
        for item in items:
            if (
                isinstance(item, Dropped | Fault)
                or (found := next((mark for mark in marks_of(item) if mark in self.marks), None)) is None
            ):
                yield item
            else:
                yield Dropped(item, Reason.HELD_OUT, self.marks[found], detail=f"the same {found.partition(' ')[0]}")

    def decide_near(self, items: Iterable[Item], model: Embedder | None, tau: float) -> Iterator[Item]:
        """The items, with those that nearly say what a problem held out says as dropped. Without a model, none do."""
        if model is None or not self.problems:
            yield from items
            return
        originals = _embedded([problem.text for problem in self.problems], model)
        said = [formulas(problem.text) for problem in self.problems]
        stream = iter(items)
        while block := list(islice(stream, max(1, min(_EMBED_ROWS, _SIMILARITIES // len(originals))))):
            rows = [at for at, item in enumerate(block) if _words(item)]
            texts = [_words(block[at]) for at in rows]
            similar = model.embed(texts) @ originals.T if rows else np.empty((0, 0), np.float32)
            for at, text, row in zip(rows, texts, similar, strict=True):
                item = block[at]
                assert not isinstance(item, Dropped | Fault)
                near = np.flatnonzero(row >= tau)
                if len(near) and getattr(item, "tier", None) is Tier.HARD:
                    own = formulas(text)
                    near = np.array([place for place in near if said[place] == own], np.intp)
                if len(near):
                    best = int(near[np.argmax(row[near])])
                    other = record_id(self.problems[best])
                    block[at] = Dropped(item, Reason.HELD_OUT, other, round(float(row[best]), 4), "near in words")
            yield from block


def held_out(problems: Iterable[Problem], formalisations: Iterable[Formalisation]) -> HeldOut:
    """What must not get into the corpus."""
    found = HeldOut()
    for problem in problems:
        found.add(problem)
    for formalisation in formalisations:
        found.add(formalisation)
    return found


def marks_of(record: Record) -> Iterator[str]:
    """All that a record is recognised by, each with its kind before it; the cheap ones first."""
    words, statement = informal_text(record), formal_text(record)
    if words and (text := informal_key(words)):
        yield f"text {text}"
        yield f"wording {hashlib.md5(' '.join(wording(words)).encode(), usedforsecurity=False).hexdigest()}"
    if statement:
        context = record.context if isinstance(record, Formalisation | Instance) else ""
        yield f"statement {alpha_key(statement, context)}"
        if kernel_type := settings_of(record).get("type"):
            yield f"type {kernel_type}"
        if structure := lexical_key(alpha_text(statement, context)):
            yield f"structure {structure}"
    for text, reader in ((words, read_english), (statement, read_lean)):
        if text and (meaning := _meaning(text, reader)):
            yield f"meaning {meaning}"


def _meaning(text: str, reader: Callable[[str], Claim]) -> str:
    """The key of what it means; empty where that can't be read."""
    try:
        return key(reader(text))
    except NotRead:
        return ""


def _words(item: Item) -> str:
    """What an item that is still in says; empty for all others."""
    return "" if isinstance(item, Dropped | Fault) else informal_text(item).strip()


def _embedded(texts: list[str], model: Embedder) -> Floats:
    blocks = (texts[start : start + _EMBED_ROWS] for start in range(0, len(texts), _EMBED_ROWS))
    return np.concatenate([model.embed(block) for block in blocks])


# --- texts without names of variables ---------------------------------------------------------------

_NUMBER_SETS = re.compile(r"\\mathbb\s*\{?\s*([NZQRC])\b\s*\}?|[ℕℤℚℝℂ]")
_SET_NAMES = dict(zip("NZQRCℕℤℚℝℂ", ("naturals", "integers", "rationals", "reals", "complexes") * 2, strict=True))
_INDEXED = re.compile(r"\b([^\W\d_]) _ (\d+)\b")
_SAME_WORDS = dict.fromkeys(("show", "demonstrate", "establish", "verify"), "prove")
_BEHIND_A_VARIABLE = frozenset(
    [
        *("and", "are", "be", "can", "denote", "denotes", "divides", "does", "equals", "exceeds", "for", "has"),
        *("have", "if", "in", "is", "leaves", "less", "lie", "lies", "minus", "mod", "modulo", "must", "not", "or"),
        *("plus", "satisfies", "satisfy", "so", "such", "that", "then", "times", "to", "when", "where", "whose"),
        *("with"),
    ]
)
"""Words before which `a` is a variable: before any other word it is an article."""
_NO_PRODUCTS = frozenset(
    [
        *("an", "and", "any", "are", "as", "at", "be", "by", "cos", "do", "for", "gcd", "has", "if", "in", "is"),
        *("it", "lcm", "log", "max", "min", "mod", "no", "not", "of", "on", "or", "set", "sin", "so", "sum", "tan"),
        *("the", "to", "two", "up", "we"),
    ]
)
_LONGEST_PRODUCT = 4


def wording(text: str) -> list[str]:
    """The words, numbers and signs of a text, its variables numbered in the order in which they come.

    Variables are single letters; `xy` is two of them where `x` and `y` are. In doubt a word stays as it is: then the
    same text with other names is not recognised, and no two texts are taken for one.
    """
    named = _NUMBER_SETS.sub(lambda found: f" {_SET_NAMES[found[1] or found[0]]} ", text)
    words = _INDEXED.sub(r"\1_\2", normal_informal(named)).split()
    variables = {word for at, word in enumerate(words) if _is_variable(words, at)}
    numbers: dict[str, str] = {}
    found = []
    for at, word in enumerate(words):
        if _is_variable(words, at):
            found.append(numbers.setdefault(word, f"#{len(numbers)}"))
        elif 1 < len(word) <= _LONGEST_PRODUCT and word not in _NO_PRODUCTS and variables.issuperset(word):
            found += [numbers.setdefault(letter, f"#{len(numbers)}") for letter in word]
        else:
            found.append(_SAME_WORDS.get(word, word))
    return found


def formulas(text: str) -> tuple[str, ...]:
    """What a text says in signs: its variables, numbers and operators, in their order."""
    return tuple(word for word in wording(text) if not word.isalpha() or word == "π")


def _is_variable(words: list[str], at: int) -> bool:
    word = words[at]
    letter = word.partition("_")[0]
    if len(letter) != 1 or not letter.isalpha() or word == "π":
        return False
    following = words[at + 1] if at + 1 < len(words) else ""
    is_article = following.isdigit() or (len(following) > 1 and following.isalpha())
    return word != "a" or not is_article or following in _BEHIND_A_VARIABLE
