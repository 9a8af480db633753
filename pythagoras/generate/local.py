"""A model in this process as a sampler: a folder that transformers wrote, most often one that was trained here.

Attempts are written in batches without waiting for each other (`llm/decoding/`); each depends on its statement and
seed, and on its batch only by rounding. A prompt that leaves no room in the model's context fails; one that leaves
less than `max_tokens` has its completion cut there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.corpus.store import write_json
from pythagoras.errors import InputError
from pythagoras.generate.endpoint import prompt_of
from pythagoras.generate.sampler import Ability, Finish, Request, Sample, sampled
from pythagoras.generate.texts import Texts
from pythagoras.llm.decoding.blocks import DEFAULT_BLOCKS, Blocks
from pythagoras.llm.decoding.decoder import BatchDecoder
from pythagoras.llm.decoding.tokens import Decoded, TokenRequest
from pythagoras.llm.sampling import DEFAULT_SAMPLING, Sampling
from pythagoras.llm.weights import Weights, end_tokens

TRAINED = "pythagoras.json"
"""What training writes beside a model about it."""
_RUN, _MODEL = "training.json", "model"
"""In the folder of a training run."""
_SHIPPED = Path(__file__).parents[1] / "models"


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """How a model is sampled from."""

    prompt: str = ""
    """Family of `pythagoras.corpus.prompts`. Empty: what the model was trained on."""
    sampling: Sampling = DEFAULT_SAMPLING
    batch: int = 64
    """Attempts that are written at a time. Samples depend on it by rounding only, as they do on what else is in it."""
    blocks: Blocks = DEFAULT_BLOCKS
    """Diffusion models: how they write."""
    drafts: int = 4
    """Hybrids: how often an attempt is drafted."""


@dataclass(frozen=True, slots=True)
class Trained:
    """What the file in a model's folder says: how it was trained here, and so how it is asked."""

    prompt: str
    """The family."""
    marked: bool = False
    """Whether raw prompts begin with the tokenizer's own mark, as those of a model from elsewhere do."""
    block: int = 0
    """Of a diffusion model: how many tokens it writes together; 0 for any other."""

    def write(self, folder: Path) -> None:
        """Into the model's folder."""
        write_json(folder / TRAINED, asdict(self))


class LocalSampler:
    """Samples of weights in this process."""

    most = None

    def __init__(
        self, weights: Weights, settings: LocalSettings, *, name: str = "", trained: Trained | None = None
    ) -> None:
        """`trained` is how the model was trained here, if it was."""
        family = settings.prompt or (trained.prompt if trained is not None else prompts.DEFAULT)
        self.name = name or weights.name
        self._weights = weights
        self._how = settings
        self._prompt = family
        self._texts = Texts(weights.tokenizer, family, marked=trained is None or trained.marked)
        self._decoder = BatchDecoder(
            weights.model,
            end_tokens(weights.model, weights.tokenizer),
            settings.sampling,
            batch=settings.batch,
            watch=None if self._texts.is_chat else self._texts.watch,
        )

    @property
    def settings(self) -> Mapping[str, Any]:
        """Without the folder: a model that moves is the same."""
        return sampled_with(self._weights, self._prompt, self._how.sampling)

    @property
    def abilities(self) -> frozenset[Ability]:
        return frozenset({Ability.TURNS}) if self._texts.is_chat else frozenset()

    def stop(self) -> None:
        self._decoder.stop()

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        return sampled(requests, self._ask, self._decoder.decode, self._sample)

    def _ask(self, number: int, request: Request) -> TokenRequest:
        tokens = self._texts.tokens(prompt_of(request, self._prompt, self.name))
        if why := self._decoder.refusal(tokens):
            raise InputError(why)
        return TokenRequest(number, tokens, request.seed)

    def _sample(self, request: Request, decoded: Decoded) -> Sample:
        return Sample(
            request,
            self._texts.text(prompt_of(request, self._prompt, self.name), decoded.tokens),
            Finish.STOP if decoded.ended else Finish.LENGTH,
            prompt_tokens=len(decoded.request.prompt),
            generated_tokens=len(decoded.tokens),
            cached_tokens=decoded.reused,
            seconds=decoded.seconds,
        )


def sampled_with(weights: Weights, prompt: str, sampling: Sampling) -> dict[str, Any]:
    """What samples of any model in this process depend on."""
    return {
        "fingerprint": weights.fingerprint,
        "prompt": prompt,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
        "token_counts": "the model's",
    }


def model_folder(folder: Path) -> Path:
    """The model that a folder has: a training run's, or the folder's own; or one that ships. Raises InputError."""
    if not folder.exists() and str(folder) in shipped_models():
        return _SHIPPED / folder
    if (folder / _MODEL / "config.json").is_file():
        return folder / _MODEL
    if (folder / _RUN).is_file():
        raise InputError(f"the training in {folder} is not finished: let the command that began it go on")
    return folder


def shipped_models() -> list[str]:
    """Names of the models that are part of this package."""
    return sorted(path.parent.name for path in _SHIPPED.glob("*/config.json"))


def trained_with(folder: Path) -> Trained | None:
    """How the model in a folder was trained; None where nobody says. Raises InputError."""
    path = folder / TRAINED
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        told = Trained(found["prompt"], found.get("marked", False), found.get("block", 0))
    except (OSError, ValueError, KeyError, TypeError):
        told = None
    if (
        told is None
        or not isinstance(told.prompt, str)
        or not isinstance(told.marked, bool)
        or type(told.block) is not int
    ):
        raise InputError(f'{path} does not say what the model was trained on: it should hold {{"prompt": "compact"}}')
    prompts.prompt(told.prompt)
    return told
