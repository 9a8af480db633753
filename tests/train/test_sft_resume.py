"""Fine-tuning that is killed, at a random moment, ends with the same losses and weights as one that is not.

With two threads, which round otherwise than one; base training's tests have one.
"""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pythagoras.train.run_folder import LOG, read_log
from tests.train.learners import make_learner
from tests.train.sft_driver import train

_LONG_S = 300
"""Until a process is given up: far beyond what it takes."""


@pytest.fixture(scope="module")
def learner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_learner(tmp_path_factory.mktemp("learner"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, learner: Path) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    train(learner, folder)
    return folder


def lines(folder: Path) -> int:
    path = folder / LOG
    return path.read_text().count("\n") if path.exists() else 0


def begin(learner: Path, folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.train.sft_driver", str(learner), str(folder)]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)


def strike(learner: Path, folder: Path, at_line: int, blow: signal.Signals, pause_s: float) -> None:
    """Let it train until its log has so many lines, and a little longer; then end it."""
    process = begin(learner, folder)
    give_up = time.monotonic() + _LONG_S
    while lines(folder) < at_line and process.poll() is None and time.monotonic() < give_up:
        time.sleep(0.005)
    time.sleep(pause_s)
    process.send_signal(blow)
    assert process.wait(_LONG_S) != 0


def untimed(folder: Path) -> list[dict[str, Any]]:
    return [{name: value for name, value in line.items() if name != "seconds"} for line in read_log(folder)]


def contents(folder: Path) -> dict[str, bytes]:
    """Every model in a run's folder, to the byte."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.safetensors"))}


def test_it_goes_on_where_it_was_killed(tmp_path: Path, learner: Path, whole: Path) -> None:
    folder = tmp_path / "run"
    line, pause_s = random.randrange(2, lines(whole) - 5), random.uniform(0, 0.2)
    print(f"killed {pause_s:.3f} s behind line {line}")  # for when it fails
    strike(learner, folder, line, signal.SIGKILL, pause_s)
    assert not (folder / "model").exists()
    train(learner, folder)
    assert untimed(folder) == untimed(whole)
    assert contents(folder) == contents(whole)
    places = ("model", "stages/easy", "stages/medium", "stages/hard")
    assert set(contents(whole)) == {f"{place}/model.safetensors" for place in places}
    assert not (folder / "work").exists()


def test_it_goes_on_where_it_was_interrupted(tmp_path: Path, learner: Path, whole: Path) -> None:
    folder = tmp_path / "run"
    strike(learner, folder, 5, signal.SIGINT, 0.05)
    train(learner, folder)
    assert untimed(folder) == untimed(whole)
    assert contents(folder) == contents(whole)


def test_half_a_checkpoint_is_none(tmp_path: Path) -> None:
    """A kill while one is written: its files are there, some of them cut short, without the mark."""
    from pythagoras.train.trainer import _last_checkpoint

    for name, mark in (("checkpoint-3", True), ("checkpoint-12", True), ("checkpoint-15", False)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "optimizer.pt").write_bytes(b"half")
        if mark:
            (tmp_path / name / "whole").touch()
    assert _last_checkpoint(tmp_path) == tmp_path / "checkpoint-12"
    assert not (tmp_path / "checkpoint-15").exists()
    shutil.rmtree(tmp_path)
    assert _last_checkpoint(tmp_path) is None
