"""What is in a corpus: rows by group, lengths in tokens, and the funnel it came through. One pass, little memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from pythagoras.corpus.records import Instance, Record, formal_text, group_of, informal_text
from pythagoras.corpus.store import Funnel

GROUPS = ("tier", "source", "topic", "operator")
_BATCH = 1_000

Count = Callable[[Sequence[str]], Sequence[int]]
"""Lengths of texts in tokens."""


@dataclass(slots=True)
class Lengths:
    """How long texts are; exact, since only how often each length occurs is kept."""

    counts: Counter[int] = field(default_factory=Counter)

    @property
    def rows(self) -> int:
        return self.counts.total()

    def quantile(self, share: float) -> int:
        """The smallest length that at least this share of the texts does not exceed; 0 of no texts."""
        seen, wanted = 0, share * self.rows
        for length in sorted(self.counts):
            seen += self.counts[length]
            if seen >= wanted:
                return length
        return 0

    @property
    def mean(self) -> float:
        return sum(length * count for length, count in self.counts.items()) / max(1, self.rows)

    def histogram(self) -> dict[int, int]:
        """Rows by length, each bin from its key up to twice that, without gaps."""
        bins = Counter[int]()
        for length, count in self.counts.items():
            bins[1 << max(0, length.bit_length() - 1)] += count
        return {1 << bit: bins[1 << bit] for bit in range(max(bins, default=0).bit_length())}

    def as_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "mean": round(self.mean, 1),
            **{f"p{share}": self.quantile(share / 100) for share in (50, 90, 99)},
            "max": max(self.counts, default=0),
            "histogram": {str(start): count for start, count in self.histogram().items()},
        }


@dataclass(slots=True)
class Stats:
    """What one pass over a corpus found."""

    rows: int = 0
    groups: dict[str, Counter[str]] = field(default_factory=lambda: {by: Counter() for by in GROUPS})
    lengths: dict[str, Lengths] = field(default_factory=lambda: defaultdict(Lengths))
    """By part of the record: informal, statement, proof, reasoning."""
    tiers: dict[str, Lengths] = field(default_factory=lambda: defaultdict(Lengths))
    """Length of all parts together, by tier."""
    unverified: int = 0
    funnel: Funnel = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "unverified": self.unverified,
            **{by: dict(counts.most_common()) for by, counts in self.groups.items()},
            "tokens": {part: lengths.as_dict() for part, lengths in self.lengths.items()},
            "tokens_by_tier": {tier: lengths.as_dict() for tier, lengths in self.tiers.items()},
            "funnel": [step.as_dict() for step in self.funnel],
        }


def measure(records: Iterable[Record], count: Count, funnel: Funnel = ()) -> Stats:
    """One pass over the records."""
    stats = Stats(funnel=funnel)
    stream = iter(records)
    while batch := list(islice(stream, _BATCH)):
        _add(stats, batch, count)
    return stats


def _add(stats: Stats, batch: Sequence[Record], count: Count) -> None:
    stats.rows += len(batch)
    for by, counts in stats.groups.items():
        counts.update(group_of(record, by) or "–" for record in batch)
    stats.unverified += sum(isinstance(record, Instance) and not record.verified for record in batch)
    parts = [_parts(record) for record in batch]
    lengths = iter(count([text for texts in parts for text in texts.values()]))
    for record, texts in zip(batch, parts, strict=True):
        total = 0
        for part in texts:
            length = next(lengths)
            total += length
            stats.lengths[part].counts[length] += 1
        stats.tiers[group_of(record, "tier") or "–"].counts[total] += 1


def _parts(record: Record) -> dict[str, str]:
    """The texts that a record has, by what they are."""
    texts = {"informal": informal_text(record), "statement": formal_text(record)}
    if isinstance(record, Instance):
        texts |= {"proof": record.proof, "reasoning": record.reasoning}
    return {part: text for part, text in texts.items() if text}
