"""Distillation by rules: the failing goal, read as a meaning, made simpler as the rubric says for its class.

For each class the rubric says what to take; here it is an order of the kinds of simpler claims (`simpler`, `general`):

- unsolved goals: the goal that is left with the hypotheses that it needs, or an instance of it;
- tactic failure: the equation or inequality of the step, on numbers, or the algebra behind it;
- type mismatch: a number of the one domain from one of the other, through an expression of the theorem;
- failed to synthesise: the property for finitely many numbers, which can be checked one by one;
- unknown name: the inference itself, or an instance of it, without the name;
- invalid field: a calculation with the object;
- other: a calculation with the variables that are in play.

What is posed is true, has a worked solution, and can be read back. Large variants stay closer to the goal, small ones
are single calculations. No randomness but the seed's: the same task has the same answer.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from random import Random

from pythagoras.language.changes.functional import function_values
from pythagoras.language.changes.general import argument, cases, induction_steps, squares, truths
from pythagoras.language.changes.simpler import (
    Kind,
    Simpler,
    bounded,
    conversions,
    instances,
    pieces,
    reduced,
    values_of_parts,
)
from pythagoras.language.english import read_english
from pythagoras.language.lean_reader import read_goal, read_lean
from pythagoras.language.meaning import Claim
from pythagoras.language.normal import same
from pythagoras.language.reading import NotRead
from pythagoras.language.spoken import say
from pythagoras.lean.diagnostics import ErrorClass
from pythagoras.pipeline.roles.wording import question_fault

_K = Kind
_LARGE = (_K.GOAL, _K.STEP, _K.CASE, _K.BOUNDED, _K.PAIR, _K.PINNED, _K.WITNESS, _K.INSTANCE, _K.REDUCED, _K.VALUE)
_SMALL = (_K.INSTANCE, _K.WITNESS, _K.REDUCED, _K.VALUE, _K.PINNED, _K.CASE, _K.STEP, _K.PAIR, _K.BOUNDED, _K.GOAL)
_FIRST: Mapping[ErrorClass, tuple[tuple[Kind, ...], tuple[Kind, ...]]] = {
    ErrorClass.UNSOLVED_GOALS: ((_K.GOAL,), (_K.INSTANCE,)),
    ErrorClass.TACTIC_FAILURE: ((_K.STEP,), (_K.INSTANCE,)),
    ErrorClass.TYPE_MISMATCH: ((_K.CONVERSION,), (_K.CONVERSION,)),
    ErrorClass.FAILED_SYNTHESIS: ((_K.BOUNDED,), (_K.BOUNDED,)),
    ErrorClass.UNKNOWN_NAME: ((_K.GOAL, _K.CASE), (_K.INSTANCE,)),
    ErrorClass.INVALID_FIELD: ((_K.VALUE,), (_K.VALUE,)),
    ErrorClass.OTHER: ((_K.INSTANCE,), (_K.INSTANCE,)),
}
"""What a class of errors takes first: for large variants, and for small ones."""
_TAKEN = 12
"""Simpler claims of one kind that are looked at."""
_DOMAINS = {"ℕ": "ℕ", "Nat": "ℕ", "ℤ": "ℤ", "Int": "ℤ", "ℚ": "ℚ", "Rat": "ℚ"}
_DOMAIN = re.compile(r"ℕ|ℤ|ℚ|\b(?:Nat|Int|Rat)\b")
_SIZES = ("ℕ", "ℤ", "ℚ")


def answer(fields: Mapping[str, str], number: int, seed: int) -> str:
    """What a distiller answers to a task: a JSON object, or `CAN'T:` and why."""
    try:
        claims = _claims(fields)
    except NotRead as error:
        return f"CAN'T: the goal is not read ({error})"
    found = next(itertools.islice(_distilled(fields, claims, seed), number, None), None)
    if found is None:
        return f"CAN'T: there is no variant {number} of this failure that can be worked out"
    question, simpler = found
    return json.dumps(
        {
            "root_cause": _root_cause(fields.get("errors", "")),
            "level": fields.get("level") or "proof",
            "category": _category(fields).value,
            "question": question,
            "solution": " ".join((*simpler.steps, "This is what was to be proved.")),
        },
        ensure_ascii=False,
    )


def _claims(fields: Mapping[str, str]) -> list[Claim]:
    """The goal at the place of the failure, and the theorem; one of them must be read."""
    found: list[Claim] = []
    why: NotRead | None = None
    for read, text in ((read_goal, fields.get("goal", "")), (read_lean, fields.get("statement", ""))):
        if text.strip():
            try:
                found.append(read(text))
            except NotRead as error:
                why = why or error
    if not found:
        raise why or NotRead("there is neither a goal nor a statement")
    return found


def _category(fields: Mapping[str, str]) -> ErrorClass:
    value = fields.get("category", "")
    return next((category for category in ErrorClass if category.value == value), ErrorClass.OTHER)


def _distilled(fields: Mapping[str, str], claims: list[Claim], seed: int) -> Iterator[tuple[str, Simpler]]:
    """The variants of a failure, the best first: each another problem than the others and than the source."""
    small = fields.get("size") == "small"
    rng = Random(f"{seed} {fields.get('size')} {fields.get('goal')} {fields.get('statement')}")
    order = (*_FIRST[_category(fields)][small], *(_SMALL if small else _LARGE))
    made = _made(claims, fields, rng)
    sources = [claims[-1]]
    seen: set[str] = set()
    for simpler in _in_turn(made, tuple(dict.fromkeys(order))):
        if simpler.claim.goal in simpler.claim.hypotheses:
            continue
        question = _posed(simpler.claim)
        if question is None or question in seen or question_fault(question, fields.get("problem", "")) is not None:
            continue
        if any(_is_same(simpler.claim, source) for source in sources):
            continue
        seen.add(question)
        sources.append(simpler.claim)
        yield question, simpler


def _made(claims: list[Claim], fields: Mapping[str, str], rng: Random) -> Mapping[Kind, list[Simpler]]:
    """Simpler claims by their kind: from the goal first, then from the theorem."""
    found: dict[Kind, list[Simpler]] = {kind: [] for kind in Kind}
    for claim in claims:
        for piece in pieces(claim):
            for simpler in _of_piece(piece, fields, rng):
                if len(found[simpler.kind]) < _TAKEN:
                    found[simpler.kind].append(simpler)
    return found


def _of_piece(piece: Claim, fields: Mapping[str, str], rng: Random) -> Iterator[Simpler]:
    steps = argument(piece)
    if steps is not None:
        yield Simpler(piece, Kind.GOAL, steps)
    yield from induction_steps(piece)
    yield from squares(piece)
    yield from cases(piece, rng)
    yield from truths(piece, rng)
    yield from function_values(piece)
    yield from reduced(piece, rng)
    yield from bounded(piece, rng)
    yield from instances(piece, rng)
    yield from values_of_parts(piece, rng)
    if _category(fields) is ErrorClass.TYPE_MISMATCH:
        yield from conversions(piece, rng, _domains(fields.get("errors", "")))


def _in_turn(made: Mapping[Kind, list[Simpler]], order: tuple[Kind, ...]) -> Iterable[Simpler]:
    """The first of each kind, then the second of each, ..."""
    rounds = itertools.zip_longest(*(made[kind] for kind in order))
    return (simpler for one in rounds for simpler in one if simpler is not None)


def _posed(claim: Claim) -> str | None:
    """The problem in words, when it is read back as what it is."""
    try:
        question = say(claim)
        return question if same(read_english(question), claim) is None else None
    except NotRead:
        return None


def _is_same(one: Claim, other: Claim) -> bool:
    try:
        return same(one, other) is None
    except NotRead:
        return False


def _domains(errors: str) -> tuple[str, str]:
    """The two kinds of numbers that a message speaks of, the smaller first; natural numbers and integers by default."""
    found = sorted({_DOMAINS[one] for one in _DOMAIN.findall(errors)}, key=_SIZES.index)
    if len(found) >= 2:
        return found[0], found[-1]
    return ("ℤ", "ℚ") if found == ["ℚ"] else ("ℕ", "ℤ")


def _root_cause(errors: str) -> str:
    """The first line of the message that is marked as the root, or of the first one."""
    marked = [line for line in errors.split("\n") if "(root cause)" in line] or errors.strip().split("\n")
    return marked[0].strip() or "Lean reports no error"
