"""What the page's browser of problems shows: each problem with its attempts, those of the same Lean once, in chunks.

Attempts whose texts would make the page too large are left out: every problem has the same share of the room, and gives
what it does not need. How many are there, of how many, is counted, and the page says it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from pythagoras.corpus.records import Formalisation, Judgement, record_id
from pythagoras.evaluate.analysis.failures import failure_class
from pythagoras.evaluate.report.embed import Packer, encoded
from pythagoras.evaluate.report.limits import EMBED_BYTES, LONGEST_TEXT
from pythagoras.evaluate.report.texts import Texts
from pythagoras.evaluate.results import Results
from pythagoras.lean.verdict import Outcome, Reason

_SAMPLED, _OF_EACH = 4, 16
"""Problems, and attempts at each, by which it is told how well a run's texts can be compressed."""
_SPARE = 1.25
"""More is read than may fit by that, since some problems can be compressed better."""


@dataclass(frozen=True, slots=True)
class Browser:
    """The data of the browser, ready to be embedded. Its attempts are those of `texts`, `same` and `left` together."""

    index: dict[str, Any]
    """What the list shows of all problems."""
    chunks: tuple[str, ...]
    """For each problem its attempts, packed."""
    attempts: int
    """Attempts of all runs, which are as many as were drawn."""
    texts: int
    """Attempts whose texts are embedded."""
    same: int
    """Attempts at the same problem with the same Lean as one of those, which may have been written differently."""
    left: int
    """Attempts of which nothing but the outcome is embedded."""
    cut: int
    """Texts of which only a part is embedded."""


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


_Chosen = list[tuple[int, _Group]]
"""Groups of attempts, each with its run."""


def collect(
    results: Sequence[Results],
    domain: Callable[[Formalisation], str],
    *,
    embed_bytes: int = EMBED_BYTES,
    longest_text: int = LONGEST_TEXT,
) -> Browser:
    """All problems of the runs, those of the same name and statement as one; and their attempts."""
    problems = _problems(results)
    for run, found in enumerate(results):
        grouped = _groups(found)
        for problem in problems:
            if run in problem.goals:
                problem.groups[run] = grouped[problem.goals[run]]
    texts = [Texts(found, longest_text) for found in results]
    chosen, sizes = _choose(problems, results, texts, embed_bytes)
    _read(chosen, texts)
    packed = sorted(_pack(problems, chosen, sizes, results, texts, embed_bytes))
    kept = [group for _, _, of, _ in packed for _, group in of]
    attempts = sum(len(found.last_rounds) for found in results)
    shown = sum(len(group.numbers) for group in kept)
    index = {
        "runs": [found.label for found in results],
        "problems": [_entry(problem, results, domain) for problem in problems],
        "reasons": {reason.name.lower(): reason.value for reason in Reason},
    }
    return Browser(
        index=index,
        chunks=tuple(chunk for _, chunk, _, _ in packed),
        attempts=attempts,
        texts=len(kept),
        same=shown - len(kept),
        left=attempts - shown,
        cut=sum(cut for _, _, _, cut in packed),
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


# --- chunks ---------------------------------------------------------------------------------------


def _choose(
    problems: Sequence[_Problem], results: Sequence[Results], texts: Sequence[Texts], embed_bytes: int
) -> tuple[list[_Chosen], list[int]]:
    """Which attempts of each problem are read, and their bytes: as many as can have a place when they are compressed.

    By lengths alone, since reading and compressing all that a run wrote would take minutes.
    """
    queues = [list(_by_worth(problem)) for problem in problems]
    sizes = [[texts[run].size(group.rows) for run, group in queue] for queue in queues]
    totals = [sum(of) for of in sizes]
    room = float(embed_bytes)
    if sum(totals) > room:
        room *= _SPARE * _shrinks(problems, queues, results, texts)
    most = _allowance(totals, room)
    chosen = [queue[: bisect_right(list(accumulate(of)), most)] for queue, of in zip(queues, sizes, strict=True)]
    return chosen, [sum(of[: len(kept)]) for of, kept in zip(sizes, chosen, strict=True)]


def _shrinks(
    problems: Sequence[_Problem], queues: Sequence[_Chosen], results: Sequence[Results], texts: Sequence[Texts]
) -> float:
    """How many times smaller texts become, by some problems from all over the benchmark."""
    tried = [at for at, queue in enumerate(queues) if queue]
    sample = {at: queues[at][:_OF_EACH] for at in tried[:: -(-len(tried) // _SAMPLED)]}
    _read(list(sample.values()), texts)
    whole = sum(texts[run].size(group.rows) for queue in sample.values() for run, group in queue)
    chunks = [_chunk(problems[at], queue, results, texts, math.inf)[0] for at, queue in sample.items()]
    return whole / sum(map(len, chunks))


def _by_worth(problem: _Problem) -> Iterator[tuple[int, _Group]]:
    """The runs in turn: of each its first proof, then failures as they were drawn, then its other proofs."""
    queues = {}
    for run, groups in problem.groups.items():
        proofs = [group for group in groups if group.proved]
        queues[run] = [*proofs[:1], *(group for group in groups if not group.proved), *proofs[1:]]
    for at in range(max(map(len, queues.values()), default=0)):
        yield from ((run, queue[at]) for run, queue in queues.items() if at < len(queue))


def _allowance(sizes: Sequence[int], total: float) -> float:
    """The most that one may have so that all together have no more than the total; what small ones spare is shared."""
    left = total
    for done, size in enumerate(sorted(sizes)):
        share = left / (len(sizes) - done)
        if size > share:
            return share
        left -= size
    return math.inf


def _read(chosen: Sequence[_Chosen], texts: Sequence[Texts]) -> None:
    for run, of_run in enumerate(texts):
        of_run.read([row for kept in chosen for of, group in kept if of == run for row in group.rows])


def _pack(
    problems: Sequence[_Problem],
    chosen: Sequence[_Chosen],
    sizes: Sequence[int],
    results: Sequence[Results],
    texts: Sequence[Texts],
    embed_bytes: int,
) -> Iterator[tuple[int, str, _Chosen, int]]:
    """Each problem's place, its attempts packed, those that found room, and how many of their texts are cut.

    The smallest come first, so that what they do not need of their share is there for the others.
    """
    left = float(embed_bytes)
    for done, at in enumerate(sorted(range(len(problems)), key=lambda at: sizes[at])):
        share = left / (len(problems) - done)
        chunk, kept, cut = _chunk(problems[at], chosen[at], results, texts, share)
        left -= len(chunk)
        yield at, chunk, kept, cut


def _chunk(
    problem: _Problem, chosen: _Chosen, results: Sequence[Results], texts: Sequence[Texts], share: float
) -> tuple[str, _Chosen, int]:
    """A line an attempt, as many as the share has room for; the last tells of the runs, and what is left out."""
    packer = Packer()
    kept: _Chosen = []
    cut = 0
    room = share - len(encoded(_ending(problem, [], results)))  # the ending must find its place, whatever is left out
    for run, group in chosen:
        rounds = [texts[run].of(row) for row in group.rows]
        about = encoded({"run": run, "numbers": group.numbers})
        line = b'{"about":%b,"rounds":[%b]}' % (about, b",".join(written for written, _ in rounds))
        if not packer.add(line, room):
            break
        kept.append((run, group))
        cut += sum(count for _, count in rounds)
    packer.add(encoded(_ending(problem, kept, results)))
    return packer.packed(), kept, cut


def _ending(problem: _Problem, kept: _Chosen, results: Sequence[Results]) -> list[dict[str, Any]]:
    """For each run that has the problem, whether it could be tried, and how the attempts ended that are left out."""
    inside = {(run, group.numbers[0]) for run, group in kept}
    told = []
    for run, goal in problem.goals.items():
        left = Counter[str]()
        for group in problem.groups[run]:
            if (run, group.numbers[0]) not in inside:
                ended = failure_class(_judgement(results[run], group.rows[-1])) or Outcome.PROVED.value
                left[ended] += len(group.numbers)
        unfit = results[run].unfit.get(record_id(results[run].goals[goal]), "")
        told.append({"run": run, "unfit": unfit, "left": dict(left.most_common())})
    return told


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


def _judgement(result: Results, row: int) -> Judgement | None:
    at = int(result.rounds.judgement[row])
    return result.judgements[at] if at >= 0 else None


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
