"""The length filter: what fits a model's context, and what becomes of that which does not.

The paper's dynamic proof-reasoning filtering ("Training Algorithm") has three cases: reasoning and proof fit together,
and both stay; they do not, and the reasoning goes; the proof alone does not, and the instance goes. Naive truncation
and naive dropping stand beside it for the ablation.

An instance that no prompt can be made of (`prompts.unfit`), and any other kind of record, is dropped as unreadable.

What is counted is the sequence that training sees: prompt and completion with the chat's special tokens. The paper
says "reasoning chain and formal proof together", but its budget is the context length, and the prompt takes its part.

The paper's ablation of this (appendix, "Training Performance between full context and dynamic proof-reasoning
filtering") describes another filter under the same name, which is `consistency` here. In its table the rows are the
other way round than in its text: "full context" has the higher numbers there, while the text and the line of
differences (+1.62, +0.82) say that filtering is better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.corpus.prompts import Rendered
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Record, Tier, kind_of, record_id, settings_of, settings_text
from pythagoras.corpus.stages import Dropped
from pythagoras.corpus.tokenizers import TokenCounter
from pythagoras.errors import InputError
from pythagoras.lookup import choose

BUDGET = 8_192
"""Tokens, for autoregressive provers. The paper has 4,096 for diffusion."""

_SMALLEST_BIN = 64


class Mode(StrEnum):
    """What happens to an instance that is too long."""

    DYNAMIC = "dynamic"
    TRUNCATE = "truncate"
    """The sequence ends at the budget, wherever that is: the proof may be cut, or gone."""
    DROP = "drop"
    """It goes, however short its proof."""


class Case(StrEnum):
    """What became of an instance."""

    BOTH = "both"
    PLAIN = "no reasoning"
    """It fits, and there is no reasoning in it: it had none to begin with, or the prompt shows none."""
    PROOF_ONLY = "proof only"
    TRUNCATED = "truncated"
    DROPPED = "dropped"


class LengthFilter:
    """The stage: hand `decide` to `run_stage`, and `tally` with it, so that the counts survive a kill."""

    def __init__(
        self,
        counter: TokenCounter,
        budget: int = BUDGET,
        mode: str = Mode.DYNAMIC,
        prompt: str = prompts.DEFAULT,
    ) -> None:
        if budget < 1:
            raise InputError(f"a budget of {budget} tokens leaves no room for anything: give 1 or more")
        self._shows_reasoning = prompts.prompt(prompt).shows_reasoning
        self._counter = counter
        self._budget = budget
        self._mode = choose("length filter", mode, {each.value: each for each in Mode})
        self._prompt = prompt
        self.tally: Counter[str] = Counter()

    @property
    def settings(self) -> dict[str, Any]:
        """What decides about an instance, for manifests."""
        return {
            "budget": self._budget,
            "mode": self._mode.value,
            "prompt": self._prompt,
            "tokenizer": self._counter.name,
        }

    def decide(self, batch: Sequence[Record]) -> Iterator[Record | Dropped]:
        """One decision a record, in order. What is unreadable has no length and is not in the tally."""
        faults = [_unreadable(record) for record in batch]
        readable = [record for record, fault in zip(batch, faults, strict=True) if not fault]
        decisions = self._decisions([record for record in readable if isinstance(record, Instance)])
        for record, fault in zip(batch, faults, strict=True):
            yield Dropped(record, Reason.UNREADABLE, detail=fault) if fault else next(decisions)

    def _decisions(self, instances: Sequence[Instance]) -> Iterator[Record | Dropped]:
        rendered = [prompts.render(instance, self._prompt) for instance in instances]
        whole = self._lengths(rendered)
        without = self._lengths_without_reasoning(instances, whole)
        for index, instance in enumerate(instances):
            case, decision = self._decision(instance, rendered[index], whole[index], without.get(index, whole[index]))
            self.tally[f"{instance.tier} case {case}"] += 1
            self.tally[f"{instance.tier} tokens {_bin(whole[index])}"] += 1
            yield decision

    def _decision(self, instance: Instance, shown: Rendered, whole: int, proof: int) -> tuple[Case, Record | Dropped]:
        if whole <= self._budget:
            reasoned = self._shows_reasoning and bool(instance.reasoning.strip())
            return (Case.BOTH if reasoned else Case.PLAIN), instance
        if self._mode is Mode.TRUNCATE and (left := self._cut(shown)):
            changed = replace(instance, reasoning=left, proof="", verified=False)
            return Case.TRUNCATED, self._noted(changed, instance, Case.TRUNCATED, self._budget)
        if self._mode is Mode.DYNAMIC and proof <= self._budget:
            changed = replace(instance, reasoning="")
            return Case.PROOF_ONLY, self._noted(changed, instance, Case.PROOF_ONLY, proof)
        dynamic = self._mode is Mode.DYNAMIC
        reason, length = (Reason.PROOF_TOO_LONG, proof) if dynamic else (Reason.TOO_LONG, whole)
        detail = f"{length} tokens of {self._counter.name}, the budget is {self._budget}"
        return Case.DROPPED, Dropped(instance, reason, detail=detail)

    def _lengths(self, rendered: Sequence[Rendered]) -> list[int]:
        """Tokens of each sequence; raw text gets one more, for the end that a trainer writes behind it."""
        counts = self._counter.count(["".join(prompts.sequence(each)) for each in rendered])
        ends = (isinstance(each.prompt, str) and each.finished for each in rendered)
        return [count + end for count, end in zip(counts, ends, strict=True)]

    def _lengths_without_reasoning(self, instances: Sequence[Instance], whole: Sequence[int]) -> dict[int, int]:
        """By index; only where the answer depends on it."""
        if self._mode is not Mode.DYNAMIC:
            return {}
        asked = [index for index, length in enumerate(whole) if length > self._budget]
        bare = [prompts.render(instances[index], self._prompt, with_reasoning=False) for index in asked]
        return dict(zip(asked, self._lengths(bare), strict=True))

    def _cut(self, shown: Rendered) -> str:
        """What is left of the completion; empty when the prompt alone fills the budget."""
        prompt, completion = prompts.sequence(shown)
        return self._counter.cut(prompt + completion, self._budget)[len(prompt) :][: len(shown.completion)]

    def _noted(self, changed: Instance, was: Instance, case: Case, tokens: int) -> Instance:
        """The changed instance with a note of what was done. Who made it stays: the filter wrote none of it."""
        note = {**self.settings, "case": case.value, "of": record_id(was), "tokens": tokens}
        settings = settings_text({**settings_of(was), "length": note})
        return replace(changed, provenance=replace(was.provenance, settings=settings))


@dataclass(frozen=True, slots=True)
class LengthReport:
    """What a length filter did."""

    cases: dict[Tier, dict[Case, int]] = field(default_factory=dict)
    lengths: dict[Tier, dict[int, int]] = field(default_factory=dict)
    """How many sequences, whole, have at most so many tokens and more than the bin before."""


def read_tally(tally: Mapping[str, int]) -> LengthReport:
    """The report of a filter's counts, from itself or from a store's funnel."""
    report = LengthReport()
    for key, count in tally.items():
        tier, what, value = key.split(" ", 2)
        if what == "case":
            report.cases.setdefault(Tier(tier), {})[Case(value)] = count
        else:
            report.lengths.setdefault(Tier(tier), {})[int(value)] = count
    return LengthReport(
        {tier: {case: report.cases[tier].get(case, 0) for case in Case} for tier in Tier if tier in report.cases},
        {tier: dict(sorted(report.lengths[tier].items())) for tier in Tier if tier in report.lengths},
    )


def _bin(tokens: int) -> int:
    """The upper end of the bin that a length falls into: bins double."""
    limit = _SMALLEST_BIN
    while limit < tokens:
        limit *= 2
    return limit


def _unreadable(record: Record) -> str:
    """Why a record can't be filtered by its length; empty for one that can."""
    if isinstance(record, Instance):
        return prompts.unfit(record)
    return f"the length filter reads instances, and this is a record of the kind {kind_of(record)}"
