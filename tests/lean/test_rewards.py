"""Rewards with real Lean behind them, called as verl and TRL call them.

verl itself is asked where it is installed (it pins other versions of our libraries, so it is not among them); else its
calls are made here as its source (0.9.1, `experimental/reward_loop`) has them.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import os
import stat
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pythagoras.corpus.exports.export import export
from pythagoras.corpus.exports.recipe import ExportSettings
from pythagoras.corpus.prompts import render
from pythagoras.corpus.records import Instance, Tier
from pythagoras.errors import InputError
from pythagoras.lean.backends import open_checker
from pythagoras.train import rewards
from pythagoras.train.rewards import RewardError
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
RIGHT = render(INSTANCE).completion
WRONG = RIGHT.replace("  unfold twice\n", "")
OTHER = RIGHT.replace("twice n = n + n", "twice n = twice n").replace("  omega", "  rfl")
PLAIN = "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := sorry"
NOBODY = "http://127.0.0.1:9"
SWAPPED = "match h with | ⟨a, b⟩ => ⟨b, a⟩"


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    """A real `pythagoras lean serve`."""
    with lean_server("--jobs", "1", "--api-key", "sesame") as running:
        yield running


@pytest.fixture
def lean(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningServer]:
    """The environment of a trainer whose Lean is that server."""
    monkeypatch.setenv("PYTHAGORAS_LEAN", server.address)
    monkeypatch.setenv("LEAN_SERVER_API_KEY", "sesame")
    monkeypatch.setattr(rewards, "_OPENED", {})
    yield server
    for judge in rewards._OPENED.values():
        judge.__exit__(None, None, None)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export([INSTANCE], tmp_path_factory.mktemp("verl") / "out", "verl", ExportSettings()).folder


@pytest.fixture(scope="module")
def row(exported: Path) -> dict[str, Any]:
    (found,) = pq.read_table(exported / "data" / "easy.parquet").to_pylist()
    assert isinstance(found, dict)
    return found


# --- verl ----------------------------------------------------------------------------------------


async def _as_a_manager_does(score: Callable[..., Any], row: dict[str, Any], text: str) -> dict[str, Any]:
    """verl's managers `naive`, `dapo` and `gdpo`: awaited where it can be, else on a thread; keywords only."""
    extra = {**row["extra_info"], "num_turns": 2, "rollout_reward_scores": {}}
    asked = {
        **{"data_source": row["data_source"], "solution_str": text},
        **{"ground_truth": row["reward_model"]["ground_truth"], "extra_info": extra},
    }
    if inspect.iscoroutinefunction(score):
        result = await score(**asked)
    else:
        result = await asyncio.get_running_loop().run_in_executor(None, lambda: score(**asked))
    return {"reward_score": result["score"], "reward_extra_info": dict(result)}


@pytest.mark.parametrize("score", [rewards.compute_score, rewards.compute_score_async])
def test_as_verl_calls_it(lean: RunningServer, row: dict[str, Any], score: Callable[..., Any]) -> None:
    texts = [RIGHT, WRONG, OTHER, "I can't prove this.", RIGHT.replace("omega", "sorry"), *[RIGHT] * 8]
    with_settings = partial(score, timeout_s=30.0, jobs=2)  # as verl puts `reward_kwargs` in

    async def all_of_them() -> list[dict[str, Any]]:
        return await asyncio.gather(*(_as_a_manager_does(with_settings, row, text) for text in texts))

    found = asyncio.run(all_of_them())
    assert [each["reward_score"] for each in found] == [1.0, 0.0, 0.0, 0.0, 0.0, *[1.0] * 8]
    assert found[0]["reward_extra_info"] == {"score": 1.0, "acc": 1.0, "outcome": "proved", "reason": "holds"}
    assert len({frozenset(each["reward_extra_info"]) for each in found}) == 1  # verl wants the same keys in all


def test_a_failure_that_is_not_the_proofs_raises(
    lean: RunningServer, row: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("pythagoras", RIGHT, row["reward_model"]["ground_truth"], row["extra_info"])
    monkeypatch.setenv("LEAN_SERVER_API_KEY", "wrong")
    with pytest.raises(RewardError, match="answers 401: set LEAN_SERVER_API_KEY"):
        rewards.compute_score(*asked, jobs=2)
    with pytest.raises(InputError, match=r"can't be reached .*: start the server"):
        rewards.compute_score(*asked, lean=NOBODY)
    monkeypatch.setenv("LEAN_SERVER_API_KEY", "sesame")
    assert rewards.compute_score(*asked, heartbeats=20_000)["score"] == 1.0
    too_long = rewards.compute_score("pythagoras", RIGHT.replace("omega", "omega" + " " * 200_000), *asked[2:])
    assert (too_long["score"], too_long["reason"]) == (0.0, "too_long")


def test_verl_itself(lean: RunningServer, row: dict[str, Any], exported: Path) -> None:
    """Its own loading and its own managers, with both functions."""
    pytest.importorskip("verl")
    from tests.train.tiny import make_model

    make_model(exported / "tiny")
    functions = [
        ("pkg://pythagoras.train.rewards", "compute_score"),
        ("pkg://pythagoras.train.rewards", "compute_score_async"),
    ]
    for manager in ("naive", "dapo", "gdpo"):
        for path, name in functions:
            found = _verls_rewards(manager, path, name, row, exported / "tiny", [RIGHT, WRONG])
            assert [each["reward_score"] for each in found] == [1.0, 0.0], (manager, path, name)
            assert found[0]["reward_extra_info"]["reason"] == "holds"
    broken = {**row, "reward_model": {"ground_truth": "theorem double : nonsense := sorry", "style": "rule"}}
    with pytest.raises(RewardError, match="no verdict about double"):
        _verls_rewards("naive", *functions[1], broken, exported / "tiny", [RIGHT])


def _verls_rewards(
    manager: str, path: str, name: str, row: dict[str, Any], model: Path, texts: list[str]
) -> list[dict[str, Any]]:
    numpy: Any = importlib.import_module("numpy")
    torch: Any = importlib.import_module("torch")
    transformers: Any = importlib.import_module("transformers")
    verl: Any = importlib.import_module("verl")
    reward: Any = importlib.import_module("verl.trainer.ppo.reward")
    omegaconf: Any = importlib.import_module("omegaconf")
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    config = omegaconf.OmegaConf.create(
        {
            "reward": {
                "custom_reward_function": {"path": path, "name": name},
                "reward_manager": {"source": "register", "name": manager},
            },
            "trainer": {"experiment_name": "test"},
        }
    )

    async def score() -> list[dict[str, Any]]:
        loaded = reward.load_reward_manager(config, tokenizer)
        waiting = []
        for text in texts:
            tokens = torch.tensor([tokenizer(text)["input_ids"]])
            batch = {"prompts": tokens[:, :1], "responses": tokens, "attention_mask": torch.ones_like(tokens)}
            others = {key: numpy.array([dict(row[key])], dtype=object) for key in ("reward_model", "extra_info")}
            others["data_source"] = numpy.array([row["data_source"]], dtype=object)
            data = verl.DataProto.from_dict(tensors=batch, non_tensors=others)
            waiting.append(loaded.run_single(data))
        return list(await asyncio.gather(*waiting))

    return asyncio.run(score())


# --- TRL -----------------------------------------------------------------------------------------


def test_as_trl_calls_it(lean: RunningServer) -> None:
    statement = f"{INSTANCE.context}\n\n{INSTANCE.statement} := sorry"
    chat = [{"role": "user", "content": "prove it"}]
    turns = [[{"role": "assistant", "content": text}] for text in (RIGHT, WRONG)]
    raw = render(INSTANCE, "noncot")  # which ends inside of a block of code
    called: dict[str, Any] = {
        "prompts": [chat, chat, chat, raw.prompt],
        "completions": [*turns, turns[0], raw.completion],
        "completion_ids": [[1, 2]] * 4,
        "statement": [statement, statement, "theorem double : nonsense := sorry", statement],
        "name": ["double"] * 4,
        "header": ["core"] * 4,
        "trainer_state": None,
        "log_extra": lambda column, values: None,
        "log_metric": lambda name, value: None,
    }
    assert rewards.lean_reward(**called) == [1.0, 0.0, None, 1.0]  # one statement is no Lean: nothing was judged
    assert asyncio.run(rewards.lean_reward_async(**called)) == [1.0, 0.0, None, 1.0]


# --- other Leans ---------------------------------------------------------------------------------


def test_a_native_lean(lean: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lake project, whose `lake` runs what it is given, and whose REPL is ours."""
    project = Path(__file__).parents[2]
    (tmp_path / "lakefile.toml").write_text('name = "prover"\n')
    _script(tmp_path / "bin" / "lake", 'shift\nexec "$@"\n')
    repl = f"cd {project}\nexec {sys.executable} -m pythagoras lean repl\n"
    _script(tmp_path / ".lake" / "build" / "bin" / "repl", repl)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHAGORAS_LEAN", f"native:{tmp_path}")
    monkeypatch.setenv("PYTHAGORAS_LEAN_JOBS", "1")
    monkeypatch.setattr(rewards, "open_checker", partial(open_checker, header="none"))  # there is no Mathlib in it
    found = rewards.lean_reward(
        ["p"] * 2, [f"by exact {SWAPPED}", "by exact h"], statement=[PLAIN] * 2, header=["none"] * 2
    )
    assert found == [1.0, 0.0]


def _script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
