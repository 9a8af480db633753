"""A diffusion model drafts, an autoregressive one ranks: of several drafts of an attempt the likeliest is the sample.

Drafts are cheap where a block takes few passes, and one pass of the other model tells how likely it finds each. Ranked
is by the mean log-probability of a draft's tokens, its end included: sums would favour what is short. Fillings of a
hole are ranked as the proofs that they make.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.errors import InputError
from pythagoras.generate.diffusion import DiffusionSampler, proof_before
from pythagoras.generate.local import Trained
from pythagoras.generate.sampler import Ability, Finish, Hole, Request, Sample
from pythagoras.generate.texts import Texts
from pythagoras.llm.decoding.scoring import Scorer
from pythagoras.llm.decoding.texts import prompt_tokens
from pythagoras.llm.weights import Weights, end_token

_APART = 1_000_003
"""Between the seeds of drafts."""


class HybridSampler:
    """Samples that one model wrote and another chose."""

    most = None
    abilities = frozenset({Ability.INFILL})

    def __init__(
        self,
        drafter: DiffusionSampler,
        weights: Weights,
        trained: Trained | None,
        *,
        drafts: int,
        name: str = "",
    ) -> None:
        """`weights` rank; `trained` is how their model was trained here, if it was."""
        if drafts < 2:
            raise InputError(f"{drafts} draft leaves nothing to choose from: ask for 2 or more")
        family = trained.prompt if trained is not None else prompts.DEFAULT
        self.name = name or f"{drafter.name} ranked by {weights.name}"
        self._drafter = drafter
        self._weights = weights
        self._prompt = family
        self._drafts = drafts
        self._texts = Texts(weights.tokenizer, family, marked=trained is None or trained.marked)
        if self._texts.is_chat or self._texts.begun:
            raise InputError(f"{weights.name} was not trained on proofs alone, so it can't rank them: name another")
        self._end = end_token(weights.tokenizer)
        self._scorer = Scorer(weights.model)

    @property
    def settings(self) -> Mapping[str, Any]:
        return {**self._drafter.settings, "drafts": self._drafts, "ranker": self._weights.fingerprint}

    def stop(self) -> None:
        self._drafter.stop()

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        asked: dict[int, Request] = {}
        drafts: dict[int, list[Sample]] = {}

        def wanted() -> Iterator[Request]:
            for request in requests:
                for number in range(self._drafts):
                    draft = replace(request, seed=request.seed + number * _APART)
                    asked[id(draft)] = request
                    yield draft

        def chosen(drafted: Iterator[Sample]) -> Iterator[Sample]:
            for sample in drafted:
                request = asked.pop(id(sample.request))
                own = drafts.setdefault(id(request), [])
                own.append(sample)
                if len(own) == self._drafts:
                    yield self._best(request, drafts.pop(id(request)))

        return chosen(self._drafter.sample(wanted()))  # at once: whoever stops it from now on means this call

    def _best(self, request: Request, drafts: list[Sample]) -> Sample:
        """What all of them took together, ranking included, is what the chosen one took."""
        began = time.monotonic()
        written = [draft for draft in drafts if draft.finish is not Finish.FAILED]
        if not written:
            return replace(drafts[0], request=request)
        shown = prompts.shown(request.goal, self._prompt)
        assert isinstance(shown, str)  # no chat
        prompt = self._texts.tokens(shown)
        proofs = [_proof(request.hole, draft.text) for draft in written]
        tokens = [(*prompt_tokens(self._weights.tokenizer, proof, marked=False), self._end) for proof in proofs]
        if self._scorer.context is not None:
            tokens = [own[: max(1, self._scorer.context - len(prompt))] for own in tokens]
        means = [score / len(own) for score, own in zip(self._scorer.scores(prompt, tokens), tokens, strict=True)]
        best = written[max(range(len(written)), key=means.__getitem__)]
        return replace(
            best,
            request=request,
            prompt_tokens=sum(draft.prompt_tokens for draft in drafts) + len(prompt),
            generated_tokens=sum(draft.generated_tokens for draft in drafts),
            cached_tokens=sum(draft.cached_tokens for draft in drafts),
            seconds=sum(draft.seconds for draft in drafts) + time.monotonic() - began,
        )


def _proof(hole: Hole | None, text: str) -> str:
    return text if hole is None else f"{proof_before(hole)}{text}{hole.behind}".rstrip()
