"""A diffusion model in this process as a sampler: proofs in blocks, and holes of proofs filled in place.

A hole at the end of a proof is written as far as the model likes. One with text behind it is filled by as many tokens
as it is given; how many it needs nobody knows, so that the number is drawn by the request's seed, near that of what
stood there: rounds and attempts try different ones. Context does not grow by repairs: the model sees the statement,
the proof before the hole, and what is behind it in the hole's last block, as it did when it was trained.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from random import Random
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.errors import InputError
from pythagoras.generate.local import LocalSettings, Trained, sampled_with
from pythagoras.generate.sampler import Ability, Finish, Hole, Request, Sample, sampled
from pythagoras.generate.texts import Texts
from pythagoras.lean.signatures import commands
from pythagoras.llm.decoding.blocks import BlockDecoder
from pythagoras.llm.decoding.texts import text_of
from pythagoras.llm.decoding.tokens import Decoded, TokenRequest
from pythagoras.llm.weights import Weights, end_token, end_tokens, mask_token

_BLANK = re.compile(r"(?<=\S) +$")
"""What tokenizers put before the next word; an indent is a token of its own."""
_LENGTHS: tuple[int, ...] = (1, 1, 2, 3, 4, 6, 8, 12, 16, 24)
"""Tokens of a hole where nothing stood; half of the tactics that provers write here have no more than four."""


class DiffusionSampler:
    """Samples of a diffusion model's weights."""

    most = None
    abilities = frozenset({Ability.INFILL})

    def __init__(self, weights: Weights, settings: LocalSettings, trained: Trained, *, name: str = "") -> None:
        """`trained` is how the model was trained: its prompt, and its block where the settings name none."""
        self.name = name or weights.name
        self._weights = weights
        self._how = settings
        self._prompt = settings.prompt or trained.prompt
        self._blocks = replace(settings.blocks, size=settings.blocks.size or trained.block)
        if self._blocks.size > trained.block:
            raise InputError(
                f"{self.name} was trained with blocks of {trained.block} tokens: give no more than that, "
                f"not {self._blocks.size:,}"
            )
        self._texts = Texts(weights.tokenizer, self._prompt, marked=trained.marked)
        if self._texts.is_chat:
            raise InputError(f"the prompt {self._prompt!r} is a chat, and {self.name} writes proofs alone")
        self._decoder = BlockDecoder(
            weights.model,
            end_tokens(weights.model, weights.tokenizer),
            mask_token(weights.tokenizer),
            self._blocks,
            settings.sampling,
            batch=settings.batch,
            watch=self._texts.watch,
        )

    @property
    def settings(self) -> Mapping[str, Any]:
        """Without the folder: a model that moves is the same."""
        return {
            **sampled_with(self._weights, self._prompt, self._how.sampling),
            "blocks": asdict(self._blocks),
        }

    def stop(self) -> None:
        self._decoder.stop()

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        return sampled(requests, self._ask, self._decoder.decode, self._sample)

    def _ask(self, number: int, request: Request) -> TokenRequest:
        if request.turns:
            raise InputError(f"{self.name} can't be told what was wrong: choose the protocol infill for it")
        tokens = self._texts.tokens(self._shown(request))
        if why := self._decoder.refusal(tokens):
            raise InputError(why)
        if request.hole is None:
            return TokenRequest(number, tokens, request.seed)
        given = self._given(request, request.hole)
        if self._decoder.context is not None and len(tokens) + len(given) + self._blocks.size > self._decoder.context:
            raise InputError(f"the proof leaves no room in the model's context of {self._decoder.context:,}")
        return TokenRequest(number, tokens, request.seed, given=given)

    def _shown(self, request: Request) -> str:
        shown = prompts.shown(request.goal, self._prompt)
        assert isinstance(shown, str)  # no chat
        return shown

    def _given(self, request: Request, hole: Hole) -> tuple[int | None, ...]:
        """The proof with its hole. Raises InputError where that is not in the proof of the statement."""
        before = self._texts.tokens(_BLANK.sub("", proof_before(hole)))
        behind = hole.behind.rstrip()
        if not behind:
            return before
        lengths = _LENGTHS
        if cut := hole.cut.strip():
            known = len(self._texts.tokens(cut))
            lengths = tuple(
                max(1, length) for length in (known, known, known + 1, known - 1, known + 3, known // 2, 1, 3)
            )
        length = Random(f"{request.seed} {request.number} {request.round}").choice(lengths)
        return (*before, *[None] * length, *self._texts.tokens(behind), end_token(self._weights.tokenizer))

    def _sample(self, request: Request, decoded: Decoded) -> Sample:
        if request.hole is None:
            text = self._texts.text(self._shown(request), decoded.tokens)
            written = len(decoded.tokens)
        else:
            given = decoded.request.given
            start = given.index(None) if None in given else len(given)
            inside = decoded.tokens[start : start + given.count(None) if None in given else None]
            text, written = text_of(self._weights.tokenizer, inside).strip(), len(inside)
        return Sample(
            request,
            text,
            Finish.STOP if decoded.ended else Finish.LENGTH,
            prompt_tokens=len(decoded.request.prompt) + sum(token is not None for token in decoded.request.given),
            generated_tokens=written,
            cached_tokens=decoded.reused,
            seconds=decoded.seconds,
        )


def proof_before(hole: Hole) -> str:
    """What of the proof stands before a hole: behind the `:=` of the text's last theorem."""
    found = commands(hole.before)
    signs = [token for token in found[-1].tokens if token.text == ":=" and token.depth == 0] if found else []
    if not signs:
        raise InputError("the hole is not inside of a theorem's proof")
    return hole.before[signs[0].end :].lstrip()
