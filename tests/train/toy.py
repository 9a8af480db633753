"""A small prover that knows some one-line tactics and does not know when to use which, and statements for it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.corpus.records import Formalisation
from pythagoras.corpus.store import write_json
from pythagoras.generate.local import TRAINED
from pythagoras.generate.texts import Texts
from pythagoras.llm.weights import end_token
from pythagoras.train.model import new_model, save_model
from pythagoras.train.settings import Shape
from pythagoras.train.tokenizer import train_tokenizer

TACTICS = ("omega", "rfl", "trivial", "assumption", "contradiction", "constructor")
"""Of these, only the first proves what `linear` states."""
SHAPE = Shape(hidden=64, layers=2, heads=2, key_heads=1, head=32, inner=128)
CONTEXT = 128


def linear(count: int, seed: int = 0) -> list[Formalisation]:
    """Linear statements over ℕ, all different and all true."""
    dice = random.Random(seed)
    found: dict[tuple[int, ...], Formalisation] = {}
    while len(found) < count:
        a, b, k = dice.randrange(2, 10), dice.randrange(1, 10), dice.randrange(1, 90)
        text = f"theorem toy_{len(found)} (x y : ℕ) (h : {a} * x + {b} < y) : {a} * x + {b} + {k} < y + {k}"
        found.setdefault((a, b, k), Formalisation(f"toy_{len(found)}", text, "toy"))
    return list(found.values())


def make_prover(folder: Path, *, steps: int = 60, tactics: tuple[str, ...] = TACTICS) -> None:
    """Train a model on statements with tactics that are drawn at random, each as often."""
    import torch

    goals = linear(64, seed=7)
    shown = [prompts.shown(goal, "compact") for goal in goals]
    texts = [f"{prompt}by {tactic}" for prompt in shown for tactic in tactics]
    tokenizer: Any = train_tokenizer(texts, 400)
    model: Any = new_model(SHAPE, tokenizer, CONTEXT, 0)
    rows = [_row(tokenizer, goal, f"by {tactic}") for goal in goals for tactic in tactics]
    dice = random.Random(0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        batch = dice.sample(rows, 32)
        width = max(len(tokens) for tokens, _ in batch)
        ids = torch.tensor([tokens + [0] * (width - len(tokens)) for tokens, _ in batch])
        labels = torch.tensor(
            [[-100] * prompt + tokens[prompt:] + [-100] * (width - len(tokens)) for tokens, prompt in batch]
        )
        model(ids, labels=labels, use_cache=False).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    save_model(model, tokenizer, folder)
    write_json(folder / TRAINED, {"prompt": "compact"})


def _row(tokenizer: Any, goal: Formalisation, proof: str) -> tuple[list[int], int]:
    prompt = Texts(tokenizer, "compact", marked=False).tokens(prompts.shown(goal, "compact"))
    completion = tokenizer(proof, add_special_tokens=False)["input_ids"]
    return [*prompt, *completion, end_token(tokenizer)], len(prompt)
