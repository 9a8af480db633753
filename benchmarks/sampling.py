"""Generated tokens a second, ours against plain `model.generate`: `python -m benchmarks.sampling [--threads N]`.

The model has the default shape of `pythagoras train base` and random weights; prompts are random tokens of several
lengths. Both sides get the same prompts and as many new tokens for each, by a limit a row; `generate` takes them in
batches of the same size, padded on the left, and goes on with each batch until its last row is done. The two take
turns, and ratios are those of the medians.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before anything imports torch

from pythagoras.llm.decoding.decoder import BatchDecoder
from pythagoras.llm.decoding.tokens import TokenRequest
from pythagoras.llm.sampling import Sampling
from pythagoras.train.settings import Base

BATCH = 64
ROUNDS = 3
LONGEST = 160


@dataclass(frozen=True, slots=True)
class Case:
    """What is wanted of both."""

    name: str
    requests: list[TokenRequest]
    top_p: float

    @property
    def tokens(self) -> int:
        return sum(request.limit or 0 for request in self.requests)


def cases() -> list[Case]:
    dice = random.Random(0)

    def prompt() -> tuple[int, ...]:
        return tuple(dice.choices(range(Base().vocabulary), k=dice.randint(24, 72)))

    def mixed() -> int:
        """Most proofs are short, some are long."""
        return min(LONGEST, 8 + int(dice.expovariate(1 / 32)))

    same = [TokenRequest(number, prompt(), number, 96) for number in range(BATCH)]
    other = [TokenRequest(number, prompt(), number, mixed()) for number in range(3 * BATCH)]
    shown = [prompt() for _ in range(3 * BATCH // 8)]
    groups = [TokenRequest(number, shown[number // 8], number, mixed()) for number in range(3 * BATCH)]
    return [
        Case("equal lengths, top_p 1", same, 1.0),
        Case("equal lengths, top_p 0.95", same, 0.95),
        Case("mixed lengths, top_p 1", other, 1.0),
        Case("mixed, 8 attempts a prompt", groups, 1.0),
    ]


def random_model() -> Any:
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    base = Base()
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=base.vocabulary,
        hidden_size=base.shape.hidden,
        intermediate_size=base.shape.inner,
        num_hidden_layers=base.shape.layers,
        num_attention_heads=base.shape.heads,
        num_key_value_heads=base.shape.key_heads,
        head_dim=base.shape.head,
        max_position_embeddings=base.context,
        tie_word_embeddings=True,
        eos_token_id=None,
        pad_token_id=0,
    )
    causal: Any = Qwen3ForCausalLM
    return causal(config).eval()


def ours(model: Any, case: Case) -> int:
    decoder = BatchDecoder(model, (), Sampling(1.0, case.top_p, LONGEST), batch=BATCH)
    return sum(len(found.tokens) for found in decoder.decode(case.requests))


def plain(model: Any, case: Case) -> int:
    batches = [case.requests[at : at + BATCH] for at in range(0, len(case.requests), BATCH)]
    return sum(_generated(model, batch, case.top_p) for batch in batches)


def _generated(model: Any, batch: list[TokenRequest], top_p: float) -> int:
    import torch
    from transformers import GenerationConfig, StoppingCriteriaList

    width = max(len(request.prompt) for request in batch)
    blank = [width - len(request.prompt) for request in batch]
    tokens = torch.tensor([[0] * pad + list(request.prompt) for pad, request in zip(blank, batch, strict=True)])
    mask = torch.arange(width)[None] >= torch.tensor(blank)[:, None]
    limits = torch.tensor([request.limit or 0 for request in batch])

    def ended(so_far: Any, _scores: Any, **_: Any) -> Any:
        return so_far.shape[1] - width >= limits

    config: Any = GenerationConfig
    with torch.inference_mode():
        made = model.generate(
            tokens,
            attention_mask=mask.long(),
            generation_config=config(
                max_new_tokens=LONGEST, do_sample=True, temperature=1.0, top_k=0, top_p=top_p, pad_token_id=0
            ),
            stopping_criteria=StoppingCriteriaList([ended]),
        )
    assert made.shape[1] - width == max(limits)
    return int(limits.sum())


def report(threads: int | None = None) -> None:
    """A line for each case."""
    import torch

    if threads is not None:
        torch.set_num_threads(threads)
    model = random_model()
    sides: dict[str, Callable[[Any, Case], int]] = {"ours": ours, "generate": plain}
    for case in cases():
        seconds: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(ROUNDS):
            for name, side in sides.items():
                began = time.perf_counter()
                assert side(model, case) == case.tokens
                seconds[name].append(time.perf_counter() - began)
        rate = {name: case.tokens / statistics.median(found) for name, found in seconds.items()}
        print(
            f"{f'sampling, {case.name}':<40}{rate['ours']:,.0f} tok/s against {rate['generate']:,.0f}: "
            f"{rate['ours'] / rate['generate']:.2f} times (batch {BATCH}, {torch.get_num_threads()} threads)",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, help="torch's; as many as it takes by itself")
    report(parser.parse_args().threads)
