"""A chat backend as a sampler, most often an OpenAI-compatible endpoint: a statement becomes a known family's prompt.

Tokens are counted by the server; where it does not, by a tokenizer that the settings name, over the texts alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from pythagoras.corpus import prompts
from pythagoras.corpus.tokenizers import open_tokenizer
from pythagoras.errors import InputError
from pythagoras.generate.raw import completed
from pythagoras.generate.sampler import Ability, Finish, Request, Sample, sampled
from pythagoras.llm.chat import ChatBackend, ChatRequest, Completion, Message
from pythagoras.llm.endpoint import Endpoint
from pythagoras.llm.keys import api_key
from pythagoras.llm.patience import PATIENT, Retries
from pythagoras.llm.sampling import DEFAULT_SAMPLING, Sampling


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """How a model is asked. All but the last four make the samples what they are."""

    model: str = ""
    """What the server calls it. Empty: the only one that it has."""
    prompt: str = prompts.DEFAULT
    """Family of `pythagoras.corpus.prompts`: what the model was trained on."""
    sampling: Sampling = DEFAULT_SAMPLING
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of each request: Qwen3 without thinking is {"chat_template_kwargs": {"enable_thinking": false}}"""
    timeout_s: float = 3600.0
    concurrency: int = 8
    retries: Retries = PATIENT
    api_key_env: str = ""
    """The environment variable that has the key. Empty: PYTHAGORAS_API_KEY, if it is set."""


class ChatSampler:
    """Samples of a backend that somebody else opened: one with a cache, with limits, or recorded traffic."""

    most = None

    def __init__(
        self, backend: ChatBackend, settings: EndpointSettings, *, name: str = "", tokenizer: str = "bytes"
    ) -> None:
        """`settings` say how the backend is asked; `name` goes before the model's.

        `tokenizer` is one of `pythagoras.corpus.tokenizers`.
        """
        self._backend = backend
        self._how = settings
        self._name = name
        self._family = prompts.prompt(settings.prompt)
        self._counter = open_tokenizer(tokenizer)

    @property
    def name(self) -> str:
        return self._name or self._model

    @property
    def _model(self) -> str:
        return str(self._backend.settings["model"])

    @property
    def settings(self) -> Mapping[str, Any]:
        """Without the address: a server that moves is the same model."""
        return {
            "model": self._model,
            "prompt": self._how.prompt,
            "temperature": self._how.sampling.temperature,
            "top_p": self._how.sampling.top_p,
            "max_tokens": self._how.sampling.max_tokens,
            "extra": dict(self._how.extra),
            "token_counts": f"the server's, else {self._counter.name}",
        }

    @property
    def abilities(self) -> frozenset[Ability]:
        return frozenset({Ability.TURNS}) if self._family.is_chat else frozenset()

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        return sampled(requests, self._ask, self._backend.complete, self._sample)

    def _ask(self, number: int, request: Request) -> ChatRequest:
        return ChatRequest(number, prompt_of(request, self._how.prompt, self.name), request.seed)

    def _sample(self, request: Request, completion: Completion) -> Sample:
        finish = Finish(completion.ending.value)
        if finish is Finish.FAILED:
            return Sample(request, "", finish, seconds=completion.seconds, failure=completion.failure)
        prompt_tokens, generated_tokens = completion.prompt_tokens, completion.generated_tokens
        prompt = completion.request.prompt
        if prompt_tokens is None:
            texts = [prompt] if isinstance(prompt, str) else [message.content for message in prompt]
            prompt_tokens = sum(self._counter.count(texts))
        if generated_tokens is None:
            generated_tokens = self._counter.count([completion.text])[0]
        return Sample(
            request,
            completed(prompt, completion.text) if isinstance(prompt, str) else completion.text,
            finish,
            prompt_tokens=prompt_tokens,
            generated_tokens=generated_tokens,
            cached_tokens=completion.cached_tokens,
            seconds=completion.seconds,
            from_cache=completion.from_cache,
        )


class EndpointSampler(ChatSampler):
    """A server's samples. Use it in a `with` block, which finds out whether the server is there."""

    def __init__(self, url: str, settings: EndpointSettings, *, name: str = "", tokenizer: str = "bytes") -> None:
        """`name` goes before the model's; `tokenizer` is one of `pythagoras.corpus.tokenizers`."""
        self._endpoint = Endpoint(
            url,
            settings.model,
            settings.sampling,
            extra=settings.extra,
            api_key=api_key(settings.api_key_env),
            concurrency=settings.concurrency,
            timeout_s=settings.timeout_s,
            retries=settings.retries,
        )
        super().__init__(self._endpoint, settings, name=name, tokenizer=tokenizer)

    def __enter__(self) -> Self:
        self._endpoint.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._endpoint.close()

    def stop(self) -> None:
        self._endpoint.stop()


def prompt_of(request: Request, family: str, name: str) -> tuple[Message, ...] | str:
    """What a model called `name` is shown. Raises InputError for what it can't be asked."""
    if request.hole is not None:
        raise InputError(f"{name} fills no holes: choose a protocol without infilling for it")
    prompt = prompts.shown(request.goal, family)
    if not request.turns:
        return prompt
    if isinstance(prompt, str):
        raise InputError(f"the prompt {family!r} is no chat, so {name} can't be told what was wrong")
    turns = ((Message("assistant", turn.completion), Message("user", turn.reply)) for turn in request.turns)
    return (*prompt, *(message for turn in turns for message in turn))
