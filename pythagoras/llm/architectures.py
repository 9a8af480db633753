"""What a model computes for a token: FLOPs and cache, from the shape that its config.json gives.

A multiplication with a weight is two FLOPs a token. In attention, every token is compared with each one before it and
with itself: for each such pair a layer does four FLOPs a head and dimension, two for the score and two for the value.
Norms, rotations, softmax, sampling and the mixing of what experts say are left out.

Only decoders with full attention in every layer and gated feed-forward parts are known here. Of a model with latent
attention (DeepSeek-V3's), prompts are counted with keys and values written out, and generated tokens with attention
on the latent vectors themselves, as engines do it. Of experts, those that a token visits are counted.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
import tomllib
from pathlib import Path
from typing import Any, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from pythagoras.errors import InputError
from pythagoras.lookup import choose

_KNOWN_TYPES = ("llama", "mistral", "qwen2", "qwen3", "qwen3_moe", "deepseek_v3")
_BYTES = 2
"""Of a number in the cache: 16 bits."""


class Architecture(BaseModel):
    """The shape of a decoder. Fields are called as in Hugging Face's config.json, whose others are not needed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    about: str = ""
    source: str = ""
    from_memory: tuple[str, ...] = ()
    """What was not read anywhere."""
    model_type: str
    hidden_size: int = Field(gt=0)
    intermediate_size: int = Field(gt=0)
    num_hidden_layers: int = Field(gt=0)
    num_attention_heads: int = Field(gt=0)
    num_key_value_heads: int = Field(default=0, ge=0)
    head_dim: int = Field(default=0, ge=0)
    vocab_size: int = Field(gt=0)
    tie_word_embeddings: bool = False
    q_lora_rank: int | None = None
    kv_lora_rank: int | None = None
    qk_nope_head_dim: int = 0
    qk_rope_head_dim: int = 0
    v_head_dim: int = 0
    n_routed_experts: int = Field(default=0, validation_alias=AliasChoices("n_routed_experts", "num_experts"))
    n_shared_experts: int = 0
    num_experts_per_tok: int = 0
    moe_intermediate_size: int = 0
    first_k_dense_replace: int = 0
    """Layers, from the first, that have no experts."""
    decoder_sparse_step: int = 1
    mlp_only_layers: tuple[int, ...] = ()
    layer_types: tuple[str, ...] | None = None
    use_sliding_window: bool = False
    sliding_window: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Files write null for what a model does not have; ours have defaults for it."""
        return {key: value for key, value in values.items() if value is not None}

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.model_type not in _KNOWN_TYPES:
            raise ValueError(f"model_type {self.model_type!r} is none of {', '.join(_KNOWN_TYPES)}")
        windowed = self.use_sliding_window or (self.model_type == "mistral" and self.sliding_window)
        if windowed or any(kind != "full_attention" for kind in self.layer_types or ()):
            raise ValueError("it has layers without full attention, of which nothing is known here")
        if self.decoder_sparse_step != 1 or self.mlp_only_layers:
            raise ValueError("it has experts in some layers only, by a pattern that is not known here")
        if (self.model_type == "deepseek_v3") != self.is_latent:
            raise ValueError("kv_lora_rank belongs to deepseek_v3, and has to be there")
        if self.n_routed_experts and not (self.num_experts_per_tok and self.moe_intermediate_size):
            raise ValueError("it has experts, but no num_experts_per_tok and moe_intermediate_size")
        if not self.is_latent and not self.head_dim and self.hidden_size % self.num_attention_heads:
            raise ValueError("it has no head_dim, and hidden_size is no multiple of num_attention_heads")
        return self

    @property
    def is_latent(self) -> bool:
        """Whether keys and values are kept as one latent vector a token (multi-head latent attention)."""
        return self.kv_lora_rank is not None

    @property
    def layer_weights(self) -> int:
        """Weights of all layers that a token is multiplied with."""
        dense = 3 * self.hidden_size * self.intermediate_size
        sparse_layers = self.num_hidden_layers - self.first_k_dense_replace if self.n_routed_experts else 0
        visited = self.num_experts_per_tok + self.n_shared_experts
        sparse = self._experts(visited) + self.hidden_size * self.n_routed_experts  # and the router
        return (
            self.num_hidden_layers * self._attention_weights
            + (self.num_hidden_layers - sparse_layers) * dense
            + sparse_layers * sparse
        )

    @property
    def head_weights(self) -> int:
        """Weights that turn a token's state into chances of the next: only where a new one is drawn."""
        return self.hidden_size * self.vocab_size

    @property
    def parameters(self) -> int:
        """All weights but those of norms and biases."""
        unvisited = max(0, self.n_routed_experts - self.num_experts_per_tok)
        sparse_layers = self.num_hidden_layers - self.first_k_dense_replace if self.n_routed_experts else 0
        embeddings = self.head_weights * (1 if self.tie_word_embeddings else 2)
        return self.layer_weights + sparse_layers * self._experts(unvisited) + embeddings

    @property
    def prefill_flops_per_pair(self) -> int:
        """Of attention, for each pair of a prompt's token and one that it attends to, all layers together."""
        if self.is_latent:
            widths = self.qk_nope_head_dim + self.qk_rope_head_dim + self.v_head_dim
            return 2 * self.num_hidden_layers * self.num_attention_heads * widths
        return self._pair

    @property
    def decode_flops_per_pair(self) -> int:
        """The same for a generated token."""
        if self.kv_lora_rank is not None:
            widths = 2 * self.kv_lora_rank + self.qk_rope_head_dim
            return 2 * self.num_hidden_layers * self.num_attention_heads * widths
        return self._pair

    @property
    def cache_bytes_per_token(self) -> int:
        """What is kept of a token, with 16 bits a number."""
        if self.kv_lora_rank is not None:
            return _BYTES * self.num_hidden_layers * (self.kv_lora_rank + self.qk_rope_head_dim)
        return _BYTES * self.num_hidden_layers * 2 * self._kv_heads * self._head_dim

    @property
    def _pair(self) -> int:
        return 4 * self.num_hidden_layers * self.num_attention_heads * self._head_dim

    @property
    def _head_dim(self) -> int:
        return self.head_dim or self.hidden_size // self.num_attention_heads

    @property
    def _kv_heads(self) -> int:
        return self.num_key_value_heads or self.num_attention_heads

    def _experts(self, count: int) -> int:
        return count * 3 * self.hidden_size * self.moe_intermediate_size

    @property
    def _attention_weights(self) -> int:
        """Of one layer."""
        heads = self.num_attention_heads
        if self.kv_lora_rank is None:
            return 2 * self.hidden_size * self._head_dim * (heads + self._kv_heads)
        asked = heads * (self.qk_nope_head_dim + self.qk_rope_head_dim)
        rank = self.q_lora_rank
        queries = self.hidden_size * asked if rank is None else rank * (self.hidden_size + asked)
        kept = self.hidden_size * (self.kv_lora_rank + self.qk_rope_head_dim)
        opened = self.kv_lora_rank * heads * (self.qk_nope_head_dim + self.v_head_dim)
        return queries + kept + opened + heads * self.v_head_dim * self.hidden_size


def architecture(name: str) -> Architecture:
    """A known model by its name, or the one whose config.json (or folder) it is the path of."""
    path = Path(name)
    if name not in known() and path.exists():
        return _read(path / "config.json" if path.is_dir() else path)
    if path.suffix == ".json":
        raise InputError(f"there is no file {name}: give a model's config.json, or one of {', '.join(sorted(known()))}")
    return choose("architecture", name, known())


@functools.cache
def known() -> dict[str, Architecture]:
    """The models whose shapes are written down here."""
    text = importlib.resources.files(__package__).joinpath("architectures.toml").read_text(encoding="utf-8")
    return {name: Architecture(name=name, **shape) for name, shape in tomllib.loads(text).items()}


def _read(path: Path) -> Architecture:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{path} can't be read as a model's config.json ({error}): give another") from None
    if not isinstance(config, dict):
        raise InputError(f"{path} is no model's config.json: there is no JSON object in it")
    inner = config.get("text_config")  # models that see pictures, too, have their language part there
    shape = inner if isinstance(inner, dict) else config
    try:
        return Architecture.model_validate({**shape, "name": path.parent.name or path.stem, "source": str(path)})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        what = f"{where}: {first['msg']}" if where else first["msg"].removeprefix("Value error, ")
        raise InputError(f"{path}: {what}; FLOPs of this model can't be told") from None
