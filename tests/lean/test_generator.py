"""What the generator writes, in real Lean: every statement elaborates, easy ones are proved, false ones are refuted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from pythagoras.corpus.generator.families import FAMILIES
from pythagoras.corpus.generator.family import LEVELS, Draft
from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.records import Formalisation, Truth
from pythagoras.lean.pool import Check, LeanPool
from pythagoras.lean.wire import Limits
from tests.unit.test_generator_truth import counterexample

BATCH = 20
SEED = 11
CLOSE = "first | decide +kernel | omega | grind"
QUICK = Limits(timeout_s=10)


@pytest.fixture(scope="module")
def sample() -> list[Formalisation]:
    """A true and a false statement of every family at every level."""
    count = len(FAMILIES) * len(LEVELS)
    return [one.formalisation for share in (0.0, 1.0) for one in generate(count, SEED, false_share=share)]


def test_every_statement_elaborates(pool: LeanPool, sample: list[Formalisation]) -> None:
    assert len({(one.provenance.maker, one.tier, one.truth) for one in sample}) == len(FAMILIES) * len(LEVELS) * 2
    batches = [sample[at : at + BATCH] for at in range(0, len(sample), BATCH)]
    checks = (Check("\n\n".join(f"{one.text} := by\n  sorry" for one in batch)) for batch in batches)
    declared: set[str] = set()
    for result in pool.check(checks):
        assert result.answer is not None
        assert not result.answer.errors, [message.data for message in result.answer.errors]
        declared |= {one.name for one in result.answer.declarations}
    assert declared >= {one.name for one in sample}


def test_easy_statements_are_proved(pool: LeanPool, sample: list[Formalisation]) -> None:
    easy = [one for one in sample if one.truth is Truth.TRUE and one.tier == "easy"]
    checks = [Check(f"{one.text} := by\n  intros\n  {CLOSE}", limits=QUICK) for one in easy]
    proved = {one.provenance.maker for one, done in zip(easy, _proved(pool, checks), strict=True) if done}
    assert len(proved) >= len(FAMILIES) * 0.6


def test_false_statements_are_refuted(pool: LeanPool) -> None:
    """By the counterexample that the unit tests find for them, or, without variables, by computation."""
    codes = {name: code for name in FAMILIES if (code := _refutation(name)) is not None}
    done = _proved(pool, [Check(code, limits=QUICK) for code in codes.values()])
    failed = [name for name, proved in zip(codes, done, strict=True) if not proved]
    assert len(codes) - len(failed) >= len(FAMILIES) * 0.7, failed


def test_true_statements_are_not_refuted(pool: LeanPool) -> None:
    """Where Lean can decide: statements without variables."""
    drafts = [family.draw(Random(level), level, False) for family in FAMILIES.values() for level in LEVELS]
    closed = [draft for draft in drafts if not draft.variables]
    assert len(closed) >= 40
    checks = [
        Check(f"theorem refuted : ¬ ({draft.goal}) := by first | decide | omega", limits=QUICK) for draft in closed
    ]
    assert [draft for draft, done in zip(closed, _proved(pool, checks), strict=True) if done] == []


def _proved(pool: LeanPool, checks: list[Check]) -> Iterator[bool]:
    for result in pool.check(checks):
        yield result.answer is not None and not result.answer.errors and not result.answer.interrupted


def _refutation(name: str) -> str | None:
    """A proof that a false draft of the family fails; None where no counterexample is at hand."""
    rng = Random(name)
    for level in LEVELS:
        draft = FAMILIES[name].draw(rng, level, True)
        if not draft.variables:
            return f"theorem refuted : ¬ ({draft.goal}) := by {CLOSE}"
        found = counterexample(draft, rng)
        if found is not None and not any(callable(value) for value in found.values()):
            values = " ".join(f"({_written(found[one])})" for names, _ in draft.variables for one in names)
            return f"theorem refuted : ¬ ({_closed(draft)}) := fun all => absurd (all {values}) (by {CLOSE})"
    return None


def _closed(draft: Draft) -> str:
    binders = " ".join(f"({' '.join(names)} : {kind})" for names, kind in draft.variables)
    return f"∀ {binders}, {' → '.join(f'({one})' for one in (*draft.hypotheses, draft.goal))}"


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value)
    return f"{value.numerator} / {value.denominator}" if isinstance(value, Fraction) else str(value)


def test_the_key_of_the_generator_agrees_with_the_kernel(pool: LeanPool) -> None:
    """Names differ, so statements do: Lean's own key of each type comes once."""
    items = [one.formalisation for one in generate(120, SEED, families=["linear_pair", "quantified", "sum_geometric"])]
    keys = []
    for result in pool.check(Check(f"{one.text} := by\n  sorry") for one in items[:60]):
        assert result.answer is not None
        keys += [one.type_key for one in result.answer.declarations if re.search(r"_[0-9a-f]{10}$", one.name)]
    assert len(keys) == len(set(keys)) == 60
