"""What a build meets from outside: workers that end, models side by side, benchmarks, sources with bad rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

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
from pythagoras.llm.patience import Retries
from pythagoras.pipeline.building import Built, build
from pythagoras.pipeline.recipe import Recipe
from pythagoras.pipeline.roles.players import open_player
from pythagoras.pipeline.roles.role import Player, RoleName, Task
from tests.pipeline_fakes import ANSWERS, FakeTools, a_recipe, digest, text
from tests.unit.builds import made, of
from tests.unit.model_server import ModelServer, Play, answers, chat, model_server


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


def test_what_is_held_out_is_swept_as_well(tmp_path: Path) -> None:
    original = of(made(tmp_path / "first", a_recipe(tmp_path)).held_out, Formalisation)[0]
    copied = original.text.replace(original.name, "renamed")
    item = Instance("renamed", copied, "by rfl", "bench/test", Tier.EASY, True)
    recipe = a_recipe(tmp_path, finish={"embedder": "none", "against": ["bench"]})
    held = made(tmp_path / "run", recipe, benchmarks=[item]).held_out
    step = held.manifest.funnel[-1]
    assert step.dropped == {"surface hash": 1}
    assert step.tally["rows"] == step.read == step.kept + 1
    assert original.name not in {goal.name for goal in of(held, Formalisation)}
    assert made(tmp_path / "run", recipe, benchmarks=[item]).held_out == held
    assert made(tmp_path / "run", recipe, benchmarks=[item]).funnel[-3] == step


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


# --- a model's server that breaks ------------------------------------------------------------------


@dataclass(frozen=True)
class OneModel(FakeTools):
    """The formaliser is the recipe's, the others follow their script."""

    recipe: Recipe
    cache: Path

    @contextmanager
    def players(self, *parts: str) -> Iterator[tuple[Player, ...]]:
        with super().players(*parts) as cast:
            if "formalise" not in parts:
                yield cast
                return
            with open_player(RoleName.FORMALISE, self.recipe.roles.formalise, self.cache) as model:
                yield (model, *cast[1:])


def formalises(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
    said = "\n".join(message["content"] for message in asked["messages"])
    problem = re.findall(r"Prove that \d+ \+ \d+ = \d+, plain\.", said)
    if not problem:
        answers(chat("Hello!"))(handler, asked)
        return
    name = re.findall(r"problem_[0-9a-f]{16}", said)[-1]
    answers(chat(ANSWERS["formalise"](Task({"problem": problem[-1], "name": name}))))(handler, asked)


def modelled(folder: Path, server: ModelServer, words: int = 10) -> Recipe:
    """The formaliser is behind the server, and asked one request at a time."""
    model = {"backend": "endpoint", "url": server.url, "model": "tiny", "concurrency": 1}
    return a_recipe(folder, words=("plain",) * words, hard=0, roles={"formalise": model})


def run(recipe: Recipe, folder: Path) -> Built:
    return build(recipe, folder, InlineEngine(), tools=OneModel(recipe, folder.with_suffix(".answers")))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Retries, "pause_s", lambda self, failures, wanted_s: 0.0)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("broken", [answers("oh", 500), answers("<html>Welcome</html>")], ids=["500", "HTML"])
@pytest.mark.parametrize(("answered", "words"), [(0, 10), (0, 1), (6, 10), (19, 10)])
def test_a_server_that_breaks_stops_the_build_and_mended_it_goes_on(
    tmp_path: Path, broken: Play, answered: int, words: int
) -> None:
    with model_server(*[formalises] * answered, broken) as server:
        recipe = modelled(tmp_path, server, words)
        with pytest.raises(
            InputError, match=r"6 times in a row, nor does it .*: mend the server, then go on"
        ) as raised:
            run(recipe, tmp_path / "run")
        assert "\n" not in str(raised.value)
        assert not list((tmp_path / "run").glob("stages/*-formalise-medium/done/*.json"))
        server.plays, before = [formalises], len(server.asked)
        mended = run(recipe, tmp_path / "run")
        assert len(server.asked) - before == 2 * words - answered  # what was paid for is in the cache
        whole = run(recipe, tmp_path / "whole")
    assert mended.stages["formalise-medium"].manifest.funnel[-1].dropped == {}
    assert len(of(mended.stages["formalise-medium"], Formalisation)) == 2 * words
    assert digest(mended.folder) == digest(whole.folder)


@pytest.mark.usefixtures("impatient")
def test_a_row_that_a_server_breaks_over_is_set_aside_alone(tmp_path: Path) -> None:
    def play(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        poisonous = "Prove that 0 + 2 = 2, plain." in asked["messages"][-1]["content"]
        (answers("oh", 500) if poisonous else formalises)(handler, asked)

    with model_server(play) as server:
        built = run(modelled(tmp_path, server), tmp_path / "run")
    assert built.stages["formalise-medium"].manifest.funnel[-1].dropped == {"no verdict": 1}
    (rejected,) = of(built.stages["formalise-medium"], Rejected)
    assert rejected.detail.endswith("answers 500 (oh), 6 times in a row")
