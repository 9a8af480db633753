"""What the page's browser of problems shows: each problem with its attempts, the same ones once, in packed chunks.

Texts are cut where they are very long, and left out where the page would grow too large; how many are there, of how
many, is counted, and the page says it.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from pythagoras.corpus.records import Formalisation, Judgement, record_id
from pythagoras.evaluate.analysis.failures import failure_class
from pythagoras.evaluate.report.embed import packed
from pythagoras.evaluate.results import Results
from pythagoras.lean.verdict import Outcome, Reason

EMBED_BYTES = 48 * 2**20
LONGEST_TEXT = 60_000
MOST_REMARKS = 60
"""Of one attempt's messages."""
MESSAGE_CHARACTERS = 8_000


@dataclass(frozen=True, slots=True)
class Browser:
    """The data of the browser, ready to be embedded."""

    index: dict[str, Any]
    """What the list shows of all problems."""
    chunks: tuple[str, ...]
    """For each problem its attempts, packed."""
    attempts: int
    """Attempts of all runs, which are as many as were drawn."""
    different: int
    """Of those the ones that differ from others of the same run and problem."""
    shown: int
    """Attempts whose text is embedded, or the same as one that is."""
    cut: int
    """Texts of which only the beginning is embedded."""


@dataclass(slots=True)
class _Group:
    """Attempts at a problem whose rounds are the same: the rows of the first, and the numbers of all."""

    rows: range
    numbers: list[int]
    proved: bool


@dataclass(slots=True)
class _Problem:
    goal: Formalisation
    key: str
    goals: dict[int, int] = field(default_factory=dict)
    """By run, which of its goals it is."""
    groups: dict[int, list[_Group]] = field(default_factory=dict)


def collect(
    results: Sequence[Results],
    domain: Callable[[Formalisation], str],
    *,
    embed_bytes: int = EMBED_BYTES,
    longest_text: int = LONGEST_TEXT,
) -> Browser:
    """All problems of the runs, those of the same name and statement as one; and their attempts."""
    problems = _problems(results)
    texts = _Texts(longest_text)
    for run, found in enumerate(results):
        grouped = _groups(found)
        for problem in problems:
            if run in problem.goals:
                problem.groups[run] = grouped[problem.goals[run]]
        texts.read(run, found, [group for groups in grouped for group in groups])
    chunks, kept = _chunks(problems, results, texts, embed_bytes)
    shown = sum(len(group.numbers) for groups in kept for _, group in groups)
    index = {
        "runs": [found.label for found in results],
        "problems": [_entry(problem, results, domain) for problem in problems],
        "reasons": {reason.name.lower(): reason.value for reason in Reason},
    }
    return Browser(
        index=index,
        chunks=chunks,
        attempts=sum(len(found.last_rounds) for found in results),
        different=sum(len(groups) for problem in problems for groups in problem.groups.values()),
        shown=shown,
        cut=texts.cut,
    )


# --- problems and their attempts ------------------------------------------------------------------


def _problems(results: Sequence[Results]) -> list[_Problem]:
    """In the order in which the runs have them. Another statement under the same name is another problem."""
    found: dict[tuple[str | int, ...], _Problem] = {}
    names: Counter[str] = Counter()
    for run, result in enumerate(results):
        again: Counter[tuple[str, ...]] = Counter()
        for at, goal in enumerate(result.goals):
            content = (goal.name, goal.header, goal.context, goal.text)
            again[content] += 1  # a benchmark may have it twice
            place = (*content, again[content])
            if place not in found:
                names[goal.name] += 1
                key = goal.name if names[goal.name] == 1 else f"{goal.name}~{names[goal.name]}"
                found[place] = _Problem(goal, key)
            found[place].goals[run] = at
    return list(found.values())


def _groups(result: Results) -> list[list[_Group]]:
    """For each goal its attempts by number, those whose rounds have the same judgements together."""
    rounds = result.rounds
    judgement = rounds.judgement.tolist()
    found: list[dict[tuple[int, ...], _Group]] = [{} for _ in result.goals]
    start = 0
    for last in result.last_rounds.tolist():
        rows = range(start, last + 1)
        start = last + 1
        number = int(rounds.number[last])
        ways = tuple(judgement[row] for row in rows)
        if -1 in ways:  # nobody knows whether it is the same as another
            ways = (-1, number)
        groups = found[int(rounds.goal[last])]
        if ways in groups:
            groups[ways].numbers.append(number)
        else:
            proved = bool(result.solved[rounds.goal[last], number])
            groups[ways] = _Group(rows, [number], proved)
    return [list(groups.values()) for groups in found]


class _Texts:
    """Completions of the attempts that are shown, by run and row, as far as they are embedded."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self.cut = 0
        self._found: dict[tuple[int, int], tuple[str, int, str]] = {}

    def read(self, run: int, result: Results, groups: Sequence[_Group]) -> None:
        rounds = result.rounds
        wanted = {
            (int(rounds.goal[row]), int(rounds.number[row]), int(rounds.round[row])): row
            for group in groups
            for row in group.rows
        }
        index = {record_id(goal): at for at, goal in enumerate(result.goals)}
        for attempt in result.attempts():
            row = wanted.get((index[attempt.formalisation], attempt.number, attempt.round))
            if row is not None:
                length = len(attempt.completion)
                self.cut += length > self._longest
                self._found[run, row] = (attempt.completion[: self._longest], length, attempt.finish)

    def characters(self, run: int, row: int, judged: Judgement | None) -> int:
        """About as many as are told of a round, without the names of what is told."""
        length = len(self._found[run, row][0])
        if judged is None:
            return length
        remarks = sum(min(len(remark.text), MESSAGE_CHARACTERS) for remark in judged.remarks[:MOST_REMARKS])
        return length + min(len(judged.checked), self._longest) + remarks

    def of(self, run: int, row: int) -> dict[str, Any]:
        text, length, finish = self._found[run, row]
        told: dict[str, Any] = {"text": text, "finish": finish}
        return told if len(text) == length else {**told, "length": length}

    def judged(self, judged: Judgement) -> dict[str, Any]:
        shown = judged.remarks[:MOST_REMARKS]
        told = {
            "outcome": judged.outcome,
            "reason": judged.reason,
            "class": failure_class(judged),
            "detail": _beginning(judged.detail),
            "paper": judged.paper_rule,
            "checked": judged.checked[: self._longest],
            "axioms": judged.axioms,
            "lean": judged.lean_version,
            "ms": round(judged.milliseconds),
            "remarks": [
                (
                    remark.severity,
                    remark.line,
                    remark.column,
                    remark.end_line,
                    remark.end_column,
                    _beginning(remark.text),
                )
                for remark in shown
            ],
        }
        if len(judged.checked) > self._longest:
            told["length"] = len(judged.checked)
        if len(judged.remarks) > len(shown):
            told["more"] = len(judged.remarks) - len(shown)
        return told


def _beginning(text: str) -> str:
    """Of one message of Lean's."""
    left = len(text) - MESSAGE_CHARACTERS
    return text if left <= 0 else f"{text[:MESSAGE_CHARACTERS]}\n… and {left:,} characters more"


# --- chunks ---------------------------------------------------------------------------------------

_Kept = list[tuple[int, _Group]]
_SPARES = (0.98, 0.95, 0.85, 0.6, 0.0)
"""What is aimed at, of what a problem may have: the first nearly always fits, and packing again takes time."""
_FRAME = 200
"""Characters of an attempt that has no text."""


def _chunks(
    problems: Sequence[_Problem], results: Sequence[Results], texts: _Texts, embed_bytes: int
) -> tuple[tuple[str, ...], list[_Kept]]:
    """The attempts of each problem, packed; where all of them are too large, the largest problems lose some."""
    kept = [list(_by_worth(problem)) for problem in problems]

    def chunk(at: int) -> str:
        return packed(_payload(problems[at], kept[at], results, texts))

    with ThreadPoolExecutor(os.cpu_count()) as pool:  # compressing is most of it, and leaves Python to other threads
        chunks = list(pool.map(chunk, range(len(problems))))
        most = _allowance([len(one) for one in chunks], embed_bytes)
        for spare in _SPARES:
            large = [at for at, one in enumerate(chunks) if len(one) > most and kept[at]]
            for at in large:
                sizes = [_characters(run, group, results, texts) for run, group in kept[at]]
                kept[at] = kept[at][: _prefix(sizes, spare * most / len(chunks[at]))]
            for at, one in zip(large, pool.map(chunk, large), strict=True):
                chunks[at] = one
    return tuple(chunks), kept


def _characters(run: int, group: _Group, results: Sequence[Results], texts: _Texts) -> int:
    return sum(texts.characters(run, row, _judgement(results[run], row)) for row in group.rows)


def _prefix(sizes: Sequence[int], share: float) -> int:
    """How many of the first have that share of all characters; packed, they have about that share as well."""
    upto = list(accumulate(_FRAME + size for size in sizes))
    return bisect_right(upto, share * upto[-1])


def _by_worth(problem: _Problem) -> Iterator[tuple[int, _Group]]:
    """The runs in turn: of each its first proof, then its attempts as they were drawn."""
    queues = {}
    for run, groups in problem.groups.items():
        first = next((at for at, group in enumerate(groups) if group.proved), None)
        queues[run] = groups if first is None else [groups[first], *groups[:first], *groups[first + 1 :]]
    for at in range(max(map(len, queues.values()), default=0)):
        yield from ((run, queue[at]) for run, queue in queues.items() if at < len(queue))


def _allowance(sizes: Sequence[int], total: int) -> float:
    """The most that one may have so that all together have no more than the total; what small ones spare is shared."""
    left = float(total)
    for done, size in enumerate(sorted(sizes)):
        share = left / (len(sizes) - done)
        if size > share:
            return share
        left -= size
    return float("inf")


def _payload(problem: _Problem, kept: _Kept, results: Sequence[Results], texts: _Texts) -> list[dict[str, Any]]:
    """For each run that has the problem, its attempts in the order they were drawn, and those that are left out."""
    told = []
    for run, goal in problem.goals.items():
        result = results[run]
        groups = sorted((group for of, group in kept if of == run), key=lambda group: group.numbers[0])
        every = problem.groups[run]
        inside = {group.numbers[0] for group in groups}
        left = Counter[str]()
        for group in every:
            if group.numbers[0] not in inside:
                left[failure_class(_judgement(result, group.rows[-1])) or Outcome.PROVED.value] += len(group.numbers)
        judged = {at: None for group in groups for row in group.rows if (at := int(result.rounds.judgement[row])) >= 0}
        places = {at: place for place, at in enumerate(judged)}
        told.append(
            {
                "run": run,
                "unfit": result.unfit.get(record_id(result.goals[goal]), ""),
                "judgements": [texts.judged(result.judgements[at]) for at in judged],
                "attempts": [
                    {
                        "numbers": group.numbers,
                        "rounds": [_round(run, row, result, places, texts) for row in group.rows],
                    }
                    for group in groups
                ],
                "left": dict(left.most_common()),
            }
        )
    return told


def _judgement(result: Results, row: int) -> Judgement | None:
    at = int(result.rounds.judgement[row])
    return result.judgements[at] if at >= 0 else None


def _round(run: int, row: int, result: Results, places: dict[int, int], texts: _Texts) -> dict[str, Any]:
    rounds = result.rounds
    return {
        "judgement": places.get(int(rounds.judgement[row])),
        "prompt": int(rounds.prompt_tokens[row]),
        "generated": int(rounds.generated_tokens[row]),
        "cached": int(rounds.cached_tokens[row]),
        "ms": round(float(rounds.milliseconds[row])),
        **texts.of(run, row),
    }


# --- the list -------------------------------------------------------------------------------------


def _entry(problem: _Problem, results: Sequence[Results], domain: Callable[[Formalisation], str]) -> dict[str, Any]:
    goal = problem.goal
    return {
        "key": problem.key,
        "name": goal.name,
        "domain": domain(goal),
        "source": goal.source,
        "header": goal.header,
        "context": goal.context,
        "text": goal.text,
        "informal": goal.docstring,
        "parent": goal.provenance.parent,
        "operator": goal.provenance.maker,
        "runs": [
            _standing(problem, run, result) if run in problem.goals else None for run, result in enumerate(results)
        ],
    }


def _standing(problem: _Problem, run: int, result: Results) -> dict[str, Any]:
    """How a run did on a problem."""
    groups = problem.groups[run]
    drawn = sum(len(group.numbers) for group in groups)
    proved = sum(len(group.numbers) for group in groups if group.proved)
    judged = [_judgement(result, row) for group in groups for row in group.rows]
    if not result.fit[problem.goals[run]]:
        outcome = "unfit"
    else:
        outcome = "solved" if proved else "unsolved" if drawn else "not tried"
    return {
        "outcome": outcome,
        "proved": proved,
        "drawn": drawn,
        "classes": sorted({failure_class(found) for found in judged} - {""}),
        "disputed": any(
            found is not None and found.paper_rule is not None and found.paper_rule != (found.outcome == "proved")
            for found in judged
        ),
    }
