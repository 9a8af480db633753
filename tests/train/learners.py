"""A model that learns in seconds, and proofs that it can learn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from pythagoras.corpus.records import Instance, Tier
from pythagoras.lean.bench import bench_proofs
from pythagoras.train.model import new_model, save_model
from pythagoras.train.settings import Shape
from pythagoras.train.tokenizer import train_tokenizer

CONTEXT = 256
_SHAPE = Shape(hidden=64, layers=2, heads=2, key_heads=1, head=32, inner=128)


def proofs(count: int) -> list[Instance]:
    """Real ones, each of another statement; tiers take turns, and every third has reasoning."""
    found: list[Instance] = []
    for proof in bench_proofs():
        statement, _, body = proof.code.partition(" := by")
        if statement.startswith("theorem") and ":=" not in statement and body and len(proof.code) < 250:
            tier = (Tier.EASY, Tier.MEDIUM, Tier.HARD)[len(found) % 3]
            reasoning = "" if len(found) % 3 else f"It is of the kind {proof.kind}."
            found.append(
                Instance(proof.name, statement, f"by{body.rstrip()}", "bench", tier, True, reasoning=reasoning)
            )
    return found[:count]


def without_reasoning(instances: list[Instance]) -> list[Instance]:
    return [replace(instance, reasoning="") for instance in instances]


def make_learner(folder: Path, seed: int = 0) -> Path:
    """A folder with a Qwen3 of two layers and a tokenizer of its own."""
    tokenizer = train_tokenizer([f"{each.statement} :=\n{each.proof}" for each in proofs(200)], 700)
    save_model(new_model(_SHAPE, tokenizer, CONTEXT, seed), tokenizer, folder)
    return folder


def sharp_model(folder: Path) -> Any:
    """The learner in a folder of its own, with weights in which attention matters."""
    import torch

    from pythagoras.train.model import load_for_training

    found, _ = load_for_training(make_learner(folder))
    with torch.no_grad():
        for parameter in found.parameters():  # as it comes, attention hardly matters
            parameter.mul_(1 if parameter.dim() == 1 else 4)
    return found.eval()


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")
