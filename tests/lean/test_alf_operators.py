"""Statement operators against Lean: what they make elaborates, and an outline says what its statement says."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from pythagoras.alf.mutating import parent_of
from pythagoras.alf.mutations.sequents import outlined
from pythagoras.alf.variants import Parent
from pythagoras.corpus.records import Formalisation
from pythagoras.lean.canonical import canonical_keys
from pythagoras.lean.pool import Check, LeanPool
from pythagoras.lean.statements import parse_statement
from tests.unit.test_alf_operators import PROVED, STATEMENT_OPERATORS, texts


def parent(text: str) -> Parent:
    return parent_of(Formalisation("t", f"theorem t {text}", "test"))


def test_variants_elaborate(pool: LeanPool) -> None:
    """One of each operator and statement, once from its meaning and once from its text, by turns."""
    made: list[str] = []
    names: list[str] = []
    for at, text in enumerate(PROVED):
        read = parent(text)
        for number, operator in enumerate(STATEMENT_OPERATORS):
            of = read if (at + number) % 2 else replace(read, claim=None)
            for variant in islice(texts(operator, of, at), 1):
                made.append(f"theorem t {variant}")
                names.append(operator.name)
    assert len(set(names)) > 50
    checked = pool.check(Check(f"{text} := sorry") for text in made)
    wrong = {
        (name, text): one.failure if one.answer is None else one.answer.errors[0].data
        for name, text, one in zip(names, made, checked, strict=True)
        if one.answer is None or one.answer.errors
    }
    assert wrong == {}


def test_an_outline_says_what_its_statement_says(pool: LeanPool) -> None:
    statements = [parse_statement(f"theorem t {text}") for text in PROVED]
    outlines = [outlined(statement) for statement in statements]
    written = [parse_statement(f"theorem t {one.made()}") for one in outlines if one is not None]
    assert len(written) == len(statements)
    keys = [key for _, key in canonical_keys([*statements, *written], pool)]
    assert all(key.startswith("kernel:") for key in keys)
    assert keys[: len(statements)] == keys[len(statements) :]
