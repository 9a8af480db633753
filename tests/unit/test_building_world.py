"""What a build meets from outside: workers that end, models side by side, benchmarks, sources with bad rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from pythagoras.corpus.records import (
    Formalisation,
    Instance,
    Problem,
    Rejected,
    Tier,
    record_id,
)
from pythagoras.corpus.rows import from_line
from pythagoras.engine.engine import In, Job, Out
from pythagoras.engine.inline import InlineEngine
from pythagoras.errors import InputError
from tests.pipeline_fakes import a_recipe, text
from tests.unit.builds import made, of


class GivingUp(InlineEngine):
    """Loses every tenth item."""

    def map(self, job: Job[In, Out], items: Iterable[In]) -> Iterator[Out]:
        with job.open() as handle:
            for number, item in enumerate(items):
                yield job.give_up(item, "3 workers ended") if number % 10 == 9 else handle(item)


def test_what_ends_workers_is_dropped_without_a_verdict(tmp_path: Path) -> None:
    built = made(tmp_path / "run", a_recipe(tmp_path), GivingUp())
    rejected = [each for store in built.stages.values() for each in of(store, Rejected)]
    given_up = [each for each in rejected if each.detail == "3 workers ended"]
    assert len(given_up) > 5
    assert {each.reason for each in given_up} == {"no verdict"}
    for store in built.stages.values():
        step = store.manifest.funnel[-1]
        assert step.read == step.kept + sum(step.dropped.values())


class Breaking(InlineEngine):
    """Ends with every batch that has a certain row in it."""

    def map(self, job: Job[In, Out], items: Iterable[In]) -> Iterator[Out]:
        with job.open() as handle:
            for item in items:
                bad = any("7 + 2 = 9" in getattr(row, "text", "") for row in item)  # type: ignore[attr-defined]
                yield job.give_up(item, "3 workers ended") if bad else handle(item)


PARTS = ("formalise", "informalise", "align", "distil_large", "distil_small", "vary")
MODEL = {"backend": "endpoint", "url": "http://localhost", "model": "m", "concurrency": 8}


def test_a_row_that_ends_workers_takes_no_other_with_it(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, words=("plain",) * 10, hard=0, roles=dict.fromkeys(PARTS, MODEL))
    built = made(tmp_path / "run", recipe, Breaking())
    step = built.stages["formalise-medium"].manifest.funnel[-1]
    assert step.dropped == {"no verdict": 1}
    assert step.tally["read/topic/sums"] == step.read == 20
    assert [problem.problem for problem in of(built.stages["formalise-medium"], Formalisation)] == [
        record_id(problem) for problem in of(built.stages["source"], Problem) if "7 + 2" not in problem.text[:16]
    ]


def test_rows_are_worked_on_side_by_side_and_end_the_same(tmp_path: Path) -> None:
    one = made(tmp_path / "one", a_recipe(tmp_path))
    many = made(tmp_path / "many", a_recipe(tmp_path, roles=dict.fromkeys(PARTS, MODEL)))
    said = many.stages["vary"].manifest.settings["roles"]["vary"]
    assert said.keys() >= {"model", "prompt"}
    assert "url" not in said
    for store, other in zip(one.stages.values(), many.stages.values(), strict=True):
        assert [shard.sha256 for shard in store.shards] == [shard.sha256 for shard in other.shards]


def test_what_a_benchmark_has_is_taken_out(tmp_path: Path) -> None:
    item = Instance("b", "theorem b (_ : plain = plain) : 11 + 2 = 13", "by rfl", "bench/test", Tier.EASY, True)
    finish = {"embedder": "none", "against": ["bench"]}
    built = made(tmp_path / "run", a_recipe(tmp_path, finish=finish), benchmarks=[item])
    step = built.stages["decontaminate"].manifest.funnel[-1]
    assert step.dropped == {"surface hash": 1}
    assert step.tally["rows"] == step.read
    (rejected,) = of(built.stages["decontaminate"], Rejected)
    assert from_line(rejected.row).informal == text(11, 2, "plain")  # type: ignore[union-attr]


def test_benchmarks_that_a_recipe_names_must_be_given(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cleaned of bench, and 0 items were given"):
        made(tmp_path / "run", a_recipe(tmp_path, finish={"embedder": "none", "against": ["bench"]}))


def test_rows_that_can_not_be_read_are_counted(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, hard=0)
    with (tmp_path / "medium.jsonl").open("a") as file:
        file.write('{"kind": "problem", "text": 3}\n')
    built = made(tmp_path / "run", recipe)
    step = built.funnel[0]
    assert (step.read, step.kept, step.dropped) == (21, 20, {"unreadable": 1})


def test_without_a_hard_source_there_is_no_hard_tier(tmp_path: Path) -> None:
    built = made(tmp_path / "run", a_recipe(tmp_path, hard=0))
    assert "vary" not in built.stages
    assert built.held_out.kinds == ()
    assert {instance.tier for instance in of(built.train, Instance)} == {Tier.MEDIUM, Tier.EASY}
