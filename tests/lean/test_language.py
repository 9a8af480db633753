"""What the pipeline's language makes of statements, in real Lean: it elaborates, and it is the statement it was."""

from __future__ import annotations

import pytest

from pythagoras.corpus.generator.families import FAMILIES
from pythagoras.corpus.generator.family import LEVELS
from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.records import Formalisation
from pythagoras.language.lean_reader import read_goal, read_lean
from pythagoras.language.lean_writer import write_lean
from pythagoras.language.meaning import Claim
from pythagoras.language.normal import same
from pythagoras.language.reading import NotRead
from pythagoras.lean.pool import Check, LeanPool
from pythagoras.lean.wire import Answer
from tests.meanings import drawn_claims

BATCH = 20


@pytest.fixture(scope="module")
def sample() -> list[Formalisation]:
    return [one.formalisation for one in generate(len(FAMILIES) * len(LEVELS), 23, false_share=0.2)]


def elaborated(pool: LeanPool, statements: list[str]) -> list[Answer]:
    """Lean's answers to batches of statements, none of which has an error."""
    batches = [statements[at : at + BATCH] for at in range(0, len(statements), BATCH)]
    answers: list[Answer] = []
    for result in pool.check(Check("\n\n".join(f"{text} := by sorry" for text in batch)) for batch in batches):
        assert result.answer is not None
        assert not result.answer.errors, [message.data for message in result.answer.errors]
        answers.append(result.answer)
    return answers


def test_the_generators_statements_keep_their_kernel_types(pool: LeanPool, sample: list[Formalisation]) -> None:
    """Read and written again, a statement is the same to Lean's kernel: types, casts and order are all as they were."""
    again = [write_lean(read_lean(one.text), f"{one.name}_again") for one in sample]
    answers = elaborated(pool, [*(one.text for one in sample), *again])
    keys = {one.name: one.type_key for answer in answers for one in answer.declarations}
    assert [one.name for one in sample if keys[one.name] != keys[f"{one.name}_again"]] == []


def test_random_claims_elaborate_and_are_shown_as_what_they_are(pool: LeanPool) -> None:
    """What Lean shows as the goal is what was meant, as far as it shows the types."""
    claims = drawn_claims(160)
    answers = elaborated(pool, [write_lean(claim, f"t{number}") for number, claim in enumerate(claims)])
    goals = [sorry.goal for answer in answers for sorry in answer.sorries]
    assert len(goals) == len(claims)
    shown = [(claim, read) for claim, goal in zip(claims, goals, strict=True) if (read := _read(goal)) is not None]
    assert len(shown) > len(claims) * 0.3
    assert [claim for claim, read in shown if same(claim, read) is not None] == []


def test_goals_of_the_generators_statements_are_read(pool: LeanPool, sample: list[Formalisation]) -> None:
    answers = elaborated(pool, [one.text for one in sample])
    goals = [sorry.goal for answer in answers for sorry in answer.sorries]
    read = [(one, _read(goal)) for one, goal in zip(sample, goals, strict=True)]
    assert sum(claim is not None for _, claim in read) > len(sample) * 0.8  # the others do not show a type that matters
    assert [one.text for one, claim in read if claim is not None and same(read_lean(one.text), claim) is not None] == []


def _read(goal: str) -> Claim | None:
    try:
        return read_goal(goal)
    except NotRead:
        return None
