"""Samplers that follow a script, and a Lean that goes by words: runs whose outcome is known beforehand."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pythagoras.corpus.records import Attempt, Formalisation, Judgement
from pythagoras.errors import HostDied
from pythagoras.evaluate.benchmarks import Benchmark
from pythagoras.evaluate.journal import read_journal
from pythagoras.evaluate.running.judging import Judge
from pythagoras.evaluate.running.protocols import Part, Protocol
from pythagoras.evaluate.running.runner import run
from pythagoras.evaluate.running.session import Summary
from pythagoras.evaluate.runs import ATTEMPTS, JUDGEMENTS, BenchmarkInfo
from pythagoras.generate.sampler import Ability, Finish, Request, Sample
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check
from pythagoras.lean.wire import Answer

RESTART = Protocol(name="restart", parts=(Part(),))


class Scripted:
    """Writes what a function says; an exception that it returns is a sample that failed."""

    def __init__(
        self,
        write: Callable[[Request], str | Exception],
        *,
        name: str = "scripted",
        abilities: Iterable[Ability] = (),
        most: int | None = None,
        pause_s: float = 0.0,
    ) -> None:
        self.name = name
        self.abilities = frozenset(abilities)
        self.most = most
        self.asked: list[Request] = []
        self._write = write
        self._pause_s = pause_s

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"pause_s": self._pause_s}

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        for request in requests:
            self.asked.append(request)
            time.sleep(self._pause_s)
            text = self._write(request)
            if isinstance(text, Exception):
                yield Sample(request, "", Finish.FAILED, failure=str(text))
            else:
                yield Sample(request, text, prompt_tokens=10, generated_tokens=len(text.split()), seconds=0.001)


def lean(check: Check) -> Answer | Exception:
    """Takes every proof but those that have the words wrong, slow or dies; answers what version it is."""
    if "versionString" in check.code:
        return _said("info", '"4.28.0"')
    name = check.names[0]
    if "dies" in check.code:
        return HostDied("the host died")
    if "slow" in check.code:
        return _declared(name, interrupted=True)
    if "wrong" in check.code:
        line = next(at for at, text in enumerate(check.code.split("\n"), 1) if "wrong" in text)
        return _said("error", "unsolved goals\n⊢ False", line)
    return _declared(name)


def _said(severity: str, text: str, line: int = 1) -> Answer:
    return Answer.model_validate(
        {"messages": [{"severity": severity, "pos": {"line": line, "column": 2}, "data": text}]}
    )


def _declared(name: str, **more: Any) -> Answer:
    declared = {"name": name, "kind": "theorem", "type": "T", "typeKey": "k", "axioms": []}
    return Answer.model_validate({"declarations": [declared], **more})


def statements(count: int) -> Benchmark:
    goals = tuple(
        Formalisation(name=f"goal{at}", text=f"theorem goal{at} : {at} = {at}", source="made") for at in range(count)
    )
    return Benchmark(BenchmarkInfo(name="made", items=count), goals)


def run_fake(
    folder: Path,
    benchmark: Benchmark,
    *samplers: Scripted,
    checker: FakeChecker | None = None,
    protocol: Protocol = RESTART,
    n: int = 1,
    **more: Any,
) -> Summary:
    return run(folder, benchmark, samplers, protocol, Judge(checker or FakeChecker(lean)), n=n, **more)


def attempts_in(folder: Path) -> list[Attempt]:
    return [record for record in read_journal(folder / ATTEMPTS, "attempt") if isinstance(record, Attempt)]


def judgements_in(folder: Path) -> list[Judgement]:
    return [record for record in read_journal(folder / JUDGEMENTS, "judgement") if isinstance(record, Judgement)]


def outcome_table(folder: Path) -> dict[tuple[str, int, int], tuple[str, str]]:
    """By goal, number and round: what was written, and how it was judged. Fails where an attempt is there twice."""
    outcomes = {judged.submission: judged.outcome for judged in judgements_in(folder)}
    table: dict[tuple[str, int, int], tuple[str, str]] = {}
    for attempt in attempts_in(folder):
        place = attempt.formalisation, attempt.number, attempt.round
        assert place not in table
        table[place] = attempt.completion, outcomes[attempt.submission]
    return table


def slow_writer(pause_s: float) -> Scripted:
    """Some of what it writes is right, some wrong, and much of it the same; a second round mends most."""

    def write(request: Request) -> str:
        word = "wrong" if (request.seed + request.round) % 3 else "fine"
        return f"exact {word} {request.seed % 5}"

    return Scripted(write, name="slow", abilities={Ability.TURNS}, pause_s=pause_s)


CORRECTION = Protocol(name="self-correction", parts=(Part(rounds=3, repair="turns"),))


def main(arguments: Sequence[str]) -> None:
    """A run in a process of its own, to be killed."""
    folder, goals, n, pause_s = Path(arguments[0]), int(arguments[1]), int(arguments[2]), float(arguments[3])
    run_fake(folder, statements(goals), slow_writer(pause_s), protocol=CORRECTION, n=n)


if __name__ == "__main__":
    main(sys.argv[1:])
