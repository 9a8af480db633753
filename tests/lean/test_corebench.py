"""CoreBench's statements are true: each has a proof that holds. And it is no walk-over for one-liners."""

from __future__ import annotations

from benchmarks.corebench import proved_by
from pythagoras.evaluate.corebench.items import load
from pythagoras.lean.pool import LeanPool
from pythagoras.lean.verdict import Outcome
from pythagoras.lean.verifier import CheckedVerifier, Submission


def test_every_reference_proof_holds(pool: LeanPool) -> None:
    submissions = [Submission(item.statement, item.proof) for item in load()]
    wrong = {}
    for judged in CheckedVerifier(pool).verify(submissions):
        if judged.verdict is None or judged.verdict.outcome is not Outcome.PROVED:
            wrong[judged.submission.statement.name] = judged.as_dict()
    assert len(submissions) >= 240
    assert wrong == {}


def test_one_liners_prove_at_most_half(pool: LeanPool) -> None:
    """On every twelfth item, for time's sake; `make bench` asks about all of them."""
    items = load()[::12]
    assert 0 < len(proved_by(items, pool)) <= len(items) / 2
