"""Proofs as a diffusion model learns them: tokens, blocks, and the spans of tokens that are masked together.

Spans are those of Lean's parser (`lean.tactics`), in tokens: a token belongs to the stretch that its first visible
character stands in, or where it has none, its first one. So spans never overlap, a blank before a word goes with it,
and what lies between stretches (the proof's `by`, new lines with their indents) is structure.

Behind the proof comes the token that ends it, which fills its last block: that is one more span, so that ends are
learned. (The paper does not say how long a proof becomes when it is written; here the model says so itself.)
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Record
from pythagoras.corpus.stages import Dropped
from pythagoras.errors import InputError
from pythagoras.generate.texts import Texts
from pythagoras.lean.pool import Checker
from pythagoras.lean.tactics import parsed_proofs
from pythagoras.lean.wire import Stretch
from pythagoras.train.examples import Example, Instances, Reader
from pythagoras.train.settings import Diffusion


@dataclass(frozen=True, slots=True)
class Proof(Example):
    """An example whose completion is a proof. Places in it count from the completion's first token."""

    spans: tuple[range, ...] = ()
    """Of tactics, in order; none touches the end."""

    @property
    def length(self) -> int:
        """Tokens of the proof, its end among them."""
        return len(self.tokens) - self.prompt

    def blocks(self, size: int) -> int:
        return -(-self.length // size)

    def written(self, size: int) -> array[int]:
        """The completion, filled up to whole blocks by the token that ends it."""
        own = self.tokens[self.prompt :]
        return own + own[-1:] * (self.blocks(size) * size - self.length)

    def structure(self) -> list[int]:
        """The places that belong to no span, without the end."""
        inside = {place for span in self.spans for place in span}
        return [place for place in range(self.length - 1) if place not in inside]


class ProofReader:
    """Makes proofs of records, for one model and one way of training."""

    def __init__(
        self, settings: Diffusion, model_folder: Path, tokenizer: Any, checker: Checker, header: str = "core"
    ) -> None:
        """The checker parses proofs, on a header that knows their tactics. Raises InputError."""
        texts = Texts(tokenizer, settings.prompt, marked=False)
        if texts.is_chat or texts.begun:
            raise InputError(f"completions of the prompt {settings.prompt!r} are no whole proofs: choose compact")
        self._reader = Reader(settings.as_sft(), model_folder, tokenizer)
        self._prompt = settings.prompt
        self._tokenizer = tokenizer
        self._checker = checker
        self._header = header

    def read(self, records: Iterable[Record], account: Instances) -> list[Proof]:
        """The proofs, in the order of the records; `account` gets what became of each record."""
        pairs = list(self._reader.pairs(records, account))
        texts = dict.fromkeys(instance.proof.strip() for instance, _ in pairs)
        stretches = dict(zip(texts, parsed_proofs(texts, self._checker, self._header), strict=True))
        return list(self._proofs(pairs, stretches, account))

    def _proofs(
        self,
        pairs: Sequence[tuple[Instance, Example]],
        stretches: dict[str, tuple[Stretch, ...] | None],
        account: Instances,
    ) -> Iterator[Proof]:
        for instance, example in pairs:
            found = stretches[instance.proof.strip()]
            if found is None:
                account.kept -= 1
                account.drop(Dropped(instance, Reason.UNREADABLE, detail="Lean can't parse its proof"))
                continue
            spans = token_spans(self._tokenizer, prompts.render(instance, self._prompt).completion, instance, found)
            yield Proof(example.tokens, example.prompt, example.key, example.tier, spans)


def token_spans(tokenizer: Any, completion: str, instance: Instance, found: Sequence[Stretch]) -> tuple[range, ...]:
    """The stretches of an instance's proof as spans of the completion's tokens."""
    proof = instance.proof.strip()
    shift = completion.index(proof)
    read = tokenizer(completion, add_special_tokens=False, return_offsets_mapping=True)
    owners = [_owner(completion, start, end, shift, found) for start, end in read["offset_mapping"]]
    spans = []
    for number in range(len(found)):
        places = [place for place, owner in enumerate(owners) if owner == number]
        if places:
            spans.append(range(places[0], places[-1] + 1))
    return tuple(spans)


def _owner(text: str, start: int, end: int, shift: int, found: Sequence[Stretch]) -> int | None:
    written = text[start:end]
    visible = start + len(written) - len(written.lstrip()) if written.strip() else start
    return next((at for at, one in enumerate(found) if one.start <= visible - shift < one.end), None)
