"""verl's replay buffer with the paper's filter: a problem trains only where 1 to 5 of its 8 rollouts succeed.

This file is copied into exports and stands alone. verl's own filter (`algorithm.filter_groups`) drops problems whose
rollouts all score the same and draws others for them; this one drops in the same way those with fewer successes than
`fewest` or more than `most`, and those with a rollout that has no verdict: of these nobody knows how many succeeded.
`fewest`, `most` and `problems`, those of a step, come from `trainer.v1.sampler.sampler_kwargs`.

Written for verl 0.9.1, its first trainer mode (`sync`): it overrides methods that verl does not promise to keep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import transfer_queue as tq
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer

_METRIC = "acc"
"""What the reward reports: 1.0 for a rollout that proves its statement."""
_OVERRIDDEN = ("_dapo_filtered_keys", "_terminal_eviction_reasons")
_HOPELESS = 4
"""Times a step's problems: when so many in a row have no verdict, none will."""


class SuccessFilter(ReplayBuffer):  # type: ignore[misc] # it comes without types
    """Keeps the problems with the right number of successes."""

    def __init__(self, *, sampler_kwargs: Mapping[str, int], **given: Any) -> None:
        if not all(hasattr(ReplayBuffer, name) for name in _OVERRIDDEN):
            raise RuntimeError("this verl filters in another way than 0.9.1: use that one, or leave the sampler out")
        self._fewest, self._most = sampler_kwargs["fewest"], sampler_kwargs["most"]
        self._scores: dict[str, list[float]] = {}
        self._unjudged = 0
        self._finished: set[str] = set()
        super().__init__(
            sampler_kwargs=sampler_kwargs,
            filter_groups_metric=_METRIC,
            train_batch_size=sampler_kwargs["problems"],
            gen_batch_size=1,  # problems are replaced one by one
            sync_refill_failed_groups=True,
            **given,
        )

    def _terminal_eviction_reasons(
        self, global_steps: int, partition_id: str
    ) -> tuple[set[str], set[str], set[str], Counter[float]]:
        """Problems to be dropped, by reason. Of those that failed, verl would train on what is left of them."""
        stale, dropped, failed, by_score = super()._terminal_eviction_reasons(global_steps, partition_id)
        if partition_id != "val":
            failed = set(self.failure_keys[partition_id])
            self._give_up_on_lean(len(failed), set(self.finished_keys[partition_id]))
        return stale, dropped, failed, by_score

    def _dapo_filtered_keys(self, partition_id: str) -> tuple[set[str], Counter[float]]:
        """Problems whose successes are too few or too many, and how many have which mean score."""
        dropped, by_score = super()._dapo_filtered_keys(partition_id)
        if partition_id == "val":
            return dropped, by_score
        mixed = self.finished_keys[partition_id] - dropped
        self._read_scores(partition_id, mixed)
        for uid in mixed:
            scores = self._scores[uid]
            if not self._fewest <= round(sum(scores)) <= self._most:
                dropped.add(uid)
                by_score[sum(scores) / len(scores)] += 1
        return dropped, by_score

    def _read_scores(self, partition_id: str, uids: set[str]) -> None:
        """The scores of each problem's rollouts; a finished one is looked at once."""
        self._scores = {uid: scores for uid, scores in self._scores.items() if uid in uids}
        new = uids - self._scores.keys()
        keys = [key for key in self.partitions[partition_id] if key.split("_")[0] in new]
        if not keys:
            return
        found = tq.kv_batch_get(keys=keys, partition_id=partition_id, select_fields=["extra_fields"])
        for key, value in zip(keys, list(found["extra_fields"]), strict=True):
            fields = getattr(value, "data", value)
            self._scores.setdefault(key.split("_")[0], []).append(fields["reward_extra_info"][_METRIC])

    def _give_up_on_lean(self, failed: int, finished: set[str]) -> None:
        """Without verdicts, problems would be drawn and replaced for ever. Finished ones stay until a step is full."""
        self._unjudged = 0 if finished - self._finished else self._unjudged + failed
        self._finished = finished
        if self._unjudged > _HOPELESS * self.train_batch_size:
            raise RuntimeError(
                f"{self._unjudged} problems in a row have a rollout without a verdict: the errors above say why; look "
                "at the Lean that PYTHAGORAS_LEAN names"
            )
