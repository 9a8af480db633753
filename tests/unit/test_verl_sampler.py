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

LOST = -1
"""In place of a problem's successes: one rollout has no verdict, and some of the others succeed."""


class Store:
    """What verl keeps rollouts in, as far as its replay buffer asks for it. `successes` are those of its problems."""

    def __init__(self, successes: list[int]) -> None:
        self.tags: dict[str, dict[str, Any]] = {}
        self.scores: dict[str, float] = {}
        self.drawn: dict[str, int] = {}
        self._coming = iter(successes)

    def draw(self, problems: int) -> int:
        for _ in range(problems):
            won, uid = next(self._coming), f"p{len(self.drawn)}"
            self.drawn[uid] = won
            status = "failure" if won == LOST else "finished"
            self.tags[uid] = {"is_prompt": True, "status": status, "global_steps": 1}
            for rollout in range(7 if won == LOST else 8):
                self.tags[f"{uid}_{rollout}_0"] = {}
                self.scores[f"{uid}_{rollout}_0"] = float(rollout < (3 if won == LOST else won))
        return problems

    def kv_list(self) -> dict[str, dict[str, dict[str, Any]]]:
        return {"train": {key: dict(tag) for key, tag in self.tags.items()}}

    def kv_batch_get(self, keys: list[str], partition_id: str, select_fields: list[str]) -> dict[str, list[Any]]:
        assert select_fields == ["extra_fields"]
        return {"extra_fields": [{"reward_extra_info": {"acc": self.scores[key]}} for key in keys]}

    def kv_clear(self, partition_id: str, keys: list[str]) -> None:
        for key in keys:
            self.tags.pop(key, None)


def made(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The sampler as verl's trainer makes it, for three problems a step."""
    folder = small(tmp_path / "out", "4b", "rl.problems=3").folder / RL
    loading: Any = importlib.import_module("verl.utils.import_utils")
    sampler = loading.load_extern_object(str(folder / "sampler.py"), "SuccessFilter")
    buffers: Any = importlib.import_module("verl.trainer.ppo.v1.replay_buffer")
    monkeypatch.setattr(buffers, "tq", store)
    monkeypatch.setitem(sampler._read_scores.__globals__, "tq", store)
    return sampler(
        trainer_mode="sync",
        trainer_config={},
        max_off_policy_threshold=8,
        max_off_policy_strategy="drop",
        sampler_kwargs={"fewest": 1, "most": 5, "problems": 3},
        refill_fn=store.draw,
    )


def test_problems_with_one_to_five_successes_train_and_others_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store([0, LOST, 8, 6, LOST, 7, 5, 0, 3, LOST, 6, 2, 2, 2])
    buffer = made(store, tmp_path, monkeypatch)
    store.draw(3)
    batch, metrics = buffer.sample(global_steps=1, partition_id="train", batch_size=3)
    trained = {key.split("_")[0] for key in batch.keys}
    assert len(trained) == 3
    assert all(1 <= store.drawn[uid] <= 5 for uid in trained)
    assert len(batch.keys) == 3 * 8
    won = list(store.drawn.values())
    assert metrics["training/rollout_failure/evicted_samples"] == won.count(LOST) >= 2
    filtered = [count for count in won if count not in (LOST, *range(1, 6))]
    assert metrics["training/filter_groups/evicted_samples"] == len(filtered) >= 4
    # By the mean score of their rollouts, as verl counts those that score the same.
    assert metrics["_dapo_filtered_reward_counts"] == {won / 8: filtered.count(won) for won in set(filtered)}


@pytest.mark.parametrize("before", [[], [3], [3, LOST, 3]], ids=["at once", "after one", "after two"])
def test_a_lean_without_verdicts_ends_the_training(
    before: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in the middle of a step, when some problems of it have their verdicts."""
    store = Store([*before, *[LOST] * 100])
    buffer = made(store, tmp_path, monkeypatch)
    store.draw(3)
    with pytest.raises(RuntimeError, match=r"1[0-9] problems in a row .* PYTHAGORAS_LEAN names"):
        buffer.sample(global_steps=1, partition_id="train", batch_size=3)
