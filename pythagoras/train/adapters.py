"""LoRA: adapters on every linear layer but the head, carried from stage to stage, and merged at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pythagoras.train.model import seeded


def attach(model: Any, rank: int, alpha: int, seed: int) -> Any:
    """PEFT's model around this one: its weights stay, and adapters on all linear layers are trained.

    The head is left out, as "all linear layers" does in the paper's trainer: in small models it is the embedding. PEFT
    draws what adapters begin with, by the seed.
    """
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(r=rank, lora_alpha=alpha, target_modules="all-linear", task_type="CAUSAL_LM")
    with seeded(seed):
        return get_peft_model(model, config)


def attach_saved(model: Any, folder: Path) -> Any:
    """The same with adapters that were saved; they go on being trained."""
    from peft import PeftModel

    return PeftModel.from_pretrained(model, str(folder), is_trainable=True)


def merged(model: Any) -> Any:
    """The transformers model with its adapters added into its weights. PEFT's is of no use afterwards."""
    return model.merge_and_unload()
