"""A causal model as decoding sees it: prompts are read, rows go on from them, and every step gives the next logits.

`CachedNetwork` runs whatever transformers calls a causal model, by the model's own forward. Rows are aligned on the
right, as in `generate`: those that are shorter have blank columns on the left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pythagoras.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

_ATTENTION = frozenset({"full_attention", "sliding_attention"})


@dataclass(frozen=True, slots=True)
class Prefix:
    """A prompt that was read: any number of rows can go on from it."""

    keys: Tensor
    """Layer, head, token, width."""
    values: Tensor
    logits: Tensor
    """Of the first token behind it."""

    @property
    def length(self) -> int:
        return int(self.keys.shape[2])

    @property
    def size_bytes(self) -> int:
        return sum(tensor.nbytes for tensor in (self.keys, self.values, self.logits))


class Rows(Protocol):
    """Sequences that grow together, a token a step."""

    def add(self, prefixes: Sequence[Prefix]) -> None:
        """A row behind those that are there for each prefix; one may be given several times."""
        ...

    def keep(self, rows: Sequence[int]) -> None:
        """Row number i is from now on what row `rows[i]` was, which is not before it; others leave."""
        ...

    def step(self, tokens: Tensor) -> Tensor:
        """The next token of every row in, the logits behind it out."""
        ...

    def look(self, tokens: Sequence[Sequence[int]], causal: Sequence[int]) -> list[Tensor]:
        """Several tokens of every row in, the logits behind each of them out. Rows stay as long as they were.

        So many of a row's tokens are `causal`: each sees what is before it. Those behind see all that is there, each
        other included on either side.
        """
        ...

    def write(self, counts: Sequence[int]) -> None:
        """Of the causal tokens that were looked at last, the first so many stay: rows are longer by them."""
        ...


class Network(Protocol):
    """A model that prompts and rows go through."""

    def read(self, prompts: Sequence[Sequence[int]]) -> list[Prefix]: ...

    def rows(self) -> Rows:
        """None yet. Rows of one network know nothing of each other."""
        ...

    def refresh(self) -> None:
        """The model's weights have changed."""
        ...


class CachedNetwork:
    """Any causal model of transformers, with its own cache."""

    def __init__(self, model: Any) -> None:
        unknown = set(getattr(model.config, "layer_types", None) or ()) - _ATTENTION
        if unknown:
            kind = model.config.model_type
            raise InputError(
                f"{kind} keeps more than keys and values ({min(unknown)}), so it can't be sampled from here: "
                "serve it, and give the server's address"
            )
        self.model = model

    def read(self, prompts: Sequence[Sequence[int]]) -> list[Prefix]:
        import torch

        width = max(map(len, prompts))
        blank = [width - len(prompt) for prompt in prompts]
        tokens = [[0] * pad + list(prompt) for pad, prompt in zip(blank, prompts, strict=True)]
        with torch.inference_mode():
            device = self.model.device
            starts = torch.tensor(blank, device=device)
            logits, cache = self.forward(torch.tensor(tokens, device=device), starts, None)
            layers = range(len(cache.layers))
            return [
                Prefix(
                    torch.stack([cache.layers[layer].keys[row, :, pad:] for layer in layers]),
                    torch.stack([cache.layers[layer].values[row, :, pad:] for layer in layers]),
                    logits[row].clone(),
                )
                for row, pad in enumerate(blank)
            ]

    def rows(self) -> Rows:
        return _CachedRows(self)

    def refresh(self) -> None:
        """Nothing: the model itself is asked."""

    def forward(self, tokens: Tensor, starts: Tensor, cache: Any) -> tuple[Tensor, Any]:
        """The logits of the last tokens. `starts` are the first columns of rows that are not blank."""
        import torch
        from transformers import DynamicCache

        if cache is None:
            cache = DynamicCache()  # without a configuration: windows are masked, and no layer forgets
        before = cache.get_seq_length()
        columns = torch.arange(before + tokens.shape[1], device=tokens.device)
        mask = columns[None] >= starts[:, None]
        places = (columns[None, before:] - starts[:, None]).clamp_(min=0)
        with _not_training(self.model):
            made = self.model(
                input_ids=tokens,
                attention_mask=mask.long(),
                position_ids=places,
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
        return made.logits[:, -1], cache

    def looked(self, tokens: Tensor, mask: Tensor, places: Tensor, cache: Any) -> Tensor:
        """The logits behind all tokens, which see what a 4-D mask says. Raises InputError for models with windows."""
        if "sliding_attention" in (getattr(self.model.config, "layer_types", None) or ()):
            raise InputError(f"{self.model.config.model_type} sees through windows, so it can neither fill in nor rank")
        _insist_on_masks(self.model)
        with _not_training(self.model):
            made = self.model(
                input_ids=tokens, attention_mask=mask, position_ids=places, past_key_values=cache, use_cache=True
            )
        return made.logits  # type: ignore[no-any-return]


class _CachedRows:
    """Rows in the cache of transformers."""

    def __init__(self, network: CachedNetwork) -> None:
        self._network = network
        self._cache: Any = None
        self._starts: Tensor | None = None
        self._looked = 0
        """Columns at the end that were only looked at."""

    def add(self, prefixes: Sequence[Prefix]) -> None:
        import torch
        from torch.nn.functional import pad
        from transformers import DynamicCache

        with torch.inference_mode():
            there = self._cache.get_seq_length() if self._cache is not None else 0
            width = max(there, *(prefix.length for prefix in prefixes))
            starts = torch.tensor([width - prefix.length for prefix in prefixes], device=prefixes[0].keys.device)
            if self._starts is not None:
                starts = torch.cat([self._starts + (width - there), starts])
            cache = DynamicCache()
            for layer in range(len(prefixes[0].keys)):
                parts = {}
                for name in ("keys", "values"):
                    rows = [getattr(prefix, name)[layer] for prefix in prefixes]
                    new = torch.stack([pad(row, (0, 0, width - row.shape[1], 0)) for row in rows])
                    if self._cache is not None:
                        old = getattr(self._cache.layers[layer], name)
                        new = torch.cat([pad(old, (0, 0, width - there, 0)), new])
                    parts[name] = new
                cache.update(parts["keys"], parts["values"], layer)
            self._cache, self._starts = cache, starts

    def keep(self, rows: Sequence[int]) -> None:
        import torch

        if not rows:
            self._cache = self._starts = None
            return
        assert self._starts is not None
        with torch.inference_mode():
            chosen = torch.tensor(rows, device=self._starts.device)
            starts = self._starts[chosen]
            blank = int(starts.min())
            for layer in self._cache.layers:
                layer.keys = layer.keys[chosen, :, blank:]
                layer.values = layer.values[chosen, :, blank:]
            self._starts = starts - blank

    def step(self, tokens: Tensor) -> Tensor:
        import torch

        assert self._starts is not None
        with torch.inference_mode():
            logits, self._cache = self._network.forward(tokens[:, None], self._starts, self._cache)
            return logits

    def look(self, tokens: Sequence[Sequence[int]], causal: Sequence[int]) -> list[Tensor]:
        import torch

        assert self._starts is not None
        with torch.inference_mode():
            device, before = self._starts.device, self._cache.get_seq_length()
            width = max(map(len, tokens))
            given = torch.tensor([[*row, *[0] * (width - len(row))] for row in tokens], device=device)
            mask = looking([before] * len(tokens), tokens, causal).to(device)
            mask &= (torch.arange(before + width, device=device)[None] >= self._starts[:, None])[:, None]
            places = before - self._starts[:, None] + torch.arange(width, device=device)
            logits = self._network.looked(given, mask[:, None], places, self._cache)
            self._looked = width
            return [logits[at, : len(row)] for at, row in enumerate(tokens)]

    def write(self, counts: Sequence[int]) -> None:
        """Rows end together: what stays of the shorter ones moves to the right."""
        import torch
        from torch.nn.functional import pad
        from transformers import DynamicCache

        assert self._starts is not None
        with torch.inference_mode():
            before, most = self._cache.get_seq_length() - self._looked, max(counts)
            cache = DynamicCache()
            for number, layer in enumerate(self._cache.layers):
                parts = []
                for held in (layer.keys, layer.values):
                    rows = [pad(held[at, :, : before + own], (0, 0, most - own, 0)) for at, own in enumerate(counts)]
                    parts.append(torch.stack(rows))
                cache.update(parts[0], parts[1], number)
            self._cache, self._looked = cache, 0
            self._starts = self._starts + (most - torch.tensor(list(counts), device=self._starts.device))


def looking(lengths: Sequence[int], tokens: Sequence[Sequence[int]], causal: Sequence[int]) -> Tensor:
    """What `look` lets each token see: row, token, column. Rows have that many columns before their tokens.

    A token that only fills a row up sees what the last one does, as it has to see something.
    """
    import torch

    width = max(map(len, tokens))
    columns = torch.arange(max(length + width for length in lengths))
    at = torch.tensor(list(lengths))[:, None]
    own = torch.arange(width)[None]
    counts = torch.tensor([len(row) for row in tokens])[:, None]
    last = at + torch.where(own < torch.tensor(list(causal))[:, None], own, counts - 1)
    return columns[None, None] <= last[:, :, None]


def _insist_on_masks(model: Any) -> None:
    """Attention of another kind would ignore a mask of booleans without a word."""
    if model.config._attn_implementation != "sdpa":
        model.set_attn_implementation("sdpa")


@contextmanager
def _not_training(model: Any) -> Iterator[None]:
    """Without dropout, and with a cache; what was in training is so again behind it."""
    modules = [module for module in model.modules() if module.training] if model.training else []
    if modules:
        model.eval()
    try:
        yield
    finally:
        for module in modules:
            module.training = True
