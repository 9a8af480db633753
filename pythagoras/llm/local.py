"""A transformers model in this process as a chat backend: a folder that transformers wrote, or a GGUF file.

Requests are answered in batches, padded on the left. Each row draws with its own random numbers (the largest of the
logits after Gumbel noise is a fair draw), so an answer depends on its prompt and seed, and on its batch only by the
rounding of padded arithmetic: a batch of one leaves no such dependence, on the same machine and number of threads.
Without a GPU everything is float32; bfloat16 is twenty times slower there. It holds no cache of prompts.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from pythagoras.errors import InputError
from pythagoras.llm.chat import ChatRequest, Completion, Ending
from pythagoras.llm.endpoint import DEFAULT_SAMPLING, Sampling

if TYPE_CHECKING:
    from torch import Tensor

_SAMPLED_BYTES = 2**20
"""Of each file's beginning and end, for a model's fingerprint: reading 60 GB would take minutes."""
_SEEDS = 2**63


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Weights:
    """A model that is loaded, with its tokenizer. Several backends may sample from it in different ways."""

    name: str
    fingerprint: str
    """Of its files: the same name may hold other weights tomorrow."""
    model: Any
    tokenizer: Any
    device: str
    lock: threading.Lock = field(default_factory=threading.Lock)
    """One batch at a time."""


_IN_USE: WeakValueDictionary[tuple[Path, str], Weights] = WeakValueDictionary()
_LOADING = threading.Lock()


def load_weights(path: Path, device: str = "") -> Weights:
    """A folder or a GGUF file; `device` is torch's name for one, else a GPU if there is any. Raises InputError.

    Weights that somebody in this process uses are not loaded again.
    """
    with _LOADING:
        weights = _IN_USE.get((path.resolve(), device))
        if weights is None:
            weights = _IN_USE[path.resolve(), device] = _loaded(path, device)
        return weights


def _loaded(path: Path, device: str) -> Weights:
    files = _files(path)
    torch, transformers = _libraries()
    chosen = device or ("cuda" if torch.cuda.is_available() else "cpu")
    is_gguf = path.suffix == ".gguf"
    folder = path.parent if is_gguf else path
    which: dict[str, Any] = {"local_files_only": True} | ({"gguf_file": path.name} if is_gguf else {})
    how: dict[str, Any] = {"dtype": "auto" if chosen.startswith("cuda") and not is_gguf else torch.float32}
    if is_gguf:
        how["quantization_config"] = transformers.GgufConfig(dequantize=True)
    shows_progress = transformers.utils.logging.is_progress_bar_enabled()
    transformers.utils.logging.disable_progress_bar()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, padding_side="left", **which)
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, **which, **how).to(chosen).eval()
    except Exception as error:  # a file that is none makes it raise anything
        said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(f"transformers can't load {path} ({said}): name a folder that it wrote, or a GGUF") from None
    finally:
        if shows_progress:
            transformers.utils.logging.enable_progress_bar()
    return Weights(path.name, _fingerprint(files), model, tokenizer, chosen)


class LocalModel:
    """A chat backend on weights in this process."""

    def __init__(self, weights: Weights, sampling: Sampling = DEFAULT_SAMPLING, *, batch: int = 1) -> None:
        """`batch` requests are answered at a time: a setting that answers depend on, if only by rounding."""
        if batch < 1:
            raise InputError(f"{batch} requests at a time are none: ask for 1 or more")
        self._weights = weights
        self._sampling = sampling
        self._batch = batch

    @property
    def settings(self) -> Mapping[str, Any]:
        return {
            "backend": "local",
            "model": self._weights.name,
            "fingerprint": self._weights.fingerprint,
            "temperature": self._sampling.temperature,
            "top_p": self._sampling.top_p,
            "max_tokens": self._sampling.max_tokens,
            "batch": self._batch,
        }

    def complete(self, requests: Iterable[ChatRequest]) -> Iterator[Completion]:
        waiting = iter(requests)
        while batch := list(itertools.islice(waiting, self._batch)):
            fitting: list[tuple[ChatRequest, list[int]]] = []
            for request in batch:
                tokens = self._tokens(request)
                if why := self._too_long(len(tokens)):
                    yield Completion(request, "", Ending.FAILED, prompt_tokens=len(tokens), failure=why)
                else:
                    fitting.append((request, tokens))
            if fitting:
                yield from self._answer(fitting)

    # --- inside --------------------------------------------------------------------------------

    def _tokens(self, request: ChatRequest) -> list[int]:
        tokenizer = self._weights.tokenizer
        if isinstance(request.prompt, str):
            return list(tokenizer(request.prompt)["input_ids"])
        if not tokenizer.chat_template:
            raise InputError(f"{self._weights.name} has no chat template, so it can't chat: choose another model")
        turns = [message.as_dict() for message in request.prompt]
        text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])  # the template wrote them

    def _too_long(self, prompt_tokens: int) -> str:
        """Why a prompt can't be answered: servers refuse such ones as well, rather than give less than was asked."""
        room = getattr(self._weights.model.config, "max_position_embeddings", None)
        wanted = self._sampling.max_tokens
        if room is None or prompt_tokens + wanted <= room:
            return ""
        return f"a prompt of {prompt_tokens:,} tokens and {wanted:,} new ones are more than the {room:,} of its context"

    def _answer(self, batch: Sequence[tuple[ChatRequest, list[int]]]) -> Iterator[Completion]:
        torch, transformers = _libraries()
        model, tokenizer = self._weights.model, self._weights.tokenizer
        ends = end_tokens(model, tokenizer)
        began = time.monotonic()
        width = max(len(tokens) for _, tokens in batch)
        padding = [width - len(tokens) for _, tokens in batch]
        rows = [[ends[0]] * pad + tokens for pad, (_, tokens) in zip(padding, batch, strict=True)]
        mask = [[0] * pad + [1] * len(tokens) for pad, (_, tokens) in zip(padding, batch, strict=True)]
        config = transformers.GenerationConfig(
            max_new_tokens=self._sampling.max_tokens, do_sample=False, eos_token_id=ends, pad_token_id=ends[0]
        )
        draws = _Draws(self._sampling, [request.seed for request, _ in batch])
        with self._weights.lock, torch.inference_mode():
            made = model.generate(
                torch.tensor(rows, device=self._weights.device),
                attention_mask=torch.tensor(mask, device=self._weights.device),
                generation_config=config,
                logits_processor=transformers.LogitsProcessorList([draws]),
            )
        seconds = (time.monotonic() - began) / len(batch)  # a row's share
        for (request, tokens), row in zip(batch, made[:, width:].tolist(), strict=True):
            end = next((at for at, token in enumerate(row) if token in ends), None)
            yield Completion(
                request,
                tokenizer.decode(row[:end], skip_special_tokens=True),
                Ending.LENGTH if end is None else Ending.STOP,
                prompt_tokens=len(tokens),
                generated_tokens=len(row) if end is None else end + 1,
                seconds=seconds,
            )


class _Draws:
    """Makes the likeliest token a drawn one, for each row by its own random numbers. Called by `generate` each step."""

    def __init__(self, sampling: Sampling, seeds: Sequence[int | None]) -> None:
        import torch

        self._sampling = sampling
        self._random = [
            torch.Generator().manual_seed((secrets.randbelow(_SEEDS) if seed is None else seed) % _SEEDS)
            for seed in seeds
        ]

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        import torch

        if self._sampling.temperature == 0:
            return scores
        scores = _top(scores.float() / self._sampling.temperature, self._sampling.top_p)
        noise = torch.empty(scores.shape)
        for row, generator in zip(noise, self._random, strict=True):
            row.exponential_(generator=generator)
        return scores - noise.to(scores.device).log()


def _top(scores: Tensor, share: float) -> Tensor:
    """Only the likeliest tokens, as few as have that share of the probability together."""
    if share >= 1:
        return scores
    ordered, places = scores.sort(dim=-1, descending=True)
    chances = ordered.softmax(dim=-1)
    surplus = chances.cumsum(dim=-1) - chances >= share  # those before it are enough
    return scores.masked_fill(surplus.scatter(-1, places, surplus), float("-inf"))


def end_tokens(model: Any, tokenizer: Any) -> list[int]:
    """What ends an answer: a chat model's turn may end otherwise than its texts."""
    told = model.generation_config.eos_token_id
    ends = [*(told if isinstance(told, list) else [told]), tokenizer.eos_token_id]
    found = list(dict.fromkeys(token for token in ends if token is not None))
    if not found:
        raise InputError("the model names no token that ends a text: set eos_token_id in its generation_config.json")
    return found


def fingerprint_of(path: Path) -> str:
    """A digest of a model's files: names, sizes, beginnings and ends. Raises InputError where there is no model."""
    return _fingerprint(_files(path))


def _files(path: Path) -> list[Path]:
    if path.is_file() and path.suffix == ".gguf":
        return [path]
    if not (path / "config.json").is_file():
        raise InputError(f"there is no model in {path}: name a folder that transformers wrote, or a GGUF file")
    return sorted(file for file in path.iterdir() if file.is_file())


def _fingerprint(files: Iterable[Path]) -> str:
    """A digest of the files' names, sizes, beginnings and ends."""
    digest = hashlib.sha256()
    for path in files:
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}\0".encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLED_BYTES))
            file.seek(max(size - _SAMPLED_BYTES, 0))
            digest.update(file.read())
    return digest.hexdigest()[:16]


def _libraries() -> tuple[Any, Any]:
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # else a busy core makes all threads twenty times slower
    try:
        import torch
        import transformers
    except ImportError as error:
        raise InputError(f"a local model needs torch and transformers ({error}): pip install '.[models]'") from None
    return torch, transformers
