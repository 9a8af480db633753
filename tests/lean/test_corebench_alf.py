"""CoreBench-ALF with real Lean: every statement is accepted, and none is its original's or its sibling's."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from pythagoras.corpus.records import statement_of
from pythagoras.evaluate.benchmarks import open_benchmark, with_header
from pythagoras.evaluate.corebench.items import load
from pythagoras.evaluate.corebench.mutated import NAME
from pythagoras.lean.canonical import canonical_keys
from pythagoras.lean.pool import LeanPool


def test_lean_accepts_every_statement_and_takes_it_for_a_new_one(pool: LeanPool) -> None:
    goals = with_header(open_benchmark(NAME).goals, "core")
    families = [(parent, list(group)) for parent, group in groupby(goals, key=lambda goal: goal.provenance.parent)]
    originals = {item.name: item.statement for item in load("test")}
    statements = [
        *(originals[parent] for parent, _ in families),
        *(statement_of(goal) for _, group in families for goal in group),
    ]
    keys = {statement.name: key for statement, key in canonical_keys(statements, pool)}
    assert [name for name, key in keys.items() if not key.startswith("kernel:")] == []
    for parent, group in families:
        same = Counter(keys[name] for name in (parent, *(goal.name for goal in group)))
        assert same.most_common(1)[0][1] == 1, parent
