"""Curves of training: steps counted through stages, running means, and a picture of several runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pythagoras.errors import InputError
from pythagoras.train.curves import draw_curves, read_curve, running_mean


def made_run(folder: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    folder.mkdir()
    (folder / "training.json").write_text("{}")
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def sft_lines(steps: int = 60) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    for number, stage in enumerate(("easy", "medium", "hard")):
        for step in range(1, steps + 1):
            lines.append({"stage": stage, "step": step, "loss": 3 / (1 + number) * (1 - step / steps / 2), "tokens": 9})
        lines.append({"stage": stage, "step": steps, "validation_loss": 2 / (1 + number)})
    return lines


def rl_lines(steps: int = 30) -> list[dict[str, Any]]:
    return [{"stage": "rl", "step": step, "loss": 0.1, "reward": step / steps} for step in range(1, steps + 1)]


def test_steps_are_counted_through_the_stages(tmp_path: Path) -> None:
    curve = read_curve(made_run(tmp_path / "run", sft_lines(4)))
    assert curve.stages == (("easy", 0), ("medium", 4), ("hard", 8))
    steps, losses = curve.points("loss")
    assert steps == list(range(1, 13))
    assert losses[0] == pytest.approx(3 * (1 - 1 / 8))
    assert curve.points("validation_loss") == ([4, 8, 12], [2, 1, pytest.approx(2 / 3)])
    assert curve.points("reward") == ([], [])
    assert curve.points("loss", "medium")[0] == [5, 6, 7, 8]


def test_the_loss_of_reinforcement_learning_is_not_drawn(tmp_path: Path) -> None:
    curve = read_curve(made_run(tmp_path / "run", rl_lines(3)))
    assert curve.points("loss") == ([], [])
    steps, rewards = curve.points("reward")
    assert steps == [1, 2, 3]
    assert rewards == pytest.approx([1 / 3, 2 / 3, 1])


def test_a_running_mean_keeps_constants_and_ends() -> None:
    assert running_mean([2.0] * 7) == pytest.approx([2.0] * 7)
    assert running_mean([0.0, 3.0]) == pytest.approx([1.5, 1.5])
    assert len(running_mean([float(value) for value in range(1_000)])) == 1_000
    assert running_mean([float(value) for value in range(1_000)])[500] == pytest.approx(500)


@pytest.mark.parametrize("ending", [".png", ".svg"])
def test_a_picture_of_several_runs(tmp_path: Path, ending: str) -> None:
    runs = [made_run(tmp_path / "sft", sft_lines()), made_run(tmp_path / "rl", rl_lines())]
    picture = tmp_path / "pictures" / f"curves{ending}"
    draw_curves(runs, picture, title="Curriculum, then reinforcement learning")
    assert picture.stat().st_size > 5_000
    if ending == ".svg":
        assert "<svg" in picture.read_text()[:500]


def test_what_can_not_be_drawn_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no training run"):
        draw_curves([tmp_path], tmp_path / "x.png")
    with pytest.raises(InputError, match="no step yet"):
        draw_curves([made_run(tmp_path / "new", [])], tmp_path / "x.png")
    with pytest.raises(InputError, match="no loss and no reward"):
        draw_curves([made_run(tmp_path / "odd", [{"stage": "a", "step": 1}])], tmp_path / "x.png")
    with pytest.raises(InputError, match="can't be drawn"):
        draw_curves([made_run(tmp_path / "run", rl_lines())], tmp_path / "x.jpeg")
