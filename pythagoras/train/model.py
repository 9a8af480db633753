"""A small model from scratch, of the architecture that the paper's models have (Qwen3), and models as files.

What is saved is what transformers saves: a folder that `AutoModelForCausalLM` and `AutoTokenizer` load.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pythagoras.errors import InputError
from pythagoras.train.settings import Shape

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast, Qwen3ForCausalLM

_ROTARY_BASE = 10_000.0
"""Of positions, as is usual for contexts of a few thousand tokens."""


def new_model(shape: Shape, tokenizer: PreTrainedTokenizerFast, context: int, seed: int) -> Qwen3ForCausalLM:
    """A model that knows nothing, the same one for the same seed. Its head is its embedding."""
    import torch
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
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model: Qwen3ForCausalLM = causal(config)
    return model


def parameters(model: PreTrainedModel) -> int:
    """How many numbers it has; what is shared counts once."""
    return sum(parameter.numel() for parameter in model.parameters())


def save_model(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Both in one folder, as transformers loads them."""
    saved: Any = model
    saved.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def load_for_training(folder: Path) -> tuple[Any, Any]:
    """The model, with the mask-honouring attention and in float32 where there is no GPU, and its tokenizer."""
    import torch
    import transformers

    if not (folder / "config.json").is_file():
        raise InputError(f"there is no model in {folder}: name a folder that transformers wrote, or a finished run")
    on_gpu = torch.cuda.is_available()
    how: dict[str, Any] = {"local_files_only": True}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **how)
        model: Any = transformers.AutoModelForCausalLM.from_pretrained(
            folder, dtype="auto" if on_gpu else torch.float32, attn_implementation="sdpa", **how
        )
    except Exception as error:  # a file that is none makes it raise anything
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(f"transformers can't load {folder} ({said}): name a folder that it wrote") from None
    return model.to("cuda" if on_gpu else "cpu"), tokenizer
