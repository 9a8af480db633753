"""`pythagoras run` with real Lean and real training: all stages, killed in the middle, resumed, and not done again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pythagoras.stages.overview import OVERVIEW, read_overview
from pythagoras.stages.recipe import ALL_STAGES
from pythagoras.stages.settings import StageName

pytest.importorskip("torch")

CHANGES = {
    "source.count": 8,
    "source.levels": "[1]",
    "hard_source.count": 2,
    "hard_source.levels": "[1]",
    "hard.variants": 1,
    "rubric.most": 1,
    "base.shape": "{hidden = 64, layers = 2, heads = 2, key_heads = 1, head = 32, inner = 128}",
    "base.vocabulary": 600,
    "base.statements": 60,
    "base.tokens": 30_000,
    "base.batch_tokens": 512,
    "sft.epochs": 12,
    "sft.batch_tokens": 256,
    "rl.steps": 1,
    "rl.max_tokens": 16,
    "alf.limit": 4,
    "alf.temperature": 0.2,
    "alf.max_tokens": 16,
    "alf.sample": 4,
    "diffusion.tokens": 2_000,
    "diffusion.batch_tokens": 512,
    "evaluation.limit": 3,
    "evaluation.n": 2,
    "evaluation.max_tokens": 16,
    "evaluation.rungs": '["portfolio", "sft", "alf", "diffusion+infill"]',
}
MACHINE = ("--workers", "1", "--jobs", "1", "--threads", "1")
SET = [word for name, value in CHANGES.items() for word in ("--set", f"{name}={value}")]
STOPPED_IN: StageName = "sft"


def command(folder: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "pythagoras", "run", "tour", "-o", str(folder), *MACHINE, *SET, *more]


def run(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(folder, *more), capture_output=True, text=True, timeout=900, check=False)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A run that nobody stopped, and what it printed."""
    folder = tmp_path_factory.mktemp("whole") / "tour"
    done = run(folder, "--json")
    assert done.returncode == 0, done.stderr
    assert "continued: done in" in done.stderr  # without a terminal, plain lines
    return folder, json.loads(done.stdout)


def results_of(told: dict[str, Any]) -> list[tuple[str, str, list[dict[str, Any]], float]]:
    """Without what differs from run to run: seconds."""
    return [(one["name"], one["benchmark"], one["steps"], one["generated_tokens"]) for one in told["rungs"]]


def weights_of(folder: Path) -> dict[str, bytes]:
    return {stage: (folder / stage / "model" / "model.safetensors").read_bytes() for stage in _TRAINED}


_TRAINED = ("base", "sft", "rl", "continued", "diffusion")


def test_every_stage_leaves_what_it_is_for(whole: tuple[Path, dict[str, Any]]) -> None:
    folder, told = whole
    assert list(told["stages"]) == list(ALL_STAGES)
    assert {one["state"] for one in told["stages"].values()} == {"done"}
    assert len(results_of(told)) == 4
    assert all(step["problems"] == 3 for one in told["rungs"] for step in one["steps"])
    assert (folder / "report.html").read_text(encoding="utf-8").count("diffusion+infill") > 1
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((folder / "recipe.json").read_text())["sft"]["epochs"] == 12
    for stage, one in told["stages"].items():
        assert one["use"]["seconds"] > 0, stage
        assert one["bytes"] > 0, stage
    for stage in ("corpus", "rl", "alf", "diffusion", "evaluation"):
        assert told["stages"][stage]["work"]["lean_s"] > 0, stage
    for stage in _TRAINED:
        assert told["stages"][stage]["work"]["tokens"] > 0, stage
    assert told["stages"]["corpus"]["use"]["cpu_s"] > 1  # workers and Leans are below this process
    assert weights_of(folder)["continued"] != weights_of(folder)["rl"]


def test_what_is_done_is_not_done_again(whole: tuple[Path, dict[str, Any]]) -> None:
    folder, told = whole
    before = weights_of(folder)
    began = time.monotonic()
    again = run(folder, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["stages"] == told["stages"]
    assert [line.partition(":")[0] for line in again.stderr.splitlines() if "done before" in line] == list(ALL_STAGES)
    assert "begins" not in again.stderr
    assert time.monotonic() - began < max(30, sum(one["use"]["seconds"] for one in told["stages"].values()) / 3)
    assert weights_of(folder) == before
    other = run(folder, "--set", "rl.steps=2")
    assert other.returncode == 2
    assert "rl: rl.steps: 1 there, 2 now" in other.stderr
    assert other.stderr.count("\n") == 1


def test_a_plan_by_a_run_is_what_it_took(whole: tuple[Path, dict[str, Any]]) -> None:
    folder, told = whole
    words = [sys.executable, "-m", "pythagoras", "plan", "tour", "--run", str(folder), "--workers", "1", "--json", *SET]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["run"]
    assert [one["stage"] for one in found["stages"]] == list(ALL_STAGES)
    for one in found["stages"]:
        took = told["stages"][one["stage"]]["use"]["seconds"]
        assert 0.5 * took <= one["seconds"] <= 2 * took, one  # numbers of rows are rounded up to steps


def test_killed_in_the_middle_it_goes_on_to_the_same(whole: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    folder, told = whole
    place = tmp_path / "tour"
    _begin_behind_the_corpus(folder, place)
    process = subprocess.Popen(command(place), stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 300
    while not (place / STOPPED_IN / "log.jsonl").is_file() and time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert read_overview(place / OVERVIEW).state(STOPPED_IN).value == "begun"
    assert not (place / STOPPED_IN / "model").exists()
    done = run(place, "--json")
    assert done.returncode == 0, done.stderr
    assert "base: done before" in done.stderr
    resumed = json.loads(done.stdout)
    assert weights_of(place) == weights_of(folder)
    assert results_of(resumed) == results_of(told)


def _begin_behind_the_corpus(folder: Path, place: Path) -> None:
    """A run that was stopped when its corpus was finished: builds that were killed have tests of their own."""
    place.mkdir()
    for name in ("recipe.json", "versions.json"):
        shutil.copy(folder / name, place)
    shutil.copytree(folder / "corpus", place / "corpus")
    told = json.loads((folder / OVERVIEW).read_text())
    for stage, one in told["stages"].items():
        if stage != "corpus":
            one |= {"state": "waiting", "work": None, "bytes": 0, "lean_s": 0.0}
            one["use"] = {"seconds": 0.0, "cpu_s": 0.0, "memory_mb": 0.0}
    (place / OVERVIEW).write_text(json.dumps(told))
