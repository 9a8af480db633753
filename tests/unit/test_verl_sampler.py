"""The sampler of verl's export, in verl's own replay buffer: which problems train, which are replaced.

Only where verl is installed; its store for trajectories is a table here.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from pythagoras.train.emit import RL
from tests.unit.emitted import small

pytest.importorskip("verl")


class Store:
    """What verl keeps rollouts in, as far as its replay buffer asks for it. `successes` are those of its problems."""

    def __init__(self, successes: list[int]) -> None:
        self.tags: dict[str, dict[str, Any]] = {}
        self.scores: dict[str, float] = {}
        self.drawn: list[str] = []
        self._coming = iter(successes)

    def draw(self, problems: int) -> int:
        for _ in range(problems):
            won, uid = next(self._coming), f"p{len(self.drawn)}"
            self.drawn.append(uid)
            self.tags[uid] = {"is_prompt": True, "status": "finished", "global_steps": 1}
            for rollout in range(8):
                self.tags[f"{uid}_{rollout}_0"] = {}
                self.scores[f"{uid}_{rollout}_0"] = float(rollout < won)
        return problems

    def kv_list(self) -> dict[str, dict[str, dict[str, Any]]]:
        return {"train": {key: dict(tag) for key, tag in self.tags.items()}}

    def kv_batch_get(self, keys: list[str], partition_id: str, select_fields: list[str]) -> dict[str, list[Any]]:
        assert select_fields == ["extra_fields"]
        return {"extra_fields": [{"reward_extra_info": {"acc": self.scores[key]}} for key in keys]}

    def kv_clear(self, partition_id: str, keys: list[str]) -> None:
        for key in keys:
            self.tags.pop(key, None)


def test_problems_with_one_to_five_successes_train_and_others_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small(tmp_path / "out", "4b", "rl.problems=3").folder / RL
    loading: Any = importlib.import_module("verl.utils.import_utils")
    sampler = loading.load_extern_object(str(folder / "sampler.py"), "SuccessFilter")
    store = Store([0, 1, 8, 6, 7, 5, 0, 3, 2, 2, 2])
    buffers: Any = importlib.import_module("verl.trainer.ppo.v1.replay_buffer")
    monkeypatch.setattr(buffers, "tq", store)
    monkeypatch.setitem(sampler._count.__globals__, "tq", store)
    buffer = sampler(  # as verl's trainer makes it
        trainer_mode="sync",
        trainer_config={},
        max_off_policy_threshold=8,
        max_off_policy_strategy="drop",
        sampler_kwargs={"fewest": 1, "most": 5, "problems": 3},
        refill_fn=store.draw,
    )
    store.draw(3)
    batch, metrics = buffer.sample(global_steps=1, partition_id="train", batch_size=3)
    trained = {key.split("_")[0] for key in batch.keys}
    won = {uid: sum(score for key, score in store.scores.items() if key.startswith(f"{uid}_")) for uid in store.drawn}
    assert len(trained) == 3
    assert all(1 <= won[uid] <= 5 for uid in trained)
    dropped = [uid for uid in store.drawn if not 1 <= won[uid] <= 5]
    assert metrics["training/filter_groups/evicted_samples"] == len(dropped) == 5
