"""`corpus build`, `corpus funnel` and `plan` with real Lean behind them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline_fakes import digest

_CHANGES = ("source.count=6", "hard_source.count=1", "hard.variants=2", "finish.embedder=none", "finish.against=[]")
_SET = [word for change in _CHANGES for word in ("--set", change)]


def run(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pythagoras", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def build(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return run("corpus", "build", "small", "-o", str(folder), *_SET, *more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("built") / "run"
    done = build(place, "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "proofs in" in done.stdout
    assert "prove-medium: 6 of 6 in, " in done.stderr  # without a terminal, a line a stage
    return place


def test_a_build_leaves_a_corpus_and_a_picture(folder: Path) -> None:
    told = run("corpus", "stats", str(folder / "corpus" / "train"), "--json")
    assert json.loads(told.stdout)["unverified"] == 0
    assert (folder / "funnel.png").read_bytes().startswith(b"\x89PNG")


def test_the_funnel_is_told_again(folder: Path, tmp_path: Path) -> None:
    told: dict[str, Any] = json.loads(
        run("corpus", "funnel", str(folder), "--json", "--picture", str(tmp_path / "f.svg")).stdout
    )
    assert told["seed_total"]["accepted"] + told["seed_total"]["rejected"] == 6
    assert [step["stage"] for step in told["steps"]][:2] == ["hard-source", "source"]
    assert all(step["read"] == step["made"] + sum(step["dropped"].values()) for step in told["steps"])
    assert (tmp_path / "f.svg").is_file()
    refused = run("corpus", "funnel", str(folder), "--rejected", "sourc")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    shown = run("corpus", "funnel", str(folder)).stdout
    assert "prove-medium" in shown
    assert "root cause of rejected attempts" in shown


def test_a_plan_rests_on_the_build(folder: Path) -> None:
    told = json.loads(run("plan", "small", "--run", str(folder), "--problems", "600", "--hard", "100", "--json").stdout)
    rows = {stage["stage"]: stage["rows"] for stage in told["stages"]}
    assert (rows["source"], rows["hard-source"], rows["vary"]) == (600, 100, 200)
    assert told["total"]["lean_hours"] > 0
    paper = run("plan", "small", "--run", str(folder)).stdout
    assert "852,641 problems" in paper


def test_finished_work_is_not_done_again_and_another_recipe_is_refused(folder: Path) -> None:
    before = digest(folder)
    again = build(folder, "--json")
    assert again.returncode == 0
    assert json.loads(again.stdout)["folder"] == str(folder)
    assert digest(folder) == before
    other = build(folder, "--set", "source.count=7")
    assert other.returncode == 2
    assert other.stderr.count("\n") == 1
    assert "source.count: 6 there, 7 now" in other.stderr


def test_stopped_by_ctrl_c_it_goes_on_and_ends_the_same(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "run"
    command = [sys.executable, "-m", "pythagoras", "corpus", "build", "small", "-o", str(place), *_SET]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 120
    while not list(place.glob("stages/*-prove-medium")) and time.monotonic() < deadline:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said.strip().endswith("pythagoras: stopped")
    assert build(place).returncode == 0
    assert digest(place) == digest(folder)
