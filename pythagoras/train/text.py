"""What a base model reads: generic `core` Lean, the embedded stand-in for a big model's own pretraining.

Made of, by count of texts:

    36 %   statements of the generator, half of them with the problem in words as a docstring, none with a proof
    34 %   exercises in logic and with numbers, with proofs by rule (`exercises/`)
    25 %   theorems of Lean's library restated, proved by it or by a single tactic that Lean takes
     3 %   theorems of Lean's library as a list of names and statements (`library.py`)
     2 %   declarations of the `core` header as they stand there, proofs included

So it shows how Lean is written, which names there are and how hypotheses are used. Its problems come from a stream of
the generator of its own: another than that of a corpus with the same seed, though small families give both the same
statements now and then, which `apart` prevents where that matters. Its proofs are not checked one by one: exercises are
true by construction, and of 200 restated theorems Lean took the proofs of 197 (`rw` and `simp` are named without a look
at the goal). Whoever trains hands over the benchmarks, and every theorem in the texts goes through those stages of a
corpus's sweep that need neither Lean nor a model. The same seed gives the same texts, as a stream.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cache
from itertools import islice
from random import Random
from typing import NamedTuple, TypeAlias

from pythagoras.corpus.decontamination.sweep import CHEAP, DecontaminationSettings, Sweep
from pythagoras.corpus.generator.generate import Drawn, generate
from pythagoras.corpus.normal import alpha_key
from pythagoras.corpus.records import Instance, Record, Tier, formal_text
from pythagoras.corpus.sources.canary import is_marked_text
from pythagoras.corpus.stages import Dropped
from pythagoras.lean.headers import core
from pythagoras.lean.signatures import THEOREMS, commands
from pythagoras.lean.statements import parse_statement
from pythagoras.train.exercises.arithmetic import ARITHMETIC
from pythagoras.train.exercises.exercise import Exercise, pick
from pythagoras.train.exercises.logic import logic
from pythagoras.train.exercises.uses import use
from pythagoras.train.library import theorems

SOURCE = "base"
_SHARES = {"statement": 36, "logic": 15, "arithmetic": 19, "use": 25, "list": 3, "header": 2}
_STREAM = 1_000_003
"""Between the generator's seed here and that of a corpus."""
_LISTED = 6
"""Theorems of the library in a text that lists them."""
_STEMS = ("problem", "problem", "exercise", "ex", "example", "t", "lemma", "test", "question", "claim", "fact")
_DECLARE = ("theorem", "def", "instance", "structure", "class", "abbrev")
_LAYOUTS = (" ", "\n")
"""What stands behind `:=`: as people write it, and as the prompt for small models has it."""
_BATCH = 1_000
"""Texts that are swept at a time."""
_Said: TypeAlias = tuple[tuple[Record, ...], str]
"""The theorems in a text, and the text."""


def core_texts(
    statements: int,
    seed: int,
    benchmarks: Iterable[Record] = (),
    tally: Counter[str] | None = None,
    *,
    apart: Container[str] = (),
) -> Iterator[str]:
    """Texts with so many of the generator's statements among them, without those that a benchmark would recognise.

    `apart` has the keys (`corpus.normal.alpha_key`) of statements that are left out as well. `tally` counts what came
    of each kind, and what was left out by its reason.
    """
    counted = Counter[str]() if tally is None else tally
    items = list(benchmarks)
    sweep = Sweep(items, DecontaminationSettings(CHEAP)) if items else None
    made = _made(statements, seed)
    while batch := list(islice(made, _BATCH)):
        decisions = iter(sweep.decide([record for made in batch for record in made.theorems]) if sweep else ())
        for kind, theorems_in, text in batch:
            dropped = [found for found in islice(decisions, len(theorems_in)) if isinstance(found, Dropped)]
            if dropped:
                counted[dropped[0].reason.value] += 1
            elif is_marked_text(text):
                counted["marked"] += 1
            elif any(alpha_key(formal_text(record)) in apart for record in theorems_in):
                counted["apart"] += 1
            else:
                counted[kind] += 1
                yield text


class _Made(NamedTuple):
    """A text, its kind, and the theorems in it."""

    kind: str
    theorems: tuple[Record, ...]
    text: str


def _made(statements: int, seed: int) -> Iterator[_Made]:
    """Each text has a random source of its own."""
    drawn = generate(statements, seed + _STREAM)
    kinds, weights = list(_SHARES), list(_SHARES.values())
    number = 0
    left = statements
    while left:
        rng = Random(f"{seed} {number}")
        (kind,) = rng.choices(kinds, weights)
        if kind == "statement":
            left -= 1
            yield _Made(kind, *_statement(rng, next(drawn)))
        else:
            yield _Made(kind, *_OTHERS[kind](rng))
        number += 1


def _statement(rng: Random, drawn: Drawn) -> _Said:
    """The generator's name tells the family, and its end is noise that nobody can learn: another takes its place."""
    formalisation = drawn.formalisation
    text = formalisation.text.replace(formalisation.name, _name(rng), 1)
    return (formalisation,), f"/-- {drawn.problem.text} -/\n{text}" if rng.random() < 0.5 else text


def _exercise(rng: Random, exercise: Exercise) -> _Said:
    name = _name(rng)
    statement = exercise.statement(name)
    return (_theorem(name, statement, exercise.proof),), f"{statement} :={pick(rng, _LAYOUTS)}{exercise.proof}"


def _logic(rng: Random) -> _Said:
    return _exercise(rng, logic(rng))


def _arithmetic(rng: Random) -> _Said:
    return _exercise(rng, pick(rng, ARITHMETIC)(rng))


def _use(rng: Random) -> _Said:
    return _exercise(rng, use(rng, pick(rng, theorems())))


def _list(rng: Random) -> _Said:
    first = rng.randrange(len(theorems()))
    listed = theorems()[first : first + _LISTED]
    found = tuple(_theorem(theorem.name, f"theorem {theorem.text}") for theorem in listed)
    return found, "\n".join(f"theorem {theorem.text}" for theorem in listed)


def _theorem(name: str, statement: str, proof: str = "") -> Record:
    return Instance(name, statement, proof, SOURCE, Tier.EASY, verified=False)


def _name(rng: Random) -> str:
    return f"{pick(rng, _STEMS)}_{rng.randrange(pick(rng, (10, 100, 1_000)))}"


@cache
def _declarations() -> tuple[_Said, ...]:
    """Of the `core` header, each with the theorem that it may be."""
    text = core().library
    declared = [command for command in commands(text) if command.word in _DECLARE]
    return tuple(_declaration(text[each.start : each.end], is_theorem=each.word in THEOREMS) for each in declared)


def _declaration(text: str, *, is_theorem: bool) -> _Said:
    if not is_theorem:
        return (), text
    before, cases, _ = text.partition("\n  | ")
    stated = parse_statement(f"{before} := sorry" if cases and ":=" not in before else text)
    return (_theorem(stated.name, stated.text),), text


def _header(rng: Random) -> _Said:
    return pick(rng, _declarations())


_OTHERS: dict[str, Callable[[Random], _Said]] = {
    "logic": _logic,
    "arithmetic": _arithmetic,
    "use": _use,
    "list": _list,
    "header": _header,
}
