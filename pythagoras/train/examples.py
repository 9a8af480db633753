"""What a model is trained on: instances as tokens, with the place where the completion begins.

Instances go through the length filter (`pythagoras.corpus.length`) and are shown as the prompt's family says. Loss is
on completions only. Prompt and completion are tokenised apart, by what asks models as well (`generate.texts`);
where that, or the model's own chat template, makes more tokens than the filter counted and too many, the filter's rule
is applied again.

Whatever is left out has a reason, and is counted.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.corpus.exports.curriculum import unfit
from pythagoras.corpus.length import Case, LengthFilter, Mode
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Record, Tier, kind_of, record_id
from pythagoras.corpus.stages import Dropped
from pythagoras.corpus.tokenizers import HuggingFaceCounter
from pythagoras.generate.texts import Texts
from pythagoras.llm.weights import end_token
from pythagoras.train.accounts import Account
from pythagoras.train.settings import Sft

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Example:
    """A sequence to train on."""

    tokens: array[int]
    prompt: int = 0
    """So many tokens at the beginning are given: there is no loss on them."""
    key: str = ""
    """Of its content; shuffling goes by it."""
    tier: Tier = Tier.MEDIUM


@dataclass(slots=True)
class Instances(Account):
    """What became of instances: examples are kept."""

    cases: dict[Tier, Counter[Case]] = field(default_factory=dict)
    """What the length filter did, by tier."""

    def keep(self, tier: Tier, case: Case) -> None:
        self.kept += 1
        self._count(tier, case)

    def drop(self, dropped: Dropped) -> None:
        record = dropped.record
        if isinstance(record, Instance) and dropped.reason is not Reason.UNREADABLE:
            self._count(record.tier, Case.DROPPED)
        name = getattr(record, "name", "") or record_id(record)
        self.leave_out(dropped.reason, f"{kind_of(record)} {name[:60]}: {dropped.detail}")

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        cases = {tier.value: dict(self.cases[tier]) for tier in Tier if tier in self.cases}
        return {**Account.as_dict(self), "cases": cases}  # `super()` does not know a class with slots

    def _count(self, tier: Tier, case: Case) -> None:
        self.cases.setdefault(tier, Counter())[case] += 1


class Reader:
    """Makes examples of records, for one model and one way of training."""

    def __init__(self, sft: Sft, model_folder: Path, tokenizer: Any) -> None:
        self._sft = sft
        self._texts = Texts(tokenizer, sft.prompt, marked=False)
        self._filter = LengthFilter(HuggingFaceCounter(str(model_folder)), sft.context, sft.length, sft.prompt)
        self._shows_reasoning = prompts.prompt(sft.prompt).shows_reasoning
        self._end = end_token(tokenizer)

    def read(self, records: Iterable[Record], account: Instances) -> list[Example]:
        """The examples, in the order of the records; `account` gets what became of each record."""
        return [example for _, example in self.pairs(records, account)]

    def pairs(self, records: Iterable[Record], account: Instances) -> Iterator[tuple[Instance, Example]]:
        """The same, each with what the length filter left of its record."""
        left = iter(records)
        while batch := list(islice(left, _BATCH)):
            for record, decided in self._decided(batch):
                found = decided if isinstance(decided, Dropped) else self._tokenised(record, decided)
                if isinstance(found, Dropped):
                    account.drop(found)
                else:
                    fitted, example, case = found
                    account.keep(example.tier, case)
                    yield fitted, example

    def _decided(self, batch: list[Record]) -> Iterator[tuple[Record, Record | Dropped]]:
        """Each record with what the filter made of it."""
        faults = [unfit(record) for record in batch]
        fit = [self._wanted(record) for record, fault in zip(batch, faults, strict=True) if not fault]
        decisions = iter(zip(fit, self._filter.decide(fit), strict=True))
        for record, fault in zip(batch, faults, strict=True):
            yield (record, Dropped(record, Reason.UNREADABLE, detail=fault)) if fault else next(decisions)

    def _wanted(self, record: Record) -> Record:
        if isinstance(record, Instance) and not self._sft.reasoning:
            return replace(record, reasoning="")
        return record

    def _tokenised(self, was: Record, fitted: Record) -> tuple[Instance, Example, Case] | Dropped:
        assert isinstance(was, Instance)  # others are unfit
        assert isinstance(fitted, Instance)
        example = self._example(fitted)
        if len(example.tokens) > self._sft.context and self._sft.length is Mode.DYNAMIC and fitted.reasoning:
            fitted = replace(fitted, reasoning="")
            example = self._example(fitted)
        if len(example.tokens) > self._sft.context:
            if self._sft.length is Mode.TRUNCATE and example.prompt < self._sft.context:
                return fitted, replace(example, tokens=example.tokens[: self._sft.context]), Case.TRUNCATED
            dynamic = self._sft.length is Mode.DYNAMIC
            detail = f"{len(example.tokens)} tokens, the budget is {self._sft.context}"
            return Dropped(was, Reason.PROOF_TOO_LONG if dynamic else Reason.TOO_LONG, detail=detail)
        if not fitted.proof:
            return fitted, example, Case.TRUNCATED
        if not self._shows_reasoning or not was.reasoning.strip():
            return fitted, example, Case.PLAIN
        return fitted, example, Case.BOTH if fitted.reasoning else Case.PROOF_ONLY

    def _example(self, instance: Instance) -> Example:
        rendered = prompts.render(instance, self._sft.prompt)
        prompt = self._texts.tokens(rendered.prompt)
        tokens = array("i", prompt)
        tokens.extend(self._texts.tokens(rendered.completion))
        if rendered.finished:
            tokens.append(self._end)
        return Example(tokens, len(prompt), record_id(instance), instance.tier)
