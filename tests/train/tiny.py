"""A model that is made on the spot: its weights are random, so what it writes is noise; all else about it is real."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pythagoras.train.tokenizer import CHAT_TEMPLATE


def make_model(folder: Path) -> None:
    """A Qwen3 of two layers whose tokens are bytes, so that every count can be told from the text."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({token: at for at, token in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast: Any = PreTrainedTokenizerFast  # it comes without types, like the model below
    wrapped = fast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    wrapped.add_special_tokens({"additional_special_tokens": special})
    wrapped.chat_template = CHAT_TEMPLATE
    wrapped.save_pretrained(folder)
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(wrapped),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        max_position_embeddings=4096,
        eos_token_id=wrapped.convert_tokens_to_ids("<|im_end|>"),
        pad_token_id=wrapped.convert_tokens_to_ids("<|endoftext|>"),
        bos_token_id=None,
    )
    causal: Any = Qwen3ForCausalLM
    model = causal(config)
    model.generation_config.do_sample = True
    model.save_pretrained(folder)
