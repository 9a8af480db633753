"""A small build with real Lean, rules and search: what it holds, and that kills and engines change no byte."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from pythagoras.corpus.files import read_records
from pythagoras.corpus.records import (
    Formalisation,
    Instance,
    Problem,
    Tier,
    informal_text,
    record_id,
    settings_of,
    statement_of,
)
from pythagoras.engine.inline import InlineEngine
from pythagoras.lean.pool import LeanPool
from pythagoras.lean.verifier import CheckedVerifier, Submission
from pythagoras.pipeline import stage_runner
from pythagoras.pipeline.building import Built, build
from pythagoras.pipeline.held_out import marks_of
from tests.lean.build_driver import PIECE_ROWS, RECIPE
from tests.pipeline_fakes import digest, told_again
from tests.ray_cluster import two_nodes

KILLS = 5
_COSTLY = ("formalise", "prove", "examine", "distil", "vary")
_PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage_runner, "COSTLY_ROWS", PIECE_ROWS)
        yield build(RECIPE, tmp_path_factory.mktemp("undisturbed") / "run", InlineEngine())


@pytest.fixture(scope="module")
def instances(built: Built) -> list[Instance]:
    found = [record for store in (built.train, built.validation) for record in read_records(store.folder, "instance")]
    return [record for record in found if isinstance(record, Instance)]


def test_all_three_tiers_are_there_and_every_proof_holds(instances: list[Instance], pool: LeanPool) -> None:
    assert {instance.tier for instance in instances} == {Tier.EASY, Tier.MEDIUM, Tier.HARD}
    submissions = [Submission(statement_of(instance), f":= {instance.proof}") for instance in instances]
    for judged in CheckedVerifier(pool).verify(submissions):
        assert judged.verdict is not None
        assert judged.verdict.proved, judged.submission.text


def test_no_false_problem_is_proved(built: Built, instances: list[Instance]) -> None:
    problems = {record_id(problem): problem for problem in read_records(built.stages["source"].folder, "problem")}
    false = {name for name, problem in problems.items() if settings_of(problem).get("false")}
    assert false
    proved = {settings_of(instance)["root"] for instance in instances if instance.tier is Tier.MEDIUM}
    assert proved
    assert not proved & false


def test_nothing_held_out_is_in_the_corpus(built: Built, instances: list[Instance]) -> None:
    held = [record for kind in ("problem", "formalisation") for record in read_records(built.held_out.folder, kind)]
    assert {type(record) for record in held} == {Problem, Formalisation}
    kinds = {mark.partition(" ")[0] for record in held for mark in marks_of(record)}
    assert kinds == {"text", "wording", "meaning", "statement", "structure", "type"}
    assert told_again(instances, held) == []
    assert told_again([replace(instances[0], informal=informal_text(held[0]))], held) != []  # it would be seen


def test_killed_again_and_again_on_two_workers_it_ends_with_the_same_bytes(built: Built, tmp_path: Path) -> None:
    """Kills come at random moments from the first stage to the last ones.

    What was under way is lost and done again, so the moments are reached in one build; if not, there is another.
    """
    rng = random.Random(11)
    rows = sum(step.read for step in built.funnel if step.stage.startswith(_COSTLY))
    killed = builds = 0
    while killed < KILLS:
        folder = tmp_path / f"run{builds}"
        moments = sorted(rng.sample(range(1, rows), KILLS))
        for before, moment in pairwise([0, *moments]):
            if _begun(folder, rows=moment - before, then_s=0.2 * rng.random()) == 0:
                break
            killed += 1
        assert _begun(folder) == 0
        builds += 1
        assert digest(folder) == digest(built.folder)


def test_on_two_ray_nodes_with_workers_killed_it_ends_with_the_same_bytes(built: Built, tmp_path: Path) -> None:
    killed = 0
    with two_nodes() as cluster:
        command = [sys.executable, "-m", "tests.lean.build_driver", str(tmp_path / "run"), "ray", "2", cluster.address]
        process = subprocess.Popen(command, cwd=_PROJECT, env=cluster.environment, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        with process, process.stdout:
            for number, _ in enumerate(process.stdout, 1):
                if number % 12 == 0 and killed < 3 and (workers := cluster.leans()):
                    workers[number % len(workers)].kill()
                    killed += 1
            assert process.wait(300) == 0
    assert killed == 3
    assert digest(tmp_path / "run") == digest(built.folder)


def _begun(folder: Path, rows: int | None = None, then_s: float = 0.0) -> int:
    """Begin, or go on; kill it that long after so many rows. How the process ended."""
    command = [sys.executable, "-m", "tests.lean.build_driver", str(folder), "local", "2"]
    process = subprocess.Popen(command, cwd=_PROJECT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process, process.stdout:
        for number, _ in enumerate(process.stdout, 1):
            if number == rows:
                time.sleep(then_s)
                process.kill()
                break
        code = process.wait(300)
        assert code in (0, -signal.SIGKILL)
        return code
