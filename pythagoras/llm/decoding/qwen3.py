"""Qwen3's architecture on a CPU, for speed: what transformers computes, with fewer and larger operations.

The three projections of attention are one multiplication, and so are the two that open the feed-forward part. Weights
of norms are folded into the multiplications behind them. Keys and values lie in memory that is taken in advance, each
row from its first column on; attention goes over the filled columns, and the query heads that share a key are rows of
one multiplication. The two halves of a head are interleaved, so that a rotation is one complex multiplication: keys
and queries are permuted alike, which changes none of their products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pythagoras.llm.decoding.network import Prefix, Rows, looking

if TYPE_CHECKING:
    from torch import Tensor

_LARGEST = 2**29
"""Parameters: they are held twice, and a larger model gains little."""
_COLUMNS = 64
"""That rows have room for at first."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """The weights of a layer, fused."""

    qkv: Tensor
    scale: Tensor
    """Of each query and key head behind its norm; that of attention is in it."""
    out: Tensor
    gate_up: Tensor
    down: Tensor


def is_fusible(model: Any) -> bool:
    """Whether it is a plain Qwen3 on a CPU: no adapters, no windows, no stretched positions, not too large."""
    import torch
    from transformers import Qwen3ForCausalLM

    if type(model) is not Qwen3ForCausalLM or model.device.type != "cpu" or model.dtype != torch.float32:
        return False
    config: Any = model.config
    linear = [
        getattr(part, name)
        for layer in model.model.layers
        for part, names in ((layer.self_attn, "qkvo"), (layer.mlp, ("gate", "up", "down")))
        for name in (f"{one}_proj" for one in names)
    ]
    return (
        all(type(one) is torch.nn.Linear and one.bias is None for one in [*linear, model.lm_head])
        and set(config.layer_types) == {"full_attention"}
        and config.rope_parameters["rope_type"] == "default"
        and config.hidden_act == "silu"
        and model.num_parameters() <= _LARGEST
    )


class FusedQwen3:
    """A network on a model that `is_fusible`.

    It holds copies of the weights that were fused or scaled, and the model's own memory of the others: when the weights
    change, it is neither the old model nor the new one until it is refreshed.
    """

    def __init__(self, model: Any) -> None:
        config = model.config
        self._model = model
        self.heads: int = config.num_attention_heads
        self.key_heads: int = config.num_key_value_heads
        self.width: int = config.head_dim
        self._epsilon: float = config.rms_norm_eps
        self.refresh()

    def refresh(self) -> None:
        import torch

        model = self._model.model
        half = self.width // 2
        twined = torch.arange(self.width).view(2, half).T.flatten()  # 0, half, 1, half + 1, ...
        with torch.inference_mode():
            self._layers = [self._fused(layer, twined) for layer in model.layers]
            self._embedding = model.embed_tokens.weight.detach()
            self._head = self._model.lm_head.weight * model.norm.weight
            self._frequencies = model.rotary_emb.inv_freq.double()
            self._rotations = torch.empty(0, half, dtype=torch.complex64)

    def _fused(self, layer: Any, twined: Tensor) -> _Layer:
        import torch

        attention, inner = layer.self_attn, layer.mlp
        heads = [one.weight.view(-1, self.width, one.in_features) for one in (attention.q_proj, attention.k_proj)]
        turned = [weight[:, twined].flatten(0, 1) for weight in heads]
        qkv = torch.cat([*turned, attention.v_proj.weight])
        scale = torch.cat(
            [
                (attention.q_norm.weight[twined] * self.width**-0.5).expand(self.heads, -1),
                attention.k_norm.weight[twined].expand(self.key_heads, -1),
            ]
        )
        return _Layer(
            qkv * layer.input_layernorm.weight,
            scale,
            attention.o_proj.weight.detach(),
            torch.cat([inner.gate_proj.weight, inner.up_proj.weight]) * layer.post_attention_layernorm.weight,
            inner.down_proj.weight.detach(),
        )

    def read(self, prompts: Sequence[Sequence[int]]) -> list[Prefix]:
        """Prompts are filled up on the right, where no token before sees it."""
        import torch
        from torch.nn.functional import scaled_dot_product_attention

        lengths = [len(prompt) for prompt in prompts]
        count, width = len(prompts), max(lengths)
        tokens = torch.tensor([[*prompt, *[0] * (width - len(prompt))] for prompt in prompts])
        with torch.inference_mode():
            rotation = self.rotations(width)[:width].repeat(count, 1)[:, None]
            shape = len(self._layers), count, self.key_heads, width, self.width
            keys, values = torch.empty(shape), torch.empty(shape)

            def attend(layer: int, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
                keys[layer] = key.reshape(count, width, -1, self.width).transpose(1, 2)
                values[layer] = value.reshape(count, width, -1, self.width).transpose(1, 2)
                queries = query.reshape(count, width, -1, self.width).transpose(1, 2)
                seen = scaled_dot_product_attention(
                    queries, keys[layer], values[layer], is_causal=True, scale=1.0, enable_gqa=True
                )
                return seen.transpose(1, 2).reshape(count * width, -1)

            hidden = self._hidden(tokens.flatten(), rotation, attend)
            last = torch.arange(count) * width + torch.tensor(lengths) - 1
            logits = self._logits(hidden[last])
            return [
                Prefix(keys[:, row, :, :length].clone(), values[:, row, :, :length].clone(), logits[row].clone())
                for row, length in enumerate(lengths)
            ]

    def rows(self) -> Rows:
        return _FusedRows(self)

    def rotations(self, count: int) -> Tensor:
        """Of the first places, as complex numbers."""
        import torch

        if len(self._rotations) < count:
            places = torch.arange(max(count, 2 * len(self._rotations)), dtype=torch.float64)
            angles = places[:, None] * self._frequencies
            self._rotations = torch.polar(torch.ones_like(angles), angles).to(torch.complex64)
        return self._rotations

    def _hidden(self, tokens: Tensor, rotation: Tensor, attend: Any) -> Tensor:
        """What the last layer gives for each token; `attend` gets queries, keys and values of a layer."""
        import torch
        from torch.nn.functional import linear, rms_norm, silu

        turned = self.heads + self.key_heads
        hidden: Tensor = self._embedding[tokens]
        size = (hidden.shape[1],)
        for number, layer in enumerate(self._layers):
            qkv = linear(rms_norm(hidden, size, eps=self._epsilon), layer.qkv).view(len(hidden), -1, self.width)
            normed = rms_norm(qkv[:, :turned], (self.width,), eps=self._epsilon) * layer.scale
            pairs = torch.view_as_complex(normed.view(len(hidden), turned, -1, 2))
            query_key = torch.view_as_real(pairs * rotation).flatten(2)
            seen = attend(number, query_key[:, : self.heads], query_key[:, self.heads :], qkv[:, turned:])
            hidden = torch.addmm(hidden, seen, layer.out.T)
            gate, up = linear(rms_norm(hidden, size, eps=self._epsilon), layer.gate_up).chunk(2, 1)
            hidden = torch.addmm(hidden, silu(gate).mul_(up), layer.down.T)
        return hidden

    def _logits(self, hidden: Tensor) -> Tensor:
        from torch.nn.functional import linear, rms_norm

        return linear(rms_norm(hidden, hidden.shape[1:], eps=self._epsilon), self._head)

    def step(self, tokens: Tensor, rotation: Tensor, attend: Any) -> Tensor:
        """The logits behind each of some tokens."""
        return self._logits(self._hidden(tokens, rotation, attend))


class _FusedRows:
    """Rows in memory that is taken in advance: layer, row, head, column, width."""

    def __init__(self, network: FusedQwen3) -> None:
        self._network = network
        self._lengths: list[int] = []
        self._keys: Tensor | None = None
        self._values: Tensor | None = None

    def add(self, prefixes: Sequence[Prefix]) -> None:
        import torch

        with torch.inference_mode():
            first = len(self._lengths)
            lengths = [prefix.length for prefix in prefixes]
            keys, values = self._room(first + len(prefixes), max([*self._lengths, *lengths]), prefixes[0].keys)
            self._lengths += lengths
            for row, prefix in enumerate(prefixes, first):
                keys[:, row, :, : prefix.length] = prefix.keys
                values[:, row, :, : prefix.length] = prefix.values

    def keep(self, rows: Sequence[int]) -> None:
        import torch

        if self._keys is None or self._values is None:
            return
        with torch.inference_mode():
            for row, before in enumerate(rows):
                if row != before:
                    length = self._lengths[before]
                    self._keys[:, row, :, :length] = self._keys[:, before, :, :length]
                    self._values[:, row, :, :length] = self._values[:, before, :, :length]
        self._lengths = [self._lengths[row] for row in rows]

    def step(self, tokens: Tensor) -> Tensor:
        import torch

        network, count = self._network, len(self._lengths)
        with torch.inference_mode():
            assert self._keys is not None
            longest = max(self._lengths) + 1
            keys, values = self._room(count, longest, self._keys)
            at = torch.tensor(self._lengths)
            rows = torch.arange(count)
            later = torch.arange(longest)[None] > at[:, None]
            sharing = network.heads // network.key_heads
            blank = torch.zeros(count, longest).masked_fill_(later, float("-inf"))
            mask = blank[:, None, None].expand(-1, network.key_heads, sharing, -1).reshape(-1, sharing, longest)

            def attend(layer: int, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
                keys[layer][rows, :, at] = key
                values[layer][rows, :, at] = value
                queries = query.reshape(count * network.key_heads, sharing, network.width)
                seen = keys[layer, :count].flatten(0, 1)[:, :longest]
                weights = torch.baddbmm(mask, queries, seen.transpose(1, 2)).softmax(-1)
                return torch.bmm(weights, values[layer, :count].flatten(0, 1)[:, :longest]).view(count, -1)

            self._lengths = [length + 1 for length in self._lengths]
            return network.step(tokens, network.rotations(longest)[at][:, None], attend)

    def look(self, tokens: Sequence[Sequence[int]], causal: Sequence[int]) -> list[Tensor]:
        """Only attention sees rows filled up to one length; all else goes over the tokens that there are."""
        import torch
        from torch.nn.functional import scaled_dot_product_attention

        network, count = self._network, len(self._lengths)
        with torch.inference_mode():
            assert self._keys is not None
            sizes = [len(row) for row in tokens]
            width = max(sizes)
            mask = looking(self._lengths, tokens, causal)[:, None]
            longest = mask.shape[-1]
            keys, values = self._room(count, longest, self._keys)
            row = torch.repeat_interleave(torch.arange(count), torch.tensor(sizes))
            place = torch.cat([torch.arange(size) for size in sizes])
            column = torch.tensor(self._lengths)[row] + place
            queries = torch.zeros(count, width, network.heads, network.width)

            def attend(layer: int, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
                keys[layer][row, :, column] = key
                values[layer][row, :, column] = value
                queries[row, place] = query
                seen = scaled_dot_product_attention(
                    queries.transpose(1, 2),
                    keys[layer, :count, :, :longest],
                    values[layer, :count, :, :longest],
                    attn_mask=mask,
                    scale=1.0,
                    enable_gqa=True,
                )
                return seen.transpose(1, 2)[row, place].flatten(1)

            given = torch.tensor([token for one in tokens for token in one])
            logits = network.step(given, network.rotations(longest)[column][:, None], attend)
            return list(torch.split(logits, sizes))

    def write(self, counts: Sequence[int]) -> None:
        """They are there already, behind the ends of the rows."""
        self._lengths = [length + own for length, own in zip(self._lengths, counts, strict=True)]

    def _room(self, rows: int, columns: int, like: Tensor) -> tuple[Tensor, Tensor]:
        """Memory for so many rows and columns. What was never written is zero: it is multiplied by zero."""
        import torch

        if self._keys is not None and self._values is not None:
            if rows <= self._keys.shape[1] and columns <= self._keys.shape[3]:
                return self._keys, self._values
            rows, columns = max(rows, self._keys.shape[1]), max(columns, self._keys.shape[3])
        taken = _COLUMNS
        while taken < columns:
            taken *= 2
        kept = len(self._lengths)
        made = []
        for old in (self._keys, self._values):
            new = torch.zeros(like.shape[0], rows, self._network.key_heads, taken, self._network.width)
            if old is not None and kept:
                new[:, :kept, :, : old.shape[3]] = old[:, :kept]
            made.append(new)
        self._keys, self._values = made
        return self._keys, self._values
