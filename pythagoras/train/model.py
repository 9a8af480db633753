"""A small model from scratch, of the architecture that the paper's models have (Qwen3), and models as files.

What is saved is what transformers saves: a folder that `AutoModelForCausalLM` and `AutoTokenizer` load.
"""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pythagoras.errors import InputError
from pythagoras.generate.local import trained_with
from pythagoras.llm.weights import default_device, load_model
from pythagoras.train.settings import Shape

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast, Qwen3ForCausalLM

_ROTARY_BASE = 10_000.0
"""Of positions, as is usual for contexts of a few thousand tokens."""


def new_model(shape: Shape, tokenizer: PreTrainedTokenizerFast, context: int, seed: int) -> Qwen3ForCausalLM:
    """A model that knows nothing, the same one for the same seed. Its head is its embedding."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    if shape.heads % shape.key_heads:
        raise InputError(f"{shape.heads} heads can't share {shape.key_heads} key heads evenly: choose a divisor")
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=shape.hidden,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.key_heads,
        head_dim=shape.head,
        max_position_embeddings=context,
        rope_parameters={"rope_type": "default", "rope_theta": _ROTARY_BASE},
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    causal: Any = Qwen3ForCausalLM  # it comes without types
    with seeded(seed):
        model: Qwen3ForCausalLM = causal(config)
    return model


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """In the block torch's own random numbers are those of the seed; behind it they go on as if it had not been."""
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield


def finite(value: float, what: str) -> float:
    """A number that training gave. Raises InputError where it is none: nothing could be learned from it."""
    if not math.isfinite(value):
        raise InputError(
            f"{what} is {value}, which nothing can be learned from: lower the learning rate and begin anew, or begin "
            "with a model whose weights are sound"
        )
    return value


def parameters(model: PreTrainedModel) -> int:
    """How many numbers it has; what is shared counts once."""
    return sum(parameter.numel() for parameter in model.parameters())


def save_model(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Both in one folder, as transformers loads them."""
    saved: Any = model
    saved.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def pack(model_folder: Path, folder: Path) -> None:
    """The model once more, in half precision: half as large, to hand on. Raises InputError."""
    if folder.exists():
        raise InputError(f"{folder} is there already: choose another folder, or take it away")
    trained = trained_with(model_folder)
    model, tokenizer = load_model(model_folder)
    making = folder.with_name(f"{folder.name}.tmp")
    shutil.rmtree(making, ignore_errors=True)  # what a kill left of it
    save_model(model.half(), tokenizer, making)
    if trained is not None:
        trained.write(making)
    os.replace(making, folder)


def load_for_training(folder: Path) -> tuple[Any, Any]:
    """The model, where it is trained, and its tokenizer. Raises InputError.

    Weights that change are float32 on a GPU as well: a small learning rate moves them by less than what bfloat16 can
    tell apart. There the arithmetic alone is bfloat16's, by autocast.
    """
    model, tokenizer = load_model(folder)
    model.set_attn_implementation("sdpa")  # another would not see the mask that keeps examples apart
    return model.to(default_device()), tokenizer
