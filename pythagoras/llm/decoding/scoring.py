"""How likely a model finds completions that somebody else wrote: one pass for all of a prompt's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pythagoras.llm.decoding.decoder import network_for
from pythagoras.llm.decoding.network import Network


class Scorer:
    """The log-probabilities of completions."""

    def __init__(self, model: Any, network: Network | None = None) -> None:
        self.context: int | None = getattr(model.config, "max_position_embeddings", None)
        self._network = network or network_for(model)

    def scores(self, prompt: Sequence[int], completions: Sequence[Sequence[int]]) -> list[float]:
        """For each completion the sum over its tokens, in nats; 0 for an empty one."""
        import torch

        wanted = [at for at, one in enumerate(completions) if one]
        found = [0.0] * len(completions)
        if not wanted:
            return found
        with torch.inference_mode():
            (prefix,) = self._network.read([prompt])
            rows = self._network.rows()
            rows.add([prefix] * len(wanted))
            tokens = [list(completions[at]) for at in wanted]
            for at, own, logits in zip(wanted, tokens, rows.look(tokens, [len(one) for one in tokens]), strict=True):
                before = torch.cat([prefix.logits[None], logits[:-1]]).float().log_softmax(-1)
                found[at] = float(before.gather(1, torch.tensor(own, device=before.device)[:, None]).sum())
        return found
