"""GRPO's loss with DAPO's changes: advantages within a group, a ratio that is clipped, all tokens of a batch alike.

For a group of rollouts at one problem with rewards r: A = (r - mean) / (std + eps), the same for all tokens of a
rollout. With the ratio q of a token's probability now and when it was drawn, the loss is the mean over all completion
tokens of the batch of -min(q A, clip(q, 1 - low, 1 + high) A). Of DAPO (Yu et al. 2025) it has the higher upper clip
and the mean over tokens in place of one over rollouts; as in the paper there is no KL penalty. This is what TRL calls
`dapo` with `beta=0`, and a test holds loss and gradient against TRL's own.

Gradients are added up as sums over tokens and divided once, by the number of tokens; so it does not matter how a batch
is split, and what is judged first can be gone through first. Logits are made at completion positions only, and the
prompt, which all rollouts of a group share, is gone through once for those that are gone through at once.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pythagoras.train.model import finite

if TYPE_CHECKING:
    from torch import Tensor

EPSILON = 1e-4
"""Against a division by 0; TRL's, too."""
MICRO_TOKENS = 16_384
"""Tokens, the prompt of each rollout and padding included, that are gone through at once: what memory depends on."""


@dataclass(frozen=True, slots=True)
class Clip:
    """How far a token's probability may go from where it was before its gradient ends."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Group:
    """Rollouts at one problem, each with its reward."""

    prompt: tuple[int, ...]
    completions: tuple[tuple[int, ...], ...]
    rewards: tuple[float, ...]

    @property
    def tokens(self) -> int:
        """Those that are learned from."""
        return sum(map(len, self.completions))


def advantages(rewards: Sequence[float]) -> list[float]:
    """How much better than its group each rollout is, in standard deviations (of a sample, as TRL's)."""
    if len(rewards) < 2:
        return [0.0] * len(rewards)
    mean, deviation = statistics.fmean(rewards), statistics.stdev(rewards)
    return [(reward - mean) / (deviation + EPSILON) for reward in rewards]


def surrogate(now: Tensor, before: Tensor, advantage: Tensor, clip: Clip) -> Tensor:
    """The loss of each token, from its log-probability now and when it was drawn, and its rollout's advantage."""
    ratio = (now - before).exp()
    return -(ratio * advantage).minimum(ratio.clamp(1 - clip.low, 1 + clip.high) * advantage)


def log_probabilities(
    model: Any, prompt: Sequence[int], completions: Sequence[Sequence[int]], temperature: float = 1.0
) -> Tensor:
    """Of each completion's tokens behind the prompt: a row each, as wide as the longest, with noise behind its end.

    `temperature` is the one that they were drawn with: the policy is what draws.
    """
    import torch
    from transformers import DynamicCache

    width = max(map(len, completions))
    padded = [[*completion, *[0] * (width - len(completion))] for completion in completions]
    tokens = torch.tensor(padded, device=model.device)
    decoder = model.get_decoder()
    cache = DynamicCache(config=model.config)
    with half_on_a_gpu(model):
        given = decoder(torch.tensor([prompt], device=model.device), past_key_values=cache, use_cache=True)
        states = given.last_hidden_state[:, -1:].expand(len(completions), -1, -1)
        if width > 1:
            cache.batch_repeat_interleave(len(completions))  # its gradients add up in the prompt's
            # Padding is at the right, where causal attention does not look: no mask is needed.
            written = decoder(tokens[:, :-1], past_key_values=cache, use_cache=True)
            states = torch.cat([states, written.last_hidden_state], dim=1)
        logits = model.get_output_embeddings()(states)
    logits = logits.float() / temperature
    chances: Tensor = logits.gather(-1, tokens.unsqueeze(-1)).squeeze(-1) - logits.logsumexp(-1)
    return chances


def half_on_a_gpu(model: Any) -> AbstractContextManager[Any]:
    """There arithmetic is bfloat16's, whatever the weights are; everywhere else nothing changes."""
    import torch

    on_gpu = model.device.type == "cuda"
    return torch.autocast("cuda", dtype=torch.bfloat16) if on_gpu else nullcontext()


def backward(
    model: Any,
    group: Group,
    clip: Clip,
    *,
    temperature: float = 1.0,
    before: Sequence[Tensor] | None = None,
    micro_tokens: int = MICRO_TOKENS,
) -> float:
    """Add a group's gradient to the model's, as a sum over its tokens; returns the sum of its losses.

    `before` are the tokens' log-probabilities when they were drawn, a row each; without it the weights are still those
    that drew them. Raises InputError where the loss is no number.
    """
    import torch

    total = 0.0
    worth = advantages(group.rewards)
    for rows in _micro_batches(group, micro_tokens):
        completions = [group.completions[row] for row in rows]
        now = log_probabilities(model, group.prompt, completions, temperature)
        mask = _mask(completions, now)
        advantage = torch.tensor([worth[row] for row in rows], device=now.device).unsqueeze(1)
        drawn = now.detach() if before is None else _padded([before[row] for row in rows], now)
        loss = (surrogate(now, drawn, advantage, clip) * mask).sum()
        value = finite(float(loss.detach()), "the loss")
        loss.backward()  # type: ignore[no-untyped-call]
        total += value
    return total


def remembered(model: Any, group: Group, *, temperature: float = 1.0, micro_tokens: int = MICRO_TOKENS) -> list[Tensor]:
    """The log-probabilities of a group's tokens by the weights as they are: `before` of a later `backward`."""
    import torch

    found: dict[int, Tensor] = {}
    with torch.no_grad():
        for rows in _micro_batches(group, micro_tokens):
            completions = [group.completions[row] for row in rows]
            now = log_probabilities(model, group.prompt, completions, temperature)
            found |= {row: now[at, : len(completions[at])] for at, row in enumerate(rows)}
    return [found[row] for row in range(len(group.completions))]


def update(model: Any, optimizer: Any, tokens: int, clip_norm: float) -> float:
    """Make a step from the gradients that were added up over so many tokens; returns their norm.

    Raises InputError, and changes nothing, where they are no numbers.
    """
    import torch

    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.div_(tokens)
    norm = finite(float(torch.nn.utils.clip_grad_norm_(model.parameters(), clip_norm)), "the gradient's norm")
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return norm


def _micro_batches(group: Group, most: int) -> Iterator[list[int]]:
    """Rollouts by their numbers, as many at a time as have so many tokens together, short ones with short ones."""
    by_length = sorted(range(len(group.completions)), key=lambda row: len(group.completions[row]))
    batch: list[int] = []
    for row in by_length:
        if batch and (len(batch) + 1) * (len(group.prompt) + len(group.completions[row])) > most:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _mask(completions: Sequence[Sequence[int]], like: Tensor) -> Tensor:
    import torch

    lengths = torch.tensor([len(completion) for completion in completions], device=like.device)
    return (torch.arange(like.shape[1], device=like.device) < lengths.unsqueeze(1)).to(like.dtype)


def _padded(rows: Sequence[Tensor], like: Tensor) -> Tensor:
    padded = like.new_zeros(like.shape)
    for at, row in enumerate(rows):
        padded[at, : len(row)] = row
    return padded
