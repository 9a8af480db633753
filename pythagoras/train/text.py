"""What a base model reads: generic `core` Lean, the embedded stand-in for a big model's own pretraining.

Made of, by count of texts:

    42 %   statements of the generator, half of them with the problem in words as a docstring, none with a proof
    32 %   exercises in logic and with numbers, with proofs by rule (`exercises/`)
    21 %   theorems of Lean's library restated and proved by it
     3 %   theorems of Lean's library as a list of names and statements (`library.py`)
     2 %   declarations of the `core` header as they stand there, proofs included

So it shows how Lean is written, which names there are and how hypotheses are used; it has no proof of a problem that
the generator, a corpus or a benchmark sets. Its proofs are not checked one by one: exercises are true by construction,
and of 200 restated theorems Lean took the proofs of 195 (`rw` and `simp` are named without a look at the goal). Nothing
of CoreBench is in it: whoever trains hands over the benchmarks, and theorems go through the sweep that a corpus goes
through. The same seed gives the same texts, as a stream.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from random import Random

from pythagoras.corpus.decontamination.sweep import DecontaminationSettings, Sweep
from pythagoras.corpus.generator.generate import Drawn, generate
from pythagoras.corpus.records import Instance, Record, Tier
from pythagoras.corpus.sources.canary import is_marked_text
from pythagoras.corpus.stages import Dropped
from pythagoras.lean.headers import core
from pythagoras.lean.signatures import commands
from pythagoras.train.exercises.arithmetic import ARITHMETIC
from pythagoras.train.exercises.exercise import Exercise, pick
from pythagoras.train.exercises.logic import logic
from pythagoras.train.exercises.uses import use
from pythagoras.train.library import theorems

SOURCE = "base"
_SHARES = {"statement": 42, "logic": 14, "arithmetic": 18, "use": 21, "list": 3, "header": 2}
_STAGES = ("surface", "ngram", "structure")
"""Of decontamination: those that need neither Lean nor a model."""
_LISTED = 6
"""Theorems of the library in a text that lists them."""
_STEMS = ("problem", "problem", "exercise", "ex", "example", "t", "lemma", "test", "question", "claim", "fact")
_DECLARE = ("theorem", "def", "instance", "structure", "class", "abbrev")
_LAYOUTS = (" ", "\n")
"""What stands behind `:=`: as people write it, and as the prompt for small models has it."""
_BATCH = 1_000
"""Texts that are swept at a time."""


def core_texts(
    statements: int, seed: int, benchmarks: Iterable[Record] = (), tally: Counter[str] | None = None
) -> Iterator[str]:
    """Texts with so many of the generator's statements among them, without those that a benchmark would recognise.

    `tally` counts what came of each kind, and what was left out by its reason.
    """
    counted = Counter[str]() if tally is None else tally
    items = list(benchmarks)
    sweep = Sweep(items, DecontaminationSettings(stages=_STAGES)) if items else None
    made = _made(statements, seed)
    while batch := list(islice(made, _BATCH)):
        decisions = iter(sweep.decide([record for _, record, _ in batch if record]) if sweep else ())
        for kind, record, text in batch:
            decision = next(decisions) if sweep and record else None
            if isinstance(decision, Dropped):
                counted[decision.reason.value] += 1
            elif is_marked_text(text):
                counted["marked"] += 1
            else:
                counted[kind] += 1
                yield text


def _made(statements: int, seed: int) -> Iterator[tuple[str, Record | None, str]]:
    """Kind, the theorem for the sweep (where it is one), and text. Each has a random source of its own."""
    drawn = generate(statements, seed)
    kinds, weights = list(_SHARES), list(_SHARES.values())
    number = 0
    left = statements
    while left:
        rng = Random(f"{seed} {number}")
        (kind,) = rng.choices(kinds, weights)
        if kind == "statement":
            left -= 1
            yield kind, *_statement(rng, next(drawn))
        else:
            yield kind, *_OTHERS[kind](rng)
        number += 1


def _statement(rng: Random, drawn: Drawn) -> tuple[Record, str]:
    """The generator's name tells the family, and its end is noise that nobody can learn: another takes its place."""
    formalisation = drawn.formalisation
    text = formalisation.text.replace(formalisation.name, _name(rng), 1)
    return formalisation, f"/-- {drawn.problem.text} -/\n{text}" if rng.random() < 0.5 else text


def _exercise(rng: Random, exercise: Exercise) -> tuple[Record, str]:
    name = _name(rng)
    statement = exercise.statement(name)
    record = Instance(name, statement, exercise.proof, SOURCE, Tier.EASY, verified=False)
    return record, f"{statement} :={pick(rng, _LAYOUTS)}{exercise.proof}"


def _logic(rng: Random) -> tuple[Record, str]:
    return _exercise(rng, logic(rng))


def _arithmetic(rng: Random) -> tuple[Record, str]:
    return _exercise(rng, pick(rng, ARITHMETIC)(rng))


def _use(rng: Random) -> tuple[Record, str]:
    return _exercise(rng, use(rng, pick(rng, theorems())))


def _list(rng: Random) -> tuple[None, str]:
    first = rng.randrange(len(theorems()))
    return None, "\n".join(f"theorem {theorem.text}" for theorem in theorems()[first : first + _LISTED])


def _name(rng: Random) -> str:
    return f"{pick(rng, _STEMS)}_{rng.randrange(pick(rng, (10, 100, 1_000)))}"


@cache
def _declarations() -> tuple[str, ...]:
    text = core().library
    return tuple(text[command.start : command.end] for command in commands(text) if command.word in _DECLARE)


def _header(rng: Random) -> tuple[None, str]:
    return None, pick(rng, _declarations())


_OTHERS: dict[str, Callable[[Random], tuple[Record | None, str]]] = {
    "logic": _logic,
    "arithmetic": _arithmetic,
    "use": _use,
    "list": _list,
    "header": _header,
}
