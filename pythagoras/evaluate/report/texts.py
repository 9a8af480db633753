"""Texts of attempts as the page's script gets them: read from disk for those that are shown, and cut if very long."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from pythagoras.corpus.records import Attempt, Judgement
from pythagoras.evaluate.analysis.failures import failure_class
from pythagoras.evaluate.journal import read_at, read_columns, read_lengths, read_where
from pythagoras.evaluate.report.embed import encoded
from pythagoras.evaluate.report.limits import LONGEST_LEAN, MESSAGE_CHARACTERS, MOST_REMARKS
from pythagoras.evaluate.results import Ints, Results
from pythagoras.evaluate.runs import ATTEMPTS, JUDGEMENTS

_FRAME = 200
"""Characters that are told of a round beside its texts."""


class Texts:
    """Rounds of one run. At first only lengths are known; `read` fetches some, and keeps them as bytes."""

    def __init__(self, result: Results, longest_text: int) -> None:
        self._result = result
        self._longest = longest_text
        self._sizes = self._lengths()
        self._rounds: dict[int, tuple[bytes, int]] = {}
        self._judged: dict[int, tuple[bytes, int]] = {}

    def size(self, rows: Sequence[int]) -> int:
        """About how many bytes rounds have in the page before they are compressed."""
        return int(self._sizes[rows[0] : rows[-1] + 1].sum())

    def read(self, rows: Collection[int]) -> None:
        """Fetch rounds with their judgements."""
        rounds, judgements = self._result.rounds, self._result.judgements
        by_place = {int(rounds.place[row]): row for row in rows}
        for place, record in read_at(self._result.folder / ATTEMPTS, "attempt", by_place):
            assert isinstance(record, Attempt)
            self._rounds[by_place[place]] = self._written(record)
        judged = {judgements[at].submission: at for row in rows if (at := int(rounds.judgement[row])) >= 0}
        if judged:
            for found in read_where(self._result.folder / JUDGEMENTS, "judgement", "submission", judged):
                assert isinstance(found, Judgement)
                self._judged[judged[found.submission]] = _told(found)  # the latest stands

    def of(self, row: int) -> tuple[bytes, int]:
        """A round that was read, as JSON, and how many of its texts are cut."""
        rounds = self._result.rounds
        written, cut = self._rounds[row]
        judged, cut_lean = self._judged.get(int(rounds.judgement[row]), (b"null", 0))
        facts = {
            "prompt": int(rounds.prompt_tokens[row]),
            "generated": int(rounds.generated_tokens[row]),
            "cached": int(rounds.cached_tokens[row]),
            "ms": round(float(rounds.milliseconds[row])),
        }
        return b'{"facts":%b,"written":%b,"judged":%b}' % (encoded(facts), written, judged), cut + cut_lean

    def _lengths(self) -> Ints:
        """By row, as far as the page would have its texts."""
        folder, rounds = self._result.folder, self._result.rounds
        written = np.array(read_lengths(folder / ATTEMPTS, "attempt", "completion"), dtype=np.int64)[rounds.place]
        names = read_columns(folder / JUDGEMENTS, "judgement", ["submission"])["submission"]
        asked = dict(zip(names, read_lengths(folder / JUDGEMENTS, "judgement", "checked"), strict=True))
        lengths = [*(asked[judged.submission] for judged in self._result.judgements), 0]
        lean = np.array(lengths, dtype=np.int64)[rounds.judgement]  # -1 is the last
        sizes: Ints = _FRAME + np.minimum(written, self._longest) + np.minimum(lean, LONGEST_LEAN)
        return sizes

    def _written(self, attempt: Attempt) -> tuple[bytes, int]:
        text, length = attempt.completion, len(attempt.completion)
        told: dict[str, Any] = {"text": text, "finish": attempt.finish}
        if length > self._longest:
            half = self._longest // 2
            told |= {"text": text[:half], "end": text[length - (self._longest - half) :], "length": length}
        return encoded(told), int(length > self._longest)


def _told(judged: Judgement) -> tuple[bytes, int]:
    shown = judged.remarks[:MOST_REMARKS]
    told = {
        "outcome": judged.outcome,
        "reason": judged.reason,
        "class": failure_class(judged),
        "detail": _beginning(judged.detail),
        "paper": judged.paper_rule,
        "checked": judged.checked[:LONGEST_LEAN],
        "axioms": judged.axioms,
        "lean": judged.lean_version,
        "ms": round(judged.milliseconds),
        "remarks": [
            (one.severity, one.line, one.column, one.end_line, one.end_column, _beginning(one.text)) for one in shown
        ],
    }
    cut = len(judged.checked) > LONGEST_LEAN
    if cut:
        told["length"] = len(judged.checked)
    if len(judged.remarks) > len(shown):
        told["more"] = len(judged.remarks) - len(shown)
    return encoded(told), int(cut)


def _beginning(text: str) -> str:
    """Of one message of Lean's."""
    left = len(text) - MESSAGE_CHARACTERS
    return text if left <= 0 else f"{text[:MESSAGE_CHARACTERS]}\n… and {left:,} characters more"
