"""Run a benchmark: attempts are drawn, written down and judged; a run that was stopped goes on where it was.

`run` is the one entry. The work itself is `session`'s, the folder is `opening`'s, and what was found is read with
`results`.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pythagoras.corpus.records import Formalisation, record_id
from pythagoras.errors import InputError
from pythagoras.evaluate.benchmarks import Benchmark
from pythagoras.evaluate.journal import Journal
from pythagoras.evaluate.running.casting import Cast
from pythagoras.evaluate.running.judging import Judge
from pythagoras.evaluate.running.opening import opened
from pythagoras.evaluate.running.protocols import Protocol
from pythagoras.evaluate.running.session import Progress, Session, Summary
from pythagoras.evaluate.runs import (
    ATTEMPTS,
    JUDGEMENTS,
    Manifest,
    SamplerInfo,
    write_manifest,
)
from pythagoras.generate.sampler import Noting, Sampler

_SAVE_S = 10.0
"""How often the manifest learns how long the run has taken."""


def run(
    folder: Path,
    benchmark: Benchmark,
    samplers: Sequence[Sampler],
    protocol: Protocol,
    judge: Judge,
    *,
    n: int,
    seed: int = 0,
    label: str = "",
    stop_when_solved: bool = False,
    overwrite: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Draw and judge `n` attempts at each goal, as far as they are not in the folder yet.

    The benchmark's goals are what is judged: their headers are those that the judge's Lean has. Ctrl-C ends it cleanly,
    which the summary tells. Raises InputError where the folder holds another run, and whatever a sampler raises; what
    was drawn until then stays.
    """
    goals = benchmark.goals
    _refuse_unsound(goals, n)
    cast = Cast(protocol, samplers, n)
    wanted = Manifest(
        label=label,
        benchmark=benchmark.info,
        samplers=tuple(SamplerInfo(name=one.name, settings=dict(one.settings)) for one in samplers),
        protocol=protocol,
        lean=judge.info(),
        seed=seed,
        n=n,
        stop_when_solved=stop_when_solved,
        versions=_versions(),
        started=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        notes=_notes(samplers, goals),
    )
    with opened(folder, wanted, goals, overwrite=overwrite) as manifest:
        clock = _Clock(folder, manifest)

        def tell(progress: Progress) -> None:
            clock.tick()
            if on_progress is not None:
                on_progress(progress)

        try:
            with Journal(folder / ATTEMPTS, "attempt") as attempts, Journal(folder / JUDGEMENTS, "judgement") as judged:
                session = Session(folder, manifest, goals, cast, judge, attempts, judged, tell)
                summary = session.run(stop_when_solved=stop_when_solved)
        finally:
            clock.save()
        if not stop_when_solved and not summary.interrupted and not summary.failed:  # nothing is left out any more
            clock.manifest = clock.manifest.model_copy(update={"stop_when_solved": False})
            clock.save()
    return summary


def _refuse_unsound(goals: Sequence[Formalisation], n: int) -> None:
    if n < 1:
        raise InputError(f"{n} attempts at each statement are none: ask for 1 or more")
    if not goals:
        raise InputError("the benchmark has no statements: choose another, or another split")
    name, times = Counter(map(record_id, goals)).most_common(1)[0]
    if times > 1:
        twice = next(goal.name for goal in goals if record_id(goal) == name)
        raise InputError(f"the benchmark has the statement {twice} {times} times: leave one of them")


def _notes(samplers: Sequence[Sampler], goals: Sequence[Formalisation]) -> dict[str, int]:
    noting = ((one.name, one.notes(goals)) for one in samplers if isinstance(one, Noting))
    return {f"{name}: {what}": count for name, notes in noting for what, count in notes.items() if count}


def _versions() -> dict[str, str]:
    return {
        "pythagoras": importlib.metadata.version("pythagoras"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count() or 1),
    }


class _Clock:
    """Writes into the manifest how long all sessions have taken, now and then, so that a kill costs little of it."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.manifest = manifest
        self._folder = folder
        self._before = manifest.wall_seconds
        self._began = self._saved = time.monotonic()

    def tick(self) -> None:
        if time.monotonic() - self._saved >= _SAVE_S:
            self.save()

    def save(self) -> None:
        self._saved = time.monotonic()
        spent = round(self._before + self._saved - self._began, 3)
        self.manifest = self.manifest.model_copy(update={"wall_seconds": spent})
        write_manifest(self._folder, self.manifest)
