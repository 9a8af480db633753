"""Recorded attempts as a sampler: attempt k is the k-th that was recorded for a statement of that name.

Tokens count as they were recorded. Where they were not, what was written is counted by a tokenizer that the settings
name, and the prompt, which nobody knows, as nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pythagoras.corpus.records import Formalisation, record_id
from pythagoras.corpus.tokenizers import open_tokenizer
from pythagoras.generate.recordings import Entry, Recording, read_recording
from pythagoras.generate.sampler import Ability, Finish, Request, Sample

__all__ = ["Coverage", "RecordedSampler", "read_recording"]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How a recording and a benchmark fit together."""

    unknown: tuple[str, ...]
    """Names that were recorded, but the benchmark does not have."""
    missing: tuple[str, ...]
    """Statements of the benchmark that nothing was recorded for."""
    short: tuple[str, ...]
    """Statements that fewer attempts were recorded for than for others."""


class RecordedSampler:
    """What was written before, once more."""

    def __init__(self, recording: Recording, *, tokenizer: str = "bytes", name: str = "") -> None:
        self.name = name or recording.path.name.split(".")[0] or "recorded"
        self.recording = recording
        self._counter = open_tokenizer(tokenizer)

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """By the content: a recording that is moved, or a run that is sealed, is the same."""
        entries = self.recording.entries
        digest = hashlib.sha256()
        for name in sorted(entries):
            for place, entry in sorted(entries[name].items()):
                digest.update(json.dumps([name, place, entry.text]).encode())
        everything = [entry for rounds in entries.values() for entry in rounds.values()]
        return {
            "recorded": len(everything),
            "sha256": digest.hexdigest(),
            "prompt_tokens": _told([entry.prompt_tokens for entry in everything], "as 0"),
            "generated_tokens": _told([entry.generated_tokens for entry in everything], f"by {self._counter.name}"),
            **({"rounds_that_attempts_share": self.recording.shared} if self.recording.shared else {}),
        }

    @property
    def abilities(self) -> frozenset[Ability]:
        return frozenset({Ability.TURNS}) if self.recording.rounds > 1 else frozenset()

    @property
    def most(self) -> int:
        return self.recording.attempts

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        return map(self._sample, requests)

    def coverage(self, goals: Sequence[Formalisation]) -> Coverage:
        """What of the recording no statement will ask for, and which statements will ask in vain."""
        asked = {goal.name for goal in goals} | {record_id(goal) for goal in goals}
        recorded = {goal.name: self._recorded(goal) for goal in goals}
        most = self.most
        return Coverage(
            tuple(name for name in self.recording.entries if name not in asked),
            tuple(name for name, rounds in recorded.items() if not rounds),
            tuple(name for name, rounds in recorded.items() if 0 < len({number for number, _ in rounds}) < most),
        )

    def notes(self, goals: Sequence[Formalisation]) -> Mapping[str, int]:
        """How much of the recording can't be used for these statements, and how much they miss."""
        covered = self.coverage(goals)
        return {
            "rows that can't be read": len(self.recording.faults),
            "recorded names that the benchmark does not have": len(covered.unknown),
            "statements without a recorded attempt": len(covered.missing),
            "statements with fewer attempts than others": len(covered.short),
        }

    def _recorded(self, goal: Formalisation) -> Mapping[tuple[int, int], Entry]:
        entries = self.recording.entries
        return entries.get(goal.name) or entries.get(record_id(goal)) or {}

    def _sample(self, request: Request) -> Sample:
        entry = self._recorded(request.goal).get((request.number, request.round))
        if entry is None:
            which = f"round {request.round} of attempt" if request.round else "attempt"
            why = f"no {which} {request.number} is recorded for {request.goal.name}"
            return Sample(request, "", Finish.NONE, failure=why)
        generated = entry.generated_tokens
        return Sample(
            request,
            entry.text,
            Finish.LENGTH if entry.cut else Finish.STOP,
            prompt_tokens=entry.prompt_tokens or 0,
            generated_tokens=self._counter.count([entry.text])[0] if generated is None else generated,
            cached_tokens=entry.cached_tokens,
            seconds=entry.seconds,
        )


def _told(counts: Sequence[int | None], otherwise: str) -> str:
    """How tokens are counted: as recorded, by something else, or some one way and some the other."""
    missing = sum(count is None for count in counts)
    if not missing:
        return "recorded"
    return otherwise if missing == len(counts) else f"recorded, {missing} of {len(counts)} {otherwise}"
