"""verl's replay buffer with the paper's filter: a problem trains only where 1 to 5 of its 8 rollouts succeed.

This file is copied into exports and stands alone. verl's own filter (`algorithm.filter_groups`) drops problems whose
rollouts all score the same and draws others for them; this one drops in the same way those with fewer successes than
`fewest` or more than `most`. Both, and `problems`, those of a step, come from `trainer.v1.sampler.sampler_kwargs`.

Written for verl 0.9.1, its first trainer mode (`sync`): it overrides a method that verl does not promise to keep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import transfer_queue as tq
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer

_METRIC = "acc"
"""What the reward reports: 1.0 for a rollout that proves its statement."""


class SuccessFilter(ReplayBuffer):  # type: ignore[misc] # it comes without types
    """Keeps the problems with the right number of successes."""

    def __init__(self, *, sampler_kwargs: Mapping[str, int], **given: Any) -> None:
        if not hasattr(ReplayBuffer, "_dapo_filtered_keys"):
            raise RuntimeError("this verl filters in another way than 0.9.1: use that one, or leave the sampler out")
        self._fewest, self._most = sampler_kwargs["fewest"], sampler_kwargs["most"]
        self._successes: dict[str, int] = {}
        super().__init__(
            sampler_kwargs=sampler_kwargs,
            filter_groups_metric=_METRIC,
            train_batch_size=sampler_kwargs["problems"],
            gen_batch_size=1,  # exactly as many problems are drawn anew as were dropped
            sync_refill_failed_groups=True,
            **given,
        )

    def _dapo_filtered_keys(self, partition_id: str) -> tuple[set[str], Counter[float]]:
        dropped, by_score = super()._dapo_filtered_keys(partition_id)
        if partition_id == "val":
            return dropped, by_score
        mixed = self.finished_keys[partition_id] - dropped
        self._count(partition_id, mixed)
        for uid in mixed:
            if not self._fewest <= self._successes[uid] <= self._most:
                dropped.add(uid)
                by_score[float(self._successes[uid])] += 1
        return dropped, by_score

    def _count(self, partition_id: str, uids: set[str]) -> None:
        """Successes of each problem; a finished one is looked at once."""
        self._successes = {uid: count for uid, count in self._successes.items() if uid in uids}
        new = uids - self._successes.keys()
        keys = [key for key in self.partitions[partition_id] if key.split("_")[0] in new]
        if not keys:
            return
        found = tq.kv_batch_get(keys=keys, partition_id=partition_id, select_fields=["extra_fields"])
        for key, value in zip(keys, list(found["extra_fields"]), strict=True):
            fields = getattr(value, "data", value)
            uid = key.split("_")[0]
            self._successes[uid] = self._successes.get(uid, 0) + round(fields["reward_extra_info"][_METRIC])
