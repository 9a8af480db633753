"""The reward file of verl's export, as it is exported, against a real server."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.parquet as pq
import pytest

from pythagoras.corpus.exports.export import export
from pythagoras.corpus.exports.recipe import ExportSettings
from pythagoras.corpus.prompts import render
from pythagoras.corpus.records import Instance, Tier
from tests.lean.servers import RunningServer, lean_server

INSTANCE = Instance(
    name="double",
    statement="theorem double (n : ℕ) : twice n = n + n",
    proof="by\n  unfold twice\n  omega",
    source="handmade",
    tier=Tier.EASY,
    verified=True,
    reasoning="Unfold the definition.",
    context="def twice (n : ℕ) : ℕ := 2 * n",
)
NOBODY = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with lean_server("--jobs", "1", "--api-key", "sesame") as running:
        yield running


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    return export([INSTANCE], tmp_path / "out", "verl", ExportSettings()).folder


@pytest.fixture
def reward(exported: Path, server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The file that a trainer would load, with the environment that it would have."""
    monkeypatch.setenv("PYTHAGORAS_LEAN_SERVER", server.address)
    monkeypatch.setenv("LEAN_SERVER_API_KEY", "sesame")
    spec = importlib.util.spec_from_file_location("reward", exported / "reward.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "_FIRST_PAUSE_S", 0.01)
    return module


@pytest.fixture
def row(exported: Path) -> dict[str, Any]:
    (found,) = pq.read_table(exported / "data" / "easy.parquet").to_pylist()
    assert isinstance(found, dict)
    return found


def score(reward: ModuleType, row: dict[str, Any], solution: str, **changes: Any) -> dict[str, Any]:
    asked = {**row, **changes}
    scored = reward.compute_score(
        asked["data_source"], solution, asked["reward_model"]["ground_truth"], asked["extra_info"]
    )
    assert isinstance(scored, dict)
    return scored


def test_a_proof_scores_one_and_a_wrong_one_zero(reward: ModuleType, row: dict[str, Any]) -> None:
    right = render(INSTANCE).completion
    assert score(reward, row, right) == {"score": 1.0, "acc": 1.0, "outcome": "proved", "reason": "holds"}
    wrong = score(reward, row, right.replace("  unfold twice\n", ""))
    assert (wrong["score"], wrong["outcome"]) == (0.0, "rejected")
    assert score(reward, row, right.replace("omega", "sorry"))["score"] == 0.0
    assert score(reward, row, "I can't prove this.")["score"] == 0.0
    other = right.replace("twice n = n + n", "twice n = twice n").replace("  omega", "  rfl")
    assert score(reward, row, other)["score"] == 0.0  # another statement
    assert score(reward, row, right + " " * 200_000)["reason"] == "too_long"


def test_a_failure_that_is_not_the_proofs_raises(
    reward: ModuleType, row: dict[str, Any], server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = render(INSTANCE).completion
    with pytest.raises(reward.RewardError, match="gave no verdict about double"):  # the statement is no Lean
        score(reward, row, right, reward_model={"ground_truth": "theorem double : nonsense := sorry"})
    with pytest.raises(reward.RewardError, match="refused to judge: HTTP 422"):
        score(reward, row, right, reward_model={"ground_truth": "no theorem"})
    monkeypatch.setenv("LEAN_SERVER_API_KEY", "wrong")
    with pytest.raises(reward.RewardError, match="refused to judge: HTTP 401"):
        score(reward, row, right)
    monkeypatch.setenv("PYTHAGORAS_LEAN_SERVER", NOBODY)
    with pytest.raises(reward.RewardError, match=r"gave no answer in 6 tries .*lean serve"):
        score(reward, row, right)
    monkeypatch.setenv("PYTHAGORAS_LEAN_SERVER", server.address)
    monkeypatch.setenv("LEAN_SERVER_API_KEY", "sesame")
    assert score(reward, row, right)["score"] == 1.0
