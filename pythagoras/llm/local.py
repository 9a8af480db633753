"""A transformers model in this process as a chat backend: a folder that transformers wrote, or a GGUF file.

Requests are answered a batch at a time, by the decoder that samplers use as well. An answer depends on its prompt and
seed, and on its batch only by the rounding of padded arithmetic: a batch of one leaves no such dependence, on the same
machine and number of threads.
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pythagoras.llm.chat import ChatRequest, Completion, Ending
from pythagoras.llm.decoding.decoder import BatchDecoder
from pythagoras.llm.decoding.network import CachedNetwork
from pythagoras.llm.decoding.texts import prompt_tokens, text_of
from pythagoras.llm.decoding.tokens import Decoded, TokenRequest
from pythagoras.llm.sampling import DEFAULT_SAMPLING, Sampling
from pythagoras.llm.weights import Weights, end_tokens

_SEEDS = 2**63


class LocalModel:
    """A chat backend on weights in this process. Several may share them, in several threads."""

    def __init__(self, weights: Weights, sampling: Sampling = DEFAULT_SAMPLING, *, batch: int = 1) -> None:
        """`batch` requests are answered at a time: a setting that answers depend on, if only by rounding."""
        self._weights = weights
        self._sampling = sampling
        self._batch = batch
        self._decoder = BatchDecoder(
            weights.model,
            end_tokens(weights.model, weights.tokenizer),
            sampling,
            batch=batch,
            network=CachedNetwork(weights.model),  # a faster one would hold a copy of the weights for every backend
        )

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
            fitting: list[TokenRequest] = []
            for at, request in enumerate(batch):
                tokens = prompt_tokens(self._weights.tokenizer, request.prompt)
                if why := self._too_long(len(tokens)) or self._decoder.refusal(tokens):
                    yield Completion(request, "", Ending.FAILED, prompt_tokens=len(tokens), failure=why)
                    continue
                seed = secrets.randbelow(_SEEDS) if request.seed is None else request.seed
                fitting.append(TokenRequest(at, tokens, seed))
            with self._weights.lock:  # not while somebody looks at what was written: they may ask others meanwhile
                written = list(self._decoder.decode(fitting))
            yield from (self._completion(batch[decoded.request.number], decoded) for decoded in written)

    # --- inside --------------------------------------------------------------------------------

    def _too_long(self, prompt_tokens: int) -> str:
        """Why a prompt can't be answered: servers refuse such ones as well, rather than give less than was asked."""
        room = self._decoder.context
        wanted = self._sampling.max_tokens
        if room is None or prompt_tokens + wanted <= room:
            return ""
        return f"a prompt of {prompt_tokens:,} tokens and {wanted:,} new ones are more than the {room:,} of its context"

    def _completion(self, request: ChatRequest, decoded: Decoded) -> Completion:
        return Completion(
            request,
            text_of(self._weights.tokenizer, decoded.tokens[:-1] if decoded.ended else decoded.tokens),
            Ending.STOP if decoded.ended else Ending.LENGTH,
            prompt_tokens=len(decoded.request.prompt),
            generated_tokens=len(decoded.tokens),
            cached_tokens=decoded.reused,
            seconds=decoded.seconds,
        )
